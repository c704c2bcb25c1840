/* SPDX-License-Identifier: MIT */
/* The chunks of a block are shared out to the cores. */
#include "core/files/h5_block.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/model/survey.h"

#define BYTES_PER_THREAD (8 << 20)
#define ROWS_AT_ONCE 16 /* of which a thread makes the digest */

enum ca_status h5_block_open(struct h5_block *block, const char *path, const struct ca_model *model,
                             const struct h5_chunks *chunks, struct ca_error *error)
{
    block->path = path;
    block->setup = (struct ca_setup){.model = model, .size = chunks->size};
    block->chunks = *chunks;
    if (ca_thread_pool_create(&block->pool, 0, error) != CA_OK)
        CA_TRY(ca_thread_pool_create(&block->pool, 1, error));
    block->work = malloc((size_t)ca_thread_pool_size(block->pool) * h5_work_bytes(chunks));
    return block->work ? CA_OK
                       : ca_fail(error, CA_NO_MEMORY, "%.300s: no memory for its chunks", path);
}

static void free_batch(struct h5_batch *batch)
{
    free(batch->item);
    free(batch->stored);
    *batch = (struct h5_batch){0};
}

void h5_block_close(struct h5_block *block)
{
    ca_thread_pool_destroy(block->pool);
    free_batch(&block->batch);
    free_batch(&block->before);
    free(block->work);
}

/* A thread gets several chunks of each kind, so that all end at about the same time. */
struct ca_row_cut h5_block_cut(const struct h5_block *block)
{
    int64_t bytes = (int64_t)ca_thread_pool_size(block->pool) * BYTES_PER_THREAD;

    return h5_cut(&block->chunks, bytes > CA_ROW_CHUNK_BYTES ? bytes : CA_ROW_CHUNK_BYTES);
}

enum ca_status h5_block_list(struct h5_block *block, void *const planes[], int64_t first,
                             int64_t rows, struct ca_error *error)
{
    const struct h5_chunks *chunks = &block->chunks;
    int64_t begin = h5_band_of(chunks, first);
    int64_t bands = h5_band_of(chunks, first + rows - 1) + 1 - begin;
    int64_t columns = h5_columns(chunks), kinds = block->setup.model->planes;
    int64_t items = bands * columns * kinds;
    size_t bytes = h5_stored_bytes(chunks);
    struct h5_batch *batch = &block->batch;

    block->planes = planes;
    block->first = first;
    block->rows = rows;
    if (items > batch->capacity) {
        free_batch(batch);
        batch->item = malloc((size_t)items * sizeof *batch->item);
        batch->stored = malloc((size_t)items * bytes);
        if (!batch->item || !batch->stored)
            return ca_fail(error, CA_NO_MEMORY,
                           "%.300s: no memory for %" PRId64 " chunks of %zu bytes", block->path,
                           items, bytes);
        batch->capacity = items;
    }
    batch->items = items;
    for (int64_t i = 0; i < items; i++)
        batch->item[i] = (struct h5_item){.band = h5_band(chunks, begin + i / kinds / columns),
                                          .column = i / kinds % columns,
                                          .plane = (int)(i % kinds),
                                          .stored = batch->stored + (size_t)i * bytes};
    return CA_OK;
}

static uint8_t *h5_block_row_of(const struct h5_block *block, int plane, int64_t row)
{
    size_t bytes = (size_t)block->chunks.size.w * ca_type_bytes(block->chunks.type);

    return (uint8_t *)block->planes[plane] + (size_t)(row - block->first) * bytes;
}

static uint8_t *work_of(const struct h5_block *block, int worker)
{
    return block->work + (size_t)worker * h5_work_bytes(&block->chunks);
}

/* Rows and chunks are taken as threads come to them, since some take longer than others. */
static void sum_some(void *context, int worker)
{
    struct h5_block *block = context;
    struct ca_survey survey = ca_survey_none();
    int64_t row;

    (void)worker;
    while ((row = atomic_fetch_add(&block->next_row, ROWS_AT_ONCE)) < block->rows) {
        int64_t left = block->rows - row;
        const void *planes[CA_PLANES_MAX] = {NULL};

        for (int p = 0; p < block->setup.model->planes; p++)
            planes[p] = h5_block_row_of(block, p, block->first + row);
        ca_survey_rows(&block->setup, CA_SURVEY_DIGEST, planes, block->first + row,
                       left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE, &survey);
    }
    atomic_fetch_add(&block->digest, survey.digest);
}

static void encode_and_sum(void *context, int worker)
{
    struct h5_block *block = context;
    int64_t i;

    if (worker == 0)
        block->meanwhile(block->context);
    while ((i = atomic_fetch_add(&block->next, 1)) < block->batch.items) {
        struct h5_item *item = &block->batch.item[i];

        item->bytes = h5_encode(&block->chunks, item->band, item->column,
                                h5_block_row_of(block, item->plane, item->band.first),
                                work_of(block, worker), item->stored, &item->deflated);
    }
    sum_some(context, worker);
}

static void decode_some(void *context, int worker)
{
    struct h5_block *block = context;
    int64_t i;

    while ((i = atomic_fetch_add(&block->next, 1)) < block->batch.items) {
        struct h5_item *item = &block->batch.item[i];

        item->wrong = h5_decode(&block->chunks, item->band, item->column, item->stored, item->bytes,
                                item->deflated, work_of(block, worker),
                                h5_block_row_of(block, item->plane, item->band.first));
    }
}

enum ca_status h5_block_encode(struct h5_block *block, void (*meanwhile)(void *context),
                               void *context, struct ca_error *error)
{
    struct h5_batch encoded;

    block->meanwhile = meanwhile;
    block->context = context;
    atomic_store(&block->next, 0);
    atomic_store(&block->next_row, 0);
    ca_thread_pool_run(block->pool, encode_and_sum, block);
    for (int64_t i = 0; i < block->batch.items; i++)
        if (block->batch.item[i].bytes == 0)
            return ca_fail(error, CA_NO_MEMORY, "%.300s: no memory to compress a chunk",
                           block->path);
    encoded = block->batch;
    block->batch = block->before;
    block->before = encoded;
    return CA_OK;
}

enum ca_status h5_block_decode(struct h5_block *block, struct ca_error *error)
{
    atomic_store(&block->next, 0);
    ca_thread_pool_run(block->pool, decode_some, block);
    for (int64_t i = 0; i < block->batch.items; i++) {
        const struct h5_item *item = &block->batch.item[i];

        if (item->wrong)
            return ca_fail(error, CA_IO,
                           "%.300s: the chunk of plane %s from row %" PRId64 ", column %" PRId64
                           " on: %s",
                           block->path, block->setup.model->plane_names[item->plane],
                           item->band.first, item->column * block->chunks.chunk.w, item->wrong);
    }
    atomic_store(&block->next_row, 0);
    ca_thread_pool_run(block->pool, sum_some, block);
    return CA_OK;
}
