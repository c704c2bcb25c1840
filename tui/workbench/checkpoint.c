/* SPDX-License-Identifier: MIT */
/*
 * Owns the files in the state folder: the checkpoints of this process, from which a restarted
 * engine continues, and the saved state of each model, from which the next start continues.
 */
#include "tui/workbench/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/file.h"
#include "core/base/clock.h"

#define EVERY_S 5.0              /* between checkpoints of a running simulation */
#define SETTLE_S 1.0             /* after a single step */
#define SHARE 0.01               /* of the time that checkpoints may take at most */
#define CHECKPOINT_MIB_MAX 256.0 /* larger states have no checkpoints */
#define SAVED_MIB_MAX 1024.0

static double state_mib(const struct pane *pane)
{
    const struct ca_model *model = pane->experiment.model;

    return (double)ca_cells(pane->experiment.size) * model->planes *
           (double)ca_type_bytes(model->type) / 1048576.0;
}

bool checkpoint_is_cheap(const struct pane *pane) { return state_mib(pane) <= CHECKPOINT_MIB_MAX; }

/* "" without a state folder, or if its name is too long. */
static char *file_named(char path[CA_TEXT_MAX], const char *name)
{
    const char *folder = ca_state_folder();
    int length = snprintf(path, CA_TEXT_MAX, "%s/%s", folder, name);

    if (!folder[0] || length >= CA_TEXT_MAX)
        path[0] = 0;
    return path;
}

/* The checkpoints of a pane alternate between two files, so that one is complete whenever the
 * engine crashes. */
static char *checkpoint_path(char path[CA_TEXT_MAX], const struct pane *pane, int index)
{
    char name[64];

    snprintf(name, sizeof name, "checkpoint-%ld-%c.npy", (long)getpid(),
             'a' + 2 * pane_index(pane) + index % 2);
    return file_named(path, name);
}

void checkpoint_file(char path[CA_TEXT_MAX], const char *name)
{
    char own[64];

    snprintf(own, sizeof own, "%ld-%s", (long)getpid(), name);
    file_named(path, own);
}

/* The file with the saved state of a model. */
static char *saved_path(char path[CA_TEXT_MAX], const struct ca_model *model)
{
    char name[64];

    snprintf(name, sizeof name, "%s.npy", model->name);
    return file_named(path, name);
}

static struct pending *save_to(struct pane *pane, enum op op, const char *path)
{
    struct pending *pending = session_send(pane, op, json_pack("{s:s}", "file", path));

    if (pending) {
        snprintf(pending->path, sizeof pending->path, "%s", path);
        pending->generation = pane->session.generation;
        pending->edits = pane->session.edits;
    }
    return pending;
}

double checkpoint_tick(struct pane *pane, double now)
{
    struct session *s = &pane->session;
    double wait = s->running ? EVERY_S : SETTLE_S, due;
    char path[CA_TEXT_MAX];
    struct ca_error error;
    bool writable = false;

    if (!s->open || (s->generation == s->good.generation && s->edits == s->good.edits) ||
        !checkpoint_is_cheap(pane))
        return -1;
    if (!session_is_here(pane)) /* its files are not this machine's */
        return -1;
    if (pane->observed.known && pane->observed.broken >= 0) /* do not restart from a wrong state */
        return -1;
    if (session_waits_for(pane, OP_CHECKPOINT) || (!s->running && session_busy(pane)))
        return -1;
    if (wait < s->checkpoint_cost / SHARE)
        wait = s->checkpoint_cost / SHARE;
    due = s->checkpoint_last + wait;
    if (now < due)
        return due - now;
    if (!checkpoint_path(path, pane, s->checkpoints)[0])
        ca_error_set(&error, CA_IO, "there is no state folder");
    else if (ca_file_parents(path, &error) == CA_OK && ca_file_writable(path, &error) == CA_OK)
        writable = true;
    if (!writable) {
        alarm_raise(pane->wb, "%s; checkpointing is disabled: the state will be lost on a crash",
                    error.text);
        s->checkpoint_last = now + 3600;
        return -1;
    }
    s->checkpoint_last = now;
    s->checkpoints++;
    save_to(pane, OP_CHECKPOINT, path);
    return -1;
}

