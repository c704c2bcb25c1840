/* SPDX-License-Identifier: MIT */
/* Wrong input: each case prints one clear line, has the right exit status, and changes no file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

/* stderr has one line that begins with the command, stdout is empty. */
static void check_refused(const struct outcome *o, const char *line, int status, const char *one,
                          const char *two)
{
    const char *end = strchr(o->err, '\n');

    ck_assert_msg(o->status == status, "'%s' ended with %d, not %d: %s", line, o->status, status,
                  o->err);
    ck_assert_msg(end && end[1] == '\0', "'%s' does not say one line: %s", line, o->err);
    ck_assert_msg(strncmp(o->err, "calab", 5) == 0, "'%s': %s", line, o->err);
    ck_assert_msg(strstr(o->err, one) != NULL, "'%s': no '%s' in: %s", line, one, o->err);
    ck_assert_msg(strstr(o->err, two) != NULL, "'%s': no '%s' in: %s", line, two, o->err);
    ck_assert_str_eq(o->out, "");
}

static const struct {
    const char *line;
    int status;
    const char *one, *two; /* parts of the message */
} lines[] = {
    /* names */
    {"rnu anneal", CA_USAGE, "calab: 'rnu'", "did you mean 'run'?"},
    {"aneal", CA_USAGE, "'aneal'", "did you mean 'anneal'?"},
    {"wter", CA_USAGE, "'wter'", "did you mean 'water'?"}, /* the last of all */
    {"zzzzzz", CA_USAGE, "'zzzzzz'", "neither a command nor a model; there are: run"},
    {"-b reference run", CA_USAGE, "the command must come first", "calab run"},
    {"run aneal", CA_USAGE, "calab run: 'aneal'", "did you mean 'anneal'?"},
    {"run", CA_USAGE,
     "no model is given: name one (anneal, life, life3d, cloud, fhp, water), an experiment",
     "with -c, or set CALAB_MODEL"},
    {"run anneal water", CA_USAGE, "'water'", "unexpected argument"},
    {"run anneal -b bitslic", CA_USAGE, "bitslic", "did you mean 'bitslice'?"},
    {"run life3d -b bitslic3", CA_USAGE, "bitslic3", "life3d"},
    {"run anneal -b a,b,c", CA_USAGE, "--backend", "at most 2 backends are allowed"},
    {"run anneal -b a -b b -b c", CA_USAGE, "--backend", "a,b,c"},
    {"run anneal --init randm", CA_USAGE, "--init", "did you mean 'random'?"},
    {"run water --init crand", CA_USAGE, "hills, dam, file", ".npy"},
    {"list backend", CA_USAGE, "calab list: 'backend'", "did you mean 'backends'?"},
    {"list experiment", CA_USAGE, "experiment", "did you mean 'experiments'?"},
    {"list zzzzzz", CA_USAGE, "zzzzzz",
     "models, experiments, patterns, formats, backends, devices"},
    {"config", CA_USAGE, "calab config:", "path, show, check"},
    {"config chekc", CA_USAGE, "'chekc'", "did you mean 'check'?"},
    {"config path x", CA_USAGE, "'x'", "takes no file"},
    {"engine x", CA_USAGE, "'x'", "unexpected argument"},
    {"doctor x", CA_USAGE, "'x'", "unexpected argument"},
    /* options */
    {"run anneal --sede 3", CA_USAGE, "'--sede'", "did you mean '--seed'?"},
    {"run anneal --see 3", CA_USAGE, "'--see'", "not abbreviated"},
    {"run anneal --see=3", CA_USAGE, "'--see'", "did you mean '--seed'?"},
    {"run anneal --se 3", CA_USAGE, "'--se'", "not abbreviated"},
    {"run anneal --zzzzzz", CA_USAGE, "'--zzzzzz'", "--help"},
    {"run anneal -Z", CA_USAGE, "'-Z'", "--help"},
    {"run anneal -n", CA_USAGE, "--steps", "needs an argument: N"},
    {"run anneal --seed", CA_USAGE, "--seed", "needs an argument: N"},
    {"run anneal --json=1", CA_USAGE, "--json", "takes no argument"},
    {"list --seed 3", CA_USAGE, "'--seed'", "not an option here"},
    {"list --size 8x8", CA_USAGE, "--size", "list MODEL"},
    {"anneal -n 5", CA_USAGE, "'-n'", "not an option here"},
    /* values */
    {"run anneal --seed -1", CA_USAGE, "--seed", "18446744073709551615"},
    {"run anneal --seed 18446744073709551616", CA_USAGE, "--seed", "0 ..."},
    {"run anneal --seed 12ab", CA_USAGE, "'12ab'", "decimal or 0x"},
    {"run anneal -n -1", CA_USAGE, "--steps", "'-1'"},
    {"run anneal -n 1e3", CA_USAGE, "--steps", "'1e3'"},
    {"run anneal --seconds 0", CA_USAGE, "--seconds", "above 0"},
    {"run anneal --seconds nan", CA_USAGE, "--seconds", "'nan'"},
    {"run anneal --seconds 1 -n 5", CA_USAGE, "--seconds, --steps", "only one of them"},
    {"run anneal --set densty=0.5", CA_USAGE, "densty", "did you mean 'density'?"},
    {"run anneal --set density", CA_USAGE, "--set", "key=value"},
    {"run anneal --set density=", CA_USAGE, "density", "0 ... 1"},
    {"run anneal --set density=-0.1", CA_USAGE, "density = '-0.1'", "0 ... 1"},
    {"run anneal --set \033[31m=1", CA_USAGE, "'?[31m'", "neither"},
    {"run anneal --set density=2", CA_USAGE, "--set: density", "0 ... 1"},
    {"run anneal --set density=nan", CA_USAGE, "density", "0 ... 1"},
    {"run anneal --set density=0,5", CA_USAGE, "density", "0 ... 1"},
    {"run life3d --set r1=2.5", CA_USAGE, "r1", "whole"},
    {"run life3d --set rule=3D9..", CA_USAGE, "rule", "3D"},
    {"run fhp --set collisions=fhp4", CA_USAGE, "collisions", "fhp1 | fhp2 | fhp3"},
    {"run anneal --threads 2 -b reference", CA_USAGE, "--threads", "threads, bitslice"},
    {"run anneal --threads 5000", CA_USAGE, "threads", "0 ... 1024"},
    {"run anneal -b reference --device 0", CA_USAGE, "--device",
     "these do: cuda-naive, cuda-shared"},
    {"verify --cases 0", CA_USAGE, "--cases", "1 ... 1000000"},
    {"bench anneal --error 101", CA_USAGE, "--error", "0 ... 100"},
    {"bench anneal --time 86401", CA_USAGE, "--time", "0 ... 86400"},
    {"bench anneal --check 86401", CA_USAGE, "--check", "0 ... 86400"},
    {"bench anneal --price 0", CA_USAGE, "--price", "1e-09 ... 1000000000000"},
    {"bench anneal --watts 0", CA_USAGE, "--watts", "1e-09 ... 1000000000"},
    {"emulate README.md --limit 0", CA_USAGE, "--limit", "0.01 ... 1000000"},
    {"model check README.md --limit 0", CA_USAGE, "--limit", "0.01 ... 3600"},
    /* sizes */
    {"run anneal -s 0x5", CA_USAGE, "--size: W = 0", "1 ..."},
    {"run anneal -s 5x0", CA_USAGE, "--size: H = 0", "1 ..."},
    {"run anneal -s -5x5", CA_USAGE, "--size: W = -5", "1 ..."},
    {"run anneal -s 5", CA_USAGE, "--size", "WIDTHxHEIGHT"},
    {"run anneal -s 5x5x5", CA_USAGE, "--size", "5x5x5"},
    {"run life3d -s 5x5", CA_USAGE, "--size", "5x5"},
    {"run anneal -s 99999999999999999999x1", CA_USAGE, "--size", "99999999999999999999x1"},
    {"run anneal -s 4294967296x4294967296", CA_USAGE, "--size: W = 4294967296", "2147483648"},
    {"run anneal -s 4194304x4194304", CA_USAGE, "4194304x4194304", "memory"},
    {"run life3d -b reference -s 16384x16384x16384", CA_USAGE, "16384x16384x16384", "memory"},
    {"run fhp -s 8x7", CA_USAGE, "7", "even"},
    /* files */
    {"run anneal -o x.txt", CA_USAGE, "x.txt", ".npy"},
    {"run life3d -o x.pbm", CA_USAGE, "x.pbm", ".npy"},
    {"run anneal -n 1 -o /no/such/folder/x.npy", CA_IO, "/no/such/folder", "No such file"},
    {"run anneal -n 1 -s 8x8 -o /proc/x.npy", CA_IO, "/proc/x.npy", "cannot"},
    {"run anneal -n 1 -s 8x8 -o /dev/fd/4294967297", CA_IO, "/dev/fd/4294967297", "No such file"},
    {"run anneal -n 1 -s 8x8 -o /dev/fd/1zzz.npy", CA_IO, "/dev/fd/1zzz.npy", "No such file"},
    {"run anneal -n 1 -o README.md/x.npy", CA_IO, "README.md/x.npy", "cannot write"},
    {"run anneal --init /no/such.npy", CA_IO, "/no/such.npy", "No such file"},
    {"run anneal --init README.md.npy", CA_IO, "README.md.npy", "No such file"},
    {"run anneal -c /no/such.cfg", CA_IO, "/no/such.cfg", "No such file"},
    {"config check /no/such.cfg", CA_IO, "/no/such.cfg", "No such file"},
    {"run fhp --set geometry=file", CA_USAGE, "geometry_file", "PBM"},
    {"run fhp --set geometry=file --set geometry_file=/no/x.pbm", CA_IO, "/no/x.pbm",
     "No such file"},
};

