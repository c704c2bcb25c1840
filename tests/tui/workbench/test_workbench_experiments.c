/* SPDX-License-Identifier: MIT */
/*
 * Experiments in the workbench: what each that ships shows, the picker that lists them, the view,
 * pace and drawn that an experiment and a model have, and parameters that go back to the default.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "tests/support/user.h"

/* --- each that ships -------------------------------------------------------------------------- */

static int is_experiment(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".cfg") == 0 &&
           strncmp(entry->d_name, "bench-", 6) != 0;
}

/* The path of the i-th experiment of the source tree, "" beyond; their number. */
static int experiment(int i, char path[512])
{
    struct dirent **entries;
    int n = scandir(test_source("configs"), &entries, is_experiment, alphasort);

    path[0] = 0;
    for (int j = 0; j < n; j++) {
        if (j == i)
            snprintf(path, 512, "%s/%s", test_source("configs"), entries[j]->d_name);
        free(entries[j]);
    }
    free(entries);
    return n;
}

#define FIRST_ROW 2 /* of the lattice at 80x24, in ASCII */
#define LATTICE_ROWS 19
#define LATTICE_COLUMNS 46

struct picture {
    char row[LATTICE_ROWS][LATTICE_COLUMNS + 1];
};

static struct picture picture_of(struct screen *screen)
{
    struct picture picture = {{{0}}};

    for (int r = 0; r < LATTICE_ROWS; r++)
        snprintf(picture.row[r], sizeof picture.row[r], "%s",
                 screen_row(screen, FIRST_ROW + r) + 1);
    return picture;
}

/* Whether it differs from an earlier picture, and some row has several glyphs side by side. */
static bool has_changed(struct screen *screen, const void *before)
{
    struct picture now = picture_of(screen);
    int most = 0;

    for (int r = 0; r < LATTICE_ROWS; r++) {
        int borders = 0;

        for (int c = 1; now.row[r][c - 1] && now.row[r][c]; c++)
            borders += now.row[r][c] != now.row[r][c - 1];
        most = borders > most ? borders : most;
    }
    return most >= 3 && memcmp(&now, before, sizeof now) != 0;
}

START_TEST(each_shows_something)
{
    char path[512];
    struct screen_options options = {
        .lang = "C", .arguments = {"-c", path}, .environment = {"CALAB_FPS=60"}};
    struct picture before;
    struct screen *screen;

    experiment(_i, path);
    if (!path[0])
        return;
    screen = user_starts(&options);
    screen_expect(screen, "look for: ");
    screen_send(screen, " ");
    expect_generation_from(screen, 1);
    before = picture_of(screen);
    screen_until(screen, has_changed, &before, "another picture, with several glyphs in a row,");
    user_quits(screen);
}
END_TEST

START_TEST(all_are_looked_at)
{
    char path[512];

    ck_assert_int_ge(experiment(0, path), 12);
    ck_assert_int_le(experiment(0, path), _i);
}
END_TEST

/* --- the picker ------------------------------------------------------------------------------- */

/* A folder with configs/ of its own, in which the workbench then runs. */
static void in_folder(void)
{
    static const char mine[] =
        "# My stripes.\nmodel = \"anneal\"; size = \"256x192\"; pace = 0.5;\n"
        "view : { zoom = 2; x = 4; y = 6; }; drawn = \"walls\";\n"
        "look_for = \"Stripes that are mine.\";\n",
                      wrong[] = "# Wrong.\nmodel = \"cloud\";\npace = -1;\n",
                      cases[] = "# Cases.\ncases = ( { model = \"fhp\"; } );\n";

    ck_assert_int_eq(chdir(test_folder()), 0);
    ck_assert_int_eq(mkdir("configs", 0700), 0);
    test_write("configs/mine.cfg", mine, strlen(mine));
    test_write("configs/wrong.cfg", wrong, strlen(wrong));
    test_write("configs/cases.cfg", cases, strlen(cases));
}

/* The row of the screen that has a text, -1: none. */
static int row_of(struct screen *screen, const char *text)
{
    for (int r = 0; r < 40; r++)
        if (screen_row_shows(screen, r, text))
            return r;
    return -1;
}

