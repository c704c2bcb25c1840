/* SPDX-License-Identifier: MIT */
/*
 * core/simulation on a model of the test's own: every cell counts generations mod 251. Its backends
 * fail on demand, which real ones cannot.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/compare/lock_step.h"
#include "core/files/file.h"
#include "core/model/field.h"
#include "core/model/model.h"
#include "core/model/registry.h"
#include "core/sim/simulation.h"
#include "tests/support/support.h"

struct counter {
    uint8_t *cells;
    int64_t w, h;
    uint8_t by;
};

static int alive;                /* instances */
static enum ca_status fail_load; /* what load and step return */
static enum ca_status fail_step;
static bool conserve;

static enum ca_status create(void **self, const struct ca_setup *setup, struct ca_error *error)
{
    struct counter *c = malloc(sizeof *c);

    (void)error;
    *c = (struct counter){calloc((size_t)setup->size.w, (size_t)setup->size.h), setup->size.w,
                          setup->size.h, (uint8_t)ca_int(&setup->params, "by")};
    *self = c;
    alive++;
    return CA_OK;
}

static enum ca_status create_fails(void **self, const struct ca_setup *setup,
                                   struct ca_error *error)
{
    (void)self, (void)setup;
    return ca_fail(error, CA_NO_DEVICE, "out of luck");
}

static void destroy(void *self)
{
    struct counter *c = self;

    if (!c)
        return;
    free(c->cells);
    free(c);
    alive--;
}

static enum ca_status load(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    struct counter *c = self;

    if (fail_load != CA_OK)
        return ca_fail(error, fail_load, "load failed");
    memcpy(c->cells + first * c->w, planes[0], (size_t)(rows * c->w));
    return CA_OK;
}

static enum ca_status store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error)
{
    struct counter *c = self;

    (void)error;
    memcpy(planes[0], c->cells + first * c->w, (size_t)(rows * c->w));
    return CA_OK;
}

static enum ca_status fake_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct counter *c = self;

    (void)t;
    if (fail_step != CA_OK)
        return ca_fail(error, fail_step, "step failed");
    for (int64_t i = 0; i < c->w * c->h; i++)
        c->cells[i] = (uint8_t)((c->cells[i] + n * c->by) % 251);
    return CA_OK;
}

static enum ca_status not_here(struct ca_error *error)
{
    return ca_fail(error, CA_NO_DEVICE, "needs a fourth dimension");
}

static enum ca_status check(const struct ca_setup *setup, struct ca_error *error)
{
    if (ca_int(&setup->params, "by") == 13)
        return ca_fail(error, CA_USAGE, "by = 13 is not allowed");
    return CA_OK;
}

static enum ca_status init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                           struct ca_error *error)
{
    (void)error;
    for (int64_t i = 0; i < ca_cells(lattice->size); i++)
        ((uint8_t *)lattice->plane[0])[i] = start == 1 ? (uint8_t)(i % 251) : (uint8_t)setup->seed;
    return CA_OK;
}

static void observe_counts(const struct ca_setup *setup, const int64_t ones[CA_BIT_PLANES_MAX],
                           const int64_t on_obstacle[CA_BIT_PLANES_MAX],
                           double values[CA_OBSERVABLES_MAX])
{
    (void)setup, (void)on_obstacle;
    for (int b = 0; b < CA_BIT_PLANES_MAX; b++)
        values[0] += (double)(ones[b] << b);
    values[1] = (double)ones[0];
}

static bool conserved(const struct ca_setup *setup, const double before[])
{
    (void)setup;
    (void)before;
    return conserve;
}

static double half_a_generation(const double before[], uint64_t generations)
{
    (void)before;
    return 0.5 * (double)generations;
}

static void report_one(const void *self, struct ca_plan *plan)
{
    (void)self;
    *plan = (struct ca_plan){.generations = 1};
}

static void report_four(const void *self, struct ca_plan *plan)
{
    (void)self;
    *plan = (struct ca_plan){.generations = 4};
}

static const struct ca_stepper one = {.create = create,
                                      .destroy = destroy,
                                      .load = load,
                                      .store = store,
                                      .step = fake_step,
                                      .report = report_one};
static const struct ca_stepper two = {.create = create,
                                      .destroy = destroy,
                                      .load = load,
                                      .store = store,
                                      .step = fake_step,
                                      .report = report_four};
