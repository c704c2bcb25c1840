/* SPDX-License-Identifier: MIT */
/*
 * A rule's own circuit for GPUs, as functions of three inputs, each of which is one instruction
 * there, and the CUDA text of kernels that step by it (cuda_circuit.cuh). It is found for any rule.
 *
 * Rules that go by counts take the sums of the square, which four additions of three bits make of
 * those of its rows; a search finds at most seven functions of these and the centre, five for
 * nearly all rules. Other rules take the nine cells: some 35 functions by Hensel's letters, and 110
 * for a random table (program.h).
 */
#ifndef CALAB_KERNELS_LIFE_CIRCUIT_H
#define CALAB_KERNELS_LIFE_CIRCUIT_H

#include "kernels/life/program.h"
#include "kernels/moore/own.h"

#ifdef __cplusplus
extern "C" {
#endif

struct life_rule;

/*
 * A square has n = low + 2 (a + b) + 4 c live cells, where these are the sums of the low bits of
 * its rows' sums (low, carry a) and of the high ones (b, carry c); the last input is the centre.
 */
enum { LIFE_SUM_LOW, LIFE_SUM_A, LIFE_SUM_B, LIFE_SUM_C, LIFE_SUM_CENTRE, LIFE_SUM_INPUTS };

/* Slots 0 ... inputs - 1 of the program are LIFE_SUM_INPUTS sums or LIFE_CELLS cells. */
struct life_circuit {
    int inputs;
    struct life_program program;
};

void life_circuit_make(struct life_circuit *circuit, const struct life_rule *rule);

/* The text of a rule's kernels, for the GPU's compilers; malloc'd, NULL: no memory. The rule is a
 * table, bit s mod 64 of word s div 64 for square s. */
char *life_circuit_text(const uint64_t table[8], const struct moore_own_kinds *kinds, bool dead);

/* The same as PTX for GPUs of a compute capability, 90 for 9.0, of PTX without a circuit, for as
 * many inputs and with such edges; malloc'd. NULL: no memory, or it is not such PTX. */
char *life_circuit_ptx(const char *kernels, const uint64_t table[8],
                       const struct moore_own_kinds *kinds, int capability);
/* What gzip has packed, with a NUL behind it; malloc'd. NULL: no memory, or not packed by it. */
char *life_ptx_unpacked(const unsigned char *packed, const unsigned char *end);

#ifdef __cplusplus
}
#endif
#endif
