/* SPDX-License-Identifier: MIT */
/* configs/models: what is known of each example, from theory or from counting, is what its cell
 * function does. The examples are compiled with the checks of their reads and states, and stepped
 * here row by row. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CA_ENGINE
#include "kernels/file/calab_model.h"
#include "tests/support/support.h"

/* A lattice of an example, and its parameters. */
struct example {
    const struct ca_model_description *model;
    int w, h, d;
    uint64_t t;
    struct ca_model_values values;
    uint8_t *now[CA_MODEL_PLANES_MAX], *next[CA_MODEL_PLANES_MAX]; /* bytes or floats */
};

static const struct ca_model_row *row_of(const struct example *e, const char *name)
{
    for (const struct ca_model_row *const *row = e->model->rows; row < e->model->rows_end; row++)
        if ((*row)->name && strcmp((*row)->name, name) == 0)
            return *row;
    ck_abort_msg("%s has no %s", e->model->name, name);
    return NULL;
}

static void set(struct example *e, const char *name, double value)
{
    int slot = row_of(e, name)->code;

    e->values.real[slot] = (float)value;
    e->values.whole[slot] = (int32_t)value;
    e->values.below[slot] = (int32_t)floor(ldexp(value, 30));
}

static size_t cell_bytes(const struct example *e) { return e->model->floats ? sizeof(float) : 1; }
static size_t cells(const struct example *e) { return (size_t)(e->w * e->h * e->d); }

/* Compiles configs/models/NAME.c and takes its built-in parameters; all cells are 0. */
static struct example open_example(const char *name, int w, int h, int d)
{
    struct example e = {.w = w, .h = h, .d = d};
    const struct ca_model_description *(*describe)(void);
    const char *object = test_path(test_text("%s.so", name));
    void *library;

    ck_assert_int_eq(system(test_text("gcc -std=c11 -Wall -Wextra -Werror -DCA_CHECKED -O2 "
                                      "-ffp-contract=off -fPIC -shared -I%s/kernels/file "
                                      "%s/configs/models/%s.c -o %s",
                                      test_source("."), test_source("."), name, object)),
                     0);
    library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    must_hold(library, "%s", dlerror());
    *(void **)&describe = dlsym(library, "ca_describe_model");
    e.model = describe();
    ck_assert_str_eq(e.model->name, name);
    e.values.seed = test_seed();
    for (const struct ca_model_row *const *row = e.model->rows; row < e.model->rows_end; row++) {
        e.values.states += (*row)->kind == CA_ROW_STATE;
        if ((*row)->kind == CA_ROW_PARAM || (*row)->kind == CA_ROW_WHOLE)
            set(&e, (*row)->name, (*row)->value);
    }
    for (int p = 0; p < e.model->planes; p++) {
        e.now[p] = test_keep(calloc(cells(&e), cell_bytes(&e)));
        e.next[p] = test_keep(calloc(cells(&e), cell_bytes(&e)));
    }
    return e;
}

/* The row that cell() reads at y, z: round the edges of a torus, else zeros. */
static const void *row_at(const struct example *e, int plane, int y, int z)
{
    static const float zeros[4096];

    if (e->model->edge[1] != CA_TORUS && (y < 0 || y >= e->h))
        return zeros;
    y = (y + e->h) % e->h;
    z = (z + e->d) % e->d;
    return e->now[plane] + (size_t)((z * e->h + y) * e->w) * cell_bytes(e);
}

static void step_row(struct example *e, int y, int z)
{
    struct ca_model_fault fault = {0};
    struct ca_model_job job = {.stride = e->w,
                               .count = 1,
                               .width = e->w,
                               .height = e->h,
                               .depth = e->d,
                               .y = y,
                               .z = z,
                               .t = e->t,
                               .values = &e->values,
                               .fault = &fault};
    int r = e->model->radius, deep = e->model->dimensions == 3 ? r : 0, k = 0;

    for (int p = 0; p < e->model->planes; p++) {
        for (int dz = -deep; dz <= deep; dz++)
            for (int dy = -r; dy <= r; dy++)
                job.in[k++] = row_at(e, p, y + dy, z + dz);
        job.out[p] = e->next[p] + (size_t)((z * e->h + y) * e->w) * cell_bytes(e);
    }
    e->model->step(&job);
    must_hold(fault.kind == 0, "%s:%d: fault %d at %d,%d", e->model->name, fault.line, fault.kind,
              (int)fault.x, (int)fault.y);
}

