/* SPDX-License-Identifier: MIT */
/* The files of cloud share these declarations. */
#ifndef CALAB_KERNELS_CLOUD_H
#define CALAB_KERNELS_CLOUD_H

#include "kernels/cpu/byte_stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

/* bitslice_context.c: bands_ops.prepare of the bit-sliced backends; see bitslice.h. */
struct bands;
void cloud_bitslice_prepare(const struct bands *bands, void *context);

#ifdef __cplusplus
}
#endif
#endif