START_TEST(line)
{
    struct outcome o = calab("%s", lines[_i].line);

    check_refused(&o, lines[_i].line, lines[_i].status, lines[_i].one, lines[_i].two);
}
END_TEST

/* Experiment files: the message names file and line; `run -c` and `config check` agree. */
static const struct {
    const char *text, *one, *two;
} files[] = {
    {"model = \"anneal\"\nseed = = 3;\n", "bad.cfg:2", "syntax"},
    {"model = \"anneal\";\nsede = 3;\n", "bad.cfg:2", "did you mean 'seed'?"},
    {"model = \"anneal\";\nseed = \"x\";\n", "bad.cfg:2", "seed"},
    {"model = 3;\n", "bad.cfg:1", "model"},
    {"model = \"aneal\";\n", "bad.cfg:1", "did you mean 'anneal'?"},
    {"model = \"anneal\";\nbackend = \"thread\";\n", "bad.cfg:2", "did you mean 'threads'?"},
    {"model = \"anneal\";\n\nsize = \"0x5\";\n", "bad.cfg:3", "W = 0"},
    {"model = \"anneal\";\nparameters : {\n  densty = 0.5;\n};\n", "bad.cfg:3", "density"},
    {"model = \"anneal\";\nparameters : {\n  density = 1.5;\n};\n", "bad.cfg:3", "0 ... 1"},
    {"model = \"anneal\";\nparameters : {\n  density = \"x\";\n};\n", "bad.cfg:3", "density"},
    {"model = \"anneal\";\nparameters : {\n  density = nan;\n};\n", "bad.cfg:3", "syntax"},
    {"model = \"anneal\";\nparameters : {\n  density = 1e999;\n};\n", "bad.cfg:3", "density"},
    {"model = \"anneal\";\noptions : { threads = -1; };\n", "bad.cfg:2", "0 ... 1024"},
    {"model = \"anneal\";\n@include \"missing.cfg\"\n", "bad.cfg:2", "missing.cfg"},
};

