/* SPDX-License-Identifier: MIT */
/* calab lab check on kernels in CUDA, without a GPU: what the emulator finds in them, and the
 * tasks' solutions. */
#include <stdio.h>
#include <string.h>

#include "core/lab/process/resources.h"
#include "core/lab/kernel/task.h"
#include "tests/support/lab_folder.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static struct ca_error error;

static void expect(int status, const char *part, const char *too, const char *folder)
{
    struct outcome o = calab("lab check %s", folder);

    ck_assert_msg(o.status == status, "status %d: %s%s", o.status, o.out, o.err);
    if (!strstr(o.out, part) || !strstr(o.out, too))
        ck_abort_msg("'%s' or '%s' is not in: %s%s", part, too, o.out, o.err);
}

/* A folder of a task with its solution, in which `from` is replaced by `to`. */
static const char *solved(const struct ca_lab_task *task, const char *from, const char *to)
{
    return lab_solved(task, test_path(task->name), NULL, from, to);
}

START_TEST(shipped)
{
    static struct ca_lab_task task;

    if (!ca_lab_task(&task, _i) || !task.lab.cuda)
        return;
    expect(0, "kernel.cu: right", "on the emulator", solved(&task, NULL, ""));
}
END_TEST

static const struct {
    const char *from, *to;
    int status;
    const char *says, *too;
} breaks[] = {
    {"__syncthreads();", "", 1, "race: block", "kernel.cu:"},
    {"if (x >= lab.w || y >= lab.h)\n        return;", "", 1, "outside of its memory", "bounds"},
    {"live >= 6", "live >= 5", 1, "plane cell: expected", "#"},
    {"v < TILE + 2;", "v < TILE + 1;", 1, "unwritten", "kernel.cu:"},
    {"+ TILE - 1) / TILE, (lab", ") / TILE + (lab->w < TILE), (lab", 1, "never written", "|???"},
    {"block(TILE, TILE)", "block(64, 64)", 1, "invalid configuration", "launch"},
    {"int live = 0;", "int live = 0; while (lab.w > 2) ;", 6,
     "no result in a step in time; 2 s are allowed: limits.watched_seconds", "kernel.cu:12: limit"},
    {"int live = 0;", "int live = 0", 4, "kernel.cu does not compile: kernel.cu:", "error:"},
    {"int live = 0;", "int live = absent;", 4, "absent", "error:"},
};

START_TEST(broken)
{
    static struct ca_lab_task task;
    const char *folder;
    char *config;

    ck_assert_ok(ca_lab_task_find(&task, "anneal-shared", &error));
    folder = solved(&task, breaks[_i].from, breaks[_i].to);
    config = lab_get(folder, "lab.cfg");
    lab_put(folder, "lab.cfg",
            test_text("%s\nlimits : { watched_seconds = %d.0; };\n", config,
                      breaks[_i].status == 6 ? 2 : 40));
    expect(breaks[_i].status, breaks[_i].says, breaks[_i].too, folder);
}
END_TEST

/* Where there is no nvcc, the emulator alone checks; without a compiler for it nothing does. */
START_TEST(no_compiler)
{
    static const struct {
        const char *variable;
        int status;
        const char *says;
    } rows[] = {{"NVCC=/no/such/nvcc", 0, "kernel.cu: right"},
                {"CXX=/no/such/compiler", 4, "package g++"}};
    static struct ca_lab_task task;

    ck_assert_ok(ca_lab_task_find(&task, "anneal-shared", &error));
    const char *variables[] = {rows[_i].variable, NULL};
    const struct surroundings s = {.variable = variables};
    struct outcome o = calab_in(&s, "lab check %s", solved(&task, NULL, ""));

    ck_assert_msg(o.status == rows[_i].status, "status %d: %s%s", o.status, o.out, o.err);
    ck_assert_msg(strstr(o.out, rows[_i].says) || strstr(o.err, rows[_i].says), "%s%s", o.out,
                  o.err);
}
END_TEST

#define OPEN                                                                                       \
    "{\"id\":1,\"op\":\"open\",\"model\":\"anneal\",\"size\":[33,20],\"backend\":\"lab\"}\n"       \
    "{\"id\":2,\"op\":\"step\",\"n\":3,\"hash\":true}\n"                                           \
    "{\"id\":3,\"op\":\"change\",\"backend\":\"reference\"}\n{\"id\":4,\"op\":\"reset\"}\n"        \
    "{\"id\":5,\"op\":\"step\",\"n\":3,\"hash\":true}\n"
#define BENCH                                                                                      \
    "{\"id\":6,\"op\":\"bench\",\"model\":\"anneal\",\"size\":[33,20],\"seconds\":0.2,"            \
    "\"backends\":\"reference,lab\"}\n"

/* In an engine: the same states, and no speed. */
START_TEST(as_a_backend)
{
    static struct ca_lab_task task;
    const struct surroundings s = {.stdin_text = OPEN BENCH};
    const char *first, *second, *line;
    struct outcome o;

    ck_assert_ok(ca_lab_task_find(&task, "anneal-shared", &error));
    o = calab_good_in(&s, "engine --lab %s", solved(&task, NULL, ""));
    first = strstr(o.out, "\"hash\":\"");
    second = first ? strstr(first + 1, "\"hash\":\"") : NULL;
    ck_assert_msg(second && strncmp(first, second, 25) == 0, "%s", o.out);
    line = strstr(strstr(o.out, "{\"id\":6"), "\"backend\":\"lab\"");
    ck_assert_msg(line && strstr(line, "\"emulated\":true"), "%s", o.out);
}
END_TEST

/* A calab that has no emulator beside it says how to get one. */
START_TEST(no_emulator)
{
    static struct ca_lab_task task;
    char command[1000], text[2000] = "";
    const char *folder;
    FILE *out;

    ck_assert_ok(ca_lab_task_find(&task, "anneal-shared", &error));
    folder = solved(&task, NULL, "");
    snprintf(command, sizeof command, "cp '%s' '%s' && '%s' lab check '%s' 2>&1; echo status $?",
             test_program(), test_path("alone"), test_path("alone"), folder);
    out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    pclose(out);
    ck_assert_contains(text, "`make emulated` builds them", "status 8");
}
END_TEST

/* What the emulator counts of its launches, by the lab's own runner. */
START_TEST(resources)
{
    static struct ca_lab_task task;
    static struct ca_lab lab;
    struct ca_lab_resources r;
    struct ca_lab_build build;
    char text[300];

    ck_assert_ok(ca_lab_task_find(&task, "anneal-shared", &error));
    ck_assert_ok(ca_lab_read(&lab, solved(&task, NULL, ""), &error));
    ck_assert_ok(ca_lab_build_open(&build, &lab, &error));
    ck_assert_ok(ca_lab_resources(&r, &lab, &build, &error));
    ck_assert_int_eq(r.count, 1);
    ck_assert_str_eq(ca_lab_kernel_text(&r.kernel[0], text, sizeof text),
                     "anneal: 256 threads a block, 324 bytes of shared memory, occupancy 100 % at "
                     "9.0 with 32 registers");
    ca_lab_build_close(&build);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {no_emulator, as_a_backend, resources},
                     .table = {{shipped, 12}, {no_compiler, 2}, {broken, COUNT(breaks)}});
}
