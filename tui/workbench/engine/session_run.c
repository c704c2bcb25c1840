/* SPDX-License-Identifier: MIT */
/* The run of an engine: it goes on, stops, steps, goes to a generation, begins anew, is saved. */
#include <math.h>
#include <string.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/figures.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/observed.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_inside.h"

/* --- replies ---------------------------------------------------------------------------------- */

void generation_take(struct pane *pane, const json_t *json)
{
    uint64_t generation = session_of(pane)->generation;

    ca_wire_generation(json, &generation);
    if (session_of(pane)->generation != generation)
        pane->wb->dirty = true;
    session_of(pane)->generation = generation;
}

/* The observations are forgotten, but for the history of a run that goes on after a crash. */
void run_begins(struct pane *pane, bool goes_on)
{
    observed_begin(pane, goes_on);
    figures_begin(pane);
}

/* The reply to a step or a stop has the generation alone. */
static void step_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                       const struct ca_error *refusal)
{
    (void)pending;
    if (refusal)
        message_warn(pane->wb, "%s", refusal->text);
    else
        generation_take(pane, reply->json);
}

static void stop_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                       const struct ca_error *refusal)
{
    step_taken(pane, pending, reply, refusal);
    if (!refusal)
        session_of(pane)->running = false;
}

void run_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
               const struct ca_error *refusal)
{
    (void)pending, (void)reply;
    if (refusal) {
        session_of(pane)->run_requested = false;
        message_warn(pane->wb, "%s", refusal->text);
    }
    session_of(pane)->running = session_of(pane)->run_requested;
}

static void seek_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                       const struct ca_error *refusal)
{
    uint64_t before = session_of(pane)->generation;

    step_taken(pane, pending, reply, refusal);
    if (refusal)
        return;
    /* An earlier generation is recomputed, by other parameters than those that led here. */
    observed_rewind(pane, pane->modified && session_of(pane)->generation < before);
}

void reset_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                 const struct ca_error *refusal)
{
    step_taken(pane, pending, reply, refusal);
    if (refusal)
        return;
    run_begins(pane, false);
    pane->modified = pane->from_state = false;
    checkpoint_forget(pane);
}

static void save_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                       const struct ca_error *refusal)
{
    uint64_t generation = session_of(pane)->generation;

    if (refusal) {
        message_warn(pane->wb, "%s", refusal->text);
        return;
    }
    ca_wire_generation(reply->json, &generation);
    message_show(pane->wb, "wrote %s, generation %llu", pending->path,
                 (unsigned long long)generation);
}

/* --- requests --------------------------------------------------------------------------------- */

bool session_busy(const struct pane *pane)
{
    return session_of(pane)->running || session_of(pane)->steps_wanted > 0 ||
           session_waits_for(pane, step_taken) || session_waits_for(pane, seek_taken);
}

void session_run(struct pane *pane)
{
    const struct workbench *wb = pane->wb;
    double speed = speed_of(pane->wb), per_frame = speed > 1 ? round(speed) : speed;
    json_t *pace = per_frame > 0 ? json_pack("{s:f, s:f}", "per_frame", per_frame, "fps",
                                             setting_number(wb, CA_SETTING_FPS))
                                 : json_object();

    if (!session_is_open(pane)) {
        json_decref(pace);
        return;
    }
    session_send(pane, "run", pace, run_taken);
    session_of(pane)->pace = per_frame;
    session_of(pane)->run_requested = true;
}

void session_stop(struct pane *pane)
{
    session_of(pane)->steps_wanted = 0;
    session_of(pane)->run_requested = false;
    session_send(pane, "stop", NULL, stop_taken);
}

void session_step(struct pane *pane, uint64_t n)
{
    struct session *s = session_of(pane);

    if (!session_require(pane))
        return;
    if (s->run_requested)
        session_stop(pane);
    /* If a key repeats faster than the engine steps, the steps are added up instead of queued. */
    if (session_waits_for(pane, step_taken)) {
        s->steps_wanted += n;
        return;
    }
    session_send(pane, "step", json_pack("{s:I}", "n", (json_int_t)n), step_taken);
}

/* Steps that were asked for while others were under way. */
static double steps_tick(struct pane *pane, double now)
{
    uint64_t n = session_of(pane)->steps_wanted;

    (void)now;
    if (n == 0 || session_waits_for(pane, step_taken))
        return -1;
    session_of(pane)->steps_wanted = 0;
    session_step(pane, n);
    return -1;
}

void session_reset(struct pane *pane)
{
    if (!session_is_open(pane)) {
        session_open(pane, &pane->experiment, 0, NULL);
        return;
    }
    session_stop(pane);
    session_send(pane, "reset", NULL, reset_taken);
}

void session_seek(struct pane *pane, uint64_t generation)
{
    if (!session_require(pane))
        return;
    if (session_of(pane)->run_requested)
        session_stop(pane);
    if (generation < session_of(pane)->generation) /* from the start, with the present parameters */
        pane->modified = pane->from_state = false;
    session_send(pane, "seek", json_pack("{s:I}", "generation", (json_int_t)generation),
                 seek_taken);
}

void session_save(struct pane *pane, const char *path)
{
    struct pending *pending =
        session_send(pane, "save", json_pack("{s:s}", "file", path), save_taken);

    if (pending)
        snprintf(pending->path, sizeof pending->path, "%s", path);
}

const struct part steps_part = {.name = "steps", .tick_pane = steps_tick};
