/* SPDX-License-Identifier: MIT */
/* Owns the second pane and the lock step of both. */
#include "tui/workbench/app.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/quantity.h"
#include "core/files/file.h"

#define CALL_S 0.1           /* the longest call; a frame of more is several calls */
#define UNPACED_S 0.05       /* the length of a call at the speed max */
#define MARK_CALLS 16        /* between marks */
#define REPEAT_UPDATES 2e8   /* cell updates that B repeats to come where A is */
#define STATE_MAX 1073741824 /* bytes of a state that travels */

bool split_is_open(const struct workbench *wb) { return wb->split.phase != SPLIT_CLOSED; }

bool split_is_shown(const struct workbench *wb) { return split_is_open(wb) && !wb->split.hidden; }

/* The first row of a ladder. */
static const struct ca_backend *reference(const struct workbench *wb)
{
    return &wb->panes[0].experiment.model->backends[0];
}

bool split_draws_difference(const struct workbench *wb)
{
    return wb->panes[0].view.drawn == CA_DIFFERENCE &&
           (split_is_open(wb) || wb->panes[0].experiment.backend != reference(wb));
}

/* --- rounds of requests ----------------------------------------------------------------------- */

void split_round(struct workbench *wb, enum split_phase phase)
{
    struct split *s = &wb->split;

    s->phase = phase;
    s->round++;
    s->asked = ca_now();
    for (int i = 0; i < 2; i++) {
        json_decref(s->answer[i]);
        s->answer[i] = NULL;
        s->due[i] = false;
    }
}

void split_ask(struct workbench *wb, int side, const char *op, json_t *body)
{
    struct pending *pending = session_ask(&wb->panes[side], op, body);

    if (!pending)
        return;
    pending->generation = (uint64_t)wb->split.round;
    wb->split.due[side] = true;
}

static void ask_both(struct workbench *wb, enum split_phase phase, const char *op, json_t *body)
{
    split_round(wb, phase);
    for (int i = 0; i < 2; i++)
        split_ask(wb, i, op, json_deep_copy(body));
    json_decref(body);
}

/* --- comparing -------------------------------------------------------------------------------- */

const char *split_incomparable(const struct workbench *wb)
{
    const struct ca_experiment *a = &wb->panes[0].experiment, *b = &wb->panes[1].experiment;

    if (!ca_size_equal(a->size, b->size))
        return "the sizes differ";
    if (!ca_values_equal(&a->params, &b->params))
        return "the parameters differ";
    if (a->seed != b->seed || strcmp(a->init, b->init) != 0)
        return "the starts differ";
    return NULL;
}

/* What was known of the two is of no use any more. */
static void forget(struct split *s)
{
    s->checks = 0;
    s->differs = false;
    s->marked = false;
    s->mark_calls = 0;
    s->find = FIND_NOT;
    s->no_mark[0] = s->trouble[0] = 0;
}

void split_restart(struct workbench *wb)
{
    if (!split_is_open(wb))
        return;
    forget(&wb->split);
    wb->split.call = 1;
    wb->split.step_s = 0;
    wb->split.pause_first = wb->split.running && !wb->split.hidden;
    ratio_restart(wb);
    if (wb->split.phase > SPLIT_SAVE)
        split_round(wb, SPLIT_GATHER);
}

static void compare(struct workbench *wb)
{
    struct split *s = &wb->split;
    uint64_t generation = wb->panes[0].session.generation;
    const char *hash[2];

    for (int i = 0; i < 2; i++)
        hash[i] = ca_wire_text(s->answer[i], "hash");
    if (split_incomparable(wb) || !hash[0][0] || !hash[1][0])
        return;
    s->checks++;
    if (strcmp(hash[0], hash[1]) == 0) {
        s->equal_at = generation;
        return;
    }
    s->differs = true;
    find_begin(wb);
    s->differs_at = generation;
    s->running = false;
    s->wanted = 0;
}

/* --- lock step -------------------------------------------------------------------------------- */

bool split_busy(const struct workbench *wb)
{
    const struct split *s = &wb->split;

    return split_is_open(wb) &&
           (s->running || s->wanted > 0 || s->phase == SPLIT_STEP || s->find == FIND_UNDER_WAY);
}

