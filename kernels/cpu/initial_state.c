/* SPDX-License-Identifier: MIT */
/* Owns how workers share the rows of an initial state, and the draws for them. */
#include "kernels/cpu/initial_state.h"

#include "core/base/random.h"
#include "kernels/cpu/thread_pool.h"

#define CELLS_PER_WORKER (1 << 16) /* these take many times as long as the start of a thread */

struct rows {
    const struct thread_pool *thread_pool;
    int64_t count;
    void (*make)(void *context, int64_t row);
    void *context;
};

static void make_share(void *context, int worker)
{
    const struct rows *rows = context;
    int64_t first, last;

    thread_pool_share(rows->thread_pool, worker, rows->count, &first, &last);
    for (int64_t row = first; row < last; row++)
        rows->make(rows->context, row);
}

enum ca_status initial_rows(const struct ca_setup *setup, void (*make)(void *context, int64_t row),
                            void *context, struct ca_error *error)
{
    bool small = ca_cells(setup->size) < 2 * CELLS_PER_WORKER;
    struct rows rows = {NULL, ca_rows(setup->size), make, context};
    struct thread_pool *thread_pool;

    CA_TRY(thread_pool_create(&thread_pool, small ? 1 : 0, error));
    rows.thread_pool = thread_pool;
    thread_pool_run(thread_pool, make_share, &rows);
    thread_pool_destroy(thread_pool);
    return CA_OK;
}

struct draw {
    struct ca_size size;
    uint64_t seed, below;
    uint32_t stream;
    uint8_t *cells, bit;
};

/* One call of the generator draws for four cells. The comparison is branch-free. */
static void draw_row(void *context, int64_t row)
{
    const struct draw draw = *(const struct draw *)context;
    uint32_t y = (uint32_t)(row % draw.size.h), z = (uint32_t)(row / draw.size.h);
    uint8_t *cells = draw.cells + row * draw.size.w;

    for (int64_t x = 0; x < draw.size.w; x += 4) {
        philox4x32_ctr_t four = ca_philox(draw.seed, (uint32_t)(x / 4), y, z, 0, draw.stream);
        int count = draw.size.w - x < 4 ? (int)(draw.size.w - x) : 4;

        for (int i = 0; i < count; i++)
            cells[x + i] |= (uint8_t)((four.v[i] < draw.below) * draw.bit);
    }
}

enum ca_status initial_random(const struct ca_setup *setup, double density, uint32_t stream,
                              uint8_t *cells, uint8_t bit, struct ca_error *error)
{
    struct draw draw = {setup->size, setup->seed, ca_threshold(density), stream, cells, bit};

    return initial_rows(setup, draw_row, &draw, error);
}
