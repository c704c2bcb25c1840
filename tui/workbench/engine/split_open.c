/* SPDX-License-Identifier: MIT */
/* Pane B is opened and closed here, and both panes are brought to one generation. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/engine/packed.h"
#include "core/engine/wire.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/leftovers.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split_inside.h"
#include "tui/workbench/engine/view.h"

#define REPEAT_UPDATES 2e8 /* cell updates that B repeats to come where A is */

const struct ca_backend *split_reference(const struct workbench *wb)
{
    return &wb->panes[0].experiment.model->backends[0];
}

/* Whether A runs it. */
static bool split_is_reference(const struct workbench *wb)
{
    return wb->panes[0].experiment.backend == split_reference(wb);
}

const char *split_hides(const struct workbench *wb)
{
    return split_is_reference(wb) ? "another kernel" : "the reference";
}

/* --- opening and closing ---------------------------------------------------------------------- */

static void split_resized(struct workbench *wb)
{
    view_layout(wb);
    view_changed(&wb->panes[0]);
    device_wanted(&wb->panes[0]);
}

void split_open(struct workbench *wb, const struct contender *side, bool hidden)
{
    struct pane *a = &wb->panes[0], *b = &wb->panes[1];
    struct split *s = split_of(wb);
    struct ca_error error;

    pane_init(b, wb, side);
    wb->pane_count = 2;
    if (!session_start(b, &error)) {
        wb->pane_count = 1;
        pane_end(b);
        message_warn(wb, "%s", error.text);
        return;
    }
    *s = (struct split){.round = s->round, .call = 1, .hidden = hidden};
    s->running = session_running(a) || session_run_requested(a);
    s->wanted = session_steps_left(a); /* those that were asked for are done first */
    s->pause_first = s->running && !hidden;
    if (s->running)
        session_stop(a);
    if (!hidden) {
        panels_set_full(wb, false);
        panels_focus(wb, PANEL_MAIN);
    }
    split_round(wb, SPLIT_PART);
    ratio_restart(wb);
    split_resized(wb);
}

void split_reveal(struct workbench *wb)
{
    struct split *s = split_of(wb);

    s->hidden = false;
    panels_set_full(wb, false);
    s->pause_first = s->running;
    split_resized(wb);
}

void split_end(struct workbench *wb)
{
    split_round(wb, SPLIT_CLOSED);
    state_drop(wb);
}

void split_close(struct workbench *wb)
{
    struct split *s = split_of(wb);
    bool running = s->running;
    uint64_t under_way = s->phase == SPLIT_STEP ? s->call : 0, home = s->home;
    uint64_t left = s->wanted > under_way ? s->wanted - under_way : 0;

    if (!split_is_open(wb))
        return;
    split_end(wb);
    if (!s->hidden) {
        wb->panes[0].previous_backend = wb->panes[1].experiment.backend;
        memcpy(wb->panes[0].previous_host, wb->panes[1].host, sizeof wb->panes[1].host);
    }
    pane_end(&wb->panes[1]);
    wb->pane_count = 1;
    wb->pane = &wb->panes[0];
    view_drawn(wb);
    if (!s->hidden)
        dialogs_close(wb);
    split_resized(wb);
    session_try(wb->pane, "unmark", NULL, NULL, 0, split_taken); /* the memory of the kept state */
    if (left > 0) /* A does what is left of the steps */
        session_step(wb->pane, left);
    else if (home > 0) /* it was still repeating the way to where A had been */
        session_seek(wb->pane, home);
    if (running)
        session_run(wb->pane);
}

void split_beside(struct workbench *wb, const struct ca_backend *backend, const char *host,
                  bool hidden)
{
    static struct contender side;

    side.experiment = wb->panes[0].experiment;
    snprintf(side.host, sizeof side.host, "%s", host);
    ca_experiment_backend(&side.experiment, backend, CA_FROM_WORKBENCH);
    split_open(wb, &side, hidden);
}

bool split_died(struct pane *pane, const char *reason)
{
    struct workbench *wb = pane->wb;
    int side = pane_index(pane);

    if (!split_is_open(wb))
        return false;
    split_of(wb)->running = false;
    split_of(wb)->wanted = 0;
    if (split_of(wb)->hidden && side == 1)
        setting_change(wb, CA_SETTING_DRAWN, ca_drawn_names[CA_STATE]);
    alarm_raise(wb, "%c (%s): %s; the split is closed%s", 'A' + side,
                pane->experiment.backend->name, reason, session_crash_log(pane));
    split_close(wb);
    return true;
}