static void run(struct example *e, int steps)
{
    for (; steps > 0; steps--, e->t++) {
        for (int z = 0; z < e->d; z++)
            for (int y = 0; y < e->h; y++)
                step_row(e, y, z);
        for (int p = 0; p < e->model->planes; p++) {
            uint8_t *plane = e->now[p];

            e->now[p] = e->next[p];
            e->next[p] = plane;
        }
    }
}

/* Fills the lattice with a start that is a function. */
static void begin(struct example *e, const char *start)
{
    for (int z = 0; z < e->d; z++) {
        struct ca_model_job job = {.stride = e->w,
                                   .count = e->h,
                                   .width = e->w,
                                   .height = e->h,
                                   .depth = e->d,
                                   .z = z,
                                   .values = &e->values};

        for (int k = 0; k < CA_MODEL_PLANES_MAX * CA_MODEL_LINES_MAX; k++)
            job.in[k] = e->now[0];
        for (int p = 0; p < e->model->planes; p++)
            job.out[p] = e->now[p] + (size_t)(z * e->h * e->w) * cell_bytes(e);
        row_of(e, start)->start(&job);
    }
}

static uint8_t *at(struct example *e, int x, int y)
{
    return &e->now[0][(size_t)((y + e->h) % e->h * e->w + (x + e->w) % e->w)];
}

static int64_t count(const struct example *e, int state)
{
    int64_t n = 0;

    for (size_t i = 0; i < cells(e); i++)
        n += e->now[0][i] == state;
    return n;
}

static int64_t sum(const struct example *e)
{
    int64_t n = 0;

    for (size_t i = 0; i < cells(e); i++)
        n += e->now[0][i];
    return n;
}

static double sum_of_floats(const struct example *e, int plane)
{
    double all = 0;

    for (size_t i = 0; i < cells(e); i++)
        all += (double)((const float *)(void *)e->now[plane])[i];
    return all;
}

/* State 1 with a chance in 65536. */
static void scatter(struct example *e, uint32_t chance)
{
    uint32_t draw = (uint32_t)test_seed();

    for (size_t i = 0; i < cells(e); i++) {
        draw = draw * 1664525 + 1013904223;
        e->now[0][i] = draw >> 16 < chance;
    }
}

/* --- the examples -------------------------------------------------------------------------------
 */

/* In the long run as many trees burn down as grow: each burns for one generation, so that the
 * burning ones are `growth` of the empty places. */
START_TEST(forest)
{
    struct example e = open_example("forest", 128, 128, 1);
    double fires = 0, empty = 0;

    set(&e, "lightning", 0.0002);
    scatter(&e, 26000);
    run(&e, 500);
    for (int i = 0; i < 2000; i++) {
        run(&e, 1);
        fires += (double)count(&e, 2);
        empty += (double)count(&e, 0);
    }
    must_hold(fabs(fires / (0.01 * empty) - 1) < 0.02, "%g", fires / (0.01 * empty));
}
END_TEST

/* An electron is back after 40 generations, as it cuts the four corners of its loop of 44 cells,
 * and passes a diode one way alone. */
static bool passes(const char *const rows[3], int from, int to)
{
    struct example e = open_example("wireworld", 16, 8, 1);
    bool came = false;

    for (int y = 0; y < 3; y++)
        for (int x = 0; rows[y][x]; x++)
            *at(&e, x + 1, y + 2) = rows[y][x] == '#' ? 3 : 0;
    *at(&e, from, 3) = 2;
    *at(&e, from < to ? from + 1 : from - 1, 3) = 1;
    for (int i = 0; i < 16; i++) {
        run(&e, 1);
        came |= *at(&e, to, 3) == 1;
    }
    return came;
}

START_TEST(wireworld)
{
    static const char *const diode[3] = {"     ##", "###### ######", "     ##"};
    struct example e = open_example("wireworld", 32, 32, 1);
    uint8_t *start = test_keep(malloc(cells(&e)));

    begin(&e, "loops");
    ck_assert_int_eq(count(&e, 1), 4);
    memcpy(start, e.now[0], cells(&e));
    run(&e, 39);
    ck_assert_int_ne(memcmp(start, e.now[0], cells(&e)), 0);
    run(&e, 1);
    ck_assert_mem_eq(start, e.now[0], cells(&e));
    ck_assert(passes(diode, 1, 13) != passes(diode, 13, 1));
}
END_TEST

