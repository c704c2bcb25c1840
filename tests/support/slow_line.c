/* SPDX-License-Identifier: MIT */
/* Owns the bytes that are on their way. */
#include "tests/support/slow_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PART_BYTES 512 /* which come out together, as a packet does */

struct slow_part {
    struct slow_part *next;
    double due_s;
    size_t count;
    char bytes[PART_BYTES];
};

bool slow_line_takes(const struct slow_line *line, double now, double *when)
{
    *when = line->bytes_per_s > 0 ? line->free_s - (double)line->ahead_bytes / line->bytes_per_s
                                  : -INFINITY;
    return *when <= now;
}

void slow_line_put(struct slow_line *line, double now, const char *bytes, size_t count)
{
    while (count > 0) {
        struct slow_part *part = calloc(1, sizeof *part);

        if (!part)
            abort();
        part->count = count < PART_BYTES ? count : PART_BYTES;
        memcpy(part->bytes, bytes, part->count);
        line->free_s = fmax(line->free_s, now);
        if (line->bytes_per_s > 0)
            line->free_s += (double)part->count / line->bytes_per_s;
        part->due_s = line->free_s + line->delay_s;
        if (line->last)
            line->last->next = part;
        else
            line->first = part;
        line->last = part;
        bytes += part->count;
        count -= part->count;
    }
}

double slow_line_due(const struct slow_line *line)
{
    return line->first ? line->first->due_s : INFINITY;
}

size_t slow_line_get(struct slow_line *line, double now, char *bytes, size_t size)
{
    size_t got = 0;

    while (line->first && line->first->due_s <= now && got + line->first->count <= size) {
        struct slow_part *part = line->first;

        memcpy(bytes + got, part->bytes, part->count);
        got += part->count;
        line->first = part->next;
        free(part);
    }
    if (!line->first)
        line->last = NULL;
    return got;
}

void slow_line_free(struct slow_line *line)
{
    while (line->first) {
        struct slow_part *part = line->first;

        line->first = part->next;
        free(part);
    }
    line->last = NULL;
}
