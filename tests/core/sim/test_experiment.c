/* SPDX-License-Identifier: MIT */
/* core/experiment: settings by name, environment, JSON, and the command that repeats it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim/experiment.h"
#include "tests/support/support.h"
#include "tests/support/support_experiment.h"
#include "core/engine/experiment_json.h"

static struct ca_error error;

START_TEST(defaults)
{
    for (int m = 0; ca_models[m]; m++) {
        struct ca_experiment experiment;

        ca_experiment_default(&experiment, ca_models[m]);
        ck_assert_ptr_eq(experiment.backend, ca_backend_auto(ca_models[m]));
        ck_assert(ca_size_equal(experiment.size, ca_models[m]->default_size));
        ck_assert_uint_eq(experiment.seed, 1);
        ck_assert_uint_eq(experiment.steps, 100);
        ck_assert_str_eq(experiment.init, ca_models[m]->start->named[0].name);
        ck_assert_int_eq(experiment.origin[CA_KEY_SEED], CA_BUILT_IN);
    }
}
END_TEST

START_TEST(changing_the_model)
{
    struct ca_experiment experiment;

    ca_experiment_default(&experiment, test_model("anneal"));
    test_experiment_set(&experiment, "seed", "7");
    test_experiment_set(&experiment, "set", "density=0.25");
    test_experiment_set(&experiment, "size", "64x32");
    ca_experiment_model(&experiment, test_model("anneal"), CA_FROM_WORKBENCH);
    ck_assert_int_eq(experiment.size.w, 64); /* the same one: all stays */
    ca_experiment_model(&experiment, test_model("life3d"), CA_FROM_WORKBENCH);
    ck_assert_uint_eq(experiment.seed, 7);
    ck_assert_uint_eq(experiment.steps, 100);
    ck_assert_int_eq(experiment.origin[CA_KEY_STEPS], CA_BUILT_IN);
    ck_assert_int_eq(experiment.origin[CA_KEY_MODEL], CA_FROM_WORKBENCH);
    ck_assert(ca_size_equal(experiment.size, test_model("life3d")->default_size));
    ck_assert(ca_real(&experiment.params, "density") == 0.5);
}
END_TEST

START_TEST(changing_the_backend)
{
    struct ca_experiment experiment;

    ca_experiment_default(&experiment, test_model("anneal"));
    test_experiment_set(&experiment, "backend", "threads");
    test_experiment_set(&experiment, "threads", "3");
    test_experiment_set(&experiment, "backend", "bitslice");
    ck_assert_int_eq(ca_int(&experiment.options, "threads"), 3);
    ck_assert_int_eq(experiment.options.value[0].origin, CA_FROM_COMMAND_LINE);
    test_experiment_set(&experiment, "backend", "reference");
    ck_assert_int_eq(ca_values_find(&experiment.options, "threads"), -1);
}
END_TEST

START_TEST(seeds)
{
    static const struct {
        const char *text;
        uint64_t seed;
    } rows[] = {{"0", 0},
                {"1234", 1234},
                {"0x10", 16},
                {"0XfF", 255},
                {"18446744073709551615", UINT64_MAX},
                {"0xffffffffffffffff", UINT64_MAX}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_experiment experiment;

        ca_experiment_default(&experiment, test_model("anneal"));
        test_experiment_set(&experiment, "seed", rows[i].text);
        ck_assert_uint_eq(experiment.seed, rows[i].seed);
    }
}
END_TEST

