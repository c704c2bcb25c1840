/* SPDX-License-Identifier: MIT */
/* What is printed as JSON is whole, wherever memory ends while it is made. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/options.h"

static int left; /* allocations that succeed */

static void *take(size_t bytes) { return left-- > 0 ? malloc(bytes) : NULL; }

/* Runs `list backends --json` with so many allocations; returns what it printed, malloc'd. */
static char *list_with(int allocations, enum ca_status *status)
{
    char *argv[] = {"list", "backends", "--json", NULL};
    struct options options;
    struct ca_error error = {.text = ""};
    int kept = dup(STDOUT_FILENO), file;
    char *text;

    ck_assert_ok(options_parse(&options, FOR_LIST, 1, 3, argv, &error));
    file = open(test_path("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_ge(file, 0);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    close(file);
    left = allocations;
    json_watch_memory(take);
    *status = (enum ca_status)command_list(&options, &error);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    text = test_read(test_path("out"), NULL);
    if (*status != CA_OK)
        ck_assert_str_eq(error.text, "no memory for the result as JSON");
    return text;
}

START_TEST(memory_that_ends)
{
    enum ca_status status;
    char *whole = list_with(1 << 30, &status), *text;
    int needed = (1 << 30) - left;

    ck_assert_int_eq(status, CA_OK);
    ck_assert_int_gt(needed, 100);
    for (int n = 0; n < needed; n += n < 100 ? 1 : 17) {
        text = list_with(n, &status);
        ck_assert_msg(status == CA_NO_MEMORY && text[0] == 0, "%d of %d: status %d, '%.80s'", n,
                      needed, (int)status, text);
        free(text);
    }
    text = list_with(needed, &status);
    ck_assert_int_eq(status, CA_OK);
    ck_assert_str_eq(text, whole);
    free(text);
    free(whole);
}
END_TEST

int main(void) { return RUN_TESTS(.test = {memory_that_ends}); }
