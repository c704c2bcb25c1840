/* SPDX-License-Identifier: MIT */
/* This file allocates banded bit planes, and moves their rows between steps. */
#include "kernels/cpu/bands.h"

#include <stdlib.h>

#include "core/base/memory.h"
#include "kernels/cpu/instance.h"
#include "kernels/cpu/parallel_rows.h"

static size_t plane_bytes(const struct bands *bands)
{
    return (size_t)bands_plane_words(bands) * sizeof(uint64_t);
}

static size_t scratch_bytes(const struct bands *bands)
{
    int64_t rows = bands->threads * bands->ops->scratch_rows;

    return (size_t)(rows * bands->row_words) * sizeof(uint64_t);
}

static enum ca_status allocate(uint64_t **memory, size_t bytes, struct ca_error *error)
{
    *memory = ca_zeroed(bytes);
    if (!*memory)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a plane of %zu bytes", bytes);
    return parallel_touch(*memory, bytes, error);
}

static enum ca_status allocate_planes(struct bands *bands, struct ca_error *error)
{
    for (int p = 0; p < bands->planes; p++)
        for (int copy = 0; copy < 2; copy++) {
            int i = 2 * p + copy;

            if (copy == 1 && bands_in_place(bands, p)) {
                bands->plane[p][1] = bands->plane[p][0];
                continue;
            }
            CA_TRY(allocate(&bands->memory[i], plane_bytes(bands), error));
            bands->plane[p][copy] = bands->memory[i] + i * BANDS_STAGGER;
        }
    return CA_OK;
}

static void bands_destroy(void *self)
{
    struct bands *bands = self;

    if (!bands)
        return;
    ca_thread_pool_destroy(bands->thread_pool);
    for (int i = 0; i < 2 * CA_PLANES_MAX; i++)
        ca_release(bands->memory[i], plane_bytes(bands));
    ca_release(bands->scratch, scratch_bytes(bands));
    mark_free(&bands->mark);
    free(bands->context);
    free(bands);
}

static enum ca_status bands_make_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                      struct ca_error *error)
{
    struct bands bands = bands_describe(setup);

    (void)error;
    bands_report(&bands, plan);
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

static const uint64_t *get_row(void *self, int plane, int64_t row, uint64_t *buffer)
{
    struct bands *bands = self;
    int64_t y = row % bands->size.h, band = band_of(bands, y);
    const uint64_t *from =
        bands_row(bands, plane, bands->now, row / bands->size.h, y - bands_start(bands, band));

    for (int64_t k = 0; k < bands->words; k++)
        buffer[k] = get_word(bands, from, band, k);
    return buffer;
}

/* Into each band that has the row. */
static void put_row(void *self, int plane, int64_t row, const uint64_t *words)
{
    struct bands *bands = self;
    int64_t y = row % bands->size.h, z = row / bands->size.h;

    for (int64_t band = band_of(bands, y); band >= 0 && y - bands_start(bands, band) < bands->rows;
         band--) {
        uint64_t *to = bands_row(bands, plane, bands->now, z, y - bands_start(bands, band));

        for (int64_t k = 0; k < bands->words; k++)
            put_word(bands, to, band, k, words[k]);
    }
}

static enum ca_status bands_load(void *self, const void *const planes[], int64_t first,
                                 int64_t rows, struct ca_error *error)
{
    ((struct bands *)self)->halo_stale = true;
    return word_rows_load(self, planes, first, rows, error);
}

static enum ca_status bands_init(void *self, bool *made, struct ca_error *error)
{
    struct bands *bands = self;

    bands->halo_stale = true;
    return word_rows_init(&bands->word_rows, ca_rows(bands->size), made, error);
}

/* A copy's halo may be stale, too: it is filled again after either. */
static enum ca_status bands_mark(void *self, enum ca_mark what, struct ca_error *error)
{
    struct bands *bands = self;
    size_t bytes = (size_t)(bands->size.d * bands->layer_words) * sizeof(uint64_t);
    struct mark_part parts[CA_PLANES_MAX];

    bands->halo_stale = bands->halo_stale || what == CA_MARK_BACK;
    for (int p = 0; p < bands->planes; p++)
        parts[p] = (struct mark_part){bands->plane[p][bands->now], bytes};
    return mark_parts(&bands->mark, what, parts, bands->planes, error);
}

/* --- an instance ------------------------------------------------------------------------------ */

static enum ca_status bands_take(void *self, struct ca_error *error)
{
    struct bands *bands = self;
    const struct bands_ops *ops = bands->ops;
    /* If a word holds several rows, a layer's rows share words. */
    int64_t group = bands->fields > 1 ? bands->size.h : 1;

    bands->word_rows = (struct word_rows){&bands->setup, group, get_row, put_row, bands};
    CA_TRY(allocate_planes(bands, error));
    CA_TRY(instance_context(&bands->context, ops->context_size, error));
    CA_TRY(ca_thread_pool_create(&bands->thread_pool, bands->threads, error));
    CA_TRY(allocate(&bands->scratch, scratch_bytes(bands), error));
    if (ops->prepare)
        ops->prepare(bands, bands->context);
    return CA_OK;
}

static enum ca_status bands_create(void **self, const struct ca_setup *setup,
                                   struct ca_error *error)
{
    struct bands described = bands_describe(setup);

    return instance_create(self, &described, sizeof described, bands_take, bands_destroy, error);
}

static const struct ca_stepper_observe observe = {.survey = word_rows_survey,
                                                  .blocks = word_rows_blocks};

const struct ca_stepper bands_stepper = {
    .plan = bands_make_plan,
    .create = bands_create,
    .destroy = bands_destroy,
    .load = bands_load,
    .store = word_rows_store,
    .init = bands_init,
    .step = bands_step,
    .mark = bands_mark,
    .report = bands_report,
    .observe = &observe,
};
