/* SPDX-License-Identifier: MIT */
/* The workbench as a user sees it, in a pseudo-terminal: keys in, screen out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/user.h"
#include "tests/support/support.h"

#define MODELS 5
static const char *const models[MODELS] = {"anneal", "life3d", "cloud", "fhp", "water"};

/* --- running ---------------------------------------------------------------------------------- */

START_TEST(first_start_waits_at_generation_0)
{
    struct screen *screen = user_starts_default();

    expect_status(screen, "anneal");
    expect_status(screen, "PAUSE");
    expect_generation(screen, 0);
    screen_expect_row(screen, -1, "run  ? help");
    screen_listen(screen, 0.3);
    ck_assert_int_eq(shown_generation(screen), 0);
    user_quits(screen);
}
END_TEST

/* A bad key in the settings file is reported at the start, and the message stays. */
START_TEST(bad_key_is_reported_at_the_start)
{
    static const char text[] = "version = 1;\nkeys : { run = \"q\"; };\n";
    struct screen *screen;

    ck_assert_int_eq(mkdir(test_path("config"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("config/calab"), 0700), 0);
    test_write(settings_file(), text, sizeof text - 1);
    screen = user_starts_default();
    screen_expect(screen, "keys.run: key q is already used by quit");
    screen_listen(screen, 0.2);
    screen_expect_row(screen, 22, "keys.run: key q is already used by quit");
    user_quits(screen);
}
END_TEST

START_TEST(steps_runs_and_pauses)
{
    struct screen *screen = user_starts_default();
    long long reached;

    screen_send(screen, ".");
    expect_generation(screen, 1);
    screen_send(screen, ".");
    expect_generation(screen, 2);
    screen_send(screen, " ");
    expect_status(screen, "RUN");
    expect_generation_from(screen, 5);
    screen_send(screen, " ");
    expect_status(screen, "PAUSE");
    screen_listen(screen, 0.3);
    reached = shown_generation(screen);
    screen_listen(screen, 0.5);
    ck_assert_int_eq(shown_generation(screen), reached);
    screen_send(screen, ">");
    expect_generation_from(screen, reached + 2);
    screen_send(screen, "r");
    expect_generation(screen, 0);
    user_quits(screen);
}
END_TEST

START_TEST(goes_to_a_generation)
{
    struct screen *screen = user_starts_default();

    user_types(screen, "g", "17");
    expect_generation(screen, 17);
    user_types(screen, "g", "3");
    expect_generation(screen, 3);
    user_quits(screen);
}
END_TEST

START_TEST(every_model_can_be_chosen)
{
    struct screen *screen = user_starts_default();

    if (_i == 0) { /* it is already open: choose another one first */
        user_chooses(screen, "m", models[1]);
        expect_status(screen, models[1]);
    }
    user_chooses(screen, "m", models[_i]);
    expect_status(screen, models[_i]);
    expect_generation(screen, 0);
    screen_send(screen, ".");
    expect_generation(screen, 1);
    user_quits(screen);
}
END_TEST

START_TEST(backend_changes_and_goes_back)
{
    struct screen *screen = user_starts_default();

    user_types(screen, "g", "9");
    expect_generation(screen, 9);
    expect_status(screen, "bitslice");
    user_chooses(screen, "b", "reference");
    expect_status(screen, "reference");
    expect_generation(screen, 9);
    screen_send(screen, "B");
    expect_status(screen, "bitslice");
    screen_expect(screen, "backend bitslice");
    expect_generation(screen, 9);
    screen_send(screen, "B"); /* the one that it came back from is the previous one now */
    expect_status(screen, "reference");
    screen_expect(screen, "backend reference");
    screen_send(screen, ".");
    expect_generation(screen, 10);
    user_quits(screen);
}
END_TEST

/* --- looking ---------------------------------------------------------------------------------- */

START_TEST(slices_along_three_axes)
{
    struct screen *screen = user_starts_default();

    user_chooses(screen, "m", "life3d");
    expect_status(screen, "life3d");
    screen_expect(screen, "XY z=");
    screen_send(screen, "\033[H\033OH"); /* Home, as either kind of terminal sends it */
    screen_expect(screen, "XY z=0/");
    screen_send(screen, "J");
    screen_expect(screen, "XY z=1/");
    screen_send(screen, "J");
    screen_expect(screen, "XY z=2/");
    screen_send(screen, "K");
    screen_expect(screen, "XY z=1/");
    screen_send(screen, "a");
    screen_expect(screen, "XZ y=");
    screen_send(screen, "a");
    screen_expect(screen, "YZ x=");
    screen_send(screen, "a");
    screen_expect(screen, "XY z=");
    user_quits(screen);
}
END_TEST

START_TEST(zooms_with_a_named_reduction)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, "0");
    screen_expect(screen, "2x1 a cell 0,0");
    screen_send(screen, "f");
    screen_expect_not(screen, "2x1 a cell 0,0");
    screen_expect(screen, " mean of "); /* all cells, or samples of them */
    screen_send(screen, "0");
    screen_expect(screen, "2x1 a cell 0,0");
    screen_send(screen, "l");
    screen_expect_not(screen, "2x1 a cell 0,0");
    user_quits(screen);
}
END_TEST