static const struct {
    const char *name, *text;
    const char *parts[3];
} wrong[] = {
    {"seed", "-1", {"--x: '-1'", "0 ... 18446744073709551615"}},
    {"seed", "18446744073709551616", {"0 ... 18446744073709551615"}},
    {"seed", "0x10000000000000000", {"18446744073709551615"}},
    {"seed", "", {"''"}},
    {"seed", "0x", {"'0x'"}},
    {"seed", " 1", {"' 1'"}},
    {"seed", "1.5", {"'1.5'"}},
    {"seed", "twelve", {"'twelve'", "decimal or 0x"}},
    {"steps", "9223372036854775808", {"0 ... 9223372036854775807"}},
    {"steps", "-5", {"'-5'"}},
    {"backend", "thread", {"--x: 'thread'", "did you mean 'threads'?"}},
    {"backend", "quantum", {"'quantum'", "reference, threads, bitslice"}},
    {"size", "0x5", {"--x", "1 ..."}},
    {"size", "12", {"--x", "WIDTHxHEIGHT"}},
    {"init",
     "crant",
     {"--x: 'crant'", "nor a file that ends in .npy, .h5, .plain.pbm, .pbm or .rle",
      "did you mean 'crand'?"}},
    {"init", "start.png", {"'start.png'", "ends in .npy"}},
    {"init", "", {"''", "ends in .npy"}},
    {"threads", "2000", {"--x: threads = '2000'", "0 ... 1024"}},
    {"threads", "two", {"--x: threads = 'two'", "0 ... 1024"}},
    {"device", "0", {"--x", "has no option 'device'"}},
    {"set", "density", {"--x: 'density'", "key=value"}},
    {"set", "=1", {"'=1'", "key=value"}},
    {"set", "density=2", {"--x: density = '2'", "0 ... 1"}},
    {"set", "density=nan", {"--x: density = 'nan'", "0 ... 1"}},
    {"set", "densty=0.2", {"--x: 'densty'", "did you mean 'density'?"}},
    {"set", "zzzzzzzz=1", {"--x: 'zzzzzzzz'", "there are: density, threads"}},
    {"speed", "1", {"'speed'", "did you mean 'seed'?"}},
    {"brightness", "1", {"'brightness'", "backend, size, seed"}},
};

START_TEST(wrong_settings)
{
    struct ca_experiment experiment, before;

    ca_experiment_default(&experiment, test_model("anneal"));
    test_experiment_set(&experiment, "backend", "threads");
    before = experiment;
    ck_assert_int_eq(ca_experiment_set(&experiment, wrong[_i].name, wrong[_i].text,
                                       CA_FROM_COMMAND_LINE, "--x", &error),
                     CA_USAGE);
    for (int p = 0; p < 3 && wrong[_i].parts[p]; p++)
        ck_assert_contains(error.text, wrong[_i].parts[p]);
    experiment_same(&experiment, &before);
}
END_TEST

/* One that is too many or wrong, or of another model, whose files take their place. */
START_TEST(files_that_are_written)
{
    const struct ca_model *anneal = test_model("anneal");
    struct ca_outputs outputs = {.model = anneal};

    ck_assert_int_eq(ca_outputs_add(&outputs, anneal, "", "-o", &error), CA_USAGE);
    ck_assert_contains(error.text, "-o: the path of a file");
    for (int i = 0; i < CA_OUTPUTS_MAX; i++)
        ck_assert_ok(ca_outputs_add(&outputs, anneal, "a.npy", "-o", &error));
    ck_assert_int_eq(ca_outputs_add(&outputs, anneal, "b.npy", "-o", &error), CA_USAGE);
    ck_assert_contains(error.text, "-o: 'b.npy' is one too many: at most 8");
    ck_assert_ok(ca_outputs_add(&outputs, test_model("water"), "w.npy", "-o", &error));
    ck_assert_int_eq(outputs.count, 1);
    ck_assert_str_eq(outputs.text[0], "w.npy");
    ck_assert_int_eq(ca_outputs_set_every(&outputs, "0", CA_FROM_COMMAND_LINE, "--every", &error),
                     CA_USAGE);
    ck_assert_contains(error.text, "--every: '0'");
    ck_assert_uint_eq(outputs.every, 0);
}
END_TEST

/* ---- environment ---- */

