/* SPDX-License-Identifier: MIT */
/* bench from outside: forms of output, files, plots, and all that they refuse. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/program.h"
#include "tests/support/support.h"

/* --- the command ----------------------------------------------------------------------------- */

START_TEST(json)
{
    struct outcome o =
        calab("bench anneal -s 64x64,32x16 -b reference,bit* --threads 1 --time 0.02 "
              "--price 100 --watts 50 --json");
    json_t *root = outcome_json(&o), *lines = json_object_get(root, "lines");
    static const char *const from[] = {"version",  "date",     "host",  "kernel", "cpu",
                                       "governor", "compiler", "flags", "isa"};
    static const char *const figures[] = {"median_s",       "mad_s",        "min_s",
                                          "max_s",          "cells_per_s",  "mups",
                                          "gb_per_s",       "to_reference", "price_per_mups",
                                          "watts_per_mups", "to_first",     "ms_per_generation"};

    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_str_eq(json_text(root, "schema"), "calab-bench/2");
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++)
        ck_assert(
            json_string_value(json_object_get(json_object_get(root, "provenance"), from[i]))[0]);
    ck_assert_uint_ge(json_array_size(lines), 4);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "summary")), 2);
    ck_assert_contains(json_text(root, "summary.0"), "times as fast as");
    for (size_t i = 0; i < json_array_size(lines); i++) {
        json_t *line = json_array_get(lines, i);

        if (!json_is_true(json_object_get(line, "available")))
            continue;
        ck_assert_int_eq(json_whole(line, "wrong"), 0);
        ck_assert_uint_eq(json_array_size(json_object_get(line, "samples_s")),
                          (size_t)json_whole(line, "n"));
        for (size_t f = 0; f < sizeof figures / sizeof figures[0]; f++)
            ck_assert_msg(json_is_real(json_object_get(line, figures[f])), "%s", figures[f]);
    }
}
END_TEST

START_TEST(forms)
{
    struct outcome o = calab("bench life3d -s 8x8x8 -b reference,threads -n 5 --time 0.01 --csv");
    const char *row;

    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_contains(
        o.out, "# calab: ", "# compiler: gcc", "# flags: -", "# ceilings: unknown: ",
        "\nmodel,size,backend,threads,steps,n,left_out,others,median_ms,mad_ms,min_ms,max_ms,"
        "ms/gen,cells/s,Mups,GB/"
        "s,%copy,%logic,x_reference,x_before,x_first,wrong,checked,report\n");
    row = strstr(o.out, "\nlife3d,8x8x8,reference,1,5,");
    ck_assert_ptr_nonnull(row);
    ck_assert_contains(row, ",0,itself,\"1 pass", ",0,reference,");
    o = calab("bench water -s 8x8 -b reference -n 5 --time 0.01 --markdown");
    ck_assert_contains(o.out, "**water 8x8**, seed 1, hills\n\n| backend | rate | +- |",
                       "\n| --- | ---: | ---: |", "\n| reference | ", "\nreference runs at ",
                       "\n<details><summary>machine and program</summary>\n\n```\n# calab: ");
    o = calab("bench water -s 8x8 -b reference -n 5 --time 0.01 --markdown --price 3");
    ck_assert_contains(o.out, "| model | size | backend |", "\n| --- | --- | --- | ---: |",
                       "| price/Mups |", "\n| water | 8x8 | reference | 1 | 5 |");
    ck_assert_ptr_null(strstr(o.out, "| Mups |"));
    o = calab("bench water -s 8x8 -b reference -n 5 --time 0.01 --columns");
    ck_assert_int_eq(strncmp(o.out, "model  size  backend", 20), 0);
    ck_assert_contains(o.out, " rate ");
    o = calab("bench water -s 8x8 -b reference -n 5 --time 0.01 -v");
    ck_assert_int_eq(strncmp(o.out, "# calab: ", 9), 0);
    ck_assert_contains(o.out, "\nmodel  size  backend", "predicted_ms");
    o = calab("bench water -s 8x8 -b reference,threads -n 5 --time 0.01");
    ck_assert_int_eq(strncmp(o.out, "water 8x8, seed 1, hills\nbackend ", 33), 0);
    ck_assert_ptr_null(strstr(o.out, "# calab"));
    ck_assert_contains(o.out, "; all equal\n");
}
END_TEST

