/* SPDX-License-Identifier: MIT */
/*
 * The noise of the start `hills`, for C and CUDA: integer value noise of six octaves. Octave o has
 * random heights of 12 bits at the corners of a mesh of spacing c = 2^(7 - o), between them
 * bilinear, rounded down, and counts 2^(5 - o) times. The sum is below 2^18.
 */
#ifndef CALAB_KERNELS_WATER_NOISE_H
#define CALAB_KERNELS_WATER_NOISE_H

#include "core/base/random.h"
#include "kernels/cpu/rule.h"

#define WATER_OCTAVES 6
#define WATER_HEIGHTS 262144.0F /* which the sum is below */

/* The spacing of an octave's mesh is 1 << this. */
RULE uint32_t water_mesh_bits(uint32_t octave) { return 7 - octave; }

/* Heights of the two corners around row y on a line of the mesh, weighted by distance, times c. */
CA_RANDOM
uint32_t water_height_on_line(uint64_t seed, uint32_t octave, int64_t line, int64_t y)
{
    uint32_t bits = water_mesh_bits(octave), c = 1U << bits, fy = (uint32_t)y % c;
    uint64_t corner = (uint64_t)y >> bits;

    return (c - fy) * (ca_uniform(seed, (uint64_t)line, corner, 0, 0, octave) >> 20) +
           fy * (ca_uniform(seed, (uint64_t)line, corner + 1, 0, 0, octave) >> 20);
}

/* The octave's share fx cells right of a line, from the heights on it and on the next. */
RULE uint32_t water_height_between(uint32_t octave, uint32_t left, uint32_t right, uint32_t fx)
{
    uint32_t bits = water_mesh_bits(octave), c = 1U << bits;

    return ((c - fx) * left + fx * right) >> 2 * bits << (5 - octave);
}

#endif
