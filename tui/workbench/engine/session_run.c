/* SPDX-License-Identifier: MIT */
/* The session opens or changes the experiment that an engine runs, takes what the engine has made
 * of it, and asks for the list of what it could run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/experiment_json.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/rebuild.h"
#include "tui/workbench/engine/session_inside.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"

/* --- what the engine says of it --------------------------------------------------------------- */

/* Takes what the engine made of the experiment: the backend that was chosen, tuned options, the
 * plan. */
static void take_experiment(struct pane *pane, const json_t *json)
{
    const char *report = ca_json_member(json_object_get(json, "report"), "text");

    ca_experiment_take_reply(&pane->experiment, json_object_get(json, "experiment"));
    snprintf(pane->report, sizeof pane->report, "%s", report ? report : "");
    device_take_others(pane, json);
}

/* --- opening ---------------------------------------------------------------------------------- */

static void opened(struct pane *pane, struct pending *pending, const json_t *json)
{
    struct session *s = session_of(pane);
    struct ca_size before = pane->experiment.size;

    if (pending->wanted)
        pane->experiment = *pending->wanted;
    take_experiment(pane, json);
    pane->opened = s->open = true;
    cursor_edits(pane, false);
    undo_forget(pane);
    pane->from_state = pending->path[0] != 0 || json_is_true(json_object_get(json, "kept"));
    pane->modified = json_is_true(json_object_get(json, "steered"));
    s->running = false;
    s->run_requested =
        session_waits_for(pane, run_taken); /* if the user has pressed run meanwhile */
    s->generation = pending->generation;
    generation_take(pane, json);
    checkpoint_opened(pane, s->generation, pending->path);
    device_wanted(pane);
    run_begins(pane, s->crash_reason[0] && pane->from_state);
    if (s->crash_reason[0]) {
        alarm_raise(pane->wb, "%s; restarted at generation %llu%s", s->crash_reason,
                    (unsigned long long)s->generation, s->crash_log);
        s->crash_reason[0] = 0;
    }
    /* The view of an experiment that comes is its own; in a run of another size it is of the
     * middle. */
    if (pending->arrives) {
        view_open(pane, &pane->experiment); /* the lattice before may have cut it */
        initial_view_print(pane);
    } else if (!ca_size_equal(before, pane->experiment.size)) {
        view_middle(pane);
    }
    view_seek(pane);
    view_changed(pane);
    settings_save_soon(pane->wb);
    if (pending->edition)
        rebuild_opened(pane, json);
}

/*
 * If the GPU of a saved or restarted run cannot be used, the run continues on the CPU; if a saved
 * backend cannot hold the lattice or needs another CPU, with the fastest one that can run.
 */
static bool open_elsewhere(struct pane *pane, const struct pending *pending,
                           const struct ca_error *error)
{
    struct ca_experiment *wanted = pending->wanted;
    const struct ca_backend *any, *other;

    if (session_of(pane)->open || !wanted)
        return false;
    any = ca_backend_auto(wanted->model);
    if (wanted->backend->device == CA_CUDA &&
        (error->status == CA_NO_DEVICE || error->status == CA_NO_MEMORY ||
         error->status == CA_CUDA_FAILED))
        other = any + 1; /* cpu */
    else if ((error->status == CA_USAGE || error->status == CA_NO_DEVICE) &&
             wanted->origin[CA_KEY_BACKEND] == CA_FROM_SETTINGS)
        other = any;
    else
        return false;
    if (other == wanted->backend)
        return false;
    alarm_raise(pane->wb, "backend %s cannot run: %.300s; continuing with the fastest %s",
                wanted->backend->name, error->text, other == any ? "here" : "on the CPU");
    ca_experiment_backend(wanted, other, CA_BUILT_IN);
    pane->experiment = *wanted; /* an engine that is restarted now opens this one */
    pane->arriving = pending->arrives;
    session_open(pane, wanted, pending->generation, pending->path);
    return true;
}

/* If a saved state cannot be opened, the experiment starts at generation 0; if that fails too, no
 * simulation is left. */
void open_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    const struct ca_error *error = pending->refusal;

    if (json) {
        opened(pane, pending, json);
        return;
    }
    if (pane_index(pane) > 0 && !session_of(pane)->open) {
        split_refused_open(pane, error->text);
        return;
    }
    if (open_elsewhere(pane, pending, error))
        return;
    message_warn(pane->wb, "%s", error->text);
    if (pending->path[0] && pending->wanted) {
        checkpoint_forget(pane);
        pane->arriving = pending->arrives;
        session_open(pane, pending->wanted, 0, NULL);
        return;
    }
    if (pending->arrives && session_of(pane)->open) /* the run before goes on as it was shown */
        initial_view_take(pane, &pane->experiment);
    if (!session_of(pane)->open && pending->wanted) {
        pane->experiment = *pending->wanted;
        pane->opened = false;
    }
}

static struct ca_experiment *copy_of(const struct ca_experiment *experiment)
{
    struct ca_experiment *copy = malloc(sizeof *copy);

    if (copy)
        *copy = *experiment;
    return copy;
}

