/* SPDX-License-Identifier: MIT */
/*
 * Sums of blocks where the state is: those of floats are the same for any number of workers; those
 * of every backend, with and without neighbours, are what the cells add up to one by one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/bit_row.h"
#include "core/model/registry.h"
#include "core/sim/simulation.h"
#include "kernels/cpu/parallel_blocks.h"
#include "kernels/water/rule.h"
#include "tests/support.h"
#include "tests/support_kernels.h"

static struct ca_error error;

/* --- workers ---------------------------------------------------------------------------------- */

#define W 700
#define H 90
#define WORKERS 5

static float level[3][W * H];
static int64_t rows_of_worker[WORKERS];

static void add(const struct blocks_job *job, int worker, int64_t row, double *line)
{
    const void *planes[3];

    for (int p = 0; p < 3; p++)
        planes[p] = level[p] + row * W;
    rows_of_worker[worker]++;
    ca_blocks_add_cells(job->setup->model, job->blocks, planes, line);
}

static double *sums_by(const struct ca_blocks *blocks, int64_t first, int64_t rows, int workers)
{
    const struct ca_size size = {W, H, 1};
    struct ca_setup setup = {.model = test_model("water"), .size = size, .slab = {0, H, 0, 0}};
    struct blocks_job job = {&setup, blocks, first, rows, 3, add, NULL};
    double *sums = calloc((size_t)(3 * ca_cells(blocks->count)), sizeof *sums);

    memset(rows_of_worker, 0, sizeof rows_of_worker);
    ck_assert_int_eq(parallel_blocks(&job, workers, sums, &error), CA_OK);
    return sums;
}

static const struct ca_blocks cuts[] = {
    {.block = {W, H, 1}, .count = {1, 1, 1}},
    {.block = {1, H, 1}, .count = {W, 1, 1}},
    {.block = {W, 1, 1}, .count = {1, H, 1}},
    {.block = {8, 8, 1}, .count = {88, 12, 1}},
    {.block = {1, 1, 1}, .count = {W, H, 1}},
    {.block = {300, 50, 1}, .count = {3, 2, 1}},
    {.block = {64, 40, 1}, .count = {4, 4, 1}, .x = -30, .y = -70},
};

/* Levels of which no two orders give the same sum. */
START_TEST(floats_add_up_the_same_for_any_number_of_workers)
{
    struct ca_blocks blocks = cuts[_i];
    int64_t first = _i % 2 ? 0 : 3, rows = H - 2 * first;
    size_t bytes = (size_t)(3 * ca_cells(blocks.count)) * sizeof(double);
    double *one;

    blocks.size = (struct ca_size){W, H, 1};
    for (int64_t i = 0; i < 3 * W * H; i++)
        level[i / (W * H)][i % (W * H)] = 1e4F * sinf(12.9898F * (float)i) / (1 + (float)(i % 97));
    one = sums_by(&blocks, first, rows, 1);
    for (int workers = 2; workers <= WORKERS; workers++) {
        double *several = sums_by(&blocks, first, rows, workers);
        int at_work = 0;

        ck_assert_msg(!memcmp(one, several, bytes), "%d workers add up to other sums", workers);
        for (int i = 0; i < workers; i++)
            at_work += rows_of_worker[i] > 0;
        ck_assert_int_gt(at_work, 1);
        free(several);
    }
    free(one);
}
END_TEST

/* --- words ------------------------------------------------------------------------------------ */

START_TEST(ones_of_a_range_of_a_row)
{
    uint64_t row[4], among[4];

    for (int i = 0; i < 4; i++) {
        row[i] = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(i + 1);
        among[i] = UINT64_C(0xbf58476d1ce4e5b9) * (uint64_t)(i + 3);
    }
    for (int first = 0; first < 256; first++) {
        int64_t ones = 0;

        for (int last = first + 1; last <= 256; last++) {
            ones += (int64_t)(row[(last - 1) / 64] & among[(last - 1) / 64]) >> (last - 1) % 64 & 1;
            ck_assert_int_eq(ca_bit_row_ones(row, among, first, last), ones);
        }
    }
}
END_TEST

/* --- backends --------------------------------------------------------------------------------- */

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

