/* SPDX-License-Identifier: MIT */
/* The workbench opens a model from a file: by its command line, by a command, and the last one. */
#include <stdio.h>
#include <string.h>

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

int main(void)
{
    return RUN_TESTS(.test = {a_path_opens, the_last_model_is_opened_again, a_trusted_state_opens,
                              paths_are_completed});
}
