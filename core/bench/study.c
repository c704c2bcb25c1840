/* SPDX-License-Identifier: MIT */
/* This file makes the lines of an experiment that is cut in several ways, and the lattices of a
 * study of weak or strong scaling. */
#include <stdlib.h>

#include "core/bench/plan.h"
#include "core/bench/scaling.h"
#include "core/sim/simulation.h"

static int64_t *study_layers_of(struct ca_experiment *e)
{
    return e->model->dimensions == 3 ? &e->size.d : &e->size.h;
}

/* The lattice with so many layers. CA_USAGE where the model or a file does not allow it. */
static enum ca_status set_layers(struct ca_experiment *e, int64_t layers, struct ca_error *error)
{
    int64_t before = *study_layers_of(e);

    *study_layers_of(e) = layers;
    if (layers != before)
        e->origin[CA_KEY_SIZE] = CA_FROM_COMMAND_LINE;
    CA_TRY(ca_size_check(e->size, e->model->dimensions, "size", error));
    CA_TRY(ca_experiment_check(e, error));
    if (*study_layers_of(e) != layers)
        return ca_fail(error, CA_USAGE, "a file of the experiment says how large the lattice is");
    return CA_OK;
}

static struct ca_bench_line *last_line(struct ca_bench *bench)
{
    return &bench->line[bench->count - 1];
}

/* Gives a line of a GPU a group of its own in a study, so that its memory is freed before the next:
 * each of them may fill the GPUs that it is on. */
static void stand_alone(struct ca_bench *bench)
{
    struct ca_bench_line *line = last_line(bench);

    for (int i = 0; i < bench->count - 1; i++)
        if (bench->scaling != CA_SCALING_NONE && line->experiment.backend->device == CA_CUDA &&
            bench->line[i].group == line->group) {
            line->group = bench->groups++;
            return;
        }
}

/* --- shares ---------------------------------------------------------------------------------- */

/* Whether the study has a line of the base's ranks on so many layers. */
static bool has_share(struct ca_bench *bench, int study, int64_t layers)
{
    for (int i = 0; i < bench->count; i++)
        if (bench->line[i].study == study && bench->line[i].share &&
            *study_layers_of(&bench->line[i].experiment) == layers)
            return true;
    return false;
}

/* The base's ranks on the largest share that these ranks have of the lattice, which is what they
 * would take if there were no halos. Without one, where the model does not allow that size, no
 * ceiling is known. */
static enum ca_status add_share(struct ca_bench *bench, const struct ca_bench_spec *spec,
                                const struct ca_experiment *base, int ranks, int study,
                                struct ca_error *error)
{
    struct ca_experiment *e = malloc(sizeof *e);
    struct ca_error ignored;
    enum ca_status status = CA_OK;
    int64_t layers;

    if (!e)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    *e = *base;
    layers = ca_bench_share_layers(*study_layers_of(e), ca_bench_ranks(e), ranks);
    if (layers < *study_layers_of(e) && !has_share(bench, study, layers) &&
        set_layers(e, layers, &ignored) == CA_OK) {
        status = bench_add_line(bench, e, spec->label, spec->machine, error);
        if (status == CA_OK) {
            last_line(bench)->study = study;
            last_line(bench)->share = true;
            stand_alone(bench);
        }
    }
    free(e);
    return status;
}

/* --------------------------------------------------------------------------------------------- */

/* Adds the line of cut i; *base becomes the experiment of the first. */
static enum ca_status add_cut(struct ca_bench *bench, const struct ca_bench_spec *spec, int i,
                              int study, struct ca_experiment *e, struct ca_experiment *base,
                              const char *where, struct ca_error *error)
{
    CA_TRY(ca_bench_cut_set(e, &spec->cuts.cut[i], where, error));
    if (bench->scaling == CA_SCALING_WEAK) {
        int ranks = ca_bench_ranks(e);
        int64_t layers = *study_layers_of(e);
        struct ca_error cause;
        char size[64];

        if (layers > INT64_MAX / ranks || set_layers(e, layers * ranks, &cause) != CA_OK) {
            *study_layers_of(e) = layers;
            return ca_fail(error, CA_USAGE, "--weak: %d times the layers of %s of %s: %.300s",
                           ranks, ca_size_format(size, e->size, e->model->dimensions),
                           e->model->name,
                           layers > INT64_MAX / ranks ? "there are too many" : cause.text);
        }
    }
    CA_TRY(bench_add_line(bench, e, spec->label, spec->machine, error));
    last_line(bench)->study = study;
    last_line(bench)->cut = i;
    stand_alone(bench);
    if (i == 0)
        *base = *e;
    else if (bench->scaling == CA_SCALING_STRONG)
        CA_TRY(add_share(bench, spec, base, ca_bench_ranks(e), study, error));
    return CA_OK;
}

enum ca_status bench_add_cuts(struct ca_bench *bench, const struct ca_bench_spec *spec,
                              const struct ca_experiment *experiment, const char *where,
                              struct ca_error *error)
{
    struct ca_experiment *copy;
    enum ca_status status = CA_OK;
    int study = bench->studies;

    if (spec->cuts.count == 0)
        return bench_add_line(bench, experiment, spec->label, spec->machine, error);
    if (!ca_bench_cuts_fit(&spec->cuts, experiment->backend))
        return CA_OK;
    copy = malloc(2 * sizeof *copy);
    if (!copy)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    for (int i = 0; i < spec->cuts.count && status == CA_OK; i++) {
        copy[0] = *experiment;
        status = add_cut(bench, spec, i, study, &copy[0], &copy[1], where, error);
    }
    bench->studies++;
    free(copy);
    return status;
}
