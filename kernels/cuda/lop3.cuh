/* SPDX-License-Identifier: MIT */
/* Ternary logic by its truth table, numbered as in WORD_TERNARY; a GPU has it as one instruction,
 * LOP3. */
#ifndef CALAB_KERNELS_CUDA_LOP3_CUH
#define CALAB_KERNELS_CUDA_LOP3_CUH

#include "kernels/cpu/word.h"

template <int table> static __device__ __forceinline__ word lop3(word a, word b, word c)
{
#ifdef WORD_TERNARY
    return WORD_TERNARY(a, b, c, table);
#else
    word result = 0;

    for (int i = 0; i < 8; i++)
        if (table >> i & 1)
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
#endif
}

#endif
