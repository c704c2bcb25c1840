/* SPDX-License-Identifier: MIT */
/* Hints in a line: whole ones alone, by weight, as many as there is room for. */
#include <string.h>

#include "tests/support/support.h"
#include "tui/keys.h"
#include "tui/workbench/terminal/hints.h"

/* The line as text: the keys of the hints that it has, in the order of their columns. */
static char *line_of(const struct hints *hints)
{
    static char text[256];

    text[0] = 0;
    for (int i = 0; i < hints->count; i++)
        if (hints->hint[i].column >= 0)
            strcat(text, hints->hint[i].key);
    return text;
}

static struct hints three(int columns)
{
    struct hints hints = {.count = 0};

    hints_add(&hints, 20, "b", "long words", 'b'); /* 12 columns */
    hints_add(&hints, 10, "a", "run", 'a');        /* 5 */
    hints_add(&hints, 20, "c", "q", 'c');          /* 3 */
    hints_fit(&hints, columns);
    return hints;
}

START_TEST(the_least_weight_comes_first)
{
    const struct hints hints = three(80);

    ck_assert_str_eq(line_of(&hints), "abc");
    ck_assert_int_eq(hints.hint[0].column, 1);
    ck_assert_int_eq(hints.hint[1].column, 1 + 5 + HINTS_GAP);
    ck_assert_int_eq(hints.hint[2].column, 1 + 5 + HINTS_GAP + 12 + HINTS_GAP);
}
END_TEST

/* A long one that has no room leaves it to a shorter one behind it. */
static const struct {
    int columns;
    const char *line;
} widths[] = {{25, "abc"}, {24, "ab"}, {20, "ab"}, {19, "ac"}, {11, "ac"}, {10, "a"},
              {6, "a"},    {5, "c"},   {4, "c"},   {3, ""},    {0, ""}};

START_TEST(whole_ones_alone)
{
    const struct hints hints = three(widths[_i].columns);

    ck_assert_str_eq(line_of(&hints), widths[_i].line);
}
END_TEST

START_TEST(a_column_has_its_hint)
{
    const struct hints hints = three(11);

    ck_assert_ptr_null(hints_at(&hints, 0));
    ck_assert_int_eq(hints_at(&hints, 1)->code, 'a');
    ck_assert_int_eq(hints_at(&hints, 5)->code, 'a');
    ck_assert_ptr_null(hints_at(&hints, 6));
    ck_assert_int_eq(hints_at(&hints, 8)->code, 'c');
    ck_assert_int_eq(hints_at(&hints, 10)->code, 'c');
    ck_assert_ptr_null(hints_at(&hints, 11));
}
END_TEST

START_TEST(too_many_are_left_out)
{
    struct hints hints = {.count = 0};

    for (int i = 0; i < HINTS_MAX + 3; i++)
        hints_add(&hints, -i, "a", "b", i);
    ck_assert_int_eq(hints.count, HINTS_MAX);
    ck_assert_int_eq(hints.hint[0].code, HINTS_MAX - 1);
    hints_fit(&hints, 1000);
    ck_assert_ptr_null(hints_at(&hints, 999));
}
END_TEST

/* No scene of the table has more hints than a line takes. */
START_TEST(every_scene_has_few_enough)
{
    for (unsigned scene = SCENE_LATTICE; scene <= SCENE_LIST; scene *= 2) {
        int count = 0;

        for (const struct key_row *row = keys_table; row->name; row++)
            count += keys_hint(row, scene) != NULL;
        ck_assert_int_gt(count, 4);
        ck_assert_int_le(count, HINTS_MAX);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {the_least_weight_comes_first, a_column_has_its_hint,
                              too_many_are_left_out, every_scene_has_few_enough},
                     .table = {{whole_ones_alone, COUNT(widths)}});
}
