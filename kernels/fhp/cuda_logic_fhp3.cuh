/* SPDX-License-Identifier: MIT */
/*
 * Collisions of fhp3 in 77 LOP3 operations. fhp3_bits in bitslice.h says what is computed. Which
 * terms share operations cannot be seen from the rule: the network was found by a program that
 * rewrites logic at random (ABC; Brayton and Mishchenko, "ABC: an academic industrial-strength
 * verification tool", CAV 2010). The tests cover all states at both chiralities.
 */
#ifndef CALAB_KERNELS_FHP_CUDA_LOGIC_FHP3_CUH
#define CALAB_KERNELS_FHP_CUDA_LOGIC_FHP3_CUH

#include "kernels/cuda/lop3.cuh"
#include "kernels/fhp/bitslice.h"

#define FHP3(a, b, c, table) lop3<table>(a, b, c)

/* clang-format off */
static __device__ __forceinline__ void fhp3_words(struct fhp_bits *node, word chirality)
{
    const struct fhp_bits old = *node;
    const word *a = old.move;
    word x[70];

    x[0] = FHP3(a[1], a[3], a[5], 0x96);
    x[1] = FHP3(a[0], a[2], a[4], 0x69);
    x[2] = FHP3(x[0], x[1], old.rest, 0xb2);
    x[3] = FHP3(a[1], a[3], a[5], 0x17);
    x[4] = FHP3(a[0], a[2], a[4], 0x17);
    x[5] = FHP3(x[2], x[3], x[4], 0x71);
    x[6] = FHP3(x[5], a[3], x[5], 0x24);
    x[7] = FHP3(x[0], x[1], old.rest, 0x69);
    x[8] = FHP3(x[5], x[7], x[5], 0x24);
    x[9] = FHP3(x[5], a[4], x[5], 0x24);
    x[10] = FHP3(x[5], a[0], x[5], 0x24);
    x[11] = FHP3(x[9], x[10], chirality, 0xd8);
    x[12] = FHP3(x[5], a[1], x[5], 0x24);
    x[13] = FHP3(x[8], x[11], x[12], 0x8a);
    x[14] = FHP3(x[9], x[10], chirality, 0xe4);
    x[15] = FHP3(x[5], a[2], old.rest, 0x18);
    x[16] = FHP3(x[8], x[14], x[15], 0x8a);
    x[17] = FHP3(x[6], x[13], x[16], 0x15);
    x[18] = FHP3(x[5], a[5], x[5], 0x24);
    x[19] = FHP3(x[18], x[12], chirality, 0xd8);
    x[20] = FHP3(x[5], a[2], x[5], 0x24);
    x[21] = FHP3(x[8], x[19], x[20], 0x8a);
    x[22] = FHP3(x[18], x[12], chirality, 0xe4);
    x[23] = FHP3(x[5], a[3], old.rest, 0x18);
    x[24] = FHP3(x[8], x[22], x[23], 0x8a);
    x[25] = FHP3(x[9], x[21], x[24], 0x15);
    x[26] = FHP3(x[17], x[25], x[17], 0x80);
    x[27] = FHP3(x[18], x[6], chirality, 0xe4);
    x[28] = FHP3(x[8], x[27], x[20], 0x8a);
    x[29] = FHP3(x[18], x[6], chirality, 0xd8);
    x[30] = FHP3(x[5], a[1], old.rest, 0x18);
    x[31] = FHP3(x[8], x[29], x[30], 0x8a);
    x[32] = FHP3(x[10], x[28], x[31], 0x15);
    x[33] = FHP3(x[26], x[32], x[26], 0x80);
    x[34] = FHP3(x[5], a[5], old.rest, 0x18);
    x[35] = FHP3(x[6], x[12], chirality, 0xd8);
    x[36] = FHP3(x[35], x[8], x[35], 0x04);
    x[37] = FHP3(x[6], x[12], chirality, 0xe4);
    x[38] = FHP3(x[10], x[9], x[10], 0x80);
    x[39] = FHP3(x[8], x[37], x[38], 0x8a);
    x[40] = FHP3(x[34], x[36], x[39], 0x45);
    x[41] = FHP3(x[5], a[4], old.rest, 0x18);
    x[42] = FHP3(x[20], x[10], chirality, 0xd8);
    x[43] = FHP3(x[42], x[8], x[42], 0x04);
    x[44] = FHP3(x[20], x[10], chirality, 0xe4);
    x[45] = FHP3(x[6], x[18], x[6], 0x80);
    x[46] = FHP3(x[8], x[44], x[45], 0x8a);
    x[47] = FHP3(x[41], x[43], x[46], 0x45);
    x[48] = FHP3(x[40], x[47], x[40], 0x80);
    x[49] = FHP3(x[20], x[9], chirality, 0xd8);
    x[50] = FHP3(x[8], x[49], x[12], 0x8a);
    x[51] = FHP3(x[20], x[9], chirality, 0xe4);
    x[52] = FHP3(x[5], a[0], old.rest, 0x18);
    x[53] = FHP3(x[8], x[51], x[52], 0x8a);
    x[54] = FHP3(x[18], x[50], x[53], 0x15);
    x[55] = FHP3(x[48], x[54], x[48], 0x80);
    x[56] = FHP3(x[33], x[55], x[33], 0x80);
    x[57] = FHP3(x[56], x[11], x[37], 0x80);
    x[58] = FHP3(x[56], x[27], x[44], 0x80);
    x[59] = FHP3(x[45], x[12], x[45], 0x80);
    x[60] = FHP3(x[20], x[38], x[59], 0x15);
    x[61] = FHP3(x[57], x[58], x[60], 0x02);
    x[62] = FHP3(x[32], x[54], x[32], 0x80);
    x[63] = FHP3(x[61], x[62], x[40], 0x80);
    node->move[0] = FHP3(x[63], a[0], x[63], 0x81);
    x[64] = FHP3(x[56], x[19], x[49], 0x80);
    x[65] = FHP3(x[57], x[64], x[60], 0x02);
    x[66] = FHP3(x[65], x[62], x[17], 0x80);
    node->move[1] = FHP3(x[66], a[1], x[66], 0x81);
    x[67] = FHP3(x[58], x[64], x[60], 0x02);
    node->move[2] = FHP3(x[67], x[33], a[2], 0x95);
    x[68] = FHP3(x[61], x[26], x[47], 0x80);
    node->move[3] = FHP3(x[68], a[3], x[68], 0x81);
    x[69] = FHP3(x[65], x[48], x[25], 0x80);
    node->move[4] = FHP3(x[69], a[4], x[69], 0x81);
    node->move[5] = FHP3(x[67], x[55], a[5], 0x95);
    node->rest = FHP3(x[56], old.rest, x[56], 0x81);
}
/* clang-format on */

#undef FHP3
#endif
