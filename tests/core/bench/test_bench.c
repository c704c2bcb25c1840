/* SPDX-License-Identifier: MIT */
/* Benchmarks: which calls count, that a wrong state has no figures, and who a state is checked
 * against. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/bench_ladder.h"

/* --- calls ----------------------------------------------------------------------------------- */

/* Calls that others disturbed are left out, also those before anybody knew how fast the fixed loop
 * can be; where too few are left the line is unsure, and its factor unknown. */
START_TEST(calls_that_count)
{
    struct ca_bench_line *line;

    bench_add("reference,right");
    fill_line(0, 2e-3);
    fill_line(1, 1e-3);
    line = &bench.line[1];
    line->made = 12;
    for (int i = 0; i < 12; i++)
        line->call[i] = (struct ca_bench_call){.seconds = i,
                                               .device_s = i / 2.0,
                                               .speed = i < 3 ? 0.7e9 : 1e9,
                                               .quiet = i == 5 ? CA_DISTURBED : CA_QUIET};
    ca_bench_count_calls(line, 0.7e9);
    ck_assert_int_eq(line->stats.n, 11);
    ca_bench_count_calls(line, 1e9);
    ck_assert_int_eq(line->stats.n, 8);
    ck_assert_double_eq(line->sample[0], 3);
    ck_assert_double_eq(line->sample[2], 6);
    ck_assert_double_eq(line->device[2], 3);
    ck_assert(!line->unsure);
    ck_assert(isfinite(ca_bench_factor(&bench.line[0], line).error));
    for (int i = 6; i < 10; i++)
        line->call[i].quiet = CA_DISTURBED;
    ca_bench_count_calls(line, 1e9);
    ck_assert_int_eq(line->stats.n, 4);
    ck_assert(line->unsure);
    line->stats.n = 12;
    ck_assert(isinf(ca_bench_factor(&bench.line[0], line).error));
    ck_assert(isinf(ca_bench_repeat_error(&line->stats, true)));
    line->made = 4; /* none of few calls was disturbed: they are few, and not unsure */
    for (int i = 0; i < 4; i++)
        line->call[i].quiet = CA_QUIET;
    ca_bench_count_calls(line, 0);
    ck_assert(!line->unsure);
}
END_TEST

/* A call has as many generations beside others as on idle cores. */
START_TEST(length_of_a_call)
{
    uint64_t steps[2];

    bench_add("reference");
    for (int i = 0; i < 2; i++) {
        others_share = i ? 0.8 : 0;
        bench.line[0].experiment.steps = 0;
        bench_run();
        steps[i] = bench.line[0].experiment.steps;
    }
    others_share = 0;
    ck_assert_uint_ge(steps[0], 20);
    ck_assert_uint_le(steps[0], 30);
    ck_assert_uint_eq(steps[1], steps[0]);
}
END_TEST

static int instances;
static double create_s;

static enum ca_status counted_create(void **self, const struct ca_setup *setup,
                                     struct ca_error *failure)
{
    instances++;
    manual_clock_s += create_s;
    return byte_stepper.create(self, setup, failure);
}

/* Five calls each, so that no place in memory decides; one alone where it takes long to open. */
START_TEST(several_instances)
{
    bench_add("right");
    bench.time_s = 2;
    fake[1].create = counted_create;
    create_s = _i ? 0.03 : 0.01;
    instances = 0;
    bench_run();
    ck_assert_int_eq(bench.line[0].made, 40);
    ck_assert_int_eq(instances, _i ? 1 : 8);
    ck_assert_int_eq(bench.line[0].wrong, 0);
}
END_TEST

