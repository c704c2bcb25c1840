/* SPDX-License-Identifier: MIT */
/* Owns how the chunks of a block are shared out to the cores. */
#include "core/files/h5_block.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/model/survey.h"

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

void h5_block_close(struct h5_block *block)
{
    ca_thread_pool_destroy(block->pool);
    free(block->item);
    free(block->stored);
    free(block->work);
}

static enum ca_status make_room(struct h5_block *block, int64_t items, struct ca_error *error)
{
    size_t bytes = h5_stored_bytes(&block->chunks);

    if (items <= block->room)
        return CA_OK;
    free(block->item);
    free(block->stored);
    block->item = malloc((size_t)items * sizeof *block->item);
    block->stored = malloc((size_t)items * bytes);
    block->room = block->item && block->stored ? items : 0;
    return block->room ? CA_OK
                       : ca_fail(error, CA_NO_MEMORY,
                                 "%.300s: no memory for %" PRId64 " chunks of %zu bytes",
                                 block->path, items, bytes);
}

enum ca_status h5_block_list(struct h5_block *block, void *const planes[], int64_t first,
                             int64_t rows, struct ca_error *error)
{
    const struct h5_chunks *chunks = &block->chunks;
    int64_t begin = h5_band_of(chunks, first);
    int64_t bands = h5_band_of(chunks, first + rows - 1) + 1 - begin;
    int64_t columns = h5_columns(chunks), kinds = block->setup.model->planes;
    size_t bytes = h5_stored_bytes(chunks);

    block->planes = planes;
    block->first = first;
    block->rows = rows;
    block->items = bands * columns * kinds;
    CA_TRY(make_room(block, block->items, error));
    for (int64_t i = 0; i < block->items; i++)
        block->item[i] = (struct h5_item){.band = h5_band(chunks, begin + i / kinds / columns),
                                          .column = i / kinds % columns,
                                          .plane = (int)(i % kinds),
                                          .stored = block->stored + (size_t)i * bytes};
    return CA_OK;
}

static uint8_t *row_of(const struct h5_block *block, int plane, int64_t row)
{
    size_t bytes = (size_t)block->chunks.size.w * ca_type_bytes(block->chunks.type);

    return (uint8_t *)block->planes[plane] + (size_t)(row - block->first) * bytes;
}

static uint8_t *work_of(const struct h5_block *block, int worker)
{
    return block->work + (size_t)worker * h5_work_bytes(&block->chunks);
}

/* One thread's share of the rows goes to the digest. */
static void sum_some(void *context, int worker)
{
    struct h5_block *block = context;
    struct ca_survey survey = ca_survey_none();
    const void *planes[CA_PLANES_MAX] = {NULL};
    int64_t first, last;

    ca_thread_pool_share(block->pool, worker, block->rows, &first, &last);
    for (int p = 0; p < block->setup.model->planes; p++)
        planes[p] = row_of(block, p, block->first + first);
    ca_survey_rows(&block->setup, CA_SURVEY_DIGEST, planes, block->first + first, last - first,
                   &survey);
    atomic_fetch_add(&block->digest, survey.digest);
}

/* Chunks are taken as threads come to them, since some take longer than others. */
static void encode_some(void *context, int worker)
{
    struct h5_block *block = context;
    int64_t i;

    while ((i = atomic_fetch_add(&block->next, 1)) < block->items) {
        struct h5_item *item = &block->item[i];

        item->bytes = h5_encode(&block->chunks, item->band, item->column,
                                row_of(block, item->plane, item->band.first),
                                work_of(block, worker), item->stored, &item->deflated);
    }
}

static void decode_some(void *context, int worker)
{
    struct h5_block *block = context;
    int64_t i;

    while ((i = atomic_fetch_add(&block->next, 1)) < block->items) {
        struct h5_item *item = &block->item[i];

        item->wrong = h5_decode(&block->chunks, item->band, item->column, item->stored, item->bytes,
                                item->deflated, work_of(block, worker),
                                row_of(block, item->plane, item->band.first));
    }
}

enum ca_status h5_block_encode(struct h5_block *block, struct ca_error *error)
{
    atomic_store(&block->next, 0);
    ca_thread_pool_run(block->pool, encode_some, block);
    ca_thread_pool_run(block->pool, sum_some, block);
    for (int64_t i = 0; i < block->items; i++)
        if (block->item[i].bytes == 0)
            return ca_fail(error, CA_NO_MEMORY, "%.300s: no memory to compress a chunk",
                           block->path);
    return CA_OK;
}

enum ca_status h5_block_decode(struct h5_block *block, struct ca_error *error)
{
    atomic_store(&block->next, 0);
    ca_thread_pool_run(block->pool, decode_some, block);
    for (int64_t i = 0; i < block->items; i++) {
        const struct h5_item *item = &block->item[i];

        if (item->wrong)
            return ca_fail(error, CA_IO,
                           "%.300s: the chunk of plane %s from row %" PRId64 ", column %" PRId64
                           " on: %s",
                           block->path, block->setup.model->plane_names[item->plane],
                           item->band.first, item->column * block->chunks.chunk.w, item->wrong);
    }
    ca_thread_pool_run(block->pool, sum_some, block);
    return CA_OK;
}
