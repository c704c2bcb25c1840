/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-packed-2x2x2 of cloud: a cube of eight cells a byte, a thread a byte.
 *
 * The cloud report's other packing (packing was worth about ten times cuda-naive there). Bit x + 2y
 * + 4z is cell (x, y, z) of the cube:
 *
 *        6---7        A neighbour two cells away is the same bit of the next cube, one that is
 *       /|  /|        a cell away the other bit of the pair, in this cube or in the next. So
 *      4---5 |        six bytes around are all that is needed where cuda-packed-8x1x1 loads
 *      | 2-|-3        nine; what it saves in loads it has in masks and shifts.
 *      |/  |/
 *      0---1
 *
 * With events a cube costs more: its cells are in four rows, and each row takes a draw.
 */
#include "kernels/cloud/packed.cuh"

/*
 * Both neighbours at distance 1 along a side whose pairs of cells are `shift` bits apart; `low` has
 * the bits that come first in their pairs.
 */
static __device__ __forceinline__ uint32_t beside(uint32_t before, uint32_t here, uint32_t after,
                                                  int shift, uint32_t low)
{
    uint32_t for_first = (here | before) >> shift & low; /* what is second in its pair */
    uint32_t for_second = ((here | after) & low) << shift;

    return for_first | for_second;
}

struct cloud_cube {
    enum { W = 2, H = 2, D = 2 };

    static __device__ __forceinline__ uint32_t near(const uint8_t *at, int64_t row, int64_t layer,
                                                    const struct cuda_position &spot)
    {
        uint32_t here = *at;
        uint32_t x0 = cloud_byte_if(spot.x.before > 0, at - 1);
        uint32_t x1 = cloud_byte_if(spot.x.after > 0, at + 1);
        uint32_t y0 = cloud_byte_if(spot.y.before > 0, at - row);
        uint32_t y1 = cloud_byte_if(spot.y.after > 0, at + row);
        uint32_t z0 = cloud_byte_if(spot.z.before > 0, at - layer);
        uint32_t z1 = cloud_byte_if(spot.z.after > 0, at + layer);

        /* At distance 2 there is no z + 2. */
        return x0 | x1 | y0 | y1 | z0 | beside(x0, here, x1, 1, 0x55) |
               beside(y0, here, y1, 2, 0x33) | beside(z0, here, z1, 4, 0x0f);
    }
};

CUDA_OPS(cloud_cuda_packed_2x2x2) = CLOUD_PACKED(cloud_cube);
