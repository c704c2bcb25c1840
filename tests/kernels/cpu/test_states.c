/* SPDX-License-Identifier: MIT */
/*
 * Models of many states: two models share each function, which tells them apart by what it is
 * given; cells are counted by value, where they are and on the host; states are drawn by shares.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/model/field.h"
#include "core/model/ranks.h"
#include "core/model/survey.h"
#include "core/model/view_bins.h"
#include "core/sim/simulation.h"
#include "core/sim/view_range.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/initial_state.h"
#include "tests/support/support.h"

#define W 37
#define H 23

/* The rule: each cell takes the next state. */
static void next_states(const struct byte_stepper *stepper, int64_t first, int64_t last, uint64_t t)
{
    int states = stepper->setup.model->max_value + 1;

    (void)t;
    for (int p = 0; p < stepper->setup.model->planes; p++) {
        const uint8_t *now = stepper->now.plane[p];
        uint8_t *next = stepper->next.plane[p];

        for (int64_t i = first * stepper->size.w; i < last * stepper->size.w; i++)
            next[i] = (uint8_t)((now[i] + 1) % states);
    }
}

static const struct byte_ops ops = {.passes = 1, .pass = {next_states}};
static struct ca_stepper_observe bare_observe;
static struct ca_stepper stored;

static enum ca_status init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                           struct ca_error *error)
{
    const double share[] = {0.25, 0.0625, 0.5};

    (void)start;
    for (int p = 0; p < setup->model->planes; p++)
        CA_TRY(initial_states(setup, share, setup->model->max_value == 1 ? 1 : 3, (uint32_t)p,
                              lattice->plane[p], 0, error));
    return CA_OK;
}

static void cell(const struct ca_model *model, const void *const planes[], int64_t i, float low,
                 float high, struct ca_appearance *look)
{
    int value = ((const uint8_t *)planes[0])[i];

    (void)low, (void)high;
    *look = (struct ca_appearance){.code = (uint8_t)(value < CA_CODES_MAX ? value : 0),
                                   .level = (float)value / (float)model->max_value};
}

/* Observables 0 ... 6 are the cells of values 0 ... 6, and the last those of the highest value. */
static void states(const struct ca_setup *setup, const int64_t cells[CA_STATES_MAX],
                   double values[CA_OBSERVABLES_MAX])
{
    int bits = ca_plane_bits(setup->model) * setup->model->planes;

    for (int i = 0; i < CA_OBSERVABLES_MAX - 1; i++)
        values[i] = (double)cells[i];
    values[CA_OBSERVABLES_MAX - 1] = (double)cells[(1 << bits) - 1];
}

/* Fields are told apart by their places in the model's table. */
static void share(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                  double value[])
{
    const struct ca_field *fields = ca_fields(means->setup->model);

    value[0] =
        ca_block_sums_at(means, x, y, z)[means->field - fields] / ca_block_samples(means, x, y, z);
}

static const struct ca_field fields[] = {
    {"low", "share of cells with bit 0", NULL, 1, false, false, share},
    {"high", "share of cells with bit 1", NULL, 1, false, false, share},
    {.name = NULL},
};

static const struct ca_model_start start = {
    .named = (const struct ca_start[]){{"random", ""}, {NULL, NULL}}, .init = init};
static const struct ca_model_observe observe = {
    .observables = (const struct ca_observable[]){{.name = "zero"},
                                                  {.name = "one"},
                                                  {.name = "two"},
                                                  {.name = "three"},
                                                  {.name = "four"},
                                                  {.name = "five"},
                                                  {.name = "six"},
                                                  {.name = "highest"},
                                                  {.name = NULL}},
    .states = states,
    .fields = fields};

static struct ca_state_appearance look[CA_CODES_MAX + 1];
static const struct ca_model_draw draw = {.states = look, .cell = cell, .level_full = 1};

