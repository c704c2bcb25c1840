/* SPDX-License-Identifier: MIT */
/*
 * What ranks are predicted to take, in numbers: places and shares of threads, the pieces of a
 * lattice, exchanges and their cost, and the choice among them, by a backend whose plans are the
 * test's.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/machine/device.h"
#include "core/ranks/cut.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

#define EXACT 1e-12 /* relative */

static const struct ca_param options[] = {
    RANKS_OPTIONS,
    {.name = "threads", .kind = CA_INT, .min = 0, .max = 1024},
    {.name = "device", .kind = CA_INT, .min = 0, .max = 63},
    {.name = "devices", .kind = CA_TEXT},
    {.name = NULL},
};

/* --- a backend ------------------------------------------------------------------------------- */

/* What a slab takes: waves of so many layers, each of which takes so long; and the rest of its
 * plan. */
static struct {
    int64_t wave;
    double wave_s, hidden_s;
    int pass;
    int period; /* passes are whole after a multiple of these generations; 0: after any */
    int64_t halo_row_bytes, largest;
    int calls;
} slab;

static enum ca_status slab_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                struct ca_error *error)
{
    int64_t extent = setup->slab.extent;
    int served = (int)(setup->slab.ghost_high / setup->model->radius);

    slab.calls++;
    if (extent > slab.largest)
        return ca_fail(error, CA_NO_MEMORY, "%lld layers are too many", (long long)extent);
    plan->generations = slab.pass;
    plan->step_s = slab.wave_s * (double)((extent + slab.wave - 1) / slab.wave);
    plan->memory_bytes = 1000 * extent;
    plan->halo_row_bytes = slab.halo_row_bytes;
    plan->hidden_s = slab.hidden_s;
    plan->period = slab.period > 0 ? served / slab.period * slab.period : 0;
    return CA_OK;
}

static struct ca_stepper stepper = {.plan = slab_plan};
static struct ca_backend backend = {.name = "test", .stepper = &stepper, .options = options};

/* A lattice of a model, on that kind of device. */
static struct ca_setup setup_of(const char *model, const char *size, enum ca_device_kind kind)
{
    struct ca_experiment e = kernel_experiment(model, "reference", size, NULL, 1, NULL);
    struct ca_setup setup = ca_setup_of(&e);

    backend.device = kind;
    setup.backend = &backend;
    ca_values_default(&setup.options, options);
    slab.wave = 1;
    slab.wave_s = 0;
    slab.pass = 1;
    slab.largest = INT64_MAX;
    return setup;
}

static void set(struct ca_setup *setup, const char *name, const char *text)
{
    struct ca_error error;

    ck_assert_ok(ca_values_set(&setup->options, ca_values_find(&setup->options, name), text,
                               CA_FROM_COMMAND_LINE, NULL, &error));
}

static void set_number(struct ca_setup *setup, const char *name, int64_t number)
{
    set(setup, name, test_text("%lld", (long long)number));
}

static struct ca_cut cut_with(const struct ca_setup *setup, const struct ca_plan *plan)
{
    struct ca_error error;
    struct ca_cut cut;

    ck_assert_ok(ca_cut_make(&cut, setup, plan, &error));
    return cut;
}

static void is(double got, double expected)
{
    ck_assert_double_eq_tol(got, expected, EXACT * fabs(expected));
}

/* --- places ---------------------------------------------------------------------------------- */

static const struct {
    int ranks;
    const char *devices, *threads;
    int count, device[8], share[8];
} places[] = {
    {0, "1,3,5", "12", 3, {1, 3, 5}, {4, 4, 4}},
    {2, "1,3,5", "12", 2, {1, 3}, {6, 6}},
    {3, "1,3,5", "13", 3, {1, 3, 5}, {4, 4, 4}},
    {4, "1,3,5", "4", 4, {1, 1, 3, 5}, {1, 1, 1, 1}},
    {6, "1,3,5", "5", 6, {1, 1, 3, 3, 5, 5}, {1, 1, 1, 1, 1, 1}},
    {5, "7,2", "11", 5, {7, 7, 7, 2, 2}, {2, 2, 2, 2, 2}},
    {3, "", "6", 3, {-1, -1, -1}, {2, 2, 2}},
};

