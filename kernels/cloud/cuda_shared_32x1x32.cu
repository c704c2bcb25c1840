/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared-32x1x32 of cloud: a block is one horizontal layer of 32 x 32 cells, with a
 * tile in shared memory.
 *
 * This is the cloud report's first attempt with shared memory. In this one version the report's y
 * is height, which is z here and later in the report too: its 32 x 1 x 32 is 32 x 32 x 1 here. A
 * flat block has a large surface: its tile has 36 x 36 x 4 = 5,184 bytes for 1,024 cells, of which
 * three layers and a rim of two cells belong to other blocks.
 *
 *     first index ->
 *       0 . . . . . . . . . 31  +4        In each of the four layers a thread loads the cell at
 *     0 ┌──────────────────────┬──┐       its own place in the tile, which is that of its cell
 *     . │                      │ e│       less the halo. What is left are the last four columns
 *     . │   cell less halo     │ d│       and rows: threads with both indices below 4 load the far
 *     . │                      │ g│       corner, those with the second below 4 the far edge
 *    31 │                      │ e│       below, those with the first below 4 the one to the right.
 *       ├──────────────────────┼──┤
 *    +4 │         edge         │ c│
 *       └──────────────────────┴──┘
 *
 * So 16 threads load 16 bytes, 224 load 8, and the other 784 load 4, and all wait at the barrier
 * for the slowest. That and the size of the tile, five times the cells that are updated, are the
 * report's two reasons why this took almost twice as long as cuda-naive. No neighbour lies in a
 * corner, nor in the rim of a layer above or below, so that 832 of the bytes are never looked at.
 * The report's tests for the lattice's edge let one cell too many pass (<= for <); here they do
 * not.
 */
#include "kernels/cloud/cuda_shared.cuh"

struct cloud_layer_tile : cloud_shared_tile<32, 32, 1> {
    /* The place of the block's first cell: in memory, and from the edges of the lattice. */
    struct place {
        const uint8_t *cell;
        struct ca_size size;
        struct cuda_edge_distance x, y, z;
    };

    static __device__ __forceinline__ void load(uint8_t *tile, const struct place &first,
                                                int column, int row, int layer)
    {
        int dx = column - 2, dy = row - 2, dz = layer - 2;
        bool load = in_lattice(dx, first.x) && in_lattice(dy, first.y) && in_lattice(dz, first.z);

        tile[layer * LAYER + row * W + column] =
            load ? first.cell[(dz * first.size.h + dy) * first.size.w + dx] : 0;
    }

    static __device__ __forceinline__ void fill(uint8_t *tile, const uint8_t *now,
                                                struct ca_size size,
                                                const struct cuda_position &position)
    {
        const struct place first = {now + (position.z0 * size.h + position.y0) * size.w +
                                        position.x0,
                                    size, cuda_edge_distance_of(position.x0, 0, size.w),
                                    cuda_edge_distance_of(position.y0, 0, size.h),
                                    cuda_edge_distance_of(position.z0, 0, size.d)};
        int i = (int)threadIdx.x, j = (int)threadIdx.y;

        for (int layer = 0; layer < D; layer++) {
            load(tile, first, i, j, layer);
            if (i < 4 && j < 4)
                load(tile, first, i + 32, j + 32, layer);
            if (j < 4)
                load(tile, first, i, j + 32, layer);
            if (i < 4)
                load(tile, first, i + 32, j, layer);
        }
    }
};

CUDA_OPS(cloud_cuda_shared_32x1x32) = CLOUD_CELLS_OPS(cloud_shared_plan<cloud_layer_tile>);
