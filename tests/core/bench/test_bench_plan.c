/* SPDX-License-Identifier: MIT */
/* What lines a benchmark's spec or file makes, and what is refused of them. */
#include <stdio.h>
#include <string.h>

#include "core/bench/bench.h"
#include "core/model/registry.h"
#include "tests/support/support.h"

static struct ca_bench bench;
static struct ca_bench_spec spec;
static struct ca_error error;

static void setup(void)
{
    ca_bench_default(&bench);
    memset(&spec, 0, sizeof spec);
    spec.model = &anneal_model;
    strcpy(spec.sizes, "40x20");
}

static void teardown(void) { ca_bench_free(&bench); }

static void spec_add(void) { ck_assert_ok(ca_bench_add(&bench, &spec, NULL, &error)); }

START_TEST(plan)
{
    strcpy(spec.sizes, "40x20,64x64");
    strcpy(spec.threads, "1,2");
    strcpy(spec.backends, "reference,threads,bitslice");
    strcpy(spec.set[spec.sets++], "density=0.25");
    spec_add();
    /* For each size the reference once, then two of each of the others. */
    ck_assert_int_eq(bench.count, 10);
    ck_assert_int_eq(bench.groups, 2);
    ck_assert_str_eq(bench.line[0].experiment.backend->name, "reference");
    ck_assert_str_eq(bench.line[1].experiment.backend->name, "threads");
    ck_assert_int_eq(bench.line[1].threads, 1);
    ck_assert_int_eq(bench.line[3].threads, 2);
    ck_assert_int_eq(bench.line[3].group, bench.line[0].group);
    ck_assert_int_eq(bench.line[5].experiment.size.w, 64);
    ck_assert_int_ne(bench.line[5].group, bench.line[0].group);
    ck_assert_double_eq(ca_real(&bench.line[9].experiment.params, "density"), 0.25);
    /* The same work again belongs to the same group. */
    strcpy(spec.sizes, "40x20");
    strcpy(spec.label, "again");
    spec_add();
    ck_assert_int_eq(bench.groups, 2);
    ck_assert_str_eq(bench.line[10].label, "again");
    strcpy(spec.set[0], "density=0.26");
    spec_add();
    ck_assert_int_eq(bench.groups, 3);
}
END_TEST

START_TEST(refuses_specs)
{
    static const struct {
        size_t field;
        const char *text, *part;
    } wrong[] = {
        {offsetof(struct ca_bench_spec, backends), "bitslyce", "did you mean 'bitslice'"},
        {offsetof(struct ca_bench_spec, sizes), "40", "WIDTHxHEIGHT"},
        {offsetof(struct ca_bench_spec, sizes), "40x20,0x3", "out of range"},
        {offsetof(struct ca_bench_spec, setting[CA_KEY_SEED]), "x", "whole number"},
        {offsetof(struct ca_bench_spec, setting[CA_KEY_STEPS]), "-1", "whole number"},
        {offsetof(struct ca_bench_spec, setting[CA_KEY_STEPS]), "00", "at least 1"},
        {offsetof(struct ca_bench_spec, setting[CA_KEY_INIT]), "rendom", "did you mean 'random'"},
    };

    strcpy((char *)&spec + wrong[_i].field, wrong[_i].text);
    ck_assert_int_eq(ca_bench_add(&bench, &spec, "there", &error), CA_USAGE);
    ck_assert_contains(error.text, wrong[_i].part, "there");
}
END_TEST

START_TEST(refuses_settings)
{
    strcpy(spec.set[spec.sets++], "dansity=0.2");
    ck_assert_int_eq(ca_bench_add(&bench, &spec, NULL, &error), CA_USAGE);
    ck_assert_contains(error.text, "density");
    strcpy(spec.set[0], "threads=-1");
    ck_assert_int_eq(ca_bench_add(&bench, &spec, NULL, &error), CA_USAGE);
    ck_assert_contains(error.text, "threads");
    strcpy(spec.set[0], "threads=2"); /* passed over by the reference, which has none */
    ca_bench_free(&bench);
    spec_add();
    ck_assert_int_eq(bench.line[0].threads, 1);
    ck_assert_int_eq(bench.line[1].threads, 2);
}
END_TEST

