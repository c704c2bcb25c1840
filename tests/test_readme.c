/* SPDX-License-Identifier: MIT */
/* The commands of README.md, typed in order in an empty folder, and its targets of make. */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/document.h"
#include "tests/support/support.h"

START_TEST(each_line) { ck_assert_int_ge(document_type("README.md", NULL), 8); }
END_TEST

/* Whether a makefile has a target that `make help` lists. */
static bool makes(const char *path, const char *target)
{
    const char *start = test_text("\n%s: ", target);

    for (const char *line = test_read(path, NULL); (line = strstr(line, start)) != NULL; line++)
        if (memmem(line, strcspn(line + 1, "\n") + 1, "## ", 3))
            return true;
    return false;
}

/* Each word that a document has behind `make`, but options and variables, is a target. */
static int targets_of(const char *name)
{
    glob_t files = {0};
    int found = 0;

    ck_assert_int_eq(glob(test_source("Makefile"), 0, NULL, &files), 0);
    ck_assert_int_eq(glob(test_source("tests/*.mk"), GLOB_APPEND, NULL, &files), 0);
    ck_assert_int_eq(glob(test_source("kernels/cuda/*.mk"), GLOB_APPEND, NULL, &files), 0);
    ck_assert_int_eq(glob(test_source("core/emulator/*.mk"), GLOB_APPEND, NULL, &files), 0);
    ck_assert_int_eq(glob(test_source(".*/*.mk"), GLOB_APPEND, NULL, &files), 0);
    for (const char *at = test_read(test_source(name), NULL); (at = strstr(at, "make ")) != NULL;) {
        char target[32];
        bool known = false;

        if (at[-1] != '`' && at[-1] != '\n') {
            at++;
            continue;
        }
        at += strlen("make ");
        if (sscanf(at, "%31[a-z-]", target) != 1 || target[0] == '-')
            continue;
        for (size_t i = 0; i < files.gl_pathc; i++)
            known |= makes(files.gl_pathv[i], target);
        ck_assert_msg(known, "%s: make has no target '%s' with a help", name, target);
        found++;
    }
    globfree(&files);
    return found;
}

START_TEST(each_target)
{
    ck_assert_int_ge(targets_of("README.md"), 4);
    ck_assert_int_ge(targets_of("CONTRIBUTING.md"), 30);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = SANITIZED ? 600 : 240, .test = {each_line, each_target});
}
