/* SPDX-License-Identifier: MIT */
/*
 * Wrong kernels in CUDA as submissions to `calab lab check`, without a GPU: the tasks' solutions
 * with a mistake put in, and what must be said of each; and right ones in other styles. A few by
 * CALAB_SEED; all with CALAB_SUBMISSIONS=all, and with CALAB_SUBMISSIONS=WORD those of that name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/lab_folder.h"
#include "tests/students/submissions.h"
#include "tests/support/support.h"

#define WRONG_SAMPLE 3
#define RIGHT_SAMPLE 1
#define KEEPING_SAMPLE 2

#define FLAT "sizes = [\"1x1\", \"3x3\", \"33x20\", \"50x37\"];\n"
#define DEEP "sizes = [\"2x2x2\", \"3x5x7\", \"17x11x6\"];\n"

static const struct wrong {
    const char *name, *task, *from, *to;
    const char *words; /* that the output must have, by '|' */
    const char *never; /* words that it must not have; NULL: none */
} wrong[] = {
    {"missing barrier", "anneal-shared", "    __syncthreads();\n", "",
     "race: block|kernel.cu:", "the rule is not"},
    {"unsigned index", "anneal-shared", "(int64_t)blockIdx.x * TILE + u - 1 + lab.w",
     "blockIdx.x * TILE + u - 1 + lab.w", "cells at x = 0 do not read any neighbour at x-1",
     "wall"},
    {"divergent barrier", "anneal-shared", "    __syncthreads();\n",
     "    if (threadIdx.x < 8)\n        __syncthreads();\n",
     "race:|barrier:|have ended without __syncthreads"},
    {"halo corners unwritten", "anneal-shared", "            tile[v][u] =",
     "            if ((u % (TILE + 1) || v % (TILE + 1)))\n            tile[v][u] =",
     "unwritten:|shared memory"},
    {"halo corners zero", "anneal-shared", "            tile[v][u] =",
     "            tile[v][u] = u % (TILE + 1) == 0 && v % (TILE + 1) == 0 ? 0 :",
     "corners|x % 16 = 0 and y % 16 = 0"},
    {"halo NE is the centre", "anneal-shared", "    __syncthreads();\n",
     "    __syncthreads();\n    if (threadIdx.x == 0 && threadIdx.y == 0)\n"
     "        tile[0][TILE + 1] = tile[1][TILE];\n    __syncthreads();\n",
     "x % 16 = 15 and y % 16 = 0|(x+1, y-1)"},
    {"halo row unwritten", "anneal-shared", "v < TILE + 2;", "v < TILE + 1;", "unwritten:"},
    {"last partial tile", "anneal-shared",
     "grid((lab->w + TILE - 1) / TILE, (lab->h + TILE - 1) / TILE)",
     "grid(lab->w < TILE ? 1 : lab->w / TILE, lab->h < TILE ? 1 : lab->h / TILE)",
     "never written|last partial tile"},
    {"race in place", "anneal-shared", "anneal<<<grid, block>>>(*lab, in[LAB_CELL],",
     "cudaMemcpy(out[LAB_CELL], in[LAB_CELL], lab->w * lab->h, cudaMemcpyDeviceToDevice);\n"
     "    anneal<<<grid, block>>>(*lab, out[LAB_CELL],",
     "race: block"},
    {"no guard", "anneal-shared", "    if (x >= lab.w || y >= lab.h)\n        return;\n", "",
     "bounds:|outside of its memory"},
    {"tile too small", "anneal-shared", "tile[TILE + 2][TILE + 2]", "tile[TILE + 2][TILE + 1]",
     "kernel.cu:"},
    {"5 lives", "anneal-shared", "live >= 6", "live >= 5", "with 5 live cells of 9"},
    {"clamped edges", "anneal-shared",
     "tile[v][u] = old[LAB_AT(&lab, from_x % lab.w, from_y % lab.h, 0)];",
     "int64_t cx = from_x - lab.w, cy = from_y - lab.h;\n"
     "            cx = cx < 0 ? 0 : cx >= lab.w ? lab.w - 1 : cx;\n"
     "            cy = cy < 0 ? 0 : cy >= lab.h ? lab.h - 1 : cy;\n"
     "            tile[v][u] = old[LAB_AT(&lab, cx, cy, 0)];",
     "wall|x = 0"},
    {"transposed", "anneal-shared", "next[LAB_AT(&lab, x, y, 0)]", "next[x * lab.h + y]",
     "y is its fastest"},
    {"copied", "anneal-shared", "    anneal<<<grid, block>>>(*lab, in[LAB_CELL], out[LAB_CELL]);",
     "    (void)block, (void)grid;\n    cudaMemcpy(out[LAB_CELL], in[LAB_CELL], lab->w * lab->h,\n"
     "               cudaMemcpyDeviceToDevice);",
     "the start, unchanged"},
    {"block too large", "anneal-shared", "block(TILE, TILE)", "block(64, 64)",
     "invalid configuration"},
    {"z halo stale", "life3d-tile", "first_z + k - 1", "first_z + (k ? k - 1 : 0)",
     "z % 4 = 0|z-1"},
    {"no layer above", "life3d-tile", "k < 3; k++", "k < 2; k++",
     "do not read any neighbour at z+1"},
    {"counts itself", "life3d-tile", "live - here]", "live]", "the cell itself is counted"},
    {"3D missing barrier", "life3d-tile", "    __syncthreads();\n", "", "race: block"},
    {"3D tail", "life3d-tile", "(lab->d + TILE_Z - 1) / TILE_Z",
     "lab->d < TILE_Z ? 1 : lab->d / TILE_Z", "never written: those with z = 16"},
    {"no z-1", "cloud-packed", "byte_at(&now, LAB_ACT, k, y, z - 1) |", "", "act of (x, y, z-1)"},
    {"bytes apart", "cloud-packed", "byte_at(&now, LAB_ACT, k - 1, y, z) | act", "act", "x % 8 = "},
    {"hum kept", "cloud-packed", "hum & ~act", "hum", "hum becomes 1, where the rule says 0"},
    {"no exchange", "cloud-packed", "        state->now = state->next;\n", "", "race: block"},
    {"last partial block", "cloud-packed", "(now->h + 7) / 8", "now->h < 8 ? 1 : now->h / 8",
     "unwritten:|gives the host"},
    {"order of sums", "water-kernels",
     "int64_t there = neighbour(&lab, x, y, i);\n\n        if (there >= 0",
     "int64_t there = neighbour(&lab, x, y, 3 - i);\n\n        if (there >= 0", "rounding alone"},
    {"no source", "water-kernels", "change = source[here];", "change = 0;",
     "do not read source of (x, y)"},
    {"no west wall", "water-kernels", "u < 0 || u", "u", "cells at x = 0 read|(x-1, y-1)"},
    {"no guard in water", "water-kernels",
     "    if (x >= lab.w || y >= lab.h)\n        return;\n    q[0]", "    q[0]",
     "outside of its memory"},
    {"scratch unwritten", "water-kernels",
     "    find_best<<<grid, block>>>(*lab, in[LAB_TERRAIN], in[LAB_LEVEL], best);\n", "",
     "unwritten"},
};

