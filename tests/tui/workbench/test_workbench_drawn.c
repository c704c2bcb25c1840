/* SPDX-License-Identifier: MIT */
/*
 * Whole screens of the workbench as they were looked at (tests/data/screens.txt), of states that
 * are put together here, so that each figure on them is always the same. No engine runs, and the
 * terminal is /dev/null.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/engine/experiment_json.h"
#include "core/lab/backend/backend.h"
#include "core/model/registry.h"
#include "core/sim/simulation.h"
#include "tests/support/looked_at.h"
#include "tests/support/support.h"
#include "tests/support/support_settings.h"
#include "tests/support/support_view.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log_inside.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/figures_inside.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_inside.h"
#include "tui/workbench/engine/split_inside.h"
#include "tui/workbench/engine/view_inside.h"
#include "tui/workbench/lists/crossover_inside.h"
#include "tui/workbench/lists/lab_inside.h"
#include "tui/workbench/panels/panels.h"

static struct ca_error error;
static struct workbench wb;

/* A state, and the size of the screen that shows it. */
struct scene {
    const char *name;
    int rows, columns;
    const char *model, *size, *backend;
    const char *settings; /* NAME=VALUE, with blanks */
    void (*made)(void);   /* of what has been opened, after its first frame; or NULL */
    const char *keys;     /* that are pressed then */
    const char *part; /* that is looked at: a panel by name, "comparison" (with line 1), "prompt"
                         (the last rows); NULL: all. Of a "dialog" all, without a lattice. */
    /* In place of the screen what the keys do: to the view, after each; or what line by line is
     * said and asked of the engine. */
    enum { SHOWS_SCREEN, SHOWS_VIEW, SHOWS_LINES } shows;
};

/* --- the workbench ---------------------------------------------------------------------------- */

/* What follows when settings have changed, but for what asks a terminal. */
static void settings_applied(struct workbench *workbench)
{
    keymap_preset(&workbench->keys, "default");
    palette_make(&workbench->palette, setting_text(workbench, CA_SETTING_COLOURS), 0, true, true);
    view_reduce(&workbench->panes[0], (enum ca_reduce)setting_number(workbench, CA_SETTING_REDUCE));
    view_drawn(workbench);
    speed_set(workbench, setting_number(workbench, CA_SETTING_SPEED));
    view_layout(workbench);
    view_changed(&workbench->panes[0]);
}

static const struct part applying_part = {.name = "settings", .apply = settings_applied};
static const struct part *parts[PARTS_MAX];

/* An engine that is there and says nothing. */
static struct ca_client *silent(void)
{
    const char *const argv[] = {"/bin/cat", NULL};
    struct ca_client *client;

    ck_assert_ok(ca_client_start(&client, argv, STDERR_FILENO, &error));
    return client;
}

static void opens(int side, const char *model, const char *size, const char *backend)
{
    struct pane *pane = &wb.panes[side];
    static struct contender contender;

    memset(&contender, 0, sizeof contender);
    ca_experiment_default(&contender.experiment, test_model(model));
    ck_assert_ok(ca_experiment_set(&contender.experiment, "size", size, CA_FROM_COMMAND_LINE,
                                   "test", &error));
    ck_assert_ok(ca_experiment_set(&contender.experiment, "backend", backend, CA_FROM_COMMAND_LINE,
                                   "test", &error));
    pane_init(pane, &wb, &contender);
    session_of(pane)->client = silent();
    session_of(pane)->open = true;
    session_of(pane)->pace = 1;
}

static int more_bytes; /* of a frame than it should have */

/* The frame of the view that is asked for, as a simulation has it after 5 generations, with what is
 * timed and observed. */
static void comes(int side, const struct ca_wire_timing *timing, const double *observables,
                  uint64_t generation)
{
    struct pane *pane = &wb.panes[side];
    struct ca_experiment experiment = pane->experiment;
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_wire_frame wire = {.pictures = 1,
                                 .generation = generation,
                                 .timed = timing != NULL,
                                 .observed = observables != NULL,
                                 .observed_generation = generation,
                                 .observe_s = 0.00125,
                                 .broken = -1};
    struct ca_simulation *simulation;
    const struct ca_frame *frame;
    struct ca_message message;
    size_t points, bytes;
    uint8_t *data;

    ca_experiment_backend(&experiment, experiment.model->backends, CA_FROM_COMMAND_LINE);
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_simulation_step(simulation, 5, &error));
    frame = view_draw(viewer, simulation, view_of(pane));
    points = (size_t)frame->view.columns * (size_t)frame->view.lines;
    bytes = ca_view_bytes(&frame->view);
    data = test_keep(calloc(1, bytes));
    memcpy(data, frame->code, points);
    memcpy(data + points, frame->level, points);
    if (frame->digest)
        memcpy(data + 2 * points, frame->digest, bytes - 2 * points);
    wire.picture[0] = (struct ca_wire_picture){
        .view = frame->view, .sampled = frame->sampled, .low = frame->low, .high = frame->high};
    if (timing)
        wire.timing = *timing;
    while (observables && ca_observables(experiment.model)[wire.observables].name) {
        wire.observable[wire.observables] = observables[wire.observables];
        wire.observables++;
    }
    message = (struct ca_message){
        .json = ca_wire_frame(&wire), .data = data, .bytes = bytes + (size_t)more_bytes};
    event_take(pane, &message);
    json_decref(message.json);
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}

