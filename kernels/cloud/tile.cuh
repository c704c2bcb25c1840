/* SPDX-License-Identifier: MIT */
/*
 * The kernel of cloud's two shared-memory rungs: a block of X x Y x Z threads, a cell each, first
 * brings its cells and the halo that the eleven neighbours reach into a tile, two cells along x and
 * y on both sides, two below and one above:
 *
 *        x ->                         (X + 4) x (Y + 4) x (Z + 3) bytes,
 *     z  h h h h h h h h   1 above    zeros where the lattice has ended
 *     |  h h o o o o h h
 *     v  h h o o o o h h   Z layers   o  a cell of the block
 *        h h h h h h h h   2 below    h  halo
 *        h h h h h h h h
 *
 * Threads take whole rows of the tile, as many at once as there are threads for, in as many rounds
 * as that needs. So a thread keeps its place along x, and from round to round a step of known
 * length leads to the next byte. Then all neighbours are in the tile at distances that the compiler
 * knows, and no test for the lattice's end is left.
 */
#ifndef CALAB_KERNELS_CLOUD_TILE_CUH
#define CALAB_KERNELS_CLOUD_TILE_CUH

#include "kernels/cloud/bytes.cuh"

template <int X, int Y, int Z> struct cloud_tile {
    static const int W = X + 4, H = Y + 4, D = Z + 3, LAYER = W * H, CELLS = W * H * D;
    static const int ROWS = H * D, AT_ONCE = X * Y * Z / W; /* of W bytes */
    static const int ROUNDS = (ROWS + AT_ONCE - 1) / AT_ONCE;
    static const int MOST = (2 * ROUNDS + 2) / 3 * AT_ONCE; /* rows; flat lattices have no more */

    /* Whether a cell so far from the block's first is in the lattice. */
    static __device__ __forceinline__ bool within(int offset, struct cuda_edge_distance first)
    {
        return (unsigned)(offset + first.before) <= (unsigned)(first.before + first.after);
    }

    /* The tile of the block; by all its threads. */
    static __device__ __forceinline__ void
    fill(uint8_t *tile, const uint8_t *now, struct ca_size size, const struct cuda_position &spot)
    {
        struct cuda_edge_distance ry = cuda_edge_distance_of(spot.y0, 0, size.h),
                                  rz = cuda_edge_distance_of(spot.z0, 0, size.d);
        int thread = (int)((threadIdx.z * Y + threadIdx.y) * X + threadIdx.x);
        int dx = thread % W - 2, row = thread / W, dy = row % H - 2, dz = row / H - 2;
        bool is_x = within(dx, cuda_edge_distance_of(spot.x0, 0, size.w));
        int rows = (rz.after + 4) * H; /* to the layer above the lattice's last */
        int64_t layer = size.w * size.h, step = AT_ONCE / H * layer + AT_ONCE % H * size.w;
        const uint8_t *from =
            now + ((spot.z0 + dz) * size.h + spot.y0 + dy) * size.w + spot.x0 + dx;

        if (row >= AT_ONCE)
            return;
#pragma unroll
        for (int round = 0; round < ROWS; round += AT_ONCE) {
            bool is = is_x && within(dy, ry) && within(dz, rz);

            if (round == MOST && rows <= MOST)
                return;
            if (round + AT_ONCE <= ROWS || row < ROWS - round)
                tile[round * W + thread] = is ? *from : 0;
            dz += AT_ONCE / H;
            dy += AT_ONCE % H;
            from += step;
            if (dy >= H - 2) {
                dy -= H;
                dz++;
                from += layer - H * size.w;
            }
        }
    }

    static __device__ __forceinline__ uint32_t near(const uint8_t *here)
    {
        return here[-2] | here[-1] | here[1] | here[2] | here[-2 * W] | here[-W] | here[W] |
               here[2 * W] | here[-2 * LAYER] | here[-LAYER] | here[LAYER];
    }
};

/*
 * While one block waits for its tile others compute: all that a multiprocessor has threads for, if
 * registers are bounded. Draws of events need more of them than that leaves.
 */
template <int X, int Y, int Z, bool events>
static __global__ void
__launch_bounds__(X *Y *Z, cuda_resident(X *Y *Z, events ? 1 : CUDA_RESIDENT_THREADS / (X * Y * Z)))
    cloud_tile_step(const uint8_t *__restrict__ now, uint8_t *__restrict__ next,
                    const struct cloud_space space, uint32_t t)
{
    typedef struct cloud_tile<X, Y, Z> shape;
    __shared__ uint8_t tile[shape::CELLS];
    const uint8_t *here =
        tile + (threadIdx.z + 2) * shape::LAYER + (threadIdx.y + 2) * shape::W + threadIdx.x + 2;

    cuda_grid_stride(space.size, [&](const struct cuda_position &spot) {
        shape::fill(tile, now, space.size, spot);
        __syncthreads();
        if (spot.inside)
            next[spot.at] = cloud_next_byte<events>(*here, shape::near(here), space,
                                                    cloud_place_of(spot, 1, 1, 1), t);
        __syncthreads(); /* all have read before the next tile comes */
    });
}

template <int X, int Y, int Z>
static enum ca_status cloud_tile_plan(struct cuda *cuda, struct ca_error *error)
{
    return cloud_bytes_plan(cuda, cloud_tile_step<X, Y, Z, false>, cloud_tile_step<X, Y, Z, true>,
                            dim3(X, Y, Z), error);
}

#endif
