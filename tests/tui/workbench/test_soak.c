/* SPDX-License-Identifier: MIT */
/*
 * A workbench that is used for long: keys without a plan, sizes, backends, parameters, splits, and
 * engines that are killed, in laps. Each lap ends in the state that a run which nobody watches
 * ends in, and in a rest, where nothing may hold more than at the first one.
 *
 * CALAB_SOAK is its length in seconds, and prints a line a lap. Without it there are three laps in
 * which everything is done a few times.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/backend_glob.h"
#include "tests/support/growth.h"
#include "tests/support/random_keys.h"
#include "tests/support/soak_track.h"
#include "tests/support/support.h"
#include "tests/support/user.h"

#define ROWS 40
#define COLUMNS 160
#define LAP_S 12.0   /* of a long soak */
#define WILD_EVERY 4 /* laps; in the last of them any key */
#define SHORT_LAPS 3
#define KILL_APART_S 3.0 /* an engine that is killed twice within 2 s stays dead */
#define BURST 12         /* keys */

static const struct soak_model models[] = {
    {"fhp", "512x512", "p_force", {"0", "0.01", "0.2", "0.5"}, "*"},
    {"anneal", "512x256", "density", {"0.5", "0.4", "0.6", "0.3"}, "*"},
    {"cloud", "64x64x20", "p_ext", {"0", "0.01", "0.1", "0.3"}, "*"},
    {"life3d", "64x64x32", "r2", {"5", "6", "7", "4"}, "*"},
    {"water", "128x128", "source_mode", {"add", "fill", "add", "fill"}, "reference,threads,avx*"},
};

struct soak {
    struct screen *screen;
    struct random_keys draw;
    struct track track;
    bool split;
    pid_t engine_a; /* in a split */
    bool tidy;      /* nothing is open on the screen */
    double killed;  /* when an engine was, last */
    struct growth workbench, engine;
    int laps, swaps, changes, kills, splits, writes;
    double generations;
};

static double soak_seconds(void) /* 0: the short form */
{
    const char *text = getenv("CALAB_SOAK");

    return text ? atof(text) : 0;
}

/* --- the screen as it is known ---------------------------------------------------------------- */

static bool no_alarm(struct screen *screen, const void *data)
{
    (void)data;
    return !screen_row_shows(screen, -2, "(esc");
}

static void escape(struct soak *soak)
{
    screen_send(soak->screen, "\033");
    screen_listen(soak->screen, 0.06);
}

/* Of a known size, with no list, cursor or prompt open. */
static void tidy(struct soak *soak)
{
    if (screen_rows(soak->screen) != ROWS || screen_columns(soak->screen) != COLUMNS)
        screen_resize(soak->screen, ROWS, COLUMNS);
    for (int i = 0; i < 3 && !soak->tidy; i++)
        escape(soak);
    soak->tidy = true;
    screen_expect_row(soak->screen, 0, "gen ");
}

/* As the screen says. A key that starts it may still be on its way. */
static void stopped(struct soak *soak)
{
    tidy(soak);
    for (int i = 0; i < 40 && !screen_row_shows(soak->screen, 0, "PAUSE"); i++) {
        if (screen_row_shows(soak->screen, 0, " RUN"))
            screen_send(soak->screen, " ");
        screen_listen(soak->screen, 0.3);
    }
    expect_status(soak->screen, "PAUSE");
    screen_listen(soak->screen, 0.1);
}

static void command(struct soak *soak, const char *line)
{
    random_note(&soak->draw, line);
    user_types(soak->screen, ":", line);
}

static void said(struct soak *soak, const char *line, const char *says)
{
    command(soak, line);
    screen_expect(soak->screen, says);
}

static bool message_has(struct screen *screen, const void *text)
{
    return screen_row_shows(screen, -2, text);
}

/* Stopped, with nothing on its way: the engine has answered a write. Its file is kept as lap.h5,
 * and its generation, which is the one on the screen, is returned. */
