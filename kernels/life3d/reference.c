/* SPDX-License-Identifier: MIT */
/* Backend reference of life3d: a byte a cell; live cells of 3x3x3 cubes are counted by columns. */
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/rule.h"

struct context {
    struct life3d_rule rule;
    bool torus;
};

static void life3d_reference_prepare(const struct ca_setup *setup, void *context)
{
    struct context *made = context;
    struct ca_error error; /* the model's check has refused a rule that cannot be read */

    made->rule = (struct life3d_rule){0, 0};
    (void)life3d_rule_of_setup(&made->rule, setup, &error);
    made->torus = life3d_torus(setup);
}

/* Coordinate i + offset of a side, -1 beyond a dead edge. */
static int64_t along(int64_t i, int64_t offset, int64_t side, bool torus)
{
    int64_t at = i + offset;

    if (at >= 0 && at < side)
        return at;
    return torus ? (at + side) % side : -1;
}

/*
 * The rows (y + dy, z + dz), dy and dz in -1 ... 1, that exist. Rows beyond a dead edge or the
 * ghost layers are empty and left out. Returns how many there are, 9 at most.
 */
static int rows_around(const struct byte_stepper *stepper, int64_t y, int64_t z, bool torus,
                       const uint8_t *rows[9])
{
    const uint8_t *cells = stepper->now.plane[0];
    int count = 0;

    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++) {
            int64_t layer = slab_layer(&stepper->setup.slab, z, dz, torus);
            int64_t row = along(y, dy, stepper->size.h, torus);

            if (layer >= 0 && row >= 0)
                rows[count++] = cells + (layer * stepper->size.h + row) * stepper->size.w;
        }
    return count;
}

/* Live cells at x of all these rows; 0 at x = -1, beyond a dead edge. */
static inline int live_in_column(const uint8_t *const rows[9], int count, int64_t x)
{
    int live = 0;

    if (x < 0)
        return 0;
    for (int i = 0; i < count; i++)
        live += rows[i][x];
    return live;
}

/* One row of cells. It is inlined once with the usual count of nine rows as a constant. */
static inline void row_pass(const struct context *context, const uint8_t *const rows[9], int count,
                            const uint8_t *here, uint8_t *next, int64_t w)
{
    int left = live_in_column(rows, count, along(0, -1, w, context->torus));
    int middle = live_in_column(rows, count, 0);

    for (int64_t x = 0; x < w; x++) {
        int64_t beside = x < w - 1 ? x + 1 : along(x, 1, w, context->torus);
        int right = live_in_column(rows, count, beside);

        next[x] = (uint8_t)life3d_next(context->rule, here[x], left + middle + right - here[x]);
        left = middle;
        middle = right;
    }
}

static void life3d_reference_pass(const struct byte_stepper *stepper, int64_t first, int64_t last,
                                  uint64_t t)
{
    const struct context *context = stepper->context;
    int64_t w = stepper->size.w, h = stepper->size.h;

    (void)t; /* the same rule in every generation */
    for (int64_t r = first; r < last; r++) {
        const uint8_t *here = (const uint8_t *)stepper->now.plane[0] + r * w;
        uint8_t *next = (uint8_t *)stepper->next.plane[0] + r * w;
        const uint8_t *rows[9];
        int count = rows_around(stepper, r % h, r / h, context->torus, rows);

        if (count == 9)
            row_pass(context, rows, 9, here, next, w);
        else
            row_pass(context, rows, count, here, next, w);
    }
}

const struct byte_ops life3d_reference = {.passes = 1,
                                          .pass = {life3d_reference_pass},
                                          .context_size = sizeof(struct context),
                                          .prepare = life3d_reference_prepare};
