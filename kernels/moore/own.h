/* SPDX-License-Identifier: MIT */
/* Which kernels of a rule's own there are to be: those that an instance launches (cuda_own.cuh). */
#ifndef CALAB_KERNELS_MOORE_OWN_H
#define CALAB_KERNELS_MOORE_OWN_H

struct moore_own_kinds {
    int generations; /* sweeps of two to so many, and the kernels of one generation; 0: none */
    int tile_rows;   /* a lane of the tiles of cuda-overlapped; 0: none */
};

#endif
