/* SPDX-License-Identifier: MIT */
/* A lab in the workbench: what it says of a kernel each time that this is saved, the editor, and
 * the kernel beside other backends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cells.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/support_lab.h"
#include "tests/support/script.h"

#define WRONG "if (h > 19) cell[19 * w + 3] ^= 1;"

/* An editor that says what it was given, and waits until it may end. */
static const char editor[] = "#!/bin/sh\n"
                             "echo \"editing $1\"\n"
                             "echo \"$@\" >> \"$HOME/edited\"\n"
                             "while [ ! -e \"$HOME/go\" ]; do sleep 0.05; done\n"
                             "rm \"$HOME/go\"\n";

static const char *make_editor(void)
{
    static char variable[400];

    test_put("editor", editor);
    ck_assert_int_eq(chmod(test_path("editor"), 0700), 0);
    snprintf(variable, sizeof variable, "EDITOR=%s -x", test_path("editor"));
    return variable;
}

static const char *temporary(void)
{
    static char variable[400];

    mkdir(test_path("tmp"), 0700);
    snprintf(variable, sizeof variable, "TMPDIR=%s", test_path("tmp"));
    return variable;
}

static struct screen *starts_sized(const char *folder, int rows, int columns)
{
    struct screen_options options = {.rows = rows,
                                     .columns = columns,
                                     .arguments = {"lab", folder, "-s", "48x40"},
                                     .environment = {make_editor(), temporary()}};

    return user_starts(&options);
}

static struct screen *starts(const char *folder) { return starts_sized(folder, 24, 80); }

/* It leaves nothing in the temporary folder. */
static void quits(struct screen *screen)
{
    screen_send(screen, "qq"); /* of a list, and of the workbench */
    ck_assert_int_eq(screen_end(screen), 0);
    screen_close(screen);
    ck_assert_int_eq(rmdir(test_path("tmp")), 0);
}

/* The kernel runs, from its start on. */
static void closes_list(struct screen *screen)
{
    screen_send(screen, "q");
    screen_expect_not(screen, "[lab: your kernel");
}

enum { COLOUR_RED = 1, COLOUR_GREEN = 2 };

static int row_with(struct screen *screen, const char *text)
{
    for (int row = 0; row < screen_rows(screen); row++)
        if (screen_row_shows(screen, row, text))
            return row;
    ck_abort_msg("'%s' is on no row:\n%s", text, screen_text(screen));
    return -1;
}

/* The colour of the first character of a text that stands on the screen. */
static int colour_at(struct screen *screen, const char *text)
{
    const int row = row_with(screen, text);
    struct cells cells = cells_of(screen);
    int column = 0, front;

    for (const char *at = screen_row(screen, row), *end = strstr(at, text); at < end; at++)
        column += ((unsigned char)*at & 0xc0) != 0x80;
    front = cells.cell[row * cells.columns + column].front;
    cells_free(&cells);
    return front;
}

/* The cause stands before the cell, this before the case and the cells around it. */
static void expects_errors_first(struct screen *screen)
{
    int state = row_with(screen, "kernel.c: wrong"), cause = row_with(screen, "cause: "),
        first = row_with(screen, "  generation "), where = row_with(screen, "from generation 0"),
        around = row_with(screen, "! wrong");

    ck_assert_int_eq(cause, state + 1);
    ck_assert_int_lt(cause, first);
    ck_assert_int_lt(first, where);
    ck_assert_int_lt(where, around);
}

/* From a wrong cell and its cause over a fix that is saved to the ladder. */
START_TEST(from_wrong_to_right)
{
    const char *folder = lab_folder("mine", "for (int64_t i = 0; i < w * h; i++) cell[i] = "
                                            "in[0][i];");
    struct screen *screen;

    test_hurry_by(4);
    screen = starts(folder);
    user_does(screen, STEPS(SHOWS("kernel.c: wrong, on the CPU"), SHOWS("> cause: "),
                            SHOWS("  generation "), SHOWS("on 5x3, seed 3, from generation 0"),
                            SHOWS("cells wrong"), SHOWS("before "), SHOWS("expected "),
                            SHOWS("! wrong"), STATUS(" lab on cpu")));
    expects_errors_first(screen);
    lab_save(folder, "");
    user_does(screen, STEPS(SHOWS("kernel.c: right, on the CPU: 2 cases"), SHOWS(">*lab "),
                            SHOWS("anneal 48x40 seed 3  done"), SHOWS("= reference"),
                            SHOWS_WORDS("; all equal")));
    lab_save(folder, WRONG); /* the rows of the edition before are gone */
    user_does(screen, STEPS(SHOWS("generation 1, x 3, y 19, z 0, plane cell"), HIDES("all equal"),
                            SHOWS("1 cell wrong")));
    lab_save(folder, "while (w > 5) pause();"); /* which may be right */
    user_does(screen, STEPS(SHOWS("kernel.c: too slow, on the CPU"),
                            SHOWS("1 case was right, then no result in a step after"),
                            SHOWS("in lab.cfg say how long")));
    quits(screen);
}
END_TEST

