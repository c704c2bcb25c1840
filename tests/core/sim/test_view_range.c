/* SPDX-License-Identifier: MIT */
/* Ranges of views: round ends, when a range stays as values change, and what sets it. */
#include <math.h>
#include <string.h>

#include "core/sim/view_range.h"
#include "tests/support/support.h"

static struct ca_error error;

START_TEST(round_numbers)
{
    static const struct {
        double least, most;
        bool with_sign;
        double low, high;
    } cases[] = {
        {0, 0, false, 0, 1},
        {0, 0.07, false, 0, 0.08},
        {0.3, 0.7, false, 0, 0.8},
        {0.28, 0.31, false, 0.28, 0.31},
        {-3, 5, true, -5, 5},
        {-7, -6, true, -8, 8},
        {5, 5, false, 0, 5},
        {-2, 6, false, -2, 6},
        {1000, 1001, false, 1000, 1001},
        {0, 0, true, -1, 1},
        {0.5, 1, false, 0, 1},
        {0.93, 1.03, false, 0.9, 1.05},
        {0.4, 0.48, false, 0.4, 0.48},
        {-4, -4, false, -5, -3},
    };
    double low, high;

    ca_view_range_round(cases[_i].least, cases[_i].most, cases[_i].with_sign, &low, &high);
    if (_i < 13) {
        ck_assert_double_eq_tol(low, cases[_i].low, 1e-9);
        ck_assert_double_eq_tol(high, cases[_i].high, 1e-9);
    }
    ck_assert_double_le(low, cases[_i].least + 1e-9);
    ck_assert_double_ge(high, cases[_i].most - 1e-9);
    ck_assert_double_lt(low, high);
}
END_TEST

/* A range from 0 ends at the next of a few round numbers, whatever its power of ten. */
START_TEST(round_ends)
{
    static const double ends[][2] = {{1, 1},     {1.01, 1.5}, {1.5, 1.5}, {1.6, 2}, {2.1, 3},
                                     {3.1, 4},   {4.1, 5},    {5.1, 6},   {6.1, 8}, {8.1, 10},
                                     {9.99, 10}, {99.9, 100}, {101, 150}};
    double low, high;

    for (size_t i = 0; i < COUNT(ends); i++)
        for (int sign = 0; sign < 2; sign++) {
            ca_view_range_round(0, ends[i][0], sign, &low, &high);
            ck_assert_double_eq_tol(high, ends[i][1], 1e-12);
            ck_assert_double_eq_tol(low, sign ? -ends[i][1] : 0, 1e-12);
        }
    /* and beside 0 at a step of 1, 2 or 5 */
    ca_view_range_round(100, 104.4, false, &low, &high);
    ck_assert_double_eq(low, 100);
    ck_assert_double_eq(high, 106);
    ca_view_range_round(101, 113, false, &low, &high);
    ck_assert_double_eq(low, 100);
    ck_assert_double_eq(high, 115);
    ca_view_range_round(101, 124, false, &low, &high);
    ck_assert_double_eq(low, 100);
    ck_assert_double_eq(high, 130);
}
END_TEST

/* The range of a frame of one line of values, after those before it. */
static struct ca_frame ranged(struct ca_view_range *last, enum ca_range range, double a, double b)
{
    static uint8_t bytes[4];
    struct ca_frame frame = {.view = {.zoom = 2,
                                      .columns = 2,
                                      .lines = 1,
                                      .drawn = CA_DENSITY,
                                      .range = range,
                                      .low = 0.2,
                                      .high = 0.6},
                             .code = bytes,
                             .level = bytes + 2};

    ca_view_levels(&frame, test_model("fhp"), (const double[]){a, b}, last);
    return frame;
}