/* Ranks go to devices in their order, as many to each, and share the threads of their process. */
START_TEST(ranks_have_places)
{
    struct ca_setup setup = setup_of("anneal", "20x64", CA_CUDA), own;
    struct ca_cut cut;

    set_number(&setup, "ranks", places[_i].ranks);
    set(&setup, "threads", places[_i].threads);
    set_number(&setup, "device", 4);
    if (places[_i].devices[0])
        set(&setup, "devices", places[_i].devices);
    cut = cut_with(&setup, &(struct ca_plan){.generations = 1});
    ck_assert_int_eq(cut.ranks, places[_i].count);
    for (int r = 0; r < cut.ranks; r++) {
        ck_assert_int_eq(cut.place[r].process, 0);
        ck_assert_int_eq(cut.place[r].device, places[_i].device[r]);
        ck_assert_int_eq(cut.threads[r], places[_i].share[r]);
        own = ca_cut_setup(&cut, &setup, r);
        ck_assert_int_eq(ca_int(&own.options, "device"),
                         places[_i].device[r] < 0 ? 4 : places[_i].device[r]);
        ck_assert_int_eq(ca_int(&own.options, "threads"), places[_i].share[r]);
    }
}
END_TEST

START_TEST(threads_of_all_cores)
{
    struct ca_setup setup = setup_of("anneal", "20x64", CA_CPU);
    int share = ca_cpu_cores() / 2;
    struct ca_cut cut;

    set_number(&setup, "ranks", 2);
    cut = cut_with(&setup, &(struct ca_plan){.generations = 1});
    ck_assert_int_eq(cut.threads[0], share > 1 ? share : 1);
    ck_assert_int_eq(cut.threads[1], share > 1 ? share : 1);
}
END_TEST

START_TEST(one_rank_keeps_its_options)
{
    struct ca_setup setup = setup_of("anneal", "20x64", CA_CUDA), own;
    struct ca_cut cut;

    set_number(&setup, "threads", 7);
    set(&setup, "devices", "0");
    set_number(&setup, "device", 4);
    cut = cut_with(&setup, &(struct ca_plan){.generations = 1});
    own = ca_cut_setup(&cut, &setup, 0);
    ck_assert_int_eq(cut.ranks, 1);
    ck_assert_int_eq(ca_int(&own.options, "threads"), 7);
    ck_assert_int_eq(ca_int(&own.options, "device"), 0);
    ck_assert_int_eq(own.slab.origin, 0);
    ck_assert_int_eq(own.slab.extent, 64);
    ck_assert_int_eq(ca_cut_neighbour(&cut, 0, 1), -1);
}
END_TEST

/* Devices of a job whose processes 0, 1 and 3 have ranks. */
START_TEST(ranks_of_processes)
{
    const struct ca_cut cut = {.ranks = 4, .place = {{0, -1}, {0, -1}, {1, -1}, {3, -1}}};
    static const int first[] = {0, 2, 3, 3, 4};

    for (int p = 0; p < 5; p++)
        ck_assert_int_eq(ca_cut_first_rank(&cut, p), first[p]);
}
END_TEST

/* --- pieces ---------------------------------------------------------------------------------- */

/* Shares of 10, 10 and 11 layers of 5 rows. */
static const struct ca_cut three = {
    .ranks = 3, .torus = true, .rows = 5, .row_bytes = 7, .halo = 4, .first = {0, 10, 20, 31}};

START_TEST(neighbours)
{
    struct ca_cut walls = three, one = three;

    walls.torus = false;
    one.ranks = 1;
    for (int r = 0; r < 3; r++) {
        ck_assert_int_eq(ca_cut_neighbour(&three, r, -1), (r + 2) % 3);
        ck_assert_int_eq(ca_cut_neighbour(&three, r, 1), (r + 1) % 3);
        ck_assert_int_eq(ca_cut_neighbour(&walls, r, -1), r - 1);
        ck_assert_int_eq(ca_cut_neighbour(&walls, r, 1), r == 2 ? -1 : r + 1);
        ck_assert_int_eq(ca_cut_low(&three, r), 4);
        ck_assert_int_eq(ca_cut_low(&walls, r), r == 0 ? 0 : 4);
        ck_assert_int_eq(ca_cut_own(&three, r), r == 2 ? 11 : 10);
    }
    ck_assert_int_eq(ca_cut_neighbour(&one, 0, 1), -1);
    ck_assert_int_eq(ca_cut_low(&one, 0), 0);
    ck_assert_int_eq(ca_cut_sent_bytes(&three), 2 * 4 * 5 * 7);
}
END_TEST

