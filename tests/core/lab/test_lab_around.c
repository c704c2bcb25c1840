/* SPDX-License-Identifier: MIT */
/* The cells around the first wrong one, as text. */
#include <string.h>

#include "core/lab/check/trial.h"
#include "tests/support/support.h"

static struct ca_lattice lattice_of(int64_t w, int64_t h, enum ca_type type)
{
    const struct ca_size size = {w, h, 1};
    struct ca_lattice lattice;
    struct ca_error error;

    ck_assert_ok(ca_lattice_alloc(&lattice, size, type, 1, &error));
    memset(lattice.plane[0], 0, (size_t)ca_lattice_plane_bytes(&lattice));
    return lattice;
}

static char text[CA_LAB_AROUND_MAX];

/* The text of three lattices, which are freed. */
static const char *around(struct ca_lattice part[3], int pattern)
{
    const struct ca_difference first = ca_lattice_compare(&part[1], &part[2]);

    ca_lab_around(&part[0], &part[1], &part[2], &first, pattern, text);
    for (int i = 0; i < 3; i++)
        ca_lattice_free(&part[i]);
    return text;
}

static void parts_make(struct ca_lattice part[3], int64_t w, int64_t h, enum ca_type type)
{
    for (int i = 0; i < 3; i++)
        part[i] = lattice_of(w, h, type);
}

#define BYTE(part, i) ((uint8_t *)(part).plane[0])[i]

START_TEST(a_small_lattice_is_whole)
{
    struct ca_lattice part[3];

    parts_make(part, 2, 3, CA_U8);
    BYTE(part[0], 0) = 1;
    BYTE(part[1], 3) = 1;
    BYTE(part[2], 4) = 0xa5;
    ck_assert_str_eq(around(part, 0xa5), "before    expected  got (! wrong)\n"
                                         "1  0      0  0      0  0  \n"
                                         "0  0      0  1      0  0! \n"
                                         "0  0      0  0      ?! 0  \n");
}
END_TEST

/* Seven by seven around the cell, which at an edge is not in the middle. */
START_TEST(a_large_one_in_part)
{
    struct ca_lattice part[3];
    int lines = 0, signs = 0;

    parts_make(part, 40, 30, CA_U8);
    BYTE(part[2], 15 * 40 + 39) = 1;
    BYTE(part[2], 19 * 40 + 39) = 1; /* too far away */
    around(part, -1);
    for (const char *at = text; *at; at++) {
        lines += *at == '\n';
        signs += *at == '!';
    }
    ck_assert_int_eq(lines, 1 + 7);
    ck_assert_int_eq(signs, 1 + 1);
    ck_assert_ptr_nonnull(strstr(text, "0  0  0  0  0  0  1! \n"));
}
END_TEST

/* Long numbers leave fewer columns, and the wrong one is among them. */
START_TEST(long_numbers)
{
    struct ca_lattice part[3];

    parts_make(part, 9, 1, CA_F32);
    ((float *)part[1].plane[0])[5] = -1.25e-10f;
    ((float *)part[2].plane[0])[5] = -1.5e-10f;
    around(part, -1);
    ck_assert_contains(text, "-1.25e-10 ");
    ck_assert_contains(text, "-1.5e-10! ");
    ck_assert_uint_lt(strcspn(strchr(text, '\n') + 1, "\n"), 80);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_small_lattice_is_whole, a_large_one_in_part, long_numbers});
}