/* One cell makes one wave, of 4t cells after t generations, which meets itself and ends. A wave
 * with an end winds round it for ever: the theorem of Greenberg, Hassard and Hastings. */
START_TEST(excitable)
{
    struct example e = open_example("excitable", 64, 64, 1);

    *at(&e, 32, 32) = 1;
    for (int t = 1; t < 31; t++) {
        run(&e, 1);
        ck_assert_int_eq(count(&e, 1), 4 * t);
    }
    run(&e, 70);
    ck_assert_int_eq(sum(&e), 0);
    for (int x = 0; x < 32; x++) {
        *at(&e, x, 32) = 1;
        *at(&e, x, 33) = 2;
    }
    run(&e, 1000);
    ck_assert_int_gt(count(&e, 1), 64);
}
END_TEST

/* Topples until all places are at rest. */
static void settle(struct example *e)
{
    for (int left = 100000; left > 0; left--) {
        size_t i = 0;

        while (i < cells(e) && e->now[0][i] < 4)
            i++;
        if (i == cells(e))
            return;
        run(e, 1);
    }
    ck_abort_msg("the pile does not come to rest");
}

/* The identity of the group of piles on a square: S(6 - S(6)), where 6 is on all places. */
START_TEST(sandpile_identity)
{
    static const struct {
        int side;
        const char *heights;
    } known[] = {{2, "2222"}, {3, "212101212"}, {4, "2332322332232332"}};

    for (size_t k = 0; k < COUNT(known); k++) {
        struct example e = open_example("sandpile", known[k].side, known[k].side, 1);

        set(&e, "rain", 0);
        memset(e.now[0], 6, cells(&e));
        settle(&e);
        for (size_t i = 0; i < cells(&e); i++)
            e.now[0][i] = (uint8_t)(6 - e.now[0][i]);
        settle(&e);
        for (size_t i = 0; i < cells(&e); i++)
            ck_assert_int_eq(e.now[0][i], known[k].heights[i] - '0');
    }
}
END_TEST

/* With slow rain the mean height comes near 17/8 (V. S. Poghosyan et al., J. Stat. Mech. P10004,
 * 2011), less what the edges of a small table lose; avalanches are of all sizes. */
START_TEST(sandpile_height)
{
    struct example e = open_example("sandpile", 64, 64, 1);
    int64_t height = 0, most = 0, quiet = 0;

    set(&e, "rain", 0.00002);
    memset(e.now[0], 2, cells(&e));
    run(&e, 20000);
    for (int i = 0; i < 2000; i++) {
        int64_t topple = 0;

        run(&e, 5);
        height += sum(&e);
        for (int s = 4; s < 8; s++)
            topple += count(&e, s);
        most = topple > most ? topple : most;
        quiet += topple == 0;
    }
    must_hold(fabs((double)height / 2000 / 4096 - 2.1) < 0.04, "mean height %g",
              (double)height / 2000 / 4096);
    ck_assert_int_gt(most, 20);
    ck_assert_int_gt(quiet, 100);
}
END_TEST

/* Those reached are a cluster of bond percolation, whose threshold on the square lattice is 1/2. */
START_TEST(sir)
{
    struct example e = open_example("sir", 160, 160, 1);
    int large = 0;

    for (int i = 0; i < 8; i++) {
        set(&e, "infection", i < 4 ? 0.4 : 0.65);
        e.values.seed = test_seed() + (uint64_t)i;
        e.t = 0;
        begin(&e, "one");
        run(&e, 600);
        ck_assert_int_eq(count(&e, 1), 0);
        if (i < 4)
            ck_assert_int_lt(count(&e, 2), 25600 / 10);
        else
            large += count(&e, 2) > 25600 * 9 / 10;
    }
    ck_assert_int_ge(large, 2);
}
END_TEST

/* Onsager's and Yang's magnetisation, (1 - sinh(2J/kT)^-4)^(1/8), and none where it is hot. */
START_TEST(ising)
{
    static const double heats[] = {0.08, 0.13, 0.15, 0.3};

    for (size_t k = 0; k < COUNT(heats); k++) {
        struct example e = open_example("ising", 96, 96, 1);
        double s = (1 - heats[k]) / (2 * sqrt(heats[k])), up = 0, m;
        double theory = s > 1 ? pow(1 - pow(s, -4), 0.125) : 0;

        set(&e, "heat", heats[k]);
        begin(&e, "ordered");
        run(&e, 600);
        for (int i = 0; i < 100; i++) {
            run(&e, 10);
            up += (double)count(&e, 1);
        }
        m = 2 * up / 100 / (double)cells(&e) - 1;
        must_hold(fabs(m - theory) < (s > 1 ? 0.02 : 0.05), "heat %g: %g, theory %g", heats[k], m,
                  theory);
    }
}
END_TEST

