/* SPDX-License-Identifier: MIT */
/*
 * The terrain of `hills` in tiles of columns. The heights at a mesh's corners are drawn once for
 * the rows between two of its lines, so that a cell takes few calls of Philox; a row's noise then
 * is linear between corners, for which the compiler takes vectors, of the width that this file is
 * compiled for.
 */
#include "kernels/water/hills.h"

#include <string.h>

#include "kernels/cpu/word.h"
#include "kernels/water/noise.h"

/* Before a loop: no iteration depends on another, though pointers might make it so. */
#ifdef __clang__
#define NO_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#else
#define NO_DEPENDENCE _Pragma("GCC ivdep")
#endif

#define CORNERS(octave) ((HILLS_TILE >> (7 - (octave))) + 1)
#define CORNERS_MAX CORNERS(WATER_OCTAVES - 1)

/* The heights of each octave on the mesh's lines before and after a row. */
struct corners {
    uint32_t before[WATER_OCTAVES][CORNERS_MAX], after[WATER_OCTAVES][CORNERS_MAX];
};

/* Line `line` of an octave, for its columns from x on. One call of the generator draws four. */
static void draw_line(uint64_t seed, uint32_t octave, int64_t x, int64_t line,
                      uint32_t heights[CORNERS_MAX])
{
    uint32_t column = (uint32_t)(x >> (7 - octave));

    for (uint32_t i = 0; i < (uint32_t)CORNERS(octave);) {
        philox4x32_ctr_t four = ca_philox(seed, (column + i) / 4, (uint32_t)line, 0, 0, octave);

        do
            heights[i] = four.v[(column + i) % 4] >> 20;
        while (++i < (uint32_t)CORNERS(octave) && (column + i) % 4);
    }
}

/* Adds an octave to a row of the tile. */
RULE void add_octave(const uint32_t *before, const uint32_t *after, uint32_t octave, int64_t y,
                     uint32_t *sum)
{
    int bits = (int)water_mesh_bits(octave);
    uint32_t c = 1U << bits, fy = (uint32_t)y & (c - 1);
    uint32_t left, right = (c - fy) * before[0] + fy * after[0];

    for (int i = 0; i < HILLS_TILE >> bits; i++) {
        left = right;
        right = (c - fy) * before[i + 1] + fy * after[i + 1];
        NO_DEPENDENCE
        for (uint32_t fx = 0; fx < c; fx++)
            sum[(i << bits) + fx] += water_height_between(octave, left, right, fx);
    }
}

static void add_octaves(const struct corners *corners, int64_t y, uint32_t sum[HILLS_TILE])
{
    memset(sum, 0, HILLS_TILE * sizeof *sum);
    add_octave(corners->before[0], corners->after[0], 0, y, sum);
    add_octave(corners->before[1], corners->after[1], 1, y, sum);
    add_octave(corners->before[2], corners->after[2], 2, y, sum);
    add_octave(corners->before[3], corners->after[3], 3, y, sum);
    add_octave(corners->before[4], corners->after[4], 4, y, sum);
    add_octave(corners->before[5], corners->after[5], 5, y, sum);
}

/* Draws the lines around row y where they are not those around the row before. */
static void draw_lines(const struct hills_tile *tile, int64_t y, struct corners *corners)
{
    for (uint32_t o = 0; o < WATER_OCTAVES; o++) {
        int64_t c = INT64_C(1) << (7 - o);

        if (y > tile->first && y % c)
            continue;
        draw_line(tile->seed, o, tile->x, y / c, corners->before[o]);
        draw_line(tile->seed, o, tile->x, y / c + 1, corners->after[o]);
    }
}

void WORD_NAME(water_hills)(const struct hills_tile *tile)
{
    int64_t cells = tile->w - tile->x < HILLS_TILE ? tile->w - tile->x : HILLS_TILE;
    struct corners corners;
    uint32_t sum[HILLS_TILE];

    for (int64_t y = tile->first; y < tile->last; y++) {
        float *terrain = tile->terrain + (y - tile->first) * tile->stride;
        float *level = tile->level + (y - tile->first) * tile->stride;

        draw_lines(tile, y, &corners);
        add_octaves(&corners, y, sum);
        NO_DEPENDENCE
        for (int64_t x = 0; x < cells; x++) {
            terrain[x] = (float)(int32_t)sum[x] * tile->scale + 0.0F; /* no -0 */
            level[x] = terrain[x] + tile->rain;
        }
    }
}
