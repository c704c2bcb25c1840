/* SPDX-License-Identifier: MIT */
/* Short histories of values, and values in one line of text. */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_SPARKLINE_H
#define CALAB_TUI_WORKBENCH_TERMINAL_SPARKLINE_H

#include <stdbool.h>

#include "tui/workbench/terminal/timeline.h"

struct palette;

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
