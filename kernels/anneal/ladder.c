/* SPDX-License-Identifier: MIT */
/*
 * The model anneal and its ladder, from a byte a cell to several generations a pass over memory.
 * calab-kernels(7) tells what each rung changes, which limit it moves and what it costs.
 */
#include <string.h>
#include <strings.h>

#include "core/machine/cpu.h"
#include "core/model/bit_row.h"
#include "core/model/registry.h"
#include "kernels/cpu/bit_stepper.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/anneal/rule.h"
#include "kernels/cuda/stepper.h"
#include "kernels/cpu/model_common.h"

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

static const struct ca_param cuda_options[] = {CUDA_DEVICES, CUDA_BLOCK(shapes, 0), {.name = NULL}};

static const struct ca_param bitslice_options[] = {
    CUDA_DEVICES,
    CUDA_CHOSEN("rows", 8, "2 4 8", "rows a lane: 2, 4 or 8, others are rounded"),
    {.name = NULL}};

static const struct ca_param temporal_options[] = {
    CUDA_DEVICES,
    CUDA_CHOSEN("generations", 8, "2 3 4 5 6 7 8", "generations in one pass over memory, 2 to 8"),
    CUDA_CHOSEN("rows", 1 << 24, "16 32 64 128 256 512", "rows that a warp sweeps"),
    {.name = NULL},
};

static const struct ca_param overlapped_options[] = {
    CUDA_DEVICES,
    CUDA_CHOSEN("generations", 128, "1 2 3 4 5 6 7 8 12 16 24 32",
                "generations in one pass over memory, fewer than half of a tile's rows"),
    CUDA_CHOSEN("rows", 12, "1 2 4 6 8 12",
                "rows a lane: 1, 2, 4, 6, 8 or 12, others are rounded down"),
    {.name = NULL},
};

/* Logic for 64 cells; AVX-512 takes six operations of three inputs and three of two. */
#define BITSLICE(operations)                                                                       \
    .device = CA_CPU, .options = options_generations, .memory_bytes_per_cell = 0.25,               \
    .bytes_per_cell_step = 0.25, .ops_per_cell_step = (operations), .stepper = &bit_stepper

/* Two extended domains; each cell is read once and written once. 8 additions, 3 for the rule. */
#define CUDA_BYTES(kernel)                                                                         \
    .options = cuda_options, .memory_bytes_per_cell = 2, .bytes_per_cell_step = 2,                 \
    .ops_per_cell_step = 11, CUDA_BACKEND(kernel)

/* A bit in two copies, read and written once a pass. A lane's four words take 18 operations and for
 * each row's sums 8 and two shifts; `sums` rows are summed for each row that is stepped. */
#define CUDA_BITS(sums)                                                                            \
    .memory_bytes_per_cell = 0.25, .bytes_per_cell_step = 0.25,                                    \
    .ops_per_cell_step = (18 + 10 * (sums)) / 128.0

extern const struct byte_ops anneal_reference;
extern const struct bit_ops anneal_bitslice, anneal_bitslice_avx2, anneal_bitslice_avx512;
extern const struct cuda_ops anneal_cuda_naive, anneal_cuda_shared, anneal_cuda_bitslice,
    anneal_cuda_temporal, anneal_cuda_overlapped;

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "a byte a cell, one after the other",
     .options = options_ranks,
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
    {.name = "bitslice-avx2",
     .title = "256 cells a vector",
     .available = ca_needs_avx2,
     X86_OPS(anneal_bitslice_avx2),
     BITSLICE(21.0 / 64)},
    {.name = "bitslice-avx512",
     .title = "512 cells a vector, three inputs an operation",
     .available = ca_needs_avx512,
     X86_OPS(anneal_bitslice_avx512),
     BITSLICE(15.0 / 64)},
    {.name = "cuda-naive",
     .title = "a byte and a thread a cell, ghost cells copied by kernels",
     CUDA_BYTES(anneal_cuda_naive)},
    {.name = "cuda-shared",
     .title = "a byte a cell from a tile in shared memory",
     CUDA_BYTES(anneal_cuda_shared)},
    {.name = "cuda-bitslice",
     .title = "128 cells a lane, one generation a pass",
     .options = bitslice_options,
     CUDA_BITS(10.0 / 8), /* eight rows a lane and one on either side */
     CUDA_BACKEND(anneal_cuda_bitslice)},
    {.name = "cuda-temporal",
     .title = "warps sweep down the rows, several generations a pass",
     .options = temporal_options,
     CUDA_BITS(1),
     CUDA_BACKEND(anneal_cuda_temporal)},
    {.name = "cuda-overlapped",
     .title = "overlapped tiles stay in registers for several generations",
     .options = overlapped_options,
     CUDA_BITS(1),
     CUDA_BACKEND(anneal_cuda_overlapped)},
    {.name = NULL},
};

