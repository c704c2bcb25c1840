/* SPDX-License-Identifier: MIT */
/* This file surveys canonical rows and rows of words, and adds up surveys. */
#include "core/model/survey.h"

#include <math.h>
#include <string.h>

#include "core/model/bit_row.h"
#include "core/model/digest.h"

#define CHUNK_WORDS 128 /* of a row that are packed at a time */

struct ca_survey ca_survey_none(void)
{
    return (struct ca_survey){.low = INFINITY, .high = -INFINITY};
}

void ca_survey_add(struct ca_survey *total, const struct ca_survey *part)
{
    total->digest += part->digest;
    for (int i = 0; i < CA_BIT_PLANES_MAX; i++)
        total->ones[i] += part->ones[i], total->on_obstacle[i] += part->on_obstacle[i];
    for (int i = 0; i < CA_OBSERVABLES_MAX; i++)
        total->sums[i] += part->sums[i];
    for (int i = 0; i < CA_NEIGHBOUR_SUMS_MAX; i++)
        total->neighbours[i] += part->neighbours[i];
    total->low = part->low < total->low ? part->low : total->low;
    total->high = part->high > total->high ? part->high : total->high;
}

void ca_survey_observables(const struct ca_survey *survey, const struct ca_setup *setup,
                           double values[CA_OBSERVABLES_MAX])
{
    const struct ca_model_observe *observe = setup->model->observe;

    memcpy(values, survey->sums, CA_OBSERVABLES_MAX * sizeof values[0]);
    if (observe && observe->counts)
        observe->counts(setup, survey->ones, survey->on_obstacle, values);
    if (ca_neighbours_of(setup->model) && observe->neighbours->observe)
        observe->neighbours->observe(setup, survey->neighbours, values);
}

/* Neighbours are often alike, and a count waits for the one before it: two tables take turns. */
void ca_count_states(const struct ca_model *model, const void *const planes[], int64_t count,
                     int64_t cells[CA_STATES_MAX])
{
    int64_t odd[CA_STATES_MAX] = {0}, i = 0;
    const uint8_t *plane = planes[0];
    int bits = ca_plane_bits(model);

    for (; model->planes == 1 && i + 1 < count; i += 2)
        cells[plane[i]]++, odd[plane[i + 1]]++;
    for (; i < count; i++) {
        unsigned value = 0;

        for (int p = 0; p < model->planes; p++)
            value |= (unsigned)((const uint8_t *)planes[p])[i] << p * bits;
        cells[value & (CA_STATES_MAX - 1)]++;
    }
    for (int v = 0; v < CA_STATES_MAX; v++)
        cells[v] += odd[v];
}

bool ca_survey_solid(const struct ca_setup *setup, unsigned parts, int64_t row)
{
    int64_t first, end;

    ca_obstacle_rows(setup->model, setup->size, &first, &end);
    return parts & CA_SURVEY_OBSERVABLES && row >= first && row < end;
}

/* The ones of a bit plane among the solid cells. */
static void add_solid(int plane, const uint64_t *words, const uint64_t *solid, int64_t count,
                      struct ca_survey *survey)
{
    int64_t ones = 0;

    for (int64_t k = 0; k < count; k++)
        ones += ca_ones(words[k] & solid[k]);
    survey->on_obstacle[plane] += ones;
}

/* Word k and those behind it, of which there are `count`. */
static void add_words(unsigned parts, int plane, uint64_t index, const uint64_t *words,
                      int64_t count, struct ca_survey *survey)
{
    uint64_t digest = 0;
    int64_t ones = 0;

    if (parts & CA_SURVEY_DIGEST)
        for (int64_t k = 0; k < count; k++)
            digest += ca_digest_term(words[k], index + (uint64_t)k);
    if (parts & CA_SURVEY_OBSERVABLES)
        for (int64_t k = 0; k < count; k++)
            ones += ca_ones(words[k]);
    survey->digest += digest;
    survey->ones[plane] += ones;
}

void ca_survey_words(const struct ca_setup *setup, unsigned parts, int p, int b, int64_t row,
                     const uint64_t *words, const uint64_t *solid, struct ca_survey *survey)
{
    int64_t w = setup->size.w, count = ca_bit_row_words(w), whole = w / 64;
    uint64_t index = ca_digest_index(p, b, row, ca_rows(setup->size), count);
    int plane = p * ca_plane_bits(setup->model) + b;

    add_words(parts, plane, index, words, whole, survey);
    if (solid)
        add_solid(plane, words, solid, whole, survey);
    if (whole < count) {
        uint64_t last = words[whole] & ((UINT64_C(1) << w % 64) - 1);

        add_words(parts, plane, index + (uint64_t)whole, &last, 1, survey);
        if (solid)
            add_solid(plane, &last, solid + whole, 1, survey);
    }
}

