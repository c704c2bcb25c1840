/* SPDX-License-Identifier: MIT */
/* This file decides when a run writes its checkpoint, and which one it goes on from. */
#include "tui/commands/run_checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/files/file.h"
#include "core/files/lock.h"
#include "core/sim/output.h"
#include "tui/commands/commands.h"
#include "tui/commands/progress.h"

#define EVERY_S 600
#define EVERY_S_MAX 1e7

/* A run that --seconds ends takes up any checkpoint; another one's target is a generation, at which
 * a checkpoint may be, since scripts of jobs repeat their command, but not beyond. */
static enum ca_status resume(const char *path, bool by_time, struct ca_experiment *experiment,
                             struct ca_error *error)
{
    uint64_t first = ca_experiment_first(experiment), end = first + experiment->steps, at;

    CA_TRY(ca_experiment_go_on(experiment, path, error));
    at = experiment->state_generation;
    if (by_time)
        return CA_OK;
    if (at > end)
        return ca_fail(error, CA_USAGE,
                       "--resume: %.300s is at generation %" PRIu64 ", and with --steps %" PRIu64
                       " the run ends at %" PRIu64 "; allowed: --steps %" PRIu64 " or more",
                       path, at, end - first, end, at - first);
    experiment->steps = end - at;
    return CA_OK;
}

enum ca_status run_checkpoint_open(struct run_checkpoint *checkpoint, const struct options *options,
                                   const struct ca_outputs *outputs,
                                   struct ca_experiment *experiment, struct ca_error *error)
{
    const char *path = options_value(options, OPTION_CHECKPOINT);
    static const enum option_id others[] = {OPTION_EVERY_S, OPTION_RESUME};

    *checkpoint = (struct run_checkpoint){.path = path, .every_s = EVERY_S, .last_s = ca_now()};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (options_has(options, others[i]) && !options_has(options, OPTION_CHECKPOINT))
            return ca_fail(error, CA_USAGE, "--%s: goes with --checkpoint FILE.h5",
                           option_rows[others[i]].name);
    CA_TRY(choose_number(&checkpoint->every_s, options, OPTION_EVERY_S, 0, EVERY_S_MAX, error));
    if (!path)
        return CA_OK;
    if (!ca_state_has_run(path))
        return ca_fail(error, CA_USAGE,
                       "--checkpoint: '%.200s' is not allowed: a file that ends in .h5", path);
    /* A run that goes on has not seen the generations before. */
    for (int i = 0; i < outputs->count; i++) {
        struct ca_output output;

        CA_TRY(ca_output_parse(&output, outputs->model, outputs->text[i], error));
        if (ca_output_gathers(&output) || output.window > 1)
            return ca_fail(error, CA_USAGE,
                           "'%.200s' needs all generations, which a run that goes on from its "
                           "checkpoint does not see",
                           outputs->text[i]);
    }
    CA_TRY(ca_state_writable(path, experiment->model, error));
    ca_temporary_clean(path);
    if (access(path, F_OK) != 0)
        return CA_OK;
    if (options_has(options, OPTION_RESUME))
        return resume(path, options_has(options, OPTION_SECONDS), experiment, error);
    return ca_fail(error, CA_USAGE,
                   "--checkpoint: %.300s is there already: --resume goes on from it", path);
}

enum ca_status run_checkpoint_write(struct run_checkpoint *checkpoint,
                                    struct ca_simulation *simulation, struct ca_error *error)
{
    struct ca_row_source source = ca_simulation_source(simulation);
    enum ca_status status;

    if (!checkpoint->path)
        return CA_OK;
    checkpoint_asked = 0;
    status =
        ca_state_write(checkpoint->path, ca_simulation_setup(simulation)->model, &source, error);
    checkpoint->last_s = ca_now();
    return status;
}

void run_checkpoint_tick(struct run_checkpoint *checkpoint, struct ca_simulation *simulation)
{
    struct ca_error error;

    if (!checkpoint->path ||
        (!checkpoint_asked && ca_now() - checkpoint->last_s < checkpoint->every_s))
        return;
    if (run_checkpoint_write(checkpoint, simulation, &error) == CA_OK)
        return;
    progress_clear();
    fprintf(stderr, "calab run: %s; the run goes on at generation %" PRIu64 "\n", error.text,
            ca_simulation_generation(simulation));
}
