/* SPDX-License-Identifier: MIT */
/* Owns what the sums of blocks are by their definition, cell by cell. */
#include "tests/support/support_blocks.h"

#include <math.h>
#include <stdlib.h>

#include "core/model/field.h"
#include "kernels/water/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;
static struct ca_lattice state;
static bool closed;

static const void *cell(int p, int64_t x, int64_t y)
{
    int64_t w = state.size.w, h = state.size.h;

    if (!closed && (x < 0 || y < 0 || x >= w || y >= h))
        return NULL;
    return (const char *)state.plane[p] +
           ((y + h) % h * w + (x + w) % w) * (int64_t)ca_type_bytes(state.type);
}

/* What the neighbour sums of a cell are by the models' manual. */
static void near_of(int64_t x, int64_t y, double neighbours[2])
{
    const int64_t beside[4][2] = {{x, y - 1}, {x - 1, y}, {x + 1, y}, {x, y + 1}};
    float there[4], exist[4], best, to[4] = {0};
    int count = 0;

    neighbours[0] = neighbours[1] = 0;
    if (state.type == CA_U8) {
        for (int i = 2; i < 4; i++)
            neighbours[0] += *(const uint8_t *)cell(0, x, y) !=
                             *(const uint8_t *)cell(0, beside[i][0], beside[i][1]);
        return;
    }
    for (int i = 0; i < 4; i++) {
        const float *at = cell(WATER_LEVEL, beside[i][0], beside[i][1]);

        there[i] = at ? *at : INFINITY;
        if (at)
            exist[count++] = *at;
    }
    best = water_best(*(const float *)cell(WATER_TERRAIN, x, y),
                      *(const float *)cell(WATER_LEVEL, x, y), exist, count);
    for (int i = 0; i < 4; i++)
        to[i] = fmaxf(0, best - there[i]);
    neighbours[0] = (double)to[2] - (double)to[1];
    neighbours[1] = (double)to[3] - (double)to[0];
}

/* Sum i of a cell. */
static double sum_of(const struct ca_model *model, int64_t x, int64_t y, int64_t z, int i)
{
    int bits = ca_plane_bits(model), all = state.planes * bits;
    int64_t at = (z * state.size.h + y) * state.size.w + x;
    const uint8_t *const *planes = (const uint8_t *const *)state.plane;

    if (state.type == CA_F32)
        return ((const float *)state.plane[i])[at];
    if (i < all)
        return planes[i / bits][at] >> i % bits & 1;
    return planes[0][at] & ca_solid_mask(model) ? planes[(i - all) / bits][at] >> i % bits & 1 : 0;
}

/* The block with this cell from the first one's on, or -1: by going through all of them. */
static int64_t block_of(int64_t cell, int64_t block, int64_t sharing, int64_t count)
{
    sharing = sharing > 1 ? sharing : 1;
    for (int64_t i = 0; i < count; i++)
        if (cell >= i * block / sharing && cell < (i + 1) * block / sharing)
            return i;
    return -1;
}

static void check(struct kernel *kernel, const struct ca_blocks *blocks, bool neighbours)
{
    const struct ca_model *model = kernel->setup.model;
    int each = neighbours ? ca_neighbour_sums_count(model) : ca_block_sums(model);
    int64_t count = each * ca_cells(blocks->count);
    double *got = calloc((size_t)(3 * count), sizeof *got);
    double *expected = got + count, *magnitude = expected + count;
    double rounding = state.type == CA_U8 ? 0 : 0x1p-52 * (double)ca_cells(state.size);

    for (int64_t i = 0; i < ca_cells(state.size); i++) {
        int64_t x = i % state.size.w, y = i / state.size.w % state.size.h, index;
        int64_t z = i / state.size.w / state.size.h;
        int64_t bx = block_of(x - blocks->x, blocks->block.w, blocks->sharing.w, blocks->count.w);
        int64_t by = block_of(y - blocks->y, blocks->block.h, blocks->sharing.h, blocks->count.h);
        int64_t bz = block_of(z - blocks->z, blocks->block.d, blocks->sharing.d, blocks->count.d);
        double sums[2] = {0};

        if (bx < 0 || by < 0 || bz < 0)
            continue;
        index = each * ca_block_index(blocks, bx, by, bz);
        if (neighbours)
            near_of(x, y, sums);
        for (int s = 0; s < each; s++) {
            double term = neighbours ? sums[s] : sum_of(model, x, y, z, s);

            expected[index + s] += term;
            magnitude[index + s] += fabs(term);
        }
    }
    ck_assert_int_eq((neighbours ? kernel->backend->stepper->observe->neighbours
                                 : kernel->backend->stepper->observe->blocks)(
                         kernel->self, blocks, 0, ca_rows(state.size), got, &error),
                     CA_OK);
    for (int64_t i = 0; i < count; i++)
        must_hold(fabs(got[i] - expected[i]) <= rounding * magnitude[i],
                  "%s %s: %s %d of block %d is %.17g, expected %.17g", model->name,
                  kernel->backend->name, neighbours ? "neighbour sum" : "sum", (int)(i % each),
                  (int)(i / each), got[i], expected[i]);
    free(got);
}

