/* SPDX-License-Identifier: MIT */
/* Starts the process that watches a lab, acts on its messages, and opens the editor. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/engine/wire.h"
#include "core/lab/backend/backend.h"
#include "core/lab/backend/builds.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/lists/lab_inside.h"

extern const struct part lab_part;

struct lab_work *lab_of(const struct workbench *wb) { return part_state(wb, &lab_part); }
bool lab_is_open(const struct workbench *wb) { return lab_of(wb)->open; }

bool lab_is_shown(const struct workbench *wb)
{
    for (int i = 0; i < wb->pane_count; i++)
        if (lab_of(wb)->open && strcmp(wb->panes[i].experiment.backend->name, CA_LAB_BACKEND) == 0)
            return true;
    return false;
}

char *lab_command(const struct workbench *wb)
{
    const struct ca_experiment *e = &wb->panes[0].experiment;
    const char *folder = ca_lab_backend_lab()->folder;
    char size[64], quoted[PATH_MAX + 64] = "'", *command;
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";

    /* In single quotes, as a shell reads them. */
    for (const char *at = folder; *at; at++)
        ca_text_add(quoted, sizeof quoted - 2, *at == '\'' ? "'\\''" : "%c", *at);
    ca_text_add(quoted, sizeof quoted, "'");
    if (asprintf(&command, "calab lab %s -s %s --seed %llu",
                 folder[strspn(folder, plain)] ? quoted : folder,
                 ca_size_format(size, e->size, e->model->dimensions),
                 (unsigned long long)e->seed) < 0)
        return NULL;
    return command;
}

/* --- opening, closing ------------------------------------------------------------------------- */

static bool watch(struct workbench *wb, struct ca_error *error)
{
    struct lab_work *lab = lab_of(wb);
    const char *const argv[] = {
        "/proc/self/exe", "lab",     "watch",   ca_lab_backend_lab()->folder,
        "--json",         "--built", lab->link, NULL};

    lab->phase = LAB_COMPILES;
    return ca_client_start(&lab->client, argv, STDERR_FILENO, error) == CA_OK;
}

static void forget(struct lab_work *lab)
{
    json_decref(lab->report);
    json_decref(lab->kernels);
    lab->report = lab->kernels = NULL;
    lab->text[0] = lab->said[0] = lab->file[0] = lab->at[0] = '\0';
    lab->line = lab->done = lab->all = 0;
    lab->times_due = false;
}

static void lab_end(struct workbench *wb)
{
    struct lab_work *lab = lab_of(wb);

    ca_client_close(lab->client);
    lab->client = NULL;
    forget(lab);
    if (lab->own[0])
        ca_lab_remove_folder(lab->own);
    lab->own[0] = '\0';
}

enum ca_status lab_open(struct workbench *wb, const char *folder, struct ca_error *error)
{
    const char *command = setting_text(wb, CA_SETTING_ENGINE_COMMAND);
    const char *temporary = getenv("TMPDIR");
    struct lab_work *lab = lab_of(wb);
    enum ca_status status;

