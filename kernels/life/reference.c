/* SPDX-License-Identifier: MIT */
/* Backend reference of life: a byte a cell; each cell's square is looked up in the rule's table. */
#include "kernels/cpu/byte_stepper.h"
#include "kernels/life/life.h"
#include "kernels/life/rule.h"

struct context {
    struct life_rule rule;
    bool torus;
};

static void life_reference_prepare(const struct ca_setup *setup, void *context)
{
    struct context *made = context;
    struct ca_error ignored; /* the model's check has refused what is no rule */

    *made = (struct context){.torus = life_torus(setup)};
    life_rule_of_setup(&made->rule, setup, &ignored);
}

/* The row at y + offset; NULL beyond a dead edge or the ghost layers, where cells are empty. */
static const uint8_t *life_reference_row_at(const struct byte_stepper *stepper, int64_t y,
                                            int64_t offset)
{
    const struct context *context = stepper->context;
    int64_t row = slab_layer(&stepper->setup.slab, y, offset, context->torus);

    return row < 0 ? NULL : (const uint8_t *)stepper->now.plane[0] + row * stepper->size.w;
}

/* The cells of a row at x - 1, x and x + 1 as three bits; those beyond a dead edge are empty. */
static unsigned three_cells(const uint8_t *row, int64_t x, int64_t w, bool torus)
{
    int64_t left = x > 0 ? x - 1 : w - 1, right = x < w - 1 ? x + 1 : 0;
    unsigned cells;

    if (!row)
        return 0;
    cells = (unsigned)row[x] << 1;
    if (torus || x > 0)
        cells |= (unsigned)row[left] << 2;
    if (torus || x < w - 1)
        cells |= row[right];
    return cells;
}

static void life_reference_pass(const struct byte_stepper *stepper, int64_t first, int64_t last,
                                uint64_t t)
{
    const struct context *context = stepper->context;
    int64_t w = stepper->size.w;
    bool torus = context->torus;

    (void)t; /* the same rule in every generation */
    for (int64_t y = first; y < last; y++) {
        const uint8_t *above = life_reference_row_at(stepper, y, -1);
        const uint8_t *here = (const uint8_t *)stepper->now.plane[0] + y * w;
        const uint8_t *below = life_reference_row_at(stepper, y, 1);
        uint8_t *next = (uint8_t *)stepper->next.plane[0] + y * w;

        for (int64_t x = 0; x < w; x++)
            next[x] =
                (uint8_t)life_next(context->rule.table, three_cells(above, x, w, torus) << 6 |
                                                            three_cells(here, x, w, torus) << 3 |
                                                            three_cells(below, x, w, torus));
    }
}

const struct byte_ops life_reference = {.passes = 1,
                                        .pass = {life_reference_pass},
                                        .context_size = sizeof(struct context),
                                        .prepare = life_reference_prepare};
