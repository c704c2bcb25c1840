/* SPDX-License-Identifier: MIT */
/*
 * A 2D slab in pieces that one launch covers. A grid has at most 65,535 rows of blocks, and a slab
 * may have more; a kernel that walked on from there would carry a loop and 64-bit coordinates for
 * every thread of every lattice. So the host walks: kernels count in 32 bits from pointers that
 * stand at their piece, and all but the largest lattices are one piece.
 */
#ifndef CALAB_KERNELS_CUDA_GRID_CHUNKS_CUH
#define CALAB_KERNELS_CUDA_GRID_CHUNKS_CUH

#include "kernels/cuda/stepper.cuh"

struct grid_chunk {
    int64_t x, y; /* of its first cell in the slab */
    unsigned w, h;
    /* Cells beside it that exist: columns west ... east - 1 and rows north ... south - 1, counted
     * from its first cell; -1 or 0 and w or w + 1, likewise h. */
    int west, east, north, south;
};

#define GRID_CHUNK_COLUMNS ((int64_t)1 << 30) /* of any block's width a multiple */

/* The coordinates of the thread's cell in its piece; those beyond w or h are idle. */
static __device__ __forceinline__ unsigned grid_chunk_x()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}
static __device__ __forceinline__ unsigned grid_chunk_y()
{
    return blockIdx.y * blockDim.y + threadIdx.y;
}

/* launch(piece, grid) for one after the other of all pieces in blocks of `block`. */
template <class Launch>
static enum ca_status cuda_each_chunk(struct ca_size size, dim3 block, Launch launch)
{
    int64_t columns = GRID_CHUNK_COLUMNS, rows = (int64_t)65535 * block.y;

    for (int64_t y = 0; y < size.h; y += rows)
        for (int64_t x = 0; x < size.w; x += columns) {
            int64_t w = size.w - x < columns ? size.w - x : columns;
            int64_t h = size.h - y < rows ? size.h - y : rows;
            struct grid_chunk piece = {};

            piece.x = x;
            piece.y = y;
            piece.w = (unsigned)w;
            piece.h = (unsigned)h;
            piece.west = x > 0 ? -1 : 0;
            piece.north = y > 0 ? -1 : 0;
            piece.east = (int)(x + w < size.w ? w + 1 : w);
            piece.south = (int)(y + h < size.h ? h + 1 : h);
            CA_TRY(launch(piece, cuda_grid(w, h, 1, block)));
        }
    return CA_OK;
}

#endif
