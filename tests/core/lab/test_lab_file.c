/* SPDX-License-Identifier: MIT */
/* lab.cfg: what is read from it, and what it is told that is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/files/file.h"
#include "core/lab/kernel/command.h"
#include "core/lab/kernel/files.h"
#include "tests/support/support.h"

static struct ca_error error;

static enum ca_status read_text(struct ca_lab *lab, const char *text, struct ca_error *cause)
{
    static int number;
    char name[32], path[400];

    snprintf(name, sizeof name, "file%d", number++);
    snprintf(path, sizeof path, "%s/lab.cfg", test_path(name));
    ck_assert_int_eq(mkdir(test_path(name), 0700), 0);
    test_write(path, text, strlen(text));
    return ca_lab_read(lab, test_path(name), cause);
}

START_TEST(all_keys)
{
    struct ca_lab lab;

    ck_assert_ok(read_text(
        &lab,
        "version = 1; model = \"life3d\"; source = \"mine.cu\";\n"
        "form = \"step\"; ghosts = 2; flags = \"-O3\"; tile = [8, 4, 2];\n"
        "sizes = [\"4x5x6\", \"1x1x1\"]; generations = [4]; seeds = [7, 8, 9];\n"
        "repeats = 2; init = \"crand\"; parameters : { r1 = 6; };\n"
        "against = \"threads\";\n"
        "limits : { seconds = 1.5; watched_seconds = 9.0; memory_mb = 100; output_mb = 2; };\n",
        &error));
    ck_assert_str_eq(lab.model->name, "life3d");
    ck_assert_str_eq(lab.source, "mine.cu");
    ck_assert(lab.cuda);
    ck_assert_int_eq(lab.ghosts, 2);
    ck_assert_str_eq(lab.flags, "-O3");
    ck_assert_int_eq(lab.tile[2], 2);
    ck_assert_int_eq(lab.sizes, 2);
    ck_assert_int_eq(lab.size[0].d, 6);
    ck_assert_int_eq(lab.generations, 1);
    ck_assert_int_eq(lab.generation[0], 4);
    ck_assert_int_eq(lab.seeds, 3);
    ck_assert_int_eq((int)lab.seed[2], 9);
    ck_assert_int_eq(lab.repeats, 2);
    ck_assert_str_eq(lab.init, "crand");
    ck_assert_int_eq(ca_int(&lab.params, "r1"), 6);
    ck_assert_str_eq(lab.against->name, "threads");
    ck_assert(lab.seconds == 1.5);
    ck_assert(lab.watched_seconds == 9);
    ck_assert_int_eq(lab.memory_mb, 100);
    ck_assert_int_eq(lab.output_mb, 2);
}
END_TEST

static void check_sizes(const struct ca_lab *lab, const char *expected)
{
    char text[400] = "", size[64];

    for (int i = 0; i < lab->sizes; i++) {
        strcat(text, ca_size_format(size, lab->size[i], lab->model->dimensions));
        strcat(text, " ");
    }
    ck_assert_str_eq(text, expected);
}

START_TEST(without_them)
{
    static const int64_t generations[] = {1, 2, 3, 17};
    struct ca_lab lab;

    ck_assert_ok(read_text(&lab, "version=1;model=\"fhp\";source=\"a.c\";", &error));
    ck_assert(!lab.cuda && lab.form == CA_LAB_STEP && lab.ghosts == 0);
    check_sizes(&lab, "1x1 2x2 3x3 31x31 32x32 33x33 96x64 255x33 2x6 33x64 500x500 512x512 ");
    ck_assert_int_eq(lab.generations, 4);
    for (int i = 0; i < lab.generations; i++)
        ck_assert_int_eq(lab.generation[i], generations[i]);
    ck_assert_int_eq(lab.seeds, 2);
    ck_assert(lab.seed[0] == 1 && lab.seed[1] == 2);
    ck_assert_int_eq(lab.repeats, 5);
    ck_assert_str_eq(lab.against->name, "reference");
    ck_assert(lab.seconds == 2 && lab.watched_seconds == 60);
    ck_assert_int_eq(lab.memory_mb, 4096);
    ck_assert_int_eq(lab.output_mb, 16);
    ck_assert_ok(read_text(&lab, "version=1;model=\"cloud\";source=\"a.c\";", &error));
    check_sizes(&lab, "1x1x1 2x2x2 3x5x7 32x32x32 33x31x9 64x40x24 ");
}
END_TEST

/* What a kernel is told of its model: planes, the table of its rule, and its parameters. */
static const struct {
    const char *config;
    const char *parts[3];
} headers[] = {
    {"model = \"water\"; source = \"a.c\"; ghosts = 2; parameters : { relief = 7; };",
     {"#define LAB_MODEL \"water\"\n#define LAB_DIMENSIONS 2\n#define LAB_GHOSTS 2\n"
      "#define LAB_OWN 0\n\ntypedef float lab_cell;\n",
      "#define LAB_PLANES 3\n#define LAB_TERRAIN 0 /* a step does not change it */\n"
      "#define LAB_LEVEL 1\n#define LAB_SOURCE 2 /* a step does not change it */\n"
      "#define LAB_CONSTANT 0x5\n\n#define LAB_TABLE {0}\n",
      "LAB_PARAMETERS { \\\n    {\"source_mode\", 0, \"add\"}, \\\n    {\"relief\", 7, \"\"}, \\\n"
      "    {\"rain\", 0.5, \"\"}, \\\n    {\"spring\", 1, \"\"}, \\\n"}},
    {"model = \"life3d\"; source = \"a.c\"; form = \"own\"; parameters : { rule = \"3D1/0,26\"; };",
     {"#define LAB_DIMENSIONS 3\n#define LAB_GHOSTS 0\n#define LAB_OWN 1\n\ntypedef uint8_t",
      "#define LAB_TABLE {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
      "0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
      "0}\n",
      "    {\"\", 0, \"\"}}\n\n#endif\n"}},
};

