/* SPDX-License-Identifier: MIT */
/*
 * Benchmarks: what lines a spec or a file makes, the figures, that a wrong state has none, and who
 * a state is checked against.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/registry.h"
#include "kernels/common/plain.h"
#include "tests/support.h"
#include "tui/commands/bench.h"

/* --- a ladder with mistakes ------------------------------------------------------------------ */

static enum ca_status wrong_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct plain *plain = self;
    enum ca_status status = plain_step(self, t, n, error);

    ((uint8_t *)plain->now.plane[0])[3] ^= 1;
    ((uint8_t *)plain->now.plane[0])[5] ^= 1;
    return status;
}

static enum ca_status absent(struct ca_error *error)
{
    return ca_fail(error, CA_NO_DEVICE, "needs an abacus");
}

static enum ca_status failing_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    (void)self, (void)t, (void)n;
    return ca_fail(error, CA_IO, "the cat has eaten it");
}

static struct ca_backend ladder[6];
static struct ca_model model;
static struct ca_bench bench;
static struct ca_bench_spec spec;
static struct ca_error error;

static void setup(void)
{
    for (int i = 0; i < 5; i++)
        ladder[i] = anneal_model.backends[0];
    ladder[1].name = "right";
    ladder[2].name = "wrong", ladder[2].step = wrong_step;
    ladder[3].name = "absent", ladder[3].available = absent;
    ladder[4].name = "failing", ladder[4].step = failing_step;
    model = anneal_model;
    model.backends = ladder;
    ca_bench_default(&bench);
    bench.time_s = 0.02;
    memset(&spec, 0, sizeof spec);
    spec.model = &model;
    strcpy(spec.sizes, "40x20");
}

static void teardown(void) { ca_bench_free(&bench); }

static void add(void) { ck_assert_int_eq(ca_bench_add(&bench, &spec, NULL, &error), CA_OK); }

static void run(void)
{
    enum ca_status status = ca_bench_run(&bench, NULL, NULL, &error);

    ck_assert_msg(status == CA_OK, "%s", error.text);
}

/* --- figures --------------------------------------------------------------------------------- */

START_TEST(stats)
{
    static const double odd[] = {3, 1, 2, 100, 2.5}, even[] = {4, 2};
    struct ca_bench_stats s = ca_bench_stats(odd, 5);

    ck_assert_int_eq(s.n, 5);
    ck_assert_double_eq(s.median, 2.5);
    ck_assert_double_eq(s.mad, 0.5); /* of 0.5 1.5 0.5 97.5 0 */
    ck_assert_double_eq(s.min, 1);
    ck_assert_double_eq(s.max, 100);
    s = ca_bench_stats(even, 2);
    ck_assert_double_eq(s.median, 3);
    ck_assert_double_eq(s.mad, 1);
    ck_assert_double_eq_tol(ca_bench_error(&s), 1.2533 * 1.4826 / sqrt(2) / 3, 1e-12);
    ck_assert_int_eq(ca_bench_stats(odd, 0).n, 0);
    s = ca_bench_stats(odd, 1);
    ck_assert(isinf(ca_bench_error(&s)));
}
END_TEST

/* A line of 40x20 cells, 10 steps, 2 ms: 4 Mups. */
static void fill_line(int i, double median)
{
    struct ca_bench_line *line = &bench.line[i];

    line->available = true;
    line->experiment.steps = 10;
    line->stats = (struct ca_bench_stats){5, median, 0, median, median};
    line->wrong = 0;
}

START_TEST(rates)
{
    strcpy(spec.backends, "reference,right,wrong");
    add();
    fill_line(0, 2e-3);
    fill_line(1, 1e-3);
    fill_line(2, 0.25e-3);
    ck_assert_double_eq_tol(ca_bench_mups(&bench.line[0]), 4, 1e-9);
    ck_assert_double_eq_tol(ca_bench_gb(&bench.line[0]), 4e6 * 2 / 1e9, 1e-12);
    ck_assert_double_eq_tol(ca_bench_gops(&bench.line[0]), 4e6 * 11 / 1e9, 1e-12);
    ck_assert_double_eq_tol(ca_bench_to_reference(&bench, &bench.line[2]), 8, 1e-9);
    ck_assert_double_eq_tol(ca_bench_to_before(&bench, &bench.line[2]), 4, 1e-9);
    ck_assert_double_eq(ca_bench_to_before(&bench, &bench.line[0]), 0);
    bench.line[1].wrong = 1;
    ck_assert_double_eq(ca_bench_mups(&bench.line[1]), 0);
    ck_assert_double_eq_tol(ca_bench_to_before(&bench, &bench.line[2]), 8, 1e-9);
    bench.line[1].wrong = 0;
    ladder[2].device = CA_CUDA; /* a rung of another ladder: the reference is before it */
    ck_assert_double_eq_tol(ca_bench_to_before(&bench, &bench.line[2]), 8, 1e-9);
}
END_TEST

