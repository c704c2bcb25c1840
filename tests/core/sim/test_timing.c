/* SPDX-License-Identifier: MIT */
/* core/timing: the ring and its figures. core/device: unknown is never a number. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/machine/device.h"
#include "core/sim/timing.h"
#include "tests/support/support.h"
#include "core/base/clock.h"
#include "core/base/statistics.h"

START_TEST(nothing_is_known_at_first)
{
    struct ca_timing timing;
    struct ca_timing_figures figures;

    ca_timing_clear(&timing);
    figures = ca_timing_figures(&timing, 1e6, 2);
    ck_assert_int_eq(figures.count, 0);
    ck_assert_double_eq(figures.cells_per_s, 0);
}
END_TEST

/* Every figure has another value, so that none can stand in for another. */
START_TEST(figures_follow_from_the_ring)
{
    struct ca_timing timing;
    struct ca_timing_figures figures;

    ca_timing_clear(&timing);
    ca_timing_add(&timing, 10, 3, 0.10, 0.2); /* 10 ms a generation */
    ca_timing_add(&timing, 10, 3, 0.40, 0.5);
    ca_timing_add(&timing, 10, 3, 0.20, 0.3); /* 20 ms */
    figures = ca_timing_figures(&timing, 1000, 2);
    ck_assert_int_eq(figures.count, 3);
    ck_assert_uint_eq(figures.call, 10);
    ck_assert_double_eq_tol(figures.step_p50_s, 0.02, 1e-12);
    ck_assert_double_eq_tol(figures.step_p99_s, 0.04, 1e-12);
    ck_assert_double_eq_tol(figures.step_min_s, 0.01, 1e-12);
    /* the rate is that of the median step */
    ck_assert_double_eq_tol(figures.cells_per_s, 1000 / 0.02, 1e-6);
    ck_assert_double_eq_tol(figures.gb_per_s, 1000 * 2 * 3 / 0.2 / 1e9, 1e-15);
    ck_assert_uint_eq(timing.generations, 30);
    ck_assert_double_eq_tol(timing.device_s, 0.7, 1e-12);
    ck_assert_double_eq_tol(timing.wall_s, 1.0, 1e-12);
    ca_timing_add(&timing, 10, 3, 0.30, 0.3); /* an even count: the mean of the middle two */
    ck_assert_double_eq_tol(ca_timing_figures(&timing, 1000, 2).step_p50_s, 0.025, 1e-12);
}
END_TEST

/* The rest of a run is left out of the figures; two calls of another length begin new ones. */
START_TEST(figures_are_of_calls_of_one_length)
{
    struct ca_timing timing;
    struct ca_timing_figures figures;

    ca_timing_clear(&timing);
    for (int i = 0; i < 5; i++) {
        ca_timing_add(&timing, 10, 10, 0.1, 0.1);
        ca_timing_add(&timing, 10, 10, 0.1, 0.1);
        ca_timing_add(&timing, 7, 7, 7, 7);
    }
    figures = ca_timing_figures(&timing, 1, 1);
    ck_assert_int_eq(figures.count, 10);
    ck_assert_uint_eq(figures.call, 10);
    ck_assert_double_eq_tol(figures.step_p99_s, 0.01, 1e-12);
    ck_assert_uint_eq(timing.generations, 5 * 27);
    ca_timing_add(&timing, 7, 7, 14, 14); /* the second in a row */
    figures = ca_timing_figures(&timing, 1, 1);
    ck_assert_int_eq(figures.count, 1);
    ck_assert_uint_eq(figures.call, 7);
    ck_assert_double_eq_tol(figures.step_min_s, 2, 1e-12);
    ca_timing_restart(&timing);
    ck_assert_int_eq(ca_timing_figures(&timing, 1, 1).count, 0);
    ck_assert_uint_eq(timing.generations, 5 * 27 + 7);
}
END_TEST

START_TEST(middles)
{
    double odd[] = {3, -1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};

    ca_sort(odd, 3);
    ck_assert_double_eq(odd[0], -1);
    ck_assert_double_eq(odd[2], 3);
    ck_assert_double_eq(ca_median(odd, 3), 2);
    ca_sort(even, 4);
    ck_assert_double_eq(ca_median(even, 4), 2.5);
    ck_assert_double_eq(ca_median(one, 1), 7);
}
END_TEST

START_TEST(dates)
{
    char text[32];
    struct tm tm = {0};
    const char *end;
    time_t then;

    ca_date(text);
    end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    ck_assert_msg(end && *end == '\0', "%s", text);
    then = timegm(&tm);
    ck_assert_int_ge(time(NULL), then);
    ck_assert_int_le(time(NULL), then + 60);
}
END_TEST

START_TEST(the_ring_forgets_the_oldest)
{
    struct ca_timing timing;
    struct ca_timing_figures figures;

    ca_timing_clear(&timing);
    for (int i = 0; i < CA_TIMING_RING; i++)
        ca_timing_add(&timing, 1, 1, 1.0, 1.0);
    for (int i = 0; i < CA_TIMING_RING; i++)
        ca_timing_add(&timing, 1, 1, 2.0, 2.0);
    figures = ca_timing_figures(&timing, 1, 1);
    ck_assert_int_eq(figures.count, CA_TIMING_RING);
    ck_assert_double_eq(figures.step_min_s, 2.0);
    ck_assert_uint_eq(timing.generations, 2 * CA_TIMING_RING);
}
END_TEST

START_TEST(clock_is_monotonic)
{
    double before = ca_now();

    for (int i = 0; i < 1000; i++) {
        double now = ca_now();

        ck_assert(now >= before);
        before = now;
    }
}
END_TEST

START_TEST(cpu_facts)
{
    struct ca_device device;
    struct ca_fact facts[6];

    ca_device_cpu(&device);
    ck_assert_int_ge(device.cores, 1);
    ck_assert_int_gt(strlen(device.name), 0);
    memcpy(facts,
           (struct ca_fact[]){device.clock_mhz, device.temperature_c, device.power_w,
                              device.energy_j, device.memory_bytes, device.memory_free_bytes},
           sizeof facts);
    for (int i = 0; i < 6; i++)
        ck_assert(facts[i].known ? isfinite(facts[i].value) : facts[i].value == 0);
    ck_assert(device.memory_free_bytes.value <= device.memory_bytes.value);
    ck_assert_int_eq(ca_cpu_cores(), device.cores);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {nothing_is_known_at_first, figures_follow_from_the_ring,
                              figures_are_of_calls_of_one_length, middles, dates,
                              the_ring_forgets_the_oldest, clock_is_monotonic, cpu_facts});
}