static void expect_edited(struct screen *screen, const char *line)
{
    char *text = strdup("");

    for (int i = 0; i < 200 && !strchr(text, '\n'); i++) { /* the shell makes it, and fills it */
        screen_listen(screen, 0.05);
        if (access(test_path("edited"), F_OK) != 0)
            continue;
        free(text);
        text = test_read(test_path("edited"), NULL);
    }
    ck_assert_str_eq(text, line);
    free(text);
    unlink(test_path("edited"));
}

/* The first error with its line; Enter gives the terminal to the editor there, in the modes of a
 * shell, and takes it back. */
START_TEST(opens_the_editor_at_an_error)
{
    const char *folder = lab_folder("broken", "int a = ;");
    struct screen *screen = starts(folder);

    user_does(screen, STEPS(SHOWS("kernel.c: does not compile"),
                            SHOWS("> kernel.c:17:13: error: expected expression"),
                            STATUS(" gen 0 "), PRESS("\r"), SHOWS("editing -x")));
    ck_assert(screen_modes_as_before(screen));
    expect_edited(screen, test_text("-x +17 %s/kernel.c\n", folder));
    lab_save(folder, "");
    test_put("go", "");
    screen_expect(screen, "kernel.c: right, on the CPU: 2 cases");
    screen_expect_not(screen, "editing");
    ck_assert(!screen_modes_as_before(screen));
    expect_status(screen, " lab on cpu");
    closes_list(screen);
    screen_send(screen, ".");
    expect_generation(screen, 1);
    quits(screen);
}
END_TEST

START_TEST(says_that_there_is_no_editor)
{
    struct screen_options options = {.arguments = {"lab", lab_folder("mine", "int a = ;")},
                                     .environment = {"EDITOR=/no/such/editor", temporary()}};
    struct screen *screen = user_starts(&options);

    user_does(screen, STEPS(SHOWS("> kernel.c:17:13: error"), PRESS("\r"),
                            SHOWS("there is no such editor: name one in the variable EDITOR")));
    quits(screen);
}
END_TEST

/* A kernel that crashes takes nothing with it, and r starts it again. */
START_TEST(a_kernel_that_crashes)
{
    struct screen *screen = starts(lab_folder("mine", "if (lab->t > 2) *(volatile int *)0 = 1;"));

    screen_expect(screen, "the kernel crashed in a step: Segmentation fault");
    closes_list(screen);
    user_does(screen,
              STEPS(STATUS(" lab on cpu"), PRESS("..."), GENERATION(3), PRESS("."),
                    SHOWS("stopped at generation 3: kernel.c: the kernel crashed in a step"),
                    PRESS("\033"), HIDES("stopped at generation 3"), PRESS("."),
                    SHOWS("the run has ended; press r to start it again at generation 0"),
                    PRESS("r"), GENERATION(0), PRESS(".."), GENERATION(2)));
    quits(screen);
}
END_TEST

/* In the ladder a crash costs the kernel's row alone. */
START_TEST(a_crash_in_the_ladder)
{
    struct screen *screen;

    test_hurry_by(4);
    screen = starts(lab_folder("mine", "*(volatile int *)0 = 1;"));
    user_does(screen, STEPS(SHOWS("the kernel crashed in a step: Segmentation fault"),
                            STATUS(" lab on cpu"), PRESS("T"),
                            SHOWS("lab                 CRASHED: kernel.c: the kernel crashed"),
                            SHOWS("anneal 48x40 seed 3  done")));
    quits(screen);
}
END_TEST

