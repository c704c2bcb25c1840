/* SPDX-License-Identifier: MIT */
/* The ladder and the verification of a model, on the screen, in an engine of their own. */
#include <curses.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench/bench.h"
#include "core/model/registry.h"
#include "tests/support/random_keys.h"
#include "tests/support/support.h"
#include "tests/support/script.h"
#include "tests/support/wrong_engine.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/lists/lab_inside.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/base/part.h"

static struct ca_error error;

static const struct screen_options small = {
    .arguments = {"anneal", "-s", "48x40", "--seed", "7", "-b", "bitslice"}};

static struct screen *opens_in(struct screen *screen, const char *key)
{
    user_does(screen, STEPS(STATUS(" gen 0 "), PRESS("..."), STATUS(" gen 3 "), PRESS(key),
                            SHOWS(key[0] == 'T' ? "every backend from the same start"
                                                : "every backend against the reference")));
    return screen;
}

static struct screen *opens(const struct screen_options *options, const char *key)
{
    return opens_in(user_starts(options), key);
}

/* With `threads` wrong, or so uneven that it is timed for seconds. */
static struct screen *opens_wrong(const char *kind, const char *key)
{
    return opens_in(wrong_starts(kind, "bitslice", 24, 80), key);
}

/* The lattice stands where it was, and goes on. */
static void goes_on(struct screen *screen)
{
    user_does(screen, STEPS(PRESS("q"), HIDES("every backend"), STATUS(" gen 3 "), PRESS("."),
                            STATUS(" gen 4 ")));
    user_quits(screen);
}

/* Where the row with this name begins in a text of the screen, and what follows. */
static const char *row_of(const char *text, const char *name)
{
    const char *at;

    at = strstr(text, test_text("%s ", name));
    ck_assert_msg(at, "no row '%s' in:\n%s", name, text);
    return at;
}

/* Of every backend that can run: a rate, factors, and whether it is equal. */
START_TEST(ladder_to_its_end)
{
    struct screen *screen = opens(&small, "T");
    const char *text;
    json_t *report;
    char *file;

    user_does(screen, STEPS(SHOWS("anneal 48x40 seed 7  done"),
                            SHOWS_WORDS("; all equal") /* the last line */, WAIT_MS(200)));
    text = screen_text(screen);
    ck_assert_contains(text,
                       "  backend                  rate  +- x ref. x before bound      equal");
    ck_assert(strstr(row_of(text, " reference"), "1.00"));
    ck_assert(strstr(row_of(text, " threads"), "= reference"));
    ck_assert_contains(text, ">*bitslice ", "more cannot run (enter shows them)");
    ck_assert(!strstr(text, "waiting"));
    ck_assert(!strstr(text, "CRASHED"));
    /* As a plot, whose cursor is the selected row. */
    user_does(screen, STEPS(PRESS("v"), SHOWS("ups   bitslice "), SHOWS(" x reference"),
                            SHOWS("reference  "), HIDES("x before"), PRESS("\033[D\033[D\033[D"),
                            SHOWS("ups   reference "), SHOWS(", 1.00 x reference"), PRESS("v"),
                            SHOWS("> reference "), PRESS("\033[B\033[B"), SHOWS(">*bitslice ")));
    user_does(screen,
              STEPS(PRESS("y"), SHOWS("calab bench anneal -s 48x40 --seed 7"), PRESS("q"),
                    HIDES("calab bench anneal"), PRESS("w"), SHOWS("write: anneal-bench.json"),
                    PRESS("\r"), HIDES("write: anneal")));
    file = test_read("anneal-bench.json", NULL);
    report = json_loads(file, 0, NULL);
    ck_assert_str_eq(json_text(report, "schema"), "calab-bench/2");
    ck_assert_uint_gt(json_array_size(json_object_get(report, "lines")), 3);
    json_decref(report);
    goes_on(screen);
}
END_TEST

/* Whether the row of the reference is below that of bitslice, as *lower says. A screen that is half
 * drawn may have neither. */
static bool reference_is(struct screen *screen, const void *lower)
{
    const char *text = screen_text(screen); /* until the next call */
    const char *reference = strstr(text, " reference   "), *bitslice = strstr(text, "*bitslice   ");

    return reference && bitslice && (reference > bitslice) == *(const bool *)lower;
}

