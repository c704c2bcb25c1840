/* SPDX-License-Identifier: MIT */
/*
 * A and B of a split by length of call and by size, measured in engines of their own, so that the
 * panes' states stay as they are and an engine that ends costs one row. It is shown as a list;
 * closing the list ends it. At most one engine computes at a time, and the panes do nothing.
 */
#ifndef CALAB_TUI_WORKBENCH_CROSSING_H
#define CALAB_TUI_WORKBENCH_CROSSING_H

#include <poll.h>

#include "core/bench/crossing.h"
#include "core/engine/client.h"
#include "core/sim/experiment.h"
#include "tui/workbench/dialog.h"

enum crossing_phase {
    CROSSING_CLOSED,
    CROSSING_WAITS, /* until both panes are idle */
    CROSSING_MEASURES,
    CROSSING_DONE,
    CROSSING_STOPPED, /* by the user */
};

struct crossing {
    enum crossing_phase phase;
    struct ca_crossing table;
    int row;                            /* that is measured */
    struct ca_experiment experiment[2]; /* of the panes, at the present row's size */
    struct ca_client *client[2];        /* NULL: not started */
    bool open[2];                       /* at that size */
    int side;
    bool asked; /* a reply is due from `side` */
    struct ca_request request[2];
    int probes;    /* sides whose single generation has been timed */
    double slower; /* seconds that a generation takes the slower side; 0: unknown */
    struct ca_ratio ratio;
};

extern const struct list_source crossing_source;

/* The request of the key. */
void crossing_open(struct workbench *wb);
void crossing_end(struct workbench *wb);
bool crossing_measures(const struct workbench *wb); /* then nothing else may run */
/* Does what is due. */
void crossing_tick(struct workbench *wb);
#define CROSSING_FDS 4
int crossing_poll(const struct workbench *wb, struct pollfd fds[CROSSING_FDS]);
void crossing_serve(struct workbench *wb);

#endif