START_TEST(a_range_stays_while_it_fits)
{
    struct ca_view_range last = {0};
    struct ca_frame frame = ranged(&last, CA_RANGE_AUTO, 0, 2);

    ck_assert_double_eq(frame.high, 2);
    ck_assert_uint_eq(frame.level[1], 255);
    frame = ranged(&last, CA_RANGE_AUTO, 0, 1); /* half of it is filled */
    ck_assert_double_eq(frame.high, 2);
    ck_assert_uint_eq(frame.level[1], 128);
    ck_assert_double_eq(ranged(&last, CA_RANGE_AUTO, 0, 0.7).high, 0.8);
    ck_assert_double_eq(ranged(&last, CA_RANGE_AUTO, 0, 0.9).high, 1);   /* beyond it */
    ck_assert_double_eq(ranged(&last, CA_RANGE_AUTO, NAN, NAN).high, 1); /* nothing is shown */
    frame = ranged(&last, CA_RANGE_FULL, 0, 0.7);
    ck_assert_double_eq(frame.high, 7);
    ck_assert_uint_eq(frame.level[1], 25);
    frame = ranged(&last, CA_RANGE_FIXED, 0.1, 0.4); /* what lies beyond has the end's level */
    ck_assert_double_eq(frame.low, 0.2);
    ck_assert_double_eq(frame.high, 0.6);
    ck_assert_uint_eq(frame.level[0], 0);
    ck_assert_uint_eq(frame.level[1], 128);
    ck_assert_uint_eq(ranged(&last, CA_RANGE_FIXED, 0.1, 0.9).level[1], 255);
}
END_TEST

static void expect_range(struct ca_view_range *last, double a, double b, double low, double high)
{
    struct ca_frame frame = ranged(last, CA_RANGE_AUTO, a, b);

    ck_assert_double_eq_tol(frame.low, low, 1e-12);
    ck_assert_double_eq_tol(frame.high, high, 1e-12);
}

/* Each end, and both sides of it; and that a range is of one thing that is drawn. */
START_TEST(a_range_has_two_ends)
{
    struct ca_view_range last = {0};

    expect_range(&last, 0.9, 1, 0.9, 1);
    expect_range(&last, 0.9, 0.96, 0.9, 1);
    expect_range(&last, 0.94, 1, 0.9, 1);
    expect_range(&last, 0.85, 1, 0.85, 1);
    expect_range(&last, 0.85, 1.01, 0.85, 1.05);
    last = (struct ca_view_range){0};
    expect_range(&last, 0, 2, 0, 2);
    expect_range(&last, 0, 1, 0, 2);
    expect_range(&last, 0, 0.99, 0, 1);
    last.drawn = CA_FIELD;
    last.high = 3;
    expect_range(&last, 0, 1.9, 0, 2);
    last.model = test_model("anneal");
    last.high = 3;
    expect_range(&last, 0, 1.9, 0, 2);
}
END_TEST

START_TEST(a_signed_range_stays_while_it_fits)
{
    static uint8_t bytes[4];
    static const struct {
        const char *field;
        double a, b, high;
    } rows[] = {{"vorticity", -4, 2, 4},     {"vorticity", -2, 1, 4},     {"vorticity", 1, 2.1, 4},
                {"vorticity", -1.5, 1, 1.5}, {"vorticity", -1, 1.4, 1.5}, {"vorticity", -1.7, 1, 2},
                {"density", 0, 1.9, 2},      {"density", 0, 1, 2},        {"speed", 0, 1, 1}};
    struct ca_view_range last = {0};

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_frame frame = {.view = {.zoom = 2,
                                          .columns = 2,
                                          .lines = 1,
                                          .drawn = CA_FIELD,
                                          .range = CA_RANGE_AUTO},
                                 .code = bytes,
                                 .level = bytes + 2};
        bool sign = rows[i].field[0] == 'v';

        strcpy(frame.view.field, rows[i].field);
        ca_view_levels(&frame, test_model("fhp"), (const double[]){rows[i].a, rows[i].b}, &last);
        ck_assert_msg(frame.high == rows[i].high, "%zu: %g", i, frame.high);
        ck_assert_double_eq(frame.low, sign ? -rows[i].high : 0);
        if (sign) /* no value is half of it */
            ck_assert_uint_eq(frame.level[1],
                              lround(255 * ((rows[i].b + rows[i].high) / (2 * rows[i].high))));
    }
}
END_TEST