static void open_with(struct pane *pane, const struct ca_experiment *wanted, uint64_t generation,
                      const char *state, bool edition, bool keep_cells)
{
    json_t *body = ca_experiment_request(wanted);
    const struct ca_model_source *source = wanted->model->source;
    bool keep = pane->keep_saved_state; /* whoever opens decides that */
    struct pending *pending;

    if (state && state[0]) {
        json_object_set_new(body, "generation", json_integer((json_int_t)generation));
        json_object_set_new(body, "state", json_string(state));
    }
    if (keep_cells)
        json_object_set_new(body, "keep", json_true());
    session_of(pane)->steps_wanted = 0;
    pending = session_try(pane, "open", body, source ? source->text : NULL,
                          source ? source->size : 0, open_taken);
    pane->keep_saved_state = keep;
    if (!pending)
        return;
    pending->edition = edition;
    pending->arrives = pane->arriving;
    pane->arriving = false;
    pending->wanted = copy_of(wanted);
    pending->generation = state && state[0] ? generation : 0;
    snprintf(pending->path, sizeof pending->path, "%s", state ? state : "");
}

void session_open(struct pane *pane, const struct ca_experiment *wanted, uint64_t generation,
                  const char *state)
{
    open_with(pane, wanted, generation, state, false, false);
}

void session_open_edition(struct pane *pane, const struct ca_experiment *wanted, bool keep)
{
    open_with(pane, wanted, 0, NULL, true, keep);
}

bool session_is_opening(const struct pane *pane) { return session_waits_for(pane, open_taken); }

/* --- changing --------------------------------------------------------------------------------- */

/* Counts the values that differ, and makes *first the first of all of them. */
static int differences(const struct ca_values *a, const struct ca_values *b,
                       const struct ca_param **first)
{
    int count = 0;

    for (int i = 0; i < a->count && i < b->count; i++)
        if (!ca_value_equal(&a->value[i], &b->value[i])) {
            *first = *first ? *first : &a->table[i];
            count++;
        }
    return count;
}

static take_reply change_taken;

bool session_is_changing(const struct pane *pane) { return session_waits_for(pane, change_taken); }

static void change_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    const struct ca_experiment *wanted = pending->wanted;
    const struct ca_backend *before = pane->experiment.backend;
    char device[CA_DEVICE_LABEL], label[CA_DEVICE_LABEL];
    const struct ca_param *param = NULL;
    int count;

    if (!wanted)
        return;
    ca_device_label(device, &pane->experiment.options);
    ca_device_label(label, &wanted->options);
    count = differences(&pane->experiment.params, &wanted->params, &param);
    if (before == wanted->backend)
        count += differences(&pane->experiment.options, &wanted->options, &param);
    if (before != wanted->backend) {
        message_show(pane->wb, "backend %s", wanted->backend->name);
        pane->previous_backend = before;
        memcpy(pane->previous_host, pane->host, sizeof pane->host);
    } else if (strcmp(device, label) != 0) {
        message_show(pane->wb, "%s", label);
    } else if (split_is_open(pane->wb) &&
               session_is_changing(&pane->wb->panes[1 - pane_index(pane)])) {
        /* In a split both are changed: the later one says it, and covers nothing that comes next.
         */
    } else if (count > 1) {
        message_show(pane->wb, "%d values changed", count);
    } else {
        message_show(pane->wb, "%s changed%s", param ? param->name : "nothing",
                     param && param->initial ? "; it affects the initial state after the next reset"
                                             : "");
    }
    if (before != wanted->backend || strcmp(device, label) != 0) {
        figures_renew(pane, before->name);
        device_wanted(pane);
    }
    undo_change(pane, ca_values_equal(&pane->experiment.params, &wanted->params));
    pane->modified = json_is_true(json_object_get(json, "steered"));
    pane->experiment = *wanted;
    take_experiment(pane, json);
    split_restart(pane->wb);
    generation_take(pane, json);
    settings_save_soon(pane->wb);
}

void session_change(struct pane *pane, const struct ca_experiment *wanted)
{
    struct pending *pending;

    if (!session_is_open(pane)) {
        session_open(pane, wanted, 0, NULL);
        return;
    }
    pending = session_send(pane, "change", ca_experiment_request(wanted), change_taken);
    if (pending)
        pending->wanted = copy_of(wanted);
}

/* --- running ---------------------------------------------------------------------------------- */

/* --- replies ---------------------------------------------------------------------------------- */

void generation_take(struct pane *pane, const json_t *json)
{
    uint64_t generation = session_of(pane)->generation;

    ca_wire_generation(json, &generation);
    if (session_of(pane)->generation != generation)
        pane->wb->dirty = true;
    session_of(pane)->generation = generation;
}

void run_begins(struct pane *pane, bool goes_on)
{
    observed_begin(pane, goes_on);
    figures_begin(pane);
}

static void step_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    (void)pending;
    generation_take(pane, json);
}

static void stop_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    step_taken(pane, pending, json);
    session_of(pane)->running = false;
}

void run_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    if (!json) {
        session_of(pane)->run_requested = false;
        message_warn(pane->wb, "%s", pending->refusal->text);
    }
    session_of(pane)->running = session_of(pane)->run_requested;
}

static void seek_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    uint64_t before = session_of(pane)->generation;

    step_taken(pane, pending, json);
    /* An earlier generation is recomputed, by other parameters than those that led here. */
    observed_rewind(pane, pane->modified && session_of(pane)->generation < before);
}

void reset_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    step_taken(pane, pending, json);
    run_begins(pane, false);
    pane->modified = pane->from_state = false;
    checkpoint_forget(pane);
}

static void save_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    uint64_t generation = session_of(pane)->generation;

    ca_wire_generation(json, &generation);
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
    session_try(pane, "run", pace, NULL, 0, run_taken);
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
