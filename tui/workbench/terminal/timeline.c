/* SPDX-License-Identifier: MIT */
/* The values of a run are kept in few points. */
#include "tui/workbench/terminal/timeline.h"

#include <math.h>
#include <string.h>

static struct timeline_span merged(struct timeline_span a, struct timeline_span b)
{
    if (a.count == 0 || b.count == 0)
        return a.count ? a : b;
    return (struct timeline_span){fmin(a.min, b.min), fmax(a.max, b.max), a.sum + b.sum,
                                  a.count + b.count};
}

static void merge(struct timeline_point *to, const struct timeline_point *from)
{
    if (!from->known)
        return;
    if (!to->known) {
        *to = *from;
        return;
    }
    to->last = from->last;
    for (int i = 0; i < CA_OBSERVABLES_MAX; i++)
        to->value[i] = merged(to->value[i], from->value[i]);
}

/* Merges the points in pairs. */
static void coarsen(struct timeline *t)
{
    for (int i = 0; i < TIMELINE_POINTS; i++) {
        struct timeline_point point = t->point[i];

        memset(&t->point[i], 0, sizeof point);
        merge(&t->point[i / 2], &point);
    }
    t->points = (t->points + 1) / 2;
    t->stride *= 2;
}

uint64_t timeline_last(const struct timeline *t)
{
    return t->points > 0 ? t->point[t->points - 1].last : t->base;
}

void timeline_rewind(struct timeline *t, uint64_t generation)
{
    while (t->points > 0 &&
           (!t->point[t->points - 1].known || t->point[t->points - 1].last > generation))
        memset(&t->point[--t->points], 0, sizeof *t->point);
}

void timeline_add(struct timeline *t, uint64_t generation, const double value[], int values)
{
    struct timeline_point seen = {.first = generation, .last = generation, .known = true};
    uint64_t at;

    timeline_rewind(t, generation);
    if (t->points == 0) {
        t->base = generation;
        t->stride = 1;
    } else if (timeline_last(t) == generation &&
               memcmp(t->latest, value, (size_t)values * sizeof *value) == 0) {
        return;
    }
    memcpy(t->latest, value, (size_t)values * sizeof *value);
    for (int i = 0; i < values; i++)
        if (isfinite(value[i]))
            seen.value[i] = (struct timeline_span){value[i], value[i], value[i], 1};
    while ((at = (generation - t->base) / t->stride) >= TIMELINE_POINTS)
        coarsen(t);
    merge(&t->point[at], &seen);
    t->points = (int)at + 1;
}

struct timeline_span timeline_span(const struct timeline *t, int value, int from, int to)
{
    struct timeline_span span = {0};

    for (int i = from; i < to; i++)
        span = merged(span, t->point[i].value[value]);
    return span;
}

struct timeline_span timeline_column(const struct timeline *t, int value, int column, int columns)
{
    int from = (int)((int64_t)column * t->points / columns);
    int to = (int)((int64_t)(column + 1) * t->points / columns);

    return timeline_span(t, value, from, to > from || t->points == 0 ? to : from + 1);
}
