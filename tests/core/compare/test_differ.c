/* SPDX-License-Identifier: MIT */
/*
 * The search for the first difference, on backends that are wrong in known ways: from generation
 * 3,117 on at one cell, once, in calls of 6 or more, at random, by more than a tolerance. Seconds
 * come from a clock of the test's own.
 */
#include <math.h>
#include <string.h>

#include "core/compare/lock_step.h"
#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/manual_clock.h"
#include "tests/support/support.h"

#define X 211
#define Y 40
#define FIRST 3117

static double generation_s, call_s; /* that a fake backend takes by the test's clock */
static uint64_t draws;              /* of the backend that is wrong at random */

static void flip(void *self, int64_t x, int64_t y)
{
    const struct byte_stepper *stepper = self;

    ((uint8_t *)stepper->now.plane[0])[y * stepper->size.w + x] ^= 1;
}

static enum ca_status right(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    manual_clock_s += call_s + (double)n * generation_s;
    return byte_stepper.step(self, t, n, error);
}

/* A generation at a time, wrong in those from `first` to `last`. */
static enum ca_status wrong_between(void *self, uint64_t t, uint64_t n, uint64_t first,
                                    uint64_t last, struct ca_error *error)
{
    manual_clock_s += call_s + (double)n * generation_s;
    for (uint64_t end = t + n; t < end; t++) {
        CA_TRY(byte_stepper.step(self, t, 1, error));
        if (t + 1 >= first && t + 1 <= last)
            flip(self, X, Y);
    }
    return CA_OK;
}

static enum ca_status wrong_from(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    return wrong_between(self, t, n, FIRST, UINT64_MAX, error);
}

static enum ca_status wrong_once(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    return wrong_between(self, t, n, FIRST, FIRST, error);
}

static enum ca_status wrong_calls(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    CA_TRY(right(self, t, n, error));
    if (n >= 6)
        flip(self, X, Y);
    return CA_OK;
}