/* Bit b of plane p of a row; `marked` is plane 0 where its solid cells are looked at, else NULL. */
static void survey_bits(const struct ca_setup *setup, unsigned parts, int p, int b, int64_t row,
                        const uint8_t *cells, const uint8_t *marked, struct ca_survey *survey)
{
    int64_t w = setup->size.w, count = ca_bit_row_words(w);
    uint64_t index = ca_digest_index(p, b, row, ca_rows(setup->size), count);
    uint64_t words[CHUNK_WORDS], solid[CHUNK_WORDS];
    int plane = p * ca_plane_bits(setup->model) + b;

    for (int64_t k = 0; k < count; k += CHUNK_WORDS) {
        int64_t cells_left = w - 64 * k;
        int64_t chunk = cells_left < 64 * CHUNK_WORDS ? cells_left : 64 * CHUNK_WORDS;

        ca_bit_row_pack(words, cells + 64 * k, b, chunk);
        add_words(parts, plane, index + (uint64_t)k, words, ca_bit_row_words(chunk), survey);
        if (marked) {
            ca_bit_row_pack(solid, marked + 64 * k, ca_solid_plane(setup->model), chunk);
            add_solid(plane, words, solid, ca_bit_row_words(chunk), survey);
        }
    }
}

static uint64_t digest_of_floats(const float *cells, int64_t w, uint64_t index)
{
    uint64_t digest = 0, last = 0;

    for (int64_t k = 0; k < w / 2; k++) {
        uint64_t word;

        memcpy(&word, cells + 2 * k, sizeof word);
        digest += ca_digest_term(word, index + (uint64_t)k);
    }
    if (w % 2) {
        memcpy(&last, cells + w - 1, sizeof *cells);
        digest += ca_digest_term(last, index + (uint64_t)(w / 2));
    }
    return digest;
}

static void survey_float_row(const struct ca_setup *setup, unsigned parts,
                             const void *const planes[], int64_t row, struct ca_survey *survey)
{
    const struct ca_model *model = setup->model;
    int64_t w = setup->size.w, words = (w + 1) / 2;
    float low = survey->low, high = survey->high;

    if (parts & CA_SURVEY_DIGEST)
        for (int p = 0; p < model->planes; p++)
            survey->digest += digest_of_floats(
                planes[p], w, ca_digest_index(p, 0, row, ca_rows(setup->size), words));
    if (parts & CA_SURVEY_OBSERVABLES && model->observe && model->observe->rows) {
        double sums[CA_OBSERVABLES_MAX] = {0};

        model->observe->rows(setup, planes, 1, sums);
        for (int i = 0; i < CA_OBSERVABLES_MAX; i++)
            survey->sums[i] += sums[i];
    }
    for (int64_t x = 0; x < w && parts & CA_SURVEY_RANGE; x++) {
        float value = ((const float *)planes[0])[x];

        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    survey->low = low;
    survey->high = high;
}

void ca_survey_rows(const struct ca_setup *setup, unsigned parts, const void *const planes[],
                    int64_t first, int64_t rows, struct ca_survey *survey)
{
    const struct ca_model *model = setup->model;
    size_t row_bytes = (size_t)setup->size.w * ca_type_bytes(model->type);
    const void *at[CA_PLANES_MAX] = {planes[0]};

    for (int64_t r = 0; r < rows; r++) {
        for (int p = 0; p < model->planes; p++)
            at[p] = (const char *)planes[p] + (size_t)r * row_bytes;
        if (model->type == CA_F32) {
            survey_float_row(setup, parts, at, first + r, survey);
            continue;
        }
        if (parts & (CA_SURVEY_DIGEST | CA_SURVEY_OBSERVABLES))
            for (int p = 0; p < model->planes; p++)
                for (int b = 0; b < ca_plane_bits(model); b++)
                    survey_bits(setup, parts, p, b, first + r, at[p],
                                ca_survey_solid(setup, parts, first + r) ? at[0] : NULL, survey);
    }
}
