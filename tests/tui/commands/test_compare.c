/* SPDX-License-Identifier: MIT */
/* compare from outside: verdicts, states, the ratio of two backends, and all that it refuses. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/program.h"
#include "tests/support/support.h"

static const struct refusal refused[] = {
    {"compare", 2, "two files or more", "got 0"},
    {"compare x.json", 2, "two files or more", "got 1"},
    {"compare 1 2 3 4 5 6 7 8 9", 2, "'9'", "unexpected argument"},
    {"compare none.json none.json", 8, "none.json", "No such file"},
    {"compare README.md README.md", 8, "README.md:1", "calab bench --json"},
    {"compare tests/data/golden.json tests/data/golden.json", 8, "golden.json", "calab-bench/2"},
    {"compare x.json y.json --ratio a", 2, "--ratio: 'a'", "two backends, A,B"},
    {"compare x.json y.json --ratio ,b", 2, "--ratio: ',b'", "two backends, A,B"},
    {"compare x.json y.json --ratio a,", 2, "--ratio: 'a,'", "two backends, A,B"},
    {"compare x.json y.json --ratio a,b,c", 2, "--ratio: 'a,b,c'", "two backends, A,B"},
    {"compare x.json y.json --plot x.svg", 2, "--plot", "only with --ratio"},
    {"compare x.json y.json --ratio a,b --plot x.pdf", 2, "x.pdf", ".svg or .png"},
};

/* --- verdicts -------------------------------------------------------------------------------- */

/* An element of a member of a line, "none" and 0 where it is null. */
static const char *text_at(const json_t *line, const char *name, size_t i)
{
    const char *text = json_string_value(json_array_get(json_object_get(line, name), i));

    return text ? text : "none";
}

static double number_at(const json_t *line, const char *name, size_t i)
{
    return json_number_value(json_array_get(json_object_get(line, name), i));
}

static int calls_of_file = 9;
static double shortest_of_file = 1; /* relative to the median */

static const char *hashed_file(const char *name, const char *backend, double mups, double mad,
                               int steps, const char *hash)
{
    const char *path = test_path(name);
    char text[1024];

    snprintf(text, sizeof text,
             "{\"schema\": \"calab-bench/2\", \"lines\": [{\"label\": \"\", \"experiment\": "
             "{\"model\": \"anneal\", \"backend\": \"%s\", \"size\": [64, 64], \"seed\": 1}, "
             "\"steps\": %d, \"hash\": \"%s\", "
             "\"threads\": 1, \"n\": %d, \"median_s\": 1.0, \"mad_s\": %g, \"min_s\": %g, "
             "\"mups\": %g}]}",
             backend, steps, hash, calls_of_file, mad, shortest_of_file, mups);
    test_write(path, text, strlen(text));
    return path;
}

static const char *bench_file(const char *name, const char *backend, double mups, double mad)
{
    return hashed_file(name, backend, mups, mad, 8, "00000000000000aa");
}

static const struct {
    const char *backend;
    double mups, mad;
    const char *verdict;
    double ratio;
} pairs[] = {
    {"threads", 100, 0.01, "same", 1},     {"threads", 101, 0.01, "same", 1.01},
    {"threads", 150, 0.01, "faster", 1.5}, {"threads", 50, 0.01, "slower", 0.5},
    {"threads", 150, 1, "same", 1.5},      {"threads", 0, 0.01, "no figures", 0},
};

START_TEST(compares)
{
    const char *a = bench_file("a.json", "threads", 100, 0.01);
    const char *b = bench_file("b.json", pairs[_i].backend, pairs[_i].mups, pairs[_i].mad);
    struct outcome o = calab("compare %s %s --json", a, b);
    json_t *root = outcome_json(&o);
    json_t *line = json_at(root, "lines.0");

    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_str_eq(text_at(line, "verdict", 1), pairs[_i].verdict);
    ck_assert_double_eq_tol(number_at(line, "ratio", 1), pairs[_i].ratio, 1e-9);
    ck_assert_str_eq(text_at(line, "verdict", 0), "none");
    o = calab_good("compare %s %s", a, b);
    ck_assert_contains(o.out, pairs[_i].verdict, "64x64");
}
END_TEST

