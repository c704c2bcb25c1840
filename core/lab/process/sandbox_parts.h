/* SPDX-License-Identifier: MIT */
/* The stages in which walls are set up, each in a process of its own: launch.c calls them. */
#ifndef CALAB_CORE_LAB_PROCESS_SANDBOX_PARTS_H
#define CALAB_CORE_LAB_PROCESS_SANDBOX_PARTS_H

#include "core/lab/process/process.h"

/* Runs before the first stage: with CA_LAB_UID the folder, and what is in it, becomes the user's
 * that the process will have, which is another for each process of calab's. */
bool sandbox_give(unsigned walls, const char *folder);
/* The user that it will be. */
uid_t sandbox_user(unsigned walls);
/* Walls around the caller's next child, which is the first process of its namespace. */
bool sandbox_enter(unsigned walls);
/* Sets in that child what it sees. */
bool sandbox_see(unsigned walls, const char *folder);
/* Sets capabilities, Landlock and the filter in the process that runs others' code. `tool`: it
 * compiles, for which modes of files are changed. `reads`: a folder that it may read, too; NULL:
 * none. */
bool sandbox_close(unsigned walls, const char *folder, const char *reads, bool tool);

/* --- filter.c: system calls (seccomp) -------------------------------------------------------- */

struct lab_filter {
    bool keeps_modes; /* modes, owners and times of files cannot be changed */
    bool no_network;  /* no sockets but local ones; others reach a network namespace alone */
    pid_t alone;      /* not 0: signals reach this process alone, for want of another protection */
    bool shares_user; /* other processes of the user could be reached by scheduling calls */
};

/* The filter holds from now on, for this process and those below it. False where the kernel takes
 * no filter. */
bool lab_filter_install(const struct lab_filter *filter);

/* --- landlock.c: files that may be written and read (Linux 5.13) ------------------------------ */

/* The version that the kernel has, below 1 without. */
int lab_landlock_version(void);
/*
 * From now on this process, and those that it starts, can write, make and remove files only below
 * `folder`, in /dev/shm, in devices and in /proc, as CUDA does: in all of it if it shows no others
 * (`own_proc`), else of this process alone. Where the kernel is 6.12 or later they can send signals
 * to one another alone. Returns false, and changes nothing, where the kernel has no Landlock.
 * Called between fork and exec.
 */
bool lab_landlock(const char *folder, bool own_proc);
/*
 * The same of reading: all that there is now can be read but a file, and what is made below the
 * folder `temporary` later. What is made later beside the file, or beside a folder above it, cannot
 * be read either.
 */
bool lab_landlock_hide(const char *file, const char *temporary);
/* The same of all other processes in /proc: their command lines, variables and memory. */
bool lab_landlock_hide_processes(void);

/* From now on this process is bound by the rules of a descriptor, which is closed. */
bool lab_landlock_restrict(int rules);

/* --- reads.c: what may be read and executed (Linux 5.13) -------------------------------------- */

/* Finds what belongs to the system, once: before processes are forked. */
void lab_reads_find(void);
/* From now on this process, and those that it starts, can read, list and execute nothing but that,
 * `folder` and `reads`. */
bool lab_landlock_reads(const char *folder, const char *reads);

/* --- namespaces.c: namespaces, and the mounts that a process sees ----------------------------- */

/* The mounts are made for this. */
struct lab_view {
    const char *folder; /* all that can be written, beside devices */
    const char *hidden; /* a file that is empty there, NULL: none */
    bool processes;     /* /proc has the processes of this namespace alone */
};

/* A user namespace, in which this process is the user that it was, and may make other namespaces.
 */
bool lab_namespace_of_user(void);
/* Makes namespaces of mounts, and of processes where the view says so: every file system is
 * read-only but the folder, and /dev/shm is empty. */
bool lab_namespace_mounts(const struct lab_view *view);
/* Has the address 127.0.0.1 work in a network namespace. */
void lab_namespace_loopback(void);

/* --- launch.c: the processes between calab and code of somebody else -------------------------- */

/*
 * The first one enters the namespaces and ends; the keeper, process 1 of them, sees that all end
 * with calab, and says how the third has ended, which becomes the program. The keeper forgets the
 * command line of calab before: `what` may not point into main's argv.
 */

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
    const char *reads; /* a folder that it may read, NULL: none but its own */
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
