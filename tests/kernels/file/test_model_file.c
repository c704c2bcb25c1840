/* SPDX-License-Identifier: MIT */
/* Models in files: threads, the logic of bits, starts, and other compilers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernels/file/rules.h"

static struct ca_error error;

START_TEST(threads_are_the_reference)
{
    static const uint64_t calls[] = {1, 5, 2, 0};
    static const char *const threads[] = {"1", "2", "3", "7"};
    const struct rule *rule = &rules[_i];
    const struct ca_model *model = opened(rule->text);
    struct ca_experiment experiment;

    for (int k = 0; k < 4; k++) {
        experiment = experiment_of(model, "threads", rule->sizes[0]);
        ck_assert_int_eq(ca_experiment_value(&experiment, "threads", threads[k],
                                             CA_FROM_COMMAND_LINE, "test", &error),
                         CA_OK);
        kernel_check_same(&experiment, calls);
        kernel_check_rows(&experiment);
    }
}
END_TEST

#define ONE_LINE(value)                                                                            \
    INCLUDE "CA_MODEL(line, \"a line\")\n" TWO_STATES                                              \
            "CA_CELL cell(CA_NB nb)\n{\n    return " value ";\n}\n"

/* Bit-sliced backends are those of rules of nine cells, two states and no place. */
START_TEST(bit_slices_are_of_nine_cells)
{
    static const struct {
        const char *text;
        int backends;
    } files[] = {
        {HIGHLIFE("closed", ""), 3},
        {HIGHLIFE("open", "#define CA_EDGES CA_DEAD\n"), 3},
        {SLANTED, 3}, /* whose start has a place */
        {HIGHLIFE("tube", "#define CA_EDGE_X CA_DEAD\n"), 0},
        {HIGHLIFE("walls", "#define CA_EDGES CA_CONSTANT\n"), 0},
        {HIGHLIFE("draws", "#define CA_DRAWS 1\n"), 0},
        {HIGHLIFE("draws_16", "#define CA_DRAWS_16 1\n"), 0},
        {HIGHLIFE("wide", "#define CA_RADIUS 2\n"), 0},
        {HIGHLIFE("deep", "#define CA_DIMENSIONS 3\n"), 0},
        {ONE_LINE("AT(0, 0) ^ (nb.x & 1)"), 0},
        {ONE_LINE("nb.t == 1000 ? AT(0, 0) : AT(1, 0)"), 0},
        {ONE_LINE("AT(0, 0) ^ AT(1, 0)"), 3},
        {FOREST, 0},
        {HEXAGONS, 0},
        {REACTION, 0},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct ca_model *model = opened(files[i].text);
        int count = 0, of_gpu = 0;

        for (const struct ca_backend *b = model->backends; b->name; b++) {
            count += strncmp(b->name, "bitslice", 8) == 0;
            of_gpu += strcmp(b->name, "cuda-bitslice") == 0 ||
                      strcmp(b->name, "cuda-temporal") == 0 ||
                      strcmp(b->name, "cuda-overlapped") == 0;
        }
        must_hold(count == files[i].backends && of_gpu == count, "%s has %d, and %d of a GPU",
                  model->name, count, of_gpu);
    }
}
END_TEST

/* Parameters make the logic; what is observed needs no bytes. */
START_TEST(bit_slices_are_of_the_parameters)
{
    const struct ca_model *model = opened(SLANTED);
    double values[2][CA_OBSERVABLES_MAX];
    uint64_t hash[2];

    for (int least = 0; least <= 9; least += 3) {
        for (int b = 0; b < 2; b++) {
            struct ca_experiment experiment =
                experiment_of(model, b ? "bitslice" : "reference", "90x37");
            struct ca_simulation *simulation;

            ck_assert_int_eq(ca_values_set_number(&experiment.params,
                                                  ca_values_find(&experiment.params, "least"),
                                                  least, CA_FROM_COMMAND_LINE, NULL, &error),
                             CA_OK);
            ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_OK);
            ck_assert_int_eq(ca_simulation_step(simulation, 9, &error), CA_OK);
            ck_assert_int_eq(ca_simulation_hash(simulation, &hash[b], &error), CA_OK);
            ck_assert_int_eq(ca_simulation_observe(simulation, values[b], &error), CA_OK);
            ca_simulation_close(simulation);
        }
        must_hold(hash[0] == hash[1], "least = %d", least);
        must_hold(values[0][0] + values[0][1] == 90 * 37, "%g", values[0][0]);
        ck_assert_mem_eq(values[0], values[1], 2 * sizeof values[0][0]);
    }
}
END_TEST

