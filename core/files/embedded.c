/* SPDX-License-Identifier: MIT */
/* The table of the files that are part of the program. */
#include "core/files/embedded.h"

#include <assert.h>
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
