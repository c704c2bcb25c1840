/* SPDX-License-Identifier: MIT */
/*
 * Small lattices, for cuda-blocked where there are no clusters (cluster.cuh) and of a few layers:
 * all of it in the registers of one block, which takes it through as many generations as are wanted
 * in one launch. Rows are words of up to 32 cells, a lane has
 * row y of some layers, and a warp these layers:
 *
 *               lane 0  1  2 ...  31         x within the word: shifts
 *     warp 0    layers 0 ...  3              y: the lanes beside it
 *     warp 1    layers 4 ...  7              z: registers, and of the first and last layer of a
 *     ...                                       warp the sums of nine through shared memory
 *
 * so that a generation has one barrier. Layers that no thread can have four of are one a thread.
 */
#ifndef CALAB_KERNELS_LIFE3D_CUBE_CUH
#define CALAB_KERNELS_LIFE3D_CUBE_CUH

#include "kernels/life3d/planes.cuh"

#define CUBE_SIDE 32       /* of x and y at most, and of z where it is no multiple of four */
#define CUBE_LAYERS_MAX 64 /* else */
#define CUBE_LAYERS 4      /* of a thread */

/* How a row ends. */
enum life3d_cube_ends {
    LIFE3D_CUBE_RING,     /* closed, of 32 cells */
    LIFE3D_CUBE_WALL,     /* dead, of 32 cells */
    LIFE3D_CUBE_ANY_RING, /* of less, or whatever */
    LIFE3D_CUBE_ANY_WALL,
    LIFE3D_CUBE_ENDS
};

/* A word with each cell where the one to its right is, or to its left. What is beyond a short row's
 * end is dropped from results; `side`: its cells - 1. */
template <int ENDS> static __device__ __forceinline__ word life3d_cube_left(word row, int side)
{
    if (ENDS == LIFE3D_CUBE_RING)
        return __funnelshift_l(row, row, 1);
    return ENDS == LIFE3D_CUBE_ANY_RING ? row << 1 | row >> side : row << 1;
}

template <int ENDS> static __device__ __forceinline__ word life3d_cube_right(word row, int side)
{
    if (ENDS == LIFE3D_CUBE_RING)
        return __funnelshift_r(row, row, 1);
    return ENDS == LIFE3D_CUBE_ANY_RING ? row >> 1 | row << side : row >> 1;
}

/* One for a lattice that is small enough. */
struct life3d_small life3d_cube_of(const struct life3d_planes *own);

#endif