static const struct {
    int rank, side; /* 0: what the rank owns */
    int64_t first, rows;
    struct ca_piece piece; /* rows 0: there is none */
} pieces[] = {
    {1, 0, 0, 155, {20, 50, 50}},  {1, 0, 60, 10, {30, 10, 0}},   {1, 0, 40, 15, {20, 5, 10}},
    {1, 0, 99, 7, {69, 1, 0}},     {1, 0, 100, 7, {0, 0, 0}},     {1, 0, 0, 50, {0, 0, 0}},
    {2, 0, 0, 155, {20, 55, 100}}, {0, 0, 3, 4, {23, 4, 0}},      {1, -1, 0, 155, {0, 20, 30}},
    {1, -1, 45, 155, {15, 5, 0}},  {1, 1, 0, 155, {70, 20, 100}}, {1, 1, 0, 101, {70, 1, 100}},
    {0, -1, 0, 155, {0, 20, 135}}, {0, -1, 0, 135, {0, 0, 0}},    {2, 1, 0, 155, {75, 20, 0}},
    {2, 1, 19, 155, {94, 1, 0}},   {2, -1, 0, 155, {0, 20, 80}},
};

START_TEST(rows_of_ranks)
{
    struct ca_piece got =
        pieces[_i].side ? ca_cut_halo_piece(&three, pieces[_i].rank, pieces[_i].side,
                                            pieces[_i].first, pieces[_i].rows)
                        : ca_cut_piece(&three, pieces[_i].rank, pieces[_i].first, pieces[_i].rows);
    const struct ca_piece *piece = &pieces[_i].piece;

    if (piece->rows == 0) {
        ck_assert_int_le(got.rows, 0);
        return;
    }
    ck_assert_int_eq(got.slab_row, piece->slab_row);
    ck_assert_int_eq(got.rows, piece->rows);
    ck_assert_int_eq(got.offset, piece->offset);
}
END_TEST

START_TEST(no_rows_beyond_a_wall)
{
    struct ca_cut walls = three;

    walls.torus = false;
    ck_assert_int_eq(ca_cut_halo_piece(&walls, 0, -1, 0, 155).rows, 0);
    ck_assert_int_eq(ca_cut_halo_piece(&walls, 2, 1, 0, 155).rows, 0);
    ck_assert_int_eq(ca_cut_halo_piece(&walls, 0, 1, 0, 155).slab_row, 50);
    ck_assert_int_eq(ca_cut_piece(&walls, 0, 0, 155).slab_row, 0);
}
END_TEST

/* --- what an exchange takes ------------------------------------------------------------------ */

static const struct {
    enum ca_device_kind kind;
    int64_t halo, row_bytes;
    double hidden_s; /* that could be */
    double exposed_s, is_hidden_s;
} exchanges[] = {
    {CA_CPU, 4, 600, 0, 34e-6, 0},           {CA_CPU, 4, 600, 20e-6, 14e-6, 20e-6},
    {CA_CPU, 4, 600, 1, 10e-6, 24e-6},       {CA_CPU, 40, 600, 0, 250e-6, 0},
    {CA_CUDA, 100, 40000, 0, 212e-6, 0},     {CA_CUDA, 100, 40000, 50e-6, 162e-6, 50e-6},
    {CA_CUDA, 100, 40000, 1, 10e-6, 202e-6},
};

