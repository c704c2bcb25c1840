/* SPDX-License-Identifier: MIT */
/* Figures of a simulation's state: surveys, hashes, observables and sums of blocks. */
#include "core/sim/simulation_inside.h"

#include <math.h>
#include <string.h>

#define PIECE_BYTES (256 * 1024) /* of rows that are surveyed, which the caches hold */

/* What is found in rows that have been stored. */
struct found {
    struct ca_survey *survey; /* of these parts; NULL: */
    unsigned parts;
    int64_t *cells; /* of each value */
};

/* For backends that survey nothing, or count no values, where their state is. */
static enum ca_status survey_stored(struct ca_simulation *simulation, const struct found *found,
                                    int64_t first, int64_t rows, struct ca_error *error)
{
    const struct ca_setup *setup = &simulation->setup;
    const struct ca_model *model = setup->model;
    int64_t row = setup->size.w * (int64_t)ca_type_bytes(model->type) * model->planes;
    int64_t piece = PIECE_BYTES / row, end = first + rows;
    struct ca_lattice lattice;
    enum ca_status status = CA_OK;

    piece = piece < 1 ? 1 : piece < ca_rows(setup->size) ? piece : ca_rows(setup->size);
    CA_TRY(ca_lattice_alloc(&lattice, (struct ca_size){setup->size.w, piece, 1}, model->type,
                            model->planes, error));
    for (; first < end && status == CA_OK; first += piece) {
        int64_t count = end - first < piece ? end - first : piece;

        status = ca_simulation_rows(simulation, lattice.plane, first, count, error);
        if (status == CA_OK && found->survey)
            ca_survey_rows(setup, found->parts, (const void *const *)lattice.plane, first, count,
                           found->survey);
        else if (status == CA_OK)
            ca_count_states(model, (const void *const *)lattice.plane, count * setup->size.w,
                            found->cells);
    }
    ca_lattice_free(&lattice);
    return status;
}

enum ca_status ca_simulation_survey(struct ca_simulation *simulation, unsigned parts, int64_t first,
                                    int64_t rows, struct ca_survey *survey, struct ca_error *error)
{
    const struct ca_neighbour_sums *neighbours = ca_neighbours_of(simulation->setup.model);
    const struct ca_stepper_observe *observe = simulation->stepper->observe;
    const struct found found = {.survey = survey, .parts = parts};
    struct ca_blocks whole;

    *survey = ca_survey_none();
    CA_TRY(observe && observe->survey
               ? observe->survey(simulation->self, parts, first, rows, survey, error)
               : survey_stored(simulation, &found, first, rows, error));
    if (!(parts & CA_SURVEY_OBSERVABLES) || !neighbours || !neighbours->observe)
        return CA_OK;
    /* Neighbour sums as those of a single block. */
    CA_TRY(ca_blocks_make(&whole, simulation->setup.size, simulation->setup.size, error));
    return observe->neighbours(simulation->self, &whole, first, rows, survey->neighbours, error);
}

enum ca_status ca_simulation_blocks(struct ca_simulation *simulation,
                                    const struct ca_blocks *blocks, double *sums,
                                    struct ca_error *error)
{
    return simulation->stepper->observe->blocks(simulation->self, blocks, 0,
                                                ca_rows(simulation->setup.size), sums, error);
}

enum ca_status ca_simulation_neighbours(struct ca_simulation *simulation,
                                        const struct ca_blocks *blocks, double *neighbours,
                                        struct ca_error *error)
{
    return simulation->stepper->observe->neighbours(
        simulation->self, blocks, 0, ca_rows(simulation->setup.size), neighbours, error);
}

enum ca_status simulation_survey(struct ca_simulation *simulation, unsigned parts,
                                 struct ca_survey *survey, struct ca_error *error)
{
    return ca_simulation_survey(simulation, parts, 0, ca_rows(simulation->setup.size), survey,
                                error);
}

enum ca_status ca_simulation_hash(struct ca_simulation *simulation, uint64_t *hash,
                                  struct ca_error *error)
{
    struct ca_survey survey;

    CA_TRY(simulation_survey(simulation, CA_SURVEY_DIGEST, &survey, error));
    *hash = survey.digest;
    return CA_OK;
}

enum ca_status ca_simulation_observables(struct ca_simulation *simulation,
                                         const struct ca_survey *survey,
                                         double values[CA_OBSERVABLES_MAX], struct ca_error *error)
{
    const struct ca_stepper_observe *observe = simulation->stepper->observe;
    const struct ca_setup *setup = &simulation->setup;
    int64_t cells[CA_STATES_MAX] = {0}, rows = ca_rows(setup->size);
    const struct found found = {.cells = cells};

    ca_survey_observables(survey, setup, values);
    if (!ca_counts_states(setup->model))
        return CA_OK;
    CA_TRY(observe && observe->states ? observe->states(simulation->self, 0, rows, cells, error)
                                      : survey_stored(simulation, &found, 0, rows, error));
    setup->model->observe->states(setup, cells, values);
    return CA_OK;
}

enum ca_status ca_simulation_observe(struct ca_simulation *simulation,
                                     double values[CA_OBSERVABLES_MAX], struct ca_error *error)
{
    struct ca_survey survey;

    CA_TRY(simulation_survey(simulation, CA_SURVEY_OBSERVABLES, &survey, error));
    return ca_simulation_observables(simulation, &survey, values, error);
}

/* --- conserved observables -------------------------------------------------------------------- */

int ca_invariants_take(struct ca_invariants *invariants, const struct ca_simulation *simulation,
                       const double values[CA_OBSERVABLES_MAX])
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    const struct ca_observable *o = ca_observables(setup->model);
    uint64_t now = ca_simulation_generation(simulation);
    const double *before = invariants->values;
    uint64_t last = invariants->generation; /* a kept state may be gone back to */
    uint64_t between = now > last ? now - last : last - now;

    for (int i = 0; invariants->known && !invariants->alarm && o[i].name; i++) {
        double drift = o[i].drift ? o[i].drift(before, between) : 0;
        double allowed = o[i].tolerance * (before[i] != 0 ? fabs(before[i]) : 1) + drift;

        if (o[i].conserved && o[i].conserved(setup, before) &&
            !(isfinite(values[i]) && fabs(values[i] - before[i]) <= allowed))
            invariants->alarm = i + 1;
    }
    memcpy(invariants->values, values, sizeof invariants->values);
    invariants->generation = now;
    invariants->known = true;
    return ca_invariants_broken(invariants);
}

int ca_invariants_broken(const struct ca_invariants *invariants) { return invariants->alarm - 1; }
