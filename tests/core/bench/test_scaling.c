/* SPDX-License-Identifier: MIT */
/* Studies of scaling: how cuts are read, which lines they make, the figures that follow from their
 * times, what is printed of them, and what is refused. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench/scaling.h"
#include "core/model/registry.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tui/commands/bench.h"

static struct ca_bench bench;
static struct ca_bench_spec spec;
static struct ca_error error;

static void setup(void)
{
    ca_bench_default(&bench);
    memset(&spec, 0, sizeof spec);
    spec.model = &anneal_model;
    strcpy(spec.sizes, "40x64");
    strcpy(spec.backends, "reference");
}

static void teardown(void) { ca_bench_free(&bench); }

static void study_add(enum ca_scaling scaling, const char *ranks)
{
    enum ca_status status = ca_bench_cuts_make(&spec.cuts, ranks, NULL, 0, &error);

    ck_assert_msg(status == CA_OK, "%s", error.text);
    bench.scaling = scaling;
    status = ca_bench_add(&bench, &spec, NULL, &error);
    ck_assert_msg(status == CA_OK, "%s", error.text);
}

static int64_t height(int i) { return bench.line[i].experiment.size.h; }

/* --- cuts ------------------------------------------------------------------------------------ */

static const struct {
    const char *ranks, *devices[3];
    int count;
    struct ca_bench_cut cut[3];
} good[] = {
    {NULL, {NULL}, 0, {{0, ""}}},
    {"3", {NULL}, 1, {{3, ""}}},
    {"1,64,2", {NULL}, 3, {{1, ""}, {64, ""}, {2, ""}}},
    {NULL, {"0", "0,1", "all"}, 3, {{0, "0"}, {0, "0,1"}, {0, "all"}}},
    {"4", {"0", "63,1"}, 2, {{4, "0"}, {4, "63,1"}}},
    {"1,2", {"0,1"}, 2, {{1, "0,1"}, {2, "0,1"}}},
};

START_TEST(reads_cuts)
{
    struct ca_bench_cuts cuts;
    int lists = 0;

    while (lists < 3 && good[_i].devices[lists])
        lists++;
    ck_assert_ok(ca_bench_cuts_make(&cuts, good[_i].ranks, good[_i].devices, lists, &error));
    ck_assert_int_eq(cuts.count, good[_i].count);
    for (int i = 0; i < cuts.count; i++) {
        ck_assert_int_eq(cuts.cut[i].ranks, good[_i].cut[i].ranks);
        ck_assert_str_eq(cuts.cut[i].devices, good[_i].cut[i].devices);
    }
}
END_TEST

