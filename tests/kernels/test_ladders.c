/* SPDX-License-Identifier: MIT */
/*
 * The tables of all ladders: what a cell is declared to cost, on which predictions and shares of a
 * roofline rest, what values their parameters and options may have, and that what a search tries is
 * allowed.
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

/* Parameters of the models, and options of their backends, as the manual says: the default, what is
 * allowed, and what a search tries. */
static const struct described {
    const char *model, *name, *preset, *allowed, *tried;
} described[] = {
    {"anneal", "density", "0.5", "0 ... 1", ""},
    {"life", "rule", "B3/S23", "text below 512 bytes", ""},
    {"life", "boundary", "torus", "torus | dead", ""},
    {"life", "density", "0.5", "0 ... 1", ""},
    {"life3d", "r1", "4", "0 ... 27, whole", ""},
    {"life3d", "r2", "5", "0 ... 27, whole", ""},
    {"life3d", "r3", "7", "0 ... 27, whole", ""},
    {"life3d", "r4", "6", "0 ... 27, whole", ""},
    {"life3d", "rule", "", "text below 512 bytes", ""},
    {"life3d", "boundary", "torus", "torus | dead", ""},
    {"life3d", "density", "0.5", "0 ... 1", ""},
    {"cloud", "p_ext", "0", "0 ... 1", ""},
    {"cloud", "p_hum", "0", "0 ... 1", ""},
    {"cloud", "p_act", "0", "0 ... 1", ""},
    {"cloud", "hum0", "0.6", "0 ... 1", ""},
    {"cloud", "act0", "0.01", "0 ... 1", ""},
    {"fhp", "collisions", "fhp2", "fhp1 | fhp2 | fhp3", ""},
    {"fhp", "p_force", "0", "0 ... 1", ""},
    {"fhp", "geometry", "channel", "channel | none | cylinder | file", ""},
    {"fhp", "geometry_file", "", "the path of a file, below 512 bytes", ""},
    {"fhp", "density", "0.2", "0 ... 1", ""},
    {"fhp", "amplitude", "0.1", "0 ... 0.4", ""},
    {"water", "source_mode", "add", "add | fill", ""},
    {"water", "relief", "100", "-10000 ... 10000", ""},
    {"water", "rain", "0.5", "0 ... 1000", ""},
    {"water", "spring", "1", "-1000 ... 1000", ""},
    {"water", "terrain_file", "", "the path of a file, below 512 bytes", ""},
    {"water", "depth_file", "", "the path of a file, below 512 bytes", ""},
    {"water", "source_file", "", "the path of a file, below 512 bytes", ""},
    {"water", "nodata", "refuse", "refuse | wall | value", ""},
    {"water", "nodata_value", "0", "-10000 ... 10000", ""},
    {"", "block", "16x16", "16x16 | 8x8 | 32x4 | 32x8 | 32x16 | 32x32 | 64x4", "*"},
    {"", "block", "32x16", "32x16 | 16x16 | 32x8 | 32x32 | 64x8 | 64x16", "*"},
    {"", "block", "32x32", "32x32 | 32x16 | 32x8 | 16x16 | 64x4 | 256x1", "*"},
    {"", "block", "32x4x4", "32x4x4 | 32x1x16 | 64x4x2 | 32x8x1 | 128x2x1 | 8x8x8 | 4x4x4", "*"},
    {"", "block", "32x8", "32x8 | 64x4 | 128x2 | 256x1 | 16x16 | 32x32", "*"},
    {"", "block", "8x8x8", "8x8x8 | 4x4x4 | 16x8x4 | 32x4x4 | 32x8x2", "*"},
    {"", "blocks", "0", "0 ... 16, whole", "1 16"},
    {"", "copies", "none", "none | pinned | pageable | program", ""},
    {"", "device", "0", "0 ... 63, whole", ""},
    {"", "devices", "", "text below 512 bytes", ""},
    {"", "exchange", "0", "0 ... 65536, whole", ""},
    {"", "generations", "0", "0 ... 12, whole", "1 2 4 6 8"},
    {"", "generations", "0", "0 ... 128, whole", "1 2 3 4 5 6 7 8 12 16 24 32"},
    {"", "generations", "0", "0 ... 16, whole", "1 2 3 4 6 8 12 16"},
    {"", "generations", "0", "0 ... 4, whole", "2 3 4"},
    {"", "generations", "0", "0 ... 64, whole", "1 2 3 4 6 8 12 16 24 32"},
    {"", "generations", "0", "0 ... 7, whole", "1 2 3 4 5 6 7"},
    {"", "generations", "0", "0 ... 8, whole", "2 3 4 5 6 7 8"},
    {"", "lanes", "0", "0 ... 32, whole", "4 8 16 24 32"},
    {"", "launch_generations", "0", "0 ... 65536, whole", ""},
    {"", "layers", "0", "0 ... 16777216, whole", "8 16 32 64 128 256 512"},
    {"", "logic", "auto", "auto | table | circuit", ""},
    {"", "planes", "0", "0 ... 16777216, whole", "16 32 64 128 256 512"},
    {"", "ranks", "0", "0 ... 64, whole", ""},
    {"", "rows", "0", "0 ... 1048576, whole", "8 16 32 64 128 256 512"},
    {"", "rows", "0", "0 ... 12, whole", "1 2 4 6 8 12"},
    {"", "rows", "0", "0 ... 16777216, whole", "16 32 64 128 256 512"},
    {"", "rows", "0", "0 ... 8, whole", "2 4 8"},
    {"", "still", "auto", "auto | on | off", ""},
    {"", "threads", "0", "0 ... 1024, whole", ""},
    {"", "warps", "0", "0 ... 16, whole", "1 2 4 8 12 16"},
};

static const struct described *row_of(const char *model, const struct ca_param *param)
{
    char preset[CA_TEXT_MAX], allowed[CA_TEXT_MAX];

    ca_param_default(preset, param);
    ca_param_range(allowed, param);
    for (size_t i = 0; i < COUNT(described); i++) {
        const struct described *row = &described[i];

        if (strcmp(row->model, model) == 0 && strcmp(row->name, param->name) == 0 &&
            strcmp(row->preset, preset) == 0 && strcmp(row->allowed, allowed) == 0 &&
            strcmp(row->tried, param->tune ? param->tune : "") == 0)
            return row;
    }
    ck_abort_msg("no row '%s', %s, default '%s', '%s', tried: '%s'", model, param->name, preset,
                 allowed, param->tune ? param->tune : "");
    return NULL;
}

START_TEST(values_are_as_described)
{
    bool used[COUNT(described)] = {false};

    for (int m = 0; ca_models[m]; m++) {
        for (const struct ca_param *p = ca_models[m]->params; p->name; p++)
            used[row_of(ca_models[m]->name, p) - described] = true;
        for (const struct ca_backend *b = ca_models[m]->backends; b->name; b++)
            for (const struct ca_param *p = b->options; p && p->name; p++)
                used[row_of("", p) - described] = true;
    }
    for (size_t i = 0; i < COUNT(described); i++)
        ck_assert_msg(used[i], "%s has no such values: %s %s", described[i].name,
                      described[i].preset, described[i].allowed);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {cells_cost_what_is_said, values_to_try_are_allowed,
                              values_are_as_described});
}
