/* SPDX-License-Identifier: MIT */
/* Values over time: timelines of whole runs, histories of the last values, both as a line of text,
 * and bars. */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_TIMELINE_H
#define CALAB_TUI_WORKBENCH_TERMINAL_TIMELINE_H

#include "core/model/model.h"
#include "tui/workbench/terminal/draw.h"

/*
 * Timeline: several values over all generations of a run, in a bounded number of points. A point
 * stands for `stride` generations, a power of two, from `base` on: where the run gets longer than
 * the points, pairs are merged and the stride is doubled. Each value keeps its least, its greatest
 * and the sum of what was observed, so that no peak is lost. Pure arithmetic, without curses.
 */
#define TIMELINE_POINTS 512 /* even */

struct timeline_span {
    double min, max, sum;
    uint64_t count; /* of finite values, 0: none, and the others are 0 */
};

struct timeline_point {
    uint64_t first, last; /* generations that were observed */
    bool known;           /* whether any was */
    struct timeline_span value[CA_OBSERVABLES_MAX];
};

/* All zeros: nothing has been observed. */
struct timeline {
    uint64_t base, stride; /* the first generation; generations of a point */
    int points;            /* up to the last known one */
    double latest[CA_OBSERVABLES_MAX];
    struct timeline_point point[TIMELINE_POINTS];
};

/* Adds the values at a generation. What was observed later is forgotten first (timeline_rewind).
 * The values of the last generation are not added twice, but others are, as after an edit. */
void timeline_add(struct timeline *timeline, uint64_t generation, const double value[], int values);
/* Forgets what was observed after a generation. A point that also stands for later ones is
 * forgotten as a whole, since its values cannot be told apart. */
void timeline_rewind(struct timeline *timeline, uint64_t generation);
/* A value over the points from `from` to before `to`; count 0 where none was observed. */
struct timeline_span timeline_span(const struct timeline *timeline, int value, int from, int to);
/* The same over column `column` of `columns` into which all points are divided. */
struct timeline_span timeline_column(const struct timeline *timeline, int value, int column,
                                     int columns);
/* The last generation observed; the base where there is none. */
uint64_t timeline_last(const struct timeline *timeline);

static inline double timeline_mean(struct timeline_span span)
{
    return span.sum / (double)span.count;
}

#define HISTORY 256

struct history {
    double value[HISTORY];
    int count, next;
};

void history_add(struct history *history, double value);
/* The last `width` values as text of at most that many characters. */
void sparkline(const struct palette *palette, const struct history *history, int width, char *text,
               int size);
/* A value over the whole run as text of `width` characters: means of equally many generations. */
void sparkline_run(const struct palette *palette, const struct timeline *timeline, int value,
                   int width, char *text, int size);
/* A bar over `width` columns, to an eighth of a column in UTF-8; what is not 0 is seen. */
void bar(const struct palette *palette, char *text, size_t size, double part, int width);

#endif
