/* SPDX-License-Identifier: MIT */
/*
 * The model anneal and its ladder.
 *
 * reference reads nine bytes for each cell, adds them up and looks at the sum: about a cell a
 * nanosecond, bound by instructions, not by memory, for each byte fetched is used nine times.
 *
 * threads gives each core a band of rows. Nothing in a cell's work changes, so the gain is the
 * number of cores, less one meeting of all threads in every generation: that is what small lattices
 * pay for.
 *
 * bitslice packs 64 cells of a row into a word. The nine cells are then added for 64 cells at once
 * by the logic of an adder, 21 operations on words and four shifts in place of 11 on each cell, and
 * memory traffic falls to an eighth. What it costs: cells have to be packed and unpacked where they
 * come in and go out.
 *
 * bitslice-avx2 takes four words at a time, down columns, so that the sums of rows stay in
 * registers. Twice the plain C, which compilers turn to vectors of two words.
 *
 * bitslice-avx512 takes eight words at a time and three inputs an operation: 13 operations for 512
 * cells. So fast that a generation is over before the next one's rows have come from memory, and
 * small lattices are stepped faster than threads can meet.
 *
 * Hence the option generations of the three: several of them in one pass over the lattice, a group
 * of rows at a time, each of it in the second cache. That divides memory's work and the meetings by
 * their number, for some rows at the ends of bands that neighbours compute both. It is on by
 * itself where a lattice is larger than the caches, or threads are many.
 *
 * cuda-naive begins anew on a GPU: a byte and a thread a cell. The lattice gets a border of ghost
 * cells, copied by two small kernels before each generation, so that the step has no edges. Caches
 * catch most of the nine loads of a cell, so that memory moves little more than two bytes for it;
 * but a thread begins, works out an address, waits for its loads and ends, all for a single cell.
 *
 * cuda-shared loads the cells of a block and those around it into shared memory first, each of them
 * once. Where global loads go through a first cache, as on today's GPUs, that cache does the same
 * for cuda-naive; what the tile adds is a barrier, and branches for its edges.
 *
 * cuda-bitslice packs cells again, now 128 of them for each lane of a warp: neighbouring cells are
 * in neighbouring words at the same bit, so that only the ends of a lane's cells are shifted, with
 * words that lanes hand to each other. A lane takes eight rows and adds each one's cells but once.
 * Memory moves a quarter of a byte a cell, and that is what binds.
 *
 * cuda-blocked goes down the rows of a strip with each warp, and takes them through several
 * generations before the next come, all in registers. So
 * memory is met once for all of them, and logic binds again: six and a half operations and half a
 * shift on a word of 32 cells, since what two rows have in common is made once for both, beside
 * what the seams of strips and pieces compute twice. Small lattices stay in the registers of blocks
 * for many generations, since there a kernel's start costs most.
 */
#include "core/machine/cpu.h"
#include "core/base/crand.h"
#include "core/model/registry.h"
#include "kernels/cpu/bit_stepper.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/anneal/anneal.h"
#include "kernels/cuda/stepper.h"
#include "kernels/cpu/model_common.h"
#include "kernels/cpu/initial_state.h"

enum { START_RANDOM, START_CRAND };

static const struct ca_param params[] = {
    {.name = "density",
     .kind = CA_REAL,
     .number = 0.5,
     .min = 0,
     .max = 1,
     .help = "share of live cells in the starts random and crand",
     .initial = true},
    {.name = NULL},
};

static const char *const shapes[] = {"32x32", "32x16", "32x8", "16x16", "64x4", "256x1", NULL};

static const struct ca_param cuda_options[] = {CUDA_DEVICE, CUDA_BLOCK(shapes, 0), {.name = NULL}};

#define ROWS_OPTION                                                                                \
    CUDA_CHOSEN("rows", 1 << 24, "2 4 8 16 32 64 128 256 512",                                     \
                "rows that a warp goes down, or that a lane has")

static const struct ca_param bitslice_options[] = {
    CUDA_DEVICE,
    CUDA_CHOSEN("rows", 8, "2 4 8", "rows that a lane has: 2, 4 or 8"),
    {.name = NULL}};

static const char *const forms[] = {"auto", "sweep", "tile", NULL};

static const struct ca_param blocked_options[] = {
    CUDA_DEVICE,
    CUDA_CHOSEN("generations", 64, "1 2 3 4 5 6 7 8 12 16 24 32",
                "generations in one pass over the lattice, at most 8 of a sweep"),
    ROWS_OPTION,
    CUDA_FORM(forms, "warps that sweep down the rows, or tiles that stay in registers"),
    {.name = NULL},
};

static const struct ca_start starts[] = {
    [START_RANDOM] = {"random", "each cell live with the given density"},
    [START_CRAND] = {"crand",
                     "srand(seed), then rand() / RAND_MAX < density, row by row, in float"},
    {.name = NULL},
};

