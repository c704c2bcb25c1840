/* SPDX-License-Identifier: MIT */
/*
 * fhp: its collision tables against tests/data/fhp-collisions.txt and the laws that they must keep,
 * its reference against the definition written out again here and against conservation, its other
 * backends against reference. Solid nodes, starts and looks: test_fhp_start.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"
#include "tests/support/draws.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static const char *const sets[] = {"fhp1", "fhp2", "fhp3"};

/* The tables as the file has them: table[set][chirality][state]. */
static uint8_t filed[3][2][128];

static void read_tables(void)
{
    FILE *file = fopen(test_source("tests/data/fhp-collisions.txt"), "r");
    int lines = 0, chirality, state;
    char line[1024], name[8];

    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        char *at = line;

        if (line[0] == '#')
            continue;
        ck_assert_int_eq(sscanf(line, "%7s %d%n", name, &chirality, &state), 2);
        at += state;
        for (state = 0; state < 128; state++)
            filed[name[3] - '1'][chirality][state] = (uint8_t)strtol(at, &at, 10);
        lines++;
    }
    fclose(file);
    ck_assert_int_eq(lines, 6);
}

/* --- tables ----------------------------------------------------------------------------------- */

static uint8_t rotate(uint8_t state, int k)
{
    uint8_t turned = state & 64;

    for (int i = 0; i < 6; i++)
        if (state >> i & 1)
            turned |= (uint8_t)(1 << (i + k) % 6);
    return turned;
}

static uint8_t mirror(uint8_t state)
{
    uint8_t mirrored = state & 64;

    for (int i = 0; i < 6; i++)
        if (state >> i & 1)
            mirrored |= (uint8_t)(1 << (5 - i));
    return mirrored;
}

static int mass(uint8_t node) { return __builtin_popcount(node & 127); }

/* Momentum, x in half cells and y in rows. */
static const int cx[6] = {-1, 1, 2, 1, -1, -2}, cy[6] = {-1, -1, 0, 1, 1, 0};

static int momentum(uint8_t node, const int c[6])
{
    int sum = 0;

    for (int i = 0; i < 6; i++)
        sum += c[i] * (node >> i & 1);
    return sum;
}

START_TEST(tables_equal_the_file)
{
    struct fhp_table table;

    read_tables();
    fhp_table_make(&table, (enum fhp_collisions)_i);
    for (int chirality = 0; chirality < 2; chirality++)
        for (int state = 0; state < 128; state++)
            ck_assert_msg(table.next[chirality][state] == filed[_i][chirality][state],
                          "%s, chirality %d, state %d: expected %d, got %d", sets[_i], chirality,
                          state, filed[_i][chirality][state], table.next[chirality][state]);
}
END_TEST

START_TEST(tables_keep_their_laws)
{
    static const int changing[] = {10, 22, 76};
    enum fhp_collisions set = (enum fhp_collisions)_i;
    int changed = 0;

    for (int c = 0; c < 2; c++) {
        bool seen[128] = {false};

        for (int i = 0; i < 128; i++) {
            uint8_t state = (uint8_t)i, next = fhp_collide(set, state, c);

            ck_assert_int_lt(next, 128);
            ck_assert_msg(!seen[next], "%s: state %d is reached twice", sets[_i], next);
            seen[next] = true;
            ck_assert_int_eq(mass(next), mass(state));
            ck_assert_int_eq(momentum(next, cx), momentum(state, cx));
            ck_assert_int_eq(momentum(next, cy), momentum(state, cy));
            for (int k = 1; k < 6; k++)
                ck_assert_int_eq(fhp_collide(set, rotate(state, k), c), rotate(next, k));
            ck_assert_int_eq(fhp_collide(set, mirror(state), !c), mirror(next));
            ck_assert_int_eq(fhp_collide(set, next, !c), state);
        }
    }
    for (int i = 0; i < 128; i++)
        changed += fhp_collide(set, (uint8_t)i, 0) != i || fhp_collide(set, (uint8_t)i, 1) != i;
    ck_assert_int_eq(changed, changing[_i]);
}
END_TEST

START_TEST(node_functions)
{
    for (int i = 0; i < 256; i++) {
        uint8_t node = (uint8_t)i, bounced = fhp_bounce(node);

        ck_assert_int_eq(bounced, rotate(node & 127, 3) | (node & 128));
        ck_assert_int_eq(fhp_particles(node), mass(node));
        ck_assert_int_eq(fhp_momentum_x(node), momentum(node, cx));
        ck_assert_int_eq(fhp_momentum_y(node), momentum(node, cy));
        ck_assert_int_eq(fhp_can_force(node), (node >> 5 & 1) == 1 && (node >> 2 & 1) == 0);
        if (fhp_can_force(node))
            ck_assert_int_eq(fhp_force(node), (node & ~32) | 4);
    }
}
END_TEST