void checkpoint_done(struct pane *pane, const struct pending *pending, const json_t *json)
{
    struct session *s = &pane->session;
    uint64_t at = pending->generation;

    ca_wire_generation(json, &at);
    s->good.generation = at;
    s->good.edits = pending->edits;
    snprintf(s->good.path, sizeof s->good.path, "%s", pending->path);
    s->checkpoint_last = ca_now();
    s->checkpoint_cost = s->checkpoint_last - pending->sent;
    if (pending->op == OP_SAVE_STATE) {
        s->save_error[0] = 0;
        workbench_remember(pane, at, true);
    }
}

void checkpoint_forget(struct pane *pane)
{
    pane->session.good = (struct good){.edits = pane->session.edits};
    pane->session.checkpoint_last = ca_now();
}

void checkpoint_remove(struct pane *pane)
{
    char path[CA_TEXT_MAX];

    for (int i = 0; i < 2; i++)
        unlink(checkpoint_path(path, pane, i));
}

/* --- the saved state, from which the next start continues ------------------------------------- */

/* Handles messages until the state is saved, the engine has ended or the time is up. */
static void wait_for_save(struct pane *pane, double seconds)
{
    double end = ca_now() + seconds;

    while (pane->session.client && session_waits_for(pane, OP_SAVE_STATE)) {
        struct pollfd fds[PANE_FDS];
        int count = pane_poll(pane, fds);
        double left = end - ca_now();
        pid_t pid = ca_client_pid(pane->session.client);

        if (left <= 0)
            return;
        poll(fds, (nfds_t)count, (int)(left * 1000) + 1);
        pane_serve(pane, fds, count);
        if (!pane->session.client || ca_client_pid(pane->session.client) != pid)
            return;
    }
}

enum ca_status checkpoint_save_state(struct pane *pane, double seconds, struct ca_error *error)
{
    struct session *s = &pane->session;
    char path[CA_TEXT_MAX];
    struct ca_error cause;

    workbench_remember(pane, 0, false);
    if (!setting_on(pane->wb, CA_SETTING_RESUME) || !s->open || !session_is_here(pane))
        return CA_OK;
    if (session_busy(pane))
        session_stop(pane); /* its reply brings the final generation */
    else if (s->generation == 0 && !pane->steered)
        return CA_OK;
    if (state_mib(pane) > SAVED_MIB_MAX || !saved_path(path, pane->experiment.model)[0])
        return CA_OK;
    snprintf(s->save_error, sizeof s->save_error, "the engine does not answer");
    if (ca_file_parents(path, &cause) != CA_OK) {
        snprintf(s->save_error, sizeof s->save_error, "%.500s", cause.text);
    } else if (!s->hung) {
        save_to(pane, OP_SAVE_STATE, path);
        wait_for_save(pane, seconds);
    }
    return s->save_error[0]
               ? ca_fail(error, CA_IO, "the state could not be saved: %.400s", s->save_error)
               : CA_OK;
}

/* Whether the two experiments have the same states, so that one can continue the other. */
static bool same_run(const struct ca_experiment *a, const struct ca_experiment *b)
{
    static const char *const keys[] = {"model", "size", "seed", "init", NULL};
    json_t *left = ca_experiment_to_json(a), *right = ca_experiment_to_json(b);
    bool same = left && right;

    for (int i = 0; same && keys[i]; i++)
        same = json_equal(json_object_get(left, keys[i]), json_object_get(right, keys[i]));
    same = same &&
           json_equal(json_object_get(left, "parameters"), json_object_get(right, "parameters"));
    json_decref(left);
    json_decref(right);
    return same;
}

uint64_t checkpoint_resume(const struct pane *pane, const struct ca_saved_view *saved,
                           const struct ca_experiment *experiment, char path[CA_TEXT_MAX])
{
    path[0] = 0;
    if (!setting_on(pane->wb, CA_SETTING_RESUME) || (saved->generation == 0 && !saved->changed) ||
        pane->host[0] || !same_run(&saved->experiment, experiment))
        return 0;
    if (access(saved_path(path, experiment->model), R_OK) != 0) {
        path[0] = 0;
        return 0;
    }
    return saved->generation;
}
