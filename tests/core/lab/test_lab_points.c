/* SPDX-License-Identifier: MIT */
/* What a grade is made of: groups and points of lab.cfg, cases drawn from a secret, the roofline,
 * and the lock of a device. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/lab/grade/grade.h"
#include "core/lab/time/time.h"
#include "tests/support/support.h"

static struct ca_lab read_lab(const char *more, enum ca_status expected, const char *says)
{
    static const char head[] = "version = 1; model = \"anneal\"; source = \"kernel.c\";\n";
    struct ca_error error = {.text = ""};
    struct ca_lab lab;
    char path[400], text[1000];
    const char *folder = test_path("lab");
    enum ca_status status;

    mkdir(folder, 0700);
    snprintf(path, sizeof path, "%s/lab.cfg", folder);
    snprintf(text, sizeof text, "%s%s", head, more);
    test_write(path, text, strlen(text));
    status = ca_lab_read(&lab, folder, &error);
    ck_assert_msg(status == expected && strstr(error.text, says), "%s: %d %s", more, (int)status,
                  error.text);
    return lab;
}

static const struct {
    const char *text, *says;
} wrong[] = {
    {"points : { square = -1; };", "square: allowed is a number 0 ..."},
    {"points : { round = 1; };", "round"},
    {"points = 3;", "points"},
    {"speed : { goal = 0; };", "more than least"},
    {"speed : { least = 2; goal = 1; };", "more than least"},
    {"speed : { size = \"0x0\"; };", "out of range"},
    {"speed : { size = \"100000x100000\"; };", "more cells than are timed"},
    {"speed : { size = \"8193x8192\"; };", "more cells than are timed, 67108864"},
    {"points : { square = 1000001; };", "square: allowed is a number 0 ... 1000000"},
    {"speed : { least = 1000000001; goal = 2000000000; };", "least: allowed is a number 0 ..."},
    {"speed : { goal = 1000000001; };", "goal: allowed is a number 0 ... 1000000000"},
    {"speed : { least = -1; };", "least: allowed is a number 0 ..."},
    {"speed : { others = -0.5; };", "others: allowed is a number 0 ..."},
    {"speed : { goal = \"fast\"; };", "goal: allowed is a number"},
    {"speed = 1;", "speed"},
    {"points : { square = \"1\"; };", "square: allowed is a number"},
    {"speed : { others = \"many\"; };", "others"},
    {"speed : { pace = 1; };", "pace"},
    {"points : { structure = 5; };", "structure has 5 points and no bound: needed is a group"},
    {"structure : { divergent = 0; };", "its bounds have no points: needed are some in points"},
    {"points : { structure = 5; };\nstructure : { divergent = 0; };",
     "goes with a kernel in CUDA, and this one is kernel.c"},
    {"points : { structure = 5; };\nstructure : { divergent = 2; };",
     "divergent: allowed is a number 0 ... 1"},
    {"points : { structure = 5; };\nstructure : { registers = -1; };",
     "registers: allowed is a number 0 ... 1000000000"},
    {"points : { structure = 5; };\nstructure : { bank_conflicts = \"none\"; };",
     "bank_conflicts: allowed is a number"},
    {"points : { structure = 5; };\nstructure : { sectors = 4; };", "sectors_per_request"},
    {"points : { structure = 5; };\nstructure = 4;", "structure"},
};

START_TEST(refuses) { read_lab(wrong[_i].text, CA_SETTINGS, wrong[_i].says); }
END_TEST

START_TEST(reads)
{
    struct ca_lab lab = read_lab("points : { square = 7; speed = 3.5; };\n"
                                 "speed : { size = \"64x32\"; least = 0.5; goal = 2.0; };\n",
                                 CA_OK, "");

    ck_assert(lab.points.least == 0.5 && lab.points.goal == 2 && lab.points.others == 0.25);
    ck_assert(lab.points.size.w == 64 && lab.points.size.d == 1);
    ck_assert(lab.points.of[CA_LAB_OBLONG] == 0);
    ck_assert(lab.points.of[CA_LAB_SQUARE] == 7 && lab.points.of[CA_LAB_UNEVEN] == 0 &&
              lab.points.of[CA_LAB_SPEED] == 3.5);
    ck_assert_int_eq(lab.points.size.h, 32);
    ck_assert(!lab.names_against);
    ck_assert(ca_lab_points_of_speed(&lab.points, 0.5) == 0);
    ck_assert(ca_lab_points_of_speed(&lab.points, 1.25) == 1.75);
    ck_assert(ca_lab_points_of_speed(&lab.points, 2.5) == 3.5);
    ck_assert(ca_lab_points_of_speed(&lab.points, 9) == 3.5);
    ck_assert(ca_lab_points_of_cases(&lab.points, CA_LAB_SQUARE, 1, 2) == 3.5);
    ck_assert(ca_lab_points_of_cases(&lab.points, CA_LAB_SQUARE, 0, 0) == 0);
    ck_assert(ca_lab_points_of_speed(&lab.points, 0.25) == 0);
    ck_assert(ca_lab_points_of_cases(&lab.points, CA_LAB_SQUARE, 2, 2) == 7);
    lab = read_lab("speed : { size = \"8192x8192\"; others = 3; goal = 1000000000; };\n"
                   "points : { square = 1000000; };\n",
                   CA_OK, "");
    ck_assert(lab.points.others == 3 && lab.points.goal == 1e9 && lab.points.least == 0 &&
              lab.points.of[CA_LAB_SQUARE] == 1e6);
    lab = read_lab("speed : { least = 0; };", CA_OK, "");
    for (int g = 0; g < CA_LAB_GROUPS; g++)
        ck_assert(lab.points.of[g] == (g == CA_LAB_STRUCTURE ? 0 : 25));
    ck_assert(!ca_lab_has_bounds(&lab.points));
    ck_assert(lab.points.goal == 1 && lab.points.size.w == 0);
    lab = read_lab("against = \"threads\";", CA_OK, "");
    ck_assert(lab.names_against);
    ck_assert_str_eq(ca_lab_rung(&lab)->name, "threads");
    ck_assert(lab.points.of[CA_LAB_OBLONG] == 25);
    lab.cuda = true; /* on the device of the kernel, whatever limits its time */
    ck_assert_str_eq(ca_lab_rung(&lab)->name, "cuda-naive");
    lab = read_lab("against = \"cuda-shared\";", CA_OK, "");
    ck_assert_str_eq(ca_lab_rung(&lab)->name, "reference");
}
END_TEST

