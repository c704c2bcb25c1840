/* SPDX-License-Identifier: MIT */
/* This file encodes and decodes chunks, as HDF5's filters n-bit, shuffle, deflate and fletcher32
 * do. */
#include "core/files/h5_chunk.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/model/survey.h"

#define CHECKSUM_BYTES 4
#define PROBED 65536 /* bytes of a chunk of which a part is tried before all of it */

static int64_t h5_chunk_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* As many as fit, `all` at most and one at least. */
static int64_t fitting(int64_t cells, int64_t all)
{
    int64_t count = H5_CHUNK_CELLS / cells;

    return count < 1 ? 1 : h5_chunk_least(count, all);
}

struct h5_chunks h5_chunks_of(const struct ca_model *model, struct ca_size size)
{
    struct h5_chunks chunks = {.size = size,
                               .chunk = {h5_chunk_least(size.w, H5_CHUNK_CELLS), 1, 1},
                               .type = model->type,
                               .packed = model->type == CA_U8 && ca_plane_bits(model) == 1};

    chunks.chunk.h = fitting(size.w, size.h);
    if (chunks.chunk.h == size.h)
        chunks.chunk.d = fitting(size.w * size.h, size.d);
    return chunks;
}

bool h5_chunks_allowed(const struct h5_chunks *chunks)
{
    struct ca_size size = chunks->size, chunk = chunks->chunk;

    if (chunk.w < 1 || chunk.h < 1 || chunk.d < 1 || chunk.w > size.w || chunk.h > size.h ||
        chunk.d > size.d || chunk.w > H5_CHUNK_CELLS_MAX ||
        chunk.h > H5_CHUNK_CELLS_MAX / chunk.w ||
        chunk.d > H5_CHUNK_CELLS_MAX / (chunk.w * chunk.h))
        return false;
    return (chunk.d == 1 || chunk.h == size.h) && (chunk.h == 1 || chunk.w == size.w);
}

/* Chunks side by side along a row. */
static int64_t h5_columns(const struct h5_chunks *chunks)
{
    return ca_divide_up(chunks->size.w, chunks->chunk.w);
}

/* Bands of `chunk.d` layers. */
static int64_t bands_of_layers(const struct h5_chunks *chunks)
{
    return ca_divide_up(chunks->size.h, chunks->chunk.h);
}

static int64_t h5_band_of(const struct h5_chunks *chunks, int64_t row)
{
    int64_t layers = row / chunks->size.h / chunks->chunk.d;

    return layers * bands_of_layers(chunks) + row % chunks->size.h / chunks->chunk.h;
}

static struct h5_band h5_band(const struct h5_chunks *chunks, int64_t band)
{
    struct ca_size size = chunks->size, chunk = chunks->chunk;
    int64_t z = band / bands_of_layers(chunks) * chunk.d;
    int64_t y = band % bands_of_layers(chunks) * chunk.h;

    return (struct h5_band){z * size.h + y, chunk.h == size.h
                                                ? h5_chunk_least(chunk.d, size.d - z) * size.h
                                                : h5_chunk_least(chunk.h, size.h - y)};
}

/* Blocks of rows that consist of whole bands. */
static struct ca_row_cut h5_cut(const struct h5_chunks *chunks, int64_t bytes)
{
    int64_t h = chunks->size.h, d = chunks->chunk.d;

    /* Bands of several layers follow on each other, others begin anew with each layer. */
    return chunks->chunk.h == h ? (struct ca_row_cut){h * d, h * d, bytes}
                                : (struct ca_row_cut){h, chunks->chunk.h, bytes};
}

/* Bytes of a chunk before deflate, and at most as it is stored. */
static size_t h5_plain_bytes(const struct h5_chunks *chunks)
{
    size_t cells = (size_t)h5_cells(chunks);

    /* The filter n-bit adds a byte. */
    return chunks->packed ? cells / 8 + 1 : cells * ca_type_bytes(chunks->type);
}

