/* SPDX-License-Identifier: MIT */
/* Owns the memory of banded bit planes, and loads and stores their rows. */
#include "kernels/cpu/bands.h"

#include <stdlib.h>
#include <string.h>

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

static enum ca_status allocate_planes(struct bands *bands, struct ca_error *error)
{
    for (int p = 0; p < bands->planes; p++)
        for (int copy = 0; copy < 2; copy++) {
            bool shared = copy == 1 && bands_in_place(bands, p);

            bands->plane[p][copy] =
                shared ? bands->plane[p][0]
                       : allocate(&bands->memory[2 * p + copy], bands_plane_words(bands), error);
            if (!bands->plane[p][copy])
                return CA_NO_MEMORY;
            if (!shared)
                bands->plane[p][copy] += (2 * p + copy) * BANDS_STAGGER;
        }
    return bit_rows_alloc(&bands->line, bands->size.w, 1, error);
}

static enum ca_status allocate_scratch(struct bands *bands, struct ca_error *error)
{
    int64_t rows = bands->threads * bands->ops->scratch_rows;
    void *memory = NULL;

    if (rows == 0)
        return CA_OK;
    bands->scratch = allocate(&memory, rows * bands->row_words, error);
    return bands->scratch ? CA_OK : CA_NO_MEMORY;
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

static enum ca_status plan(const struct ca_setup *setup, struct ca_plan *plan,
                           struct ca_error *error)
{
    struct bands bands = bands_describe(setup);

    (void)error;
    bands_report(&bands, plan);
    return CA_OK;
}

static enum ca_status create(void **self, const struct ca_setup *setup, struct ca_error *error)
{
    const struct bands_ops *ops = setup->backend->ops;
    struct bands *bands = calloc(1, sizeof *bands);
    enum ca_status status;

    *self = NULL;
    if (!bands)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    *bands = bands_describe(setup);
    status = allocate_planes(bands, error);
    if (status == CA_OK && ops->context_size && !(bands->context = malloc(ops->context_size)))
        status = ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    if (status == CA_OK)
        status = thread_pool_create(&bands->thread_pool, bands->threads, error);
    if (status == CA_OK)
        status = allocate_scratch(bands, error);
    if (status != CA_OK) {
        destroy(bands);
        return status;
    }
    if (ops->prepare)
        ops->prepare(bands, bands->context);
    *self = bands;
    return CA_OK;
}

/* Bits of a row in a word: w where a word holds several rows. */
static uint64_t field_mask(const struct bands *bands)
{
    return bands->size.w < 64 ? (UINT64_C(1) << bands->size.w) - 1 : ~UINT64_C(0);
}

/* --- rows in and out -------------------------------------------------------------------------- */

/* Word k of a band's row; where a word holds several rows, the row's bits are shifted to its low
 * end. */
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

/* Copies row i of a band, which may lie beyond its ends, from the band that owns it. */
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
        for (int64_t g = 1; g <= bands->ops->halo_rows && !bands_in_place(bands, p); g++)
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
    bands->halo_stale = true;
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

const struct ca_stepper bands_stepper = {
    .plan = plan,
    .create = create,
    .destroy = destroy,
    .load = load,
    .store = store,
    .step = bands_step,
    .report = bands_report,
};
