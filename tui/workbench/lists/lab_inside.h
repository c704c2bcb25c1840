/* SPDX-License-Identifier: MIT */
/* The state of the lab, for lab.c and lab_list.c alone. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_LAB_INSIDE_H
#define CALAB_TUI_WORKBENCH_LISTS_LAB_INSIDE_H

#include <jansson.h>
#include <limits.h>

#include "core/engine/client.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/lists/lab.h"

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
extern const struct list_source lab_source;
/* Watches it again, after what watched it has gone. */
void lab_watch_again(struct workbench *wb);
/* Gives the terminal to the user's editor, at a line of a file of the lab's folder. */
void lab_edit(struct workbench *wb, const char *file, int line);

#endif
