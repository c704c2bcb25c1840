/* SPDX-License-Identifier: MIT */
/*
 * Backend sse2 of fhp: the SSE program of Szkoda, Koza and Tykierko, with what every x86-64 has.
 *
 * Particles are pushed 16 nodes at a time. Nodes collide one by one, since SSE2 has no look-up on
 * vectors, and that is the bottleneck: 5.4 of 9 instructions a node, three of which are the load of
 * its entry's number, the look-up and the store; the push takes 3.6.
 */
#define PUSH 16
#include "kernels/fhp/push_pass.h"

const struct byte_ops fhp_sse2 = {
    .passes = 2,
    .pass = {push, collide},
    .vector_bits = 8 * PUSH,
    .context_size = sizeof(struct fhp_bytes),
    .prepare = bytes_prepare,
};