static struct ca_backend backends[] = {
    {.name = "here", .stepper = &byte_stepper, .ops = &ops},
    {.name = "stored", .stepper = &stored, .ops = &ops},
    {.name = NULL},
};

/* Planes and the highest value of each. */
static const struct {
    int planes;
    uint8_t most;
} kinds[] = {{1, 1}, {1, 3}, {1, 6}, {1, 255}, {2, 3}, {3, 2}, {4, 1}, {4, 3}};

static const struct ca_param no_params[] = {{.name = NULL}};
static const struct ca_brush no_brushes[] = {{.name = NULL}};

static struct ca_model model_of(int kind)
{
    struct ca_model model = {.name = "states",
                             .dimensions = 2,
                             .radius = 1,
                             .type = CA_U8,
                             .planes = kinds[kind].planes,
                             .plane_names = {"a", "b", "c", "d"},
                             .max_value = kinds[kind].most,
                             .default_size = {W, H, 1},
                             .pace = 1,
                             .params = no_params,
                             .brushes = no_brushes,
                             .backends = backends,
                             .start = &start,
                             .observe = &observe,
                             .draw = &draw};

    for (int i = 0; i < CA_CODES_MAX; i++)
        look[i] = (struct ca_state_appearance){'a', CA_COLOUR_PLAIN, "state"};
    bare_observe = *byte_stepper.observe;
    bare_observe.states = NULL;
    stored = byte_stepper;
    stored.observe = &bare_observe;
    return model;
}

static struct ca_simulation *open_at(struct ca_experiment *experiment, const struct ca_model *model,
                                     int backend)
{
    struct ca_simulation *simulation;
    struct ca_error error;

    ca_experiment_default(experiment, model);
    experiment->backend = &backends[backend];
    experiment->seed = 17;
    ck_assert_ok(ca_simulation_open(&simulation, experiment, &error));
    return simulation;
}

static int value_of(const struct ca_lattice *lattice, const struct ca_model *model, int64_t i)
{
    int value = 0;

    for (int p = 0; p < model->planes; p++)
        value |= ((const uint8_t *)lattice->plane[p])[i] << p * ca_plane_bits(model);
    return value;
}

/* Against a count of stored cells, one after the other, by the stepper and on the host. */
START_TEST(cells_are_counted_by_value)
{
    const struct ca_model model = model_of(_i);
    struct ca_error error;

    for (int b = 0; b < 2; b++) {
        struct ca_experiment experiment;
        struct ca_simulation *simulation = open_at(&experiment, &model, b);

        for (int step = 0; step < 3; step++) {
            int64_t cells[CA_STATES_MAX] = {0};
            double expected[CA_OBSERVABLES_MAX] = {0}, got[CA_OBSERVABLES_MAX];
            struct ca_lattice lattice;

            ck_assert_ok(ca_simulation_store(simulation, &lattice, &error));
            for (int64_t i = 0; i < (int64_t)W * H; i++)
                cells[value_of(&lattice, &model, i)]++;
            states(ca_simulation_setup(simulation), cells, expected);
            ck_assert_ok(ca_simulation_observe(simulation, got, &error));
            ck_assert_mem_eq(got, expected, sizeof got);
            ca_lattice_free(&lattice);
            ck_assert_ok(ca_simulation_step(simulation, 1, &error));
        }
        ca_simulation_close(simulation);
    }
}
END_TEST

