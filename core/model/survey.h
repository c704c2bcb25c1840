/* SPDX-License-Identifier: MIT */
/*
 * A survey: figures of a state's rows that are computed where the rows are. It holds the digest
 * (core/model/digest.h), what the observables are computed from, and the range of values. Surveys
 * of rows, slabs and ranks add up to that of the whole.
 *
 * The observables of a u8 model follow from how many cells have each bit set (the model's
 * observe->counts), so a backend counts bits and needs to know nothing of the model; or from how
 * many have each value (observe->states), which are counted apart from the survey. Those of an
 * f32 model are sums over cells in double precision, within a row and then over rows in a fixed
 * order.
 */
#ifndef CALAB_CORE_MODEL_SURVEY_H
#define CALAB_CORE_MODEL_SURVEY_H

#include "core/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ca_survey_part { /* what is asked for, or-ed */
                      CA_SURVEY_DIGEST = 1,
                      CA_SURVEY_OBSERVABLES = 2,
                      CA_SURVEY_RANGE = 4,
};

struct ca_survey {
    uint64_t digest;
    int64_t ones[CA_BIT_PLANES_MAX]; /* u8: cells with bit b of plane p set, at p * bits + b */
    /* Those of them that are solid, in rows where that is an obstacle (ca_obstacle_rows). */
    int64_t on_obstacle[CA_BIT_PLANES_MAX];
    double sums[CA_OBSERVABLES_MAX]; /* f32: the observables */
    double
        neighbours[CA_NEIGHBOUR_SUMS_MAX]; /* neighbour sums, where observables follow from them */
    float low, high;                       /* f32: the least and greatest value of plane 0 */
};

/* The survey of no rows. */
struct ca_survey ca_survey_none(void);
/* Adds a survey of other rows. */
void ca_survey_add(struct ca_survey *total, const struct ca_survey *part);
/* The survey of canonical rows: planes point at row `first` of the whole lattice. Adds to *survey.
 */
void ca_survey_rows(const struct ca_setup *setup, unsigned parts, const void *const planes[],
                    int64_t first, int64_t rows, struct ca_survey *survey);
/* Adds the words of bit b of plane p of one row of a u8 model: row `row` of the whole lattice, from
 * word 0 on. Bits beyond the row's end are ignored. `solid` marks the row's solid cells where
 * ca_survey_solid wants them, else NULL. */
void ca_survey_words(const struct ca_setup *setup, unsigned parts, int p, int b, int64_t row,
                     const uint64_t *words, const uint64_t *solid, struct ca_survey *survey);
/* Whether a survey of the row looks at its solid cells. */
bool ca_survey_solid(const struct ca_setup *setup, unsigned parts, int64_t row);
/* Adds the cells of each value to those of a u8 model whose observables follow from them
 * (ca_model_observe.states): `count` cells, at the first of which the planes point. */
void ca_count_states(const struct ca_model *model, const void *const planes[], int64_t count,
                     int64_t cells[CA_STATES_MAX]);
static inline bool ca_counts_states(const struct ca_model *model)
{
    return model->observe && model->observe->states;
}

/* The observables of a survey of the whole lattice, in the model's order, but for those that follow
 * from the cells of each value. */
void ca_survey_observables(const struct ca_survey *survey, const struct ca_setup *setup,
                           double values[CA_OBSERVABLES_MAX]);

#ifdef __cplusplus
}
#endif
#endif
