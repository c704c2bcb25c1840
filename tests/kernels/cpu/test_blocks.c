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
#include "tests/support/support.h"
#include "tests/support/support_blocks.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

/* --- workers ---------------------------------------------------------------------------------- */

#define CELLS 1200000
#define WORKERS 5

static float plane[3][CELLS];
static int64_t rows_of_worker[WORKERS];

static void row_add(const struct blocks_job *job, int worker, int64_t row, double *line)
{
    const void *planes[3];

    for (int p = 0; p < 3; p++)
        planes[p] = plane[p] + row * job->setup->size.w;
    rows_of_worker[worker]++;
    ca_blocks_add_cells(job->setup->model, job->blocks, planes, line);
}

static struct ca_setup setup_of(const struct ca_blocks *blocks)
{
    return (struct ca_setup){
        .model = test_model("water"), .size = blocks->size, .slab = {.extent = blocks->size.h}};
}

static double *sums_by(const struct ca_blocks *blocks, int64_t first, int64_t rows, int workers)
{
    struct ca_setup setup = setup_of(blocks);
    struct blocks_job job = {&setup, blocks, first, rows, 3, row_add, NULL};
    double *sums = calloc((size_t)(3 * ca_cells(blocks->count)), sizeof *sums);

    memset(rows_of_worker, 0, sizeof rows_of_worker);
    ck_assert_ok(parallel_blocks(&job, workers, sums, &error));
    return sums;
}

/* Sums of several chunks of a line of blocks, and of one; the last has more than a batch. */
static const struct ca_blocks cuts[] = {
    {.size = {700, 90, 1}, .block = {700, 90, 1}, .count = {1, 1, 1}},
    {.size = {700, 90, 1}, .block = {1, 90, 1}, .count = {700, 1, 1}},
    {.size = {700, 90, 1}, .block = {700, 1, 1}, .count = {1, 90, 1}},
    {.size = {700, 90, 1}, .block = {8, 8, 1}, .count = {88, 12, 1}},
    {.size = {700, 90, 1}, .block = {1, 1, 1}, .count = {700, 90, 1}},
    {.size = {700, 90, 1}, .block = {300, 50, 1}, .count = {3, 2, 1}},
    {.size = {700, 90, 1}, .block = {64, 40, 1}, .count = {4, 4, 1}, .x = -30, .y = -70},
    {.size = {30000, 40, 1}, .block = {1, 20, 1}, .count = {30000, 2, 1}},
    {.size = {700, 90, 1}, .block = {700, 90, 1}, .count = {52, 7, 1}, .sharing = {52, 7, 1}},
};

/* The same as one row after the other, but for rounding. */
static void check_rows(const struct ca_blocks *blocks, int64_t first, int64_t rows,
                       const double *got)
{
    struct ca_setup setup = setup_of(blocks);
    int64_t count = 3 * ca_cells(blocks->count);
    double *expected = calloc((size_t)count, sizeof *expected);
    const void *planes[3];

    for (int p = 0; p < 3; p++)
        planes[p] = plane[p] + first * blocks->size.w;
    ca_blocks_add_rows(&setup, blocks, planes, first, rows, expected);
    for (int64_t i = 0; i < count; i++)
        must_hold(fabs(got[i] - expected[i]) < 1e-3, "sum %d is %g, expected %g", (int)i, got[i],
                  expected[i]);
    free(expected);
}

static bool same(const double *a, const double *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Values of which no two orders give the same sum. */
START_TEST(floats_add_up_the_same_for_any_number_of_workers)
{
    const struct ca_blocks *blocks = &cuts[_i];
    int64_t first = _i % 2 ? 0 : 3, rows = blocks->size.h - 2 * first;
    int64_t count = 3 * ca_cells(blocks->count);
    double *one;

    for (int64_t i = 0; i < 3 * CELLS; i++)
        plane[i / CELLS][i % CELLS] = (float)((i * 7919) % 100003 - 50000) / (float)(1 + i % 97);
    one = sums_by(blocks, first, rows, 1);
    check_rows(blocks, first, rows, one);
    for (int workers = 2; workers <= WORKERS; workers++) {
        double *several = sums_by(blocks, first, rows, workers);
        int at_work = 0;

        ck_assert_msg(same(one, several, count), "%d workers add up to other sums", workers);
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
            ones += (row[(last - 1) / 64] & among[(last - 1) / 64]) >> (last - 1) % 64 & 1;
            must_hold(ca_bit_row_ones(row, among, first, last) == ones, "bits %d ... %d", first,
                      last);
        }
    }
}
END_TEST