/* --- the definition, written out again: particles are sent, not gathered --------------------- */

/* The neighbour of (x, y) in a direction, by the table of the definition. */
static int64_t neighbour(struct ca_size size, int64_t x, int64_t y, int direction)
{
    static const int even[6][2] = {{-1, -1}, {0, -1}, {1, 0}, {0, 1}, {-1, 1}, {-1, 0}};
    static const int odd[6][2] = {{0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 0}};
    const int *go = y % 2 ? odd[direction] : even[direction];

    return (y + go[1] + size.h) % size.h * size.w + (x + go[0] + size.w) % size.w;
}

static void send_particles(const struct ca_lattice *now, struct ca_lattice *next)
{
    const uint8_t *from = now->plane[0];
    struct ca_size size = now->size;
    uint8_t *to = next->plane[0];

    for (int64_t i = 0; i < ca_cells(size); i++)
        to[i] = from[i] & 192;
    for (int64_t y = 0; y < size.h; y++)
        for (int64_t x = 0; x < size.w; x++)
            for (int d = 0; d < 6; d++)
                if (from[y * size.w + x] >> d & 1)
                    to[neighbour(size, x, y, d)] |= (uint8_t)(1 << d);
}

static uint8_t scatter(uint8_t node, int set, uint64_t seed, int64_t x, int64_t y, uint64_t t,
                       uint32_t force)
{
    if (node & 128)
        return rotate(node & 127, 3) | 128;
    node = filed[set][draw_bit(seed, x, y, 0, t, 16)][node];
    if ((node & 32) && !(node & 4) && draw_event(seed, x, y, 0, t, 32, force))
        node = (uint8_t)((node & ~32) | 4);
    return node;
}

static const struct definition {
    const char *size, *settings;
    int set;
    uint32_t force; /* in 65536ths */
} definitions[] = {
    {"13x10", "collisions=fhp1 geometry=none density=0.3", 0, 0},
    {"140x6", "collisions=fhp2 geometry=channel p_force=0.3", 1, 19661},
    {"260x8", "collisions=fhp3 geometry=cylinder density=0.5 p_force=0.00002", 2, 1},
    {"1x2", "collisions=fhp3 geometry=none density=0.5 p_force=1", 2, 65536},
    {"2x4", "collisions=fhp2 geometry=none density=0.9", 1, 0},
    {"33x32", "collisions=fhp3 geometry=cylinder density=0.7 p_force=0.5", 2, 32768},
};

static void define_step(const struct ca_lattice *now, struct ca_lattice *next, uint64_t seed,
                        uint64_t t, const void *context)
{
    const struct definition *definition = context;
    uint8_t *node = next->plane[0];

    send_particles(now, next);
    for (int64_t y = 0; y < next->size.h; y++)
        for (int64_t x = 0; x < next->size.w; x++, node++)
            *node = scatter(*node, definition->set, seed, x, y, t, definition->force);
}

START_TEST(steps_are_as_defined)
{
    uint64_t seed = test_seed() * UINT64_C(0x100000001);
    struct ca_experiment experiment = kernel_experiment("fhp", "reference", definitions[_i].size,
                                                        NULL, seed, definitions[_i].settings);

    read_tables();
    /* The counter's t wraps on the way. */
    kernel_check_defined(&experiment, UINT32_MAX - 3, 12, define_step, &definitions[_i]);
}
END_TEST

/* --- conservation ---------------------------------------------------------------------------- */

static struct ca_simulation *open_simulation(const char *size, const char *settings)
{
    struct ca_experiment experiment =
        kernel_experiment("fhp", "threads", size, NULL, test_seed(), settings);
    struct ca_simulation *simulation;
    struct ca_error error = {.text = ""};

    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    return simulation;
}

static const struct {
    const char *settings;
    bool momentum; /* is kept */
} gases[] = {
    {"threads=2 geometry=none collisions=fhp1", true},
    {"threads=2 geometry=none collisions=fhp2", true},
    {"threads=2 geometry=none collisions=fhp3 density=0.6", true},
    {"threads=2 geometry=channel collisions=fhp1", false},
    {"threads=2 geometry=cylinder collisions=fhp2", false},
    {"threads=2 geometry=channel collisions=fhp3 p_force=0.01", false},
    {"threads=2 geometry=none collisions=fhp3 p_force=0.01", false},
};

