/* SPDX-License-Identifier: MIT */
/*
 * Windows: fields of a simulation over blocks of cells and over time. A window sums samples, each
 * of which is the state of one generation; its means are exact over them.
 */
#ifndef CALAB_CORE_SIM_FIELDS_H
#define CALAB_CORE_SIM_FIELDS_H

#include "core/model/field.h"
#include "core/sim/simulation.h"

struct ca_window {
    const struct ca_setup *setup; /* of the simulation, which must outlive the window */
    struct ca_blocks blocks;
    double *sums, *neighbours; /* core/model/field.h; neighbours: NULL unless they are wanted */
    int64_t states;            /* samples taken */
    uint64_t first, last;      /* generations of the first and last of them */
};

/* An empty window over blocks of w x h x d cells. CA_USAGE (block), CA_NO_MEMORY. */
enum ca_status ca_window_open(struct ca_window *window, const struct ca_simulation *simulation,
                              struct ca_size block, struct ca_error *error);
/* Has the sums made that a field takes beyond those of each window; before the first sample.
 * CA_NO_MEMORY. */
enum ca_status ca_window_want(struct ca_window *window, const struct ca_field *field,
                              struct ca_error *error);
void ca_window_close(struct ca_window *window); /* takes {0} */
/* Forgets the samples. */
void ca_window_clear(struct ca_window *window);

/* Adds the present state, which is summed where it is. */
enum ca_status ca_window_sample(struct ca_window *window, struct ca_simulation *simulation,
                                struct ca_error *error);

/* Returns the means that ca_field_values takes; the window must have a sample. */
struct ca_block_means ca_window_means(const struct ca_window *window);
/* The values of a field that a window has: blocks times components. */
int64_t ca_window_values(const struct ca_window *window, const struct ca_field *field);
/* Writes a field of a window in the format of the path's ending (core/files/formats.h), which must
 * fit it. CA_IO, CA_NO_MEMORY. */
enum ca_status ca_window_write(const struct ca_window *window, const struct ca_field *field,
                               const char *path, struct ca_error *error);

#endif
