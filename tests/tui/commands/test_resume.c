/* SPDX-License-Identifier: MIT */
/*
 * A run that goes on from a state file: it ends as if it had never stopped, whatever the model, the
 * backends and the ranks; what it may change; and what its files say.
 */
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/verify/verify.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

#define CASES 12 /* of a model */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void must(enum ca_status status, const struct ca_error *cause)
{
    ck_assert_msg(status == CA_OK, "%s", cause->text);
}

/* One of those that run here to the last bit and hold the setup; in several ranks now and then. */
static void choose_backend(struct ca_experiment *experiment, uint64_t *random)
{
    const struct ca_backend *found = &experiment->model->backends[0];
    struct ca_error ignored;
    struct ca_plan plan;
    int count = 0;

    for (const struct ca_backend *b = experiment->model->backends; b->name; b++) {
        ca_experiment_backend(experiment, b, CA_FROM_COMMAND_LINE);
        if (b->tolerance == 0 && ca_experiment_plan(experiment, &plan, &ignored) == CA_OK &&
            next_random(random) % (uint64_t)++count == 0)
            found = b;
    }
    ca_experiment_backend(experiment, found, CA_FROM_COMMAND_LINE);
    if (next_random(random) % 3 == 0 && ca_backend_has_option(found, "ranks")) {
        struct ca_experiment cut = *experiment;

        must(ca_experiment_set(&cut, "ranks", "2", CA_FROM_COMMAND_LINE, NULL, &ignored), &ignored);
        if (ca_experiment_plan(&cut, &plan, &ignored) == CA_OK)
            *experiment = cut;
    }
}

static struct ca_simulation *open_at(struct ca_experiment *experiment)
{
    struct ca_simulation *simulation;

    ck_assert_msg(ca_simulation_open(&simulation, experiment, &error) == CA_OK, "%s %s: %s",
                  experiment->model->name, experiment->backend->name, error.text);
    return simulation;
}

static uint64_t hash_after(struct ca_simulation *simulation, uint64_t steps)
{
    uint64_t hash;

    ck_assert_ok(ca_simulation_step(simulation, steps, &error));
    ck_assert_ok(ca_simulation_hash(simulation, &hash, &error));
    return hash;
}

static void check_case(const struct ca_experiment *original, uint64_t *random)
{
    const char *path = test_path("half.h5"), *name = original->model->name;
    uint64_t n1 = next_random(random) % 40, n2 = next_random(random) % 40, whole, parts;
    struct ca_experiment first = *original, second;
    struct ca_simulation *simulation = open_at(&first);
    struct ca_row_source source;

    whole = hash_after(simulation, n1 + n2);
    ca_simulation_close(simulation);

    choose_backend(&first, random);
    simulation = open_at(&first);
    hash_after(simulation, n1);
    source = ca_simulation_source(simulation);
    ck_assert_ok(ca_state_write(path, first.model, &source, &error));
    ca_simulation_close(simulation);

    ca_experiment_default(&second, ca_models[0]);
    ck_assert_ok(ca_experiment_read(&second, NULL, path, &error));
    choose_backend(&second, random);
    ck_assert_ok(ca_experiment_resume(&second, &error));
    ck_assert_str_eq(second.init, original->init);
    ck_assert_uint_eq(second.seed, original->seed);
    ck_assert(ca_values_equal(&second.params, &original->params));
    simulation = open_at(&second);
    ck_assert_uint_eq(ca_simulation_first(simulation), n1);
    parts = hash_after(simulation, n2);
    ck_assert_uint_eq(ca_simulation_generation(simulation), n1 + n2);
    ck_assert_msg(parts == whole, "%s: %s for %d, then %s for %d", name, first.backend->name,
                  (int)n1, second.backend->name, (int)n2);
    /* Back to the start, which is that of the original. */
    ck_assert_ok(ca_simulation_reset(simulation, &error));
    ck_assert_uint_eq(ca_simulation_generation(simulation), 0);
    ck_assert_uint_eq(hash_after(simulation, n1 + n2), whole);
    ca_simulation_close(simulation);
}

