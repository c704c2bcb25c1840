/* SPDX-License-Identifier: MIT */
/* The path of a file that describes a model stands where the name of a model does. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/file.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

/* Life, by a name of its own, so that its states are those of the built-in model. */
#define LIVING                                                                                     \
    "#include \"calab_model.h\"\n"                                                                 \
    "CA_MODEL(living, \"the game of life\")\n"                                                     \
    "CA_STATE(DEAD, 0, ' ', CA_QUIET, \"dead\")\n"                                                 \
    "CA_STATE(LIVE, 1, 'O', CA_STRONG, \"live\")\n"                                                \
    "CA_PARAM(density, 0.3, 0, 1, \"share of live cells\")\n"                                      \
    "CA_COUNT(live, LIVE, \"live cells\")\n"                                                       \
    "CA_RANDOM_START(random, \"live cells at random\", SHARE_OF(LIVE, density))\n"                 \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    int n = COUNT8(LIVE);\n"                                                                  \
    "    return n == 3 || (n == 2 && AT(0, 0) == LIVE) ? LIVE : DEAD;\n"                           \
    "}\n"

/* The hash is that of life, whatever the backend and the ranks. */
START_TEST(runs_as_the_built_in_model)
{
    const char *path = test_put("living.c", LIVING);
    const char *const hows[] = {"-b reference", "-b threads", "-b reference --ranks 2", ""};
    const char *hash = test_keep(strdup(outcome_value(
        (struct outcome[]){calab_good("run life -s 70x50 -n 20 --set density=0.3")}, "hash")));

    for (int i = 0; i < (int)COUNT(hows); i++) {
        struct outcome o = calab_good("run %s -s 70x50 -n 20 %s", path, hows[i]);

        ck_assert_str_eq(outcome_value(&o, "hash"), hash);
    }
}
END_TEST

/* What ends the program in cell() is named with the line. */
START_TEST(a_crash_has_a_line)
{
    const char *path = test_put(
        "trap.c", "#include \"calab_model.h\"\nCA_MODEL(trap, \"ends\")\n"
                  "CA_STATE(A, 0, '.', CA_QUIET, \"a\")\nCA_STATE(B, 1, 'O', CA_STRONG, \"b\")\n"
                  "CA_CELL cell(CA_NB nb)\n{\n    if (nb.t == 3 && nb.x == 5)\n"
                  "        __builtin_trap();\n    return AT(0, 0);\n}\n");

    for (int i = 0; i < 2; i++) {
        struct outcome o =
            calab("run %s -s 64x64 -n 6 -q -b %s", path, i ? "threads" : "reference");

        ck_assert_int_eq(o.status, 128 + SIGILL);
        ck_assert_contains(o.err, "calab run: process ", " ended by SIGILL", " in trap.c:8\n");
        ck_assert_ptr_null(strstr(o.err, "backtrace"));
    }
}
END_TEST

/* Each of several planes is a field, of states and of floats. */
START_TEST(planes_are_fields)
{
    static const char *const backends[] = {"reference", "threads"};

    for (int b = 0; b < 2; b++) {
        const double *ground, *ant, *v;
        const uint8_t *cells;
        const float *floats;

        calab_good("run configs/models/ant.c -s 40x30 --init soil --set soil=0.4 -n 3 -b %s "
                   "-o GROUND,block=1x1:%s -o ANT,block=1x1:%s -o %s",
                   backends[b], test_path("g.npy"), test_path("a.npy"), test_path("s.npy"));
        ground = (const double *)(const void *)(test_read(test_path("g.npy"), NULL) + 128);
        ant = (const double *)(const void *)(test_read(test_path("a.npy"), NULL) + 128);
        cells = (const uint8_t *)test_read(test_path("s.npy"), NULL) + 128;
        for (int i = 0; i < 40 * 30; i++)
            must_hold(ground[i] == (cells[i] & 1) && ant[i] == cells[i] >> 1, "cell %d", i);
        calab_good("run configs/models/grayscott.c -s 40x30 -n 9 -b %s -o V,block=1x1:%s -o %s",
                   backends[b], test_path("v.npy"), test_path("f.npy"));
        v = (const double *)(const void *)(test_read(test_path("v.npy"), NULL) + 128);
        floats = (const float *)(const void *)(test_read(test_path("f.npy"), NULL) + 128) + 40 * 30;
        for (int i = 0; i < 40 * 30; i++)
            must_hold(v[i] == (double)floats[i], "cell %d: %g, %g", i, v[i], (double)floats[i]);
    }
}
END_TEST

/* Lists, JSON, verify, bench and compare. */
START_TEST(commands_take_the_path)
{
    const char *path = test_put("living.c", LIVING);
    struct outcome o = calab_good("list %s", path);
    json_t *json;

    ck_assert_contains(o.out, "living");
    ck_assert_contains(o.out, "threads");
    o = calab_good("run %s -s 16x16 -n 2 --json", path);
    json = outcome_json(&o);
    ck_assert_str_eq(json_string_value(json_object_get(json, "model")), path);
    ck_assert_uint_eq(strlen(json_string_value(json_object_get(json, "model_digest"))), 16);
    calab_good("verify %s --cases 2", path);
    ck_assert_contains(calab_good("run %s --help", path).out, "share of live cells");
}
END_TEST

