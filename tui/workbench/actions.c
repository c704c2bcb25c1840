/* SPDX-License-Identifier: MIT */
/* The requests of the keys that are no part's own: what runs, panels, appearance, the end. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "core/base/clock.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/lists/lists.h"

extern const struct part actions_part;

#define TWICE_S 2.0 /* a second ^C within this time quits */

/* --- running ---------------------------------------------------------------------------------- */

static void speed_to(struct workbench *wb, double speed)
{
    char text[32];

    snprintf(text, sizeof text, "%.9g", speed);
    if (setting_change(wb, CA_SETTING_SPEED, text))
        message_show(wb, "speed %s", speed_format(wb, text));
}

static void faster(struct workbench *wb)
{
    if (speed_of(wb) <= 0)
        message_show(wb, "speed max: the backend runs without a limit");
    else
        speed_to(wb, speed_of(wb) >= 1048576 ? 0 : speed_of(wb) * 2);
}

static void slower(struct workbench *wb)
{
    const struct ca_timing_figures *f = &figures_timing(wb->pane)->figures;
    double fps = setting_number(wb, CA_SETTING_FPS), rate;

    if (speed_of(wb) > 0) {
        speed_to(wb, speed_of(wb) <= 1.0 / 64 ? 1.0 / 64 : speed_of(wb) / 2);
        return;
    }
    /* From the maximum it goes to about half of the measured rate. */
    rate = f->count > 0 && f->step_p50_s > 0 ? 1 / f->step_p50_s / fps : 1024;
    speed_to(wb, rate > 2 ? exp2(floor(log2(rate)) - 1) : 1);
}

static void actions_run(struct workbench *wb)
{
    if (session_is_dead(wb->pane))
        session_restart(wb->pane);
    else if (go_busy(wb))
        go_stop(wb);
    else
        go_run(wb);
}

static void actions_step(struct workbench *wb) { go_step(wb, 1); }

static void stride(struct workbench *wb)
{
    double n = setting_number(wb, CA_SETTING_STRIDE);

    go_step(wb, n >= 1 ? (uint64_t)n : 1);
}

static void reset(struct workbench *wb)
{
    if (session_is_dead(wb->pane))
        session_restart(wb->pane);
    else
        undo_reset(wb);
}

static void interrupt(struct workbench *wb)
{
    double now = ca_now(), *interrupted = part_state(wb, &actions_part);

    if (*interrupted > 0 && now - *interrupted < TWICE_S) {
        wb->quit = true;
        return;
    }
    *interrupted = now;
    for (int i = 0; wb->parts[i]; i++)
        if (wb->parts[i]->interrupt)
            wb->parts[i]->interrupt(wb);
    if (state_travels(wb)) {
        split_stop(wb);
        split_close(wb);
        message_show(wb, "stopped: the state of A did not go to B, and the split is closed");
        return;
    }
    if (pane_hung(wb)) {
        list_open(wb, &hung_source);
        return;
    }
    if (go_busy(wb))
        go_stop(wb);
    message_show(wb, "stopped; press ctrl-c again within 2 s to quit");
}

/* --- panels and appearance -------------------------------------------------------------------- */

/* A split shows the lattices and their comparison, nothing else. */
static bool is_split(struct workbench *wb)
{
    if (split_is_shown(wb))
        message_show(wb, "the panels are shown again when %s has ended the split",
                     wb->keys.keys[REQUEST_SPLIT]);
    return split_is_shown(wb);
}

static void relayout(struct workbench *wb)
{
    struct pane *pane = wb->pane;

    view_layout(wb);
    view_changed(pane);
    device_wanted(pane);
}

static void focus_visible(struct workbench *wb, int by)
{
    if (is_split(wb))
        return;
    view_layout(wb);
    panels_focus_next(wb, by);
    if (panels_full(wb))
        relayout(wb);
}

static void next_panel(struct workbench *wb) { focus_visible(wb, 1); }
static void previous_panel(struct workbench *wb) { focus_visible(wb, -1); }

static void panel_toggle(struct workbench *wb, int number)
{
    const struct part *panel = panel_at(wb, number);
    bool wanted;

    if (is_split(wb))
        return;
    wanted = panels_toggle(wb, number);
    relayout(wb);
    if (wanted && panel_rect(wb, panel).rows == 0)
        message_show(wb, "panel %s does not fit on this terminal together with the others",
                     panel->name);
    else
        message_show(wb, "panel %s %s", panel->name, wanted ? "shown" : "hidden");
    if (panel_rect(wb, panels_focused(wb)).rows == 0)
        focus_visible(wb, 1);
}

static void panel_1(struct workbench *wb) { panel_toggle(wb, 0); }
static void panel_2(struct workbench *wb) { panel_toggle(wb, 1); }
static void panel_3(struct workbench *wb) { panel_toggle(wb, 2); }
static void panel_4(struct workbench *wb) { panel_toggle(wb, 3); }
static void panel_5(struct workbench *wb) { panel_toggle(wb, 4); }