/* The verdict is as unsure as either file is. */
START_TEST(either_is_unsure)
{
    const char *a = bench_file("a.json", "threads", 100, _i == 0 ? 1 : 0.01);
    const char *b = bench_file("b.json", "threads", 150, _i == 1 ? 1 : 0.01);
    struct outcome o = calab("compare %s %s --json", a, b);
    json_t *root = outcome_json(&o);
    json_t *line = json_at(root, "lines.0");

    ck_assert_str_eq(text_at(line, "verdict", 1), _i < 2 ? "same" : "faster");
}
END_TEST

static void expect_verdict(const char *verdict)
{
    struct outcome o = calab("compare --json %s %s", test_path("a.json"), test_path("b.json"));
    json_t *root = outcome_json(&o), *lines = json_object_get(root, "lines");

    ck_assert_str_eq(text_at(json_array_get(lines, 0), "verdict", 1), verdict);
}

/* Medians that differ say nothing of the kernel where the shortest calls are alike. */
START_TEST(shortest_calls_have_a_say)
{
    bench_file("a.json", "threads", 100, 0.01);
    shortest_of_file = 0.77;
    bench_file("b.json", "threads", 77, 0.01);
    expect_verdict("same");
    shortest_of_file = 0.95;
    bench_file("b.json", "threads", 77, 0.01);
    expect_verdict("slower");
    calls_of_file = 4;
    bench_file("b.json", "threads", 77, 0.01);
    expect_verdict("too few calls");
}
END_TEST

/* Lines are of one experiment if all that makes the work is the same. */
static const struct {
    const char *member, *other;
    bool same;
} members[] = {
    {"\"model\": \"anneal\"", "\"model\": \"fhp\"", false},
    {"\"backend\": \"b\"", "\"backend\": \"c\"", false},
    {"\"size\": [64, 64]", "\"size\": [64, 65]", false},
    {"\"seed\": 1", "\"seed\": 2", false},
    {"\"init\": \"random\"", "\"init\": \"crand\"", false},
    {"\"at\": [3, 4]", "\"at\": [3, 5]", false},
    {"\"parameters\": {\"density\": 0.5}", "\"parameters\": {\"density\": 0.25}", false},
    {"\"steps\": 8", "\"steps\": 9", true},
};

static const char *work_file(const char *name, int other)
{
    const char *path = test_path(name);
    char text[1024];
    size_t used = (size_t)sprintf(text, "{\"schema\": \"calab-bench/2\", \"lines\": "
                                        "[{\"label\": \"\", \"threads\": 1, \"mups\": 5, "
                                        "\"n\": 9, \"median_s\": 1.0, \"mad_s\": 0.01, "
                                        "\"experiment\": {");

    for (int i = 0; i < (int)COUNT(members); i++)
        used += (size_t)sprintf(text + used, "%s%s", i ? ", " : "",
                                i == other ? members[i].other : members[i].member);
    strcpy(text + used, "}}]}");
    test_write(path, text, strlen(text));
    return path;
}

START_TEST(same_work)
{
    const char *a = work_file("a.json", -1), *b = work_file("b.json", _i);
    struct outcome o = calab("compare %s %s", a, b);

    ck_assert_msg(o.status == (members[_i].same ? 0 : 1), "%s: %d %s", members[_i].other, o.status,
                  o.out);
}
END_TEST

/* The first GPU of each file is named. */
START_TEST(names_of_machines)
{
    static const char text[] =
        "{\"schema\": \"calab-bench/2\", \"provenance\": {\"version\": \"1.2\", \"date\": "
        "\"today\", \"host\": \"h\", \"cpu\": \"C\", \"gpus\": [{\"name\": \"GPU one\"}, "
        "{\"name\": \"GPU two\"}]}, \"lines\": [{\"label\": \"\", \"threads\": 1, "
        "\"experiment\": {\"model\": \"anneal\", \"backend\": \"b\", \"size\": [4, 4]}}]}";
    const char *path = test_path("a.json");
    struct outcome o;

    test_write(path, text, sizeof text - 1);
    o = calab("compare %s %s", path, path);
    ck_assert_contains(o.out, "a.json; calab 1.2, today on h, C, GPU one\n");
}
END_TEST

static const struct {
    int steps;
    const char *hash, *states; /* NULL: they cannot be compared */
} states[] = {
    {8, "00000000000000aa", "equal"},
    {8, "00000000000000ab", "different"},
    {9, "00000000000000ab", NULL},
};

