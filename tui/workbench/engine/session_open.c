/* SPDX-License-Identifier: MIT */
/* The session opens or changes the experiment that an engine runs, takes what the engine has made
 * of it, and asks for the list of what it could run. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/engine/experiment_json.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/device_facts.h"
#include "tui/workbench/engine/figures.h"
#include "tui/workbench/engine/lockstep.h"
#include "tui/workbench/engine/initial_view.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_inside.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/undo.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/terminal/layout.h"

/* --- what the engine says of it --------------------------------------------------------------- */

/* Takes what the engine made of the experiment: the backend that was chosen, tuned options, the
 * plan. */
static void take_experiment(struct pane *pane, const json_t *json)
{
    const char *report = ca_wire_text(json_object_get(json, "report"), "text");

    ca_experiment_take_reply(&pane->experiment, json_object_get(json, "experiment"));
    snprintf(pane->report, sizeof pane->report, "%s", report ? report : "");
    device_take_others(pane, json);
}

/* --- opening ---------------------------------------------------------------------------------- */

/* The view of an experiment that comes is its own; in a run of another size it is of the middle. */
static void show_opened(struct pane *pane, const struct pending *pending, struct ca_size before)
{
    if (pending->arrives) {
        view_open(pane, &pane->experiment); /* the lattice before may have cut it */
        initial_view_print(pane);
    } else if (!ca_size_equal(before, pane->experiment.size)) {
        view_middle(pane);
    }
    view_changed(pane);
}

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
    pane->from_state = pending->path[0] != 0;
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
    show_opened(pane, pending, before);
    settings_save_soon(pane->wb);
}

/* Whether an error says that the device is absent or lost, or has too little memory. */
static bool is_device_error(const struct ca_error *error)
{
    return error->status == CA_NO_DEVICE || error->status == CA_NO_MEMORY ||
           error->status == CA_CUDA_FAILED;
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
    if (is_device_error(error) && wanted->backend->device == CA_CUDA)
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
static void open_failed(struct pane *pane, struct pending *pending, const struct ca_error *error)
{
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

void open_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                const struct ca_error *refusal)
{
    if (refusal)
        open_failed(pane, pending, refusal);
    else
        opened(pane, pending, reply->json);
}

static struct ca_experiment *copy_of(const struct ca_experiment *experiment)
{
    struct ca_experiment *copy = malloc(sizeof *copy);

    if (copy)
        *copy = *experiment;
    return copy;
}

void session_open(struct pane *pane, const struct ca_experiment *wanted, uint64_t generation,
                  const char *state)
{
    json_t *body = ca_experiment_request(wanted);
    bool keep = pane->keep_saved_state; /* whoever opens decides that */
    struct pending *pending;

    if (state && state[0]) {
        json_object_set_new(body, "generation", json_integer((json_int_t)generation));
        json_object_set_new(body, "state", json_string(state));
    }
    session_of(pane)->steps_wanted = 0;
    pending = session_send(pane, "open", body, open_taken);
    pane->keep_saved_state = keep;
    if (!pending)
        return;
    pending->arrives = pane->arriving;
    pane->arriving = false;
    pending->wanted = copy_of(wanted);
    pending->generation = state && state[0] ? generation : 0;
    snprintf(pending->path, sizeof pending->path, "%s", state ? state : "");
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

static void change_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                         const struct ca_error *refusal);

bool session_is_changing(const struct pane *pane) { return session_waits_for(pane, change_taken); }

static bool other_is_changing(const struct pane *pane)
{
    return split_is_open(pane->wb) && session_is_changing(&pane->wb->panes[1 - pane_index(pane)]);
}

static void changed(struct pane *pane, const struct pending *pending, const json_t *json)
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
    } else if (other_is_changing(pane)) {
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

static void change_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                         const struct ca_error *refusal)
{
    if (refusal)
        message_warn(pane->wb, "%s", refusal->text);
    else
        changed(pane, pending, reply->json);
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
