/* SPDX-License-Identifier: MIT */
/*
 * The kernel of cloud's two shared-memory backends. A block of X x Y x Z threads, one cell each,
 * first copies its cells and their halo into a tile in shared memory. The eleven neighbours reach
 * two cells along x and y on both sides, two planes down and one up:
 *
 *        x ->                         (X + 4) x (Y + 4) x (Z + 3) bytes,
 *     z  h h h h h h h h   1 above    zeros outside the lattice
 *     |  h h o o o o h h
 *     v  h h o o o o h h   Z planes   o  a cell of the block
 *        h h h h h h h h   2 below    h  halo
 *        h h h h h h h h
 *
 * All neighbours then lie in the tile at constant offsets, and no test for the lattice's edge is
 * left. What differs is how a tile is filled: a backend derives it from cloud_shared_tile and adds
 * `fill`, which all threads of a block call.
 */
#ifndef CALAB_KERNELS_CLOUD_CUDA_SHARED_CUH
#define CALAB_KERNELS_CLOUD_CUDA_SHARED_CUH

#include "kernels/cloud/cuda_cells.cuh"

template <int X, int Y, int Z> struct cloud_shared_tile {
    static const int THREADS = X * Y * Z;
    static const int W = X + 4, H = Y + 4, D = Z + 3, LAYER = W * H, CELLS = W * H * D;

    static __host__ dim3 block() { return {X, Y, Z}; }

    /* Whether the cell at `offset` from the block's first one is in the lattice. */
    static __device__ __forceinline__ bool in_lattice(int offset, struct cuda_edge_distance first)
    {
        return (unsigned)(offset + first.before) <= (unsigned)(first.before + first.after);
    }

    static __device__ __forceinline__ uint32_t any_act(const uint8_t *cell)
    {
        return cell[-2] | cell[-1] | cell[1] | cell[2] | cell[-2 * W] | cell[-W] | cell[W] |
               cell[2 * W] | cell[-2 * LAYER] | cell[-LAYER] | cell[LAYER];
    }
};

/*
 * Other blocks compute while one waits for its tile, so registers are bounded to let a
 * multiprocessor hold all the threads that it can. With events the draws need more registers than
 * that leaves.
 */
template <class Tile, bool events>
static __global__ void
__launch_bounds__(Tile::THREADS,
                  cuda_resident(Tile::THREADS, events ? 1 : CUDA_RESIDENT_THREADS / Tile::THREADS))
    cloud_cuda_shared_step(const uint8_t *__restrict__ now, uint8_t *__restrict__ next,
                           const struct cloud_params params, uint32_t t)
{
    __shared__ uint8_t tile[Tile::CELLS];
    const uint8_t *cell =
        tile + (threadIdx.z + 2) * Tile::LAYER + (threadIdx.y + 2) * Tile::W + threadIdx.x + 2;

    cuda_grid_stride(params.size, [&](const struct cuda_position &position) {
        Tile::fill(tile, now, params.size, position);
        __syncthreads();
        if (position.inside)
            next[position.at] = cloud_next_byte<events>(*cell, Tile::any_act(cell), params,
                                                        cloud_coordinates_of(position, 1, 1, 1), t);
        __syncthreads(); /* all threads have read this tile before the next one overwrites it */
    });
}

template <class Tile>
static enum ca_status cloud_shared_plan(struct cuda *cuda, struct ca_error *error)
{
    const struct cloud_cells_launch launch = {
        "cloud_cuda_shared_step", cloud_cuda_shared_step<Tile, false>,
        cloud_cuda_shared_step<Tile, true>, Tile::block(), Tile::CELLS};

    return cloud_cuda_cells_plan(cuda, &launch, "a cell a thread, tiles in shared memory", error);
}

#endif
