/* SPDX-License-Identifier: MIT */
/* Owns right kernels in other styles, and wrong ones whose loop is at fault. */
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "kernels/cloud/rule.h"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"
#include "kernels/water/rule.h"
#include "tests/students/student_kernels.h"

static uint8_t rule(int sum) { return (uint8_t)(sum == 4 || sum >= 6); }

#define UNUSED (void)student, (void)experiment, (void)t
#define STEP(name)                                                                                 \
    void name(const struct student *student, const struct ca_experiment *experiment,               \
              const struct ca_lattice *in, struct ca_lattice *out, uint64_t t)

/* A copy with a border of ghost cells. */
STEP(right_anneal_ghosts)
{
    int64_t w = in->size.w, h = in->size.h, across = w + 2;
    uint8_t *copy = malloc((size_t)(across * (h + 2)));

    UNUSED;
    for (int64_t y = -1; y <= h; y++)
        for (int64_t x = -1; x <= w; x++)
            copy[(y + 1) * across + x + 1] =
                ((uint8_t *)in->plane[0])[(y + h) % h * w + (x + w) % w];
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            const uint8_t *c = copy + y * across + x;

            ((uint8_t *)out->plane[0])[y * w + x] =
                rule(c[0] + c[1] + c[2] + c[across] + c[across + 1] + c[across + 2] +
                     c[2 * across] + c[2 * across + 1] + c[2 * across + 2]);
        }
    free(copy);
}

/* Tiles that are copied with their halo, as into shared memory. */
STEP(right_anneal_tiles)
{
    int64_t w = in->size.w, h = in->size.h, n = student->tile;
    uint8_t tile[66][66];

    UNUSED;
    for (int64_t v = 0; v < h; v += n)
        for (int64_t u = 0; u < w; u += n) {
            for (int64_t y = 0; y < n + 2; y++)
                for (int64_t x = 0; x < n + 2; x++)
                    tile[y][x] =
                        ((uint8_t *)in->plane[0])[(v + y - 1 + h) % h * w + (u + x - 1 + w) % w];
            for (int64_t y = 0; y < n && v + y < h; y++)
                for (int64_t x = 0; x < n && u + x < w; x++) {
                    int sum = 0;

                    for (int i = 0; i < 9; i++)
                        sum += tile[y + i / 3][x + i % 3];
                    ((uint8_t *)out->plane[0])[(v + y) * w + u + x] = rule(sum);
                }
        }
}

/* Sums of columns first, then of three of them. */
STEP(right_anneal_columns)
{
    int64_t w = in->size.w, h = in->size.h;
    const uint8_t *cells = in->plane[0];
    int *column = malloc((size_t)w * sizeof *column);

    UNUSED;
    for (int64_t y = 0; y < h; y++) {
        for (int64_t x = 0; x < w; x++)
            column[x] =
                cells[(y + h - 1) % h * w + x] + cells[y * w + x] + cells[(y + 1) % h * w + x];
        for (int64_t x = 0; x < w; x++)
            ((uint8_t *)out->plane[0])[y * w + x] =
                rule(column[x ? x - 1 : w - 1] + column[x] + column[x + 1 < w ? x + 1 : 0]);
    }
    free(column);
}

/* Live cells add themselves to all around them. */
STEP(right_anneal_scatter)
{
    int64_t w = in->size.w, h = in->size.h;
    int *sum = calloc((size_t)(w * h), sizeof *sum);

    UNUSED;
    for (int64_t i = 0; i < w * h; i++)
        for (int n = 0; ((uint8_t *)in->plane[0])[i] && n < 9; n++)
            sum[(i / w + n / 3 - 1 + h) % h * w + (i % w + n % 3 - 1 + w) % w]++;
    for (int64_t i = w * h - 1; i >= 0; i--)
        ((uint8_t *)out->plane[0])[i] = rule(sum[i]);
    free(sum);
}

/* The nine cells as a number of nine bits that moves along the row, and a table of its bits. */
STEP(right_anneal_bits)
{
    int64_t w = in->size.w, h = in->size.h;
    const uint8_t *cells = in->plane[0];

    UNUSED;
    for (int64_t y = 0; y < h; y++) {
        unsigned window = 0;

        for (int64_t x = -2; x < w; x++) {
            int64_t to = (x + 1 + w) % w;

            window = (window << 3 & 511) | (unsigned)cells[(y + h - 1) % h * w + to] << 2 |
                     (unsigned)cells[y * w + to] << 1 | cells[(y + 1) % h * w + to];
            if (x >= 0)
                ((uint8_t *)out->plane[0])[y * w + x] = rule(__builtin_popcount(window));
        }
    }
}

