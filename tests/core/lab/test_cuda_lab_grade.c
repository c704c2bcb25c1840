/* SPDX-License-Identifier: MIT */
/* calab lab grade on kernels in CUDA, without a GPU: work that is left on another stream, or for a
 * thread of the host, gets no points, and nobody gets any for speed. */
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
    "sizes = [\"5x3\", \"32x32\", \"16x32\"]; tile = [16, 16]; generations = [1, 3];\n"
    "against = \"cuda-naive\";\n";

static const char kernel[] =
    "#include \"calab_lab.h\"\n#include <pthread.h>\n#include <unistd.h>\n"
    "__global__ void anneal(struct lab lab, lab_input *in, lab_cell *out)\n{\n"
    "    int64_t x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
    "    if (x >= lab.w || y >= lab.h) return;\n    int b = 0;\n"
    "    for (int v = -1; v <= 1; v++) for (int u = -1; u <= 1; u++)\n"
    "        b += in[LAB_AT(&lab, (x + u + lab.w) % lab.w, (y + v + lab.h) % lab.h, 0)];\n"
    "    out[LAB_AT(&lab, x, y, 0)] = b == 4 || b >= 6;\n}\n"
    "static void launch(const struct lab *lab, lab_input *in, lab_cell *out, cudaStream_t s)\n{\n"
    "    anneal<<<dim3((lab->w + 15) / 16, (lab->h + 15) / 16), dim3(16, 16), 0, s>>>(*lab, in, "
    "out);\n}\n"
    "#define STEP void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n";

static const struct {
    const char *name, *body;
    double points;
    bool right;
} class[] = {
    {"right", "STEP { launch(lab, in[0], out[0], 0); }", 75, true},
    /* All of it is waited for, whatever stream it is on. */
    {"waits",
     "STEP { static cudaStream_t s; if (!s) cudaStreamCreateWithFlags(&s, "
     "cudaStreamNonBlocking);\nlaunch(lab, in[0], out[0], s); }",
     75, true},
    {"streams",
     "STEP { static cudaStream_t s[2]; static int i;\n"
     "if (!s[0]) for (int k = 0; k < 2; k++) cudaStreamCreateWithFlags(&s[k], "
     "cudaStreamNonBlocking);\nlaunch(lab, in[0], out[0], s[i++ % 2]); }",
     0, false},
    {"thread",
     "static const struct lab *l; static lab_input *from; static lab_cell *to;\n"
     "static void *late(void *none) { usleep(300000); launch(l, from, to, 0); return none; }\n"
     "STEP { pthread_t t; l = lab; from = in[0]; to = out[0];\n"
     "pthread_create(&t, 0, late, 0); pthread_detach(t); }",
     0, false},
};

static void kernel_put(const char *folder, const char *name, const char *text, const char *more)
{
    lab_put(folder, name, test_text("%s%s\n", text, more));
}

START_TEST(streams)
{
    char folders[4000];
    struct outcome o;
    json_t *root, *rows;
    size_t used = 0;

    test_put("secret", "nobody knows 17");
    for (size_t i = 0; i < COUNT(class); i++) {
        const char *folder = test_path(class[i].name);

        ck_assert_int_eq(mkdir(folder, 0700), 0);
        kernel_put(folder, "lab.cfg", config, "");
        kernel_put(folder, "kernel.cu", kernel, class[i].body);
        used += (size_t)snprintf(folders + used, sizeof folders - used, " %s", folder);
    }
    o = calab("lab grade -q --json --secret-seed %s%s", test_path("secret"), folders);
    root = outcome_json(&o);
    ck_assert_msg(root != NULL && o.status == 0, "%s%s", o.out, o.err);
    rows = json_object_get(root, "submissions");
    ck_assert_uint_eq(json_array_size(rows), COUNT(class));
    for (size_t i = 0; i < COUNT(class); i++) {
        const json_t *row = json_array_get(rows, i);
        char *text = json_dumps(row, 0);

        ck_assert_msg(json_number(row, "points") == class[i].points &&
                          json_is_true(json_object_get(row, "right")) == class[i].right,
                      "%s: %s", class[i].name, text);
        /* Speed is in the total of none, of those that are wrong neither. */
        ck_assert_msg(json_number(row, "of") == 75 && strstr(text, "\"missing\": 25.0"), "%s",
                      text);
        if (class[i].right)
            ck_assert_msg(
                strstr(text, "\"state\": \"emulated\"") &&
                    strstr(text, "\"speed\": {\"points\": 0.0, \"of\": 0.0, \"missing\": 25.0}"),
                "%s", text);
        free(text);
    }
}
END_TEST

/* A check says why there is no figure. */
START_TEST(no_speed)
{
    const char *folder = test_path("one");
    struct outcome o;

    ck_assert_int_eq(mkdir(folder, 0700), 0);
    kernel_put(folder, "lab.cfg", config, "");
    kernel_put(folder, "kernel.cu", kernel, class[0].body);
    o = calab("lab check -q %s", folder);
    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
    ck_assert_contains(o.out, "not timed: emulated: not a speed");
}
END_TEST

int main(void) { return RUN_TESTS(.test = {streams, no_speed}); }
