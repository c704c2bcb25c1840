/* SPDX-License-Identifier: MIT */
/* Folders with all that is in them: a copy, and the files whose names match a pattern. */
#ifndef CALAB_CORE_LAB_KERNEL_TREE_H
#define CALAB_CORE_LAB_KERNEL_TREE_H

#include "core/files/embedded.h"

#define TREE_FILES_MAX 4096          /* a folder that is copied or searched has no more */
#define TREE_BYTES_MAX (256LL << 20) /* of a folder that is copied */

/*
 * Copies files and folders with their modes, but not what begins with a dot, nor files whose path
 * below `from` matches `but` (NULL: all are copied). Links are followed. CA_IO, also where there is
 * more than the above.
 */
enum ca_status tree_copy(const char *from, const char *to, const char *but, struct ca_error *error);

/* The paths below the folder of regular files that match, in the order of their names: * and ?
 * stand for no slash. CA_IO, CA_NO_MEMORY. Free it in any case. */
enum ca_status tree_find(struct ca_listing *files, const char *folder, const char *glob,
                         struct ca_error *error);

#endif