START_TEST(header_of_a_model)
{
    const char *path = test_path("calab/lab_model.h");
    char config[300], *text;
    struct ca_lab lab;
    size_t size;

    snprintf(config, sizeof config, "version = 1; %s", headers[_i].config);
    ck_assert_ok(read_text(&lab, config, &error));
    ck_assert_ok(ca_lab_write_files(&lab, test_path("."), &error));
    ck_assert_ok(ca_file_read(path, 1 << 20, &text, &size, &error));
    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(text, headers[_i].parts[i]) != NULL, "'%s' is not in: %s",
                      headers[_i].parts[i], text);
    free(text);
}
END_TEST

/* Of a whole program. */
#define LIFE "version = 1;\nmodel = \"anneal\";\nprogram = \"./life {n} {w} {h}\";\n"
#define RUN(command) "version = 1; model = \"life3d\"; output = \"a.npy\"; program = " command ";"
#define GOOD "version = 1;\nmodel = \"anneal\";\nsource = \"a.c\";\n"
static const struct {
    const char *text, *says, *too;
} wrong[] = {
    {"model = \"anneal\"; source = \"a.c\";", "lab.cfg: the key 'version' is missing", ""},
    {"version = 1; source = \"a.c\";", "lab.cfg: the key 'model' is missing", ""},
    {"version = 1; model = \"anneal\";", "lab.cfg: the key 'source' is missing", ""},
    {"version = 2; model = \"anneal\"; source = \"a.c\";", "lab.cfg:1: version", "version 2"},
    {"version = 1;\nmodel = \"aneal\"; source = \"a.c\";", "lab.cfg:2: model", "anneal"},
    {"version = 1; model = \"anneal\";\n\nsource = \"../a.c\";", "lab.cfg:3: source", ".cu"},
    {"version = 1; model = \"anneal\"; source = \"a.py\";", "'a.py'", "ends in .c or .cu"},
    {GOOD "generation = [3];", "lab.cfg:4: generation", "did you mean 'generations'?"},
    {GOOD "limits : { second = 3; };", "lab.cfg:4: second", "did you mean 'seconds'?"},
    {GOOD "size = [\"1x1\"];", "lab.cfg:4: size", "sizes"},
    {GOOD "sizes = [\"1x1x1\"];", "lab.cfg:4", "WIDTHxHEIGHT"},
    {GOOD "sizes = [];", "lab.cfg:4: sizes", "1 ... 24"},
    {GOOD "sizes = \"1x1\";", "lab.cfg:4: sizes", "a list"},
    {GOOD "sizes = [\"100000x100000\"];", "lab.cfg:4", "more cells"},
    {GOOD "generations = [0];", "lab.cfg:4", "1 ... 10000"},
    {GOOD "repeats = 0;", "lab.cfg:4: repeats", "1 ... 100"},
    {GOOD "repeats = 2.5;", "lab.cfg:4: repeats", "a whole number"},
    {GOOD "tile = [8];", "lab.cfg:4: tile", "2 ... 2"},
    {GOOD "form = \"program\";", "lab.cfg:4: form", "step | own"},
    {GOOD "ghosts = 9;", "lab.cfg:4: ghosts", "0 ... 4"},
    {GOOD "form = \"own\";\nghosts = 1;", "lab.cfg:5: ghosts", "allowed is 0"},
    {GOOD "parameters : { densty = 0.5; };", "lab.cfg:4: densty", "density"},
    {GOOD "parameters : { density = 2.5; };", "lab.cfg:4", "0 ... 1"},
    {GOOD "init = \"sown\";", "lab.cfg:4: init", "not a valid start of anneal"},
    {GOOD "against = \"auto\";", "lab.cfg:4: against", "not allowed"},
    {GOOD "against = \"fastest\";", "lab.cfg:4: against", "fastest"},
    {GOOD "limits : { seconds = 0.0; };", "lab.cfg:4: seconds", "0.1 ... 3600"},
    {GOOD "limits : { hours = 1; };", "lab.cfg:4: hours", "seconds"},
    {GOOD "limits = 3;", "lab.cfg:4: limits", ""},
    {GOOD "flags = -O3;", "lab.cfg:4", ""},
    {GOOD "environment = \"HOME\";", "lab.cfg:4: environment", "a list"},
    {GOOD "environment = [\"A B\"];", "lab.cfg:4: environment", "'A B' is not allowed"},
    {GOOD "environment = [\"1A\"];", "lab.cfg:4: environment", "names of variables"},
    {GOOD "environment = [\"_\"];", "lab.cfg:4: environment", "names of variables"},
    {GOOD "output = \"a.pbm\";", "lab.cfg:4: output", "'program', which is missing"},
    {GOOD "build = \"make\";", "lab.cfg:4: build", "'program', which is missing"},
    {LIFE, "lab.cfg:3: program", "output is missing"},
    {LIFE "source = \"a.c\";", "lab.cfg:4: source", "not with 'program'"},
    {LIFE "ghosts = 1;", "lab.cfg:4: ghosts", "not with 'program'"},
    {LIFE "output = \"/tmp/a.pbm\";", "lab.cfg:3", "'/tmp/a.pbm' is not allowed: a file below"},
    {LIFE "output = \"../a.pbm\";", "lab.cfg:3", "below the folder"},
    {LIFE "output = \"a.png\";", "lab.cfg:3", "ends in .npy, .h5, .plain.pbm, .pbm"},
    {RUN("\"\""), "program", "empty"},
    {RUN("\"./a {n} {w} {h}\""), "neither {input} nor {w}, {h}, {d}", "32x32x32"},
    {RUN("\"./a {input} {t}\""), "has no {n}", "generations = [100]"},
    {RUN("\"./a {n} {w} {h} {d} {t}\""), "{t} is the generation of {input}", "missing"},
    {RUN("\"./a {n} {inputs}\""), "{inputs} is not known", "{input.ENDING}"},
    {RUN("\"./a {n} {\""), "'{' is not closed", "{{"},
    {RUN("\"./a {n} {input.pbm}\""), "{input.pbm} is not allowed", "ends in .npy"},
};