static uint64_t settled(struct soak *soak)
{
    char file[32], line[64], says[64];
    uint64_t written, shown;

    do {
        stopped(soak);
        snprintf(file, sizeof file, "lap%d.h5", ++soak->writes);
        snprintf(line, sizeof line, "write %s", file);
        snprintf(says, sizeof says, "wrote %s, generation ", file);
        command(soak, line);
        screen_until(soak->screen, message_has, says, says);
        written = strtoull(strstr(screen_row(soak->screen, -2), says) + strlen(says), NULL, 10);
        ck_assert_int_eq(rename(test_path(file), test_path("lap.h5")), 0);
        shown = (uint64_t)shown_generation(soak->screen);
    } while (!screen_row_shows(soak->screen, 0, "PAUSE"));
    ck_assert_msg(written == shown,
                  "generation %" PRIu64 " was written, %" PRIu64 " is shown, after%s", written,
                  shown, soak->draw.last);
    return shown;
}

/* --- what is done ----------------------------------------------------------------------------- */

static bool is_view(enum request request)
{
    static const enum request views[] = {
        REQUEST_RUN,         REQUEST_STEP,           REQUEST_STRIDE,     REQUEST_FASTER,
        REQUEST_SLOWER,      REQUEST_AXIS,           REQUEST_ZOOM_OUT,   REQUEST_ZOOM_IN,
        REQUEST_HALVE,       REQUEST_DOUBLE,         REQUEST_FIT,        REQUEST_ORIGIN,
        REQUEST_PAN_LEFT,    REQUEST_PAN_RIGHT,      REQUEST_PAN_UP,     REQUEST_PAN_DOWN,
        REQUEST_SLICE_NEXT,  REQUEST_SLICE_PREVIOUS, REQUEST_SLICE_LAST, REQUEST_SLICE_FIRST,
        REQUEST_INSPECT,     REQUEST_GLYPHS,         REQUEST_NEXT_PANEL, REQUEST_PREVIOUS_PANEL,
        REQUEST_PANEL_2,     REQUEST_PANEL_3,        REQUEST_PANEL_4,    REQUEST_PANEL_5,
        REQUEST_FULL_SCREEN, REQUEST_REDRAW,         REQUEST_MOUSE};

    for (size_t i = 0; i < COUNT(views); i++)
        if (views[i] == request)
            return true;
    return false;
}

static bool is_list(enum request request)
{
    static const enum request lists[] = {REQUEST_MODEL,      REQUEST_BACKEND,  REQUEST_DEVICE,
                                         REQUEST_PARAMETERS, REQUEST_SETTINGS, REQUEST_DRAWN,
                                         REQUEST_COLOURS,    REQUEST_YANK,     REQUEST_HELP,
                                         REQUEST_SNAPSHOT,   REQUEST_COMMAND};

    for (size_t i = 0; i < COUNT(lists); i++)
        if (lists[i] == request)
            return true;
    return false;
}

/* Keys that leave the run as it is: of views, and lists that are opened and closed again. */
static void look_around(struct soak *soak)
{
    struct screen *screen = soak->screen;

    tidy(soak);
    soak->tidy = false;
    for (int i = 0; i < BURST; i++) {
        const struct key_row *row = random_row(&soak->draw);

        if (random_below(&soak->draw, 8) == 0) {
            random_resize(screen, &soak->draw);
        } else if (is_list(row->request)) {
            random_press(screen, &soak->draw, row);
            for (unsigned n = random_below(&soak->draw, 4); n > 0; n--)
                screen_send(screen, random_below(&soak->draw, 2) ? "\033[B" : "\033[A");
            escape(soak);
            escape(soak);
        } else if (is_view(row->request)) {
            random_press(screen, &soak->draw, row);
        }
        screen_listen(screen, 0.01);
        ck_assert_msg(screen_is_alive(screen), "the program has ended after%s", soak->draw.last);
    }
}

