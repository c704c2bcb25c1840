/* SPDX-License-Identifier: MIT */
/* The workbench starts here, runs its main loop with a single poll, and ends. */
#include "tui/workbench/workbench.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "tui/workbench/base/leftovers.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/lists/lists.h"
#include "tui/workbench/mouse.h"
#include "tui/workbench/panels/panels.h"
#include "tui/workbench/terminal/terminal_keys.h"

#define SAVE_S 10.0        /* time limit for saving the state when the user quits */
#define SAVE_HASTILY_S 1.0 /* and after a signal or the loss of the terminal */
#define BLOCKED_S 0.05     /* between looks at a terminal that accepts no output */

/* --- keys ------------------------------------------------------------------------------------- */

extern const struct part input_part;

struct input {
    struct paste {
        bool blank;   /* a pasted line has ended, and more may come */
        bool ignored; /* of this paste it was said that it is not taken */
    } paste;
    int unknown; /* the last key, where it has no meaning; 0: it has one */
};

/* A key that is held down says so once. */
static void say_no_meaning(struct workbench *wb, int code)
{
    struct input *input = part_state(wb, &input_part);
    char help[16], text[128];

    if (input->unknown == code)
        return;
    input->unknown = code;
    key_no_meaning(code, text, sizeof text);
    ca_text_add(text, sizeof text, ", %s lists the keys",
                keys_first(wb->keys.keys[REQUEST_HELP], help));
    text_fit(text, wb->layout.message.columns - 4);
    message_show(wb, "%s", text);
}

static void workbench_key(struct workbench *wb, int code)
{
    enum request request = keymap_find(&wb->keys, KEYS_EVERYWHERE, code);
    struct input *input = part_state(wb, &input_part);

    if (code != input->unknown || dialogs_depth(wb) > 0)
        input->unknown = 0;
    if (dialogs_depth(wb) == 0 && !input->unknown)
        message_clear(wb);
    /* On a screen that is too small to show a result, only these keys have an effect. */
    if (wb->layout.too_small && request != REQUEST_QUIT && request != REQUEST_QUIT_NOW &&
        request != REQUEST_INTERRUPT && request != REQUEST_REDRAW && request != REQUEST_SUSPEND)
        return;
    if (wb->layout.too_small)
        dialogs_close(wb);
    for (int i = 0; wb->parts[i]; i++)
        if (wb->parts[i]->key && wb->parts[i]->key(wb, request, code))
            return;
    if (request == REQUEST_NONE)
        request = keymap_find(&wb->keys, KEYS_LATTICE, code);
    if (request == REQUEST_INTERRUPT)
        dialogs_close(wb);
    if (request == REQUEST_NONE)
        say_no_meaning(wb, code);
    else
        parts_perform(wb, request);
}

/* Puts a character into a line of input, which may be full. */
static void paste_into(struct workbench *wb, struct dialog *input, int code)
{
    size_t length = strlen(input->text);
    bool fresh = input->fresh;

    if (code == ' ' && (length == 0 || fresh))
        return;
    dialog_key(wb, code);
    if (!fresh && strlen(input->text) == length)
        snprintf(input->message, sizeof input->message,
                 "the line is full: the rest of what was pasted is left out");
}

/* A paste is text where text is asked for, with blanks between its lines; elsewhere its letters
 * would be commands. */
static void workbench_paste(struct workbench *wb, int code)
{
    struct paste *paste = &((struct input *)part_state(wb, &input_part))->paste;
    struct dialog *top = wb->layout.too_small ? NULL : dialog_top(wb);
    struct dialog *input = top && (top->prompt || top->list->filter) ? top : NULL;
    char key[16];

    if (code == 0) {
        *paste = (struct paste){.blank = false};
    } else if (!input) {
        if (!paste->ignored)
            message_show(
                wb, "pasted text is not taken for keys; it goes into a line of input, as %s opens",
                keys_first(wb->keys.keys[REQUEST_COMMAND], key));
        paste->ignored = true;
    } else if (code == '\n' || code == '\t') {
        paste->blank = true;
    } else if (code >= ' ' && code != 127) {
        if (paste->blank && code != ' ')
            paste_into(wb, input, ' ');
        paste->blank = false;
        paste_into(wb, input, code);
    }
}

const struct part input_part = {.name = "input", .state_bytes = sizeof(struct input)};

/* --- settings --------------------------------------------------------------------------------- */