static void full_screen(struct workbench *wb)
{
    if (is_split(wb))
        return;
    panels_set_full(wb, !panels_full(wb));
    relayout(wb);
}

static void glyphs(struct workbench *wb)
{
    enum glyphs wanted, drawn;

    setting_cycle(wb, CA_SETTING_GLYPHS);
    if (setting_number(wb, CA_SETTING_GLYPHS) == GLYPHS_PIXEL && !wb->palette.pixels)
        setting_cycle(wb, CA_SETTING_GLYPHS); /* the setting says why there are none */
    wanted = (enum glyphs)setting_number(wb, CA_SETTING_GLYPHS);
    drawn = view_glyphs(wb->pane);
    if (wanted == GLYPHS_AUTO)
        message_show(wb, "glyphs: auto, which draws %s on this terminal",
                     ca_settings_table[CA_SETTING_GLYPHS]
                         .choices[drawn < GLYPHS_PIXEL ? drawn : GLYPHS_PIXEL]);
    else if (wanted == GLYPHS_PIXEL)
        message_show(wb, "glyphs: pixel");
    else if (wanted != drawn)
        message_show(
            wb, "glyphs: %s needs %s; states are drawn", setting_text(wb, CA_SETTING_GLYPHS),
            wb->palette.utf8 ? "256 colours to draw more than on and off" : "a locale with UTF-8");
}

static void mouse(struct workbench *wb)
{
    const char *wanted = mouse_is_on(wb) ? "off" : "on";

    if (setting_change(wb, CA_SETTING_MOUSE, wanted))
        message_show(wb, "mouse: %s", wanted);
}

static void redraw(struct workbench *wb)
{
    terminal_redraw(wb->terminal);
    wb->dirty = true;
}

/* The engines are in another process group, which the terminal does not stop. */
static void signal_engines(struct workbench *wb, int signal)
{
    for (int i = 0; i < wb->pane_count; i++) {
        if (session_client(&wb->panes[i]))
            ca_client_signal(session_client(&wb->panes[i]), signal);
        session_heard(&wb->panes[i]);
    }
}

static void suspend(struct workbench *wb)
{
    signal_engines(wb, SIGSTOP);
    terminal_suspend(wb->terminal);
    signal_engines(wb, SIGCONT);
    redraw(wb);
}

/* --- dialogs ---------------------------------------------------------------------------------- */

static void previous_backend(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    const struct ca_backend *previous = pane->previous_backend;

    if (split_is_shown(wb)) {
        list_open(wb, &others_source);
        return;
    }
    for (const struct ca_backend *b = pane->experiment.model->backends; previous && b;
         b = ca_backend_next(pane->experiment.model, b))
        if (b == previous) {
            choose_backend(pane, b);
            return;
        }
    message_show(wb, "no other backend of model %s has been used", pane->experiment.model->name);
}

static void quit(struct workbench *wb)
{
    if (cursor_is_on(wb->pane))
        cursor_hide(wb->pane);
    else if (panels_full(wb))
        full_screen(wb);
    else
        wb->quit = true;
    wb->dirty = true;
}

static void answer(struct workbench *wb)
{
    if (alarm_answer(wb))
        return;
    cursor_hide(wb->pane);
}

static void quit_now(struct workbench *wb) { wb->quit = true; }

/* --- editing cells ---------------------------------------------------------------------------- */

/* Whether the panes stand at one state that can be changed; if not, the reason is said. */
static bool may_change(struct workbench *wb)
{
    const char *why = NULL;

    for (int i = 0; i < wb->pane_count && !why; i++)
        if (!session_has_run(&wb->panes[i]))
            why = "no simulation is open";
        else if (!pane_can(&wb->panes[i], "put"))
            why = "the engine has no request 'put'";
    if (!why && split_is_open(wb) &&
        (split_busy(wb) || !split_has_begun(wb) ||
         session_generation(&wb->panes[0]) != session_generation(&wb->panes[1])))
        why = "A and B are not both idle at one generation";
    if (why)
        message_warn(wb, "cells cannot be changed: %s", why);
    return !why;
}

static void put_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    generation_take(pane, json);
    pane->modified = true;
    checkpoint_edited(pane);
    if (cursor_is_on(pane))
        session_cell(pane);
    if (pending->path[0] && pane_index(pane) == 0)
        message_show(pane->wb, "pasted %s, %lldx%lldx%lld", pending->path,
                     (long long)json_integer_value(json_object_get(json, "width")),
                     (long long)json_integer_value(json_object_get(json, "height")),
                     (long long)json_integer_value(json_object_get(json, "depth")));
}