/* What most values are, whatever a few of them are; without order, NaN left out. */
START_TEST(a_range_leaves_outliers_out)
{
    static double values[200000];
    double least, most;

    for (int i = 0; i < 1000; i++) /* 0 ... 999, not in order */
        values[i] = i * 7 % 1000;
    ck_assert(ca_view_range_inner(values, 1000, &least, &most));
    ck_assert_double_eq(least, 10);
    ck_assert_double_eq(most, 989);
    values[3] = 1e9;
    values[500] = -1e9;
    values[700] = NAN;
    ck_assert(ca_view_range_inner(values, 1000, &least, &most));
    ck_assert_double_eq_tol(least, 10, 3);
    ck_assert_double_eq_tol(most, 989, 3);
    for (int i = 0; i < 200000; i++) /* more than are counted */
        values[i] = i % 101;
    ck_assert(ca_view_range_inner(values, 200000, &least, &most));
    ck_assert_double_eq_tol(least, 1, 1);
    ck_assert_double_eq_tol(most, 99, 1);
    for (int i = 0; i < 1000; i++) /* where all but a few are the same these count */
        values[i] = i == 77 ? 3 : 0;
    ck_assert(ca_view_range_inner(values, 1000, &least, &most));
    ck_assert_double_eq(least, 0);
    ck_assert_double_eq(most, 3);
    ck_assert(ca_view_range_inner((const double[]){NAN, 5, NAN}, 3, &least, &most));
    ck_assert_double_eq(least, 5);
    ck_assert_double_eq(most, 5);
    ck_assert(!ca_view_range_inner((const double[]){NAN, NAN}, 2, &least, &most));
    ck_assert(!ca_view_range_inner(values, 0, &least, &most));
    ck_assert_double_nan(least);
}
END_TEST

/* A range neither flickers where values tremble about one of its ends, nor stays far too wide; what
 * it is made of fits it. */
START_TEST(a_range_fits)
{
    static const struct {
        double low, high, least, most;
        bool with_sign, fits;
    } rows[] = {{0, 1, 0, 1, false, true},      {0, 1, 0, 1.049, false, true},
                {0, 1, 0, 1.06, false, false},  {0, 1, 0, 0.5, false, true},
                {0, 1, 0, 0.49, false, false},  {0, 1, -0.06, 1, false, false},
                {0, 1, 0.6, 0.9, false, true},  {0, 1, 0.8, 0.9, false, false},
                {0, 1, 0.9, 0.9, false, true},  {2, 3, 2.1, 2.7, false, true},
                {2, 3, 2.1, 2.5, false, false}, {2, 3, 1.9, 3, false, false},
                {-4, 4, -2, 0, true, true},     {-4, 4, -1.9, 1, true, false},
                {-4, 4, 0, 4.3, true, true},    {-4, 4, 0, 4.5, true, false}};
    uint32_t random = 1;

    for (size_t i = 0; i < COUNT(rows); i++)
        ck_assert_msg(ca_view_range_fits(rows[i].low, rows[i].high, rows[i].least, rows[i].most,
                                         rows[i].with_sign) == rows[i].fits,
                      "row %zu", i);
    for (int i = 0; i < 20000; i++) {
        double ends[2], low, high;
        bool sign = i % 3 == 0;

        for (int k = 0; k < 2; k++) {
            random = random * 1664525 + 1013904223;
            ends[k] = (random >> 8) / 16777216.0 * (i % 2 ? 1 : 1000) - (i % 5 == 0 ? 0.3 : 0);
        }
        ca_view_range_round(fmin(ends[0], ends[1]), fmax(ends[0], ends[1]), sign, &low, &high);
        ck_assert_msg(
            ca_view_range_fits(low, high, fmin(ends[0], ends[1]), fmax(ends[0], ends[1]), sign),
            "%g ... %g in %g ... %g", ends[0], ends[1], low, high);
    }
}
END_TEST

