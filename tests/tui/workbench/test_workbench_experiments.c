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
#include "tests/support/script.h"

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
    user_does(screen, STEPS(SHOWS("look for: "), PRESS(" "), REACHES(1)));
    before = picture_of(screen);
    screen_until(screen, has_changed, &before, "another picture, with several glyphs in a row,");
    user_quits(screen);
}
END_TEST

START_TEST(all_are_looked_at)
{
    char path[512];

    ck_assert_int_ge(experiment(0, path), 23);
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
    user_does(screen, STEPS(PRESS("m"), SHOWS("mine               My stripes."), SHOWS(" life3d  "),
                            SHOWS("wrong              wrong: configs/wrong.cfg:3: pace = '-1'"),
                            ROW(-1, "letters filter") /* all is drawn */));
    anneal = row_of(screen, "*anneal  ");
    ck_assert_int_ge(anneal, 0);
    ck_assert_int_eq(row_of(screen, "  mine  "), anneal + 1);
    ck_assert_int_eq(row_of(screen, "  anneal-exercise  "), anneal + 2); /* of the program */
    ck_assert_int_gt(row_of(screen, " life3d  "), anneal + 2);
    user_does(screen,
              STEPS(LACKS("cases"), PRESS("stripes"), HIDES("life3d"),
                    SHOWS("look for: Stripes that are mine."), PRESS("\r"), STATUS("256x192"),
                    STATUS(" every 2 frames"), SHOWS("XY 2x4 a char mean of all walls 4,6"),
                    SHOWS("look for: Stripes that are mine."), /* A file that is wrong is not
                                                                  opened, and the run stays. */
                    ENTER("m", "wrong"), SHOWS("configs/wrong.cfg:3: pace = '-1' is out of range"),
                    PRESS("\033"), STATUS("256x192")));
    user_quits(screen);
}
END_TEST

/* An experiment begins at generation 0; the model's own run comes back when the model is chosen. */
START_TEST(a_run_stays_beside_an_experiment)
{
    struct screen *screen;

    in_folder();
    screen = user_starts_default();
    user_does(screen, STEPS(ENTER("s", "96x64"), STATUS("96x64"), ENTER("g", "5"), GENERATION(5),
                            CHOOSE("m", "mine"), STATUS("256x192"), GENERATION(0), PRESS("q")));
    ck_assert_int_eq(screen_end(screen), 0);
    screen_close(screen);
    screen = user_starts_default(); /* the experiment was looked at, but never stepped */
    expect_status(screen, "96x64");
    expect_generation(screen, 5);
    user_quits(screen);
}
END_TEST

/* --- view, pace and drawn --------------------------------------------------------------------- */

/* A model of which nothing is saved opens as its experiment, on the command line and in the list,
 * unless more is said of the run; from then on it is what was left. */
START_TEST(a_new_model_opens_alive)
{
    const struct screen_options cloud = {.arguments = {"cloud"}},
                                given = {.arguments = {"life3d", "-s", "20x20x20"}};
    struct screen *screen = user_starts(&given);

    user_does(screen, STEPS(STATUS("20x20x20"), CHOOSE("m", "cloud"), STATUS("256x256x20")));
    user_quits(screen);
    screen = user_starts(&cloud);
    user_does(screen, STEPS(STATUS("256x256x20"), ENTER("s", "32x32x8"), STATUS("32x32x8"),
                            CHOOSE("m", "life3d"), STATUS("20x20x20"), CHOOSE("m", "cloud"),
                            STATUS("32x32x8")));
    user_quits(screen);
}
END_TEST

#define SOUP "look for: A soup that never settles"

/* Models opened by name; what the screen has where they open as their experiment, which says what
 * is drawn and where. */
static const struct {
    struct screen_options options;
    const char *size, *shows;
} named[] = {
    {{.arguments = {"life3d"}}, "48x48x48", SOUP},
    {{.arguments = {"cloud"}}, "256x256x20", " a char mean 40,60]"},
    {{.arguments = {"fhp"}}, "512x256", " speed 0,0]"},
    {{.arguments = {"cloud", "-c", "cloud-cycle"}}, "128x128x20", " a char mean 40,40]"},
    {{.arguments = {"life3d", "-s", "48x48x48"}}, "life3d", NULL},
    {{.arguments = {"life3d", "-c", "life3d-bays"}}, "life3d", NULL},
};

