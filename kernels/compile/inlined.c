/* SPDX-License-Identifier: MIT */
/* This file puts included sources in the places of their #include lines. */
#include "kernels/compile/inlined.h"

#include <stdbool.h>
#include <string.h>

#include "core/files/embedded.h"
#include "core/files/file.h"

#define FILES_MAX 32
#define NAME_MAX_BYTES 96

struct inlined {
    FILE *to;
    int count;
    char name[FILES_MAX][NAME_MAX_BYTES];
};

static bool is_there(struct inlined *inlined, const char *name)
{
    for (int i = 0; i < inlined->count; i++)
        if (strcmp(inlined->name[i], name) == 0)
            return true;
    if (inlined->count < FILES_MAX)
        snprintf(inlined->name[inlined->count++], NAME_MAX_BYTES, "%s", name);
    return false;
}

static void write_file(struct inlined *inlined, const char *name)
{
    static const char include[] = "#include \"";
    const char *line = is_there(inlined, name) ? "" : ca_embedded_text(name);

    while (*line) {
        size_t length = strcspn(line, "\n");
        char next[NAME_MAX_BYTES];

        if (strncmp(line, include, sizeof include - 1) == 0) {
            const char *from = line + sizeof include - 1;

            snprintf(next, sizeof next, "%.*s", (int)strcspn(from, "\""), from);
            write_file(inlined, next);
        } else {
            ca_file_put(inlined->to, "%.*s\n", (int)length, line);
        }
        line += length + (line[length] == '\n');
    }
}

void compile_inlined(FILE *to, const char *name)
{
    struct inlined inlined = {.to = to};

    write_file(&inlined, name);
}
