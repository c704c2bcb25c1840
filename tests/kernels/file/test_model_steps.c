/* SPDX-License-Identifier: MIT */
/* Steps and starts of models in files, beside loops that write the same rules out. */
#include <stdlib.h>

#include "core/base/random.h"
#include "tests/kernels/file/rules.h"

static struct ca_error error;

/* --- the rules, written out ------------------------------------------------------------------- */

static bool inside(int64_t *i, int64_t n, int edge)
{
    if (edge == CA_TORUS)
        *i = (*i % n + n) % n;
    return *i >= 0 && *i < n;
}

/* The value of plane p at a place; beyond several edges the first of x, z and y counts. */
static double value_at(const struct ca_lattice *now, const struct edges *edges, int p, int64_t x,
                       int64_t y, int64_t z)
{
    int64_t at[3] = {x, y, z};
    const int64_t n[3] = {now->size.w, now->size.h, now->size.d};
    static const int order[3] = {0, 2, 1};
    int64_t i;

    for (int k = 0; k < 3; k++) {
        int axis = order[k];

        if (!inside(&at[axis], n[axis], edges->edge[axis]))
            return edges->edge[axis] == CA_CONSTANT ? edges->beyond[p] : 0;
    }
    i = (at[2] * n[1] + at[1]) * n[0] + at[0];
    return now->type == CA_F32 ? (double)((const float *)now->plane[p])[i]
                               : ((const uint8_t *)now->plane[p])[i];
}

typedef void define_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                         int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[]);

static int count_square(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                        int64_t y, int64_t z, int rz, int r, int state)
{
    int count = 0;

    for (int64_t dz = -rz; dz <= rz; dz++)
        for (int64_t dy = -r; dy <= r; dy++)
            for (int64_t dx = -r; dx <= r; dx++)
                count += value_at(now, edges, 0, x + dx, y + dy, z + dz) == state;
    return count;
}

static void highlife_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                          int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int n = count_square(now, edges, x, y, z, 0, 1, 1);

    (void)seed, (void)t;
    if (value_at(now, edges, 0, x, y, z) == 1)
        next[0] = n == 3 || n == 4;
    else
        next[0] = n == 3 || n == 6;
}

static void slanted_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                         int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int at[3][3];

    (void)seed, (void)t;
    for (int k = 0; k < 9; k++)
        at[k / 3][k % 3] = (int)value_at(now, edges, 0, x + k % 3 - 1, y + k / 3 - 1, z);
    if (at[0][0] && !at[1][2])
        next[0] = at[2][1] ^ at[0][2];
    else
        next[0] = count_square(now, edges, x, y, z, 0, 1, 1) >= 2 ? at[1][0] : !at[0][1];
}

static void far_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x, int64_t y,
                     int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int steps = 0, n = count_square(now, edges, x, y, z, 0, 4, 1);

    (void)seed, (void)t;
    for (int64_t dy = -8; dy <= 8; dy++)
        for (int64_t dx = -8; dx <= 8; dx++) {
            int c = (int)value_at(now, edges, 0, x + dx, y + dy, z);

            steps += llabs(dx) + llabs(dy) <= 3 && c == 2;
            n += dx * dx + dy * dy <= 72 && c == 0;
        }
    if (steps % 3 == 1)
        next[0] = value_at(now, edges, 0, x + 1, y, z);
    else
        next[0] = n % 5 == 0 ? 1 : n % 5 == 1 ? 2 : value_at(now, edges, 0, x, y, z);
}

static bool chance(uint64_t seed, int64_t x, int64_t y, uint64_t t, uint32_t stream, double p)
{
    return ca_uniform(seed, (uint64_t)x, (uint64_t)y, 0, t, 16 + stream) >> 2 <
           (uint32_t)(p * 1073741824);
}

static void forest_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                        int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int c = (int)value_at(now, edges, 0, x, y, z);
    bool fire =
        value_at(now, edges, 0, x - 1, y, z) == 2 || value_at(now, edges, 0, x + 1, y, z) == 2 ||
        value_at(now, edges, 0, x, y - 1, z) == 2 || value_at(now, edges, 0, x, y + 1, z) == 2;

    if (c == 2)
        next[0] = 3;
    else if (c == 1)
        next[0] = fire || chance(seed, x, y, t, 0, 0.01) ? 2 : 1;
    else
        next[0] = chance(seed, x, y, t, 1, 0.3) ? c == 0 : c;
}

/* Eight cells of a row share the four words of a block. */
static int drawn_16(uint64_t seed, int64_t x, int64_t y, uint64_t t, uint32_t stream)
{
    uint64_t word = (uint64_t)(4 * (x / 8) + x % 8 / 2);

    return (int)(ca_uniform(seed, word, (uint64_t)y, 0, t, stream) >> 16 * (x % 2) & 0xffff);
}