START_TEST(compares_states)
{
    const char *a = hashed_file("a.json", "threads", 100, 0.01, 8, "00000000000000aa");
    const char *b = hashed_file("b.json", "threads", 150, 0.01, states[_i].steps, states[_i].hash);
    struct outcome o = calab("compare %s %s --json", a, b);
    json_t *root = outcome_json(&o);
    json_t *line = json_at(root, "lines.0");

    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_str_eq(text_at(line, "verdict", 1), "faster");
    ck_assert_str_eq(text_at(line, "states", 1), states[_i].states ? states[_i].states : "none");
    o = calab("compare %s %s", a, b);
    ck_assert_int_eq(strstr(o.out, "another state") != NULL,
                     states[_i].states && strcmp(states[_i].states, "different") == 0);
}
END_TEST

/* A mark before the text, which editors leave, is no part of it. */
START_TEST(compares_marked_text)
{
    const char *a = bench_file("a.json", "threads", 100, 0.01);
    char *text = test_read(a, NULL), *marked = malloc(strlen(text) + 4);

    strcat(strcpy(marked, "\xef\xbb\xbf"), text);
    test_put("b.json", marked);
    calab_good("compare %s %s", a, test_path("b.json"));
    free(marked);
}
END_TEST

START_TEST(compares_nothing)
{
    static const char lacking[] = "{\"schema\": \"calab-bench/2\", \"lines\": [{}]}";
    static const char empty[] = "{\"schema\": \"calab-bench/2\"}";
    const char *a = bench_file("a.json", "threads", 100, 0.01);
    const char *b = bench_file("b.json", "bitslice", 100, 0.01);
    struct outcome o = calab("compare %s %s", a, b);

    ck_assert_int_eq(o.status, 1);
    ck_assert_contains(o.out, "not in the second", "not in the first");
    ck_assert_contains(o.err, "a.json and ");
    test_write(b, lacking, strlen(lacking));
    o = calab_fails(8, "line 1 has no threads", "compare %s %s", a, b);
    test_write(b, empty, strlen(empty));
    o = calab_fails(8, "'lines' is not a list", "compare %s %s", a, b);
}
END_TEST

/* The first against each of the others; lines that it lacks have no ratio. */
START_TEST(compares_three)
{
    const char *a = bench_file("a.json", "threads", 100, 0.01);
    const char *b = bench_file("b.json", "threads", 150, 0.01);
    const char *c = bench_file("c.json", "threads", 50, 0.01);
    const char *d = bench_file("d.json", "bitslice", 50, 0.01);
    struct outcome o = calab("compare %s %s %s --json", a, b, c);
    json_t *root = outcome_json(&o), *line;

    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "files")), 3);
    line = json_at(root, "lines.0");
    ck_assert_double_eq(number_at(line, "mups", 2), 50);
    ck_assert_double_eq_tol(number_at(line, "ratio", 1), 1.5, 1e-9);
    ck_assert_double_eq_tol(number_at(line, "ratio", 2), 0.5, 1e-9);
    ck_assert_str_eq(text_at(line, "verdict", 1), "faster");
    ck_assert_str_eq(text_at(line, "verdict", 2), "slower");
    o = calab("compare %s %s %s", a, b, c);
    ck_assert_contains(o.out, "\n# third: ", " second is ", " third is\n",
                       "    1.500  faster                      0.500  slower\n");
    o = calab("compare %s %s %s", a, b, d); /* one that fits is not enough */
    ck_assert_int_eq(o.status, 1);
    ck_assert_contains(o.out, "not in the third", "not there either");
    ck_assert_contains(o.err, "a.json and ", "d.json have no line in common");
}
END_TEST

/* --- the ratio of two backends --------------------------------------------------------------- */

/* Lines of both backends on 64x64 and on 128x128, by rates of which 0 stands for none. */
static const char *water_file(const char *name, const char *gpu, const double mups[4])
{
    const char *path = test_path(name);
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "{\"schema\": \"calab-bench/2\", \"provenance\": {\"cpu\": "
                                   "\"C\", \"gpus\": [{\"name\": \"%s\"}]}, \"lines\": [",
                                   gpu);

    for (int i = 0; i < 4; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s{\"label\": \"\", \"experiment\": {\"model\": \"water\", "
                                 "\"backend\": \"cuda-%s\", \"size\": [%d, %d]}, \"steps\": 8, "
                                 "\"threads\": 1, \"mups\": %g}",
                                 i ? ", " : "", i % 2 ? "shared" : "global", 64 << i / 2,
                                 64 << i / 2, mups[i]);
    snprintf(text + used, sizeof text - used, "]}");
    test_write(path, text, strlen(text));
    return path;
}

