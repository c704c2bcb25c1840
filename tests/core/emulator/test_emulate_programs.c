/* SPDX-License-Identifier: MIT */
/* calab emulate on whole programs: what it finds in some of tests/emulated, and how those end that
 * do not compile, crash, take too much memory or never end. `make emulated-check` runs all of them.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/support.h"

/* A kind of fault each, and right programs that are near one. */
static const char *const programs[] = {
    "blocks_race",      "reduction_race",
    "reduction_shared", "atomic_block",
    "device_unwritten", "bounds_above",
    "constant_written", "misaligned",
    "free_twice",       "barrier_divergent",
    "managed_early",    "life_ghosts",
    "groups_coalesced", "memory_failed",
    "host_strings",     "never_waited_race",
    "language",         "mapped",
    "textures",         "graph",
    "groups_partition", "cuda_barrier",
    "half_pairs",       "ptx",
    "thrust",           "random_numbers",
    "ptx_shared",       "ptx_shared_pointer",
    "ptx_carries",      "memory_probed_null",
    "race_copied_out",  "memory_no_variable",
    "kernel_stack",     "kernel_division",
    "host_crash",       "host_crash_inside",
};

/* The whole of what a shell says; malloc'd. */
static char *shell(const char *command, int *status)
{
    char text[4096] = "";
    size_t used = 0;
    FILE *out = popen(command, "r");

    ck_assert_ptr_nonnull(out);
    while (used < sizeof text - 1 && !feof(out))
        used += fread(text + used, 1, sizeof text - 1 - used, out);
    *status = pclose(out);
    return strdup(text);
}

START_TEST(program)
{
    char *said;
    int status;

    said = shell(
        test_text(
            "sh '%s' \"$CALAB emulate --limit 50\" \"$CALAB_SOURCE/tests/emulated/%s.cu\" 2>&1",
            test_source("tests/emulated/check"), programs[_i]),
        &status);
    ck_assert_msg(status == 0, "%s", said);
    ck_assert_contains(said, "1 programs, 0 of them");
    free(said);
}
END_TEST

static struct outcome emulates(const char *variable, const char *arguments)
{
    static char value[64];
    const char *const variables[] = {value, NULL};
    const struct surroundings s = {.variable = variables};

    snprintf(value, sizeof value, "%s", variable);
    return calab_in(&s, "emulate %s", arguments);
}

static const struct {
    const char *variable, *arguments;
    int status;
    const char *says, *too;
} endings[] = {
    {"CXX=/no/such/compiler", "tests/emulated/print.cu", 4, "/no/such/compiler", ""},
    {"", "tests/support/random_keys.c", 4, "random_keys.c does not compile", ""},
    {"", "no/such.cu", 8, "no/such.cu", "No such file"},
    {"", "--limit 1 tests/emulated/endless.cu", 6, "endless.cu:7", "limit"},
    {"", "tests/emulated/host_crash.cu", 139, "Segmentation fault", "host_crash.cu:12"},
    {"", "--count tests/emulated/transpose_tiled.cu", 0, "sectors", "occupancy"},
    {"", "--count --plain tests/emulated/print.cu", 2, "--count", "--plain"},
    {"", "--cc 1.0 tests/emulated/print.cu", 2, "'1.0'", "9.0"},
    {"", "--order sideways tests/emulated/print.cu", 2, "'sideways'", "random"},
    {"",
     "-O3 -arch=sm_80 -std=c++14 --use_fast_math -lineinfo -o life -DSTART=3 -D END=4 -I "
     "tests/emulated/files -lm tests/emulated/files/main.cu tests/emulated/files/count.cu "
     "tests/emulated/files/host.cpp -- 7",
     0, "3 4 7 1 1", ""},
    {"",
     "-rdc=true -DSTART=3 -DEND=4 -Itests/emulated/files tests/emulated/files/main.cu "
     "tests/emulated/files/count.cu tests/emulated/files/host.cpp",
     4, "multiple definition of `counter'", ""},
};

