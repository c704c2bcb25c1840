/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared-8x8x8 of cloud: blocks of 8 x 8 x 8 cells with a tile in shared memory.
 *
 * This is the cloud report's second attempt. A cube has the least surface: its tile has 12 x 12 x
 * 11 = 1,584 bytes for 512 cells, loaded in four rounds, the last of them short. That is half of
 * what cuda-shared-32x1x32 loads for a cell. In return the rows of the tile are only twelve bytes
 * long, so that the loads of a warp are scattered over three or four of them.
 */
#include "kernels/cloud/cuda_shared.cuh"

CUDA_OPS(cloud_cuda_shared_8x8x8) = CLOUD_CELLS_OPS((cloud_shared_plan<8, 8, 8>));
