/* SPDX-License-Identifier: MIT */
/* The names in a folder, of the file system or of the program (core/files/embedded.h). */
#ifndef CALAB_CORE_FILES_LISTING_H
#define CALAB_CORE_FILES_LISTING_H

#include "core/base/error.h"

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
