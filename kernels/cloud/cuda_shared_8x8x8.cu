/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared-8x8x8 of cloud: a block of 8 x 8 x 8 cells from a tile in shared memory.
 *
 * The cloud report's second attempt. A cube has the least surface: its tile has 12 x 12 x 11 =
 * 1,584 bytes for 512 cells, which its threads load in four rounds, the last of them short. That is
 * half of what cuda-shared-32x1x32 loads for a cell. In return rows of the tile are twelve bytes
 * long, so a warp's loads are scattered over three or four of them.
 */
#include "kernels/cloud/tile.cuh"

CUDA_OPS(cloud_cuda_shared_8x8x8) = CLOUD_BYTES((cloud_tile_plan<8, 8, 8>));
