/* SPDX-License-Identifier: MIT */
/*
 * A tour of the workbench: every key of the table in every screen, at three sizes, on nine
 * terminals. After each key the screen is whole; a key that opens a list or a prompt shows its
 * title, and Esc brings back exactly the screen before; each key has an effect in some screen. At
 * the end the state is that of its generation. CALAB_TOUR=all takes all sizes on all terminals.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/sent_keys.h"
#include "tests/support/support.h"
#include "tests/support/user.h"
#include "tests/support/whole_screen.h"
#include "tui/keys.h"

#define PATIENCE_S (DEADLINE_S / 2) /* with an engine that changes the screen meanwhile */

static const struct {
    const char *term, *lang;
} terminals[] = {
    {"xterm-256color", "C.UTF-8"}, {"vt100", "C"},
    {"xterm-direct", "C.UTF-8"},   {"xterm", "C.UTF-8"},
    {"tmux-256color", "C.UTF-8"},  {"screen", "C"},
    {"linux", "C.UTF-8"},          {"rxvt-unicode-256color", "C.UTF-8"},
    {"putty", "C.UTF-8"},
};

static const struct {
    int rows, columns;
} sizes[] = {{24, 80}, {60, 200}, {12, 40}};

/* A screen: the requests that lead to it from the lattice, what is typed then, and what it shows.
 */
struct stop {
    const char *name;
    enum kind { MAIN, LIST, PROMPT } kind;
    enum request requests[3];
    const char *typed, *shows;
};

static const struct stop stops[] = {
    {"lattice", MAIN, {0}, "", "[1 lattice"},
    {"timing", MAIN, {REQUEST_NEXT_PANEL}, "", "[2 timing]"},
    {"observables", MAIN, {REQUEST_NEXT_PANEL}, "", "[3 observables]"},
    {"device", MAIN, {REQUEST_NEXT_PANEL}, "", "[4 device"},
    {"log", MAIN, {REQUEST_NEXT_PANEL}, "", "[5 log]"},
    {"cursor", MAIN, {REQUEST_INSPECT}, "", "arrows move  enter leave"},
    {"edit", MAIN, {REQUEST_EDIT}, "", "space next state"},
    {"split", MAIN, {REQUEST_SPLIT}, "", "x unsplit"},
    {"cursor in a split", MAIN, {REQUEST_SPLIT, REQUEST_INSPECT}, "", "arrows move  enter leave"},
    {"help", LIST, {REQUEST_HELP}, "", "[help"},
    {"search in the help", LIST, {REQUEST_HELP, REQUEST_SEARCH}, "pan\r", "[help"},
    {"models", LIST, {REQUEST_MODEL}, "", "[model or experiment"},
    {"backends", LIST, {REQUEST_BACKEND}, "", "[backend"},
    {"backends of B", LIST, {REQUEST_SPLIT, REQUEST_PREVIOUS_BACKEND}, "", "[backend of B"},
    {"devices", LIST, {REQUEST_DEVICE}, "", "[device"},
    {"colours", LIST, {REQUEST_COLOURS}, "", "[colours"},
    {"parameters", LIST, {REQUEST_PARAMETERS}, "", "[parameters"},
    {"settings", LIST, {REQUEST_SETTINGS}, "", "[settings"},
    {"command to copy", LIST, {REQUEST_YANK}, "", "command"},
    {"ladder", LIST, {REQUEST_LADDER}, "", "[ladder: every backend"},
    {"verification", LIST, {REQUEST_VERIFY}, "", "[every backend against"},
    {"probe", LIST, {REQUEST_PROBE}, "", "[probe: what"},
    {"folder of a lab", PROMPT, {REQUEST_LAB}, "", "lab:"},
    {"crossing", LIST, {REQUEST_SPLIT, REQUEST_CROSSOVER}, "", "[A against B by length"},
    {"command line", PROMPT, {REQUEST_COMMAND}, "", ":"},
    {"go to", PROMPT, {REQUEST_GOTO}, "", "go to:"},
    {"seed", PROMPT, {REQUEST_RESEED}, "", "seed:"},
    {"size", PROMPT, {REQUEST_SIZE}, "", "size:"},
    {"snapshot", PROMPT, {REQUEST_SNAPSHOT}, "", "write:"},
    {"experiment file", PROMPT, {REQUEST_SAVE_EXPERIMENT}, "", "save:"},
    {"search", PROMPT, {REQUEST_HELP, REQUEST_SEARCH}, "", "/"},
    {"filter", PROMPT, {REQUEST_LADDER, REQUEST_SEARCH}, "", "filter:"},
    {"value", PROMPT, {REQUEST_PARAMETERS, REQUEST_LIST_BOTTOM, REQUEST_LIST_OPEN}, "", "value:"},
    {"keys", PROMPT, {REQUEST_SETTINGS, REQUEST_LIST_BOTTOM, REQUEST_LIST_OPEN}, "", "keys:"},
    {"paste", PROMPT, {REQUEST_EDIT, REQUEST_EDIT_PASTE}, "", "paste:"},
};

