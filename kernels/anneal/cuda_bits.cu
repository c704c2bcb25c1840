/* SPDX-License-Identifier: MIT */
/* Cells in and out of anneal's bit-sliced CUDA backends. */
#include "kernels/anneal/cuda_logic.cuh"

#include "kernels/anneal/cuda_walls.cuh"
#include "kernels/cuda/access.cuh"

CUDA_WORD_ACCESS(anneal_bits_access, moore_group_words,
                 .neighbours = layout_blocks<anneal_walls_of_words<moore_group_words>>);
