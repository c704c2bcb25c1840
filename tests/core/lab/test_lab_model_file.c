/* SPDX-License-Identifier: MIT */
/*
 * Labs of a model in a file: the folder holds the file, whose function says what is right, with
 * random draws; when a class is graded only the teacher's file is compiled.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/core/lab/embers.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

#define STEP                                                                                       \
    "void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n{\n"          \
    "    uint32_t below = (uint32_t)(lab_number(lab, \"spark\") * (1 << 30));\n"                   \
    "    for (int64_t y = 0; y < lab->h; y++)\n"                                                   \
    "        for (int64_t x = 0; x < lab->w; x++)\n"                                               \
    "            out[0][LAB_AT(lab, x, y, 0)] = (lab_cell)next(lab, in[0], x, y, below);\n}\n"

static const char *const cases =
    "sizes = [\"5x3\", \"32x32\"]; seeds = [3]; repeats = 1; generations = [1, 3];\n"
    "points : { square = 60; uneven = 40; oblong = 0; speed = 0; };\n";

/* A folder as `lab new` makes it, with few cases and a kernel. */
static const char *folder_of(const char *name, const char *kernel)
{
    const char *file = test_put("embers.c", FILE_OF("")), *folder = test_path(name), *config;

    calab_done("lab new %s %s", file, folder);
    config = test_text("%s/lab.cfg", folder);
    test_put(test_text("%s/lab.cfg", name), test_text("%s%s", test_read(config, NULL), cases));
    if (kernel)
        test_put(test_text("%s/kernel.c", name), kernel);
    return folder;
}

START_TEST(a_folder_holds_the_file)
{
    const char *folder = folder_of("mine", NULL), *text;

    ck_assert_str_eq(test_read(test_text("%s/embers.c", folder), NULL), FILE_OF(""));
    ck_assert_contains(test_read(test_text("%s/lab.cfg", folder), NULL), "model = \"embers.c\";");
    text = test_read(test_text("%s/README.md", folder), NULL);
    ck_assert_contains(text, "# embers: fires", "`embers.c` has the rule, the function `cell`",
                       "`lab_number(lab, \"spark\")`, 0.1: chance of a spark", "16 + s");
    ck_assert_ptr_null(strstr(text, "calab-models(7)"));
    calab_fails(1, "", "lab check -q %s", folder);
    calab_good("lab update %s", folder);
}
END_TEST

/* Cells of two planes that only move, so that a state which there is not would stay one. */
#define MOVES                                                                                      \
    "#define CA_STATE_PLANES 3, 5\n#include \"calab_model.h\"\nCA_MODEL(moves, \"moving\")\n"      \
    "CA_PLANE(KIND, 0, \"what it is\")\nCA_PLANE(SPEED, 1, \"how fast\")\n"                        \
    "CA_CELL cell(CA_NB nb)\n{\n    return NEXT(VALUE(KIND, 1, 0), VALUE(SPEED, 0, 1));\n}\n"

START_TEST(planes_are_described_and_probed)
{
    const char *file = test_put("moves.c", MOVES), *folder = test_path("moves");
    struct outcome o;

    calab_done("lab new %s %s", file, folder);
    ck_assert_contains(test_read(test_text("%s/README.md", folder), NULL),
                       "- `LAB_CELL`, 0: cell\n  - from bit 0 on: KIND, 3 states, what it is\n"
                       "  - from bit 2 on: SPEED, 5 states, how fast\n");
    test_put("moves/lab.cfg",
             test_text("%s%s", test_read(test_text("%s/lab.cfg", folder), NULL), cases));
    for (int wrong = 0; wrong < 2; wrong++) {
        test_put(
            "moves/kernel.c",
            test_text("#include \"calab_lab.h\"\n"
                      "void step(const struct lab *lab, lab_input *const in[],\n"
                      "          lab_cell *const out[])\n{\n"
                      "    for (int64_t y = 0; y < lab->h; y++)\n"
                      "        for (int64_t x = 0; x < lab->w; x++) {\n"
                      "            int64_t right = (x + %s) %% lab->w, under = (y + 1) %% lab->h;\n"
                      "            out[0][LAB_AT(lab, x, y, 0)] =\n"
                      "                (lab_cell)((in[0][LAB_AT(lab, right, y, 0)] & 3) |\n"
                      "                           (in[0][LAB_AT(lab, x, under, 0)] & 28));\n"
                      "        }\n}\n",
                      wrong ? "lab->w - 1" : "1"));
        o = calab("lab check -q %s", folder);
        ck_assert_msg(o.status == wrong, "exit status %d: %s%s", o.status, o.out, o.err);
        ck_assert_contains(o.out, wrong ? "cause: " : "kernel.c: right: ");
        ck_assert_ptr_null(strstr(o.out, "cell() returns"));
    }
    ck_assert_contains(o.out, "x-1", "x+1");
}
END_TEST

