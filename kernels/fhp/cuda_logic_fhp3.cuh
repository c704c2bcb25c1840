/* SPDX-License-Identifier: MIT */
/*
 * Collisions of fhp3 in 77 LOP3 operations. fhp3_bits in bitslice.h says what is computed. Which
 * terms share operations cannot be seen from the rule: the network was found by a program that
 * rewrites logic at random (ABC; Brayton and Mishchenko, "ABC: an academic industrial-strength
 * verification tool", CAV 2010). An operation of two inputs takes one of them twice, because
 * compilers would rewrite it otherwise, into a larger network. The tests cover all states at both
 * chiralities.
 */
#ifndef CALAB_KERNELS_FHP_CUDA_LOGIC_FHP3_CUH
#define CALAB_KERNELS_FHP_CUDA_LOGIC_FHP3_CUH

#include "kernels/fhp/bitslice.h"

/* clang-format off */
static __device__ __forceinline__ void fhp3_words(struct fhp_bits *node, word chirality)
{
    const struct fhp_bits old = *node;
    const word *a = old.move;
    word x[70];

    x[0] = LOP3(a[1], a[3], a[5], A ^ B ^ C);
    x[1] = LOP3(a[0], a[2], a[4], ~(A ^ B ^ C));
    x[2] = LOP3(x[0], x[1], old.rest, (A & C) | (~B & (A | C)));
    x[3] = LOP3(a[1], a[3], a[5], ~((A & B) | (A & C) | (B & C)));
    x[4] = LOP3(a[0], a[2], a[4], ~((A & B) | (A & C) | (B & C)));
    x[5] = LOP3(x[2], x[3], x[4], (A & ~(B & C)) | ~(B | C));
    x[6] = LOP3(x[5], a[3], x[5], A ^ B);
    x[7] = LOP3(x[0], x[1], old.rest, ~(A ^ B ^ C));
    x[8] = LOP3(x[5], x[7], x[5], A ^ B);
    x[9] = LOP3(x[5], a[4], x[5], A ^ B);
    x[10] = LOP3(x[5], a[0], x[5], A ^ B);
    x[11] = LOP3(x[9], x[10], chirality, (A & ~C) | (B & C));
    x[12] = LOP3(x[5], a[1], x[5], A ^ B);
    x[13] = LOP3(x[8], x[11], x[12], (~A | B) & C);
    x[14] = LOP3(x[9], x[10], chirality, (A & C) | (B & ~C));
    x[15] = LOP3(x[5], a[2], old.rest, (A ^ B) & (A ^ C));
    x[16] = LOP3(x[8], x[14], x[15], (~A | B) & C);
    x[17] = LOP3(x[6], x[13], x[16], ~((A & B) | C));
    x[18] = LOP3(x[5], a[5], x[5], A ^ B);
    x[19] = LOP3(x[18], x[12], chirality, (A & ~C) | (B & C));
    x[20] = LOP3(x[5], a[2], x[5], A ^ B);
    x[21] = LOP3(x[8], x[19], x[20], (~A | B) & C);
    x[22] = LOP3(x[18], x[12], chirality, (A & C) | (B & ~C));
    x[23] = LOP3(x[5], a[3], old.rest, (A ^ B) & (A ^ C));
    x[24] = LOP3(x[8], x[22], x[23], (~A | B) & C);
    x[25] = LOP3(x[9], x[21], x[24], ~((A & B) | C));
    x[26] = LOP3(x[17], x[25], x[17], A & B);
    x[27] = LOP3(x[18], x[6], chirality, (A & C) | (B & ~C));
    x[28] = LOP3(x[8], x[27], x[20], (~A | B) & C);
    x[29] = LOP3(x[18], x[6], chirality, (A & ~C) | (B & C));
    x[30] = LOP3(x[5], a[1], old.rest, (A ^ B) & (A ^ C));
    x[31] = LOP3(x[8], x[29], x[30], (~A | B) & C);
    x[32] = LOP3(x[10], x[28], x[31], ~((A & B) | C));
    x[33] = LOP3(x[26], x[32], x[26], A & B);
    x[34] = LOP3(x[5], a[5], old.rest, (A ^ B) & (A ^ C));
    x[35] = LOP3(x[6], x[12], chirality, (A & ~C) | (B & C));
    x[36] = LOP3(x[35], x[8], x[35], ~A & B);
    x[37] = LOP3(x[6], x[12], chirality, (A & C) | (B & ~C));
    x[38] = LOP3(x[10], x[9], x[10], A & B);
    x[39] = LOP3(x[8], x[37], x[38], (~A | B) & C);
    x[40] = LOP3(x[34], x[36], x[39], (~A | B) & ~C);
    x[41] = LOP3(x[5], a[4], old.rest, (A ^ B) & (A ^ C));
    x[42] = LOP3(x[20], x[10], chirality, (A & ~C) | (B & C));
    x[43] = LOP3(x[42], x[8], x[42], ~A & B);
    x[44] = LOP3(x[20], x[10], chirality, (A & C) | (B & ~C));
    x[45] = LOP3(x[6], x[18], x[6], A & B);
    x[46] = LOP3(x[8], x[44], x[45], (~A | B) & C);
    x[47] = LOP3(x[41], x[43], x[46], (~A | B) & ~C);
    x[48] = LOP3(x[40], x[47], x[40], A & B);
    x[49] = LOP3(x[20], x[9], chirality, (A & ~C) | (B & C));
    x[50] = LOP3(x[8], x[49], x[12], (~A | B) & C);
    x[51] = LOP3(x[20], x[9], chirality, (A & C) | (B & ~C));
    x[52] = LOP3(x[5], a[0], old.rest, (A ^ B) & (A ^ C));
    x[53] = LOP3(x[8], x[51], x[52], (~A | B) & C);
    x[54] = LOP3(x[18], x[50], x[53], ~((A & B) | C));
    x[55] = LOP3(x[48], x[54], x[48], A & B);
    x[56] = LOP3(x[33], x[55], x[33], A & B);
    x[57] = LOP3(x[56], x[11], x[37], A & B & C);
    x[58] = LOP3(x[56], x[27], x[44], A & B & C);
    x[59] = LOP3(x[45], x[12], x[45], A & B);
    x[60] = LOP3(x[20], x[38], x[59], ~((A & B) | C));
    x[61] = LOP3(x[57], x[58], x[60], ~A & ~B & C);
    x[62] = LOP3(x[32], x[54], x[32], A & B);
    x[63] = LOP3(x[61], x[62], x[40], A & B & C);
    node->move[0] = LOP3(x[63], a[0], x[63], ~(A ^ B));
    x[64] = LOP3(x[56], x[19], x[49], A & B & C);
    x[65] = LOP3(x[57], x[64], x[60], ~A & ~B & C);
    x[66] = LOP3(x[65], x[62], x[17], A & B & C);
    node->move[1] = LOP3(x[66], a[1], x[66], ~(A ^ B));
    x[67] = LOP3(x[58], x[64], x[60], ~A & ~B & C);
    node->move[2] = LOP3(x[67], x[33], a[2], ~((A & B) ^ C));
    x[68] = LOP3(x[61], x[26], x[47], A & B & C);
    node->move[3] = LOP3(x[68], a[3], x[68], ~(A ^ B));
    x[69] = LOP3(x[65], x[48], x[25], A & B & C);
    node->move[4] = LOP3(x[69], a[4], x[69], ~(A ^ B));
    node->move[5] = LOP3(x[67], x[55], a[5], ~((A & B) ^ C));
    node->rest = LOP3(x[56], old.rest, x[56], ~(A ^ B));
}
/* clang-format on */

#endif