static const struct ca_stepper broken = {.create = create_fails, .destroy = destroy};
static const struct ca_stepper unused = {.create = create};

static const struct ca_model_start counter_start = {
    .named = (const struct ca_start[]){{"seed", ""}, {"ramp", ""}, {NULL, NULL}}, .init = init};
static const struct ca_model_observe counter_observe = {
    .observables =
        (const struct ca_observable[]){
            {.name = "sum", .tolerance = 0.01, .conserved = conserved, .drift = half_a_generation},
            {.name = "odd"},
            {.name = NULL}},
    .counts = observe_counts};

static const struct ca_model counter_model = {
    .name = "counter",
    .dimensions = 2,
    .radius = 1,
    .type = CA_U8,
    .planes = 1,
    .plane_names = {"count"},
    .max_value = 250,
    .default_size = {300, 1000, 1},
    .params =
        (const struct ca_param[]){{.name = "by", .kind = CA_INT, .number = 1, .min = 0, .max = 20},
                                  {.name = NULL}},
    .start = &counter_start,
    .observe = &counter_observe,
    .check = check,
    .backends =
        (const struct ca_backend[]){
            {.name = "one", .stepper = &one},
            {.name = "two", .stepper = &two},
            {.name = "broken", .stepper = &broken},
            {.name = "huge", .memory_bytes_per_cell = 1e15, .stepper = &unused},
            {.name = "absent", .available = not_here, .stepper = &unused},
            {.name = NULL}},
};

static struct ca_experiment experiment;
static struct ca_simulation *simulation;
static struct ca_error error;

static void open_default(void)
{
    alive = 0;
    fail_load = fail_step = CA_OK;
    conserve = false;
    ca_experiment_default(&experiment, &counter_model);
    ca_experiment_backend(&experiment, &counter_model.backends[0], CA_FROM_COMMAND_LINE);
    experiment.seed = 3;
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
}

static void close_default(void)
{
    ca_simulation_close(simulation);
    ck_assert_int_eq(alive, 0);
}

static int cell(int64_t row)
{
    uint8_t rows[300];
    void *planes[1] = {rows};

    ck_assert_ok(ca_simulation_rows(simulation, planes, row, 1, &error));
    return rows[299];
}

START_TEST(steps_and_resets)
{
    ck_assert_uint_eq(ca_simulation_generation(simulation), 0);
    ck_assert_int_eq(cell(999), 3);
    ck_assert_ok(ca_simulation_step(simulation, 0, &error));
    ck_assert_int_eq(ca_simulation_timing(simulation)->count, 0);
    ck_assert_ok(ca_simulation_step(simulation, 5, &error));
    ck_assert_int_eq(cell(0), 8);
    ck_assert_uint_eq(ca_simulation_generation(simulation), 5);
    ck_assert_uint_eq(ca_simulation_timing(simulation)->generations, 5);
    ck_assert_ok(ca_simulation_reset(simulation, &error));
    ck_assert_int_eq(cell(0), 3);
    ck_assert_uint_eq(ca_simulation_generation(simulation), 0);
}
END_TEST

START_TEST(passes_are_counted)
{
    ck_assert_uint_eq(ca_simulation_passes(simulation, 9), 9);
    experiment.backend = &counter_model.backends[1];
    ca_simulation_close(simulation);
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_uint_eq(ca_simulation_passes(simulation, 0), 0);
    ck_assert_uint_eq(ca_simulation_passes(simulation, 4), 1);
    ck_assert_uint_eq(ca_simulation_passes(simulation, 9), 3);
    ck_assert_ok(ca_simulation_step(simulation, 9, &error));
    ck_assert_uint_eq(ca_simulation_timing(simulation)->passes, 3);
}
END_TEST

START_TEST(change_keeps_state_and_generation)
{
    struct ca_experiment changed;

    ca_simulation_step(simulation, 5, &error);
    changed = *ca_simulation_experiment(simulation);
    ca_experiment_backend(&changed, &counter_model.backends[1], CA_FROM_WORKBENCH);
    ca_values_set(&changed.params, 0, "10", CA_FROM_WORKBENCH, NULL, &error);
    ck_assert_ok(ca_simulation_change(simulation, &changed, &error));
    ck_assert_str_eq(ca_simulation_experiment(simulation)->backend->name, "two");
    ck_assert_int_eq(cell(999), 8);
    ck_assert_uint_eq(ca_simulation_generation(simulation), 5);
    ca_simulation_step(simulation, 2, &error);
    ck_assert_int_eq(cell(0), 28);
    ck_assert_int_eq(alive, 1);
}
END_TEST

