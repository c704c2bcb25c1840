/* SPDX-License-Identifier: MIT */
/* The picker of models lists under each model the experiments that come with calab, and in a
 * section of their own the patterns, and opens what is chosen. */
#include "tui/workbench/lists/lists.h"

#include <stdio.h>
#include <string.h>

#include "core/sim/shipped.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"

extern const struct part models_part;

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

/* Files of a model, or without one those of models in files, or those that are wrong; of patterns
 * all. Their items are their places on the shelf. The first has a heading above it, if that is
 * given. */
static void add_files(const struct workbench *wb, bool patterns, const struct ca_model *model,
                      const char *heading)
{
    const struct shelf *shelf = shelf_of(wb);
    bool in_files = heading && !patterns;

    for (int i = 0; i < shelf->count; i++) {
        const struct ca_shipped *file = &shelf->file[i];
        struct list_row *row;
        int length, width;
        const char *of;

        if (file->is_pattern != patterns || (!patterns && file->model != model) ||
            (!patterns && (file->file[0] != '\0') != in_files) || !is_listed(wb, file))
            continue;
        if (heading)
            list_add(0, "%s", heading)->heading = true;
        heading = NULL;
        /* "  name  MODEL  what it is", the model of patterns alone. */
        length = (int)strlen(file->name) - (patterns ? 0 : (int)strlen(".cfg"));
        width = patterns ? 14 : 18;
        of = patterns && file->model ? file->model->name : "";
        row = list_add(i, "  %-*.*s %-*s%.150s%.80s", length < width ? width : length, length,
                       file->name, of[0] ? 7 : 0, of, ca_shipped_is_right(file) ? "" : "wrong: ",
                       ca_shipped_is_right(file) ? file->title : file->error.text);
        row->disabled = !ca_shipped_is_right(file);
        if (row->disabled)
            snprintf(row->detail, sizeof row->detail, "%s", file->error.text);
        else
            snprintf(row->detail, sizeof row->detail, "%s%.380s%s%s%s%s%.380s",
                     file->look_for[0] ? "look for: " : "", file->look_for,
                     file->look_for[0] ? "\n" : "", patterns ? "pattern: " : "", file->title,
                     file->origin[0] ? "\nfrom: " : "", file->origin);
    }
}

/* The models in their order, with items below 0, each followed by its experiments; then those that
 * are wrong, those of models in files, and the patterns. */
static void models_fill(struct workbench *wb)
{
    for (int m = 0; ca_models[m]; m++) {
        struct list_row *row =
            list_add(-1 - m, "%-10s %s", ca_models[m]->name, ca_models[m]->title);

        row->current = ca_models[m] == wb->pane->experiment.model;
        snprintf(row->detail, sizeof row->detail, "%s", ca_models[m]->summary);
        add_files(wb, false, ca_models[m], NULL);
    }
    add_files(wb, false, NULL, NULL);
    add_files(wb, false, NULL, "models in files");
    add_files(wb, true, NULL, "patterns");
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
    if (model->opens && !ca_settings_knows(pane->wb->settings, model)) {
        choose_file(pane, model->opens);
        return;
    }
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

static struct ca_experiment wanted; /* too large for the stack */

void choose_file(struct pane *pane, const char *text)
{
    struct ca_error error;

    pane->outputs = (struct ca_outputs){0}; /* those of the file take their place */
    ca_experiment_default(&wanted, pane->experiment.model);
    choose_read(pane, ca_shipped_open(&wanted, &pane->outputs, text, &error), &wanted, &error);
}

static bool models_choose(struct workbench *wb, const struct list_row *row)
{
    const struct ca_shipped *file = row->item < 0 ? NULL : &shelf_of(wb)->file[row->item];
    struct ca_error error;

    if (!file) {
        choose_model(wb->pane, ca_models[-1 - row->item]);
    } else if (!ca_shipped_is_right(file)) {
        message_warn(wb, "%s", file->error.text);
        return false;
    } else {
        wb->pane->outputs = (struct ca_outputs){0};
        ca_experiment_default(&wanted, wb->pane->experiment.model);
        choose_read(wb->pane, ca_shipped_read(&wanted, &wb->pane->outputs, file, &error), &wanted,
                    &error);
    }
    return true;
}

static const struct list_source models_source = {.title = "model or experiment",
                                                 .fill = models_fill,
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

const struct part models_part = {.name = "models",
                                 .state_bytes = sizeof(struct shelf),
                                 .actions = {{REQUEST_MODEL, models_open}},
                                 .end = models_end};