START_TEST(ratio_of_backends)
{
    const char *a = water_file("a.json", "GPU it's", (double[]){100, 80, 200, 300});
    const char *b = water_file("b.json", "GPU two", (double[]){50, 100, 0, 300});
    struct outcome o = calab("compare %s %s --ratio cuda-shared,cuda-global --json", a, b);
    json_t *root = outcome_json(&o), *lines = json_object_get(root, "lines");

    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_uint_eq(json_array_size(lines), 2);
    ck_assert_double_eq_tol(number_at(json_array_get(lines, 0), "ratio", 0), 0.8, 1e-9);
    ck_assert_double_eq_tol(number_at(json_array_get(lines, 0), "ratio", 1), 2, 1e-9);
    ck_assert_double_eq_tol(number_at(json_array_get(lines, 1), "ratio", 0), 1.5, 1e-9);
    ck_assert(json_is_null(json_at(lines, "1.ratio.1")));
    o = calab("compare %s %s --ratio cuda-shared,cuda-global", a, b);
    ck_assert_contains(o.out, "\n# the rate of cuda-shared by that of cuda-global\nlattice ",
                       "\nwater 64x64                             0.800    2.000\n",
                       "\nwater 128x128                           1.500        -\n");
    o = calab_fails(1, "no file has figures of both cuda-shared and cuda-fused",
                    "compare %s %s --ratio cuda-shared,cuda-fused", a, b);
}
END_TEST

/* What gnuplot gets: a group of bars a machine, a bar a lattice; what is missing stays so. */
START_TEST(plots_ratios)
{
    static const char script[] = "#!/bin/sh\n/bin/cat\n";
    static char path[4200];
    const char *const variable[] = {path, NULL};
    const struct surroundings s = {.variable = variable};
    const char *a = water_file("a.json", "GPU it's", (double[]){100, 80, 200, 300});
    const char *b = water_file("b.json", "GPU two", (double[]){50, 100, 0, 300});
    const char *picture = test_path("ratio.svg"), *gnuplot = test_path("gnuplot");
    struct outcome o;
    char *got;

    snprintf(path, sizeof path, "PATH=%s", test_folder());
    o = calab_in(&s, "compare %s %s --ratio cuda-shared,cuda-global --plot %s", a, b, picture);
    ck_assert_int_eq(o.status, 7);
    ck_assert_contains(o.err, "gnuplot is not installed");
    ck_assert_str_eq(o.out, "");
    test_write(gnuplot, script, strlen(script));
    ck_assert_int_eq(chmod(gnuplot, 0700), 0);
    o = calab_good_in(&s, "compare %s %s --ratio cuda-shared,cuda-global --plot %s", a, b, picture);
    got = test_read(picture, NULL);
    ck_assert_contains(got, "set title 'the rate of cuda-shared by that of cuda-global'\n",
                       "('GPU it''s (a.json)' 0)\n", "('GPU two (b.json)' 1)\n",
                       "$row0 << EOD\n0.8\n2\nEOD\n$row1 << EOD\n1.5\n?\nEOD\n",
                       ", $row0 using 1 title 'water 64x64', $row1 using 1 title 'water 128x");
}
END_TEST

/* Names in a file that somebody else wrote do nothing to the terminal. */
START_TEST(foreign_names_are_plain)
{
    static const char foreign[] =
        "{\"schema\": \"calab-bench/2\", \"provenance\": {\"host\": \"a\\u001b]0;x\\u0007\", "
        "\"cpu\": \"b\\u009b31m\"}, \"lines\": [{\"label\": \"c\\u202ed\", \"experiment\": "
        "{\"model\": \"\\u001b[31m\", \"backend\": \"x\", \"size\": [4, 4]}, \"threads\": 1}]}";
    const char *path = test_path("foreign.json");
    struct outcome o;

    test_write(path, foreign, sizeof foreign - 1);
    o = calab_good("compare %s %s", path, path);
    ck_assert_contains(o.out, "on a?]0;x?, b?31m", "?[31m ", "c?d");
}
END_TEST

/* --- cuts ------------------------------------------------------------------------------------ */