size_t h5_stored_bytes(const struct h5_chunks *chunks)
{
    return compressBound(h5_plain_bytes(chunks)) + CHECKSUM_BYTES;
}

/* Bytes that the next two functions work in. */
static size_t h5_work_bytes(const struct h5_chunks *chunks)
{
    return (size_t)h5_cells(chunks) * ca_type_bytes(chunks->type) + h5_plain_bytes(chunks);
}

/* --- filters ---------------------------------------------------------------------------------- */

/* Words are little-endian. The weights 2^(63 - 9 i) move bit 0 of byte i to bit 63 - i, and its
 * copies where no two meet. */
#define SPREAD UINT64_C(0x8040201008040201)

static void pack(uint8_t *bits, const uint8_t *cells, size_t count)
{
    size_t whole = count / 8;

    for (size_t i = 0; i < whole; i++) {
        uint64_t word;

        memcpy(&word, cells + 8 * i, sizeof word);
        bits[i] = (uint8_t)(word * SPREAD >> 56);
    }
    bits[whole] = 0;
    for (size_t i = 8 * whole; i < count; i++)
        bits[whole] |= (uint8_t)(cells[i] << (7 - i % 8));
}

static void h5_chunk_unpack(uint8_t *cells, const uint8_t *bits, size_t count)
{
    size_t whole = count / 8;

    for (size_t i = 0; i < whole; i++) {
        uint64_t word = bits[i] * SPREAD >> 7 & UINT64_C(0x0101010101010101);

        memcpy(cells + 8 * i, &word, sizeof word);
    }
    for (size_t i = 8 * whole; i < count; i++)
        cells[i] = bits[whole] >> (7 - i % 8) & 1;
}

/* Byte b of value i is byte i of the b-th quarter. */
static void shuffle(uint8_t *quarters, const uint8_t *values, size_t count)
{
    for (size_t b = 0; b < 4; b++)
        for (size_t i = 0; i < count; i++)
            quarters[b * count + i] = values[4 * i + b];
}

static void unshuffle(uint8_t *values, const uint8_t *quarters, size_t count)
{
    for (size_t b = 0; b < 4; b++)
        for (size_t i = 0; i < count; i++)
            values[4 * i + b] = quarters[b * count + i];
}

/* Fletcher's checksum of words of 16 bits, high byte first, modulo 65535 as HDF5 folds it. */
static uint32_t fletcher32(const uint8_t *bytes, size_t count)
{
    uint32_t sum1 = 0, sum2 = 0;
    size_t words = count / 2;

    while (words > 0) {
        size_t some = words < 360 ? words : 360; /* for which 32 bits are enough */

        words -= some;
        for (; some > 0; some--, bytes += 2) {
            sum1 += (uint32_t)bytes[0] << 8 | bytes[1];
            sum2 += sum1;
        }
        sum1 = (sum1 & 0xFFFF) + (sum1 >> 16);
        sum2 = (sum2 & 0xFFFF) + (sum2 >> 16);
    }
    if (count % 2) {
        sum1 += (uint32_t)bytes[0] << 8;
        sum2 += sum1;
        sum1 = (sum1 & 0xFFFF) + (sum1 >> 16);
        sum2 = (sum2 & 0xFFFF) + (sum2 >> 16);
    }
    sum1 = (sum1 & 0xFFFF) + (sum1 >> 16);
    sum2 = (sum2 & 0xFFFF) + (sum2 >> 16);
    return sum2 << 16 | sum1;
}

/* --- chunks ----------------------------------------------------------------------------------- */

/* Moves the cells of a chunk between the rows of its band and its own, which are filled up. */
static void move_rows(const struct h5_chunks *chunks, struct h5_band band, int64_t column,
                      uint8_t *rows, uint8_t *own, bool out)
{
    size_t bytes = ca_type_bytes(chunks->type), all = (size_t)chunks->size.w * bytes;
    size_t width = (size_t)chunks->chunk.w * bytes;
    int64_t x = column * chunks->chunk.w;
    size_t used = (size_t)h5_chunk_least(chunks->chunk.w, chunks->size.w - x) * bytes;

    rows += (size_t)x * bytes;
    for (int64_t r = 0; r < band.rows; r++, rows += all, own += width) {
        if (out) {
            memcpy(own, rows, used);
            memset(own + used, 0, width - used);
        } else {
            memcpy(rows, own, used);
        }
    }
    if (out)
        memset(own, 0, (size_t)(chunks->chunk.h * chunks->chunk.d - band.rows) * width);
}