    if (command[strspn(command, " \t\n")])
        return ca_fail(error, CA_USAGE,
                       "a lab needs an engine of this machine: the setting engine_command has to "
                       "be empty");
    snprintf(lab->own, sizeof lab->own, "%.400s/calab-lab-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    CA_TRY(ca_lab_temporary(lab->own, error));
    snprintf(lab->link, sizeof lab->link, "%s/program", lab->own);
    status = ca_lab_backend_add(folder, lab->link, error);
    lab->open = status == CA_OK;
    panes_lab_program(wb, lab->link);
    if (status == CA_OK && !watch(wb, error))
        status = error->status;
    if (status != CA_OK)
        lab_end(wb);
    return status;
}

/* --- what it says ----------------------------------------------------------------------------- */

const char *lab_wrong_words(const json_t *report)
{
    return strcmp(ca_json_member(report, "verdict"), "slow") == 0 ? "too slow" : "wrong";
}

/* Another program is there: what runs the kernel begins anew, and at first A takes it up. */
static void take_up(struct workbench *wb)
{
    static struct ca_experiment wanted;
    struct pane *a = &wb->panes[0];
    const struct ca_backend *backend;
    bool running = go_busy(wb);
    struct ca_error error;

    if (ca_backend_find(&backend, ca_lab_backend_lab()->model, CA_LAB_BACKEND, &error) != CA_OK)
        return;
    if (lab_is_shown(wb)) {
        wanted = a->experiment;
        reopen(a, &wanted);
        if (running)
            go_run(wb);
    } else if (lab_of(wb)->builds == 1 && pane_is_of_lab(a)) {
        choose_backend(a, backend);
    }
}

static void list_again(struct workbench *wb)
{
    for (int i = 0; i < wb->pane_count; i++)
        engine_list_renew(&wb->panes[i]);
}

static void copy_text(const json_t *json, const char *key, char *text, size_t size)
{
    snprintf(text, size, "%s", ca_json_member(json, key));
}

static void lab_panel_failed(struct workbench *wb, enum lab_phase phase, const json_t *json)
{
    struct lab_work *lab = lab_of(wb);

    forget(lab);
    lab->phase = phase;
    copy_text(json, "text", lab->text, sizeof lab->text);
    copy_text(json, "said", lab->said, sizeof lab->said);
    copy_text(json, "file", lab->file, sizeof lab->file);
    lab->line = (int)json_integer_value(json_object_get(json, "line"));
    if (!list_is_open(wb, &lab_source))
        message_warn(wb, "%s", lab->text);
    list_again(wb);
}

static void built(struct workbench *wb, const json_t *json)
{
    struct lab_work *lab = lab_of(wb);

    lab->phase = LAB_CHECKS;
    lab->builds++;
    lab->compile_s = ca_json_number(json, "seconds");
    copy_text(json, "how", lab->how, sizeof lab->how);
    take_up(wb);
    list_again(wb);
}

static void checked(struct workbench *wb, const json_t *json)
{
    struct lab_work *lab = lab_of(wb);
    bool right;

    lab->report = json_incref(json_object_get(json, "report"));
    right = json_is_true(json_object_get(lab->report, "right"));
    lab->phase = right ? LAB_RIGHT : LAB_WRONG;
    lab->times_due = right;
    if (list_is_open(wb, &lab_source))
        return;
    if (right)
        message_show(wb, "%s is right: %lld cases", ca_json_member(lab->report, "source"),
                     (long long)json_integer_value(json_object_get(lab->report, "cases")));
    else
        message_warn(wb, "%s is %s: %.400s", ca_json_member(lab->report, "source"),
                     lab_wrong_words(lab->report), ca_json_member(lab->report, "text"));
}

static void lab_panel_take(void *to, const struct ca_message *message)
{
    struct workbench *wb = to;
    struct lab_work *lab = lab_of(wb);
    const json_t *json = message->json;
    const char *event = ca_json_member(json, "event");

    if (strcmp(event, "compiling") == 0) {
        forget(lab);
        lab->phase = LAB_COMPILES;
        if (ladder_is_in_lab(wb)) /* it ran the build before */
            ladder_end(wb);
    } else if (strcmp(event, "built") == 0) {
        built(wb, json);
    } else if (strcmp(event, "broken") == 0) {
        lab_panel_failed(wb, LAB_BROKEN, json);
    } else if (strcmp(event, "failed") == 0) {
        lab_panel_failed(wb, LAB_FAILED, json);
    } else if (strcmp(event, "progress") == 0) {
        copy_text(json, "how", lab->at, sizeof lab->at);
        lab->done = (int)json_integer_value(json_object_get(json, "done"));
        lab->all = (int)json_integer_value(json_object_get(json, "all"));
    } else if (strcmp(event, "checked") == 0) {
        checked(wb, json);
    } else if (strcmp(event, "resources") == 0) {
        lab->kernels = json_incref(json_object_get(json, "kernels"));
    }
    if (strcmp(event, "progress") != 0)
        list_reselect(wb, &lab_source);
    wb->dirty = true;
}

static void lab_serve(struct workbench *wb, const struct pollfd *fds, int count)
{
    struct lab_work *lab = lab_of(wb);
    struct ca_error error;

    (void)fds, (void)count;
    if (ca_client_serve(&lab->client, lab_panel_take, wb, &error))
        return;
    ca_client_close(lab->client);
    lab->client = NULL;
    forget(lab);
    lab->phase = LAB_FAILED;
    list_reselect(wb, &lab_source);
    snprintf(lab->text, sizeof lab->text, "nobody watches the folder any more: %.600s; press %s",
             error.text, wb->keys.keys[REQUEST_RESET]);
    message_warn(wb, "%s", lab->text);
    wb->dirty = true;
}

static int lab_poll(const struct workbench *wb, struct pollfd fds[PART_FDS])
{
    return client_poll(lab_of(wb)->client, fds);
}

void lab_watch_again(struct workbench *wb)
{
    struct ca_error error;

    if (!lab_of(wb)->client && !watch(wb, &error))
        message_warn(wb, "%s", error.text);
    wb->dirty = true;
}

/* A right kernel is timed beside the others where the user looks at the lab. */
static double lab_tick(struct workbench *wb, double now)
{
    struct lab_work *lab = lab_of(wb);
    const struct dialog *top = dialog_top(wb);

    (void)now;
    if (!lab->times_due || !top || top->list != &lab_source || !session_has_run(&wb->panes[0]) ||
        !pane_is_of_lab(&wb->panes[0]))
        return -1;
    lab->times_due = false;
    ladder_open_in_lab(wb);
    wb->dirty = true;
    return -1;
}

const struct part lab_part = {.name = "lab",
                              .state_bytes = sizeof(struct lab_work),
                              .tick = lab_tick,
                              .poll = lab_poll,
                              .serve = lab_serve,
                              .end = lab_end,
                              .actions = {{REQUEST_LAB, lab_show}}};

/* --- opening ---------------------------------------------------------------------------------- */

static bool folder_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    static struct ca_experiment wanted;
    const struct ca_lab *lab;

    (void)item;
    if (checkpoint_save_state(&wb->panes[0], 2, error) != CA_OK) /* as long as it is no lab's */
        message_warn(wb, "%s", error->text);
    if (lab_open(wb, text[0] ? text : ".", error) != CA_OK)
        return false;
    lab = ca_lab_backend_lab();
    wanted = ca_lab_experiment(lab, ca_lab_shown_size(lab), lab->seed[0]);
    error->text[0] = '\0';
    choose_lab(&wb->panes[0], &wanted, error);
    if (error->text[0])
        message_warn(wb, "%s", error->text);
    dialog_close(wb);
    lab_show(wb);
    return false; /* already closed, so that the list is on top */
}

static const struct prompt_source folder_source = {.label = "lab: ", .accept = folder_accept};

void lab_show(struct workbench *wb)
{
    struct lab_work *lab = lab_of(wb);

    if (!lab->open) {
        prompt_open(wb, &folder_source, 0, ".",
                    "folder with the kernel of a lab; `calab lab new MODEL DIR` makes one");
        return;
    }
    if (lab->phase == LAB_RIGHT && !ladder_is_in_lab(wb))
        lab->times_due = true;
    list_open(wb, &lab_source);
}