START_TEST(a_named_model_opens_alive)
{
    struct screen *screen = user_starts(&named[_i].options);

    user_does(screen, STEPS(STATUS(named[_i].size)));
    user_does(screen, named[_i].shows ? STEPS(SHOWS(named[_i].shows)) : STEPS(LACKS(SOUP)));
    user_quits(screen);
}
END_TEST

START_TEST(each_model_keeps_its_own)
{
    const struct screen_options first = {.arguments = {"cloud", "-s", "256x256x20"}},
                                again = {.arguments = {"cloud"}},
                                given = {.arguments = {"cloud"}, .environment = {"CALAB_SPEED=3"}};
    struct screen *screen = user_starts(&first);
    char *saved;

    user_does(screen,
              STEPS(STATUS(" every 2 frames") /* the pace of the model */,
                    SHOWS("XY z=7/19 8x16 a char"), PRESS("a++v"), SHOWS("XZ y=70/255 4x8 "),
                    STATUS(" 2/frame"), SHOWS(" density "), CHOOSE("m", "water"), STATUS("water"),
                    STATUS(" 16/frame"), SHOWS("XY 7-8x14-15 a char mean"), PRESS("0-"),
                    STATUS(" 8/frame"), CHOOSE("m", "cloud"), STATUS("cloud"), STATUS(" 2/frame"),
                    SHOWS("XZ y=70/255 4x8 "), SHOWS("density")));
    user_quits(screen);
    saved = saved_settings();
    ck_assert_contains(saved, "pace = 8");
    ck_assert_ptr_null(strstr(saved, "speed"));

    screen = user_starts(&given); /* a variable goes before, and is not saved */
    expect_status(screen, " 3/frame");
    user_quits(screen);
    screen = user_starts(&again);
    user_does(screen, STEPS(STATUS(" 2/frame"), SHOWS("XZ y=70/255 4x8 "), CHOOSE("m", "water"),
                            STATUS(" 8/frame"), SHOWS("XY 2x1 a cell 0,0")));
    user_quits(screen);
}
END_TEST

/* A size that the saved view is not of is seen whole; another size in a run, in its middle. */
START_TEST(another_lattice_is_seen_whole)
{
    const struct screen_options first = {.arguments = {"life3d", "-s", "32x32x32"}},
                                larger = {.arguments = {"life3d", "-s", "92x38x60"}};
    struct screen *screen = user_starts(&first);

    screen_expect(screen, "XY z=9/31");
    screen_send(screen, "0JJll");
    screen_expect(screen, "XY z=11/31 2x1 a cell");
    user_quits(screen);
    screen = user_starts(&larger);
    user_does(screen, STEPS(SHOWS("XY z=57/59 2x4 a char mean of all 0,0"), ENTER("s", "46x19x9"),
                            SHOWS("XY z=3/8 1x2 ")));
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
    user_does(screen,
              STEPS(PRESS("0aK{++vvv"), SHOWS("drawn: cover"), PRESS("ll"),
                    SHOWS("XZ y=23/47 1x2 mean cover 12,0"), ENTER("W", path), SHOWS("wrote ")));
    user_quits(screen);
    text = test_read(path, NULL);
    ck_assert_contains(text, "axis = \"xz\"", "slice = 23", "pace = 2", "drawn = \"cover\"");
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
    ck_assert_contains(saved, "zoom = 1", "magnify = 3");
    screen = user_starts(&options);
    user_does(screen, STEPS(SHOWS("XY 6x3 a cell"), PRESS("[[[["), SHOWS("XY 2x4 a char")));
    user_quits(screen);
    saved = saved_settings();
    ck_assert_ptr_null(strstr(saved, "magnify"));
}
END_TEST

