/* SPDX-License-Identifier: MIT */
/*
 * Labs of a model in a file for kernels in CUDA, without a GPU: what `lab new FILE.c --cuda` makes
 * is checked by the emulator against the file's function, its cause is named, and a class graded.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/core/lab/embers.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

#define STEP(guard)                                                                                \
    "__global__ void kernel(struct lab lab, lab_input *in, lab_cell *out, uint32_t below)\n{\n"    \
    "    int64_t x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                     \
    "    int64_t y = blockIdx.y * blockDim.y + threadIdx.y;\n\n" guard                             \
    "    out[LAB_AT(&lab, x, y, 0)] = (lab_cell)next(&lab, in, x, y, below);\n}\n"                 \
    "void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n{\n"          \
    "    dim3 block(32, 8), grid((lab->w + 31) / 32, (lab->h + 7) / 8);\n"                         \
    "    uint32_t below = (uint32_t)(lab_number(lab, \"spark\") * (1 << 30));\n\n"                 \
    "    kernel<<<grid, block>>>(*lab, in[0], out[0], below);\n}\n"
#define GUARD "    if (x >= lab.w || y >= lab.h)\n        return;\n"

#define CASES                                                                                      \
    "sizes = [\"5x3\", \"32x32\"]; seeds = [3]; repeats = 1; generations = [1, 3];\n"              \
    "against = \"cuda-naive\";\n"                                                                  \
    "points : { square = 60; uneven = 40; oblong = 0; speed = %d; };\n"

/* A folder as `lab new --cuda` makes it, with few cases and a kernel. */
static const char *folder_of(const char *name, const char *kernel, int speed)
{
    const char *file = test_put("embers.c", FILE_OF("")), *folder = test_path(name), *config;

    calab_done("lab new %s %s --cuda", file, folder);
    config = test_read(test_text("%s/lab.cfg", folder), NULL);
    ck_assert_contains(config, "model = \"embers.c\";", "source = \"kernel.cu\";");
    test_put(test_text("%s/lab.cfg", name), test_text("%s%s", config, test_text(CASES, speed)));
    if (kernel)
        test_put(test_text("%s/kernel.cu", name), kernel);
    return folder;
}

/* Right, but for the generation's time, which an emulated GPU has not; wrong as a whole, in one
 * neighbour, in a draw, and outside of the lattice. */
static const struct {
    const char *kernel;
    int status;
    const char *says, *too;
} checks[] = {
    {KERNEL(SOUTH, "1") STEP(GUARD), 0, "kernel.cu: right: ", "not timed: emulated: not a speed"},
    {NULL, 1, "never written", ""},
    {KERNEL("", "1") STEP(GUARD), 1, "cause: Cells do not read any neighbour at y+1", ""},
    {KERNEL(SOUTH, "0") STEP(GUARD), 1, "at another draw", "the stream or the seed"},
    {KERNEL(SOUTH, "1") STEP(""), 1, "outside of its memory", "kernel.cu:"},
};

START_TEST(a_kernel_is_checked)
{
    struct outcome o = calab("lab check -q %s", folder_of("mine", checks[_i].kernel, 10));

    ck_assert_msg(o.status == checks[_i].status, "exit status %d: %s%s", o.status, o.out, o.err);
    ck_assert_contains(o.out, checks[_i].says, checks[_i].too);
}
END_TEST

/* Cases are drawn from a secret; the teacher's folder has the file that says what is right. */
START_TEST(a_class_is_graded)
{
    const char *teacher = folder_of("task", NULL, 0),
               *good = folder_of("anna", KERNEL(SOUTH, "1") STEP(GUARD), 0),
               *wrong = folder_of("berta", KERNEL("", "1") STEP(GUARD), 0),
               *secret = test_put("secret", "0123456789abcdef0123456789abcdef\n");
    struct outcome o;
    json_t *root, *rows;

    ck_assert_int_eq(chmod(secret, 0600), 0);
    o = calab("lab grade -q --json --secret-seed %s --task %s/ %s %s", secret, teacher, good,
              wrong);
    root = outcome_json(&o);
    ck_assert_msg(root != NULL && o.status == 0, "exit status %d: %s%s", o.status, o.out, o.err);
    rows = json_object_get(root, "submissions");
    ck_assert_uint_eq(json_array_size(rows), 2);
    ck_assert(json_is_true(json_object_get(json_array_get(rows, 0), "right")));
    ck_assert(!json_is_true(json_object_get(json_array_get(rows, 1), "right")));
    ck_assert_double_eq(json_number(json_array_get(rows, 0), "points"), 100);
    json_decref(root);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 200, .test = {a_class_is_graded},
                     .table = {{a_kernel_is_checked, COUNT(checks)}});
}
