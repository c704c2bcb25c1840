/* SPDX-License-Identifier: MIT */
/*
 * fhp on words and vectors: the logic of the bit-sliced backends against the collision tables for
 * all states, the drawing of whole words of bits against core/base/random.h, and every backend
 * against reference where the ends of words, vectors, blocks and strips matter.
 */
#include <inttypes.h>
#include <string.h>

#define WORD_LANES 2
#include "core/base/random.h"
#include "core/model/registry.h"
#include "kernels/cpu/philox.h"
#include "kernels/fhp/bitslice.h"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

/* --- logic: node i of a word in state i, 128 nodes, so each word holds all states ------------ */

static word plane_of(const uint8_t states[128], int bit)
{
    uint64_t part[2] = {0, 0};

    for (int i = 0; i < 128; i++)
        part[i / 64] |= (uint64_t)(states[i] >> bit & 1) << i % 64;
    return load_word(part);
}

static void to_bits(struct fhp_bits *bits, const uint8_t states[128])
{
    for (int p = 0; p < 6; p++)
        bits->move[p] = plane_of(states, p);
    bits->rest = plane_of(states, 6);
}

static uint8_t from_bits(const struct fhp_bits *bits, int i)
{
    int state = (int)(bits->rest[i / 64] >> i % 64 & 1) << 6;

    for (int p = 0; p < 6; p++)
        state |= (int)(bits->move[p][i / 64] >> i % 64 & 1) << p;
    return (uint8_t)state;
}

static void check_collisions(enum fhp_bits_set set, int chirality)
{
    uint8_t states[128], chiralities[128];
    struct fhp_bits bits;

    for (int i = 0; i < 128; i++) {
        states[i] = (uint8_t)i;
        chiralities[i] = (uint8_t)(chirality < 2 ? chirality : i * 37 >> 3 & 1);
    }
    to_bits(&bits, states);
    fhp_bits_collide(set, &bits, plane_of(chiralities, 0));
    for (int i = 0; i < 128; i++) {
        uint8_t expected = fhp_collide((enum fhp_collisions)set, states[i], chiralities[i]);

        ck_assert_msg(from_bits(&bits, i) == expected,
                      "fhp%d, state %d, chirality %d: expected %d, got %d", (int)set + 1, i,
                      chiralities[i], expected, from_bits(&bits, i));
    }
}

START_TEST(logic_equals_the_tables)
{
    check_collisions(FHP_BITS_1, _i);
    check_collisions(FHP_BITS_2, _i);
    check_collisions(FHP_BITS_3, _i);
}
END_TEST

START_TEST(logic_bounces)
{
    uint8_t states[128], solid[128], others[128];
    struct fhp_bits bits, moved;

    for (int i = 0; i < 128; i++) {
        states[i] = (uint8_t)i;
        others[i] = (uint8_t)(127 - i);
        solid[i] = (uint8_t)(i % 3 == 0);
    }
    to_bits(&moved, states);
    to_bits(&bits, others);
    fhp_bits_bounce(&bits, &moved, plane_of(solid, 0));
    for (int i = 0; i < 128; i++)
        ck_assert_int_eq(from_bits(&bits, i), solid[i] ? fhp_bounce((uint8_t)i) : others[i]);
}
END_TEST

/* --- draws ------------------------------------------------------------------------------------ */

static const struct {
    uint64_t x, y, z, t;
} places[] = {
    {0, 0, 0, 0},
    {256, 7, 0, 3},
    {128 * 1000003, 123456789, 99, UINT32_MAX},
    {128 * (UINT64_C(1) << 32) - 128, UINT64_C(1) << 33 | 5, 0xffffff, (UINT64_C(1) << 40) + 17},
};

