/* SPDX-License-Identifier: MIT */
/* core/experiment_file: experiment files in and out, and what is refused with file, line and key.
 */
#include <stdio.h>
#include <string.h>

#include "core/sim/experiment.h"
#include "core/sim/view.h"
#include "tests/support/support.h"
#include "tests/support/support_experiment.h"

static struct ca_error error;

static struct ca_outputs outputs; /* of the file that was read last, unless there were some */

static enum ca_status read_text(struct ca_experiment *experiment, const char *text,
                                struct ca_error *cause)
{
    test_put("e.cfg", text);
    return ca_experiment_read(experiment, &outputs, test_path("e.cfg"), cause);
}

START_TEST(a_whole_file)
{
    struct ca_experiment experiment;

    ca_experiment_default(&experiment, test_model("water"));
    ck_assert_ok(read_text(&experiment,
                           "# exercise\nmodel = \"anneal\";\noptions : { threads = 2; };\n"
                           "backend = \"threads\"; size = \"64x32\"; seed = 0xffffffffffffL;\n"
                           "init = \"crand\"; steps = 64; output = [\"a.pbm\", \"b.npy\"];\n"
                           "parameters : { density = 1; };\n",
                           &error));
    ck_assert_str_eq(experiment.model->name, "anneal");
    ck_assert_str_eq(experiment.backend->name, "threads");
    ck_assert(ca_size_equal(experiment.size, (struct ca_size){64, 32, 1}));
    ck_assert_uint_eq(experiment.seed, 0xffffffffffff);
    ck_assert_str_eq(experiment.init, "crand");
    ck_assert_uint_eq(experiment.steps, 64);
    ck_assert_int_eq(outputs.count, 2);
    ck_assert_str_eq(outputs.text[1], "b.npy");
    ck_assert(ca_real(&experiment.params, "density") == 1);
    ck_assert_int_eq(ca_int(&experiment.options, "threads"), 2);
    ck_assert_int_eq(experiment.origin[CA_KEY_SIZE], CA_FROM_EXPERIMENT);
    ck_assert_int_eq(experiment.params.value[0].origin, CA_FROM_EXPERIMENT);
}
END_TEST

