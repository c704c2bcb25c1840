/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-packed-8x1x1 of cloud: a byte holds eight cells of a row, and a thread updates a
 * byte.
 *
 * In the cloud report packing eight cells into a byte was worth about ten times cuda-naive. A
 * thread then updates eight cells at once with logic on bytes, and memory holds no empty bits.
 * Along y and z a neighbour is the same bit of another byte; along x the byte is shifted, and the
 * bytes on either side fill it up:
 *
 *     left  . . . . . . a b | c d e f g h i j | k l . . . . . .  right        x - 2 of d is b
 *
 * Nine bytes are loaded to know which cells have an active neighbour, and three more for the cells
 * themselves. A byte is still the least that a thread can load, so the kernel is bound like
 * cuda-naive, but for eight cells in place of one.
 */
#include "kernels/cloud/cuda_packed.cuh"

struct cloud_packed_8x1x1 {
    enum { W = 8, H = 1, D = 1 };

    static const char *name() { return "8x1x1"; }

    static __device__ __forceinline__ uint32_t any_act(const uint8_t *byte, int64_t row,
                                                       int64_t layer,
                                                       const struct cuda_position &position)
    {
        uint32_t left = cloud_byte_if(position.x.before > 0, byte - 1);
        uint32_t right = cloud_byte_if(position.x.after > 0, byte + 1);
        uint32_t cells = left | *byte << 8 | right << 16; /* bit 8 is the byte's first */
        uint32_t x = cells >> 6 | cells >> 7 | cells >> 9 | cells >> 10;
        uint32_t y = cloud_byte_if(position.y.before > 1, byte - 2 * row) |
                     cloud_byte_if(position.y.before > 0, byte - row) |
                     cloud_byte_if(position.y.after > 0, byte + row) |
                     cloud_byte_if(position.y.after > 1, byte + 2 * row);
        uint32_t z = cloud_byte_if(position.z.before > 1, byte - 2 * layer) |
                     cloud_byte_if(position.z.before > 0, byte - layer) |
                     cloud_byte_if(position.z.after > 0, byte + layer);

        return x | y | z;
    }
};

static CUDA_CELL_ACCESS(packed_access, cloud_packed_cells<cloud_packed_8x1x1>);

CUDA_OPS(cloud_cuda_packed_8x1x1) = CLOUD_PACKED_OPS(cloud_packed_8x1x1, packed_access);
