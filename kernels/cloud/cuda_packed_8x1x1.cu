/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-packed-8x1x1 of cloud: eight cells of a row a byte, a thread a byte.
 *
 * In the cloud report packing eight cells into a byte was worth about ten times cuda-naive. A
 * thread then steps eight cells at once with logic on bytes, and memory holds no empty bits. Along
 * y and z a neighbour is the byte there; along x the byte shifts, and bits come in from the byte on
 * either side:
 *
 *     left  . . . . . . a b | c d e f g h i j | k l . . . . . .  right        x - 2 of d is b
 *
 * Nine bytes are loaded to know which cells have an active neighbour, and three more; a byte is
 * still the least that a thread can load, so most of what limits cuda-naive limits this, for eight
 * cells in place of one.
 */
#include "kernels/cloud/packed.cuh"

struct cloud_row {
    enum { W = 8, H = 1, D = 1 };

    static __device__ __forceinline__ uint32_t near(const uint8_t *here, int64_t row, int64_t layer,
                                                    const struct cuda_position &spot)
    {
        uint32_t left = cloud_byte_if(spot.x.before > 0, here - 1);
        uint32_t right = cloud_byte_if(spot.x.after > 0, here + 1);
        uint32_t cells = left | *here << 8 | right << 16; /* bit 8 is the byte's first */
        uint32_t x = cells >> 6 | cells >> 7 | cells >> 9 | cells >> 10;
        uint32_t y = cloud_byte_if(spot.y.before > 1, here - 2 * row) |
                     cloud_byte_if(spot.y.before > 0, here - row) |
                     cloud_byte_if(spot.y.after > 0, here + row) |
                     cloud_byte_if(spot.y.after > 1, here + 2 * row);
        uint32_t z = cloud_byte_if(spot.z.before > 1, here - 2 * layer) |
                     cloud_byte_if(spot.z.before > 0, here - layer) |
                     cloud_byte_if(spot.z.after > 0, here + layer);

        return x | y | z;
    }
};

CUDA_OPS(cloud_cuda_packed_8x1x1) = CLOUD_PACKED(cloud_row);