START_TEST(environment)
{
    struct ca_experiment experiment;

    setenv("CALAB_BACKEND", "threads", 1);
    setenv("CALAB_SIZE", "32x16", 1);
    setenv("CALAB_SEED", "0x20", 1);
    setenv("CALAB_STEPS", "7", 1);
    setenv("CALAB_INIT", "crand", 1);
    setenv("CALAB_THREADS", "2", 1);
    setenv("CALAB_DEVICE", "1", 1); /* no backend of a CPU has use for it */
    setenv("CALAB_SET", "density=0.25,threads=3", 1);
    ca_experiment_default(&experiment, test_model("anneal"));
    test_experiment_set(&experiment, "seed", "5"); /* the command line goes before it */
    ck_assert_ok(ca_experiment_environment(&experiment, &error));
    ck_assert_str_eq(experiment.backend->name, "threads");
    ck_assert_int_eq(experiment.size.w, 32);
    ck_assert_uint_eq(experiment.seed, 5);
    ck_assert_uint_eq(experiment.steps, 7);
    ck_assert_str_eq(experiment.init, "crand");
    ck_assert_int_eq(ca_int(&experiment.options, "threads"), 3);
    ck_assert(ca_real(&experiment.params, "density") == 0.25);
    ck_assert_int_eq(experiment.origin[CA_KEY_SIZE], CA_FROM_ENVIRONMENT);
    ck_assert_int_eq(experiment.params.value[0].origin, CA_FROM_ENVIRONMENT);
    setenv("CALAB_SET", "densty=0.25", 1);
    ck_assert_int_eq(ca_experiment_environment(&experiment, &error), CA_USAGE);
    ck_assert_contains(error.text, "CALAB_SET: 'densty'");
    setenv("CALAB_SIZE", "32", 1);
    ck_assert_int_eq(ca_experiment_environment(&experiment, &error), CA_USAGE);
    ck_assert_contains(error.text, "CALAB_SIZE: '32'");
}
END_TEST

/* ---- JSON ---- */

/* JSON is UTF-8, and names of files need not be. */
START_TEST(json_of_other_bytes)
{
    struct ca_experiment experiment;
    json_t *json;

    ca_experiment_default(&experiment, ca_models[0]);
    snprintf(experiment.init, sizeof experiment.init, "caf\xe9.npy");
    json = ca_experiment_to_json(&experiment);
    ck_assert_pstr_eq(json_text(json, "init"), "caf?.npy");
    json_decref(json);
    snprintf(experiment.init, sizeof experiment.init, "caf\xc3\xa9.npy");
    json = ca_experiment_to_json(&experiment);
    ck_assert_pstr_eq(json_text(json, "init"), "caf\xc3\xa9.npy");
    json_decref(json);
}
END_TEST

START_TEST(json_round_trip)
{
    for (int m = 0; ca_models[m]; m++) {
        struct ca_experiment experiment, back;
        json_t *json, *read;
        char *text;

        experiment_disturb(&experiment, ca_models[m]);
        json = ca_experiment_to_json(&experiment);
        text = json_dumps(json, 0);
        read = json_loads(text, 0, NULL);
        ck_assert_ok(ca_experiment_from_json(&back, read, &error));
        experiment_same(&experiment, &back);
        ck_assert(json_is_string(json_object_get(json, "seed")));
        json_decref(json);
        json_decref(read);
        free(text);
    }
}
END_TEST

static const struct {
    const char *text, *part; /* part NULL: allowed */
} jsons[] = {
    {"{\"model\":\"anneal\"}", NULL},
    {"{\"model\":\"anneal\",\"op\":\"open\",\"colour\":5}", NULL},
    {"{\"model\":\"anneal\",\"size\":\"8x8\",\"seed\":\"0x5\",\"parameters\":{\"density\":1}}",
     NULL},
    {"{}", "model: the name"},
    {"[]", "model: the name"},
    {"{\"model\":7}", "model: the name"},
    {"{\"model\":\"fph\"}", "did you mean 'fhp'?"},
    {"{\"model\":\"anneal\",\"backend\":\"treads\"}", "backend: 'treads'"},
    {"{\"model\":\"anneal\",\"size\":[5]}", "size: 1 sides, expected 2"},
    {"{\"model\":\"anneal\",\"size\":[5,0.5]}", "whole numbers"},
    {"{\"model\":\"anneal\",\"size\":[5,0]}", "H = 0"},
    {"{\"model\":\"anneal\",\"size\":{}}", "size: a string or a whole number"},
    {"{\"model\":\"anneal\",\"seed\":-1}", "seed: '-1'"},
    {"{\"model\":\"anneal\",\"seed\":1.5}", "seed: a string or a whole number"},
    {"{\"model\":\"anneal\",\"parameters\":[]}", "parameters: an object"},
    {"{\"model\":\"anneal\",\"parameters\":{\"density\":2}}", "density = '2'"},
    {"{\"model\":\"anneal\",\"parameters\":{\"density\":null}}", "a number or a string"},
    {"{\"model\":\"anneal\",\"parameters\":{\"densty\":1}}", "did you mean 'density'?"},
};