/* A backend of the model that can run here; each as often as any other. */
static const char *any_backend(struct soak *soak)
{
    const struct soak_model *m = soak->track.model;
    const struct ca_model *model = test_model(m->model);
    unsigned count = 0;
    struct ca_error error;

    while (model->backends[count].name)
        count++;
    for (;;) {
        const struct ca_backend *b = &model->backends[random_below(&soak->draw, count)];

        if (ca_backend_glob(m->backends, b->name) && ca_backend_available(b, &error) == CA_OK)
            return b->name;
    }
}

static void swap(struct soak *soak)
{
    const char *name = any_backend(soak);
    char line[64], says[64];

    tidy(soak);
    snprintf(line, sizeof line, "%s %s",
             soak->split && random_below(&soak->draw, 2) ? "b backend" : "backend", name);
    command(soak, line);
    soak->swaps++;
    if (soak->split)
        return;
    snprintf(says, sizeof says, " %s on cpu", name);
    expect_status(soak->screen, says);
}

/* At a generation that is known. */
static void change(struct soak *soak)
{
    const char *const *values = soak->track.model->values;
    const char *value;
    char line[64], says[64];
    uint64_t generation;

    do
        value = values[random_below(&soak->draw, 4)];
    while (strcmp(value, track_value(&soak->track)) == 0);
    generation = settled(soak);
    snprintf(line, sizeof line, "set %s=%s", soak->track.model->parameter, value);
    snprintf(says, sizeof says, "%s changed", soak->track.model->parameter);
    said(soak, line, says);
    track_change(&soak->track, generation, value);
    soak->changes++;
}

static bool is_reset(struct screen *screen, const void *data)
{
    (void)data;
    return shown_generation(screen) == 0 || screen_shows(screen, "r again gives this state up");
}

static void reset(struct soak *soak)
{
    stopped(soak);
    random_note(&soak->draw, "reset");
    screen_send(soak->screen, "r");
    screen_until(soak->screen, is_reset, NULL, "generation 0");
    if (shown_generation(soak->screen) != 0) /* a state that no command reproduces, in a split */
        screen_send(soak->screen, "r");
    expect_generation(soak->screen, 0);
    track_begin(&soak->track, soak->track.model, soak->track.seed, track_value(&soak->track));
}

static void toggle_split(struct soak *soak)
{
    stopped(soak);
    random_note(&soak->draw, "split");
    if (!soak->split)
        soak->engine_a = engine_of(soak->screen);
    screen_send(soak->screen, "x");
    if (soak->split)
        screen_until(soak->screen, no_alarm, NULL, "no alarm");
    else
        expect_status(soak->screen, "= EQUAL at ");
    soak->split = !soak->split;
    soak->splits++;
    if (!soak->split)
        screen_expect_row(soak->screen, 0, " on cpu");
}

/* One of the engines, in a split perhaps only B's, while it runs. A goes on from its last
 * checkpoint, B is gone. */
static void kill_engine(struct soak *soak, bool only_b)
{
    static const char from[] = "restarted at generation ";
    pid_t engines[2], killed;
    int count;
    const char *says;
    long long generation;

    if (seconds_now() - soak->killed < KILL_APART_S)
        return;
    generation = (long long)settled(soak);
    screen_until(soak->screen, no_alarm, NULL, "no alarm");
    screen_send(soak->screen, " ");
    expect_generation_from(soak->screen, generation + 1);
    count = process_children(screen_pid(soak->screen), engines, 2);
    ck_assert_int_gt(count, 0);
    killed = engines[random_below(&soak->draw, (unsigned)count)];
    if (only_b)
        killed = engines[0] == soak->engine_a ? engines[1] : engines[0];
    says = !soak->split || killed == soak->engine_a ? from : "the split is closed";
    random_note(&soak->draw, !soak->split ? "kill" : says == from ? "kill-A" : "kill-B");
    ck_assert_int_eq(kill(killed, SIGKILL), 0);
    soak->killed = seconds_now();
    soak->kills++;
    screen_until(soak->screen, message_has, says, "the death of an engine");
    soak->tidy = false; /* the alarm is to be answered */
    if (says == from) {
        const char *at = strstr(screen_row(soak->screen, -2), from);

        track_return(&soak->track, strtoull(at + strlen(from), NULL, 10));
    }
    stopped(soak);
    soak->split = screen_row_shows(soak->screen, 0, "EQUAL");
    if (soak->split) /* that A has come anew */
        soak->engine_a = user_newest_engine(soak->screen);
}