/* The flow of cars a cell, exact for a limit of 1 (M. Schreckenberg et al., Phys. Rev. E 51, 2939,
 * 1995) and without dawdling. Cars are neither lost nor made. */
START_TEST(traffic)
{
    static const struct {
        int limit;
        double dawdle, density, flow;
    } known[] = {
        {1, 0.5, 0.5, 0.14645}, {1, 0.25, 0.3, 0.19587}, {3, 0, 0.2, 0.6}, {3, 0, 0.5, 0.5}};

    for (size_t k = 0; k < COUNT(known); k++) {
        struct example e = open_example("traffic", 400, 16, 1);
        int64_t cars, moved = 0;
        double density, flow;

        set(&e, "limit", known[k].limit);
        set(&e, "dawdle", known[k].dawdle);
        for (int i = 0; i < 6400; i++) /* as many on each road */
            e.now[0][i] =
                (int)((i % 400 + 1) * known[k].density) > (int)(i % 400 * known[k].density);
        cars = (int64_t)cells(&e) - count(&e, 0);
        run(&e, 2000);
        for (int i = 0; i < 500; i++) {
            run(&e, 1); /* speeds have been chosen */
            moved += sum(&e) - cars;
            run(&e, 1);
        }
        ck_assert_int_eq((int64_t)cells(&e) - count(&e, 0), cars);
        density = (double)cars / (double)cells(&e);
        flow = (double)moved / 500 / (double)cells(&e);
        must_hold(fabs(density - known[k].density) < 1e-9 && fabs(flow - known[k].flow) < 0.003,
                  "row %d: density %g, flow %g, theory %g", (int)k, density, flow, known[k].flow);
    }
}
END_TEST

/* Where the reaction uses what flows in, nothing changes: v = F (1 - u) / (F + K). A
 * square of v grows. */
START_TEST(grayscott)
{
    struct example e = open_example("grayscott", 96, 96, 1);
    double f = 0.04, k = 0.05, u = (1 - sqrt(1 - 4 * (f + k) * (f + k) / f)) / 2, v;
    double before;

    v = f * (1 - u) / (f + k);
    set(&e, "feed", f);
    set(&e, "kill", k);
    for (size_t i = 0; i < cells(&e); i++) {
        ((float *)(void *)e.now[0])[i] = (float)u;
        ((float *)(void *)e.now[1])[i] = (float)v;
    }
    run(&e, 100);
    ck_assert_double_eq_tol(sum_of_floats(&e, 0) / (double)cells(&e), u, 1e-5);
    ck_assert_double_eq_tol(sum_of_floats(&e, 1) / (double)cells(&e), v, 1e-5);
    set(&e, "feed", 0.037);
    set(&e, "kill", 0.06);
    begin(&e, "square");
    before = sum_of_floats(&e, 1);
    run(&e, 3000);
    must_hold(sum_of_floats(&e, 1) > 3 * before, "%g of %g", sum_of_floats(&e, 1), before);
}
END_TEST

/* With parameters at any ends of their ranges the numbers stay finite, which each step checks. */
START_TEST(grayscott_is_stable)
{
    static const char *const names[] = {"feed", "kill", "spread_u", "spread_v"};
    struct example e = open_example("grayscott", 40, 40, 1);

    for (int corner = 0; corner < 16; corner++) {
        for (int i = 0; i < 4; i++) {
            const struct ca_model_row *row = row_of(&e, names[i]);

            set(&e, names[i], corner >> i & 1 ? row->high : row->low);
        }
        begin(&e, "square");
        run(&e, 1500);
    }
}
END_TEST