START_TEST(words_of_bits_are_those_of_cells)
{
    static const uint32_t streams[] = {0, 16, 32, 47, 111, 255};
    uint64_t seed = test_seed() * UINT64_C(0x9E3779B97F4A7C15), x = places[_i].x;
    struct draw_step step = draw_step(seed, places[_i].t);
    struct draw_row row = draw_row(&step, places[_i].y, places[_i].z);
    struct draw_place place = draw_place(&row, (int64_t)x);

    for (size_t s = 0; s < sizeof streams / sizeof streams[0]; s++) {
        uint64_t bits[DRAW_WORDS];

        draw_bits(&place, streams[s], bits);
        for (uint64_t i = 0; i < DRAW_CELLS; i++)
            ck_assert_msg((bits[i / 64] >> i % 64 & 1) == ca_bit(seed, x + i, places[_i].y,
                                                                 places[_i].z, places[_i].t,
                                                                 streams[s]),
                          "place %d, stream %u, cell %" PRIu64, _i, streams[s], i);
    }
}
END_TEST

START_TEST(events_are_those_of_cells)
{
    static const uint32_t chances[] = {0, 1, 2, 3, 512, 655, 16384, 32768, 43690, 65535, 65536};
    uint64_t seed = test_seed();
    struct draw_step step = draw_step(seed, 11);
    struct draw_row row = draw_row(&step, 5, 0);

    for (size_t c = 0; c < sizeof chances / sizeof chances[0]; c++)
        for (int64_t x = 0; x < 200 * DRAW_CELLS; x += DRAW_CELLS) {
            struct draw_place place = draw_place(&row, x);
            uint64_t among[DRAW_WORDS], event[DRAW_WORDS];

            for (int w = 0; w < DRAW_WORDS; w++)
                among[w] = _i == 0 ? ~UINT64_C(0) : UINT64_C(0x8421) << w % 40;
            ck_assert_int_eq(draw_event(&place, 32, chances[c], among, event),
                             memcmp(event, (uint64_t[DRAW_WORDS]){0}, sizeof event) != 0);
            for (int i = 0; i < DRAW_CELLS; i++) {
                bool expected = (among[i / 64] >> i % 64 & 1) &&
                                ca_event(seed, (uint64_t)(x + i), 5, 0, 11, 32, chances[c]);

                must_hold((event[i / 64] >> i % 64 & 1) == expected,
                          "k = %u, cell %" PRId64 ": expected %d", chances[c], x + i, expected);
            }
        }
}
END_TEST

/* --- backends --------------------------------------------------------------------------------- */

static const char *const shapes[] = {"1x2",    "2x4",    "15x6",   "63x4",   "64x2",   "65x6",
                                     "127x4",  "128x2",  "129x8",  "255x4",  "257x2",  "511x4",
                                     "512x6",  "513x2",  "1023x4", "1025x2", "1536x4", "2047x4",
                                     "2048x2", "2049x6", "4097x4"};

static const char *const settings[] = {
    "collisions=fhp1 geometry=none density=0.5 threads=2",
    "collisions=fhp2 geometry=cylinder density=0.5 p_force=0.0078125 threads=1",
    "collisions=fhp3 geometry=none density=0.5 p_force=0.3 threads=3",
    "collisions=fhp1 geometry=channel density=0.7 p_force=1 threads=1",
    "collisions=fhp2 geometry=none density=0.8 p_force=0.00002 threads=2",
    "collisions=fhp3 geometry=channel density=0.3 threads=1 generations=1",
    "collisions=fhp2 geometry=none density=0.6 p_force=0.1 threads=2 generations=3",
    "collisions=fhp3 geometry=cylinder density=0.6 threads=1 generations=8",
};

static bool runs_here(const struct ca_backend *backend)
{
    return ca_backend_available(backend, &error) == CA_OK;
}

/* From a generation shortly before the counter's t wraps. */
START_TEST(backends_equal_reference)
{
    const char *shape = shapes[_i / COUNT(settings)], *set = settings[_i % COUNT(settings)];
    struct ca_experiment by_reference =
        kernel_experiment("fhp", "reference", shape, NULL, test_seed(), set);
    struct ca_lattice start, expected;
    struct kernel kernel;

    ck_assert_ok(ca_initial_state(&by_reference, &start, &error));
    kernel_open(&kernel, &by_reference);
    kernel_load(&kernel, &start);
    kernel.generation = UINT32_MAX - 3;
    kernel_step(&kernel, 9);
    expected = kernel_store(&kernel);
    kernel_close(&kernel);
    for (const struct ca_backend *b = fhp_model.backends + 1; b->name; b++) {
        struct ca_experiment experiment =
            kernel_experiment("fhp", b->name, shape, NULL, test_seed(), set);
        struct ca_lattice got;

        if (!runs_here(b))
            continue;
        kernel_open(&kernel, &experiment);
        kernel_load(&kernel, &start);
        kernel.generation = UINT32_MAX - 3;
        kernel_step(&kernel, 4);
        kernel_step(&kernel, 5);
        got = kernel_store(&kernel);
        kernel_compare(&experiment, kernel.generation, &expected, &got);
        ca_lattice_free(&got);
        kernel_close(&kernel);
    }
    ca_lattice_free(&start);
    ca_lattice_free(&expected);
}
END_TEST