static void sparks_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                        int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int c = (int)value_at(now, edges, 0, x, y, z);
    bool hot =
        value_at(now, edges, 0, x - 1, y, z) == 2 || value_at(now, edges, 0, x + 1, y, z) == 2 ||
        value_at(now, edges, 0, x, y - 1, z) == 2 || value_at(now, edges, 0, x, y + 1, z) == 2;

    if (c == 2)
        next[0] = drawn_16(seed, x, y, t, 32) < 26624   ? 1
                  : drawn_16(seed, x, y, t, 33) > 60000 ? 0
                                                        : 2;
    else
        next[0] = hot && chance(seed, x, y, t, 0, 0.3) ? 2 : c;
}

/* In single precision, in the order of the file. */
static void reaction_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                          int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    float at[2][5], laplace[2], uvv, feed = 0.037f;

    (void)seed, (void)t;
    for (int p = 0; p < 2; p++) {
        static const int places[5][2] = {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}};

        for (int i = 0; i < 5; i++)
            at[p][i] = (float)value_at(now, edges, p, x + places[i][0], y + places[i][1], z);
        laplace[p] = (at[p][1] + at[p][2]) + (at[p][3] + at[p][4]) - 4 * at[p][0];
    }
    uvv = at[0][0] * at[1][0] * at[1][0];
    next[0] = (double)(at[0][0] + 0.2f * laplace[0] - uvv + feed * (1 - at[0][0]));
    next[1] = (double)(at[1][0] + 0.1f * laplace[1] + uvv - (feed + 0.06f) * at[1][0]);
}

static void four_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x, int64_t y,
                      int64_t z, uint64_t seed, uint64_t t, double next[])
{
    (void)seed, (void)t;
    next[0] = value_at(now, edges, 1, x + 1, y, z);
    next[1] = value_at(now, edges, 2, x, y + 1, z);
    next[2] = value_at(now, edges, 3, x - 1, y, z);
    next[3] = value_at(now, edges, 0, x, y - 1, z) / 2;
}

static void clouds_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                        int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int c = (int)value_at(now, edges, 0, x, y, z), faces = 0;
    int n = count_square(now, edges, x, y, z, 1, 1, 1) - c;

    (void)seed;
    for (int k = -1; k <= 1; k += 2)
        faces += (int)(value_at(now, edges, 0, x + k, y, z) + value_at(now, edges, 0, x, y + k, z) +
                       value_at(now, edges, 0, x, y, z + k));
    if (c)
        next[0] = n >= 5 && n <= 10;
    else
        next[0] = (n >= 7 && n <= 9) || (((uint64_t)(y + z) + t) % 7 == 0 && faces == 2);
}

static void hexagons_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                          int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int64_t odd = y % 2, left = x - 1 + odd; /* above and below, left and right */
    const int64_t at[6][2] = {{left, y - 1},     {left + 1, y - 1}, {x + 1, y},
                              {left + 1, y + 1}, {left, y + 1},     {x - 1, y}};
    int around[6], n = 0;

    (void)seed, (void)t;
    for (int k = 0; k < 6; k++) {
        around[k] = (int)value_at(now, edges, 0, at[k][0], at[k][1], z);
        n += around[k] == 1;
    }
    if (value_at(now, edges, 0, x, y, z) == 1)
        next[0] = 2;
    else
        next[0] = (around[0] == 2 && around[4] == 1) || n == 2 ||
                  count_square(now, edges, x, y, z, 0, 2, 2) > 11;
}

/* Bits `shift` ... `shift` + bits - 1 of a cell that holds several planes. */
static int bits_at(const struct ca_lattice *now, const struct edges *edges, int shift, int bits,
                   int64_t x, int64_t y, int64_t z)
{
    return (int)value_at(now, edges, 0, x, y, z) >> shift & ((1 << bits) - 1);
}

static void lanes_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                       int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    static const int beside[4][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};
    int kind = bits_at(now, edges, 0, 2, x, y, z), live = 0, sum = 0, fours = 0, lit = 0;

    for (int64_t k = 0; k < 9; k++) {
        int64_t ax = x + k % 3 - 1, ay = y + k / 3 - 1;

        live += k != 4 && bits_at(now, edges, 0, 2, ax, ay, z) == 1;
        sum += bits_at(now, edges, 0, 2, ax, ay, z);
        fours += bits_at(now, edges, 2, 3, ax, ay, z) == 4;
    }
    for (int k = 0; k < 4; k++) {
        sum += bits_at(now, edges, 2, 3, x + beside[k][0], y + beside[k][1], z);
        lit |= bits_at(now, edges, 5, 1, x + beside[k][0], y + beside[k][1], z);
    }
    next[0] = (live == 3  ? 1
               : live > 4 ? 2
                          : kind) |
              (sum + bits_at(now, edges, 2, 3, x + 1, y - 1, z)) % 6 << 2 |
              (chance(seed, x, y, t, 0, 0.3) ? lit : fours > 2) << 5;
}

