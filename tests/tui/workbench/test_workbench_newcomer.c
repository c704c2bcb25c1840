/* SPDX-License-Identifier: MIT */
/*
 * Two kernels compared by someone who has only the screen to go by: from a first start at 80x24
 * with nothing set, each key is one that the screen names, and factor, interval and equality stand
 * on it at the end. The README has a picture of that. And how many keys the first things take, a
 * model of one's own among them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/script.h"

#define HINTS (-1) /* the line of hints, the last */

static void presses_as_told(struct screen *screen, const char *key, const char *hint)
{
    screen_expect_row(screen, HINTS, hint);
    screen_send(screen, key);
}

static void chooses(struct screen *screen, const char *name)
{
    screen_expect(screen, "type to filter");
    screen_expect(screen, name);
    for (int i = 0; name[i]; i++)
        screen_send(screen, (char[]){name[i], 0});
    screen_expect(screen, test_text("type to filter: %s_", name));
    presses_as_told(screen, "\r", "enter choose");
    screen_expect_not(screen, "type to filter");
}

/* "A is 153 x B (148 ... 159, 20 pairs of bursts", the factor within the interval. */
static bool tells_a_ratio(struct screen *screen, const void *data)
{
    const char *at = strstr(screen_text(screen), "│ A is ");
    double factor, low, high;
    int pairs;

    (void)data;
    if (screen_shows(screen, "A and B: unsure, ")) /* others use the machine while the test runs */
        return true;
    return at && strstr(at, "clear of noise") &&
           sscanf(at, "│ A is %lf x B (%lf ... %lf, %d pairs of bursts", &factor, &low, &high,
                  &pairs) == 4 &&
           low <= factor && factor <= high && pairs >= 5;
}

START_TEST(a_comparison_from_nothing)
{
    struct screen *screen = user_starts_default();

    presses_as_told(screen, "x", "x split");
    screen_expect(screen, "XY 22x44 "); /* all of it in half the width */
    presses_as_told(screen, "B", "B change B");
    chooses(screen, "threads");
    presses_as_told(screen, "b", "b change A");
    chooses(screen, "bitslice");
    user_does(screen,
              STEPS(SHOWS("A bitslice"), SHOWS("B threads"), PRESS("."), STATUS("= EQUAL at 1, "),
                    SHOWS("equal: the hashes agree at 1; checked ")));
    screen_until(screen, tells_a_ratio, NULL, "factor and interval");
    user_quits(screen);
}
END_TEST

/* What is wanted first takes so few keys, from a first start. */
static const struct {
    const char *keys[6], *status;
} paths[] = {
    {{" "}, "RUN"},                 /* a picture that runs */
    {{"m", "f", "\r"}, " life"},    /* another model */
    {{"x", "."}, "= EQUAL at 1, "}, /* two kernels compared */
};

START_TEST(few_keys)
{
    struct screen *screen = user_starts_default();

    for (int i = 0; paths[_i].keys[i]; i++) {
        screen_send(screen, paths[_i].keys[i]);
        if (paths[_i].keys[i][0] == 'm')
            screen_expect(screen, "type to filter: _");
    }
    screen_expect_row(screen, 0, paths[_i].status);
    user_quits(screen);
}
END_TEST

/* Two kernels of one's own choice, side by side and compared: five keys. */
START_TEST(two_kernels)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, "x");
    screen_expect(screen, "B reference");
    screen_send(screen, "B");
    screen_expect(screen, "type to filter");
    screen_send(screen, "t");
    screen_send(screen, "h");
    screen_expect(screen, "> threads");
    screen_send(screen, "\r");
    screen_expect(screen, "B threads");
    screen_expect(screen, "equal: the hashes agree at 0");
    screen_until(screen, tells_a_ratio, NULL, "factor and interval");
    user_quits(screen);
}
END_TEST

/* The same by the menu, for somebody who knows one key alone. */
START_TEST(by_the_menu)
{
    struct screen *screen = user_starts_default();

    presses_as_told(screen, "\033OR", "f3 menu");
    screen_expect(screen, "type to filter");
    screen_send(screen, "split");
    screen_expect(screen, "> split");
    presses_as_told(screen, "\r", "enter choose");
    screen_expect(screen, "B reference");
    user_quits(screen);
}
END_TEST

/* --- a model of one's own --------------------------------------------------------------------- */

#define PROMPT "here:"
#define KEYS_IN_A_MINUTE 60 /* of somebody who types with two fingers */

/* A shell in a folder of the user's, where the program is on PATH. */
static int body_shell(const void *data)
{
    if (chdir(data) != 0)
        return 126;
    setenv("PATH", test_text("%s/bin:/usr/bin:/bin", (const char *)data), 1);
    setenv("PS1", PROMPT " ", 1);
    unsetenv("ENV");
    execl("/bin/sh", "sh", "-i", (char *)NULL);
    return 127;
}

/* Sends a line key by key; returns how many that were. */
static int types(struct screen *screen, const char *line)
{
    int keys = 0;

    for (; line[keys]; keys++)
        screen_send(screen, (char[]){line[keys], 0});
    return keys;
}

static bool moves(struct screen *screen, const void *data)
{
    return shown_generation(screen) > 0 && strcmp(screen_row(screen, 8), data) != 0;
}

/* From `model new` to the running picture: two commands and a key, each of which what is on the
 * screen has named. */
START_TEST(a_model_of_ones_own)
{
    const struct screen_options options = {.body = body_shell, .data = test_folder()};
    struct screen *screen;
    char before[400];
    int keys;

    unsetenv("LD_PRELOAD"); /* a compiler has seconds */
    mkdir(test_path("bin"), 0700);
    ck_assert_int_eq(symlink(test_program(), test_path("bin/calab")), 0);
    screen = screen_start(&options);
    screen_expect(screen, PROMPT);
    keys = types(screen, "calab model new forest\r");
    screen_expect(screen, "`calab forest.c` opens it");
    keys += types(screen, "calab forest.c\r");
    expect_generation(screen, 0);
    snprintf(before, sizeof before, "%s", screen_row(screen, 8));
    screen_expect_row(screen, HINTS, "space run");
    keys += types(screen, " ");
    screen_until(screen, moves, before, "another picture");
    ck_assert_int_le(keys, KEYS_IN_A_MINUTE);
    screen_send(screen, "q");
    screen_expect(screen, "calab forest.c\n" PROMPT); /* the next one, behind the program's end */
    types(screen, "exit\r");
    ck_assert_int_eq(screen_end(screen), 0);
    screen_close(screen);
}
END_TEST

START_TEST(a_verdict_in_two_commands)
{
    const char *folder = test_path("mine");
    struct outcome made, checked;

    unsetenv("LD_PRELOAD"); /* a compiler has seconds */
    made = calab("lab new anneal %s", folder);

    ck_assert_msg(made.status == 0, "%s", made.err);
    ck_assert_contains(made.out, test_text("calab lab check %s", folder));
    checked = calab("lab check %s", folder);
    ck_assert_int_eq(checked.status, 1); /* nothing is written in it yet */
    ck_assert_contains(checked.out, "kernel.c: wrong, on the CPU");
    ck_assert_contains(checked.out, "never written");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = test_hurry,
                     .test = {a_comparison_from_nothing, two_kernels, by_the_menu,
                              a_verdict_in_two_commands, a_model_of_ones_own},
                     .table = {{few_keys, COUNT(paths)}});
}