static const struct {
    const char *text;
    const char *parts[3];
} bad_files[] = {
    {"model = \"anneal\";\nsize = \"64x64\"\nseed 5;\n", {"e.cfg:3: syntax error"}},
    {"seed = 5;\n", {"e.cfg", "'model' is missing"}},
    {"", {"'model' is missing"}},
    {"model = \"aneal\";\n", {"e.cfg:1: model: 'aneal'", "did you mean 'anneal'?"}},
    {"model = 5;\n", {"e.cfg:1: model: '5'"}},
    {"model = { };\n", {"e.cfg:1: model: a group where a string or a whole number"}},
    {"model = \"anneal\";\nsteeps = 5;\n",
     {"e.cfg:2: steeps: is not a key", "did you mean 'steps'?"}},
    {"model = \"anneal\";\nversion = 1;\n", {"e.cfg:2: version: is", "model, backend, size"}},
    /* Nothing that would start a program (SECURITY.md). */
    {"model = \"anneal\";\nengine_command = \"true\";\n",
     {"e.cfg:2: engine_command: is not a key"}},
    {"model = \"anneal\";\nremote = \"true HOST\";\n", {"e.cfg:2: remote: is not a key"}},
    {"model = \"anneal\";\nbackend = \"host:threads\";\n",
     {"e.cfg:2: backend: 'host:threads' is not a backend of anneal"}},
    {"model = \"anneal\";\nbackend = \"bitslise\";\n", {"e.cfg:2: backend: ", "'bitslice'?"}},
    {"model = \"anneal\";\n\nsize = \"64\";\n", {"e.cfg:3: size: '64'", "WIDTHxHEIGHT"}},
    {"model = \"anneal\";\nsize = [64, 64];\n", {"e.cfg:2: size: a list", "string"}},
    {"model = \"anneal\";\nseed = -1;\n", {"e.cfg:2: seed: '-1'", "0 ... 18446744073709551615"}},
    {"model = \"anneal\";\nseed = 1.5;\n",
     {"e.cfg:2: seed: a number with a point", "a whole number"}},
    {"model = \"anneal\";\nsteps = 1e3;\n", {"e.cfg:2: steps: a number with", "a whole number"}},
    {"model = \"anneal\";\nseed = 12345678901;\n", {"e.cfg:2: 12345678901", "12345678901L"}},
    {"model = \"anneal\";\nseed = 0xffffffffff;\n", {"e.cfg:2: 0xffffffffff", "32 bits"}},
    {"model = \"anneal\";\nseed = 99999999999999999999L;\n", {"e.cfg:2:", "beyond 64 bits"}},
    {"model = \"anneal\";\nseed = 0xffffffffffffffffL;\n", {"e.cfg:2:", "a string"}},
    {"model = \"anneal\";\ninit = \"rnadom\";\n", {"e.cfg:2: init: ", "'random'?"}},
    {"model = \"anneal\";\nsteps = true;\n", {"e.cfg:2: steps: true or false"}},
    {"model = \"anneal\";\noutput = \"a.xyz\";\n",
     {"e.cfg:2: output: 'a.xyz'", ".plain.pbm, .pbm or .rle"}},
    {"model = \"water\";\noutput = [\"a.npy\",\n\"a.pbm\"];\n", {"e.cfg:3: output: ", ".npy"}},
    {"model = \"anneal\";\noutput = [5];\n", {"e.cfg:2", "'5'"}},
    {"model = \"anneal\";\nevery = 3;\noutput = \"a%i.npy\";\n",
     {"e.cfg:3: output: 'a%i.npy': '%i.npy' is not allowed", "%06d"}},
    {"model = \"anneal\";\noutput = \"a%d.npy\";\n",
     {"e.cfg:2: output: the generation", "'every'"}},
    {"model = \"anneal\";\nevery = 3;\noutput = \"a.npy\";\n",
     {"e.cfg:2: every: 'every' (--every) is 3", "'state%06d.npy'"}},
    {"model = \"anneal\";\nevery = 3;\n", {"e.cfg:2: every: ", "no output"}},
    {"model = \"anneal\"; output = \"a%d.npy\";\nevery = 0;\n", {"e.cfg:2: every: '0'", "1 ..."}},
    {"model = \"anneal\";\nparameters = 5;\n", {"e.cfg:2: parameters: ", "a group"}},
    {"model = \"anneal\";\nparameters : {\n density = 1.5; };\n",
     {"e.cfg:3: density = '1.5'", "0 ... 1"}},
    {"model = \"anneal\";\nparameters : {\n density = NaN; };\n", {"e.cfg:3: syntax error"}},
    {"model = \"anneal\";\nparameters : {\n density = 1e999; };\n",
     {"e.cfg:3: density = 'inf'", "0 ... 1"}},
    {"model = \"anneal\";\nparameters : { density = \"x\"; };\n",
     {"e.cfg:2: density: a string where a number is expected", "0 ... 1"}},
    {"model = \"life3d\";\nparameters : { boundary = 1; };\n",
     {"e.cfg:2: boundary: a number where a string is expected", "torus | dead"}},
    {"model = \"life3d\";\nparameters : { boundary = \"tours\"; };\n",
     {"e.cfg:2: boundary = 'tours'", "torus | dead"}},
    {"model = \"life3d\";\nparameters : { r1 = 2.5; };\n", {"e.cfg:2: r1 = '2.5'", "0 ... 27"}},
    {"model = \"anneal\";\nparameters : { densty = 1; };\n",
     {"e.cfg:2: densty: is not a parameter of anneal", "'density'?"}},
    {"model = \"anneal\"; backend = \"reference\";\noptions : { threads = 1; };\n",
     {"e.cfg:2: threads: is not an option of backend reference of anneal", "ranks"}},
    {"model = \"anneal\"; backend = \"threads\";\noptions : { threads = -1; };\n",
     {"e.cfg:2: threads = '-1'", "0 ... 1024"}},
    {"model = \"anneal\";\n@include \"none.cfg\"\n",
     {"e.cfg:2: @include: cannot read", "none.cfg"}},
    {"model = \"anneal\";\n@include \".\"\n",
     {"e.cfg:2: @include: cannot read", "not a regular file"}},
    {"model = \"anneal\";\n/* seed = 7;\n\n", {"e.cfg:2: a comment without an end", "*/"}},
    {"model = \"anneal\";\n@include \"e.cfg\"\n", {"e.cfg", "nested deeper than 10"}},
    {"model = \"anneal\"; model = \"fhp\";\n", {"e.cfg:1: duplicate setting"}},
    {"model = \"anneal\";\nview = \"xy\";\n", {"e.cfg:2: view: ", "a group"}},
    {"model = \"anneal\";\nview : {\n zom = 2; };\n",
     {"e.cfg:3: zom: is not a key of a view", "'zoom'?"}},
    {"model = \"cloud\";\nview : { axis = \"yx\"; };\n", {"e.cfg:2: axis = 'yx'", "xy | xz | yz"}},
    {"model = \"anneal\";\nview : { axis = \"xz\"; };\n",
     {"e.cfg:2: axis: 'xz' is not allowed: anneal is two-dimensional"}},
    {"model = \"cloud\"; size = \"9x8x7\";\nview : { axis = \"xz\"; slice = 8; };\n",
     {"e.cfg:2: slice: 8 is not allowed: seen along xz, the lattice has the slices 0 ... 7"}},
    {"model = \"anneal\";\nview : { zoom = 2; magnify = 1; };\n",
     {"e.cfg:2: magnify: is allowed with a zoom of 1 alone"}},
    {"model = \"anneal\";\nview : { zoom = 1; magnify = 9; };\n",
     {"e.cfg:2: magnify = '9'", "0 ... 8"}},
    {"model = \"cloud\";\nview : { slice = -1; };\n", {"e.cfg:2: slice = '-1'", "0 ..."}},
    {"model = \"anneal\";\nview : { zoom = 0; };\n", {"e.cfg:2: zoom = '0'", "1 ..."}},
    {"model = \"anneal\";\nview : { zoom = \"all\"; };\n",
     {"e.cfg:2: zoom: 'all' is not allowed: \"fit\" or a whole number"}},
    {"model = \"anneal\";\nview : {\n y = 4; };\n", {"e.cfg:3: y: is not allowed without a zoom"}},
    {"model = \"anneal\";\nview : { zoom = \"fit\";\n x = 4; };\n",
     {"e.cfg:3: x: is not allowed without a zoom"}},
    {"model = \"anneal\";\npace = -1;\n", {"e.cfg:2: pace = '-1'", "0 ... 1048576"}},
    {"model = \"anneal\";\npace = \"max\";\n",
     {"e.cfg:2: pace: a string where a number is expected", "0 ... 1048576"}},
    {"model = \"fhp\";\ndrawn = \"sped\";\n",
     {"e.cfg:2: drawn: 'sped' cannot be drawn of fhp", "did you mean 'speed'?"}},
    {"model = \"anneal\";\nrange = \"2 1\";\n",
     {"e.cfg:2: range: range 2 1: allowed are auto, and two numbers"}},
    {"model = \"anneal\";\ndrawn = \"difference\";\n",
     {"e.cfg:2: drawn: 'difference' cannot be drawn", "state, density, change"}},
    {"model = \"anneal\";\nlook_for = 5;\n", {"e.cfg:2: look_for: a number where a string"}},
};

