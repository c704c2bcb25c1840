/* SPDX-License-Identifier: MIT */
/* Files of what the screen of the workbench shows: .txt and .ansi behind `w` and :write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "tests/support/cells.h"
#include "tests/support/program.h"
#include "tests/support/script.h"
#include "tests/support/support.h"

/* Terminals and what they show. */
static const struct {
    struct screen_options options;
    const char *command; /* before the file is written; NULL: none */
    bool coloured;
} shown[] = {
    {{.arguments = {"anneal", "-s", "64x64"}}, NULL, true},
    {{.rows = 60, .columns = 200, .arguments = {"cloud"}}, NULL, true},
    {{.arguments = {"water", "-s", "48x48"}}, ":set glyphs=half", true},
    {{.arguments = {"fhp", "-s", "96x64"}}, ":set glyphs=braille", true},
    {{.lang = "C", .term = "linux", .arguments = {"cloud"}}, ":set colours=high-contrast", true},
    {{.term = "xterm-16color", .arguments = {"water"}}, ":set glyphs=ramp10", true},
    {{.lang = "C", .term = "vt100", .arguments = {"anneal"}}, NULL, false},
    {{.arguments = {"water"}, .environment = {"NO_COLOR=1"}}, NULL, false},
};

/* A screen at rest, without a message. */
static struct screen *opens(size_t i)
{
    struct screen *screen = user_starts(&shown[i].options);

    if (shown[i].command) {
        user_does(screen, STEPS(PRESS(shown[i].command), SHOWS(shown[i].command), PRESS("\r"),
                                HIDES(shown[i].command)));
    }
    user_does(screen, STEPS(PRESS("."), GENERATION(1), PRESS("\033") /* an answer to messages */,
                            WAIT_MS(1500)));
    return screen;
}

/* Writes the screen and reads the file. */
static char *writes(struct screen *screen, const char *name, size_t *count)
{
    const char *path = test_path(name);

    user_types(screen, "w", path);
    screen_expect(screen, "wrote ");
    return test_read(path, count);
}

/* What `cat` of the file shows on a fresh terminal, whose prompt would take the line after it. */
static struct cells shown_by_cat(const char *bytes, size_t count, const struct cells *like,
                                 bool utf8)
{
    struct fed *fed = fed_new(like->rows, like->columns, utf8);
    struct cells cells;

    ck_assert_int_eq(bytes[count - 1], '\n');
    for (size_t i = 0; i + 1 < count; i++) {
        const char *rest = memchr(bytes + i, '\n', count - 1 - i);
        size_t line = rest ? (size_t)(rest - (bytes + i)) : count - 1 - i;

        fed_bytes(fed, bytes + i, line);
        if (rest)
            fed_bytes(fed, "\r\n", 2);
        i += line;
    }
    cells = fed_cells(fed);
    fed_free(fed);
    return cells;
}

/* Writes the screen; whether the file shows what was there before, cell for cell, which fails the
 * test `at_last`. */
static bool is_shown_again(struct screen *screen, size_t i, const char *name, bool at_last)
{
    struct cells before = cells_of(screen), after;
    size_t count;
    char *bytes = writes(screen, name, &count);
    bool equal;

    after = shown_by_cat(bytes, count, &before, !shown[i].options.lang);
    if (at_last)
        cells_expect_equal(&after, &before);
    equal = cells_equal(&after, &before);
    ck_assert_int_eq(cells_coloured(&after) > 0, shown[i].coloured);
    ck_assert_ptr_nonnull(strstr(bytes, "\033[0;7m")); /* the status line */
    ck_assert_ptr_null(strstr(bytes, " \n"));
    cells_free(&before);
    cells_free(&after);
    return equal;
}

/* A panel may change between the look at it and the key. */
START_TEST(cat_shows_the_screen)
{
    static const char *const names[] = {"1.ansi", "2.ansi", "3.ansi", "4.ansi"};
    struct screen *screen = opens((size_t)_i);

    for (size_t i = 0; i < COUNT(names); i++) {
        if (is_shown_again(screen, (size_t)_i, names[i], i == COUNT(names) - 1))
            break;
        screen_send(screen, "\033"); /* the message goes */
        screen_listen(screen, 0.5);
    }
    user_quits(screen);
}
END_TEST

/* A VT100 draws lines by its own set. */
static void without_lines(char *text, const char *term)
{
    static const char *const drawn[] = {"┌", "┐", "└", "┘", "─", "│"};
    char *to = text;

    if (!term || strcmp(term, "vt100") != 0)
        return;
    for (const char *from = text; *from;) {
        size_t i = 0;

        while (i < COUNT(drawn) && strncmp(from, drawn[i], 3) != 0)
            i++;
        *to++ = i == COUNT(drawn) ? *from : "++++-|"[i];
        from += i == COUNT(drawn) ? 1 : 3;
    }
    *to = 0;
}

/* The same characters, lines of a VT100 as + - and |, and nothing but them. */
START_TEST(text_has_the_characters)
{
    static const char *const names[] = {"1.txt", "2.txt", "3.txt", "4.txt"};
    struct screen *screen = opens((size_t)_i);
    bool equal = false;

    for (size_t i = 0; i < COUNT(names) && !equal; i++) {
        char *expected = strdup(screen_text(screen)), *text = writes(screen, names[i], NULL);

        without_lines(expected, shown[_i].options.term);
        equal = strcmp(text, expected) == 0;
        ck_assert_ptr_null(strchr(text, '\033'));
        if (i == COUNT(names) - 1)
            ck_assert_str_eq(text, expected);
        free(expected);
        screen_send(screen, "\033");
        screen_listen(screen, 0.5);
    }
    user_quits(screen);
}
END_TEST

