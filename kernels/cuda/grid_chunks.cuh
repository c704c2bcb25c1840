/* SPDX-License-Identifier: MIT */
/*
 * Divides a 2D slab into chunks, each covered by one launch. A grid has at most 65,535 rows of
 * blocks, and a slab may need more. A grid-stride loop in the kernel would cost every thread of
 * every lattice a loop and 64-bit coordinates, so the host loops over the chunks instead: kernels
 * use 32-bit coordinates from pointers to their chunk. All but the largest lattices are one chunk.
 */
#ifndef CALAB_KERNELS_CUDA_GRID_CHUNKS_CUH
#define CALAB_KERNELS_CUDA_GRID_CHUNKS_CUH

#include "kernels/cuda/stepper.cuh"

struct grid_chunk {
    int64_t x, y; /* coordinates of the first cell in the slab */
    unsigned w, h;
    /* The chunk and its neighbour cells in the slab are columns west ... east - 1 and rows north
     * ... south - 1, counted from the first cell: west is -1 or 0, and east w or w + 1; likewise in
     * y. */
    int west, east, north, south;
};

#define GRID_CHUNK_COLUMNS ((int64_t)1 << 30) /* a multiple of any block's width */

/* The coordinates of the thread's cell in the chunk; threads beyond w or h are idle. */
static __device__ __forceinline__ unsigned grid_chunk_x()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}
static __device__ __forceinline__ unsigned grid_chunk_y()
{
    return blockIdx.y * blockDim.y + threadIdx.y;
}

/* Calls launch(chunk, grid) for each chunk in order; `grid` covers it by blocks of `block`. */
template <class Launch>
static enum ca_status cuda_each_chunk(struct ca_size size, dim3 block, Launch launch)
{
    int64_t columns = GRID_CHUNK_COLUMNS, rows = (int64_t)65535 * block.y;

    for (int64_t y = 0; y < size.h; y += rows)
        for (int64_t x = 0; x < size.w; x += columns) {
            int64_t w = size.w - x < columns ? size.w - x : columns;
            int64_t h = size.h - y < rows ? size.h - y : rows;
            struct grid_chunk chunk = {};

            chunk.x = x;
            chunk.y = y;
            chunk.w = (unsigned)w;
            chunk.h = (unsigned)h;
            chunk.west = x > 0 ? -1 : 0;
            chunk.north = y > 0 ? -1 : 0;
            chunk.east = (int)(x + w < size.w ? w + 1 : w);
            chunk.south = (int)(y + h < size.h ? h + 1 : h);
            CA_TRY(launch(chunk, cuda_grid(w, h, 1, block)));
        }
    return CA_OK;
}

#endif