/* A file's path is relative to that of the experiment. */
START_TEST(experiments_name_the_file)
{
    const char *experiment = test_put("e.cfg", "model = \"living.c\"\nsize = \"20x20\"\n"
                                               "steps = 3\n");
    struct outcome o;

    test_put("living.c", LIVING);
    o = calab_good("run -c %s", experiment);
    ck_assert_str_eq(outcome_value(&o, "model"), test_path("living.c"));
    ck_assert_int_eq(remove(test_path("living.c")), 0);
    calab_fails(3, "living.c", "run -c %s", experiment);
}
END_TEST

/* A state says of which file it is, and never has that compiled. */
START_TEST(a_state_needs_its_file)
{
    const char *path = test_put("living.c", LIVING), *state = test_path("s.h5");
    struct outcome o = calab_good("run %s -s 40x30 -n 30", path);
    const char *hash = test_keep(strdup(outcome_value(&o, "hash")));

    calab_good("run %s -s 40x30 -n 10 -o %s", path, state);
    o = calab_good("run %s -c %s -n 20", path, state);
    ck_assert_str_eq(outcome_value(&o, "hash"), hash);
    calab_fails(8, "let --trust compile the text that the state keeps", "run -c %s -n 20", state);
    /* Other bytes are another model. */
    test_put("living.c", LIVING "/* */\n");
    calab_fails(8, "name the file with these bytes", "run %s -c %s -n 20", path, state);
}
END_TEST

/* Lines of tables name the model alone. */
START_TEST(two_files_of_one_name_are_told_apart)
{
    const char *path = test_put("living.c", LIVING), *other = test_put("other.c", LIVING "/* */\n");
    const char *copy = test_put("copy.c", LIVING);

    calab_fails(2,
                test_text("%s and %s both declare the model living, and could not be told apart",
                          path, other),
                "verify %s %s", path, other);
    calab_fails(2, "both declare the model living", "bench %s %s", other, path);
    calab_fails(2, "living.c' is named twice", "verify %s %s", path, copy);
}
END_TEST

/* The path in a benchmark's case is counted from its file, as in an experiment. */
START_TEST(cases_name_the_file)
{
    struct outcome o;

    test_put("living.c", LIVING);
    o = calab_good("bench -c %s --json --time 0.05 -q",
                   test_put("cases.cfg", "cases = ( { model = \"living.c\"; size = \"16x16\"; "
                                         "backend = \"threads\"; } );\n"));
    ck_assert_contains(o.out, test_text("\"model\": \"%s\"", test_path("living.c")));
}
END_TEST

/* Examples and their experiments are part of the program, where there is no checkout, too. */
START_TEST(the_program_has_examples)
{
    static const char *const files[][2] = {
        {"-c builtin:/heat-squares.cfg", "-c configs/heat-squares.cfg"},
        {"-c builtin:/traffic-jams.cfg", "-c traffic-jams"},
        {"builtin:/models/ising.c", "configs/models/ising.c"},
    };

    for (int i = 0; i < (int)COUNT(files); i++) {
        struct outcome o = calab_good("run %s -n 3", files[i][0]);
        const char *hash = test_keep(strdup(outcome_value(&o, "hash")));

        o = calab_good("run %s -n 3", files[i][1]);
        ck_assert_str_eq(outcome_value(&o, "hash"), hash);
    }
    calab_fails(2, "builtin:/models/none.c: the file of a model cannot be read",
                "run builtin:/models/none.c");
}
END_TEST

/* They are listed without being compiled. */
START_TEST(lists_do_not_compile)
{
    const char *const variables[] = {"CC=no-such-compiler", NULL};
    const struct surroundings surroundings = {.variable = variables};
    struct outcome o = calab_good_in(&surroundings, "list experiments");
    json_t *json, *one;
    size_t i, of_files = 0;

    ck_assert_contains(o.out, "configs/forest-fires.cfg", "Fires in a forest that grows again",
                       "Fronts of fire");
    ck_assert_ptr_null(strstr(o.out, "no-such-compiler"));
    o = calab_good_in(&surroundings, "list experiments --json");
    json = outcome_json(&o);
    json_array_foreach(json_object_get(json, "configs"), i, one)
    {
        const char *model = json_string_value(json_object_get(one, "model"));

        of_files += model && strncmp(model, "models/", 7) == 0;
        if (strcmp(json_string_value(json_object_get(one, "path")), "configs/sir-front.cfg") == 0)
            ck_assert_str_eq(model, "models/sir.c");
    }
    ck_assert_uint_eq(of_files, 12);
}
END_TEST

