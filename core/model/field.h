/* SPDX-License-Identifier: MIT */
/*
 * Fields: means over blocks of cells, which show what a state looks like from afar.
 *
 * A lattice, or a part of it, is cut into blocks of w x h x d cells; those at its edges may be
 * smaller. A block's sums are made where the state is and add up over row ranges, slabs and
 * generations; a model's fields are computed from them on the host (struct ca_field). So a profile
 * u(y) is the blocks W x 1, the cover of a cloud's columns the blocks 1 x 1 x D, and the whole
 * lattice one block.
 *
 * The sums of a block, in this order (ca_block_sums of them):
 *     of a u8 model: the cells that have bit b of plane p set, at p * bits + b; and where the model
 *         has solid cells (solid_mask) the same again, counted among these alone;
 *     of an f32 model: the values of each plane.
 * Counts are whole numbers, exact up to 2^53. Sums that take neighbouring cells, neighbour sums
 * (ca_neighbour_sums), are apart from these and only made for what uses them. Sums of floats add up
 * in an order that the shape alone decides, so that they do not depend on threads.
 */
#ifndef CALAB_CORE_MODEL_FIELD_H
#define CALAB_CORE_MODEL_FIELD_H

#include "core/model/both.h"
#include "core/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CA_BLOCK_SUMS_MAX (2 * CA_BIT_PLANES_MAX)
struct ca_blocks {
    struct ca_size size;  /* of the lattice */
    struct ca_size block; /* cells of a block along each axis */
    struct ca_size count; /* blocks along each axis */
    /* The first cell of the first block; blocks, or parts of them, may lie outside the lattice,
     * where there are no cells. */
    int64_t x, y, z;
    /* Along an axis on which this is above 1, so many blocks share `block` cells: each has the same
     * whole number of them or one more. */
    struct ca_size sharing;
};

/* Cuts a whole lattice into blocks; a side that is larger than the lattice's is the lattice's.
 * CA_USAGE: a side below 1. */
enum ca_status ca_blocks_make(struct ca_blocks *blocks, struct ca_size size, struct ca_size block,
                              struct ca_error *error);

/* Block (x, y, z) has this index. */
static inline int64_t ca_block_index(const struct ca_blocks *blocks, int64_t x, int64_t y,
                                     int64_t z)
{
    return (z * blocks->count.h + y) * blocks->count.w + x;
}

/* Blocks along one axis of so many cells, from `from` on: `sharing` of them take `block` cells. */
struct ca_block_axis {
    int64_t cells, from, block, sharing;
};

/* The first cell of block i >= 0, which need not lie in the lattice. */
CA_BOTH int64_t ca_block_begin(const struct ca_block_axis *axis, int64_t i)
{
    return axis->from + (axis->sharing > 1 ? i * axis->block / axis->sharing : i * axis->block);
}

/* The block that has a cell, which is at or behind the first one's. */
CA_BOTH int64_t ca_block_of(const struct ca_block_axis *axis, int64_t cell)
{
    return ((cell - axis->from + 1) * axis->sharing - 1) / axis->block;
}

/* The cells of the largest block. */
CA_BOTH int64_t ca_block_most(const struct ca_block_axis *axis)
{
    return (axis->block + axis->sharing - 1) / axis->sharing;
}

/* Finds the cells of the lattice in blocks i ... i + count - 1, *begin ... *end - 1. None: *begin
 * >= *end. */
CA_BOTH void ca_block_run(const struct ca_block_axis *axis, int64_t i, int64_t count,
                          int64_t *begin, int64_t *end)
{
    *begin = ca_block_begin(axis, i);
    *end = ca_block_begin(axis, i + count);
    *begin = *begin > 0 ? *begin : 0;
    *end = *end < axis->cells ? *end : axis->cells;
}

/* Those of block i. */
CA_BOTH void ca_block_side(const struct ca_block_axis *axis, int64_t i, int64_t *begin,
                           int64_t *end)
{
    ca_block_run(axis, i, 1, begin, end);
}

CA_BOTH struct ca_block_axis ca_block_axis_of(int64_t cells, int64_t from, int64_t block,
                                              int64_t sharing)
{
    struct ca_block_axis axis = {cells, from, block, sharing > 1 ? sharing : 1};

    return axis;
}

/* The blocks along x, y and z. */
CA_BOTH struct ca_block_axis ca_blocks_across(const struct ca_blocks *blocks)
{
    return ca_block_axis_of(blocks->size.w, blocks->x, blocks->block.w, blocks->sharing.w);
}
CA_BOTH struct ca_block_axis ca_blocks_down(const struct ca_blocks *blocks)
{
    return ca_block_axis_of(blocks->size.h, blocks->y, blocks->block.h, blocks->sharing.h);
}
CA_BOTH struct ca_block_axis ca_blocks_deep(const struct ca_blocks *blocks)
{
    return ca_block_axis_of(blocks->size.d, blocks->z, blocks->block.d, blocks->sharing.d);
}