static int life_rule(const struct ca_experiment *experiment, int live, int n)
{
    if (live)
        return n <= ca_int(&experiment->params, "r3") && n >= ca_int(&experiment->params, "r4");
    return n >= ca_int(&experiment->params, "r1") && n <= ca_int(&experiment->params, "r2");
}

STEP(right_life3d_ghosts)
{
    int64_t w = in->size.w + 2, h = in->size.h + 2, d = in->size.d + 2;
    uint8_t *copy = malloc((size_t)(w * h * d));

    UNUSED;
    for (int64_t i = 0; i < w * h * d; i++) {
        int64_t x = (i % w + in->size.w - 1) % in->size.w;
        int64_t y = (i / w % h + in->size.h - 1) % in->size.h;
        int64_t z = (i / w / h + in->size.d - 1) % in->size.d;

        copy[i] = ((uint8_t *)in->plane[0])[(z * in->size.h + y) * in->size.w + x];
    }
    for (int64_t i = 0; i < ca_cells(in->size); i++) {
        int64_t x = i % in->size.w + 1, y = i / in->size.w % in->size.h + 1;
        const uint8_t *at = copy + ((i / in->size.w / in->size.h + 1) * h + y) * w + x;
        int n = -at[0];

        for (int64_t k = 0; k < 27; k++)
            n += at[((k / 9 - 1) * h + k / 3 % 3 - 1) * w + k % 3 - 1];
        ((uint8_t *)out->plane[0])[i] = (uint8_t)life_rule(experiment, at[0], n);
    }
    free(copy);
}

/* Three passes of sums, one along each axis. */
STEP(right_life3d_sums)
{
    struct ca_size size = in->size;
    int64_t cells = ca_cells(size), stride[3] = {1, size.w, size.w * size.h};
    int64_t side[3] = {size.w, size.h, size.d};
    uint8_t *sum = malloc((size_t)cells), *next = malloc((size_t)cells), *swap;

    UNUSED;
    memcpy(sum, in->plane[0], (size_t)cells);
    for (int a = 0; a < 3; a++) {
        for (int64_t i = 0; i < cells; i++) {
            int64_t at = i / stride[a] % side[a], line = i - at * stride[a];

            next[i] = (uint8_t)(sum[i] + sum[line + (at + 1) % side[a] * stride[a]] +
                                sum[line + (at + side[a] - 1) % side[a] * stride[a]]);
        }
        swap = sum, sum = next, next = swap;
    }
    for (int64_t i = 0; i < cells; i++) {
        int live = ((uint8_t *)in->plane[0])[i];

        ((uint8_t *)out->plane[0])[i] = (uint8_t)life_rule(experiment, live, sum[i] - live);
    }
    free(sum);
    free(next);
}

STEP(right_cloud_scatter)
{
    static const int to[11][3] = {{1, 0, 0}, {-1, 0, 0}, {2, 0, 0}, {-2, 0, 0},
                                  {0, 1, 0}, {0, -1, 0}, {0, 2, 0}, {0, -2, 0},
                                  {0, 0, 1}, {0, 0, -1}, {0, 0, 2}};
    int64_t w = in->size.w, h = in->size.h, d = in->size.d;
    uint8_t *const *now = (uint8_t *const *)in->plane, *const *next = (uint8_t *const *)out->plane;
    uint8_t *neighbours = calloc((size_t)(w * h * d), 1);

    UNUSED;
    for (int64_t i = 0; i < w * h * d; i++)
        for (int n = 0; now[CLOUD_ACT][i] && n < 11; n++) {
            int64_t x = i % w + to[n][0], y = i / w % h + to[n][1], z = i / w / h + to[n][2];

            if (x >= 0 && x < w && y >= 0 && y < h && z >= 0 && z < d)
                neighbours[(z * h + y) * w + x] = 1;
        }
    for (int64_t i = 0; i < w * h * d; i++) {
        struct cloud_cell cell = {now[0][i], now[1][i], now[2][i]};

        cell = cloud_rule(cell, neighbours[i]);
        next[0][i] = cell.hum, next[1][i] = cell.act, next[2][i] = cell.cld;
    }
    free(neighbours);
}

