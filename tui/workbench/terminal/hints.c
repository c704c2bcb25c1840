/* SPDX-License-Identifier: MIT */
/* This file fits hints into a line. */
#include "tui/workbench/terminal/hints.h"

#include <stdio.h>
#include <string.h>

#include "tui/wrapped.h"

#define MARGIN 1 /* columns before the first */

static int hint_width(const struct hint *hint)
{
    return wrapped_columns_of(hint->key, strlen(hint->key)) + 1 +
           wrapped_columns_of(hint->text, strlen(hint->text));
}

void hints_add(struct hints *hints, int weight, const char *key, const char *text, int code)
{
    int at = hints->count;

    if (hints->count == HINTS_MAX)
        return;
    for (; at > 0 && hints->hint[at - 1].weight > weight; at--)
        hints->hint[at] = hints->hint[at - 1];
    hints->hint[at] = (struct hint){.text = text, .weight = weight, .code = code, .column = -1};
    snprintf(hints->hint[at].key, sizeof hints->hint[at].key, "%s", key);
    hints->count++;
}

void hints_fit(struct hints *hints, int columns)
{
    int column = MARGIN;

    for (struct hint *hint = hints->hint; hint < hints->hint + hints->count; hint++) {
        int width = hint_width(hint);

        hint->column = column + width <= columns ? column : -1;
        if (hint->column >= 0)
            column += width + HINTS_GAP;
    }
}

const struct hint *hints_at(const struct hints *hints, int column)
{
    for (const struct hint *hint = hints->hint; hint < hints->hint + hints->count; hint++)
        if (hint->column >= 0 && column >= hint->column && column < hint->column + hint_width(hint))
            return hint;
    return NULL;
}
