/* SPDX-License-Identifier: MIT */
/*
 * The file of the model that is shown is looked at some times a second, by its time and size, which
 * works wherever it lies. What was saved is compiled by an engine that is started for that, so that
 * a compiler that fails or hangs, and code that crashes when it is loaded, cost nothing that is
 * shown. Its objects are kept then, and the workbench and the engine of the pane load them.
 */
#include "tui/workbench/engine/rebuild.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/engine/experiment_json.h"
#include "core/engine/wire.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/editor.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split.h"

#define LOOK_S 0.25 /* between two looks at the file */

/* A file as stat knows it. */
struct look {
    bool there;
    struct timespec time;
    off_t size;
    ino_t inode;
};

struct rebuild {
    char path[CA_TEXT_MAX]; /* of the model that is watched, "": none */
    struct look last, read; /* the last look; what was read */
    double looked;
    bool gone;                /* it was said that there is no file */
    struct ca_client *client; /* compiles; NULL: nothing is compiled */
    struct ca_request request;
    char *text; /* what it compiles */
    size_t size;
    uint64_t digest;
    const struct ca_model *next; /* compiled, and due to take the model's place; NULL: none */
    bool runs;                   /* the run goes on then */
    char lost[CA_TEXT_MAX];      /* what the new edition has not */
};

static struct rebuild *rebuild_of(const struct workbench *wb)
{
    return part_state(wb, &rebuild_part);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* --- places in the file ----------------------------------------------------------------------- */

int rebuild_line(const struct workbench *wb)
{
    const struct ca_model_source *source = wb->panes[0].experiment.model->source;
    const char *alarm = alarm_shown(wb), *name, *at;
    size_t length;
    int line = 0;

    if (!source || source->path[0] != '/' || !alarm) /* one in the program has no editor */
        return 0;
    name = file_name(source->path);
    length = strlen(name);
    for (at = strstr(alarm, name); at && line <= 0; at = strstr(at + 1, name))
        if (at[length] == ':')
            line = (int)strtol(at + length + 1, NULL, 10);
    return line > 0 ? line : 0;
}

static bool rebuild_key(struct workbench *wb, enum request request, int code)
{
    int line = dialogs_depth(wb) == 0 ? rebuild_line(wb) : 0;

    (void)request;
    if (line == 0 || keymap_find(&wb->keys, KEYS_LIST, code) != REQUEST_LIST_OPEN)
        return false;
    editor_open(wb, wb->panes[0].experiment.model->source->path, line);
    engines_were_left(wb);
    return true;
}

/* What was said of the edition before is not true of this one. */
static void forget_alarms(struct workbench *wb)
{
    while (rebuild_line(wb) > 0)
        alarm_answer(wb);
}

/* --- the new edition takes the place of the one before ---------------------------------------- */

void rebuild_opened(struct pane *pane, const json_t *reply)
{
    struct rebuild *r = rebuild_of(pane->wb);
    const char *name = file_name(pane->experiment.model->source->path), *not_kept;
    char lost[CA_TEXT_MAX + 32] = "";

    forget_alarms(pane->wb);
    if (r->lost[0])
        snprintf(lost, sizeof lost, "; not as set: %s", r->lost);
    not_kept = ca_json_member(reply, "not_kept");
    if (not_kept[0])
        message_warn(pane->wb, "%s: compiled anew; the state does not fit: %.200s; begun anew%s",
                     name, not_kept, lost);
    else if (json_is_true(json_object_get(reply, "kept")))
        message_show(pane->wb, "%s: compiled anew; generation %llu goes on%s", name,
                     (unsigned long long)session_generation(pane), lost);
    else
        message_show(pane->wb, "%s: compiled anew%s", name, lost);
    checkpoint_at_once(pane);
    engine_list_renew(pane);
    if (r->runs)
        go_run(pane->wb);
    r->runs = false;
}

/* A run that has not begun begins with the new edition's start. */
static bool has_begun(const struct pane *pane)
{
    return session_busy(pane) || session_run_requested(pane) || pane->modified ||
           pane->from_state || session_generation(pane) != pane->experiment.generation;
}

static void take_place(struct workbench *wb, const struct ca_model *model)
{
    static struct ca_experiment wanted;
    struct rebuild *r = rebuild_of(wb);
    struct pane *a = &wb->panes[0];

    if (a->experiment.model->source->digest != model->source->digest)
        checkpoint_drop_edition(a, a->experiment.model);
    if (split_is_open(wb)) /* whose backend is one of the new model, then */
        ca_experiment_edition(&wb->panes[1].experiment, model, r->lost);
    wanted = a->experiment;
    ca_experiment_edition(&wanted, model, r->lost);
    if (split_is_open(wb)) {
        forget_alarms(wb);
        reopen(a, &wanted);
        message_show(wb, "%s: compiled anew, and begun anew in A and B", file_name(r->path));
        return;
    }
    r->runs |= session_run_requested(a);
    session_open_edition(a, &wanted, session_has_run(a) && has_begun(a));
}

/* An engine that does not answer is in the code of the edition before. Where it is gone, or has
 * closed its simulation, that begins again at its last good state, which the new edition takes
 * over.
 */
static void make_ready(struct workbench *wb)
{
    struct pane *a = &wb->panes[0];

    rebuild_of(wb)->runs = session_run_requested(a);
    if (silence_of(a) != SILENCE_NONE)
        session_kill(a);
    if (!session_has_run(a) && !session_is_opening(a) && a->opened)
        session_restart_there(a);
}

/* --- compiling -------------------------------------------------------------------------------- */

static void stop_compiling(struct rebuild *r)
{
    ca_client_close(r->client);
    r->client = NULL;
    free(r->text);
    r->text = NULL;
}

/* The compiler's own errors begin with the file's name. */
static void failed(struct workbench *wb, const char *why)
{
    const char *name = file_name(rebuild_of(wb)->path);
    bool named = strncmp(why, name, strlen(name)) == 0;

    alarm_raise(wb, "%s%s%.400s; the model before goes on", named ? "" : name, named ? "" : ": ",
                why);
}

static void compiled(struct ca_request *request, const struct ca_message *reply,
                     const struct ca_error *refusal)
{
    struct workbench *wb = request->to;
    struct rebuild *r = rebuild_of(wb);
    struct ca_error error;

    (void)reply;
    wb->dirty = true;
    forget_alarms(wb);
    if (refusal)
        failed(wb, refusal->text);
    else if (ca_model_open_text(&r->next, r->path, r->digest, r->text, r->size, &error) != CA_OK)
        failed(wb, error.text);
    else
        make_ready(wb);
    stop_compiling(r);
}

/* Its own engine is of this machine, whose objects the workbench itself loads. */
static void compile(struct workbench *wb)
{
    struct rebuild *r = rebuild_of(wb);
    json_t *body;
    struct ca_error error;

    if (ca_client_start(&r->client, NULL, STDERR_FILENO, &error) != CA_OK) {
        r->client = NULL;
        failed(wb, error.text);
        return;
    }
    body = json_object();
    json_object_set_new(body, "model", ca_json_text(r->path));
    json_object_set_new(body, "model_digest", ca_wire_digest(r->digest));
    ca_client_ask_bytes(r->client, &r->request, "compile", body, r->text, r->size, compiled, wb);
    message_show(wb, "%s: compiling", file_name(r->path));
}

static void rebuild_event(void *to, const struct ca_message *event) { (void)to, (void)event; }

static void rebuild_serve(struct workbench *wb, const struct pollfd *fds, int count)
{
    struct rebuild *r = rebuild_of(wb);
    struct ca_error error;

    (void)fds, (void)count;
    if (!r->client || ca_client_serve(&r->client, rebuild_event, wb, &error))
        return;
    failed(wb, error.text);
    stop_compiling(r);
}

static int rebuild_poll(const struct workbench *wb, struct pollfd fds[PART_FDS])
{
    return client_poll(rebuild_of(wb)->client, fds);
}

/* --- looking ---------------------------------------------------------------------------------- */

static struct look look_at(const char *path)
{
    struct look look = {.there = false};
    struct stat facts;