/* Any byte may come in with a file: rest and particles on solid nodes too. */
START_TEST(any_state_is_stepped)
{
    static const uint64_t calls[] = {1, 2, 5, 0};
    uint64_t seed = test_seed();

    for (const struct ca_backend *b = fhp_model.backends + 1; b->name; b++) {
        struct ca_experiment experiment =
            kernel_experiment("fhp", b->name, "700x30", NULL, seed, settings[_i]);
        struct ca_experiment by_reference =
            kernel_experiment("fhp", "reference", "700x30", NULL, seed, settings[_i]);
        struct kernel reference, tested;
        struct ca_lattice start;
        uint8_t *node;

        if (!runs_here(b))
            continue;
        ck_assert_ok(ca_initial_state(&experiment, &start, &error));
        node = start.plane[0];
        for (int64_t i = 0; i < ca_cells(start.size); i++)
            node[i] = (uint8_t)(ca_uniform(seed, (uint64_t)i, 1, 0, 0, 9) >> 9);
        kernel_open(&reference, &by_reference);
        kernel_open(&tested, &experiment);
        kernel_load(&reference, &start);
        kernel_load(&tested, &start);
        for (int c = 0; calls[c]; c++) {
            struct ca_lattice expected, got;

            kernel_step(&reference, calls[c]);
            kernel_step(&tested, calls[c]);
            expected = kernel_store(&reference);
            got = kernel_store(&tested);
            kernel_compare(&experiment, tested.generation, &expected, &got);
            ca_lattice_free(&expected);
            ca_lattice_free(&got);
        }
        kernel_close(&reference);
        kernel_close(&tested);
        ca_lattice_free(&start);
    }
}
END_TEST

/* The paper's rungs push particles everywhere before any node collides; the others gather. */
START_TEST(plans)
{
    static const struct {
        const char *name, *variant;
        int vector_bits;
    } rows[] = {{"sse2", "2 passes a generation", 128},
                {"avx", "2 passes a generation", 256},
                {"avx2", "1 pass a generation", 256},
                {"avx512", "1 pass a generation", 512}};

    for (const struct ca_backend *b = fhp_model.backends; b->name; b++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct ca_experiment experiment;
            struct ca_setup setup;
            struct ca_plan plan;

            if (strcmp(b->name, rows[i].name) != 0)
                continue;
            experiment = kernel_experiment("fhp", b->name, "300x20", NULL, 1, NULL);
            setup = ca_setup_of(&experiment);
            ck_assert_int_eq(b->stepper->plan(&setup, &plan, &error), CA_OK);
            ck_assert_str_eq(plan.variant, rows[i].variant);
            ck_assert_int_eq(plan.vector_bits, rows[i].vector_bits);
        }
}
END_TEST

/* Both chains of rows: in vectors that a row fills and that it does not. */
START_TEST(slabs_equal_the_whole)
{
    for (const struct ca_backend *b = fhp_model.backends; b->name; b++) {
        struct ca_experiment experiment = kernel_experiment(
            "fhp", b->name, _i % 2 ? "131x28" : "1100x28", NULL, test_seed(), settings[_i]);

        if (runs_here(b))
            kernel_check_slabs(&experiment, 4, true, 2);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {logic_bounces, plans},
                     .table = {{logic_equals_the_tables, 3},
                               {words_of_bits_are_those_of_cells, COUNT(places)},
                               {events_are_those_of_cells, 2},
                               {backends_equal_reference, COUNT(shapes) * COUNT(settings)},
                               {any_state_is_stepped, COUNT(settings)},
                               {slabs_equal_the_whole, COUNT(settings)}});
}