static double clock_s;

static void clock_of(void *self, struct ca_clock *clock)
{
    (void)self;
    *clock = (struct ca_clock){.device_s = clock_s += 0.001};
}

/* A device's own clock, which says a millisecond of each call, and its median beside the other. */
START_TEST(device_time)
{
    ladder[1].clock = clock_of;
    strcpy(spec.backends, "right");
    strcpy(spec.steps, "5");
    add();
    run();
    ck_assert_int_gt(bench.line[0].device_stats.n, 0);
    ck_assert_int_eq(bench.line[0].device_stats.n, bench.line[0].stats.n);
    ck_assert_double_eq_tol(bench.line[0].device_stats.median, 0.001, 1e-9);
}
END_TEST

/* --- plans ----------------------------------------------------------------------------------- */

START_TEST(plan)
{
    spec.model = &anneal_model;
    strcpy(spec.sizes, "40x20,64x64");
    strcpy(spec.threads, "1,2");
    strcpy(spec.backends, "reference,threads,bitslice");
    strcpy(spec.set[spec.sets++], "density=0.25");
    add();
    /* For each size the reference once, then two of each of the others. */
    ck_assert_int_eq(bench.count, 10);
    ck_assert_int_eq(bench.groups, 2);
    ck_assert_str_eq(bench.line[0].experiment.backend->name, "reference");
    ck_assert_str_eq(bench.line[1].experiment.backend->name, "threads");
    ck_assert_int_eq(bench.line[1].threads, 1);
    ck_assert_int_eq(bench.line[3].threads, 2);
    ck_assert_int_eq(bench.line[3].group, bench.line[0].group);
    ck_assert_int_eq(bench.line[5].experiment.size.w, 64);
    ck_assert_int_ne(bench.line[5].group, bench.line[0].group);
    ck_assert_double_eq(ca_real(&bench.line[9].experiment.params, "density"), 0.25);
    /* The same work again belongs to the same group. */
    strcpy(spec.sizes, "40x20");
    strcpy(spec.label, "again");
    add();
    ck_assert_int_eq(bench.groups, 2);
    ck_assert_str_eq(bench.line[10].label, "again");
    strcpy(spec.set[0], "density=0.26");
    add();
    ck_assert_int_eq(bench.groups, 3);
}
END_TEST

START_TEST(refuses_specs)
{
    static const struct {
        size_t field;
        const char *text, *part;
    } wrong[] = {
        {offsetof(struct ca_bench_spec, backends), "rigth", "did you mean 'right'"},
        {offsetof(struct ca_bench_spec, sizes), "40", "WIDTHxHEIGHT"},
        {offsetof(struct ca_bench_spec, sizes), "40x20,0x3", "out of range"},
        {offsetof(struct ca_bench_spec, seed), "x", "whole number"},
        {offsetof(struct ca_bench_spec, steps), "-1", "whole number"},
        {offsetof(struct ca_bench_spec, init), "rendom", "did you mean 'random'"},
    };

    strcpy((char *)&spec + wrong[_i].field, wrong[_i].text);
    ck_assert_int_eq(ca_bench_add(&bench, &spec, "there", &error), CA_USAGE);
    ck_assert_contains(error.text, wrong[_i].part);
    ck_assert_contains(error.text, "there");
}
END_TEST

START_TEST(refuses_settings)
{
    strcpy(spec.set[spec.sets++], "dansity=0.2");
    ck_assert_int_eq(ca_bench_add(&bench, &spec, NULL, &error), CA_USAGE);
    ck_assert_contains(error.text, "density");
    spec.model = &anneal_model;
    strcpy(spec.set[0], "threads=-1");
    ck_assert_int_eq(ca_bench_add(&bench, &spec, NULL, &error), CA_USAGE);
    ck_assert_contains(error.text, "threads");
    strcpy(spec.set[0], "threads=2"); /* passed over by the reference, which has none */
    ca_bench_free(&bench);
    add();
    ck_assert_int_eq(bench.line[0].threads, 1);
    ck_assert_int_eq(bench.line[1].threads, 2);
}
END_TEST