/* Particles are sent to the nodes that they reach. */
STEP(right_fhp_push)
{
    static const int to[6][2] = {{-1, -1}, {0, -1}, {1, 0}, {0, 1}, {-1, 1}, {-1, 0}};
    int64_t w = in->size.w, h = in->size.h;
    uint8_t *next = out->plane[0];
    struct fhp_table table;

    UNUSED;
    fhp_table_make(&table, (enum fhp_collisions)ca_choice(&experiment->params, "collisions"));
    memset(next, 0, (size_t)(w * h));
    for (int64_t i = 0; i < w * h; i++) {
        int64_t x = i % w, y = i / w;
        uint8_t node = ((uint8_t *)in->plane[0])[i];

        next[i] |= node & (FHP_REST | FHP_SOLID);
        for (int b = 0; b < 6; b++) {
            int64_t u = (x + to[b][0] + (to[b][1] ? y % 2 : 0) + w) % w;

            if (node >> b & 1)
                next[(y + to[b][1] + h) % h * w + u] |= (uint8_t)(1 << b);
        }
    }
    for (int64_t i = 0; i < w * h; i++)
        next[i] = next[i] & FHP_SOLID
                      ? fhp_bounce(next[i])
                      : table.next[ca_bit(experiment->seed, (uint64_t)(i % w), (uint64_t)(i / w), 0,
                                          t, FHP_STREAM_CHIRALITY)][next[i]];
}

/* Best levels are found again for each neighbour, without a plane for them. */
static float best_at(const struct ca_lattice *in, int64_t x, int64_t y)
{
    static const int to[4][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};
    int64_t w = in->size.w, h = in->size.h;
    const float *g = in->plane[0], *l = in->plane[1];
    float neighbours[4];
    int count = 0;

    for (int n = 0; n < 4; n++) {
        int64_t u = x + to[n][0], v = y + to[n][1];

        if (u >= 0 && u < w && v >= 0 && v < h)
            neighbours[count++] = l[v * w + u];
    }
    return water_best(g[y * w + x], l[y * w + x], neighbours, count);
}

STEP(right_water_fused)
{
    static const int to[4][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};
    int64_t w = in->size.w, h = in->size.h;
    const float *g = in->plane[0], *l = in->plane[1], *s = in->plane[2];

    UNUSED;
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            int64_t i = y * w + x;
            float neighbours[4];
            int count = 0;

            for (int n = 0; n < 4; n++) {
                int64_t u = x + to[n][0], v = y + to[n][1];

                if (u >= 0 && u < w && v >= 0 && v < h)
                    neighbours[count++] = best_at(in, u, v);
            }
            ((float *)out->plane[1])[i] =
                water_level(g[i], l[i], s[i], best_at(in, x, y), neighbours, count, WATER_ADD);
        }
    memcpy(out->plane[0], g, (size_t)(w * h) * sizeof *g);
    memcpy(out->plane[2], s, (size_t)(w * h) * sizeof *s);
}

/* --- wrong ------------------------------------------------------------------------------------ */

/* Whole tiles of 32 alone are stepped (number 0), the rest is the old state (1); across alone (2);
 * nothing is stepped (3); all but cells here and there (4). */
STEP(wrong_anneal_tail)
{
    int64_t w = in->size.w, h = in->size.h;
    int64_t x_end = student->number == 3 ? 0 : w / 32 * 32,
            y_end = student->number == 2 ? h : h / 32 * 32;
    struct ca_lattice whole = *in;

    UNUSED;
    whole.plane[0] = malloc((size_t)(w * h));
    right_anneal_ghosts(student, experiment, in, &whole, t);
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++)
            if (student->number == 4 ? (x * 7919 + y * 104729 + x * y * 31) % 11 > 3
                                     : x < x_end && y < y_end)
                ((uint8_t *)out->plane[0])[y * w + x] = ((uint8_t *)whole.plane[0])[y * w + x];
            else if (student->number == 1)
                ((uint8_t *)out->plane[0])[y * w + x] = ((uint8_t *)in->plane[0])[y * w + x];
    free(whole.plane[0]);
}