START_TEST(groups)
{
    static const int64_t none[3] = {0, 0, 0}, tile[3] = {16, 8, 0};

    ck_assert_int_eq(ca_lab_group_of((struct ca_size){512, 512, 1}, 2, none), CA_LAB_SQUARE);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){500, 500, 1}, 2, none), CA_LAB_UNEVEN);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){96, 64, 1}, 2, none), CA_LAB_OBLONG);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){255, 33, 1}, 2, none), CA_LAB_UNEVEN);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){16, 8, 1}, 2, tile), CA_LAB_OBLONG);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){16, 16, 1}, 2, tile), CA_LAB_SQUARE);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){8, 8, 8}, 3, none), CA_LAB_SQUARE);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){64, 40, 24}, 3, none), CA_LAB_OBLONG);
}
END_TEST

/* Labs that differ in any of it ask for different things. */
START_TEST(same_points)
{
    struct ca_lab_points points, other;

    ca_lab_points_default(&points);
    for (int i = 0; i < 5 + CA_LAB_GROUPS + CA_LAB_BOUNDS; i++) {
        other = points;
        ck_assert(ca_lab_points_same(&points, &other));
        other.least -= i == 0;
        other.goal += i == 1;
        other.others += i == 2;
        other.size.w += i == 3;
        other.size.h += i == 4;
        if (i >= 5 + CA_LAB_GROUPS)
            other.bound[i - 5 - CA_LAB_GROUPS] = 3;
        else if (i >= 5)
            other.of[i - 5] += 1;
        ck_assert_msg(!ca_lab_points_same(&points, &other), "%d", i);
    }
}
END_TEST

