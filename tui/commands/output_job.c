/* SPDX-License-Identifier: MIT */
/* A job copies what is to be written of a state, and a thread writes the copy. */
#include "tui/commands/output_job.h"

#include <string.h>

#include "core/files/file.h"
#include "core/machine/device.h"

#define SHARE 8 /* of the memory that is available, a copy takes one */

static uint64_t state_bytes(const struct ca_setup *setup)
{
    return (uint64_t)ca_cells(setup->size) * (uint64_t)setup->model->planes *
           ca_type_bytes(setup->model->type);
}

bool output_job_fits(const struct ca_output *output, const struct ca_simulation *simulation)
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

static enum ca_status take_state(struct output_job *job, struct ca_simulation *simulation,
                                 struct ca_error *error)
{
    struct ca_row_source source = ca_simulation_source(simulation), copy;

    CA_TRY(ca_lattice_alloc(&job->state, source.size, source.type, source.planes, error));
    CA_TRY(ca_simulation_rows(simulation, job->state.plane, 0, ca_rows(source.size), error));
    copy = ca_lattice_source(&job->state);
    job->source = source; /* with its run and generation */
    job->source.rows = copy.rows;
    job->source.context = copy.context;
    return CA_OK;
}

static enum ca_status output_job_take(struct output_job *job, struct ca_window *window,
                                      struct ca_simulation *simulation, struct ca_error *error)
{
    if (job->output->picture)
        return ca_snapshot_take(&job->picture, job->output->path, &job->output->snapshot,
                                simulation, error);
    if (!job->output->field)
        return take_state(job, simulation, error);
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

enum ca_status output_job_begin(struct output_job *job, const struct ca_output *output,
                                const char *path, struct ca_film *film, struct ca_window *window,
                                struct ca_simulation *simulation, struct ca_error *error)
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

enum ca_status output_job_end(struct output_job *job, bool *done, struct ca_error *error)
{
    *done = job->begun;
    if (!job->begun)
        return CA_OK;
    if (job->has_thread)
        pthread_join(job->thread, NULL);
    job->begun = false;
    free_all(job);
    if (job->status != CA_OK)
        *error = job->error;
    return job->status;
}