/* Calls by the error so far, at most by the limit of time; and the seconds that they take. */
START_TEST(what_is_left)
{
    bench_add("reference,right");
    bench.time_s = 2;
    bench.error = 0.01;
    ck_assert_int_eq(ca_bench_calls(&bench, &bench.line[0]), 0);
    ck_assert_double_eq(ca_bench_left(&bench), 4);
    bench.line[0].stats.n = bench.line[0].made = 10;
    bench.line[0].seconds = 0.1;
    for (int i = 0; i < 10; i++)
        bench.line[0].sample[i] = 0.01 * (i % 2 ? 1.05 : 0.95); /* MAD 5 % */
    ck_assert_int_eq(ca_bench_calls(&bench, &bench.line[0]),
                     (int)ceil(pow(1.2533 * 1.4826 * 0.05 / 0.01, 2)));
    ck_assert_double_eq_tol(ca_bench_left(&bench), 2 + 77 * 0.01, 1e-9);
    bench.line[0].seconds = 1;
    ck_assert_int_eq(ca_bench_calls(&bench, &bench.line[0]), 20);
    bench.line[0].stats.n = bench.line[0].made = 3;
    ck_assert_int_eq(ca_bench_calls(&bench, &bench.line[0]), 6);
    bench.line[0].stats.n = 10; /* 5 calls more that were left out */
    bench.line[0].made = 15;
    bench.line[0].seconds = 0.15;
    ck_assert_int_eq(ca_bench_calls(&bench, &bench.line[0]),
                     5 + (int)ceil(pow(1.2533 * 1.4826 * 0.05 / 0.01, 2)));
    strcpy(bench.line[0].checked, "itself");
    ck_assert_double_eq(ca_bench_left(&bench), 2);
}
END_TEST

static double clock_s;

static void clock_of(void *self, struct ca_clock *clock)
{
    (void)self;
    *clock = (struct ca_clock){.device_s = clock_s += 0.001};
}

/* A device's own clock, which says a millisecond of each call, and its median beside the other. A
 * device whose power nobody knows has no energy, not one of 0. */
START_TEST(device_time)
{
    ladder[1].device = CA_CUDA;
    fake[1].clock = clock_of;
    run_lines("right", "5");
    ck_assert_int_gt(bench.line[0].device_stats.n, 0);
    ck_assert_int_eq(bench.line[0].device_stats.n, bench.line[0].stats.n);
    ck_assert_double_eq_tol(bench.line[0].device_stats.median, 0.001, 1e-9);
    ck_assert_double_le(bench.line[0].watts, 0);
    ck_assert_double_eq(bench.line[0].joules, -1);
}
END_TEST

/* --- runs ------------------------------------------------------------------------------------ */

START_TEST(wrong_has_no_figures)
{
    struct ca_bench_report report = {.bench = &bench};

    run_lines("reference,right,wrong,absent", "4");
    for (int i = 0; i < 2; i++) {
        ck_assert(ca_bench_good(&bench.line[i]));
        ck_assert_int_ge(bench.line[i].stats.n, 1);
        ck_assert_uint_eq(bench.line[i].hash, bench.line[0].hash);
    }
    ck_assert_str_eq(bench.line[1].checked, "reference");
    ck_assert_int_eq(bench.line[2].wrong, 2);
    ck_assert_uint_ne(bench.line[2].hash, bench.line[0].hash);
    ck_assert(!ca_bench_good(&bench.line[2]));
    ck_assert_double_eq(ca_bench_mups(&bench.line[2]), 0);
    ck_assert(!bench.line[3].available);
    ck_assert_str_eq(bench.line[3].reason, "needs an abacus");
    ck_assert_contains(printed(&report, TABLE_CSV), ",wrong,1,4,",
                       "-,-,-,-,-,-,-,-,-,-,-,-,-,2,reference,",
                       "unavailable: needs an abacus,-\n");
}
END_TEST

/* Stops once the first two lines have a median. */
static bool stop_when_timed(void *context, const struct ca_bench *b,
                            const struct ca_bench_line *line, const char *what)
{
    (void)context, (void)line, (void)what;
    return b->line[0].made < CA_BENCH_MEDIAN || b->line[1].made < CA_BENCH_MEDIAN;
}

/* A benchmark that is stopped keeps the medians that it has, checked; who is wrong stays so. */
START_TEST(keeps_medians)
{
    strcpy(spec.setting[CA_KEY_STEPS], "4");
    bench.time_s = 60;
    bench.error = -1; /* which equal times do not reach either */
    bench_add("reference,right,wrong");
    ck_assert_int_eq(ca_bench_run(&bench, stop_when_timed, NULL, &error), CA_TIMEOUT);
    ck_assert(ca_bench_good(&bench.line[0]) && ca_bench_good(&bench.line[1]));
    ck_assert(bench.line[0].partial && bench.line[1].partial);
    ck_assert_int_eq(bench.line[1].made, CA_BENCH_MEDIAN);
    ck_assert_double_gt(bench.line[1].stats.median, 0);
    ck_assert_str_eq(bench.line[1].checked, "reference");
    ck_assert_int_lt(bench.line[2].wrong, 0); /* four calls are no median */
    ca_bench_keep_finished(&bench);
    ck_assert_int_eq(bench.count, 2);
    ca_bench_free(&bench);

    ca_bench_default(&bench);
    bench.time_s = 60;
    bench.error = -1;
    bench_add("reference,wrong");
    ck_assert_int_eq(ca_bench_run(&bench, stop_when_timed, NULL, &error), CA_TIMEOUT);
    ck_assert_int_eq(bench.line[1].wrong, 2);
    ck_assert_double_eq(ca_bench_mups(&bench.line[1]), 0);
}
END_TEST

