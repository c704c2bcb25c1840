/* SPDX-License-Identifier: MIT */
/*
 * The model life and its ladder: any rule of nine cells with two states. The first rungs look each
 * square up in the rule's table of 512.
 */
#include "core/machine/cpu.h"
#include "core/model/registry.h"
#include "kernels/cpu/bit_stepper.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/model_common.h"
#include "kernels/cuda/stepper.h"
#include "kernels/life/life.h"
#include "kernels/life/rule.h"

static const char *const boundaries[] = {[LIFE_TORUS] = "torus", [LIFE_DEAD] = "dead", NULL};

/* By counts, with births in an empty neighbourhood, by Hensel's letters, and as a table. */
static const char *const rules[] = {
    "B36/S23",
    "B4678/S35678",
    "B01245/S0124578",
    "B2-a/S12",
    "B02ci3ai4c8/S02ae3eijkq4iz5ar6i7e",
    "MAPFPZyslShNh0piNpnCZJZO6xJM1CM2y4mU0dNaxYRR/N6A69P9/v2XAfLD7w5OhQ8k5zlV74mnFJan1M7I75CWw",
    NULL};

static const struct ca_param params[] = {
    {.name = "rule",
     .kind = CA_TEXT,
     .text = "B3/S23",
     .examples = rules,
     .help = "births and survivals by live neighbours (B3/S23, 23/3), with Hensel's letters "
             "(B2-a/S12), or MAP and a table of 512 as base64"},
    {.name = "boundary",
     .kind = CA_CHOICE,
     .number = LIFE_TORUS,
     .choices = boundaries,
     .help = "torus: opposite edges meet; dead: all outside is empty"},
    {.name = "density",
     .kind = CA_REAL,
     .number = 0.5,
     .min = 0,
     .max = 1,
     .help = "share of live cells in the starts random and crand",
     .initial = true},
    {.name = NULL},
};

bool life_torus(const struct ca_setup *setup)
{
    return ca_choice(&setup->params, "boundary") == LIFE_TORUS;
}

static enum ca_status life_check(const struct ca_setup *setup, struct ca_error *error)
{
    struct life_rule rule;

    return life_rule_of_setup(&rule, setup, error);
}

extern const struct byte_ops life_reference;
extern const struct bit_ops life_bitslice, life_bitslice_avx2, life_bitslice_avx512;

/* Nine cells are looked at, of which an index is made: eight shifts, eight ors, and the table. */
#define LOOKED_UP                                                                                  \
    .device = CA_CPU, .memory_bytes_per_cell = 2, .bytes_per_cell_step = 2,                        \
    .ops_per_cell_step = 17, .ops = &life_reference, .stepper = &byte_stepper

/* Logic for 64 cells by the default rule: 13 for the sums of squares and 7 for the rule; with
 * AVX-512 four sums of three inputs, which two rows share in part, and three such operations for
 * the rule. */
#define BITSLICE(operations)                                                                       \
    .device = CA_CPU, .options = options_generations, .memory_bytes_per_cell = 0.25,               \
    .bytes_per_cell_step = 0.25, .ops_per_cell_step = (operations), .stepper = &bit_stepper

static const char *const shapes[] = {"32x32", "32x16", "32x8", "16x16", "64x4", "256x1", NULL};

static const struct ca_param cuda_options[] = {CUDA_DEVICES, CUDA_BLOCK(shapes, 0), {.name = NULL}};

static const struct ca_param cuda_bitslice_options[] = {
    CUDA_DEVICES,
    CUDA_CHOSEN("rows", 8, "2 4 8", "rows a lane: 2, 4 or 8, others are rounded"),
    {.name = NULL}};

