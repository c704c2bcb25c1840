/* SPDX-License-Identifier: MIT */
/* Namespaces of Linux for processes of labs, and the mounts that such a process sees. */
#ifndef CALAB_CORE_LAB_NAMESPACES_H
#define CALAB_CORE_LAB_NAMESPACES_H

#include <stdbool.h>

/* What the mounts are made for. */
struct lab_view {
    const char *folder; /* all that can be written, beside devices */
    const char *hidden; /* a file that is empty there, NULL: none */
    bool processes;     /* /proc has the processes of this namespace alone */
};

/* A user namespace, in which this process is the user that it was, and may make other namespaces.
 */
bool lab_namespace_of_user(void);
/* In namespaces of mounts, and of processes where the view says so: every file system is read-only
 * but the folder, and /dev/shm is empty. */
bool lab_namespace_mounts(const struct lab_view *view);
/* In a network namespace: the address 127.0.0.1 works. */
void lab_namespace_loopback(void);

#endif