static void put_cells(struct workbench *wb, json_t *body, const char *path)
{
    int64_t cell[3];

    cursor_cell(wb->pane, cell);
    json_object_set_new(body, "x", json_integer((json_int_t)cell[0]));
    json_object_set_new(body, "y", json_integer((json_int_t)cell[1]));
    json_object_set_new(body, "z", json_integer((json_int_t)cell[2]));
    for (int i = 0; i < wb->pane_count; i++) {
        struct pending *pending =
            session_send(&wb->panes[i], "put", json_deep_copy(body), put_taken);

        if (pending)
            snprintf(pending->path, sizeof pending->path, "%s", path);
    }
    json_decref(body);
    split_restart(wb);
}

static void edit_next(struct workbench *wb)
{
    if (may_change(wb))
        put_cells(wb, json_pack("{s:b}", "next", 1), "");
}

static void paste_run(struct workbench *wb, const char *text)
{
    if (may_change(wb))
        put_cells(wb, json_pack("{s:s}", "file", text), text);
}

static const struct prompt_source paste_source = {
    .label = "paste: ", .run = paste_run, .offer = file_words, .optional = true};

static void edit_paste(struct workbench *wb)
{
    prompt_open(wb, &paste_source, 0, "",
                "file with a pattern, whose first cell goes to the cursor: .npy of any model; .pbm "
                "of anneal, life, life3d and fhp (solid nodes); .rle of anneal and life and .rle3 "
                "of life3d "
                "(Golly); "
                ".asc of water (depths)");
}

static void edit_toggle(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    const struct ca_brush *brushes = pane->experiment.model->brushes;
    char names[160] = "", key[16], leave[16];
    int64_t cell[3];

    wb->dirty = true;
    if (cursor_edited(pane)) {
        cursor_leave(pane);
        return;
    }
    if (!session_ready(wb, edit_toggle) || (!go_busy(wb) && !may_change(wb)))
        return;
    if (go_busy(wb))
        go_stop(wb);
    if (!cursor_is_on(pane))
        parts_perform(wb, REQUEST_INSPECT);
    cursor_cell(pane, cell);
    view_cells(pane);
    view_center(pane, cell[0], cell[1], cell[2]);
    cursor_edits(pane, true);
    for (int i = 0; brushes[i].name; i++)
        ca_text_add(names, sizeof names, "%s%s", i ? ", " : "", brushes[i].name);
    message_show(wb, "%s: %s; %s leaves", keys_first(wb->keys.keys[REQUEST_EDIT_NEXT], key), names,
                 keys_first(wb->keys.keys[REQUEST_EDIT], leave));
}

/* Where cells are edited, those keys come first. A panel behind those whose keys are in the table
 * has the digit of its place. */
static bool actions_key(struct workbench *wb, enum request request, int code)
{
    enum request own = edit_is_on(wb) ? keymap_find(&wb->keys, KEYS_EDIT, code) : REQUEST_NONE;

    if (own != REQUEST_NONE)
        parts_perform(wb, own);
    else if (request == REQUEST_NONE && code > '5' && code - '1' < panels_count(wb))
        panel_toggle(wb, code - '1');
    else
        return false;
    return true;
}

const struct part actions_part = {.name = "actions",
                                  .state_bytes = sizeof(double),
                                  .key = actions_key,
                                  .actions = {
                                      {REQUEST_HELP, .list = &help_source},
                                      {REQUEST_MENU, .list = &menu_source},
                                      {REQUEST_QUIT, quit},
                                      {REQUEST_QUIT_NOW, quit_now},
                                      {REQUEST_INTERRUPT, interrupt},
                                      {REQUEST_ANSWER, answer},
                                      {REQUEST_RUN, actions_run},
                                      {REQUEST_STEP, actions_step},
                                      {REQUEST_STRIDE, stride},
                                      {REQUEST_FASTER, faster},
                                      {REQUEST_SLOWER, slower},
                                      {REQUEST_RESET, reset},
                                      {REQUEST_BACKEND, .list = &backends_source},
                                      {REQUEST_PREVIOUS_BACKEND, previous_backend},
                                      {REQUEST_PARAMETERS, .list = &parameters_source},
                                      {REQUEST_SETTINGS, .list = &settings_source},
                                      {REQUEST_GLYPHS, glyphs},
                                      {REQUEST_COLOURS, .list = &colours_source},
                                      {REQUEST_NEXT_PANEL, next_panel},
                                      {REQUEST_PREVIOUS_PANEL, previous_panel},
                                      {REQUEST_PANEL_1, panel_1},
                                      {REQUEST_PANEL_2, panel_2},
                                      {REQUEST_PANEL_3, panel_3},
                                      {REQUEST_PANEL_4, panel_4},
                                      {REQUEST_PANEL_5, panel_5},
                                      {REQUEST_FULL_SCREEN, full_screen},
                                      {REQUEST_MOUSE, mouse},
                                      {REQUEST_REDRAW, redraw},
                                      {REQUEST_SUSPEND, suspend},
                                      {REQUEST_EDIT, edit_toggle},
                                      {REQUEST_EDIT_NEXT, edit_next},
                                      {REQUEST_EDIT_PASTE, edit_paste},
                                  }};