static void sets(const char *settings)
{
    char text[256], *save = NULL;

    snprintf(text, sizeof text, "%s", settings ? settings : "");
    for (char *one = strtok_r(text, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
        char *value = strchr(one, '=');

        *value++ = '\0';
        test_settings_set(wb.settings, one, value);
    }
}

/* What the main loop does with a key. */
static void presses(int code)
{
    enum request request = keymap_find(&wb.keys, KEYS_EVERYWHERE, code);

    message_clear(&wb);
    for (int i = 0; wb.parts[i]; i++)
        if (wb.parts[i]->key && wb.parts[i]->key(&wb, request, code))
            return;
    if (request == REQUEST_NONE)
        request = keymap_find(&wb.keys, KEYS_LATTICE, code);
    parts_perform(&wb, request);
}

/* A character stands for a key; some do for keys that have none. */
static int key_of(char character)
{
    static const char named[] = "$^@~<>`\"|";
    static const int codes[] = {KEY_END,   KEY_HOME, KEY_NPAGE, KEY_PPAGE, KEY_LEFT,
                                KEY_RIGHT, KEY_DC,   KEY_UP,    KEY_DOWN};
    const char *at = strchr(named, character);

    return at ? codes[at - named] : (unsigned char)character;
}

static void begins(const struct scene *scene)
{
    ck_assert_int_eq(resizeterm(scene->rows, scene->columns), OK);
    memset(&wb, 0, sizeof wb);
    wb.settings = test_settings_open(test_path("calab.cfg"));
    for (int i = 0; workbench_parts[i]; i++) {
        bool applies = strcmp(workbench_parts[i]->name, applying_part.name) == 0;

        parts[i] = applies ? &applying_part : workbench_parts[i];
    }
    ck_assert_ok(parts_begin(&wb, parts, &error));
    wb.pane = &wb.panes[0];
    wb.pane_count = 1;
    opens(0, scene->model, scene->size, scene->backend);
    sets(scene->settings);
    window_of(wb.pane)->fitted = true;
    parts_apply(&wb);
    view_field(wb.pane);
    if (!scene->part || (strcmp(scene->part, "dialog") != 0 && strcmp(scene->part, "prompt") != 0))
        comes(0, NULL, NULL, 5);
    if (scene->made)
        scene->made();
    for (const char *key = scene->shows ? NULL : scene->keys; key && *key; key++)
        presses(key_of(*key));
}

static void ends(void)
{
    for (int i = 0; i < wb.pane_count; i++) {
        if (session_client(&wb.panes[i]))
            ca_client_kill(session_client(&wb.panes[i]));
        session_end(&wb.panes[i]);
    }
    parts_end(&wb);
    ca_settings_close(wb.settings);
}

/* --- what they show --------------------------------------------------------------------------- */

static const struct ca_wire_timing timed = {
    .figures = {.count = 100,
                .call = 8,
                .step_min_s = 1.5e-6,
                .step_p50_s = 2.5e-6,
                .step_p99_s = 3.5e-3,
                .cells_per_s = 4.5e9,
                .gb_per_s = 5.5},
    .able = {.count = 20, .call = 64, .step_p50_s = 11e-9, .cells_per_s = 13.5e12},
    .others = 0.1,
    .cores = 2,
    .gpu_others = NAN,
    .mode = CA_MODE_STEP,
    .generations = 800,
    .device_s = 6.5,
    .wall_s = 75.5,
    .transfer_s = 8.5e-3,
    .copy_share = 0.095,
    .logic_share = 0.105,
};

static void is_timed(void)
{
    comes(0, &timed, NULL, 5);
    strcpy(wb.panes[0].report, "8 threads");
}

static void has_long_value(void)
{
    is_timed();
    strcpy(figures_of(wb.pane)->before, "1.25 Gups, a backend of a long name");
}

static void is_disturbed(void)
{
    struct ca_wire_timing timing = timed;

    timing.others = 1.25;
    timing.mode = CA_MODE_PACED;
    timing.able.count = 0;
    comes(0, &timing, NULL, 5);
}

/* A run whose observables rise, fall and stay. */
static void is_observed(void)
{
    for (int i = 0; i < 40; i++) {
        double values[CA_OBSERVABLES_MAX];

        for (int k = 0; k < CA_OBSERVABLES_MAX; k++)
            values[k] = k % 3 == 0 ? 1000 + 10 * i * (k + 1) : k % 3 == 1 ? -i * i : 3.25;
        comes(0, NULL, values, (uint64_t)(8 * i));
    }
    comes(0, &timed, NULL, 320);
}

static void is_violated(void)
{
    is_observed();
    observed_of(wb.pane)->broken = 0;
}

static void has_cursor(void)
{
    cursor_put(wb.pane, 7, 5);
    strcpy(window_of(wb.pane)->cursor.text, "7,5: alive");
}

static void edits(void)
{
    has_cursor();
    cursor_edits(wb.pane, true);
}

static struct ca_fact fact(double value) { return (struct ca_fact){true, value}; }

static struct ca_device card(int index)
{
    struct ca_device d = {.kind = CA_CUDA,
                          .index = index,
                          .name = "NVIDIA H100 80GB",
                          .cores = 132,
                          .clock_mhz = fact(1980 - index),
                          .memory_clock_mhz = fact(2619),
                          .temperature_c = fact(41.5 + index),
                          .power_w = fact(412.34),
                          .power_limit_w = fact(700),
                          .memory_bytes = fact(80 * 0x1p30),
                          .memory_free_bytes = fact(73.25 * 0x1p30),
                          .ecc = fact(1),
                          .utilisation = fact(0.95),
                          .held_by = "power cap"};

    return d;
}

static void has_devices(int gpus, bool all)
{
    struct device *d = device_of(wb.pane);

    d->known = true;
    d->count = gpus ? gpus : 1;
    d->facts[0] = (struct ca_device){.name = "a processor of many cores", .cores = 64};
    if (all) {
        d->facts[0].clock_mhz = fact(2345.6);
        d->facts[0].temperature_c = fact(61.25);
        d->facts[0].memory_bytes = fact(64 * 0x1p30);
        d->facts[0].memory_free_bytes = fact(1.5 * 0x1p30);
        strcpy(d->facts[0].governor, "powersave");
        d->joules = fact(1.234e-5);
    }
    for (int i = 0; i < gpus; i++)
        d->facts[i] = card(i);
}

static void has_processor(void) { has_devices(0, true); }
static void has_unknown(void) { has_devices(0, false); }
static void has_card(void) { has_devices(1, true); }
static void has_cards(void) { has_devices(4, true); }

static void set_times(void)
{
    for (unsigned i = 0; i < LOG_LINES; i++)
        snprintf(log_of(&wb)->line[i].time, sizeof log_of(&wb)->line[i].time, "%02u:%02u:%02u",
                 (i / 60 + 9) % 24, i % 60, i % 100);
}

static void has_messages(void)
{
    for (int i = 0; i < 12; i++)
        (i % 4 == 3 ? message_warn : message_show)(&wb, "message %d of twelve that say little", i);
    set_times();
}

static void has_long_message(void)
{
    message_show(&wb,
                 "a message that is so long that it does not fit on the line of messages, which "
                 "is why it is in a box above it, with its words in rows");
    set_times();
}

static void has_alarms(void)
{
    for (int i = 0; i < 3; i++)
        alarm_raise(&wb, "alarm %d", i);
    message_show(&wb, "a message besides");
    set_times();
}

static void has_alarm(void)
{
    alarm_raise(&wb, "one alarm");
    set_times();
}

/* --- a split ---------------------------------------------------------------------------------- */

static void has_split(void)
{
    static const int64_t cells[2] = {192, 192};
    struct split *s = split_of(&wb);

    opens(1, "anneal", "16x12", "bitslice");
    wb.pane_count = 2;
    s->phase = SPLIT_READY;
    s->checks = 64;
    s->equal_at = 4096;
    s->call = 16;
    view_layout(&wb);
    view_changed(&wb.panes[0]);
    for (int side = 0; side < 2; side++) {
        comes(side, &timed, NULL, 4096);
        for (int i = 0; i < 100; i++)
            s->samples[side].step_s[i] = (side ? 2e-5 : 1e-6) * (i >= 97 ? 4 : 1);
        s->samples[side].count = 100;
    }
    ca_ratio_begin(&s->ratio, cells, 16);
    for (struct ca_ratio_request turn; ca_ratio_next(&s->ratio, &turn);)
        ca_ratio_take(&s->ratio, (double)turn.calls * (turn.side ? 3.2e-4 : 1.6e-5), NULL);
    s->measured = true;
}

static void has_two_alike(void)
{
    has_split();
    for (int k = 0; k < CA_RATIO_PAIRS; k++)
        split_of(&wb)->ratio.side[0].burst[k].seconds *= 20;
    split_of(&wb)->checks = 1;
    split_of(&wb)->call = 1;
}

static void has_difference(void)
{
    struct split *s = split_of(&wb);

    has_split();
    s->differs = true;
    s->differs_at = 4112;
    strcpy(s->no_mark, "there is no memory for it");
}

static void has_difference_at_once(void)
{
    has_difference();
    split_of(&wb)->checks = 1;
    split_of(&wb)->find = FIND_STOPPED;
}

/* One cell of a neighbourhood of seven columns and five rows. */
static void has_place(void)
{
    struct split *s = split_of(&wb);
    struct ca_differ_result *r = &s->differ.result;

    has_difference();
    s->find = FIND_DONE;
    s->differ.start.model = test_model("anneal");
    s->differ.start.size = (struct ca_size){64, 64, 1};
    *r = (struct ca_differ_result){.kind = CA_DIFFER_FROM,
                                   .equal_at = 4097,
                                   .generation = 4098,
                                   .length = 1,
                                   .placed = true,
                                   .cell = {33, 20, 0},
                                   .value = {1, 0},
                                   .value_before = 1,
                                   .corner = {30, 18, 0},
                                   .columns = 7,
                                   .rows = 5};
    for (int i = 0; i < 35; i++)
        r->before[0][i] = r->after[0][0][i] = r->after[1][0][i] = i % 3 == 0;
    r->after[0][0][2 * 7 + 3] = 1;
    r->after[1][0][2 * 7 + 3] = 0;
    r->after[1][0][2 * 7 + 4] = NAN;
}

static void has_trouble(void)
{
    has_split();
    strcpy(split_of(&wb)->trouble, "the engine of B has ended; x closes the split");
    strcpy(split_of(&wb)->no_ratio, "B is an emulated GPU");
    split_of(&wb)->samples[1].count = 0;
    split_of(&wb)->measured = false;
    split_of(&wb)->ratio = (struct ca_ratio){0};
}

/* Others use so many cores, and the threads wait for theirs. */
static void ratio_disturbed(double others)
{
    const struct ca_interference busy = {
        .seconds = 1, .cores = 2, .threads = 2, .others = {true, others}, .waited = {true, 0.5}};
    static const int64_t cells[2] = {192, 192};
    struct split *s = split_of(&wb);
    struct ca_ratio_request turn;

    has_split();
    ca_ratio_begin(&s->ratio, cells, 16);
    for (int i = 0; i < 30 && ca_ratio_next(&s->ratio, &turn); i++)
        ca_ratio_take(&s->ratio, (double)turn.calls * 1.6e-5, &busy);
}

static void is_unsure(void) { ratio_disturbed(1.3); }

/* A reason as long as they come. */
static void has_waited(void) { ratio_disturbed(0); }

static void is_unsure_yet(void)
{
    is_unsure();
    split_of(&wb)->measured = false;
}

static void is_not_compared(void)
{
    has_split();
    split_of(&wb)->checks = 0;
    split_of(&wb)->ratio = (struct ca_ratio){0};
}

/* --- lists ------------------------------------------------------------------------------------ */

/* A text of some pages, with headings and rows that wrap below their second column. */
static void text_fill(struct workbench *workbench)
{
    (void)workbench;
    for (int i = 0; i < 24; i++) {
        if (i % 8 == 0)
            list_add(i, "part %d of the text", i)->heading = true;
        else
            list_add(i, "%-14d %s", i,
                     i % 3 ? "a row"
                           : "a row of so many words that it needs more than one line of "
                             "the list, and on a small screen three")
                ->indent = 15;
    }
}

static const struct list_source text_source = {.title = "a text that is long enough to be scrolled",
                                               .fill = text_fill};

static int restored;

static bool row_open(struct workbench *workbench, const struct list_row *row)
{
    message_show(workbench, "opened %d, %s", row->item, row->text);
    return row->item == 7;
}

static void row_restore(struct workbench *workbench, int item)
{
    (void)workbench;
    restored = item;
}

static const char *row_mark(struct workbench *workbench, int item)
{
    (void)workbench;
    return item % 2 ? "this one cannot be marked" : NULL;
}

/* Rows to choose from, of all kinds. */
static void rows_fill(struct workbench *workbench)
{
    (void)workbench;
    for (int i = 0; i < 30; i++) {
        struct list_row *row = list_add(i, "row-%d  restored last: %d", i, restored);

        row->heading = i % 10 == 0;
        row->current = i == 4;
        row->disabled = i == 5;
        row->mark = i % 5 == 2 ? "[x] " : NULL;
        snprintf(row->detail, sizeof row->detail, "%d%s", i,
                 i % 6 == 3
                     ? ", which is selected"
                     : ", which is selected, with so many words that they need more than one "
                       "line where there is not much room");
    }
}

static const struct list_source rows_source = {.title = "rows",
                                               .fill = rows_fill,
                                               .open = row_open,
                                               .restore = row_restore,
                                               .detail = 1,
                                               .detail_most = 3},
                                picks_source = {.title = "rows with a filter",
                                                .fill = rows_fill,
                                                .open = row_open,
                                                .mark = row_mark,
                                                .filter = true,
                                                .detail = 2};

static void lists_text(void) { list_open(&wb, &text_source); }

static void lists_rows(void)
{
    restored = -2;
    list_open(&wb, &rows_source);
}

static void lists_picks(void) { list_open(&wb, &picks_source); }
static void lists_backends(void) { list_open(&wb, &backends_source); }
static void lists_parameters(void) { list_open(&wb, &parameters_source); }

#define LADDER_ROWS                                                                                \
    "[{\"backend\":\"reference\",\"state\":\"right\",\"rate\":9e6,\"error\":0.0123,"               \
    "\"to_reference\":1,\"bound\":\"logic\",\"checked\":\"at 64\",\"calls\":40,\"of\":40},"        \
    "{\"backend\":\"threads\",\"state\":\"right\",\"rate\":1.75e7,\"partial\":true,"               \
    "\"unsure\":true,\"to_reference\":1.94,\"to_before\":1.94,\"bound\":\"copy\","                 \
    "\"checked\":\"at 64\",\"others\":\"others used 1.3 of 2 cores\"},"                            \
    "{\"backend\":\"bitslice\",\"state\":\"wrong\",\"wrong\":1},"                                  \
    "{\"backend\":\"fused\",\"state\":\"wrong\",\"wrong\":12,\"first\":{\"text\":\"cell 3,4\","    \
    "\"command\":\"calab verify anneal\"}},"                                                       \
    "{\"backend\":\"bitslice-avx2\",\"state\":\"timing\",\"calls\":14,\"of\":40,\"rate\":2.5e9,"   \
    "\"left_s\":1.4},"                                                                             \
    "{\"backend\":\"later\",\"state\":\"waiting\"},"                                               \
    "{\"backend\":\"timed\",\"state\":\"timing\",\"calls\":40,\"of\":40,\"rate\":3e9},"            \
    "{\"backend\":\"emulated\",\"state\":\"right\",\"emulated\":true,\"checked\":\"at 64\"},"      \
    "{\"backend\":\"cuda\",\"state\":\"absent\",\"reason\":\"no CUDA driver\"},"                   \
    "{\"backend\":\"cuda-two\",\"state\":\"absent\",\"reason\":\"no CUDA driver\"}]"

static void opens_ladder(const char *rows, bool verify)
{
    struct ladder *l = ladder_of(&wb);

    l->experiment = wb.panes[0].experiment;
    l->verify = verify;
    l->rows = json_loads(rows, 0, NULL);
    ck_assert_ptr_nonnull(l->rows);
    l->phase = LADDER_RUNS;
    strcpy(l->at, "bitslice-avx2");
    strcpy(l->what, "timing");
    l->left_s = 3.25;
    list_open(&wb, verify ? &verify_source : &ladder_source);
}

static void lists_ladder(void) { opens_ladder(LADDER_ROWS, false); }

static void lists_ladder_done(void)
{
    struct ladder *l = ladder_of(&wb);

    opens_ladder(LADDER_ROWS, false);
    l->phase = LADDER_DONE;
    l->report = json_pack("{s:[s]}", "summary", "the fastest is threads");
    l->by_rate = l->absent = true;
    l->crashes = 1;
    strcpy(l->crash[0].backend, "word");
    strcpy(l->crash[0].why, "its engine was killed by signal 11");
}

static void lists_verification(void)
{
    struct ladder *l = ladder_of(&wb);

    opens_ladder("[{\"backend\":\"threads\",\"cases\":12,\"failed\":0,\"cells\":1234567,"
                 "\"seconds\":0.5,\"result\":\"right\"},"
                 "{\"backend\":\"bitslice\",\"cases\":3,\"failed\":1,\"cells\":1000,"
                 "\"seconds\":2.25,\"result\":\"WRONG\",\"first\":{\"text\":\"cell 3,4 is dead\","
                 "\"command\":\"calab verify anneal -b bitslice\"}},"
                 "{\"backend\":\"cuda\",\"result\":\"unavailable\",\"reason\":\"no driver\"}]",
                 true);
    l->done = 3;
    l->cases = 24;
}

static void lists_verification_failed(void)
{
    lists_verification();
    strcpy(ladder_of(&wb)->why, "its engine has ended");
    ladder_of(&wb)->phase = LADDER_DONE;
}

static void has_crossover(enum crossover_phase phase)
{
    struct crossover *c = crossover_of(&wb);

    has_split();
    ca_crossover_plan(&c->table, (struct ca_size){512, 256, 1}, 2, 64);
    c->phase = phase;
    c->row = 5;
    for (int i = 0; i < c->table.count; i++) {
        struct ca_crossover_row *row = &c->table.row[i];
        double median = i < 2 ? 0.5 : i == 2 ? 1 : 3.25;

        if (i == 5 || i == 6)
            continue;
        row->result = (struct ca_ratio_result){.pairs = 12,
                                               .made = 14,
                                               .unsure = i == 4,
                                               .median = median,
                                               .low = 0.9 * median,
                                               .high = 1.1 * median,
                                               .same = i == 2,
                                               .rate = {median * 1e9, 1e9},
                                               .burst_s = {0.025, 0.025}};
        row->generations = row->generations ? row->generations : 16;
    }
    strcpy(c->table.row[6].why, "such a call takes more than 250 ms");
    list_open(&wb, &crossover_source);
}

static void lists_crossover(void) { has_crossover(CROSSOVER_MEASURES); }
static void lists_crossover_done(void) { has_crossover(CROSSOVER_DONE); }
static void lists_crossover_stopped(void) { has_crossover(CROSSOVER_STOPPED); }
static void lists_crossover_waits(void) { has_crossover(CROSSOVER_WAITS); }

static void has_lab(enum lab_phase phase)
{
    struct lab_work *lab = lab_of(&wb);

    ck_assert_ok(ca_lab_backend_add(test_source("configs/lab/anneal"), test_path("none"), &error));
    lab->open = true;
    lab->phase = phase;
    lab->compile_s = 1.25;
    strcpy(lab->how, "the emulator");
    list_open(&wb, &lab_source);
}

static void lists_lab_compiles(void) { has_lab(LAB_COMPILES); }

static void lists_lab_checks(void)
{
    has_lab(LAB_CHECKS);
    strcpy(lab_of(&wb)->at, "the emulator");
    lab_of(&wb)->done = 4;
    lab_of(&wb)->all = 24;
}

static void lists_lab_begins(void) { has_lab(LAB_CHECKS); }

static void lists_lab_right(void)
{
    has_lab(LAB_RIGHT);
    lab_of(&wb)->report = json_loads(
        "{\"right\":true,\"by\":\"the emulator\",\"cases\":24,\"cells\":1234567}", 0, NULL);
    lab_of(&wb)->kernels = json_pack("[s]", "step: 32 registers");
}

static void lists_lab_timed(void)
{
    lists_lab_right();
    ladder_of(&wb)->in_lab = true;
    ladder_of(&wb)->experiment = wb.panes[0].experiment;
    ladder_of(&wb)->rows = json_loads(LADDER_ROWS, 0, NULL);
    ladder_of(&wb)->phase = LADDER_DONE;
}

static void lists_lab_wrong(void)
{
    has_lab(LAB_WRONG);
    lab_of(&wb)->report = json_loads(
        "{\"right\":false,\"by\":\"the emulator\",\"text\":\"cell 3,4 is dead\",\"size\":\"5x3\","
        "\"seed\":7,\"start\":4,\"passed\":9,\"call\":2,\"wrong_cells\":3,\"unwritten_cells\":2,"
        "\"why\":[{\"text\":\"the first row is not read\"}],\"findings\":[\"a finding\"],"
        "\"map\":\"#..\\n.#.\\n\"}",
        0, NULL);
    ck_assert_ptr_nonnull(lab_of(&wb)->report);
}

static void lists_lab_broken(void)
{
    has_lab(LAB_BROKEN);
    strcpy(lab_of(&wb)->text, "solution.cu does not compile: 12: expected ';'");
    strcpy(lab_of(&wb)->said, "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    strcpy(lab_of(&wb)->file, "solution.cu");
    lab_of(&wb)->line = 12;
}

static void lists_lab_failed(void)
{
    has_lab(LAB_FAILED);
    strcpy(lab_of(&wb)->text, "nobody watches the folder any more");
}

/* --- prompts ---------------------------------------------------------------------------------- */

static void asks_command(void) { parts_perform(&wb, REQUEST_COMMAND); }
static void asks_seed(void) { parts_perform(&wb, REQUEST_RESEED); }
static void asks_goto(void) { parts_perform(&wb, REQUEST_GOTO); }
static void asks_snapshot(void) { parts_perform(&wb, REQUEST_SIZE); }

/* --- the table -------------------------------------------------------------------------------- */

/* Panning, zooming, the cursor, the slices and what is drawn. */
#define WALK                                                                                       \
    "]]lljj[hhkk[[[{llljjj}}hk}}l}jf]]ljaJJK$^Ka]}lljjJafv]vvvvvvv0lj\rlllljjkh]]hhhhkkkk[["       \
    "JJa\rf"                                                                                       \
    "0hlkj{\r{jl}\r+++---1234z\tz"
/* The command line, right and wrong, and what Tab makes of it. */
#define LINES                                                                                      \
    ":nope\r:hel\r:help me\r:  \r:model\r:model nope\r:backend nope\r:set\r:set density\r"         \
    ":set =1\r:set density=2\r:set density=0.25\r:set reduce=nope\r: set reduce=any \r:set "       \
    "fps=\r"                                                                                       \
    ":step\r:step x\r:step 12\r:step 9223372036854775808\r:step -1\r:run\r:stop\r:goto 9\r"        \
    ":goto x\r:goto 1,2\r:goto 15,11\r:goto 16,0\r:goto 0,12\r:goto 0,0,1\r:goto 1,-1\r:goto "     \
    "1,x\r"                                                                                        \
    ":speed max\r:speed 0.5\r:speed -2\r:range\r:range auto\r:range 1 2\r:range 2 1\r:range 1 1\r" \
    ":range 1\r:range 0 inf\r:range 0 1 2\r:range nan 1\r:stride 7\r:stride 0\r:b step\r"          \
    ":quit now\r:seed x\r:seed 5\r:at 1\r:init nope\r:open nope\r:recover\r:write\r:undo\r"        \
    ":reset\r:s\t:se\t:st\t:nope\t:set red\t:set reduce=\t:set reduce=m\t:speed \t"                \
    ":init ha\t:model w\t:step \t:b s\t:bench re\t:bench reference,th\t:backend bitslice-avx5\t"   \
    ":range 1 \t"
#define LINES_B                                                                                    \
    ":b step\r:b nope\r:b set density=0.5\r:b s\t:b set temp\t:step 3\r:run\r:stop\r:goto 5000\r"  \
    ":undo\r"
#define ANNEAL "anneal", "16x12", "reference"

static const struct scene scenes[] = {
    {"a step was timed", 24, 80, ANNEAL, NULL, is_timed},
    {"a step was timed, on a small screen", 12, 40, ANNEAL, NULL, is_timed},
    {"a step was timed, on a wide screen", 50, 160, ANNEAL, NULL, is_timed},
    {"others use the machine", 24, 80, ANNEAL, "panels=timing", is_disturbed, NULL, "timing"},
    {"nothing was timed", 24, 80, "fhp", "96x64", "threads", "glyphs=half"},
    {"a slice", 24, 80, "cloud", "40x40x12", "reference", "second_slice=off", has_cursor},
    {"a field", 24, 80, "water", "48x48", "reference", "drawn=field glyphs=ramp10"},
    {"changes", 24, 80, "life3d", "24x24x24", "reference", "drawn=change reduce=mean"},
    {"a cell is edited", 24, 80, "anneal", "16x12", "reference", NULL, edits},
    {"observables in lines", 24, 80, "fhp", "96x64", "reference", "panels=observables", is_observed,
     NULL, "observables"},
    {"observables in plots", 60, 140, "water", "48x48", "reference", "panels=observables",
     is_observed, NULL, "observables"},
    {"an invariant is violated", 24, 80, "fhp", "96x64", "reference", "panels=observables",
     is_violated, NULL, "observables"},
    {"a value that is long", 24, 80, ANNEAL, "panels=timing", has_long_value, NULL, "timing"},
    {"a processor", 24, 80, ANNEAL, "panels=device", has_processor, NULL, "device"},
    {"a processor of which little is known", 24, 80, ANNEAL, "panels=device", has_unknown, NULL,
     "device"},
    {"a card", 24, 80, ANNEAL, "panels=device", has_card, NULL, "device"},
    {"four cards", 24, 80, ANNEAL, "panels=device", has_cards, NULL, "device"},
    {"messages", 24, 80, ANNEAL, "panels=log", has_messages, NULL, "log"},
    {"a long message", 24, 80, ANNEAL, "panels=", has_long_message},
    {"three alarms", 24, 80, ANNEAL, "panels=log", has_alarms, NULL, "log"},
    {"an alarm", 12, 40, ANNEAL, NULL, has_alarm},
    {"a screen that is too small", 11, 39, ANNEAL},
    {"a split", 24, 80, ANNEAL, NULL, has_split},
    {"a split on a wide screen", 40, 140, ANNEAL, NULL, has_split, NULL, "comparison"},
    {"a split on a small screen", 12, 40, ANNEAL, NULL, has_split},
    {"two that are as fast", 24, 70, ANNEAL, NULL, has_two_alike, NULL, "comparison"},
    {"two that differ", 24, 80, ANNEAL, NULL, has_difference, NULL, "comparison"},
    {"two that differ at once", 24, 90, ANNEAL, NULL, has_difference_at_once, NULL, "comparison"},
    {"the place of a difference", 30, 100, ANNEAL, NULL, has_place, NULL, "comparison"},
    {"the place of a difference on a narrow screen", 24, 64, ANNEAL, NULL, has_place, NULL,
     "comparison"},
    {"a split in trouble", 24, 80, ANNEAL, NULL, has_trouble, NULL, "comparison"},
    {"a ratio that is unsure", 24, 80, ANNEAL, NULL, is_unsure, NULL, "comparison"},
    {"a ratio that is unsure as threads waited", 24, 80, ANNEAL, NULL, has_waited, NULL,
     "comparison"},
    {"the same on a narrow screen", 24, 60, ANNEAL, NULL, has_waited, NULL, "comparison"},
    {"a ratio that is unsure so far", 24, 80, ANNEAL, NULL, is_unsure_yet, NULL, "comparison"},
    {"two that are not compared yet", 24, 80, ANNEAL, NULL, is_not_compared, NULL, "comparison"},
    {"through a large lattice", 24, 80, "anneal", "512x300", "reference", NULL, NULL, WALK, NULL,
     SHOWS_VIEW},
    {"through a small lattice", 40, 120, "water", "30x20", "reference", NULL, NULL, WALK, NULL,
     SHOWS_VIEW},
    {"through slices", 40, 120, "cloud", "100x80x30", "reference", NULL, NULL, WALK, NULL,
     SHOWS_VIEW},
    {"through a cube", 24, 100, "life3d", "40x40x40", "reference", NULL, NULL, WALK, NULL,
     SHOWS_VIEW},
    {"through a tall lattice", 30, 80, "fhp", "64x400", "reference", NULL, NULL, WALK, NULL,
     SHOWS_VIEW},
    {"through a split", 30, 80, ANNEAL, NULL, has_split, "llkk]]l[[v{}v1\t", NULL, SHOWS_VIEW},
    {"lines", 24, 80, ANNEAL, NULL, NULL, LINES, NULL, SHOWS_LINES},
    {"lines that are recalled", 24, 80, ANNEAL, NULL, NULL,
     ":speed 2\r:speed 4\r:\"\t:\"\"\t:\"\"\"\"\t:\"\"|\t:x\"|\t:speed 2\r:\"\"\t", NULL,
     SHOWS_LINES},
    {"values of parameters", 24, 80, "anneal", "16x12", "threads", NULL, NULL,
     "e\rejj\rejjj\re$\re$k\re$kd\r", NULL, SHOWS_LINES},
    {"other prompts", 24, 80, ANNEAL, NULL, NULL,
     "g7\rg\rgx\rg3,4\rR\rR12\rR\025x\rs\025\rs\0258x8\rs\02508\r", NULL, SHOWS_LINES},
    {"lines of a split", 24, 80, ANNEAL, NULL, has_split, LINES_B, NULL, SHOWS_LINES},
    {"lines of three dimensions", 24, 80, "life3d", "20x10x5", "reference", NULL, NULL,
     ":goto 19,9,4\r:goto 19,9,5\r:goto 20,9,4\r:goto 19,10,4\r:goto 7,6\r:size 8x8\r:size 8x8x9\r",
     NULL, SHOWS_LINES},
    {"a text", 24, 80, ANNEAL, NULL, lists_text, "@j~jj", "dialog"},
    {"the end of a text", 24, 80, ANNEAL, NULL, lists_text, "$", "dialog"},
    {"a text on a small screen", 12, 40, ANNEAL, NULL, lists_text, "@j", "dialog"},
    {"a word of a text", 24, 80, ANNEAL, NULL, lists_text, "/21\r", "dialog"},
    {"a word that a text has often", 24, 80, ANNEAL, NULL, lists_text, "/PART\rnnN", "dialog"},
    {"a word that a text has not", 24, 80, ANNEAL, NULL, lists_text, "/zzz\r", "dialog"},
    {"rows", 24, 80, ANNEAL, NULL, lists_rows, NULL, "dialog"},
    {"the first of the rows", 24, 80, ANNEAL, NULL, lists_rows, "^kd", "dialog"},
    {"the last of the rows", 24, 60, ANNEAL, NULL, lists_rows, "$jd", "dialog"},
    {"a page of rows", 24, 80, ANNEAL, NULL, lists_rows, "@@~", "dialog"},
    {"a row that is found", 24, 80, ANNEAL, NULL, lists_rows, "/row-2\rN", "dialog"},
    {"rows that are restored", 16, 60, ANNEAL, NULL, lists_rows, "jjjjjD", "dialog"},
    {"a row that is opened", 24, 80, ANNEAL, NULL, lists_rows, "j\r", "dialog"},
    {"a row that closes the list", 24, 80, ANNEAL, NULL, lists_rows, "jjj\r", "dialog"},
    {"rows with a filter", 24, 80, ANNEAL, NULL, lists_picks, "-1", "dialog"},
    {"rows with a filter of details", 24, 80, ANNEAL, NULL, lists_picks, "MUCH", "dialog"},
    {"rows with a filter of two letters", 24, 80, ANNEAL, NULL, lists_picks, "mu", "dialog"},
    {"a mark", 24, 80, ANNEAL, NULL, lists_picks, " ", "dialog"},
    {"a mark that is refused", 24, 80, ANNEAL, NULL, lists_picks, "@ ", "dialog"},
    {"backends", 24, 80, ANNEAL, NULL, lists_backends, NULL, "dialog"},
    {"backends with a filter", 24, 80, ANNEAL, NULL, lists_backends, "bit", "dialog"},
    {"backends whose help has a word", 24, 80, ANNEAL, NULL, lists_backends, "ghost", "dialog"},
    {"backends that are none", 24, 80, ANNEAL, NULL, lists_backends, "zzz\010", "dialog"},
    {"parameters", 24, 80, "water", "48x48", "reference", NULL, lists_parameters, "jj", "dialog"},
    {"a parameter by default", 24, 80, "water", "48x48", "reference", NULL, lists_parameters, "$d",
     "dialog"},
    {"a ladder", 24, 80, ANNEAL, NULL, lists_ladder, "j", "dialog"},
    {"a ladder that is done", 50, 160, ANNEAL, NULL, lists_ladder_done, "jjjj", "dialog"},
    {"a verification", 24, 80, ANNEAL, NULL, lists_verification, "j", "dialog"},
    {"a verification that failed", 24, 60, ANNEAL, NULL, lists_verification_failed, "jj", "dialog"},
    {"a crossing", 30, 80, ANNEAL, NULL, lists_crossover, NULL, "dialog"},
    {"a crossing that is done", 50, 120, ANNEAL, NULL, lists_crossover_done, NULL, "dialog"},
    {"a crossing that was stopped", 24, 60, ANNEAL, NULL, lists_crossover_stopped, "$", "dialog"},
    {"a crossing that waits", 24, 80, ANNEAL, NULL, lists_crossover_waits, NULL, "dialog"},
    {"a lab compiles", 24, 80, ANNEAL, NULL, lists_lab_compiles, NULL, "dialog"},
    {"a lab begins to check", 24, 80, ANNEAL, NULL, lists_lab_begins, NULL, "dialog"},
    {"a lab checks", 24, 80, ANNEAL, NULL, lists_lab_checks, NULL, "dialog"},
    {"a lab is right", 24, 80, ANNEAL, NULL, lists_lab_right, NULL, "dialog"},
    {"a lab is timed", 30, 90, ANNEAL, NULL, lists_lab_timed, "jj", "dialog"},
    {"a lab is wrong", 24, 80, ANNEAL, NULL, lists_lab_wrong, "j", "dialog"},
    {"a lab does not compile", 24, 80, ANNEAL, NULL, lists_lab_broken, NULL, "dialog"},
    {"a lab cannot be checked", 24, 80, ANNEAL, NULL, lists_lab_failed, NULL, "dialog"},
    {"a command line", 24, 80, ANNEAL, NULL, asks_command, "set reduce=m\t", "prompt"},
    {"a command line that is changed", 24, 80, ANNEAL, NULL, asks_command,
     "word after word\001x\005y\010\010<<z^`>w", "prompt"},
    {"a command line that is long", 12, 40, ANNEAL, NULL, asks_command,
     "words that are so many that they do not fit<<<", "prompt"},
    {"a seed that is none", 24, 80, ANNEAL, NULL, asks_seed, "12x\r", "prompt"},
    {"a generation", 12, 40, ANNEAL, NULL, asks_goto, "100", "prompt"},
    {"a size", 24, 80, ANNEAL, NULL, asks_snapshot, "\025", "prompt"},
};

/* --- as text ---------------------------------------------------------------------------------- */

static char look_of(const cchar_t *cell, wchar_t text[CCHARW_MAX + 1])
{
    attr_t attributes = 0;
    short pair = 0;

    text[0] = L'\0';
    getcchar(cell, text, &attributes, &pair, NULL);
    if (!text[0])
        text[0] = L' ';
    if (text[0] == L' ')
        return attributes & A_REVERSE ? 'r' : ' ';
    return attributes & A_BOLD        ? attributes & A_REVERSE ? 'B' : 'b'
           : attributes & A_REVERSE   ? 'r'
           : attributes & A_DIM       ? 'd'
           : attributes & A_UNDERLINE ? 'u'
                                      : ' ';
}

/* The rows, and below each that has any the looks of its characters: bold, reverse, both, dim,
 * underlined. */
static void screen_print(FILE *to, struct rect at)
{
    for (int row = at.row; row < at.row + at.rows; row++) {
        char looks[256] = "";
        int end = 0;

        fputc('|', to);
        for (int i = 0; i < at.columns; i++) {
            wchar_t text[CCHARW_MAX + 1];
            cchar_t cell;

            mvin_wch(row, at.column + i, &cell);
            looks[i] = look_of(&cell, text);
            end = looks[i] != ' ' ? i + 1 : end;
            fprintf(to, "%lc", (wint_t)text[0]);
        }
        fputs("|\n", to);
        if (end > 0)
            fprintf(to, ":%.*s\n", end, looks);
    }
}

static struct rect place_of(const char *part)
{
    const struct layout *layout = &wb.layout;

    if (part && strcmp(part, "comparison") == 0)
        return layout->compare;
    if (part && strcmp(part, "prompt") == 0)
        return (struct rect){layout->rows - 7, 0, 6, layout->columns};
    for (int i = 0; part && i < panels_count(&wb); i++)
        if (strcmp(panel_at(&wb, i)->name, part) == 0)
            return layout->panel[i];
    /* The hints in the last row have tests of their own. */
    return (struct rect){0, 0, layout->rows - !layout->too_small, layout->columns};
}

static void message_print(FILE *to)
{
    const struct log *log = log_of(&wb);

    if (log->message[0])
        fprintf(to, "%s%s", log->alarm ? ": ! " : ": ", log->message);
    fputc('\n', to);
}

static void view_print(FILE *to, char key)
{
    static const char *const axes[] = {"XY", "XZ", "YZ"};
    const struct window *w = window_of(&wb.panes[0]);
    const struct ca_view *v = &w->view, *b = &w->beside.view;

    fprintf(to, "|%c %s %d, %lld/%d%s from %d,%d: %dx%d",
            key == '\r'   ? 'E'
            : key == '\t' ? 'T'
                          : key,
            axes[v->axis], (int)v->slice, (long long)v->zoom, w->scale.magnify,
            w->fitted ? " fitted" : "", (int)v->x, (int)v->y, v->columns, v->lines);
    if (v->drawn != CA_STATE)
        fprintf(to, ", %s", v->drawn == CA_FIELD ? v->field : ca_drawn_names[v->drawn]);
    if (w->cursor.on)
        fprintf(to, ", cursor at %d,%d", (int)w->cursor.x, (int)w->cursor.y);
    if (b->columns)
        fprintf(to, ", beside %s %d, %lld/%d: %dx%d at %d,%d", axes[b->axis], (int)b->slice,
                (long long)b->zoom, w->beside.scale.magnify, b->columns, b->lines, w->beside.at.row,
                w->beside.at.column);
    message_print(to);
}

/* What is asked of the engine, but for the first requests. Returns how many there are. */
static int requests_print(FILE *to, int first)
{
    int count = 0;

    for (const struct ca_request *r = ca_client_waiting(session_client(wb.pane)); r; r = r->next)
        if (count++ >= first)
            fprintf(to, " %s", r->op->name);
    return count;
}

static void lines_print(FILE *to, const char *keys)
{
    const double now = ca_now(); /* of all ticks: no engine may seem silent when busy */
    int asked = 0;

    for (const char *key = keys, *line = keys; *key; key++) {
        const struct dialog *top;

        presses(key_of(*key));
        if (*key != '\r' && *key != '\t')
            continue;
        for (int i = 0; wb.parts[i]; i++)
            if (wb.parts[i]->tick_pane)
                wb.parts[i]->tick_pane(wb.pane, now);
        top = dialog_top(&wb);
        fprintf(to, "|%.*s|%s%s%s%s", (int)(key - line), line, top && top->prompt ? " -> " : "",
                top && top->prompt ? top->text : "", top && top->message[0] ? ": " : "",
                top ? top->message : "");
        asked = requests_print(to, asked);
        message_print(to);
        dialogs_close(&wb);
        line = key + 1;
    }
}

static void scene_print(FILE *to, const struct scene *scene)
{
    begins(scene);
    for (const char *key = scene->shows == SHOWS_VIEW ? scene->keys : ""; *key; key++) {
        presses(key_of(*key));
        view_print(to, *key);
    }
    if (scene->shows == SHOWS_LINES)
        lines_print(to, scene->keys);
    if (scene->shows) {
        ends();
        return;
    }
    screen_keep(&wb);
    if (scene->part && strcmp(scene->part, "comparison") == 0)
        screen_print(to, wb.layout.status);
    screen_print(to, place_of(scene->part));
    ends();
}

static void setup(void)
{
    FILE *nowhere = fopen("/dev/null", "r+");

    setenv("TERM", "xterm-256color", 1);
    unsetenv("LINES");
    unsetenv("COLUMNS");
    ck_assert_ptr_nonnull(setlocale(LC_ALL, "C.UTF-8"));
    test_settings_unset();
    setenv("HOME", test_folder(), 1);
    setenv("XDG_STATE_HOME", test_folder(), 1);
    setenv("XDG_CONFIG_HOME", test_folder(), 1);
    ck_assert_ptr_nonnull(newterm(NULL, nowhere, nowhere));
}

START_TEST(screens_are_as_looked_at)
{
    const struct scene *scene = &scenes[_i];
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    setup();
    scene_print(to, scene);
    fclose(to);
    expect_looked_at("screens.txt", _i,
                     test_text("%s: %dx%d", scene->name, scene->columns, scene->rows), text);
    free(text);
}
END_TEST

/* --- files ------------------------------------------------------------------------------------ */

/* A run that began at a generation, and one that began at 0. */
static void expect_table(int number, const char *name, uint64_t first)
{
    const char *path = test_path("table.csv");
    uint64_t ends[2];

    for (uint64_t i = 0; i < 5; i++) {
        const double values[] = {1 + (double)i, i == 3 ? NAN : -0.5, 3, 4, 5, 6, 7};

        comes(0, NULL, values, first + 2 * i);
    }
    ck_assert_ok(observables_write(wb.pane, path, &error));
    observables_span(wb.pane, &ends[0], &ends[1]);
    ck_assert_uint_eq(ends[0], first);
    ck_assert_uint_eq(ends[1], first + 8);
    expect_looked_at("workbench_files.txt", number, name, test_read(path, NULL));
}

static const struct scene tables[] = {{"", 24, 80, ANNEAL, .part = "dialog"},
                                      {"", 24, 80, "water", "8x8", "reference", .part = "dialog"}};

START_TEST(observables_are_written)
{
    setup();
    begins(&tables[0]);
    ck_assert_int_eq(observables_write(wb.pane, test_path("none.csv"), &error), CA_USAGE);
    ck_assert_contains(error.text, "none.csv: no observables are known yet; step or run first");
    expect_table(0, "observables from 0 on", 0);
    ends();
    begins(&tables[1]);
    wb.pane->modified = true;
    expect_table(1, "observables from 64 on", 64);
    ends();
}
END_TEST

/* What `W` saves of the view that keys have led to. */
static const struct scene saved[] = {
    {"a slice", 24, 80, "cloud", "40x30x12", "reference", .keys = "aJ]]lj"},
    {"a field", 24, 80, "water", "48x48", "threads", "reduce=any speed=0.5", .keys = "vvv[["},
    {"a range", 24, 80, "anneal", "512x300", "reference", "drawn=density",
     .keys = ":range 0.25 0.75\r"},
};

/* The last good frame stays, whether or not there was room for another. */
START_TEST(a_frame_of_another_length)
{
    setup();
    begins(&tables[0]);
    for (uint64_t good = 5; good < 8; good++) {
        comes(0, NULL, NULL, good);
        for (more_bytes = -1; more_bytes <= 1; more_bytes += 2)
            comes(0, NULL, NULL, 99);
        more_bytes = 0;
        ck_assert_uint_eq(frame_of(wb.pane)->picture.generation, good);
    }
    ends();
}
END_TEST

START_TEST(experiments_are_saved)
{
    const char *path = test_path("saved.cfg");

    setup();
    for (size_t i = 0; i < COUNT(saved); i++) {
        begins(&saved[i]);
        for (const char *key = test_text(":save! %s\r", path); *key; key++)
            presses((unsigned char)*key);
        ck_assert_contains(log_of(&wb)->message, "saved.cfg; open it with calab -c");
        expect_looked_at("workbench_files.txt", 2 + (int)i, saved[i].name, test_read(path, NULL));
        ends();
    }
}
END_TEST

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) /* as an engine that a scene has started */
        return EXIT_FAILURE;
    return RUN_TESTS(.test = {observables_are_written, experiments_are_saved,
                              a_frame_of_another_length},
                     .table = {{screens_are_as_looked_at, COUNT(scenes)}});
}