void split_refused_open(struct pane *pane, const char *reason)
{
    if (split_of(pane->wb)->hidden)
        setting_change(pane->wb, CA_SETTING_DRAWN, ca_drawn_names[CA_STATE]);
    message_warn(pane->wb, "B (%s%s%s) cannot be opened: %s", pane->host, pane->host[0] ? ":" : "",
                 pane->experiment.backend->name, reason);
    split_close(pane->wb);
}

/* --- bringing both to one generation ---------------------------------------------------------- */

bool split_is_idle(const struct pane *pane)
{
    return session_has_run(pane) && !session_running(pane) &&
           !session_waits_for(pane, split_taken) &&
           !session_last(pane, CA_OP_STATE | CA_OP_RULE | CA_OP_STOPS);
}

/* B starts where A is: from the same start if nothing was changed in between and that is soon
 * done, or one of them is on another host; otherwise from A's state. */
void split_begin(struct workbench *wb)
{
    struct pane *a = &wb->panes[0], *b = &wb->panes[1];
    uint64_t generation = session_generation(a);
    double updates = (double)generation * (double)ca_cells(a->experiment.size);
    bool repeat = !a->modified && (updates <= REPEAT_UPDATES || a->host[0] || b->host[0]);

    if (generation == 0 || repeat || !ca_size_equal(a->experiment.size, b->experiment.size)) {
        if (generation > 0)
            session_reset(a);
        session_open(b, &b->experiment, 0, NULL);
        split_of(wb)->wanted += repeat ? generation : 0;
        split_of(wb)->home = repeat ? generation : 0;
        split_of(wb)->phase = SPLIT_GATHER;
    } else if (!state_begin(wb)) {
        split_close(wb);
    }
}

void split_gather(struct workbench *wb)
{
    struct pane *a = &wb->panes[0], *b = &wb->panes[1];

    if (!split_is_idle(a) || !split_is_idle(b))
        return;
    state_drop(wb);
    if (session_generation(a) != session_generation(b)) {
        session_reset(session_generation(a) ? a : b);
        return;
    }
    if (split_incomparable(wb))
        split_of(wb)->phase = SPLIT_READY;
    else
        split_ask_both(wb, SPLIT_HASH, "hash", NULL);
}

/* The difference that a single pane draws needs a hidden one: the reference, or beside the
 * reference what `auto` stands for, and where that is the reference itself, the rung above it. */
void split_follow_drawn(struct workbench *wb)
{
    const struct pane *a = &wb->panes[0], *b = &wb->panes[1];
    const struct ca_backend *hidden =
        split_is_reference(wb) ? ca_backend_auto(a->experiment.model) : split_reference(wb);
    bool same = a->experiment.backend == b->experiment.backend, chosen = b->experiment.choice;

    if (!split_is_open(wb)) {
        if (view_difference(wb) && session_has_run(a))
            split_beside(wb, hidden, "", true);
        return;
    }
    if (!split_of(wb)->hidden)
        return;
    if (!view_difference(wb) || same ||
        (!split_is_reference(wb) && b->experiment.backend != split_reference(wb))) {
        split_close(wb);
        if (view_difference(wb) && split_is_reference(wb) && same && chosen)
            split_beside(wb, split_reference(wb) + 1, "", true);
    }
}

/* --- the state of A comes to B ---------------------------------------------------------------- */

#define FILE_MAX INT64_C(1073741824) /* bytes of a state in a file */
#define PIECE_FIRST (INT64_C(64) << 10)
#define PIECE_MIN (INT64_C(16) << 10)
#define PIECE_MAX (INT64_C(8) << 20)
#define SHORT_S 0.2
#define LONG_S 0.8

static const struct ca_experiment *of_a(const struct workbench *wb)
{
    return &wb->panes[0].experiment;
}

static int64_t split_state_rows_of(const struct workbench *wb) { return ca_rows(of_a(wb)->size); }

/* The message says what the user can do instead. */
static void cannot(struct workbench *wb, const char *why)
{
    message_warn(wb, "%s; %s returns to generation 0, which both can start from", why,
                 wb->keys.keys[REQUEST_RESET]);
}

/* --- a file ----------------------------------------------------------------------------------- */

/* --- to another host -------------------------------------------------------------------------- */

