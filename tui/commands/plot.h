/* SPDX-License-Identifier: MIT */
/* Pictures that gnuplot draws: what kinds of files it can write, and its scripts. */
#ifndef CALAB_TUI_PLOT_H
#define CALAB_TUI_PLOT_H

#include <stdio.h>

#include "core/base/error.h"

/* Whether a picture can be written: CA_USAGE for a wrong ending, CA_IO, CA_NO_DEVICE without
 * gnuplot. */
enum ca_status plot_check(const char *path, struct ca_error *error);
/* Writes the part of a script that follows the terminal and the title. */
typedef void plot_script(FILE *out, const void *context);
/* CA_IO if gnuplot fails; then the file is left as it was. */
enum ca_status plot_draw(const char *path, const char *title, plot_script *script,
                         const void *context, struct ca_error *error);
/* Any text as a string of gnuplot's. */
void plot_text(FILE *out, const char *text);

#endif