static void settings_apply(struct workbench *wb)
{
    bool ascii =
        !terminal_lines(wb->terminal) || strcmp(setting_text(wb, CA_SETTING_BORDERS), "ascii") == 0;
    struct pixels *shown = wb->palette.pixels;

    palette_make(&wb->palette, setting_text(wb, CA_SETTING_COLOURS), terminal_colours(wb->terminal),
                 ascii, terminal_utf8(wb->terminal));
    wb->palette.pixels = shown;
    terminal_ask_pixels(wb->terminal);
    pixels_paint(terminal_pixels(wb->terminal), wb->palette.dot);
    keymap_preset(&wb->keys, setting_text(wb, CA_SETTING_KEYS));
    for (const struct key_row *row = keys_table; row->name; row++) {
        const char *keys = ca_settings_key(wb->settings, row->name);
        char message[200];

        if (keys && !keymap_bind(&wb->keys, row->request, keys, message, sizeof message))
            alarm_raise(wb, "calab.cfg: keys.%s: %s", row->name, message);
    }
    terminal_mouse(wb->terminal, mouse_is_on(wb));
    view_reduce(&wb->panes[0], (enum ca_reduce)setting_number(wb, CA_SETTING_REDUCE));
    view_drawn(wb);
    speed_set(wb, setting_number(wb, CA_SETTING_SPEED));
    view_layout(wb);
    view_changed(&wb->panes[0]); /* the request of the view also sets fps and reduce */
}

static double settings_tick(struct workbench *wb, double now)
{
    struct ca_error error;

    double due = settings_due(wb);

    if (due > 0 && now >= due) {
        workbench_remember(&wb->panes[0]);
        if (settings_save_now(wb, &error) != CA_OK)
            alarm_raise(wb, "%s", error.text);
    }
    due = settings_due(wb);
    return due > 0 ? due - now : -1;
}

const struct part settings_part = {
    .name = "settings", .tick = settings_tick, .apply = settings_apply};

/* --- the main loop ---------------------------------------------------------------------------- */

/* Continues the saved run of the experiment, or opens it at generation 0. In the second case the
 * saved state of another run is kept until this one steps. */
static void open_first(struct workbench *wb)
{
    static const enum ca_key keys[] = {CA_KEY_SIZE, CA_KEY_SEED, CA_KEY_INIT};
    struct pane *pane = wb->pane;
    const struct ca_experiment *e = &pane->experiment;
    /* Whether the command line or an experiment file says more about the run than its model. */
    bool described = e->origin[CA_KEY_MODEL] == CA_FROM_EXPERIMENT;
    static struct ca_saved_view saved;
    char path[CA_TEXT_MAX] = "";
    uint64_t generation = 0;

    for (int i = 0; i < 3; i++)
        described |=
            e->origin[keys[i]] == CA_FROM_EXPERIMENT || e->origin[keys[i]] == CA_FROM_COMMAND_LINE;
    for (int i = 0; i < e->params.count; i++)
        described |= e->params.value[i].origin == CA_FROM_EXPERIMENT ||
                     e->params.value[i].origin == CA_FROM_COMMAND_LINE;
    ca_settings_recall(wb->settings, pane->experiment.model, &saved);
    if (!ca_size_equal(saved.experiment.size, pane->experiment.size) &&
        ca_initial_view_is_saved(&pane->experiment.initial_view))
        ca_initial_view_refit(&pane->experiment.initial_view);
    initial_view_take(pane, &pane->experiment);
    if (pane->experiment.state[0]) {
        memcpy(path, pane->experiment.state, sizeof path);
        generation = pane->experiment.state_generation;
    } else if (!lab_is_open(wb) &&
               (pane->experiment.origin[CA_KEY_MODEL] <= CA_FROM_SETTINGS || !described)) {
        generation = checkpoint_resume(pane, &pane->experiment, path);
    }
    pane->keep_saved_state = (pane->experiment.state[0] || !path[0]) &&
                             checkpoint_is_saved(pane, pane->experiment.model);
    session_open(pane, &pane->experiment, generation, path);
}

static enum ca_status workbench_begin(struct workbench *wb, const char *lab, const char *notice,
                                      struct ca_error *error)
{
    char log_path[CA_TEXT_MAX];
    struct ca_error ignored;

    if (terminal_open(&wb->terminal, error) != CA_OK) {
        parts_end(wb);
        return error->status;
    }
    if (terminal_notice(wb->terminal)[0])
        message_show(wb, "%s", terminal_notice(wb->terminal));
    if (terminal_locale_notice(wb->terminal)[0])
        log_add(wb, "%s", terminal_locale_notice(wb->terminal));
    state_file(log_path, WORKBENCH_LOG);
    if (terminal_redirect(wb->terminal, log_path[0] ? log_path : "/dev/null", &ignored) != CA_OK)
        message_show(wb, "%s", ignored.text);
    parts_apply(wb);
    if ((lab && lab_open(wb, lab, error) != CA_OK) || !session_start(wb->pane, error)) {
        parts_end(wb);
        terminal_close(wb->terminal);
        return error->status;
    }
    leftovers_take(wb);
    open_first(wb);
    view_layout(wb);
    view_changed(&wb->panes[0]);
    initial_view_print(wb->pane);
    leftovers_offer(wb);
    if (notice && notice[0])
        alarm_raise(wb, "%s", notice);
    if (lab)
        lab_show(wb);
    return CA_OK;
}