/* What was finished before is kept, what was only opened is not. */
START_TEST(failure_ends_it)
{
    strcpy(spec.setting[CA_KEY_STEPS], "4");
    bench_add("right,absent");
    strcpy(spec.sizes, "30x20");
    bench_add("reference,failing");
    ck_assert_int_eq(ca_bench_run(&bench, NULL, NULL, &error), CA_IO);
    ck_assert_str_eq(error.text, "the cat has eaten it");
    ck_assert_int_eq(bench.count, 4);
    ca_bench_keep_finished(&bench);
    ck_assert_int_eq(bench.count, 2);
    ck_assert(ca_bench_good(&bench.line[0]));
    ck_assert_str_eq(bench.line[1].reason, "needs an abacus");
}
END_TEST

static enum ca_status poor_create(void **self, const struct ca_setup *setup,
                                  struct ca_error *failure)
{
    (void)self, (void)setup;
    return ca_fail(failure, CA_NO_MEMORY, "no memory for the cat");
}

/* Memory that is gone once the plan has been made costs a line, not the benchmark. */
START_TEST(without_memory)
{
    fake[2].create = poor_create;
    run_lines("reference,wrong,right", "4");
    ck_assert(ca_bench_good(&bench.line[0]) && ca_bench_good(&bench.line[1]));
    ck_assert(!bench.line[2].available);
    ck_assert_str_eq(bench.line[2].reason, "no memory for the cat");
}
END_TEST

static int checks;

static bool stop_at_a_check(void *context, const struct ca_bench *b,
                            const struct ca_bench_line *line, const char *what)
{
    (void)context;
    checks += strcmp(what, "checking") == 0 && line == &b->line[1];
    return checks == 0;
}

/* Stopped before the second of three is checked: all were timed, so that all are checked. */
START_TEST(stops_in_checks)
{
    strcpy(spec.setting[CA_KEY_STEPS], "4");
    bench_add("reference,right,wrong");
    checks = 0;
    ck_assert_int_eq(ca_bench_run(&bench, stop_at_a_check, NULL, &error), CA_TIMEOUT);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_ge(bench.line[i].made, CA_BENCH_MEDIAN);
        ck_assert(!bench.line[i].partial);
    }
    ck_assert(ca_bench_good(&bench.line[0]) && ca_bench_good(&bench.line[1]));
    ck_assert_int_eq(bench.line[2].wrong, 2);
    ca_bench_keep_finished(&bench);
    ck_assert_int_eq(bench.count, 3);
    ck_assert_str_eq(bench.line[0].checked, "itself");
    ck_assert_str_eq(bench.line[1].checked, "reference");
}
END_TEST

static int turns[64], turn;

static bool note_turn(void *context, const struct ca_bench *b, const struct ca_bench_line *line,
                      const char *what)
{
    if (strcmp(what, "timing") == 0 && turn < 64)
        turns[turn++] = (int)(line - b->line);
    return !context || turn < 3;
}