/* A run goes on while the name is typed; the file has what was on the screen before. */
START_TEST(shows_the_time_of_the_key)
{
    struct screen *screen = user_starts_default();
    const char *path = test_path("run.txt");
    long long opened, written;
    char *text;

    user_does(screen, STEPS(PRESS(" "), REACHES(2), PRESS("w"), SHOWS("write: ")));
    opened = shown_generation(screen);
    expect_generation_from(screen, opened + 2);
    user_does(screen,
              STEPS(PRESS("\005\025"), PRESS(path), PRESS("\r"), SHOWS("the screen of 80x24")));
    text = test_read(path, NULL);
    written = strtoll(strstr(text, "gen ") + 4, NULL, 10);
    ck_assert_int_le(written, opened);
    ck_assert_ptr_null(strstr(text, "write: "));
    user_quits(screen);
}
END_TEST

/* The list that is open, and not the prompt over it. */
START_TEST(writes_what_lies_over_the_panels)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "32x32"}};
    struct screen *screen = user_starts(&options);
    char *text;

    user_types(screen, ":", "bench reference,threads");
    screen_expect(screen, " 32x32 seed 1  done");
    text = writes(screen, "ladder.txt", NULL);
    ck_assert_contains(text, "[ladder: every backend from the same start]", "= reference");
    ck_assert_ptr_null(strstr(text, "file for the report"));
    screen_send(screen, "q");
    screen_expect_not(screen, "[ladder");
    user_quits(screen);
}
END_TEST

START_TEST(replaces_when_asked_twice)
{
    struct screen *screen = user_starts_default();
    const char *path = test_path("old.ansi");
    struct stat facts;
    char *text;

    test_write(path, "old", 3);
    ck_assert_int_eq(chmod(path, 0640), 0);
    user_types(screen, "w", path);
    screen_expect(screen, "this file exists; press Enter again");
    text = test_read(path, NULL);
    ck_assert_str_eq(text, "old");
    screen_send(screen, "\r");
    screen_expect(screen, "wrote ");
    text = test_read(path, NULL);
    ck_assert_contains(text, "anneal");
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_int_eq(facts.st_mode & 0777, 0640);
    user_quits(screen);
}
END_TEST

START_TEST(a_command_writes_it)
{
    struct screen *screen = user_starts_default();
    char *text;
    const char *path = test_path("old.txt");

    test_write(path, "old", 3);
    user_types(screen, ":", test_text("write %s", path));
    screen_expect(screen, "exists; use :write! to replace it");
    text = test_read(path, NULL);
    ck_assert_str_eq(text, "old");
    user_types(screen, ":", test_text("write! %s", path));
    screen_expect(screen, "wrote ");
    text = test_read(path, NULL);
    ck_assert_contains(text, "timing");
    ck_assert_ptr_null(strstr(text, "write!"));
    user_quits(screen);
}
END_TEST

/* Where it cannot be written, the message says what and why, and nothing is left. */
START_TEST(failures_are_told)
{
    const struct screen_options options = {.rows = 24, .columns = 200};
    struct screen *screen = user_starts(&options);
    int files;

    ck_assert_int_eq(symlink("/dev/full", test_path("full.ansi")), 0);
    ck_assert_int_eq(mkdir(test_path("folder.txt"), 0700), 0);
    files = test_files();
    user_does(screen,
              STEPS(ENTER("w", "/proc/none/x.txt"),
                    SHOWS("cannot write /proc/none/x.txt: No such file or directory (in folder "
                          "/proc/none)"),
                    ENTER("w", test_path("folder.txt")), SHOWS("folder.txt: Is a directory"),
                    ENTER("w", test_path("full.ansi")), SHOWS("No space left on device")));
    ck_assert_int_eq(test_files(), files);
    user_quits(screen);
}
END_TEST

/* Only the workbench has a screen. */
START_TEST(other_commands_refuse_them)
{
    static const struct refusal refusals[] = {
        {"run anneal -n 1 -o screen.txt", CA_USAGE, "screen.txt", ".npy"},
        {"run anneal -n 1 -o screen.ansi", CA_USAGE, "screen.ansi", ".npy"},
        {"run anneal -n 1 -o picture:screen.ansi", CA_USAGE, "screen.ansi", ".png"},
        {"run anneal -n 1 --init screen.txt", CA_USAGE, "screen.txt", ".npy"},
    };

    calab_refuses(&refusals[_i]);
}
END_TEST

START_TEST(formats_list_them)
{
    struct outcome outcome = calab("list formats");

    ck_assert_contains(outcome.out, "\n.txt ", "\n.ansi ");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {shows_the_time_of_the_key, writes_what_lies_over_the_panels,
                              replaces_when_asked_twice, a_command_writes_it, failures_are_told,
                              formats_list_them},
                     .table = {{cat_shows_the_screen, COUNT(shown)},
                               {text_has_the_characters, COUNT(shown)},
                               {other_commands_refuse_them, 4}});
}
