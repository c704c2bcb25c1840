/* SPDX-License-Identifier: MIT */
/* Two panes go in lock step: this file sends the rounds of requests and knows what is compared and
 * what is due. */
#include "tui/workbench/engine/split.h"

#include <math.h>
#include <string.h>

#include "core/base/clock.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split_inside.h"
#include "tui/workbench/engine/view.h"

#define CALL_S 0.1     /* the longest call; a frame of more is several calls */
#define UNPACED_S 0.05 /* the length of a call at the speed max */
#define MARK_CALLS 16  /* between marks */
#define SHOWN_S 0.25   /* between drawings while bursts run */

struct split *split_of(const struct workbench *wb) { return part_state(wb, &split_part); }
bool split_is_open(const struct workbench *wb) { return split_of(wb)->phase != SPLIT_CLOSED; }

bool split_is_shown(const struct workbench *wb)
{
    return split_is_open(wb) && !split_of(wb)->hidden;
}

bool split_is_ready(const struct workbench *wb) { return split_of(wb)->phase == SPLIT_READY; }
bool split_has_begun(const struct workbench *wb) { return split_of(wb)->phase >= SPLIT_GATHER; }
uint64_t split_call(const struct workbench *wb) { return split_of(wb)->call; }
uint64_t split_home(const struct workbench *wb) { return split_of(wb)->home; }
bool split_runs(const struct workbench *wb) { return split_of(wb)->running; }

bool split_awaits(const struct pane *pane)
{
    const struct split *s = split_of(pane->wb);

    return s->phase == SPLIT_STEP && s->due[pane_index(pane)];
}

/* --- rounds of requests ----------------------------------------------------------------------- */

void split_round(struct workbench *wb, enum split_phase phase)
{
    struct split *s = split_of(wb);

    s->phase = phase;
    s->round++;
    s->asked = ca_now();
    for (int i = 0; i < 2; i++) {
        json_decref(s->answer[i]);
        s->answer[i] = NULL;
        s->due[i] = false;
    }
}

void split_send(struct workbench *wb, int side, const char *op, json_t *body, const void *bytes,
                size_t count)
{
    struct pending *pending = session_try(&wb->panes[side], op, body, bytes, count, split_taken);

    if (!pending)
        return;
    pending->generation = (uint64_t)split_of(wb)->round;
    wb->panes[side].keep_saved_state = false;
    split_of(wb)->due[side] = true;
}

void split_ask_both(struct workbench *wb, enum split_phase phase, const char *op, json_t *body)
{
    split_round(wb, phase);
    for (int i = 0; i < 2; i++)
        split_send(wb, i, op, json_deep_copy(body), NULL, 0);
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
    if (ca_experiment_differs(a, b, CA_MAKES_RUN) != CA_KEY_COUNT)
        return "the starts differ";
    if (a->backend != b->backend && (a->backend->tolerance > 0 || b->backend->tolerance > 0))
        return "they agree within a tolerance only, which `calab run -b A,B` checks";
    return NULL;
}

/* Forgets the comparison of the two, which is of no use any more. */
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
    forget(split_of(wb));
    split_of(wb)->call = 1;
    split_of(wb)->step_s = 0;
    split_of(wb)->pause_first = split_of(wb)->running && !split_of(wb)->hidden;
    ratio_restart(wb);
    if (split_of(wb)->phase >= SPLIT_GATHER)
        split_round(wb, SPLIT_GATHER);
    else if (session_is_opening(&wb->panes[0])) /* and not the state that goes to B */
        split_round(wb, SPLIT_PART);
}

static void split_compare(struct workbench *wb)
{
    struct split *s = split_of(wb);
    uint64_t generation = session_generation(&wb->panes[0]);
    const char *hash[2];

    for (int i = 0; i < 2; i++)
        hash[i] = ca_json_member(s->answer[i], "hash");
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
    const struct split *s = split_of(wb);

    return split_is_open(wb) &&
           (s->running || s->wanted > 0 || s->phase == SPLIT_STEP || s->find == FIND_UNDER_WAY ||
            (s->phase == SPLIT_PART && session_busy(&wb->panes[0])));
}

