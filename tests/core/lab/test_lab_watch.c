/* SPDX-License-Identifier: MIT */
/* What tools print of a kernel, without the folder that it was compiled in. */
#include "core/lab/process/build.h"

#include <string.h>

#include "tests/support/support.h"

static const struct {
    const char *said, *shown;
    bool findings;
} shortened[] = {
    {"", "", true},
    {"a", "a", true},
    {"/tmp/lab/k.c:3: x\n", "k.c:3: x\n", false},
    /* How many findings there are is said elsewhere, also twice and at the end. */
    {"calab: 1 finding\na\n", "a\n", true},
    {"calab: 1 finding\ncalab: 2 findings\na\ncalab: 3 findings", "a\n", true},
    {"calab: 1 finding\n", "calab: 1 finding\n", false},
    /* Lines that begin with the folder are told as findings. */
    {"b\n/tmp/lab/k.c:3: race\nc /tmp/lab/k.c\n", "b\nc k.c\n", true},
};

START_TEST(shortens)
{
    char text[200];

    strcpy(text, shortened[_i].said);
    lab_build_shorten(text, "/tmp/lab", shortened[_i].findings);
    ck_assert_str_eq(text, shortened[_i].shown);
}
END_TEST

int main(void) { return RUN_TESTS(.table = {{shortens, COUNT(shortened)}}); }
