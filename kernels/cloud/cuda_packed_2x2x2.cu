/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-packed-2x2x2 of cloud: a byte holds 2 x 2 x 2 cells, and a thread updates a byte.
 *
 * This is the cloud report's other packing (packing was worth about ten times cuda-naive there).
 * Bit x + 2y + 4z is cell (x, y, z) of the eight:
 *
 *        6---7        A neighbour at distance 2 is the same bit of the next byte, one at distance 1
 *       /|  /|        is the other bit of the pair, in this byte or in the next. So six bytes
 *      4---5 |        around this one suffice where cuda-packed-8x1x1 loads nine; masks and
 *      | 2-|-3        shifts take the place of the loads.
 *      |/  |/
 *      0---1
 *
 * With events this shape costs more: its cells lie in four rows, and each row takes a draw.
 */
#include "kernels/cloud/cuda_packed.cuh"

/*
 * Both neighbours at distance 1 along a side whose pairs of cells are `shift` bits apart; `low`
 * masks the bits that come first in their pairs.
 */
static __device__ __forceinline__ uint32_t beside(uint32_t before, uint32_t byte, uint32_t after,
                                                  int shift, uint32_t low)
{
    uint32_t for_first = (byte | before) >> shift & low; /* from the second of each pair */
    uint32_t for_second = ((byte | after) & low) << shift;

    return for_first | for_second;
}

struct cloud_packed_2x2x2 {
    enum { W = 2, H = 2, D = 2 };

    static const char *name() { return "2x2x2"; }

    static __device__ __forceinline__ uint32_t any_act(const uint8_t *byte, int64_t row,
                                                       int64_t layer,
                                                       const struct cuda_position &position)
    {
        uint32_t cells = *byte;
        uint32_t x0 = cloud_byte_if(position.x.before > 0, byte - 1);
        uint32_t x1 = cloud_byte_if(position.x.after > 0, byte + 1);
        uint32_t y0 = cloud_byte_if(position.y.before > 0, byte - row);
        uint32_t y1 = cloud_byte_if(position.y.after > 0, byte + row);
        uint32_t z0 = cloud_byte_if(position.z.before > 0, byte - layer);
        uint32_t z1 = cloud_byte_if(position.z.after > 0, byte + layer);

        /* z + 2 is not among the neighbours at distance 2. */
        return x0 | x1 | y0 | y1 | z0 | beside(x0, cells, x1, 1, 0x55) |
               beside(y0, cells, y1, 2, 0x33) | beside(z0, cells, z1, 4, 0x0f);
    }
};

static CUDA_CELL_ACCESS(packed_access, cloud_packed_cells<cloud_packed_2x2x2>);

CUDA_OPS(cloud_cuda_packed_2x2x2) = CLOUD_PACKED_OPS(cloud_packed_2x2x2, packed_access);
