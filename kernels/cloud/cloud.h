/* SPDX-License-Identifier: MIT */
/* What the files of `cloud` share: the plain passes and what makes an instance of each backend. */
#ifndef CALAB_KERNELS_CLOUD_H
#define CALAB_KERNELS_CLOUD_H

#include "kernels/cpu/byte_stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct plain_rule cloud_plain;

enum ca_status cloud_reference_create(void **self, const struct ca_setup *setup,
                                      struct ca_error *error);
enum ca_status cloud_threads_create(void **self, const struct ca_setup *setup,
                                    struct ca_error *error);

/* bits.c: what the bit-sliced backends make of parameters and size; see bitslice.h. */
struct bands;
void cloud_bits_prepare(const struct bands *bands, void *context);

enum ca_status cloud_bitslice_create(void **self, const struct ca_setup *setup,
                                     struct ca_error *error);
enum ca_status cloud_bitslice_avx2_create(void **self, const struct ca_setup *setup,
                                          struct ca_error *error);
enum ca_status cloud_bitslice_avx512_create(void **self, const struct ca_setup *setup,
                                            struct ca_error *error);

enum ca_status cloud_cuda_naive_create(void **self, const struct ca_setup *setup,
                                       struct ca_error *error);
enum ca_status cloud_cuda_shared_32x1x32_create(void **self, const struct ca_setup *setup,
                                                struct ca_error *error);
enum ca_status cloud_cuda_shared_8x8x8_create(void **self, const struct ca_setup *setup,
                                              struct ca_error *error);
enum ca_status cloud_cuda_packed_8x1x1_create(void **self, const struct ca_setup *setup,
                                              struct ca_error *error);
enum ca_status cloud_cuda_packed_2x2x2_create(void **self, const struct ca_setup *setup,
                                              struct ca_error *error);
/* kernels/cloud/groups.cuh has what these two share. */
enum { CLOUD_AUTO, CLOUD_SWEEPS, CLOUD_TILES, CLOUD_CLUSTER }; /* option `form` of the second */
enum ca_status cloud_cuda_bitslice_create(void **self, const struct ca_setup *setup,
                                          struct ca_error *error);
enum ca_status cloud_cuda_blocked_create(void **self, const struct ca_setup *setup,
                                         struct ca_error *error);

#ifdef __cplusplus
}
#endif
#endif
