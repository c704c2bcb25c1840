/* SPDX-License-Identifier: MIT */
/*
 * water: its rule against cases worked out by hand, its reference against the definition written
 * out again here and against the volume, its other backends against reference. Initial states and
 * files: test_water_start.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "core/sim/simulation.h"
#include "kernels/water/elimination.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

/* --- by hand --------------------------------------------------------------------------------- */

static const struct {
    float g, l;
    int count;
    float neighbours[4], best;
} bests[] = {
    {5, 7, 0, {0}, 7},             /* nowhere to go: 2 + 5 */
    {5, 7, 1, {7}, 7},             /* 7 > 7 is false: 14 / 2 */
    {0, 4, 1, {2}, 3},             /* shares: 6 / 2 */
    {0, 4, 1, {5}, 4},             /* too high: 5 > 4 */
    {10, 10, 2, {6, 4}, 4},        /* dry: 6 > 0 + 4 */
    {10, 16, 2, {6, 4}, 8},        /* 4 6 10: 6 + 4, + 6; 10 * 2 > 16 */
    {0, 4, 3, {6, 2, 3}, 3},       /* 0 2 3 6: 4, + 2, + 3; 6 * 3 > 9 */
    {0, 4, 4, {9, 2, 3, 8}, 3},    /* 0 2 3 8 9 */
    {0, 4, 4, {1, 1, 1, 1}, 1.6F}, /* 8 / 5 */
    {-8, -8, 2, {-10, -9}, -10},   /* -9 > -10 stops, and -8 * 2 is not asked */
    {-5, -3, 1, {-3}, -3},         /* 2 - 5, - 3: -6 / 2 */
    {0, 1, 2, {0, 0}, 1.0F / 3},   /* rounded once */
    {0, 0, 4, {0, 0, 0, 0}, 0},
};

START_TEST(best_level_by_hand)
{
    float best = water_best(bests[_i].g, bests[_i].l, bests[_i].neighbours, bests[_i].count);

    ck_assert_msg(memcmp(&best, &bests[_i].best, sizeof best) == 0, "expected %.9g, got %.9g",
                  (double)bests[_i].best, (double)best);
}
END_TEST

/* The same levels by elimination, but for the last bits. */
START_TEST(best_level_by_elimination)
{
    unsigned exist = (1u << bests[_i].count) - 1;
    float best = water_eliminate(bests[_i].g, bests[_i].l, bests[_i].neighbours, exist);

    ck_assert_msg(fabsf(best - bests[_i].best) <= 1e-6F * fmaxf(1, fabsf(bests[_i].best)),
                  "expected %.9g, got %.9g", (double)bests[_i].best, (double)best);
}
END_TEST

/* Equal levels whose mean is rounded down all lie above it, and absent neighbours do not count. */
START_TEST(elimination_ends)
{
    float equal[4] = {0.1F, 0.1F, 0.1F, 0.1F}, far[4] = {-1000, 1, -1000, -1000};
    int below = 0;

    for (float level = 0.1F; level < 0.2F; level = nextafterf(level, 1)) {
        float best;

        for (int i = 0; i < 4; i++)
            equal[i] = level;
        best = water_eliminate(level, level, equal, 15);
        below += best < level;
        ck_assert_msg(fabsf(best - level) <= 1e-7F, "%.9g from %.9g", (double)best, (double)level);
        level = level * 1.0001F;
    }
    ck_assert_int_gt(below, 0);
    ck_assert(water_eliminate(0, 4, far, 2) == 2.5F);
    ck_assert(isnan(water_eliminate(0, NAN, far, 2)));
    ck_assert(isinf(water_eliminate(0, INFINITY, far, 2)));
}
END_TEST

