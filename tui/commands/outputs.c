/* SPDX-License-Identifier: MIT */
/* This file decides which files a run writes when, and prints their names. */
#include "tui/commands/outputs.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/engine/experiment_json.h"
#include "core/files/file.h"
#include "core/files/film.h"
#include "core/files/formats.h"
#include "core/files/series.h"
#include "core/files/lock.h"
#include "core/machine/device.h"
#include "core/sim/fields.h"
#include "core/sim/output.h"
#include "tui/commands/progress.h"

/* --- jobs ------------------------------------------------------------------------------------- */

#define SHARE 8 /* of the memory that is available, a copy takes one */

static uint64_t state_bytes(const struct ca_setup *setup)
{
    return (uint64_t)ca_cells(setup->size) * (uint64_t)setup->model->planes *
           ca_type_bytes(setup->model->type);
}

/* Whether there is memory to write a state or picture beside the simulation: an eighth of what is
 * available; else it is written straight from it. */
static bool output_job_fits(const struct ca_output *output, const struct ca_simulation *simulation)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    uint64_t available = ca_memory_available(), bytes;

    if (output->field || output->film) /* a window is there, and films are of small pictures */
        return true;
    bytes = output->picture ? (uint64_t)ca_snapshot_bytes(output->path, &output->snapshot,
                                                          setup->model, setup->size)
                            : state_bytes(setup);
    return !available || bytes <= available / SHARE;
}

/* --- taking ----------------------------------------------------------------------------------- */

static enum ca_status output_job_take(struct output_job *job, struct ca_window *window,
                                      struct ca_simulation *simulation, struct ca_error *error)
{
    if (job->output->picture)
        return ca_snapshot_take(&job->picture, job->output->path, &job->output->snapshot,
                                simulation, error);
    if (!job->output->field) {
        struct ca_row_source source = ca_simulation_source(simulation), copy;

        CA_TRY(ca_lattice_alloc(&job->state, source.size, source.type, source.planes, error));
        CA_TRY(ca_simulation_rows(simulation, job->state.plane, 0, ca_rows(source.size), error));
        copy = ca_lattice_source(&job->state);
        job->source = source; /* with its run and generation */
        job->source.rows = copy.rows;
        job->source.context = copy.context;
        return CA_OK;
    }
    job->window = *window;
    *window = (struct ca_window){0};
    return CA_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

static enum ca_status write_it(struct output_job *job, struct ca_error *error)
{
    if (job->film)
        return ca_film_add(job->film, job->picture.bytes, error);
    if (job->output->picture)
        return ca_picture_write(job->path, &job->picture, error);
    if (job->output->field)
        return ca_window_write(&job->window, job->output->field, job->path, error);
    return ca_state_write(job->path, job->model, &job->source, error);
}

static void *output_job_work(void *context)
{
    struct output_job *job = context;

    job->status = write_it(job, &job->error);
    return NULL;
}

static void free_all(struct output_job *job)
{
    ca_picture_free(&job->picture);
    ca_lattice_free(&job->state);
    ca_window_close(&job->window);
}

/* Takes what is to be written of the present state, a window as it is, and begins. CA_IO,
 * CA_NO_MEMORY, or what reading the state has failed with. */
static enum ca_status output_job_begin(struct output_job *job, const struct ca_output *output,
                                       const char *path, struct ca_film *film,
                                       struct ca_window *window, struct ca_simulation *simulation,
                                       struct ca_error *error)
{
    enum ca_status status;

    *job = (struct output_job){.output = output,
                               .model = ca_simulation_setup(simulation)->model,
                               .generation = ca_simulation_generation(simulation),
                               .film = film};
    strcpy(job->path, path);
    status = output_job_take(job, window, simulation, error);
    if (status != CA_OK) {
        free_all(job);
        return status;
    }
    job->begun = true;
    job->has_thread = pthread_create(&job->thread, NULL, output_job_work, job) == 0;
    if (!job->has_thread)
        output_job_work(job);
    return CA_OK;
}

enum ca_status outputs_open(struct outputs *outputs, const struct ca_outputs *wanted,
                            const struct ca_experiment *experiment, uint64_t goal,
                            struct ca_error *error)
{
    *outputs = (struct outputs){
        .wanted = wanted, .experiment = experiment, .first = ca_experiment_first(experiment)};
    CA_TRY(ca_outputs_check(wanted, experiment, goal, error));
    for (int i = 0; i < wanted->count; i++) {
        struct output_file *file = &outputs->file[i];

        CA_TRY(ca_output_parse(&file->output, experiment->model, wanted->text[i], error));
        CA_TRY(ca_series_check(file->output.path, &file->series, error));
        file->period = ca_output_period(wanted, file->series, goal);
        ca_temporary_clean(file->output.path); /* of runs that were killed */
    }
    return CA_OK;
}

enum ca_status outputs_begin(struct outputs *outputs, const struct ca_simulation *simulation,
                             struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);

