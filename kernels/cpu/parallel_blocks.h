/* SPDX-License-Identifier: MIT */
/*
 * Sums of blocks (core/model/field.h) of the rows of a state, where they are, on all cores. Workers
 * take chunks of a line of blocks, which the shape alone decides, and chunks are added in order: so
 * sums of floats are the same for any number of workers.
 */
#ifndef CALAB_KERNELS_CPU_PARALLEL_BLOCKS_H
#define CALAB_KERNELS_CPU_PARALLEL_BLOCKS_H

#include "core/model/field.h"

/* Rows first ... first + rows - 1 of a slab, and how one is added. */
struct blocks_job {
    const struct ca_setup *setup; /* with the slab */
    const struct ca_blocks *blocks;
    int64_t first, rows;
    int sums; /* of a block */
    /* Adds row `row` of the slab to the sums of the line of blocks that it belongs to. */
    void (*add)(const struct blocks_job *job, int worker, int64_t row, double *line);
    const void *context;
};

/* Workers for the job: at least one. */
int parallel_blocks_workers(const struct blocks_job *job);
/* Adds the rows to sums[]. CA_NO_DEVICE where threads cannot be started, CA_NO_MEMORY. */
enum ca_status parallel_blocks(const struct blocks_job *job, int workers, double *sums,
                               struct ca_error *error);

/* Sums blocks of rows of cells as the lattice has them, `stride_bytes` from one to the next:
 * planes[] point at row 0 of the slab. Sums, and neighbour sums. */
enum ca_status parallel_blocks_cells(const struct ca_setup *setup, const struct ca_blocks *blocks,
                                     const void *const planes[], size_t stride_bytes, int64_t first,
                                     int64_t rows, double *sums, struct ca_error *error);
enum ca_status parallel_neighbour_cells(const struct ca_setup *setup,
                                        const struct ca_blocks *blocks, const void *const planes[],
                                        size_t stride_bytes, int64_t first, int64_t rows,
                                        double *neighbours, struct ca_error *error);

/* For a 2D model: the row above (-1) or below (1) row `row` of the slab; -1 where the lattice, or
 * what the slab knows of it, ends. */
int64_t slab_next_row(const struct ca_setup *setup, int64_t row, int64_t offset);

#endif
