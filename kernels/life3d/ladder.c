/* SPDX-License-Identifier: MIT */
/*
 * The model life3d and its ladder.
 *
 * reference looks at the 27 cells of the cube around each cell, counts, and asks two masks of 27
 * bits: one for the empty cell, one for the live. It is bound by its additions; the nine rows that
 * it reads stay in the first cache.
 *
 * threads gives each core a range of rows, of which there are H x D, so that flat lattices are
 * shared out as well as cubes. Threads meet once in every generation.
 *
 * bitslice packs 64 cells into a word and counts by the logic of adders: what 27 additions for each
 * cell were are 65 operations for 64 cells, 13 of them for the default rule. Nine cells are added
 * up once and used for three of the cells in their middle, and two such nines are added up once for
 * the two cells that need both. Other rules of one interval for births and one for survivals
 * compare the count with four limits, which costs about a third of the speed, and rules with gaps
 * choose among all counts, which costs about half. No rule takes a branch for a cell. Rows of up to
 * 32 cells share words, 78 operations then, so that the default lattice of 32 a side is 4 KiB and
 * lives in the first cache.
 *
 * bitslice-avx2 and bitslice-avx512 do the same with 256 and 512 cells at once. Few rows are that
 * long: so each layer is cut into bands of rows, one for each lane of the vector, and no lane
 * idles. AVX-512 has logic of three inputs, of which an adder takes two in place of five
 * operations; what is left to wait for are these. Lattices that a thread steps in some microseconds
 * are better off with one: `threads` left at 0 chooses so. Of lattices larger than the caches the
 * option generations takes a few layers through several generations before the next layers follow:
 * else memory would bind, though far less than it does models with less arithmetic.
 *
 * cuda-naive begins anew on a GPU: an int a cell, a thread a cell, 26 neighbours from global
 * memory. The caches hand most of them over, so memory has eight bytes a cell step to move; what
 * is left to do is 27 loads with their addresses for a single cell, the only one in its word.
 *
 * cuda-shared puts the cells of a block of 8 x 8 x 8 into shared memory and leaves the neighbours
 * outside it to global memory. 296 of the block's 512 cells have some there, a part of every warp:
 * so the warps make both kinds of loads, and the tile saves traffic to caches, not instructions.
 *
 * Both take `copies`: pinned or pageable sends the lattice to the host and back after each
 * generation, 8 bytes a cell over the bus, against none where it stays on the device.
 *
 * cuda-bitslice counts by logic as the CPU's bitslice does, 32 cells a word, and takes the lattice
 * down its layers: a warp keeps the sums of nine of the last two layers of its rows in registers,
 * so that a cell is loaded once, or twice at the edge of its rows. Layers go in pairs, which are
 * added once for two results, and the default rule ends the addition before the count is whole: 24
 * operations and shifts for 32 cells where there were 29 for one. Memory now moves a quarter of a
 * byte for a cell step, and has nearly as much to do as the logic.
 *
 * cuda-blocked takes two generations in one pass, so that memory has half of that to do. The sums
 * of the rows at the edge of a warp's go to its neighbours through shared memory, and are not made
 * twice; but a block loses two rows at both ends. Logic binds, and a third generation would need
 * more registers than there are. Lattices of up to 32 x 32 x 128 cells, such as the default one,
 * stay in the registers of a cluster of blocks for all generations of a step: nothing is launched,
 * loaded or stored in between, and blocks send each other their outer layers every second
 * generation. GPUs without clusters keep lattices of up to half of that in one multiprocessor's
 * registers. Larger ones with rows of up to 128 cells go some generations a launch in blocks that
 * overlap, as a launch takes longer than such a generation.
 */
#include "core/machine/cpu.h"
#include "core/base/crand.h"
#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/bands.h"
#include "kernels/cuda/stepper.h"
#include "kernels/cpu/model_common.h"
#include "kernels/cpu/initial_state.h"
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/rule.h"

enum { START_RANDOM, START_CRAND };

static const char *const boundaries[] = {[LIFE3D_TORUS] = "torus", [LIFE3D_DEAD] = "dead", NULL};

#define COUNT_PARAM(NAME, NUMBER, HELP)                                                            \
    {                                                                                              \
        .name = (NAME), .kind = CA_INT, .number = (NUMBER), .min = 0, .max = 27,                   \
        .unit = "neighbours", .help = (HELP)                                                       \
    }