static const struct ca_observable observables[] = {
    {.name = "live", .help = "live cells"},
    {.name = "walls", .help = "length of the walls between domains: edges between unlike cells"},
    {.name = NULL},
};

static void observe_walls(const double neighbours[], double values[]) { values[1] = neighbours[0]; }

/* Edges between unlike cells, each with the cell that is left of it or above. */
static void add_walls(const struct ca_setup *setup, const struct ca_neighbour_rows *rows,
                      int64_t begin, int64_t end, double *sums)
{
    const uint8_t *here = rows->here[0], *below = rows->below[0];
    int64_t inside = end < setup->size.w ? end : end - 1, walls = 0;

    for (int64_t x = begin; x < end; x++)
        walls += here[x] != below[x];
    for (int64_t x = begin; x < inside; x++)
        walls += here[x] != here[x + 1];
    if (inside < end)
        walls += here[inside] != here[0];
    sums[0] += (double)walls;
}

static void add_walls_of_words(const struct ca_setup *setup, const struct ca_neighbour_rows *rows,
                               int64_t begin, int64_t end, double *sums)
{
    const uint64_t *here = rows->here[0], *below = rows->below[0];
    int64_t w = setup->size.w, walls = 0, k = begin / 64;

    for (; 64 * k < end; k++) {
        uint64_t mask = ca_bit_row_mask(k, begin, end);
        uint64_t right =
            anneal_right(here[k], w - 64 * k > 64 ? here[k + 1] : 0, here[0], w - 64 * k);

        walls += ca_ones((here[k] ^ right) & mask) + ca_ones((here[k] ^ below[k]) & mask);
    }
    sums[0] += (double)walls;
}

static void walls(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                  double value[])
{
    value[0] = ca_block_neighbours_at(means, x, y, z)[0] / ca_block_samples(means, x, y, z);
}

static const struct ca_field fields[] = {
    {"density", "share of live cells", NULL, 1, false, false, live_density},
    {"walls", "length of the walls between domains that a cell has", "edges/cell", 1, false, true,
     walls},
    {.name = NULL},
};

#define GOLLY_RULE "B4678/S35678"

static void rule_text(const struct ca_setup *setup, char text[CA_TEXT_MAX])
{
    (void)setup;
    strcpy(text, GOLLY_RULE);
}

/* Also "S35678/B4678", in any case, and "35678/4678", survivals first. */
static bool is_rule(const struct ca_setup *setup, const char *text)
{
    static const char *const forms[] = {GOLLY_RULE, "S35678/B4678", "35678/4678"};

    (void)setup;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcasecmp(text, forms[i]) == 0)
            return true;
    return false;
}

static const struct ca_model_start start = {
    .named = live_starts, .init = live_init, .random = live_random_start};

static const struct ca_rule_notation notation = {.write = rule_text, .matches = is_rule};
static const struct ca_model_rule rule = {.torus = always_torus, .notation = &notation};

static const struct ca_neighbour_sums neighbours = {
    .count = 1, .add = add_walls, .add_words = add_walls_of_words, .observe = observe_walls};
static const struct ca_model_observe observe = {.observables = observables,
                                                .counts = observe_ones,
                                                .neighbours = &neighbours,
                                                .fields = fields};

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
    .pace = 4,
    .params = params,
    .brushes = live_brushes,
    .backends = backends,
    .start = &start,
    .rule = &rule,
    .observe = &observe,
    .draw = &live_draw,
};
