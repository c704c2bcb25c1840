/* SPDX-License-Identifier: MIT */
/* This file pairs the lines of two saved benchmarks that are compared with each other. */
#include <stdio.h>
#include <string.h>

#include "tui/commands/compare.h"

/* Whether two lines are the same run on the same backend. */
static bool same_line(const json_t *a, const json_t *b)
{
    return compare_same_work(a, b) &&
           json_equal(json_object_get(json_object_get(a, "experiment"), "backend"),
                      json_object_get(json_object_get(b, "experiment"), "backend")) &&
           json_integer_value(json_object_get(a, "threads")) ==
               json_integer_value(json_object_get(b, "threads"));
}

static const json_t *option_of(const json_t *line, const char *name)
{
    return json_object_get(json_object_get(json_object_get(line, "experiment"), "options"), name);
}

/* The slabs that a line's options ask for; 0: one for each GPU of its machine. */
static json_int_t ranks_of(const json_t *line)
{
    const char *list = json_string_value(option_of(line, "devices"));
    json_int_t ranks = json_integer_value(option_of(line, "ranks"));

    if (ranks > 0 || (list && strcmp(list, "all") == 0))
        return ranks;
    for (ranks = 1; list && (list = strchr(list, ',')) != NULL; list++)
        ranks++;
    return ranks;
}

bool compare_same_ranks(const json_t *a, const json_t *b) { return ranks_of(a) == ranks_of(b); }

/* How alike two lines are to be cut. */
enum likeness { SAME_CUT, SAME_RANKS, ANY_CUT };

static bool cut_alike(const json_t *a, const json_t *b, enum likeness likeness)
{
    const json_t *p = option_of(a, "devices"), *q = option_of(b, "devices");

    return likeness == ANY_CUT ||
           (compare_same_ranks(a, b) && (likeness == SAME_RANKS || p == q || json_equal(p, q)));
}

/* The first such line of a file, and how many there are. */
static const json_t *first_alike(const struct compare_side *side, const json_t *line,
                                 enum likeness likeness, int *count)
{
    const json_t *found = NULL;

    *count = 0;
    for (size_t i = 0; i < json_array_size(side->lines); i++) {
        const json_t *other = json_array_get(side->lines, i);

        if (!same_line(other, line) || !cut_alike(other, line, likeness))
            continue;
        found = found ? found : other;
        (*count)++;
    }
    return found;
}

const json_t *compare_find(const struct compare_side *side, const json_t *line,
                           const struct compare_side *own)
{
    for (enum likeness likeness = SAME_CUT; likeness <= ANY_CUT; likeness++) {
        int there, here;
        const json_t *found = first_alike(side, line, likeness, &there);

        first_alike(own, line, likeness, &here);
        if (found && (likeness == SAME_CUT || (there == 1 && here == 1)))
            return found;
    }
    return NULL;
}

char *compare_cut(char text[128], const json_t *line)
{
    const char *list = json_string_value(option_of(line, "devices"));
    json_int_t ranks = json_integer_value(option_of(line, "ranks"));
    int used = 0;

    text[0] = '\0';
    if (ranks > 0)
        used = snprintf(text, 128, "  ranks=%d", (int)ranks);
    if (list && list[0])
        snprintf(text + used, 128 - (size_t)used, "  devices=%.80s", list);
    return text;
}
