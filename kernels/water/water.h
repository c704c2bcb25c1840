/* SPDX-License-Identifier: MIT */
/* What the files of water share: its initial states and the hooks of the model. */
#ifndef CALAB_KERNELS_WATER_H
#define CALAB_KERNELS_WATER_H

#include "kernels/cpu/byte_stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

enum water_start { WATER_HILLS, WATER_DAM, WATER_FROM_FILE }; /* rows of the model's starts */

/* Hooks of the model's record. */
enum ca_status water_file_size(const struct ca_setup *setup, int start, struct ca_size *size,
                               struct ca_error *error);
enum ca_status water_init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                          struct ca_error *error);
enum ca_status water_check_state(const struct ca_setup *setup, void *const planes[], int64_t first,
                                 int64_t rows, struct ca_error *error);

#ifdef __cplusplus
}
#endif
#endif