/* Each of these changes is refused, and the simulation goes on as it was. */
static const struct {
    int backend;
    const char *by;
    enum ca_status load, status;
    const char *says;
} changes[] = {
    {2, "1", CA_OK, CA_NO_DEVICE, "out of luck"},
    {3, "1", CA_OK, CA_USAGE, "GiB are available"},
    {4, "1", CA_OK, CA_NO_DEVICE, "fourth dimension"},
    {1, "13", CA_OK, CA_USAGE, "by = 13"},
    {1, "1", CA_CUDA_FAILED, CA_CUDA_FAILED, "load failed"},
};

START_TEST(change_that_fails_changes_nothing)
{
    struct ca_experiment changed;

    ca_simulation_step(simulation, 5, &error);
    changed = *ca_simulation_experiment(simulation);
    changed.backend = &counter_model.backends[changes[_i].backend];
    ca_values_set(&changed.params, 0, changes[_i].by, CA_FROM_WORKBENCH, NULL, &error);
    fail_load = changes[_i].load;
    ck_assert_int_eq(ca_simulation_change(simulation, &changed, &error), changes[_i].status);
    ck_assert_contains(error.text, changes[_i].says);
    fail_load = CA_OK;
    ck_assert_int_eq(alive, 1);
    ck_assert_str_eq(ca_simulation_experiment(simulation)->backend->name, "one");
    ck_assert_ok(ca_simulation_step(simulation, 1, &error));
    ck_assert_int_eq(cell(7), 9);
}
END_TEST

static const struct {
    int backend;
    const char *init, *by;
    struct ca_size size;
    enum ca_status load, status;
    const char *says;
} opens[] = {
    {2, "seed", "1", {3, 3, 1}, CA_OK, CA_NO_DEVICE, "out of luck"},
    {3, "seed", "1", {3, 3, 1}, CA_OK, CA_USAGE, "size 3x3 of counter on huge needs"},
    {4, "seed", "1", {3, 3, 1}, CA_OK, CA_NO_DEVICE, "fourth dimension"},
    {0, "seed", "13", {3, 3, 1}, CA_OK, CA_USAGE, "by = 13"},
    {0, "rampe", "1", {3, 3, 1}, CA_OK, CA_USAGE, "did you mean 'ramp'?"},
    {0, "x", "1", {3, 3, 1}, CA_OK, CA_USAGE, "there are: seed, ramp"},
    {0, "none.npy", "1", {3, 3, 1}, CA_OK, CA_IO, "none.npy"},
    {0, "seed", "1", {0, 3, 1}, CA_OK, CA_USAGE, "W = 0"},
    {0, "seed", "1", {1 << 23, 1 << 23, 1}, CA_OK, CA_USAGE, "GiB of memory"},
    {0, "seed", "1", {3, 3, 1}, CA_CUDA_FAILED, CA_CUDA_FAILED, "load failed"},
};

START_TEST(open_that_fails_leaves_nothing)
{
    struct ca_simulation *none = (void *)1;
    struct ca_experiment e = experiment;

    e.backend = &counter_model.backends[opens[_i].backend];
    strcpy(e.init, opens[_i].init);
    e.size = opens[_i].size;
    ca_values_set(&e.params, 0, opens[_i].by, CA_FROM_WORKBENCH, NULL, &error);
    fail_load = opens[_i].load;
    ck_assert_int_eq(ca_simulation_open(&none, &e, &error), opens[_i].status);
    ck_assert_contains(error.text, opens[_i].says);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(alive, 1); /* the fixture's */
}
END_TEST

/* A copy has the other's state and generation, and equals it until one of them goes on. */
START_TEST(copies_and_compares)
{
    struct ca_experiment e = experiment;
    struct ca_simulation *second;
    struct ca_difference difference;
    struct ca_lattice lattice;

    strcpy(e.init, "ramp");
    e.backend = &counter_model.backends[1];
    ck_assert_ok(ca_simulation_open(&second, &e, &error));
    ck_assert_ok(ca_simulation_compare(simulation, second, &difference, &error));
    ck_assert_int_eq(difference.count, 300 * 1000 - 1196); /* 3 is 1196 times on the ramp */
    ck_assert_ok(ca_simulation_step(second, 5, &error));
    ck_assert_ok(ca_simulation_store(second, &lattice, &error));
    ck_assert_ok(ca_simulation_load(simulation, &lattice, 5, &error));
    ca_lattice_free(&lattice);
    ck_assert_uint_eq(ca_simulation_generation(simulation), 5);
    ck_assert_int_eq(cell(999), (999 * 300 + 299 + 5) % 251);
    ck_assert_ok(ca_simulation_compare(simulation, second, &difference, &error));
    ck_assert_int_eq(difference.count, 0);
    ca_simulation_close(second);
}
END_TEST