static const struct {
    float g, l, s, best;
    int count;
    float neighbours[4];
    enum water_mode mode;
    float next;
} levels[] = {
    {5, 5, 0, 3, 1, {3}, WATER_ADD, 5},             /* dry: max(g, b) = g */
    {0, 4, 0, 3, 1, {3}, WATER_ADD, 3},             /* gives */
    {0, 2, 0, 2, 1, {3}, WATER_ADD, 3},             /* takes */
    {0, 2, 0, 2, 4, {3, 1, 4, 2}, WATER_ADD, 5},    /* takes 1 and 2 */
    {0, 2, 0.5F, 2, 1, {3}, WATER_ADD, 3.5F},       /* and a source */
    {0, 2, -10, 2, 1, {3}, WATER_ADD, 0},           /* drained until dry */
    {0, 2, 3, 2, 0, {0}, WATER_FILL, 3},            /* topped up to depth 3 */
    {4, 6, 1, 6, 0, {0}, WATER_FILL, 6},            /* deep enough already */
    {4, 6, -0.1F, 6, 1, {9}, WATER_FILL, 4},        /* a sink */
    {4, 6, 0, 6, 1, {9}, WATER_FILL, 9},            /* neither */
    {0, 0, 0, 0, 3, {1e8F, 3, 3}, WATER_ADD, 1e8F}, /* rounded in this order */
    {0, 0, 0, 0, 3, {3, 3, 1e8F}, WATER_ADD, 1.00000008e8F},
};

START_TEST(new_level_by_hand)
{
    float next = water_level(levels[_i].g, levels[_i].l, levels[_i].s, levels[_i].best,
                             levels[_i].neighbours, levels[_i].count, levels[_i].mode);

    ck_assert_msg(memcmp(&next, &levels[_i].next, sizeof next) == 0, "expected %.9g, got %.9g",
                  (double)levels[_i].next, (double)next);
}
END_TEST

/* --- the definition, written out again ------------------------------------------------------- */

static const int north_west_east_south[4][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};

