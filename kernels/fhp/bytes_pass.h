/* SPDX-License-Identifier: MIT */
/*
 * The pass of fhp's backends that gather: avx2 and avx512. Particles move by masks on whole
 * vectors, so that those which arrive at the nodes of a vector are seven loads, and a generation is
 * one pass.
 *
 * A pass goes down the lattice in row segments. The three rows around a row are copied to buffers
 * that stay in L1 and hold the cells beyond the segment's ends. So any width is stepped in whole
 * vectors, and nothing is read or written beyond a row:
 *
 *     byte   63   64 ...                    64 + n
 *           left  n cells of the segment    right    up to whole blocks: anything
 */
#ifndef CALAB_KERNELS_FHP_BYTES_PASS_H
#define CALAB_KERNELS_FHP_BYTES_PASS_H

#include "kernels/fhp/bytes.h"

#define SEGMENT 2048 /* cells: whole blocks of every vector */
#define EDGE 64

struct bytes_line {
    uint8_t byte[EDGE + SEGMENT + EDGE];
} __attribute__((aligned(64)));

/* A row of a segment to be stepped. */
struct bytes_row {
    const struct fhp_bytes *fhp;
    const uint8_t *above, *here, *below; /* cell 0 of the segment */
    bool odd;
};

/* A backend supplies these. */
struct bytes_ops {
    /* Moves the block of nodes from cell `at` of the segment on, by bytes_move, and collides it. */
    void (*collide)(const struct bytes_row *row, int64_t at, const uint64_t chirality[DRAW_WORDS],
                    uint8_t next[DRAW_CELLS]);
    struct bytes_bits bits;
};

/* fhp_move for a vector of nodes. */
DRAW vector bytes_move(const struct bytes_row *row, int64_t at)
{
    const uint8_t *above = row->above + at - !row->odd, *here = row->here + at;
    const uint8_t *below = row->below + at - !row->odd;

    return (bytes_load(below + 1) & (uint8_t)(1 << FHP_NW)) |
           (bytes_load(below) & (uint8_t)(1 << FHP_NE)) |
           (bytes_load(here - 1) & (uint8_t)(1 << FHP_E)) |
           (bytes_load(above) & (uint8_t)(1 << FHP_SE)) |
           (bytes_load(above + 1) & (uint8_t)(1 << FHP_SW)) |
           (bytes_load(here + 1) & (uint8_t)(1 << FHP_W)) |
           (bytes_load(here) & (uint8_t)(FHP_REST | FHP_SOLID));
}

/* Steps n cells of a row of the segment, which starts at column x, into next. */
DRAW void bytes_step_row(const struct bytes_row *row, const struct draw_row *draw, int64_t x,
                         int64_t n, uint8_t *next, const struct bytes_ops *ops)
{
    for (int64_t at = 0; at < n; at += DRAW_CELLS) {
        struct draw_place place = draw_place(draw, x + at);
        uint64_t chirality[DRAW_WORDS];
        uint8_t done[DRAW_CELLS];
        bool whole = at + DRAW_CELLS <= n;
        uint8_t *to = whole ? next + at : done;

        draw_bits(&place, FHP_STREAM_CHIRALITY, chirality);
        ops->collide(row, at, chirality, to);
        if (row->fhp->force)
            bytes_force(&place, row->fhp->force, to, &ops->bits);
        if (!whole)
            memcpy(next + at, to, (size_t)(n - at));
    }
}

/* Cells x - 1 ... x + n of row y + offset, periodic in x; 0 beyond the ghost layers. */
static void bytes_fill(struct bytes_line *line, const struct byte_stepper *stepper, int64_t y,
                       int64_t offset, int64_t x, int64_t n)
{
    int64_t row = slab_layer(&stepper->setup.slab, y, offset, true), w = stepper->size.w;
    const uint8_t *cells = (const uint8_t *)stepper->now.plane[0] + row * w;

    if (row < 0) {
        memset(line->byte + EDGE - 1, 0, (size_t)n + 2);
        return;
    }
    memcpy(line->byte + EDGE, cells + x, (size_t)n);
    line->byte[EDGE - 1] = cells[x > 0 ? x - 1 : w - 1];
    line->byte[EDGE + n] = cells[x + n < w ? x + n : 0];
}

DRAW void bytes_pass(const struct byte_stepper *stepper, int64_t first, int64_t last, uint64_t t,
                     const struct bytes_ops *ops)
{
    int64_t w = stepper->size.w, h = stepper->setup.size.h;
    struct draw_step step = draw_step(stepper->setup.seed, t);
    struct bytes_line lines[3] = {0};

    for (int64_t x = 0; x < w && first < last; x += SEGMENT) {
        int64_t n = w - x < SEGMENT ? w - x : SEGMENT;

        bytes_fill(&lines[0], stepper, first, -1, x, n);
        bytes_fill(&lines[1], stepper, first, 0, x, n);
        for (int64_t y = first, i = 0; y < last; y++, i = (i + 1) % 3) {
            int64_t global = slab_global(&stepper->setup.slab, y, h);
            struct draw_row draw = draw_row(&step, (uint64_t)global, 0);
            struct bytes_row row = {.fhp = stepper->context,
                                    .above = lines[i].byte + EDGE,
                                    .here = lines[(i + 1) % 3].byte + EDGE,
                                    .below = lines[(i + 2) % 3].byte + EDGE,
                                    .odd = global % 2};

            bytes_fill(&lines[(i + 2) % 3], stepper, y, 1, x, n);
            bytes_step_row(&row, &draw, x, n, (uint8_t *)stepper->next.plane[0] + y * w + x, ops);
        }
    }
}

#endif