static int64_t stored; /* rows */

static enum ca_status count_store(void *self, void *const planes[], int64_t first, int64_t rows,
                                  struct ca_error *e)
{
    stored += rows;
    return store(self, planes, first, rows, e);
}

static enum ca_status own_survey(void *self, unsigned parts, int64_t first, int64_t rows,
                                 struct ca_survey *survey, struct ca_error *e)
{
    const struct counter *c = self;

    (void)parts, (void)e;
    for (int64_t i = first * c->w; i < (first + rows) * c->w; i++)
        survey->digest += (uint64_t)(i + 1) * c->cells[i];
    return CA_OK;
}

/* A record that only says how states begin: nothing is observed, and plane 0 is what is drawn. */
START_TEST(a_model_with_nothing_else)
{
    static const float floats[] = {0, 1.5F, 3};
    static const uint8_t values[] = {0, 7};
    struct ca_model bare = counter_model;
    struct ca_experiment e = experiment;
    double observed[CA_OBSERVABLES_MAX] = {1};
    struct ca_simulation *own;
    struct ca_appearance look;

    bare.observe = NULL;
    e.model = &bare;
    ck_assert_ptr_null(ca_observables(&bare)->name);
    ck_assert_ptr_null(ca_fields(&bare)->name);
    ck_assert_ptr_null(ca_measurements(&bare)->name);
    ck_assert_int_eq(ca_neighbour_sums_count(&bare), 0);
    ck_assert_ok(ca_simulation_open(&own, &e, &error));
    ck_assert_ok(ca_simulation_step(own, 3, &error));
    ck_assert_ok(ca_simulation_observe(own, observed, &error));
    ck_assert_double_eq(observed[0], 0);
    ck_assert(!ca_is_torus(ca_simulation_setup(own)));
    ck_assert(!ca_draws(ca_simulation_setup(own)));

    ca_simulation_close(own);
    for (int i = 0; i < 2; i++) {
        ca_draw_of(&bare)->cell(&bare, (const void *const[]){values}, i, 0, 0, &look);
        ck_assert_int_eq(look.code, i);
        ck_assert_float_eq(look.level, (float)i);
    }
    bare.type = CA_F32;
    for (int i = 0; i < 3; i++) {
        ca_draw_of(&bare)->cell(&bare, (const void *const[]){floats}, i, 0, 3, &look);
        ck_assert_int_eq(look.code, i > 0);
        ck_assert_float_eq(look.level, (float)i / 2);
    }
}
END_TEST

/* Digests, which stay where the cells are, say that states are equal, and in which rows not. */
START_TEST(equal_rows_are_not_read)
{
    struct ca_stepper stepper = one;
    struct ca_backend backend = counter_model.backends[0];
    struct ca_experiment e = experiment;
    struct ca_simulation *both[2];
    struct ca_difference difference;
    uint8_t row[300] = {0};

    stepper.store = count_store;
    stepper.observe = &(const struct ca_stepper_observe){.survey = own_survey};
    backend.stepper = &stepper;
    e.backend = &backend;
    for (int i = 0; i < 2; i++)
        ck_assert_ok(ca_simulation_open(&both[i], &e, &error));
    stored = 0;
    ck_assert_ok(ca_simulation_compare(both[0], both[1], &difference, &error));
    ck_assert_int_eq(difference.count, 0);
    ck_assert_int_eq(stored, 0);

    memset(row, 3, sizeof row);
    row[7] = 4;
    ck_assert_ok(ca_simulation_load_rows(both[1], (const void *const[]){row}, 999, 1, &error));
    ck_assert_ok(ca_simulation_compare(both[0], both[1], &difference, &error));
    ck_assert_int_eq(difference.count, 1);
    ck_assert_int_eq(difference.x, 7);
    ck_assert_int_eq(difference.y, 999);
    ck_assert_int_gt(stored, 0);
    ck_assert_int_lt(stored, 2 * 1000); /* of those pieces alone that differ */
    for (int i = 0; i < 2; i++)
        ca_simulation_close(both[i]);
}
END_TEST