START_TEST(time_of_an_exchange)
{
    struct ca_setup setup = setup_of("anneal", "20x64", exchanges[_i].kind);
    struct ca_cut cut = {.ranks = 2,
                         .rows = 5,
                         .halo = exchanges[_i].halo,
                         .row_bytes = exchanges[_i].row_bytes,
                         .hidden_s = exchanges[_i].hidden_s};
    struct ca_exchange_time time = ca_cut_exchange_time(&cut, &setup);

    is(time.exposed_s, exchanges[_i].exposed_s);
    ck_assert_double_eq_tol(time.hidden_s, exchanges[_i].is_hidden_s, 1e-18);
    cut.ranks = 1;
    time = ca_cut_exchange_time(&cut, &setup);
    ck_assert_double_eq(time.exposed_s, 0);
    ck_assert_double_eq(time.hidden_s, 0);
}
END_TEST

START_TEST(bytes_of_a_row)
{
    struct ca_setup anneal = setup_of("anneal", "20x64", CA_CPU);
    struct ca_setup water = setup_of("water", "20x64", CA_CPU);
    struct ca_setup life = setup_of("life3d", "20x6x8", CA_CPU);
    struct ca_cut cut;

    for (int i = 0; i < 3; i++)
        set_number(i == 0 ? &anneal : i == 1 ? &water : &life, "ranks", 2);
    cut = cut_with(&anneal, &(struct ca_plan){.generations = 1});
    ck_assert_int_eq(cut.row_bytes, 20);
    ck_assert_int_eq(cut.rows, 1);
    cut = cut_with(&anneal, &(struct ca_plan){.generations = 1, .halo_row_bytes = 1});
    ck_assert_int_eq(cut.row_bytes, 1);
    cut = cut_with(&water, &(struct ca_plan){.generations = 1});
    ck_assert_int_eq(cut.row_bytes, 20 * 4 * water.model->planes);
    cut = cut_with(&life, &(struct ca_plan){.generations = 1});
    ck_assert_int_eq(cut.rows, 6);
}
END_TEST

/* --- the choice by a slab's plan ------------------------------------------------------------- */

/* The least cost of a generation: of cells, each as long, those of both halos among them, and of
 * exchanges by the bytes of bytes of cells. */
static int best_exchange(const struct ca_setup *setup, int64_t own, int most, int pass,
                         double cell_s, double latency_s, double bytes_per_s)
{
    double least = INFINITY;
    int best = 0;

    for (int g = pass; g <= most; g += pass) {
        int64_t halo = ((int64_t)g * setup->model->radius + 1) / 2 * 2;
        int64_t row = setup->size.w, rows = setup->model->dimensions == 3 ? setup->size.h : 1;
        double exchange_s = latency_s + (double)(2 * halo * rows * row) / bytes_per_s;
        double s = cell_s * (double)((own + 2 * halo) * rows * row) + fmax(exchange_s, 10e-6) / g;

        if (s < least) {
            least = s;
            best = g;
        }
    }
    return best;
}

static const struct {
    const char *model, *size;
    int ranks;
    int64_t own; /* layers of rank 0, and what the smallest share serves */
    int serves;
    enum ca_device_kind kind;
    int pass;
    double step_s; /* of a slab with halos of one generation; 0: unknown */
} choices[] = {
    {"anneal", "64x4096", 2, 2048, 2048, CA_CPU, 1, 0},
    {"anneal", "64x4096", 2, 2048, 2048, CA_CUDA, 1, 0},
    {"anneal", "640x4096", 4, 1024, 1024, CA_CPU, 7, 0},
    {"anneal", "640x4096", 4, 1024, 1024, CA_CPU, 1, 1e-3},
    {"anneal", "640x4096", 4, 1024, 1024, CA_CPU, 1, 1e-5},
    {"anneal", "640x400", 4, 100, 100, CA_CUDA, 3, 1e-6},
    {"anneal", "640x40", 4, 10, 10, CA_CPU, 10, 1e-5}, /* a pass is as much as is served */
    {"anneal", "640x40", 4, 10, 10, CA_CPU, 11, 1e-5}, /* or more, which is no multiple */
    {"cloud", "64x16x400", 2, 200, 100, CA_CPU, 1, 2e-4},
    {"cloud", "64x16x400", 2, 200, 100, CA_CUDA, 2, 0},
    {"anneal", "64x20000", 2, 10000, 4096, CA_CPU, 1, 1e-9},
    {"anneal", "64x8", 2, 4, 4, CA_CPU, 1, 1.5e-6}, /* halos are most of these slabs */
    {"anneal", "64x8", 2, 4, 4, CA_CPU, 1, 2.5e-6},
    {"anneal", "64x8", 2, 4, 4, CA_CPU, 1, 3.5e-6},
    {"anneal", "64x8", 2, 4, 4, CA_CPU, 1, 4.5e-6},
};