bool state_begin(struct workbench *wb)
{
    struct pane *b = &wb->panes[1];
    struct split *s = split_of(wb);
    const struct ca_experiment *e = of_a(wb);
    double bytes =
        (double)ca_cells(e->size) * e->model->planes * (double)ca_type_bytes(e->model->type);
    struct ca_error error = {.text = "there is no state folder"};
    char text[CA_TEXT_MAX];

    if (!session_is_here(&wb->panes[0]) || !session_is_here(b)) {
        if (ca_packed_check(e->model, e->size, &error) != CA_OK) {
            cannot(wb, error.text);
            return false;
        }
        session_open(b, &b->experiment, 0, NULL);
        s->phase = SPLIT_MEET;
        return true;
    }
    if (bytes > (double)FILE_MAX) {
        snprintf(text, sizeof text, "the state of A has %.1f GiB, and at most 1 GiB is handed to B",
                 bytes / (double)FILE_MAX);
        cannot(wb, text);
        return false;
    }
    own_file(wb, s->state_path, "split.npy");
    if (!s->state_path[0] || ca_file_parents(s->state_path, &error) != CA_OK) {
        message_warn(wb, "the state of A cannot be handed to B: %.400s", error.text);
        return false;
    }
    split_round(wb, SPLIT_SAVE);
    split_send(wb, 0, "save", json_pack("{s:s}", "file", s->state_path), NULL, 0);
    return true;
}

/* B takes the piece that A has given, and A gives the next one. */
static void next_round(struct workbench *wb)
{
    struct split_travel *t = &split_of(wb)->travel;
    int64_t rows = t->piece / ca_packed_row(of_a(wb)->model, of_a(wb)->size.w),
            left = split_state_rows_of(wb) - t->asked;

    if (t->taken == split_state_rows_of(wb)) {
        split_of(wb)->phase = SPLIT_GATHER;
        return;
    }
    split_round(wb, SPLIT_SEND);
    if (t->bytes)
        split_send(wb, 1, "take", t->what, t->bytes, t->count);
    free(t->bytes);
    t->bytes = NULL;
    t->what = NULL;
    rows = rows < 1 ? 1 : rows < left ? rows : left;
    if (rows > 0)
        split_send(wb, 0, "give",
                   json_pack("{s:I,s:I}", "first", (json_int_t)t->asked, "rows", (json_int_t)rows),
                   NULL, 0);
    t->asked += rows;
}

void state_meet(struct workbench *wb)
{
    static const char *const requests[] = {"give", "take"};
    char text[CA_TEXT_MAX];

    if (!split_is_idle(&wb->panes[0]) || !split_is_idle(&wb->panes[1]))
        return;
    for (int i = 0; i < 2; i++) {
        const struct pane *pane = &wb->panes[i];

        if (pane_can(pane, requests[i]))
            continue;
        snprintf(text, sizeof text, "calab %.40s%s%.100s cannot %s a state",
                 ca_json_member(engine_hello(pane), "version"), pane->host[0] ? " on " : "",
                 pane->host, requests[i]);
        cannot(wb, text);
        split_close(wb);
        return;
    }
    state_drop(wb);
    split_of(wb)->travel.piece = PIECE_FIRST;
    next_round(wb);
}

bool state_keep(struct workbench *wb, const struct ca_message *message)
{
    static const char *const keys[] = {"first", "rows", "generation", "digest"};
    struct split_travel *t = &split_of(wb)->travel;

    free(t->bytes); /* of a reply that should have had none */
    json_decref(t->what);
    t->bytes = malloc(message->bytes);
    t->what = json_object();
    if (!t->bytes || !t->what)
        return false;
    memcpy(t->bytes, message->data, message->bytes);
    t->count = message->bytes;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set(t->what, keys[i], json_object_get(message->json, keys[i]));
    return true;
}

void state_go_on(struct workbench *wb)
{
    struct split_travel *t = &split_of(wb)->travel;
    double took = ca_now() - split_of(wb)->asked;

    if (split_of(wb)->answer[1])
        t->taken = json_integer_value(json_object_get(split_of(wb)->answer[1], "rows"));
    if (took < SHORT_S && t->piece < PIECE_MAX)
        t->piece *= 2;
    if (took > LONG_S && t->piece > PIECE_MIN)
        t->piece /= 2;
    next_round(wb);
}

void state_drop(struct workbench *wb)
{
    struct split_travel *t = &split_of(wb)->travel;

    if (split_of(wb)->state_path[0])
        unlink(split_of(wb)->state_path);
    split_of(wb)->state_path[0] = 0;
    free(t->bytes);
    json_decref(t->what);
    *t = (struct split_travel){0};
}

bool state_travels(const struct workbench *wb)
{
    return split_of(wb)->phase == SPLIT_MEET || split_of(wb)->phase == SPLIT_SEND;
}

void state_progress(const struct workbench *wb, char *text, size_t size)
{
    double all = ca_packed_state(of_a(wb)->model, of_a(wb)->size);
    bool large = all >= 1048576;

    snprintf(text, size, "state to B: %.0f %% of %.0f %s",
             100.0 * (double)split_of(wb)->travel.taken / (double)split_state_rows_of(wb),
             all / (large ? 1048576 : 1024), large ? "MiB" : "KiB");
}
