/* SPDX-License-Identifier: MIT */
#include "tests/support/looked_at.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"

static void section_write(const char *path, int number, const char *section, const char *text)
{
    FILE *file = fopen(path, number == 0 ? "w" : "a");

    ck_assert_msg(file != NULL, "cannot write %s", path);
    fprintf(file, "== %s\n%s", section, text);
    fclose(file);
}

/* Its part of a file, from behind the line of its name to the next such line. */
static const char *section_read(const char *path, const char *section)
{
    const char *name = test_text("== %s\n", section);
    char *at = test_read(path, NULL), *end;

    while (at && strncmp(at, name, strlen(name)) != 0) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    ck_assert_msg(at != NULL, "%s has no section '%s'", path, section);
    at += strlen(name);
    end = strncmp(at, "== ", 3) == 0 ? at : strstr(at, "\n== ");
    if (end)
        end[end > at] = '\0';
    return at;
}

void expect_looked_at(const char *file, int number, const char *section, const char *text)
{
    const char *folder = getenv("CALAB_LOOKED_AT"), *got = text, *want;
    const char *path =
        folder ? test_text("%s/%s", folder, file) : test_source(test_text("tests/data/%s", file));

    if (folder)
        section_write(path, number, section, text);
    want = section_read(path, section);
    for (int line = 1; *got || *want; line++) {
        size_t n = strcspn(got, "\n"), m = strcspn(want, "\n");

        if (n != m || memcmp(got, want, n) != 0)
            fprintf(stderr, "%s", text); /* which may be longer than a message of Check */
        ck_assert_msg(
            n == m && memcmp(got, want, n) == 0,
            "line %d of section '%s' in tests/data/%s (which CALAB_LOOKED_AT=FOLDER writes "
            "anew) is\n%.*s\nand now\n%.*s",
            line, section, file, (int)m, want, (int)n, got);
        got += n + (got[n] != 0);
        want += m + (want[m] != 0);
    }
}