static enum ca_status wrong_at_random(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    uint64_t u = (test_seed() + ++draws) * UINT64_C(0x9E3779B97F4A7C15);

    CA_TRY(right(self, t, n, error));
    u = (u ^ u >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    if (u >> 62 != 0) /* in three calls of four */
        flip(self, (int64_t)(u >> 8 & 255), (int64_t)(u >> 20 & 31));
    return CA_OK;
}

enum kind { RIGHT, FROM, ONCE, CALLS, RANDOM, OTHER_RANDOM };

static struct ca_backend ladder[7];
static struct ca_stepper fake[6];
static struct ca_model model;
static struct ca_simulation *pair[2];
static struct ca_differ differ;
static struct ca_error error;
static uint64_t checks;

static void setup(void)
{
    for (int i = 0; i < 6; i++) {
        ladder[i] = anneal_model.backends[0];
        fake[i] = byte_stepper;
        ladder[i].stepper = &fake[i];
    }
    fake[RIGHT].step = right;
    fake[FROM].step = wrong_from;
    fake[ONCE].step = wrong_once;
    fake[CALLS].step = wrong_calls;
    fake[RANDOM].step = fake[OTHER_RANDOM].step = wrong_at_random;
    model = anneal_model;
    model.backends = ladder;
    generation_s = call_s = 0;
    draws = 0;
}

static void teardown(void)
{
    for (int i = 0; i < 2; i++) {
        ca_simulation_close(pair[i]);
        pair[i] = NULL;
    }
}

static void ok(enum ca_status status) { ck_assert_msg(status == CA_OK, "%s", error.text); }

static void open_pair(int a, int b, struct ca_size size)
{
    static struct ca_experiment experiment;

    for (int i = 0; i < 2; i++) {
        ca_experiment_default(&experiment, &model);
        ca_experiment_backend(&experiment, &ladder[i ? b : a], CA_FROM_COMMAND_LINE);
        experiment.size = size;
        ok(ca_simulation_open(&pair[i], &experiment, &error));
    }
}

/* Lock step from generation 0: after `calls` calls of `generations` each the states are compared
 * and, if they are equal, marked. True as soon as they differ, with the case. */
static bool lock_step(uint64_t generations, uint64_t calls, uint64_t end,
                      struct ca_differ_case *found)
{
    checks = 0;
    *found = (struct ca_differ_case){.model = &model,
                                     .size = ca_simulation_setup(pair[0])->size,
                                     .generations = generations,
                                     .calls = calls};
    for (int i = 0; i < 2; i++)
        ok(ca_simulation_mark(pair[i], &error));
    while (ca_simulation_generation(pair[0]) < end) {
        for (int i = 0; i < 2; i++) {
            for (uint64_t call = 0; call < calls; call++)
                ok(ca_simulation_step(pair[i], generations, &error));
            ok(ca_simulation_hash(pair[i], &found->hash[i], &error));
        }
        checks++;
        if (found->hash[0] != found->hash[1])
            return true;
        found->mark = ca_simulation_generation(pair[0]);
        for (int i = 0; i < 2; i++)
            ok(ca_simulation_mark(pair[i], &error));
    }
    return false;
}

static const struct ca_differ_result *search(const struct ca_differ_case *start)
{
    struct ca_simulation_side self[2];
    const struct ca_side side[2] = {ca_simulation_side(&self[0], pair[0]),
                                    ca_simulation_side(&self[1], pair[1])};

    ca_differ_begin(&differ, start);
    ok(ca_differ_run(&differ, side, NULL, NULL, &error));
    for (int i = 0; i < 2; i++)
        ca_simulation_side_end(&self[i]);
    return &differ.result;
}

static const struct ca_differ_result *compare(int b, uint64_t generations, uint64_t calls,
                                              uint64_t end)
{
    struct ca_differ_case start;

    open_pair(RIGHT, b, (struct ca_size){300, 64, 1});
    ck_assert(lock_step(generations, calls, end, &start));
    return search(&start);
}

static void check_headline(const struct ca_differ_result *result, const char *expected)
{
    char text[80];

    ck_assert_str_eq(ca_differ_headline(text, result, &model), expected);
}

static void check_sentence(const struct ca_differ_result *result, const char *part)
{
    char text[600];

    ck_assert_contains(ca_differ_sentence(text, sizeof text, result, &model, "A", "B"), part);
}

/* The states that the two are left in differ, at the generation of the result. */
static void check_left(const struct ca_differ_result *result)
{
    struct ca_difference difference;

    for (int i = 0; i < 2; i++)
        ck_assert_uint_eq(ca_simulation_generation(pair[i]), result->generation);
    ok(ca_simulation_compare(pair[0], pair[1], &difference, &error));
    ck_assert_int_ge(difference.count, 1);
    ck_assert_int_eq(difference.x, result->cell.x);
    ck_assert_int_eq(difference.y, result->cell.y);
    ck_assert_double_eq(difference.expected, result->value[0]);
    ck_assert_double_eq(difference.got, result->value[1]);
}

static void check_from(const struct ca_differ_result *result)
{
    ck_assert_int_eq(result->kind, CA_DIFFER_FROM);
    check_headline(result, "DIFFER from 3,117 at 211,40");
    check_sentence(result, "A and B are equal at generation 3,116 and differ at 3,117; the first "
                           "cell is 211,40: ");
    ck_assert_uint_eq(result->equal_at, 3116);
    ck_assert_double_eq(fabs(result->value[0] - result->value[1]), 1);
    check_left(result);
}

/* --- each named rightly ---------------------------------------------------------------------- */

START_TEST(test_from)
{
    const struct ca_differ_result *result = compare(FROM, 64, 1, 4096);
    struct ca_lattice state;

    check_from(result);
    ck_assert(!result->bisected && !result->guilty[0] && !result->guilty[1]);
    /* The neighbourhood: A's result, B's result, and what was before. */
    ck_assert_int_eq(result->columns, 7);
    ck_assert_int_eq(result->rows, 7);
    ck_assert_int_eq(result->corner.x, X - 3);
    ck_assert_int_eq(result->corner.y, Y - 3);
    for (int i = 0; i < 49; i++)
        ck_assert(result->after[0][0][i] == result->after[1][0][i] || i == 24);
    ok(ca_simulation_reset(pair[0], &error));
    ok(ca_simulation_step(pair[0], 3116, &error));
    ok(ca_simulation_store(pair[0], &state, &error));
    for (int y = 0; y < 7; y++)
        for (int x = 0; x < 7; x++) {
            const uint8_t *cells = state.plane[0];

            ck_assert_double_eq(result->before[0][y * 7 + x], cells[(Y - 3 + y) * 300 + X - 3 + x]);
        }
    ck_assert_double_eq(result->value_before, result->before[0][24]);
    ca_lattice_free(&state);
}
END_TEST

/* The second of four calls of 16 since the check. */
START_TEST(test_from_in_a_later_call)
{
    const struct ca_differ_result *result = compare(FROM, 16, 4, 4096);

    check_from(result);
    ck_assert_uint_eq(differ.equal_calls, (3116 - 3072) / 16);
}
END_TEST

START_TEST(test_once)
{
    struct ca_differ_case start;
    const struct ca_differ_result *result = compare(ONCE, 1, 1, 4096);

    check_from(result);
    /* With a check in every 64th generation the screen claims no more than those checks. */
    teardown();
    open_pair(RIGHT, ONCE, (struct ca_size){300, 64, 1});
    ck_assert(!lock_step(64, 1, 4096, &start));
    ck_assert_uint_eq(checks, 64);
}
END_TEST

START_TEST(test_calls)
{
    const struct ca_differ_result *result = compare(CALLS, 64, 2, 4096);

    ck_assert_int_eq(result->kind, CA_DIFFER_LENGTH);
    ck_assert_uint_eq(result->length, 6);
    check_headline(result, "DIFFER in calls of 6 or more");
    check_sentence(result, "equal after calls of 5 generations or fewer and differ after one of 6, "
                           "from generation 0 on; B differs from its own single generations; the "
                           "first cell is 211,40: ");
    ck_assert(!result->guilty[0] && result->guilty[1] && !result->bisected);
    check_left(result);
    teardown();
    /* Calls of fewer are equal, and nothing is claimed. */
    open_pair(RIGHT, CALLS, (struct ca_size){300, 64, 1});
    ck_assert(!lock_step(5, 3, 300, &(struct ca_differ_case){0}));
}
END_TEST

static void check_random(const struct ca_differ_result *result, bool a, bool b)
{
    ck_assert_int_eq(result->kind, CA_DIFFER_VARYING);
    check_headline(result, "NOT DETERMINISTIC");
    ck_assert_int_eq(result->guilty[0], a);
    ck_assert_int_eq(result->guilty[1], b);
    ck_assert_int_ge(result->varying, 1);
    check_sentence(result, a && b ? "neither A nor B is deterministic" : "B is not deterministic");
    check_sentence(result, "; cells that vary: ");
}

START_TEST(test_random)
{
    static const struct {
        uint64_t generations, calls;
    } rows[] = {{64, 1}, {1, 1}, {16, 4}, {7, 3}};

    check_random(compare(RANDOM, rows[_i].generations, rows[_i].calls, 4096), false, true);
    for (int i = 0; i < differ.result.varying; i++)
        ck_assert(differ.result.vary[i].x < 300 && differ.result.vary[i].y < 64);
}
END_TEST

/* Repeats that take long are few. */
START_TEST(test_slow_random)
{
    const struct ca_differ_result *result;

    generation_s = 0.1;
    result = compare(RANDOM, 64, 1, 4096);
    ck_assert_int_eq(result->kind, CA_DIFFER_VARYING);
    ck_assert(!result->guilty[0] && result->guilty[1]);
    ck_assert_int_le(differ.repeats, 2);
}
END_TEST

START_TEST(test_both_random)
{
    struct ca_differ_case start;

    open_pair(RANDOM, OTHER_RANDOM, (struct ca_size){300, 64, 1});
    ck_assert(lock_step(64, 1, 4096, &start));
    check_random(search(&start), true, true);
}
END_TEST

/* --- bisection ------------------------------------------------------------------------------- */

/* A scan of 1024 generations would take more than 10 s. */
START_TEST(test_bisected)
{
    const struct ca_differ_result *result;

    call_s = 0.01;
    result = compare(FROM, 1024, 1, 4096);
    check_from(result);
    ck_assert(result->bisected);
    check_sentence(result, "; found by bisection: earlier differences may have healed");
    ck_assert_uint_lt(differ.single, 10);
}
END_TEST

/* The scan is short enough, the lengths are too many. */
START_TEST(test_bisected_length)
{
    const struct ca_differ_result *result;

    generation_s = 0.001;
    result = compare(CALLS, 1024, 1, 4096);
    check_headline(result, "DIFFER in calls of 6 or more");
    ck_assert(result->bisected);
    ck_assert_uint_eq(differ.single, 1024);
    check_sentence(result, "; found by bisection: shorter calls may differ too");
    check_left(result);
    teardown();
    call_s = 0.1; /* neither scan is */
    result = compare(CALLS, 1024, 1, 4096);
    check_headline(result, "DIFFER in calls of 6 or more");
    check_left(result);
}
END_TEST

/* It takes 10 s of a scan that the first generations promised to be shorter: the estimate is
 * renewed with each generation. */
START_TEST(test_scan_is_kept)
{
    const struct ca_differ_result *result;

    generation_s = 4e-3;
    result = compare(FROM, 1024, 1, 4096); /* 1024 x 2 x 4 ms = 8 s */
    check_from(result);
    ck_assert(!result->bisected);
}
END_TEST

/* --- places ---------------------------------------------------------------------------------- */

static void at_corner(void *self)
{
    const struct byte_stepper *stepper = self;

    flip(self, stepper->size.w - 1, stepper->size.h * stepper->size.d - 1);
}

static enum ca_status wrong_corner(void *self, uint64_t t, uint64_t n, struct ca_error *err)
{
    enum ca_status status = right(self, t, n, err);

    at_corner(self);
    return status;
}

/* The last cell; lattices smaller than the neighbourhood, and rows longer than a chunk. */
START_TEST(test_places)
{
    static const struct ca_size sizes[] = {{5, 3, 1}, {1, 1, 1}, {9000, 3, 1}, {64, 37, 1}};
    const struct ca_differ_result *result;
    struct ca_differ_case start;

    fake[FROM].step = wrong_corner;
    open_pair(RIGHT, FROM, sizes[_i]);
    ck_assert(lock_step(3, 1, 9, &start));
    result = search(&start);
    ck_assert_int_eq(result->kind, CA_DIFFER_FROM);
    ck_assert_uint_eq(result->generation, 1);
    ck_assert(result->placed);
    ck_assert_int_eq(result->columns, sizes[_i].w < 7 ? sizes[_i].w : 7);
    ck_assert_int_eq(result->rows, sizes[_i].h < 7 ? sizes[_i].h : 7);
    ck_assert_int_eq(result->corner.x + result->columns, sizes[_i].w);
    ck_assert_int_eq(result->corner.y + result->rows, sizes[_i].h);
    ck_assert_int_eq(result->cell.x, sizes[_i].w - 1);
    ck_assert_int_eq(result->cell.y, sizes[_i].h - 1);
    check_left(result);
}
END_TEST

START_TEST(test_three_dimensions)
{
    struct ca_differ_case start;
    const struct ca_differ_result *result;
    char text[80];

    model = life3d_model;
    ladder[RIGHT] = ladder[FROM] = life3d_model.backends[0];
    fake[RIGHT] = fake[FROM] = byte_stepper;
    fake[FROM].step = wrong_corner;
    ladder[RIGHT].stepper = &fake[RIGHT], ladder[FROM].stepper = &fake[FROM];
    model.backends = ladder;
    open_pair(RIGHT, FROM, (struct ca_size){12, 10, 9});
    ck_assert(lock_step(4, 1, 9, &start));
    result = search(&start);
    ck_assert_str_eq(ca_differ_headline(text, result, &model), "DIFFER from 1 at 11,9,8");
    ck_assert_int_eq(result->corner.z, 8);
    ck_assert_int_eq(result->corner.y, 3);
}
END_TEST

static enum ca_status wrong_last_plane(void *self, uint64_t t, uint64_t n, struct ca_error *err)
{
    const struct byte_stepper *stepper = self;

    CA_TRY(byte_stepper.step(self, t, n, err));
    ((uint8_t *)stepper->now.plane[2])[(3 * stepper->size.h + 2) * stepper->size.w + 5] ^= 1;
    return CA_OK;
}

/* Of a cell with several planes, the one that differs is named, with its values. */
START_TEST(test_planes)
{
    struct ca_differ_case start;
    const struct ca_differ_result *result;

    model = cloud_model;
    ladder[RIGHT] = ladder[FROM] = cloud_model.backends[0];
    fake[RIGHT] = fake[FROM] = byte_stepper;
    fake[FROM].step = wrong_last_plane;
    ladder[RIGHT].stepper = &fake[RIGHT], ladder[FROM].stepper = &fake[FROM];
    model.backends = ladder;
    open_pair(RIGHT, FROM, (struct ca_size){12, 10, 9});
    ck_assert(lock_step(4, 1, 9, &start));
    result = search(&start);
    check_headline(result, "DIFFER from 1 at 5,2,3");
    ck_assert_int_eq(result->plane, 2);
    ck_assert_double_eq(result->value[1], 1 - result->value[0]);
}
END_TEST

/* --- lock step ------------------------------------------------------------------------------- */

static bool stop_at_ten(void *context, const char *what)
{
    ck_assert_int_gt((int)strlen(what), 5);
    return ++*(int *)context < 10;
}

/* Lock step by the library: the states before are marked, the rest of a call counts. */
START_TEST(test_lock_step)
{
    struct ca_differ_case start;
    bool differs;
    int calls = 0;

    open_pair(RIGHT, FROM, (struct ca_size){300, 64, 1});
    ok(ca_differ_lock_step(&start, &differs, pair, 1000, 3116, NULL, NULL, &error));
    ck_assert(!differs);
    ok(ca_differ_lock_step(&start, &differs, pair, 100, 3217, NULL, NULL, &error));
    ck_assert(differs);
    ck_assert_uint_eq(start.mark, 3116);
    ck_assert_uint_eq(start.generations, 100);
    check_from(search(&start));
    ck_assert_ok(ca_differ_lock_step(&start, &differs, pair, 1, 9999, stop_at_ten, &calls, &error));
    teardown();
    open_pair(RIGHT, RIGHT, (struct ca_size){30, 6, 1});
    calls = 0;
    ck_assert_int_eq(
        ca_differ_lock_step(&start, &differs, pair, 1, 99, stop_at_ten, &calls, &error),
        CA_TIMEOUT);
    ck_assert_uint_eq(ca_simulation_generation(pair[0]), 9);
}
END_TEST

START_TEST(test_stopped)
{
    struct ca_simulation_side self[2];
    struct ca_side side[2];
    struct ca_differ_case start;
    int requests = 0;

    open_pair(RIGHT, FROM, (struct ca_size){300, 64, 1});
    for (int i = 0; i < 2; i++)
        side[i] = ca_simulation_side(&self[i], pair[i]);
    ck_assert(lock_step(64, 1, 4096, &start));
    ca_differ_begin(&differ, &start);
    check_headline(&differ.result, "DIFFER");
    ck_assert_int_eq(ca_differ_run(&differ, side, stop_at_ten, &requests, &error), CA_TIMEOUT);
    ck_assert_int_eq(requests, 10);
    check_headline(&differ.result, "DIFFER");
}
END_TEST

struct told {
    char text[4000];
    int last; /* so often its last part was told */
};

/* Adds what is told to a text, once if it is told again and again. */
static bool add_told(void *context, const char *what)
{
    struct told *all = context;
    size_t n = strlen(all->text), m = strlen(what);

    all->last++;
    if (n < m || strcmp(all->text + n - m, what) != 0) {
        snprintf(all->text + n, sizeof all->text - n, "%s%s", n > 0 ? "; " : "", what);
        all->last = 1;
    }
    return true;
}

static const struct {
    int kind;
    uint64_t generations, calls;
    const char *told;
    int last; /* so often the last part is told: what came before it does not end as that */
} progress[] = {
    {FROM, 4, 1, "repeating; generation 3,117 of 3,120; looking for the first cell", 19},
    {CALLS, 7, 2,
     "repeating; generation 1 of 7; generation 2 of 7; generation 3 of 7; generation 4 of 7; "
     "generation 5 of 7; generation 6 of 7; generation 7 of 7; calls of 2 generations; calls of 3 "
     "generations; calls of 4 generations; calls of 5 generations; calls of 6 generations; looking "
     "for the first cell",
     19},
    {RANDOM, 4, 1, "repeating; repeat 1 of 16", 0}, /* and further ones, by chance */
};

/* What a search tells while it goes on. */
START_TEST(test_progress)
{
    struct ca_simulation_side self[2];
    struct ca_side side[2];
    struct ca_differ_case start;
    struct told told = {.last = 0};

    open_pair(RIGHT, progress[_i].kind, (struct ca_size){300, 64, 1});
    for (int i = 0; i < 2; i++)
        side[i] = ca_simulation_side(&self[i], pair[i]);
    ck_assert(lock_step(progress[_i].generations, progress[_i].calls, 4096, &start));
    ca_differ_begin(&differ, &start);
    ok(ca_differ_run(&differ, side, add_told, &told, &error));
    for (int i = 0; i < 2; i++)
        ca_simulation_side_end(&self[i]);
    if (progress[_i].kind == RANDOM)
        ck_assert(strncmp(told.text, progress[_i].told, strlen(progress[_i].told)) == 0);
    else {
        ck_assert_str_eq(told.text, progress[_i].told);
        ck_assert_int_eq(told.last, progress[_i].last);
    }
}
END_TEST

/* Of a burst, the seconds of the wall that its calls took. */
START_TEST(test_burst)
{
    struct ca_simulation_side self;
    struct ca_side side;
    struct ca_side_result result;

    open_pair(RIGHT, RIGHT, (struct ca_size){300, 64, 1});
    side = ca_simulation_side(&self, pair[0]);
    call_s = 0.25;
    manual_clock_s = 1000;
    ok(side.burst(side.self, 2, 5, &error));
    ok(side.result(side.self, &result, &error));
    ck_assert_double_eq_tol(result.seconds, 5 * call_s, 1e-6);
    ck_assert_uint_eq(ca_simulation_generation(pair[0]), 10);
    ca_simulation_side_end(&self);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .teardown = teardown,
                     .test = {test_from, test_from_in_a_later_call, test_once, test_calls,
                              test_slow_random, test_both_random, test_bisected,
                              test_bisected_length, test_scan_is_kept, test_three_dimensions,
                              test_planes, test_lock_step, test_stopped, test_burst},
                     .table = {
                         {test_random, 4}, {test_places, 4}, {test_progress, COUNT(progress)}});
}