static const struct refusal refused[] = {
    {"bench anneal --ranks 0", 2, "--ranks: '0'", "1 ... 64 with commas"},
    {"bench anneal --ranks 65", 2, "--ranks: '65'", "1 ... 64"},
    {"bench anneal --ranks 1,x", 2, "--ranks: 'x'", "whole numbers"},
    {"bench anneal --ranks 2x", 2, "--ranks: '2x'", "whole numbers"},
    {"bench anneal --ranks 1,2 --ranks 1", 2, "--ranks: 1", "named twice"},
    {"bench anneal --ranks 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", 2, "more than 16 cuts", ""},
    {"bench anneal --devices 0,,1", 2, "--devices: '0,,1'", "with commas, each once"},
    {"bench anneal --devices 0,", 2, "--devices: '0,'", "or all"},
    {"bench anneal --devices 1,1", 2, "--devices: '1,1'", "each once"},
    {"bench anneal --devices 64", 2, "--devices: '64'", "numbers of GPUs"},
    {"bench anneal --devices ''", 2, "--devices: ''", "numbers of GPUs"},
    {"bench anneal --devices 0,1 --devices 0,1", 2, "--devices: '0,1'", "named twice"},
    {"bench anneal --devices 0 --devices 1 --ranks 1,2", 2, "--ranks has 2 values and --devices 2",
     "only one"},
    {"bench anneal -b threads --devices 0", 2, "--devices: none of these backends", "--ranks cuts"},
    {"bench anneal --weak", 2, "--weak: needs two cuts or more", "--ranks 1,2,4"},
    {"bench anneal --strong --ranks 2", 2, "--strong: needs two cuts or more", "the first"},
    {"bench anneal --strong --weak --ranks 1,2", 2, "--weak, --strong", "only one"},
    {"bench anneal --weak --tune --ranks 1,2", 2, "--weak", "not allowed with --tune"},
    {"bench -c configs/bench-fhp.cfg --strong", 2, "--strong", "not allowed with -c"},
    {"bench -c configs/bench-fhp.cfg --ranks 2", 2, "--ranks", "not allowed with -c"},
    {"bench -c configs/bench-fhp.cfg --devices 0", 2, "--devices", "not allowed with -c"},
    {"bench anneal --check 86401", 2, "--check: '86401'", "0 ... 86400"},
    {"bench anneal --time 86401", 2, "--time: '86401'", "0 ... 86400"},
    {"run anneal --weak", 2, "--weak", "not an option here"},
    {"bench fhp -b reference -s 64x3 --ranks 1,2 --weak", 2,
     "--weak: 1 times the layers of 64x3 of fhp", "even"},
    {"bench anneal -b reference -s 8x2000000000 --ranks 1,64 --weak", 2, "of anneal",
     "out of range"},
};

/* --- lines ----------------------------------------------------------------------------------- */

/* Without a study, a line for each cut on the same lattice, of each backend that can be cut so. */
START_TEST(a_line_for_each_cut)
{
    strcpy(spec.backends, "reference,bitslice");
    study_add(CA_SCALING_NONE, "1,3");
    ck_assert_int_eq(bench.count, 4);
    ck_assert_int_eq(bench.groups, 1);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(bench.line[i].ranks, i % 2 ? 3 : 1);
        ck_assert_int_eq(bench.line[i].study, i / 2);
        ck_assert_int_eq(bench.line[i].cut, i % 2);
        ck_assert_int_eq(height(i), 64);
    }
    ca_bench_free(&bench);
    setup();
    study_add(CA_SCALING_NONE, NULL);
    ck_assert_int_eq(bench.count, 1);
    ck_assert_int_eq(bench.line[0].study, -1);
    ck_assert_int_eq(bench.line[0].ranks, 1);
}
END_TEST

START_TEST(only_what_has_gpus)
{
    static const char *const devices[] = {"0", "0,1"};

    strcpy(spec.backends, "reference,cuda-naive");
    ck_assert_ok(ca_bench_cuts_make(&spec.cuts, NULL, devices, 2, &error));
    ck_assert_ok(ca_bench_add(&bench, &spec, NULL, &error));
    ck_assert_int_eq(bench.count, 2);
    ck_assert_str_eq(bench.line[0].experiment.backend->name, "cuda-naive");
    ck_assert_int_eq(bench.line[0].ranks, 1);
    ck_assert_int_eq(bench.line[1].ranks, 2);
    ck_assert_str_eq(ca_text(&bench.line[1].experiment.options, "devices"), "0,1");
}
END_TEST

/* What stands for the fastest is one backend, whatever the cut. */
START_TEST(one_choice)
{
    strcpy(spec.backends, "cpu");
    study_add(CA_SCALING_STRONG, "1,2,4");
    for (int i = 1; i < bench.count; i++)
        ck_assert_ptr_eq(bench.line[i].experiment.backend, bench.line[0].experiment.backend);
    ck_assert(!bench.line[0].experiment.backend->choice);
    ck_assert_int_eq(bench.studies, 1);
}
END_TEST