static bool find(struct ca_size size, int64_t x, int64_t y, int which, int64_t *i)
{
    x += north_west_east_south[which][0];
    y += north_west_east_south[which][1];
    *i = y * size.w + x;
    return x >= 0 && x < size.w && y >= 0 && y < size.h;
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static float define_best(const struct ca_lattice *now, int64_t x, int64_t y)
{
    const float *g = now->plane[0], *l = now->plane[1];
    int64_t here = y * now->size.w + x, there;
    volatile float q[5] = {0}, sum;
    float sorted[5];
    int m = 0;

    sorted[m++] = g[here];
    for (int k = 0; k < 4; k++)
        if (find(now->size, x, y, k, &there))
            sorted[m++] = l[there];
    qsort(sorted, (size_t)m, sizeof *sorted, ascending);
    for (int k = 0; k < m; k++)
        q[k] = sorted[k];
    sum = l[here] - g[here];
    sum = sum + q[0];
    for (int k = 1; k < m; k++) {
        volatile float times = q[k] * (float)k;

        if (times > sum)
            return sum / (float)k;
        sum = sum + q[k];
    }
    return sum / (float)m;
}

static float define_level(const struct ca_lattice *now, const float *best, int64_t x, int64_t y,
                          bool fill)
{
    const float *g = now->plane[0], *l = now->plane[1], *s = now->plane[2];
    int64_t here = y * now->size.w + x, there;
    volatile float change = fill ? 0 : s[here], flow, level;

    for (int k = 0; k < 4; k++)
        if (find(now->size, x, y, k, &there)) {
            flow = best[there] - l[here];
            change = change + (flow > 0 ? flow : 0);
        }
    flow = (g[here] > best[here] ? g[here] : best[here]) - l[here];
    change = change + flow;
    level = l[here] + change;
    if (level < g[here] || (fill && s[here] < 0))
        return g[here];
    flow = g[here] + s[here];
    return fill && s[here] > 0 && flow > level ? flow : level;
}

static const char *const experiments[][3] = {
    /* size, start, parameters */
    {"1x1", "hills", "spring=0.3"},
    {"1x7", "hills", "rain=3"},
    {"2x2", "hills", "relief=-5000"},
    {"9x1", "dam", ""},
    {"40x23", "hills", "relief=20 rain=2 spring=-3"},
    {"23x40", "hills", "relief=7 rain=1 spring=5 source_mode=fill"},
    {"33x20", "hills", "relief=-50 rain=0.01 spring=-1 source_mode=fill"},
    {"64x9", "dam", "source_mode=fill"},
};

START_TEST(steps_are_as_defined)
{
    struct ca_experiment experiment =
        kernel_experiment("water", "reference", experiments[_i][0], experiments[_i][1], test_seed(),
                          experiments[_i][2]);
    struct ca_lattice state, next;
    struct ca_error error;
    struct kernel kernel;
    float *best;

    ck_assert_ok(ca_initial_state(&experiment, &state, &error));
    best = calloc((size_t)ca_cells(state.size), sizeof *best);
    kernel_open(&kernel, &experiment);
    kernel_load(&kernel, &state);
    for (int n = 0; n < 40; n++) {
        struct ca_size size = state.size;

        kernel_step(&kernel, 1);
        next = kernel_store(&kernel);
        for (int64_t y = 0; y < size.h; y++)
            for (int64_t x = 0; x < size.w; x++)
                best[y * size.w + x] = define_best(&state, x, y);
        for (int64_t y = 0; y < size.h; y++)
            for (int64_t x = 0; x < size.w; x++) {
                float expected =
                    define_level(&state, best, x, y, strstr(experiments[_i][2], "fill") != NULL);
                float got = ((float *)next.plane[1])[y * size.w + x];

                must_hold(memcmp(&got, &expected, sizeof got) == 0,
                          "generation %d (%d, %d): expected %.9g, got %.9g", n + 1, (int)x, (int)y,
                          (double)expected, (double)got);
            }
        for (int p = 0; p < 3; p += 2) /* terrain and source stay */
            ck_assert(
                memcmp(next.plane[p], state.plane[p], (size_t)ca_cells(size) * sizeof(float)) == 0);
        ca_lattice_free(&state);
        state = next;
    }
    kernel_close(&kernel);
    ca_lattice_free(&state);
    free(best);
}
END_TEST

/* --- volume ---------------------------------------------------------------------------------- */

/* The fastest backend of a CPU that runs here. */
static const char *fast(void)
{
    const char *name = "threads";
    struct ca_error error;

    for (const struct ca_backend *b = water_model.backends; b->name; b++)
        if (b->device == CA_CPU && !strncmp(b->name, "avx", 3) &&
            ca_backend_available(b, &error) == CA_OK)
            name = b->name;
    return name;
}

static struct ca_simulation *open_water(const char *backend, const char *size, const char *init,
                                        const char *settings)
{
    struct ca_experiment experiment =
        kernel_experiment("water", backend, size, init, test_seed(), settings);
    struct ca_simulation *simulation;
    struct ca_error error = {.text = ""};

    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    return simulation;
}

/* Steps, observes, and returns what is broken. */
static int watch(struct ca_simulation *simulation, struct ca_invariants *invariants,
                 uint64_t generations)
{
    double now[CA_OBSERVABLES_MAX];
    struct ca_error error = {.text = ""};

    ck_assert_ok(ca_simulation_step(simulation, generations, &error));
    ck_assert_ok(ca_simulation_observe(simulation, now, &error));
    ck_assert_double_eq(now[2], 0); /* no level below terrain */
    return ca_invariants_take(invariants, simulation, now);
}

static const struct {
    const char *size, *init, *settings;
    double kept_within;
} closed[] = {
    {"256x256", "dam", "threads=2", 1e-5},
    {"100x70", "hills", "threads=2 spring=0 relief=2 rain=20 source_mode=fill", 1e-5},
    /* Over high terrain rounding shows earlier. */
    {"64x64", "hills", "threads=2 spring=0", 1e-3},
    {"64x64", "hills", "threads=2 spring=0 relief=-10000", 1e-2},
    {"64x64", "hills", "threads=2 spring=0 relief=0 rain=0.1", 1e-5},
};

/* The rounding of every single generation is within its bound. */
START_TEST(volume_is_kept)
{
    struct ca_simulation *simulation =
        open_water("threads", closed[_i].size, closed[_i].init, closed[_i].settings);
    struct ca_invariants invariants = {.known = false};
    double start;

    ck_assert_int_eq(watch(simulation, &invariants, 0), -1);
    start = invariants.values[0];
    ck_assert_double_gt(start, 100);
    for (int n = 1; n <= 1000; n++) {
        ck_assert_msg(watch(simulation, &invariants, 1) == -1, "generation %d", n);
        ck_assert_msg(fabs(invariants.values[0] / start - 1) <= closed[_i].kept_within,
                      "generation %d: volume %.17g of %.17g", n, invariants.values[0], start);
    }
    ca_simulation_close(simulation);
}
END_TEST

/* Takes the water of the cell in the middle. Returns how much it was. */
static double lose_a_cell(struct ca_simulation *simulation)
{
    uint64_t generation = ca_simulation_generation(simulation);
    struct ca_error error = {.text = ""};
    struct ca_lattice state;
    float *level, terrain;
    int64_t middle;
    double lost;

    ck_assert_ok(ca_simulation_store(simulation, &state, &error));
    middle = ca_cells(state.size) / 2 + state.size.w / 2;
    level = (float *)state.plane[WATER_LEVEL] + middle;
    terrain = ((const float *)state.plane[WATER_TERRAIN])[middle];
    lost = (double)*level - (double)terrain;
    *level = terrain;
    ck_assert_ok(ca_simulation_load(simulation, &state, generation, &error));
    ca_lattice_free(&state);
    return lost;
}

/* A million generations raise no alarm, however rarely they are observed, and a cell that is lost
 * after them does. */
START_TEST(a_million_generations)
{
    struct ca_simulation *simulation = open_water(fast(), "24x16", "dam", "threads=1");
    struct ca_invariants often = {.known = false}, rarely = {.known = false};

    ck_assert_int_eq(watch(simulation, &often, 0), -1);
    ck_assert_int_eq(watch(simulation, &rarely, 0), -1);
    for (int n = 0; n < 10000; n++)
        ck_assert_msg(watch(simulation, &often, 100) == -1, "generation %d", 100 * n + 100);
    ck_assert_int_eq(watch(simulation, &rarely, 0), -1);
    ck_assert_double_gt(lose_a_cell(simulation), 2);
    ck_assert_int_eq(watch(simulation, &often, 100), 0);
    ck_assert_int_eq(watch(simulation, &often, 100), 0);
    ca_simulation_close(simulation);
}
END_TEST

/* Over flat terrain the water of a cell of mean depth is seen in up to 2^18 cell generations. */
static const struct {
    const char *size;
    uint64_t generations;
    int broken;
} losses[] = {
    {"64x64", 1, 0},    {"64x64", 60, 0},    {"64x64", 70, -1},    {"500x500", 1, 0},
    {"500x500", 2, -1}, {"1500x1000", 0, 0}, {"1500x1000", 1, -1},
};

START_TEST(a_lost_cell_is_seen)
{
    struct ca_simulation *simulation =
        open_water(fast(), losses[_i].size, "hills", "threads=2 relief=0 rain=4 spring=0");
    struct ca_invariants invariants = {.known = false};

    ck_assert_int_eq(watch(simulation, &invariants, 0), -1);
    ck_assert_int_eq(watch(simulation, &invariants, 20), -1);
    ck_assert_double_eq_tol(lose_a_cell(simulation), 4, 0.001);
    ck_assert_int_eq(watch(simulation, &invariants, losses[_i].generations), losses[_i].broken);
    ca_simulation_close(simulation);
}
END_TEST

/* A dry lattice, and one that overflows. */
START_TEST(the_bound_at_its_ends)
{
    struct ca_simulation *simulation =
        open_water("reference", "8x8", "hills", "relief=0 rain=0 spring=0");
    const struct ca_observable *volume = &ca_observables(&water_model)[0];
    double values[CA_OBSERVABLES_MAX] = {0}, one[CA_OBSERVABLES_MAX] = {1};
    double overflow[CA_OBSERVABLES_MAX] = {INFINITY};

    ck_assert_double_eq(volume->drift(values, UINT64_MAX), 0);
    ck_assert_double_eq(volume->drift(one, 0), 0);
    ck_assert_double_eq_tol(volume->drift(one, 1), 64.0 / (1 << 24), 1e-10);
    ck_assert_double_gt(volume->drift(one, UINT64_MAX), 1e300);
    ck_assert_int_eq(kernel_broken(simulation, values, values), -1);
    ck_assert_int_eq(kernel_broken(simulation, values, one), 0);
    ck_assert_int_eq(kernel_broken(simulation, one, overflow), 0);
    values[2] = 1;
    ck_assert_int_eq(kernel_broken(simulation, one, values), 0);
    values[0] = 1;
    ck_assert_int_eq(kernel_broken(simulation, one, values), 2);
    ca_simulation_close(simulation);
}
END_TEST

/* With a spring the volume grows by what it adds, and that is no alarm. */
START_TEST(a_spring_adds_its_water)
{
    struct ca_experiment experiment =
        kernel_experiment("water", "reference", "20x20", "hills", 3, "spring=2 relief=10");
    double start[CA_OBSERVABLES_MAX], now[CA_OBSERVABLES_MAX];
    struct ca_simulation *simulation;
    struct ca_error error;

    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_simulation_observe(simulation, start, &error));
    ck_assert_ok(ca_simulation_step(simulation, 100, &error));
    ck_assert_ok(ca_simulation_observe(simulation, now, &error));
    ck_assert_double_eq(start[3], 1);
    ck_assert_double_eq_tol(now[0] - start[0], 200, 0.01);
    ck_assert_int_eq(kernel_broken(simulation, start, now), -1);
    ca_simulation_close(simulation);
}
END_TEST

