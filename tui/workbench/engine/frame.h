/* SPDX-License-Identifier: MIT */
/* What an engine has sent by itself: its last frame, its times, its observables. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_FRAME_H
#define CALAB_TUI_WORKBENCH_ENGINE_FRAME_H

#include "core/base/quantity.h"
#include "core/engine/wire.h"
#include "tui/workbench/base/part.h"

struct frame {
    bool known;
    unsigned number;         /* of frames that have been taken */
    struct ca_frame picture; /* its codes and levels point into bytes */
    struct ca_frame beside;  /* a second slice; view.columns = 0: there is none */
    uint8_t *bytes;          /* all codes, then all levels, of one after the other */
    uint8_t *spare;          /* for the next frame, those of the one before until then */
    size_t bytes_reserved, spare_bytes;
};

const struct frame *frame_of(const struct pane *pane);
/* A received frame is acknowledged once it is drawn; whether that is due. */
bool frame_is_due(const struct pane *pane);
void frame_acknowledge(struct pane *pane);
/* Shows the frame that has come with a call in lock step. */
void frame_show(struct pane *pane);

/* Forgets the observables; goes_on: but for the history up to the present generation. */
void observed_begin(struct pane *pane, bool goes_on);
/* The run is at an earlier generation again: the history ends there; or, with `anew`, begins. */
void observed_rewind(struct pane *pane, bool anew);
void observed_take(struct pane *pane, const struct ca_wire_frame *wire);
/* Whether something that is conserved was not. */
bool observed_is_broken(const struct pane *pane);

/* The times, and what its backend was able to before. */
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