/* In C, rand() / RAND_MAX of a float divides by RAND_MAX turned to float, which is 2^31. */
static void start_crand(const struct ca_setup *setup, uint8_t *cells)
{
    float density = (float)ca_real(&setup->params, "density");
    struct ca_crand generator;

    ca_crand_seed(&generator, (uint32_t)setup->seed);
    for (int64_t i = 0; i < ca_cells(setup->size); i++)
        cells[i] = (float)ca_crand_next(&generator) / (float)CA_RAND_MAX < density;
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

/* Logic for 64 cells; of AVX-512 six of three inputs and three of two. */
#define BITSLICE(operations)                                                                       \
    .device = CA_CPU, .options = options_generations, .memory_bytes_per_cell = 0.25,               \
    .bytes_per_cell_step = 0.25, .ops_per_cell_step = (operations), .stepper = &bit_stepper

/* Two extended domains; each cell is read once and written once. 8 additions, 3 for the rule. */
#define CUDA_BYTES(create)                                                                         \
    .options = cuda_options, .memory_bytes_per_cell = 2, .bytes_per_cell_step = 2,                 \
    .ops_per_cell_step = 11, CUDA_BACKEND(create)

/* A bit in two copies, read and written once a pass. 4 words of a lane: 18 operations, and 8 and 2
 * shifts for a row's sums, which eight rows of a lane alone need of ten. */
#define STRIPS(sums)                                                                               \
    .memory_bytes_per_cell = 0.25, .bytes_per_cell_step = 0.25,                                    \
    .ops_per_cell_step = (18 + 10 * (sums)) / 128.0

extern const struct byte_ops anneal_reference;
extern const struct bit_ops anneal_bitslice, anneal_bitslice_avx2, anneal_bitslice_avx512;
extern const struct cuda_ops anneal_cuda_naive, anneal_cuda_shared, anneal_cuda_bitslice,
    anneal_cuda_blocked;

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "a byte a cell, one after the other",
     .device = CA_CPU,
     .memory_bytes_per_cell = 2,
     .bytes_per_cell_step = 2,
     .ops_per_cell_step = 11, /* 8 additions, 3 for the rule */
     .ops = &anneal_reference,
     .stepper = &byte_stepper},
    {.name = "threads",
     .title = "the reference, a band of rows for each thread",
     .device = CA_CPU,
     .options = options_threads,
     .memory_bytes_per_cell = 2,
     .bytes_per_cell_step = 2,
     .ops_per_cell_step = 11,
     .ops = &anneal_reference,
     .stepper = &byte_stepper},
    {.name = "bitslice",
     .title = "64 cells a word, added by logic",
     .ops = &anneal_bitslice,
     BITSLICE(21.0 / 64)},
#if defined(__x86_64__)
    {.name = "bitslice-avx2",
     .title = "256 cells a vector",
     .available = ca_needs_avx2,
     .ops = &anneal_bitslice_avx2,
     BITSLICE(21.0 / 64)},
    {.name = "bitslice-avx512",
     .title = "512 cells a vector, three inputs an operation",
     .available = ca_needs_avx512,
     .ops = &anneal_bitslice_avx512,
     BITSLICE(15.0 / 64)},
#endif
    {.name = "cuda-naive",
     .title = "a byte and a thread a cell, ghost cells copied by kernels",
     CUDA_BYTES(anneal_cuda_naive)},
    {.name = "cuda-shared",
     .title = "the same from a tile in shared memory",
     CUDA_BYTES(anneal_cuda_shared)},
    {.name = "cuda-bitslice",
     .title = "128 cells a lane, one generation a pass",
     .options = bitslice_options,
     STRIPS(10.0 / 8),
     CUDA_BACKEND(anneal_cuda_bitslice)},
    {.name = "cuda-blocked",
     .title = "warps sweep down the rows, several generations in registers",
     .options = blocked_options,
     STRIPS(1),
     CUDA_BACKEND(anneal_cuda_blocked)},
    {.name = NULL},
};

const struct ca_model anneal_model = {
    .name = "anneal",
    .title = "ANNEAL, the twisted majority vote",
    .summary =
        "A cell becomes live if 4 or at least 6 of the 9 cells of its 3x3 square are live, "
        "else empty (B4678/S35678). A majority vote with its two closest outcomes exchanged: "
        "domains form whose borders straighten as if by surface tension. Torus.",
    .dimensions = 2,
    .radius = 1,
    .type = CA_U8,
    .planes = 1,
    .plane_names = {"cell"},
    .max_value = 1,
    .default_size = {512, 512, 1},
    .params = params,
    .starts = starts,
    .observables = live_observables,
    .states = live_states,
    .backends = backends,
    .torus = always_torus,
    .init = init,
    .observe = count_ones,
    .look = live_appearance,
};
