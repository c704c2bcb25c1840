/* SPDX-License-Identifier: MIT */
/* core/lattice: sizes as text, memory, comparing, hashing. */
#include <math.h>

#include "core/model/lattice.h"
#include "tests/support/support.h"

static const struct {
    const char *text;
    int dimensions;
    int64_t w, h, d;
} good[] = {
    {"1x1", 2, 1, 1, 1},
    {"512x256", 2, 512, 256, 1},
    {"256x255x20", 3, 256, 255, 20},
    {"2147483648x1", 2, INT64_C(2147483648), 1, 1},
};

START_TEST(size_is_read)
{
    struct ca_size size = {0};
    struct ca_error error;
    char text[64];

    ck_assert_ok(ca_size_parse(&size, good[_i].text, good[_i].dimensions, "--size", &error));
    ck_assert(ca_size_equal(size, (struct ca_size){good[_i].w, good[_i].h, good[_i].d}));
    ck_assert_str_eq(ca_size_format(text, size, good[_i].dimensions), good[_i].text);
}
END_TEST

static const struct {
    const char *text;
    int dimensions;
    const char *says;
} bad[] = {
    {"", 2, "expected WIDTHxHEIGHT"},
    {"512", 2, "expected WIDTHxHEIGHT"},
    {"5x5x5", 2, "expected WIDTHxHEIGHT"},
    {"5x5", 3, "expected WIDTHxHEIGHTxDEPTH"},
    {"x5", 2, "is not a 2D size"},
    {"5x", 2, "is not a 2D size"},
    {" 5x5", 2, "is not a 2D size"},
    {"5x 5", 2, "is not a 2D size"},
    {"5x5 ", 2, "is not a 2D size"},
    {"5.5x5", 2, "is not a 2D size"},
    {"0x5", 2, "W = 0 is out of range, 1 ... 2147483648"},
    {"5x-5", 2, "H = -5 is out of range"},
    {"5x5x0", 3, "D = 0 is out of range"},
    {"99999999999999999999x5", 2, "W in '99999999999999999999x5' is out of range"},
    {"2147483649x1", 2, "W = 2147483649 is out of range"},
    {"2147483648x2147483648", 2, "at most 2^46 cells"},
    {"2147483648x2147483648x2147483648", 3, "at most 2^46 cells"},
};

START_TEST(size_is_refused)
{
    struct ca_size size = {7, 7, 7};
    struct ca_error error = {0};

    ck_assert_int_eq(ca_size_parse(&size, bad[_i].text, bad[_i].dimensions, "--size", &error),
                     CA_USAGE);
    ck_assert_contains(error.text, bad[_i].says, "--size: ");
    ck_assert(ca_size_equal(size, (struct ca_size){7, 7, 7}));
}
END_TEST

/* As many planes as were asked for, all of zeros. */
START_TEST(planes_are_zeroed)
{
    struct ca_error error;

    for (int planes = 1; planes <= CA_PLANES_MAX; planes++) {
        struct ca_lattice lattice;

        ck_assert_ok(ca_lattice_alloc(&lattice, (struct ca_size){3, 2, 2}, CA_F32, planes, &error));
        ck_assert_int_eq(lattice.planes, planes);
        for (int p = 0; p < CA_PLANES_MAX; p++)
            ck_assert_int_eq(lattice.plane[p] != NULL, p < planes);
        for (int i = 0; i < 12; i++)
            ck_assert(((const float *)lattice.plane[planes - 1])[i] == 0);
        ca_lattice_free(&lattice);
    }
}
END_TEST

START_TEST(memory_that_is_not_there)
{
    struct ca_lattice lattice;
    struct ca_error error = {0};

    ck_assert_int_eq(ca_lattice_alloc(&lattice, (struct ca_size){INT64_C(1) << 31, 1 << 15, 1},
                                      CA_F32, 3, &error),
                     CA_NO_MEMORY);
    ck_assert_contains(error.text, "no memory for a plane of 281474976710656 bytes");
    ca_lattice_free(&lattice);
}
END_TEST

START_TEST(compare_finds_the_first)
{
    struct ca_lattice a, b;
    struct ca_error error;
    struct ca_difference d;

    ca_lattice_alloc(&a, (struct ca_size){5, 4, 3}, CA_U8, 2, &error);
    ca_lattice_alloc(&b, (struct ca_size){5, 4, 3}, CA_U8, 2, &error);
    ck_assert_int_eq(ca_lattice_compare(&a, &b).count, 0);
    ((uint8_t *)b.plane[0])[59] = 9;
    ((uint8_t *)b.plane[1])[(2 * 4 + 1) * 5 + 3] = 7; /* (3, 1, 2) comes first */
    d = ca_lattice_compare(&a, &b);
    ck_assert_int_eq(d.count, 2);
    ck_assert_int_eq(d.plane, 1);
    ck_assert_int_eq(d.x, 3);
    ck_assert_int_eq(d.y, 1);
    ck_assert_int_eq(d.z, 2);
    ck_assert_double_eq(d.expected, 0);
    ck_assert_double_eq(d.got, 7);
    ca_lattice_free(&a);
    ca_lattice_free(&b);
}
END_TEST