#define BYTES "(size_t)(lab->w * lab->h * lab->d) * sizeof *kept"
#define ANNEAL_LAUNCH "    anneal<<<grid, block>>>(*lab, in[LAB_CELL], out[LAB_CELL]);"
#define LIFE_LAUNCH "    life<<<grid, block>>>(*lab, in[LAB_CELL], out[LAB_CELL]);"
#define FLOW_LAUNCH                                                                                \
    "    flow<<<grid, block>>>(*lab, in[LAB_TERRAIN], in[LAB_LEVEL], in[LAB_SOURCE], best,"
#define IS_SIZE "kept && w == lab->w && h == lab->h && d == lab->d"
#define KEEP(from)                                                                                 \
    "    cudaFree(kept);\n    cudaMalloc(&kept, " BYTES ");\n"                                     \
    "    cudaMemcpy(kept, " from ", " BYTES ", cudaMemcpyDeviceToDevice);\n"                       \
    "    w = lab->w, h = lab->h, d = lab->d;\n"
#define RESULT_OF(launch)                                                                          \
    "    static lab_cell *kept;\n    static int64_t w, h, d;\n    static uint64_t t;\n"            \
    "    if (" IS_SIZE " && t == lab->t) {\n"                                                      \
    "        cudaMemcpy(out[0], kept, " BYTES ", cudaMemcpyDeviceToDevice);\n"                     \
    "        return;\n    }\n" launch "\n" KEEP("out[0]") "    t = lab->t;"