/* The lattice that is asked for is a rank's: it grows along y, in three dimensions along z. */
START_TEST(weak_lattices)
{
    strcpy(spec.sizes, "40x64,40x20");
    study_add(CA_SCALING_WEAK, "2,1,5");
    ck_assert_int_eq(bench.count, 6);
    ck_assert_int_eq(bench.studies, 2);
    for (int i = 0; i < 6; i++) {
        static const int64_t heights[] = {128, 64, 320, 40, 20, 100};

        ck_assert_int_eq(height(i), heights[i]);
        ck_assert_int_eq(bench.line[i].experiment.size.w, 40);
        ck_assert(!bench.line[i].share);
    }
    ca_bench_free(&bench);
    setup();
    spec.model = &life3d_model;
    strcpy(spec.sizes, "8x9x10");
    study_add(CA_SCALING_WEAK, "1,3");
    ck_assert_int_eq(bench.line[1].experiment.size.d, 30);
    ck_assert_int_eq(height(1), 9);
}
END_TEST

/* The lattice stays; beside it stands the largest share, once for as many layers. */
START_TEST(strong_lattices)
{
    static const struct {
        int64_t height;
        int ranks;
        bool share;
    } lines[] = {{64, 1, false}, {64, 2, false}, {32, 1, true}, {64, 3, false},
                 {22, 1, true},  {64, 4, false}, {16, 1, true}};

    study_add(CA_SCALING_STRONG, "1,2,3,4");
    ck_assert_int_eq(bench.count, COUNT(lines));
    for (int i = 0; i < bench.count; i++) {
        ck_assert_int_eq(height(i), lines[i].height);
        ck_assert_int_eq(bench.line[i].ranks, lines[i].ranks);
        ck_assert_int_eq(bench.line[i].share, lines[i].share);
        ck_assert_int_eq(bench.line[i].study, 0);
    }
    ca_bench_free(&bench);
    setup();
    strcpy(spec.sizes, "40x20");
    study_add(CA_SCALING_STRONG, "1,10,9,8"); /* shares of 2, of 2.2 and of 2.5 layers: 4 */
    ck_assert_int_eq(bench.count, 6);
    ck_assert_int_eq(height(2), 2);
    ck_assert_int_eq(height(4), 4);
    ck_assert(!bench.line[5].share);
    ca_bench_free(&bench);
    setup();
    study_add(CA_SCALING_STRONG,
              "4,2,8"); /* fewer ranks than the first cut have no share of its lattice */
    ck_assert_int_eq(bench.count, 4);
    ck_assert_int_eq(bench.line[3].ranks, 4);
    ck_assert_int_eq(height(3), 32);
}
END_TEST

/* On a CPU the cuts of a lattice are timed in turns; on GPUs each has their memory for itself. */
START_TEST(groups)
{
    static const char *const devices[] = {"0", "0,1", "2,3"};

    study_add(CA_SCALING_STRONG, "1,2,4");
    ck_assert_int_eq(bench.groups, 3); /* the lattice and two shares */
    for (int i = 0; i < bench.count; i++)
        ck_assert_int_eq(bench.line[i].group == bench.line[0].group, !bench.line[i].share);
    ca_bench_free(&bench);
    setup();
    strcpy(spec.backends, "cuda-naive,cuda-shared");
    bench.scaling = CA_SCALING_STRONG;
    ck_assert_ok(ca_bench_cuts_make(&spec.cuts, NULL, devices, 3, &error));
    ck_assert_ok(ca_bench_add(&bench, &spec, NULL, &error));
    ck_assert_int_eq(bench.count, 8);
    ck_assert_int_eq(bench.groups, 8);
    for (int i = 0; i < bench.count; i++)
        for (int j = 0; j < i; j++)
            ck_assert_int_ne(bench.line[i].group, bench.line[j].group);
    ca_bench_free(&bench);
    setup();
    strcpy(spec.backends, "cuda-naive"); /* without a study nothing of this */
    ck_assert_ok(ca_bench_cuts_make(&spec.cuts, NULL, devices, 3, &error));
    ck_assert_ok(ca_bench_add(&bench, &spec, NULL, &error));
    ck_assert_int_eq(bench.groups, 1);
}
END_TEST

