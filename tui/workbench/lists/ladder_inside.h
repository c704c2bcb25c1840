/* SPDX-License-Identifier: MIT */
/* The state of the ladder, for ladder.c and ladder_list.c alone. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_LADDER_INSIDE_H
#define CALAB_TUI_WORKBENCH_LISTS_LADDER_INSIDE_H

#include <jansson.h>

#include "core/engine/client.h"
#include "core/sim/experiment.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/lists/ladder.h"

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

struct ladder *ladder_of(const struct workbench *wb);
bool ladder_measures(const struct workbench *wb); /* then nothing else may run */
extern const struct list_source verify_source;

#endif
