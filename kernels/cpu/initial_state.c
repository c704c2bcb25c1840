/* SPDX-License-Identifier: MIT */
/* This file draws initial states whose cells are bytes. */
#include "kernels/cpu/initial_state.h"

#include "core/base/random.h"
#include "kernels/cpu/parallel_rows.h"
#include "kernels/cpu/random_words.h"

#define CHUNK_WORDS 64 /* of a row that are drawn at a time */

struct draw {
    struct ca_size size;
    struct random_cells random;
    random_words_function *words;
    uint8_t *cells, bit;
};

static void set_cells(uint8_t *cells, int64_t count, uint8_t bit, const uint64_t *words)
{
    for (int64_t x = 0; x < count; x++)
        cells[x] |= (uint8_t)((words[x / 64] >> x % 64 & 1) * bit);
}

static void draw_rows(void *context, int worker, int64_t first, int64_t last)
{
    const struct draw *draw = context;
    struct random_cells random = draw->random;
    int64_t w = draw->size.w, h = draw->size.h, most = 64 * CHUNK_WORDS;
    uint64_t words[CHUNK_WORDS];

    (void)worker;
    for (int64_t row = first; row < last; row++) {
        random.y = (uint32_t)(row % h);
        random.z = (uint32_t)(row / h);
        for (int64_t x = 0; x < w; x += most) {
            int64_t count = w - x < most ? w - x : most;

            draw->words(&random, x / 64, (count + 63) / 64, words);
            set_cells(draw->cells + row * w + x, count, draw->bit, words);
        }
    }
}

enum ca_status initial_random(const struct ca_setup *setup, double density, uint32_t stream,
                              uint8_t *cells, uint8_t bit, struct ca_error *error)
{
    struct draw draw = {
        .size = setup->size,
        .random = {.seed = setup->seed, .below = ca_threshold(density), .stream = stream},
        .words = random_words(),
        .cells = cells,
        .bit = bit,
    };
    int64_t rows = ca_rows(setup->size), w = setup->size.w;

    return parallel_rows(parallel_workers(rows, w), rows, draw_rows, &draw, error);
}

/* --- states ----------------------------------------------------------------------------------- */

struct draw_states {
    const struct ca_setup *setup;
    uint64_t below[CA_STATES_MAX]; /* rising */
    int count;
    uint32_t stream;
    uint8_t *cells;
    int shift;
};

/* One draw has four cells of a row. */
static void draw_state_rows(void *context, int worker, int64_t first, int64_t last)
{
    const struct draw_states *draw = context;
    int64_t w = draw->setup->size.w, h = draw->setup->size.h;

    (void)worker;
    for (int64_t row = first; row < last; row++)
        for (int64_t x = 0; x < w; x += 4) {
            philox4x32_ctr_t four =
                ca_philox(draw->setup->seed, (uint32_t)(x / 4), (uint32_t)(row % h),
                          (uint32_t)(row / h), 0, draw->stream);

            for (int64_t i = 0; i < 4 && x + i < w; i++) {
                int s = 0;

                while (s < draw->count && four.v[i] >= draw->below[s])
                    s++;
                if (s < draw->count)
                    draw->cells[row * w + x + i] |= (uint8_t)((s + 1) << draw->shift);
            }
        }
}

enum ca_status initial_states(const struct ca_setup *setup, const double share[], int count,
                              uint32_t stream, uint8_t *cells, int shift, struct ca_error *error)
{
    struct draw_states draw = {
        .setup = setup, .count = count, .stream = stream, .cells = cells, .shift = shift};
    int64_t rows = ca_rows(setup->size);
    double sum = 0;

    for (int s = 0; s < count; s++) {
        sum += share[s];
        draw.below[s] = ca_threshold(sum < 1 ? sum : 1);
    }
    return parallel_rows(parallel_workers(rows, setup->size.w), rows, draw_state_rows, &draw,
                         error);
}