static bool may_go_on(struct workbench *wb)
{
    if (split_of(wb)->differs)
        message_show(wb,
                     "A and B differ: %s returns to generation 0, %s or %s choose another backend",
                     wb->keys.keys[REQUEST_RESET], wb->keys.keys[REQUEST_BACKEND],
                     wb->keys.keys[REQUEST_PREVIOUS_BACKEND]);
    return !split_of(wb)->differs;
}

void split_run(struct workbench *wb)
{
    split_of(wb)->running = may_go_on(wb);
    split_of(wb)->pause_first = false;
    split_of(wb)->next = 0;
    wb->dirty = true;
}

void split_stop(struct workbench *wb)
{
    if (split_of(wb)->find == FIND_UNDER_WAY)
        split_of(wb)->find = FIND_STOPPED;
    if (split_of(wb)->phase == SPLIT_PART) /* A still does what it was asked for before */
        session_stop(&wb->panes[0]);
    split_of(wb)->running = false;
    split_of(wb)->wanted = 0;
    wb->dirty = true;
}

void split_step(struct workbench *wb, uint64_t generations)
{
    split_of(wb)->running = false;
    if (may_go_on(wb))
        split_of(wb)->wanted += generations;
    split_of(wb)->next = 0;
    wb->dirty = true;
}

