/* SPDX-License-Identifier: MIT */
/* The state of the comparison by length and size, for crossover.c alone. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_CROSSOVER_INSIDE_H
#define CALAB_TUI_WORKBENCH_LISTS_CROSSOVER_INSIDE_H

#include "core/compare/crossover.h"
#include "core/engine/client.h"
#include "tui/workbench/lists/lists.h"

enum crossover_phase {
    CROSSOVER_CLOSED,
    CROSSOVER_WAITS, /* until both panes are idle */
    CROSSOVER_MEASURES,
    CROSSOVER_DONE,
    CROSSOVER_STOPPED, /* by the user */
};

struct crossover {
    enum crossover_phase phase;
    struct ca_crossover table;
    int row;                            /* that is measured */
    struct ca_experiment experiment[2]; /* of the panes, at the present row's size */
    struct ca_client *client[2];        /* NULL: not started */
    bool open[2];                       /* at that size */
    int side;
    bool asked; /* a reply is due from `side` */
    struct ca_request request[2];
    const json_t *answer; /* to the burst that has ended */
    double slower;        /* seconds that a generation takes the slower side; 0: unknown */
    struct ca_ratio ratio;
    bool plotted;
    int at; /* the row under the cursor of the plots */
};

struct crossover *crossover_of(const struct workbench *wb);
extern const struct list_source crossover_source;

#endif