START_TEST(halves_equal_the_whole)
{
    struct ca_verify_choice choice = {.seed = test_seed(), .count = CASES, .small = true};
    uint64_t random = test_seed();
    struct ca_verify_case *cases;
    int made;

    ck_assert_ok(ca_verify_cases(&cases, &made, ca_models[_i], &choice, &error));
    for (int i = 0; i < made && i < CASES; i++)
        check_case(&cases[i].experiment, &random);
    free(cases);
}
END_TEST

/* --- the program ------------------------------------------------------------------------------ */

static void expect(const struct outcome *outcome, const char *key, const char *value)
{
    ck_assert_str_eq(outcome_value(outcome, key), value);
}

START_TEST(run_goes_on)
{
    const char *half = test_path("half.h5"), *end = test_path("end.h5");
    const char *all = test_path("whole.h5");
    struct outcome o = calab_good("run fhp -s 40x20 --seed 9 -n 30 -o %s", half), whole;

    whole = calab_good("run fhp -s 40x20 --seed 9 -n 50 -o %s", all);
    o = calab_good("run -c %s -n 20 -o %s", half, end);
    expect(&o, "hash", outcome_value(&whole, "hash"));
    expect(&o, "seed", "9");
    expect(&o, "init", "random");
    expect(&o, "steps", "20");
    expect(&o, "generation", "50");
    ck_assert_str_eq(o.err, "");
    /* The file of the second half is that of the whole. */
    test_same_files(end, all);
}
END_TEST

/* A state has the rule of the pattern that it began with, which need not be there any more. */
START_TEST(a_pattern_may_be_gone)
{
    const char *half = test_path("half.h5"), *pattern = test_path("glider.rle");
    static const char glider[] = "x = 3, y = 3, rule = B36/S23\nbo$2bo$3o!\n";
    struct outcome o, whole;

    test_write(pattern, glider, sizeof glider - 1);
    whole = calab_good("run life -s 64x64 --init %s -n 20", pattern);
    calab_good("run life -s 64x64 --init %s -n 10 -o %s", pattern, half);
    ck_assert_int_eq(remove(pattern), 0);
    o = calab_good("run -c %s -n 10", half);
    expect(&o, "hash", outcome_value(&whole, "hash"));
    expect(&o, "parameters.rule", "B36/S23");
    expect(&o, "init", pattern);
}
END_TEST

/* Each of cloud's probabilities makes it draw; without any it has nothing to say. */
START_TEST(draws_of_cloud)
{
    static const char *const sets[] = {"p_ext=0.1", "p_hum=0.1", "p_act=0.1", "hum0=0.5"};
    const char *file = test_path("cloud.npy");
    struct outcome o = calab_good("run cloud -s 6x5x4 -n 1 -o %s", file);

    for (size_t i = 0; i < COUNT(sets); i++) {
        o = calab_good("run cloud --set %s --init %s -n 1", sets[i], file);
        ck_assert_int_eq(strstr(o.err, "cloud draws random numbers by generation") != NULL,
                         sets[i][0] == 'p');
    }
}
END_TEST