/* The whole way of a kept state; backends of this test keep none. */
START_TEST(comes_back_to_a_mark)
{
    struct ca_experiment e, changed;
    struct ca_simulation *anneal;
    uint64_t generation, at_5, at_9, hash;

    ca_experiment_default(&e, &anneal_model);
    ca_experiment_backend(&e, &anneal_model.backends[0], CA_FROM_COMMAND_LINE);
    e.size = (struct ca_size){70, 50, 1};
    ck_assert_ok(ca_simulation_open(&anneal, &e, &error));
    ck_assert_int_eq(ca_simulation_back(anneal, &error), CA_USAGE);
    ck_assert_str_eq(error.text, "no state is kept to go back to");
    ca_simulation_unmark(anneal); /* none is no error */
    ck_assert(!ca_simulation_marked(anneal, &generation));

    ca_simulation_step(anneal, 5, &error);
    ca_simulation_hash(anneal, &at_5, &error);
    ck_assert_ok(ca_simulation_mark(anneal, &error));
    ca_simulation_step(anneal, 4, &error);
    ca_simulation_hash(anneal, &at_9, &error);
    ck_assert(at_9 != at_5);
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            ck_assert_ok(ca_simulation_reset(anneal, &error));
        ck_assert_ok(ca_simulation_back(anneal, &error));
        ck_assert_uint_eq(ca_simulation_generation(anneal), 5);
        ca_simulation_hash(anneal, &hash, &error);
        ck_assert_uint_eq(hash, at_5);
        ca_simulation_step(anneal, 4, &error);
        ca_simulation_hash(anneal, &hash, &error);
        ck_assert_uint_eq(hash, at_9);
    }
    ck_assert_ok(ca_simulation_mark(anneal, &error)); /* in place of the first one */
    ck_assert(ca_simulation_marked(anneal, &generation));
    ck_assert_uint_eq(generation, 9);
    ca_simulation_step(anneal, 4, &error);
    ck_assert_ok(ca_simulation_back(anneal, &error));
    ca_simulation_hash(anneal, &hash, &error);
    ck_assert_uint_eq(hash, at_9);

    changed = *ca_simulation_experiment(anneal);
    ck_assert_ok(ca_simulation_change(anneal, &changed, &error));
    ck_assert_int_eq(ca_simulation_back(anneal, &error), CA_USAGE);
    ck_assert_ok(ca_simulation_mark(anneal, &error));
    ca_simulation_unmark(anneal);
    ck_assert_int_eq(ca_simulation_back(anneal, &error), CA_USAGE);
    ca_simulation_close(anneal);
    ck_assert_int_eq(ca_simulation_mark(simulation, &error), CA_USAGE);
    ck_assert_str_eq(error.text, "one cannot keep a state");
}
END_TEST

/* The simulation goes on without. */
START_TEST(a_mark_without_memory_is_refused)
{
    struct rlimit limit, none = {1, RLIM_INFINITY};
    struct ca_experiment e;
    struct ca_simulation *anneal;
    enum ca_status status;
    uint64_t generation;

    ca_experiment_default(&e, &anneal_model);
    ca_experiment_backend(&e, &anneal_model.backends[0], CA_FROM_COMMAND_LINE);
    e.size = (struct ca_size){4096, 2048, 1};
    ck_assert_ok(ca_simulation_open(&anneal, &e, &error));
    getrlimit(RLIMIT_AS, &limit);
    none.rlim_max = limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &none), 0);
    status = ca_simulation_mark(anneal, &error);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    ck_assert_int_eq(status, CA_NO_MEMORY);
    ck_assert_contains(error.text, "keeping the state needs 8388608 bytes of memory, ",
                       " are available");
    ck_assert(!ca_simulation_marked(anneal, &generation));
    ck_assert_int_eq(ca_simulation_back(anneal, &error), CA_USAGE);
    ck_assert_ok(ca_simulation_mark(anneal, &error));
    ca_simulation_close(anneal);
}
END_TEST