static const struct {
    const char *text;
    enum ca_status status;
    const char *part[2];
} files[] = {
    {"cases = ( { model = \"anneal\"; } );", CA_OK, {""}},
    {"cases = ( { model = \"fhp\"; size = [\"8x8\", \"16x16\"]; threads = [1, 2];\n"
     "backend = \"t*\"; parameters : { p_force = 0.25; collisions = \"fhp3\"; }; } );",
     CA_OK,
     {""}},
    {"cases = ( { model = \"anneel\"; } );", CA_SETTINGS, {"bench.cfg:1", "did you mean 'anneal'"}},
    {"cases = (\n{ backend = \"threads\"; } );", CA_SETTINGS, {"bench.cfg:2", "model"}},
    {"cases = (\n{ model = \"anneal\"; bakend = \"x\"; } );",
     CA_SETTINGS,
     {"bench.cfg:2: bakend", "did you mean 'backend'"}},
    {"cases = (\n{ model = \"anneal\"; qqqqqq = 1; } );",
     CA_SETTINGS,
     {"qqqqqq", "there are: label"}},
    {"cases = ( { model = \"anneal\"; size = 7; } );", CA_SETTINGS, {"WIDTHxHEIGHT", "'7'"}},
    {"cases = ( { model = \"anneal\"; size = []; } );", CA_SETTINGS, {"size", "empty list"}},
    {"cases = ( { model = \"anneal\"; backend = \"zip\"; } );",
     CA_SETTINGS,
     {"zip", "bench.cfg:1"}},
    {"cases = ( { model = \"anneal\"; threads = \"many\"; } );", CA_SETTINGS, {"many", "threads"}},
    {"cases = ( { model = \"anneal\"; parameters = 3; } );", CA_SETTINGS, {"parameters", "group"}},
    {"cases = ( { model = \"anneal\"; parameters : { density = 2; }; } );",
     CA_SETTINGS,
     {"density", "0 ... 1"}},
    {"cases = ( { model = true; } );", CA_SETTINGS, {"model", "true or false"}},
    {"cases = ( 3 );", CA_SETTINGS, {"bench.cfg:1", "group"}},
    {"cases = ( );", CA_SETTINGS, {"cases", "a list of cases"}},
    {"cases = 3;", CA_SETTINGS, {"cases", "a list of cases"}},
    {"model = \"anneal\";", CA_SETTINGS, {"model", "there is: cases"}},
    {"", CA_SETTINGS, {"bench.cfg", "'cases' is missing"}},
    {"cases = (", CA_SETTINGS, {"bench.cfg:1", "syntax error"}},
};

START_TEST(reads_files)
{
    const char *path = test_path("bench.cfg");
    enum ca_status status;

    test_write(path, files[_i].text, strlen(files[_i].text));
    status = ca_bench_read(&bench, path, &error);
    ck_assert_msg(status == files[_i].status, "%s: status %d: %s", files[_i].text, status,
                  status == CA_OK ? "" : error.text);
    for (int p = 0; status != CA_OK && p < 2; p++)
        ck_assert_contains(error.text, files[_i].part[p]);
    if (_i == 1) {
        ck_assert_int_eq(bench.count, 4);
        ck_assert_double_eq(ca_real(&bench.line[3].experiment.params, "p_force"), 0.25);
        ck_assert_int_eq(ca_choice(&bench.line[3].experiment.params, "collisions"), 2);
    }
}
END_TEST

/* Every one that comes with calab is right. */
START_TEST(shipped_files)
{
    static const char *const names[] = {"anneal", "fhp", "cloud", "water", "life3d"};
    char name[64];

    snprintf(name, sizeof name, "configs/bench-%s.cfg", names[_i]);
    ck_assert_msg(ca_bench_read(&bench, test_source(name), &error) == CA_OK, "%s", error.text);
    ck_assert_int_ge(bench.count, 4);
    ck_assert_str_eq(bench.line[0].experiment.model->name, names[_i]);
}
END_TEST

START_TEST(missing_file)
{
    ck_assert_int_eq(ca_bench_read(&bench, test_path("none.cfg"), &error), CA_IO);
    ck_assert_contains(error.text, "none.cfg");
}
END_TEST

/* --- runs ------------------------------------------------------------------------------------ */

START_TEST(wrong_has_no_figures)
{
    struct bench_report report = {.bench = &bench};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    strcpy(spec.backends, "reference,right,wrong,absent");
    strcpy(spec.steps, "4");
    add();
    run();
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
    bench_print(out, &report, BENCH_CSV);
    fclose(out);
    ck_assert_contains(text, ",wrong,1,4,");
    ck_assert_contains(text, "-,-,-,-,-,-,-,-,-,-,-,2,reference\n");
    ck_assert_contains(text, "unavailable: needs an abacus\n");
    free(text);
}
END_TEST

