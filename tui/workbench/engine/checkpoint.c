/* SPDX-License-Identifier: MIT */
/* This file writes states into the state folder: the checkpoint of this process, from which a
 * restarted engine continues, and the saved state of each model, from which the next start
 * continues. Each is a file that says of which run and generation it is (core/files/h5_file.h), and
 * is replaced as a whole. */
#include "tui/workbench/engine/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "tui/workbench/base/leftovers.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"

#define EVERY_S 5.0              /* between checkpoints of a running simulation */
#define SETTLE_S 1.0             /* after a single step */
#define SHARE 0.01               /* of the time that checkpoints may take at most */
#define CHECKPOINT_MIB_MAX 256.0 /* larger states have no checkpoints */
#define SAVED_MIB_MAX 1024.0
#define CHECKPOINT "checkpoint.h5"

/* The last state that an engine can be restarted from. */
struct good {
    uint64_t generation;
    uint64_t edits;         /* what `edits` was */
    char path[CA_TEXT_MAX]; /* "": generation 0, initialised again */
};

struct checkpoints {
    struct good good;
    uint64_t edits;               /* how often the state was changed other than by steps */
    double last;                  /* time of the last request */
    double cost;                  /* seconds that the last one took */
    char save_error[CA_TEXT_MAX]; /* why the state could not be saved, "" */
};

extern const struct part checkpoint_part;

static struct checkpoints *checkpoints_of(const struct pane *pane)
{
    return pane_state(pane, &checkpoint_part);
}

static double state_mib(const struct pane *pane)
{
    const struct ca_model *model = pane->experiment.model;

    return (double)ca_cells(pane->experiment.size) * model->planes *
           (double)ca_type_bytes(model->type) / 1048576.0;
}

bool checkpoint_is_cheap(const struct pane *pane) { return state_mib(pane) <= CHECKPOINT_MIB_MAX; }

/* Files may describe models of one name, so the digest of their text is part of the path. */
static char *saved_path(char path[CA_TEXT_MAX], const struct ca_model *model)
{
    char name[128];

    if (model->source)
        snprintf(name, sizeof name, "%.80s-%016" PRIx64 ".h5", model->name, model->source->digest);
    else
        snprintf(name, sizeof name, "%.80s.h5", model->name);
    return state_file(path, name);
}

static void save_to(struct pane *pane, const char *path, take_reply *take)
{
    struct pending *pending =
        session_try(pane, "save", json_pack("{s:s}", "file", path), NULL, 0, take);

    if (pending) {
        snprintf(pending->path, sizeof pending->path, "%s", path);
        pending->generation = session_generation(pane);
        pending->edits = checkpoints_of(pane)->edits;
    }
}

/* An engine can be restarted from what it has saved. */
static void saved(struct pane *pane, const struct pending *pending, const json_t *json)
{
    struct checkpoints *c = checkpoints_of(pane);
    uint64_t at = pending->generation;

    ca_wire_generation(json, &at);
    c->good.generation = at;
    c->good.edits = pending->edits;
    snprintf(c->good.path, sizeof c->good.path, "%s", pending->path);
    c->last = ca_now();
    c->cost = c->last - pending->sent;
}

/* After a refusal, for example by a full disk, there is another one in a minute. */
static void checkpoint_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    if (json)
        saved(pane, pending, json);
    else
        checkpoints_of(pane)->last = ca_now() + 60;
}

static double checkpoint_tick(struct pane *pane, double now)
{
    struct checkpoints *c = checkpoints_of(pane);
    double wait = session_running(pane) ? EVERY_S : SETTLE_S, due;
    char path[CA_TEXT_MAX];
    struct ca_error error;
    bool writable = false;

    if (pane_index(pane) > 0) /* B ends when its engine does */
        return -1;
    if (!session_has_run(pane) ||
        (session_generation(pane) == c->good.generation && c->edits == c->good.edits) ||
        !checkpoint_is_cheap(pane))
        return -1;
    if (!session_is_here(pane)) /* its files are not this machine's */
        return -1;
    if (observed_is_broken(pane)) /* do not restart from a wrong state */
        return -1;
    if (session_waits_for(pane, checkpoint_taken) || (!session_running(pane) && session_busy(pane)))
        return -1;
    if (wait < c->cost / SHARE)
        wait = c->cost / SHARE;
    due = c->last + wait;
    if (now < due)
        return due - now;
    if (!own_file(pane->wb, path, CHECKPOINT)[0])
        ca_error_set(&error, CA_IO, "there is no state folder");
    else if (ca_file_parents(path, &error) == CA_OK && ca_file_writable(path, &error) == CA_OK)
        writable = true;
    if (!writable) {
        alarm_raise(pane->wb, "%s; checkpointing is disabled: the state will be lost on a crash",
                    error.text);
        c->last = now + 3600;
        return -1;
    }
    c->last = now;
    save_to(pane, path, checkpoint_taken);
    return -1;
}