/* Of a kept state, too, where another one has been loaded since. */
START_TEST(a_mark_has_its_range)
{
    struct ca_lattice state;
    struct ca_experiment e;
    struct ca_simulation *water;
    float low, high, kept_low, kept_high;

    ca_experiment_default(&e, &water_model);
    ca_experiment_backend(&e, &water_model.backends[0], CA_FROM_COMMAND_LINE);
    e.size = (struct ca_size){9, 9, 1};
    ck_assert_ok(ca_simulation_open(&water, &e, &error));
    ca_simulation_range(water, &kept_low, &kept_high);
    ck_assert_ok(ca_simulation_mark(water, &error));
    ck_assert_ok(ca_simulation_store(water, &state, &error));
    for (int i = 0; i < 81; i++)
        ((float *)state.plane[0])[i] -= 1000;
    ck_assert_ok(ca_simulation_load(water, &state, 7, &error));
    ca_simulation_range(water, &low, &high);
    ck_assert(low != kept_low && high != kept_high);
    ck_assert_ok(ca_simulation_back(water, &error));
    ck_assert_uint_eq(ca_simulation_generation(water), 0);
    ca_simulation_range(water, &low, &high);
    ck_assert(low == kept_low && high == kept_high);
    ca_lattice_free(&state);
    ca_simulation_close(water);
}
END_TEST

/* The extremes wherever they are. */
START_TEST(range_of_all_values)
{
    struct ca_lattice state;
    struct ca_experiment e;
    struct ca_simulation *water;
    float *values, low, high;

    ca_experiment_default(&e, &water_model);
    ca_experiment_backend(&e, &water_model.backends[0], CA_FROM_COMMAND_LINE);
    e.size = (struct ca_size){9, 9, 1};
    ck_assert_ok(ca_simulation_open(&water, &e, &error));
    ck_assert_ok(ca_simulation_store(water, &state, &error));
    values = state.plane[0];
    for (int i = 0; i < 81; i++)
        values[i] = 5;
    for (int i = 0; i < 81; i++) {
        int j = (i + 40) % 81;

        values[i] = -1;
        values[j] = 7;
        ck_assert_ok(ca_simulation_load(water, &state, 0, &error));
        ca_simulation_range(water, &low, &high);
        ck_assert_msg(low == -1 && high == 7, "%d: %g ... %g", i, low, high);
        values[i] = values[j] = 5;
    }
    ca_lattice_free(&state);
    ca_simulation_close(water);
}
END_TEST

START_TEST(step_that_fails_says_so)
{
    fail_step = CA_CUDA_FAILED;
    ck_assert_int_eq(ca_simulation_step(simulation, 1, &error), CA_CUDA_FAILED);
    ck_assert_str_eq(error.text, "step failed");
    ck_assert_uint_eq(ca_simulation_generation(simulation), 0);
}
END_TEST

/* Each row once: they differ. */
START_TEST(observables_go_through_all_rows_in_pieces)
{
    double values[CA_OBSERVABLES_MAX], sum = 0, odd = 0;
    struct ca_simulation *ramp;
    struct ca_experiment e = experiment;

    for (int i = 0; i < 300 * 1000; i++) {
        sum += i % 251;
        odd += i % 251 % 2;
    }
    strcpy(e.init, "ramp");
    ck_assert_ok(ca_simulation_open(&ramp, &e, &error));
    ck_assert_ok(ca_simulation_observe(ramp, values, &error));
    ck_assert_double_eq(values[0], sum);
    ck_assert_double_eq(values[1], odd);
    ca_simulation_close(ramp);
}
END_TEST

static const double steady[CA_OBSERVABLES_MAX] = {100, 0};

/* What is found when these values follow the steady ones, so many generations later. */
static int follows(const double values[CA_OBSERVABLES_MAX], uint64_t generations)
{
    struct ca_invariants invariants = {.known = false};

    ck_assert_int_eq(ca_invariants_broken(&invariants), -1);
    ck_assert_int_eq(ca_invariants_take(&invariants, simulation, steady), -1);
    ck_assert_ok(ca_simulation_step(simulation, generations, &error));
    return ca_invariants_take(&invariants, simulation, values);
}