/* What is not + - * / or sqrt needs a tolerance, of floats. */
START_TEST(inexact_functions_need_a_tolerance)
{
    static const struct {
        const char *defined, *value, *named;
    } files[] = {
        {"", "expf(VALUE(U, 0, 0))", "expf()"},
        {"", "(float)pow(VALUE(U, 0, 0), 0.3)", "pow()"},
        {"#define CA_TOLERANCE 1e-5\n", "expf(VALUE(U, 0, 0))", NULL},
        {"", "sqrtf(floorf(VALUE(U, 0, 0)) * fmodf(VALUE(U, 1, 0), 3))", NULL},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct ca_verify_choice choice = {.seed = 1, .count = 2, .small = true};
        struct ca_verify_case *cases;
        const struct ca_model *model =
            opened(test_text("#define CA_FLOATS 1\n%s#include <math.h>\n" INCLUDE
                             "CA_MODEL(curve, \"x\")\nCA_PLANE(U, 0, \"\", 0, 1, \"u\")\n"
                             "CA_START(one, \"1\")\n{\n    return 1;\n}\n"
                             "CA_CELL cell(CA_NB nb)\n{\n    return %s;\n}\n",
                             files[i].defined, files[i].value));
        enum ca_status status = ca_verify_cases(&cases, &(int){0}, model, &choice, &error);

        free(cases);
        ck_assert_int_eq(status, files[i].named ? CA_USAGE : CA_OK);
        for (const struct ca_backend *b = model->backends; b->name; b++)
            ck_assert_double_eq(b->tolerance, b->device == CA_CUDA && i == 2 ? 1e-5 : 0);
        if (files[i].named)
            must_hold(strstr(error.text, "curve calls ") && strstr(error.text, files[i].named),
                      "%s", error.text);
    }
}
END_TEST

/* A chance that 16 bits cannot have is refused, with those beside it. */
START_TEST(chances_of_16_bits_are_multiples)
{
    struct ca_experiment experiment = experiment_of(opened(SPARKS), "reference", "8x8");
    struct ca_simulation *simulation;

    ck_assert_int_eq(ca_values_set(&experiment.params, ca_values_find(&experiment.params, "fade"),
                                   "0.01", CA_FROM_COMMAND_LINE, NULL, &error),
                     CA_OK);
    ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_USAGE);
    must_hold(strstr(error.text, "fade is 0.01, but is drawn from 16 bits") &&
                  strstr(error.text, "0.009994506836 and 0.01000976562 are the nearest"),
              "%s", error.text);
}
END_TEST

/* The same text is C++ and CUDA, for gcc, clang and nvcc where they are, and has no warnings. */
START_TEST(other_compilers_take_the_file)
{
    static const char *const commands[] = {
        "gcc -std=c11 -O3 -Wall -Wextra -Werror",
        "gcc -std=c11 -O1 -DCA_CHECKED -Wall -Wextra -Werror",
        "clang -std=c11 -Wall -Wextra -Werror",
        "g++ -x c++ -std=c++17 -Wall -Wextra -Werror",
        "clang++ -x c++ -std=c++17 -Wall -Wextra -Werror",
        "nvcc -x cu -Werror all-warnings",
    };
    const char *source = test_put("other.c", rules[_i].text);

    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
        const char *command = test_text("command -v %.*s >/dev/null || exit 0; %s -I%s -c %s -o %s",
                                        (int)strcspn(commands[k], " "), commands[k], commands[k],
                                        test_source("kernels/file"), source, test_path("other.o"));

        must_hold(system(command) == 0, "%s", command);
    }
}
END_TEST

static void keep_in_folder(void) { setenv("XDG_CACHE_HOME", test_folder(), 1); }

int main(void)
{
    return RUN_TESTS(.setup = keep_in_folder,
                     .test = {inexact_functions_need_a_tolerance, bit_slices_are_of_nine_cells,
                              bit_slices_are_of_the_parameters, chances_of_16_bits_are_multiples},
                     .table = {{other_compilers_take_the_file, COUNT(rules)},
                               {threads_are_the_reference, COUNT(rules)}});
}
