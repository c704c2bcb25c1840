/* SPDX-License-Identifier: MIT */
/*
 * Rules of life by their own circuits, compiled while the program runs, on CUDA on the CPU: each
 * family of rules beside `reference`, cell for cell, with both kinds of edges, as a whole and in
 * slabs; kernels that are exchanged under a running state; what is said where there is no compiler,
 * and where it fails.
 */
#include <stdlib.h>
#include <string.h>

#include "core/sim/simulation.h"
#include "kernels/compile/later.h"
#include "kernels/life/circuit.h"
#include "kernels/life/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

/* By counts, with B0, by letters, and any table. */
static const char *const rules[] = {
    "B3/S238", "B01245/S0124578", "B2-a/S12",
    "MAPFPZyslShNh0piNpnCZJZO6xJM1CM2y4mU0dNaxYRR/N6A69P9/v2XAfLD7w5OhQ8k5zlV74mnFJan1M7I75CWw"};

/* Backends at sizes: rows that end within a word, a group and a segment, and few rows. */
static const struct {
    const char *backend, *size, *settings;
} table[] = {
    {"cuda-bitslice", "128x5", ""},
    {"cuda-bitslice", "384x7", "rows=4"},
    {"cuda-bitslice", "3839x12", "rows=2"},
    {"cuda-bitslice", "5x3", "rows=8"},
    {"cuda-bitslice", "1x40", ""},
    {"cuda-temporal", "384x40", "generations=3"},
    {"cuda-temporal", "4096x21", "generations=3"},
    {"cuda-temporal", "3840x9", "generations=3 rows=2"},
    {"cuda-temporal", "3839x12", "generations=3"},
    {"cuda-temporal", "1x300", "generations=3"},
    {"cuda-temporal", "65x1", "generations=3"},
    {"cuda-overlapped", "384x40", "rows=4 generations=3"},
    {"cuda-overlapped", "4096x21", "rows=4"},
    {"cuda-overlapped", "3839x12", "rows=4 generations=2"},
    {"cuda-overlapped", "1x300", "rows=4"},
    {"cuda-bitslice", "300x64", "ranks=3"},
    {"cuda-temporal", "300x64", "generations=3 ranks=3"},
    {"cuda-overlapped", "300x64", "rows=4 ranks=3"},
};

/* Each backend, and what it has to be told for kernels that are compiled once. */
static const struct {
    const char *name, *settings;
} backends[] = {
    {"cuda-bitslice", ""}, {"cuda-temporal", "generations=3"}, {"cuda-overlapped", "rows=4"}};
#define BACKENDS (int)COUNT(backends)

static void keep_in_folder(void) { setenv("XDG_CACHE_HOME", test_folder(), 1); }

static struct ca_experiment experiment_of(int rule, bool dead, const char *backend,
                                          const char *size, const char *settings)
{
    return kernel_experiment(
        "life", backend, size, NULL, test_seed(),
        test_text("rule=%s boundary=%s %s", rules[rule], dead ? "dead" : "torus", settings));
}

/* In calls of one generation, of a pass, and of what leaves a remainder. */
START_TEST(circuits_are_the_reference)
{
    static const uint64_t calls[] = {1, 3, 5, 8, 0};
    int rule = _i / 2;

    for (size_t i = 0; i < COUNT(table); i++) {
        struct ca_experiment experiment =
            experiment_of(rule, _i % 2, table[i].backend, table[i].size,
                          test_text("logic=circuit %s", table[i].settings));

        kernel_check_same(&experiment, calls);
    }
    for (int b = 0; b < BACKENDS; b++) {
        struct ca_experiment experiment =
            experiment_of(rule, _i % 2, backends[b].name, "300x64",
                          test_text("logic=circuit %s", backends[b].settings));

        kernel_check_slabs(&experiment, 6, !(_i % 2), 3);
    }
}
END_TEST

/* --- under a running state -------------------------------------------------------------------- */

static struct ca_plan plan_of(const struct kernel *kernel)
{
    struct ca_plan plan;

    kernel->backend->stepper->report(kernel->self, &plan);
    return plan;
}

/* What an instance has asked the compiler for, from which it may be awaited. */
static struct compile_later *asked(int rule, int backend, const struct kernel *kernel)
{
    bool tiles = backend == BACKENDS - 1;
    struct moore_own_kinds kinds = {tiles ? 0 : plan_of(kernel).generations, tiles ? 4 : 0};
    struct life_rule parsed;
    char *text;
    struct compile_later *later;

    ck_assert_ok(life_rule_parse(&parsed, rules[rule], &error));
    text = life_circuit_text(parsed.table, &kinds, false);
    later = compile_later_of(text, "rule.cu", COMPILE_EMULATOR, 90);
    free(text);
    return later;
}

static struct ca_lattice start_of(const struct ca_experiment *experiment)
{
    struct ca_experiment opened = *experiment;
    struct ca_simulation *simulation;
    struct ca_lattice start;

    opened.swaps = false;
    ck_assert_ok(ca_backend_find(&opened.backend, opened.model, "reference", &error));
    ck_assert_ok(ca_simulation_open(&simulation, &opened, &error));
    ck_assert_ok(ca_simulation_store(simulation, &start, &error));
    ca_simulation_close(simulation);
    return start;
}