START_TEST(inspects_a_cell)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, "0");
    screen_expect(screen, "2x1 a cell 0,0");
    screen_send(screen, "\r");
    screen_expect(screen, "cell ");
    user_types(screen, "g", "5,7");
    screen_expect(screen, "cell 5,7");
    screen_send(screen, "\r");
    screen_expect_not(screen, "cell 5,7");
    user_quits(screen);
}
END_TEST

START_TEST(panels_are_shown_and_hidden)
{
    struct screen *screen = user_starts_default();

    screen_expect(screen, "2 timing");
    screen_send(screen, "2");
    screen_expect_not(screen, "2 timing");
    screen_send(screen, "24");
    screen_expect(screen, "4 device");
    screen_send(screen, "5");
    screen_expect(screen, "5 log");
    screen_send(screen, "z");
    screen_expect_not(screen, "2 timing");
    screen_send(screen, "\tz");
    screen_expect(screen, "[2 timing");
    screen_send(screen, "c");
    screen_expect(screen, "ramp10");
    user_chooses(screen, "C", "mono");
    user_quits(screen);
}
END_TEST

/* --- changing --------------------------------------------------------------------------------- */

START_TEST(size_changes)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, ".");
    expect_generation(screen, 1);
    user_types(screen, "s", "96x64");
    expect_status(screen, "96x64");
    expect_generation(screen, 0);
    user_types(screen, "s", "0x64");
    screen_expect(screen, "size");
    screen_send(screen, "\033");
    expect_status(screen, "96x64");
    user_quits(screen);
}
END_TEST

START_TEST(parameter_changes_and_bad_values_are_refused)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, "e");
    screen_expect(screen, "density");
    screen_send(screen, "/");
    screen_send(screen, "density\r");
    user_types(screen, "\r", "7");
    screen_expect(screen, "0 ... 1");
    screen_send(screen, "\005\0250.25");
    screen_send(screen, "\r");
    screen_expect(screen, "0.25");
    screen_send(screen, "\033");
    user_types(screen, ":", "set density=0.125");
    screen_send(screen, "e");
    screen_expect(screen, "0.125");
    screen_send(screen, "q");
    user_quits(screen);
}
END_TEST

/* An equal value changes nothing, and only parameters of the initial state wait for a reset. */
START_TEST(same_value_is_no_change)
{
    struct screen *screen = user_starts_default();

    user_chooses(screen, "m", "cloud");
    expect_status(screen, "cloud");
    user_types(screen, ":", "set p_ext=0.25");
    screen_expect(screen, "p_ext changed");
    ck_assert(!screen_shows(screen, "after the next reset"));
    user_types(screen, ":", "set p_hum=0");
    screen_send(screen, "e");
    screen_expect(screen, "p_ext            0.25           workbench");
    screen_expect(screen, "p_hum            0              built-in");
    screen_send(screen, "q");
    screen_expect_not(screen, "p_ext");
    user_quits(screen);
}
END_TEST

START_TEST(setting_persists)
{
    struct screen *screen = user_starts_default();
    char *saved;

    screen_send(screen, "o");
    screen_expect(screen, "stride");
    screen_send(screen, "/");
    screen_send(screen, "stride\r");
    user_types(screen, "\r", "37");
    screen_expect(screen, "37");
    screen_send(screen, "\033");
    screen_expect_not(screen, "fps");
    screen_send(screen, ">");
    expect_generation(screen, 37);
    user_quits(screen);
    saved = saved_settings();
    ck_assert_contains(saved, "stride = 37");
    free(saved);

    screen = user_starts_default();
    expect_generation(screen, 37);
    screen_send(screen, ">");
    expect_generation(screen, 74);
    user_quits(screen);
}
END_TEST

