/* SPDX-License-Identifier: MIT */
/* This file checks what a backend computes where its state is: surveys and sums of blocks. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/field.h"
#include "core/model/survey.h"
#include "core/verify/trial.h"

#define PARTS (CA_SURVEY_DIGEST | CA_SURVEY_OBSERVABLES | CA_SURVEY_RANGE)
#define SUM_TOLERANCE 1e-12 /* of observables of floats, whose cells add up in another order */

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
static enum ca_status surveys_check_survey(struct trial *trial, struct instance *instance,
                                           int64_t first, int64_t rows,
                                           const struct ca_survey *expected)
{
    const struct ca_stepper *stepper = instance->stepper;
    struct ca_survey got = ca_survey_none();
    int64_t cut = rows / 3;
    bool floats = trial->experiment.model->type == CA_F32;

    if (!stepper->observe || !stepper->observe->survey)
        return CA_OK;
    for (int i = 0; i < 2; i++) {
        int64_t from = i ? first + cut : first, count = i ? rows - cut : cut;

        if (count > 0)
            CA_TRY(trial_must(
                trial, "survey", instance->generation,
                stepper->observe->survey(instance->self, PARTS, from, count, &got, trial->error)));
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

/*
 * Sums of blocks: the backend's, what the cells of a state add up to, and what their magnitudes do.
 * Counts are exact. Floats may have been added in another order: n of them are off by n times the
 * rounding of a double at most, relative to the sum of their magnitudes.
 */
struct block_sums {
    struct ca_blocks blocks;
    bool neighbours;
    int each; /* of a block */
    int64_t count;
    double *got, *expected, *magnitude;
};

/* Rows `first` ... of an instance that hold those of a state from `origin` on. */
struct held_rows {
    int64_t first, rows, origin;
    const struct ca_lattice *state;
};

/* Blocks of another shape with each generation. */
static enum ca_status make_blocks(const struct instance *instance, struct block_sums *sums,
                                  struct ca_error *error)
{
    const struct ca_model *model = instance->setup.model;
    struct ca_size size = instance->setup.size;
    const struct ca_size shapes[] = {{7, 3, 2}, {size.w, 1, 1}, {1, 2, size.d}, size};

    CA_TRY(ca_blocks_make(&sums->blocks, size, shapes[(instance->generation + 1) / 2 % 4], error));
    sums->each = sums->neighbours ? ca_neighbour_sums_count(model) : ca_block_sums(model);
    sums->count = ca_cells(sums->blocks.count) * sums->each;
    sums->got = calloc(sums->count > 0 ? (size_t)(3 * sums->count) : 1, sizeof *sums->got);
    sums->expected = sums->got + sums->count;
    sums->magnitude = sums->expected + sums->count;
    return sums->got ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory for sums of blocks");
}

static enum ca_status expect_blocks(const struct ca_setup *setup, const struct held_rows *held,
                                    struct block_sums *sums, struct ca_error *error)
{
    struct ca_lattice magnitudes;
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(held->state, held->origin, planes);
    ca_blocks_add_rows(setup, &sums->blocks, (const void *const *)planes, held->origin, held->rows,
                       sums->expected);
    if (held->state->type != CA_F32)
        return CA_OK;
    CA_TRY(ca_lattice_alloc(&magnitudes, held->state->size, CA_F32, held->state->planes, error));
    for (int p = 0; p < magnitudes.planes; p++)
        for (int64_t i = 0; i < ca_cells(magnitudes.size); i++)
            ((float *)magnitudes.plane[p])[i] = fabsf(((const float *)held->state->plane[p])[i]);
    ca_lattice_at(&magnitudes, held->origin, planes);
    ca_blocks_add_rows(setup, &sums->blocks, (const void *const *)planes, held->origin, held->rows,
                       sums->magnitude);
    ca_lattice_free(&magnitudes);
    return CA_OK;
}

/* Cell by cell, because the magnitude of a sum is not that of its terms. */
static void expect_row(const struct ca_setup *setup, const struct ca_neighbour_rows *rows,
                       int64_t line, struct block_sums *sums)
{
    for (int64_t x = 0; x < setup->size.w; x++) {
        int64_t at = line + x / sums->blocks.block.w * sums->each;
        double cell[CA_NEIGHBOUR_SUMS_MAX] = {0};

        ca_neighbours_of(setup->model)->add(setup, rows, x, x + 1, cell);
        for (int i = 0; i < sums->each; i++) {
            sums->expected[at + i] += cell[i];
            sums->magnitude[at + i] += fabs(cell[i]);
        }
    }
}

static void expect_neighbours(const struct ca_setup *setup, const struct held_rows *held,
                              struct block_sums *sums)
{
    const struct ca_blocks *blocks = &sums->blocks;

    for (int64_t y = held->origin; y < held->origin + held->rows; y++) {
        int64_t line = sums->each * ca_block_index(blocks, 0, y / blocks->block.h, 0);
        const struct ca_neighbour_rows rows = ca_neighbour_rows_of(setup, held->state, y);

        if (setup->model->type == CA_F32)
            expect_row(setup, &rows, line, sums);
        else
            ca_blocks_add_neighbours(setup, blocks, ca_neighbours_of(setup->model)->add, &rows,
                                     sums->expected + line);
    }
}

/* Adds the rows in two parts. */
static enum ca_status surveys_get_sums(struct trial *trial, struct instance *instance,
                                       const struct held_rows *held, struct block_sums *sums)
{
    const struct ca_stepper *stepper = instance->stepper;
    int64_t cut = held->rows / 3;

    for (int i = 0; i < 2; i++) {
        int64_t from = i ? held->first + cut : held->first, count = i ? held->rows - cut : cut;

        if (count > 0)
            CA_TRY(trial_must(
                trial, sums->neighbours ? "near" : "blocks", instance->generation,
                (sums->neighbours ? stepper->observe->neighbours : stepper->observe->blocks)(
                    instance->self, &sums->blocks, from, count, sums->got, trial->error)));
    }
    return CA_OK;
}

static enum ca_status compare_sums(struct trial *trial, const struct instance *instance,
                                   const struct held_rows *held, const struct block_sums *sums)
{
    bool counts = instance->setup.model->type == CA_U8;
    double rounding = counts ? 0 : 0x1p-52 * (double)ca_cells(instance->setup.size);
    const struct ca_size *block = &sums->blocks.block;

    for (int64_t i = 0; i < sums->count; i++)
        if (!(fabs(sums->got[i] - sums->expected[i]) <= rounding * sums->magnitude[i]))
            return trial_found(
                trial, CA_FAULT_SURVEY, instance->generation,
                "generation %" PRIu64 ": %s %d of block %" PRId64 " of %" PRId64 "x%" PRId64
                "x%" PRId64 " cells is %.17g in rows %" PRId64 " ... %" PRId64 ", expected %.17g",
                instance->generation, sums->neighbours ? "neighbour sum" : "sum",
                (int)(i % sums->each), i / sums->each, block->w, block->h, block->d, sums->got[i],
                held->first, held->first + held->rows - 1, sums->expected[i]);
    return CA_OK;
}

static enum ca_status check_sums(struct trial *trial, struct instance *instance,
                                 const struct held_rows *held, bool neighbours)
{
    struct block_sums sums = {.neighbours = neighbours};
    enum ca_status status;

    CA_TRY(make_blocks(instance, &sums, trial->error));
    status = surveys_get_sums(trial, instance, held, &sums);
    if (status == CA_OK && neighbours)
        expect_neighbours(&instance->setup, held, &sums);
    else if (status == CA_OK)
        status = expect_blocks(&instance->setup, held, &sums, trial->error);
    if (status == CA_OK)
        status = compare_sums(trial, instance, held, &sums);
    free(sums.got);
    return status;
}

/* A slab is checked without the rows whose neighbours it does not know. */
static enum ca_status check_blocks(struct trial *trial, struct instance *instance,
                                   struct held_rows held)
{
    const struct ca_slab *slab = &instance->setup.slab;

    CA_TRY(check_sums(trial, instance, &held, false));
    if (!ca_neighbour_sums_count(instance->setup.model))
        return CA_OK;
    held.first += slab->ghost_low > 0;
    held.origin += slab->ghost_low > 0;
    held.rows -= (slab->ghost_low > 0) + (slab->ghost_high > 0);
    return check_sums(trial, instance, &held, true);
}

enum ca_status trial_survey(struct trial *trial, struct instance *part, int64_t first,
                            int64_t layers, const struct ca_lattice *whole)
{
    int64_t rows = ca_rows(whole->size) / ca_layers(trial->experiment.model, whole->size);
    int64_t origin = (part->setup.slab.origin + first) * rows;
    struct ca_survey expected = ca_survey_none();
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(whole, origin, planes);
    ca_survey_rows(&part->setup, PARTS, (const void *const *)planes, origin, layers * rows,
                   &expected);
    CA_TRY(surveys_check_survey(trial, part, first * rows, layers * rows, &expected));
    return check_blocks(trial, part,
                        (struct held_rows){first * rows, layers * rows, origin, whole});
}
