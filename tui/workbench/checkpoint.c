/* SPDX-License-Identifier: MIT */
/*
 * Owns the states in the state folder: checkpoints of this process, from which a dead engine's
 * heir goes on, and the kept state of each model, from which the next start does.
 */
#include "tui/workbench/app.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/file.h"
#include "core/base/clock.h"
#include "core/engine/experiment_json.h"

#define EVERY_S 5.0
#define SETTLE_S 1.0      /* after a step by hand */
#define SHARE 0.01        /* of the time that checkpoints may take */
#define LARGEST_MIB 256.0 /* states beyond are not saved unasked */
#define KEPT_MIB 1024.0

static double state_mib(const struct workbench *wb)
{
    const struct ca_model *model = wb->experiment.model;

    return (double)ca_cells(wb->experiment.size) * model->planes *
           (double)ca_type_bytes(model->type) / 1048576.0;
}

/* "" without a state folder, or with one whose name leaves no room. */
static char *file_named(char path[CA_TEXT_MAX], const char *name)
{
    const char *folder = ca_state_folder();
    int length = snprintf(path, CA_TEXT_MAX, "%s/%s", folder, name);

    if (!folder[0] || length >= CA_TEXT_MAX)
        path[0] = 0;
    return path;
}

/* Two files take turns, so that one is whole whenever the engine dies. */
static char *turn_path(char path[CA_TEXT_MAX], int turn)
{
    char name[64];

    snprintf(name, sizeof name, "checkpoint-%ld-%c.npy", (long)getpid(), 'a' + turn % 2);
    return file_named(path, name);
}

/* The file that keeps a model's state. */
static char *kept_path(char path[CA_TEXT_MAX], const struct ca_model *model)
{
    char name[64];

    snprintf(name, sizeof name, "%s.npy", model->name);
    return file_named(path, name);
}

static enum ca_status writable(const char *path, struct ca_error *error)
{
    if (!path[0])
        return ca_fail(error, CA_IO, "there is no state folder");
    CA_TRY(ca_file_parents(path, error));
    return ca_file_writable(path, error);
}

static struct pending *save_to(struct workbench *wb, enum op op, const char *path)
{
    struct pending *pending =
        session_send(wb, op, json_pack("{s:s,s:s}", "op", "save", "file", path));

    if (pending) {
        snprintf(pending->path, sizeof pending->path, "%s", path);
        pending->generation = wb->session.generation;
    }
    return pending;
}

double checkpoint_tick(struct workbench *wb, double now)
{
    struct session *s = &wb->session;
    double wait = s->running ? EVERY_S : SETTLE_S, due;
    char path[CA_TEXT_MAX];
    struct ca_error error;

    if (!s->open || s->generation == s->good.generation || state_mib(wb) > LARGEST_MIB)
        return -1;
    if (wb->observed.known && wb->observed.broken >= 0) /* not good */
        return -1;
    if (session_waits_for(wb, OP_CHECKPOINT) || (!s->running && session_busy(wb)))
        return -1;
    if (wait < s->checkpoint_cost / SHARE)
        wait = s->checkpoint_cost / SHARE;
    due = s->checkpoint_last + wait;
    if (now < due)
        return due - now;
    if (writable(turn_path(path, s->checkpoints), &error) != CA_OK) {
        alarm_say(wb, "%s; neither a restart nor the next start finds the state again", error.text);
        s->checkpoint_last = now + 3600;
        return -1;
    }
    s->checkpoint_last = now;
    s->checkpoints++;
    save_to(wb, OP_CHECKPOINT, path);
    return -1;
}

void checkpoint_done(struct workbench *wb, const struct pending *pending, const json_t *json)
{
    struct session *s = &wb->session;
    const json_t *generation = json_object_get(json, "generation");
    uint64_t at = json_is_integer(generation) ? (uint64_t)json_integer_value(generation)
                                              : pending->generation;

    s->good.generation = at;
    snprintf(s->good.path, sizeof s->good.path, "%s", pending->path);
    s->checkpoint_last = ca_now();
    s->checkpoint_cost = s->checkpoint_last - pending->sent;
    if (pending->op == OP_KEEP) {
        s->unkept[0] = 0;
        workbench_remember(wb, at);
    }
}

void checkpoint_forget(struct workbench *wb)
{
    wb->session.good = (struct good){0, ""};
    wb->session.checkpoint_last = ca_now();
}

void checkpoint_remove(struct workbench *wb)
{
    char path[CA_TEXT_MAX];

    (void)wb;
    for (int turn = 0; turn < 2; turn++)
        unlink(turn_path(path, turn));
}

/* --- the state that the next start goes on from ----------------------------------------------- */

/* Reads what comes until the state is kept, the engine is gone or the time is up. */
static void wait_kept(struct workbench *wb, double seconds)
{
    double end = ca_now() + seconds;

    while (wb->session.client && session_waits_for(wb, OP_KEEP)) {
        struct pollfd fds[2] = {{ca_client_fd(wb->session.client), POLLIN, 0}, {-1, POLLOUT, 0}};
        double left = end - ca_now();
        pid_t pid = ca_client_pid(wb->session.client);

        if (left <= 0)
            return;
        if (ca_client_wants_write(wb->session.client))
            fds[1].fd = ca_client_write_fd(wb->session.client);
        poll(fds, 2, (int)(left * 1000) + 1);
        ca_client_flush(wb->session.client);
        session_read(wb);
        if (!wb->session.client || ca_client_pid(wb->session.client) != pid)
            return;
    }
}

enum ca_status checkpoint_keep(struct workbench *wb, double seconds, struct ca_error *error)
{
    struct session *s = &wb->session;
    char path[CA_TEXT_MAX];
    struct ca_error cause;

    workbench_remember(wb, 0);
    if (!setting_on(wb, "resume") || !s->open)
        return CA_OK;
    if (session_busy(wb)) /* asks for the newest generation too */
        session_stop(wb);
    else if (s->generation == 0)
        return CA_OK;
    if (state_mib(wb) > KEPT_MIB || !kept_path(path, wb->experiment.model)[0])
        return CA_OK;
    snprintf(s->unkept, sizeof s->unkept, "the engine does not answer");
    if (ca_file_parents(path, &cause) != CA_OK) {
        snprintf(s->unkept, sizeof s->unkept, "%.500s", cause.text);
    } else if (!s->hung) {
        save_to(wb, OP_KEEP, path);
        wait_kept(wb, seconds);
    }
    return s->unkept[0] ? ca_fail(error, CA_IO, "the state is not kept: %.400s", s->unkept) : CA_OK;
}

/* Whether the state of one experiment may be taken for the other's. */
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

uint64_t checkpoint_resume(const struct workbench *wb, const struct ca_saved_view *memory,
                           const struct ca_experiment *experiment, char path[CA_TEXT_MAX])
{
    path[0] = 0;
    if (!setting_on(wb, "resume") || memory->generation == 0 ||
        !same_run(&memory->experiment, experiment))
        return 0;
    if (access(kept_path(path, experiment->model), R_OK) != 0) {
        path[0] = 0;
        return 0;
    }
    return memory->generation;
}
