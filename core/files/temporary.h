/* SPDX-License-Identifier: MIT */
/*
 * Temporary files beside those that they will replace: .calab-PID-N.tmp, locked as long as their
 * process writes them, so that those of a killed process can be told, also on a file system that
 * several hosts share.
 */
#ifndef CALAB_CORE_FILES_TEMPORARY_H
#define CALAB_CORE_FILES_TEMPORARY_H

#include <sys/types.h>

/* Opens a new file in the folder of `path` for reading and writing; *name is malloc'd. -1: errno.
 */
int ca_temporary_open(const char *path, mode_t mode, char **name);

/* Removes those in the folder of `path` that nobody writes any more. */
void ca_temporary_clean(const char *path);

#endif
