/* SPDX-License-Identifier: MIT */
/*
 * core/ranks over backends of the test's own: a rank that refuses or breaks ends the call for all;
 * times, slots, points and reports of ranks are put together.
 */

#include "core/base/clock.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

/* --- failures -------------------------------------------------------------------------------- */

static struct ca_stepper fake;
static struct ca_model model;
static struct ca_backend row[2];
static int lives;
static bool first_keeps;

static enum ca_status count_create(void **self, const struct ca_setup *setup,
                                   struct ca_error *error)
{
    CA_TRY(byte_stepper.create(self, setup, error));
    __atomic_add_fetch(&lives, 1, __ATOMIC_SEQ_CST);
    return CA_OK;
}

static void count_destroy(void *self)
{
    if (self)
        __atomic_sub_fetch(&lives, 1, __ATOMIC_SEQ_CST);
    byte_stepper.destroy(self);
}

static bool is_second(const void *self)
{
    return ((const struct byte_stepper *)self)->setup.slab.origin > 0;
}

static enum ca_status late_create(void **self, const struct ca_setup *setup, struct ca_error *error)
{
    *self = NULL;
    return setup->slab.origin > 0 ? ca_fail(error, CA_NO_MEMORY, "out of luck")
                                  : count_create(self, setup, error);
}

static enum ca_status late_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    return is_second(self) && t >= 4 ? ca_fail(error, CA_CUDA_FAILED, "out of luck")
                                     : byte_stepper.step(self, t, n, error);
}

static enum ca_status early_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    return t >= 4 ? ca_fail(error, CA_CUDA_FAILED, is_second(self) ? "out of luck" : "out of order")
                  : byte_stepper.step(self, t, n, error);
}

static enum ca_status late_store(void *self, void *const planes[], int64_t first, int64_t rows,
                                 struct ca_error *error)
{
    return is_second(self) ? ca_fail(error, CA_CUDA_FAILED, "out of luck")
                           : byte_stepper.store(self, planes, first, rows, error);
}

static enum ca_status late_mark(void *self, enum ca_mark what, struct ca_error *error)
{
    if (!is_second(self))
        first_keeps = what == CA_MARK_KEEP;
    return is_second(self) && what == CA_MARK_KEEP ? ca_fail(error, CA_NO_MEMORY, "out of luck")
                                                   : byte_stepper.mark(self, what, error);
}

/* A backend of anneal with one rank that fails; 2 ranks on a lattice with walls or a torus. */
static enum ca_status open_failing(struct ca_simulation **simulation, struct ca_error *error)
{
    struct ca_experiment e =
        kernel_experiment("anneal", "threads", "32x32", NULL, 1, "ranks=2 exchange=2");

    lives = 0;
    row[0] = *e.backend;
    row[0].stepper = &fake;
    model = *e.model;
    e.backend = row;
    e.model = &model;
    return ca_simulation_open(simulation, &e, error);
}

/* A step, or the rows that an exchange takes from a rank. */
static const struct {
    enum ca_status (*step)(void *, uint64_t, uint64_t, struct ca_error *);
    enum ca_status (*store)(void *, void *const[], int64_t, int64_t, struct ca_error *);
    const char *says;
} breaks[] = {{.step = late_step, .says = "rank 1 of 2: out of luck"},
              {.step = early_step, .says = "rank 0 of 2: out of order"}, /* the first of both */
              {.store = late_store, .says = "rank 1 of 2: out of luck"}};

START_TEST(a_failure_ends_all)
{
    struct ca_simulation *simulation;
    struct ca_error error;

    fake = byte_stepper;
    fake.create = count_create;
    fake.destroy = count_destroy;
    fake.step = breaks[_i].step ? breaks[_i].step : fake.step;
    fake.store = breaks[_i].store ? breaks[_i].store : fake.store;
    ck_assert_ok(open_failing(&simulation, &error));
    ck_assert_int_eq(ca_simulation_step(simulation, 50, &error), CA_CUDA_FAILED);
    ck_assert_str_eq(error.text, breaks[_i].says);
    ca_simulation_close(simulation);
    ck_assert_int_eq(lives, 0);
}
END_TEST

START_TEST(a_rank_that_cannot_be_made)
{
    struct ca_simulation *simulation;
    struct ca_error error;

    fake = byte_stepper;
    fake.create = late_create;
    fake.destroy = count_destroy;
    ck_assert_int_eq(open_failing(&simulation, &error), CA_NO_MEMORY);
    ck_assert_str_eq(error.text, "rank 1 of 2: out of luck");
    ck_assert_int_eq(lives, 0);
}
END_TEST