static const struct ca_param temporal_options[] = {
    CUDA_DEVICES,
    CUDA_CHOSEN("generations", 8, "2 3 4 5 6 7 8",
                "generations in one pass over memory, 2 to 8; to 4 with dead edges and of rules "
                "that are looked up"),
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

extern const struct cuda_ops life_cuda_naive, life_cuda_shared, life_cuda_bitslice,
    life_cuda_temporal, life_cuda_overlapped;

/* Two extended domains; each cell is read once and written once. 7 additions, 3 for the rule. */
#define CUDA_BYTES(kernel)                                                                         \
    .options = cuda_options, .memory_bytes_per_cell = 2, .bytes_per_cell_step = 2,                 \
    .ops_per_cell_step = 10, CUDA_BACKEND(kernel)

/* A bit in two copies, read and written once a pass. Of Conway's Life a lane's four words take 22
 * operations and for each row's sums 8 and two shifts; `sums` rows are summed for each row that is
 * stepped. */
#define CUDA_BITS(sums)                                                                            \
    .memory_bytes_per_cell = 0.25, .bytes_per_cell_step = 0.25,                                    \
    .ops_per_cell_step = (22 + 10 * (sums)) / 128.0

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "a byte a cell, its square looked up in a table",
     .options = options_ranks,
     LOOKED_UP},
    {.name = "threads",
     .title = "the reference, a band of rows for each thread",
     .options = options_threads,
     LOOKED_UP},
    {.name = "bitslice",
     .title = "64 cells a word, by the logic of the rule",
     .ops = &life_bitslice,
     BITSLICE(20.0 / 64)},
    {.name = "bitslice-avx2",
     .title = "256 cells a vector",
     .available = ca_needs_avx2,
     X86_OPS(life_bitslice_avx2),
     BITSLICE(20.0 / 64)},
    {.name = "bitslice-avx512",
     .title = "512 cells a vector, three inputs an operation",
     .available = ca_needs_avx512,
     X86_OPS(life_bitslice_avx512),
     BITSLICE(17.0 / 64)},
    {.name = "cuda-naive",
     .title = "a byte and a thread a cell, ghost cells copied by kernels",
     CUDA_BYTES(life_cuda_naive)},
    {.name = "cuda-shared",
     .title = "a byte a cell from a tile in shared memory",
     CUDA_BYTES(life_cuda_shared)},
    {.name = "cuda-bitslice",
     .title = "128 cells a lane, one generation a pass",
     .options = cuda_bitslice_options,
     CUDA_BITS(10.0 / 8), /* eight rows a lane and one on either side */
     CUDA_BACKEND(life_cuda_bitslice)},
    {.name = "cuda-temporal",
     .title = "warps sweep down the rows, several generations a pass",
     .options = temporal_options,
     CUDA_BITS(1),
     CUDA_BACKEND(life_cuda_temporal)},
    {.name = "cuda-overlapped",
     .title = "overlapped tiles stay in registers for several generations",
     .options = overlapped_options,
     CUDA_BITS(1),
     CUDA_BACKEND(life_cuda_overlapped)},
    {.name = NULL},
};

static void table(const struct ca_setup *setup, uint8_t *bytes)
{
    struct life_rule rule = {.totalistic = true};
    struct ca_error ignored; /* check has refused what is no rule */

    life_rule_of_setup(&rule, setup, &ignored);
    for (unsigned i = 0; i < LIFE_SQUARES / 8; i++)
        bytes[i] = (uint8_t)(rule.table[i / 8] >> i % 8 * 8);
}

static const struct ca_model_start start = {
    .named = live_starts, .init = live_init, .random = live_random_start};

static const struct ca_rule_table next = {
    .bytes = LIFE_SQUARES / 8,
    .help = "uint8_t next[64], bit s % 8 of byte s / 8: the cell after the square s = 256 NW + "
            "128 N + 64 NE + 32 W + 16 C + 8 E + 4 SW + 2 S + SE",
    .fill = table};
static const struct ca_rule_notation notation = {
    .write = life_rule_text, .matches = life_is_rule, .flashes = life_flashes};
static const struct ca_model_rule rule = {
    .torus = life_torus, .table = &next, .notation = &notation};

static const struct ca_model_observe observe = {
    .observables = live_observables, .counts = observe_ones, .fields = live_fields};

const struct ca_model life_model = {
    .name = "life",
    .title = "Game of Life, or any rule of nine cells",
    .summary = "In Conway's Life an empty cell is born of three live neighbours among eight, and a "
               "live one stays with two or three. `rule` is any other function of a cell's 3x3 "
               "square: by counts (B36/S23), by Hensel's letters (B2-a/S12), or as a table (MAP).",
    .dimensions = 2,
    .radius = 1,
    .type = CA_U8,
    .planes = 1,
    .plane_names = {"cell"},
    .max_value = 1,
    .default_size = {512, 512, 1},
    .pace = 1,
    .params = params,
    .brushes = live_brushes,
    .backends = backends,
    .check = life_check,
    .start = &start,
    .rule = &rule,
    .observe = &observe,
    .draw = &live_draw,
};
