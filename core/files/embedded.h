/* SPDX-License-Identifier: MIT */
/*
 * The files that are part of the program: the experiments, patterns and tasks of configs/, without
 * the tasks' solutions, and what folders of labs get. The Makefile lists them (EMBEDDED). Each is
 * read by the path "builtin:/NAME", where NAME is its path below configs/, as any other file is:
 * ca_file_open takes both. None includes another, since libconfig opens what is included by itself.
 */
#ifndef CALAB_CORE_FILES_EMBEDDED_H
#define CALAB_CORE_FILES_EMBEDDED_H

#include <stdbool.h>

#include "core/base/error.h"

#define CA_EMBEDDED "builtin:"

struct ca_embedded {
    const char *name;        /* "water-dam.cfg", "patterns/life3d/toad-5766.rle3" */
    const char *bytes, *end; /* *end is NUL */
};

/* The files in the order of their names; NULL beyond the last. */
const struct ca_embedded *ca_embedded_at(int i);
/* The file of a path; NULL: there is none, or the path is that of a file outside. */
const struct ca_embedded *ca_embedded_find(const char *path);
/* The text of a file that the Makefile is known to list, by its name. */
const char *ca_embedded_text(const char *name);

/* Whether a path leads into the program, to a file or to nothing. */
bool ca_embedded_is_path(const char *path);

/* The names in a folder, of the file system or of the program. */
struct ca_listing {
    char **name; /* sorted */
    int count;
};

/* Lists files and folders but those whose names begin with a dot. A folder that is not there, or
 * that may not be read, has none. CA_IO, CA_NO_MEMORY: the listing is empty. */
enum ca_status ca_listing_read(struct ca_listing *listing, const char *folder,
                               struct ca_error *error);
void ca_listing_free(struct ca_listing *listing);

#endif