START_TEST(ending)
{
    struct outcome o = emulates(endings[_i].variable, endings[_i].arguments);

    ck_assert_msg(o.status == endings[_i].status, "emulate %s: status %d: %s",
                  endings[_i].arguments, o.status, o.err);
    if (!strstr(o.err, endings[_i].says) && !strstr(o.out, endings[_i].says))
        ck_abort_msg("emulate %s: %s%s", endings[_i].arguments, o.out, o.err);
    if (!strstr(o.err, endings[_i].too) && !strstr(o.out, endings[_i].too))
        ck_abort_msg("emulate %s: %s%s", endings[_i].arguments, o.out, o.err);
}
END_TEST

/* What the emulator does not have is an error of the compiler that names it and the line. */
static const struct {
    const char *source, *says;
} missing[] = {
    {"#include <cublas_v2.h>\nint main() { return 0; }\n", "calab's emulator has no cuBLAS"},
    {"#include <curand.h>\nint main() { return 0; }\n", "calab's emulator has no cuRAND"},
    {"#include <cub/device/device_scan.cuh>\nint main() { return 0; }\n",
     "calab's emulator has no CUB"},
    {"#include <cufft.h>\nint main() { return 0; }\n", "calab's emulator has no cuFFT"},
    {"#include <thrust/sort.h>\nint main() { return 0; }\n", "calab's emulator has no Thrust"},
    {"#include <curand_kernel.h>\n__global__ void k(curandState *state);\nint main() {}\n",
     "calab's emulator has only cuRAND's Philox"},
    {"int main() {\ncudaGraph_t g;\nreturn cudaGraphCreate(&g, 0);\n}\n",
     "calab's emulator has no cudaGraphCreate"},
    {"\n\ntexture<float> texels;\nint main() { return 0; }\n",
     "calab's emulator has no texture references"},
    {"__global__ void k() {}\n__global__ void p() {\nk<<<1, 1>>>(); }\nint main() {}\n",
     "missing.cu:3: error: calab's emulator has no dynamic parallelism"},
    {"__device__ void f() {\nasm(\"exit;\"); }\nint main() {}\n",
     "missing.cu:2: error: calab's emulator has no inline PTX with 'exit'"},
    {"int main() { return cuInit(0); }\n", "cuInit"},
};

START_TEST(missing_is_named)
{
    const char *path = test_path("missing.cu");
    struct outcome o;

    test_write(path, missing[_i].source, strlen(missing[_i].source));
    o = emulates("CUDA_HOME=/no/such/toolkit", path);
    ck_assert_int_eq(o.status, 4);
    ck_assert_contains(o.err, missing[_i].says, "missing.cu");
}
END_TEST

/* --- counts ----------------------------------------------------------------------------------- */

/* Of tests/emulated/counts.cu, a warp each: what the transactions of coalesced and strided accesses
 * are by the CUDA C++ Best Practices Guide. */
static const struct {
    const char *kernel, *loads, *stores; /* of global or shared memory */
    int units[2], conflicts;             /* sectors or passes of a request; of each */
} counts[] = {
    {"row", "global_loads_sectors", "global_stores_sectors", {4, 4}, -1},
    {"shifted", "global_loads_sectors", "global_stores_sectors", {5, 4}, -1},
    {"every_second", "global_loads_sectors", "global_stores_sectors", {8, 4}, -1},
    {"column", "global_loads_sectors", "global_stores_sectors", {32, 32}, -1},
    {"same", "global_loads_sectors", "global_stores_sectors", {1, 4}, -1},
    {"vectors", "global_loads_sectors", "global_stores_sectors", {16, 16}, -1},
    {"bytes", "global_loads_sectors", "global_stores_sectors", {1, 1}, -1},
    {"banks_1", "shared_loads_passes", "shared_stores_passes", {1, 1}, 0},
    {"banks_2", "shared_loads_passes", "shared_stores_passes", {2, 2}, 1},
    {"banks_3", "shared_loads_passes", "shared_stores_passes", {1, 1}, 0},
    {"banks_32", "shared_loads_passes", "shared_stores_passes", {32, 32}, 31},
};