static void go(struct soak *soak)
{
    tidy(soak);
    if (!screen_row_shows(soak->screen, 0, " RUN"))
        screen_send(soak->screen, " ");
    screen_listen(soak->screen, 0.2);
}

static void act(struct soak *soak)
{
    const unsigned what = random_below(&soak->draw, 100);

    if (what < 40)
        look_around(soak);
    else if (what < 60)
        swap(soak);
    else if (what < 70)
        change(soak);
    else if (what < 80)
        toggle_split(soak);
    else if (what < 85)
        kill_engine(soak, false);
    else if (what < 88)
        reset(soak);
    go(soak);
}

/* Each of it, so that two laps leave enough behind to be noticed, if anything. */
static void act_each(struct soak *soak)
{
    if (soak->laps == 0) {
        go(soak);
        kill_engine(soak, false);
    }
    for (int i = 0; i < 3; i++)
        swap(soak);
    change(soak);
    toggle_split(soak);
    swap(soak);
    go(soak);
    look_around(soak);
    kill_engine(soak, true);
    for (int i = 0; i < 3; i++)
        swap(soak);
    go(soak);
    if (soak->laps == 1)
        reset(soak);
    go(soak);
}

/* --- laps ------------------------------------------------------------------------------------- */

static void open_experiment(struct soak *soak, const struct soak_model *m, const char *size,
                            unsigned seed)
{
    const char *path = test_path("lap.cfg");
    char text[512];

    snprintf(text, sizeof text,
             "model = \"%s\";\nsize = \"%s\";\nseed = %u;\nparameters : { %s = %s%s%s; };\n",
             m->model, size, seed, m->parameter, m->values[0][0] > '9' ? "\"" : "", m->values[0],
             m->values[0][0] > '9' ? "\"" : "");
    test_write(path, text, strlen(text));
    command(soak, "open lap.cfg");
    screen_expect_row(soak->screen, 0, size);
    expect_generation(soak->screen, 0);
    track_begin(&soak->track, m, seed, m->values[0]);
}

/* What the state is, by a file of it, and what it should be. */
static void expect_unwatched_state(struct soak *soak)
{
    const uint64_t generation = settled(soak);
    char watched[32];

    if (soak->split)
        expect_status(soak->screen, "= EQUAL at ");
    snprintf(watched, sizeof watched, "%s", track_file_hash(&soak->track, test_path("lap.h5")));
    ck_assert_msg(strcmp(watched, track_unwatched_hash(&soak->track, generation)) == 0,
                  "%s: generation %" PRIu64 " has the hash %s, and unwatched another, after%s",
                  track_text(&soak->track), generation, watched, soak->draw.last);
    soak->generations += (double)generation;
}

static bool left_out(enum request request)
{
    return request == REQUEST_SETTINGS; /* which may bind the keys anew */
}

/* Any key, in whatever comes of it. */
static void wild_lap(struct soak *soak, double seconds)
{
    const double until = seconds_now() + seconds;

    soak->draw.left_out = left_out;
    while (seconds_now() < until)
        random_event(soak->screen, &soak->draw, " .\r");
    soak->draw.left_out = NULL;
    screen_resize(soak->screen, ROWS, COLUMNS);
    screen_send(soak->screen, "\003"); /* ends what a list does */
    screen_listen(soak->screen, 0.3);
    soak->tidy = false;
}