START_TEST(file)
{
    const char *path = test_path("bad.cfg");
    struct outcome run, check;
    char *after;

    test_write(path, files[_i].text, strlen(files[_i].text));
    run = calab("run -n 1 -c %s", path);
    check_refused(&run, files[_i].text, CA_SETTINGS, files[_i].one, files[_i].two);
    check = calab("config check %s", path);
    check_refused(&check, files[_i].text, CA_SETTINGS, files[_i].one, files[_i].two);
    after = test_read(path, NULL);
    ck_assert_str_eq(after, files[_i].text);
}
END_TEST

START_TEST(other_model_than_the_file)
{
    const char *path = test_path("x.cfg");
    struct outcome o;

    test_write(path, "model = \"anneal\";\n", 18);
    o = calab("run water -c %s", path);
    check_refused(&o, "run water -c x.cfg", CA_USAGE, "anneal", "water");
}
END_TEST

/* A calab.cfg with a syntax error is reported and not changed, and the run uses the defaults. */
START_TEST(broken_settings)
{
    static const char text[] = "version = 1;\nworkbench : { fps = ; };\n";
    const char *path = test_path("calab.cfg");
    char variable[256], *after;
    const char *const variables[] = {variable, NULL};
    const struct surroundings s = {.variable = variables};
    struct outcome o;

    test_write(path, text, strlen(text));
    snprintf(variable, sizeof variable, "CALAB_CONFIG=%s", path);
    o = calab_good_in(&s, "run --remembered -n 1 -s 8x8");
    ck_assert_contains(o.err, "calab.cfg:2", "defaults");
    o = calab_in(&s, "config check");
    check_refused(&o, "config check", CA_SETTINGS, "calab.cfg:2", "syntax");
    o = calab_in(&s, "config show");
    check_refused(&o, "config show", CA_SETTINGS, "calab.cfg:2", "syntax");
    o = calab_good_in(&s, "doctor");
    ck_assert_contains(o.out, "calab.cfg:2");
    after = test_read(path, NULL);
    ck_assert_str_eq(after, text);
}
END_TEST