START_TEST(largest_shares)
{
    static const struct {
        int64_t layers;
        int base, ranks;
        int64_t share;
    } rows[] = {{64, 1, 2, 32}, {64, 1, 3, 22}, {37, 1, 2, 20}, {12, 1, 4, 4},
                {64, 2, 4, 32}, {64, 1, 1, 64}, {37, 1, 1, 37}, {64, 4, 2, 64}};

    for (size_t i = 0; i < COUNT(rows); i++)
        ck_assert_int_eq(ca_bench_share_layers(rows[i].layers, rows[i].base, rows[i].ranks),
                         rows[i].share);
}
END_TEST

/* --- figures --------------------------------------------------------------------------------- */

/* Calls of 100 generations; of several ranks with an exchange of 3 us, 4 layers, every 4 of them.
 */
static void fill_line(int i, double generation_s)
{
    struct ca_bench_line *line = &bench.line[i];

    line->available = true;
    line->wrong = 0;
    strcpy(line->checked, "reference");
    line->experiment.steps = 100;
    line->stats = (struct ca_bench_stats){5, 100 * generation_s, generation_s, 0, 0, 0};
    line->waited_s = line->ranks > 1 ? 5 * 100 * 2e-6 : 0;
    if (line->ranks > 1) {
        line->plan.ranks = line->ranks;
        line->plan.halo = line->plan.exchange = 4;
        line->plan.exchange_s = 3e-6;
    }
}

/* A rank by itself takes 20 us; two take 23 of which 0.75 and 2.5 are predicted. */
START_TEST(weak_figures)
{
    struct ca_bench_scaling s;

    study_add(CA_SCALING_WEAK, "1,2,4");
    fill_line(0, 20e-6);
    fill_line(1, 23e-6);
    fill_line(2, 21e-6);
    s = ca_bench_scaling(&bench, &bench.line[0]);
    ck_assert_ptr_eq(s.base, &bench.line[0]);
    ck_assert_double_eq_tol(s.efficiency, 1, 1e-9);
    ck_assert(isnan(s.predicted_s) && isnan(s.exposed_s) && isnan(s.hidden_s) && isnan(s.waited_s));
    s = ca_bench_scaling(&bench, &bench.line[1]);
    ck_assert_double_eq_tol(s.times.times, 2 * 20 / 23.0, 1e-9);
    ck_assert_double_eq_tol(s.efficiency, 20 / 23.0, 1e-9);
    ck_assert_double_eq(s.ceiling_mups, 0);
    ck_assert_double_eq_tol(s.predicted_s, 0.75e-6 + 20e-6 * 8 / 64, 1e-12);
    ck_assert_double_eq_tol(s.exposed_s, 3e-6, 1e-12);
    ck_assert_double_eq_tol(s.hidden_s, 0.25e-6, 1e-12);
    ck_assert_double_eq_tol(s.waited_s, 2e-6, 1e-12);
    s = ca_bench_scaling(&bench, &bench.line[2]);
    ck_assert_double_eq_tol(s.efficiency, 20 / 21.0, 1e-9);
    ck_assert_double_eq_tol(s.hidden_s, 2.25e-6, 1e-12);
    fill_line(2, 19e-6); /* faster than without halos: then all of them is hidden */
    s = ca_bench_scaling(&bench, &bench.line[2]);
    ck_assert_double_eq_tol(s.exposed_s, -1e-6, 1e-12);
    ck_assert_double_eq_tol(s.hidden_s, 3.25e-6, 1e-12);
    bench.line[1].experiment.steps = 98; /* 25 turns, the last of them of 2 generations */
    s = ca_bench_scaling(&bench, &bench.line[1]);
    ck_assert_double_eq_tol(s.predicted_s, 3e-6 * 25 / 98 + 2.5e-6, 1e-12);
    /* Two passes a turn, of which the first computes two layers of each halo, the second none. */
    bench.line[1].plan.shrinking = true;
    bench.line[1].plan.generations = 2;
    s = ca_bench_scaling(&bench, &bench.line[1]);
    ck_assert_double_eq_tol(s.predicted_s, 3e-6 * 25 / 98 + 20e-6 * 2 / 64, 1e-12);
}
END_TEST

