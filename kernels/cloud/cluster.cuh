/* SPDX-License-Identifier: MIT */
/*
 * Clusters: up to sixteen blocks of one thread block cluster hold the whole lattice in registers, a
 * band of rows each, and take it through all generations of a call in one launch. For the smallest
 * lattices, on GPUs of compute capability 9.0 and more. Growth alone, without events.
 *
 * Threads are laid out as those of a tile (tiles.cuh): each has a group in two rows of two planes
 * and shows what is active there in shared memory. The upper and lower rows of a band are shown to
 * the block above or below as well, by mail into its shared memory, where they lie as if they were
 * rows of its own: nothing is computed twice. A block waits for its neighbours' mail of this
 * generation only after it has looked at planes and at its own rows, and mail that comes says that
 * its sender has read what it got before, so that two turns of memory are enough.
 */
#ifndef CALAB_KERNELS_CLOUD_CLUSTER_CUH
#define CALAB_KERNELS_CLOUD_CLUSTER_CUH

#include "kernels/cloud/sweep.cuh"

#define CLUSTER_GENERATIONS (1 << 20) /* of a pass */

struct cloud_clustering {
    int generations; /* of a pass, at most; 0: there is no such cluster */
    int blocks;
    int lanes, floors, pairs; /* of a block, as of a tile */
    double cycles;            /* that a generation should cost */
};

/* The best cluster, of as many generations and warps a block as wanted, or 0: chosen. */
enum ca_status cloud_cluster_choose(struct cuda *cuda, const struct cloud_wanted *wanted,
                                    struct cloud_clustering *clustering, struct ca_error *error);
/* So many generations, from hum and act to the next ones. */
enum ca_status cloud_cluster_pass(struct cuda *cuda, const struct cloud_clustering *clustering,
                                  int generations, struct ca_error *error);

#endif