START_TEST(a_state_is_kept_by_all_or_none)
{
    struct ca_simulation *simulation;
    struct ca_error error;
    uint64_t generation;

    fake = byte_stepper;
    fake.mark = late_mark;
    ck_assert_ok(open_failing(&simulation, &error));
    ck_assert_int_eq(ca_simulation_mark(simulation, &error), CA_NO_MEMORY);
    ck_assert(!ca_simulation_marked(simulation, &generation));
    ck_assert(!first_keeps);
    ck_assert_ok(ca_simulation_step(simulation, 3, &error));
    ca_simulation_close(simulation);
}
END_TEST

/* --- figures --------------------------------------------------------------------------------- */

static double busy_s[2]; /* by a rank's own clock */
static int finished[2];

static enum ca_status long_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    double until = ca_now() + 0.002;

    while (ca_now() < until)
        ;
    busy_s[is_second(self)] += is_second(self) ? 8 : 2;
    return byte_stepper.step(self, t, n, error);
}

static enum ca_status long_launch(void *self, uint64_t t, uint64_t n, uint64_t room,
                                  struct ca_error *error)
{
    return room < n ? ca_fail(error, CA_CUDA_FAILED, "no room") : long_step(self, t, n, error);
}

static enum ca_status count_finish(void *self, struct ca_error *error)
{
    (void)error;
    finished[is_second(self)]++;
    return CA_OK;
}

static void own_clock(void *self, struct ca_clock *clock)
{
    *clock = (struct ca_clock){.device_s = 1000 + busy_s[is_second(self)]};
}

static void own_report(const void *self, struct ca_plan *plan)
{
    byte_stepper.report(self, plan);
    plan->memory_bytes = INT64_C(1) << (is_second(self) ? 41 : 40);
    plan->step_s = is_second(self) ? 50 : 100;
}

/* What is not an exchange is the time of the rank that works longest: by its device's clock, or
 * where it has none that of its calls. */
START_TEST(time_of_ranks)
{
    const struct ca_timing *timing;
    struct ca_simulation *simulation;
    struct ca_error error;
    double worked_s;

    fake = byte_stepper;
    fake.step = long_step;
    fake.clock = _i ? own_clock : NULL;
    ck_assert_ok(open_failing(&simulation, &error));
    ck_assert_ok(ca_simulation_step(simulation, 3, &error));
    ck_assert_ok(ca_simulation_step(simulation, 4, &error));
    timing = ca_simulation_timing(simulation);
    worked_s = timing->device_s - timing->transfer_s;
    ck_assert_double_ge(busy_s[1], 4 * 8); /* no call is longer than two generations */
    if (_i) {
        ck_assert_double_eq_tol(worked_s, busy_s[1], 1e-6);
    } else {
        ck_assert_double_ge(worked_s, 0.002 * busy_s[1] / 8);
        ck_assert_double_ge(timing->transfer_s, 0);
    }
    ca_simulation_close(simulation);
}
END_TEST

/* Steps the failing backend, which does not fail, and the reference, and returns the cut one. */
static struct ca_simulation *step_as_whole(uint64_t n, struct ca_simulation **whole)
{
    struct ca_experiment e = kernel_experiment("anneal", "reference", "32x32", NULL, 1, NULL);
    struct ca_simulation *cut;
    struct ca_error error;
    uint64_t hash[2];

    ck_assert_ok(open_failing(&cut, &error));
    ck_assert_ok(ca_simulation_open(whole, &e, &error));
    ck_assert_ok(ca_simulation_step(*whole, n, &error));
    ck_assert_ok(ca_simulation_step(cut, n, &error));
    ck_assert_ok(ca_simulation_hash(*whole, &hash[0], &error));
    ck_assert_ok(ca_simulation_hash(cut, &hash[1], &error));
    ck_assert_uint_eq(hash[0], hash[1]);
    return cut;
}

/* Steps that are launched ahead are waited for once, at the end. */
START_TEST(launched_steps)
{
    struct ca_simulation *whole, *cut;

    fake = byte_stepper;
    fake.launch = long_launch;
    fake.finish = count_finish;
    cut = step_as_whole(7, &whole);
    ck_assert_int_eq(finished[0], 1);
    ck_assert_int_eq(finished[1], 1);
    ca_simulation_close(whole);
    ca_simulation_close(cut);
}
END_TEST

