/* SPDX-License-Identifier: MIT */
/*
 * Passes that skip still tiles.
 *
 * A pass of n generations makes state i + 1 from state i, and writes it over state i - 1, from
 * which the pass before made state i. Where states i - 1 and i are equal in a tile and n cells
 * around it, states i and i + 1 are equal in the tile, so that the memory that would be written has
 * it already: the tile is skipped. With an even n that holds of what repeats itself after two
 * generations, too.
 *
 *     memory A   state i - 1 --n--> | state i + 1, where not still
 *     memory B              state i | --n-->
 *
 * Each tile has a byte that says whether the last pass changed it. One small kernel lists the
 * warps' shares with a changed tile among theirs and those around them; the pass takes them from
 * the list, and compares what it stores with what it has read. Tiles that it skips stay unchanged.
 * The first pass after anything else (other generations, cells that were loaded) is one of all
 * tiles, and a kernel that compares the two states says which it has changed; it leaves a tile at
 * the first change.
 *
 * By option `still=auto` such a comparison and a count are made now and then, on which the choice
 * of later passes rests (still.h).
 */
#ifndef CALAB_KERNELS_MOORE_CUDA_STILL_CUH
#define CALAB_KERNELS_MOORE_CUDA_STILL_CUH

#include "kernels/moore/cuda_bits.cuh"
#include "kernels/moore/cuda_still_tiles.cuh"
#include "kernels/moore/still.h"

/* The state of a backend that skips. */
struct moore_still_state {
    enum moore_still wanted;
    struct moore_still_choice choice;
    uint8_t *changed;
    uint32_t *list, *counts; /* the count of this pass, and of the one before or after it */
    int parity;
    /* `changed` is of the last pass, which was of so many generations, and no cells have been
     * written since; 0: it is not. */
    int generations;
    uint64_t writes;
    /* A count on its way to the host. */
    uint32_t *counted; /* pinned */
    cudaEvent_t arrived;
    bool counting;
    double count_all; /* of the shares at that time */
};

/* In plan: the memory. */
void moore_still_plan(struct cuda *cuda, struct moore_still_state *still,
                      const struct moore_bits *bits);
enum ca_status moore_still_start(struct cuda *cuda, struct moore_still_state *still,
                                 struct ca_error *error);
void moore_still_stop(struct moore_still_state *still);

/* How the lattice is cut to tiles. */
struct moore_bits_layout moore_still_layout(const struct moore_bits *bits);

/* Before a pass of n generations, that takes about `pass_s` where all tiles are stepped: whether it
 * is to skip, and then its tiles; and whether it is to be followed by moore_still_after. */
struct moore_still_pass {
    bool skips, counts, compares;
    struct moore_still_tiles tiles;
};
enum ca_status moore_still_before(struct cuda *cuda, struct moore_still_state *still,
                                  const struct moore_bits *bits, int n, double pass_s,
                                  double tile_work, struct moore_still_pass *pass,
                                  struct ca_error *error);
/* Behind it, before the swap. */
enum ca_status moore_still_after(struct cuda *cuda, struct moore_still_state *still,
                                 const struct moore_bits *bits, int n,
                                 const struct moore_still_pass *pass, struct ca_error *error);

#endif
