/* SPDX-License-Identifier: MIT */
/* The table of the files that are part of the program. */
#include "core/files/embedded.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Rows EMBED(number, path in the source tree, name), sorted by name. */
#ifdef CALAB_EMBEDDED
#define ROWS CALAB_EMBEDDED
#else
#define ROWS "/dev/null" /* for tools that read this file alone */
#endif

/* Puts the bytes of a file into the program, with a NUL behind them. */
#define EMBED(number, path, name)                                                                  \
    extern const char embedded_##number[], embedded_end_##number[];                                \
    __asm__(".section .rodata\n.global embedded_" #number ", embedded_end_" #number                \
            "\nembedded_" #number ":\n.incbin \"" path "\"\nembedded_end_" #number                 \
            ":\n.byte 0\n.previous\n");
/* cppcheck-suppress preprocessorErrorDirective */
#include ROWS
#undef EMBED

#define EMBED(number, path, name) {name, embedded_##number, embedded_end_##number},
static const struct ca_embedded files[] = {
#include ROWS
    {NULL, NULL, NULL},
};

#define FILES (sizeof files / sizeof files[0] - 1)

const struct ca_embedded *ca_embedded_at(int i) { return (size_t)i < FILES ? &files[i] : NULL; }

bool ca_embedded_is_path(const char *path)
{
    return strncmp(path, CA_EMBEDDED, strlen(CA_EMBEDDED)) == 0;
}

static const struct ca_embedded *file_of(const char *name)
{
    const struct ca_embedded *file;

    for (int i = 0; (file = ca_embedded_at(i)) != NULL; i++)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}

const struct ca_embedded *ca_embedded_find(const char *path)
{
    if (!ca_embedded_is_path(path))
        return NULL;
    path += strlen(CA_EMBEDDED);
    return file_of(path + (path[0] == '/'));
}

const char *ca_embedded_text(const char *name)
{
    const struct ca_embedded *file = file_of(name);

    assert(file);
    return file->bytes;
}

/* --- folders, read by scandir, those of the program from its table ---------------------------- */

/* False without memory. */
static bool add_name(struct ca_listing *listing, const char *name, size_t length)
{
    char **longer = realloc(listing->name, (size_t)(listing->count + 1) * sizeof *longer);

    if (!longer)
        return false;
    listing->name = longer;
    longer[listing->count] = strndup(name, length);
    return longer[listing->count] && ++listing->count > 0;
}

static int listing_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files of a folder stand together in the table, and those of a folder in it, too. */
static bool list_embedded(struct ca_listing *listing, const char *folder)
{
    const struct ca_embedded *file;
    bool complete = true;

    folder += strlen(CA_EMBEDDED);
    folder += folder[0] == '/';
    for (int i = 0; complete && (file = ca_embedded_at(i)) != NULL; i++) {
        const char *rest = file->name + strlen(folder);
        const char *last = listing->count ? listing->name[listing->count - 1] : "";
        size_t length;

        if (strncmp(file->name, folder, strlen(folder)) != 0 || (folder[0] && *rest++ != '/'))
            continue;
        length = strcspn(rest, "/");
        if (strncmp(last, rest, length) != 0 || last[length] != '\0')
            complete = add_name(listing, rest, length);
    }
    if (listing->count > 0)
        qsort(listing->name, (size_t)listing->count, sizeof *listing->name, listing_by_name);
    return complete;
}

static int listing_is_shown(const struct dirent *entry) { return entry->d_name[0] != '.'; }

enum ca_status ca_listing_read(struct ca_listing *listing, const char *folder,
                               struct ca_error *error)
{
    struct dirent **entry = NULL;
    int count = 0;
    bool complete;

    *listing = (struct ca_listing){NULL, 0};
    if (ca_embedded_is_path(folder)) {
        complete = list_embedded(listing, folder);
    } else {
        count = scandir(folder, &entry, listing_is_shown, alphasort);
        if (count < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
            return CA_OK;
        if (count < 0 && errno != ENOMEM)
            return ca_fail(error, CA_IO, "%.300s: %s", folder, strerror(errno));
        complete = count >= 0;
        for (int i = 0; i < count; i++) {
            complete = complete && add_name(listing, entry[i]->d_name, strlen(entry[i]->d_name));
            free(entry[i]);
        }
        free(entry);
    }
    if (complete)
        return CA_OK;
    ca_listing_free(listing);
    return ca_fail(error, CA_NO_MEMORY, "%.300s: no memory for the names in it", folder);
}

void ca_listing_free(struct ca_listing *listing)
{
    for (int i = 0; i < listing->count; i++)
        free(listing->name[i]);
    free(listing->name);
    *listing = (struct ca_listing){NULL, 0};
}