/* What is kept on the device or on the host from call to call. */
static const struct wrong keeping[] = {
    {"counter in device memory", "anneal-shared", ANNEAL_LAUNCH,
     "    static int *kept;\n    if (!kept) { cudaMalloc(&kept, sizeof *kept);\n"
     "        cudaMemset(kept, 0, sizeof *kept); }\n" ANNEAL_LAUNCH "\n    int calls;\n"
     "    cudaMemcpy(&calls, kept, sizeof calls, cudaMemcpyDeviceToHost);\n    calls++;\n"
     "    cudaMemcpy(kept, &calls, sizeof calls, cudaMemcpyHostToDevice);\n"
     "    if (calls == 40) cudaMemset(out[0], 1, 1), cudaMemset(out[0] + lab->w - 1, 0, 1);",
     "static is kept"},
    {"result by generation", "anneal-shared", ANNEAL_LAUNCH, RESULT_OF(ANNEAL_LAUNCH),
     "static is kept"},
    {"3D result by generation", "life3d-tile", LIFE_LAUNCH, RESULT_OF(LIFE_LAUNCH),
     "static is kept"},
    {"own state while generations follow", "anneal-shared", ANNEAL_LAUNCH,
     "    static lab_cell *kept;\n    static int64_t w, h, d;\n    static uint64_t next;\n"
     "    anneal<<<grid, block>>>(*lab, " IS_SIZE
     " && next == lab->t ? kept : in[0], out[0]);\n" KEEP("out[0]") "    next = lab->t + 1;",
     "static is kept"},
    {"source of the first call", "water-kernels", FLOW_LAUNCH,
     "    static lab_cell *kept;\n    static int64_t w, h, d;\n"
     "    if (!(" IS_SIZE
     ")) {\n" KEEP("in[LAB_SOURCE]") "    }\n"
                                     "    flow<<<grid, block>>>(*lab, in[LAB_TERRAIN], "
                                     "in[LAB_LEVEL], kept, best,",
     "static is kept"},
};

#define ANNEAL_HEAD                                                                                \
    "#include \"calab_lab.h\"\n__device__ int rule(int s) { return s == 4 || s >= 6; }\n"
#define ANNEAL_SUM                                                                                 \
    "int s = 0; for (int k = 0; k < 9; k++) s += in[(y + k / 3 - 1 + lab.h) % lab.h * lab.w + "    \
    "(x + k % 3 - 1 + lab.w) % lab.w];\n"