START_TEST(refused_files)
{
    struct ca_experiment experiment, before;
    char *after;

    ca_experiment_default(&experiment, test_model("cloud"));
    before = experiment;
    ck_assert_int_eq(read_text(&experiment, bad_files[_i].text, &error), CA_SETTINGS);
    ck_assert_int_eq(error.status, CA_SETTINGS);
    for (int p = 0; p < 3 && bad_files[_i].parts[p]; p++)
        ck_assert_contains(error.text, bad_files[_i].parts[p]);
    experiment_same(&experiment, &before);
    after = test_read(test_path("e.cfg"), NULL);
    ck_assert_str_eq(after, bad_files[_i].text);
}
END_TEST

/* How an experiment opens: its own view, pace and drawn, or what the lattice and the model have. */
START_TEST(openings)
{
    static const char text[] =
        "model = \"cloud\"; size = \"9x8x7\"; drawn = \"change\"; pace = 0.25;\n"
        "view : { axis = \"yz\"; slice = 3; projection = \"depth\"; zoom = 2; x = -1; y = 4; };\n"
        "look_for = \"Clouds that grow. \" \"They meet.\";\n";
    static struct ca_experiment experiment;
    const struct ca_value *row = experiment.initial_view.value;
    struct ca_view view = {0};
    int magnify;

    ca_experiment_default(&experiment, test_model("water"));
    ck_assert_ok(read_text(&experiment, text, &error));
    ck_assert(!ca_initial_view_apply(&experiment.initial_view, experiment.model, experiment.size,
                                     &view, &magnify));
    ck_assert_int_eq(view.axis, CA_YZ);
    ck_assert_int_eq(view.slice, 3);
    ck_assert_int_eq(view.projection, CA_VIEW_DEPTH);
    ck_assert_int_eq(view.x, -1);
    ck_assert_int_eq(view.y, 4);
    ck_assert_int_eq(view.zoom, 2);
    ck_assert(row[CA_INITIAL_PACE].number == 0.25);
    ck_assert_str_eq(row[CA_INITIAL_DRAWN].text, "change");
    ck_assert_str_eq(row[CA_INITIAL_LOOK_FOR].text, "Clouds that grow. They meet.");

    /* The view of another lattice than the file's is fitted. */
    test_experiment_set(&experiment, "size", "5x5x5");
    ck_assert_ok(read_text(&experiment, text, &error));
    ck_assert(ca_initial_view_apply(&experiment.initial_view, experiment.model, experiment.size,
                                    &view, &magnify));
    ck_assert_int_eq(view.axis, CA_XY);
    ck_assert_int_eq(view.slice, 2);
    ck_assert_int_eq(view.projection, CA_VIEW_SLICE);
    ck_assert_str_eq(row[CA_INITIAL_DRAWN].text, "change");

    /* What a file does not say is left to lattice and model; nothing stays from another one. */
    ck_assert_ok(read_text(&experiment, "model = \"cloud\"; view : { zoom = \"fit\"; };", &error));
    for (int i = 0; i < CA_INITIAL_COUNT; i++)
        ck_assert_int_eq(row[i].origin, CA_BUILT_IN);
    ck_assert_str_eq(row[CA_INITIAL_DRAWN].text, "state");
    ck_assert_str_eq(row[CA_INITIAL_LOOK_FOR].text, "");
}
END_TEST