static const struct ca_param params[] = {
    COUNT_PARAM("r1", 4, "an empty cell is born from r1 live neighbours on (r1 > r2: never)"),
    COUNT_PARAM("r2", 5, "an empty cell is born up to r2 live neighbours"),
    COUNT_PARAM("r3", 7, "a live cell dies above r3 live neighbours"),
    COUNT_PARAM("r4", 6, "a live cell dies below r4 live neighbours (r4 > r3: always)"),
    {.name = "rule",
     .kind = CA_TEXT,
     .help = "survivals/births in place of r1 ... r4 where they have gaps: 3D5..7/6, 3D4,7/5,8"},
    {.name = "boundary",
     .kind = CA_CHOICE,
     .number = LIFE3D_TORUS,
     .choices = boundaries,
     .help = "torus: opposite faces meet; dead: all outside is empty"},
    {.name = "density",
     .kind = CA_REAL,
     .number = 0.5,
     .min = 0,
     .max = 1,
     .help = "share of live cells in the start random (most rules of Bays want 0.2)",
     .initial = true},
    {.name = NULL},
};

/* 512 threads at most: LIFE3D_THREADS in ints.cuh. */
static const char *const shapes[] = {"8x8x8", "4x4x4", "16x8x4", "32x4x4", "32x8x2", NULL};

static const char *const copies[] = {[LIFE3D_COPIES_NONE] = "none",
                                     [LIFE3D_COPIES_PINNED] = "pinned",
                                     [LIFE3D_COPIES_PAGEABLE] = "pageable",
                                     NULL};

static const struct ca_param cuda_options[] = {
    CUDA_DEVICE,
    CUDA_BLOCK(shapes, 0),
    {.name = "copies",
     .kind = CA_CHOICE,
     .number = LIFE3D_COPIES_NONE,
     .choices = copies,
     .help = "host memory to which each generation is copied, and from it back"},
    {.name = NULL},
};

#define SWEEP_LAYERS                                                                               \
    CUDA_CHOSEN("layers", 1 << 24, "8 16 32 64 128 256 512", "layers that a block goes down")

static const struct ca_param sweep_options[] = {CUDA_DEVICE, SWEEP_LAYERS, {.name = NULL}};

static const struct ca_param blocked_options[] = {
    CUDA_DEVICE,
    CUDA_CHOSEN("generations", 1 << 20, "1 2 3 4 5 6 7 16 64 256",
                "generations in one pass, two at most of rows over 128, seven of narrow ones"),
    SWEEP_LAYERS,
    {.name = NULL},
};

static const struct ca_start starts[] = {
    [START_RANDOM] = {"random", "each cell live with the given density"},
    [START_CRAND] = {"crand", "srand(seed), then rand() % 2 for each cell in index order"},
    {.name = NULL},
};

bool life3d_torus(const struct ca_setup *setup)
{
    return ca_choice(&setup->params, "boundary") == LIFE3D_TORUS;
}

static enum ca_status check(const struct ca_setup *setup, struct ca_error *error)
{
    struct life3d_rule rule;

    return life3d_rule_of_setup(&rule, setup, error);
}

static void start_crand(const struct ca_setup *setup, uint8_t *cells)
{
    struct ca_crand generator;

    ca_crand_seed(&generator, (uint32_t)setup->seed);
    for (int64_t i = 0; i < ca_cells(setup->size); i++)
        cells[i] = (uint8_t)(ca_crand_next(&generator) % 2);
}

static enum ca_status init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                           struct ca_error *error)
{
    if (start == START_RANDOM)
        return initial_random(setup, ca_real(&setup->params, "density"), 0, lattice->plane[0], 1,
                              error);
    start_crand(setup, lattice->plane[0]);
    return CA_OK;
}

#define BITSLICE                                                                                   \
    .device = CA_CPU, .options = options_generations, .memory_bytes_per_cell = 0.25,               \
    .bytes_per_cell_step = 0.25, .stepper = &bands_stepper