/* Numbers of 56 bits, whose bits are all drawn, by stream, index, and both words of the secret. */
START_TEST(draws_differ)
{
    const struct ca_lab_secret secret[] = {
        {{1, 2}}, {{1, 3}}, {{2, 2}}, {{1, UINT64_C(2) << 32}}, {{UINT64_C(1) << 32, 2}}};
    uint64_t draw[COUNT(secret)][3][20], any = 0, all = ~UINT64_C(0);
    const uint64_t *flat = &draw[0][0][0];

    for (size_t s = 0; s < COUNT(secret); s++)
        for (uint32_t stream = 0; stream < 3; stream++)
            for (uint32_t i = 0; i < 20; i++)
                draw[s][stream][i] = ca_lab_secret_draw(&secret[s], stream, i);
    for (size_t i = 0; i < sizeof draw / sizeof *flat; i++) {
        any |= flat[i];
        all &= flat[i];
        for (size_t j = 0; j < i; j++)
            ck_assert(flat[i] != flat[j]);
    }
    ck_assert_uint_eq(any, (UINT64_C(1) << 56) - 1);
    ck_assert_uint_eq(all, 0);
}
END_TEST

/* Grades of earlier years are made again from their files. */
START_TEST(secrets_stay)
{
    static const struct {
        const char *text;
        uint64_t key[2];
    } files[] = {
        {"12345678", {0xef0672042e2ae561, 0x9d6bafafcb0eb250}},
        {"0123456789abcdef", {0x80d751ca79fc497a, 0xcaefc1c3d7887e60}},
        {"0123456701234567012", {0xa40e20aa8708f7da, 0x6725b9d5486515ed}},
    };
    struct ca_error error;

    for (size_t i = 0; i < COUNT(files); i++) {
        struct ca_lab_secret secret;

        test_put("secret", files[i].text);
        ck_assert_ok(ca_lab_secret_read(&secret, test_path("secret"), &error));
        ck_assert_msg(secret.key[0] == files[i].key[0] && secret.key[1] == files[i].key[1],
                      "%s: %#llx, %#llx", files[i].text, (unsigned long long)secret.key[0],
                      (unsigned long long)secret.key[1]);
    }
}
END_TEST

/* Nobody knows one that is drawn, and each of its words is. */
START_TEST(secrets_of_chance)
{
    struct ca_lab_secret secret[8];

    for (size_t i = 0; i < COUNT(secret); i++) {
        ca_lab_secret_random(&secret[i]);
        for (size_t j = 0; j < i; j++)
            ck_assert(secret[i].key[0] != secret[j].key[0] && secret[i].key[1] != secret[j].key[1]);
    }
}
END_TEST

static double density_of(const struct ca_values *params)
{
    int index = ca_values_find(params, "density");

    return index < 0 ? 0 : params->value[index].number;
}

/* Of each model over some secrets: seeds, generations and densities of many values, of which cases
 * share none; sides a half to all of what lab.cfg has, and some of its own sizes not among them. */
START_TEST(secret_cases_vary)
{
    static struct ca_lab_case one[CA_LAB_CASES_MAX];
    double least = 1e9, most = 0;
    uint64_t last_t = 0, most_seed = 0;
    int count = 0, random = 0, early = 0, uneven = 0, small = 0, wide = 0;
    struct ca_lab lab;

    ca_lab_default(&lab, ca_models[_i]);
    for (uint64_t s = 0; s < 20; s++) {
        const struct ca_lab_secret secret = {{test_seed() + s, s}};
        int cases = ca_lab_secret_cases(&lab, &secret, one);

        for (int i = 0; i < cases; i++, count++) {
            double density = density_of(&one[i].params) / fmax(density_of(&lab.params), 1e-9);

            ck_assert(one[i].t <= 2000000 && one[i].seed >= 1 && one[i].seed <= UINT64_C(1) << 52);
            for (int j = 0; j < i; j++)
                ck_assert(one[i].seed != one[j].seed && one[i].t != one[j].t);
            last_t = one[i].t > last_t ? one[i].t : last_t;
            most_seed = one[i].seed > most_seed ? one[i].seed : most_seed;
            early += one[i].t < 1000000;
            random += one[i].random;
            least = fmin(least, density);
            most = fmax(most, density);
            uneven += one[i].group == CA_LAB_UNEVEN;
            small += one[i].size.w <= 300 && one[i].size.w > 100;
            wide += one[i].size.w > 512;
        }
    }
    ck_assert(last_t > 1800000 && early > count / 4 && early < count * 3 / 4);
    ck_assert(most_seed > UINT64_C(1) << 51);
    ck_assert(random > count / 4 && random < count * 3 / 4);
    if (density_of(&lab.params) > 0)
        ck_assert_msg(least < 0.75 && least >= 0.699 && most > 1.25 && most <= 1.301, "%g ... %g",
                      least, most);
    ck_assert(uneven > 0);
    if (lab.model->dimensions == 2)
        ck_assert(small > 0 && wide == 0);
}
END_TEST