/* What the near sums of a cell are by the models' manual. */
static void near_of(int64_t x, int64_t y, double near[2])
{
    const int64_t beside[4][2] = {{x, y - 1}, {x - 1, y}, {x + 1, y}, {x, y + 1}};
    float there[4], exist[4], best, to[4] = {0};
    int count = 0;

    near[0] = near[1] = 0;
    if (state.type == CA_U8) {
        for (int i = 2; i < 4; i++)
            near[0] += *(const uint8_t *)cell(0, x, y) !=
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
    near[0] = (double)to[2] - (double)to[1];
    near[1] = (double)to[3] - (double)to[0];
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
    return planes[0][at] & model->solid_mask ? planes[(i - all) / bits][at] >> i % bits & 1 : 0;
}

static void check(struct kernel *kernel, const struct ca_blocks *blocks, bool near)
{
    const struct ca_model *model = kernel->setup.model;
    int each = near ? model->near_sums : ca_block_sums(model);
    int64_t count = each * ca_cells(blocks->count);
    double *got = calloc((size_t)(3 * count), sizeof *got);
    double *expected = got + count, *magnitude = expected + count;
    double rounding = state.type == CA_U8 ? 0 : 0x1p-52 * (double)ca_cells(state.size);

    for (int64_t i = 0; i < ca_cells(state.size); i++) {
        int64_t x = i % state.size.w, y = i / state.size.w % state.size.h, index;
        int64_t z = i / state.size.w / state.size.h;
        int64_t bx = x - blocks->x, by = y - blocks->y, bz = z - blocks->z;
        double sums[2];

        if (bx < 0 || by < 0 || bz < 0 || (bx /= blocks->block.w) >= blocks->count.w ||
            (by /= blocks->block.h) >= blocks->count.h ||
            (bz /= blocks->block.d) >= blocks->count.d)
            continue;
        index = each * ca_block_index(blocks, bx, by, bz);
        if (near)
            near_of(x, y, sums);
        for (int s = 0; s < each; s++) {
            double term = near ? sums[s] : sum_of(model, x, y, z, s);

            expected[index + s] += term;
            magnitude[index + s] += fabs(term);
        }
    }
    ck_assert_int_eq((near ? kernel->backend->stepper->near : kernel->backend->stepper->blocks)(
                         kernel->self, blocks, 0, ca_rows(state.size), got, &error),
                     CA_OK);
    for (int64_t i = 0; i < count; i++)
        ck_assert_msg(fabs(got[i] - expected[i]) <= rounding * magnitude[i],
                      "%s %s: %s %d of block %d is %.17g, expected %.17g", model->name,
                      kernel->backend->name, near ? "near sum" : "sum", (int)(i % each),
                      (int)(i / each), got[i], expected[i]);
    free(got);
}

static void check_backend(const struct ca_model *model, const char *backend, const char *size)
{
    struct ca_experiment experiment =
        kernel_experiment(model->name, backend, size, NULL, test_seed(), NULL);
    struct ca_size all = experiment.size;
    const struct ca_blocks shapes[] = {
        {all, {8, 8, 2}, {0}, 0, 0, 0},
        {all, {1, 1, all.d}, {0}, 0, 0, 0},
        {all, {all.w, 1, 1}, {0}, 0, 0, 0},
        {all, all, {1, 1, 1}, 0, 0, 0},
        {all, {9, 5, 1}, {4, 3, 1}, -10, 25, all.d / 2},
        {all, {9, 1, 3}, {12, 1, 4}, 3, 17, -4},
        {all, {64, 5, 1}, {2, 2, 1}, 200, 0, 0},
    };
    struct kernel kernel;

    kernel_open(&kernel, &experiment);
    closed = model->torus && model->torus(&kernel.setup);
    ck_assert_int_eq(ca_initial_state(&experiment, &state, &error), CA_OK);
    kernel_load(&kernel, &state);
    kernel_step(&kernel, 3);
    ca_lattice_free(&state);
    state = kernel_store(&kernel);
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct ca_blocks blocks = shapes[i];

        if (!blocks.count.w)
            ck_assert_int_eq(ca_blocks_make(&blocks, all, blocks.block, &error), CA_OK);
        check(&kernel, &blocks, false);
        if (model->near_sums)
            check(&kernel, &blocks, true);
    }
    ca_lattice_free(&state);
    kernel_close(&kernel);
}