/* --- the other backends ---------------------------------------------------------------------- */

static const char *const shapes[] = {"1x1",  "2x1",  "1x3",    "31x2",  "3x32", "33x34",
                                     "64x5", "7x96", "255x33", "500x3", "96x64"};
static const char *const settings[][2] = {
    {"hills", "threads=2"},
    {"hills", "threads=3 relief=-30 spring=-2 source_mode=fill"},
    {"dam", "threads=7"},
    {"hills", "threads=2 relief=5 rain=10 spring=8 source_mode=fill"},
};

START_TEST(backends_equal_reference)
{
    static const uint64_t calls[] = {1, 2, 3, 17, 0};
    int n = sizeof settings / sizeof settings[0];

    for (const struct ca_backend *b = water_model.backends + 1; b->name; b++) {
        struct ca_experiment experiment;
        struct ca_error error;

        if (ca_backend_available(b, &error) != CA_OK)
            continue;
        experiment = kernel_experiment("water", b->name, shapes[_i / n], settings[_i % n][0],
                                       test_seed(), settings[_i % n][1]);

        kernel_check_same(&experiment, calls);
        kernel_check_rows(&experiment);
    }
}
END_TEST

/*
 * States that no start makes: ties everywhere, levels at the terrain, altitudes of both signs and
 * of very different sizes, sources and sinks in any cell.
 */