/* Steps from the start, twelve generations before and seven after `between`. */
static struct ca_lattice stepped(const struct ca_experiment *experiment,
                                 void (*between)(const struct kernel *kernel))
{
    struct ca_lattice start = start_of(experiment), state;
    struct kernel kernel;

    kernel_open(&kernel, experiment);
    kernel_load(&kernel, &start);
    kernel_step(&kernel, 12);
    if (between)
        between(&kernel);
    kernel_step(&kernel, 7);
    if (between)
        ck_assert_contains(plan_of(&kernel).variant, ", by its own circuit");
    state = kernel_store(&kernel);
    kernel_close(&kernel);
    ca_lattice_free(&start);
    return state;
}

static int stepped_rule, stepped_backend; /* of the state between whose passes it is awaited */

static void await_circuit(const struct kernel *kernel)
{
    ck_assert_contains(plan_of(kernel).variant, ", by a table");
    ck_assert_ok(compile_later_await(asked(stepped_rule, stepped_backend, kernel), &error));
}

/* Kernels take the place of others between two passes, once they are compiled, and the state goes
 * on as it was. */
START_TEST(kernels_take_turns)
{
    struct ca_experiment experiment, reference;
    struct ca_lattice state, expected;

    stepped_rule = _i / BACKENDS ? 2 : 0;
    stepped_backend = _i % BACKENDS;
    setenv("XDG_CACHE_HOME", test_path("turns"), 1);
    experiment = experiment_of(stepped_rule, false, backends[stepped_backend].name, "300x63",
                               test_text("logic=auto %s", backends[stepped_backend].settings));
    reference = experiment_of(stepped_rule, false, "reference", "300x63", "");
    experiment.swaps = true;
    state = stepped(&experiment, await_circuit);
    expected = stepped(&reference, NULL);
    kernel_compare(&experiment, 19, &expected, &state);
    ca_lattice_free(&state);
    ca_lattice_free(&expected);
}
END_TEST

/* Where nothing may be exchanged, and by logic=table, nothing is compiled. */
START_TEST(tables_stay)
{
    struct ca_experiment experiment =
        experiment_of(3, false, backends[_i % BACKENDS].name, "300x63",
                      _i / BACKENDS ? "logic=table" : "logic=auto");
    struct kernel kernel;

    experiment.swaps = _i / BACKENDS;
    kernel_open(&kernel, &experiment);
    kernel_step(&kernel, 5);
    ck_assert_contains(plan_of(&kernel).variant, ", by a table");
    kernel_close(&kernel);
}
END_TEST

/* Rules that are compiled in say nothing of a table. */
START_TEST(compiled_in)
{
    struct ca_experiment experiment = kernel_experiment("life", backends[_i].name, "300x63", NULL,
                                                        test_seed(), "rule=B3/S23 logic=circuit");
    struct kernel kernel;

    kernel_open(&kernel, &experiment);
    ck_assert_ptr_null(strstr(plan_of(&kernel).variant, ", by"));
    kernel_close(&kernel);
}
END_TEST

/* --- compilers that fail ---------------------------------------------------------------------- */

/* One that is not there, and one that refuses: logic=circuit fails, auto stays with the table. */
START_TEST(without_a_compiler)
{
    const char *backend = backends[_i % BACKENDS].name;
    const char *settings = backends[_i % BACKENDS].settings;
    struct ca_experiment experiment =
        experiment_of(1, false, backend, "290x63", test_text("logic=circuit %s", settings));
    struct ca_simulation *simulation = NULL;
    struct ca_lattice state, expected;
    struct kernel kernel;

    setenv("XDG_CACHE_HOME", test_path("none"), 1);
    setenv("CXX", _i / BACKENDS ? "/bin/false" : "/nonexistent/g++", 1);
    ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_COMPILE);
    ck_assert_ptr_null(simulation);
    experiment = experiment_of(1, false, backend, "290x63", test_text("logic=auto %s", settings));
    experiment.swaps = true;
    state = start_of(&experiment);
    kernel_open(&kernel, &experiment);
    kernel_load(&kernel, &state);
    ca_lattice_free(&state);
    ck_assert_int_eq(compile_later_await(asked(1, _i % BACKENDS, &kernel), &error), CA_COMPILE);
    kernel_step(&kernel, 19);
    ck_assert_contains(plan_of(&kernel).variant, ", by a table");
    state = kernel_store(&kernel);
    kernel_close(&kernel);
    experiment = experiment_of(1, false, "reference", "290x63", "");
    expected = stepped(&experiment, NULL);
    kernel_compare(&experiment, 19, &expected, &state);
    ca_lattice_free(&state);
    ca_lattice_free(&expected);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 600, .setup = keep_in_folder,
                     .table = {{circuits_are_the_reference, 2 * (int)COUNT(rules)},
                               {kernels_take_turns, 2 * BACKENDS},
                               {tables_stay, 2 * BACKENDS},
                               {compiled_in, BACKENDS},
                               {without_a_compiler, 2 * BACKENDS}});
}
