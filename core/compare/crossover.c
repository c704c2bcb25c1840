/* SPDX-License-Identifier: MIT */
/* This file lists the lengths and sizes at which two kernels are compared, and finds where the
 * winner changes. */
#include "core/compare/crossover.h"

#include <stdio.h>

#include "core/base/quantity.h"
#include "core/base/text.h"

#define STEP 4 /* from one length to the next */

static void crossover_add(struct ca_crossover *crossover, struct ca_size size, uint64_t generations)
{
    crossover->row[crossover->count++] =
        (struct ca_crossover_row){.size = size, .generations = generations};
}

/* Half of the longest side, the last of several; false: it is odd. */
static bool halve(struct ca_size *size, int dimensions)
{
    int64_t *side[] = {&size->w, &size->h, &size->d};
    int at = 0;

    for (int i = 1; i < 3 && i < dimensions; i++)
        at = *side[i] >= *side[at] ? i : at;
    if (*side[at] % 2)
        return false;
    *side[at] /= 2;
    return true;
}

/* Twice the shortest side, the last of several; false: it would be too long. */
static bool twice(struct ca_size *size, int dimensions)
{
    int64_t *side[] = {&size->w, &size->h, &size->d};
    struct ca_error ignored;
    int at = 0;

    for (int i = 1; i < 3 && i < dimensions; i++)
        at = *side[i] <= *side[at] ? i : at;
    *side[at] *= 2;
    return ca_size_check(*size, dimensions, "size", &ignored) == CA_OK;
}

void ca_crossover_plan(struct ca_crossover *crossover, struct ca_size size, int dimensions,
                       uint64_t call)
{
    struct ca_size half = size, quarter, most = size;

    *crossover = (struct ca_crossover){.dimensions = dimensions};
    for (uint64_t n = 1; n <= CA_CROSSOVER_LONGEST; n *= STEP)
        crossover_add(crossover, size, n);
    if (call > CA_CROSSOVER_LONGEST)
        crossover_add(crossover, size, call);
    crossover->lengths = crossover->count;
    if (halve(&half, dimensions)) {
        quarter = half;
        if (halve(&quarter, dimensions))
            crossover_add(crossover, quarter, 0);
        crossover_add(crossover, half, 0);
    }
    crossover_add(crossover, size, 0);
    for (int i = 0; i < 2 && twice(&most, dimensions); i++)
        crossover_add(crossover, most, 0);
}

char *ca_crossover_label(char text[64], const struct ca_crossover *crossover, int row)
{
    const struct ca_crossover_row *r = &crossover->row[row];
    char number[CA_QUANTITY_TEXT];

    if (row >= crossover->lengths)
        return ca_size_format(text, r->size, crossover->dimensions);
    snprintf(text, 64, "%s generation%s", ca_thousands(number, r->generations),
             r->generations == 1 ? "" : "s");
    return text;
}

/* --- the winner ------------------------------------------------------------------------------- */

/* 'A', 'B', '=' for the same, 0: unknown. */
static char winner(const struct ca_crossover_row *row)
{
    return row->result.pairs == 0 || row->result.unsure ? 0
           : row->result.same                           ? '='
           : row->result.median > 1                     ? 'A'
                                                        : 'B';
}

/* The next row from `at` on, before `end`, that one of both wins; `end`: none. */
static int next_won(const struct ca_crossover *crossover, int at, int end)
{
    while (at < end && (!winner(&crossover->row[at]) || winner(&crossover->row[at]) == '='))
        at++;
    return at;
}

/* Writes where the winner changes, from one run of rows to the next. */
static void changes(char *text, size_t size, const struct ca_crossover *crossover, int first,
                    int end)
{
    const char *unit = end == crossover->lengths ? " a call" : "";
    char label[64];

    for (int at = first, last, next; at < end; at = next) {
        char who = winner(&crossover->row[at]);

        for (last = at, next = next_won(crossover, at + 1, end);
             next < end && winner(&crossover->row[next]) == who;
             next = next_won(crossover, next + 1, end))
            last = next;
        ca_crossover_label(label, crossover, at == first ? last : at);
        if (at == first)
            snprintf(text, size, "%c is faster up to %s%s", who, label, unit);
        else
            ca_text_add(text, size, ", %c from %s on", who, label);
    }
}

char *ca_crossover_sentence(char *text, size_t size, const struct ca_crossover *crossover,
                            bool by_size)
{
    int begin = by_size ? crossover->lengths : 0,
        end = by_size ? crossover->count : crossover->lengths;
    int first = next_won(crossover, begin, end), known = 0, same = 0;
    char each[32];
    bool one = true;

    for (int i = begin; i < end; i++) {
        char who = winner(&crossover->row[i]);

        known += who != 0;
        same += who == '=';
        one = one && (who == 0 || who == '=' || who == winner(&crossover->row[first]));
    }
    text[0] = '\0';
    if (known == 0)
        return text;
    snprintf(each, sizeof each, "each %s%s", by_size ? "size" : "length",
             known < end - begin ? " measured" : "");
    if (same == known)
        snprintf(text, size, "A and B are the same at %s", each);
    else if (one)
        snprintf(text, size, "%c is faster%s at %s", winner(&crossover->row[first]),
                 same ? " or the same" : "", each);
    else
        changes(text, size, crossover, first, end);
    return text;
}