/* Sides of a group: multiples of the tile where the sizes are, from a half of the side on where
 * they are not; square sizes stay. */
START_TEST(secret_sizes)
{
    static struct ca_lab_case one[CA_LAB_CASES_MAX];
    bool low = false, high = false, narrow = false, wide = false;
    struct ca_lab lab;

    ca_lab_default(&lab, test_model("anneal"));
    lab.tile[0] = lab.tile[1] = 8;
    lab.sizes = 3;
    lab.size[0] = (struct ca_size){101, 51, 1};
    lab.size[1] = (struct ca_size){64, 8, 1};
    lab.size[2] = (struct ca_size){32, 32, 1};
    for (uint64_t s = 0; s < 400; s++) {
        const struct ca_lab_secret secret = {{test_seed() + s, s}};

        ck_assert_int_eq(ca_lab_secret_cases(&lab, &secret, one), 3);
        ck_assert(one[0].group == CA_LAB_UNEVEN && one[1].group == CA_LAB_OBLONG &&
                  one[2].group == CA_LAB_SQUARE);
        ck_assert(one[0].size.w >= 51 && one[0].size.w <= 103 && one[0].size.h >= 26 &&
                  one[0].size.h <= 53 && one[0].size.d == 1);
        low |= one[0].size.w == 51 || one[0].size.h == 26;
        high |= one[0].size.w == 103 || one[0].size.h == 53;
        ck_assert(one[1].size.w % 8 == 0 && one[1].size.w <= 64 && one[1].size.h % 8 == 0 &&
                  one[1].size.h <= 16);
        narrow |= one[1].size.w == 8;
        wide |= one[1].size.w == 64;
        ck_assert(one[2].size.w == 32 && one[2].size.h == 32);
    }
    ck_assert(low && high && narrow && wide);
}
END_TEST

/* Every geometry that needs no file. */
START_TEST(secret_geometries)
{
    static struct ca_lab_case one[CA_LAB_CASES_MAX];
    int seen[8] = {0}, index;
    struct ca_lab lab;

    ca_lab_default(&lab, test_model("fhp"));
    index = ca_values_find(&lab.params, "geometry");
    for (uint64_t s = 0; s < 20; s++) {
        const struct ca_lab_secret secret = {{test_seed() + s, s}};
        int count = ca_lab_secret_cases(&lab, &secret, one);

        for (int i = 0; i < count; i++)
            seen[(int)one[i].params.value[index].number]++;
    }
    ck_assert_msg(seen[0] > 0 && seen[1] > 0 && seen[2] > 0 && seen[3] == 0, "%d %d %d %d", seen[0],
                  seen[1], seen[2], seen[3]);
}
END_TEST

