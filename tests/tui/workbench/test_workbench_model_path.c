/* SPDX-License-Identifier: MIT */
/* The workbench opens a model from a file: by its command line, by a command, and the last one. */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/user.h"

#define OF(name, live)                                                                             \
    "#include \"calab_model.h\"\n"                                                                 \
    "CA_MODEL(" name ", \"cells that stay\")\n"                                                    \
    "CA_STATE(NONE, 0, ' ', CA_QUIET, \"none\")\n"                                                 \
    "CA_STATE(SOME, 1, 'O', CA_STRONG, \"" live "\")\n"                                            \
    "CA_RANDOM_START(random, \"some cells\", SHARE(SOME, 0.5))\n"                                  \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    return AT(0, 0);\n"                                                                       \
    "}\n"

START_TEST(a_path_opens)
{
    const char *path = test_put("staying.c", OF("staying", "resting"));
    const char *other = test_put("other.c", OF("waiting", "waiting"));
    struct screen *screen = user_starts(&(const struct screen_options){.arguments = {path}});
    char command[1024];

    screen_expect(screen, "staying");
    screen_expect(screen, "gen 0");
    snprintf(command, sizeof command, "model %s", other);
    user_types(screen, ":", command);
    screen_expect(screen, "waiting");
    snprintf(command, sizeof command, "model %s.c", other);
    user_types(screen, ":", command);
    screen_expect(screen, "cannot be read");
    user_quits(screen);
}
END_TEST

/* The model of the last time; its file is gone the time after. */
START_TEST(the_last_model_is_opened_again)
{
    const char *path = test_put("staying.c", OF("staying", "resting"));

    user_quits(user_starts(&(const struct screen_options){.arguments = {path}}));
    for (int i = 0; i < 2; i++) {
        struct screen *screen = user_starts_default();

        screen_expect(screen, i ? "cannot be read" : "staying");
        user_quits(screen);
        remove(path);
    }
}
END_TEST

/* A model whose file is part of the program is opened again as any other. */
START_TEST(the_last_model_is_in_the_program)
{
    struct screen *screen =
        user_starts(&(const struct screen_options){.arguments = {"builtin:/models/ant.c"}});

    screen_expect(screen, " ant  ");
    user_quits(screen);
    screen = user_starts_default();
    screen_expect(screen, " ant  ");
    ck_assert_ptr_null(strstr(screen_text(screen), "cannot be read"));
    user_quits(screen);
}
END_TEST

/* Tab completes the path: folders, and what ends in .c. */
START_TEST(paths_are_completed)
{
    const char *path = test_put("staying.c", OF("staying", "resting"));
    struct screen *screen = user_starts_default();

    test_put("staying.txt", "");
    screen_send(screen, test_text(":model %.*s\t", (int)strlen(path) - 5, path));
    screen_expect(screen, "/staying.c");
    screen_send(screen, "\r");
    screen_expect(screen, " staying  256x256");
    user_quits(screen);
}
END_TEST

/* A state alone opens where its text is trusted; its file need not be there. */
START_TEST(a_trusted_state_opens)
{
    const char *path = test_put("staying.c", OF("staying", "resting")), *state = test_path("s.h5");
    struct screen *screen;

    calab_good("run %s -s 40x20 -n 7 -o %s", path, state);
    remove(path);
    screen = user_starts(&(const struct screen_options){.arguments = {state, "--trust"}});
    screen_expect(screen, "staying");
    expect_generation(screen, 7);
    user_types(screen, ":", "step 2");
    expect_generation(screen, 9);
    user_quits(screen);
}
END_TEST

/* Closed at a generation, with parameters and a size of its own; then the file is another. */
START_TEST(a_file_goes_on_with_its_state)
{
    static const char parameter[] = "CA_PARAM(share, 0.5, 0, 1, \"of some cells\")\n";
    const char *path =
        test_put("staying.c", test_text("%s%s", OF("staying", "resting"), parameter));
    struct screen *screen =
        user_starts(&(const struct screen_options){.arguments = {path, "-s", "40x20"}});

    user_types(screen, ":", "set share=0.25");
    user_types(screen, "g", "9");
    expect_generation(screen, 9);
    user_quits(screen);
    for (int i = 0; i < 2; i++) { /* by its path, and as the last one */
        screen = user_starts(&(const struct screen_options){.arguments = {i ? NULL : path}});
        screen_expect(screen, " staying  40x20");
        expect_generation(screen, 9);
        screen_send(screen, "y");
        screen_expect(screen, "share=0.25");
        screen_send(screen, "q");
        user_quits(screen);
    }
    screen = user_starts(&(const struct screen_options){.arguments = {path, "-s", "30x10"}});
    screen_expect(screen, " staying  30x10");
    expect_generation(screen, 0); /* the command line describes another run */
    user_quits(screen);
    test_put("staying.c", test_text("%s%s\n", OF("staying", "resting"), parameter));
    screen = user_starts(&(const struct screen_options){.arguments = {path}});
    screen_expect(screen, " staying  256x256");
    expect_generation(screen, 0);
    user_quits(screen);
}
END_TEST

static size_t saved_states(void)
{
    glob_t found;
    size_t count;

    glob(test_path("state/calab/staying-????????????????.h5"), 0, NULL, &found);
    count = found.gl_pathc;
    globfree(&found);
    return count;
}

/* A file that is saved while it is shown takes the state over: the older text has none any more. */
START_TEST(an_edited_file_has_one_state)
{
    const char *path = test_put("staying.c", OF("staying", "resting"));

    for (int i = 0; i < 2; i++) {
        struct screen *screen = user_starts(&(const struct screen_options){.arguments = {path}});

        expect_generation(screen, i ? 5 : 0);
        user_types(screen, "g", i ? "8" : "5");
        expect_generation(screen, i ? 8 : 5);
        if (i) {
            test_put("staying.c", OF("staying", "sleeping"));
            screen_expect(screen, "compiled anew; generation 8 goes on");
        }
        user_quits(screen);
        ck_assert_uint_eq(saved_states(), 1);
    }
}
END_TEST

/* Each has a state of its own, and where both are open the title tells them apart. */
START_TEST(two_files_of_one_name)
{
    const char *path[2];
    struct screen *screen;

    for (int i = 0; i < 2; i++) {
        const char *folder = test_path(i ? "north" : "south");

        mkdir(folder, 0700);
        path[i] = test_put(i ? "north/twin.c" : "south/twin.c",
                           i ? OF("twin", "northern") : OF("twin", "southern"));
        screen = user_starts(&(const struct screen_options){.arguments = {path[i]}});
        screen_expect(screen, " twin  256x256");
        user_types(screen, "g", i ? "5" : "3");
        expect_generation(screen, i ? 5 : 3);
        user_quits(screen);
    }
    screen = user_starts(&(const struct screen_options){.arguments = {path[0]}});
    screen_expect(screen, " twin  256x256");
    expect_generation(screen, 3);
    user_types(screen, ":", test_text("model %s", path[1]));
    screen_expect(screen, " twin (north/twin.c)  256x256");
    expect_generation(screen, 5);
    user_types(screen, ":", test_text("model %s", path[0]));
    screen_expect(screen, " twin (south/twin.c)  256x256");
    expect_generation(screen, 3);
    user_quits(screen);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_file_goes_on_with_its_state, an_edited_file_has_one_state,
                              two_files_of_one_name, a_path_opens, the_last_model_is_opened_again,
                              the_last_model_is_in_the_program, a_trusted_state_opens,
                              paths_are_completed});
}