/* A key and the one that takes its effect back. */
static const struct {
    enum request key, back;
} pairs[] = {
    {REQUEST_RUN, REQUEST_RUN},
    {REQUEST_SPLIT, REQUEST_SPLIT},
    {REQUEST_INSPECT, REQUEST_INSPECT},
    {REQUEST_EDIT, REQUEST_EDIT},
    {REQUEST_MOUSE, REQUEST_MOUSE},
    {REQUEST_FULL_SCREEN, REQUEST_FULL_SCREEN},
    {REQUEST_PANEL_1, REQUEST_PANEL_1},
    {REQUEST_PANEL_2, REQUEST_PANEL_2},
    {REQUEST_PANEL_3, REQUEST_PANEL_3},
    {REQUEST_PANEL_4, REQUEST_PANEL_4},
    {REQUEST_PANEL_5, REQUEST_PANEL_5},
    {REQUEST_NEXT_PANEL, REQUEST_PREVIOUS_PANEL},
    {REQUEST_PREVIOUS_PANEL, REQUEST_NEXT_PANEL},
    {REQUEST_FASTER, REQUEST_SLOWER},
    {REQUEST_SLOWER, REQUEST_FASTER},
};

struct tour {
    const char *term, *lang;
    int rows, columns;
    struct screen *screen;
    struct keymap keys;
    char clear[SENT_MAX];
    size_t read; /* bytes of the screen that have been searched for `clear` */
    int clears;
    bool effect[REQUEST_COUNT];
    const char *stop, *key; /* for messages */
};

/* --- steps ------------------------------------------------------------------------------------ */

static void count_clears(struct tour *tour)
{
    size_t count, length = strlen(tour->clear);
    const char *bytes = screen_bytes(tour->screen, &count), *at;

    while (count - tour->read >= length &&
           (at = memmem(bytes + tour->read, count - tour->read, tour->clear, length))) {
        tour->clears++;
        tour->read = (size_t)(at - bytes) + length;
    }
    if (count - tour->read >= length)
        tour->read = count - length + 1;
}

/* The cursor is where a frame leaves it: in the last corner, or at the input of a prompt. */
static bool is_parked(struct screen *screen)
{
    int row, column;

    screen_cursor(screen, &row, &column);
    if (row == screen_rows(screen) - 2)
        return whole_prompt(screen);
    return row == screen_rows(screen) - 1 && column == screen_columns(screen) - 1 &&
           !whole_prompt(screen);
}

struct repaint {
    struct tour *tour;
    int clears;
    bool whole;
    char what[400];
};

static bool is_repainted(struct screen *screen, const void *data)
{
    struct repaint *repaint = (struct repaint *)(uintptr_t)data;
    struct tour *tour = repaint->tour;
    const char *fault;

    count_clears(tour);
    if (tour->clears < repaint->clears || !is_parked(screen))
        return false;
    fault = repaint->whole ? whole_screen(screen) : NULL;
    snprintf(repaint->what, sizeof repaint->what, "%s %dx%d: after key '%s' in %s: %s", tour->term,
             tour->columns, tour->rows, tour->key, tour->stop, fault ? fault : "a whole screen");
    return !fault;
}

/* Fails with the screen, which may be longer than a message of Check, in front of the message. */
static void expect(struct tour *tour, bool holds, const char *what)
{
    if (!holds)
        fprintf(stderr, "%s\n", screen_text(tour->screen));
    ck_assert_msg(holds, "%s %dx%d: after key '%s' in %s: %s", tour->term, tour->columns,
                  tour->rows, tour->key, tour->stop, what);
}