/* A wave of length L decays as exp(-k (2 pi / L)^2 t); heat stays. */
START_TEST(heat)
{
    struct example e = open_example("heat", 64, 32, 1);
    float *cell = (float *)(void *)e.now[0];
    double rate = 0.2 * pow(2 * M_PI / 64, 2), before;

    for (int i = 0; i < 64 * 32; i++)
        cell[i] = (float)(0.5 + 0.5 * cos(2 * M_PI * (i % 64) / 64));
    run(&e, 500);
    cell = (float *)(void *)e.now[0];
    for (int i = 0; i < 64 * 32; i++)
        ck_assert_double_eq_tol((double)cell[i],
                                0.5 + 0.5 * cos(2 * M_PI * (i % 64) / 64) * exp(-rate * 500), 5e-4);
    begin(&e, "squares");
    before = sum_of_floats(&e, 0);
    run(&e, 500);
    ck_assert_double_eq_tol(sum_of_floats(&e, 0) / before, 1, 1e-5);
}
END_TEST

/* Yes and no are alike; straight borders stay, and a square of 5 is gone at once. */
START_TEST(majority)
{
    struct example e = open_example("majority", 64, 64, 1);
    uint8_t *other = test_keep(malloc(cells(&e)));

    scatter(&e, 32768);
    memcpy(other, e.now[0], cells(&e));
    run(&e, 3);
    for (size_t i = 0; i < cells(&e); i++) {
        uint8_t cell = e.now[0][i];

        e.now[0][i] = !other[i];
        other[i] = !cell;
    }
    run(&e, 3);
    ck_assert_mem_eq(e.now[0], other, cells(&e));
    for (size_t i = 0; i < cells(&e); i++)
        e.now[0][i] = other[i] = i % 64 < 32;
    run(&e, 10);
    ck_assert_mem_eq(e.now[0], other, cells(&e));
    memset(e.now[0], 0, cells(&e));
    for (int i = 0; i < 25; i++)
        *at(&e, 20 + i % 5, 20 + i / 5) = 1;
    run(&e, 1);
    ck_assert_int_ge(count(&e, 1), 1);
    run(&e, 3);
    ck_assert_int_eq(count(&e, 1), 0);
}
END_TEST

/* After 2^n generations the pattern stands six times, 2^n cells from where it was. */
START_TEST(copies)
{
    struct example e = open_example("copies", 40, 40, 40);

    begin(&e, "block");
    ck_assert_int_eq(count(&e, 1), 6);
    run(&e, 8);
    ck_assert_int_eq(count(&e, 1), 36);
    for (int axis = 0; axis < 6; axis++) {
        static const int by[3] = {1, 40, 1600};
        int from = (20 * 40 + 20) * 40 + 20 + (axis % 2 ? 8 : -8) * by[axis / 2];

        for (int i = 0; i < 6; i++)
            ck_assert_int_eq(e.now[0][from + i % 3 + 40 * (i / 3)], 1);
    }
}
END_TEST

/* Langton's ant, followed by itself. It has left 720 black cells after 10,000 steps, and then adds
 * 12 each 104 steps, 2 cells further down and across. */
START_TEST(ant)
{
    enum { SIDE = 200, HIGHWAY = 104 };
    static const int step[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    static uint8_t ground[SIDE][SIDE];
    struct example e = open_example("ant", SIDE, SIDE, 1);
    int x = SIDE / 2, y = SIDE / 2, looks = 0, before[3] = {0};

    begin(&e, "one");
    for (int t = 0; t <= 10400 + HIGHWAY; t++) {
        if (t % 800 == 0)
            for (int i = 0; i < SIDE * SIDE; i++) {
                int own = i == y * SIDE + x ? looks + 1 : 0;

                must_hold(e.now[0][i] == (ground[i / SIDE][i % SIDE] | own << 1),
                          "cell %d is %d at %d", i, e.now[0][i], t);
            }
        if (t == 10000)
            ck_assert_int_eq(count(&e, 1) + (*at(&e, x, y) & 1), 720);
        if (t == 10400)
            before[0] = x, before[1] = y, before[2] = (int)count(&e, 1);
        looks = (looks + (ground[y][x] ? 3 : 1)) % 4;
        ground[y][x] ^= 1;
        if (t == 10400 + HIGHWAY)
            break;
        x += step[looks][0], y += step[looks][1];
        run(&e, 1);
    }
    ck_assert_int_eq(abs(x - before[0]), 2);
    ck_assert_int_eq(abs(y - before[1]), 2);
    ck_assert_int_eq(count(&e, 1) - before[2], 12);
    ck_assert_int_eq(count(&e, 0) + count(&e, 1), SIDE * SIDE - 1);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {forest, wireworld, excitable, sandpile_identity, sandpile_height, sir,
                              ising, traffic, grayscott, grayscott_is_stable, heat, majority,
                              copies, ant});
}
