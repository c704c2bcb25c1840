/* SPDX-License-Identifier: MIT */
/* Owns the checks of what a backend computes where its state is: initial states, surveys and sums
 * of blocks. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/model/field.h"
#include "core/model/survey.h"
#include "core/sim/simulation.h"
#include "core/verify/trial.h"

#define SUM_TOLERANCE 1e-12 /* of sums of floats, whose cells add up in another order */

enum ca_status trial_start(struct trial *trial, struct instance *instance)
{
    const struct ca_stepper *stepper = trial->backend->stepper;
    struct ca_lattice got;
    enum ca_status status;
    bool made = false;

    if (!stepper->init || instance->setup.start < 0)
        return CA_OK;
    CA_TRY(trial_must(trial, "init", 0, stepper->init(instance->self, &made, trial->error)));
    if (!made)
        return CA_OK;
    CA_TRY(trial_lattice(trial, &got));
    status = trial_store(trial, instance, &got, 0, 0, ca_rows(got.size));
    if (status == CA_OK)
        status = trial_compare(trial, CA_FAULT_START, 0, &trial->truth->start, &got);
    ca_lattice_free(&got);
    return status;
}

static bool sums_agree(const struct ca_survey *expected, const struct ca_survey *got)
{
    for (int i = 0; i < CA_BIT_PLANES_MAX; i++)
        if (expected->ones[i] != got->ones[i] || expected->on_obstacle[i] != got->on_obstacle[i])
            return false;
    for (int i = 0; i < CA_OBSERVABLES_MAX; i++) /* a NaN does not agree */
        if (!(fabs(expected->sums[i] - got->sums[i]) <= SUM_TOLERANCE * fabs(expected->sums[i])))
            return false;
    return true;
}

/* Surveys the rows in two parts, which add up to the expected survey. */
static enum ca_status survey(struct trial *trial, struct instance *instance, int64_t first,
                             int64_t rows, const struct ca_survey *expected)
{
    const struct ca_stepper *stepper = trial->backend->stepper;
    const unsigned parts = CA_SURVEY_DIGEST | CA_SURVEY_OBSERVABLES | CA_SURVEY_RANGE;
    struct ca_survey got = ca_survey_none();
    int64_t cut = rows / 3;
    bool floats = trial->experiment.model->type == CA_F32;

    if (!stepper->survey)
        return CA_OK;
    for (int i = 0; i < 2; i++) {
        int64_t from = i ? first + cut : first, count = i ? rows - cut : cut;

        if (count > 0)
            CA_TRY(trial_must(
                trial, "survey", instance->generation,
                stepper->survey(instance->self, parts, from, count, &got, trial->error)));
    }
    if (got.digest == expected->digest && sums_agree(expected, &got) &&
        (!floats || (got.low == expected->low && got.high == expected->high)))
        return CA_OK;
    return trial_found(trial, CA_FAULT_SURVEY, instance->generation,
                       "generation %" PRIu64 ": the survey of rows %" PRId64 " ... %" PRId64
                       " is wrong: digest %016" PRIx64 ", expected %016" PRIx64 "%s",
                       instance->generation, first, first + rows - 1, got.digest, expected->digest,
                       sums_agree(expected, &got) ? "" : "; the observables differ");
}

/* Sums that follow each other, the backend's and what rows of a state add up to. */
struct block_sums {
    struct ca_blocks blocks;
    double *got, *expected;
    int64_t count;
};

/* Blocks of another shape with each generation. */
static enum ca_status make_blocks(const struct instance *instance, struct block_sums *sums,
                                  struct ca_error *error)
{
    struct ca_size size = instance->setup.size;
    const struct ca_size shapes[] = {{7, 3, 2}, {size.w, 1, 1}, {1, 2, size.d}, size};

