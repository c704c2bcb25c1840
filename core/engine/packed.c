/* SPDX-License-Identifier: MIT */
/* This file packs rows into the bytes of a message. Words are little-endian, as bytes are. */
#include "core/engine/packed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/bit_row.h"

/* The bytes of one bit of a u8 plane, or of an f32 plane. */
static size_t part_bytes(const struct ca_model *model, int64_t w)
{
    return model->type == CA_U8 ? (size_t)(w + 7) / 8 : (size_t)w * sizeof(float);
}

int64_t ca_packed_row(const struct ca_model *model, int64_t w)
{
    return (int64_t)part_bytes(model, w) * ca_plane_bits(model) * model->planes;
}

double ca_packed_state(const struct ca_model *model, struct ca_size size)
{
    return (double)ca_packed_row(model, size.w) * (double)ca_rows(size);
}

enum ca_status ca_packed_check(const struct ca_model *model, struct ca_size size,
                               struct ca_error *error)
{
    double bytes = ca_packed_state(model, size);

    if (bytes > (double)CA_PACKED_MAX)
        return ca_fail(error, CA_USAGE,
                       "the state has %.0f bytes, packed, and at most %" PRId64
                       " go to another engine",
                       bytes, CA_PACKED_MAX);
    return CA_OK;
}

static enum ca_status words_alloc(uint64_t **words, int64_t w, struct ca_error *error)
{
    *words = calloc((size_t)ca_bit_row_words(w), sizeof **words);
    return *words ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory to pack rows");
}

enum ca_status ca_rows_pack(uint8_t *bytes, const struct ca_model *model, int64_t w,
                            const void *const planes[], int64_t rows, struct ca_error *error)
{
    size_t part = part_bytes(model, w), cell = ca_type_bytes(model->type);
    uint64_t *words;

    CA_TRY(words_alloc(&words, w, error));
    for (int64_t r = 0; r < rows; r++)
        for (int p = 0; p < model->planes; p++) {
            const uint8_t *cells = (const uint8_t *)planes[p] + (size_t)(r * w) * cell;

            for (int b = 0; b < ca_plane_bits(model); b++, bytes += part) {
                if (model->type == CA_U8)
                    ca_bit_row_pack(words, cells, b, w);
                memcpy(bytes, model->type == CA_U8 ? (const void *)words : cells, part);
            }
        }
    free(words);
    return CA_OK;
}

static enum ca_status check_values(const struct ca_model *model, const uint8_t *cells, int64_t w,
                                   int p, int64_t row, struct ca_error *error)
{
    for (int64_t x = 0; x < w; x++)
        if (cells[x] > model->max_value)
            return ca_fail(error, CA_USAGE,
                           "row %" PRId64 ", cell %" PRId64 ": %s is %d, at most %d is allowed",
                           row, x, model->plane_names[p], cells[x], model->max_value);
    return CA_OK;
}

enum ca_status ca_rows_unpack(const uint8_t *bytes, const struct ca_model *model, int64_t w,
                              void *const planes[], int64_t rows, struct ca_error *error)
{
    size_t part = part_bytes(model, w), cell = ca_type_bytes(model->type);
    enum ca_status status = CA_OK;
    uint64_t *words;

    CA_TRY(words_alloc(&words, w, error));
    for (int64_t r = 0; r < rows && status == CA_OK; r++)
        for (int p = 0; p < model->planes && status == CA_OK; p++) {
            uint8_t *cells = (uint8_t *)planes[p] + (size_t)(r * w) * cell;

            for (int b = 0; b < ca_plane_bits(model); b++, bytes += part) {
                memcpy(model->type == CA_U8 ? (void *)words : cells, bytes, part);
                if (model->type == CA_U8)
                    ca_bit_row_unpack(cells, words, b, w);
            }
            if (model->type == CA_U8)
                status = check_values(model, cells, w, p, r, error);
        }
    free(words);
    return status;
}
