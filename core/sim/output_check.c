/* SPDX-License-Identifier: MIT */
/* Checks the outputs of an experiment: what run, and the check of its file, refuse. */
#include "core/sim/output_check.h"

#include <inttypes.h>

#include "core/files/formats.h"
#include "core/files/series.h"
#include "core/sim/simulation.h"
#include "core/sim/view.h"

uint64_t ca_output_period(const struct ca_outputs *outputs, bool series, uint64_t goal)
{
    return series ? outputs->every : goal < UINT64_MAX ? goal : 0;
}

/* The windows of an output end with the run or with each file of a series. */
static enum ca_status check_window(const struct ca_outputs *outputs,
                                   const struct ca_experiment *experiment,
                                   const struct ca_output *output, bool series, uint64_t goal,
                                   struct ca_error *error)
{
    uint64_t period = ca_output_period(outputs, series, goal);
    uint64_t first = ca_experiment_first(experiment);

    if (series && output->window > 1 && first % period)
        return ca_fail(error, CA_USAGE,
                       "the run begins with generation %" PRIu64 ", in the middle of a window of "
                       "generations: windows end with each %" PRIu64 " of them",
                       first, period);
    if (output->window == 1 || (period && output->window <= period))
        return CA_OK;
    if (!series && goal == UINT64_MAX)
        return ca_fail(error, CA_USAGE,
                       "a window needs a number of generations (--steps), not of seconds");
    return ca_fail(error, CA_USAGE,
                   "a window of %" PRIu64 " generations is longer than the %" PRIu64 " %s",
                   output->window, period, series ? "from one file to the next" : "of the run");
}

static enum ca_status check_output(const struct ca_outputs *outputs,
                                   const struct ca_experiment *experiment, const char *text,
                                   uint64_t goal, struct ca_error *error)
{
    uint64_t last = ca_experiment_first(experiment) + goal;
    struct ca_output output;
    char path[CA_SERIES_PATH_MAX];
    bool series;

    CA_TRY(ca_output_parse(&output, experiment->model, text, error));
    CA_TRY(ca_series_check(output.path, &series, error));
    if (ca_output_gathers(&output) && series)
        return ca_fail(error, CA_USAGE, "%.300s: %s of all generations go into one file",
                       output.path, output.film ? "pictures" : "observables");
    CA_TRY(ca_output_writable(&output, experiment->model, ca_series_path(path, output.path, 0),
                              error));
    /* The last name is the longest. */
    if (series && goal < UINT64_MAX)
        CA_TRY(ca_output_writable(&output, experiment->model,
                                  ca_series_path(path, output.path, last - last % outputs->every),
                                  error));
    return check_window(outputs, experiment, &output, series, goal, error);
}

enum ca_status ca_outputs_check(const struct ca_outputs *outputs,
                                const struct ca_experiment *experiment, uint64_t goal,
                                struct ca_error *error)
{
    CA_TRY(ca_outputs_check_series(outputs, error));
    for (int i = 0; i < outputs->count; i++)
        CA_TRY(check_output(outputs, experiment, outputs->text[i], goal, error));
    return CA_OK;
}

struct ca_film_shape ca_output_film(const struct ca_output *output, struct ca_size lattice)
{
    struct ca_film_shape shape = {.scale = output->snapshot.scale, .rate = output->rate};
    int64_t slices;

    ca_view_extent(lattice, output->snapshot.axis, &shape.w, &shape.h, &slices);
    return shape;
}

enum ca_status ca_outputs_check_lattice(const struct ca_outputs *outputs,
                                        const struct ca_experiment *experiment,
                                        struct ca_error *error)
{
    const struct ca_setup setup = ca_setup_of(experiment);

    for (int i = 0; i < outputs->count; i++) {
        const struct ca_format *format;
        struct ca_film_shape film;
        struct ca_output output;

        CA_TRY(ca_output_parse(&output, experiment->model, outputs->text[i], error));
        format = ca_format_of(output.path);
        if (output.picture)
            CA_TRY(ca_snapshot_check(&output.snapshot, setup.model, setup.size, error));
        else if (format && format->check)
            CA_TRY(format->check(&setup, error));
        film = ca_output_film(&output, setup.size);
        if (output.film)
            CA_TRY(ca_film_check_shape(output.path, &film, error));
    }
    return CA_OK;
}