/* One wrong value leaves the others as they are set, and is named where it is. */
START_TEST(partly_wrong_settings)
{
    static const char text[] =
        "version = 1;\nmodel = \"water\";\nworkbench : {\n fsp = 5; fps = 99;\n"
        " stride = 33; };\nmodels : { water : { size = \"9x7\"; }; };\n";
    const char *path = test_path("calab.cfg");
    char variable[256], *after;
    const char *const variables[] = {variable, NULL};
    const struct surroundings s = {.variable = variables};
    struct outcome o;

    test_write(path, text, strlen(text));
    snprintf(variable, sizeof variable, "CALAB_CONFIG=%s", path);
    o = calab_good_in(&s, "run --remembered -n 1 -b reference");
    ck_assert_contains(o.err, "calab.cfg:4: fps = '99' is out of range, allowed: 1 ... 60, whole; "
                              "in place of what is wrong defaults are used");
    ck_assert_str_eq(outcome_value(&o, "size"), "9x7");
    o = calab_in(&s, "config show");
    ck_assert_int_eq(o.status, CA_SETTINGS);
    ck_assert_contains(o.err, "calab.cfg:4: fps = '99'");
    ck_assert_contains(o.out, "stride               33 ", "fps                  10 ");
    o = calab_in(&s, "doctor");
    ck_assert_contains(o.out, "in place of what is wrong defaults are used, and nothing is saved");
    after = test_read(path, NULL);
    ck_assert_str_eq(after, text);
}
END_TEST