/* Sorted by rate the slow reference is not the first. */
START_TEST(sorts_by_rate)
{
    struct screen *screen = opens(&small, "T");

    screen_expect_words(screen, "; all equal");
    screen_until(screen, reference_is, &(const bool){false}, "the reference above");
    screen_send(screen, "s");
    screen_until(screen, reference_is, &(const bool){true}, "the reference below");
    goes_on(screen);
}
END_TEST

/* Each backend has calls enough for a median, and one is still timed. */
static bool has_medians(struct screen *screen, const void *data)
{
    const char *at = screen_text(screen);
    int calls, rows = 0;

    (void)data;
    if (strstr(at, " waiting") || !strstr(at, "reference   "))
        return false;
    for (; (at = strstr(at, " timing, ")) != NULL; at++, rows++)
        if (sscanf(at, " timing, %d of", &calls) != 1 || calls <= 5)
            return false;
    return rows > 0;
}

/* What has been timed is checked and kept. */
START_TEST(stops_and_keeps)
{
    struct screen *screen = opens_wrong("uneven", "T");

    screen_until(screen, has_medians, NULL, "calls enough of each backend");
    user_does(screen, STEPS(PRESS("\003"), SHOWS("seed 1  stopped"), SHOWS_WORDS("; all equal")));
    ck_assert(strstr(row_of(screen_text(screen), "*bitslice"), "ups"));
    screen_expect_not(screen, "timing, ");
    goes_on(screen);
}
END_TEST

/* An engine that dies takes the backend with it whose turn it was; the others begin again. */
START_TEST(crash_costs_a_row)
{
    struct screen *screen = opens_wrong("uneven", "T");

    screen_until(screen, has_medians, NULL, "calls of each backend");
    kill(user_newest_engine(screen), SIGKILL);
    user_does(screen, STEPS(SHOWS("CRASHED: engine died by signal 9"), SHOWS("seed 1  done"),
                            SHOWS_WORDS("; all equal")));
    ck_assert_contains(screen_text(screen), "CRASHED: engine died by signal 9");
    goes_on(screen);
}
END_TEST

/* A wrong kernel has no figures, and nobody is compared with it. */
START_TEST(wrong_one_has_no_figures)
{
    struct screen *screen = opens_wrong("always", "T");
    const char *text;

    screen_expect(screen, "seed 1  done");
    screen_expect_words(screen, "; 1 is wrong");
    text = screen_text(screen);
    ck_assert_msg(strstr(row_of(text, " threads"), "- WRONG in 1 cell, ") ==
                      strstr(row_of(text, " threads"), "- "),
                  "%s", text);
    ck_assert(strstr(row_of(text, "*bitslice"), "= reference"));
    goes_on(screen);
}
END_TEST

static bool all_passed(struct screen *screen, const void *data)
{
    const char *text = screen_text(screen);
    int passed = 0;

    (void)data;
    for (; (text = strstr(text, " 280      0 ")) != NULL; text++)
        passed++;
    return passed >= 2 && screen_shows(screen, " ok ");
}

START_TEST(verifies)
{
    struct screen *screen = opens(&small, "V");

    screen_expect(screen, "anneal  done");
    screen_until(screen, all_passed, NULL, "all cases of each backend");
    ck_assert(!strstr(screen_text(screen), "WRONG"));
    user_does(screen,
              STEPS(PRESS("y"), SHOWS("calab verify anneal"), PRESS("q"), HIDES("calab verify")));
    goes_on(screen);
}
END_TEST

START_TEST(random_keys_in_the_ladder) { random_keys(opens(&small, "T"), "Tsx"); }
END_TEST

START_TEST(random_keys_in_the_verification) { random_keys(opens(&small, "V"), "Vx"); }
END_TEST

/* --- what is said below the rows -------------------------------------------------------------- */

/* The longest reasons, and one of an idle machine. */
static const struct ca_disturbance reasons[] = {
    {.samples = 4},
    {.samples = 4, .disturbed = 4, .cores = 2, .others = {true, 1.2}},
    {.samples = 4, .disturbed = 4, .slowest = 0.55},
    {.samples = 4, .disturbed = 4, .gpu = true, .held = true},
};

#define THIRD "a control group held this process back"

