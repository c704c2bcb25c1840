/* SPDX-License-Identifier: MIT */
/* Histories of observables over whole runs, and their texts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tui/workbench/terminal/timeline.h"
#include "tui/workbench/terminal/fit.h"

static struct timeline line;

static void begin(void) { memset(&line, 0, sizeof line); }

static void line_add(uint64_t generation, double value)
{
    timeline_add(&line, generation, &value, 1);
}

static double saw(uint64_t generation) { return (double)(generation * 7919 % 1009) - 500; }

/* --- coarsening ------------------------------------------------------------------------------- */

/* However long the run is, its least and greatest value and its mean are kept. */
START_TEST(whole_run)
{
    double low = INFINITY, high = -INFINITY, sum = 0;

    begin();
    for (uint64_t g = 0; g < 100000; g++) {
        struct timeline_span all;

        line_add(g, saw(g));
        low = fmin(low, saw(g));
        high = fmax(high, saw(g));
        sum += saw(g);
        if (g % 997 != 0 && g != 99999)
            continue;
        all = timeline_span(&line, 0, 0, line.points);
        ck_assert_uint_eq(all.count, g + 1);
        ck_assert_double_eq(all.min, low);
        ck_assert_double_eq(all.max, high);
        ck_assert_double_eq(all.sum, sum);
    }
    ck_assert_uint_eq(line.stride, 256); /* 2^8 * 512 >= 100000 > 2^7 * 512 */
    ck_assert_int_eq(line.points, 99999 / 256 + 1);
    ck_assert_uint_eq(timeline_last(&line), 99999);
    for (int i = 0; i < line.points; i++) {
        const struct timeline_point *p = &line.point[i];
        uint64_t from = (uint64_t)i * 256, to = from + 255 < 99999 ? from + 255 : 99999;

        ck_assert_uint_eq(p->first, from);
        ck_assert_uint_eq(p->last, to);
        ck_assert_uint_eq(p->value[0].count, to - from + 1);
        low = INFINITY;
        for (uint64_t g = from; g <= to; g++)
            low = fmin(low, saw(g));
        ck_assert_double_eq(p->value[0].min, low);
    }
}
END_TEST

/* A run that is opened late, and one that is observed now and then. */
START_TEST(late_and_sparse)
{
    const uint64_t far = UINT64_C(1) << 62;

    begin();
    line_add(1000000, 3);
    ck_assert_uint_eq(line.base, 1000000);
    line_add(1000000, 3); /* not twice */
    ck_assert_uint_eq(line.point[0].value[0].count, 1);
    line_add(1000000, 4); /* but another value of the same generation, as after an edit */
    ck_assert_double_eq(line.point[0].value[0].max, 4);
    ck_assert_uint_eq(line.point[0].value[0].count, 2);
    line_add(1000511, 5);
    ck_assert_uint_eq(line.stride, 1);
    ck_assert_int_eq(line.points, 512);
    ck_assert_uint_eq(timeline_span(&line, 0, 1, 511).count, 0);
    line_add(1000512, 6);
    ck_assert_uint_eq(line.stride, 2);
    ck_assert_int_eq(line.points, 257);
    line_add(far, 7);
    ck_assert_int_le(line.points, TIMELINE_POINTS);
    ck_assert_uint_eq(timeline_span(&line, 0, 0, line.points).count, 5);
    ck_assert_uint_eq(timeline_last(&line), far);
}
END_TEST

/* What is unknown is no value. */
START_TEST(unknown_values)
{
    const double values[2][2] = {{NAN, 1}, {5, INFINITY}};

    begin();
    timeline_add(&line, 0, values[0], 2);
    timeline_add(&line, 1, values[1], 2);
    ck_assert_uint_eq(timeline_span(&line, 0, 0, 2).count, 1);
    ck_assert_double_eq(timeline_span(&line, 0, 0, 2).max, 5);
    ck_assert_uint_eq(timeline_span(&line, 1, 0, 2).count, 1);
    ck_assert_double_eq(timeline_span(&line, 1, 0, 2).max, 1);
}
END_TEST

/* --- going back ------------------------------------------------------------------------------- */