START_TEST(everything_is_as_it_was)
{
    struct screen *screen = user_starts_default();
    char picture[2][8192];

    user_chooses(screen, "m", "cloud");
    expect_status(screen, "cloud");
    user_types(screen, "s", "48x32x16");
    expect_status(screen, "48x32x16");
    user_types(screen, ":", "set p_ext=0.25");
    user_types(screen, "g", "12");
    expect_generation(screen, 12);
    screen_send(screen, "a");
    screen_expect(screen, "XZ y=");
    screen_listen(screen, 0.3);
    snprintf(picture[0], sizeof picture[0], "%s", screen_text(screen));
    user_quits(screen);

    screen = user_starts_default();
    expect_status(screen, "cloud");
    expect_status(screen, "48x32x16");
    expect_generation(screen, 12);
    screen_expect(screen, "XZ y=");
    screen_send(screen, "e");
    screen_expect(screen, "0.25");
    screen_send(screen, "q");
    screen_expect_not(screen, "p_ext");
    screen_listen(screen, 0.3);
    snprintf(picture[1], sizeof picture[1], "%s", screen_text(screen));
    /* Compares the first rows of the lattice, without the panels beside it. */
    for (int row = 2; row < 8; row++) {
        const char *line[2] = {picture[0], picture[1]};

        for (int i = 0; i < 2; i++)
            for (int r = 0; r < row; r++)
                line[i] = strchr(line[i], '\n') + 1;
        ck_assert_msg(strncmp(line[0], line[1], 30) == 0, "row %d differs:\n%s\n%s", row,
                      picture[0], picture[1]);
    }
    user_quits(screen);
}
END_TEST

START_TEST(each_model_is_saved)
{
    struct screen *screen = user_starts_default();

    user_types(screen, "s", "64x64");
    expect_status(screen, "64x64");
    user_types(screen, "g", "5");
    expect_generation(screen, 5);
    user_chooses(screen, "m", "fhp");
    expect_status(screen, "fhp");
    expect_generation(screen, 0);
    user_chooses(screen, "m", "anneal");
    expect_status(screen, "64x64");
    expect_generation(screen, 5);
    user_quits(screen);
}
END_TEST

/* --- help, command line, search --------------------------------------------------------------- */

START_TEST(help_lists_the_keys_and_searches)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, "?");
    screen_expect(screen, "run or pause");
    screen_send(screen, "/");
    screen_send(screen, "save model\r");
    screen_expect(screen, "save model, size, parameters");
    screen_send(screen, "/");
    screen_send(screen, "nosuchkeyatall\r");
    screen_expect(screen, "nosuchkeyatall");
    screen_send(screen, "\033");
    screen_listen(screen, 0.1);
    screen_send(screen, "q");
    screen_expect_not(screen, "in lists, help");
    user_quits(screen);
}
END_TEST

START_TEST(command_line_completes_and_reports)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, ":mod");
    screen_expect(screen, ":mod");
    screen_send(screen, "\t");
    screen_expect(screen, ":model");
    screen_send(screen, "\005\025model wat\t");
    screen_expect(screen, ":model water");
    screen_send(screen, "\r");
    expect_status(screen, "water");
    user_types(screen, ":", "model cluod");
    screen_expect(screen, "cloud");
    screen_send(screen, "\033");
    user_types(screen, ":", "nosuchverb");
    screen_expect(screen, "nosuchverb");
    user_types(screen, ":", "run 5");
    screen_expect(screen, "run: unexpected argument '5'");
    expect_status(screen, "PAUSE");
    user_quits(screen);
}
END_TEST

/* --- what leaves the workbench ---------------------------------------------------------------- */

START_TEST(command_that_reproduces_it)
{
    struct screen *screen = user_starts_default();

    user_types(screen, "s", "64x64");
    expect_status(screen, "64x64");
    user_types(screen, "g", "3");
    expect_generation(screen, 3);
    screen_send(screen, "y");
    screen_expect(screen, "calab run anneal");
    screen_expect(screen, "64x64");
    screen_send(screen, "q");
    screen_expect_not(screen, "calab run anneal");
    user_quits(screen);
}
END_TEST