void checkpoint_opened(struct pane *pane, uint64_t generation, const char *path)
{
    struct checkpoints *c = checkpoints_of(pane);

    c->good.generation = generation;
    if (c->good.path != path)
        snprintf(c->good.path, sizeof c->good.path, "%s", path);
    c->last = ca_now();
}

void checkpoint_at_once(struct pane *pane)
{
    char path[CA_TEXT_MAX];
    struct ca_error ignored; /* it is said of the next one */

    if (pane_index(pane) > 0 || !checkpoint_is_cheap(pane) || !session_is_here(pane) ||
        !own_file(pane->wb, path, CHECKPOINT)[0] || ca_file_parents(path, &ignored) != CA_OK)
        return;
    checkpoints_of(pane)->last = ca_now();
    save_to(pane, path, checkpoint_taken);
}

void checkpoint_begin_with(struct pane *pane, uint64_t generation, const char *path)
{
    struct checkpoints *c = checkpoints_of(pane);

    c->good = (struct good){.generation = generation, .edits = c->edits};
    snprintf(c->good.path, sizeof c->good.path, "%s", path);
}

uint64_t checkpoint_last(const struct pane *pane, char path[CA_TEXT_MAX])
{
    const struct checkpoints *c = checkpoints_of(pane);

    memcpy(path, c->good.path, sizeof c->good.path);
    return c->good.generation;
}

void checkpoint_edited(struct pane *pane) { checkpoints_of(pane)->edits++; }

void checkpoint_forget(struct pane *pane)
{
    char path[CA_TEXT_MAX];

    if (checkpoints_of(pane)->good.path[0] && own_file(pane->wb, path, CHECKPOINT)[0])
        unlink(path);
    checkpoints_of(pane)->good = (struct good){.edits = checkpoints_of(pane)->edits};
    checkpoints_of(pane)->last = ca_now();
}

/* --- the saved state, from which the next start continues ------------------------------------- */

static void state_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    if (json)
        saved(pane, pending, json);
    snprintf(checkpoints_of(pane)->save_error, sizeof checkpoints_of(pane)->save_error, "%.500s",
             json ? "" : pending->refusal->text);
}

/* Handles messages until the state is saved, the engine has ended or the time is up. */
static void wait_for_save(struct pane *pane, double seconds)
{
    double end = ca_now() + seconds;

    while (session_client(pane) && session_waits_for(pane, state_taken)) {
        struct pollfd fds[PANE_FDS];
        int count = client_poll(session_client(pane), fds);
        double left = end - ca_now();
        pid_t pid = ca_client_pid(session_client(pane));

        if (left <= 0)
            return;
        poll(fds, (nfds_t)count, (int)(left * 1000) + 1);
        for (int i = 0; i < count; i++)
            if (fds[i].revents)
                pane_serve(pane, &fds[i]);
        if (!session_client(pane) || ca_client_pid(session_client(pane)) != pid)
            return;
    }
}

/* The last checkpoint takes the place of a state that cannot be saved. Whether there is one: its
 * engine may have stopped before it could say so. */
static enum ca_status cannot_save(struct pane *pane, const char *path, struct ca_error *error)
{
    const char *cause = checkpoints_of(pane)->save_error;
    struct ca_state_run run;
    struct ca_error ignored;
    char own[CA_TEXT_MAX];

    if (!own_file(pane->wb, own, CHECKPOINT)[0] || ca_state_run(own, &run, &ignored) != CA_OK ||
        !ca_file_replace(own, path))
        return ca_fail(error, CA_IO, "the state could not be saved: %.400s", cause);
    return ca_fail(error, CA_IO,
                   "the state could not be saved: %.400s; kept is that of generation %llu", cause,
                   (unsigned long long)run.generation);
}

enum ca_status checkpoint_save_state(struct pane *pane, double seconds, struct ca_error *error)
{
    struct checkpoints *c = checkpoints_of(pane);
    char path[CA_TEXT_MAX];
    struct ca_error cause;