static const struct right {
    const char *name, *task, *text; /* NULL: the solution */
    const char *from, *to;
} right[] = {
    {"anneal solution", "anneal-shared"},
    {"life3d solution", "life3d-tile"},
    {"cloud solution", "cloud-packed"},
    {"water solution", "water-kernels"},
    /* Threads that have ended are not waited for. */
    {"return before the barrier", "anneal-shared", NULL,
     "    __syncthreads();\n\n    if (x >= lab.w || y >= lab.h)\n        return;\n",
     "    if (x >= lab.w || y >= lab.h)\n        return;\n    __syncthreads();\n"},
    {"grid stride", "anneal-shared",
     ANNEAL_HEAD "__global__ void k(struct lab lab, lab_input *in, lab_cell *out)\n{\n"
                 "for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < lab.w * lab.h;\n"
                 "i += blockDim.x * gridDim.x) { int64_t x = i % lab.w, y = i / lab.w;\n" ANNEAL_SUM
                 "out[i] = rule(s); } }\n"
                 "void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n"
                 "{ k<<<3, 64>>>(*lab, in[0], out[0]); }\n"},
    /* Memory that is made anew for each size, and filled anew in each call. */
    {"memory for each size", "anneal-shared", NULL, ANNEAL_LAUNCH,
     "    static lab_cell *kept;\n    static int64_t w, h, d;\n"
     "    if (!(" IS_SIZE
     ")) {\n" KEEP("in[0]") "    }\n"
                            "    cudaMemcpy(kept, in[0], " BYTES ", cudaMemcpyDeviceToDevice);\n"
                            "    anneal<<<grid, block>>>(*lab, kept, out[LAB_CELL]);"},
    {"a thread a row", "anneal-shared",
     ANNEAL_HEAD "__global__ void k(struct lab lab, lab_input *in, lab_cell *out)\n{\n"
                 "int64_t y = blockIdx.x * blockDim.x + threadIdx.x; if (y < lab.h)\n"
                 "for (int64_t x = lab.w - 1; x >= 0; x--) { " ANNEAL_SUM
                 "out[y * lab.w + x] = rule(s); } }\n"
                 "void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n"
                 "{ k<<<(lab->h + 31) / 32, 32>>>(*lab, in[0], out[0]); }\n"},
    {"scattered", "anneal-shared",
     ANNEAL_HEAD
     "__global__ void add(struct lab lab, lab_input *in, int *sum)\n{\n"
     "int64_t i = blockIdx.x * blockDim.x + threadIdx.x, x = i % lab.w, y = i / lab.w;\n"
     "if (i >= lab.w * lab.h || !in[i]) return;\n"
     "for (int k = 0; k < 9; k++) atomicAdd(&sum[(y + k / 3 - 1 + lab.h) % lab.h * lab.w +\n"
     "(x + k % 3 - 1 + lab.w) % lab.w], 1); }\n"
     "__global__ void look(struct lab lab, int *sum, lab_cell *out)\n{\n"
     "int64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "if (i < lab.w * lab.h) out[i] = rule(sum[i]); }\n"
     "void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n{\n"
     "int *sum = (int *)lab->scratch; int n = (lab->w * lab->h + 127) / 128;\n"
     "cudaMemset(sum, 0, lab->w * lab->h * sizeof *sum);\n"
     "add<<<n, 128>>>(*lab, in[0], sum); look<<<n, 128>>>(*lab, sum, out[0]); }\n"},
};

/* A new folder of a task with a kernel, and with few sizes. */
static const char *submit(const char *task_name, const char *text, const char *from, const char *to)
{
    static struct ca_lab_task task;
    static int number;
    struct ca_error error;
    char *config;
    const char *folder;

    ck_assert_ok(ca_lab_task_find(&task, task_name, &error));
    folder = lab_solved(&task, test_path(test_text("submission%d", number++)), text, from, to);
    config = lab_get(folder, "lab.cfg");
    lab_put(folder, "lab.cfg",
            test_text("%s\n%sgenerations = [1, 2, 4];\n", config,
                      task.lab.model->dimensions == 3 ? DEEP : FLAT));
    return folder;
}

static void check_wrong(const struct wrong *list, int count, int sample)
{
    int named = 0, all = 0;

    for (int i = 0; i < count; i++) {
        const struct wrong *one = &list[i];
        struct outcome o;
        bool hit;

        if (!submission_taken(one->name, i, count, sample))
            continue;
        o = calab_in(&submission_patience, "lab check -q %s",
                     submit(one->task, NULL, one->from, one->to));
        hit = o.status == 1 && submission_says(o.out, one->words) &&
              !(one->never && strstr(o.out, one->never));
        if (!hit || getenv("CALAB_LAB_VERBOSE"))
            printf("%s: %s (%s): %s%s\n", hit ? "named" : "NOT NAMED", one->name, one->task, o.out,
                   o.err);
        fflush(stdout);
        named += hit;
        all++;
    }
    printf("CUDA: %d wrong, %d named\n", all, named);
    ck_assert_int_eq(named, all);
}

START_TEST(wrong_ones_are_named) { check_wrong(wrong, COUNT(wrong), WRONG_SAMPLE); }
END_TEST

START_TEST(what_is_kept_is_said) { check_wrong(keeping, COUNT(keeping), KEEPING_SAMPLE); }
END_TEST

START_TEST(right_ones_are_right)
{
    for (int i = 0; i < (int)COUNT(right); i++) {
        struct outcome o;

        if (!submission_taken(right[i].name, i, COUNT(right), RIGHT_SAMPLE))
            continue;
        o = calab_in(&submission_patience, "lab check -q %s",
                     submit(right[i].task, right[i].text, right[i].from, right[i].to));
        ck_assert_msg(o.status == 0, "%s: %s%s", right[i].name, o.out, o.err);
        printf("right: %s\n", right[i].name);
        fflush(stdout);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 3600,
                     .test = {wrong_ones_are_named, what_is_kept_is_said, right_ones_are_right});
}