/* A compiler that leaves a mark. */
static const struct surroundings *marked(void)
{
    static const char *variable[2];
    static struct surroundings surroundings = {.variable = variable};
    const char *path = test_put(
        "compiler", test_text("#!/bin/sh\ntouch %s\nexec cc \"$@\"\n", test_path("compiled")));

    ck_assert_int_eq(chmod(path, 0700), 0);
    variable[0] = test_text("CC=%s", path);
    return &surroundings;
}

/* The text in a state is compiled where the user says so, and never else. */
START_TEST(a_state_has_its_file)
{
    const char *path = test_put("living.c", LIVING), *state = test_path("s.h5"), *hash;
    struct outcome o = calab_good("run %s -s 40x30 -n 30", path);

    hash = test_keep(strdup(outcome_value(&o, "hash")));
    calab_good("run %s -s 40x30 -n 10 -o %s", path, state);
    ck_assert_int_eq(remove(path), 0);
    o = calab_in(marked(), "run -c %s -n 20", state);
    ck_assert_int_eq(o.status, 8);
    ck_assert_contains(o.err, path, "name the file with these bytes as the model", "--trust");
    calab_in(marked(), "convert %s %s", state, test_path("s.npy"));
    calab_in(marked(), "list -c %s", state);
    ck_assert_int_ne(access(test_path("compiled"), F_OK), 0);
    o = calab_good_in(marked(), "run -c %s -n 20 --trust", state);
    ck_assert_str_eq(outcome_value(&o, "hash"), hash);
    ck_assert_int_eq(access(test_path("compiled"), F_OK), 0);
    calab_good("convert %s %s --trust", state, test_path("s.npy"));
    ck_assert_str_eq(calab_done("model source %s", state).out, LIVING);
}
END_TEST

/* Another text than the one whose digest the state has is not compiled. */
START_TEST(a_changed_text_is_refused)
{
    const char *path = test_put("living.c", LIVING), *state = test_path("s.h5");
    size_t size = 0;
    char *bytes, *text;

    calab_good("run %s -s 40x30 -n 10 -o %s", path, state);
    bytes = test_keep(test_read(state, &size));
    text = memmem(bytes, size, "n == 3", 6);
    ck_assert_ptr_nonnull(text);
    text[5] = '4';
    test_write(state, bytes, size);
    ck_assert_int_eq(remove(path), 0);
    calab_fails(8, "the text that has come has the digest", "run -c %s --trust", state);
    calab_good("run life -s 16x16 -n 1 -o %s", state);
    calab_fails(8, "it keeps no text of a model's file", "model source %s", state);
    calab_fails(2, "an argument is missing: calab model source STATE.h5", "model source");
    calab_fails(8, "is not a whole HDF5 file", "model source %s", test_put("x.h5", "no"));
}
END_TEST

/* What is predicted of a file that never ran is a speed that there could be, and that of threads is
 * above that of the reference, so that `auto` does not take it. */
START_TEST(auto_expects_what_can_be)
{
    static const char *const models[] = {"forest", "grayscott", "copies", "majority"};

    for (int m = 0; m < (int)COUNT(models); m++) {
        double rate[2] = {0, 0};
        const char *size = strcmp(models[m], "copies") == 0 ? "96x96x96" : "1000x900";
        double cells = strcmp(models[m], "copies") == 0 ? 96 * 96 * 96 : 900e3;
        struct outcome o = calab_good("list configs/models/%s.c -s %s --json", models[m], size);
        json_t *json = outcome_json(&o), *one;
        size_t i;

        json_array_foreach(json_object_get(json, "backends"), i, one)
        {
            const char *name = json_string_value(json_object_get(one, "name"));
            double predicted_s = json_number_value(json_object_get(one, "predicted_s"));

            if (strcmp(name, "reference") == 0)
                rate[0] = cells / predicted_s;
            if (strcmp(name, "threads") == 0)
                rate[1] = cells / predicted_s;
        }
        must_hold(rate[0] > 1e6 && rate[0] < 1e9, "%s: reference at %g", models[m], rate[0]);
        must_hold(rate[1] > rate[0] && rate[1] < 1e13, "%s: threads at %g", models[m], rate[1]);
    }
}
END_TEST

START_TEST(mistakes_are_told)
{
    calab_fails(2, "cannot be read", "run %s", test_path("none.c"));
    calab_fails(2, "neither a command nor a model", "%s/none", test_folder());
    ck_assert_contains(
        calab_fails(4, "living.c:", "run %s", test_put("living.c", LIVING "int x = ;\n")).err,
        "error");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {runs_as_the_built_in_model, a_crash_has_a_line, planes_are_fields,
                              commands_take_the_path, experiments_name_the_file,
                              a_state_needs_its_file, the_program_has_examples,
                              lists_do_not_compile, a_state_has_its_file, a_changed_text_is_refused,
                              auto_expects_what_can_be, two_files_of_one_name_are_told_apart,
                              cases_name_the_file, mistakes_are_told});
}