/* The draws of fhp go on where a file or --generation says; a .npy says nothing. */
START_TEST(draws_go_on)
{
    const char *half = test_path("half.h5"), *plain = test_path("half.npy");
    const char *picture = test_path("half.pbm");
    struct outcome o, whole = calab_good("run fhp -s 40x20 --seed 9 -n 50");
    char hash[32];

    snprintf(hash, sizeof hash, "%s", outcome_value(&whole, "hash"));
    o = calab_good("run fhp -s 40x20 --seed 9 -n 30 -o %s -o %s", half, plain);
    o = calab_good("run fhp --seed 9 --init %s -n 20", half);
    expect(&o, "hash", hash);
    o = calab_good("run fhp --seed 9 --init %s --generation 30 -n 20", plain);
    ck_assert_str_eq(o.err, "");
    expect(&o, "hash", hash);
    o = calab_good("run fhp --seed 9 --init %s -n 20", plain);
    ck_assert_contains(o.err, "fhp draws random numbers by generation, and ",
                       "half.npy does not say which one it is: taking 0, --generation");
    ck_assert_str_ne(outcome_value(&o, "hash"), hash);
    expect(&o, "generation", "20");
    /* Another model, without draws: nothing to say. */
    o = calab_good("run anneal -s 16x16 -n 3 -o %s", picture);
    o = calab_good("run anneal --init %s -n 3", picture);
    ck_assert_str_eq(o.err, "");
}
END_TEST

/* With another seed or parameter the file is what the new run begins with, and its files say so. */
START_TEST(a_changed_run_begins_with_the_file)
{
    const char *half = test_path("half.h5"), *next = test_path("next.h5");
    struct outcome o = calab_good("run fhp -s 40x20 --seed 9 -n 30 -o %s", half), again;

    o = calab_good("run -c %s --set p_force=0.25 -n 20 -o %s", half, next);
    expect(&o, "init", half);
    expect(&o, "generation", "50");
    again = calab_good("run -c %s -n 0", next);
    expect(&again, "init", half);
    expect(&again, "parameters.p_force", "0.25");
    expect(&again, "hash", outcome_value(&o, "hash"));
    again = calab_good("run fhp --init %s --seed 9 --set p_force=0.25 -n 20", half);
    expect(&again, "hash", outcome_value(&o, "hash"));
    again = calab_good("run -c %s --init random -n 30", half);
    expect(&again, "generation", "30");
}
END_TEST

/* A parameter that is changed in mid-run leads to states that no start leads to, until the reset;
 * at generation 0 only one that made the start does. */
START_TEST(a_steered_state_begins_a_run)
{
    static const struct {
        const char *key, *value;
        uint64_t steps;
        bool modified;
    } rows[] = {{"p_ext", "0.25", 3, true},
                {"p_ext", "0.25", 0, false},
                {"hum0", "0.25", 0, true},
                {"hum0", "0.6", 3, false}};
    const char *path = test_path("steered.h5");

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_experiment e = kernel_experiment("cloud", "reference", "9x8x7", NULL, 1, NULL);
        struct ca_experiment changed = e, read;
        struct ca_simulation *simulation = open_at(&e);
        struct ca_row_source source;

        hash_after(simulation, rows[i].steps);
        ck_assert_ok(ca_experiment_value(&changed, rows[i].key, rows[i].value, CA_FROM_COMMAND_LINE,
                                         NULL, &error));
        ck_assert_ok(ca_simulation_change(simulation, &changed, &error));
        ck_assert_int_eq(ca_simulation_modified(simulation), rows[i].modified);
        hash_after(simulation, 2);
        source = ca_simulation_source(simulation);
        ck_assert_ok(ca_state_write(path, e.model, &source, &error));
        ca_experiment_default(&read, e.model);
        ck_assert_ok(ca_experiment_read(&read, NULL, path, &error));
        ck_assert_ok(ca_experiment_resume(&read, &error));
        ck_assert_str_eq(read.init, rows[i].modified ? path : "random");
        ck_assert_uint_eq(ca_experiment_first(&read), rows[i].steps + 2);
        ck_assert_ok(ca_simulation_reset(simulation, &error));
        ck_assert(!ca_simulation_modified(simulation));
        ca_simulation_close(simulation);
    }
}
END_TEST

