/* SPDX-License-Identifier: MIT */
/*
 * The CUDA backends of life3d: rows that sweeps are made for (4 to 32 lanes of two words and 32 of
 * four; periodic, dead and partial), blocks of any number of layers, the last of which share rows;
 * copies to the host and memory anew; two generations a pass; overlapped tiles; lattices held by a
 * cluster or a block; all sorts of rules; what each backend plans, and what it refuses.
 */
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

#define NAIVE "cuda-naive"
#define SHARED "cuda-shared"
#define BITSLICE "cuda-bitslice"
#define TEMPORAL "cuda-temporal"
#define OVERLAPPED "cuda-overlapped"
#define PERSISTENT "cuda-persistent"

static const struct kernel_case table[] = {
    {NAIVE, "20x9x7", "copies=pinned"},
    {NAIVE, "33x5x8", "copies=pageable boundary=dead"},
    {NAIVE, "20x9x7", "copies=program"},
    {SHARED, "17x8x9", "copies=pinned boundary=dead"},
    {SHARED, "24x9x8", "copies=pageable"},
    {SHARED, "17x8x9", "copies=program boundary=dead"},
    {BITSLICE, "256x33x5", NULL}, /* periodic rows of 4 lanes */
    {BITSLICE, "256x129x4", "layers=2 boundary=dead"},
    {BITSLICE, "129x7x6", "layers=3 density=0.2 rule=3D4,5/5"},
    {BITSLICE, "200x4x9", "boundary=dead rule=3D4,7/5,8"},
    {BITSLICE, "256x40x8", NULL},
    {BITSLICE, "512x9x5", NULL}, /* periodic rows of 8 lanes */
    {BITSLICE, "512x66x7", "layers=3 boundary=dead"},
    {BITSLICE, "512x100x7", NULL},
    {BITSLICE, "300x7x6", "layers=1 density=0.2 rule=3D4,5/5"}, /* partial */
    {BITSLICE, "511x5x4", "boundary=dead density=0.2 rule=3D5..7/6"},
    {BITSLICE, "513x6x5", "layers=2"}, /* of 16 */
    {BITSLICE, "1024x35x4", "rule=3D4,7/5,8"},
    {BITSLICE, "1025x17x6", "layers=4 rule=3D2..9/4..6"}, /* of 32 */
    {BITSLICE, "2048x5x9", "layers=2 boundary=dead rule=3D4,7/5,8"},
    {BITSLICE, "2048x4x4", "rule=3D0..26/"},
    {BITSLICE, "2049x6x4", NULL}, /* four words a lane */
    {BITSLICE, "4096x9x5", "layers=2 boundary=dead"},
    {BITSLICE, "4096x4x6", "density=0.2 rule=3D5..7/6"},
    {BITSLICE, "4096x30x8", NULL},
    {BITSLICE, "4097x5x4", NULL}, /* a word a thread */
    {BITSLICE, "300x3x9", "boundary=dead"},
    {BITSLICE, "256x9x1", NULL},
    {BITSLICE, "64x30x9", NULL},
    {TEMPORAL, "512x124x8", NULL}, /* a block has all rows of a layer */
    {TEMPORAL, "512x125x9", "layers=4 boundary=dead"},
    {TEMPORAL, "300x130x8", "layers=1 rule=3D4,5/5 density=0.2"},
    {TEMPORAL, "1024x61x9", "layers=3 rule=3D5..7/6 density=0.2"},
    {TEMPORAL, "1000x60x10", "boundary=dead rule=3D4,7/5,8"},
    {TEMPORAL, "2048x28x8", "boundary=dead"},
    {TEMPORAL, "2048x57x9", "layers=5"},
    {TEMPORAL, "1030x40x8", "boundary=dead rule=3D2..9/4..6"},
    {TEMPORAL, "2048x57x9", NULL},
    {OVERLAPPED, "32x32x129", NULL},
    {OVERLAPPED, "64x64x32", "generations=4"},
    {OVERLAPPED, "128x25x9", "generations=4"},
    {OVERLAPPED, "96x20x24", "generations=7 rule=3D4,7/5,8"}, /* which need calls of so many */
    {OVERLAPPED, "32x33x6", "generations=2 boundary=dead"},
    {OVERLAPPED, "128x57x25", "generations=2 boundary=dead rule=3D5..7/6"},
    {OVERLAPPED, "100x26x11", "generations=3 density=0.2 rule=3D4,5/5"},
    {OVERLAPPED, "63x35x17", "generations=5 boundary=dead density=0.2 rule=3D2..9/4..6"},
    {OVERLAPPED, "33x1x1", "generations=7"},
    {OVERLAPPED, "3x33x70", "generations=6 boundary=dead"},
    {OVERLAPPED, "90x70x3", "generations=7"},
    {OVERLAPPED, "64x30x9", "generations=1"},
    {OVERLAPPED, "20x31x100", "boundary=dead rule=3D4,5/5"},
    {OVERLAPPED, "32x32x32", NULL}, /* lattices that cuda-persistent holds too */
    {OVERLAPPED, "1x1x1", NULL},
    {OVERLAPPED, "3x2x70", "generations=6 boundary=dead rule=3D2..9/4..6"},
    {PERSISTENT, "32x32x32", NULL}, /* a cluster */
    {PERSISTENT, "32x32x31", "rule=3D4,5/5"},
    {PERSISTENT, "32x32x64", "boundary=dead"},
    {PERSISTENT, "32x32x33", "boundary=dead rule=3D4,5/5"},
    {PERSISTENT, "31x30x8", "rule=3D4,7/5,8"},
    {PERSISTENT, "17x32x77", "boundary=dead rule=3D5..7/6"},
    {PERSISTENT, "32x9x128", "density=0.2 rule=3D2..9/4..6"},
    {PERSISTENT, "3x2x70", "boundary=dead rule=3D2..9/4..6"},
    {PERSISTENT, "1x1x9", NULL},
    {PERSISTENT, "32x1x101", "rule=3D4,5/5"},
    {PERSISTENT, "17x32x7", "boundary=dead rule=3D4,5/5"},
    {PERSISTENT, "1x1x4", NULL},
    {PERSISTENT, "32x32x3", NULL}, /* one block */
    {PERSISTENT, "20x31x1", "boundary=dead rule=3D4,7/5,8"},
};

