/* SPDX-License-Identifier: MIT */
/* Backend reference of anneal: a byte a cell, one cell after the other. */
#include "kernels/cpu/byte_stepper.h"
#include "kernels/anneal/rule.h"

/* Row y + offset of the current generation; NULL beyond the ghost layers, where cells are empty. */
static const uint8_t *anneal_reference_row_at(const struct byte_stepper *stepper, int64_t y,
                                              int64_t offset)
{
    const uint8_t *cells = stepper->now.plane[0];
    int64_t row = slab_layer(&stepper->setup.slab, y, offset, true);

    return row < 0 ? NULL : cells + row * stepper->size.w;
}

/* Live cells of a column of three cells; three columns make the square around a cell. */
static inline int live_in_column(const uint8_t *above, const uint8_t *here, const uint8_t *below,
                                 int64_t x)
{
    return (above ? above[x] : 0) + here[x] + (below ? below[x] : 0);
}

static void anneal_reference_pass(const struct byte_stepper *stepper, int64_t first, int64_t last,
                                  uint64_t t)
{
    int64_t w = stepper->size.w;

    (void)t; /* the same rule in every generation */
    for (int64_t y = first; y < last; y++) {
        const uint8_t *above = anneal_reference_row_at(stepper, y, -1);
        const uint8_t *here = (const uint8_t *)stepper->now.plane[0] + y * w;
        const uint8_t *below = anneal_reference_row_at(stepper, y, 1);
        uint8_t *next = (uint8_t *)stepper->next.plane[0] + y * w;
        int left = live_in_column(above, here, below, w - 1);
        int middle = live_in_column(above, here, below, 0);

        for (int64_t x = 0; x < w; x++) {
            int right = live_in_column(above, here, below, x < w - 1 ? x + 1 : 0);

            next[x] = (uint8_t)anneal_rule(left + middle + right);
            left = middle;
            middle = right;
        }
    }
}

const struct byte_ops anneal_reference = {.passes = 1, .pass = {anneal_reference_pass}};