START_TEST(files_that_cannot_be_read)
{
    struct ca_experiment experiment;

    ca_experiment_default(&experiment, test_model("anneal"));
    ck_assert_int_eq(ca_experiment_read(&experiment, NULL, test_path("none.cfg"), &error), CA_IO);
    ck_assert_contains(error.text, "none.cfg: No such file");
    ck_assert_int_eq(ca_experiment_read(&experiment, NULL, test_folder(), &error), CA_IO);
    test_write(test_path("zero.cfg"), "model = \"anneal\";\n\0seed = 5;", 28);
    ck_assert_int_eq(ca_experiment_read(&experiment, NULL, test_path("zero.cfg"), &error),
                     CA_SETTINGS);
    ck_assert_contains(error.text, "zero.cfg:2: a zero byte");
}
END_TEST

/* Ten files of ten lines each would be ten billion. */
START_TEST(includes_that_multiply)
{
    struct ca_experiment experiment;

    for (int file = 0; file < 10; file++) {
        char name[16], line[40], text[400] = "";

        snprintf(name, sizeof name, "%d.cfg", file);
        snprintf(line, sizeof line, "@include \"%d.cfg\"\n", file + 1);
        for (int i = 0; i < 10 && file < 9; i++)
            strcat(text, line);
        test_put(name, text);
    }
    ca_experiment_default(&experiment, ca_models[0]);
    ck_assert_int_eq(ca_experiment_read(&experiment, NULL, test_path("0.cfg"), &error),
                     CA_SETTINGS);
    ck_assert_contains(error.text, "more than 100 files included");
}
END_TEST