/* 64 layers in 60 us, shares of 32 in 20 and of 16 in 15. */
START_TEST(strong_figures)
{
    struct ca_bench_scaling s;

    study_add(CA_SCALING_STRONG, "1,2,4");
    fill_line(0, 60e-6);
    fill_line(1, 24e-6);
    fill_line(2, 20e-6);
    fill_line(3, 24e-6);
    fill_line(4, 15e-6);
    s = ca_bench_scaling(&bench, &bench.line[0]);
    ck_assert_double_eq_tol(s.ceiling_mups, ca_bench_mups(&bench.line[0]), 1e-9);
    s = ca_bench_scaling(&bench, &bench.line[1]);
    ck_assert_double_eq_tol(s.times.times, 2.5, 1e-9);
    ck_assert_double_eq_tol(s.efficiency, 1.25, 1e-9);
    ck_assert_double_eq_tol(s.ceiling_mups, 2 * ca_bench_mups(&bench.line[2]), 1e-9);
    ck_assert_double_eq_tol(s.exposed_s, 4e-6, 1e-12);
    ck_assert_double_eq_tol(s.predicted_s, 0.75e-6 + 20e-6 * 8 / 32, 1e-12);
    s = ca_bench_scaling(&bench, &bench.line[3]);
    ck_assert_double_eq_tol(s.efficiency, 0.625, 1e-9);
    ck_assert_double_eq_tol(s.ceiling_mups, 4 * ca_bench_mups(&bench.line[4]), 1e-9);
    ck_assert_double_eq_tol(s.exposed_s, 9e-6, 1e-12);
    ck_assert_double_eq_tol(s.hidden_s, 0, 1e-12);
    bench.line[4].wrong = 3;
    s = ca_bench_scaling(&bench, &bench.line[3]);
    ck_assert_double_eq_tol(s.efficiency, 0.625, 1e-9);
    ck_assert(s.ceiling_mups == 0 && isnan(s.exposed_s) && isnan(s.predicted_s));
}
END_TEST

/* A lattice with ends has a single halo where there are two ranks. */
START_TEST(halos_at_walls)
{
    spec.model = &life3d_model;
    strcpy(spec.sizes, "8x8x64");
    strcpy(spec.set[spec.sets++], "boundary=dead");
    study_add(CA_SCALING_WEAK, "1,2,3");
    for (int i = 0; i < 3; i++)
        fill_line(i, 20e-6);
    ck_assert_double_eq_tol(ca_bench_scaling(&bench, &bench.line[1]).predicted_s,
                            0.75e-6 + 20e-6 * 4 / 64, 1e-12);
    ck_assert_double_eq_tol(ca_bench_scaling(&bench, &bench.line[2]).predicted_s,
                            0.75e-6 + 20e-6 * 8 / 64, 1e-12);
}
END_TEST

/* What is wrong, absent or gone has no figures, nor has what is held against it. */
START_TEST(without_a_base)
{
    study_add(CA_SCALING_WEAK, "1,2");
    fill_line(0, 20e-6);
    fill_line(1, 25e-6);
    bench.line[1].wrong = 1;
    ck_assert_double_eq(ca_bench_scaling(&bench, &bench.line[1]).efficiency, 0);
    bench.line[1].wrong = 0;
    bench.line[0].wrong = 1;
    ck_assert_double_eq(ca_bench_scaling(&bench, &bench.line[1]).efficiency, 0);
    ck_assert_double_gt(ca_bench_scaling(&bench, &bench.line[1]).waited_s, 0);
    bench.line[0].wrong = -1;
    ca_bench_keep_finished(&bench);
    ck_assert_int_eq(bench.count, 1);
    ck_assert_ptr_null(ca_bench_scaling(&bench, &bench.line[0]).base);
    ck_assert_double_eq(ca_bench_scaling(&bench, &bench.line[0]).efficiency, 0);
}
END_TEST