/* Sends keys and waits until all of the screen has been drawn again after them: keys are handled in
 * their order, and the last one asks for that. */
static void press(struct tour *tour, const char *bytes, bool whole)
{
    struct repaint repaint = {.tour = tour, .whole = whole};

    count_clears(tour); /* such as that of the start */
    repaint.clears = tour->clears + 1;
    snprintf(repaint.what, sizeof repaint.what, "%s %dx%d: a screen after key '%s' in %s",
             tour->term, tour->columns, tour->rows, tour->key, tour->stop);
    screen_send(tour->screen, test_text("%s\f", bytes));
    screen_until(tour->screen, is_repainted, &repaint, repaint.what);
}

static const char *bytes_of(const struct tour *tour, enum request request, char bytes[SENT_MAX])
{
    char name[16];

    return sent_by(tour->term, keys_first(tour->keys.keys[request], name), bytes);
}

static void press_request(struct tour *tour, enum request request)
{
    char bytes[SENT_MAX];

    press(tour, bytes_of(tour, request, bytes), true);
}

/* --- the program ------------------------------------------------------------------------------ */

#define ALL_PANELS "CALAB_PANELS=timing observables device log"

static void tour_starts(struct tour *tour)
{
    const struct screen_options options = {.term = tour->term,
                                           .lang = tour->lang,
                                           .rows = tour->rows,
                                           .columns = tour->columns,
                                           .arguments = {"cloud", "-s", "16x16x8"},
                                           .environment = {ALL_PANELS}};

    unlink(settings_file());
    tour->read = 0;
    tour->clears = 0;
    tour->screen = user_starts(&options);
    screen_send(tour->screen, ".");
    expect_generation(tour->screen, 1);
    expect_status(tour->screen, "ups ");
    press(tour, "", true);
}

static void tour_restarts(struct tour *tour)
{
    screen_send(tour->screen, "\033\033\033Q");
    ck_assert_int_eq(screen_end(tour->screen), 0);
    screen_close(tour->screen);
    tour_starts(tour);
}

/* Closes lists and prompts. */
static void close_dialogs(struct tour *tour)
{
    for (int i = 0; i < 4 && whole_dialog(tour->screen); i++)
        press(tour, "\033", true);
}

static bool is_there(struct tour *tour, const struct stop *stop)
{
    if (!screen_shows(tour->screen, stop->shows))
        return false;
    if (stop->kind == PROMPT)
        return whole_prompt(tour->screen) && screen_row_shows(tour->screen, -2, stop->shows);
    return whole_dialog(tour->screen) == (stop->kind == LIST) && !whole_prompt(tour->screen);
}

/* To a panel by the key for the next one; one that has no room is shown alone. */
static bool focus(struct tour *tour, const struct stop *stop)
{
    for (int i = 0; i < 12 && !is_there(tour, stop); i++) {
        if (i == 6)
            press_request(tour, REQUEST_FULL_SCREEN);
        press_request(tour, REQUEST_NEXT_PANEL);
    }
    return is_there(tour, stop);
}

static bool follow(struct tour *tour, const struct stop *stop)
{
    if (stop->requests[0] == REQUEST_NEXT_PANEL)
        return focus(tour, stop);
    for (int i = 0; i < 3 && stop->requests[i]; i++)
        press_request(tour, stop->requests[i]);
    if (stop->typed[0])
        press(tour, stop->typed, true);
    return is_there(tour, stop);
}

/* Back to the lattice, without a cursor, a list or a split. */
static bool go_home(struct tour *tour)
{
    close_dialogs(tour);
    press(tour, "\033", true);
    if (screen_shows(tour->screen, "x unsplit"))
        press_request(tour, REQUEST_SPLIT);
    return focus(tour, stops);
}

/* To a stop; where no keys lead there, with a program started anew. */
static void enter(struct tour *tour, const struct stop *stop)
{
    tour->stop = stop->name;
    tour->key = "";
    if (go_home(tour)) {
        press_request(tour, REQUEST_STEP);
        expect_status(tour->screen, "ups ");
        if (follow(tour, stop))
            return;
    }
    tour_restarts(tour);
    expect(tour, follow(tour, stop), "no way into this screen");
}

/* --- keys ------------------------------------------------------------------------------------- */

/* What a key asks for in a screen. */
static enum request request_at(const struct tour *tour, const struct stop *stop, const char *name)
{
    const int code = keys_code(name);
    enum request request = REQUEST_NONE;