/* A calab.cfg with unknown or conflicting keys, and a variable with a wrong value. */
START_TEST(config_of_keys)
{
    static const struct {
        const char *text;
        int status;
        const char *says;
    } rows[] = {
        {"keys : { run = \"Y\"; foo = \"q\"; };\n", 0,
         "1 key unknown to this version, kept: "
         "keys.foo"},
        {"keys : {\n run = \"q\"; };\n", 3, "calab.cfg:2: run: key q is already used by quit"},
        {"keys : { run = \"enter\"; };\n", 3, "enter is already used by inspect"},
        {"keys : { run = \"enter\"; };\nworkbench : { keys = \"golly\"; };\n", 0, "correct"},
        {"keys : { run = \"hyper-x\"; };\n", 3, "'hyper-x' is not a key"},
    };
    const char *path = test_path("calab.cfg");
    char variable[4200];
    const char *const variables[] = {variable, "CALAB_FPS=100", NULL};
    const struct surroundings s = {.variable = variables};
    struct outcome o;

    snprintf(variable, sizeof variable, "CALAB_CONFIG=%s", path);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_write(path, rows[i].text, strlen(rows[i].text));
        o = calab_in(&s, "config check");
        ck_assert_int_eq(o.status, rows[i].status);
        ck_assert_contains(rows[i].status ? o.err : o.out, rows[i].says);
    }
    o = calab_in(&s, "config show");
    ck_assert_int_eq(o.status, 2);
    ck_assert_contains(o.err, "CALAB_FPS: fps = '100'");
    ck_assert_contains(o.out, "\n  fps                  10                   built-in");
}
END_TEST

static const struct {
    const char *variable;
    const char *one, *two;
} variables[] = {
    {"CALAB_MODEL=aneal", "CALAB_MODEL", "did you mean 'anneal'?"},
    {"CALAB_SEED=x", "CALAB_SEED", "'x'"},
    {"CALAB_SIZE=0x0", "CALAB_SIZE", "W = 0"},
    {"CALAB_BACKEND=thread", "CALAB_BACKEND", "did you mean 'threads'?"},
    {"CALAB_SET=density=7", "CALAB_SET", "0 ... 1"},
    {"CALAB_THREADS=-1", "CALAB_THREADS", "0 ... 1024"},
    {"CALAB_CPU=AVX2", "CALAB_CPU = 'AVX2'", "baseline | avx | avx2 | avx512"},
    {"CALAB_TUNED=maybe", "CALAB_TUNED = 'maybe'", "off | on"},
};

START_TEST(variable)
{
    const char *const list[] = {variables[_i].variable, NULL};
    const struct surroundings s = {.variable = list};
    struct outcome o = calab_in(&s, _i == 0 ? "run" : "run anneal");

    check_refused(&o, variables[_i].variable, CA_USAGE, variables[_i].one, variables[_i].two);
}
END_TEST

/* State files that are cut off, of another model, or with values that the model does not have. */
START_TEST(state_files)
{
    const char *path = test_path("good.npy"), *bad = test_path("bad.npy");
    struct outcome o = calab("run anneal -s 16x8 -n 0 -o %s", path);
    size_t size;
    char *bytes;

    ck_assert_int_eq(o.status, 0);
    bytes = test_read(path, &size);
    ck_assert_uint_gt(size, 16 * 8);

    test_write(bad, bytes, size - 1);
    o = calab("run anneal --init %s", bad);
    check_refused(&o, "one byte short", CA_IO, "bad.npy", "");
    test_write(bad, bytes, 7);
    o = calab("run anneal --init %s", bad);
    check_refused(&o, "seven bytes", CA_IO, "bad.npy", "");
    test_write(bad, "", 0);
    o = calab("run anneal --init %s", bad);
    check_refused(&o, "empty", CA_IO, "bad.npy", "");
    test_write(bad, "P1\n2 2\n1 0 0 1\n", 15);
    o = calab("run anneal --init %s", bad);
    check_refused(&o, "a PBM", CA_IO, "bad.npy", "");
    bytes[size - 1] = 2;
    test_write(bad, bytes, size);
    o = calab("run anneal --init %s", bad);
    check_refused(&o, "a cell of 2", CA_IO, "bad.npy", "");
    o = calab("run water --init %s", path);
    check_refused(&o, "another model's", CA_IO, "good.npy", "");
    o = calab("run anneal --init %s -s 8x16", path);
    check_refused(&o, "another size", CA_USAGE, "good.npy is 16x8", "8x16");
    free(bytes);
}
END_TEST