/* The sentence of three backends that were disturbed so. */
static void sentence_of(char *text, size_t size, const struct ca_disturbance *why)
{
    struct ca_experiment experiment;
    struct ca_bench bench;

    ca_bench_default(&bench);
    ca_experiment_default(&experiment, &anneal_model);
    ck_assert(ca_bench_add_ladder(&bench, &experiment, "reference,bitslice-avx2,bitslice-avx512",
                                  &error) == CA_OK);
    ck_assert_int_eq(bench.count, 3);
    for (int i = 0; i < 3; i++) {
        struct ca_bench_line *line = &bench.line[i];

        line->available = true;
        line->wrong = 0;
        line->experiment.steps = 10;
        line->stats = (struct ca_bench_stats){.n = 4, .median = (double[]){22.2, 1.25, 1}[i]};
        line->unsure = why->disturbed > 0;
        line->disturbance = *why;
        strcpy(line->checked, "reference, only to generation 20");
    }
    ca_bench_sentence(text, size, &bench, 0);
    ca_bench_free(&bench);
}

/* A ladder that has ended, drawn over 24 rows of 80 columns. */
static int draw_ended(const void *data)
{
    static struct workbench wb = {.layout = {.rows = 24, .columns = 80}};
    char sentence[600];

    sentence_of(sentence, sizeof sentence, data);
    if (parts_begin(&wb, workbench_parts, &error) != CA_OK || !initscr())
        return 1;
    noecho();
    cbreak();
    keymap_preset(&wb.keys, "default");
    wb.pane = wb.panes;
    ladder_of(&wb)->phase = LADDER_DONE;
    ca_experiment_default(&ladder_of(&wb)->experiment, &anneal_model);
    wb.panes[0].experiment = ladder_of(&wb)->experiment;
    ladder_of(&wb)->rows = json_loads("[{\"backend\":\"reference\",\"state\":\"right\"},"
                                      "{\"backend\":\"bitslice-avx2\",\"state\":\"right\"},"
                                      "{\"backend\":\"bitslice-avx512\",\"state\":\"right\","
                                      "\"others\":\"" THIRD "\"}]",
                                      0, NULL);
    ladder_of(&wb)->report = json_pack("{s:[s]}", "summary", sentence);
    list_open(&wb, &ladder_source);
    for (;;) {
        list_draw(&wb, dialog_top(&wb));
        refresh();
        list_key(&wb, dialog_top(&wb), getch());
    }
}

/* The rows from this one on, joined as one text, without the box around them; *after gets the row
 * behind them, which closes the box. */
static char *below(struct screen *screen, int row, int *after)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (; row < screen_rows(screen) && !strstr(screen_row(screen, row), "└"); row++) {
        const char *from = strstr(screen_row(screen, row), "│ ") + strlen("│ ");
        int n = (int)(strstr(from, "│") - from);

        while (n > 0 && from[n - 1] == ' ')
            n--;
        if (n > 0)
            fprintf(out, "%.*s ", n, from);
    }
    *after = row;
    fclose(out);
    return text;
}

/* However long the reason is: to its end. The lines stay as many while another row is selected that
 * has more to say. */
START_TEST(says_all_of_its_sentence)
{
    const struct screen_options options = {.body = draw_ended, .data = &reasons[_i]};
    struct screen *screen = screen_start(&options);
    char sentence[600], *text;
    int row = 0, after, again;

    sentence_of(sentence, sizeof sentence, &reasons[_i]);
    ck_assert_contains(sentence, _i ? " as fast as bitslice-avx2 (unsure: " : " as fast as ",
                       "; all equal as far as they were checked");
    screen_expect(screen, "└");
    screen_expect(screen, "bitslice-avx512 is ");
    while (!strstr(screen_row(screen, row), "bitslice-avx512 is "))
        row++;
    text = below(screen, row, &after);
    ck_assert_str_eq(text, test_text("%s ", sentence));
    free(text);
    screen_send(screen, "jj");
    screen_expect_words(screen, "held this process back"); /* the row's own reason */
    text = below(screen, row, &again);
    ck_assert_str_eq(text, test_text("%s; bitslice-avx512: " THIRD " ", sentence));
    free(text);
    ck_assert_int_eq(after, again);
    ck_assert_ptr_nonnull(strstr(screen_text(screen), "  reference "));
    screen_close(screen);
}
END_TEST

/* On a wide screen it lies beside the lattice, in its uppermost row; and on one that is less wide
 * beside a square lattice, whose picture is as high as the screen. */
START_TEST(beside_the_lattice)
{
    const struct screen_options wide = {
        .rows = 60,
        .columns = _i ? 200 : 260,
        .arguments = {"anneal", "-s", _i ? "64x64" : "48x40", "--seed", "7"}};
    struct screen *screen = opens(&wide, "T");
    const char *row;

    screen_expect_row(screen, 1, "[ladder");
    row = screen_row(screen, 1);
    ck_assert_ptr_nonnull(strstr(row, "1 lattice"));
    ck_assert(strstr(row, "1 lattice") < strstr(row, "[ladder"));
    goes_on(screen);
}
END_TEST