/* x * h + y for y * w + x in writing (0) or reading (1); the cell beside (2); the old state (3);
 * 255 for 1 (4). */
STEP(wrong_anneal_transposed)
{
    int64_t w = in->size.w, h = in->size.h;
    struct ca_lattice start = *in, whole = *in;
    uint8_t *next = out->plane[0];

    UNUSED;
    start.plane[0] = malloc((size_t)(w * h));
    whole.plane[0] = malloc((size_t)(w * h));
    for (int64_t i = 0; i < w * h; i++)
        ((uint8_t *)start.plane[0])[i] =
            ((uint8_t *)in->plane[0])[student->number == 1 ? i % w * h + i / w : i];
    right_anneal_ghosts(student, experiment, &start, &whole, t);
    for (int64_t i = 0; i < w * h; i++) {
        uint8_t made = ((uint8_t *)whole.plane[0])[i];

        if (student->number == 0)
            next[i % w * h + i / w] = made;
        else if (student->number == 2)
            next[i / w * w + (i % w + w - 1) % w] = made;
        else if (student->number == 3)
            next[i] = ((uint8_t *)in->plane[0])[i];
        else
            next[i] = student->number == 4 ? (uint8_t)-made : made;
    }
    free(start.plane[0]);
    free(whole.plane[0]);
}

/* A cell that is another one in each run. */
STEP(wrong_anneal_noise)
{
    static int64_t runs;

    right_anneal_ghosts(student, experiment, in, out, t);
    ((uint8_t *)out->plane[0])[runs++ * 7919 % ca_cells(in->size)] ^= 1;
}

/* The frame of the lattice, or of each tile, is left as it was (0), copied (1) or set to 0 (2). */
STEP(wrong_anneal_frame)
{
    int64_t w = in->size.w, h = in->size.h, n = student->tile;
    struct ca_lattice whole = *in;

    UNUSED;
    whole.plane[0] = malloc((size_t)(w * h));
    right_anneal_ghosts(student, experiment, in, &whole, t);
    for (int64_t i = 0; i < w * h; i++) {
        int64_t x = i % w, y = i / w;
        bool frame = n ? x % n == 0 || x % n == n - 1 || y % n == 0 || y % n == n - 1
                       : x == 0 || x == w - 1 || y == 0 || y == h - 1;

        if (!frame)
            ((uint8_t *)out->plane[0])[i] = ((uint8_t *)whole.plane[0])[i];
        else if (student->number > 0)
            ((uint8_t *)out->plane[0])[i] = student->number == 1 ? ((uint8_t *)in->plane[0])[i] : 0;
    }
    free(whole.plane[0]);
}

/* Rows are taken for one cell longer than they are (0), or one cell alone is wrong (1). */
STEP(wrong_anneal_stride)
{
    int64_t w = in->size.w, h = in->size.h;
    struct ca_lattice start = *in;

    UNUSED;
    start.plane[0] = malloc((size_t)(w * h));
    for (int64_t i = 0; i < w * h; i++)
        ((uint8_t *)start.plane[0])[i] =
            ((uint8_t *)in->plane[0])[student->number == 0 ? (i + i / w) % (w * h) : i];
    right_anneal_ghosts(student, experiment, &start, out, t);
    if (student->number == 1 && w > 37 && h > 12)
        ((uint8_t *)out->plane[0])[12 * w + 37] ^= 1;
    free(start.plane[0]);
}

/* Tiles are updated one after the other in place: each reads its halo from those before it. */
STEP(wrong_anneal_tiles)
{
    int64_t w = in->size.w, h = in->size.h, n = student->tile;
    uint8_t *cells = out->plane[0], *made = malloc((size_t)(w * h));

    UNUSED;
    memcpy(cells, in->plane[0], (size_t)(w * h));
    for (int64_t v = 0; v < h; v += n)
        for (int64_t u = 0; u < w; u += n) {
            struct ca_lattice now = *out, next = *out;

            next.plane[0] = made;
            right_anneal_ghosts(student, experiment, &now, &next, t);
            for (int64_t y = v; y < v + n && y < h; y++)
                for (int64_t x = u; x < u + n && x < w; x++)
                    cells[y * w + x] = made[y * w + x];
        }
    free(made);
}
