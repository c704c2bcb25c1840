/* SPDX-License-Identifier: MIT */
/* This file cuts rows into chunks for sums of blocks, and adds these in order. */
#include "kernels/cpu/parallel_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/parallel_rows.h"

#define CHUNK_CELLS (INT64_C(1) << 14)
#define CHUNK_ROWS 16 /* at least: a chunk's sums may be as many as the cells of a row */
#define BATCH_BYTES ((int64_t)2 << 20) /* of chunks' sums at once */

static int64_t parallel_blocks_least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* The cells that so many blocks have along an axis, at most those of the lattice. */
static int64_t blocks_span(struct ca_block_axis axis, int64_t count)
{
    axis.from = 0;
    return parallel_blocks_least(ca_block_begin(&axis, count), axis.cells);
}

/* The sums of chunks go here. */
struct chunks {
    const struct blocks_job *job;
    int64_t rows;  /* of a chunk */
    int64_t count; /* of a line of blocks */
    int64_t line;  /* sums of a line of blocks */
    int64_t from;  /* the first chunk, of those of all lines one after the other */
    double *sums;  /* of the lines, from that of this chunk on; or, with several of a line, */
    bool apart;    /* of each chunk, to be added later */
};

/* Cuts the rows of a line of blocks; the workers have no say in it. */
static struct chunks cut(const struct blocks_job *job)
{
    const struct ca_blocks *blocks = job->blocks;
    const struct ca_block_axis down = ca_blocks_down(blocks), deep = ca_blocks_deep(blocks);
    struct ca_size cells = {blocks_span(ca_blocks_across(blocks), blocks->count.w),
                            parallel_blocks_least(ca_block_most(&down), blocks->size.h),
                            parallel_blocks_least(ca_block_most(&deep), blocks->size.d)};
    struct chunks chunks = {.job = job, .line = blocks->count.w * job->sums};

    chunks.rows = most(CHUNK_CELLS / cells.w, CHUNK_ROWS);
    chunks.count = (cells.h * cells.d + chunks.rows - 1) / chunks.rows;
    chunks.apart = chunks.count > 1;
    return chunks;
}

int parallel_blocks_workers(const struct blocks_job *job)
{
    const struct ca_blocks *blocks = job->blocks;
    int64_t w = blocks_span(ca_blocks_across(blocks), blocks->count.w);
    int64_t h = blocks_span(ca_blocks_down(blocks), blocks->count.h);
    int64_t d = blocks_span(ca_blocks_deep(blocks), blocks->count.d);

    return parallel_workers(parallel_blocks_least(h * d, job->rows), w);
}

/* The row of the slab that is row `global` of the lattice, -1 where the job does not have it. */
static int64_t row_of(const struct blocks_job *job, int64_t global)
{
    int64_t behind = global - slab_global_row(job->setup, job->first);

    behind += behind < 0 ? ca_rows(job->setup->size) : 0;
    return behind < job->rows ? job->first + behind : -1;
}

static void add_chunk(const struct chunks *chunks, int worker, int64_t chunk, double *sums)
{
    const struct blocks_job *job = chunks->job;
    const struct ca_blocks *blocks = job->blocks;
    const struct ca_block_axis down = ca_blocks_down(blocks), deep = ca_blocks_deep(blocks);
    int64_t line = chunk / chunks->count, y0, y1, z0, z1, from, to;
    struct ca_block_axis rows;

    ca_block_side(&down, line % blocks->count.h, &y0, &y1);
    ca_block_side(&deep, line / blocks->count.h, &z0, &z1);
    if (y0 >= y1 || z0 >= z1)
        return;
    rows = ca_block_axis_of((y1 - y0) * (z1 - z0), 0, chunks->rows, 1);
    ca_block_side(&rows, chunk % chunks->count, &from, &to);
    for (int64_t i = from; i < to; i++) {
        int64_t z = z0 + i / (y1 - y0), y = y0 + i % (y1 - y0);
        int64_t row = row_of(job, z * blocks->size.h + y);

        if (row >= 0)
            job->add(job, worker, row, sums);
    }
}

static void add_share(void *context, int worker, int64_t first, int64_t last)
{
    const struct chunks *chunks = context;

    for (int64_t i = first; i < last; i++)
        add_chunk(chunks, worker, chunks->from + i, chunks->sums + i * chunks->line);
}

