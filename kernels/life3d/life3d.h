/* SPDX-License-Identifier: MIT */
/* The files of life3d share these declarations. */
#ifndef CALAB_KERNELS_LIFE3D_H
#define CALAB_KERNELS_LIFE3D_H

#include "kernels/cpu/byte_stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIFE3D_TORUS, LIFE3D_DEAD }; /* the choices of parameter boundary */
/* Whether it is LIFE3D_TORUS. */
bool life3d_torus(const struct ca_setup *setup);
/* The choices of option copies: whether each generation is copied to the host and back, by pinned
 * or pageable memory there, and whether the memory of the device is taken anew for it. */
enum { LIFE3D_COPIES_NONE, LIFE3D_COPIES_PINNED, LIFE3D_COPIES_PAGEABLE, LIFE3D_COPIES_PROGRAM };
/* The limit of cuda-overlapped: tiles of 16 layers that overlap by more would have no valid layer
 * left. */
#define LIFE3D_OVERLAPPED_GENERATIONS_MAX 7

/*
 * bitslice_context.c: the context of the bit-sliced backends; see bitslice.h. make derives it from
 * a rule, prepare is their bands_ops.prepare.
 */
struct bands;
struct life3d_bits;
struct life3d_rule;
void life3d_bits_make(struct life3d_bits *bits, struct life3d_rule rule);
void life3d_bits_prepare(const struct bands *bands, void *context);

#ifdef __cplusplus
}
#endif
#endif