/* In calls of one generation, of as many as a pass has, and of what leaves a remainder. */
START_TEST(sizes)
{
    static const uint64_t calls[] = {1, 2, 5, 4, 7, 3, 6, 0};

    kernel_check_case("life3d", &table[_i], NULL, calls);
}
END_TEST

static enum ca_status plan(const char *backend, struct ca_size size, struct ca_plan *plan,
                           struct ca_error *cause)
{
    char text[64];
    struct ca_experiment experiment =
        kernel_experiment("life3d", backend, ca_size_format(text, size, 3), NULL, 1, NULL);
    struct ca_setup setup = ca_setup_of(&experiment);

    return setup.backend->stepper->plan(&setup, plan, cause);
}

static void check_plan(const struct ca_backend *backend, struct ca_size size)
{
    struct ca_plan planned;

    ck_assert_ok(plan(backend->name, size, &planned, &error));
    ck_assert_int_ne(planned.variant[0], 0);
    ck_assert_int_ge(planned.generations, 1);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_ge(planned.grid[i], 1);
        ck_assert_uint_ge(planned.block[i], 1);
    }
    if (strcmp(backend->name, TEMPORAL) == 0) {
        ck_assert_int_eq(planned.generations, 2);
        ck_assert_double_gt(planned.step_s, 0);
    }
}

/* The sizes that stand for a backend in checks reach its kernel by default; others take any. */
START_TEST(small_sizes)
{
    const struct ca_model *model = test_model("life3d");

    for (const struct ca_backend *backend = model->backends; backend->name; backend++) {
        if (backend->device != CA_CUDA)
            continue;
        for (const struct ca_size *size = backend->small_sizes; size && size->w > 0; size++)
            check_plan(backend, *size);
        if (!backend->small_sizes)
            check_plan(backend, (struct ca_size){20, 20, 20});
    }
}
END_TEST

struct refusal {
    const char *backend;
    struct ca_size size;
    const char *text;
};

static void check_refused(const struct refusal *refusal)
{
    struct ca_plan planned;

    ck_assert_int_eq(plan(refusal->backend, refusal->size, &planned, &error), CA_USAGE);
    ck_assert_str_eq(error.text, refusal->text);
}

START_TEST(refused)
{
    static const struct refusal refusals[] = {
        {TEMPORAL, {256, 40, 8}, "cuda-temporal takes rows of 257 to 2048 cells: 256 is not"},
        {TEMPORAL, {4096, 30, 8}, "cuda-temporal takes rows of 257 to 2048 cells: 4096 is not"},
        {TEMPORAL, {512, 124, 7}, "cuda-temporal takes lattices of at least 8 layers: 7 are less"},
        {TEMPORAL,
         {512, 100, 8},
         "cuda-temporal takes at least 124 rows of 512 cells, as many as a block steps: 100 are "
         "less"},
        {TEMPORAL, {512, 3, 8}, "cuda-temporal takes 28 to 2^30 rows: 3 are not"},
        {OVERLAPPED,
         {129, 20, 20},
         "cuda-overlapped keeps whole rows of up to 128 cells in registers: 129 are more"},
        {OVERLAPPED,
         {1, 1, 65536},
         "cuda-overlapped takes up to 2147483647 rows and 65535 layers: 1x65536 are more"},
        {PERSISTENT,
         {33, 20, 20},
         "cuda-persistent keeps layers of up to 32x32 cells in registers: 33x20 are more"},
        {PERSISTENT,
         {32, 32, 129},
         "cuda-persistent keeps up to 128 layers on chip, 8 in each of 16 blocks of a cluster: 129 "
         "are more"},
    };

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        check_refused(&refusals[i]);
}
END_TEST