static bool may_go_on(struct workbench *wb)
{
    if (wb->split.differs)
        say(wb, "A and B differ: %s returns to generation 0, %s or %s choose another backend",
            wb->keys.keys[REQUEST_RESET], wb->keys.keys[REQUEST_BACKEND],
            wb->keys.keys[REQUEST_PREVIOUS_BACKEND]);
    return !wb->split.differs;
}

void split_run(struct workbench *wb)
{
    wb->split.running = may_go_on(wb);
    wb->split.pause_first = false;
    wb->split.next = 0;
    wb->dirty = true;
}

void split_stop(struct workbench *wb)
{
    if (wb->split.find == FIND_UNDER_WAY)
        wb->split.find = FIND_STOPPED;
    wb->split.running = false;
    wb->split.wanted = 0;
    wb->dirty = true;
}

void split_step(struct workbench *wb, uint64_t generations)
{
    wb->split.running = false;
    if (may_go_on(wb))
        wb->split.wanted += generations;
    wb->split.next = 0;
    wb->dirty = true;
}

void split_reset(struct workbench *wb)
{
    struct split *s = &wb->split;

    s->home = 0;
    split_stop(wb);
    forget(s);
    if (s->phase <= SPLIT_SAVE) { /* B does not run yet */
        session_reset(&wb->panes[0]);
        split_round(wb, SPLIT_PART);
        return;
    }
    for (int i = 0; i < 2; i++)
        session_reset(&wb->panes[i]);
    split_round(wb, SPLIT_GATHER);
}

void split_seek(struct workbench *wb, uint64_t generation)
{
    uint64_t at = wb->panes[0].session.generation;

    if (generation < at || wb->split.differs) {
        split_reset(wb);
        at = 0;
    } else {
        split_stop(wb);
    }
    split_step(wb, generation - at);
}

/* The generations of the next call: those of a frame in the fewest equal calls that are short, and
 * at the speed max as many as make calls of one length. A call is at most twice as long as the one
 * before, because its duration is not known. */
static uint64_t next_call(const struct workbench *wb)
{
    const struct split *s = &wb->split;
    double frame = s->wanted > 0 ? (double)s->wanted : wb->speed >= 1 ? wb->speed : 1, most, n;

    if (s->step_s <= 0)
        return 1;
    if (s->wanted == 0 && wb->speed <= 0) {
        if (s->step_s * (double)s->call * 4 < UNPACED_S)
            return s->call * 2;
        return s->step_s * (double)s->call > CALL_S && s->call > 1 ? s->call / 2 : s->call;
    }
    most = fmax(1, floor(CALL_S / s->step_s));
    most = fmin(most, 2 * (double)s->call);
    n = ceil(frame / ceil(frame / most));
    return s->wanted > 0 && n > (double)s->wanted ? s->wanted : (uint64_t)n;
}

/* Where a search goes back to is not far, and all calls since then are of one length. */
static bool mark_is_due(const struct split *s, uint64_t call)
{
    return !s->no_mark[0] && (!s->marked || s->mark_calls >= MARK_CALLS || call != s->call);
}

/* The next call, or the mark before it, which does not change its length. */
static void ask_step(struct workbench *wb, double now)
{
    struct split *s = &wb->split;
    uint64_t n = s->chosen ? s->chosen : next_call(wb);
    double frames;

    if (s->wanted > 0 && n > s->wanted)
        n = s->wanted;
    if (!split_incomparable(wb) && mark_is_due(s, n)) {
        s->call = s->chosen = n;
        ask_both(wb, SPLIT_MARK, "mark", NULL);
        return;
    }
    s->call = n;
    s->chosen = 0;
    frames = wb->speed >= 1 ? (double)n / wb->speed : wb->speed > 0 ? 1 / wb->speed : 0;
    s->mark_calls++;
    /* A late call moves the deadlines of those after it: what was missed is not made up for. */
    if (s->wanted > 0)
        s->next = now;
    else
        s->next = fmax(now, s->next + frames / setting_number(wb, CA_SETTING_FPS));
    ask_both(wb, SPLIT_STEP, "step",
             json_pack("{s:I,s:b,s:b}", "n", (json_int_t)n, "hash", !split_incomparable(wb),
                       "frame", 1));
}

/* --- replies ---------------------------------------------------------------------------------- */