/* A file of cases; what its label holds is text and nothing else, whatever it is printed as. */
START_TEST(from_files)
{
    static const struct {
        const char *form, *cells;
    } rows[] = {{"csv", "\n\"a|, \"\"b\"\"\",cloud,8x8x8,reference,"},
                {"markdown", "\n| a\\|, \"b\": reference | "},
                {"markdown --columns", "\n| a\\|, \"b\" | cloud | 8x8x8 | reference |"}};
    static const char text[] = "cases = ( { label = \"a|, \\\"b\\\"\"; model = \"cloud\"; size = "
                               "\"8x8x8\"; backend = \"reference\"; steps = 2; } );";
    const char *path = test_path("cases.cfg");

    test_write(path, text, strlen(text));
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct outcome o = calab_good("bench -c %s --%s --time 0.01", path, rows[i].form);

        ck_assert_contains(o.out, rows[i].cells);
    }
}
END_TEST

/* Price, watts and cores of a case, and what is related to the named line; the option's name goes
 * before the file's. */
START_TEST(stated_machines)
{
    static const char text[] =
        "cases = ( { label = \"one\"; model = \"cloud\"; size = \"8x8x8\"; backend = "
        "\"reference\"; steps = 2; price = 1500; watts = 95; cores = 8; }, { model = \"cloud\"; "
        "size = \"8x8x8\"; backend = \"bitslice\"; steps = 2; } ); relative = \"one\";";
    const char *path = test_path("cases.cfg");
    struct outcome o;
    json_t *root, *line;

    test_write(path, text, strlen(text));
    o = calab_good("bench -c %s --json --time 0.01 --price 300", path);
    root = outcome_json(&o);
    ck_assert_str_eq(json_text(root, "relative"), "one");
    line = json_at(root, "lines.0");
    ck_assert_double_eq(json_number(line, "price"), 1500);
    ck_assert_double_eq(json_number(line, "cores"), 8);
    ck_assert_double_eq(json_number(line, "relative_cost"), 1);
    ck_assert_double_eq(json_number(line, "to_first"), 1);
    line = json_at(root, "lines.1");
    ck_assert_double_eq(json_number(line, "price"), 300);
    ck_assert_double_eq_tol(json_number(line, "relative_cost") * json_number(line, "to_first"), 0.2,
                            1e-9);
    o = calab("bench -c %s --time 0.01 --relative bitslice", path); /* in columns, unasked */
    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_contains(o.out, " x_cost ", " cores ");
    o = calab("bench -c %s --time 0.01 --relative bitslice --csv", path);
    ck_assert_contains(o.out, "\n# relative: x_cost and x_power are divided by those of bitslice\n",
                       ",x_first,",
                       ",price,price/Mups,x_cost,watts,watts_by,watts/Mups,x_power,wrong,");
}
END_TEST

/* A lattice that no machine has the memory for is refused with the numbers, in a line of its own.
 */
START_TEST(too_large)
{
    struct outcome o = calab("bench fhp -s 8388608x8388608 -b avx2,bitslice -n 1 --time 0.01");

    ck_assert_int_eq(o.status, 7);
    ck_assert_contains(o.out, "fhp 8388608x8388608, seed 1",
                       "cannot run: bitslice: size 8388608x8388608 of fhp on bitslice needs",
                       " GiB are available\n");
    ck_assert_contains(o.err, "none of these backends is available");
}
END_TEST

/* What stands for a choice is one line, of the backend that was chosen. */
START_TEST(chosen_backend)
{
    struct outcome o = calab("bench anneal -s 16x16 -b cpu -n 5 --time 0.01 --csv");
    const char *row = strstr(o.out, "\nanneal,16x16,");

    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_ptr_nonnull(row);
    ck_assert_ptr_null(strstr(row, ",cuda"));
    ck_assert_ptr_null(strstr(row + 1, "\nanneal,"));
}
END_TEST

START_TEST(progress_line)
{
    const struct surroundings terminal = {.term = "xterm"};
    struct outcome o = calab_good_in(&terminal, "bench water -s 8x8 -b reference -n 5 --time 0.01");

    ck_assert_contains(o.err, "1 of 1: water reference, warming up");
    o = calab_in(&terminal, "bench anneal -s 512x512 -b reference,threads --time 1 --error 0");
    ck_assert(strstr(o.err, "1 of 2: anneal reference, timing, ") || /* whose turn it is, then */
              strstr(o.err, "2 of 2: anneal threads, timing, "));
    ck_assert_contains(o.err, " calls, about ", " ms left");
}
END_TEST