static float draw(uint64_t *random, int kind)
{
    uint32_t bits;

    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    bits = (uint32_t)(*random >> 33);
    switch (kind) {
    case 0: /* few values */
        return (float)((int)(bits % 5) - 2);
    case 1: /* very different sizes */
        return (float)((int)(bits % 2001) - 1000) * powf(2, (float)((int)(bits >> 16) % 40 - 20));
    default:
        return (float)bits / 65536;
    }
}

static struct ca_lattice wild_state(struct ca_size size, int kind, uint64_t seed)
{
    struct ca_lattice lattice;
    struct ca_error error;
    uint64_t random = seed;
    float *plane[3];

    ck_assert_ok(ca_lattice_alloc(&lattice, size, CA_F32, 3, &error));
    for (int p = 0; p < 3; p++)
        plane[p] = lattice.plane[p];
    for (int64_t i = 0; i < ca_cells(size); i++) {
        float depth = draw(&random, kind);

        plane[0][i] = draw(&random, kind);
        plane[1][i] = depth > 0 ? plane[0][i] + depth : plane[0][i];
        plane[2][i] = i / size.w % 3 == 1 ? draw(&random, kind) : 0; /* rows with and without */
    }
    return lattice;
}

static const char *const wild_shapes[] = {"40x12", "17x9", "16x4", "1x5", "65x2"};