/* Lines of one backend, each with the options of a cut. */
static const char *cut_file(const char *name, const char *const options[], const double mups[])
{
    const char *path = test_path(name);
    char text[4096];
    size_t used =
        (size_t)snprintf(text, sizeof text, "{\"schema\": \"calab-bench/2\", \"lines\": [");

    for (int i = 0; options[i]; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s{\"label\": \"\", \"experiment\": {\"model\": \"anneal\", "
                                 "\"backend\": \"b\", \"size\": [64, 64], \"options\": {%s}}, "
                                 "\"threads\": 1, \"n\": 9, \"median_s\": 1.0, \"mad_s\": 0.01, "
                                 "\"mups\": %g}",
                                 i ? ", " : "", options[i], mups[i]);
    snprintf(text + used, sizeof text - used, "]}");
    test_write(path, text, strlen(text));
    return path;
}

#define RANKS(n) "\"ranks\": " #n
#define DEVICES(list) "\"devices\": \"" list "\", \"ranks\": 0"

static const struct {
    const char *a[4], *b[4];
    double mups[2][4]; /* of a's lines, and of b's */
    double ratio[4];   /* of a's lines; 0: it is not in b */
    int rows;
} cut_files[] = {
    /* in another order */
    {{RANKS(1), RANKS(2)}, {RANKS(2), RANKS(1)}, {{10, 20}, {60, 10}}, {1, 3}, 2},
    /* one that b has not is not held against another */
    {{RANKS(1), RANKS(2)}, {RANKS(1)}, {{10, 20}, {30}}, {3, 0}, 2},
    {{RANKS(4), RANKS(2)}, {RANKS(1), RANKS(2)}, {{10, 20}, {30, 20}}, {0, 1}, 3},
    /* the comparison may be about the cut */
    {{RANKS(1)}, {RANKS(2)}, {{10}, {20}}, {2}, 1},
    {{""}, {RANKS(2)}, {{10}, {20}}, {2}, 1},
    /* other GPUs, but as many; and the same list before another of as many */
    {{DEVICES("0"), DEVICES("0,1")},
     {DEVICES("1"), DEVICES("2,3")},
     {{10, 20}, {20, 80}},
     {2, 4},
     2},
    {{DEVICES("0"), DEVICES("1")}, {DEVICES("1"), DEVICES("0")}, {{10, 20}, {50, 20}}, {2, 2.5}, 2},
    {{DEVICES("0"), DEVICES("all")},
     {DEVICES("all"), DEVICES("0")},
     {{10, 20}, {40, 10}},
     {1, 2},
     2},
};

START_TEST(compares_cuts)
{
    const char *a = cut_file("a.json", cut_files[_i].a, cut_files[_i].mups[0]);
    const char *b = cut_file("b.json", cut_files[_i].b, cut_files[_i].mups[1]);
    struct outcome o = calab("compare %s %s --json", a, b);
    json_t *root = outcome_json(&o), *lines = json_object_get(root, "lines");

    ck_assert_msg(o.status == 0, "%s", o.err);
    ck_assert_uint_eq(json_array_size(lines), (size_t)cut_files[_i].rows);
    for (int i = 0; cut_files[_i].a[i]; i++)
        ck_assert_double_eq_tol(number_at(json_array_get(lines, (size_t)i), "ratio", 1),
                                cut_files[_i].ratio[i], 1e-9);
}
END_TEST

START_TEST(tells_cuts)
{
    const char *a = cut_file("a.json", (const char *const[]){RANKS(1), DEVICES("0,1"), NULL},
                             (const double[]){10, 20});
    struct outcome o = calab("compare %s %s", a, a);

    ck_assert_contains(o.out, "  same  ranks=1\n", "  same  devices=0,1\n");
    o = calab("compare %s %s --ratio b,b", a, a);
    ck_assert_contains(o.out, "\nanneal 64x64  ranks=1 ", "\nanneal 64x64  devices=0,1 ");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {shortest_calls_have_a_say, names_of_machines, compares_nothing,
                              compares_marked_text, compares_three, ratio_of_backends, plots_ratios,
                              foreign_names_are_plain, tells_cuts},
                     .table = {{refusals_test(refused), COUNT(refused)},
                               {compares, COUNT(pairs)},
                               {either_is_unsure, 3},
                               {same_work, COUNT(members)},
                               {compares_states, COUNT(states)},
                               {compares_cuts, COUNT(cut_files)}});
}