/* Beside the reference: equal, and after a save the cell at which they begin to differ. */
START_TEST(splits)
{
    const char *folder = lab_folder("mine", "");
    struct screen *screen = starts(folder);

    user_does(screen, STEPS(SHOWS("kernel.c: right"), SHOWS(">*lab "), PRESS("x"), SHOWS("[A lab]"),
                            SHOWS("B reference"), PRESS(".."), ROW(0, "= EQUAL at 2")));
    lab_save(folder, WRONG);
    user_does(screen,
              STEPS(ROW(0, "= EQUAL at 0"), SHOWS("kernel.c is wrong: generation 1, x 3, y 19"),
                    PRESS("."), ROW(0, "DIFFER from 1 at 3,19"), PRESS("t"),
                    SHOWS("kernel.c: wrong, on the CPU")));
    closes_list(screen);
    quits(screen);
}
END_TEST

/* In a workbench that is open, by its folder; the run before is saved, the lab's is not. */
START_TEST(opens_by_the_key)
{
    struct screen_options options = {.arguments = {"life3d", "-s", "16x16x16"},
                                     .environment = {temporary()}};
    const char *folder = lab_folder("mine", "");
    struct screen *screen = user_starts(&options);
    char *settings;

    user_does(screen, STEPS(PRESS(".."), GENERATION(2), ENTER("t", test_path("nothing")),
                            SHOWS("No such file or directory"), ENTER("", folder),
                            SHOWS("kernel.c: right"), STATUS(" anneal "), STATUS(" lab on cpu")));
    closes_list(screen);
    user_does(screen, STEPS(PRESS("y"), SHOWS("calab lab "), SHOWS("-s 512x512 --seed 3"),
                            PRESS("q"), PRESS("b"), SHOWS("*lab "), SHOWS("kernel.c of mine"),
                            PRESS("\033"), HIDES("type to filter"), CHOOSE("m", "life3d"),
                            STATUS(" life3d "), GENERATION(2)));
    quits(screen);
    settings = saved_settings();
    ck_assert(!strstr(settings, "\"lab\""));
}
END_TEST

/* The smallest screen, and a large one where the list is beside the lattice. */
START_TEST(sizes)
{
    static const struct {
        int rows, columns;
    } size[] = {{12, 40}, {60, 200}};
    struct screen *screen =
        starts_sized(lab_folder("mine", WRONG), size[_i].rows, size[_i].columns);

    user_does(screen,
              STEPS(SHOWS("kernel.c: wrong, on the CPU"), SHOWS("> generation 1, x 3, y 19, z 0,"),
                    PRESS("jj"), SHOWS("> 1 cell wrong")));
    quits(screen);
}
END_TEST

/* What is wrong is red with a word, what is right in another colour; the cause is said as to
 * somebody who wrote it, and whole on the smallest screen. */
START_TEST(the_old_plane)
{
    struct screen *screen =
        starts_sized(lab_folder("mine", "((lab_cell *)in[0])[0] ^= 1;"), 12, 40);

    user_does(screen, STEPS(SHOWS("kernel.c: wrong, on the CPU"),
                            SHOWS("> you wrote into the old plane"), SHOWS("row y 0, z 0")));
    ck_assert_int_eq(colour_at(screen, "kernel.c: wrong"), COLOUR_RED);
    quits(screen);
}
END_TEST

/* What does not run cannot be held against anything. */
START_TEST(nothing_to_split_yet)
{
    struct screen *screen = starts(lab_folder("mine", "int a = ;"));

    user_does(screen, STEPS(SHOWS("does not compile"), PRESS("x"),
                            SHOWS("kernel.c does not run yet; once it does"), LACKS("backend of B"),
                            LACKS("[A ")));
    quits(screen);
}
END_TEST

START_TEST(right_and_wrong_have_colours)
{
    const char *folder = lab_folder("mine", WRONG);
    struct screen *screen = starts(folder);

    user_does(screen, STEPS(SHOWS("kernel.c: wrong, on the CPU"), SHOWS("! wrong")));
    ck_assert_int_eq(colour_at(screen, "kernel.c: wrong"), COLOUR_RED);
    ck_assert_int_eq(colour_at(screen, "1 cell wrong"), COLOUR_RED);
    ck_assert_int_eq(colour_at(screen, "! wrong"), COLOUR_RED);
    ck_assert_int_ne(colour_at(screen, "before "), COLOUR_RED);
    lab_save(folder, "");
    screen_expect(screen, "kernel.c: right, on the CPU");
    ck_assert_int_eq(colour_at(screen, "kernel.c: right"), COLOUR_GREEN);
    quits(screen);
}
END_TEST