static json_int_t count_of(const json_t *kernel, const char *key)
{
    return json_integer_value(json_object_get(kernel, key));
}

/* All that kernel column does is at one line, which is told with its counts. */
static void expect_line(const json_t *kernel)
{
    const json_t *lines = json_object_get(kernel, "lines"), *line;
    json_int_t sectors = 0, at_line = 0;
    size_t i;

    json_array_foreach(lines, i, line)
    {
        sectors += count_of(line, "global_loads_sectors");
        if (count_of(line, "global_loads_lanes") != 32)
            continue;
        at_line = json_whole(line, "line");
        ck_assert_contains(json_text(line, "file"), "counts.cu");
    }
    ck_assert_int_eq(sectors, 32);
    ck_assert_int_eq(at_line, 11);
    ck_assert_int_eq(count_of(kernel, "global_loads_lanes"), 32);
}

START_TEST(counts_what_a_gpu_does)
{
    struct outcome o = emulates("", "--count --json tests/emulated/counts.cu");
    json_t *root = outcome_json(&o), *kernel;
    size_t found = 0, at;

    ck_assert_msg(o.status == 0 && root, "status %d: %s%s", o.status, o.out, o.err);
    json_array_foreach(json_object_get(root, "kernels"), at, kernel)
    {
        const char *name = json_text(kernel, "kernel");

        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            if (strcmp(name, counts[i].kernel) != 0)
                continue;
            found++;
            ck_assert_msg(count_of(kernel, counts[i].loads) == counts[i].units[0] &&
                              count_of(kernel, counts[i].stores) == counts[i].units[1],
                          "%s: %d and %d", name, (int)count_of(kernel, counts[i].loads),
                          (int)count_of(kernel, counts[i].stores));
            if (strcmp(name, "column") == 0)
                expect_line(kernel);
            if (counts[i].conflicts < 0)
                continue;
            ck_assert_int_eq(count_of(kernel, "shared_loads"), 1);
            ck_assert_int_eq(count_of(kernel, "shared_loads_conflicts"), counts[i].conflicts);
            ck_assert_int_eq(count_of(kernel, "shared_stores_conflicts"), counts[i].conflicts);
        }
    }
    ck_assert_uint_eq(found, sizeof counts / sizeof *counts);
}
END_TEST

/* The program that rewrote this build's kernels refuses what it cannot rewrite. */
static const struct {
    const char *command, *says;
} unwritten[] = {
    {"printf 'void f() { k<<<1>>>(); }' | %s", "source:1: error: between <<< and >>>"},
    {"%s </dev/null", "standard input has no source"},
    {"printf 'int a;\\0' | %s", "one with a NUL in it"},
    {"echo 'int a;' | %s >/dev/full", "standard output: No space left"},
};

START_TEST(host_rewriter_refuses)
{
    char command[1024], *said;
    const char *tool = test_source("build/host/rewrite-cuda");
    int status, length = (int)strcspn(unwritten[_i].command, "%");

    snprintf(command, sizeof command, "exec 2>&1; %.*s'%s'%s; exit $?", length,
             unwritten[_i].command, tool, unwritten[_i].command + length + 2);
    said = shell(command, &status);
    ck_assert_int_eq(WEXITSTATUS(status), 1);
    ck_assert_contains(said, unwritten[_i].says);
    free(said);
}
END_TEST

START_TEST(too_much_memory)
{
    struct outcome o = emulates("", "tests/emulated/memory_100_gb.cu");

    ck_assert_msg(o.status == 0 || o.status == 1, "status %d: %s", o.status, o.err);
    ck_assert_contains(o.out, "memory");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {too_much_memory, counts_what_a_gpu_does},
                     .table = {{program, COUNT(programs)},
                               {ending, COUNT(endings)},
                               {missing_is_named, COUNT(missing)},
                               {host_rewriter_refuses, COUNT(unwritten)}});
}