/* Of each model: cases of the kinds that lab.cfg has, the same for the same secret alone. */
START_TEST(secret_cases)
{
    static struct ca_lab_case one[CA_LAB_CASES_MAX], again[CA_LAB_CASES_MAX],
        other[CA_LAB_CASES_MAX];
    const struct ca_lab_secret secret = {{test_seed(), 2}}, different = {{test_seed(), 3}};
    struct ca_lab lab;
    int known[CA_LAB_GROUPS] = {0}, drawn[CA_LAB_GROUPS] = {0}, count, same = 0, sizes = 0;

    ca_lab_default(&lab, ca_models[_i]);
    count = ca_lab_secret_cases(&lab, &secret, one);
    ck_assert_int_gt(count, 2);
    ck_assert_int_eq(ca_lab_secret_cases(&lab, &secret, again), count);
    ck_assert_int_eq(ca_lab_secret_cases(&lab, &different, other), count);
    for (int i = 0; i < count; i++) {
        drawn[one[i].group]++;
        ck_assert(one[i].seed == again[i].seed && one[i].t == again[i].t &&
                  memcmp(&one[i].size, &again[i].size, sizeof one[i].size) == 0 &&
                  ca_values_equal(&one[i].params, &again[i].params));
        ck_assert(one[i].seed != other[i].seed);
        same += memcmp(&one[i].size, &other[i].size, sizeof one[i].size) == 0;
        sizes += one[i].group != CA_LAB_SQUARE;
    }
    for (int i = 0; i < lab.sizes; i++)
        known[ca_lab_group_of(lab.size[i], lab.model->dimensions, lab.tile)]++;
    for (int g = 0; g < CA_LAB_SPEED; g++)
        ck_assert_msg((drawn[g] > 0) == (known[g] > 0), "%s: group %d: %d of %d", lab.model->name,
                      g, drawn[g], known[g]);
    ck_assert_int_lt(same, count);
    ck_assert_int_gt(sizes, 0);
}
END_TEST

/* All bytes of the file count, and how many there are. */
START_TEST(secret_files)
{
    static const char *const texts[] = {"12345678", "12345679", "123456780", "12345678\n",
                                        "a longer secret, which has more than one block"};
    struct ca_lab_secret secret[COUNT(texts)];
    struct ca_error error;

    for (size_t i = 0; i < COUNT(texts); i++) {
        test_put("secret", texts[i]);
        ck_assert_ok(ca_lab_secret_read(&secret[i], test_path("secret"), &error));
        for (size_t j = 0; j < i; j++)
            ck_assert(memcmp(&secret[i], &secret[j], sizeof secret[i]) != 0);
    }
    for (int more = 0; more < 2; more++) {
        char *long_one = calloc(1, (1 << 16) + 1);

        test_write(test_path("secret"), long_one, (1 << 16) + (size_t)more);
        ck_assert_int_eq(ca_lab_secret_read(&secret[0], test_path("secret"), &error),
                         more ? CA_USAGE : CA_OK);
        free(long_one);
    }
    ck_assert_contains(error.text, "has 65537 bytes: allowed are 8 ... 65536");
    ck_assert_int_eq(ca_lab_secret_read(&secret[0], test_path("none"), &error), CA_IO);
    test_put("secret", "1234567");
    ck_assert_int_eq(ca_lab_secret_read(&secret[0], test_path("secret"), &error), CA_USAGE);
    ck_assert_contains(error.text, "7 bytes");
    ck_assert_int_eq(ca_lab_secret_read(&secret[0], test_folder(), &error), CA_IO);
}
END_TEST

static struct ca_lab_grade graded(enum ca_lab_timed what, double high)
{
    struct ca_lab_grade grade = {.name = "one"};

    ca_lab_points_default(&grade.lab.points);
    grade.cases[CA_LAB_SQUARE] = grade.right[CA_LAB_SQUARE] = 2;
    grade.cases[CA_LAB_UNEVEN] = 4;
    grade.right[CA_LAB_UNEVEN] = 1;
    grade.timing.what = what;
    grade.timing.ratio =
        (struct ca_ratio_result){.pairs = 6, .made = 6, .median = high / 2, .high = high};
    ca_lab_grade_points(&grade);
    return grade;
}

/* The end of the interval that favours the student counts; what was not graded is of 0 points. */
START_TEST(grades)
{
    static const struct {
        enum ca_lab_timed what;
        double high, points, of;
    } speeds[] = {
        {CA_LAB_TIMED, 0.5, 12.5, 25}, {CA_LAB_TIMED, 3, 25, 25}, {CA_LAB_UNTIMED, 0, 0, 25},
        {CA_LAB_FAILED, 3, 0, 25},     {CA_LAB_ABOVE, 3, 0, 25},  {CA_LAB_EMULATED, 3, 0, 0},
        {CA_LAB_SHARED, 3, 0, 0},      {CA_LAB_NO_RUNG, 3, 0, 0}, {CA_LAB_UNTIMED, 3, 0, 25},
    };

    for (size_t i = 0; i < COUNT(speeds); i++) {
        struct ca_lab_grade grade = graded(speeds[i].what, speeds[i].high);

        ck_assert_msg(grade.points[CA_LAB_SPEED] == speeds[i].points &&
                          grade.of[CA_LAB_SPEED] == speeds[i].of,
                      "%s: %g of %g", ca_lab_timed_names[speeds[i].what],
                      grade.points[CA_LAB_SPEED], grade.of[CA_LAB_SPEED]);
        ck_assert(grade.points[CA_LAB_SQUARE] == 25 && grade.points[CA_LAB_UNEVEN] == 6.25);
        ck_assert(grade.of[CA_LAB_OBLONG] == 0 && grade.of[CA_LAB_SQUARE] == 25);
    }
}
END_TEST

