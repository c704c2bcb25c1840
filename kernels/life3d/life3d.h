/* SPDX-License-Identifier: MIT */
/* What the files of this folder tell each other: the plain rule and the functions of the rungs. */
#ifndef CALAB_KERNELS_LIFE3D_H
#define CALAB_KERNELS_LIFE3D_H

#include "kernels/cpu/byte_stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIFE3D_TORUS, LIFE3D_DEAD }; /* the choices of parameter boundary */
/* Whether it is LIFE3D_TORUS. */
bool life3d_torus(const struct ca_setup *setup);
/* The choices of option copies: whether each generation goes to the host and back. */
enum { LIFE3D_COPIES_NONE, LIFE3D_COPIES_PINNED, LIFE3D_COPIES_PAGEABLE };

/* reference.c: one pass, a byte a cell; threads.c runs the same. */

/* bits.c: what the bit-sliced backends make of the parameters; see bitslice.h. */
struct bands;
struct life3d_bits;
struct life3d_rule;
void life3d_bits_make(struct life3d_bits *bits, struct life3d_rule rule);
void life3d_bits_prepare(const struct bands *bands, void *context);

/* kernels/life3d/planes.cuh has what these two share. */

#ifdef __cplusplus
}
#endif
#endif
