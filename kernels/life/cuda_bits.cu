/* SPDX-License-Identifier: MIT */
/* Cells in and out of life's bit-sliced CUDA backends. */
#include "kernels/life/cuda_rule.cuh"
#include "kernels/moore/cuda_bits.cuh"

#include "kernels/cuda/access.cuh"

CUDA_WORD_ACCESS(life_bits_access, moore_group_words, );
