/* SPDX-License-Identifier: MIT */
/*
 * The walls around code of submissions, which are as many as this system and user allow. They are
 * found once, by setting them up in a process that does nothing else, and each later process gets
 * all of them or does not start.
 */
#ifndef CALAB_CORE_LAB_PROCESS_SANDBOX_H
#define CALAB_CORE_LAB_PROCESS_SANDBOX_H

#include "core/base/error.h"

enum ca_lab_wall {
    CA_LAB_SECCOMP,   /* a filter of system calls */
    CA_LAB_LANDLOCK,  /* files cannot be written outside of one folder, and of others' files those
                       * of the system alone can be read */
    CA_LAB_SIGNALS,   /* Landlock keeps signals from others, since Linux 6.12 */
    CA_LAB_UID,       /* a user of its own, where calab is root */
    CA_LAB_USERS,     /* namespaces: of users, without which only root may make the others */
    CA_LAB_MOUNTS,    /* all but one folder is read-only, /dev/shm is empty at the beginning */
    CA_LAB_PROCESSES, /* other processes do not exist */
    CA_LAB_PROC,      /* nor does /proc show them */
    CA_LAB_IPC,       /* shared memory of System V */
    CA_LAB_NETWORK,   /* no network but 127.0.0.1 */
    CA_LAB_WALLS
};

/* "seccomp", "landlock", ... */
extern const char *const ca_lab_wall_names[];

/* Bit 1 << wall for each that holds around processes that may write to `folder`. CA_NO_MEMORY. */
enum ca_status ca_lab_walls(unsigned *walls, const char *folder, struct ca_error *error);

/* A file that processes from now on cannot read, but what is made below `temporary` later, they
 * can. NULL: none. */
void ca_lab_hide(const char *file, const char *temporary);

/* Folders of submissions and of tasks: where what the system has lies beside them, they, what is
 * beside them, and what is above cannot be read with it. Before any process is started. */
void ca_lab_guard(const char *const folders[], int count);

#endif