START_TEST(particles_and_momentum_are_kept)
{
    struct ca_simulation *simulation = open_simulation("66x48", gases[_i].settings);
    double start[CA_OBSERVABLES_MAX], now[CA_OBSERVABLES_MAX];
    struct ca_error error;
    int moved = 0;

    ck_assert_ok(ca_simulation_observe(simulation, start, &error));
    ck_assert_double_gt(start[0], 1000);
    for (int n = 0; n < 50; n++) {
        ck_assert_ok(ca_simulation_step(simulation, 17, &error));
        ck_assert_ok(ca_simulation_observe(simulation, now, &error));
        ck_assert_double_eq(now[0], start[0]);
        moved += now[1] != start[1] || now[2] != start[2];
        ck_assert_int_eq(kernel_broken(simulation, start, now), -1);
    }
    ck_assert_int_eq(moved == 0, gases[_i].momentum);
    /* A lost particle is seen, and lost momentum where it should be kept. */
    now[0]--;
    ck_assert_int_eq(kernel_broken(simulation, start, now), 0);
    memcpy(now, start, sizeof now);
    now[2]++;
    ck_assert_int_eq(kernel_broken(simulation, start, now), gases[_i].momentum ? 2 : -1);
    ca_simulation_close(simulation);
}
END_TEST

START_TEST(forcing_only_pushes_east)
{
    struct ca_simulation *simulation =
        open_simulation("64x32", "threads=2 geometry=none collisions=fhp3 p_force=0.02");
    double before[CA_OBSERVABLES_MAX], after[CA_OBSERVABLES_MAX], first;
    struct ca_error error;

    ck_assert_ok(ca_simulation_observe(simulation, before, &error));
    first = before[1];
    for (int n = 0; n < 60; n++) {
        ck_assert_ok(ca_simulation_step(simulation, 1, &error));
        ck_assert_ok(ca_simulation_observe(simulation, after, &error));
        ck_assert_double_ge(after[1], before[1]);
        ck_assert_double_eq(after[2], before[2]);
        memcpy(before, after, sizeof before);
    }
    ck_assert_double_gt(after[1], first + 100);
    ca_simulation_close(simulation);
}
END_TEST

/* A forced channel speeds up and settles to a profile that is highest in the middle. */
START_TEST(forced_channel_flows_like_a_fluid)
{
    struct ca_simulation *simulation =
        open_simulation("128x34", "threads=2 geometry=channel collisions=fhp3 p_force=0.02");
    int64_t flow[34] = {0}, edge = 0, half = 0, middle = 0;
    uint8_t row[128];
    void *planes[1] = {row};
    struct ca_error error;

    ck_assert_ok(ca_simulation_step(simulation, 1500, &error));
    for (int n = 0; n < 60; n++) {
        ck_assert_ok(ca_simulation_step(simulation, 10, &error));
        for (int y = 0; y < 34; y++) {
            ck_assert_ok(ca_simulation_rows(simulation, planes, y, 1, &error));
            for (int x = 0; x < 128; x++)
                flow[y] += momentum(row[x], cx);
        }
    }
    for (int k = 0; k < 4; k++) {
        edge += flow[1 + k] + flow[32 - k];
        half += flow[7 + k] + flow[26 - k];
        middle += flow[13 + k] + flow[20 - k];
    }
    ck_assert_int_gt(edge, 0);
    ck_assert_int_gt(half, 3 * edge / 2);
    ck_assert_int_gt(middle, 21 * half / 20);
    ck_assert_int_lt(middle - half, half - edge); /* it flattens towards the middle */
    ca_simulation_close(simulation);
}
END_TEST

/* --- the other backends ---------------------------------------------------------------------- */

static const char *const shapes[] = {"1x2",  "2x2",   "3x4",   "31x6",  "32x2",   "33x34",
                                     "64x8", "129x4", "500x2", "2x126", "255x34", "512x16"};
static const char *const settings[] = {
    "threads=2 geometry=none collisions=fhp1 density=0.5",
    "threads=3 geometry=cylinder p_force=0.25",
    "threads=7 geometry=channel collisions=fhp3 density=0.9 p_force=1",
    "threads=2 geometry=none density=0", "threads=2 geometry=none density=1"};

START_TEST(backends_equal_reference)
{
    static const uint64_t calls[] = {1, 2, 3, 17, 0};

    kernel_check_backends("fhp", "", shapes[_i / COUNT(settings)], test_seed(),
                          settings[_i % COUNT(settings)], calls);
}
END_TEST

START_TEST(slabs_equal_the_whole)
{
    for (const struct ca_backend *b = fhp_model.backends; b->name; b++) {
        struct ca_experiment experiment =
            kernel_experiment("fhp", b->name, "35x24", NULL, test_seed(),
                              "threads=2 geometry=none density=0.4 p_force=0.1");
        struct ca_error error;

        if (ca_backend_available(b, &error) == CA_OK)
            kernel_check_slabs(&experiment, 2 * (_i + 1), true, 3);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {node_functions, forcing_only_pushes_east,
                              forced_channel_flows_like_a_fluid},
                     .table = {{tables_equal_the_file, 3},
                               {tables_keep_their_laws, 3},
                               {steps_are_as_defined, COUNT(definitions)},
                               {particles_and_momentum_are_kept, COUNT(gases)},
                               {backends_equal_reference, COUNT(shapes) * COUNT(settings)},
                               {slabs_equal_the_whole, 2}});
}