START_TEST(is_told)
{
    struct ca_lab lab;
    enum ca_status status = read_text(&lab, wrong[_i].text, &error);

    ck_assert_msg(status == CA_SETTINGS, "%s: status %d, %s", wrong[_i].text, status, error.text);
    ck_assert_contains(error.text, wrong[_i].says, wrong[_i].too);
}
END_TEST

/* What stands for the words in braces. */
START_TEST(words_of_a_command)
{
    struct ca_lab lab;
    struct ca_lab_numbers numbers = {{4, 5, 6}, UINT64_MAX, 7, 8};
    char command[CA_LAB_COMMAND_MAX];

    ck_assert_ok(read_text(
        &lab, RUN("\"A=1 mpirun ./a {n} {w}x{h}x{d} {{n} {seed} {t} {input} }\"") " build = \"\";",
        &error));
    ca_lab_command(command, &lab, &numbers);
    ck_assert_str_eq(command, "A=1 mpirun ./a 8 4x5x6 {n} 18446744073709551615 7 ../input.npy }");
    ck_assert_str_eq(lab.source, "mpirun");
    ck_assert(lab.form == CA_LAB_PROGRAM && lab.builds && !lab.build[0]);
}
END_TEST

START_TEST(no_folder)
{
    struct ca_lab lab;

    ck_assert_int_eq(ca_lab_read(&lab, test_path("nowhere"), &error), CA_IO);
    ck_assert_contains(error.text, "No such file");
    ck_assert_int_eq(ca_lab_read(&lab, test_folder(), &error), CA_IO);
    ck_assert_contains(error.text, "no lab.cfg");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {all_keys, without_them, words_of_a_command, no_folder},
                     .table = {{header_of_a_model, COUNT(headers)}, {is_told, COUNT(wrong)}});
}
