/* SPDX-License-Identifier: MIT */
/* Backend reference of anneal: a byte a cell, one cell after the other, nothing clever. */
#include "kernels/anneal/anneal.h"
#include "kernels/anneal/rule.h"

/* Row y + offset of the current generation; NULL beyond a ghost end, where all is taken as empty.
 */
static const uint8_t *row_at(const struct plain *plain, int64_t y, int64_t offset)
{
    const uint8_t *cells = plain->now.plane[0];
    int64_t row = plain_layer(&plain->setup.slab, y, offset, true);

    return row < 0 ? NULL : cells + row * plain->size.w;
}

/* Live cells of a column of three; three columns make the square of a cell. */
static inline int live_in_column(const uint8_t *above, const uint8_t *here, const uint8_t *below,
                                 int64_t x)
{
    return (above ? above[x] : 0) + here[x] + (below ? below[x] : 0);
}

static void pass(const struct plain *plain, int64_t first, int64_t last, uint64_t t)
{
    int64_t w = plain->size.w;

    (void)t; /* the same rule in every generation */
    for (int64_t y = first; y < last; y++) {
        const uint8_t *above = row_at(plain, y, -1);
        const uint8_t *here = (const uint8_t *)plain->now.plane[0] + y * w;
        const uint8_t *below = row_at(plain, y, 1);
        uint8_t *next = (uint8_t *)plain->next.plane[0] + y * w;
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

const struct plain_rule anneal_plain = {.passes = 1, .pass = {pass}};

enum ca_status anneal_reference_create(void **self, const struct ca_setup *setup,
                                       struct ca_error *error)
{
    return plain_create(self, setup, &anneal_plain, 1, error);
}