    workbench_remember(pane);
    if (!pane->opened || pane_is_of_lab(pane) || pane->host[0] ||
        (session_client(pane) && !session_is_here(pane)) || pane->keep_saved_state ||
        !saved_path(path, pane->experiment.model)[0])
        return CA_OK;
    ca_settings_claim_run(pane->wb->settings, pane->experiment.model);
    if (!setting_on(pane->wb, CA_SETTING_RESUME) ||
        (session_has_run(pane) && !session_busy(pane) && !pane->modified &&
         session_generation(pane) == pane->experiment.generation)) {
        unlink(path); /* the next start begins the run anew, or is at its begin */
        return CA_OK;
    }
    snprintf(c->save_error, sizeof c->save_error, "the engine does not answer");
    if (session_busy(pane))
        session_stop(pane); /* its reply brings the final generation */
    if (!session_has_run(pane)) {
        if (!c->good.path[0])
            return CA_OK;
        snprintf(c->save_error, sizeof c->save_error, "the engine is not running");
    } else if (state_mib(pane) > SAVED_MIB_MAX) {
        return CA_OK;
    } else if (ca_file_parents(path, &cause) != CA_OK) {
        snprintf(c->save_error, sizeof c->save_error, "%.500s", cause.text);
    } else if (silence_of(pane) != SILENCE_HUNG) {
        save_to(pane, path, state_taken);
        wait_for_save(pane, seconds);
    }
    return c->save_error[0] ? cannot_save(pane, path, error) : CA_OK;
}

bool checkpoint_is_saved(const struct pane *pane, const struct ca_model *model)
{
    char path[CA_TEXT_MAX];

    return setting_on(pane->wb, CA_SETTING_RESUME) && saved_path(path, model)[0] &&
           access(path, R_OK) == 0;
}

void checkpoint_drop_edition(const struct pane *pane, const struct ca_model *model)
{
    char path[CA_TEXT_MAX];

    if (!pane->keep_saved_state && !pane->host[0] && saved_path(path, model)[0])
        unlink(path);
}

uint64_t checkpoint_resume(struct pane *pane, struct ca_experiment *experiment,
                           char path[CA_TEXT_MAX])
{
    struct ca_state_run run;
    struct ca_error error;

    saved_path(path, experiment->model);
    if (checkpoint_is_saved(pane, experiment->model) && !pane->host[0]) {
        if ((experiment->model->source &&
             ca_experiment_take_run(experiment, path, &error) != CA_OK) ||
            ca_state_run(path, &run, &error) != CA_OK)
            alarm_raise(pane->wb, "the saved state cannot be opened: %s", error.text);
        else if (ca_experiment_is_of(experiment, &run))
            return run.generation;
        else
            message_show(pane->wb, "the saved state is of another run: :open %s", path);
    }
    path[0] = 0;
    return 0;
}

const struct part checkpoint_part = {
    .name = "checkpoint", .pane_bytes = sizeof(struct checkpoints), .tick_pane = checkpoint_tick};

/* --- resets, and undoing them ----------------------------------------------------------------- */

struct undo {
    enum {
        UNDO_NONE,
        UNDO_SAVED, /* the engine has saved the state for undo */
        UNDO_AGAIN, /* the start leads to it */
    } how;
    uint64_t generation;
    bool modified, from_state; /* what that state was */
    bool warned;               /* of the state at `warned_at` it was said that it will be lost */
    uint64_t warned_at;
};

const struct part undo_part = {
    .name = "undo", .pane_bytes = sizeof(struct undo), .actions = {{REQUEST_UNDO, undo_last}}};

static struct undo *undo_of(const struct pane *pane) { return pane_state(pane, &undo_part); }

/* Whether the start leads to the present state. */
static bool is_repeatable(const struct pane *pane) { return !pane->modified && !pane->from_state; }

/* The state may be lost once the user has been warned of it. */
static bool was_warned(const struct pane *pane)
{
    return undo_of(pane)->warned && undo_of(pane)->warned_at == session_generation(pane);
}

static void warn(struct pane *pane, const char *why)
{
    undo_of(pane)->warned = true;
    undo_of(pane)->warned_at = session_generation(pane);
    message_warn(pane->wb, "%s: %s again gives this state up and returns to generation 0", why,
                 pane->wb->keys.keys[REQUEST_RESET]);
}