START_TEST(json_is_checked)
{
    struct ca_experiment experiment, before;
    json_t *json = json_loads(jsons[_i].text, 0, NULL);

    ck_assert_ptr_nonnull(json);
    ca_experiment_default(&experiment, test_model("cloud"));
    before = experiment;
    ck_assert_int_eq(ca_experiment_from_json(&experiment, json, &error),
                     jsons[_i].part ? CA_USAGE : CA_OK);
    if (jsons[_i].part) {
        ck_assert_contains(error.text, jsons[_i].part);
        experiment_same(&experiment, &before);
    }
    json_decref(json);
}
END_TEST

/* ---- the command ---- */

START_TEST(commands)
{
    struct ca_outputs outputs = {0};
    struct ca_experiment experiment;
    char *command;

    ca_experiment_default(&experiment, test_model("anneal"));
    test_experiment_set(&experiment, "backend", "threads");
    command = ca_experiment_command(&experiment, NULL, 64);
    ck_assert_str_eq(command, "calab run anneal -b threads -s 512x512 --seed 1 -n 64");
    free(command);
    test_experiment_set(&experiment, "threads", "2");
    test_experiment_set(&experiment, "set", "density=0.25");
    test_experiment_set(&experiment, "init", "it's mine.npy");
    ck_assert_ok(ca_outputs_add(&outputs, experiment.model, "$a.npy", NULL, &error));
    command = ca_experiment_command(&experiment, &outputs, 0);
    ck_assert_str_eq(command, "calab run anneal -b threads -s 512x512 --seed 1 -n 0 "
                              "--init 'it'\\''s mine.npy' --set density=0.25 --threads 2 "
                              "-o '$a.npy'");
    free(command);
    ck_assert_ok(ca_outputs_add(&outputs, experiment.model, "a%04d.npy", NULL, &error));
    ck_assert_ok(ca_outputs_set_every(&outputs, "16", CA_FROM_COMMAND_LINE, NULL, &error));
    command = ca_experiment_command(&experiment, &outputs, 0);
    ck_assert_contains(command, " -o '$a.npy' -o a%04d.npy --every 16");
    free(command);
    outputs.model = test_model("water"); /* whose files they are */
    command = ca_experiment_command(&experiment, &outputs, 0);
    ck_assert(!strstr(command, " -o "));
    free(command);
}
END_TEST

/* The shell hands on what was quoted, byte for byte. */
START_TEST(the_shell_agrees)
{
    static const char text[] = "a'b \"c\" $HOME `x` \\ ;|&<>()*?[]~#!{} \t é";
    struct ca_experiment experiment;
    char *command, line[4096], got[1024] = "";
    FILE *shell;

    ca_experiment_default(&experiment, test_model("life3d"));
    ck_assert_ok(
        ca_experiment_value(&experiment, "rule", text, CA_FROM_COMMAND_LINE, NULL, &error));
    command = ca_experiment_command(&experiment, NULL, 1);
    snprintf(line, sizeof line, "calab() { shift 10; printf %%s \"$2\"; }; %s", command);
    shell = popen(line, "r");
    ck_assert_ptr_nonnull(shell);
    ck_assert_uint_gt(fread(got, 1, sizeof got - 1, shell), 0);
    pclose(shell);
    ck_assert_str_eq(got, "rule=a'b \"c\" $HOME `x` \\ ;|&<>()*?[]~#!{} \t é");
    free(command);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {defaults, changing_the_model, changing_the_backend, seeds,
                              files_that_are_written, environment, json_of_other_bytes,
                              json_round_trip, commands, the_shell_agrees},
                     .table = {{wrong_settings, COUNT(wrong)}, {json_is_checked, COUNT(jsons)}});
}
