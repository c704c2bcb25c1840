/* SPDX-License-Identifier: MIT */
/*
 * Passes of cuda-temporal that skip still tiles, against another backend cell for cell: patterns
 * that move from tile to tile, come to rest and are hit again, in calls that leave remainders, with
 * cells loaded and states brought back in between; and when it pays to skip.
 */
#include "core/base/random.h"

#include "kernels/moore/still.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

/* --- patterns --------------------------------------------------------------------------------- */

static const char *const gun[] = {
    "........................O...........", "......................O.O...........",
    "............OO......OO............OO", "...........O...O....OO............OO",
    "OO........O.....O...OO..............", "OO........O...O.OO....O.O...........",
    "..........O.....O.......O...........", "...........O...O....................",
    "............OO......................", NULL};
static const char *const glider[] = {".O.", "..O", "OOO", NULL};
static const char *const back[] = {"OOO", "O..", ".O.", NULL}; /* the other way */
static const char *const blinker[] = {"OOO", NULL};
static const char *const block[] = {"OO", "OO", NULL};
static const char *const lightweight[] = {".O..O", "O....", "O...O", "OOOO.", NULL};

static void put(struct ca_lattice *state, const char *const *rows, int64_t x, int64_t y)
{
    uint8_t *cells = state->plane[0];
    int64_t w = state->size.w, h = state->size.h;

    for (int64_t j = 0; rows[j]; j++)
        for (int64_t i = 0; rows[j][i]; i++)
            cells[((y + j) % h + h) % h * w + ((x + i) % w + w) % w] = rows[j][i] == 'O';
}

/* Patterns at the ends of tiles (rows 24, 48 ...; column 3840 of rows that are cut to segments) and
 * of the lattice, and a small soup. */
static void scene(struct ca_lattice *state, int which)
{
    int64_t w = state->size.w, h = state->size.h;
    uint8_t *cells = state->plane[0];

    if (which % 2 == 0)
        put(state, gun, w > 3840 ? 3800 : 10, 8);
    put(state, glider, w - 6, h - 5); /* over both ends */
    put(state, back, w > 3840 ? 3843 : w / 2, 26);
    put(state, lightweight, w > 7680 ? 7683 : 1, h / 2);
    for (int i = 0; i < 3; i++) {
        put(state, blinker, w / 3, 24 * i - 1);
        put(state, block, w / 4 + 9 * i, 24 * i + 11);
    }
    for (int64_t y = 0; which % 2 && y < 20; y++)
        for (int64_t x = 0; x < 30; x++)
            cells[(h / 3 + y) % h * w + (w / 2 + x) % w] =
                ca_uniform(test_seed(), (uint64_t)x, (uint64_t)y, 0, 0, 0) & 1;
}

/* --- backends side by side -------------------------------------------------------------------- */

struct pair {
    struct ca_experiment experiment;
    struct kernel expected, tested;
};

static void pair_check(struct pair *pair)
{
    struct ca_lattice expected = kernel_store(&pair->expected);
    struct ca_lattice got = kernel_store(&pair->tested);

    kernel_compare(&pair->experiment, pair->tested.generation, &expected, &got);
    ca_lattice_free(&expected);
    ca_lattice_free(&got);
}

static void pair_step(struct pair *pair, uint64_t n)
{
    kernel_step(&pair->expected, n);
    kernel_step(&pair->tested, n);
    pair_check(pair);
}

static struct pair pair_open(const char *model, const char *size, const char *settings)
{
    struct pair pair = {
        .experiment = kernel_experiment(model, "cuda-temporal", size, NULL, test_seed(), settings)};
    struct ca_experiment other = pair.experiment;
    const struct ca_backend *bitslice;
    struct ca_error error;

    ck_assert_ok(ca_backend_find(&bitslice, other.model, "bitslice", &error));
    ca_experiment_backend(&other, bitslice, CA_FROM_COMMAND_LINE);
    kernel_open(&pair.expected, &other);
    kernel_open(&pair.tested, &pair.experiment);
    return pair;
}

static void pair_load(struct pair *pair, const struct ca_lattice *state)
{
    kernel_load(&pair->expected, state);
    kernel_load(&pair->tested, state);
}

static void pair_close(struct pair *pair)
{
    kernel_close(&pair->expected);
    kernel_close(&pair->tested);
}

/* Loads one row alone. */
static void pair_edit(struct pair *pair, const struct ca_lattice *state, int64_t row)
{
    struct kernel *kernels[] = {&pair->expected, &pair->tested};
    void *planes[CA_PLANES_MAX];
    struct ca_error error;

    ca_lattice_at(state, row, planes);
    for (int i = 0; i < 2; i++)
        ck_assert_ok(kernels[i]->backend->stepper->load(
            kernels[i]->self, (const void *const *)planes, row, 1, &error));
}

static void pair_mark(struct pair *pair, enum ca_mark what)
{
    struct ca_error error;
    struct kernel *kernels[] = {&pair->expected, &pair->tested};

    for (int i = 0; i < 2; i++)
        ck_assert_ok(kernels[i]->backend->stepper->mark(kernels[i]->self, what, &error));
}

/* --- tests ------------------------------------------------------------------------------------ */

