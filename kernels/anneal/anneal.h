/* SPDX-License-Identifier: MIT */
/* What the files of this folder tell each other: the plain rule and the functions of the rungs. */
#ifndef CALAB_KERNELS_ANNEAL_H
#define CALAB_KERNELS_ANNEAL_H

#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/bit_stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

/* reference.c: one pass, a byte a cell; threads.c runs the same. */
extern const struct plain_rule anneal_plain;

enum ca_status anneal_reference_create(void **self, const struct ca_setup *setup,
                                       struct ca_error *error);
enum ca_status anneal_threads_create(void **self, const struct ca_setup *setup,
                                     struct ca_error *error);

/* The bit-sliced backends: one source over three words. */
enum ca_status anneal_bitslice_create(void **self, const struct ca_setup *setup,
                                      struct ca_error *error);
enum ca_status anneal_bitslice_avx2_create(void **self, const struct ca_setup *setup,
                                           struct ca_error *error);
enum ca_status anneal_bitslice_avx512_create(void **self, const struct ca_setup *setup,
                                             struct ca_error *error);

/* plan.c: their sliced_rule.plan. */
void anneal_plan(struct sliced *sliced, int wanted);

/* Rows of scratch for a generation with groups of `rows`: kept sums, the group, its paddings. */
static inline int64_t anneal_scratch_rows(int64_t rows) { return rows + 5; }

/* The rungs on a GPU: kernels/anneal/ghosts.cuh has what they share. */
enum ca_status anneal_cuda_naive_create(void **self, const struct ca_setup *setup,
                                        struct ca_error *error);
enum ca_status anneal_cuda_shared_create(void **self, const struct ca_setup *setup,
                                         struct ca_error *error);
/* kernels/anneal/strips.cuh has what these two share. */
enum { ANNEAL_AUTO, ANNEAL_SWEEPS, ANNEAL_TILES }; /* option `form` of the second */
enum ca_status anneal_cuda_bitslice_create(void **self, const struct ca_setup *setup,
                                           struct ca_error *error);
enum ca_status anneal_cuda_blocked_create(void **self, const struct ca_setup *setup,
                                          struct ca_error *error);

#ifdef __cplusplus
}
#endif
#endif