static uint8_t own_slot[2][4][32 * 8]; /* of each rank: as many rows as a halo may have here */

static void *plane_of(const void *self, int slot) { return own_slot[is_second(self)][slot]; }

static enum ca_status own_send(void *self, const struct ca_halo halos[], int count, int64_t rows,
                               struct ca_error *error)
{
    if (count != 2 || rows > 8)
        return ca_fail(error, CA_USAGE, "%d halos of %d rows", count, (int)rows);
    for (int i = 0; i < count; i++)
        CA_TRY(byte_stepper.store(self, (void *[]){plane_of(self, halos[i].slot)}, halos[i].first,
                                  rows, error));
    return CA_OK;
}

static enum ca_status own_receive(void *self, const struct ca_halo halos[], int count, int64_t rows,
                                  struct ca_error *error)
{
    if (count != 2 || rows > 8)
        return ca_fail(error, CA_USAGE, "%d halos of %d rows", count, (int)rows);
    for (int i = 0; i < count; i++) {
        const void *plane = plane_of(halos[i].from, halos[i].slot);

        CA_TRY(byte_stepper.load(self, &plane, halos[i].first, rows, error));
    }
    return CA_OK;
}

/* Both halos of a rank go at once where a backend passes them by itself. */
START_TEST(slots_of_a_backend)
{
    struct ca_simulation *whole, *cut;

    fake = byte_stepper;
    fake.transfer = &(const struct ca_stepper_transfer){.send = own_send, .receive = own_receive};
    cut = step_as_whole(7, &whole);
    ca_simulation_close(whole);
    ca_simulation_close(cut);
}
END_TEST

static int gathered[2];

static enum ca_status own_gather(void *self, const struct ca_gather_points *points,
                                 void *const planes[], struct ca_error *error)
{
    uint8_t row_of[32] = {0}, *to = planes[0];

    gathered[is_second(self)]++;
    for (int64_t r = 0; r < points->count; r++) {
        CA_TRY(byte_stepper.store(self, (void *[]){row_of}, points->row[r], 1, error));
        for (int64_t c = 0; c < points->columns; c++)
            *to++ = row_of[points->x[c]];
    }
    return CA_OK;
}

/* Points of rows that follow each other in a rank are gathered together. */
START_TEST(points_of_ranks)
{
    static const int64_t x[] = {31, 0, 7}, at[] = {0, 15, 16, 31, 17, 3, 14};
    struct ca_gather_points points = {x, at, COUNT(x), COUNT(at)};
    uint8_t got[COUNT(x) * COUNT(at)], line[32], *next = got;
    struct ca_simulation *whole, *cut;
    struct ca_error error;

    fake = byte_stepper;
    fake.draw = &(const struct ca_stepper_draw){.gather = own_gather};
    cut = step_as_whole(3, &whole);
    ck_assert_ok(ca_simulation_gather(cut, &points, (void *[]){got}, &error));
    for (size_t r = 0; r < COUNT(at); r++) {
        ck_assert_ok(ca_simulation_rows(whole, (void *[]){line}, at[r], 1, &error));
        for (size_t c = 0; c < COUNT(x); c++)
            ck_assert_int_eq(*next++, line[x[c]]);
    }
    ck_assert_int_eq(gathered[0], 2);
    ck_assert_int_eq(gathered[1], 1);
    ca_simulation_close(whole);
    ca_simulation_close(cut);
}
END_TEST

/* Memory is that of all ranks together, a step that of the slowest. */
START_TEST(reports_add_up)
{
    struct ca_simulation *simulation;
    struct ca_error error;
    struct ca_plan plan;

    fake = byte_stepper;
    fake.report = own_report;
    ck_assert_ok(open_failing(&simulation, &error));
    ca_simulation_report(simulation, &plan);
    ck_assert_int_eq(plan.memory_bytes >> 40, 3);
    ck_assert_double_ge(plan.step_s, 100);
    ck_assert_double_lt(plan.step_s, 150);
    ca_simulation_close(simulation);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_rank_that_cannot_be_made, a_state_is_kept_by_all_or_none,
                              launched_steps, slots_of_a_backend, points_of_ranks, reports_add_up},
                     .table = {{a_failure_ends_all, COUNT(breaks)}, {time_of_ranks, 2}});
}