/* Only what is timed can be stopped. */
START_TEST(stops_what_is_timed)
{
    const char *folder = lab_folder("mine", WRONG);
    struct screen *screen;

    test_hurry_by(4);
    screen = starts(folder);
    user_does(screen, STEPS(SHOWS("kernel.c: wrong, on the CPU"), ROW(-1, "enter edit  q back"),
                            LACKS_ROW(-1, "stop timing")));
    lab_save(folder, "");
    user_does(screen, STEPS(SHOWS("kernel.c: right"), ROW(-1, "stop timing"),
                            SHOWS_WORDS("; all equal"), LACKS_ROW(-1, "stop timing")));
    quits(screen);
}
END_TEST

/* What the folder lacks is said, and found once it is there. */
START_TEST(a_folder_that_changes)
{
    const char *folder = lab_folder("mine", "");
    struct screen *screen = starts(folder);

    screen_expect(screen, "kernel.c: right");
    unlink(test_text("%s/kernel.c", folder));
    screen_expect(screen, "kernel.c: not checked");
    screen_expect(screen, "No such file or directory");
    lab_save(folder, WRONG);
    screen_expect(screen, "kernel.c: wrong, on the CPU");
    quits(screen);
}
END_TEST

START_TEST(refuses_an_engine_elsewhere)
{
    struct screen_options options = {.arguments = {"anneal"}, .environment = {temporary()}};
    struct screen *screen;
    char text[600];

    snprintf(text, sizeof text, "version = 1;\nworkbench : { engine_command = \"%s engine\"; };\n",
             test_program());
    ck_assert_int_eq(mkdir(test_path("config"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("config/calab"), 0700), 0);
    test_write(settings_file(), text, strlen(text));
    screen = user_starts(&options);
    user_does(screen, STEPS(ENTER("t", lab_folder("mine", "")),
                            SHOWS("a lab needs an engine of this machine"), PRESS("\033")));
    quits(screen);
}
END_TEST

/* By the key of the list: the workers in their colours, which is written as a picture. */
START_TEST(who_ran_where)
{
    const char *folder = lab_folder("mine", "");
    struct screen *screen = starts(folder);
    size_t size;

    user_does(screen, STEPS(SHOWS("kernel.c: right"), ROW(-1, "O who"), PRESS("O"),
                            SHOWS("one generation of 48x40 by 1 thread, "),
                            SHOWS("0 thread 0: 1920 cells, idle 0 %"), SHOWS("########"),
                            SHOWS("0000000000000000"), PRESS("w"), SHOWS("write: who.png")));
    ck_assert_int_eq(colour_at(screen, "0000000000000000"), COLOUR_GREEN);
    screen_send(screen, "\025");
    user_does(screen, STEPS(PRESS(test_path("who.png")), PRESS("\r"), SHOWS("wrote ")));
    ck_assert_int_eq(memcmp(test_read(test_path("who.png"), &size), "\x89PNG", 4), 0);
    test_put("mine/kernel.c", "#include \"calab/calab_lab.h\"\n"
                              "void step(const struct lab *lab, lab_input *const in[], lab_cell "
                              "*const out[])\n{\n    out[0][0] = in[0][lab->w - 1];\n}\n");
    user_does(screen, STEPS(PRESS("q"), SHOWS("kernel.c: wrong"), PRESS("O"),
                            SHOWS("kernel.c calls LAB_AT nowhere")));
    screen_send(screen, "q");
    quits(screen);
}
END_TEST

static const struct refusal refusals[] = {
    {"lab core", 8, "not the folder of a lab", "calab lab new"},
    {"lab /no/such/folder", 2, "neither a verb nor a folder", ""},
    {"lab", 2, "an argument is missing: the folder of a lab, or what to do",
     "there are: new, check, watch, grade, calibrate, who, update, tasks; see --help"},
};

int main(void)
{
    return RUN_TESTS(.test = {from_wrong_to_right, opens_the_editor_at_an_error,
                              says_that_there_is_no_editor, a_kernel_that_crashes,
                              a_crash_in_the_ladder, splits, opens_by_the_key,
                              a_folder_that_changes, refuses_an_engine_elsewhere, the_old_plane,
                              right_and_wrong_have_colours, nothing_to_split_yet,
                              stops_what_is_timed, who_ran_where},
                     .table = {{sizes, 2}, {refusals_test(refusals), COUNT(refusals)}});
}