/* Of any width; the other bits of a cell stay, but for bit 0, with which a cell begins. */
START_TEST(rows_are_packed_and_unpacked)
{
    uint8_t cells[200], back[200];
    uint64_t row[4];

    for (int w = 1; w <= 200; w++)
        for (int bit = 0; bit < 8; bit++) {
            for (int x = 0; x < 200; x++) {
                cells[x] = (uint8_t)(UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(x + 7 * w) >> 40);
            }
            memset(row, 0xff, sizeof row);
            ca_bit_row_pack(row, cells, bit, w);
            for (int x = 0; x < w; x++)
                must_hold((int)(row[x / 64] >> x % 64 & 1) == (cells[x] >> bit & 1),
                          "bit %d of cell %d of %d", bit, x, w);
            ck_assert(w % 64 == 0 || row[w / 64] >> w % 64 == 0);
            memset(back, 0x15 & ~(1 << bit), sizeof back);
            ca_bit_row_unpack(back, row, bit, w);
            for (int x = 0; x < 200; x++)
                must_hold(back[x] ==
                              (x >= w ? 0x15 & ~(1 << bit)
                                      : ((bit ? 0x15 & ~(1 << bit) : 0) | (cells[x] & 1 << bit))),
                          "cell %d of %d, of bit %d, is %#x", x, w, bit, back[x]);
        }
}
END_TEST

/* --- backends --------------------------------------------------------------------------------- */

/* Rows that are words, and that are not. */
START_TEST(sums_are_those_of_the_cells)
{
    const struct ca_model *model = ca_models[_i];

    ck_assert_int_ge(blocks_check(model, CA_CPU, model->dimensions == 3 ? "301x34x7" : "301x34"),
                     2);
    ck_assert_int_ge(blocks_check(model, CA_CPU, model->dimensions == 3 ? "64x9x8" : "64x40"), 2);
}
END_TEST

#define SUMS 4000 /* room for those of all cuts of a state, one after the other */

/* Blocks, and near blocks, of a few shapes. */
static void add_up(const struct ca_experiment *experiment, const struct ca_lattice *start,
                   double sums[SUMS])
{
    const struct ca_size blocks[] = {experiment->size, {300, 1000, 1}, {9, 1100, 1}};
    struct ca_blocks cut;
    struct kernel kernel;

    memset(sums, 0, SUMS * sizeof *sums);
    kernel_open(&kernel, experiment);
    kernel_load(&kernel, start);
    for (size_t i = 0; i < COUNT(blocks); i++) {
        const struct ca_stepper *stepper = kernel.backend->stepper;

        ck_assert_ok(ca_blocks_make(&cut, experiment->size, blocks[i], &error));
        ck_assert_int_eq(
            stepper->observe->blocks(kernel.self, &cut, 0, experiment->size.h, sums, &error),
            CA_OK);
        sums += ca_cells(cut.count) * ca_block_sums(experiment->model);
        ck_assert_int_eq(
            stepper->observe->neighbours(kernel.self, &cut, 0, experiment->size.h, sums, &error),
            CA_OK);
        sums += ca_cells(cut.count) * ca_neighbour_sums_count(experiment->model);
    }
    kernel_close(&kernel);
}

/* So many cells that the workers are several: to the last bit on all backends of the CPU. */
START_TEST(backends_of_the_cpu_add_up_in_one_order)
{
    static double expected[SUMS], got[SUMS];
    const char *model = _i ? "water" : "anneal";
    struct ca_experiment experiment =
        kernel_experiment(model, "reference", "2048x1100", NULL, test_seed(), NULL);
    struct ca_lattice start;

    ck_assert_ok(ca_initial_state(&experiment, &start, &error));
    add_up(&experiment, &start, expected);
    for (const struct ca_backend *b = experiment.model->backends + 1; b->name; b++) {
        struct ca_experiment other;

        if (b->device != CA_CPU || ca_backend_available(b, &error) != CA_OK)
            continue;
        other = kernel_experiment(model, b->name, "2048x1100", NULL, test_seed(), NULL);
        add_up(&other, &start, got);
        ck_assert_msg(same(expected, got, SUMS), "%s adds up otherwise", b->name);
    }
    ca_lattice_free(&start);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {ones_of_a_range_of_a_row, rows_are_packed_and_unpacked},
                     .table = {{floats_add_up_the_same_for_any_number_of_workers, COUNT(cuts)},
                               {sums_are_those_of_the_cells, test_models()},
                               {backends_of_the_cpu_add_up_in_one_order, 2}});
}
