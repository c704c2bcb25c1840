/* SPDX-License-Identifier: MIT */
/* The files of water share its initial states and the hooks of the model. */
#ifndef CALAB_KERNELS_WATER_H
#define CALAB_KERNELS_WATER_H

#include "kernels/cpu/byte_stepper.h"
#include "kernels/water/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

enum water_start { WATER_HILLS, WATER_DAM, WATER_FROM_FILE }; /* rows of the model's starts */

enum water_nodata { WATER_REFUSE, WATER_WALL, WATER_VALUE }; /* choices of the parameter nodata */

/* Hooks of the model's record. */
enum ca_status water_file_size(const struct ca_setup *setup, int start, struct ca_size *size,
                               struct ca_error *error);
enum ca_status water_file_map(const struct ca_setup *setup, int start, struct ca_map *map,
                              struct ca_error *error);
enum ca_status water_init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                          struct ca_error *error);
/*
 * Rows of a state, `stride` floats from one to the next: plane[] point at row `first` of the
 * lattice.
 */
struct water_rows {
    const struct ca_setup *setup;
    int64_t first, stride;
    float *plane[WATER_PLANES];
};

/* Makes rows first ... last - 1 of the lattice, as setup->start has them, which is no file. */
void water_make_rows(const struct water_rows *rows, int64_t first, int64_t last);

enum ca_status water_check_state(const struct ca_setup *setup, void *const planes[], int64_t first,
                                 int64_t rows, struct ca_error *error);

#ifdef __cplusplus
}
#endif
#endif
