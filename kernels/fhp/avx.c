/* SPDX-License-Identifier: MIT */
/*
 * Backend avx of fhp: the AVX program of Szkoda, Koza and Tykierko, sse2 with vectors twice as
 * wide.
 *
 * AVX has no integer instructions of 256 bits, but logic on floats does not mind what it is given:
 * masks and ORs are vandps and vorps, which is all that pushing needs. Twice the width and
 * instructions that overwrite no operand take 1.5 instructions a node for the push in place of 3.6.
 * The collision stays as it was, 5.3 of 6.8, and is the bottleneck.
 */
#define PUSH 32
#include "kernels/fhp/push_pass.h"

const struct byte_ops fhp_avx = {
    .passes = 2,
    .pass = {push, collide},
    .vector_bits = 8 * PUSH,
    .context_size = sizeof(struct fhp_bytes),
    .prepare = bytes_prepare,
};