START_TEST(in_turns)
{
    int stop = 1;

    strcpy(spec.setting[CA_KEY_STEPS], "1");
    bench.error = 0; /* so that the time decides */
    bench_add("reference,right");
    turn = 0;
    ck_assert_ok(ca_bench_run(&bench, note_turn, NULL, &error));
    ck_assert_int_ge(turn, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(turns[i], i % 2);
    ck_assert_int_le(bench.line[0].stats.n, CA_BENCH_SAMPLES);
    ca_bench_free(&bench);
    setup();
    strcpy(spec.setting[CA_KEY_STEPS], "1");
    bench.error = 0;
    bench_add("reference,right");
    turn = 0;
    ck_assert_int_eq(ca_bench_run(&bench, note_turn, &stop, &error), CA_TIMEOUT);
}
END_TEST

/* Without steps, a call is made long enough to be timed: at least 20 ms, some more for certainty.
 */
START_TEST(finds_steps)
{
    bench_add("right");
    ck_assert_uint_eq(bench.line[0].experiment.steps, 0);
    bench_run();
    ck_assert_uint_ge(bench.line[0].experiment.steps, 20);
    ck_assert_uint_lt(bench.line[0].experiment.steps, 25);
    ck_assert_double_eq_tol(bench.line[0].stats.median,
                            STEP_S * (double)bench.line[0].experiment.steps, 1e-6);
}
END_TEST

/* Steps that a check allows the reference, and as many as it does not. */
#define ALLOWED 1000
#define TOO_MANY 16000

/* Lines of 20 steps, of which the second one has TOO_MANY. */
static void run_scarce(const char *backends)
{
    strcpy(spec.setting[CA_KEY_STEPS], "20");
    bench.check_s = ALLOWED * STEP_S;
    bench_add(backends);
    bench.line[1].experiment.steps = TOO_MANY;
    bench_run();
}

/* Where the reference would take too long, another one that it has confirmed. */
START_TEST(by_a_witness)
{
    run_scarce("reference,right,quick");
    ck_assert_str_eq(bench.line[2].checked, "reference");
    ck_assert_str_eq(bench.line[1].checked, "quick");
    ck_assert_int_eq(bench.line[1].wrong, 0);
}
END_TEST

/* Without one, as many of the reference's generations as there is time for, and the column says how
 * many. */
START_TEST(by_early_generations)
{
    unsigned long long generation = 0;

    run_scarce("reference,right");
    ck_assert_int_eq(
        sscanf(bench.line[1].checked, "reference, only to generation %llu", &generation), 1);
    ck_assert_uint_ge(generation, ALLOWED - 2);
    ck_assert_uint_le(generation, ALLOWED);
    ck_assert_int_eq(bench.line[1].wrong, 0);
}
END_TEST

/* Without time for even one, or too little by what a smaller lattice takes, that smaller lattice;
 * what is wrong there is wrong. */
START_TEST(by_a_smaller_one)
{
    bench.check_s = _i * 1e-6;
    strcpy(spec.sizes, "300x280");
    run_lines("right,wrong", "2");
    ck_assert_str_eq(bench.line[0].checked, "reference, only on 256x256");
    ck_assert_int_eq(bench.line[0].wrong, 0);
    ck_assert_int_gt(bench.line[1].wrong, 0);
}
END_TEST

/* A witness has its time, however little the reference gets; the reference is none then. */
START_TEST(by_a_witness_without_a_reference)
{
    bench.check_s = 0;
    strcpy(spec.sizes, "300x280");
    strcpy(spec.setting[CA_KEY_STEPS], "2");
    bench_add("reference,right,wrong");
    bench.line[1].experiment.steps = 3;
    bench.line[2].experiment.steps = 4;
    bench_run();
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(bench.line[i].checked, "reference, only on 256x256");
        ck_assert_int_eq(bench.line[i].wrong, 0);
    }
    ck_assert_str_eq(bench.line[2].checked, "right");
    ck_assert_int_eq(bench.line[2].wrong, 2);
}
END_TEST

/* What a backend does not write is not right for what the line before has left there. */
START_TEST(leaves_nothing_to_the_next)
{
    fake[2].step = fake[1].step;
    fake[2].store = lazy_store;
    fake[2].observe = NULL; /* by its rows, which are stored */
    run_lines("reference,right,wrong", "4");
    ck_assert(ca_bench_good(&bench.line[1]));
    ck_assert_int_eq(bench.line[2].wrong, 40 * 20);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .teardown = teardown,
                     .test = {calls_that_count, length_of_a_call, what_is_left, keeps_medians,
                              device_time, wrong_has_no_figures, failure_ends_it, without_memory,
                              stops_in_checks, in_turns, finds_steps, by_a_witness,
                              by_early_generations, by_a_witness_without_a_reference,
                              leaves_nothing_to_the_next},
                     .table = {{several_instances, 2}, {by_a_smaller_one, 2}});
}
