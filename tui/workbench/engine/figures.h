/* SPDX-License-Identifier: MIT */
/* The times that an engine has sent, and what its backend was able to before. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_FIGURES_H
#define CALAB_TUI_WORKBENCH_ENGINE_FIGURES_H

#include "core/base/quantity.h"
#include "core/engine/wire.h"
#include "tui/workbench/terminal/sparkline.h"

struct figures {
    struct ca_wire_timing timing;
    uint64_t asked;        /* generations of a call of the last burst that was asked for, 0: none */
    char before[160];      /* what the backend before was able to, "" */
    struct history step_s; /* device time per generation between two frames */
};

/* The rate of figures, or that it is no speed. Returns text. */
char *timing_rate(char text[CA_QUANTITY_TEXT], const struct ca_wire_timing *timing,
                  const struct ca_timing_figures *figures);
/* What a backend was able to, "" where nothing was timed: the panel's line `before` once another
 * runs. */
void timing_before(const struct ca_wire_timing *timing, const char *backend, char *text,
                   size_t size);
/* What a backend is able to or was, with a word before it. */
void figures_able(const struct ca_wire_timing *timing, const struct ca_timing_figures *able,
                  const char *what, char *text, size_t size);

#endif
