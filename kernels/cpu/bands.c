/* SPDX-License-Identifier: MIT */
/* Owns the memory of banded bit planes, and the way of rows in and out. */
#include "kernels/cpu/bands.h"

#include <stdlib.h>
#include <string.h>

/* A member is worth having from about so many words a generation on, which take 2 to 8 us. */
#define WORDS_PER_MEMBER 8192

/*
 * Words by which planes start apart beyond a page: a processor takes a load that follows a store to
 * the same place of another page for one of what was stored, and waits.
 */
#define STAGGER 72

static void lay_out(struct bands *bands)
{
    int64_t w = bands->size.w, h = bands->size.h;

    bands->lanes = bands->ops->lanes;
    bands->fields = w <= 32 ? 64 / w : 1;
    bands->count = bands->lanes * bands->fields;
    bands->rows = (h + bands->count - 1) / bands->count;
    bands->words = (w + 63) / 64;
    bands->row_words = bands->lanes * bands->words;
    bands->layer_words = (bands->rows + 2 * bands->ops->ghosts) * bands->row_words;
    bands->even = h % bands->count == 0 && bands->rows >= bands->ops->ghosts;
}

/* Bits of a row in a word: w where a word holds several rows. */
static uint64_t field_mask(const struct bands *bands)
{
    return bands->size.w < 64 ? (UINT64_C(1) << bands->size.w) - 1 : ~UINT64_C(0);
}

static void make_masks(struct bands *bands)
{
    uint64_t row = bands->fields > 1 ? field_mask(bands) : ~UINT64_C(0);

    memset(bands->first, 0xff, sizeof bands->first);
    memset(bands->last, 0xff, sizeof bands->last);
    if (bands->torus)
        return;
    bands->first[0] = ~row;
    bands->last[bands->lanes - 1] =
        ~(row << (bands->fields - 1) * (bands->fields > 1 ? bands->size.w : 0));
}

static uint64_t *allocate(void **memory, int64_t words, struct ca_error *error)
{
    size_t bytes = (size_t)words * sizeof(uint64_t);

    if (posix_memalign(memory, BIT_ROWS_VECTOR * sizeof(uint64_t), bytes) != 0) {
        *memory = NULL;
        (void)ca_fail(error, CA_NO_MEMORY, "no memory for a plane of %zu bytes", bytes);
        return NULL;
    }
    memset(*memory, 0, bytes);
    return *memory;
}

/* A layer more than the slab's: the empty one. */
static enum ca_status allocate_planes(struct bands *bands, struct ca_error *error)
{
    int64_t words = (bands->size.d + 1) * bands->layer_words + 2 * CA_PLANES_MAX * STAGGER;

    for (int p = 0; p < bands->planes; p++)
        for (int copy = 0; copy < 2; copy++) {
            bool shared = copy == 1 && (bands->ops->in_place >> p & 1);

            bands->plane[p][copy] =
                shared ? bands->plane[p][0] : allocate(&bands->memory[2 * p + copy], words, error);
            if (!bands->plane[p][copy])
                return CA_NO_DEVICE;
            if (!shared)
                bands->plane[p][copy] += (2 * p + copy) * STAGGER;
        }
    return bit_rows_alloc(&bands->line, bands->size.w, 1, error);
}

static enum ca_status start_threads(struct bands *bands, int threads, struct ca_error *error)
{
    int64_t words = ca_rows(bands->size) * bands->words * bands->planes;
    void *memory = NULL;

    if (threads == 0 && words < 2 * WORDS_PER_MEMBER)
        threads = 1;
    CA_TRY(thread_pool_create(&bands->thread_pool, threads, error));
    if (!bands->ops->scratch)
        return CA_OK;
    bands->scratch_rows = bands->ops->scratch(bands);
    bands->scratch = allocate(
        &memory, thread_pool_size(bands->thread_pool) * bands->scratch_rows * bands->row_words,
        error);
    return bands->scratch ? CA_OK : CA_NO_DEVICE;
}

static void destroy(void *self)
{
    struct bands *bands = self;

    if (!bands)
        return;
    thread_pool_destroy(bands->thread_pool);
    for (int i = 0; i < 2 * CA_PLANES_MAX; i++)
        free(bands->memory[i]);
    bit_rows_free(&bands->line);
    free(bands->scratch);
    free(bands->context);
    free(bands);
}

static enum ca_status create(void **self, const struct ca_setup *setup, struct ca_error *error)
{
    const struct bands_ops *ops = setup->backend->ops;
    struct bands *bands = calloc(1, sizeof *bands);
    enum ca_status status;

    *self = NULL;
    if (!bands)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    bands->ops = ops;
    bands->setup = *setup;
    bands->size = setup->size;
    bands->size.d = setup->slab.extent;
    bands->planes = setup->model->planes;
    bands->torus = ops->torus && ops->torus(setup);
    lay_out(bands);
    make_masks(bands);