/* Stopped in the second of two groups: the first is there, and that the second is not is said. */
#define TWO_GROUPS "bench anneal -s 64x64,4096x4096 -b reference,threads -n 1 --error 0 --time 60 "

START_TEST(prints_what_was_finished)
{
    static const struct surroundings s = {.interrupt_after = "3 of 4: anneal reference, timing"};
    static const char *const form[] = {"--csv", "--json", "--markdown", ""};
    static const char *const parts[][2] = {{"\nanneal,64x64,threads,", ",4096x4096,"},
                                           {"\"backend\": \"threads\"", " 4096,"},
                                           {"\n| threads | ", "**anneal 4096x4096**"},
                                           {"\nthreads ", "anneal 4096x4096"}};
    struct outcome o = calab_in(&s, TWO_GROUPS "%s", form[_i]);

    ck_assert_msg(o.status == 130, "exit status %d: %s", o.status, o.err);
    ck_assert_contains(o.out, parts[_i][0]);
    ck_assert_msg(!strstr(o.out, parts[_i][1]), "'%s' is there", parts[_i][1]);
    ck_assert_contains(
        o.out,
        _i == 3
            ? "incomplete: stopped by signal 2 (Interrupt); 2 of 4 lines are finished; missing:\n"
            : "stopped by signal 2 (Interrupt); 2 of 4 lines are finished; missing: ",
        "reference 4096x4096");
    ck_assert_ptr_null(strstr(o.out, "of fewer calls"));
    ck_assert_contains(o.err, "calab bench: stopped by signal 2 (Interrupt); 2 of 4 lines are "
                              "finished and printed");
    if (_i == 1) {
        json_t *root = outcome_json(&o);

        ck_assert(json_is_string(json_object_get(root, "incomplete")));
        ck_assert_uint_eq(json_array_size(json_object_get(root, "lines")), 2);
    }
}
END_TEST

/* Stopped in the middle: what has a median by then is checked and printed, and told apart. */
START_TEST(prints_partial_medians)
{
    static const struct surroundings s = {.interrupt_after = "timing, 6 of about "};
    struct outcome o = calab_in(&s, "bench anneal -s 64x64 -b reference,bitslice -n 40000 "
                                    "--time 60 --error 0");

    ck_assert_msg(o.status == 130, "exit status %d: %s", o.status, o.err);
    ck_assert_contains(o.out, "2 of 2 lines are finished; of", "reference 64x64, bitslice 64x64\n",
                       "all equal");
    ck_assert_ptr_null(strstr(o.out, "missing"));
}
END_TEST

START_TEST(prints_nothing_where_none_is)
{
    static const struct surroundings s = {.interrupt_after = "1 of 2: anneal reference, timing"};
    struct outcome o = calab_in(&s, "bench anneal -s 2048x2048 -b reference,threads --time 60 "
                                    "--error 0");

    ck_assert_int_eq(o.status, 130);
    ck_assert_str_eq(o.out, "");
    ck_assert_contains(o.err, "stopped by signal 2 (Interrupt); 0 of 2 lines are finished");
}
END_TEST

/* JSON is whole also without a line, since a program reads it. */
START_TEST(json_is_whole_where_none_is)
{
    static const struct surroundings s = {.interrupt_after = "1 of 2: anneal reference, timing"};
    struct outcome o = calab_in(&s, "bench anneal -s 2048x2048 -b reference,threads --time 60 "
                                    "--error 0 --json");
    json_t *root = outcome_json(&o);

    ck_assert_int_eq(o.status, 130);
    ck_assert_ptr_nonnull(root);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "lines")), 0);
    ck_assert_contains(json_text(root, "incomplete"), "0 of 2 lines");
    ck_assert_ptr_null(strstr(o.err, "printed"));
}
END_TEST

/* What a shell has its background jobs ignore does not stop it either. */
START_TEST(ignored_signals_stay_so)
{
    static const struct surroundings s = {.interrupt_after = "1 of 1: anneal reference, timing",
                                          .interrupts_ignored = true};
    struct outcome o = calab_in(&s, "bench anneal -s 256x256 -b reference -n 10 --time 0.3 "
                                    "--error 0");

    ck_assert_msg(o.status == 0, "exit status %d: %s", o.status, o.err);
    ck_assert_ptr_null(strstr(o.err, "signal"));
}
END_TEST

