/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of cloud: a bit a cell and plane, 128 cells a lane, one generation a pass.
 * Its kernel, cloud_cuda_bitslice_step, stands in cuda_bits.cu, since other backends step single
 * generations with it.
 *
 * A thread goes up the planes with the group of 128 cells at one place, so that it loads each plane
 * once; the rows beside come from L1. Without events cld follows from what cells have lost of hum
 * (cuda_bits.cuh), so that memory moves half a byte a cell step. The kernel is bound by memory, as
 * a copy of hum and act would be.
 *
 * With events cld is moved too. The bits of a draw are those of the group's 128 cells. An event
 * takes a draw for each bit of its probability down to the last that is set, at most 16, and their
 * outcome is permuted to the order of the group once. A draw is some 30 instructions, ten of them
 * products, so that the kernel is bound by draws.
 *
 * This backend takes all sizes.
 */
#include "kernels/cloud/cuda_bits.cuh"

CUDA_OPS(cloud_cuda_bitslice) = CLOUD_BITS_OPS(cloud_cuda_bits, cloud_cuda_bits_plan,
                                               cloud_cuda_bits_generation);