    if (stop->kind == LIST)
        return keymap_find(&tour->keys, KEYS_LIST, code);
    if (strcmp(stop->name, "edit") == 0)
        request = keymap_find(&tour->keys, KEYS_EDIT, code);
    if (request == REQUEST_NONE)
        request = keymap_find(&tour->keys, KEYS_EVERYWHERE, code);
    if (request == REQUEST_NONE)
        request =
            keymap_find(&tour->keys, strcmp(stop->name, "log") ? KEYS_LATTICE : KEYS_LIST, code);
    return request;
}

/* Those that end the program are pressed at the end of the tour; a program without a shell cannot
 * be suspended. */
static bool ends(enum request request)
{
    return request == REQUEST_QUIT || request == REQUEST_QUIT_NOW || request == REQUEST_INTERRUPT ||
           request == REQUEST_SUSPEND;
}

/* What the list or prompt of a request shows; NULL: the table of stops has none. */
static const char *opened_by(const struct stop *stop, enum request request)
{
    const bool split = stop->requests[0] == REQUEST_SPLIT;

    for (size_t i = 0; i < COUNT(stops); i++)
        if (stops[i].kind != MAIN && stops[i].requests[split] == request &&
            (!split || stops[i].requests[0] == REQUEST_SPLIT) && !stops[i].requests[split + 1])
            return stops[i].shows;
    return NULL;
}

static bool is_closed(struct screen *screen, const void *data)
{
    (void)data;
    return !whole_dialog(screen) && is_parked(screen);
}

/* Esc alone, after which curses draws what has changed, and a repaint leaves all of it as it is; a
 * message is there until the next key. */
static bool closes_in_place(struct tour *tour)
{
    struct snapshot closed, repainted;
    bool same;

    screen_send(tour->screen, "\033");
    screen_until(tour->screen, is_closed, NULL, "the end of a list or prompt");
    closed = snapshot_take(tour->screen);
    press(tour, "", true);
    repainted = snapshot_take(tour->screen);
    same = snapshot_equal(&closed, &repainted) || closed.message;
    snapshot_free(&closed);
    snapshot_free(&repainted);
    return same;
}

/* Whether Esc brings back the screen before. The engine may change it meanwhile. */
static bool is_brought_back(struct tour *tour, const struct stop *stop,
                            const struct snapshot *before)
{
    struct snapshot after;
    bool same = true;

    if (stop == stops) /* in one screen, because Esc alone takes the time of ESCDELAY */
        same = closes_in_place(tour);
    else
        press(tour, "\033", true);
    press(tour, "", true);
    after = snapshot_take(tour->screen);
    same &= snapshot_equal(before, &after);
    snapshot_free(&after);
    return same;
}

static void take_back(struct tour *tour, enum request request)
{
    for (size_t i = 0; i < COUNT(pairs); i++)
        if (pairs[i].key == request) {
            press_request(tour, pairs[i].back);
            return;
        }
}

/* Whether nothing changes without a key, so that a change is a key's effect. */
static bool is_quiet(struct tour *tour)
{
    char *before = strdup(screen_text(tour->screen));
    bool same;

    press(tour, "", true);
    same = strcmp(before, screen_text(tour->screen)) == 0 &&
           screen_row_shows(tour->screen, 0, " PAUSE");
    free(before);
    return same;
}

/* Presses a key in one of the main screens. False: a screen that it opened was not followed by the
 * one before. */
static bool try_key(struct tour *tour, const struct stop *stop, enum request request,
                    const char *bytes)
{
    const bool quiet = tour->effect[request] || is_quiet(tour);
    struct snapshot before = snapshot_take(tour->screen);
    const char *title = opened_by(stop, request);
    bool same = true;

    press(tour, bytes, true);
    tour->effect[request] |= quiet && strcmp(before.text, screen_text(tour->screen)) != 0;
    expect(tour, strncmp(screen_row(tour->screen, -2), " ! ", 3) != 0, "no alarm");
    expect(tour, !title || (whole_dialog(tour->screen) && screen_shows(tour->screen, title)),
           title);
    if (whole_dialog(tour->screen)) {
        same = is_brought_back(tour, stop, &before);
    } else {
        take_back(tour, request);
    }
    snapshot_free(&before);
    return same;
}