START_TEST(exchange_that_costs_least)
{
    struct ca_setup setup = setup_of(choices[_i].model, choices[_i].size, choices[_i].kind);
    const struct ca_plan one = {.generations = choices[_i].pass, .step_s = choices[_i].step_s};
    bool cpu = choices[_i].kind == CA_CPU;
    int64_t rows = setup.model->dimensions == 3 ? setup.size.h : 1;
    double cells = (double)((choices[_i].own + 2 * setup.model->radius) * rows * setup.size.w);
    double cell_s = choices[_i].step_s > 0 ? choices[_i].step_s / cells : cpu ? 1e-10 : 1e-12;
    int pass = choices[_i].pass > choices[_i].serves ? 1 : choices[_i].pass;
    struct ca_cut cut;

    set_number(&setup, "ranks", choices[_i].ranks);
    cut = cut_with(&setup, &one);
    ck_assert_int_eq(ca_cut_own(&cut, 0), choices[_i].own);
    ck_assert_int_eq(cut.exchange, best_exchange(&setup, choices[_i].own, choices[_i].serves, pass,
                                                 cell_s, cpu ? 10e-6 : 12e-6, cpu ? 1e9 : 200e9));
    ck_assert_int_eq(cut.halo, (cut.exchange * setup.model->radius + 1) / 2 * 2);
}
END_TEST

/* What is asked for holds as far as shares serve it, also beyond what would be chosen. */
START_TEST(exchange_that_is_asked_for)
{
    static const struct {
        int64_t asked;
        int exchange;
    } rows[] = {{1, 1}, {4096, 4096}, {4097, 4097}, {9999, 9999}, {10000, 10000}, {20000, 10000}};
    struct ca_setup setup = setup_of("anneal", "64x20000", CA_CPU);

    set_number(&setup, "ranks", 2);
    for (size_t i = 0; i < COUNT(rows); i++) {
        set_number(&setup, "exchange", rows[i].asked);
        ck_assert_int_eq(cut_with(&setup, &(struct ca_plan){.generations = 3}).exchange,
                         rows[i].exchange);
    }
}
END_TEST

/* --- plans of all ranks ---------------------------------------------------------------------- */

START_TEST(plans_add_up)
{
    struct ca_plan all = {.memory_bytes = 100, .step_s = 2};
    struct ca_plan slow = {.memory_bytes = 30, .step_s = 3, .messages = true};
    struct ca_plan fast = {.memory_bytes = 4, .step_s = 1};

    ca_ranks_add_plan(&all, &fast);
    ck_assert_int_eq(all.memory_bytes, 104);
    ck_assert_double_eq(all.step_s, 2);
    ck_assert(!all.messages);
    ca_ranks_add_plan(&all, &slow);
    ca_ranks_add_plan(&all, &fast);
    ck_assert_int_eq(all.memory_bytes, 138);
    ck_assert_double_eq(all.step_s, 3);
    ck_assert(all.messages);
}
END_TEST

