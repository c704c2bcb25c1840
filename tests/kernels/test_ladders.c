/* SPDX-License-Identifier: MIT */
/*
 * The tables of all ladders: what a cell is declared to cost, on which predictions and shares of a
 * roofline rest, and that what a search tries is allowed.
 */
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "tests/support/support.h"

/* Bits are in two copies of an eighth of a byte. Operations: by the comments of the ladders. */
static const struct cost {
    const char *model, *backend;
    double memory, bytes, ops; /* of a cell; bytes and operations of a step */
} costs[] = {
    /* Two states of a byte a cell; each cell is read once and written once. */
    {"anneal", "reference", 1 + 1, 1 + 1, 8 + 3},
    {"anneal", "threads", 1 + 1, 1 + 1, 8 + 3},
    {"anneal", "bitslice", 2 / 8.0, 2 / 8.0, 21 / 64.0},
    {"anneal", "bitslice-avx2", 2 / 8.0, 2 / 8.0, 21 / 64.0},
    {"anneal", "bitslice-avx512", 2 / 8.0, 2 / 8.0, (6 * 2 + 3) / 64.0}, /* three inputs: two */
    {"anneal", "cuda-naive", 1 + 1, 1 + 1, 8 + 3},
    {"anneal", "cuda-shared", 1 + 1, 1 + 1, 8 + 3},
    {"anneal", "cuda-bitslice", 2 / 8.0, 2 / 8.0, (18 + 10 * 10 / 8.0) / 128},
    {"anneal", "cuda-temporal", 2 / 8.0, 2 / 8.0, (18 + 10) / 128.0},
    {"anneal", "cuda-overlapped", 2 / 8.0, 2 / 8.0, (18 + 10) / 128.0},
    /* Nine cells, shifted into an index, which is looked up. */
    {"life", "reference", 1 + 1, 1 + 1, 8 + 8 + 1},
    {"life", "threads", 1 + 1, 1 + 1, 8 + 8 + 1},
    {"life", "bitslice", 2 / 8.0, 2 / 8.0, (5 + 2 + 6 + 7) / 64.0},
    {"life", "bitslice-avx2", 2 / 8.0, 2 / 8.0, (5 + 2 + 6 + 7) / 64.0},
    {"life", "bitslice-avx512", 2 / 8.0, 2 / 8.0, (7 * 2 + 3) / 64.0},
    {"life", "cuda-naive", 1 + 1, 1 + 1, 7 + 3},
    {"life", "cuda-shared", 1 + 1, 1 + 1, 7 + 3},
    {"life", "cuda-bitslice", 2 / 8.0, 2 / 8.0, (22 + 10 * 10 / 8.0) / 128},
    {"life", "cuda-temporal", 2 / 8.0, 2 / 8.0, (22 + 10) / 128.0},
    {"life", "cuda-overlapped", 2 / 8.0, 2 / 8.0, (22 + 10) / 128.0},
    {"life3d", "reference", 1 + 1, 1 + 1, 27 + 3},
    {"life3d", "threads", 1 + 1, 1 + 1, 27 + 3},
    {"life3d", "bitslice", 2 / 8.0, 2 / 8.0, 57 / 64.0},
    {"life3d", "bitslice-avx2", 2 / 8.0, 2 / 8.0, 57 / 64.0},
    {"life3d", "bitslice-avx512", 2 / 8.0, 2 / 8.0, (20 * 2 + 2) / 64.0},
    {"life3d", "cuda-naive", 4 + 4, 4 + 4, 26 + 3}, /* ints */
    {"life3d", "cuda-shared", 4 + 4, 4 + 4, 26 + 3},
    {"life3d", "cuda-bitslice", 2 / 8.0, 2 / 8.0, (3 * 1.5 + 4 + 10 + 6) / 32},
    {"life3d", "cuda-temporal", 2 / 8.0, 2 / 8.0, 23 / 28.0},
    {"life3d", "cuda-overlapped", 2 / 8.0, 2 / 8.0, (4 + 4 + 10 + 6) / 32.0},
    {"life3d", "cuda-persistent", 2 / 8.0, 2 / 8.0, (6 + 4 + 8 + 12 + 6) * 3 / 2.0 / 32},
    /* Three planes. */
    {"cloud", "reference", 3 + 3, 3 + 3, 16},
    {"cloud", "threads", 3 + 3, 3 + 3, 16},
    {"cloud", "bitslice", 4 / 8.0, 6 / 8.0, 17 / 64.0}, /* act alone is in two copies */
    {"cloud", "bitslice-avx2", 4 / 8.0, 6 / 8.0, 17 / 64.0},
    {"cloud", "bitslice-avx512", 4 / 8.0, 6 / 8.0, 17 / 64.0},
    {"cloud", "cuda-naive", 1 + 1, 1 + 1, 10 + 11 + 4}, /* the planes are bits of one byte */
    {"cloud", "cuda-shared-32x1x32", 1 + 1, 1 + 1, 10 + 11 + 4},
    {"cloud", "cuda-shared-8x8x8", 1 + 1, 1 + 1, 10 + 11 + 4},
    {"cloud", "cuda-packed-8x1x1", 4 / 8.0, 6 / 8.0, 22 / 8.0},
    {"cloud", "cuda-packed-2x2x2", 4 / 8.0, 6 / 8.0, 32 / 8.0},
    {"cloud", "cuda-bitslice", 6 / 8.0, 4 / 8.0, 34 / 128.0},
    {"cloud", "cuda-temporal", 6 / 8.0, 4 / 8.0, 36 / 128.0},
    {"cloud", "cuda-overlapped", 6 / 8.0, 4 / 8.0, 36 / 128.0},
    {"cloud", "cuda-persistent", 6 / 8.0, 4 / 8.0, 36 / 128.0},
    {"fhp", "reference", 1 + 1, 1 + 1, 20},
    {"fhp", "threads", 1 + 1, 1 + 1, 20},
    {"fhp", "sse2", 1 + 1, 2 * (1 + 1), 13 / 8.0 + 3}, /* a pass moves, another collides */
    {"fhp", "avx", 1 + 1, 2 * (1 + 1), 13 / 8.0 + 3},
    {"fhp", "avx2", 1 + 1, 1 + 1, 9},
    {"fhp", "avx512", 1 + 1, 1 + 1, 3},
    {"fhp", "bitslice", 15 / 8.0, 15 / 8.0, 110 / 64.0}, /* solid nodes are in one copy */
    {"fhp", "bitslice-avx2", 15 / 8.0, 15 / 8.0, 110 / 64.0},
    {"fhp", "bitslice-avx512", 15 / 8.0, 15 / 8.0, 110 / 64.0},
    {"fhp", "cuda-naive", 1 + 1, 1 + 1, 13 + 2 + 5 + 46},
    {"fhp", "cuda-tiles", 1 + 1, 1 + 512 / 420.0, 13 + 2 + 5 + 46}, /* 30 x 14 of 32 x 16 */
    {"fhp", "cuda-bitslice", 1 + 1, 15 / 8.0, (41 + 4 + 1) / 32.0 + (12 * 2 + 15) / 128.0},
    {"fhp", "cuda-temporal", 1 + 1, 15 / 8.0, (41 + 4 + 1) / 32.0 + (12 * 2 + 15) / 128.0},
    {"fhp", "cuda-persistent", 1 + 1, 15 / 8.0, (41 + 4 + 1) / 32.0 + (12 * 2 + 15) / 128.0},
    /* Planes of floats: two copies of three and the best levels; ten are read or written. */
    {"water", "reference", 7 * 4, 10 * 4, 50},
    {"water", "threads", 7 * 4, 10 * 4, 50},
    {"water", "elimination", 7 * 4, 10 * 4, 50},
    {"water", "avx2", 3 * 4, 3 * 4, 60 / 2},
    {"water", "avx512", 3 * 4, 3 * 4, 60 / 2},
    {"water", "cuda-elimination", 4 * 4, 8 * 4, 18 + 2 + 19 + 1 + 12 + 5},
    {"water", "cuda-global", 4 * 4, 8 * 4, 18 + 2 + 19 + 1 + 12 + 5},
    {"water", "cuda-shared", 4 * 4, 8 * 4, 18 + 2 + 19 + 1 + 12 + 5},
    {"water", "cuda-fused", 4 * 4, 3 * 4, 10 / 4.0 + 14 + 2 + 15 + 4 + 11 + 5},
    {"water", "cuda-temporal", 4 * 4, 3 * 4, 10 / 4.0 + 14 + 2 + 15 + 4 + 11 + 5},
    {"water", "cuda-overlapped", 4 * 4, 3 * 4, 10 / 4.0 + 14 + 2 + 15 + 4 + 11 + 5},
};