static void wait_for_medians(struct screen *screen)
{
    screen_until(screen, has_medians, NULL, "calls of each backend");
}

static void kill_newest_engine(struct screen *screen) { kill(user_newest_engine(screen), SIGKILL); }

#define OPENS(key, title)                                                                          \
    STATUS(" gen 0 "), PRESS("..."), STATUS(" gen 3 "), PRESS(key), SHOWS(title)
#define LADDER OPENS("T", "every backend from the same start")
#define VERIFICATION OPENS("V", "every backend against the reference")
/* The lattice stands where it was, and goes on. */
#define GOES_ON PRESS("q"), HIDES("every backend"), STATUS(" gen 3 "), PRESS("."), STATUS(" gen 4 ")

static const struct script scripts[] = {
    {"closes while it times", WRONG("uneven", "bitslice", 24, 80),
     STEPS(LADDER, CALL(wait_for_medians), GOES_ON)},
    {"takes the chosen one", &small,
     STEPS(LADDER, SHOWS(">*bitslice "), PRESS("k"), SHOWS("> threads "), PRESS("\r"),
           HIDES("every backend"), STATUS(" gen 3  threads on cpu"))},
    /* x opens the split of the selected one and the current. */
    {"compares the chosen one", &small,
     STEPS(LADDER, SHOWS(">*bitslice "), PRESS("x"), SHOWS("bitslice is the current one"),
           PRESS("k"), SHOWS("> threads "), PRESS("x"), SHOWS("B threads"),
           STATUS("= EQUAL at 3, "))},
    /* Only the names that have it in them; an empty one shows all again. */
    {"filters", &small,
     STEPS(LADDER, SHOWS(">*bitslice "), PRESS("/"), SHOWS("filter:"), PRESS("thr\r"),
           SHOWS("backend /thr "), SHOWS("> threads "), HIDES(" reference "), PRESS("/\b\b\b\r"),
           SHOWS(" reference "), SHOWS(">*bitslice "), GOES_ON)},
    /* A lattice that ran is paused for it, and runs on; once more, and stopped in there. */
    {"pauses what runs", &small,
     STEPS(PRESS(" "), STATUS(" RUN"), PRESS("T"), SHOWS("calls, "), HIDES(" RUN"), PRESS("q"),
           STATUS(" RUN"), PRESS("T"), SHOWS("calls, "), HIDES(" RUN"), PRESS("\003"),
           HIDES("waiting"), PRESS("q"), HIDES("every backend"), WAIT_MS(300), STATUS(" PAUSE"))},
    /* Steps come to their end; only a run is interrupted, and goes on. */
    {"waits for steps", OPTIONS(.arguments = {"anneal", "-s", "256x256", "-b", "reference"}),
     STEPS(PRESS("g400\rT"), SHOWS("every backend from the same start"), PRESS("q"),
           HIDES("every backend"), GENERATION(400), STATUS("PAUSE"), PRESS("."), GENERATION(401))},
    {"finds the wrong one", WRONG("calls", "bitslice", 24, 80),
     STEPS(VERIFICATION, SHOWS("anneal  done"), SHOWS("WRONG"), GOES_ON)},
    {"verification stops", &small,
     STEPS(VERIFICATION, SHOWS("  case "), PRESS("\003"), SHOWS("anneal  stopped"), GOES_ON)},
    {"crash in a verification", &small,
     STEPS(VERIFICATION, SHOWS("  case "), SHOWS(" ok "), CALL(kill_newest_engine),
           SHOWS("CRASHED: engine died by signal 9"), GOES_ON)},
};

static void setup(void)
{
    test_hurry();
    random_keys_folder();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "engine") == 0)
        return wrong_engine();
    return RUN_TESTS(.timeout_s = 600, .setup = setup,
                     .test = {ladder_to_its_end, sorts_by_rate, stops_and_keeps, crash_costs_a_row,
                              wrong_one_has_no_figures, verifies, random_keys_in_the_ladder,
                              random_keys_in_the_verification},
                     .table = {{scripts_test(scripts), COUNT(scripts)},
                               {beside_the_lattice, 2},
                               {says_all_of_its_sentence, COUNT(reasons)}});
}
