/* SPDX-License-Identifier: MIT */
/* This file sums blocks of cells, of canonical rows, and computes fields of them. */
#include "core/model/field.h"

#include <stdio.h>
#include <string.h>

#include "core/model/bit_row.h"

enum ca_status ca_blocks_make(struct ca_blocks *blocks, struct ca_size size, struct ca_size block,
                              struct ca_error *error)
{
    if (block.w < 1 || block.h < 1 || block.d < 1)
        return ca_fail(error, CA_USAGE,
                       "a block is %lldx%lldx%lld cells: allowed is at least 1 along each side",
                       (long long)block.w, (long long)block.h, (long long)block.d);
    block.w = block.w < size.w ? block.w : size.w;
    block.h = block.h < size.h ? block.h : size.h;
    block.d = block.d < size.d ? block.d : size.d;
    *blocks = (struct ca_blocks){
        .size = size,
        .block = block,
        .count = {ca_divide_up(size.w, block.w), ca_divide_up(size.h, block.h),
                  ca_divide_up(size.d, block.d)},
    };
    return CA_OK;
}

static int64_t side(struct ca_block_axis axis, int64_t i)
{
    int64_t begin, end;

    ca_block_side(&axis, i, &begin, &end);
    return begin < end ? end - begin : 0;
}

int64_t ca_block_cells(const struct ca_blocks *blocks, int64_t x, int64_t y, int64_t z)
{
    return side(ca_blocks_across(blocks), x) * side(ca_blocks_down(blocks), y) *
           side(ca_blocks_deep(blocks), z);
}

int ca_block_sums(const struct ca_model *model)
{
    if (model->type == CA_F32)
        return model->planes;
    return model->planes * ca_plane_bits(model) * (ca_solid_mask(model) ? 2 : 1);
}

/* --- sums of rows ---------------------------------------------------------------------------- */

/* Bit b of a byte in the lowest bit of byte b. Byte i keeps bit i alone, and the addition carries
 * any bit that is set to bit 7. */
static inline uint64_t spread(uint8_t byte)
{
    uint64_t bits = byte * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);

    return (bits + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
}

/* Adds the set bits of all cells to ones[], and of those with a bit of `solid` to on_solid[]. */
static void add_bytes(const uint8_t *cells, int64_t count, int bits, uint8_t solid, double *ones,
                      double *on_solid)
{
    for (int64_t i = 0; i < count;) {
        int64_t end = count - i < 255 ? count : i + 255; /* which a byte counts */
        uint64_t all = 0, among_solid = 0;

        for (; i < end; i++) {
            uint64_t spread_bits = spread(cells[i]);

            all += spread_bits;
            among_solid += cells[i] & solid ? spread_bits : 0;
        }
        for (int b = 0; b < bits; b++) {
            ones[b] += (double)(all >> 8 * b & 255);
            if (solid)
                on_solid[b] += (double)(among_solid >> 8 * b & 255);
        }
    }
}

static double sum_of_floats(const float *cells, int64_t count)
{
    double sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += cells[i];
    return sum;
}

/* Adds cells x ... x + count - 1 of the row that planes point at. */
static void add_cells(const struct ca_model *model, const void *const planes[], int64_t x,
                      int64_t count, double *sums)
{
    int bits = ca_plane_bits(model), all = model->planes * bits;

    for (int p = 0; p < model->planes; p++)
        if (model->type == CA_F32)
            sums[p] += sum_of_floats((const float *)planes[p] + x, count);
        else
            add_bytes((const uint8_t *)planes[p] + x, count, bits, p ? 0 : ca_solid_mask(model),
                      sums + (ptrdiff_t)p * bits, sums + all);
}

void ca_blocks_add_cells(const struct ca_model *model, const struct ca_blocks *blocks,
                         const void *const planes[], double *line)
{
    const struct ca_block_axis across = ca_blocks_across(blocks);

    for (int64_t i = 0; i < blocks->count.w; i++) {
        int64_t begin, end;

        ca_block_side(&across, i, &begin, &end);
        if (begin < end)
            add_cells(model, planes, begin, end - begin, line + i * ca_block_sums(model));
    }
}

