/* SPDX-License-Identifier: MIT */
/*
 * One direction of a line that is slow: what goes in comes out later, at most so many bytes a
 * second. It is a queue with times; whoever owns it waits for them.
 */
#ifndef CALAB_TESTS_SLOW_LINE_H
#define CALAB_TESTS_SLOW_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct slow_line {
    double delay_s;
    double bytes_per_s; /* 0: as many as come */
    size_t ahead_bytes; /* that it takes before they can be sent, as a network's buffers do */
    double free_s;      /* when all that it has taken is sent */
    struct slow_part *first, *last;
};

/* Whether it takes bytes at a time, and if not, when it will. */
bool slow_line_takes(const struct slow_line *line, double now, double *when);
void slow_line_put(struct slow_line *line, double now, const char *bytes, size_t count);
/* When the next bytes come out; INFINITY for never. */
double slow_line_due(const struct slow_line *line);
/* Those that have come out, at most `size`. */
size_t slow_line_get(struct slow_line *line, double now, char *bytes, size_t size);
void slow_line_free(struct slow_line *line);

#endif
