/* SPDX-License-Identifier: MIT */
/* Owns the sums of blocks of an instance: how blocks are cut into items, and their way to the host.
 */
#include <stdlib.h>

#include "core/model/field.h"
#include "kernels/cuda/stepper.cuh"

#define BATCH_BYTES ((int64_t)16 << 20) /* of sums on the device at once */
#define TEAM_CELLS 8192                 /* of a block, from which on a warp adds it up */
#define WARPS 64                        /* of a multiprocessor that have an item */

/* How many chunks each block is cut into, so that all multiprocessors have their share. */
static void share_out(const struct cuda *cuda, struct cuda_blocks *job)
{
    const struct ca_size *block = &job->blocks.block, *all = &job->blocks.size;
    struct ca_size most = {block->w < all->w ? block->w : all->w,
                           block->h < all->h ? block->h : all->h,
                           block->d < all->d ? block->d : all->d}; /* of cells that there are */
    int64_t rows = most.h * most.d, blocks = ca_cells(job->blocks.count);
    int64_t wanted = (int64_t)WARPS * cuda->facts.multiprocessors / blocks;

    job->team = ca_cells(most) >= TEAM_CELLS;
    job->chunks = !job->team || wanted < 1 ? 1 : wanted < rows ? wanted : rows;
    job->chunk_rows = (rows + job->chunks - 1) / job->chunks;
}

static void add(const struct cuda *cuda, const struct cuda_blocks *job, const void *found,
                double *sums)
{
    int64_t each = ca_block_sums(cuda->setup.model);
    bool counts = cuda->setup.model->type == CA_U8;

    for (int64_t item = 0; item < job->count * job->chunks; item++)
        for (int64_t i = 0; i < each; i++)
            sums[(job->from + item / job->chunks) * each + i] +=
                counts ? (double)((const unsigned long long *)found)[item * each + i]
                       : ((const double *)found)[item * each + i];
}

/* `found` and `on_host` have room for `batch` blocks. */
static enum ca_status sum(struct cuda *cuda, struct cuda_blocks *job, int64_t batch, void *found,
                          void *on_host, double *sums, struct ca_error *error)
{
    int64_t all = ca_cells(job->blocks.count);
    size_t item = (size_t)ca_block_sums(cuda->setup.model) * 8;

    for (; job->from < all; job->from += batch) {
        job->count = all - job->from < batch ? all - job->from : batch;
        CA_TRY(cuda->ops->access->blocks(cuda, job, found, error));
        CUDA_TRY(cuda,
                 cudaMemcpyAsync(on_host, found, item * (size_t)(job->count * job->chunks),
                                 cudaMemcpyDeviceToHost, cuda->stream),
                 error);
        CUDA_TRY(cuda, cudaStreamSynchronize(cuda->stream), error);
        add(cuda, job, on_host, sums);
    }
    return CA_OK;
}

enum ca_status cuda_sum_blocks(void *self, const struct ca_blocks *blocks, int64_t first,
                               int64_t rows, double *sums, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    struct cuda_blocks job = {*blocks, first, rows, 0, 0, 1, 1, false};
    struct cuda_scratch scratch;
    int64_t block_bytes, batch;
    enum ca_status status;
    void *on_host;

    share_out(cuda, &job);
    block_bytes = job.chunks * ca_block_sums(cuda->setup.model) * 8;
    batch = BATCH_BYTES / block_bytes;
    batch = batch < 1 ? 1 : batch < ca_cells(blocks->count) ? batch : ca_cells(blocks->count);
    on_host = malloc((size_t)(batch * block_bytes));
    if (!on_host)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the sums of %lld blocks",
                       (long long)batch);
    status = cuda_scratch_begin(cuda, &scratch, (size_t)(batch * block_bytes), error);
    if (status == CA_OK)
        status = sum(cuda, &job, batch, scratch.memory, on_host, sums, error);
    cuda_scratch_end(&scratch);
    free(on_host);
    return status;
}