/* 6 layers of halo, 34 microseconds of which 20 are hidden, in 4 generations. */
START_TEST(exchanges_are_added)
{
    struct ca_setup setup = setup_of("anneal", "20x64", CA_CPU);
    struct ca_cut cut = {.ranks = 3,
                         .rows = 5,
                         .halo = 4,
                         .row_bytes = 600,
                         .exchange = 4,
                         .hidden_s = 20e-6,
                         .place = {{0, -1}, {0, -1}, {1, -1}}};
    struct ca_plan plan = {.memory_bytes = 7, .step_s = 1e-3, .generations = 9}, before;

    ca_ranks_add_exchange(&plan, &cut, &setup);
    ck_assert_int_eq(plan.ranks, 3);
    ck_assert_int_eq(plan.processes, 2);
    ck_assert_int_eq(plan.halo, 4);
    ck_assert_int_eq(plan.exchange, 4);
    ck_assert_int_eq(plan.generations, 4);
    ck_assert_int_eq(plan.memory_bytes, 7 + 3 * 2 * 24000);
    is(plan.exchange_s, 14e-6);
    is(plan.hidden_s, 20e-6);
    is(plan.step_s, 1e-3 + 3.5e-6);
    plan = (struct ca_plan){.generations = 3};
    ca_ranks_add_exchange(&plan, &cut, &setup);
    ck_assert_int_eq(plan.generations, 3);
    ck_assert_double_eq(plan.step_s, 0); /* unknown stays so */
    cut.ranks = 1;
    before = plan = (struct ca_plan){.memory_bytes = 7, .step_s = 1, .generations = 9};
    ca_ranks_add_exchange(&plan, &cut, &setup);
    ck_assert_int_eq(memcmp(&plan, &before, sizeof plan), 0);
}
END_TEST

/* Slabs of which the last is the largest: the others' plans are of their own extents. */
START_TEST(plan_of_all_ranks)
{
    struct ca_setup setup = setup_of("anneal", "20x37", CA_CPU);
    struct ca_error error;
    struct ca_plan plan;
    struct ca_cut cut;

    set_number(&setup, "ranks", 3);
    set_number(&setup, "exchange", 4);
    slab.wave_s = 1e-3;
    slab.pass = 3;
    slab.hidden_s = 0;
    ck_assert_ok(ca_ranks_plan(&cut, &plan, &setup, &error));
    ck_assert_int_eq(cut.exchange, 4);
    /* shares of 12, 12 and 13 layers, halos of 4 on both sides, which are sent from two slots */
    ck_assert_int_eq(plan.memory_bytes, 1000 * (20 + 20 + 21) + 3 * 2 * (2 * 4 * 20));
    is(plan.step_s, 21e-3 + 10.16e-6 / 4);
    ck_assert_int_eq(plan.generations, 3);
    slab.largest = 20;
    ck_assert_int_eq(ca_ranks_plan(&cut, &plan, &setup, &error), CA_NO_MEMORY);
    ck_assert_str_eq(error.text, "rank 2 of 3, a slab of 21 layers: 21 layers are too many");
    set_number(&setup, "ranks", 1);
    ck_assert_int_eq(ca_ranks_plan(&cut, &plan, &setup, &error), CA_NO_MEMORY);
    ck_assert_str_eq(error.text, "37 layers are too many");
}
END_TEST

/* Shares of 4, 2 and 4 layers, and halos of 2: the first and the last are the largest. */
START_TEST(plan_of_uneven_ranks)
{
    struct ca_setup setup = setup_of("anneal", "20x10", CA_CPU);
    struct ca_error error;
    struct ca_plan plan;
    struct ca_cut cut;

    set_number(&setup, "ranks", 3);
    set_number(&setup, "exchange", 9);
    slab.wave_s = 1e-3;
    ck_assert_ok(ca_ranks_plan(&cut, &plan, &setup, &error));
    ck_assert_int_eq(cut.exchange, 2);
    ck_assert_int_eq(plan.memory_bytes, 1000 * (8 + 6 + 8) + 3 * 2 * (2 * 2 * 20));
    is(plan.step_s, 8e-3 + 10.08e-6 / 2);
}
END_TEST

/* The seconds of a generation with an exchange, as those who ask for it are told. */
static double asked_for(struct ca_setup setup, int exchange, int *becomes)
{
    struct ca_error error;
    struct ca_plan plan;
    struct ca_cut cut;

    set_number(&setup, "exchange", exchange);
    ck_assert_ok(ca_ranks_plan(&cut, &plan, &setup, &error));
    *becomes = plan.period > 0 && plan.period < exchange ? plan.period : cut.exchange;
    return plan.step_s;
}