static void stepped(struct workbench *wb)
{
    struct split *s = &wb->split;
    double step_s = (ca_now() - s->asked) / (double)s->call;

    s->wanted -= s->wanted > s->call ? s->call : s->wanted;
    if (wb->panes[0].session.generation >= s->home)
        s->home = 0;
    s->step_s = step_s;
    for (int i = 0; i < 2; i++)
        frame_show(&wb->panes[i]);
    compare(wb);
    if (!split_busy(wb)) /* a frame with the observables of the last generation */
        session_view(&wb->panes[0]);
}

static void answered(struct workbench *wb)
{
    struct split *s = &wb->split;
    enum split_phase phase = s->phase;

    s->phase = SPLIT_READY;
    wb->dirty = true;
    switch (phase) {
    case SPLIT_SAVE:
        session_open(&wb->panes[1], &wb->panes[1].experiment, wb->panes[0].session.generation,
                     s->state_path);
        s->phase = SPLIT_GATHER;
        break;
    case SPLIT_HASH:
        compare(wb);
        break;
    case SPLIT_MARK:
        s->marked = s->kept = true;
        s->mark = wb->panes[0].session.generation;
        s->mark_calls = 0;
        break;
    case SPLIT_STEP:
        stepped(wb);
        break;
    case SPLIT_BURST:
        ratio_take(wb);
        break;
    case SPLIT_FIND:
        find_take(wb);
        break;
    default:
        s->phase = phase;
        break;
    }
}

static void refused(struct workbench *wb, int side, const char *error)
{
    struct split *s = &wb->split;
    enum split_phase phase = s->phase;
    const char letter = (char)('A' + side);

    split_round(wb, SPLIT_READY);
    wb->dirty = true;
    switch (phase) {
    case SPLIT_SAVE:
        alarm_say(wb, "the state of A cannot be handed to B: %s", error);
        split_close(wb);
        break;
    case SPLIT_MARK: /* it goes on, but cannot go back */
        snprintf(s->no_mark, sizeof s->no_mark, "%c: %.400s", letter, error);
        s->marked = false;
        break;
    case SPLIT_BURST:
        snprintf(s->no_ratio, sizeof s->no_ratio, "%c: %.400s", letter, error);
        s->measured = true;
        break;
    default:
        s->find = s->find == FIND_UNDER_WAY ? FIND_STOPPED : s->find;
        split_stop(wb);
        snprintf(s->trouble, sizeof s->trouble, "%c: %.400s", letter, error);
        alarm_say(wb, "%s", s->trouble);
    }
}

void split_take(struct pane *pane, const struct pending *pending, const json_t *json,
                const char *error)
{
    struct workbench *wb = pane->wb;
    struct split *s = &wb->split;
    int side = pane_index(pane);

    if (pending->generation != (uint64_t)s->round || !s->due[side])
        return;
    s->due[side] = false;
    if (error) {
        refused(wb, side, error);
        return;
    }
    s->answer[side] = json_deep_copy(json);
    if (!s->due[1 - side])
        answered(wb);
}

/* --- opening and closing ---------------------------------------------------------------------- */

static void resized(struct workbench *wb)
{
    screen_layout(wb);
    view_changed(&wb->panes[0]);
    wb->panes[0].session.device_due = true;
}

void split_open(struct workbench *wb, const struct contender *side, bool hidden)
{
    struct pane *a = &wb->panes[0], *b = &wb->panes[1];
    struct split *s = &wb->split;
    struct ca_error error;

    pane_init(b, wb, side);
    wb->pane_count = 2;
    if (!session_start(b, &error)) {
        wb->pane_count = 1;
        pane_end(b);
        alarm_say(wb, "%s", error.text);
        return;
    }
    *s = (struct split){.round = s->round, .call = 1, .hidden = hidden};
    s->running = session_busy(a) || a->session.run_requested;
    s->pause_first = s->running && !hidden;
    if (s->running)
        session_stop(a);
    if (!hidden) {
        wb->full = false;
        wb->focus = PANEL_LATTICE;
    }
    split_round(wb, SPLIT_PART);
    ratio_restart(wb);
    resized(wb);
}

void split_end(struct workbench *wb)
{
    split_round(wb, SPLIT_CLOSED);
    if (wb->split.state_path[0])
        unlink(wb->split.state_path);
}