static const struct cost *cost_of(const char *model, const char *backend)
{
    for (size_t i = 0; i < COUNT(costs); i++)
        if (strcmp(costs[i].model, model) == 0 && strcmp(costs[i].backend, backend) == 0)
            return &costs[i];
    ck_abort_msg("%s %s has no row here", model, backend);
    return NULL;
}

START_TEST(cells_cost_what_is_said)
{
    size_t backends = 0;

    for (int m = 0; ca_models[m]; m++)
        for (const struct ca_backend *b = ca_models[m]->backends; b->name; b++, backends++) {
            const struct cost *cost = cost_of(ca_models[m]->name, b->name);

            ck_assert_msg(b->memory_bytes_per_cell == cost->memory, "%s %s: memory %g", cost->model,
                          b->name, b->memory_bytes_per_cell);
            ck_assert_msg(b->bytes_per_cell_step == cost->bytes, "%s %s: bytes %g", cost->model,
                          b->name, b->bytes_per_cell_step);
            ck_assert_msg(b->ops_per_cell_step - cost->ops < 1e-9 &&
                              cost->ops - b->ops_per_cell_step < 1e-9,
                          "%s %s: operations %.9g", cost->model, b->name, b->ops_per_cell_step);
        }
    ck_assert_int_eq((int)backends, COUNT(costs));
}
END_TEST

/* Each value that bench --tune tries, and the default, is one that a user may give. */
START_TEST(values_to_try_are_allowed)
{
    int tried = 0;

    for (int m = 0; ca_models[m]; m++)
        for (const struct ca_backend *b = ca_models[m]->backends; b->name; b++)
            for (int i = 0; b->options && b->options[i].name; i++) {
                const struct ca_param *option = &b->options[i];
                char *values, *value, *rest = NULL;
                struct ca_values set;
                struct ca_error error;

                if (!option->tune || strcmp(option->tune, "*") == 0)
                    continue;
                ca_values_default(&set, b->options);
                if (option->kind == CA_INT)
                    ck_assert(option->min <= option->number && option->number <= option->max);
                values = strdup(option->tune);
                for (value = strtok_r(values, " ", &rest); value;
                     value = strtok_r(NULL, " ", &rest), tried++)
                    ck_assert_msg(ca_values_set(&set, i, value, CA_TUNED, NULL, &error) == CA_OK,
                                  "%s %s: %s", ca_models[m]->name, b->name, error.text);
                free(values);
            }
    ck_assert_int_gt(tried, 50);
}
END_TEST

int main(void) { return RUN_TESTS(.test = {cells_cost_what_is_said, values_to_try_are_allowed}); }