START_TEST(series_go_on)
{
    const char *half = test_path("half.h5"), *name = test_path("g%03d.npy");
    struct outcome o = calab_good("run anneal -s 16x16 -n 15 -o %s", half);

    o = calab_good("run -c %s -n 20 -o %s --every 10", half, name);
    ck_assert_contains(o.out, "g020.npy ... ", "g030.npy, 2\n");
    /* A window of the last generations of the run. */
    o = calab_good("run -c %s -n 4 -o density,block=16x16,window=4/2:%s", half, test_path("c.csv"));
    name = test_read(test_path("c.csv"), NULL);
    ck_assert_contains(name, "mean of 2 states, generations 17 ... 19");
    free((char *)name);
}
END_TEST

START_TEST(convert_keeps_the_run)
{
    const char *half = test_path("half.h5"), *copy = test_path("copy.h5");
    struct outcome o = calab_good("run fhp -s 40x20 --seed 9 -n 30 -o %s", half);

    o = calab_good("convert %s %s", half, copy);
    test_same_files(half, copy);
    /* A .npy has no run: its file is what one begins with. */
    o = calab_good("convert %s %s", half, test_path("half.npy"));
    o = calab_good("convert fhp %s %s --generation 30", test_path("half.npy"), copy);
    o = calab_good("run -c %s -n 0", copy);
    expect(&o, "generation", "30");
    expect(&o, "init", test_path("half.npy"));
}
END_TEST

/* In arguments: %s is a state of anneal, 16x16 at generation 15. */
static const struct refusal refusals[] = {
    {"run -c %s -s 8x8", CA_USAGE, "size is 8x8, but ", "state.h5 is 16x16"},
    {"run fhp -c %s", CA_USAGE, "the state is one of anneal, but the model fhp is asked for",
     "command line"},
    {"run fhp --init %s", CA_IO, "a state of anneal, expected one of fhp", ""},
    {"run anneal --generation 3", CA_USAGE, "generation is 3, but the start 'random'", ""},
    {"run anneal --generation -1", CA_USAGE, "--generation: '-1' is not allowed", ""},
    {"run -b reference,threads -c %s", CA_USAGE, "two backends begin at generation 0", ""},
    {"run -c %s.h5", CA_IO, "No such file", ""},
    {"run -c tests/golden.h5", CA_IO, "golden.h5", "No such file"},
    {"run -c %s -n 20 -o density,window=10:x%%03d.csv --every 10", CA_USAGE,
     "begins with generation 15, in the middle of a window", "each 10"},
    {"convert fhp %s x.npy", CA_USAGE, "the state is one of anneal, but the model fhp is asked for",
     ""},
};

START_TEST(what_is_refused)
{
    const char *path = test_path("state.h5");

    calab_good("run anneal -s 16x16 -n 15 -o %s", path);
    calab_refuses_with(&refusals[_i], path);
}
END_TEST

/* One line, whatever HDF5 has to say. */
START_TEST(a_damaged_file_has_one_line)
{
    /* HDF5 loses memory where it refuses a file. */
    static const char *const variable[] = {"LSAN_OPTIONS=detect_leaks=0", NULL};
    const struct surroundings s = {.variable = variable};
    const char *path = test_path("state.h5");
    struct outcome o = calab_good("run anneal -s 16x16 -n 15 -o %s", path);
    size_t size;
    char *bytes = test_read(path, &size);

    for (size_t at = 0; at < size; at += size / 40) {
        bytes[at] ^= 0x55;
        test_write(path, bytes, size);
        bytes[at] ^= 0x55;
        o = calab_in(&s, "run -c %s -n 1", path);
        ck_assert(o.status == 0 || o.status == CA_IO);
        if (o.status) {
            ck_assert_ptr_eq(strchr(o.err, '\n'), strrchr(o.err, '\n'));
            ck_assert_contains(o.err, "calab run: ", "state.h5: ");
        }
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {run_goes_on, a_pattern_may_be_gone, draws_go_on, draws_of_cloud,
                              a_changed_run_begins_with_the_file, a_steered_state_begins_a_run,
                              series_go_on, convert_keeps_the_run, a_damaged_file_has_one_line},
                     .table = {{halves_equal_the_whole, test_models()},
                               {what_is_refused, COUNT(refusals)}});
}