/* --- text ------------------------------------------------------------------------------------ */

static char *printed(bool markdown)
{
    static struct ca_bench_report report = {.bench = &bench};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_ok(bench_print_short(out, &report, markdown, &error));
    fclose(out);
    return text;
}

START_TEST(weak_table)
{
    char *text;

    study_add(CA_SCALING_WEAK, "1,2,64");
    fill_line(0, 20e-6);
    fill_line(1, 23e-6);
    bench.line[0].stats.mad = bench.line[1].stats.mad = 20e-6;
    strcpy(bench.line[2].reason, "too large");
    text = printed(false);
    ck_assert_str_eq(
        text, "anneal reference, weak scaling from 40x64, seed 1, random\n"
              "cut          rate  +-  x first  effic.     halo  hidden  exposed\n"
              "1 rank   128 Mups  3%     1.00    100%        -       -        -\n"
              "2 ranks  223 Mups  3%     1.74     87%  3.25 us  250 ns  3.00 us\n"
              "cannot run: reference/ranks=64: too large\n"
              "2 ranks: 1.74 times the rate of 1 rank, +- 3.0 %, efficiency 87 %; all equal\n");
    free(text);
    bench.line[1].wrong = 7;
    text = printed(false);
    ck_assert_contains(text, "\n2 ranks     WRONG   -        -       -     -",
                       "\nno efficiency is known; 1 is wrong\n");
    free(text);
}
END_TEST

START_TEST(strong_markdown)
{
    char *text;

    study_add(CA_SCALING_STRONG, "1,2");
    fill_line(0, 20e-6);
    fill_line(1, 12e-6);
    fill_line(2, 12.5e-6);
    text = printed(true);
    ck_assert_contains(text,
                       "**anneal reference, strong scaling of 40x64**, seed 1, random\n\n"
                       "| cut | rate | +- | x first | effic. | ceiling | halo | hidden | "
                       "exposed |\n| --- | ---: | ---: |",
                       "\n| 2 ranks | 213 Mups |",
                       "| 1.67 | 83% | 205 Mups | 3.88 us | 3.88 us | -500 ns |\n",
                       "efficiency 83 %; all equal\n");
    free(text);
}
END_TEST

START_TEST(cut_texts)
{
    static const char *const devices[] = {"0,1", "all"};
    char text[CA_BENCH_CUT_TEXT], *table;

    strcpy(spec.backends, "cuda-naive");
    ck_assert_ok(ca_bench_cuts_make(&spec.cuts, NULL, devices, 2, &error));
    ck_assert_ok(ca_bench_add(&bench, &spec, NULL, &error));
    ck_assert_str_eq(ca_bench_cut_text(text, &bench.line[0]), "GPU 0,1");
    ck_assert_str_eq(ca_bench_cut_text(text, &bench.line[1]), "all GPUs");
    ca_bench_free(&bench);
    setup();
    strcpy(spec.backends, "cuda-naive");
    bench.scaling = CA_SCALING_STRONG;
    ck_assert_ok(ca_bench_cuts_make(&spec.cuts, "1,64", devices, 1, &error));
    ck_assert_ok(ca_bench_add(&bench, &spec, NULL, &error));
    for (int i = 0; i < 2; i++)
        fill_line(i, 20e-6);
    table = printed(false); /* what is too long for it has a line of its own */
    ck_assert_contains(table, "\n1 rank on GPU 0,1\n          128 Mups ",
                       "\n64 ranks on GPU 0,1\n          128 Mups ");
    free(table);
}
END_TEST

/* --- runs ------------------------------------------------------------------------------------ */

