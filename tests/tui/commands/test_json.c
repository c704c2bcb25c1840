/* SPDX-License-Identifier: MIT */
/* What is printed as JSON, or as a table over it, is whole, wherever memory ends while it is made.
 */
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

static const char results[] =
    "{\"schema\": \"calab-bench/2\", \"lines\": [{\"label\": \"a\", \"threads\": 1, \"mups\": 5, "
    "\"experiment\": {\"model\": \"anneal\", \"backend\": \"threads\", \"size\": [64, 64]}}]}";

static const struct {
    const char *words[5];
    unsigned places; /* of options */
    int (*command)(const struct options *options, struct ca_error *error);
    int least; /* allocations that it needs */
} tried[] = {
    {{"list", "backends", "--json"}, FOR_LIST, command_list, 100},
    {{"compare", "FILE", "FILE"}, FOR_COMPARE, command_compare, 50},
    {{"compare", "FILE", "FILE", "--ratio", "threads,threads"}, FOR_COMPARE, command_compare, 50},
};

/* Runs a command with so many allocations; returns what it printed, malloc'd. */
static char *print_with(int which, int allocations, enum ca_status *status)
{
    char file_name[600], word[5][80], *argv[6] = {NULL};
    struct options options;
    struct ca_error error = {.text = ""};
    int kept = dup(STDOUT_FILENO), file, count = 0;
    char *text;

    snprintf(file_name, sizeof file_name, "%s", test_path("results.json"));
    test_write(file_name, results, strlen(results));
    for (; count < 5 && tried[which].words[count]; count++) {
        snprintf(word[count], sizeof word[0], "%s", tried[which].words[count]);
        argv[count] = strcmp(word[count], "FILE") == 0 ? file_name : word[count];
    }
    ck_assert_ok(options_parse(&options, tried[which].places, 2, count, argv, &error));
    file = open(test_path("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_ge(file, 0);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    close(file);
    left = allocations;
    json_watch_memory(take);
    *status = (enum ca_status)tried[which].command(&options, &error);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    text = test_read(test_path("out"), NULL);
    if (*status != CA_OK)
        ck_assert_msg(strstr(error.text, "no memory for ") == error.text, "%s", error.text);
    return text;
}

START_TEST(memory_that_ends)
{
    enum ca_status status;
    char *whole = print_with(_i, 1 << 30, &status), *text;
    int needed = (1 << 30) - left;

    ck_assert_int_eq(status, CA_OK);
    ck_assert_int_gt(needed, tried[_i].least);
    for (int n = 0; n < needed; n += n < 100 ? 1 : 17) {
        text = print_with(_i, n, &status);
        ck_assert_msg(status == CA_NO_MEMORY && text[0] == 0, "%d of %d: status %d, '%.80s'", n,
                      needed, (int)status, text);
        free(text);
    }
    text = print_with(_i, needed, &status);
    ck_assert_int_eq(status, CA_OK);
    ck_assert_str_eq(text, whole);
    free(text);
    free(whole);
}
END_TEST

int main(void) { return RUN_TESTS(.table = {{memory_that_ends, COUNT(tried)}}); }