/* A cluster: each remainder of its two buffers. */
START_TEST(in_every_order)
{
    static const char *const orders[] = {"reverse", "random:1", "random:2", "random:3"};
    static const char *const rows[][2] = {
        {"32x32x16", NULL}, {"20x32x9", "boundary=dead"}, {"32x9x70", NULL}};
    static const uint64_t calls[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0};

    kernel_check_where("CALAB_EMULATED_ORDER", orders[_i], "life3d", PERSISTENT, rows,
                       sizeof rows / sizeof *rows, calls);
}
END_TEST

/* Where clusters have no more than so many blocks: 1 is as before compute capability 9.0. */
START_TEST(small_clusters)
{
    static const char *const most[] = {"1", "2", "7", "8"};
    static const char *const rows[][2] = {{"32x32x32", NULL},
                                          {"32x32x64", "boundary=dead"},
                                          {"31x20x40", "rule=3D4,7/5,8"},
                                          {"17x32x7", "boundary=dead rule=3D4,5/5"}};
    static const uint64_t calls[] = {5, 2, 0};

    kernel_check_where("CALAB_EMULATED_CLUSTER", most[_i], "life3d", PERSISTENT, rows,
                       sizeof rows / sizeof *rows, calls);
    check_refused(&(struct refusal){PERSISTENT,
                                    {20, 31, 100},
                                    "cuda-persistent needs a cluster of 13 blocks for 100 layers, "
                                    "which GPU 0 does not run; one block keeps up to 64"});
}
END_TEST

START_TEST(slabs)
{
    static const char *const cases[][2] = {
        {BITSLICE, "300x5x40"},   {BITSLICE, "512x124x40"}, {BITSLICE, "2048x28x40"},
        {BITSLICE, "20x9x40"},    {BITSLICE, "64x30x40"},   {TEMPORAL, "512x124x40"},
        {TEMPORAL, "2048x28x40"}, {OVERLAPPED, "64x30x40"}, {PERSISTENT, "20x9x40"}};
    struct ca_experiment experiment =
        kernel_experiment("life3d", cases[_i][0], cases[_i][1], NULL, test_seed(), "generations=2");

    kernel_check_slabs(&experiment, 4, true, 2);
}
END_TEST

/* 64 KiB of shared memory for a block, where cuda-temporal takes 80 and cuda-bitslice 36. */
START_TEST(little_shared_memory)
{
    static const uint64_t calls[] = {3, 0};
    struct ca_experiment experiment;

    setenv("CALAB_EMULATED_SHARED", "65536", 1);
    check_refused(&(struct refusal){TEMPORAL,
                                    {1024, 61, 9},
                                    "cuda-temporal needs 81920 bytes of shared memory a block, GPU "
                                    "0 has 65536"});
    experiment = kernel_experiment("life3d", BITSLICE, "1024x61x9", NULL, test_seed(), NULL);
    kernel_check_same(&experiment, calls);
}
END_TEST

/*
 * copies=program takes memory for both copies of the lattice in each generation, and says so where
 * there is none; what is left can be closed.
 */
START_TEST(takes_memory_each_generation)
{
    struct ca_experiment experiment =
        kernel_experiment("life3d", NAIVE, "20x9x7", NULL, test_seed(), "copies=program");
    struct ca_lattice start;
    struct kernel kernel;

    ck_assert_ok(ca_initial_state(&experiment, &start, &error));
    kernel_open(&kernel, &experiment);
    kernel_load(&kernel, &start);
    setenv("CALAB_EMULATED_FAIL", _i == 0 ? "cudaMalloc:5" : "cudaMalloc:6", 1);
    kernel_step(&kernel, 2);
    ck_assert_int_eq(kernel.backend->stepper->step(kernel.self, 2, 1, &error), CA_CUDA_FAILED);
    ck_assert_str_eq(error.text, "GPU 0: memory for a generation: out of memory "
                                 "(cudaErrorMemoryAllocation)");
    kernel_close(&kernel);
    ca_lattice_free(&start);
}
END_TEST

/* Widths at and beside the ends of words, lanes and groups of four words; few rows and layers, in
 * rows of words and in rows that are laid out for sweeps. */
static const char *const start_sizes[] = {
    "1x1x1",   "31x3x2",  "32x1x9",  "33x2x5",  "63x2x4",  "64x5x3",  "65x4x4",   "127x2x6",
    "128x6x1", "129x4x4", "130x3x4", "191x5x4", "200x4x6", "300x5x4", "2049x4x4", "2170x4x5"};

/* Each size with one of the settings, in turn. */
START_TEST(starts)
{
    static const char *const densities[] = {"density=0", "density=0.3 boundary=dead", "density=1"};

    kernel_check_starts("life3d", start_sizes[_i], NULL, densities[_i % 3]);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 300, .test = {small_sizes, refused, little_shared_memory},
                     .table = {{sizes, COUNT(table)},
                               {in_every_order, 4},
                               {small_clusters, 4},
                               {slabs, 9},
                               {takes_memory_each_generation, 2},
                               {starts, COUNT(start_sizes)}});
}