static const struct {
    const char *size, *settings;
} table[] = {
    {"4096x100", "generations=8"}, /* rows of one warp, and no halo */
    {"4224x75", "generations=4"},  /* a segment and 3 groups; the last tile is short */
    {"7681x49", "generations=8"},  /* two segments and one cell */
    {"384x260", "generations=8"},  /* several tiles a warp */
    {"300x130", "generations=6"},  /* with a halo */
    {"130x31", "generations=2"},   /* the last tile has 7 rows */
    {"4099x74", "generations=4 boundary=dead"},
    {"200x77", "generations=4 boundary=dead rule=B36/S23"},
    {"333x60", "generations=4 rule=B3/S238"},  /* looked up by counts */
    {"260x52", "generations=2 rule=B2-a/S12"}, /* by letters */
};

/* In calls that are passes of one kind, that leave remainders, even and odd, and of one generation.
 */
START_TEST(equal)
{
    static const uint64_t calls[] = {64, 3, 8, 16, 41, 24, 1, 48};
    const char *settings = test_text("still=on %s", table[_i / 2].settings);
    struct pair pair = pair_open("life", table[_i / 2].size, settings);
    struct ca_lattice state;
    struct ca_error error;

    ck_assert_ok(ca_lattice_alloc(&state, pair.tested.setup.size, CA_U8, 1, &error));
    scene(&state, _i);
    pair_load(&pair, &state);
    for (size_t i = 0; i < COUNT(calls); i++)
        pair_step(&pair, calls[i]);
    ca_lattice_free(&state);
    pair_close(&pair);
}
END_TEST

/* A soup that dies down, hit by gliders. */
START_TEST(dies_down)
{
    struct pair pair = pair_open("life", "512x96", "still=on generations=8");
    struct ca_lattice state;
    struct ca_error error;

    ck_assert_ok(ca_lattice_alloc(&state, pair.tested.setup.size, CA_U8, 1, &error));
    scene(&state, 1);
    pair_load(&pair, &state);
    pair_step(&pair, 800);
    ca_lattice_free(&state);
    for (int i = 0; i < 3; i++) {
        state = kernel_store(&pair.expected);
        put(&state, i % 2 ? back : glider, 100 * i, 30 * i);
        pair_load(&pair, &state);
        ca_lattice_free(&state);
        pair_step(&pair, 104);
    }
    pair_close(&pair);
}
END_TEST

/* Cells are loaded into a lattice of which all is still, and it goes back to a state before. */
START_TEST(written)
{
    struct pair pair = pair_open("life", "640x96", "still=on generations=4");
    struct ca_lattice state;
    struct ca_error error;

    ck_assert_ok(ca_lattice_alloc(&state, pair.tested.setup.size, CA_U8, 1, &error));
    put(&state, block, 100, 60);
    pair_load(&pair, &state);
    pair_step(&pair, 16);
    pair_mark(&pair, CA_MARK_KEEP);
    for (int i = 0; i < 3; i++) { /* a row of the lattice, with a blinker in it */
        struct ca_lattice now = kernel_store(&pair.expected);

        put(&now, blinker, 150 * i + 70, 22 + i);
        pair_edit(&pair, &now, 22 + i);
        ca_lattice_free(&now);
        pair_step(&pair, i == 1 ? 4 : 12);
    }
    pair_mark(&pair, CA_MARK_BACK);
    pair_step(&pair, 4);
    pair_mark(&pair, CA_MARK_BACK);
    pair_step(&pair, 24);
    pair_mark(&pair, CA_MARK_DROP);
    pair_load(&pair, &state);
    pair_step(&pair, 8);
    ca_lattice_free(&state);
    pair_close(&pair);
}
END_TEST

/* anneal's domains, whose insides are still. */
START_TEST(domains)
{
    struct pair pair = pair_open("anneal", _i ? "300x90" : "4224x50", "still=on generations=8");
    struct ca_lattice state;
    struct ca_error error;

    ck_assert_ok(ca_initial_state(&pair.experiment, &state, &error));
    pair_load(&pair, &state);
    pair_step(&pair, 72);
    pair_step(&pair, 67);
    ca_lattice_free(&state);
    pair_close(&pair);
}
END_TEST

/* --- the choice ------------------------------------------------------------------------------- */

START_TEST(pays)
{
    ck_assert(moore_still_pays(1e-3, 1.75, 0.01)); /* nearly all is still */
    ck_assert(moore_still_pays(1e-3, 1.75, 0.4));
    ck_assert(!moore_still_pays(1e-3, 1.75, 0.5)); /* tiles of few rows take longer than it saves */
    ck_assert(moore_still_pays(1e-3, 1.3, 0.5));
    ck_assert(!moore_still_pays(20e-6, 1.75, 0)); /* a pass that is over before */
    ck_assert(!moore_still_pays(0, 1.75, 0));     /* a GPU of which no bound is known */
}
END_TEST

/* Counts are frequent at first, then seldom. */
START_TEST(counts)
{
    static const int expected[] = {0, 4, 12, 28, 60, 124, 188, 252};
    struct moore_still_choice choice = {.skips = false};
    int counted[8], count = 0;

    for (int pass = 0; count < 8; pass++)
        if (moore_still_counts(&choice))
            counted[count++] = pass;
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(counted[i], expected[i]);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 300, .test = {dies_down, written, pays, counts},
                     .table = {{equal, 2 * (int)COUNT(table)}, {domains, 2}});
}