/* A range belongs to what is drawn, and is saved with it. */
START_TEST(a_range_is_kept)
{
    const struct screen_options options = {.arguments = {"fhp", "-s", "96x64"}};
    char path[256];
    const struct screen_options file = {.arguments = {"-c", path}};
    struct screen *screen = user_starts(&options);
    size_t size;

    snprintf(path, sizeof path, "%s", test_path("ranged.cfg"));
    user_does(screen, STEPS(PRESS("v"), SHOWS(" particles a node, auto"), COMMAND("range 0 4"),
                            SHOWS("@ 4 particles a node, set")));
    screen_send(screen, test_text(":save %s\n", path));
    screen_expect(screen, "wrote ");
    user_quits(screen);
    ck_assert_contains(saved_settings(), "range = \"0 4\"");
    ck_assert_contains(test_read(path, &size), "range = \"0 4\"", "drawn = \"density\"");
    screen = user_starts(&options);
    user_does(screen, STEPS(SHOWS("@ 4 particles a node, set"), COMMAND("range auto"),
                            SHOWS(" particles a node, auto")));
    user_quits(screen);
    ck_assert_ptr_null(strstr(saved_settings(), "range"));
    screen = user_starts(&file);
    screen_expect(screen, "@ 4 particles a node, set");
    user_quits(screen);
}
END_TEST

/* --- parameters back to their defaults -------------------------------------------------------- */

#define EXPERIMENTS_MAX 40

static const struct script scripts[] = {
    {"a range is set, narrowed, widened and let go", OPTIONS(.arguments = {"fhp", "-s", "96x64"}),
     STEPS(PRESS("("), SHOWS("states are drawn, which have no range"), PRESS("v"),
           SHOWS(" particles a node, auto"), COMMAND("range 0 4"),
           SHOWS("0  .:-=+*#%@ 4 particles a node, set"), PRESS("("),
           SHOWS("range set to 0 ... 3.2; :range auto follows the data"),
           SHOWS("0  .:-=+*#%@ 3.2 particles a node, set"), PRESS("))"),
           SHOWS("0  .:-=+*#%@ 5 particles a node, set"), COMMAND("range auto"),
           SHOWS(" particles a node, auto"), PRESS("("), SHOWS(" particles a node, set"),
           /* a range of another quantity would have another unit */
           PRESS("vv"), SHOWS(", auto"))},
    {"parameters go back",
     OPTIONS(.arguments = {"cloud", "-s", "16x16x16", "-b", "threads", "--set", "p_ext=0.25"}),
     STEPS(COMMAND("set p_hum=0.5"), SHOWS("p_hum changed"), COMMAND("set threads=1"),
           SHOWS("threads changed"), PRESS("e"), ROW(-1, "d default  D all to default"),
           SHOWS("p_ext            0.25           command line"), PRESS("/p_hum\rd"),
           SHOWS("p_hum            0              built-in"), PRESS("k"),
           SHOWS("p_ext            0.25           command line"), PRESS("D"),
           SHOWS("p_ext            0              built-in"),
           SHOWS("threads          0              built-in"), PRESS("Dq"),
           SHOWS("everything has its default already"), PRESS("o") /* settings have no such key */,
           SHOWS("settings"), LACKS_ROW(-1, "default"), PRESS("q"))},
    /* A start that is not the default opens the run again; in a split the parameters of B follow.
     */
    {"defaults in a split",
     OPTIONS(.arguments = {"anneal", "-s", "16x16", "-b", "threads,reference", "--init", "crand"}),
     STEPS(STATUS("EQUAL at 0"), COMMAND("set density=0.25"), STATUS("EQUAL at 0"), PRESS("."),
           STATUS("EQUAL at 1"), PRESS("e/density\rd"),
           SHOWS("density          0.5            built-in"), PRESS("DK"),
           SHOWS("init             random         built-in"), PRESS("q"), STATUS("EQUAL at 0"))},
};

int main(void)
{
    return RUN_TESTS(.test = {experiments_stand_under_their_models,
                              a_run_stays_beside_an_experiment, each_model_keeps_its_own,
                              a_new_model_opens_alive, another_lattice_is_seen_whole,
                              what_is_saved_opens_as_it_was, a_magnified_view_is_kept,
                              a_range_is_kept},
                     .table = {{scripts_test(scripts), COUNT(scripts)},
                               {a_named_model_opens_alive, COUNT(named)},
                               {each_shows_something, EXPERIMENTS_MAX},
                               {all_are_looked_at, EXPERIMENTS_MAX + 1, .first = EXPERIMENTS_MAX}});
}
