/* SPDX-License-Identifier: MIT */
/* The workbench as a user sees it, in a pseudo-terminal: keys in, screen out. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/script.h"
#include "tests/support/user.h"
#include "tests/support/support.h"

#define MODELS 6
static const char *const models[MODELS] = {"anneal", "life", "life3d", "cloud", "fhp", "water"};

/* --- running ---------------------------------------------------------------------------------- */

START_TEST(first_start_waits_at_generation_0)
{
    struct screen *screen = user_starts_default();

    user_does(screen, STEPS(STATUS("anneal"), STATUS("PAUSE"), GENERATION(0),
                            ROW(-1, "run  ? help"), WAIT_MS(300)));
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
    user_does(screen, STEPS(SHOWS("keys.run: key q is already used by quit"), WAIT_MS(200),
                            ROW(22, "keys.run: key q is already used by quit")));
    user_quits(screen);
}
END_TEST

START_TEST(steps_runs_and_pauses)
{
    struct screen *screen = user_starts_default();
    long long reached;

    user_does(screen, STEPS(PRESS("."), GENERATION(1), PRESS("."), GENERATION(2), PRESS(" "),
                            STATUS("RUN"), REACHES(5), PRESS(" "), STATUS("PAUSE"), WAIT_MS(300)));
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

START_TEST(every_model_can_be_chosen)
{
    struct screen *screen = user_starts_default();

    if (_i == 0) { /* it is already open: choose another one first */
        user_chooses(screen, "m", models[1]);
        expect_status(screen, models[1]);
    }
    user_does(screen, STEPS(CHOOSE("m", models[_i]), STATUS(models[_i]), GENERATION(0), PRESS("."),
                            GENERATION(1)));
    user_quits(screen);
}
END_TEST

/* --- changing --------------------------------------------------------------------------------- */

START_TEST(setting_persists)
{
    struct screen *screen = user_starts_default();
    char *saved;

    user_does(screen,
              STEPS(PRESS("o"), SHOWS("stride"), PRESS("/"), PRESS("stride\r"), ENTER("\r", "37"),
                    SHOWS("37"), PRESS("\033"), HIDES("fps"), PRESS(">"), GENERATION(37)));
    user_quits(screen);
    saved = saved_settings();
    ck_assert_contains(saved, "stride = 37");

    screen = user_starts_default();
    user_does(screen, STEPS(GENERATION(37), PRESS(">"), GENERATION(74)));
    user_quits(screen);
}
END_TEST

/* Whether the first rows of the lattice, without the panels beside it, are those of a screen. */
static bool has_lattice_of(struct screen *screen, const void *picture)
{
    const char *line[] = {screen_text(screen), picture};

    for (int row = 0; row < 8; row++) {
        if (row >= 2 && strncmp(line[0], line[1], 30) != 0)
            return false;
        for (int i = 0; i < 2; i++)
            line[i] = strchr(line[i], '\n') + 1;
    }
    return true;
}

static bool has_other_lattice(struct screen *screen, const void *picture)
{
    return !has_lattice_of(screen, picture);
}

START_TEST(everything_is_as_it_was)
{
    struct screen *screen = user_starts_default();
    char picture[8192];

    user_does(screen, STEPS(CHOOSE("m", "cloud"), STATUS("cloud"), ENTER("s", "48x32x16"),
                            STATUS("48x32x16"), COMMAND("set p_ext=0.25"), ENTER("g", "12"),
                            GENERATION(12), WAIT_MS(300)));
    snprintf(picture, sizeof picture, "%s", screen_text(screen));
    screen_send(screen, "a");
    screen_expect(screen, "XZ y=");
    screen_until(screen, has_other_lattice, picture, "the other slice");
    screen_listen(screen, 0.3);
    snprintf(picture, sizeof picture, "%s", screen_text(screen));
    user_quits(screen);

    screen = user_starts_default();
    user_does(screen, STEPS(STATUS("cloud"), STATUS("48x32x16"), GENERATION(12), SHOWS("XZ y="),
                            PRESS("e"), SHOWS("0.25"), PRESS("q"), HIDES("p_ext")));
    screen_until(screen, has_lattice_of, picture, "the lattice as it was");
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
    user_does(screen, STEPS(STATUS("bitslice "), ROW(22, gone[_i].reason),
                            ROW(22, gone[_i].instead), STATUS("64x64"), PRESS("."), GENERATION(1)));
    user_quits(screen);
    screen = user_starts(&options);
    user_does(screen, STEPS(STATUS("bitslice "), GENERATION(1), LACKS("cannot run")));
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

    user_does(screen, STEPS(ROW(22, "needs AVX-512"), WAIT_MS(200), LACKS("continuing"),
                            LACKS("bitslice ")));
    user_quits(screen);
}
END_TEST

static const struct script scripts[] = {
    {"goes to a generation", NULL,
     STEPS(ENTER("g", "17"), GENERATION(17), ENTER("g", "3"), GENERATION(3))},
    {"backend changes and goes back", NULL,
     STEPS(ENTER("g", "9"), GENERATION(9), STATUS("bitslice"), CHOOSE("b", "reference"),
           STATUS("reference"), GENERATION(9), PRESS("B"), STATUS("bitslice"),
           SHOWS("backend bitslice"), GENERATION(9),
           PRESS("B") /* the one that it came back from is the previous one now */,
           STATUS("reference"), SHOWS("backend reference"), PRESS("."), GENERATION(10))},
    {"slices along three axes", NULL,
     STEPS(CHOOSE("m", "life3d"), STATUS("life3d"), SHOWS("XY z="),
           PRESS("\033[H\033OH") /* Home, as either kind of terminal sends it */, SHOWS("XY z=0/"),
           PRESS("J"), SHOWS("XY z=1/"), PRESS("J"), SHOWS("XY z=2/"), PRESS("K"), SHOWS("XY z=1/"),
           PRESS("a"), SHOWS("XZ y="), PRESS("a"), SHOWS("YZ x="), PRESS("a"), SHOWS("XY z="))},
    {"zooms with a named reduction", NULL,
     STEPS(PRESS("0"), SHOWS("2x1 a cell 0,0"), PRESS("f"), HIDES("2x1 a cell 0,0"),
           SHOWS(" mean of ") /* all cells, or samples of them */, PRESS("0"),
           SHOWS("2x1 a cell 0,0"), PRESS("l"), HIDES("2x1 a cell 0,0"))},
    {"inspects a cell", NULL,
     STEPS(PRESS("0"), SHOWS("2x1 a cell 0,0"), PRESS("\r"), SHOWS("cell "), ENTER("g", "5,7"),
           SHOWS("cell 5,7"), PRESS("\r"), HIDES("cell 5,7"))},
    {"panels are shown and hidden", NULL,
     STEPS(SHOWS("2 timing"), PRESS("2"), HIDES("2 timing"), PRESS("24"), SHOWS("4 device"),
           PRESS("5"), SHOWS("5 log"), PRESS("z"), HIDES("2 timing"), PRESS("\tz"),
           SHOWS("[2 timing"), PRESS("c"), SHOWS("ramp10"), CHOOSE("C", "mono"))},
    {"size changes", NULL,
     STEPS(PRESS("."), GENERATION(1), ENTER("s", "96x64"), STATUS("96x64"), GENERATION(0),
           ENTER("s", "0x64"), SHOWS("size"), PRESS("\033"), STATUS("96x64"))},
    {"parameter changes and bad values are refused", NULL,
     STEPS(PRESS("e"), SHOWS("density"), PRESS("/"), PRESS("density\r"), ENTER("\r", "7"),
           SHOWS("0 ... 1"), PRESS("\005\0250.25"), PRESS("\r"), SHOWS("0.25"), PRESS("\033"),
           COMMAND("set density=0.125"), PRESS("e"), SHOWS("0.125"), PRESS("q"))},
    /* An equal value changes nothing, and only parameters of the initial state wait for a reset. */
    {"same value is no change", OPTIONS(.arguments = {"cloud", "-s", "32x32x8"}),
     STEPS(STATUS("cloud"), COMMAND("set p_ext=0.25"), SHOWS("p_ext changed"),
           LACKS("after the next reset"), COMMAND("set p_hum=0"), PRESS("e"),
           SHOWS("p_ext            0.25           workbench"),
           SHOWS("p_hum            0              built-in"), PRESS("q"), HIDES("p_ext"))},
    {"each model is saved", NULL,
     STEPS(ENTER("s", "64x64"), STATUS("64x64"), ENTER("g", "5"), GENERATION(5), CHOOSE("m", "fhp"),
           STATUS("fhp"), GENERATION(0), CHOOSE("m", "anneal"), STATUS("64x64"), GENERATION(5))},
    {"help lists the keys and searches", NULL,
     STEPS(PRESS("?"), SHOWS("run or pause"), PRESS("/"), PRESS("save model\r"),
           SHOWS("save model, size, parameters"), PRESS("/"), PRESS("nosuchkeyatall\r"),
           SHOWS("nosuchkeyatall"), PRESS("\033"), WAIT_MS(100), PRESS("q"),
           HIDES("in lists, help"))},
    {"command line completes and reports", NULL,
     STEPS(PRESS(":mod"), SHOWS(":mod"), PRESS("\t"), SHOWS(":model"), PRESS("\005\025model wat\t"),
           SHOWS(":model water"), PRESS("\r"), STATUS("water"), COMMAND("model cluod"),
           SHOWS("cloud"), PRESS("\033"), COMMAND("nosuchverb"), SHOWS("nosuchverb"),
           COMMAND("run 5"), SHOWS("run: unexpected argument '5'"), STATUS("PAUSE"))},
    {"command that reproduces it", NULL,
     STEPS(ENTER("s", "64x64"), STATUS("64x64"), ENTER("g", "3"), GENERATION(3), PRESS("y"),
           SHOWS("calab run anneal"), SHOWS("64x64"), LACKS("not the view"), PRESS("q"),
           HIDES("calab run anneal"))},
    {"command says what it does not carry", OPTIONS(.arguments = {"life3d", "-s", "24x24x24"}),
     STEPS(COMMAND("range 0 0.5"), PRESS("a["), ROW(1, "XZ"), PRESS("y"),
           SHOWS_WORDS("not the view of it (axis xz"), SHOWS_WORDS("range 0 0.5): key W writes"),
           PRESS("q"), HIDES("calab run life3d"))},
    {"command line overrides saved view",
     OPTIONS(.arguments = {"fhp", "-b", "reference", "-s", "64x64"}),
     STEPS(STATUS("fhp"), STATUS("reference"), STATUS("64x64"))},
};

int main(void)
{
    return RUN_TESTS(.test = {first_start_waits_at_generation_0, bad_key_is_reported_at_the_start,
                              steps_runs_and_pauses, setting_persists, everything_is_as_it_was,
                              given_backend_stays},
                     .table = {{scripts_test(scripts), COUNT(scripts)},
                               {every_model_can_be_chosen, MODELS},
                               {remembered_backend_gives_way, COUNT(gone)}});
}
