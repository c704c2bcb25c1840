/* SPDX-License-Identifier: MIT */
/*
 * The processes between calab and code of somebody else. The first one enters the namespaces and
 * ends; the keeper, process 1 of them, sees that all end with calab, and says how the third has
 * ended, which becomes the program. The keeper forgets the command line of calab before: `what` may
 * not point into main's argv.
 */
#ifndef CALAB_CORE_LAB_PROCESS_LAUNCH_H
#define CALAB_CORE_LAB_PROCESS_LAUNCH_H

#include "core/lab/process/process.h"

/* The processes write these events to `report`, which is closed once the program runs. */
enum launch_event {
    LAUNCH_KEPT,   /* value: the keeper's process */
    LAUNCH_WALLED, /* the walls stand, and the program is executed */
    LAUNCH_FAILED  /* value: errno, the reason for which it does not go on */
};

struct launch_report {
    enum launch_event event;
    int value;
};

struct launch {
    const struct ca_lab_launch *what;
    unsigned walls;
    int output;  /* that becomes its standard output and error */
    int report;  /* gets struct launch_report */
    int ended;   /* gets the program's wait status from the keeper */
    int threads; /* of this user, now */
    char **environment;
};

/* Runs in a child of calab's that has been forked for it. */
_Noreturn void launch_first(const struct launch *launch);

#endif