void split_reset(struct workbench *wb)
{
    struct split *s = split_of(wb);

    s->home = 0;
    split_stop(wb);
    forget(s);
    if (s->phase < SPLIT_GATHER) { /* B does not run yet */
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
    uint64_t at = session_generation(&wb->panes[0]);

    if (generation < at || split_of(wb)->differs) {
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
    const struct split *s = split_of(wb);
    double speed = speed_of(wb), most, n;
    double frame = s->wanted > 0 ? (double)s->wanted : fmax(speed, 1);

    if (s->step_s <= 0)
        return 1;
    if (s->wanted == 0 && speed <= 0) {
        if (s->step_s * (double)s->call * 4 < UNPACED_S)
            return s->call * 2;
        return s->step_s * (double)s->call > CALL_S && s->call > 1 ? s->call / 2 : s->call;
    }
    most = fmax(1, floor(CALL_S / s->step_s));
    most = fmin(most, 2 * (double)s->call);
    n = ceil(frame / ceil(frame / most));
    return s->wanted > 0 && n > (double)s->wanted ? s->wanted : (uint64_t)n;
}

/* The next call, or the mark before it, which does not change its length. */
static void ask_step(struct workbench *wb, double now)
{
    struct split *s = split_of(wb);
    uint64_t n = s->chosen ? s->chosen : next_call(wb);
    double speed = speed_of(wb), frames;

    if (s->wanted > 0 && n > s->wanted)
        n = s->wanted;
    /* A mark is due so that a search never goes back far, and over calls of one length only. */
    if (!split_incomparable(wb) && !s->no_mark[0] &&
        (!s->marked || s->mark_calls >= MARK_CALLS || n != s->call)) {
        s->call = s->chosen = n;
        split_ask_both(wb, SPLIT_MARK, "mark", NULL);
        return;
    }
    s->call = n;
    s->chosen = 0;
    frames = speed >= 1 ? (double)n / speed : speed > 0 ? 1 / speed : 0;
    s->mark_calls++;
    /* A late call moves the deadlines of those after it: what was missed is not made up for. */
    if (s->wanted > 0)
        s->next = now;
    else
        s->next = fmax(now, s->next + frames / setting_number(wb, CA_SETTING_FPS));
    split_ask_both(wb, SPLIT_STEP, "step",
                   json_pack("{s:I,s:b,s:b}", "n", (json_int_t)n, "hash", !split_incomparable(wb),
                             "frame", 1));
}

/* --- replies ---------------------------------------------------------------------------------- */

static void answered(struct workbench *wb)
{
    struct split *s = split_of(wb);
    enum split_phase phase = s->phase;
    double now = ca_now();

    s->phase = SPLIT_READY;
    if (phase != SPLIT_BURST || now - s->shown_s >= SHOWN_S) {
        wb->dirty = true;
        s->shown_s = now;
    }
    switch (phase) {
    case SPLIT_SAVE:
        session_open(&wb->panes[1], &wb->panes[1].experiment, session_generation(&wb->panes[0]),
                     s->state_path);
        s->phase = SPLIT_GATHER;
        break;
    case SPLIT_SEND:
        state_go_on(wb);
        break;
    case SPLIT_HASH:
        split_compare(wb);
        break;
    case SPLIT_MARK:
        s->marked = s->kept = true;
        s->mark = session_generation(&wb->panes[0]);
        s->mark_calls = 0;
        break;
    case SPLIT_STEP:
        s->wanted -= s->wanted > s->call ? s->call : s->wanted;
        if (session_generation(&wb->panes[0]) >= s->home)
            s->home = 0;
        s->step_s = (now - s->asked) / (double)s->call;
        for (int i = 0; i < 2; i++)
            frame_show(&wb->panes[i]);
        split_compare(wb);
        if (!split_busy(wb)) /* a frame with the observables of the last generation */
            session_view(&wb->panes[0]);
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
    struct split *s = split_of(wb);
    enum split_phase phase = s->phase;
    const char letter = (char)('A' + side);

    split_round(wb, SPLIT_READY);
    wb->dirty = true;
    switch (phase) {
    case SPLIT_SAVE:
    case SPLIT_SEND:
        message_warn(wb, "the state of A cannot be handed to B: %s", error);
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
        message_warn(wb, "%s", s->trouble);
    }
}

void split_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    struct workbench *wb = pane->wb;
    struct split *s = split_of(wb);
    int side = pane_index(pane);

    if (json)
        generation_take(pane, json);
    if (pending->generation != (uint64_t)s->round || !s->due[side])
        return;
    s->due[side] = false;
    if (!json) {
        refused(wb, side, pending->refusal->text);
        return;
    }
    if (pending->reply->bytes > 0 && !state_keep(wb, pending->reply)) {
        refused(wb, side, "no memory");
        return;
    }
    s->answer[side] = json_deep_copy(json);
    if (!s->due[1 - side])
        answered(wb);
}

/* --- what is due --------------------------------------------------------------------------- */

static double split_tick(struct workbench *wb, double now)
{
    struct split *s = split_of(wb);

    split_follow_drawn(wb);
    if (s->phase == SPLIT_PART && split_is_idle(&wb->panes[0]))
        split_begin(wb);
    if (s->phase == SPLIT_MEET)
        state_meet(wb);
    if (s->phase == SPLIT_GATHER)
        split_gather(wb);
    if (s->phase != SPLIT_READY)
        return -1;
    if (!split_is_idle(&wb->panes[0]) || !split_is_idle(&wb->panes[1])) {
        s->phase = SPLIT_GATHER; /* something was changed from outside */
        return -1;
    }
    for (int i = 0; wb->parts[i]; i++)
        if (wb->parts[i]->is_alone && wb->parts[i]->is_alone(wb))
            return -1;
    if (s->trouble[0] || s->differs) {
        find_ask(wb);
        return -1;
    }
    if (!s->measured && !s->hidden && s->kept && s->mark != session_generation(&wb->panes[0]) &&
        (!split_busy(wb) || s->pause_first)) {
        split_ask_both(wb, SPLIT_MARK, "mark", NULL); /* a burst begins at the kept state */
        return -1;
    }
    /* Drawing would take a core from the burst: what is due is drawn first. */
    if (!s->hidden && !wb->dirty && (!split_busy(wb) || s->pause_first) && ratio_ask(wb))
        return -1;
    s->pause_first = false;
    if (!split_busy(wb))
        return -1;
    if (now < s->next)
        return s->next - now;
    ask_step(wb, now);
    return -1;
}

const struct part split_part = {
    .name = "split", .state_bytes = sizeof(struct split), .tick = split_tick, .end = split_end};
