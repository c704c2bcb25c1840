/* SPDX-License-Identifier: MIT */
/* kernels/cpu/initial_state: draws cell by cell as core/base/random.h says, by one thread and by
 * many. */
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/machine/device.h"
#include "kernels/cpu/initial_state.h"
#include "kernels/cpu/parallel_rows.h"
#include "tests/support/support.h"

static struct ca_error error;

#define HELD 0x80 /* what is in the cells before */

static const struct ca_size sizes[] = {
    {1, 1, 1}, {3, 5, 1}, {4, 2, 3}, {130, 17, 2}, {4100, 600, 1}, {61, 70, 50}, {1, 200000, 1},
};
#define SIZES ((int)(sizeof sizes / sizeof sizes[0]))

static const double densities[] = {0, 0.01, 0.5, 1};
#define DENSITIES ((int)(sizeof densities / sizeof densities[0]))

START_TEST(draws_as_written)
{
    struct ca_setup setup = {.size = sizes[_i / DENSITIES], .seed = test_seed()};
    double density = densities[_i % DENSITIES];
    struct ca_size size = setup.size;
    int64_t cells = ca_cells(size), i = 0;
    uint8_t *cell = malloc((size_t)cells + 8);

    memset(cell, HELD, (size_t)cells + 8);
    ck_assert_ok(initial_random(&setup, density, 3, cell, 2, &error));
    for (int64_t z = 0; z < size.d; z++)
        for (int64_t y = 0; y < size.h; y++)
            for (int64_t x = 0; x < size.w; x++, i++) {
                bool is = ca_uniform(setup.seed, (uint64_t)x, (uint64_t)y, (uint64_t)z, 0, 3) <
                          ca_threshold(density);

                if (cell[i] != (is ? HELD | 2 : HELD)) /* an assertion that holds is slow too */
                    ck_abort_msg("cell %lld: %d", (long long)i, cell[i]);
            }
    for (int after = 0; after < 8; after++)
        ck_assert_int_eq(cell[cells + after], HELD);
    free(cell);
}
END_TEST

struct count {
    int rows;
    uint8_t made[600];
};

static void make(void *context, int worker, int64_t first, int64_t last)
{
    struct count *count = context;

    ck_assert_int_lt(worker, 7);
    for (int64_t row = first; row < last; row++) {
        ck_assert_int_lt(row, count->rows);
        count->made[row]++;
    }
}

START_TEST(each_row_once)
{
    static const int workers[] = {1, 2, 7};
    struct count count = {.rows = 600};

    ck_assert_ok(parallel_rows(workers[_i], count.rows, make, &count, &error));
    for (int row = 0; row < count.rows; row++)
        ck_assert_int_eq(count.made[row], 1);
}
END_TEST

/* Small lattices are left to the caller. */
START_TEST(workers_by_size)
{
    ck_assert_int_eq(parallel_workers(1, 1), 1);
    ck_assert_int_eq(parallel_workers(600, 1000), 1);
    ck_assert_int_eq(parallel_workers(1, INT64_C(1) << 31), 1);
    ck_assert_int_eq(parallel_workers(INT64_C(1) << 20, 1 << 20), ca_cpu_cores());
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {workers_by_size},
                     .table = {{draws_as_written, SIZES * DENSITIES}, {each_row_once, 3}});
}
