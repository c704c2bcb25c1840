/* SPDX-License-Identifier: MIT */
/*
 * Rows of a state are served between its steps, where they are, on all cores: making, loading,
 * storing and surveying them. A large enough job gets threads for its own time, whatever the
 * backend steps with; a small one is done by the caller.
 */
#ifndef CALAB_KERNELS_CPU_PARALLEL_ROWS_H
#define CALAB_KERNELS_CPU_PARALLEL_ROWS_H

#include "core/model/survey.h"

/* Workers for rows of w cells: at least one, and a core for each. */
int parallel_workers(int64_t rows, int64_t w);

/* Calls job(context, worker, first, last) for `workers` contiguous shares of `count` rows or groups
 * of rows. CA_NO_DEVICE where threads cannot be started. */
enum ca_status parallel_rows(int workers, int64_t count,
                             void (*job)(void *context, int worker, int64_t first, int64_t last),
                             void *context, struct ca_error *error);

/* Touches pages that are fresh from ca_zeroed, each worker its share, so that they lie in the
 * memory of the cores that will step them, and no step waits for them. Errors as parallel_rows. */
enum ca_status parallel_touch(void *memory, size_t bytes, struct ca_error *error);

/*
 * Adds the surveys that one(context, worker, row, ...) makes of the rows first ... first + rows - 1
 * of w cells, row after row, so that sums of floats do not depend on the workers. CA_NO_DEVICE,
 * CA_NO_MEMORY.
 */
enum ca_status parallel_survey(int64_t first, int64_t rows, int64_t w,
                               void (*one)(void *context, int worker, int64_t row,
                                           struct ca_survey *survey),
                               void *context, struct ca_survey *survey, struct ca_error *error);

/*
 * The same for rows of cells as the lattice has them, `stride_bytes` from one to the next: planes[]
 * point at the first of them. Rows are those of the slab.
 */
enum ca_status parallel_survey_cells(const struct ca_setup *setup, unsigned parts,
                                     const void *const planes[], size_t stride_bytes, int64_t first,
                                     int64_t rows, struct ca_survey *survey,
                                     struct ca_error *error);

/* Adds the cells of each value in so many rows, at the first of which planes[] point. CA_NO_DEVICE,
 * CA_NO_MEMORY. */
enum ca_status parallel_states(const struct ca_setup *setup, const void *const planes[],
                               int64_t rows, int64_t *cells, struct ca_error *error);

/* The row of the whole lattice that is row `row` of the slab. */
int64_t slab_global_row(const struct ca_setup *setup, int64_t row);

#endif