/* Blocks that fill the lattice, parts of it, and some that reach beyond its edges. */
static void check_backend(const struct ca_experiment *experiment)
{
    const struct ca_model *model = experiment->model;
    struct ca_size all = experiment->size;
    const struct ca_blocks shapes[] = {
        {all, {8, 8, 2}, {0}, 0, 0, 0},
        {all, {1, 1, all.d}, {0}, 0, 0, 0},
        {all, {all.w, 1, 1}, {0}, 0, 0, 0},
        {all, all, {1, 1, 1}, 0, 0, 0},
        {all, {9, 5, 1}, {4, 3, 1}, -10, 25, all.d / 2},
        {all, {9, 1, 3}, {12, 1, 4}, 3, 17, -4},
        {all, {64, 5, 1}, {2, 2, 1}, 200, 0, 0},
        {all, all, {7, 3, 1}, 0, 0, 0, {7, 3, 1}}, /* which share all cells */
        {all, {all.w, all.h, 1}, {11, all.h, 1}, 0, 0, all.d / 2, {11, all.h, 1}},
        {all, {70, 9, 1}, {5, 5, 1}, -13, 4, 0, {4, 7, 1}}, /* a part, and more than there are */
    };
    struct kernel kernel;

    kernel_open(&kernel, experiment);
    closed = ca_is_torus(&kernel.setup);
    ck_assert_ok(ca_initial_state(experiment, &state, &error));
    kernel_load(&kernel, &state);
    kernel_step(&kernel, 3);
    ca_lattice_free(&state);
    state = kernel_store(&kernel);
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct ca_blocks blocks = shapes[i];

        if (!blocks.count.w)
            ck_assert_ok(ca_blocks_make(&blocks, all, blocks.block, &error));
        check(&kernel, &blocks, false);
        if (ca_neighbour_sums_count(model))
            check(&kernel, &blocks, true);
    }
    ca_lattice_free(&state);
    kernel_close(&kernel);
}

int blocks_check(const struct ca_model *model, enum ca_device_kind device, const char *size)
{
    int checked = 0;

    for (const struct ca_backend *b = model->backends; b->name; b++) {
        struct ca_experiment experiment;
        struct ca_plan plan;

        if (b->device != device || ca_backend_available(b, &error) != CA_OK)
            continue;
        experiment = kernel_experiment(model->name, b->name, size, NULL, test_seed(), NULL);
        if (ca_experiment_plan(&experiment, &plan, &error) == CA_USAGE)
            continue; /* its kernel does not hold this lattice */
        check_backend(&experiment);
        checked++;
    }
    return checked;
}

void test_window_run(struct ca_window *window, struct ca_simulation *simulation,
                     uint64_t generations, uint64_t every)
{
    uint64_t samples = generations / every;

    for (uint64_t i = 0; i < samples; i++) {
        ck_assert_ok(ca_simulation_step(simulation, every, &error));
        ck_assert_ok(ca_window_sample(window, simulation, &error));
    }
    ck_assert_ok(ca_simulation_step(simulation, generations - samples * every, &error));
}