START_TEST(includes_are_relative)
{
    static const char included[] = "seed = 77;\nsteps = 5;\n", wrong_one[] = "\n\nseed = -7;\n";
    struct ca_experiment experiment;

    ca_experiment_default(&experiment, test_model("anneal"));
    test_put("common.cfg", included);
    ck_assert_ok(read_text(&experiment, "model = \"anneal\";\n@include \"common.cfg\"\n", &error));
    ck_assert_uint_eq(experiment.seed, 77);
    test_put("common.cfg", wrong_one);
    ck_assert_int_eq(
        read_text(&experiment, "model = \"anneal\";\n@include \"common.cfg\"\n", &error),
        CA_SETTINGS);
    ck_assert_contains(error.text, "common.cfg:3: seed: '-7'");
}
END_TEST

/* Editors put a mark before a text, of which libconfig knows nothing. */
START_TEST(byte_order_marks)
{
    static const char included[] = "\xef\xbb\xbfseed = 77;\n";
    struct ca_experiment experiment;

    ca_experiment_default(&experiment, test_model("anneal"));
    ck_assert_ok(read_text(&experiment, "\xef\xbb\xbfmodel = \"anneal\";\nseed = 7;", &error));
    ck_assert_uint_eq(experiment.seed, 7);
    test_put("marked.cfg", included);
    ck_assert_int_eq(
        read_text(&experiment, "model = \"anneal\";\n@include \"marked.cfg\"\n", &error),
        CA_SETTINGS);
    ck_assert_contains(error.text, "marked.cfg:1: a byte order mark");
}
END_TEST

START_TEST(what_goes_before_a_file)
{
    static const char text[] =
        "model = \"anneal\"; backend = \"threads\"; size = \"8x8\"; seed = 5;\n"
        "options : { threads = 2; }; parameters : { density = 0.1; };\n"
        "output = \"file.npy\";";
    struct ca_experiment experiment;

    ca_experiment_default(&experiment, test_model("anneal"));
    test_experiment_set(&experiment, "seed", "9");
    test_experiment_set(&experiment, "set", "density=0.9");
    ck_assert_ok(ca_outputs_add(&outputs, experiment.model, "mine.npy", NULL, &error));
    ck_assert_ok(read_text(&experiment, text, &error));
    ck_assert_uint_eq(experiment.seed, 9);
    ck_assert(ca_real(&experiment.params, "density") == 0.9);
    ck_assert_int_eq(experiment.size.w, 8);
    ck_assert_int_eq(outputs.count, 1);
    ck_assert_str_eq(outputs.text[0], "mine.npy");
    ck_assert_int_eq(ca_int(&experiment.options, "threads"), 2);

    /* A backend of the command line: the file's options are taken as far as both have them. */
    ca_experiment_default(&experiment, test_model("anneal"));
    test_experiment_set(&experiment, "backend", "reference");
    ck_assert_ok(read_text(&experiment, text, &error));
    ck_assert_str_eq(experiment.backend->name, "reference");
    test_experiment_set(&experiment, "backend", "bitslice");
    ck_assert_ok(read_text(&experiment, text, &error));
    ck_assert_int_eq(ca_int(&experiment.options, "threads"), 2);

    /* A model that was only the default gives way, one that was asked for does not. */
    ca_experiment_default(&experiment, test_model("water"));
    test_experiment_set(&experiment, "size", "16x4");
    ck_assert_ok(read_text(&experiment, text, &error));
    ck_assert_str_eq(experiment.model->name, "anneal");
    ck_assert_int_eq(experiment.size.w, 16);
    ca_experiment_default(&experiment, test_model("water"));
    ca_experiment_model(&experiment, test_model("water"), CA_FROM_COMMAND_LINE);
    ck_assert_int_eq(read_text(&experiment, text, &error), CA_USAGE);
    ck_assert_contains(error.text, "e.cfg:1: model", "anneal", "water");
}
END_TEST