START_TEST(rewind_forgets_what_is_later)
{
    begin();
    for (uint64_t g = 0; g < 2048; g++) /* 4 generations a point */
        line_add(g, (double)g);
    ck_assert_uint_eq(line.stride, 4);
    timeline_rewind(&line, 4095);
    ck_assert_uint_eq(timeline_last(&line), 2047);
    timeline_rewind(&line, 1003);
    ck_assert_uint_eq(timeline_last(&line), 1003);
    ck_assert_double_eq(timeline_span(&line, 0, 0, line.points).max, 1003);
    timeline_rewind(&line, 1002); /* 1000 to 1003 are one point */
    ck_assert_uint_eq(timeline_last(&line), 999);
    line_add(500, -1); /* an earlier generation comes */
    ck_assert_uint_eq(timeline_last(&line), 500);
    ck_assert_double_eq(timeline_span(&line, 0, 0, line.points).max, 499);
    ck_assert_double_eq(timeline_span(&line, 0, 0, line.points).min, -1);
    line_add(0, 9); /* generation 0 is a part of the first point, which goes */
    ck_assert_int_eq(line.points, 1);
    ck_assert_uint_eq(line.stride, 1);
    ck_assert_double_eq(line.point[0].value[0].sum, 9);
}
END_TEST

/* --- texts ------------------------------------------------------------------------------------ */

START_TEST(values_fit)
{
    static const struct {
        double value;
        const char *unit;
        int width;
        const char *text;
        bool has_unit;
    } cases[] = {
        {136288, NULL, 20, "136288", true},
        {136288, NULL, 5, "136 k", true},
        {-1234567, "rows/step", 18, "-1234567 rows/step", true},
        {-1234567, "rows/step", 17, "-1.23 M rows/step", true},
        {-1234567, "rows/step", 16, "-1234567", false},
        {-1234567, "rows/step", 7, "-1.23 M", false},
        {-1234567, "rows/step", 6, "", false},
        {12, "half cells/step", 18, "12 half cells/step", true},
        {12, "half cells/step", 17, "12", false},
        {1e12, "cells", 11, "1 T cells", true},
        {0.123456789123, "cells", 30, "0.123456789 cells", true},
        {0.123456789123, "cells", 12, "0.1235 cells", true},
        {999999, NULL, 4, "1 M", true},
        {-0.0, NULL, 4, "0", true},
        {0, "cells", 3, "0", false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[QUANTITY_FIT_TEXT];

        ck_assert(quantity_fit(text, cases[i].value, cases[i].unit, cases[i].width) ==
                  cases[i].has_unit);
        ck_assert_str_eq(text, cases[i].text);
    }
}
END_TEST

/* Whatever the width is, nothing is longer than it. */
START_TEST(values_never_exceed)
{
    for (int width = 0; width < 40; width++)
        for (double value = 1e-9; value < 1e21; value *= -7.3) {
            char text[QUANTITY_FIT_TEXT];
            bool has = quantity_fit(text, value, "cells/step^2", width);

            ck_assert_int_le((int)strlen(text), width);
            ck_assert(!text[0] || has == (strstr(text, " cells/step^2") != NULL));
        }
}
END_TEST

START_TEST(parts_go_whole)
{
    static const struct {
        const char *text;
        int width;
        const char *fits;
    } cases[] = {
        {"groups of 32 rows, 1 thread, 256 bits", 27, "groups of 32 rows, 1 thread"},
        {"139.1 of 139.8 GiB, ECC on", 20, "139.1 of 139.8 GiB"},
        {"7.35 us / 27.9 us", 17, "7.35 us / 27.9 us"},
        {"7.35 us / 27.9 us", 16, "7.35 us"},
        {"1980 MHz 412 W 45 C", 18, "1980 MHz 412 W"},
        {"unknown: run calab probe", 20, "unknown: run calab"},
        {"\xe2\x96\x81\xe2\x96\x81", 2, "\xe2\x96\x81\xe2\x96\x81"},
        {"bitslice", 4, "bitslice"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];

        snprintf(text, sizeof text, "%s", cases[i].text);
        text_fit(text, cases[i].width);
        ck_assert_str_eq(text, cases[i].fits);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {whole_run, late_and_sparse, unknown_values,
                              rewind_forgets_what_is_later, values_fit, values_never_exceed,
                              parts_go_whole});
}
