/* SPDX-License-Identifier: MIT */
/* The other files of libconfig: experiments, measurements, benchmarks, lists of patterns, labs. An
 * experiment that is written reads as the same. */
#include <stdlib.h>
#include <string.h>

#include "core/bench/bench.h"
#include "core/lab/kernel/lab.h"
#include "core/sim/measure.h"
#include "core/sim/output.h"
#include "core/sim/shipped.h"
#include "tests/fuzz/fuzz.h"

static struct ca_error error;

static bool has(const uint8_t *data, size_t size, const char *word)
{
    return memmem(data, size, word, strlen(word)) != NULL;
}

static void read_list(const char *path)
{
    static struct ca_experiment experiment;
    struct ca_shipped *list = NULL;
    int count = 0;

    if (ca_pattern_list_add(&list, &count, path, &error) == CA_OK && count > 0) {
        ca_experiment_default(&experiment, ca_models[0]);
        ca_pattern_list_read(&experiment, NULL, path, list[count - 1].name, &error);
    }
    ca_shipped_free(list, count);
}

static void read_lab(const uint8_t *data, size_t size)
{
    static struct ca_lab lab;

    fuzz_file("lab.cfg", data, size);
    if (ca_lab_read(&lab, fuzz_folder(), &error) == CA_OK)
        ca_lab_experiment(&lab, lab.size[0], lab.seed[0]);
}

static void read_benchmark(const char *path)
{
    struct ca_bench bench;

    ca_bench_default(&bench);
    ca_bench_read(&bench, path, &error);
    ca_bench_free(&bench);
}

static void write_again(const struct ca_experiment *experiment, const struct ca_outputs *outputs)
{
    const char *path = fuzz_absent("again.cfg");
    static struct ca_experiment again;
    struct ca_outputs read = {0};
    char *first, *second;

    if (ca_experiment_write(experiment, outputs, path, &error) != CA_OK)
        return;
    ca_experiment_default(&again, ca_models[0]);
    FUZZ_HOLDS(ca_experiment_read(&again, &read, path, &error) == CA_OK);
    first = ca_experiment_command(experiment, outputs, 7);
    second = ca_experiment_command(&again, &read, 7);
    FUZZ_HOLDS(!first || !second || strcmp(first, second) == 0);
    free(first);
    free(second);
}

static void read_experiment(const char *path)
{
    static struct ca_experiment experiment;
    struct ca_measures measures = {0};
    struct ca_outputs outputs = {0};
    struct ca_output output;

    ca_experiment_default(&experiment, ca_models[0]);
    if (ca_experiment_read(&experiment, &outputs, path, &error) != CA_OK)
        return;
    for (int i = 0; i < outputs.count; i++)
        ca_output_parse(&output, outputs.model, outputs.text[i], &error);
    ca_measures_read(&measures, path, &experiment, &error);
    ca_measures_free(&measures);
    write_again(&experiment, &outputs);
}

void fuzz_experiments(const uint8_t *data, size_t size)
{
    if (has(data, size, "patterns"))
        read_list(fuzz_file("patterns.cfg", data, size));
    else if (has(data, size, "source"))
        read_lab(data, size);
    else if (has(data, size, "cases"))
        read_benchmark(fuzz_file("cases.cfg", data, size));
    else
        read_experiment(fuzz_file("experiment.cfg", data, size));
}
