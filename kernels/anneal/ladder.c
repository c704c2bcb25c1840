/* SPDX-License-Identifier: MIT */
/*
 * The model anneal and its ladder, from a byte a cell to several generations a pass over memory.
 * calab-kernels(7) tells what each rung changes, which limit it moves and what it costs.
 */
#include <string.h>
#include <strings.h>

#include "core/model/bit_row.h"
#include "core/model/registry.h"
#include "kernels/anneal/rule.h"
#include "kernels/cpu/model_common.h"
#include "kernels/moore/rungs.h"

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

static const struct ca_param temporal_options[] = {
    MOORE_TEMPORAL_OPTIONS("generations in one pass over memory, 2 to 8"), {.name = NULL}};

extern const struct byte_ops anneal_reference;
extern const struct bit_ops anneal_bitslice, anneal_bitslice_avx2, anneal_bitslice_avx512;
extern const struct cuda_ops anneal_cuda_naive, anneal_cuda_shared, anneal_cuda_bitslice,
    anneal_cuda_temporal, anneal_cuda_overlapped;

/* Of a byte, 8 additions and 3 for the rule. Of 64 cells AVX-512 takes six operations of three
 * inputs and three of two. On a GPU a lane's four words take 18 by the rule. */
static const struct ca_backend backends[] = {
    MOORE_REFERENCE("a byte a cell, one after the other", anneal_reference, 11),
    MOORE_THREADS(anneal_reference, 11),
    MOORE_BITSLICE("64 cells a word, added by logic", anneal_bitslice, 21),
    MOORE_BITSLICE_AVX2(anneal_bitslice_avx2, 21),
    MOORE_BITSLICE_AVX512(anneal_bitslice_avx512, 15),
    MOORE_CUDA_NAIVE(anneal_cuda_naive, 11),
    MOORE_CUDA_SHARED(anneal_cuda_shared, 11),
    MOORE_CUDA_BITSLICE(anneal_cuda_bitslice, 18, moore_bitslice_options),
    MOORE_CUDA_TEMPORAL(anneal_cuda_temporal, 18, temporal_options),
    MOORE_CUDA_OVERLAPPED(anneal_cuda_overlapped, 18, moore_overlapped_options),
    {.name = NULL},
};

static const struct ca_observable observables[] = {
    {.name = "live", .help = "live cells"},
    {.name = "walls", .help = "length of the walls between domains: edges between unlike cells"},
    {.name = NULL},
};

static void observe_walls(const struct ca_setup *setup, const double neighbours[], double values[])
{
    (void)setup;
    values[1] = neighbours[0];
}

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