void split_close(struct workbench *wb)
{
    struct split *s = &wb->split;
    bool running = s->running;
    uint64_t home = s->home;

    if (!split_is_open(wb))
        return;
    split_end(wb);
    if (!s->hidden)
        wb->panes[0].previous_backend = wb->panes[1].experiment.backend;
    pane_end(&wb->panes[1]);
    wb->pane_count = 1;
    wb->pane = &wb->panes[0];
    wb->pane->view.drawn = (enum ca_drawn)setting_number(wb, CA_SETTING_DRAWN);
    if (!s->hidden)
        dialogs_close(wb);
    resized(wb);
    session_ask(wb->pane, "unmark", NULL); /* the memory of the kept state */
    if (home > 0)                          /* it was still repeating the way to where A had been */
        session_seek(wb->pane, home);
    if (running)
        session_run(wb->pane);
}

static void open_beside(struct workbench *wb, const struct ca_backend *backend, bool hidden)
{
    static struct contender side;

    side.experiment = wb->panes[0].experiment;
    side.host[0] = 0;
    ca_experiment_backend(&side.experiment, backend, CA_FROM_WORKBENCH);
    split_open(wb, &side, hidden);
}

static int others_count(struct workbench *wb)
{
    int n = 0;

    while (wb->panes[0].experiment.model->backends[n].name)
        n++;
    return n;
}

static void others_row(struct workbench *wb, int index, struct list_row *row)
{
    backend_row(wb, index, row);
    row->current = split_is_open(wb) && wb->panes[1].experiment.backend ==
                                            &wb->panes[0].experiment.model->backends[index];
}

static bool others_choose(struct workbench *wb, int index)
{
    const struct ca_backend *backend = &wb->panes[0].experiment.model->backends[index];

    if (!backend_is_available(wb, backend))
        return false;
    if (split_is_open(wb))
        choose_backend(&wb->panes[1], backend);
    else
        open_beside(wb, backend, false);
    return true;
}

const struct list_source others_source = {.title = "backend of B",
                                          .count = others_count,
                                          .row = others_row,
                                          .open = others_choose,
                                          .filter = true,
                                          .detail = 2};

void split_toggle(struct workbench *wb)
{
    struct pane *a = &wb->panes[0];
    const struct ca_backend *other = a->previous_backend;

    if (split_is_shown(wb)) {
        split_close(wb);
        return;
    }
    if (split_is_open(wb)) {
        wb->split.hidden = wb->full = false;
        wb->split.pause_first = wb->split.running;
        resized(wb);
        return;
    }
    if (!a->session.open) {
        say(wb, "nothing to compare with: no simulation is open");
        return;
    }
    if (!other || other == a->experiment.backend)
        other = reference(wb);
    if (other == a->experiment.backend)
        list_open(wb, &others_source);
    else
        open_beside(wb, other, false);
}

bool split_died(struct pane *pane, const char *reason)
{
    struct workbench *wb = pane->wb;
    int side = pane_index(pane);

    if (!split_is_open(wb))
        return false;
    wb->split.running = false;
    if (wb->split.hidden && side == 1)
        setting_change(wb, CA_SETTING_DRAWN, ca_drawn_names[CA_STATE]);
    alarm_say(wb, "%c (%s): %s; the split is closed", 'A' + side, pane->experiment.backend->name,
              reason);
    split_close(wb);
    return true;
}

void split_refused_open(struct pane *pane, const char *reason)
{
    if (pane->wb->split.hidden)
        setting_change(pane->wb, CA_SETTING_DRAWN, ca_drawn_names[CA_STATE]);
    alarm_say(pane->wb, "B (%s) cannot be opened: %s", pane->experiment.backend->name, reason);
    split_close(pane->wb);
}

/* --- bringing both to one generation ---------------------------------------------------------- */

/* Nothing that was asked of the engine can still change its state. */
static bool is_idle(const struct pane *pane)
{
    static const enum op moving[] = {OP_OPEN,   OP_STEP,  OP_RUN,  OP_STOP,
                                     OP_CHANGE, OP_RESET, OP_SEEK, OP_SPLIT};

    for (size_t i = 0; i < sizeof moving / sizeof *moving; i++)
        if (session_waits_for(pane, moving[i]))
            return false;
    return pane->session.open && !pane->session.running;
}

