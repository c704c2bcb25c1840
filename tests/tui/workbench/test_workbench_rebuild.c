/* SPDX-License-Identifier: MIT */
/* A model's file that is saved while the workbench shows it: the new edition takes over with the
 * state, and what is wrong with one is said by its line, at which the editor opens. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/script.h"
#include "tests/support/support.h"
#include "tests/support/user.h"

/* Cells that stay; the count's name, by which an edition is known, and what cell() does first. */
#define OF(count, first)                                                                           \
    "#include \"calab_model.h\"\n"                                                                 \
    "CA_MODEL(staying, \"cells that stay\")\n"                                                     \
    "CA_STATE(NONE, 0, ' ', CA_QUIET, \"none\")\n"                                                 \
    "CA_STATE(SOME, 1, 'O', CA_STRONG, \"some\")\n"                                                \
    "CA_COUNT(" count ", SOME, \"cells that are some\")\n"                                         \
    "CA_RANDOM_START(random, \"some cells\", SHARE(SOME, 0.5))\n"                                  \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n" first "    return AT(0, 0);\n"                                                           \
    "}\n"
#define CRASHES                                                                                    \
    "    int *nowhere = (int *)(long)(nb.t < 0);\n"                                                \
    "    if (nb.t >= 0)\n"                                                                         \
    "        *(volatile int *)nowhere = 1;\n"
#define LOOPS                                                                                      \
    "    for (volatile int i = 0; nb.t >= 0;)\n"                                                   \
    "        i = i + 1;\n"
#define FLOATS                                                                                     \
    "#define CA_FLOATS 1\n"                                                                        \
    "#include \"calab_model.h\"\n"                                                                 \
    "CA_MODEL(staying, \"cells that stay\")\n"                                                     \
    "CA_PLANE(U, 0, \"\", 0, 1, \"u\")\n"                                                          \
    "CA_SUM(sum_u, U, \"sum of u\")\n"                                                             \
    "CA_START(half, \"half\")\n{\n    return 0.5f;\n}\n"                                           \
    "CA_CELL cell(CA_NB nb)\n{\n    return VALUE(U, 0, 0);\n}\n"

static void save(const char *text) { test_put("staying.c", text); }

/* It says where it opens, and puts the file that is to be there in the place of the one that is. */
static const char *editor(void)
{
    const char *path = test_put("editor", "#!/bin/sh\n"
                                          "echo \"$@\" > \"$HOME/edited\"\n"
                                          "cp \"$HOME/next\" \"$2\"\n");

    ck_assert_int_eq(chmod(path, 0700), 0);
    return test_text("EDITOR=%s", path);
}

static struct screen *starts_by(const char *compiler)
{
    save(OF("first", ""));
    return user_starts(&(const struct screen_options){
        .rows = 30,
        .columns = 100,
        .arguments = {test_path("staying.c"), "-s", "40x20", "-b", "threads"},
        .environment = {editor(), compiler}});
}

static struct screen *starts(void) { return starts_by(NULL); }

static void steps_to_three(struct screen *screen)
{
    screen_expect_words(screen, "first");
    user_types(screen, ":", "step 3");
    expect_generation(screen, 3);
}

START_TEST(a_saved_file_takes_over)
{
    struct screen *screen = starts();

    steps_to_three(screen);
    save(OF("second", ""));
    screen_expect_words(screen, "staying.c: compiled anew; generation 3 goes on");
    screen_expect_words(screen, "second");
    expect_generation(screen, 3);
    user_types(screen, ":", "step 2");
    expect_generation(screen, 5);
    save(FLOATS);
    screen_expect_words(screen, "the state does not fit: its cells are 1 plane of floats");
    screen_expect_words(screen, "sum_u");
    expect_generation(screen, 0);
    user_quits(screen);
}
END_TEST

/* A run that has not begun begins with what the new edition says of its start. */
START_TEST(a_start_is_made_anew)
{
    struct screen *screen = starts();

    screen_expect_words(screen, "first");
    screen_expect_words(screen, "gen 0");
    save(OF("second", ""));
    screen_expect_words(screen, "staying.c: compiled anew");
    screen_expect_words(screen, "second");
    screen_expect_not(screen, "goes on");
    user_quits(screen);
}
END_TEST

START_TEST(an_error_opens_the_editor)
{
    struct screen *screen = starts();

    steps_to_three(screen);
    test_put("next", OF("third", ""));
    save(OF("second", "    int x = ;\n"));
    screen_expect_words(screen, "staying.c:9:");
    screen_expect_words(screen, "the model before goes on (enter: edit, esc)");
    user_types(screen, ":", "step 1");
    expect_generation(screen, 4);
    screen_send(screen, "\r");
    screen_expect_words(screen, "generation 4 goes on");
    screen_expect_words(screen, "third");
    screen_expect_not(screen, "staying.c:9:");
    ck_assert_str_eq(test_keep(test_read(test_path("edited"), NULL)),
                     test_text("+9 %s\n", test_path("staying.c")));
    user_quits(screen);
}
END_TEST

