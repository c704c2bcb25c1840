/* SPDX-License-Identifier: MIT */
/*
 * The model life3d and its ladder, from one byte a cell to the whole lattice in registers; the
 * story of its rungs stands in calab-kernels(7).
 *
 * Operations are counted for the default rule. All kernels count the 27 cells of a cube, or let its
 * centre out, and look the count up in two masks of bits, one for empty and one for live cells; the
 * bit-sliced ones do so for a word of cells at once by the logic of adders (bitslice.h).
 */
#include "core/machine/cpu.h"
#include "core/base/crand.h"
#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/bands.h"
#include "kernels/cuda/stepper.h"
#include "kernels/cpu/model_common.h"
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/rule.h"

static const char *const boundaries[] = {[LIFE3D_TORUS] = "torus", [LIFE3D_DEAD] = "dead", NULL};

#define COUNT_PARAM(NAME, NUMBER, HELP)                                                            \
    {                                                                                              \
        .name = (NAME), .kind = CA_INT, .number = (NUMBER), .min = 0, .max = 27,                   \
        .unit = "neighbours", .help = (HELP)                                                       \
    }

static const char *const rules[] = {"3D5..7/6", "3D4,7/5,8", "3D0..26/", "3D/0,26", NULL};

static const struct ca_param params[] = {
    COUNT_PARAM("r1", 4, "an empty cell is born from r1 live neighbours on (r1 > r2: never)"),
    COUNT_PARAM("r2", 5, "an empty cell is born up to r2 live neighbours"),
    COUNT_PARAM("r3", 7, "a live cell dies above r3 live neighbours"),
    COUNT_PARAM("r4", 6, "a live cell dies below r4 live neighbours (r4 > r3: always)"),
    {.name = "rule",
     .kind = CA_TEXT,
     .examples = rules,
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

/* 512 threads at most: LIFE3D_THREADS in cuda_cells.cuh. */
static const char *const shapes[] = {"8x8x8", "4x4x4", "16x8x4", "32x4x4", "32x8x2", NULL};

static const char *const copies[] = {[LIFE3D_COPIES_NONE] = "none",
                                     [LIFE3D_COPIES_PINNED] = "pinned",
                                     [LIFE3D_COPIES_PAGEABLE] = "pageable",
                                     [LIFE3D_COPIES_PROGRAM] = "program",
                                     NULL};

static const struct ca_param cuda_options[] = {
    CUDA_DEVICES,
    CUDA_BLOCK(shapes, 0),
    {.name = "copies",
     .kind = CA_CHOICE,
     .number = LIFE3D_COPIES_NONE,
     .choices = copies,
     .help = "host memory to which each generation is copied, and from it back; program: pageable, "
             "and memory of the GPU is taken and freed each time"},
    {.name = NULL},
};

#define SWEEP_LAYERS                                                                               \
    CUDA_CHOSEN("layers", 1 << 24, "8 16 32 64 128 256 512", "layers that a block sweeps")

static const struct ca_param sweep_options[] = {CUDA_DEVICES, SWEEP_LAYERS, {.name = NULL}};

static const struct ca_param overlapped_options[] = {
    CUDA_DEVICES,
    CUDA_CHOSEN("generations", LIFE3D_OVERLAPPED_GENERATIONS_MAX, "1 2 3 4 5 6 7",
                "generations of a launch, and rows and layers by which tiles overlap"),
    {.name = NULL},
};

static const struct ca_param device_options[] = {CUDA_DEVICES, {.name = NULL}};

static const struct ca_start starts[] = {
    [LIVE_START_RANDOM] = {"random", "each cell live with the given density"},
    [LIVE_START_CRAND] = {"crand", "srand(seed), then rand() % 2 for each cell in index order"},
    {.name = NULL},
};

bool life3d_torus(const struct ca_setup *setup)
{
    return ca_choice(&setup->params, "boundary") == LIFE3D_TORUS;
}

static enum ca_status life3d_check(const struct ca_setup *setup, struct ca_error *error)
{
    struct life3d_rule rule;

    return life3d_rule_of_setup(&rule, setup, error);
}

static enum ca_status life3d_init(const struct ca_setup *setup, int start,
                                  struct ca_lattice *lattice, struct ca_error *error)
{
    uint8_t *cells = lattice->plane[0];
    struct ca_crand generator;

    if (start == LIVE_START_RANDOM)
        return live_init_random(setup, cells, error);
    ca_crand_seed(&generator, (uint32_t)setup->seed);
    for (int64_t i = 0; i < ca_cells(setup->size); i++)
        cells[i] = (uint8_t)(ca_crand_next(&generator) % 2);
    return CA_OK;
}

#define BITSLICE                                                                                   \
    .device = CA_CPU, .options = options_generations, .memory_bytes_per_cell = 0.25,               \
    .bytes_per_cell_step = 0.25, .stepper = &bands_stepper

/* Two lattices of ints; each cell is read once and written once. 26 additions, 3 for the rule. */
#define CUDA_CELLS_ROW(kernel)                                                                     \
    .options = cuda_options, .memory_bytes_per_cell = 8, .bytes_per_cell_step = 8,                 \
    .ops_per_cell_step = 29, CUDA_BACKEND(kernel)

/* A bit in two copies, read and written once a pass. Operations are on words of 32 cells. */
#define CUDA_BITS(operations)                                                                      \
    .memory_bytes_per_cell = 0.25, .bytes_per_cell_step = 0.25,                                    \
    .ops_per_cell_step = (operations) / 32

extern const struct byte_ops life3d_reference;
extern const struct bands_ops life3d_bitslice, life3d_bitslice_avx2, life3d_bitslice_avx512;
extern const struct cuda_ops life3d_cuda_naive, life3d_cuda_shared, life3d_cuda_bitslice,
    life3d_cuda_temporal, life3d_cuda_overlapped, life3d_cuda_persistent;

/* Rows of 32, 16 and 8 lanes with the fewest rows of a block: partial, closed and partial. */
static const struct ca_size temporal_sizes[] = {
    {1030, 28, 8}, {1024, 60, 8}, {300, 124, 9}, {512, 125, 8}, {0}};
/* Rows of one to four words, whole and partial; lattices inside one tile and in several. */
static const struct ca_size overlapped_sizes[] = {
    {1, 1, 1}, {20, 20, 20}, {32, 9, 17}, {64, 33, 5}, {90, 25, 9}, {128, 32, 3}, {0}};
/* One block with one layer a thread and with four, clusters with and without whole words. */
static const struct ca_size persistent_sizes[] = {
    {1, 1, 1}, {32, 32, 3}, {31, 20, 3}, {32, 32, 4}, {20, 20, 20}, {32, 32, 32}, {32, 9, 70}, {0}};

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "a byte a cell, one after the other",
     .options = options_ranks,
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
    {.name = "bitslice-avx2",
     .title = "256 cells a vector, bands of rows in its lanes",
     .ops_per_cell_step = 57.0 / 64,
     .available = ca_needs_avx2,
     X86_OPS(life3d_bitslice_avx2),
     BITSLICE},
    {.name = "bitslice-avx512",
     .title = "512 cells a vector, logic of three inputs",
     .ops_per_cell_step = 42.0 / 64, /* 20 of three inputs, 2 of two */
     .available = ca_needs_avx512,
     X86_OPS(life3d_bitslice_avx512),
     BITSLICE},
    {.name = "cuda-naive",
     .title = "an int and a thread a cell, from global memory",
     CUDA_CELLS_ROW(life3d_cuda_naive)},
    {.name = "cuda-shared",
     .title = "the same, a block's own cells in shared memory",
     CUDA_CELLS_ROW(life3d_cuda_shared)},
    {.name = "cuda-bitslice",
     .title = "64 cells a lane, a warp sweeps down the layers of its rows",
     .options = sweep_options,
     /* Rows of 64 cells a lane, four a warp: 3 in x, twice for half of the rows since warps do not
      * exchange them; 4 in x and y, 10 for three layers, 6 for the rule. 1.5 are shifts. */
     CUDA_BITS(24.5),
     CUDA_BACKEND(life3d_cuda_bitslice)},
    {.name = "cuda-temporal",
     .title = "two generations in one sweep",
     .options = sweep_options,
     .small_sizes = temporal_sizes,
     /* The same without rows that are added twice, and 28 of 32 rows of a block are valid. */
     CUDA_BITS(23 * 32.0 / 28),
     CUDA_BACKEND(life3d_cuda_temporal)},
    {.name = "cuda-overlapped",
     .title = "overlapped tiles in registers for several generations, rows of up to 128 cells",
     .options = overlapped_options,
     .small_sizes = overlapped_sizes,
     /* 4 in x with 2 shifts, else the same; the cells that tiles step twice are not counted. */
     CUDA_BITS(24.0),
     CUDA_BACKEND(life3d_cuda_overlapped)},
    {.name = "cuda-persistent",
     .title = "all generations in registers of a cluster or a block, up to 32x32x128 cells",
     .options = device_options,
     .small_sizes = persistent_sizes,
     /* The cluster: 6 for three columns, 4 for nine cells, 8 shifts, 12 for three nines, 6 for the
      * rule; of sixteen blocks each steps two layers, and two of halo every second generation. */
     CUDA_BITS(36 * 1.5),
     CUDA_BACKEND(life3d_cuda_persistent)},
    {.name = NULL},
};

static void table(const struct ca_setup *setup, uint8_t *bytes)
{
    struct life3d_rule rule = {.survive = 0};
    struct ca_error ignored; /* check has refused what is no rule */

    life3d_rule_of_setup(&rule, setup, &ignored);
    for (int live = 0; live < 2; live++)
        for (int n = 0; n <= LIFE3D_NEIGHBOURS; n++)
            bytes[live * (LIFE3D_NEIGHBOURS + 1) + n] = (uint8_t)life3d_next(rule, live, n);
}

static const struct ca_model_start start = {
    .named = starts, .init = life3d_init, .random = live_random_start};

static const struct ca_rule_table next = {
    .bytes = 2 * (LIFE3D_NEIGHBOURS + 1),
    .help = "uint8_t next[2][27], the cell after a step, by what it was and its neighbours",
    .fill = table};
static const struct ca_rule_notation notation = {.write = life3d_rule_text,
                                                 .matches = life3d_is_rule};
static const struct ca_model_rule rule = {
    .torus = life3d_torus, .table = &next, .notation = &notation};

static const struct ca_model_observe observe = {
    .observables = live_observables, .counts = observe_ones, .fields = live_fields};

const struct ca_model life3d_model = {
    .name = "life3d",
    .opens = "life3d-soup",
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
    .pace = 1,
    .params = params,
    .brushes = live_brushes,
    .backends = backends,
    .check = life3d_check,
    .start = &start,
    .rule = &rule,
    .observe = &observe,
    .draw = &live_draw,
};
