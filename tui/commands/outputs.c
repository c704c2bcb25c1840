/* SPDX-License-Identifier: MIT */
/* Owns which files a run writes when, and what it tells of them. */
#include "tui/commands/outputs.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/engine/experiment_json.h"
#include "core/files/file.h"
#include "core/files/series.h"
#include "tui/commands/progress.h"

enum ca_status outputs_open(struct outputs *outputs, const struct ca_experiment *experiment,
                            uint64_t goal, struct ca_error *error)
{
    *outputs = (struct outputs){.experiment = experiment};
    CA_TRY(ca_experiment_check_series(experiment, error));
    for (int i = 0; i < experiment->outputs; i++) {
        const char *name = experiment->output[i];
        char path[CA_SERIES_PATH_MAX];
        bool *series = &outputs->file[i].series;

        CA_TRY(ca_series_check(name, series, error));
        CA_TRY(ca_state_writable(ca_series_path(path, name, 0), experiment->model, error));
        /* The last name is the longest. */
        if (*series && goal < UINT64_MAX)
            CA_TRY(ca_state_writable(ca_series_path(path, name, goal - goal % experiment->every),
                                     experiment->model, error));
    }
    return CA_OK;
}

uint64_t outputs_distance(const struct outputs *outputs, uint64_t generation)
{
    uint64_t every = outputs->experiment->every;

    return every ? every - generation % every : UINT64_MAX;
}

uint64_t outputs_count(const struct outputs *outputs)
{
    uint64_t count = 0;

    for (int i = 0; i < outputs->experiment->outputs; i++)
        count += outputs->file[i].count;
    return count;
}

static enum ca_status write_file(struct outputs *outputs, int i, struct ca_simulation *simulation,
                                 struct ca_error *error)
{
    const struct ca_experiment *experiment = outputs->experiment;
    struct ca_row_source source = ca_simulation_source(simulation);
    uint64_t generation = ca_simulation_generation(simulation), before = outputs_count(outputs);
    char path[CA_SERIES_PATH_MAX];
    struct ca_error cause;
    enum ca_status status = ca_state_write(ca_series_path(path, experiment->output[i], generation),
                                           experiment->model, &source, &cause);

    if (status == CA_OK) {
        outputs->file[i].count++;
        outputs->file[i].last = generation;
    } else if (before) {
        ca_error_set(error, status, "%.400s; the files written before it are whole: %" PRIu64,
                     cause.text, before);
    } else {
        *error = cause;
    }
    return status;
}

enum ca_status outputs_step(struct outputs *outputs, struct ca_simulation *simulation,
                            struct ca_error *error)
{
    uint64_t every = outputs->experiment->every;

    if (!every || ca_simulation_generation(simulation) % every)
        return CA_OK;
    for (int i = 0; i < outputs->experiment->outputs; i++)
        if (outputs->file[i].series)
            CA_TRY(write_file(outputs, i, simulation, error));
    return CA_OK;
}

enum ca_status outputs_last(struct outputs *outputs, struct ca_simulation *simulation,
                            struct ca_error *error)
{
    for (int i = 0; i < outputs->experiment->outputs && !stopped_by; i++)
        if (!outputs->file[i].series)
            CA_TRY(write_file(outputs, i, simulation, error));
    return CA_OK;
}

/* The paths of the first and the last file of output i. */
static void ends(const struct outputs *outputs, int i, char first[CA_SERIES_PATH_MAX],
                 char last[CA_SERIES_PATH_MAX])
{
    const char *name = outputs->experiment->output[i];

    ca_series_path(first, name, 0);
    ca_series_path(last, name, outputs->file[i].last);
}

void outputs_print(const struct outputs *outputs)
{
    char first[CA_SERIES_PATH_MAX], last[CA_SERIES_PATH_MAX];

    for (int i = 0; i < outputs->experiment->outputs; i++) {
        ends(outputs, i, first, last);
        if (outputs->file[i].series)
            printf("files: %s ... %s, %" PRIu64 "\n", ca_plain(first), ca_plain(last),
                   outputs->file[i].count);
        else
            printf("file: %s\n", ca_plain(last));
    }
}

json_t *outputs_json(const struct outputs *outputs)
{
    char first[CA_SERIES_PATH_MAX], last[CA_SERIES_PATH_MAX];
    json_t *list = json_array();

    for (int i = 0; i < outputs->experiment->outputs; i++) {
        ends(outputs, i, first, last);
        json_array_append_new(list, json_pack("{s:o, s:I, s:o, s:o}", "name",
                                              ca_json_text(outputs->experiment->output[i]), "count",
                                              (json_int_t)outputs->file[i].count, "first",
                                              ca_json_text(first), "last", ca_json_text(last)));
    }
    return list;
}
