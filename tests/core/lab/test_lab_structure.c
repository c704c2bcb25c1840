/* SPDX-License-Identifier: MIT */
/* Points for the structure of a kernel in CUDA: bounds of lab.cfg, figures that keep or miss them,
 * and bounds that are proposed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/lab/grade/grade.h"
#include "tests/support/lab_folder.h"
#include "tests/support/support.h"

static struct ca_error error;

static struct ca_lab lab_of(const char *more)
{
    const char *folder = test_path("lab");
    struct ca_lab lab;

    mkdir(folder, 0700);
    lab_put(folder, "lab.cfg",
            test_text("version = 1; model = \"anneal\"; source = \"kernel.cu\";\n%s\n", more));
    ck_assert_ok(ca_lab_read(&lab, folder, &error));
    return lab;
}

START_TEST(bounds_are_read)
{
    const struct ca_lab lab =
        lab_of("points : { square = 10; structure = 30; };\n"
               "structure : { sectors_per_request = 4.5; bank_conflicts = 0; divergent = 1; };\n");

    ck_assert(lab.points.of[CA_LAB_STRUCTURE] == 30 && lab.points.of[CA_LAB_SPEED] == 0);
    ck_assert(ca_lab_has_bounds(&lab.points));
    ck_assert(lab.points.bound[CA_LAB_SECTORS] == 4.5 && lab.points.bound[CA_LAB_CONFLICTS] == 0 &&
              lab.points.bound[CA_LAB_LOADS] == -1 && lab.points.bound[CA_LAB_DIVERGENT] == 1 &&
              lab.points.bound[CA_LAB_REGISTERS] == -1);
}
END_TEST

static struct ca_lab_grade grade_of(void)
{
    struct ca_lab_grade grade = {
        .structure = {.tried = true,
                      .counted = true,
                      .figure = {[CA_LAB_SECTORS] = {true, 8.25, "kernel.cu:23", 16},
                                 [CA_LAB_CONFLICTS] = {true, 0, "", 0},
                                 [CA_LAB_LOADS] = {true, 1.3, "kernel.cu:9", 1},
                                 [CA_LAB_DIVERGENT] = {true, 0.01, "kernel.cu:7", 0.5}}}};

    ca_lab_points_default(&grade.lab.points);
    grade.lab.points.of[CA_LAB_STRUCTURE] = 30;
    return grade;
}

/* Bounds share the points; one that is not known counts for nobody, and of a wrong kernel none. */
START_TEST(points_for_bounds)
{
    static const struct {
        double bound[CA_LAB_BOUNDS], points, of;
    } given[] = {
        {{4.5, -1, -1, -1, -1}, 0, 30},      {{8.25, -1, -1, -1, -1}, 30, 30},
        {{4.5, 0, -1, -1, -1}, 15, 30},      {{4.5, 0, 1.3, -1, -1}, 20, 30},
        {{-1, -1, 1.29, 0, -1}, 0, 30},      {{-1, 0, -1, -1, 32}, 30, 30},
        {{-1, -1, -1, -1, 32}, 0, 0},        {{9, 0, 2, 0.01, -1}, 30, 30},
        {{8.249, 0, 2, 0.01, -1}, 22.5, 30},
    };

    for (size_t i = 0; i < COUNT(given); i++) {
        struct ca_lab_grade grade = grade_of();

        memcpy(grade.lab.points.bound, given[i].bound, sizeof given[i].bound);
        ca_lab_grade_points(&grade);
        ck_assert_msg(grade.points[CA_LAB_STRUCTURE] == given[i].points &&
                          grade.of[CA_LAB_STRUCTURE] == given[i].of,
                      "%zu: %g of %g", i, grade.points[CA_LAB_STRUCTURE],
                      grade.of[CA_LAB_STRUCTURE]);
        grade.secret = CA_LAB_CELL;
        ca_lab_grade_points(&grade);
        ck_assert(grade.points[CA_LAB_STRUCTURE] == 0);
        grade = grade_of();
        memcpy(grade.lab.points.bound, given[i].bound, sizeof given[i].bound);
        grade.structure.counted = false;
        ca_lab_grade_points(&grade);
        ck_assert(grade.points[CA_LAB_STRUCTURE] == 0 && grade.of[CA_LAB_STRUCTURE] == 0);
    }
}
END_TEST

START_TEST(bounds_in_words)
{
    struct ca_lab_grade grade = grade_of();
    const struct ca_lab_points *points = &grade.lab.points;
    const double bounds[CA_LAB_BOUNDS] = {4.5, 0, 1.3, 0, 32};
    static const char *const expected[CA_LAB_BOUNDS] = {
        "sectors_per_request 8.25, allowed 4.5; most by kernel.cu:23, 16",
        "bank_conflicts 0, allowed 0",
        "global_loads_per_cell 1.3, allowed 1.3",
        "divergent 0.01, allowed 0; most by kernel.cu:7, 0.5",
        "registers: not known here, as nvcc does not compile it",
    };
    char text[300];

    memcpy(grade.lab.points.bound, bounds, sizeof bounds);
    for (int b = 0; b < CA_LAB_BOUNDS; b++)
        ck_assert_str_eq(ca_lab_structure_text(&grade.structure, points, (enum ca_lab_bound)b, text,
                                               sizeof text),
                         expected[b]);
}
END_TEST

/* The figure itself keeps what is proposed, which has two digits. */
START_TEST(bounds_are_proposed)
{
    static const double values[][2] = {{0, 0},       {4, 4.2},   {4.25, 4.5},    {0.0817, 0.086},
                                       {1.328, 1.4}, {22.1, 24}, {0.001, 0.0011}};
    struct ca_lab_structure structure = {.counted = true};

    for (size_t i = 0; i < COUNT(values); i++) {
        structure.figure[CA_LAB_SECTORS].value = values[i][0];
        ck_assert_msg(ca_lab_structure_proposed(&structure, CA_LAB_SECTORS) == values[i][1],
                      "%g: %.17g", values[i][0],
                      ca_lab_structure_proposed(&structure, CA_LAB_SECTORS));
    }
    structure.figure[CA_LAB_REGISTERS].value = 33;
    ck_assert(ca_lab_structure_proposed(&structure, CA_LAB_REGISTERS) == 40);
    structure.figure[CA_LAB_REGISTERS].value = 32;
    ck_assert(ca_lab_structure_proposed(&structure, CA_LAB_REGISTERS) == 32);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {bounds_are_read, points_for_bounds, bounds_in_words,
                              bounds_are_proposed});
}
