/* SPDX-License-Identifier: MIT */
/* The lattice panel: the last frame, its title, its legend, the cursor. */
#ifndef CALAB_TUI_WORKBENCH_PANELS_LATTICE_H
#define CALAB_TUI_WORKBENCH_PANELS_LATTICE_H

#include <stddef.h>

#include "tui/workbench/engine/pane.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/picture.h"

extern const struct part lattice_panel;

void lattice_draw(struct pane *pane, struct rect inner);
/* Which slice a view is of: "XZ y=7/63". */
void lattice_slice(const struct pane *pane, const struct ca_view *view, char *text, size_t size);
/* How large a cell is drawn, or how many cells a character stands for: "2x4". */
void lattice_scale(const struct pane *pane, const struct ca_view *view, int magnify, char *text,
                   size_t size);
/* The last frame as it is drawn. */
struct picture lattice_picture(const struct pane *pane); /* once its frame is known */
/* The cell under the cursor in a picture of a view, of which (x, y) is that cell. */
void lattice_cursor(const struct pane *pane, const struct picture *picture,
                    const struct ca_view *view, struct rect area, int64_t x, int64_t y);
/* The legend alone, where the panel has no row for it. */
void lattice_legend(const struct pane *pane, struct rect line);
void lattice_heading(const struct pane *pane, char *text, int size);
void lattice_footer(const struct pane *pane, char *text, int size);

#endif