START_TEST(wild_states)
{
    for (const struct ca_backend *b = water_model.backends + 1; b->name; b++)
        for (int kind = 0; kind < 6; kind++) {
            const char *set = kind % 2 ? "threads=3 source_mode=fill" : "threads=2 source_mode=add";
            struct ca_experiment experiment =
                kernel_experiment("water", b->name, wild_shapes[_i], "hills", test_seed(), set);
            struct ca_experiment by_reference =
                kernel_experiment("water", "reference", wild_shapes[_i], "hills", test_seed(), set);
            struct ca_lattice state = wild_state(experiment.size, kind / 2, test_seed()), expected;
            struct kernel reference, tested;
            struct ca_error error;

            if (ca_backend_available(b, &error) == CA_OK) {
                kernel_open(&reference, &by_reference);
                kernel_open(&tested, &experiment);
                kernel_load(&reference, &state);
                kernel_load(&tested, &state);
                for (int n = 1; n <= 8; n++) {
                    struct ca_lattice got;

                    kernel_step(&reference, 1);
                    kernel_step(&tested, 1);
                    expected = kernel_store(&reference);
                    got = kernel_store(&tested);
                    kernel_compare_near(&experiment, (uint64_t)n, &expected, &got);
                    if (b->tolerance > 0) /* the next step begins in the same state again */
                        kernel_load(&reference, &got);
                    ca_lattice_free(&expected);
                    ca_lattice_free(&got);
                }
                kernel_close(&reference);
                kernel_close(&tested);
            }
            ca_lattice_free(&state);
        }
}
END_TEST

START_TEST(slabs_equal_the_whole)
{
    for (const struct ca_backend *b = water_model.backends; b->name; b++) {
        struct ca_experiment experiment;
        struct ca_error error;

        if (ca_backend_available(b, &error) != CA_OK)
            continue;
        experiment = kernel_experiment("water", b->name, "35x24", "hills", test_seed(),
                                       "threads=2 relief=30");

        kernel_check_slabs(&experiment, 2 * (_i + 1), false, 3);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {elimination_ends, a_million_generations, the_bound_at_its_ends,
                              a_spring_adds_its_water},
                     .table = {{best_level_by_hand, COUNT(bests)},
                               {best_level_by_elimination, COUNT(bests)},
                               {new_level_by_hand, COUNT(levels)},
                               {steps_are_as_defined, COUNT(experiments)},
                               {volume_is_kept, COUNT(closed)},
                               {a_lost_cell_is_seen, COUNT(losses)},
                               {backends_equal_reference, COUNT(shapes) * COUNT(settings)},
                               {wild_states, COUNT(wild_shapes)},
                               {slabs_equal_the_whole, 3}});
}