/* Pictures as starts, likewise; of a model whose cells are more than 0 and 1 none is a state. */
START_TEST(pictures)
{
    static const struct {
        const char *text, *arguments, *one, *two;
        int status;
    } rows[] = {
        {"P1\n2 2\n1 0 0\n", "run anneal", "p.pbm:4:", "ends before", CA_IO},
        {"P1\n2 2\n1 0 0 2\n", "run anneal", "p.pbm:3:", "0 or 1", CA_IO},
        {"P5\n2 2\n255\n", "run anneal", "p.pbm:1:", "P1 or P4", CA_IO},
        {"P4\n16 2\nabc", "run anneal", "3 bytes", "expected 4", CA_IO},
        {"P4\n16 2\nabcd", "run anneal -s 2x16", "p.pbm is 16x2", "2x16", CA_USAGE},
        {"P4\n16 2\nabcd", "run fhp", "p.pbm", "ends in .npy or .h5;", CA_USAGE},
        {"P4\n16 2\nabcd", "run life3d", "p.pbm", "ends in .npy, .h5 or .rle3;", CA_USAGE},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct outcome o;

        test_put("p.pbm", rows[i].text);
        o = calab("%s --init %s", rows[i].arguments, test_path("p.pbm"));
        check_refused(&o, rows[i].text, rows[i].status, rows[i].one, rows[i].two);
    }
}
END_TEST

