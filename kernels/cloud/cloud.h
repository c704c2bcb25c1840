/* SPDX-License-Identifier: MIT */
/* What the files of `cloud` share: the plain passes and what makes an instance of each backend. */
#ifndef CALAB_KERNELS_CLOUD_H
#define CALAB_KERNELS_CLOUD_H

#include "kernels/cpu/byte_stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

/* bits.c: what the bit-sliced backends make of parameters and size; see bitslice.h. */
struct bands;
void cloud_bits_prepare(const struct bands *bands, void *context);

/* kernels/cloud/groups.cuh has what these two share. */
enum { CLOUD_AUTO, CLOUD_SWEEPS, CLOUD_TILES, CLOUD_CLUSTER }; /* option `form` of the second */

#ifdef __cplusplus
}
#endif
#endif