START_TEST(broken_invariants_are_seen)
{
    const double within[CA_OBSERVABLES_MAX] = {101, 5}, beyond[CA_OBSERVABLES_MAX] = {101.5, 5};
    const double below[CA_OBSERVABLES_MAX] = {98.5, 5}, far[CA_OBSERVABLES_MAX] = {102, 5};
    const double nan[CA_OBSERVABLES_MAX] = {NAN, 5}, infinite[CA_OBSERVABLES_MAX] = {INFINITY, 5};

    ck_assert_int_eq(follows(beyond, 0), -1);
    conserve = true;
    ck_assert_int_eq(follows(within, 0), -1);
    ck_assert_int_eq(follows(beyond, 0), 0);
    ck_assert_int_eq(follows(nan, 0), 0);
    ck_assert_int_eq(follows(infinite, 0), 0);
    ck_assert_int_eq(follows(below, 0), 0);
    /* Rounding of half a unit a generation. */
    ck_assert_int_eq(follows(beyond, 1), -1);
    ck_assert_int_eq(follows(far, 1), 0);
    ck_assert_int_eq(follows(infinite, 1), 0);
}
END_TEST

/* A state that was kept is held against the later one: rounding counts in both directions. */
START_TEST(going_back_is_watched)
{
    const double beyond[CA_OBSERVABLES_MAX] = {101.5, 5}, far[CA_OBSERVABLES_MAX] = {102, 5};
    struct ca_invariants invariants = {.known = true, .values = {100}};

    conserve = true;
    invariants.generation = ca_simulation_generation(simulation) + 1;
    ck_assert_int_eq(ca_invariants_take(&invariants, simulation, beyond), -1);
    invariants = (struct ca_invariants){.known = true, .values = {100}};
    invariants.generation = ca_simulation_generation(simulation) + 1;
    ck_assert_int_eq(ca_invariants_take(&invariants, simulation, far), 0);
}
END_TEST

/* Each observation is held against the one before; after an alarm the next ones agree with it. */
START_TEST(an_alarm_stays)
{
    double values[CA_OBSERVABLES_MAX] = {100, 0};
    struct ca_invariants invariants = {.known = false};

    conserve = true;
    for (int i = 0; i < 100; i++, values[0] += 1)
        ck_assert_int_eq(ca_invariants_take(&invariants, simulation, values), -1);
    values[0] *= 1.02;
    ck_assert_int_eq(ca_invariants_take(&invariants, simulation, values), 0);
    ck_assert_int_eq(ca_invariants_take(&invariants, simulation, values), 0);
    ck_assert_int_eq(ca_invariants_broken(&invariants), 0);
}
END_TEST

START_TEST(state_file_brings_its_size)
{
    struct ca_lattice state;
    struct ca_experiment e = experiment;
    struct ca_simulation *loaded;

    ca_simulation_step(simulation, 4, &error);
    ck_assert_ok(ca_simulation_store(simulation, &state, &error));
    ck_assert_ok(test_npy_write(test_path("s.npy"), &state, 2, &error));
    strcpy(e.init, test_path("s.npy"));
    e.size = (struct ca_size){7, 7, 1};
    e.origin[CA_KEY_SIZE] = CA_FROM_COMMAND_LINE;
    ck_assert_int_eq(ca_simulation_open(&loaded, &e, &error), CA_USAGE);
    ck_assert_contains(error.text, "s.npy is 300x1000");
    e.origin[CA_KEY_SIZE] = CA_BUILT_IN;
    ck_assert_ok(ca_simulation_open(&loaded, &e, &error));
    ck_assert(ca_size_equal(e.size, (struct ca_size){300, 1000, 1}));
    ck_assert_int_eq(ca_simulation_setup(loaded)->start, -1);
    ca_simulation_close(loaded);
    ((uint8_t *)state.plane[0])[5] = 251; /* beyond the model's range */
    ck_assert_ok(test_npy_write(test_path("s.npy"), &state, 2, &error));
    ck_assert_int_eq(ca_simulation_open(&loaded, &e, &error), CA_IO);
    ca_lattice_free(&state);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = open_default, .teardown = close_default,
                     .test = {steps_and_resets, passes_are_counted,
                              change_keeps_state_and_generation, copies_and_compares,
                              a_model_with_nothing_else, equal_rows_are_not_read,
                              range_of_all_values, comes_back_to_a_mark,
                              a_mark_without_memory_is_refused, a_mark_has_its_range,
                              step_that_fails_says_so, observables_go_through_all_rows_in_pieces,
                              broken_invariants_are_seen, going_back_is_watched, an_alarm_stays,
                              state_file_brings_its_size},
                     .table = {{change_that_fails_changes_nothing, COUNT(changes)},
                               {open_that_fails_leaves_nothing, COUNT(opens)}});
}
