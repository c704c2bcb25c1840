/* SPDX-License-Identifier: MIT */
/* The times that an engine has sent, and what its backend was able to before. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_FIGURES_H
#define CALAB_TUI_WORKBENCH_ENGINE_FIGURES_H

#include "core/base/quantity.h"
#include "core/engine/wire.h"
#include "tui/workbench/base/part.h"

extern const struct part figures_part;

const struct ca_wire_timing *figures_timing(const struct pane *pane);
void figures_take(struct pane *pane, const struct ca_wire_timing *timing);
/* They begin anew; those of another backend, of which a line is kept for those before. */
void figures_begin(struct pane *pane);
void figures_renew(struct pane *pane, const char *backend);

/* The rate of figures, or that it is no speed. Returns text. */
char *timing_rate(char text[CA_QUANTITY_TEXT], const struct ca_wire_timing *timing,
                  const struct ca_timing_figures *figures);
/* Keeps the rate that a backend reached, "" where nothing was timed: the panel's line `before` once
 * another runs. */
void timing_before(const struct ca_wire_timing *timing, const char *backend, char *text,
                   size_t size);
/* Writes the rate that a backend reaches or reached, with a word before it. */
void figures_able(const struct ca_wire_timing *timing, const struct ca_timing_figures *able,
                  const char *what, char *text, size_t size);

#endif