    CA_TRY(ca_outputs_check_lattice(outputs->wanted, ca_simulation_experiment(simulation), error));
    for (int i = 0; i < outputs->wanted->count; i++) {
        struct output_file *file = &outputs->file[i];
        struct ca_film_shape shape = ca_output_film(&file->output, setup->size);

        if (file->output.film)
            CA_TRY(ca_film_begin(&file->film, file->output.path, &shape, error));
    }
    return CA_OK;
}

/* The generation as the windows of a file count it: those of a series from generation 0 on, that of
 * the run from its begin. */
static uint64_t counted(const struct outputs *outputs, const struct output_file *file,
                        uint64_t generation)
{
    return file->series ? generation : generation - outputs->first;
}

/* Generations from this one, as it is counted, to the next whose state a window counts. */
static uint64_t to_sample(const struct output_file *file, uint64_t generation)
{
    uint64_t end, first, every = file->output.every;

    if (!file->output.field || !file->period)
        return UINT64_MAX;
    end = (generation / file->period + 1) * file->period;
    first = end - file->output.window + every; /* of this window */
    return generation < first ? first - generation : every - (generation - first) % every;
}

uint64_t outputs_distance(const struct outputs *outputs, uint64_t generation)
{
    uint64_t every = outputs->wanted->every;
    uint64_t least = every ? every - generation % every : UINT64_MAX;

    for (int i = 0; i < outputs->wanted->count; i++) {
        const struct output_file *file = &outputs->file[i];
        uint64_t distance = to_sample(file, counted(outputs, file, generation));

        least = distance < least ? distance : least;
    }
    return least;
}

uint64_t outputs_count(const struct outputs *outputs)
{
    uint64_t count = 0;

    for (int i = 0; i < outputs->wanted->count; i++)
        count += outputs->file[i].count;
    return count;
}

/* Whether the state of a generation, as it is counted, counts in a window. That of generation 0 is
 * the first of a series, but ends no window of several generations. */
static bool is_sample(const struct output_file *file, uint64_t generation)
{
    uint64_t before;

    if (!file->output.field || !file->period)
        return false;
    before = (file->period - generation % file->period) % file->period; /* the window's end */
    return before < file->output.window && before % file->output.every == 0 &&
           (generation > 0 || (file->series && file->output.window == 1));
}

static enum ca_status sample(const struct outputs *outputs, struct output_file *file,
                             struct ca_simulation *simulation, struct ca_error *error)
{
    if (!file->window.sums) {
        CA_TRY(ca_window_open(&file->window, simulation,
                              ca_output_block(&file->output, outputs->experiment->size), error));
        CA_TRY(ca_window_want(&file->window, file->output.field, error));
    }
    return ca_window_sample(&file->window, simulation, error);
}

/* Ends a table; the rows that could be written stay. */
static enum ca_status end_rows(struct output_file *file, struct ca_error *error)
{
    struct ca_file_writer writer = file->writer;

    file->writer.stream = NULL;
    return ca_file_commit_table(&writer, error);
}

static enum ca_status outputs_failed(const struct outputs *outputs, const struct ca_error *cause,
                                     struct ca_error *error)
{
    uint64_t before = outputs_count(outputs);

    if (before)
        return ca_fail(error, cause->status,
                       "%.400s; the files written before it are whole: %" PRIu64, cause->text,
                       before);
    *error = *cause;
    return cause->status;
}

static void count(struct output_file *file, uint64_t generation)
{
    file->last = generation;
    file->count++;
}

static enum ca_status end_job(const struct outputs *outputs, struct output_file *file,
                              struct ca_error *error)
{
    struct output_job *job = &file->job;

    if (!job->begun)
        return CA_OK;
    if (job->has_thread)
        pthread_join(job->thread, NULL);
    job->begun = false;
    free_all(job);
    if (job->status != CA_OK)
        return outputs_failed(outputs, &job->error, error);
    if (file->output.film)
        file->last = job->generation;
    else
        count(file, job->generation);
    return CA_OK;
}

/* Writes a file from the simulation itself, which waits. */
static enum ca_status write_straight(const struct output_file *file, const char *path,
                                     struct ca_simulation *simulation, struct ca_error *error)
{
    struct ca_row_source source = ca_simulation_source(simulation);

    if (file->output.picture)
        return ca_snapshot_write(path, &file->output.snapshot, simulation, error);
    return ca_state_write(path, source.setup->model, &source, error);
}

static enum ca_status write_file(const struct outputs *outputs, struct output_file *file,
                                 struct ca_simulation *simulation, struct ca_error *error)
{
    const uint64_t generation = ca_simulation_generation(simulation);
    char path[CA_SERIES_PATH_MAX];
    struct ca_error cause;

