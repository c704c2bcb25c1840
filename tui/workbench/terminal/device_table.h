/* SPDX-License-Identifier: MIT */
/* Several GPUs as lines of text, for the device panel: a row each, and their sums. */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_DEVICE_TABLE_H
#define CALAB_TUI_WORKBENCH_TERMINAL_DEVICE_TABLE_H

#include "core/machine/device.h"

#define DEVICE_LINE 256

/*
 * Writes at most `rows` lines of at most `columns` characters and returns how many: the names if
 * there is room, a line for each GPU with as many figures as the width holds, "+2 more" in place of
 * those without a line, and the sums with `joules`, those of 10^9 updates. Columns in which nothing
 * is known are left out, single unknown figures are "-". `line` has room for `rows` lines.
 */
int device_table(const struct ca_device device[], int count, struct ca_fact joules, int rows,
                 int columns, char line[][DEVICE_LINE]);

#endif