/* The number of cells of block (x, y, z). */
int64_t ca_block_cells(const struct ca_blocks *blocks, int64_t x, int64_t y, int64_t z);

/* The sums that a block of the model has. */
int ca_block_sums(const struct ca_model *model);

/* The rows y and layers z of the lattice in which the blocks have cells: *begin ... *end - 1. */
static inline void ca_blocks_rows(const struct ca_blocks *blocks, int64_t *begin, int64_t *end)
{
    struct ca_block_axis down = ca_blocks_down(blocks);

    ca_block_run(&down, 0, blocks->count.h, begin, end);
}
static inline void ca_blocks_layers(const struct ca_blocks *blocks, int64_t *begin, int64_t *end)
{
    struct ca_block_axis deep = ca_blocks_deep(blocks);

    ca_block_run(&deep, 0, blocks->count.d, begin, end);
}

/* Adds canonical rows first ... first + rows - 1 of the whole lattice, at the first of which planes
 * point, to sums[index * ca_block_sums + i] of the blocks that they belong to, if to any. */
void ca_blocks_add_rows(const struct ca_setup *setup, const struct ca_blocks *blocks,
                        const void *const planes[], int64_t first, int64_t rows, double *sums);

/*
 * Adds a single row to the sums of the line of blocks that it belongs to, at the first of which
 * `line` points: of cells; or of the words of bit plane `plane` of a u8 model, 64 cells each
 * (core/model/bit_row.h), among which `solid` marks the solid ones, NULL in a model without.
 */
void ca_blocks_add_cells(const struct ca_model *model, const struct ca_blocks *blocks,
                         const void *const planes[], double *line);
void ca_blocks_add_words(const struct ca_model *model, const struct ca_blocks *blocks, int plane,
                         const uint64_t *words, const uint64_t *solid, double *line);

/* Planes of three rows that follow each other, of cells or of words; above[0] and below[0] are NULL
 * where the lattice ends. */
struct ca_neighbour_rows {
    const void *above[CA_PLANES_MAX], *here[CA_PLANES_MAX], *below[CA_PLANES_MAX];
};

/* Those around row y of a 2D state, which a torus closes. */
struct ca_neighbour_rows ca_neighbour_rows_of(const struct ca_setup *setup,
                                              const struct ca_lattice *state, int64_t y);

/* Adds `neighbours`, a model's neighbour sums, of row rows->here to the neighbour sums of its line.
 */
void ca_blocks_add_neighbours(const struct ca_setup *setup, const struct ca_blocks *blocks,
                              ca_neighbour_function *neighbours,
                              const struct ca_neighbour_rows *rows, double *line);

/* The sums of all blocks over so many states. */
struct ca_block_means {
    const struct ca_setup *setup;
    struct ca_blocks blocks;
    const double *sums, *neighbours; /* neighbours: NULL unless the field needs them */
    int64_t states;
    const struct ca_field *field; /* whose values are computed */
};

#define CA_COMPONENTS_MAX 2

/* A field: what a block's cells are on the mean, over the states of *means. */
struct ca_field {
    const char *name;
    const char *title; /* one line: what it is, and the direction of its components */
    const char *unit;  /* NULL for a share of cells */
    int components;    /* 1, or 2: x to the right, y down */
    bool is_signed;    /* may be below 0 */
    bool neighbours;   /* is computed from sums that take neighbouring cells */
    /* Computes the value of block (x, y, z); NaN where it is not defined, as that of a gas where
     * all is solid. */
    void (*value)(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                  double value[CA_COMPONENTS_MAX]);
    /* A view shows it through the whole lattice along the line of sight, not of a slice. */
    bool through;
    /* Its value over a few cells is mostly noise, so that a view averages many cells a point. */
    bool of_many;
};

/* The sums of block (x, y, z), and the number of cells in them: those of the block times the
 * states. */
static inline const double *ca_block_sums_at(const struct ca_block_means *means, int64_t x,
                                             int64_t y, int64_t z)
{
    return means->sums +
           ca_block_index(&means->blocks, x, y, z) * ca_block_sums(means->setup->model);
}
static inline const double *ca_block_neighbours_at(const struct ca_block_means *means, int64_t x,
                                                   int64_t y, int64_t z)
{
    return means->neighbours +
           ca_block_index(&means->blocks, x, y, z) * ca_neighbour_sums_count(means->setup->model);
}
static inline double ca_block_samples(const struct ca_block_means *means, int64_t x, int64_t y,
                                      int64_t z)
{
    return (double)ca_block_cells(&means->blocks, x, y, z) * (double)means->states;
}

/* A model's field by name; CA_USAGE with the names that there are. */
enum ca_status ca_field_find(const struct ca_field **field, const struct ca_model *model,
                             const char *name, struct ca_error *error);

/* The field of all blocks: values[index * field->components + component]. */
void ca_field_values(const struct ca_field *field, const struct ca_block_means *means,
                     double *values);

#ifdef __cplusplus
}
#endif
#endif