static void tour_key(struct tour *tour, const struct stop *stop, const char *name)
{
    const enum request request = request_at(tour, stop, name);
    char bytes[SENT_MAX];
    char *before;

    if (stop->kind == MAIN ? ends(request)
                           : strcmp(name, "ctrl-c") == 0 || strcmp(name, "ctrl-z") == 0)
        return;
    if (!is_there(tour, stop) || (stop->kind != MAIN && strcmp(name, "enter") == 0))
        enter(tour, stop);
    tour->key = name;
    sent_by(tour->term, name, bytes);
    if (stop->kind == MAIN) {
        const double deadline = seconds_now() + PATIENCE_S;

        while (!try_key(tour, stop, request, bytes))
            expect(tour, seconds_now() < deadline, "Esc brings back the screen before");
        return;
    }
    before = strdup(screen_text(tour->screen));
    press(tour, bytes, true);
    if (stop->kind == LIST && strcmp(before, screen_text(tour->screen)) != 0)
        tour->effect[request] = true;
    free(before);
}

/* Whether no row of the table before this one has the key. */
static bool is_first(const char *name, const struct key_row *of)
{
    for (const struct key_row *row = keys_table; row < of; row++) {
        char keys[64], *rest;

        snprintf(keys, sizeof keys, "%s", row->keys);
        for (char *at = strtok_r(keys, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
            if (strcmp(at, name) == 0)
                return false;
    }
    return true;
}

/* All keys of the table, each once. */
static void tour_stop(struct tour *tour, const struct stop *stop)
{
    enter(tour, stop);
    for (const struct key_row *row = keys_table; row->name; row++) {
        char keys[64], *rest;

        snprintf(keys, sizeof keys, "%s", row->keys);
        for (char *name = strtok_r(keys, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
            if (is_first(name, row))
                tour_key(tour, stop, name);
    }
}

static bool is_changed(struct screen *screen, const void *data)
{
    return strcmp(screen_text(screen), data) != 0;
}

/* A key whose effect has not been seen yet comes with the engine's reply. The program is started
 * anew, because what the tour has left may hide an effect, as a difference without any cells hides
 * that of panning. */
static void expect_effect(struct tour *tour, const struct key_row *row)
{
    char name[16], bytes[SENT_MAX], what[160], *before;

    keys_first(row->keys, name);
    for (size_t i = 0; i < COUNT(stops); i++) {
        if (request_at(tour, &stops[i], name) != row->request)
            continue;
        tour->key = "";
        tour_restarts(tour);
        enter(tour, &stops[i]);
        before = strdup(screen_text(tour->screen));
        snprintf(what, sizeof what, "an effect of key '%s' (%s) in %s", name, row->name,
                 stops[i].name);
        press(tour, sent_by(tour->term, name, bytes), true);
        screen_until(tour->screen, is_changed, before, what);
        free(before);
        return;
    }
    ck_abort_msg("key '%s' (%s) is known in no screen", name, row->name);
}

static void expect_effects(struct tour *tour)
{
    for (const struct key_row *row = keys_table; row->name; row++)
        if (!ends(row->request) && row->request != REQUEST_ANSWER &&
            row->request != REQUEST_REDRAW && !tour->effect[row->request])
            expect_effect(tour, row);
}

/* --- the end of the tour ---------------------------------------------------------------------- */

static bool is_written(struct screen *screen, const void *data)
{
    (void)screen;
    return access(data, F_OK) == 0;
}

/* The command in the list that REQUEST_YANK opens, whose rows are as long as a box allows; behind
 * an empty row stands what it does not carry. */
static void read_command(struct tour *tour, char command[1024])
{
    static const char title[] = "[command";
    const int width = tour->columns - 8 < 72 ? tour->columns - 8 : 72;
    const char *text, *at;
    size_t used = 0;
    int row = 0, left = 0;
    uint32_t side;

    press_request(tour, REQUEST_YANK);
    text = screen_text(tour->screen);
    at = strstr(text, title);
    expect(tour, at, title);
    for (const char *c = text; c < at; c++)
        row += *c == '\n';
    while (screen_character(tour->screen, row, left) != '[' ||
           screen_character(tour->screen, row, left + 1) != 'c')
        left++;
    side = screen_character(tour->screen, row + 1, left - 2);
    for (row++; screen_character(tour->screen, row, left - 2) == side &&
                screen_character(tour->screen, row, left + 1) != ' ';
         row++)
        for (int i = 0; i < width && used < 1023; i++)
            command[used++] = (char)screen_character(tour->screen, row, left + 1 + i);
    while (used > 0 && command[used - 1] == ' ')
        used--;
    command[used] = 0;
    close_dialogs(tour);
}

/* The hash that `calab` prints for arguments; malloc'd. */
static char *hash_of(const char *arguments)
{
    struct outcome outcome = calab("%s", arguments);
    char *hash;

    ck_assert_msg(outcome.status == 0, "calab %s: %s", arguments, outcome.err);
    hash = strdup(outcome_value(&outcome, "hash"));
    return hash;
}

/* After all keys: the state at generation 12 is the one that the command on the screen leads to. */
static void expect_state(struct tour *tour)
{
    const double deadline = seconds_now() + PATIENCE_S;
    char command[1024], again[256];
    char *want, *have;

    enter(tour, stops);
    do /* a split, which a difference is, too, asks first, and again once a step has ended */
        press_request(tour, REQUEST_RESET);
    while (shown_generation(tour->screen) != 0 && seconds_now() < deadline);
    expect_generation(tour->screen, 0);
    user_types(tour->screen, "g", "12");
    expect_generation(tour->screen, 12);
    read_command(tour, command);
    ck_assert_contains(command, "-n 12");
    unlink(test_path("end.npy"));
    user_types(tour->screen, "w", "end.npy");
    screen_until(tour->screen, is_written, test_path("end.npy"), "end.npy");
    snprintf(again, sizeof again, "run cloud -s 16x16x8 -n 0 --init %s", test_path("end.npy"));
    ck_assert_int_eq(strncmp(command, "calab ", 6), 0);
    want = hash_of(command + 6);
    have = hash_of(again);
    ck_assert_msg(strcmp(want, have) == 0, "%s: hash %s, but the state has %s", command, want,
                  have);
    free(want);
    free(have);
}

static const char *const ways_out[] = {"q", "Q", "\003"};

/* By each of the keys that end the program, on one terminal or another. */
static void tour_ends(struct tour *tour, const char *key)
{
    enter(tour, stops);
    screen_send(tour->screen, key);
    if (key[0] == '\003') {
        screen_expect(tour->screen, "stopped; press");
        screen_send(tour->screen, key); /* again within 2 s */
    }
    ck_assert_int_eq(screen_end(tour->screen), 0);
    ck_assert(screen_modes_as_before(tour->screen));
    screen_close(tour->screen);
}

/* --- the tour --------------------------------------------------------------------------------- */

/* Of each `of` stops the one with number `part`, all for 1. */
static void take_tour(int terminal, int size, size_t part, size_t of)
{
    struct tour tour = {.term = terminals[terminal].term,
                        .lang = terminals[terminal].lang,
                        .rows = sizes[size].rows,
                        .columns = sizes[size].columns,
                        .stop = "the start",
                        .key = ""};

    ck_assert_int_eq(chdir(test_folder()), 0);
    keymap_preset(&tour.keys, "default");
    sent_to_clear(tour.term, tour.clear);
    tour_starts(&tour);
    for (size_t i = part; i < COUNT(stops); i += of)
        tour_stop(&tour, &stops[i]);
    if (of == 1)
        expect_effects(&tour);
    expect_state(&tour);
    tour_ends(&tour, ways_out[terminal % COUNT(ways_out)]);
}

/* All screens on the first two terminals, at 80x24 and at 40x12; the others share them, half of
 * them at 200x60. */
START_TEST(a_terminal)
{
    if (_i < 2)
        take_tour(_i, _i ? 2 : 0, 0, 1);
    else
        take_tour(_i, _i % 2, (size_t)_i - 2, COUNT(terminals) - 2);
}
END_TEST

START_TEST(a_terminal_at_a_size)
{
    take_tour(_i % (int)COUNT(terminals), _i / (int)COUNT(terminals), 0, 1);
}
END_TEST

int main(void)
{
    const char *tour = getenv("CALAB_TOUR");
    const bool all = tour && strcmp(tour, "all") == 0;

    return RUN_TESTS(.timeout_s = 600, .table = {{all ? a_terminal_at_a_size : a_terminal,
                                                  COUNT(terminals) * (all ? COUNT(sizes) : 1)}});
}
