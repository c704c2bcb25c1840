/* SPDX-License-Identifier: MIT */
/*
 * Backend `reference` of fhp: a byte a node, one after the other. Each node gathers the particles
 * that arrive, then collides by table, bounces and is forced.
 */
#include "core/base/random.h"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"

struct fhp_context {
    struct fhp_table table;
    uint32_t force; /* probability of forcing in 65536ths */
};

/* The node in column x of a row of the slab; empty where there is no such row. */
static inline uint8_t node_of(const uint8_t *row, int64_t x) { return row ? row[x] : 0; }

/* A row of the slab, the rows beside it and its global coordinate. */
struct fhp_row {
    const struct byte_stepper *stepper;
    const uint8_t *up, *here, *down; /* NULL beyond the ghost layers */
    uint64_t y, t;
    int64_t block;         /* of the 128 nodes that `bits` is for, -1: none */
    philox4x32_ctr_t bits; /* their chirality bits */
};

static uint8_t move_to(const struct fhp_row *row, int64_t x)
{
    int64_t w = row->stepper->size.w, west = x > 0 ? x - 1 : w - 1, east = x < w - 1 ? x + 1 : 0;
    int64_t left = row->y % 2 ? x : west, right = row->y % 2 ? east : x;

    return fhp_move(node_of(row->up, left), node_of(row->up, right), node_of(row->here, east),
                    node_of(row->down, right), node_of(row->down, left), node_of(row->here, west),
                    node_of(row->here, x));
}

/* bit(chirality) of column x; columns are visited in order, so each block is drawn once a row. */
static int chirality(struct fhp_row *row, int64_t x)
{
    if (row->block != x / 128) {
        row->block = x / 128;
        row->bits =
            ca_bits(row->stepper->setup.seed, (uint64_t)x, row->y, 0, row->t, FHP_STREAM_CHIRALITY);
    }
    return (int)(row->bits.v[x / 32 % 4] >> (x % 32) & 1);
}

static uint8_t step_node(struct fhp_row *row, int64_t x)
{
    const struct fhp_context *context = row->stepper->context;
    const uint8_t(*next)[128] = context->table.next;
    uint8_t node = move_to(row, x);

    if (node & FHP_SOLID)
        return fhp_bounce(node);
    /* Most states have one outcome at both chiralities and need no draw. */
    node = next[0][node] == next[1][node] ? next[0][node] : next[chirality(row, x)][node];
    if (context->force && fhp_can_force(node) &&
        ca_event(row->stepper->setup.seed, (uint64_t)x, row->y, 0, row->t, FHP_STREAM_FORCING,
                 context->force))
        node = fhp_force(node);
    return node;
}

static void fhp_reference_prepare(const struct ca_setup *setup, void *context)
{
    struct fhp_context *fhp = context;

    fhp_table_make(&fhp->table, (enum fhp_collisions)ca_choice(&setup->params, "collisions"));
    fhp->force = ca_probability(&setup->params, "p_force");
}

static const uint8_t *fhp_reference_row_at(const struct byte_stepper *stepper, int64_t y,
                                           int64_t offset)
{
    int64_t row = slab_layer(&stepper->setup.slab, y, offset, true);

    return row < 0 ? NULL : (const uint8_t *)stepper->now.plane[0] + row * stepper->size.w;
}

static void fhp_reference_step_rows(const struct byte_stepper *stepper, int64_t first, int64_t last,
                                    uint64_t t)
{
    int64_t w = stepper->size.w;

    for (int64_t y = first; y < last; y++) {
        struct fhp_row row = {
            .stepper = stepper,
            .up = fhp_reference_row_at(stepper, y, -1),
            .here = fhp_reference_row_at(stepper, y, 0),
            .down = fhp_reference_row_at(stepper, y, 1),
            .y = (uint64_t)slab_global(&stepper->setup.slab, y, stepper->setup.size.h),
            .t = t,
            .block = -1,
        };
        uint8_t *next = (uint8_t *)stepper->next.plane[0] + y * w;

        for (int64_t x = 0; x < w; x++)
            next[x] = step_node(&row, x);
    }
}

const struct byte_ops fhp_reference = {
    .passes = 1,
    .pass = {fhp_reference_step_rows},
    .context_size = sizeof(struct fhp_context),
    .prepare = fhp_reference_prepare,
};