void ca_blocks_add_words(const struct ca_model *model, const struct ca_blocks *blocks, int plane,
                         const uint64_t *words, const uint64_t *solid, double *line)
{
    const struct ca_block_axis across = ca_blocks_across(blocks);
    int all = model->planes * ca_plane_bits(model);

    for (int64_t i = 0; i < blocks->count.w; i++) {
        double *sums = line + i * ca_block_sums(model);
        int64_t begin, end;

        ca_block_side(&across, i, &begin, &end);
        if (begin >= end)
            continue;
        sums[plane] += (double)ca_bit_row_ones(words, words, begin, end);
        if (solid)
            sums[all + plane] += (double)ca_bit_row_ones(words, solid, begin, end);
    }
}

void ca_blocks_add_rows(const struct ca_setup *setup, const struct ca_blocks *blocks,
                        const void *const planes[], int64_t first, int64_t rows, double *sums)
{
    const struct ca_model *model = setup->model;
    size_t row_bytes = (size_t)setup->size.w * ca_type_bytes(model->type);
    const void *at[CA_PLANES_MAX] = {planes[0]};
    const struct ca_block_axis down = ca_blocks_down(blocks), deep = ca_blocks_deep(blocks);
    int64_t top, bottom, front, back;

    ca_blocks_rows(blocks, &top, &bottom);
    ca_blocks_layers(blocks, &front, &back);
    for (int64_t r = 0; r < rows; r++) {
        int64_t z = (first + r) / setup->size.h, y = (first + r) % setup->size.h, line;

        if (y < top || y >= bottom || z < front || z >= back)
            continue;
        line = ca_block_index(blocks, 0, ca_block_of(&down, y), ca_block_of(&deep, z));
        for (int p = 0; p < model->planes; p++)
            at[p] = (const char *)planes[p] + (size_t)r * row_bytes;
        ca_blocks_add_cells(model, blocks, at, sums + line * ca_block_sums(model));
    }
}

struct ca_neighbour_rows ca_neighbour_rows_of(const struct ca_setup *setup,
                                              const struct ca_lattice *state, int64_t y)
{
    struct ca_neighbour_rows rows = {.above = {NULL}};
    const void **const at[] = {rows.above, rows.here, rows.below};
    int64_t h = state->size.h;

    for (int i = 0; i < 3; i++) {
        int64_t row = y + i - 1;
        void *planes[CA_PLANES_MAX] = {NULL};

        if (ca_is_torus(setup) || (row >= 0 && row < h))
            ca_lattice_at(state, (row + h) % h, planes);
        memcpy(at[i], planes, sizeof planes);
    }
    return rows;
}

void ca_blocks_add_neighbours(const struct ca_setup *setup, const struct ca_blocks *blocks,
                              ca_neighbour_function *neighbours,
                              const struct ca_neighbour_rows *rows, double *line)
{
    const struct ca_block_axis across = ca_blocks_across(blocks);

    for (int64_t i = 0; i < blocks->count.w; i++) {
        int64_t begin, end;

        ca_block_side(&across, i, &begin, &end);
        if (begin < end)
            neighbours(setup, rows, begin, end, line + i * ca_neighbour_sums_count(setup->model));
    }
}

/* --- fields ---------------------------------------------------------------------------------- */

enum ca_status ca_field_find(const struct ca_field **field, const struct ca_model *model,
                             const char *name, struct ca_error *error)
{
    char names[256] = "";
    size_t used = 0;

    if (!ca_fields(model)->name)
        return ca_fail(error, CA_USAGE, "%s has no fields", model->name);
    for (*field = ca_fields(model); (*field)->name; (*field)++) {
        if (!strcmp((*field)->name, name))
            return CA_OK;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     (*field)->name);
    }
    return ca_fail(error, CA_USAGE, "%s has no field '%.64s': allowed are %s", model->name, name,
                   names);
}

void ca_field_values(const struct ca_field *field, const struct ca_block_means *means,
                     double *values)
{
    struct ca_size count = means->blocks.count;
    struct ca_block_means of_field = *means;

    of_field.field = field;
    for (int64_t z = 0; z < count.d; z++)
        for (int64_t y = 0; y < count.h; y++)
            for (int64_t x = 0; x < count.w; x++) {
                double value[CA_COMPONENTS_MAX];

                field->value(&of_field, x, y, z, value);
                memcpy(values + ca_block_index(&means->blocks, x, y, z) * field->components, value,
                       (size_t)field->components * sizeof *values);
            }
}