static void compute_again(struct pane *pane, uint64_t generation)
{
    *undo_of(pane) = (struct undo){.how = UNDO_AGAIN, .generation = generation};
}

static void save_nothing(struct pane *pane, const char *why)
{
    char text[CA_TEXT_MAX];

    if (is_repeatable(pane)) {
        compute_again(pane, session_generation(pane));
        session_reset(pane);
        message_show(pane->wb, "%s computes generation %llu again: %.300s",
                     pane->wb->keys.keys[REQUEST_UNDO],
                     (unsigned long long)undo_of(pane)->generation, why);
        return;
    }
    snprintf(text, sizeof text, "the state cannot be saved for undo (%.400s)", why);
    warn(pane, text);
}

/* The state is saved for undo; or the engine has no room for it. */
static void undo_saved(struct pane *pane, struct pending *pending, const json_t *json)
{
    if (!json) {
        save_nothing(pane, pending->refusal->text);
        return;
    }
    *undo_of(pane) = (struct undo){.how = UNDO_SAVED,
                                   .generation = session_generation(pane),
                                   .modified = pane->modified,
                                   .from_state = pane->from_state};
    message_show(pane->wb, "%s returns to generation %llu", pane->wb->keys.keys[REQUEST_UNDO],
                 (unsigned long long)undo_of(pane)->generation);
    reset_taken(pane, pending, json);
}

void undo_reset(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    const struct ca_op *moves = session_last(pane, CA_OP_STATE);
    bool nothing_to_lose =
        !moves && session_generation(pane) == 0 && !session_busy(pane) && is_repeatable(pane);
    uint64_t at;

    if (split_is_open(wb) && !is_repeatable(&wb->panes[0]) && !was_warned(&wb->panes[0])) {
        warn(&wb->panes[0], "in a split no state is saved for undo");
    } else if (split_is_open(wb)) {
        at = split_home(wb) > 0 ? split_home(wb) : session_generation(&wb->panes[0]);
        if (is_repeatable(&wb->panes[0]) && at > 0)
            compute_again(&wb->panes[0], at);
        split_reset(wb);
    } else if (moves && strcmp(moves->name, "reset") == 0) { /* a key that repeats */
        return;
    } else if (!session_has_run(pane) || nothing_to_lose || was_warned(pane)) {
        session_reset(pane);
    } else if (!pane_can(pane, "undo")) {
        save_nothing(pane, "the engine has no request 'undo'");
    } else {
        session_stop(pane);
        session_try(pane, "reset", json_pack("{s:b}", "undo", 1), NULL, 0, undo_saved);
    }
}

void undo_forget(struct pane *pane) { *undo_of(pane) = (struct undo){.how = UNDO_NONE}; }

/* After a change of the backend the engine has nothing saved, but what the start leads to is. */
void undo_change(struct pane *pane, bool same_rule)
{
    const struct undo *u = undo_of(pane);

    if (same_rule && u->how == UNDO_SAVED && !u->modified && !u->from_state)
        undo_of(pane)->how = UNDO_AGAIN;
    else if (!same_rule || u->how == UNDO_SAVED)
        undo_forget(pane);
}

static void undo_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    if (!json) {
        undo_forget(pane);
        message_warn(pane->wb, "%s", pending->refusal->text);
        return;
    }
    generation_take(pane, json);
    run_begins(pane, false); /* what was observed before the reset is forgotten */
    pane->modified = undo_of(pane)->modified;
    pane->from_state = undo_of(pane)->from_state;
    checkpoint_edited(pane); /* another state than the last one, whatever its generation */
    undo_forget(pane);
    message_show(pane->wb, "back at generation %llu", (unsigned long long)session_generation(pane));
}

void undo_last(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    uint64_t generation = undo_of(pane)->generation;

    if (undo_of(pane)->how == UNDO_NONE) {
        message_show(wb, "there is no reset to undo");
    } else if (undo_of(pane)->how == UNDO_AGAIN) {
        undo_forget(pane);
        go_reset(wb);
        go_seek(wb, generation);
        message_show(wb, "computing generation %llu again", (unsigned long long)generation);
    } else if (split_is_open(wb)) {
        message_show(wb, "the reset was before the split: end that first (%s)",
                     wb->keys.keys[REQUEST_SPLIT]);
    } else {
        session_stop(pane);
        session_try(pane, "undo", NULL, NULL, 0, undo_taken);
    }
}
