/* SPDX-License-Identifier: MIT */
/* This file sums blocks of an instance: it cuts them into items, and brings the sums to the host.
 */
#include <stdlib.h>

#include "core/model/field.h"
#include "kernels/cuda/stepper.cuh"

#define BATCH_BYTES ((int64_t)16 << 20) /* of sums on the device at once */
#define TEAM_CELLS 8192                 /* of a block, from which on a warp adds it up */
#define WARPS 64                        /* of a multiprocessor that have an item */

/* The cells along an axis of the largest block, of those that the lattice has. */
static int64_t most_of(struct ca_block_axis axis)
{
    int64_t most = ca_block_most(&axis);

    return most < axis.cells ? most : axis.cells;
}

/* How many chunks each block is cut into, so that all multiprocessors have their share. */
static void share_out(const struct cuda *cuda, struct cuda_blocks *job)
{
    struct ca_size most = {most_of(ca_blocks_across(&job->blocks)),
                           most_of(ca_blocks_down(&job->blocks)),
                           most_of(ca_blocks_deep(&job->blocks))};
    int64_t rows = most.h * most.d, blocks = ca_cells(job->blocks.count);
    int64_t wanted = (int64_t)WARPS * cuda->facts.multiprocessors / blocks;

    job->team = ca_cells(most) >= TEAM_CELLS;
    job->chunks = !job->team || wanted < 1 ? 1 : wanted < rows ? wanted : rows;
    job->chunk_rows = (rows + job->chunks - 1) / job->chunks;
}

/* Sums of one kind, and where those of a batch of blocks are found. */
struct batch {
    cuda_blocks_function *function;
    int sums; /* of a block */
    int64_t blocks;
    void *found, *on_host;
};

static void cuda_blocks_add(const struct cuda *cuda, const struct cuda_blocks *job,
                            const struct batch *batch, double *sums)
{
    bool counts = cuda->setup.model->type == CA_U8;

    for (int64_t item = 0; item < job->count * job->chunks; item++)
        for (int i = 0; i < batch->sums; i++) {
            int64_t at = item * batch->sums + i;

            sums[(job->from + item / job->chunks) * batch->sums + i] +=
                counts ? (double)((const unsigned long long *)batch->on_host)[at]
                       : ((const double *)batch->on_host)[at];
        }
}

static enum ca_status sum(struct cuda *cuda, struct cuda_blocks *job, const struct batch *batch,
                          double *sums, struct ca_error *error)
{
    int64_t all = ca_cells(job->blocks.count);
    size_t item = (size_t)batch->sums * 8;

    for (; job->from < all; job->from += batch->blocks) {
        job->count = all - job->from < batch->blocks ? all - job->from : batch->blocks;
        CA_TRY(batch->function(cuda, job, batch->found, error));
        CUDA_TRY(cuda,
                 cudaMemcpyAsync(batch->on_host, batch->found,
                                 item * (size_t)(job->count * job->chunks), cudaMemcpyDeviceToHost,
                                 cuda->stream),
                 error);
        CUDA_TRY(cuda, cudaStreamSynchronize(cuda->stream), error);
        cuda_blocks_add(cuda, job, batch, sums);
    }
    return CA_OK;
}

static enum ca_status sum_all(struct cuda *cuda, cuda_blocks_function *function, int each,
                              struct cuda_blocks *job, double *sums, struct ca_error *error)
{
    int64_t all = ca_cells(job->blocks.count), block_bytes, most;
    struct batch batch = {function, each, 0, NULL, NULL};
    struct cuda_scratch scratch;
    enum ca_status status;

    share_out(cuda, job);
    block_bytes = job->chunks * each * 8;
    most = BATCH_BYTES / block_bytes;
    batch.blocks = most < 1 ? 1 : most < all ? most : all;
    batch.on_host = malloc((size_t)(batch.blocks * block_bytes));
    if (!batch.on_host)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the sums of %lld blocks",
                       (long long)batch.blocks);
    status = cuda_scratch_begin(cuda, &scratch, (size_t)(batch.blocks * block_bytes), error);
    batch.found = scratch.memory;
    if (status == CA_OK)
        status = sum(cuda, job, &batch, sums, error);
    cuda_scratch_end(&scratch);
    free(batch.on_host);
    return status;
}

enum ca_status cuda_sum_blocks(void *self, const struct ca_blocks *blocks, int64_t first,
                               int64_t rows, double *sums, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    struct cuda_blocks job = {*blocks, first, rows, 0, 0, 1, 1, false};

    return sum_all(cuda, cuda->ops->access->blocks, ca_block_sums(cuda->setup.model), &job, sums,
                   error);
}

enum ca_status cuda_sum_neighbours(void *self, const struct ca_blocks *blocks, int64_t first,
                                   int64_t rows, double *neighbours, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    struct cuda_blocks job = {*blocks, first, rows, 0, 0, 1, 1, false};

    return sum_all(cuda, cuda->ops->access->neighbours, ca_neighbour_sums_count(cuda->setup.model),
                   &job, neighbours, error);
}
