/* SPDX-License-Identifier: MIT */
/* The states of the lab and the ladder, for lab*.c, who.c and ladder*.c alone. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_LAB_INSIDE_H
#define CALAB_TUI_WORKBENCH_LISTS_LAB_INSIDE_H

#include <limits.h>

#include "core/engine/client.h"
#include "tui/workbench/lists/lists.h"

enum lab_phase {
    LAB_COMPILES,
    LAB_CHECKS,
    LAB_RIGHT,
    LAB_WRONG,
    LAB_BROKEN, /* it does not compile */
    LAB_FAILED, /* it cannot be checked, or nobody watches it any more */
};

struct lab_work {
    bool open;
    char own[PATH_MAX];       /* the folder of all that is made for it */
    char link[PATH_MAX + 16]; /* to the newest program */
    struct ca_client *client; /* what watches it; NULL: it is gone */
    enum lab_phase phase;
    int builds;       /* that have been compiled */
    double compile_s; /* of the last */
    char how[40];     /* what runs it */
    char text[1024];  /* of BROKEN and FAILED: why */
    char said[4096];  /* by the compiler */
    char file[256];   /* of the folder, in which the text has its place */
    int line;         /* 0: it has none */
    char at[40];      /* what runs a case of the check now */
    int done, all;    /* of its cases */
    json_t *report;   /* of the check, as `calab lab check --json` has it; NULL: not yet */
    json_t *kernels;  /* what they take of a GPU, a text each; NULL: not known */
    bool times_due;   /* the ladder is to be timed */
};

struct lab_work *lab_of(const struct workbench *wb);
/* What a kernel is that is not right: what has not ended in time may be so. */
const char *lab_wrong_words(const json_t *report);
/* lab_list.c */
extern const struct list_source lab_source;
void lab_watch_again(struct workbench *wb);
/* who.c: runs `calab lab who` on the kernel, and shows in a list what it says. */
void who_open(struct workbench *wb);

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
    /* How it is shown: sorted by rate; with what cannot run; as a plot. */
    bool by_rate, absent, plotted;
};

struct ladder *ladder_of(const struct workbench *wb);
bool ladder_measures(const struct workbench *wb); /* then nothing else may run */
extern const struct list_source verify_source;

#endif