START_TEST(a_range_is_scaled)
{
    static const double rows[][5] = {{0, 1, 0.5, 0, 0.5},
                                     {-4, 4, 2, -8, 8},
                                     {2, 4, 0.5, 2.5, 3.5},
                                     {-1, 0, 2, -2, 0},
                                     {1, 3, 2, 0, 4}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        double low = rows[i][0], high = rows[i][1];

        ca_range_scale(&low, &high, rows[i][2]);
        ck_assert_double_eq_tol(low, rows[i][3], 1e-12);
        ck_assert_double_eq_tol(high, rows[i][4], 1e-12);
    }
}
END_TEST

/* The brightness beside states is that of all values; of a ramp it is that of those shown. */
START_TEST(states_keep_their_range)
{
    static const struct {
        const char *model;
        enum ca_drawn drawn;
        enum ca_reduce reduce;
        double high, most; /* 0: 2 */
    } rows[] = {{"fhp", CA_STATE, CA_MEAN, 7},         {"fhp", CA_DENSITY, CA_MEAN, 2},
                {"water", CA_STATE, CA_MEAN, 1},       {"anneal", CA_STATE, CA_ANY, 1},
                {"anneal", CA_STATE, CA_MEAN, 2}, /* more than there can be */
                {"anneal", CA_STATE, CA_MEAN, 1, 0.6}, {"anneal", CA_STATE, CA_MEAN, 0.5, 0.5}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_view_range last = {0};
        uint8_t bytes[4] = {0};
        struct ca_frame frame = {.view = {.zoom = 2,
                                          .columns = 2,
                                          .lines = 1,
                                          .drawn = rows[i].drawn,
                                          .reduce = rows[i].reduce,
                                          .range = CA_RANGE_AUTO},
                                 .code = bytes,
                                 .level = bytes + 2};

        ca_view_levels(&frame, test_model(rows[i].model),
                       (const double[]){0, rows[i].most > 0 ? rows[i].most : 2}, &last);
        ck_assert_msg(frame.high == rows[i].high, "%zu: %g", i, frame.high);
    }
}
END_TEST

/* A range as text, and what is none. */
START_TEST(a_range_is_a_text)
{
    static const char *const wrong[] = {"",      "1",     "2 1",   "1 1",          "a b",
                                        "0 1 2", "nan 1", "0 inf", "-1e308 1e308", "automatic"};
    struct ca_view view = {.range = CA_RANGE_FULL};
    char text[64];

    ck_assert_ok(ca_range_parse(&view, "-0.5 1e3", &error));
    ck_assert_int_eq(view.range, CA_RANGE_FIXED);
    ck_assert_double_eq(view.low, -0.5);
    ck_assert_double_eq(view.high, 1000);
    ck_assert_str_eq(ca_range_format(text, sizeof text, &view), "-0.5 1000");
    for (size_t i = 0; i < COUNT(wrong); i++) {
        ck_assert_int_eq(ca_range_parse(&view, wrong[i], &error), CA_USAGE);
        ck_assert_contains(error.text, "allowed are auto, and two numbers");
        ck_assert_double_eq(view.high, 1000);
    }
    ck_assert_ok(ca_range_parse(&view, "auto", &error));
    ck_assert_str_eq(ca_range_format(text, sizeof text, &view), "auto");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_range_stays_while_it_fits, a_range_has_two_ends,
                              a_signed_range_stays_while_it_fits, round_ends,
                              a_range_leaves_outliers_out, a_range_fits, a_range_is_scaled,
                              states_keep_their_range, a_range_is_a_text},
                     .table = {{round_numbers, 14}});
}