START_TEST(failure_ends_it)
{
    strcpy(spec.backends, "failing");
    add();
    ck_assert_int_eq(ca_bench_run(&bench, NULL, NULL, &error), CA_IO);
    ck_assert_str_eq(error.text, "the cat has eaten it");
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

    strcpy(spec.backends, "reference,right");
    strcpy(spec.steps, "1");
    bench.error = 0; /* so that the time decides */
    add();
    turn = 0;
    ck_assert_int_eq(ca_bench_run(&bench, note_turn, NULL, &error), CA_OK);
    ck_assert_int_ge(turn, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(turns[i], i % 2);
    ck_assert_int_le(bench.line[0].stats.n, CA_BENCH_SAMPLES);
    ca_bench_free(&bench);
    setup();
    strcpy(spec.backends, "reference,right");
    strcpy(spec.steps, "1");
    bench.error = 0;
    add();
    turn = 0;
    ck_assert_int_eq(ca_bench_run(&bench, note_turn, &stop, &error), CA_TIMEOUT);
}
END_TEST

/* Without steps, a call is made long enough to be timed. */
START_TEST(finds_steps)
{
    strcpy(spec.backends, "right");
    add();
    ck_assert_uint_eq(bench.line[0].experiment.steps, 0);
    run();
    ck_assert_uint_gt(bench.line[0].experiment.steps, 16);
    ck_assert_double_gt(bench.line[0].stats.max, 0.005);
}
END_TEST

/* Steps that a check allows the reference, and as many as it does not, whatever else runs here. */
#define ALLOWED 1000
#define TOO_MANY 4000

/* Lines of 20 steps on 256x64, and for checking the time that ALLOWED steps take at best. */
static void add_scarce(const char *backends)
{
    double step_s;

    spec.model = &anneal_model;
    strcpy(spec.sizes, "256x64");
    strcpy(spec.backends, "reference");
    strcpy(spec.steps, "20");
    strcpy(spec.threads, "1");
    bench.error = 0;
    add();
    run();
    step_s = bench.line[0].stats.min / 20;
    ca_bench_free(&bench);
    ca_bench_default(&bench);
    bench.time_s = 0.02;
    bench.check_s = ALLOWED * step_s;
    strcpy(spec.backends, backends);
    add();
}

/* Where the reference would take too long, another one that it has confirmed. */
START_TEST(by_a_witness)
{
    add_scarce("reference,threads,bitslice");
    bench.line[1].experiment.steps = TOO_MANY;
    run();
    ck_assert_str_eq(bench.line[2].checked, "reference");
    ck_assert_str_eq(bench.line[1].checked, "bitslice");
    ck_assert_int_eq(bench.line[1].wrong, 0);
}
END_TEST

/* Without one, as many of the reference's generations as there is time for, and the column says how
 * many. */
START_TEST(by_early_generations)
{
    unsigned long long generation = 0;

    add_scarce("reference,threads");
    bench.line[1].experiment.steps = TOO_MANY;
    run();
    ck_assert_int_eq(
        sscanf(bench.line[1].checked, "reference, only to generation %llu", &generation), 1);
    ck_assert_uint_ge(generation, 20); /* the first line's */
    ck_assert_uint_lt(generation, TOO_MANY);
    ck_assert_int_eq(bench.line[1].wrong, 0);
}
END_TEST

/* Without time for even one, or too little by what a smaller lattice takes, that smaller lattice;
 * what is wrong there is wrong. */
START_TEST(by_a_smaller_one)
{
    bench.check_s = _i * 1e-6;
    strcpy(spec.sizes, "300x280");
    strcpy(spec.backends, "right,wrong");
    strcpy(spec.steps, "2");
    add();
    run();
    ck_assert_str_eq(bench.line[0].checked, "reference, only on 256x256");
    ck_assert_int_eq(bench.line[0].wrong, 0);
    ck_assert_int_gt(bench.line[1].wrong, 0);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

int main(void)
{
    Suite *suite = suite_create("bench");
    TCase *tests = tcase_create("bench");

    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, stats);
    tcase_add_test(tests, rates);
    tcase_add_test(tests, device_time);
    tcase_add_test(tests, plan);
    tcase_add_loop_test(tests, refuses_specs, 0, 6);
    tcase_add_test(tests, refuses_settings);
    tcase_add_loop_test(tests, reads_files, 0, COUNT(files));
    tcase_add_test(tests, missing_file);
    tcase_add_test(tests, wrong_has_no_figures);
    tcase_add_test(tests, failure_ends_it);
    tcase_add_test(tests, in_turns);
    tcase_add_test(tests, finds_steps);
    tcase_add_test(tests, by_a_witness);
    tcase_add_test(tests, by_early_generations);
    tcase_add_loop_test(tests, by_a_smaller_one, 0, 2);
    tcase_add_loop_test(tests, shipped_files, 0, 5);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