/* Whether the backend runs here and holds the size. */
static bool holds(const struct ca_model *model, const struct ca_backend *backend, const char *size)
{
    struct ca_experiment experiment;
    struct ca_setup setup;
    struct ca_plan plan;

    if (ca_backend_available(backend, &error) != CA_OK)
        return false;
    experiment = kernel_experiment(model->name, backend->name, size, NULL, test_seed(), NULL);
    setup = ca_setup_of(&experiment);
    return backend->stepper->plan(&setup, &plan, &error) == CA_OK;
}

/* Rows that are words, and that are not; blocks within them and beyond. */
START_TEST(sums_are_those_of_the_cells)
{
    const struct ca_model *model = ca_models[_i];
    const char *const flat[] = {"301x34", "64x40"}, *const deep[] = {"301x34x7", "64x9x8"};
    int checked = 0;

    for (const struct ca_backend *b = model->backends; b->name; b++)
        for (int i = 0; i < 2; i++) {
            const char *size = model->dimensions == 3 ? deep[i] : flat[i];

            if (!holds(model, b, size))
                continue;
            check_backend(model, b->name, size);
            checked++;
        }
    ck_assert_int_ge(checked, 4);
}
END_TEST

static double *sums_of(const char *model, const char *backend, const struct ca_lattice *start,
                       struct ca_size block, bool near, size_t *count)
{
    struct ca_experiment experiment =
        kernel_experiment(model, backend, "2048x1100", NULL, test_seed(), NULL);
    struct ca_blocks blocks;
    struct kernel kernel;
    double *sums;

    kernel_open(&kernel, &experiment);
    kernel_load(&kernel, start);
    ck_assert_int_eq(ca_blocks_make(&blocks, experiment.size, block, &error), CA_OK);
    *count = (size_t)ca_cells(blocks.count) *
             (size_t)(near ? experiment.model->near_sums : ca_block_sums(experiment.model));
    sums = calloc(*count, sizeof *sums);
    ck_assert_int_eq((near ? kernel.backend->stepper->near : kernel.backend->stepper->blocks)(
                         kernel.self, &blocks, 0, 1100, sums, &error),
                     CA_OK);
    kernel_close(&kernel);
    return sums;
}

/* So many cells that the workers are several: to the last bit on all backends of the CPU. */
START_TEST(backends_of_the_cpu_add_up_in_one_order)
{
    const char *model = _i ? "water" : "anneal";
    struct ca_experiment experiment =
        kernel_experiment(model, "reference", "2048x1100", NULL, test_seed(), NULL);
    struct ca_lattice start;

    ck_assert_int_eq(ca_initial_state(&experiment, &start, &error), CA_OK);
    for (int i = 0; i < 4; i++) {
        struct ca_size block = i < 2 ? experiment.size : (struct ca_size){300, 1000, 1};
        size_t count, same;
        double *expected = sums_of(model, "reference", &start, block, i % 2, &count);

        for (const struct ca_backend *b = experiment.model->backends; b->name; b++) {
            double *got;

            if (b->device != CA_CPU || ca_backend_available(b, &error) != CA_OK)
                continue;
            got = sums_of(model, b->name, &start, block, i % 2, &same);
            ck_assert_msg(!memcmp(expected, got, count * sizeof *got), "%s adds up otherwise",
                          b->name);
            free(got);
        }
        free(expected);
    }
    ca_lattice_free(&start);
}
END_TEST

static Suite *blocks_suite(void)
{
    Suite *suite = suite_create("blocks");
    TCase *tc = tcase_create("blocks");
    int models = 0;

    while (ca_models[models])
        models++;
    tcase_add_loop_test(tc, floats_add_up_the_same_for_any_number_of_workers, 0, COUNT(cuts));
    tcase_add_test(tc, ones_of_a_range_of_a_row);
    tcase_add_loop_test(tc, sums_are_those_of_the_cells, 0, models);
    tcase_add_loop_test(tc, backends_of_the_cpu_add_up_in_one_order, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}

int main(void) { return run_suite(blocks_suite()); }
