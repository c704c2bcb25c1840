/* SPDX-License-Identifier: MIT */
/* calab lab grade gives points for the structure of kernels in CUDA, which the emulator counts: to
 * right ones alone, with the line of a bound that is missed. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/lab_folder.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static const char config[] =
    "version = 1; model = \"anneal\"; source = \"kernel.cu\"; seeds = [3]; repeats = 1;\n"
    "sizes = [\"5x3\", \"32x32\", \"64x32\"]; tile = [32, 8]; generations = [1, 2];\n"
    "against = \"cuda-naive\"; points : { square = 25; uneven = 25; oblong = 25; structure = 40; "
    "};\n"
    "structure : { sectors_per_request = 2.5; bank_conflicts = 0; divergent = 0;\n"
    "    global_loads_per_cell = 9; };\n";

/* A thread a cell; `x` and `y` of the first line say which. Line 9 loads, line 10 stores. */
static const char kernel[] =
    "#include \"calab_lab.h\"\n"
    "__global__ void anneal(struct lab lab, lab_input *in, lab_cell *out)\n"
    "{\n"
    "    %s\n"
    "    if (x >= lab.w || y >= lab.h) return;\n"
    "    int b = 0;\n"
    "    for (int v = -1; v <= 1; v++)\n"
    "        for (int u = -1; u <= 1; u++)\n"
    "            b += in[LAB_AT(&lab, (x + u + lab.w) %% lab.w, (y + v + lab.h) %% lab.h, 0)];\n"
    "    out[LAB_AT(&lab, x, y, 0)] = %s;\n"
    "}\n"
    "void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n"
    "{\n"
    "    anneal<<<dim3((lab->w + 31) / 32, (lab->h + 31) / 32), dim3(32, 32)>>>(*lab, in[0],\n"
    "        out[0]);\n"
    "}\n";

#define ROWS "int64_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;"
#define COLUMNS "int64_t x = blockIdx.x * 32 + threadIdx.y, y = blockIdx.y * 32 + threadIdx.x;"

static const struct {
    const char *name, *where, *value;
    double points;
    const char *says;
} class[] = {
    {"rows", ROWS, "(b == 4) | (b >= 6)", 40, "sectors_per_request 1."},
    {"columns", COLUMNS, "(b == 4) | (b >= 6)", 30, "most by kernel.cu:9, 32"},
    {"wrong", ROWS, "(b == 4) | (b >= 5)", 0, "\"structure\": null"},
};

START_TEST(bounds)
{
    const char *folders = "";
    struct outcome o;
    json_t *root, *row;
    char *text;

    test_put("secret", "nobody knows 17");
    for (size_t i = 0; i < COUNT(class); i++) {
        const char *folder = test_path(class[i].name);

        ck_assert_int_eq(mkdir(folder, 0700), 0);
        lab_put(folder, "lab.cfg", config);
        lab_put(folder, "kernel.cu", test_text(kernel, class[i].where, class[i].value));
        folders = test_text("%s %s", folders, folder);
    }
    o = calab("lab grade -q --json --reports %s --secret-seed %s%s", test_path("reports"),
              test_path("secret"), folders);
    root = outcome_json(&o);
    ck_assert_msg(root != NULL && o.status == 0, "%s%s", o.out, o.err);
    for (size_t i = 0; i < COUNT(class); i++) {
        const json_t *group;

        row = json_array_get(json_object_get(root, "submissions"), i);
        text = json_dumps(row, 0);
        group = json_object_get(json_object_get(row, "groups"), "structure");
        ck_assert_msg(json_number(group, "points") == class[i].points &&
                          json_number(group, "of") == 40 && strstr(text, class[i].says),
                      "%s: %s", class[i].name, text);
        free(text);
    }
    ck_assert_contains(test_read(test_text("%s/columns.md", test_path("reports")), NULL),
                       "| structure | | 30 | 40 |", "- sectors\\_per\\_request 32, ",
                       "allowed 2.5; most by kernel.cu:9, 32\n",
                       "- bank\\_conflicts 0, allowed 0\n");
    json_decref(root);
}
END_TEST

/* A solution's figures become bounds. */
START_TEST(calibration_proposes)
{
    struct outcome o = calab_good("lab calibrate -q cloud-packed");

    ck_assert_contains(o.out, "cloud-packed: structure : { sectors_per_request = ",
                       "bank_conflicts = 0; global_loads_per_cell = ", "divergent = ");
}
END_TEST

int main(void) { return RUN_TESTS(.test = {bounds, calibration_proposes}); }
