/* SPDX-License-Identifier: MIT */
/* The last frame of an engine, as received. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_FRAME_H
#define CALAB_TUI_WORKBENCH_ENGINE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sim/view.h"

struct pane;

struct frame {
    bool known;
    struct ca_frame picture; /* its codes and levels point into bytes */
    struct ca_frame beside;  /* a second slice; view.columns = 0: there is none */
    uint8_t *bytes;          /* all codes, then all levels, of one after the other */
    size_t capacity;
};

const struct frame *frame_of(const struct pane *pane);
void frame_forget(struct pane *pane); /* of a run that has ended */
/* A received frame is acknowledged once it is drawn; whether that is due. */
bool frame_is_due(const struct pane *pane);
void frame_acknowledge(struct pane *pane);
/* Shows the frame that has come with a call in lock step. */
void frame_show(struct pane *pane);

#endif