static void layers_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                        int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    static const int from[6][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                   {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    int n = -bits_at(now, edges, 0, 1, x, y, z), h = -n, byte = 0;

    (void)seed, (void)t;
    for (int64_t k = 0; k < 27; k++)
        n += bits_at(now, edges, 0, 1, x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1);
    for (int p = 0; p < 6; p++) {
        int64_t ax = x + from[p][0], ay = y + from[p][1], az = z + from[p][2];

        byte |= bits_at(now, edges, p + 1, 1, ax, ay, az) << p;
        h += bits_at(now, edges, 7, 1, ax, ay, az);
    }
    next[0] = byte | (n > 9 && n < 16) << 6 | h % 2 << 7;
}

static void combs_cell(const struct ca_lattice *now, const struct edges *edges, int64_t x,
                       int64_t y, int64_t z, uint64_t seed, uint64_t t, double next[])
{
    int64_t left = x - 1 + y % 2; /* above and below */
    const int64_t at[6][2] = {{left, y - 1},     {left + 1, y - 1}, {x + 1, y},
                              {left + 1, y + 1}, {left, y + 1},     {x - 1, y}};
    int wax[6], bee[6], twos = 0, bees = 0, full = 0;

    (void)seed, (void)t;
    for (int k = 0; k < 6; k++) {
        wax[k] = bits_at(now, edges, 0, 2, at[k][0], at[k][1], z);
        bee[k] = bits_at(now, edges, 2, 3, at[k][0], at[k][1], z);
        twos += bee[k] == 2, bees += bee[k], full |= wax[k] == 3;
    }
    next[0] = (wax[1] + bee[3] + twos) % 4 | (full ? bees % 5 : bits_at(now, edges, 2, 3, x, y, z))
                                                 << 2;
}

/* By the order of `rules`. */
static define_cell *const cells[COUNT(rules)] = {
    highlife_cell, highlife_cell, highlife_cell, forest_cell,   slanted_cell, far_cell,
    far_cell,      sparks_cell,   reaction_cell, highlife_cell, four_cell,    clouds_cell,
    hexagons_cell, lanes_cell,    layers_cell,   combs_cell,
};

static void define(const struct ca_lattice *now, struct ca_lattice *next, uint64_t seed, uint64_t t,
                   const void *context)
{
    const struct rule *rule = context;

    for (int64_t i = 0; i < ca_cells(now->size); i++) {
        double value[4];

        cells[rule - rules](now, &rule->edges, i % now->size.w, i / now->size.w % now->size.h,
                            i / now->size.w / now->size.h, seed, t, value);
        for (int p = 0; p < now->planes; p++)
            if (now->type == CA_F32)
                ((float *)next->plane[p])[i] = (float)value[p];
            else
                ((uint8_t *)next->plane[p])[i] = (uint8_t)value[p];
    }
}

/* Of whole lattices, and of slabs, whose rows go on from the last one to the first. */
START_TEST(steps_are_those_of_a_loop)
{
    const struct rule *rule = &rules[_i];
    const struct ca_model *model = opened(rule->text);
    bool torus = rule->edges.edge[model->dimensions - 1] == CA_TORUS;

    for (int s = 0; rule->sizes[s]; s++)
        for (const struct ca_backend *b = model->backends; b->name; b++)
            for (uint64_t t = 0; t <= 4 && ca_backend_available(b, &error) == CA_OK; t += 4) {
                struct ca_experiment experiment = experiment_of(model, b->name, rule->sizes[s]);

                kernel_check_defined(&experiment, t, 4, define, rule);
            }
    for (const struct ca_backend *b = model->backends; b->name; b++)
        if (ca_backend_available(b, &error) == CA_OK) {
            struct ca_experiment experiment = experiment_of(model, b->name, rule->sizes[0]);

            kernel_check_slabs(&experiment, 2 * model->radius, torus, 3);
        }
}
END_TEST

/* Streams of a start are numbered from 0 on, those of 16 bits from 16 on. */
START_TEST(starts_draw_by_place)
{
    struct ca_experiment experiment = experiment_of(opened(SPARKS), "reference", "1043x3");
    struct ca_simulation *simulation;
    struct ca_lattice start;

    ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_OK);
    ck_assert_int_eq(ca_simulation_store(simulation, &start, &error), CA_OK);
    ca_simulation_close(simulation);
    for (int64_t i = 0; i < ca_cells(start.size); i++) {
        int64_t x = i % 1043, y = i / 1043;
        int expected = drawn_16(experiment.seed, x, y, 0, 17) < 26624
                           ? 2
                           : drawn_16(experiment.seed, x, y, 0, 18) & 1;

        ck_assert_int_eq(((const uint8_t *)start.plane[0])[i], expected);
    }
    ca_lattice_free(&start);
}
END_TEST

static void keep_in_folder(void) { setenv("XDG_CACHE_HOME", test_folder(), 1); }

int main(void)
{
    return RUN_TESTS(.setup = keep_in_folder, .test = {starts_draw_by_place},
                     .table = {{steps_are_those_of_a_loop, COUNT(rules)}});
}
