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
 * Each round of the copy takes as many whole rows of the tile as there are threads for. So a thread
 * keeps its place along x, and an increment that the compiler knows leads to its byte of the next
 * round. All neighbours then lie in the tile at constant offsets, and no test for the lattice's
 * edge is left.
 */
#ifndef CALAB_KERNELS_CLOUD_CUDA_SHARED_CUH
#define CALAB_KERNELS_CLOUD_CUDA_SHARED_CUH

#include "kernels/cloud/cuda_cells.cuh"

template <int X, int Y, int Z> struct cloud_shared_tile {
    static const int W = X + 4, H = Y + 4, D = Z + 3, LAYER = W * H, CELLS = W * H * D;
    static const int ROWS = H * D, ROUND_ROWS = X * Y * Z / W; /* rows of W bytes */
    static const int ROUNDS = (ROWS + ROUND_ROWS - 1) / ROUND_ROWS;
    static const int FLAT_ROWS = (2 * ROUNDS + 2) / 3 * ROUND_ROWS; /* enough for flat lattices */

    /* Whether the cell at `offset` from the block's first one is in the lattice. */
    static __device__ __forceinline__ bool in_lattice(int offset, struct cuda_edge_distance first)
    {
        return (unsigned)(offset + first.before) <= (unsigned)(first.before + first.after);
    }

    /* Called by all threads of the block. */
    static __device__ __forceinline__ void fill(uint8_t *tile, const uint8_t *now,
                                                struct ca_size size,
                                                const struct cuda_position &position)
    {
        struct cuda_edge_distance ry = cuda_edge_distance_of(position.y0, 0, size.h),
                                  rz = cuda_edge_distance_of(position.z0, 0, size.d);
        int thread = (int)((threadIdx.z * Y + threadIdx.y) * X + threadIdx.x);
        int dx = thread % W - 2, row = thread / W, dy = row % H - 2, dz = row / H - 2;
        bool x_in_lattice = in_lattice(dx, cuda_edge_distance_of(position.x0, 0, size.w));
        int rows = (rz.after + 4) * H; /* up to the plane above the lattice's last */
        int64_t layer = size.w * size.h, step = ROUND_ROWS / H * layer + ROUND_ROWS % H * size.w;
        const uint8_t *from =
            now + ((position.z0 + dz) * size.h + position.y0 + dy) * size.w + position.x0 + dx;

        if (row >= ROUND_ROWS)
            return;
#pragma unroll
        for (int round = 0; round < ROWS; round += ROUND_ROWS) {
            bool load = x_in_lattice && in_lattice(dy, ry) && in_lattice(dz, rz);

            if (round == FLAT_ROWS && rows <= FLAT_ROWS)
                return;
            if (round + ROUND_ROWS <= ROWS || row < ROWS - round)
                tile[round * W + thread] = load ? *from : 0;
            dz += ROUND_ROWS / H;
            dy += ROUND_ROWS % H;
            from += step;
            if (dy >= H - 2) {
                dy -= H;
                dz++;
                from += layer - H * size.w;
            }
        }
    }

    static __device__ __forceinline__ uint32_t near(const uint8_t *cell)
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
template <int X, int Y, int Z, bool events>
static __global__ void
__launch_bounds__(X *Y *Z, cuda_resident(X *Y *Z, events ? 1 : CUDA_RESIDENT_THREADS / (X * Y * Z)))
    cloud_cuda_shared_step(const uint8_t *__restrict__ now, uint8_t *__restrict__ next,
                           const struct cloud_params params, uint32_t t)
{
    typedef struct cloud_shared_tile<X, Y, Z> shape;
    __shared__ uint8_t tile[shape::CELLS];
    const uint8_t *cell =
        tile + (threadIdx.z + 2) * shape::LAYER + (threadIdx.y + 2) * shape::W + threadIdx.x + 2;

    cuda_grid_stride(params.size, [&](const struct cuda_position &position) {
        shape::fill(tile, now, params.size, position);
        __syncthreads();
        if (position.inside)
            next[position.at] = cloud_next_byte<events>(*cell, shape::near(cell), params,
                                                        cloud_coordinates_of(position, 1, 1, 1), t);
        __syncthreads(); /* all threads have read this tile before the next one overwrites it */
    });
}

template <int X, int Y, int Z>
static enum ca_status cloud_shared_plan(struct cuda *cuda, struct ca_error *error)
{
    const struct cloud_cells_launch launch = {"cloud_cuda_shared_step",
                                              cloud_cuda_shared_step<X, Y, Z, false>,
                                              cloud_cuda_shared_step<X, Y, Z, true>,
                                              {X, Y, Z},
                                              cloud_shared_tile<X, Y, Z>::CELLS};

    return cloud_cuda_cells_plan(cuda, &launch, "a cell a thread, tiles in shared memory", error);
}

#endif
