/* SPDX-License-Identifier: MIT */
/* Files in /dev/shm that outlive the process which made them, and would feed a later one, where
 * processes of labs have no /dev/shm of their own. */
#ifndef CALAB_CORE_LAB_LEFTOVERS_H
#define CALAB_CORE_LAB_LEFTOVERS_H

#include <stdbool.h>
#include <sys/types.h>

struct lab_leftovers {
    char **name; /* of those that were there before, sorted */
    size_t count;
};

/* Notes what is there. False: no memory. */
bool lab_leftovers_note(struct lab_leftovers *before);
/* Removes what a user has made since, and frees the notes. */
void lab_leftovers_remove(struct lab_leftovers *before, uid_t user);

#endif