START_TEST(experiments_stand_under_their_models)
{
    const struct screen_options options = {.rows = 40, .columns = 80};
    struct screen *screen;
    int anneal;

    in_folder();
    screen = user_starts(&options);
    screen_send(screen, "m");
    screen_expect(screen, "mine               My stripes.");
    screen_expect(screen, " life3d  ");
    screen_expect(screen, "wrong              wrong: configs/wrong.cfg:3: pace = '-1'");
    screen_expect_row(screen, -1, "letters filter"); /* all is drawn */
    anneal = row_of(screen, "*anneal  ");
    ck_assert_int_ge(anneal, 0);
    ck_assert_int_eq(row_of(screen, "  mine  "), anneal + 1);
    ck_assert_int_eq(row_of(screen, "  anneal-exercise  "), anneal + 2); /* of the program */
    ck_assert_int_gt(row_of(screen, " life3d  "), anneal + 2);
    ck_assert(!screen_shows(screen, "cases"));
    screen_send(screen, "stripes");
    screen_expect_not(screen, "life3d");
    screen_expect(screen, "look for: Stripes that are mine.");
    screen_send(screen, "\r");
    expect_status(screen, "256x192");
    expect_status(screen, " 1/2 frames");
    screen_expect(screen, "XY 2x4 a char mean walls 4,6");
    screen_expect(screen, "look for: Stripes that are mine.");
    /* A file that is wrong is not opened, and the run stays. */
    user_types(screen, "m", "wrong");
    screen_expect(screen, "configs/wrong.cfg:3: pace = '-1' is out of range");
    screen_send(screen, "\033");
    expect_status(screen, "256x192");
    user_quits(screen);
}
END_TEST

/* An experiment begins at generation 0; the model's own run comes back when the model is chosen. */
START_TEST(a_run_stays_beside_an_experiment)
{
    struct screen *screen;

    in_folder();
    screen = user_starts_default();
    user_types(screen, "s", "96x64");
    expect_status(screen, "96x64");
    user_types(screen, "g", "5");
    expect_generation(screen, 5);
    user_chooses(screen, "m", "mine");
    expect_status(screen, "256x192");
    expect_generation(screen, 0);
    screen_send(screen, "q");
    ck_assert_int_eq(screen_end(screen), 0);
    screen_close(screen);
    screen = user_starts_default(); /* the experiment was looked at, but never stepped */
    expect_status(screen, "96x64");
    expect_generation(screen, 5);
    user_quits(screen);
}
END_TEST

/* --- view, pace and drawn --------------------------------------------------------------------- */

START_TEST(each_model_keeps_its_own)
{
    const struct screen_options again = {.arguments = {"cloud"}},
                                given = {.arguments = {"cloud"}, .environment = {"CALAB_SPEED=3"}};
    struct screen *screen = user_starts(&again);
    char *saved;

    expect_status(screen, " 1/2 frames"); /* the pace of the model */
    screen_expect(screen, "XY z=10/19 8x16 a char");
    screen_send(screen, "a++v");
    screen_expect(screen, "XZ y=128/255 6x12 ");
    expect_status(screen, " 2/frame");
    screen_expect(screen, "density]");
    user_chooses(screen, "m", "water");
    expect_status(screen, "water");
    expect_status(screen, " 16/frame");
    screen_expect(screen, "XY 8x16 a char mean of all 0,0");
    screen_send(screen, "0-");
    expect_status(screen, " 8/frame");
    user_chooses(screen, "m", "cloud");
    expect_status(screen, "cloud");
    expect_status(screen, " 2/frame");
    screen_expect(screen, "XZ y=128/255 6x12 ");
    screen_expect(screen, "density");
    user_quits(screen);
    saved = saved_settings();
    ck_assert_contains(saved, "pace = 8");
    ck_assert_ptr_null(strstr(saved, "speed"));
    free(saved);

    screen = user_starts(&given); /* a variable goes before, and is not saved */
    expect_status(screen, " 3/frame");
    user_quits(screen);
    screen = user_starts(&again);
    expect_status(screen, " 2/frame");
    screen_expect(screen, "XZ y=128/255 6x12 ");
    user_chooses(screen, "m", "water");
    expect_status(screen, " 8/frame");
    screen_expect(screen, "XY 2x1 a cell 0,0");
    user_quits(screen);
}
END_TEST

/* A size that the saved view is not of is seen whole; another size in a run, in its middle. */
START_TEST(another_lattice_is_seen_whole)
{
    const struct screen_options first = {.arguments = {"life3d"}},
                                larger = {.arguments = {"life3d", "-s", "92x38x60"}};
    struct screen *screen = user_starts(&first);

    screen_send(screen, "0JJll");
    screen_expect(screen, "XY z=18/31 2x1 a cell");
    user_quits(screen);
    screen = user_starts(&larger);
    screen_expect(screen, "XY z=30/59 2x4 a char mean 0,0");
    user_types(screen, "s", "46x19x9");
    screen_expect(screen, "XY z=4/8 1x2 ");
    user_quits(screen);
}
END_TEST