/* The state of the highest count that a picture's character covers, in all of 255 codes. */
START_TEST(pictures_have_many_states)
{
    struct ca_model model = model_of(3);
    struct ca_experiment experiment;
    struct ca_simulation *simulation = open_at(&experiment, &model, 0);
    uint8_t cells[W * H];
    const void *planes[CA_PLANES_MAX] = {cells};
    struct view_appearances appearances;
    const int across[] = {0, W}, down[] = {0, H};
    const struct ca_view_bins bins = {
        .across = across, .down = down, .columns = 1, .lines = 1, .width = W};

    view_appearances_make(&appearances, simulation);
    ck_assert_int_eq(appearances.u8.radix, 256);
    for (int v = 0; v < CA_CODES_MAX; v++) {
        struct ca_bin_sum sum;

        memset(cells, (v + 1) % CA_CODES_MAX, sizeof cells);
        memset(cells, v, W * H - W);
        sum = ca_bin_sum_of(&bins, &appearances.u8, (const uint8_t *const *)planes, 0);
        ck_assert_int_eq(sum.frequent, v);
        ck_assert_int_eq(sum.top, v + 1 < CA_CODES_MAX ? v + 1 : v);
    }
    ca_simulation_close(simulation);
}
END_TEST

/* One function serves two fields. */
START_TEST(fields_know_themselves)
{
    const struct ca_model model = model_of(1);
    struct ca_experiment experiment;
    struct ca_simulation *simulation = open_at(&experiment, &model, 0);
    struct ca_lattice lattice;
    struct ca_error error;
    double ones[2] = {0}, sums[CA_BLOCK_SUMS_MAX] = {0};
    struct ca_block_means means = {
        .setup = ca_simulation_setup(simulation), .sums = sums, .states = 1};

    ck_assert_ok(ca_blocks_make(&means.blocks, experiment.size, experiment.size, &error));
    ck_assert_ok(ca_simulation_blocks(simulation, &means.blocks, sums, &error));
    ck_assert_ok(ca_simulation_store(simulation, &lattice, &error));
    for (int64_t i = 0; i < (int64_t)W * H; i++)
        for (int b = 0; b < 2; b++)
            ones[b] += ((const uint8_t *)lattice.plane[0])[i] >> b & 1;
    for (int b = 0; b < 2; b++) {
        double value;

        ca_field_values(&fields[b], &means, &value);
        ck_assert_double_eq(value, ones[b] / (W * H));
    }
    ca_lattice_free(&lattice);
    ca_simulation_close(simulation);
}
END_TEST

/* As calab-models(7) has it, cell by cell; and a single share as a random plane. */
START_TEST(states_are_drawn_by_shares)
{
    static uint8_t cells[W * H], plane[W * H];
    const double share[] = {0.25, 0.0625, 0.5};
    const struct ca_model model = model_of(1);
    const struct ca_setup setup = {.model = &model, .size = {W, H, 1}, .seed = UINT64_C(5) << 33};
    struct ca_error error;
    int count[4] = {0};

    ck_assert_ok(initial_states(&setup, share, 3, 0, cells, 0, &error));
    for (int64_t y = 0; y < H; y++)
        for (int64_t x = 0; x < W; x++) {
            double u = ca_uniform(setup.seed, (uint64_t)x, (uint64_t)y, 0, 0, 0) / 4294967296.0;
            int expected = u < 0.25 ? 1 : u < 0.3125 ? 2 : u < 0.8125 ? 3 : 0;

            ck_assert_int_eq(cells[y * W + x], expected);
            count[expected]++;
        }
    for (int s = 0; s < 4; s++)
        ck_assert_int_gt(count[s], 20);
    for (int i = 0; i < W * H; i++) /* the bits from 3 on alone are set */
        plane[i] = (uint8_t)(5 | cells[i] << 3);
    memset(cells, 5, sizeof cells);
    ck_assert_ok(initial_states(&setup, share, 3, 0, cells, 3, &error));
    ck_assert_mem_eq(cells, plane, sizeof cells);
    memset(cells, 0, sizeof cells);
    memset(plane, 0, sizeof plane);
    ck_assert_ok(initial_states(&setup, share, 1, 2, cells, 0, &error));
    ck_assert_ok(initial_random(&setup, share[0], 2, plane, 1, &error));
    ck_assert_mem_eq(cells, plane, sizeof cells);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {pictures_have_many_states, fields_know_themselves,
                              states_are_drawn_by_shares},
                     .table = {{cells_are_counted_by_value, COUNT(kinds)}});
}
