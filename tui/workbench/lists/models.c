/* SPDX-License-Identifier: MIT */
/* The picker of models lists under each model the experiments that come with calab, and in a
 * section of their own the patterns, and opens what is chosen. */
#include "tui/workbench/lists/models.h"

#include <stdio.h>
#include <string.h>

#include "core/sim/shipped.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/lockstep.h"
#include "tui/workbench/engine/initial_view.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_facts.h"
#include "tui/workbench/engine/split.h"

/* A model, or what ships: an experiment of it, or a pattern; with neither, the heading of the
 * patterns. What is wrong has no model. */
struct source {
    const struct ca_model *model;
    const struct ca_shipped *file;
};

struct shelf {
    struct ca_shipped *file; /* the experiments and patterns that ship, or NULL */
    int count;
};

static struct shelf *shelf_of(const struct workbench *wb) { return part_state(wb, &models_part); }

/* Whether it is listed: what is in ./configs goes before what was installed by its name. */
static bool is_listed(const struct workbench *wb, const struct ca_shipped *file)
{
    return !file->is_benchmark && ca_shipped_is_first(shelf_of(wb)->file, file);
}

/* Takes one off *index for each listed experiment of a model until it is the one, or NULL. */
static const struct ca_shipped *file_at(const struct workbench *wb, const struct ca_model *model,
                                        int *index)
{
    for (int i = 0; i < shelf_of(wb)->count; i++) {
        const struct ca_shipped *file = &shelf_of(wb)->file[i];

        if (!file->is_pattern && file->model == model && is_listed(wb, file) && (*index)-- == 0)
            return file;
    }
    return NULL;
}

static const struct ca_shipped *pattern_at(const struct workbench *wb, int index)
{
    const struct shelf *shelf = shelf_of(wb);

    for (int i = 0; i < shelf->count; i++)
        if (shelf->file[i].is_pattern && is_listed(wb, &shelf->file[i]) && index-- == 0)
            return &shelf->file[i];
    return NULL;
}

/* The models in their order, each followed by its experiments; then those that are wrong, and the
 * patterns. */
static struct source source_at(const struct workbench *wb, int index)
{
    const struct ca_shipped *file;

    for (int m = 0; ca_models[m]; m++) {
        if (index-- == 0)
            return (struct source){ca_models[m], NULL};
        file = file_at(wb, ca_models[m], &index);
        if (file)
            return (struct source){ca_models[m], file};
    }
    file = file_at(wb, NULL, &index);
    if (file || index-- == 0)
        return (struct source){NULL, file};
    file = pattern_at(wb, index);
    return (struct source){file ? file->model : NULL, file};
}

static int models_count(struct workbench *wb)
{
    int n = 0;

    while (ca_models[n])
        n++;
    for (int i = 0; i < shelf_of(wb)->count; i++)
        n += is_listed(wb, &shelf_of(wb)->file[i]);
    return n + (pattern_at(wb, 0) != NULL); /* and their heading */
}

/* "  name  MODEL  what it is", the model of patterns alone. */
static void file_row(const struct ca_shipped *file, struct list_row *row)
{
    int length = (int)strlen(file->name) - (file->is_pattern ? 0 : (int)strlen(".cfg"));
    int width = file->is_pattern ? 14 : 18;
    const char *of = file->is_pattern && file->model ? file->model->name : "";

    row->disabled = !file->model;
    snprintf(row->text, sizeof row->text, "  %-*.*s %-*s%.150s%.80s",
             length < width ? width : length, length, file->name, of[0] ? 7 : 0, of,
             file->model ? "" : "wrong: ", file->model ? file->title : file->error.text);
    if (!file->model)
        snprintf(row->detail, sizeof row->detail, "%s", file->error.text);
    else
        snprintf(row->detail, sizeof row->detail, "%s%.380s%s%s%s%s%.380s",
                 file->look_for[0] ? "look for: " : "", file->look_for,
                 file->look_for[0] ? "\n" : "", file->is_pattern ? "pattern: " : "", file->title,
                 file->origin[0] ? "\nfrom: " : "", file->origin);
}

static void models_row(struct workbench *wb, int index, struct list_row *row)
{
    struct source source = source_at(wb, index);

    if (source.file) {
        file_row(source.file, row);
        return;
    }
    if (!source.model) {
        row->heading = true;
        snprintf(row->text, sizeof row->text, "patterns");
        return;
    }
    row->current = source.model == wb->pane->experiment.model;
    snprintf(row->text, sizeof row->text, "%-10s %s", source.model->name, source.model->title);
    snprintf(row->detail, sizeof row->detail, "%s", source.model->summary);
}

