/* SPDX-License-Identifier: MIT */
/* Tiles of the terrain of water's start `hills` for CPUs: see noise.h for the noise. */
#ifndef CALAB_KERNELS_WATER_HILLS_H
#define CALAB_KERNELS_WATER_HILLS_H

#include <stdint.h>

#define HILLS_TILE 1024 /* columns that are made at once, a multiple of the widest mesh */

/* Rows first ... last - 1 of the tile's columns from x on, up to column w. */
struct hills_tile {
    uint64_t seed;
    int64_t x, w, first, last;
    int64_t stride; /* floats from row to row */
    float scale, rain;
    float *terrain, *level; /* at column x of row `first` */
};

/* terrain = sum * scale, level = terrain + rain. */
typedef void hills_function(const struct hills_tile *tile);

/* Compiled for each vector width. */
hills_function water_hills, water_hills_avx2, water_hills_avx512;

#endif