    status = allocate_planes(bands, error);
    if (status == CA_OK && ops->context_size && !(bands->context = malloc(ops->context_size)))
        status = ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    if (status == CA_OK)
        status = start_threads(bands, threads_wanted(&setup->options), error);
    if (status == CA_OK)
        bands_plan(bands, (int)ca_int(&setup->options, "generations"));
    if (status != CA_OK) {
        destroy(bands);
        return status;
    }
    if (ops->prepare)
        ops->prepare(bands, bands->context);
    *self = bands;
    return CA_OK;
}

/* --- rows in and out -------------------------------------------------------------------------- */

/* Word k of a band's row; with several rows in a word, the row's bits at its low end. */
static uint64_t get_word(const struct bands *bands, const uint64_t *row, int64_t band, int64_t k)
{
    return row[k * bands->lanes + band / bands->fields] >> band % bands->fields * bands->size.w;
}

static void put_word(const struct bands *bands, uint64_t *row, int64_t band, int64_t k,
                     uint64_t value)
{
    int64_t shift = band % bands->fields * bands->size.w;
    uint64_t mask = bands->fields > 1 ? field_mask(bands) : ~UINT64_C(0);
    uint64_t *word = &row[k * bands->lanes + band / bands->fields];

    *word = (*word & ~(mask << shift)) | (value & mask) << shift;
}

/* The last band that starts at row y or before, the inverse of bands_start. */
static int64_t band_of(const struct bands *bands, int64_t y)
{
    return ((y + 1) * bands->count - 1) / bands->size.h;
}

/* Row i of a band, beyond its ends too, copied from a band that has it in its middle. */
static void copy_row(const struct bands *bands, int plane, int copy, int64_t z, int64_t i,
                     int64_t band)
{
    int64_t h = bands->size.h, y = bands_start(bands, band) + i;
    int64_t inside = ((y % h) + h) % h, from = band_of(bands, inside);
    bool exists = y == inside || bands->torus;
    const uint64_t *source = bands_row(bands, plane, copy, z, inside - bands_start(bands, from));
    uint64_t *row = bands_row(bands, plane, copy, z, i);

    for (int64_t k = 0; k < bands->words; k++)
        put_word(bands, row, band, k, exists ? get_word(bands, source, from, k) : 0);
}

void bands_fill_halo_uneven(const struct bands *bands, int copy, int64_t z)
{
    for (int p = 0; p < bands->planes; p++)
        for (int64_t g = 1; g <= bands->ops->ghosts && !(bands->ops->in_place >> p & 1); g++)
            for (int64_t band = 0; band < bands->count; band++) {
                copy_row(bands, p, copy, z, -g, band);
                copy_row(bands, p, copy, z, bands->rows + g - 1, band);
            }
}

static void load_row(struct bands *bands, int plane, int64_t z, int64_t y, const uint8_t *cells)
{
    bit_rows_load(&bands->line, cells, 0, 1);
    for (int64_t band = band_of(bands, y); band >= 0 && y - bands_start(bands, band) < bands->rows;
         band--) {
        uint64_t *row = bands_row(bands, plane, bands->now, z, y - bands_start(bands, band));

        for (int64_t k = 0; k < bands->words; k++)
            put_word(bands, row, band, k, bands->line.word[k]);
    }
}

static void store_row(struct bands *bands, int plane, int64_t z, int64_t y, uint8_t *cells)
{
    int64_t band = band_of(bands, y);
    const uint64_t *row = bands_row(bands, plane, bands->now, z, y - bands_start(bands, band));

    for (int64_t k = 0; k < bands->words; k++)
        bands->line.word[k] = get_word(bands, row, band, k);
    bit_rows_store(&bands->line, cells, 0, 1);
}

static enum ca_status load(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    struct bands *bands = self;
    int64_t w = bands->size.w, h = bands->size.h;

    (void)error;
    bands->loaded = true;
    for (int p = 0; p < bands->planes; p++)
        for (int64_t r = first; r < first + rows; r++)
            load_row(bands, p, r / h, r % h, (const uint8_t *)planes[p] + (r - first) * w);
    return CA_OK;
}

static enum ca_status store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error)
{
    struct bands *bands = self;
    int64_t w = bands->size.w, h = bands->size.h;

    (void)error;
    for (int p = 0; p < bands->planes; p++)
        for (int64_t r = first; r < first + rows; r++)
            store_row(bands, p, r / h, r % h, (uint8_t *)planes[p] + (r - first) * w);
    return CA_OK;
}

static void report(const void *self, struct ca_plan *plan)
{
    const struct bands *bands = self;

    *plan = (struct ca_plan){.generations = bands->generations,
                             .threads = thread_pool_size(bands->thread_pool)};
}

const struct ca_stepper bands_stepper = {
    .create = create,
    .destroy = destroy,
    .load = load,
    .store = store,
    .step = bands_step,
    .report = report,
};
