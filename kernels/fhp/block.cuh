/* SPDX-License-Identifier: MIT */
/*
 * Small lattices, for cuda-blocked: all of it in the shared memory of one block, or of up to
 * sixteen blocks of a cluster (compute capability 9.0), which take it through many generations in
 * one launch.
 *
 * A thread has 32 nodes of a row, a word of each plane, and of larger lattices those of several
 * rows. Warps take rows of one parity, in turn, so that all lanes of one shift the same planes:
 *
 *     warp    0, 2, 4 ...    rows 0, 2, 4 ...     the words of these rows one after the other
 *             1, 3, 5 ...    rows 1, 3, 5 ...
 *
 * What arrives is read from one copy of the planes and what leaves is written to another one, with
 * a barrier a generation. A block of a cluster has some pairs of rows, and in each copy a ghost row
 * before and one behind them: to those of the blocks beside it it mails what its first and its last
 * row give on. A call of the random numbers makes 128 bits, which is four words; so that as many
 * threads draw as step, those of four generations are drawn at a time.
 */
#ifndef CALAB_KERNELS_FHP_BLOCK_CUH
#define CALAB_KERNELS_FHP_BLOCK_CUH

#include "kernels/fhp/planes.cuh"

struct fhp_block {
    int generations; /* of a launch, at most; 0: the lattice is too large */
    int blocks;      /* of a cluster, if more than one */
    int threads;
    int groups, words; /* of a row */
    int ring;          /* nodes of its last word, 0: all */
    int pairs;         /* of rows, one of each parity, that the lattice has; */
    int half;          /* a block at most */
    int rows;          /* of them that threads have at a time */
    int plane, drawn;  /* in shared memory: words of a plane, groups of a generation's draws */
    size_t shared;
};

/* How so many blocks hold the lattice; `wanted` generations a launch, or 0: chosen. */
struct fhp_block fhp_block_of(const struct fhp_layout &layout, bool forced, int wanted, int blocks,
                              const struct ca_cuda_device *device);
/* With as many blocks as there can be in a cluster, more than one. */
enum ca_status fhp_cluster_of(struct cuda *cuda, int wanted, struct fhp_block *block,
                              struct ca_error *error);
/* n generations from t on, in place. */
enum ca_status fhp_block_step(struct cuda *cuda, const struct fhp_block *block, uint64_t t,
                              uint64_t n, struct ca_error *error);

#endif