    if (stat(path, &facts) == 0)
        look = (struct look){true, facts.st_mtim, facts.st_size, facts.st_ino};
    return look;
}

static bool is_alike(const struct look *a, const struct look *b)
{
    return a->there == b->there && a->size == b->size && a->inode == b->inode &&
           a->time.tv_sec == b->time.tv_sec && a->time.tv_nsec == b->time.tv_nsec;
}

/* Reads what has been saved, and compiles it if it is another text than the model's. */
static void read_file(struct workbench *wb)
{
    const struct ca_model *shown = wb->panes[0].experiment.model;
    struct rebuild *r = rebuild_of(wb);
    struct ca_error error;

    stop_compiling(r);
    r->next = NULL;
    r->runs = false;
    if (ca_model_read(r->path, &r->text, &r->size, &r->digest, &error) != CA_OK) {
        r->text = NULL;
        failed(wb, error.text);
        return;
    }
    if (r->digest == shown->source->digest) {
        forget_alarms(wb);
        stop_compiling(r);
    } else {
        compile(wb);
    }
}

/* A file that was there when it was last looked at is read once it stays as it is, since editors
 * may write it in pieces or put another in its place. */
static void rebuild_look(struct workbench *wb)
{
    const struct ca_model_source *source = wb->panes[0].experiment.model->source;
    struct rebuild *r = rebuild_of(wb);
    struct look now;

    if (!source || strcmp(r->path, source->path) != 0) {
        stop_compiling(r);
        *r = (struct rebuild){.looked = r->looked};
        if (!source)
            return;
        snprintf(r->path, sizeof r->path, "%s", source->path);
        r->last = look_at(r->path);
    }
    now = look_at(r->path);
    if (!is_alike(&now, &r->last)) {
        r->last = now;
    } else if (!now.there && !r->gone && r->read.there) {
        message_show(wb, "%s is gone; the model that was read goes on", file_name(r->path));
        r->gone = true;
    } else if (now.there && !is_alike(&now, &r->read)) {
        r->read = now;
        r->gone = false;
        read_file(wb);
    }
}

static double rebuild_tick(struct workbench *wb, double now)
{
    struct rebuild *r = rebuild_of(wb);
    struct pane *a = &wb->panes[0];
    const struct ca_model *next = r->next;

    if (next && !session_is_opening(a)) {
        r->next = NULL;
        if (a->experiment.model->source && session_client(a))
            take_place(wb, next);
    }
    if (!a->experiment.model->source && !r->path[0])
        return -1;
    if (now - r->looked >= LOOK_S) {
        r->looked = now;
        rebuild_look(wb);
    }
    return r->looked + LOOK_S - now;
}

static void rebuild_end(struct workbench *wb) { stop_compiling(rebuild_of(wb)); }

const struct part rebuild_part = {.name = "rebuild",
                                  .state_bytes = sizeof(struct rebuild),
                                  .tick = rebuild_tick,
                                  .poll = rebuild_poll,
                                  .serve = rebuild_serve,
                                  .key = rebuild_key,
                                  .end = rebuild_end};