START_TEST(file_round_trip)
{
    struct ca_view view = {.x = -2, .y = 70, .zoom = 3};

    for (int m = 0; ca_models[m]; m++) {
        struct ca_outputs written = {0}, read = {0};
        struct ca_experiment experiment, back;

        experiment_disturb(&experiment, ca_models[m]);
        ck_assert_ok(ca_outputs_add(&written, ca_models[m], "out%03d.npy", NULL, &error));
        ck_assert_ok(
            ca_outputs_set_every(&written, "5000000001", CA_FROM_COMMAND_LINE, NULL, &error));
        view.projection =
            ca_models[m]->dimensions == 3 ? (enum ca_view_projection)(m % 4) : CA_VIEW_SLICE;
        ca_initial_view_take(&experiment.initial_view, &view, 0, m % 2, m % 2, CA_FROM_WORKBENCH);
        ca_values_set(&experiment.initial_view, CA_INITIAL_LOOK_FOR, "\"so\".", CA_FROM_EXPERIMENT,
                      NULL, &error);
        ca_values_set_number(&experiment.initial_view, CA_INITIAL_PACE, 0.125 * m,
                             CA_FROM_WORKBENCH, NULL, &error);
        ck_assert_ok(ca_experiment_write(&experiment, &written, test_path("w.cfg"), &error));
        ca_experiment_default(&back, test_model("anneal"));
        ck_assert_ok(ca_experiment_read(&back, &read, test_path("w.cfg"), &error));
        experiment_same(&experiment, &back);
        ck_assert_uint_eq(back.steps, experiment.steps);
        ck_assert_int_eq(read.count, 1);
        ck_assert_str_eq(read.text[0], "out%03d.npy");
        ck_assert_uint_eq(read.every, 5000000001);
        ck_assert(ca_values_equal(&back.initial_view, &experiment.initial_view));
        for (int i = 0; i < CA_INITIAL_COUNT; i++)
            ck_assert_int_eq(back.initial_view.value[i].origin != CA_BUILT_IN,
                             experiment.initial_view.value[i].origin != CA_BUILT_IN);
    }
}
END_TEST

START_TEST(writing_a_file_fails)
{
    struct ca_experiment experiment;

    ca_experiment_default(&experiment, test_model("anneal"));
    ck_assert_int_eq(ca_experiment_write(&experiment, NULL, "/dev/full", &error), CA_IO);
    ck_assert_contains(error.text, "No space left");
    ck_assert_int_eq(ca_experiment_write(&experiment, NULL, test_path("no/w.cfg"), &error), CA_IO);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_whole_file, openings, files_that_cannot_be_read,
                              includes_that_multiply, includes_are_relative, byte_order_marks,
                              what_goes_before_a_file, file_round_trip, writing_a_file_fails},
                     .table = {{refused_files, COUNT(bad_files)}});
}