/* The engine alone ends; the next edition goes on from the last good state. */
START_TEST(a_crash_is_named_by_its_line)
{
    struct screen *screen = starts();

    steps_to_three(screen);
    save(OF("second", CRASHES));
    screen_expect_words(screen, "second");
    user_types(screen, ":", "step 1");
    screen_expect_words(screen, "ended by SIGSEGV in staying.c:11 at generation 3");
    screen_expect_words(screen, "restarted at generation 3");
    expect_generation(screen, 3);
    save(OF("third", ""));
    screen_expect_words(screen, "third");
    screen_expect_words(screen, "generation 3 goes on");
    screen_expect_not(screen, "SIGSEGV");
    user_quits(screen);
}
END_TEST

/* So does one that crashes twice in a row, once the file is mended. */
START_TEST(a_dead_engine_comes_back)
{
    struct screen *screen = starts();

    steps_to_three(screen);
    save(OF("second", CRASHES));
    screen_expect_words(screen, "second");
    user_types(screen, ":", "step 1");
    screen_expect_words(screen, "restarted at generation 3");
    user_types(screen, ":", "step 1");
    screen_expect_words(screen, "crashed twice in a row");
    save(OF("third", ""));
    screen_expect_words(screen, "third");
    expect_generation(screen, 3);
    user_quits(screen);
}
END_TEST

START_TEST(a_loop_is_ended_by_the_next_edition)
{
    struct screen *screen = starts();

    steps_to_three(screen);
    save(OF("second", LOOPS));
    screen_expect_words(screen, "second");
    user_types(screen, ":", "step 1");
    screen_expect_words(screen, "the engine computes and has not answered");
    screen_send(screen, "\003");
    screen_expect_words(screen, "kill the engine and restart it");
    screen_send(screen, "j\r");
    screen_expect_words(screen, "the engine was killed in staying.c:");
    screen_expect_words(screen, "restarted at generation 3");
    user_types(screen, ":", "step 1");
    screen_expect_words(screen, "the engine computes and has not answered");
    save(OF("third", ""));
    screen_expect_words(screen, "third");
    expect_generation(screen, 3);
    user_quits(screen);
}
END_TEST

/* What the backend finds wrong closes the simulation, which begins again at its last good state. */
START_TEST(a_wrong_state_opens_the_editor)
{
    struct screen *screen = starts();

    steps_to_three(screen);
    user_types(screen, ":", "backend reference");
    screen_expect_words(screen, "backend reference");
    save(OF("second", "    if (nb.t > 3)\n        return 7;\n"));
    screen_expect_words(screen, "second");
    user_types(screen, ":", "step 2");
    screen_expect_words(screen, "cell() returns state 7");
    test_put("next", OF("third", ""));
    screen_send(screen, "\r");
    screen_expect_words(screen, "third");
    expect_generation(screen, 3);
    user_quits(screen);
}
END_TEST

START_TEST(what_cannot_be_read_is_said)
{
    struct screen *screen = starts();

    steps_to_three(screen);
    ck_assert_int_eq(remove(test_path("staying.c")), 0);
    screen_expect_words(screen, "staying.c is gone; the model that was read goes on");
    ck_assert_int_eq(mkdir(test_path("staying.c"), 0700), 0);
    screen_expect_words(screen, "the model before goes on (esc)");
    ck_assert_int_eq(rmdir(test_path("staying.c")), 0);
    save(OF("second", ""));
    screen_expect_words(screen, "second");
    expect_generation(screen, 3);
    user_quits(screen);
}
END_TEST

/* A compiler that hangs holds up neither the run nor the end, and is taken along by it. */
START_TEST(a_compiler_may_hang)
{
    const char *path = test_put(
        "compiler", test_text("#!/bin/sh\n[ ! -e %s ] || exec sleep 1000\nexec cc \"$@\"\n",
                              test_path("hangs")));
    struct screen *screen;

    ck_assert_int_eq(chmod(path, 0700), 0);
    screen = starts_by(test_text("CC=%s", path));
    steps_to_three(screen);
    test_put("hangs", "");
    save(OF("second", ""));
    screen_expect_words(screen, "staying.c: compiling");
    user_types(screen, ":", "step 1");
    expect_generation(screen, 4);
    ck_assert_int_eq(remove(test_path("hangs")), 0);
    save(OF("third", ""));
    screen_expect_words(screen, "third");
    expect_generation(screen, 4);
    test_put("hangs", "");
    save(OF("fourth", ""));
    screen_expect_words(screen, "staying.c: compiling");
    user_quits(screen);
}
END_TEST

START_TEST(a_missing_compiler_is_said)
{
    const char *path = test_put("compiler", "#!/bin/sh\nexec cc \"$@\"\n");
    struct screen *screen;

    ck_assert_int_eq(chmod(path, 0700), 0);
    screen = starts_by(test_text("CC=%s", path));
    steps_to_three(screen);
    ck_assert_int_eq(remove(path), 0);
    save(OF("second", ""));
    screen_expect_words(screen, "cannot be started: No such file");
    user_types(screen, ":", "step 1");
    expect_generation(screen, 4);
    user_quits(screen);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_saved_file_takes_over, a_start_is_made_anew,
                              an_error_opens_the_editor,
                              !SANITIZED ? a_crash_is_named_by_its_line : NULL,
                              a_dead_engine_comes_back, a_loop_is_ended_by_the_next_edition,
                              a_wrong_state_opens_the_editor, what_cannot_be_read_is_said,
                              a_compiler_may_hang, a_missing_compiler_is_said});
}