/* The second case's file is not there: it ends with that error, and the first case is printed. */
START_TEST(prints_what_was_finished_before_an_error)
{
    static const char form[] = "cases = ( { model = \"cloud\"; size = \"8x8x8\"; backend = "
                               "\"reference\"; steps = 2; }, { model = \"anneal\"; backend = "
                               "\"reference\"; init = \"%s\"; } );";
    const char *path = test_path("cases.cfg"), *state = test_path("none.npy");
    char text[4600];
    struct outcome o;

    snprintf(text, sizeof text, form, state);
    test_write(path, text, strlen(text));
    o = calab("bench -c %s --csv --time 0.01", path);
    ck_assert_int_eq(o.status, 8);
    ck_assert_contains(o.out, "\ncloud,8x8x8,reference,", "\n# incomplete: ");
    ck_assert_contains(o.err, "none.npy", "; 1 of 2 lines are finished and printed");
}
END_TEST

START_TEST(check_without_reference)
{
    struct outcome o =
        calab_good("bench life3d -s 64x64x64 -b threads -n 5 --time 0.01 --check 0 --csv");

    ck_assert_contains(o.out, ",0,\"reference, only on 48x48x48\",");
    o = calab_good("bench life3d -s 64x64x64 -b threads -n 5 --time 0.01 --check 20 --csv");
    ck_assert_contains(o.out, ",0,reference,");
}
END_TEST

static const struct refusal refused[] = {
    {"bench anneel", 2, "anneel", "anneal"},
    {"bench anneal -b bitslyce", 2, "--backend", "bitslice"},
    {"bench anneal -s 3", 2, "'3'", "WIDTHxHEIGHT"},
    {"bench anneal --threads x", 2, "'x'", "threads"},
    {"bench anneal --steps 0", 2, "steps", "at least 1"},
    {"bench anneal --set dansity=1", 2, "dansity", "density"},
    {"bench anneal --time -1", 2, "--time", "0 ... "},
    {"bench anneal --error x", 2, "--error", "'x'"},
    {"bench anneal --check x", 2, "--check", "'x'"},
    {"bench anneal --check -1", 2, "--check", "0 ... 86400"},
    {"run anneal --check 1", 2, "--check", "not an option here"},
    {"bench anneal --price 0", 2, "--price", "1e-09 ... 1000000000000"},
    {"bench anneal --price nan", 2, "--price", "'nan'"},
    {"bench anneal --watts 0", 2, "--watts", "1e-09 ... 1000000000"},
    {"bench anneal -b reference --relative other", 2, "--relative", "there is: reference"},
    {"bench anneal -b threads --threads 1,2 --relative threads", 2, "several lines",
     "'threads/threads=1' and 'threads/threads=2'"},
    {"bench anneal --json --csv", 2, "--json", "only one of them"},
    {"bench anneal -c configs/bench-fhp.cfg", 2, "anneal", "names the models"},
    {"bench -s 8x8 -c configs/bench-fhp.cfg", 2, "--size", "not allowed with -c"},
    {"bench -c configs/anneal-large.cfg", 3, "anneal-large.cfg", "there are: cases, relative"},
    {"bench -c configs/none.cfg", 8, "none.cfg", "No such file"},
    {"bench anneal -b reference,threads --tune", 2, "--tune", "an option to search"},
    {"run anneal --tune", 2, "--tune", "not an option here"},
    {"bench anneal --figure cost", 2, "--figure", "only with --plot"},
    {"bench anneal --plot x.pdf", 2, "x.pdf", ".svg or .png"},
    {"bench anneal --plot /no/such/x.svg", 8, "/no/such/x.svg", "No such file"},
    {"run -c configs/bench-fhp.cfg", 3, "bench-fhp.cfg", "cases"},
};

/* --- tuning ---------------------------------------------------------------------------------- */

/* The program with what was found in a folder of the test; `off`: which it is not to take. */
static struct outcome calab_tuned(bool off, const char *input, const char *arguments)
{
    static char cache[4200];
    const char *const variable[] = {cache, off ? "CALAB_TUNED=off" : "CALAB_TUNED=on", NULL};
    const struct surroundings s = {.variable = variable, .stdin_text = input};

    snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s", test_folder());
    return calab_in(&s, "%s", arguments);
}

#define LINE "anneal -b bitslice -s 64x64 --threads 1 -n 8"

/* Searched, shown, kept; then with what somebody else may have found in its place. */
START_TEST(tunes)
{
    static const char zero[] = "generations = ", open[] = "{\"id\":1,\"op\":\"open\",\"model\":"
                                                          "\"anneal\",\"backend\":\"bitslice\","
                                                          "\"size\":[64,64],\"options\":"
                                                          "{\"threads\":1}}\n";
    const char *path = test_path("calab/tuned.cfg");
    struct outcome o = calab_tuned(false, NULL, "bench --time 0.05 --tune --csv " LINE);
    char *text, *options;

    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_contains(o.out, "\nuntuned,anneal,64x64,bitslice,", "\ntuned,anneal,64x64,bitslice,");

    text = test_read(path, NULL);
    options = strstr(text, "options : {");
    ck_assert_ptr_nonnull(options);
    test_write(path, text, (size_t)(options - text));
    free(text);
    text = test_read(path, NULL);
    text = realloc(text, strlen(text) + 200);
    strcat(strcat(text, "options : { generations = 3; }; calab = \""), CALAB_VERSION "\"; });");
    test_write(path, text, strlen(text));
    free(text);

    o = calab_tuned(false, NULL, "run " LINE);
    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_contains(
        o.out,
        "\noptions.generations: 3\noptions.ranks: 0\noptions.exchange: 0\ntuned: generations\n");
    o = calab_tuned(true, NULL, "run " LINE);
    ck_assert_contains(
        o.out, "\noptions.generations: 0\noptions.ranks: 0\noptions.exchange: 0\nsteps: 8\n");
    o = calab_tuned(false, NULL, "run --set generations=2 --json " LINE);
    ck_assert_contains(o.out, "\"generations\": 2", "\"tuned\": []");
    o = calab_tuned(false, NULL, "bench --time 0.01 --csv " LINE);
    ck_assert_contains(o.out, ",bitslice,tuned: generations=3,1,8,");
    o = calab_tuned(false, open, "engine");
    ck_assert_contains(o.out, "\"generations\":3", "\"tuned\":[\"generations\"]");

    test_write(path, zero, strlen(zero));
    o = calab_tuned(false, NULL, "run " LINE);
    ck_assert_int_eq(o.status, 3);
    ck_assert_contains(o.err, "calab/tuned.cfg:1: syntax error");
    o = calab_tuned(false, open, "engine"); /* goes on, and says so */
    ck_assert_contains(o.out, "calab/tuned.cfg:1: syntax error", "\"tuned\":[]");
    o = calab_tuned(true, NULL, "run " LINE);
    ck_assert_int_eq(o.status, 0);
}
END_TEST

START_TEST(tuning_is_shown)
{
    const struct surroundings terminal = {.term = "xterm"};
    struct outcome o = calab_good_in(&terminal, "bench --time 0.02 --tune " LINE);

    ck_assert_contains(o.err, "1 of 2: anneal bitslice, warming up",
                       "1 of 2: anneal bitslice, trying generations=2");
}
END_TEST

/* --- plots ----------------------------------------------------------------------------------- */

/* A PATH where gnuplot is a script of ours, or, with NULL, is not. */
static struct outcome plot_with(const char *script, const char *picture, const char *options)
{
    static const char label[] = "it's \\\" \\\\ `x`";
    static char path[4200];
    const char *const variable[] = {path, NULL}, *cases = test_path("plot.cfg");
    const struct surroundings s = {.variable = variable};
    char gnuplot[4300], text[256];

    snprintf(path, sizeof path, "PATH=%s", test_folder());
    snprintf(gnuplot, sizeof gnuplot, "%s/gnuplot", test_folder());
    remove(gnuplot);
    if (script) {
        test_write(gnuplot, script, strlen(script));
        ck_assert_int_eq(chmod(gnuplot, 0700), 0);
    }
    snprintf(text, sizeof text,
             "cases = ( { label = \"%s\"; model = \"water\"; size = [\"16x8\", \"8x8\"]; "
             "steps = 3; backend = \"reference\"; } );",
             label);
    test_write(cases, text, strlen(text));
    return calab_in(&s, "bench -c %s --json --time 0.01 --plot %s %s", cases, picture, options);
}