/* Stops the run, and saves it for the next time that its model is chosen. */
static void models_leave(struct pane *pane)
{
    struct ca_error error;

    split_stop(pane->wb);
    split_close(pane->wb);
    if (session_has_run(pane) && checkpoint_save_state(pane, 2, &error) != CA_OK)
        message_warn(pane->wb, "%s", error.text);
    if (session_run_requested(pane))
        session_stop(pane);
    initial_view_give(pane, &pane->experiment.initial_view); /* if the other one cannot be opened */
}

/* Opens another run, with its view, pace and what it draws. */
static void enter(struct pane *pane, const struct ca_experiment *wanted, uint64_t generation,
                  const char *state)
{
    initial_view_take(pane, wanted);
    pane->arriving = true;
    cursor_leave(pane);
    pane->previous_backend = NULL;
    session_open(pane, wanted, generation, state);
}

void choose_model(struct pane *pane, const struct ca_model *model)
{
    static struct ca_saved_view saved;
    char path[CA_TEXT_MAX];
    uint64_t generation;

    if (model == pane->experiment.model && session_has_run(pane))
        return;
    models_leave(pane);
    ca_settings_recall(pane->wb->settings, model, &saved);
    generation = checkpoint_resume(pane, &saved.experiment, path);
    pane->keep_saved_state = !path[0] && checkpoint_is_saved(pane, model);
    enter(pane, &saved.experiment, generation, path);
}

/* Opens what was read into `wanted`, once the environment has had its say. */
static void choose_read(struct pane *pane, enum ca_status read, struct ca_experiment *wanted,
                        struct ca_error *error)
{
    if (read != CA_OK || ca_experiment_environment(wanted, error) != CA_OK) {
        message_warn(pane->wb, "%s", error->text);
        return;
    }
    models_leave(pane);
    pane->keep_saved_state = checkpoint_is_saved(pane, wanted->model); /* until this one steps */
    enter(pane, wanted, wanted->state_generation, wanted->state);
}

void choose_lab(struct pane *pane, const struct ca_experiment *experiment, struct ca_error *error)
{
    models_leave(pane);
    session_end(pane);
    engine_list_forget(pane);
    if (session_start(pane, error))
        enter(pane, experiment, 0, NULL);
    else
        session_give_up(pane);
}

/* Those of the file that is opened take their place. */
static struct ca_outputs *forget_outputs(struct pane *pane)
{
    pane->outputs = (struct ca_outputs){0};
    return &pane->outputs;
}

static struct ca_experiment wanted; /* too large for the stack */

void choose_file(struct pane *pane, const char *text)
{
    struct ca_error error;

    ca_experiment_default(&wanted, pane->experiment.model);
    choose_read(pane, ca_shipped_open(&wanted, forget_outputs(pane), text, &error), &wanted,
                &error);
}

static void choose_shipped(struct pane *pane, const struct ca_shipped *shipped)
{
    struct ca_error error;

    ca_experiment_default(&wanted, pane->experiment.model);
    choose_read(pane, ca_shipped_read(&wanted, forget_outputs(pane), shipped, &error), &wanted,
                &error);
}

static bool models_choose(struct workbench *wb, int index)
{
    struct source source = source_at(wb, index);

    if (!source.file) {
        choose_model(wb->pane, source.model);
        return true;
    }
    if (!source.file->model) {
        message_warn(wb, "%s", source.file->error.text);
        return false;
    }
    choose_shipped(wb->pane, source.file);
    return true;
}

const struct list_source models_source = {.title = "model or experiment",
                                          .count = models_count,
                                          .row = models_row,
                                          .open = models_choose,
                                          .filter = true,
                                          .detail = 6};

static void models_end(struct workbench *wb)
{
    ca_shipped_free(shelf_of(wb)->file, shelf_of(wb)->count);
}

static void models_open(struct workbench *wb)
{
    struct shelf *shelf = shelf_of(wb);
    struct ca_error error;

    models_end(wb);
    if (ca_shipped_find(&shelf->file, &shelf->count, &error) != CA_OK)
        message_warn(wb, "%s", error.text);
    list_open(wb, &models_source);
}

static const struct part_action models_actions[] = {
    {REQUEST_MODEL, models_open},
    {REQUEST_NONE, NULL},
};

const struct part models_part = {.name = "models",
                                 .state_bytes = sizeof(struct shelf),
                                 .actions = models_actions,
                                 .end = models_end};
