/* SPDX-License-Identifier: MIT */
/* Rows pass through two buffers, and a thread drains one while the other fills. */
#include "core/files/rows.h"

#include <pthread.h>
#include <string.h>

static enum ca_status lattice_rows(const struct ca_lattice *lattice, void *const planes[],
                                   int64_t first, int64_t rows, bool out)
{
    size_t bytes = (size_t)(rows * lattice->size.w) * ca_type_bytes(lattice->type);
    void *at[CA_PLANES_MAX];

    ca_lattice_at(lattice, first, at);
    for (int p = 0; p < lattice->planes; p++)
        memcpy(out ? planes[p] : at[p], out ? at[p] : planes[p], bytes);
    return CA_OK;
}

static enum ca_status lattice_rows_out(void *context, void *const planes[], int64_t first,
                                       int64_t rows, struct ca_error *error)
{
    (void)error;
    return lattice_rows(context, planes, first, rows, true);
}

static enum ca_status lattice_rows_in(void *context, void *const planes[], int64_t first,
                                      int64_t rows, struct ca_error *error)
{
    (void)error;
    return lattice_rows(context, planes, first, rows, false);
}

struct ca_row_source ca_lattice_source(const struct ca_lattice *lattice)
{
    return (struct ca_row_source){lattice->size, lattice->type, lattice->planes, lattice_rows_out,
                                  (void *)lattice};
}

struct ca_row_sink ca_lattice_sink(struct ca_lattice *lattice)
{
    return (struct ca_row_sink){lattice_rows_in, lattice};
}

/* A chunk that is drained by a thread of its own. */
struct chunk {
    const struct ca_row_sink *to;
    struct ca_lattice rows;
    int64_t first, count;
    enum ca_status status;
    struct ca_error error;
    pthread_t thread;
    bool running;
};

static void *drain(void *context)
{
    struct chunk *chunk = context;

    chunk->status = chunk->to->rows(chunk->to->context, chunk->rows.plane, chunk->first,
                                    chunk->count, &chunk->error);
    return NULL;
}

static enum ca_status rows_finish(struct chunk *chunk, struct ca_error *error)
{
    if (chunk->running)
        pthread_join(chunk->thread, NULL);
    chunk->running = false;
    if (chunk->status != CA_OK)
        *error = chunk->error;
    return chunk->status;
}

static enum ca_status rows_pass(const struct ca_row_source *from, const struct ca_row_cut *cut,
                                struct chunk chunks[2], struct ca_error *error)
{
    int64_t all = ca_rows(from->size), capacity = chunks[0].rows.size.h;

    for (int64_t i = 0, first = 0; first < all; first += chunks[i++ % 2].count) {
        struct chunk *chunk = &chunks[i % 2], *other = &chunks[(i + 1) % 2];
        int64_t end = first + capacity;

        chunk->first = first;
        /* As many rows as a chunk holds, up to the last place to cut. */
        chunk->count = (end < all ? end - end % cut->layer % cut->band : all) - first;
        CA_TRY(from->rows(from->context, chunk->rows.plane, first, chunk->count, error));
        CA_TRY(rows_finish(other, error)); /* chunks are drained in their order */
        chunk->running = pthread_create(&chunk->thread, NULL, drain, chunk) == 0;
        if (!chunk->running)
            drain(chunk);
    }
    CA_TRY(rows_finish(&chunks[0], error));
    return rows_finish(&chunks[1], error);
}

enum ca_status ca_rows_pass(const struct ca_row_source *from, const struct ca_row_sink *to,
                            struct ca_error *error)
{
    return ca_rows_pass_by(from, to, &(struct ca_row_cut){1, 1, CA_ROW_CHUNK_BYTES}, error);
}

enum ca_status ca_rows_pass_by(const struct ca_row_source *from, const struct ca_row_sink *to,
                               const struct ca_row_cut *cut, struct ca_error *error)
{
    int64_t all = ca_rows(from->size);
    int64_t row = from->size.w * (int64_t)ca_type_bytes(from->type) * from->planes;
    int64_t fits = cut->bytes / row > cut->band ? cut->bytes / row : cut->band;
    int64_t count = fits < all ? fits : all;
    struct chunk chunks[2] = {{.to = to}, {.to = to}};
    struct ca_error ignored;
    enum ca_status status = CA_OK;

    for (int i = 0; i < 2 && status == CA_OK; i++)
        status = ca_lattice_alloc(&chunks[i].rows, (struct ca_size){from->size.w, count, 1},
                                  from->type, from->planes, error);
    if (status == CA_OK)
        status = rows_pass(from, cut, chunks, error);
    for (int i = 0; i < 2; i++) {
        rows_finish(&chunks[i], &ignored);
        ca_lattice_free(&chunks[i].rows);
    }
    return status;
}
