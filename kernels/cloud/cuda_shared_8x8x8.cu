/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared-8x8x8 of cloud: blocks of 8 x 8 x 8 cells with a tile in shared memory.
 *
 * This is the cloud report's second attempt. A cube has the least surface: its tile has 12 x 12 x
 * 11 = 1,584 bytes for 512 cells, loaded in four rounds, the last of them short. For a cell that is
 * three fifths of what cuda-shared-32x1x32 loads, and the loads are shared out evenly: all threads
 * but eight load three or four bytes. In return the rows of the tile are only twelve bytes long, so
 * that the loads of a warp are scattered over three or four of them.
 *
 * Each round takes as many whole rows of the tile as there are threads for. So a thread keeps its
 * place along x, and an increment that the compiler knows leads to its byte of the next round.
 */
#include "kernels/cloud/cuda_shared.cuh"

struct cloud_cube_tile : cloud_shared_tile<8, 8, 8> {
    static const int ROWS = H * D, ROUND_ROWS = THREADS / W; /* rows of W bytes */
    static const int ROUNDS = (ROWS + ROUND_ROWS - 1) / ROUND_ROWS;
    static const int FLAT_ROWS = (2 * ROUNDS + 2) / 3 * ROUND_ROWS; /* enough for flat lattices */

    static __device__ __forceinline__ void fill(uint8_t *tile, const uint8_t *now,
                                                struct ca_size size,
                                                const struct cuda_position &position)
    {
        struct cuda_edge_distance ry = cuda_edge_distance_of(position.y0, 0, size.h),
                                  rz = cuda_edge_distance_of(position.z0, 0, size.d);
        int thread = (int)((threadIdx.z * 8 + threadIdx.y) * 8 + threadIdx.x);
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
};

CUDA_OPS(cloud_cuda_shared_8x8x8) = CLOUD_CELLS_OPS(cloud_shared_plan<cloud_cube_tile>);