/* Two lattices of ints; each cell is read once and written once. 26 additions, 3 for the rule. */
#define CUDA_INTS(create)                                                                          \
    .options = cuda_options, .memory_bytes_per_cell = 8, .bytes_per_cell_step = 8,                 \
    .ops_per_cell_step = 29, CUDA_BACKEND(create)

/* A bit in two copies, read and written once a pass. Operations are on words. */
#define CUDA_PLANES(operations)                                                                    \
    .memory_bytes_per_cell = 0.25, .bytes_per_cell_step = 0.25,                                    \
    .ops_per_cell_step = (operations) / 32

extern const struct byte_ops life3d_reference;
extern const struct bands_ops life3d_bitslice, life3d_bitslice_avx2, life3d_bitslice_avx512;
extern const struct cuda_ops life3d_cuda_naive, life3d_cuda_shared, life3d_cuda_bitslice,
    life3d_cuda_blocked;

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "a byte a cell, one after the other",
     .device = CA_CPU,
     .memory_bytes_per_cell = 2,
     .bytes_per_cell_step = 2,
     .ops_per_cell_step = 30, /* 27 additions, 3 for the rule */
     .ops = &life3d_reference,
     .stepper = &byte_stepper},
    {.name = "threads",
     .title = "the reference, a range of rows for each thread",
     .device = CA_CPU,
     .options = options_threads,
     .memory_bytes_per_cell = 2,
     .bytes_per_cell_step = 2,
     .ops_per_cell_step = 30,
     .ops = &life3d_reference,
     .stepper = &byte_stepper},
    {.name = "bitslice",
     .title = "64 cells a word, counted by logic",
     .ops_per_cell_step = 57.0 / 64, /* logic, without 8 shifts; the default rule */
     .ops = &life3d_bitslice,
     BITSLICE},
#if defined(__x86_64__)
    {.name = "bitslice-avx2",
     .title = "256 cells a vector, bands of rows in its lanes",
     .ops_per_cell_step = 57.0 / 64,
     .available = ca_needs_avx2,
     .ops = &life3d_bitslice_avx2,
     BITSLICE},
    {.name = "bitslice-avx512",
     .title = "512 cells a vector, logic of three inputs",
     .ops_per_cell_step = 42.0 / 64, /* 20 of three inputs, 2 of two */
     .available = ca_needs_avx512,
     .ops = &life3d_bitslice_avx512,
     BITSLICE},
#endif
    {.name = "cuda-naive",
     .title = "an int and a thread a cell, from global memory",
     CUDA_INTS(life3d_cuda_naive)},
    {.name = "cuda-shared",
     .title = "the same, a block's own cells in shared memory",
     CUDA_INTS(life3d_cuda_shared)},
    {.name = "cuda-bitslice",
     .title = "64 cells a lane, a warp goes down the layers of its rows",
     .options = sweep_options,
     /* Rows of 64 cells a lane, four a warp, of the default rule: 3 in x, twice for half of the
      * rows since warps have no halos; 4 in x and y, 10 for three layers, 6 for the rule. 1.5
      * shifts. */
     CUDA_PLANES(24.5),
     CUDA_BACKEND(life3d_cuda_bitslice)},
    {.name = "cuda-blocked",
     .title = "the same through two generations, small lattices through all, in registers",
     .options = blocked_options,
     /* The same without rows that are added twice, and 28 of 32 rows of a block are of use. */
     CUDA_PLANES(23 * 32.0 / 28),
     CUDA_BACKEND(life3d_cuda_blocked)},
    {.name = NULL},
};

const struct ca_model life3d_model = {
    .name = "life3d",
    .title = "Game of Life in three dimensions",
    .summary = "An empty cell is born if r1 to r2 of its 26 neighbours are live; a live cell dies "
               "above r3 or below r4. In the notation of Bays (Complex Systems 1, 1987), wxyz: "
               "r1 = y, r2 = z, r3 = x, r4 = w. Rules with gaps are given as text by `rule`.",
    .dimensions = 3,
    .radius = 1,
    .type = CA_U8,
    .planes = 1,
    .plane_names = {"cell"},
    .max_value = 1,
    .default_size = {32, 32, 32},
    .params = params,
    .starts = starts,
    .observables = live_observables,
    .states = live_states,
    .backends = backends,
    .torus = life3d_torus,
    .check = check,
    .init = init,
    .observe = count_ones,
    .look = live_appearance,
};
