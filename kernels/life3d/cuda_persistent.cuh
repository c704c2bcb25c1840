/* SPDX-License-Identifier: MIT */
/* The two kernels of cuda-persistent share rows of up to 32 cells, which are single words, in
 * layers of up to 32 rows, one a lane. */
#ifndef CALAB_KERNELS_LIFE3D_CUDA_PERSISTENT_CUH
#define CALAB_KERNELS_LIFE3D_CUDA_PERSISTENT_CUH

#include "kernels/life3d/cuda_bits.cuh"

#define LIFE3D_PERSISTENT_SIDE 32 /* of x and y at most */

typedef void life3d_persistent_function(const word *now, word *next,
                                        const struct life3d_layout layout,
                                        const struct life3d_masks masks, int generations);

struct life3d_persistent {
    const char *name;
    life3d_persistent_function *kernel; /* NULL: none holds the lattice */
    unsigned blocks, threads;           /* more than one block are a cluster */
    unsigned layers;                    /* of a thread, or of a block of a cluster, at most */
    size_t shared, declared;            /* bytes of a block: of the launch, and of the kernel */
};

/* Layers that one block holds at most, in a lattice of so many. */
int life3d_persistent_block_layers(int64_t depth);
/* One block for the lattice. */
struct life3d_persistent life3d_persistent_block(const struct life3d_bits_state *state);
/* A cluster of blocks for the lattice, if the GPU runs one that is large enough. */
enum ca_status life3d_persistent_cluster(struct cuda *cuda, struct life3d_persistent *cluster,
                                         struct ca_error *error);
#define LIFE3D_CLUSTER_BLOCKS 16 /* at most */
#define LIFE3D_CLUSTER_LAYERS 8  /* of a block at most */

enum life3d_word_end {
    LIFE3D_WORD_PERIODIC,         /* torus, rows of 32 cells */
    LIFE3D_WORD_DEAD,             /* dead, rows of 32 cells */
    LIFE3D_WORD_PARTIAL_PERIODIC, /* any length */
    LIFE3D_WORD_PARTIAL_DEAD,
    LIFE3D_WORD_ENDS
};

/* Each cell's left neighbour, or right one. Bits beyond the end of a shorter row are invalid and
 * cleared in the results; `last`: the bit of its last cell. */
template <int ENDS> static __device__ __forceinline__ word life3d_word_left(word row, int last)
{
    if (ENDS == LIFE3D_WORD_PERIODIC)
        return __funnelshift_l(row, row, 1);
    return ENDS == LIFE3D_WORD_PARTIAL_PERIODIC ? row << 1 | row >> last : row << 1;
}

template <int ENDS> static __device__ __forceinline__ word life3d_word_right(word row, int last)
{
    if (ENDS == LIFE3D_WORD_PERIODIC)
        return __funnelshift_r(row, row, 1);
    return ENDS == LIFE3D_WORD_PARTIAL_PERIODIC ? row >> 1 | row << last : row >> 1;
}

#endif
