/* SPDX-License-Identifier: MIT */
/*
 * This header decides when passes skip still tiles: those that are, with their halo, as they were
 * one pass before. cuda_still.cuh tells how they are found.
 */
#ifndef CALAB_KERNELS_MOORE_STILL_H
#define CALAB_KERNELS_MOORE_STILL_H

#include <stdbool.h>

/* The choices of the option `still`. */
enum moore_still { MOORE_STILL_AUTO, MOORE_STILL_ON, MOORE_STILL_OFF };

/* Rows of a tile: few, since a pass takes at least as long as a warp takes for one tile. */
#define MOORE_STILL_ROWS 12

/* Seconds of a pass that skips nearly all, and the share of the time of a pass of all tiles that
 * has to be saved. */
#define MOORE_STILL_S 25e-6
#define MOORE_STILL_SAVED 0.2

/* Passes between two counts of the tiles that are not still: at first, and at most. */
#define MOORE_STILL_FIRST 4
#define MOORE_STILL_MOST 64

struct moore_still_choice {
    bool skips;
    int wait; /* passes without a count until the next one */
    int interval;
};

/* Whether it pays to skip, where a pass of all tiles takes `pass_s`, a tile costs `tile_work` times
 * its share of it, and `share` of the tiles are not still. */
static inline bool moore_still_pays(double pass_s, double tile_work, double share)
{
    return share * tile_work * pass_s + MOORE_STILL_S <= (1 - MOORE_STILL_SAVED) * pass_s;
}

/* Whether a pass counts; asked once a pass. */
static inline bool moore_still_counts(struct moore_still_choice *choice)
{
    if (choice->wait > 0) {
        choice->wait--;
        return false;
    }
    if (choice->interval < MOORE_STILL_MOST)
        choice->interval = choice->interval ? 2 * choice->interval : MOORE_STILL_FIRST;
    choice->wait = choice->interval - 1;
    return true;
}

#endif