START_TEST(input_files)
{
    static const struct {
        const char *text;
        const char *command, *one;
    } rows[] = {
        {"P4\n16 8\n12345", "run fhp --set geometry=file --set geometry_file=%s", "in.file"},
        {"P1\n4 2\n1 0 0 1 2 0 0 1\n", "run fhp --set geometry=file --set geometry_file=%s",
         "in.file"},
        {"GIF89a", "run fhp --set geometry=file --set geometry_file=%s", "in.file"},
        {"P1\n4 3\n000000000000\n", "run fhp --set geometry=file --set geometry_file=%s",
         "in.file: fhp: the height must be even"},
        {"P1\n99999999999 99999999999\n0\n", "run fhp --set geometry=file --set geometry_file=%s",
         "99999999999"},
        {"ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 nan\n",
         "run water --init file --set terrain_file=%s", "in.file:6"},
        {"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n",
         "run water --init file --set terrain_file=%s", "in.file"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *path = test_path("in.file");
        char command[4200];
        struct outcome o;

        test_write(path, rows[i].text, strlen(rows[i].text));
        snprintf(command, sizeof command, "%.*s%s",
                 (int)(strstr(rows[i].command, "%s") - rows[i].command), rows[i].command, path);
        o = calab("%s", command);
        check_refused(&o, rows[i].text, i == 3 ? CA_USAGE : CA_IO, rows[i].one, "");
    }
}
END_TEST

/* A full disk and closed streams. */
START_TEST(streams)
{
    static const struct surroundings full = {.stdout_file = "/dev/full"},
                                     shut = {.no_stdout = true}, deaf = {.no_stdin = true};
    static const char *const printing[] = {"run anneal -n 1 -s 8x8",
                                           "run anneal -n 1 -s 8x8 --json",
                                           "list",
                                           "list --json",
                                           "config show",
                                           "config path",
                                           "doctor",
                                           "--help",
                                           "--version"};
    struct outcome o;

    for (size_t i = 0; i < sizeof printing / sizeof printing[0]; i++) {
        o = calab_in(&full, "%s", printing[i]);
        check_refused(&o, printing[i], CA_IO, "standard output", "No space left");
        o = calab_in(&shut, "%s", printing[i]);
        check_refused(&o, printing[i], CA_IO, "standard output", "");
    }
    o = calab_in(&deaf, "engine");
    check_refused(&o, "engine without stdin", CA_IO, "standard input is closed", "");
    o = calab_in(&shut, "engine");
    check_refused(&o, "engine without stdout", CA_IO, "standard output is closed", "");
    o = calab_in(&deaf, "run anneal -n 1 -s 8x8"); /* it never reads stdin */
    ck_assert_int_eq(o.status, 0);
}
END_TEST

/* If the disk fills up during writing, the old file stays and no other file is left. */
START_TEST(full_disk)
{
    static const struct surroundings s = {.file_limit = 1000};
    const char *path = test_path("state.npy");
    struct outcome o;
    char *after;

    test_write(path, "before", 6);
    o = calab_in(&s, "run anneal -n 1 -s 64x64 -o %s", path);
    check_refused(&o, "full disk", CA_IO, "state.npy", "File too large");
    after = test_read(path, NULL);
    ck_assert_str_eq(after, "before");
    ck_assert_int_eq(test_files(), 1);
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Each kind of stepper refuses planes that do not fit in the address space. */
START_TEST(too_little_memory)
{
    static const struct surroundings s = {.memory_limit = 96UL << 20};
    static const char *const run[] = {
        "run anneal -b reference -n 1 -s 16384x16384",
        "run anneal -b bitslice -n 1 -s 32768x32768 --set threads=1",
        "run life3d -b bitslice -n 1 -s 1024x1024x1024 --set threads=1",
        "run water -b reference -n 1 -s 8192x8192",
    };
    struct outcome o = calab_in(&s, "%s", run[_i]);

    check_refused(&o, run[_i], CA_NO_MEMORY, "no memory for", "");
}
END_TEST
#endif

/* No output may be written to a state file that got the number of a closed stream. */
START_TEST(closed_streams_and_output)
{
    static const struct surroundings deaf = {.no_stdin = true};
    const char *path = test_path("state.pbm");
    struct outcome o = calab_in(&deaf, "run anneal -n 0 -s 8x8 --set density=1 -o %s", path);
    size_t size;

    ck_assert_int_eq(o.status, 0);
    test_read(path, &size);
    ck_assert_uint_eq(size, strlen("P4\n8 8\n") + 8);
}
END_TEST

/* The workbench without a usable terminal says what to do instead. */
START_TEST(no_terminal)
{
    static const struct surroundings dumb = {.term = "dumb"};
    struct outcome o = calab("anneal");

    check_refused(&o, "no terminal", CA_USAGE, "terminal", "calab run");
    o = calab_in(&dumb, "anneal");
    ck_assert_int_eq(o.status, CA_USAGE);
    ck_assert_contains(o.err, "dumb", "calab run");
    ck_assert_ptr_null(strchr(o.err, '\033'));
}
END_TEST

START_TEST(interrupted)
{
    static const struct surroundings s = {.interrupt_after = "generation"};
    struct outcome o =
        calab_in(&s, "run anneal -s 256x256 --seconds 1000 -o %s", test_path("late.npy"));

    ck_assert_msg(o.status == 130, "exit status %d: %s", o.status, o.err);
    ck_assert_contains(o.err, "calab run: stopped by signal 2", "nothing was written");
    ck_assert_str_eq(o.out, "");
    ck_assert_int_eq(test_files(), 0);
}
END_TEST

int main(void)
{
    return run_tests(&(const struct suite){
        .test = {other_model_than_the_file, broken_settings, partly_wrong_settings, config_of_keys,
                 state_files, pictures, input_files, streams, full_disk, closed_streams_and_output,
                 no_terminal, interrupted},
        .table =
            {
                {line, COUNT(lines)},
                {file, COUNT(files)},
                {variable, COUNT(variables)},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
                {too_little_memory, 4},
#endif
            },
    });
}