static const struct {
    const char *size;
    int64_t wave;
    double wave_s;
    int pass;
    int period;
    int64_t largest;
} searches[] = {
    {"64x4096", 100, 1e-6, 1, 0, INT64_MAX},  {"64x4096", 50, 1e-6, 1, 0, INT64_MAX},
    {"64x4096", 128, 20e-6, 1, 0, INT64_MAX}, {"64x4096", 27, 2e-6, 3, 0, INT64_MAX},
    {"64x4096", 27, 2e-6, 1, 7, INT64_MAX},   {"64x1000", 31, 4e-6, 2, 0, INT64_MAX},
    {"64x1000", 31, 4e-6, 2, 0, 530},         {"64x200", 210, 1e-6, 1, 0, INT64_MAX},
    {"64x20000", 700, 1e-8, 1, 0, INT64_MAX}, {"64x20000", 77, 1e-8, 3, 0, INT64_MAX},
    {"64x20000", 77, 1e-7, 2, 0, INT64_MAX},  {"64x40", 6, 1e-6, 1, 0, INT64_MAX},
    {"64x40", 6, 1e-3, 1, 0, INT64_MAX},
};

/*
 * Where a slab's time goes in steps, no exchange from half the first choice to twice as many
 * generations is cheaper than the one that is chosen, in steps of whole passes of which at most 16
 * lie below the first choice.
 */
START_TEST(cheapest_exchange_is_found)
{
    struct ca_setup setup = setup_of("anneal", searches[_i].size, CA_CPU), with_one;
    struct ca_plan one, plan;
    struct ca_error error;
    struct ca_cut first, cut;
    int step, becomes, best, tries = 0;
    double least;

    set_number(&setup, "ranks", 2);
    slab.wave = searches[_i].wave;
    slab.wave_s = searches[_i].wave_s;
    slab.pass = searches[_i].pass;
    slab.period = 0;
    slab.largest = searches[_i].largest;
    with_one = setup;
    set_number(&with_one, "exchange", 1);
    first = cut_with(&with_one, &(struct ca_plan){.generations = 1});
    with_one = ca_cut_setup(&first, &with_one, 0);
    ck_assert_ok(slab_plan(&with_one, &one, &error));
    one.halo_row_bytes = 0;
    one.hidden_s = 0;
    first = cut_with(&setup, &one);
    slab.period = searches[_i].period;
    step = slab.pass * (first.exchange / slab.pass / 16 + 1);
    least = asked_for(setup, first.exchange, &best);
    for (int g = step; g <= 2 * first.exchange; g += step) {
        struct ca_setup asking = setup;
        double s;

        set_number(&asking, "exchange", g);
        tries += g >= first.exchange / 2 / step * step;
        if (g < first.exchange / 2 / step * step ||
            ca_ranks_plan(&cut, &plan, &asking, &error) != CA_OK)
            continue;
        s = asked_for(setup, g, &becomes);
        if (slab.period > 0 && becomes < g && ++tries)
            s = asked_for(setup, becomes, &becomes);
        if (s < least * (1 - 1e-9)) {
            least = s;
            best = cut.exchange < becomes ? cut.exchange : becomes;
        }
    }
    slab.calls = 0;
    ck_assert_ok(ca_ranks_plan(&cut, &plan, &setup, &error));
    ck_assert_int_eq(slab.calls, 3 + tries); /* besides, of one generation and of both ranks */
    is(plan.step_s, least);
    ck_assert_int_eq(cut.exchange, best);
    ck_assert_int_eq(plan.exchange, best);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {one_rank_keeps_its_options, ranks_of_processes, neighbours,
                              no_rows_beyond_a_wall, bytes_of_a_row, exchange_that_is_asked_for,
                              plans_add_up, exchanges_are_added, plan_of_all_ranks,
                              plan_of_uneven_ranks, threads_of_all_cores},
                     .table = {{ranks_have_places, COUNT(places)},
                               {rows_of_ranks, COUNT(pieces)},
                               {time_of_an_exchange, COUNT(exchanges)},
                               {exchange_that_costs_least, COUNT(choices)},
                               {cheapest_exchange_is_found, COUNT(searches)}});
}