/* From outside: equal states, calls of whole turns, and members that the figures agree in. */
START_TEST(runs_a_study)
{
    struct outcome o = calab("bench anneal -s 64x64 -b bitslice --threads 1 --ranks 1,2,3 --%s "
                             "--set exchange=6 --time 0.02 --json",
                             _i ? "strong" : "weak");
    json_t *root = outcome_json(&o), *lines = json_object_get(root, "lines");
    size_t i;
    json_t *line;

    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_str_eq(json_text(root, "scaling"), _i ? "strong" : "weak");
    ck_assert_uint_eq(json_array_size(lines), _i ? 5 : 3);
    ck_assert_contains(json_text(root, "summary.0"), "3 ranks: ");
    json_array_foreach(lines, i, line)
    {
        json_int_t ranks = json_whole(line, "ranks");

        ck_assert_int_eq(json_whole(line, "wrong"), 0);
        if (json_is_true(json_object_get(line, "share"))) {
            ck_assert_ptr_null(json_object_get(line, "efficiency"));
            continue;
        }
        ck_assert_double_eq_tol(json_number(line, "efficiency") * (double)ranks,
                                json_number(line, "to_first_cut"), 1e-9);
        ck_assert(json_is_real(json_object_get(line, "ceiling_mups")) == (_i == 1));
        ck_assert(json_is_real(json_object_get(line, "halo_exposed_s")) == (ranks > 1));
        ck_assert(json_is_real(json_object_get(line, "waited_s")) == (ranks > 1));
        if (ranks > 1)
            ck_assert_int_eq(json_whole(line, "steps") % 6, 0);
    }
}
END_TEST

START_TEST(columns)
{
    struct outcome o =
        calab_good("bench anneal -s 64x64 -b reference --ranks 1,2 --strong -n 4 --time "
                   "0.01 --csv");

    ck_assert_contains(o.out, ",threads,ranks,scaling,steps,",
                       ",x_cut,%efficiency,ceiling_Mups,halo_us,hidden_us,exposed_us,"
                       "waited_us,wrong,",
                       "\nanneal,64x64,reference,ranks=2,1,2,strong,4,",
                       "\nanneal,64x32,reference,ranks=1,1,1,share,4,");
    o = calab("bench anneal -s 64x64 -b reference --ranks 1,2 --weak -n 4 --time 0.01");
    ck_assert_contains(o.out, "anneal reference, weak scaling from 64x64, seed 1, random\ncut ");
    o = calab("bench anneal -s 64x64 -b reference --ranks 1,2 -n 4 --time 0.01");
    ck_assert_contains(o.out, "\nreference/ranks=2 ");
    ck_assert_ptr_null(strstr(o.out, "scaling"));
}
END_TEST

/* Shares that are too small cost their line, not the study. */
START_TEST(a_cut_too_many)
{
    struct outcome o =
        calab_good("bench anneal -s 64x8 -b reference --ranks 1,2,7 --strong -n 4 --time "
                   "0.01");

    ck_assert_contains(o.out, "cannot run: reference/ranks=7: 7 ranks leave a share of",
                       "\n2 ranks: ");
}
END_TEST

/* The smaller lattice on which a line is checked is large enough for its ranks. */
START_TEST(checks_on_a_smaller_one)
{
    struct outcome o = calab_good("bench life3d -s 50x50x128 -b bitslice --ranks 1,30 --weak -n 2 "
                                  "--time 0.01 --check 0 --csv");

    ck_assert_contains(o.out, ",0,\"reference, only on 48x48x48\",",
                       ",0,\"reference, only on 48x48x120\",");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .teardown = teardown,
                     .test = {a_line_for_each_cut, only_what_has_gpus, one_choice, weak_lattices,
                              strong_lattices, groups, largest_shares, weak_figures, strong_figures,
                              halos_at_walls, without_a_base, weak_table, strong_markdown,
                              cut_texts, columns, a_cut_too_many, checks_on_a_smaller_one},
                     .table = {{reads_cuts, COUNT(good)},
                               {refusals_test(refused), COUNT(refused)},
                               {runs_a_study, 2}});
}
