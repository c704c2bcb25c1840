/* SPDX-License-Identifier: MIT */
/*
 * A lab in the workbench: a process, `calab lab watch`, compiles and checks the kernel each time
 * that it is saved, and every engine has it as backend `lab`. lab.c follows that process,
 * lab_list.c shows what it says, and, once the kernel is right, the ladder with it.
 */
#ifndef CALAB_TUI_WORKBENCH_LAB_H
#define CALAB_TUI_WORKBENCH_LAB_H

#include <jansson.h>
#include <limits.h>
#include <poll.h>

#include "core/engine/client.h"
#include "core/lab/lab.h"
#include "tui/workbench/dialog.h"

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
    int editions;     /* that have been compiled */
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

struct pane;
extern const struct list_source lab_source;

/* The request of the key: the list of the lab, or where none is open a prompt for its folder. */
void lab_show(struct workbench *wb);
/* Adds its backend and begins to watch it. CA_IO, CA_SETTINGS, CA_USAGE for a second one. */
enum ca_status lab_open(struct workbench *wb, const char *folder, struct ca_error *error);
bool lab_is_open(const struct workbench *wb);
/* Whether the run of a pane is the lab's, which is not saved: its backend is not there without. */
bool lab_has(const struct pane *pane);
/* Whether a pane runs its kernel; and then the command that opens it. */
bool lab_is_shown(const struct workbench *wb);
char *lab_command(const struct workbench *wb);
/* The command of an engine on this machine. */
void lab_engine(const struct workbench *wb, const char *argv[7]);
/* Watches it again, after what watched it has gone. */
void lab_watch_again(struct workbench *wb);
void lab_end(struct workbench *wb);
void lab_tick(struct workbench *wb);
#define LAB_FDS 2
int lab_poll(const struct workbench *wb, struct pollfd fds[LAB_FDS]);
void lab_serve(struct workbench *wb);
/* Gives the terminal to the user's editor, at a line of a file of the lab's folder. */
void lab_edit(struct workbench *wb, const char *file, int line);

#endif
