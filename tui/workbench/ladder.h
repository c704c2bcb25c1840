/* SPDX-License-Identifier: MIT */
/*
 * The ladder of A's experiment, timed and checked, and its model's backends against the reference:
 * the engine's requests `bench` and `verify` in an engine of their own. A kernel that crashes there
 * costs its row, and the others begin again in another engine. It is shown as a list; closing the
 * list ends it. Meanwhile the panes do nothing.
 */
#ifndef CALAB_TUI_WORKBENCH_LADDER_H
#define CALAB_TUI_WORKBENCH_LADDER_H

#include <jansson.h>
#include <poll.h>

#include "core/engine/client.h"
#include "core/sim/experiment.h"
#include "tui/workbench/dialog.h"

#define CRASHES_MAX 16

enum ladder_phase {
    LADDER_CLOSED,
    LADDER_WAITS, /* until the panes are idle */
    LADDER_RUNS,
    LADDER_STOPS, /* it has been asked to */
    LADDER_DONE,
};

struct ladder {
    enum ladder_phase phase;
    bool verify;  /* of the two */
    bool in_lab;  /* its rows are in the list of the lab */
    bool goes_on; /* the panes ran before, and will again */
    struct ca_experiment experiment;
    struct ca_client *client; /* NULL: none */
    struct ca_request request;
    json_t *rows;          /* as last told: lines of `bench` or results of `verify`, or NULL */
    json_t *report;        /* what `calab bench --json` prints, NULL: not yet */
    char at[64], what[64]; /* the backend at work */
    double left_s;
    int done, cases;
    bool stopped;
    struct ladder_crash {
        char backend[64], why[CA_TEXT_MAX];
    } crash[CRASHES_MAX];
    int crashes;
    char why[CA_TEXT_MAX];  /* it cannot go on, "" */
    char only[CA_TEXT_MAX]; /* these backends, with commas; "": all */
    char filter[40];        /* only backends whose names have this in them are shown */
    bool by_rate, absent;   /* how it is shown: sorted by rate; with what cannot run */
};

extern const struct list_source ladder_source, verify_source;

/* The requests of the keys. */
void ladder_open(struct workbench *wb);
void verify_open(struct workbench *wb);
/* One of the two for a list of backends with commas; "": all. */
void ladder_open_only(struct workbench *wb, bool verify, const char *backends);
/* Times all backends, and shows their rows in the list of the lab, which is open. */
void ladder_open_in_lab(struct workbench *wb);
void ladder_end(struct workbench *wb);
bool ladder_measures(const struct workbench *wb); /* then nothing else may run */
void ladder_tick(struct workbench *wb);
#define LADDER_FDS 2
int ladder_poll(const struct workbench *wb, struct pollfd fds[LADDER_FDS]);
void ladder_serve(struct workbench *wb);

/* ladder_list.c: the lines of the list, their choice and its keys, and what the keys w and y do. */
int ladder_lines(struct workbench *wb);
void ladder_row(struct workbench *wb, int line, struct list_row *row);
bool ladder_choose(struct workbench *wb, int line);
bool ladder_key(struct workbench *wb, enum request request);
void ladder_write(struct workbench *wb);
void ladder_command(struct workbench *wb);

#endif