START_TEST(command_line_overrides_saved_view)
{
    const struct screen_options options = {.arguments = {"fhp", "-b", "reference", "-s", "64x64"}};
    struct screen *screen = user_starts(&options);

    expect_status(screen, "fhp");
    expect_status(screen, "reference");
    expect_status(screen, "64x64");
    user_quits(screen);
}
END_TEST

/* --- backends that no longer run -------------------------------------------------------------- */

static void remember_backend(const char *backend)
{
    char text[256];
    int length = snprintf(text, sizeof text,
                          "version = 1;\nmodel = \"anneal\";\n"
                          "models : { anneal : { backend = \"%s\"; size = \"64x64\"; }; };\n",
                          backend);

    ck_assert_int_eq(mkdir(test_path("config"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("config/calab"), 0700), 0);
    test_write(settings_file(), text, (size_t)length);
}

/* The GPU is hidden and the CPU masked, so that none of these runs on any machine. */
#define NO_GPU "CUDA_VISIBLE_DEVICES="
#define OLD_CPU "CALAB_CPU=baseline"

static const struct {
    const char *backend, *reason, *instead;
} gone[] = {
    {"cuda-naive", "backend cuda-naive cannot run: ", "; continuing with the fastest on the CPU"},
    {"cuda", "backend cuda cannot run: ", "; continuing with the fastest on the CPU"},
    {"bitslice-avx512", "backend bitslice-avx512 cannot run: needs AVX-512",
     "; continuing with the fastest here"},
};

/* A remembered backend gives way to the choice of another, which the next start has at once. */
START_TEST(remembered_backend_gives_way)
{
    const struct screen_options options = {/* where the longest message has one row */
                                           .rows = 24,
                                           .columns = 320,
                                           .environment = {NO_GPU, OLD_CPU}};
    struct screen *screen;

    remember_backend(gone[_i].backend);
    screen = user_starts(&options);
    expect_status(screen, "bitslice ");
    screen_expect_row(screen, 22, gone[_i].reason);
    screen_expect_row(screen, 22, gone[_i].instead);
    expect_status(screen, "64x64");
    screen_send(screen, ".");
    expect_generation(screen, 1);
    user_quits(screen);
    screen = user_starts(&options);
    expect_status(screen, "bitslice ");
    expect_generation(screen, 1);
    ck_assert(!screen_shows(screen, "cannot run"));
    user_quits(screen);
}
END_TEST

/* A backend of the command line is what the user wants now: nothing takes its place. */
START_TEST(given_backend_stays)
{
    const struct screen_options options = {.rows = 24,
                                           .columns = 240,
                                           .arguments = {"anneal", "-b", "bitslice-avx512"},
                                           .environment = {NO_GPU, OLD_CPU}};
    struct screen *screen = screen_start(&options);

    screen_expect_row(screen, 22, "needs AVX-512");
    screen_listen(screen, 0.2);
    ck_assert(!screen_shows(screen, "continuing"));
    ck_assert(!screen_shows(screen, "bitslice "));
    user_quits(screen);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workbench");
    TCase *tests = tcase_create("workbench");

    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, first_start_waits_at_generation_0);
    tcase_add_test(tests, bad_key_is_reported_at_the_start);
    tcase_add_test(tests, steps_runs_and_pauses);
    tcase_add_test(tests, goes_to_a_generation);
    tcase_add_loop_test(tests, every_model_can_be_chosen, 0, MODELS);
    tcase_add_test(tests, backend_changes_and_goes_back);
    tcase_add_test(tests, slices_along_three_axes);
    tcase_add_test(tests, zooms_with_a_named_reduction);
    tcase_add_test(tests, inspects_a_cell);
    tcase_add_test(tests, panels_are_shown_and_hidden);
    tcase_add_test(tests, size_changes);
    tcase_add_test(tests, parameter_changes_and_bad_values_are_refused);
    tcase_add_test(tests, same_value_is_no_change);
    tcase_add_test(tests, setting_persists);
    tcase_add_test(tests, everything_is_as_it_was);
    tcase_add_test(tests, each_model_is_saved);
    tcase_add_test(tests, help_lists_the_keys_and_searches);
    tcase_add_test(tests, command_line_completes_and_reports);
    tcase_add_test(tests, command_that_reproduces_it);
    tcase_add_test(tests, command_line_overrides_saved_view);
    tcase_add_loop_test(tests, remembered_backend_gives_way, 0, (int)COUNT(gone));
    tcase_add_test(tests, given_backend_stays);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