/* So many chunks at a time get sums of their own, which are then added one after the other. */
static enum ca_status add_apart(struct chunks *chunks, int workers, int64_t all, double *sums,
                                struct ca_error *error)
{
    int64_t bytes = most(chunks->line, 1) * (int64_t)sizeof *sums;
    int64_t batch = parallel_blocks_least(all, most(BATCH_BYTES / bytes, workers));
    enum ca_status status = CA_OK;

    chunks->sums = malloc((size_t)(batch * bytes));
    if (!chunks->sums)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the sums of %lld rows of blocks",
                       (long long)batch);
    for (; status == CA_OK && chunks->from < all; chunks->from += batch) {
        int64_t count = parallel_blocks_least(all - chunks->from, batch);

        memset(chunks->sums, 0, (size_t)(count * bytes));
        status = parallel_rows(workers, count, add_share, chunks, error);
        for (int64_t i = 0; status == CA_OK && i < count; i++) {
            double *line = sums + (chunks->from + i) / chunks->count * chunks->line;

            for (int64_t j = 0; j < chunks->line; j++)
                line[j] += chunks->sums[i * chunks->line + j];
        }
    }
    free(chunks->sums);
    return status;
}

enum ca_status parallel_blocks(const struct blocks_job *job, int workers, double *sums,
                               struct ca_error *error)
{
    struct chunks chunks = cut(job);
    int64_t all = job->blocks->count.h * job->blocks->count.d * chunks.count;

    if (chunks.apart)
        return add_apart(&chunks, workers, all, sums, error);
    chunks.sums = sums;
    return parallel_rows(workers, all, add_share, &chunks, error);
}

/* --- rows of cells ---------------------------------------------------------------------------- */

struct cells {
    const void *const *planes;
    size_t stride_bytes;
};

/* Row `row` of all planes; *at is NULL for none. */
static void cells_at(const struct blocks_job *job, int64_t row, const void *at[CA_PLANES_MAX])
{
    const struct cells *cells = job->context;

    at[0] = NULL;
    for (int p = 0; row >= 0 && p < job->setup->model->planes; p++)
        at[p] = (const char *)cells->planes[p] + (size_t)row * cells->stride_bytes;
}

static void add_cells(const struct blocks_job *job, int worker, int64_t row, double *line)
{
    const void *at[CA_PLANES_MAX];

    (void)worker;
    cells_at(job, row, at);
    ca_blocks_add_cells(job->setup->model, job->blocks, at, line);
}

enum ca_status parallel_blocks_cells(const struct ca_setup *setup, const struct ca_blocks *blocks,
                                     const void *const planes[], size_t stride_bytes, int64_t first,
                                     int64_t rows, double *sums, struct ca_error *error)
{
    struct cells cells = {planes, stride_bytes};
    struct blocks_job job = {setup,     blocks, first, rows, ca_block_sums(setup->model),
                             add_cells, &cells};

    return parallel_blocks(&job, parallel_blocks_workers(&job), sums, error);
}

int64_t slab_next_row(const struct ca_setup *setup, int64_t row, int64_t offset)
{
    return slab_layer(&setup->slab, row, offset, ca_is_torus(setup));
}

static void add_neighbours(const struct blocks_job *job, int worker, int64_t row, double *line)
{
    struct ca_neighbour_rows rows;

    (void)worker;
    cells_at(job, slab_next_row(job->setup, row, -1), rows.above);
    cells_at(job, row, rows.here);
    cells_at(job, slab_next_row(job->setup, row, 1), rows.below);
    ca_blocks_add_neighbours(job->setup, job->blocks, ca_neighbours_of(job->setup->model)->add,
                             &rows, line);
}

enum ca_status parallel_neighbour_cells(const struct ca_setup *setup,
                                        const struct ca_blocks *blocks, const void *const planes[],
                                        size_t stride_bytes, int64_t first, int64_t rows,
                                        double *neighbours, struct ca_error *error)
{
    struct cells cells = {planes, stride_bytes};
    struct blocks_job job = {
        setup, blocks, first, rows, ca_neighbour_sums_count(setup->model), add_neighbours, &cells};

    return parallel_blocks(&job, parallel_blocks_workers(&job), neighbours, error);
}
