/* SPDX-License-Identifier: MIT */
/* The stages in which walls are set up, each in a process of its own: launch.c calls them. */
#ifndef CALAB_CORE_LAB_SANDBOX_PARTS_H
#define CALAB_CORE_LAB_SANDBOX_PARTS_H

#include <stdbool.h>
#include <sys/types.h>

/* Before the first stage: with CA_LAB_UID the folder, and what is in it, becomes the user's that
 * the process will have, which is another for each process of calab's. */
bool sandbox_give(unsigned walls, const char *folder);
/* The user that it will be. */
uid_t sandbox_user(unsigned walls);
/* Walls around the caller's next child, which is the first process of its namespace. */
bool sandbox_enter(unsigned walls);
/* In that child: what it sees. */
bool sandbox_see(unsigned walls, const char *folder);
/* In the process that runs others' code: capabilities, Landlock and the filter. `tool`: it
 * compiles, for which modes of files are changed. */
bool sandbox_close(unsigned walls, const char *folder, bool tool);

#endif
