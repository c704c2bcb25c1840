/* SPDX-License-Identifier: MIT */
/*
 * The model life and its ladder: any rule of nine cells with two states. The first rungs look each
 * square up in the rule's table of 512.
 */
#include "core/model/registry.h"
#include "kernels/cpu/model_common.h"
#include "kernels/life/life.h"
#include "kernels/life/rule.h"
#include "kernels/moore/rungs.h"

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

extern const struct cuda_ops life_cuda_naive, life_cuda_shared, life_cuda_bitslice,
    life_cuda_temporal, life_cuda_overlapped;

const struct ca_param life_bitslice_options[] = {
    CUDA_DEVICES, MOORE_BITSLICE_ROWS, MOORE_LOGIC, {.name = NULL}};
const struct ca_param life_overlapped_options[] = {
    MOORE_OVERLAPPED_OPTIONS, MOORE_LOGIC, {.name = NULL}};
const struct ca_param life_temporal_options[] = {
    MOORE_TEMPORAL_OPTIONS("generations in one pass over memory, 2 to 8; to 4 with dead edges and "
                           "of rules that are not compiled in"),
    MOORE_LOGIC,
    {.name = NULL}};

/* Of a byte nine cells are looked at, of which an index is made: eight shifts, eight ors, and the
 * table; on a GPU 7 additions and 3 for the rule. All others are by the default rule. Of 64 cells
 * 13 are for the sums of squares and 7 for the rule; with AVX-512 four sums of three inputs, which
 * two rows share in part, and three such operations for the rule. On a GPU a lane's four words
 * take 22. */
static const struct ca_backend backends[] = {
    MOORE_REFERENCE("a byte a cell, its square looked up in a table", life_reference, 17),
    MOORE_THREADS(life_reference, 17),
    MOORE_BITSLICE("64 cells a word, by the logic of the rule", life_bitslice, 20),
    MOORE_BITSLICE_AVX2(life_bitslice_avx2, 20),
    MOORE_BITSLICE_AVX512(life_bitslice_avx512, 17),
    MOORE_CUDA_NAIVE(life_cuda_naive, 10),
    MOORE_CUDA_SHARED(life_cuda_shared, 10),
    MOORE_CUDA_BITSLICE(life_cuda_bitslice, 22, life_bitslice_options),
    MOORE_CUDA_TEMPORAL(life_cuda_temporal, 22, life_temporal_options),
    MOORE_CUDA_OVERLAPPED(life_cuda_overlapped, 22, life_overlapped_options),
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