static const struct {
    const char *text;
    enum ca_status status;
    const char *one, *two;
} files[] = {
    {"cases = ( { model = \"anneal\"; } );", CA_OK, ""},
    {"cases = ( { model = \"fhp\"; size = [\"8x8\", \"16x16\"]; threads = [1, 2];\n"
     "backend = \"t*\"; parameters : { p_force = 0.25; collisions = \"fhp3\"; }; } );",
     CA_OK, ""},
    {"cases = ( { model = \"anneal\"; backend = \"reference\"; price = 1500; watts = 95.5; "
     "cores = 8; label = \"one\"; } ); relative = \"one\";",
     CA_OK, ""},
    {"cases = ( { model = \"anneal\"; price = 0; } );", CA_SETTINGS, "bench.cfg:1: price",
     "a number 1e-09 ... 1000000000000 is expected"},
    {"cases = ( { model = \"anneal\"; price = \"much\"; } );", CA_SETTINGS, "price", "a number"},
    {"cases = ( { model = \"anneal\"; price = 1e400; } );", CA_SETTINGS, "price", ""},
    {"cases = ( { model = \"anneal\"; watts = -3; } );", CA_SETTINGS, "bench.cfg:1: watts",
     "1e-09 ... 1000000000"},
    {"cases = ( { model = \"anneal\"; watts = NaN; } );", CA_SETTINGS, "bench.cfg:1", ""},
    {"cases = ( { model = \"anneal\"; cores = 0; } );", CA_SETTINGS, "bench.cfg:1: cores",
     "1 ... 1000000000"},
    {"cases = ( { model = \"anneal\"; cores = 1.5; } );", CA_SETTINGS, "bench.cfg:1: cores",
     "a whole number"},
    {"cases = ( { model = \"anneal\"; label = \"one\"; backend = \"reference\"; } );\n"
     "relative = \"two\";",
     CA_SETTINGS, "bench.cfg:2: relative", "no line is named 'two'"},
    {"cases = ( { model = \"anneal\"; } );\nrelative = 0.5;", CA_SETTINGS, "bench.cfg:2: relative",
     "a string"},
    {"cases = ( { model = \"anneel\"; } );", CA_SETTINGS, "bench.cfg:1", "did you mean 'anneal'"},
    {"cases = (\n{ backend = \"threads\"; } );", CA_SETTINGS, "bench.cfg:2", "model"},
    {"cases = (\n{ model = \"anneal\"; bakend = \"x\"; } );", CA_SETTINGS, "bench.cfg:2: bakend",
     "did you mean 'backend'"},
    {"cases = (\n{ model = \"anneal\"; qqqqqq = 1; } );", CA_SETTINGS, "qqqqqq",
     "there are: label"},
    {"cases = ( { model = \"anneal\"; steps = 0; } );", CA_SETTINGS, "bench.cfg:1", "at least 1"},
    {"cases = ( { model = \"anneal\"; size = 7; } );", CA_SETTINGS, "WIDTHxHEIGHT", "'7'"},
    {"cases = ( { model = \"anneal\"; size = []; } );", CA_SETTINGS, "size", "empty list"},
    {"cases = ( { model = \"anneal\"; backend = \"zip\"; } );", CA_SETTINGS, "zip", "bench.cfg:1"},
    {"cases = ( { model = \"anneal\"; threads = \"many\"; } );", CA_SETTINGS, "many", "threads"},
    {"cases = ( { model = \"anneal\"; parameters = 3; } );", CA_SETTINGS, "parameters", "group"},
    {"cases = ( { model = \"anneal\"; parameters : { density = 2; }; } );", CA_SETTINGS, "density",
     "0 ... 1"},
    {"cases = ( { model = \"anneal\"; label = \"a\\nb\"; } );", CA_SETTINGS, "bench.cfg:1: label",
     "a control character"},
    {"cases = ( { model = true; } );", CA_SETTINGS, "model", "true or false"},
    {"cases = ( 3 );", CA_SETTINGS, "bench.cfg:1", "group"},
    {"cases = ( );", CA_SETTINGS, "cases", "a list of cases"},
    {"cases = 3;", CA_SETTINGS, "cases", "a list of cases"},
    {"model = \"anneal\";", CA_SETTINGS, "model", "there are: cases, relative"},
    {"", CA_SETTINGS, "bench.cfg", "'cases' is missing"},
    {"cases = (", CA_SETTINGS, "bench.cfg:1", "syntax error"},
};

START_TEST(reads_files)
{
    const char *path = test_path("bench.cfg");
    enum ca_status status;

    test_write(path, files[_i].text, strlen(files[_i].text));
    status = ca_bench_read(&bench, path, &error);
    ck_assert_msg(status == files[_i].status, "%s: status %d: %s", files[_i].text, status,
                  status == CA_OK ? "" : error.text);
    if (status != CA_OK)
        ck_assert_contains(error.text, files[_i].one, files[_i].two);
    if (_i == 2) {
        ck_assert_double_eq(bench.line[0].machine.price, 1500);
        ck_assert_double_eq(bench.line[0].machine.watts, 95.5);
        ck_assert_double_eq(bench.line[0].machine.cores, 8);
        ck_assert_ptr_eq(ca_bench_base(&bench, &bench.line[0]), &bench.line[0]);
    }
    if (_i == 1) {
        ck_assert_int_eq(bench.count, 4);
        ck_assert_double_eq(ca_real(&bench.line[3].experiment.params, "p_force"), 0.25);
        ck_assert_int_eq(ca_choice(&bench.line[3].experiment.params, "collisions"), 2);
    }
}
END_TEST

/* Every one that comes with calab is right. */
START_TEST(shipped_files)
{
    static const char *const names[] = {"anneal", "fhp", "cloud", "water", "life3d"};
    char name[64];

    snprintf(name, sizeof name, "configs/bench-%s.cfg", names[_i]);
    ck_assert_ok(ca_bench_read(&bench, test_source(name), &error));
    ck_assert_int_ge(bench.count, 4);
    ck_assert_str_eq(bench.line[0].experiment.model->name, names[_i]);
}
END_TEST

START_TEST(missing_file)
{
    ck_assert_int_eq(ca_bench_read(&bench, test_path("none.cfg"), &error), CA_IO);
    ck_assert_contains(error.text, "none.cfg");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .teardown = teardown,
                     .test = {plan, refuses_settings, missing_file},
                     .table = {
                         {refuses_specs, 7}, {reads_files, COUNT(files)}, {shipped_files, 5}});
}