/* The same as ever: one pane, one small lattice, on the reference. */
static void rest(struct soak *soak)
{
    stopped(soak);
    if (soak->split || screen_row_shows(soak->screen, 0, "EQUAL"))
        screen_send(soak->screen, "x");
    soak->split = false;
    open_experiment(soak, &models[0], "64x64", 1);
    said(soak, "backend reference", " reference on cpu");
    screen_listen(soak->screen, soak_seconds() > 0 ? 1.2 : 0.3); /* it writes a checkpoint */
    growth_rest(&soak->workbench, screen_pid(soak->screen));
    growth_rest(&soak->engine, engine_of(soak->screen));
    screen_forget_bytes(soak->screen);
}

static void print_lap(const struct soak *soak, double seconds)
{
    printf("%6.0f s, lap %d: %.3g generations, %ld keys, %ld sizes, %d swaps, %d changes, "
           "%d splits, %d kills; workbench %ld KiB (own %ld), %d descriptors; engine %ld KiB (own "
           "%ld), %d\n",
           seconds, soak->laps, soak->generations, soak->draw.keys, soak->draw.resizes, soak->swaps,
           soak->changes, soak->splits, soak->kills, soak->workbench.now.resident_kib,
           soak->workbench.now.own_kib, soak->workbench.now.descriptors,
           soak->engine.now.resident_kib, soak->engine.now.own_kib, soak->engine.now.descriptors);
    fflush(stdout);
}

static void lap(struct soak *soak)
{
    const bool is_long = soak_seconds() > 0;
    const double until = seconds_now() + LAP_S;
    const struct soak_model *model = &models[is_long ? soak->laps % (int)COUNT(models) : 0];

    if (soak->laps % WILD_EVERY == WILD_EVERY - 1) {
        wild_lap(soak, LAP_S);
    } else {
        open_experiment(soak, model, model->size, 1 + random_below(&soak->draw, 1000));
        command(soak, "speed max");
        swap(soak);
        go(soak);
        if (!is_long)
            act_each(soak);
        while (is_long && seconds_now() < until)
            act(soak);
        expect_unwatched_state(soak);
    }
    rest(soak);
    soak->laps++;
}

/* --- the soak --------------------------------------------------------------------------------- */

START_TEST(a_long_use_leaves_nothing_behind)
{
    /* What is freed goes back at once, so that a rest shows what is held. */
    const struct screen_options options = {
        .rows = ROWS,
        .columns = COLUMNS,
        .arguments = {"fhp", "-s", "64x64"},
        .environment = {"CALAB_THREADS=1", "MALLOC_MMAP_THRESHOLD_=65536",
                        "MALLOC_TRIM_THRESHOLD_=65536", "MALLOC_ARENA_MAX=1"}};
    const double start = seconds_now(), seconds = soak_seconds();
    struct soak soak = {.draw = {.state = test_seed()},
                        .workbench = {.name = "the workbench", .warm = seconds > 0 ? 8 : 1},
                        .engine = {.name = "the engine", .warm = seconds > 0 ? 6 : 1}};

    random_keys_folder();
    soak.screen = user_starts(&options);
    while (seconds > 0 ? seconds_now() - start < seconds : soak.laps < SHORT_LAPS) {
        lap(&soak);
        if (seconds > 0 || soak.laps == SHORT_LAPS)
            print_lap(&soak, seconds_now() - start);
    }
    screen_send(soak.screen, "Q");
    ck_assert_int_eq(screen_end(soak.screen), 0);
    screen_close(soak.screen);
    exit(0); /* Check cannot tell of more than 2^31 us */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("soak");
    TCase *tests = tcase_create("soak");

    tcase_set_timeout(tests, 600 + 2 * soak_seconds());
    tcase_add_exit_test(tests, a_long_use_leaves_nothing_behind, 0);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