    CA_TRY(end_job(outputs, file, error));
    if (file->output.field && !file->window.states) /* the end was not known */
        CA_TRY(sample(outputs, file, simulation, error));
    ca_series_path(path, file->output.path, generation);
    if (output_job_fits(&file->output, simulation)) {
        if (output_job_begin(&file->job, &file->output, path, file->film, &file->window, simulation,
                             &cause) != CA_OK)
            return outputs_failed(outputs, &cause, error);
    } else {
        if (write_straight(file, path, simulation, &cause) != CA_OK)
            return outputs_failed(outputs, &cause, error);
        count(file, generation);
    }
    return CA_OK;
}

enum ca_status outputs_step(struct outputs *outputs, struct ca_simulation *simulation,
                            struct ca_error *error)
{
    uint64_t generation = ca_simulation_generation(simulation);
    uint64_t every = outputs->wanted->every;

    for (int i = 0; i < outputs->wanted->count; i++) {
        struct output_file *file = &outputs->file[i];

        if (is_sample(file, counted(outputs, file, generation)))
            CA_TRY(sample(outputs, file, simulation, error));
        if (!every || generation % every)
            continue;
        if (file->output.observables) {
            const struct ca_format *format = ca_format_of(file->output.path);
            const struct ca_model *model = ca_simulation_setup(simulation)->model;
            double values[CA_OBSERVABLES_MAX];

            /* A row of observables, and before the first one the names. */
            CA_TRY(ca_simulation_observe(simulation, values, error));
            if (!file->writer.stream) {
                CA_TRY(ca_file_begin(&file->writer, file->output.path, error));
                format->observable_names(file->writer.stream, model);
            }
            format->observable_row(file->writer.stream, model, ca_simulation_generation(simulation),
                                   values);
            CA_TRY(ferror(file->writer.stream) ? end_rows(file, error) : CA_OK);
        }
        if (file->output.film ||
            (file->series && (generation > outputs->first || file->output.window == 1)))
            CA_TRY(write_file(outputs, file, simulation, error));
    }
    return CA_OK;
}

/* Ends what is of all generations, once the last of them has been added. */
static enum ca_status outputs_gather(struct outputs *outputs, struct output_file *file,
                                     struct ca_error *error)
{
    enum ca_status status = CA_OK;
    struct ca_error cause;
    uint64_t last = file->last;

    if (file->writer.stream)
        status = end_rows(file, &cause);
    else if (file->film) {
        struct ca_film *film = file->film;

        file->film = NULL;
        status = ca_film_end(film, &cause);
    } else
        return CA_OK;
    if (status != CA_OK)
        return outputs_failed(outputs, &cause, error);
    count(file, last);
    return CA_OK;
}

/* All are ended; the first failure is told. */
enum ca_status outputs_stop(struct outputs *outputs, struct ca_error *error)
{
    enum ca_status status = CA_OK;
    struct ca_error other = {.text = ""};

    for (int i = 0; i < outputs->wanted->count; i++) {
        struct output_file *file = &outputs->file[i];
        struct ca_error *to = status == CA_OK ? error : &other;
        enum ca_status ended = end_job(outputs, file, to);

        if (ended == CA_OK)
            ended = outputs_gather(outputs, file, to);
        status = status == CA_OK ? ended : status;
    }
    return status;
}

enum ca_status outputs_last(struct outputs *outputs, struct ca_simulation *simulation,
                            struct ca_error *error)
{
    for (int i = 0; i < outputs->wanted->count && !stopped_by; i++) {
        struct output_file *file = &outputs->file[i];

        if (!file->series && !file->output.observables && !file->output.film)
            CA_TRY(write_file(outputs, file, simulation, error));
    }
    return outputs_stop(outputs, error);
}

void outputs_close(struct outputs *outputs)
{
    struct ca_error ignored;

    for (int i = 0; i < outputs->wanted->count; i++) {
        end_job(outputs, &outputs->file[i], &ignored);
        outputs_gather(outputs, &outputs->file[i], &ignored);
        ca_window_close(&outputs->file[i].window);
    }
}

/* The paths of the first and the last file of output i. */
static void ends(const struct outputs *outputs, int i, char first[CA_SERIES_PATH_MAX],
                 char last[CA_SERIES_PATH_MAX])
{
    const struct output_file *file = &outputs->file[i];
    const char *name = file->output.path;
    uint64_t every = file->series ? file->period : 1, begin = outputs->first;

    begin = (begin + every - 1) / every * every;
    ca_series_path(first, name, file->output.window > 1 ? begin + every : begin);
    ca_series_path(last, name, outputs->file[i].last);
}

void outputs_print(const struct outputs *outputs)
{
    char first[CA_SERIES_PATH_MAX], last[CA_SERIES_PATH_MAX];

    for (int i = 0; i < outputs->wanted->count; i++) {
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

    for (int i = 0; i < outputs->wanted->count; i++) {
        ends(outputs, i, first, last);
        json_array_append_new(list, json_pack("{s:o, s:I, s:o, s:o}", "name",
                                              ca_json_text(outputs->wanted->text[i]), "count",
                                              (json_int_t)outputs->file[i].count, "first",
                                              ca_json_text(first), "last", ca_json_text(last)));
    }
    return list;
}