START_TEST(labels)
{
    struct ca_lab_grade grade = graded(CA_LAB_TIMED, 1);
    char label[64];

    ck_assert(ca_lab_grade_right(&grade) && !ca_lab_grade_label(&grade, 0, label));
    grade.secret = CA_LAB_CELL;
    ck_assert(ca_lab_grade_label(&grade, 0, label));
    ck_assert_str_eq(label, "known cases only");
    ck_assert(!ca_lab_grade_label(&grade, 1, label));
    grade.secret = CA_LAB_STATIC;
    ck_assert(ca_lab_grade_label(&grade, 0, label));
    ck_assert_str_eq(label, "static");
    grade.verdict = CA_LAB_FOUND;
    grade.findings = 1;
    strcpy(grade.finding[0], "kernel.cu:23: race: block (1,0,0) writes");
    ck_assert(ca_lab_grade_label(&grade, 0, label));
    ck_assert_str_eq(label, "race");
    grade = graded(CA_LAB_ABOVE, 1);
    ck_assert(ca_lab_grade_label(&grade, 0, label));
    ck_assert_str_eq(label, "above the roofline");
    grade.failure = CA_IO;
    ck_assert(ca_lab_grade_label(&grade, 0, label) && !ca_lab_grade_label(&grade, 1, label));
    ck_assert_str_eq(label, "not graded");
}
END_TEST

/* A step moves a byte in and one out; in a layout of its own logic alone bounds a kernel. */
START_TEST(roofline)
{
    struct ca_probe probe = {.threads = 4, .logic_gops = {10, 40}};
    struct ca_lab lab;

    for (int i = 0; i < CA_LEVELS; i++)
        probe.level[i].copy_gb[0] = probe.level[i].copy_gb[1] = 2;
    ca_lab_default(&lab, test_model("anneal"));
    ck_assert(ca_lab_ceiling(&lab, (struct ca_size){512, 512, 1}, &probe) == 1e9);
    lab.form = CA_LAB_OWN;
    ck_assert(ca_lab_ceiling(&lab, (struct ca_size){512, 512, 1}, &probe) > 1e9);
    ca_lab_default(&lab, test_model("water"));
    ck_assert(ca_lab_ceiling(&lab, (struct ca_size){512, 512, 1}, &probe) < 1e9);
}
END_TEST

static bool once(void *context) { return (*(int *)context)++ < 2; }

START_TEST(one_at_a_time)
{
    char name[64];
    int first, second, asked = 0;

    snprintf(name, sizeof name, "test-%d", (int)getpid());
    first = lab_use_lock(name, once, &asked);
    ck_assert_int_ge(first, 0);
    ck_assert_int_eq(asked, 0);
    ck_assert_int_eq(lab_use_lock(name, once, &asked), -1);
    ck_assert_int_eq(asked, 3);
    close(first);
    asked = 0;
    second = lab_use_lock(name, once, &asked);
    ck_assert_int_ge(second, 0);
    ck_assert_int_eq(asked, 0);
    close(second);
    snprintf(name, sizeof name, "/tmp/calab-lab-test-%d.lock", (int)getpid());
    ck_assert_int_eq(unlink(name), 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {reads, groups, same_points, draws_differ, secrets_stay,
                              secrets_of_chance, secret_sizes, secret_geometries, secret_files,
                              grades, labels, roofline, one_at_a_time},
                     .table = {{refuses, COUNT(wrong)},
                               {secret_cases, test_models()},
                               {secret_cases_vary, test_models()}});
}