/* The file by which the state of A comes to B; false, with a message, if it cannot. */
static bool state_file(struct workbench *wb)
{
    struct split *s = &wb->split;
    const struct ca_experiment *e = &wb->panes[0].experiment;
    double bytes =
        (double)ca_cells(e->size) * e->model->planes * (double)ca_type_bytes(e->model->type);
    struct ca_error error;

    if (wb->panes[0].host[0] || wb->panes[1].host[0]) {
        alarm_say(wb,
                  "a parameter was changed in mid-run, and a state is not handed to another host; "
                  "%s returns to generation 0, which both can start from",
                  wb->keys.keys[REQUEST_RESET]);
        return false;
    }
    if (bytes > STATE_MAX) {
        alarm_say(wb,
                  "the state of A has %.1f GiB, and at most 1 GiB is handed to B; %s returns to "
                  "generation 0, which both can start from",
                  bytes / STATE_MAX, wb->keys.keys[REQUEST_RESET]);
        return false;
    }
    checkpoint_file(s->state_path, "split.npy");
    if (!s->state_path[0])
        alarm_say(wb, "the state of A cannot be handed to B: there is no state folder");
    else if (ca_file_parents(s->state_path, &error) != CA_OK)
        alarm_say(wb, "%s", error.text);
    else
        return true;
    return false;
}

/* B starts where A is: from the same start if nothing was changed in between and that is soon
 * done, or one of them is on another host; otherwise from A's state. */
static void begin_together(struct workbench *wb)
{
    struct pane *a = &wb->panes[0], *b = &wb->panes[1];
    uint64_t generation = a->session.generation;
    double updates = (double)generation * (double)ca_cells(a->experiment.size);
    bool repeat = !a->steered && (updates <= REPEAT_UPDATES || a->host[0] || b->host[0]);

    if (generation == 0 || repeat || !ca_size_equal(a->experiment.size, b->experiment.size)) {
        if (generation > 0)
            session_reset(a);
        session_open(b, &b->experiment, 0, NULL);
        wb->split.wanted += repeat ? generation : 0;
        wb->split.home = repeat ? generation : 0;
        wb->split.phase = SPLIT_GATHER;
    } else if (state_file(wb)) {
        split_round(wb, SPLIT_SAVE);
        split_ask(wb, 0, "save", json_pack("{s:s}", "file", wb->split.state_path));
    } else {
        split_close(wb);
    }
}

static void gather(struct workbench *wb)
{
    struct pane *a = &wb->panes[0], *b = &wb->panes[1];

    if (!is_idle(a) || !is_idle(b))
        return;
    if (wb->split.state_path[0]) {
        unlink(wb->split.state_path);
        wb->split.state_path[0] = 0;
    }
    if (a->session.generation != b->session.generation) {
        session_reset(a->session.generation ? a : b);
        return;
    }
    if (split_incomparable(wb))
        wb->split.phase = SPLIT_READY;
    else
        ask_both(wb, SPLIT_HASH, "hash", NULL);
}

/* The difference to the reference, drawn in a single pane, needs a hidden one. */
static void follow_drawn(struct workbench *wb)
{
    const struct pane *a = &wb->panes[0];

    if (!split_is_open(wb) && a->session.open && split_draws_difference(wb))
        open_beside(wb, reference(wb), true);
    else if (split_is_open(wb) && wb->split.hidden && a->view.drawn != CA_DIFFERENCE)
        split_close(wb);
}

double split_tick(struct workbench *wb, double now)
{
    struct split *s = &wb->split;

    follow_drawn(wb);
    if (s->phase == SPLIT_PART && is_idle(&wb->panes[0]))
        begin_together(wb);
    if (s->phase == SPLIT_GATHER)
        gather(wb);
    if (s->phase != SPLIT_READY)
        return -1;
    if (!is_idle(&wb->panes[0]) || !is_idle(&wb->panes[1])) {
        s->phase = SPLIT_GATHER; /* something was changed from outside */
        return -1;
    }
    if (s->trouble[0] || s->differs) {
        find_ask(wb);
        return -1;
    }
    if (!s->measured && !s->hidden && s->kept && s->mark != wb->panes[0].session.generation &&
        (!split_busy(wb) || s->pause_first)) {
        ask_both(wb, SPLIT_MARK, "mark", NULL); /* a burst begins at the kept state */
        return -1;
    }
    if (!s->hidden && (!split_busy(wb) || s->pause_first) && ratio_ask(wb))
        return -1;
    s->pause_first = false;
    if (!split_busy(wb))
        return -1;
    if (now < s->next)
        return s->next - now;
    ask_step(wb, now);
    return -1;
}
