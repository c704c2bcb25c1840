/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared-32x1x32 of cloud: a block of 32 x 1 x 32 cells from a tile in shared memory.
 *
 * The cloud report's first attempt with shared memory. Such a block is flat: its tile has 36 x 5 x
 * 35 = 6,300 bytes for 1,024 cells, more than six loads a thread where cuda-naive has twelve, and
 * most of them are halo: four of its five rows along y are other blocks' cells. The 1,024 threads
 * of the block wait for each other twice, and where a lattice is less than 32 layers high, as the
 * report's own of 20 is, those of the layers beyond compute nothing.
 */
#include "kernels/cloud/tile.cuh"

CUDA_OPS(cloud_cuda_shared_32x1x32) = CLOUD_BYTES((cloud_tile_plan<32, 1, 32>));
