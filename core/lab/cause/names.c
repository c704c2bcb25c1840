/* SPDX-License-Identifier: MIT */
/* Puts neighbours, and sets of them, in words. */
#include "core/lab/cause/cause.h"

#include <stdio.h>
#include <string.h>

#define LISTED_MAX 9

static char *cell_text(char text[CAUSE_NAME_MAX], const struct prober *prober, const int offset[3])
{
    size_t used = 0;

    for (int a = 0; a < prober->model->dimensions; a++) {
        used +=
            (size_t)snprintf(text + used, CAUSE_NAME_MAX - used, "%s%c", a ? ", " : "(", "xyz"[a]);
        if (offset[a])
            used += (size_t)snprintf(text + used, CAUSE_NAME_MAX - used, "%+d", offset[a]);
    }
    snprintf(text + used, CAUSE_NAME_MAX - used, ")");
    return text;
}

/* The name of the part of a cell that a channel is, "" where there is one channel. */
static void channel_text(char text[CAUSE_NAME_MAX], const struct prober *prober, int channel)
{
    text[0] = '\0';
    if (prober->model->planes > 1)
        snprintf(text, CAUSE_NAME_MAX, "%.32s of ",
                 prober->model->plane_names[channel / prober->bits]);
    else if (prober->bits > 1)
        snprintf(text, CAUSE_NAME_MAX, "bit %d of ", channel % prober->bits);
}

char *pair_text(char text[CAUSE_NAME_MAX], const struct prober *prober,
                const struct stencil_pair *pair)
{
    char cell[CAUSE_NAME_MAX];

    channel_text(text, prober, pair->channel);
    strncat(text, cell_text(cell, prober, pair->offset), CAUSE_NAME_MAX - strlen(text) - 1);
    return text;
}

static bool is_centre(const struct stencil_pair *pair)
{
    return pair->offset[0] == 0 && pair->offset[1] == 0 && pair->offset[2] == 0;
}

/* The axes along which a neighbour is away. */
static int away(const struct stencil_pair *pair)
{
    return (pair->offset[0] != 0) + (pair->offset[1] != 0) + (pair->offset[2] != 0);
}

/* Whether the set is exactly those of `all` that `test` accepts with this number, two at least. */
static bool is_just(const struct stencil *stencil, const uint8_t *set, const uint8_t *all,
                    bool (*test)(const struct stencil_pair *, int), int number)
{
    int count = 0;

    for (int i = 0; i < stencil->pairs; i++) {
        bool in = all[i] && test(&stencil->pair[i], number);

        if (in != (set[i] != 0))
            return false;
        count += in;
    }
    return count > 1;
}

static bool is_neighbour(const struct stencil_pair *pair, int number)
{
    (void)number;
    return !is_centre(pair);
}

static bool is_away(const struct stencil_pair *pair, int number) { return away(pair) == number; }

/* Number: axis + 3 * (coordinate + STENCIL_REACH_MAX). */
static bool is_adjacent(const struct stencil_pair *pair, int number)
{
    return pair->offset[number % 3] == number / 3 - STENCIL_REACH_MAX;
}

static bool group_text(char text[CAUSE_LIST_MAX], const struct prober *prober,
                       const struct stencil *stencil, const uint8_t *set, const uint8_t *all)
{
    int dimensions = prober->model->dimensions;

    if (is_just(stencil, set, all, is_neighbour, 0))
        return snprintf(text, CAUSE_LIST_MAX, "its neighbours") > 0;
    if (is_just(stencil, set, all, is_away, dimensions))
        return snprintf(text, CAUSE_LIST_MAX, "the %d corners of its neighbourhood",
                        1 << dimensions) > 0;
    if (dimensions == 3 && is_just(stencil, set, all, is_away, 2))
        return snprintf(text, CAUSE_LIST_MAX, "the 12 neighbours across its edges") > 0;
    for (int number = 0; number < 3 * (2 * STENCIL_REACH_MAX + 1); number++) {
        int offset = number / 3 - STENCIL_REACH_MAX;

        if (offset && is_just(stencil, set, all, is_adjacent, number))
            return snprintf(text, CAUSE_LIST_MAX, "any neighbour at %c%+d", "xyz"[number % 3],
                            offset) > 0;
    }
    return false;
}

char *pairs_text(char text[CAUSE_LIST_MAX], const struct prober *prober,
                 const struct stencil *stencil, const uint8_t *set, const uint8_t *all)
{
    int listed = 0, more = 0;
    size_t used = 0;

    if (all && group_text(text, prober, stencil, set, all))
        return text;
    text[0] = '\0';
    for (int i = 0; i < stencil->pairs; i++) {
        char name[CAUSE_NAME_MAX];

        if (!set[i])
            continue;
        pair_text(name, prober, &stencil->pair[i]);
        if (listed == LISTED_MAX || used + strlen(name) + 24 > CAUSE_LIST_MAX) {
            more++;
            continue;
        }
        used +=
            (size_t)snprintf(text + used, CAUSE_LIST_MAX - used, "%s%s", listed ? ", " : "", name);
        listed++;
    }
    if (more)
        snprintf(text + used, CAUSE_LIST_MAX - used, " and %d more", more);
    return text;
}