/* In lattices of more values than are looked at together. */
START_TEST(compare_finds_the_first_of_many)
{
    static const int64_t places[] = {0, 4095, 4096, 12000, 13000, 19999};
    struct ca_lattice a, b;
    struct ca_error error;
    struct ca_difference d;

    ca_lattice_alloc(&a, (struct ca_size){200, 100, 1}, CA_F32, 2, &error);
    ca_lattice_alloc(&b, (struct ca_size){200, 100, 1}, CA_F32, 2, &error);
    ck_assert_int_eq(ca_lattice_compare(&a, &b).count, 0);
    for (int i = 5; i >= 0; i--) {
        ((float *)b.plane[i % 2])[places[i]] = (float)i + 1;
        d = ca_lattice_compare(&a, &b);
        ck_assert_int_eq(d.count, 6 - i);
        ck_assert_int_eq(d.plane, i % 2);
        ck_assert_int_eq(d.y * 200 + d.x, places[i]);
        ck_assert_double_eq(d.got, i + 1);
    }
    ca_lattice_free(&a);
    ca_lattice_free(&b);
}
END_TEST

START_TEST(nan_never_matches_and_zero_has_a_sign)
{
    struct ca_lattice a, b;
    struct ca_error error;

    ca_lattice_alloc(&a, (struct ca_size){2, 1, 1}, CA_F32, 1, &error);
    ca_lattice_alloc(&b, (struct ca_size){2, 1, 1}, CA_F32, 1, &error);
    ((float *)a.plane[0])[0] = ((float *)b.plane[0])[0] = NAN;
    ck_assert_int_eq(ca_lattice_compare(&a, &b).count, 1);
    ((float *)a.plane[0])[1] = -0.0f;
    ck_assert_int_eq(ca_lattice_compare(&a, &b).count, 2);
    ca_lattice_free(&a);
    ca_lattice_free(&b);
}
END_TEST

/* Values are rounded by the size of those that they are computed from, which are around them. */
START_TEST(compare_within_a_tolerance)
{
    struct ca_lattice a, b;
    struct ca_error error;
    float *expected, *got;

    ca_lattice_alloc(&a, (struct ca_size){9, 9, 1}, CA_F32, 2, &error);
    ca_lattice_alloc(&b, (struct ca_size){9, 9, 1}, CA_F32, 2, &error);
    expected = a.plane[1], got = b.plane[1];
    got[40] = 0.9e-5F; /* in the middle */
    ck_assert_int_eq(ca_lattice_compare_within(&a, &b, 1e-5, 2).count, 0);
    ck_assert_int_eq(ca_lattice_compare_within(&a, &b, 0, 2).count, 1);
    got[40] = 1.1e-5F;
    ck_assert_int_eq(ca_lattice_compare_within(&a, &b, 1e-5, 2).count, 1);
    ((float *)a.plane[0])[40 + 2 * 9 - 2] = ((float *)b.plane[0])[40 + 2 * 9 - 2] = -2;
    ck_assert_int_eq(ca_lattice_compare_within(&a, &b, 1e-5, 2).count, 0);
    ck_assert_int_eq(ca_lattice_compare_within(&a, &b, 1e-5, 1).count, 1);
    expected[40] = 1000, got[40] = 1000.009F;
    ck_assert_int_eq(ca_lattice_compare_within(&a, &b, 1e-5, 0).count, 0);
    got[40] = 1000.02F;
    ck_assert_int_eq(ca_lattice_compare_within(&a, &b, 1e-5, 2).count, 1);
    for (int i = 0; i < 3; i++) {
        expected[40] = i != 1 ? INFINITY : 1;
        got[40] = i ? NAN : INFINITY;
        ck_assert_int_eq(ca_lattice_compare_within(&a, &b, 1e-5, 2).count, 1);
    }
    ca_lattice_free(&a);
    ca_lattice_free(&b);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {planes_are_zeroed, memory_that_is_not_there, compare_finds_the_first,
                              compare_finds_the_first_of_many,
                              nan_never_matches_and_zero_has_a_sign, compare_within_a_tolerance},
                     .table = {{size_is_read, COUNT(good)}, {size_is_refused, COUNT(bad)}});
}