static void read_keys(struct workbench *wb)
{
    wint_t key;
    int kind;

    while (!wb->quit && (kind = terminal_key(wb->terminal, &key)) != ERR) {
        wb->keyed = ca_now();
        if (kind == KEY_CODE_YES && key == KEY_RESIZE) {
            view_layout(wb);
            view_changed(&wb->panes[0]);
            wb->dirty = true;
            clearok(curscr, TRUE); /* curses forgets what it has drawn only if the size is another,
                                      the terminal where it was another for a moment */
        } else if (kind == KEY_CODE_YES && key == KEY_MOUSE) {
            mouse_take(wb, workbench_key);
        } else if (kind == TERMINAL_PASTED) {
            workbench_paste(wb, key < 128 ? (int)key : (int)key + KEY_WIDE);
        } else {
            workbench_key(wb, kind == KEY_CODE_YES || key < 128 ? (int)key : (int)key + KEY_WIDE);
        }
    }
}

static void wait(struct workbench *wb, int timeout_ms)
{
    struct pollfd fds[PARTS_MAX * PART_FDS];
    int first[PARTS_MAX + 1] = {0}, count = 0;

    for (; wb->parts[count]; count++)
        first[count + 1] =
            first[count] +
            (wb->parts[count]->poll ? wb->parts[count]->poll(wb, fds + first[count]) : 0);
    terminal_poll(wb->terminal, fds, first[count], timeout_ms);
    for (int i = 0; i < count; i++)
        if (first[i + 1] > first[i])
            wb->parts[i]->serve(wb, fds + first[i], first[i + 1] - first[i]);
}

/* All parts do what is due. Returns the milliseconds until something is, -1: nothing will be. */
static int tick(struct workbench *wb)
{
    double now = ca_now(), next = -1;

    for (int i = 0; wb->parts[i]; i++) {
        const struct part *part = wb->parts[i];

        if (part->tick)
            next = sooner(next, part->tick(wb, now));
        for (int k = 0; part->tick_pane && k < wb->pane_count; k++)
            if (session_client(&wb->panes[k]))
                next = sooner(next, part->tick_pane(&wb->panes[k], now));
    }
    for (int i = 0; i < wb->pane_count; i++)
        if (frame_is_due(&wb->panes[i])) /* the terminal accepts no output */
            next = sooner(next, BLOCKED_S);
    return next < 0 ? -1 : (int)ceil(next * 1000);
}

/* Returns the signal that ended the loop, 0 if the user did. */
static int loop(struct workbench *wb)
{
    while (!wb->quit) {
        int timeout, signal;

        if (wb->dirty && terminal_ready(wb->terminal))
            screen_draw(wb);
        /* A frame is acknowledged only when it has been sent, so that a slow line slows the frames
         * down. */
        for (int i = 0; i < wb->pane_count; i++)
            if (frame_is_due(&wb->panes[i]) && terminal_ready(wb->terminal))
                frame_acknowledge(&wb->panes[i]);
        timeout = tick(wb);
        if (wb->dirty && terminal_ready(wb->terminal))
            continue;
        wait(wb, timeout);
        signal = terminal_signal(wb->terminal);
        if (terminal_gone(wb->terminal))
            return SIGHUP;
        if (signal)
            return signal;
        read_keys(wb);
    }
    return 0;
}

enum ca_status workbench_run(const struct contender sides[], int count,
                             struct ca_settings *settings, const char *lab, const char *notice,
                             struct ca_error *error)
{
    struct workbench *wb = calloc(1, sizeof *wb);
    struct ca_error second;
    enum ca_status status;
    int signal;

    if (!wb)
        return ca_fail(error, CA_NO_MEMORY, "workbench: no memory");
    if (parts_begin(wb, workbench_parts, error) != CA_OK) {
        free(wb);
        return error->status;
    }
    wb->settings = settings;
    wb->pane = &wb->panes[0];
    wb->pane_count = 1;
    pane_init(wb->pane, wb, &sides[0]);
    status = workbench_begin(wb, lab, notice, error);
    if (status != CA_OK) {
        free(wb);
        return status;
    }
    if (count > 1)
        split_open(wb, &sides[1], false);
    signal = loop(wb);
    status = checkpoint_save_state(&wb->panes[0], signal ? SAVE_HASTILY_S : SAVE_S, error);
    if (settings_save_now(wb, &second) != CA_OK && status == CA_OK) {
        *error = second;
        status = second.status;
    }
    parts_end(wb);
    if (signal)
        terminal_die(wb->terminal, signal);
    terminal_close(wb->terminal);
    free(wb);
    return status;
}
