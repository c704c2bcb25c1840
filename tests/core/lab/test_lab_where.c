/* SPDX-License-Identifier: MIT */
/* Where a set of wrong cells lies: what is found of sets that are made for it, and what it is
 * called and taken for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lab/cause/cause.h"
#include "tests/support/support.h"

#define SET(name, holds)                                                                           \
    static bool set_##name(int64_t x, int64_t y, int64_t z)                                        \
    {                                                                                              \
        (void)x, (void)y, (void)z;                                                                 \
        return holds;                                                                              \
    }

SET(none, false)
SET(every, true)
SET(even_rows, y % 2 == 0)
SET(odd_rows, y % 2 == 1)
SET(first_of_eight, x % 8 == 0)
SET(last_of_eight, x % 8 == 7)
SET(both_of_eight, x % 8 == 0 || x % 8 == 7)
SET(third_rows, y % 5 == 2)
SET(left, x == 0)
SET(edges, x == 0 || x == 39)
SET(frame, x == 0 || x == 39 || y == 0 || y == 23)
SET(corner, x == 39 && y == 23)
SET(corners, (x == 0 || x == 39) && (y == 0 || y == 23))
SET(tail, x >= 32)
SET(head, y < 5)
SET(layer, z == 3)
SET(edge_of_tiles, y % 4 == 3 && z % 4 == 1)
SET(tail_and_top, x >= 32 || y == 0)
SET(scattered, (x * 7919 + y * 104729 + x * y * 31) % 11 < 4)
SET(inside, x == 17)

static const struct {
    const char *name;
    bool (*holds)(int64_t x, int64_t y, int64_t z);
    struct ca_size size;
    const char *places;
} sets[] = {
    {"none", set_none, {40, 24, 1}, ""},
    {"every", set_every, {40, 24, 1}, "all cells"},
    {"even rows", set_even_rows, {40, 24, 1}, "y % 2 = 0"},
    {"odd rows", set_odd_rows, {40, 24, 1}, "y % 2 = 1"},
    {"first of eight", set_first_of_eight, {40, 24, 1}, "x % 8 = 0"},
    {"last of eight", set_last_of_eight, {40, 24, 1}, "x % 8 = 7"},
    {"both of eight", set_both_of_eight, {40, 24, 1}, "x % 8 = 0 | x % 8 = 7"},
    {"third rows", set_third_rows, {40, 24, 1}, "y % 5 = 2"},
    {"left", set_left, {40, 24, 1}, "x = 0"},
    {"edges", set_edges, {40, 24, 1}, "x = 0 | x = 39"},
    {"frame", set_frame, {40, 24, 1}, "x = 0 | x = 39 | y = 0 | y = 23"},
    {"corner", set_corner, {40, 24, 1}, "x = 39 and y = 23"},
    {"corners",
     set_corners,
     {40, 24, 1},
     "x = 0 and y = 0 | x = 0 and y = 23 | x = 39 and y = 0 | x = 39 and y = 23"},
    {"tail", set_tail, {40, 24, 1}, "x >= 32"},
    {"head", set_head, {40, 24, 1}, "y < 5"},
    {"layer", set_layer, {12, 10, 9}, "z = 3"},
    {"edge of tiles", set_edge_of_tiles, {10, 16, 12}, "y % 4 = 3 and z % 4 = 1"},
    {"tail and top", set_tail_and_top, {40, 24, 1}, "x >= 32 | y = 0"},
    {"scattered", set_scattered, {40, 24, 1}, "all cells"},
    {"inside", set_inside, {40, 24, 1}, "x = 17"},
};

START_TEST(sets_are_described)
{
    struct ca_size size = sets[_i].size;
    uint8_t *set = calloc((size_t)ca_cells(size), 1);
    static struct cause_place places[CAUSE_PLACES_MAX];
    char text[2000] = "", one[CAUSE_NAME_MAX];
    int count;

    for (int64_t i = 0; i < ca_cells(size); i++)
        set[i] = sets[_i].holds(i % size.w, i / size.w % size.h, i / size.w / size.h);
    count = places_find(places, set, size);
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " | " : "",
                 place_text(one, &places[i]));
    ck_assert_msg(strcmp(text, sets[_i].places) == 0, "%s: %s", sets[_i].name, text);
    free(set);
}
END_TEST

int main(void) { return RUN_TESTS(.table = {{sets_are_described, COUNT(sets)}}); }