/* A file that is wrong in states which are tried later than those that a start leads to. */
#define NEVER_THREE                                                                                \
    "#include \"calab_model.h\"\nCA_MODEL(later, \"wrong later\")\n"                               \
    "CA_STATE(A, 0, '.', CA_QUIET, \"a\")\nCA_STATE(B, 1, '#', CA_PLAIN, \"b\")\n"                 \
    "CA_STATE(C, 2, '*', CA_WARM, \"c\")\nCA_RANDOM_START(few, \"no c\", SHARE(B, 0.5))\n"         \
    "CA_CELL cell(CA_NB nb)\n{\n    return AT(0, 0) == C ? 3 : AT(1, 0);\n}\n"

START_TEST(a_file_that_is_wrong_later_is_named)
{
    const char *file = test_put("later.c", NEVER_THREE), *folder = test_path("later");

    calab_done("lab new %s %s", file, folder);
    test_put("later/lab.cfg",
             test_text("%s%s", test_read(test_text("%s/lab.cfg", folder), NULL), cases));
    test_put(
        "later/kernel.c",
        "#include \"calab_lab.h\"\n"
        "void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n{\n"
        "    for (int64_t y = 0; y < lab->h; y++)\n"
        "        for (int64_t x = 0; x < lab->w; x++)\n"
        "            out[0][LAB_AT(lab, x, y, 0)] = in[0][LAB_AT(lab, (x + 1) % lab->w, y, 0)];\n"
        "}\n");
    calab_fails(1, "later.c:7: cell() returns state 3, but the states are 0 to 2",
                "lab check -q %s", folder);
}
END_TEST

static const struct {
    const char *kernel;
    int status;
    const char *says, *cause;
} checks[] = {
    {KERNEL(SOUTH, "1") STEP, 0, "kernel.c: right: ", ""},
    {KERNEL("", "1") STEP, 1, "cause: Cells do not read any neighbour at y+1", ""},
    {KERNEL(SOUTH, "0") STEP, 1, "at another draw", "the stream or the seed"},
};

START_TEST(a_kernel_is_checked)
{
    struct outcome o = calab("lab check -q %s", folder_of("mine", checks[_i].kernel));

    ck_assert_msg(o.status == checks[_i].status, "exit status %d: %s%s", o.status, o.out, o.err);
    ck_assert_contains(o.out, checks[_i].says, checks[_i].cause);
}
END_TEST

/* The points of a class of one, held against the teacher's folder; the student's own file has a
 * constructor, which must not run, and another rule, which does not count. */
START_TEST(the_file_of_a_submission_is_not_compiled)
{
    const char *teacher = folder_of("task", NULL),
               *student = folder_of("anna", KERNEL(SOUTH, "1") STEP),
               *secret = test_put("secret", "0123456789abcdef0123456789abcdef\n"),
               *left = test_path("it-ran");
    struct outcome o;

    test_put("anna/embers.c", test_text("#include <stdio.h>\n"
                                        "__attribute__((constructor)) static void run(void)\n{\n"
                                        "    FILE *file = fopen(\"%s\", \"w\");\n\n"
                                        "    if (file)\n        fclose(file);\n}\n%s",
                                        left, FILE_OF("#define SOIL_STAYS\n")));
    ck_assert_int_eq(chmod(secret, 0600), 0);
    o = calab("lab grade -q --json --secret-seed %s --task %s/ %s", secret, teacher, student);
    ck_assert_msg(o.status == 0, "exit status %d: %s%s", o.status, o.out, o.err);
    ck_assert_contains(o.out, "\"points\": 100.0");
    ck_assert_int_ne(access(left, F_OK), 0);
    o = calab("lab grade -q --secret-seed %s %s", secret, student);
    ck_assert_contains(test_text("%s%s", o.out, o.err), "name the task with the file by --task");
    ck_assert_int_ne(access(left, F_OK), 0);
}
END_TEST

static const struct {
    const char *model, *says;
} wrong[] = {
    {"../embers.c", "'../embers.c' is not allowed: the file of a model lies in this folder"},
    {"none.c", "none.c: the file of a model cannot be read"},
};

START_TEST(a_wrong_file_is_named)
{
    const char *folder = folder_of("mine", NULL);

    test_put("mine/lab.cfg",
             test_text("version = 1; model = \"%s\"; source = \"kernel.c\";\n", wrong[_i].model));
    calab_fails(3, wrong[_i].says, "lab check -q %s", folder);
}
END_TEST

/* Random starts of floats would leave the range in which the model stays finite. */
START_TEST(floats_are_refused)
{
    calab_fails(2, "has planes of floats: a lab's model that is a file has states", "lab new %s %s",
                test_source("configs/models/heat.c"), test_path("heat"));
    ck_assert_int_ne(access(test_path("heat"), F_OK), 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_folder_holds_the_file, planes_are_described_and_probed,
                              a_file_that_is_wrong_later_is_named, floats_are_refused,
                              the_file_of_a_submission_is_not_compiled},
                     .table = {{a_kernel_is_checked, COUNT(checks)},
                               {a_wrong_file_is_named, COUNT(wrong)}});
}