/* What gnuplot gets, and that nothing but its picture gets into the file, and none into stdout. */
START_TEST(plots)
{
    const char *picture = test_path("it's.svg");
    struct outcome o = plot_with("#!/bin/sh\n/bin/cat\n", picture, "");
    json_t *root = outcome_json(&o);
    char *got;

    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_ptr_nonnull(root);
    got = test_read(picture, NULL);
    ck_assert_contains(got, "set terminal svg", "('water 16x8 it''s \" \\ `x` reference x1' 0)\n",
                       "('water 8x8 it''s \" \\ `x` reference x1' 1)\n");
}
END_TEST

/* Each figure: what it is called, and its data. */
static const struct {
    const char *options, *title, *data;
} drawn[] = {
    {"--figure rates", "million cell updates a second (", "$figures << EOD\n"},
    {"--figure acceleration", "times as fast as the first line (", "$figures << EOD\n1\n"},
    {"--figure cost --relative reference --price 5", "price of a Mups, relative to reference (",
     "$figures << EOD\n1\n1\nEOD\nplot "},
    {"--figure power --relative reference --watts 5", "watts for a Mups, relative to reference (",
     "$figures << EOD\n1\n1\nEOD\nplot "},
    {"--figure time", "milliseconds for a generation (", "$curve0 << EOD\n64 "},
};

START_TEST(figures)
{
    const char *picture = test_path("figure.png");
    struct outcome o = plot_with("#!/bin/sh\n/bin/cat\n", picture, drawn[_i].options);
    char *got;

    ck_assert_msg(o.status == 0, "%s", o.err);
    got = test_read(picture, NULL);
    ck_assert_contains(got, "set terminal pngcairo", drawn[_i].title, drawn[_i].data);
    ck_assert_int_eq(strstr(got, "plot $curve0 using 1:2 with linespoints title "
                                 "'water it''s \" \\ `x`: reference x1'\n") != NULL,
                     strstr(drawn[_i].options, "time") != NULL);
}
END_TEST

/* Refused before anything is timed, or said afterwards where no line has the figure. */
START_TEST(refuses_figures)
{
    static const struct {
        const char *options;
        int status;
        const char *says;
    } rows[] = {
        {"--figure cots", 2, "did you mean 'cost'"},
        {"--figure cost", 2, "relative to a line that has to be named"},
        {"--figure cost --relative reference", 2, "'cost' needs prices"},
        {"--figure power --relative reference", 1, "no line has a figure of power"},
    };
    const char *picture = test_path("figure.svg");
    struct outcome o = plot_with("#!/bin/sh\n/bin/cat\n", picture, rows[_i].options);

    ck_assert_int_eq(o.status, rows[_i].status);
    ck_assert_contains(o.err, rows[_i].says);
    ck_assert_int_eq(o.out[0] != '\0', rows[_i].status == 1);
    ck_assert_int_ne(access(picture, F_OK), 0);
}
END_TEST

START_TEST(plots_nothing)
{
    static const struct {
        const char *script;
        int status;
        const char *says;
    } rows[] = {{"#!/bin/sh\n/bin/cat > /dev/null\necho half\nexit 3\n", 8, "could not draw"},
                {"#!/bin/sh\nexit 1\n", 8, "could not draw"}, /* goes without reading */
                {"no program", 8, "could not draw"},
                {NULL, 7, "gnuplot is not installed"}};
    const char *picture = test_path("rates.svg");
    struct outcome o = plot_with(rows[_i].script, picture, "");

    ck_assert_int_eq(o.status, rows[_i].status);
    ck_assert_contains(o.err, rows[_i].says);
    ck_assert_int_eq(o.out[0] != '\0', rows[_i].script != NULL);
    ck_assert_int_ne(access(picture, F_OK), 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {json, forms, from_files, stated_machines, too_large, chosen_backend,
                              progress_line, prints_partial_medians, prints_nothing_where_none_is,
                              json_is_whole_where_none_is, ignored_signals_stay_so,
                              prints_what_was_finished_before_an_error, check_without_reference,
                              tunes, tuning_is_shown, plots},
                     .table = {{prints_what_was_finished, 4},
                               {refusals_test(refused), COUNT(refused)},
                               {figures, COUNT(drawn)},
                               {refuses_figures, 4},
                               {plots_nothing, 4}});
}
