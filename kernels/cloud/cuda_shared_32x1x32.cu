/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared-32x1x32 of cloud: blocks of 32 x 1 x 32 cells with a tile in shared memory.
 *
 * This is the cloud report's first attempt with shared memory. A flat block has a large surface:
 * its tile has 36 x 5 x 35 = 6,300 bytes for 1,024 cells, more than six loads a thread where
 * cuda-naive has twelve, and most of them are halo, since four of its five rows along y belong to
 * other blocks. The 1,024 threads of the block meet two barriers a generation. In a lattice of less
 * than 32 planes, such as the report's own of 20, the threads of the planes beyond are idle.
 */
#include "kernels/cloud/cuda_shared.cuh"

CUDA_OPS(cloud_cuda_shared_32x1x32) = CLOUD_CELLS_OPS((cloud_shared_plan<32, 1, 32>));