START_TEST(what_is_saved_opens_as_it_was)
{
    static char path[512];
    const struct screen_options first = {.arguments = {"cloud", "-s", "64x48x40"}},
                                again = {.arguments = {"-c", path}};
    struct screen *screen = user_starts(&first);
    char *text;

    snprintf(path, sizeof path, "%s", test_path("saved.cfg"));
    screen_send(screen, "0aK{++vvv");
    screen_expect(screen, "drawn: cover");
    screen_send(screen, "ll");
    screen_expect(screen, "XZ y=23/47 1x2 mean cover 12,0");
    user_types(screen, "W", path);
    screen_expect(screen, "wrote ");
    user_quits(screen);
    text = test_read(path, NULL);
    ck_assert_contains(text, "axis = \"xz\"");
    ck_assert_contains(text, "slice = 23");
    ck_assert_contains(text, "pace = 2");
    ck_assert_contains(text, "drawn = \"cover\"");
    free(text);
    screen = user_starts(&again);
    screen_expect(screen, "XZ y=23/47 1x2 mean cover 12,0");
    expect_status(screen, " 2/frame");
    user_quits(screen);
}
END_TEST

START_TEST(a_magnified_view_is_kept)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "64x64"}};
    struct screen *screen = user_starts(&options);
    char *saved;

    screen_send(screen, "0]]");
    screen_expect(screen, "XY 6x3 a cell");
    user_quits(screen);
    saved = saved_settings();
    ck_assert_contains(saved, "zoom = 1");
    ck_assert_contains(saved, "magnify = 3");
    free(saved);
    screen = user_starts(&options);
    screen_expect(screen, "XY 6x3 a cell");
    screen_send(screen, "[[[[");
    screen_expect(screen, "XY 2x4 a char");
    user_quits(screen);
    saved = saved_settings();
    ck_assert_ptr_null(strstr(saved, "magnify"));
    free(saved);
}
END_TEST

/* --- parameters back to their defaults -------------------------------------------------------- */

START_TEST(parameters_go_back)
{
    const struct screen_options options = {
        .arguments = {"cloud", "-s", "16x16x16", "-b", "threads", "--set", "p_ext=0.25"}};
    struct screen *screen = user_starts(&options);

    user_types(screen, ":", "set p_hum=0.5");
    screen_expect(screen, "p_hum changed");
    user_types(screen, ":", "set threads=1");
    screen_expect(screen, "threads changed");
    screen_send(screen, "e");
    screen_expect_row(screen, -1, "d default  D all to default");
    screen_expect(screen, "p_ext            0.25           command line");
    screen_send(screen, "/p_hum\rd");
    screen_expect(screen, "p_hum            0              built-in");
    screen_send(screen, "k");
    screen_expect(screen, "p_ext            0.25           command line");
    screen_send(screen, "D");
    screen_expect(screen, "p_ext            0              built-in");
    screen_expect(screen, "threads          0              built-in");
    screen_send(screen, "Dq");
    screen_expect(screen, "everything has its default already");
    screen_send(screen, "o"); /* settings have no such key */
    screen_expect(screen, "settings");
    ck_assert(!screen_row_shows(screen, -1, "default"));
    screen_send(screen, "q");
    user_quits(screen);
}
END_TEST

/* A start that is not the default opens the run again; in a split the parameters of B follow. */
START_TEST(defaults_in_a_split)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "16x16", "-b", "threads,reference", "--init", "crand"}};
    struct screen *screen = user_starts(&options);

    expect_status(screen, "EQUAL at 0");
    user_types(screen, ":", "set density=0.25");
    expect_status(screen, "EQUAL at 0");
    screen_send(screen, ".");
    expect_status(screen, "EQUAL at 1");
    screen_send(screen, "e/density\rd");
    screen_expect(screen, "density          0.5            built-in");
    screen_send(screen, "DK");
    screen_expect(screen, "init             random         built-in");
    screen_send(screen, "q");
    expect_status(screen, "EQUAL at 0");
    user_quits(screen);
}
END_TEST

#define EXPERIMENTS_MAX 20

int main(void)
{
    Suite *suite = suite_create("workbench experiments");
    TCase *tests = tcase_create("workbench experiments");

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, each_shows_something, 0, EXPERIMENTS_MAX);
    tcase_add_loop_test(tests, all_are_looked_at, EXPERIMENTS_MAX, EXPERIMENTS_MAX + 1);
    tcase_add_test(tests, experiments_stand_under_their_models);
    tcase_add_test(tests, a_run_stays_beside_an_experiment);
    tcase_add_test(tests, each_model_keeps_its_own);
    tcase_add_test(tests, another_lattice_is_seen_whole);
    tcase_add_test(tests, what_is_saved_opens_as_it_was);
    tcase_add_test(tests, a_magnified_view_is_kept);
    tcase_add_test(tests, parameters_go_back);
    tcase_add_test(tests, defaults_in_a_split);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