    CA_TRY(ca_blocks_make(&sums->blocks, size, shapes[(instance->generation + 1) / 2 % 4], error));
    sums->count = ca_cells(sums->blocks.count) * ca_block_sums(instance->setup.model);
    sums->got = calloc((size_t)(2 * sums->count), sizeof *sums->got);
    sums->expected = sums->got + sums->count;
    return sums->got ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory for sums of blocks");
}

/* Rows `first` ... of the instance against those of the lattice, at which planes point, from
 * `origin` on; in two parts, which add up. */
static enum ca_status compare_blocks(struct trial *trial, struct instance *instance, int64_t first,
                                     int64_t rows, const void *const planes[], int64_t origin,
                                     struct block_sums *sums)
{
    const struct ca_stepper *stepper = trial->backend->stepper;
    int64_t cut = rows / 3;

    for (int i = 0; i < 2; i++) {
        int64_t from = i ? first + cut : first, count = i ? rows - cut : cut;

        if (count > 0)
            CA_TRY(trial_must(trial, "blocks", instance->generation,
                              stepper->blocks(instance->self, &sums->blocks, from, count, sums->got,
                                              trial->error)));
    }
    ca_blocks_add_rows(&instance->setup, &sums->blocks, planes, origin, rows, sums->expected);
    for (int64_t i = 0; i < sums->count; i++)
        if (!(fabs(sums->got[i] - sums->expected[i]) <= SUM_TOLERANCE * fabs(sums->expected[i])))
            return trial_found(
                trial, CA_FAULT_SURVEY, instance->generation,
                "generation %" PRIu64 ": sum %d of block %" PRId64 " of %" PRId64 "x%" PRId64
                "x%" PRId64 " cells is %.17g in rows %" PRId64 " ... %" PRId64 ", expected %.17g",
                instance->generation, (int)(i % ca_block_sums(instance->setup.model)),
                i / ca_block_sums(instance->setup.model), sums->blocks.block.w,
                sums->blocks.block.h, sums->blocks.block.d, sums->got[i], first, first + rows - 1,
                sums->expected[i]);
    return CA_OK;
}

static enum ca_status check_blocks(struct trial *trial, struct instance *instance, int64_t first,
                                   int64_t rows, const void *const planes[], int64_t origin)
{
    struct block_sums sums;
    enum ca_status status;

    if (!trial->backend->stepper->blocks)
        return CA_OK;
    CA_TRY(make_blocks(instance, &sums, trial->error));
    status = compare_blocks(trial, instance, first, rows, planes, origin, &sums);
    free(sums.got);
    return status;
}

enum ca_status trial_survey_state(struct trial *trial, struct instance *instance,
                                  const struct ca_lattice *state)
{
    const unsigned parts = CA_SURVEY_DIGEST | CA_SURVEY_OBSERVABLES | CA_SURVEY_RANGE;
    struct ca_survey expected = ca_survey_none();

    ca_survey_rows(&instance->setup, parts, (const void *const *)state->plane, 0,
                   ca_rows(state->size), &expected);
    CA_TRY(survey(trial, instance, 0, ca_rows(state->size), &expected));
    return check_blocks(trial, instance, 0, ca_rows(state->size), (const void *const *)state->plane,
                        0);
}

enum ca_status trial_survey_slab(struct trial *trial, struct instance *part, int64_t first,
                                 int64_t layers, const struct ca_lattice *whole)
{
    const unsigned parts = CA_SURVEY_DIGEST | CA_SURVEY_OBSERVABLES | CA_SURVEY_RANGE;
    int64_t rows = ca_rows(whole->size) / ca_layers(trial->experiment.model, whole->size);
    int64_t origin = (part->setup.slab.origin + first) * rows;
    struct ca_survey expected = ca_survey_none();
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(whole, origin, planes);
    ca_survey_rows(&part->setup, parts, (const void *const *)planes, origin, layers * rows,
                   &expected);
    CA_TRY(survey(trial, part, first * rows, layers * rows, &expected));
    return check_blocks(trial, part, first * rows, layers * rows, (const void *const *)planes,
                        origin);
}