/* Whether deflate gains something in the middle of a chunk, which tells enough of a large one: of
 * noise it takes most of the time of a file, and gains nothing. */
static bool seems_worth(const uint8_t *bytes, size_t count, uint8_t *scratch)
{
    size_t part = count / 16;
    uLongf got = compressBound(part);

    return count < PROBED ||
           (compress2(scratch, &got, bytes + count / 2, part, H5_DEFLATE_LEVEL) == Z_OK &&
            got < part - part / 16);
}

/*
 * The stored bytes of column `column` of a band, whose rows `cells` points at; returns how many,
 * and in *deflated whether deflate was of use. 0 without memory.
 */
static size_t h5_encode(const struct h5_chunks *chunks, struct h5_band band, int64_t column,
                        const void *cells, void *work, uint8_t *stored, bool *deflated)
{
    size_t count = (size_t)h5_cells(chunks), plain = h5_plain_bytes(chunks);
    uint8_t *own = work, *filtered = own + count * ca_type_bytes(chunks->type);
    uLongf bytes = compressBound(plain);
    uint32_t sum;

    if (chunks->chunk.w == chunks->size.w && band.rows == chunks->chunk.h * chunks->chunk.d)
        own = (uint8_t *)cells; /* the rows of the band are those of the chunk */
    else
        move_rows(chunks, band, column, (uint8_t *)cells, own, true);
    if (chunks->packed)
        pack(filtered, own, count);
    else if (chunks->type == CA_F32)
        shuffle(filtered, own, count);
    else
        filtered = own;
    *deflated = seems_worth(filtered, plain, stored);
    if (*deflated && compress2(stored, &bytes, filtered, plain, H5_DEFLATE_LEVEL) != Z_OK)
        return 0;
    *deflated &= bytes < plain;
    if (!*deflated)
        memcpy(stored, filtered, bytes = plain);
    sum = fletcher32(stored, bytes);
    for (int i = 0; i < CHECKSUM_BYTES; i++)
        stored[bytes++] = (uint8_t)(sum >> 8 * i);
    return bytes;
}

/* The reverse. NULL, or what is wrong with the bytes. */
static const char *h5_decode(const struct h5_chunks *chunks, struct h5_band band, int64_t column,
                             const uint8_t *stored, size_t bytes, bool deflated, void *work,
                             void *cells)
{
    size_t count = (size_t)h5_cells(chunks), plain = h5_plain_bytes(chunks);
    uint8_t *own = work, *filtered = own + count * ca_type_bytes(chunks->type);
    uLongf got = plain;
    uint32_t sum = 0;

    if (bytes < CHECKSUM_BYTES)
        return "it is too short";
    bytes -= CHECKSUM_BYTES;
    for (int i = 0; i < CHECKSUM_BYTES; i++)
        sum |= (uint32_t)stored[bytes + (size_t)i] << 8 * i;
    if (sum != fletcher32(stored, bytes))
        return "its checksum is wrong";
    if (deflated) {
        if (uncompress(filtered, &got, stored, bytes) != Z_OK || got != plain)
            return "it cannot be decompressed to its size";
        stored = filtered;
    } else if (bytes != plain) {
        return "it has another size";
    }
    if (chunks->packed)
        h5_chunk_unpack(own, stored, count);
    else if (chunks->type == CA_F32)
        unshuffle(own, stored, count);
    else
        memcpy(own, stored, plain);
    move_rows(chunks, band, column, cells, own, false);
    return NULL;
}

/* --- blocks: their chunks are shared out to the cores ----------------------------------------- */

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
