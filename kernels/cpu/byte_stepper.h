/* SPDX-License-Identifier: MIT */
/*
 * The byte stepper: what `reference` (one thread), `threads` and other backends over the canonical
 * planes share.
 *
 * It keeps the planes twice, reads one copy and writes the other, and calls the backend's passes
 * over rows. The workers of the thread pool own disjoint ranges of rows; a barrier follows each
 * pass of each generation.
 */
#ifndef CALAB_KERNELS_CPU_BYTE_STEPPER_H
#define CALAB_KERNELS_CPU_BYTE_STEPPER_H

#include "core/model/model.h"
#include "kernels/cpu/mark.h"
#include "core/machine/thread_pool.h"

struct byte_stepper;

struct byte_ops {
    /* Passes over the rows in one generation, each finished everywhere before the next starts. */
    int passes;
    /* Pass p of rows first ... last - 1 of the slab, the step from generation t to t + 1. */
    void (*pass[2])(const struct byte_stepper *stepper, int64_t first, int64_t last, uint64_t t);
    int vector_bits;     /* of vectors written by hand; 0: none */
    int scratch_planes;  /* further planes of the model's type, which one pass fills for the next */
    size_t context_size; /* of what prepare makes from the setup: masks, tables; 0 for none */
    /* The same, where it depends on the setup. NULL: it does not. */
    size_t (*context_bytes)(const struct ca_setup *setup);
    void (*prepare)(const struct ca_setup *setup, void *context);
    /* Says what passes have found wrong, after the last generation of a call, which started from
     * t. NULL: they find nothing. */
    enum ca_status (*finish)(const struct byte_stepper *stepper, uint64_t t,
                             struct ca_error *error);
};

struct byte_stepper {
    const struct byte_ops *ops;
    struct ca_setup setup;
    struct ca_size size;         /* of the slab: what the planes hold */
    struct ca_lattice now, next; /* passes read one and write the other */
    struct ca_lattice scratch;
    struct mark mark;
    bool empty; /* `now` holds zeros, as it was allocated */
    void *context;
    int threads;
    struct ca_thread_pool *thread_pool;
};

/* Takes the option `threads` where the backend has it. `ops` is a struct byte_ops. */
extern const struct ca_stepper byte_stepper;

/*
 * Layer i + offset along the outermost dimension of a slab, which is periodic where the whole
 * lattice is a `torus` and the slab has no ghost layers; -1 beyond a dead edge or the ghost layers.
 */
static inline int64_t slab_layer(const struct ca_slab *slab, int64_t i, int64_t offset, bool torus)
{
    int64_t layer = i + offset;

    if (layer >= 0 && layer < slab->extent)
        return layer;
    if (!torus || slab->ghost_low || slab->ghost_high)
        return -1;
    layer %= slab->extent;
    return layer < 0 ? layer + slab->extent : layer;
}

/* The slab's layer i in coordinates of the whole lattice, for random draws and row parity. */
static inline int64_t slab_global(const struct ca_slab *slab, int64_t i, int64_t size)
{
    int64_t layer = (slab->origin + i) % size;

    return layer < 0 ? layer + size : layer;
}

#endif
