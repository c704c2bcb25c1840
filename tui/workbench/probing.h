/* SPDX-License-Identifier: MIT */
/*
 * The ceilings of the machine of the pane in focus, measured by the engine's request `probe` in an
 * engine of its own. It is shown as a list; closing the list ends it. Meanwhile the panes do
 * nothing; afterwards their shares are those of the new ceilings.
 */
#ifndef CALAB_TUI_WORKBENCH_PROBING_H
#define CALAB_TUI_WORKBENCH_PROBING_H

#include <poll.h>
#include <stdbool.h>

#include "core/engine/client.h"
#include "core/probe/probe.h"
#include "tui/workbench/dialog.h"

#define PROBING_ROWS 40

struct probing {
    enum { PROBING_CLOSED, PROBING_WAITS, PROBING_RUNS, PROBING_DONE } phase;
    bool goes_on;             /* the panes ran before, and will again */
    char host[CA_TEXT_MAX];   /* whose machine it is, "": this one */
    struct ca_client *client; /* NULL: none */
    struct ca_request request;
    int done;               /* figures */
    char what[192];         /* is measured now */
    char why[CA_TEXT_MAX];  /* there are no ceilings, "": there are, once it is done */
    char kept[CA_TEXT_MAX]; /* where they are kept, or why not */
    struct ca_probe probe;
};

extern const struct list_source probing_source;

void probing_open(struct workbench *wb); /* the request of the key */
void probing_end(struct workbench *wb);
bool probing_measures(const struct workbench *wb); /* then nothing else may run */
void probing_tick(struct workbench *wb);
#define PROBING_FDS 2
int probing_poll(const struct workbench *wb, struct pollfd fds[PROBING_FDS]);
void probing_serve(struct workbench *wb);

#endif
