/* SPDX-License-Identifier: MIT */
/*
 * Plans of all CPU backends: what is said before memory is taken is what an instance reports, and
 * the memory that is said is the memory that is taken. And the bounds of what they take, on CPUs
 * and GPUs, which random draws of events raise.
 */
#include <malloc.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/bench/cost.h"
#include "core/machine/device.h"
#include "core/model/registry.h"
#include "kernels/cuda/bound.h"
#include "kernels/moore/overlap.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

/* Beside the planned memory: instances, thread pools, the C library's rounding and thread stacks'
 * bookkeeping. */
#define SLACK_BYTES (INT64_C(64) << 10)
#define SLACK_BYTES_PER_THREAD (INT64_C(8) << 10)

static const char *const settings[] = {
    "threads=1", "threads=2", "threads=0", "threads=1 generations=5", "threads=3 generations=2",
};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

static const char *const flat[] = {"2x2", "64x4", "70x36", "512x512", "4100x1030", NULL};
static const char *const deep[] = {"2x2x2", "32x32x9", "70x40x20", "128x64x33", "260x200x70", NULL};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* The sanitizers' allocators have no statistics. */
static bool can_measure_memory(void) { return false; }
static int64_t allocated_bytes(void) { return 0; }
#else
static bool can_measure_memory(void) { return true; }

static int64_t mapped_bytes; /* by calab's own calls, which reach these two functions */

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    long memory = syscall(SYS_mmap, at, bytes, protection, flags, file, offset);

    mapped_bytes += memory == -1 ? 0 : (int64_t)bytes;
    return (void *)memory;
}

int munmap(void *at, size_t bytes)
{
    mapped_bytes -= (int64_t)bytes;
    return (int)syscall(SYS_munmap, at, bytes);
}

static int64_t allocated_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return (int64_t)info.uordblks + (int64_t)info.hblkhd + mapped_bytes;
}
#endif

/* Field by field, since the padding of structs is not compared. */
static void check_equal(const struct ca_plan *a, const struct ca_plan *b)
{
    ck_assert_str_eq(a->variant, b->variant);
    ck_assert_int_eq(a->generations, b->generations);
    ck_assert_int_eq(a->threads, b->threads);
    ck_assert_int_eq(a->vector_bits, b->vector_bits);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(a->grid[i], b->grid[i]);
        ck_assert_uint_eq(a->block[i], b->block[i]);
    }
    ck_assert_uint_eq(a->cluster, b->cluster);
    ck_assert_int_eq(a->shared_bytes, b->shared_bytes);
    ck_assert_int_eq(a->memory_bytes, b->memory_bytes);
    ck_assert(a->bytes_per_cell_step == b->bytes_per_cell_step);
    ck_assert(a->ops_per_cell_step == b->ops_per_cell_step);
    ck_assert(a->step_s == b->step_s);
}

/* What the name of a backend says of its vectors; -1: nothing. */
static int bits_of_name(const char *name)
{
    return strstr(name, "avx512") ? 512 : strstr(name, "avx") ? 256 : -1;
}

static void check_plan(const struct ca_experiment *experiment, const char *size,
                       const char *setting)
{
    const struct ca_backend *backend = experiment->backend;
    struct ca_setup setup = ca_setup_of(experiment);
    struct ca_plan planned, reported;
    int64_t before, taken;
    void *self;

    memset(&planned, 0x55, sizeof planned);
    memset(&reported, 0xaa, sizeof reported);
    ck_assert_int_eq(backend->stepper->plan(&setup, &planned, &error), CA_OK);
    before = allocated_bytes();
    ck_assert_int_eq(backend->stepper->create(&self, &setup, &error), CA_OK);
    taken = allocated_bytes() - before;
    backend->stepper->report(self, &reported);
    backend->stepper->destroy(self);
    ck_assert_int_le(allocated_bytes(), before + SLACK_BYTES); /* all is given back */

    check_equal(&planned, &reported);
    ck_assert_str_ne(planned.variant, "");
    ck_assert_int_ge(planned.generations, 1);
    ck_assert_int_ge(planned.threads, 1);
    if (strstr(setting, "threads=0"))
        ck_assert_int_le(planned.threads, ca_cpu_cores());
    if (bits_of_name(backend->name) >= 0)
        ck_assert_int_eq(planned.vector_bits, bits_of_name(backend->name));
    ck_assert(planned.bytes_per_cell_step * planned.generations >
              0.999 * backend->bytes_per_cell_step);
    if (can_measure_memory()) {
        int64_t slack = SLACK_BYTES + planned.threads * SLACK_BYTES_PER_THREAD;

        ck_assert_msg(taken >= planned.memory_bytes && taken <= planned.memory_bytes + slack,
                      "%s %s %s, %s: planned %lld bytes, took %lld", experiment->model->name,
                      backend->name, size, setting, (long long)planned.memory_bytes,
                      (long long)taken);
    }
}

START_TEST(plans_are_reports)
{
    const struct ca_model *model = ca_models[_i];
    const char *const *sizes = model->dimensions == 3 ? deep : flat;

    for (const struct ca_backend *b = model->backends; b->name; b++) {
        if (b->device != CA_CPU || ca_backend_available(b, &error) != CA_OK)
            continue;
        for (int s = 0; sizes[s]; s++)
            for (int i = 0; i < SETTINGS; i++) {
                struct ca_experiment experiment =
                    kernel_experiment(model->name, b->name, sizes[s], NULL, 1, settings[i]);

                check_plan(&experiment, sizes[s], settings[i]);
            }
    }
}
END_TEST

/* A plan takes no memory, so that lattices beyond any machine's can be planned. */
START_TEST(plans_take_no_memory)
{
    const struct ca_model *model = ca_models[_i];

    for (const struct ca_backend *b = model->backends; b->name; b++) {
        struct ca_experiment experiment;
        struct ca_setup setup;
        struct ca_plan plan;
        double cells = 1e12;

        if (b->device != CA_CPU)
            continue;
        experiment = kernel_experiment(
            model->name, b->name, model->dimensions == 3 ? "10000x10000x10000" : "1000000x1000000",
            NULL, 1, "threads=4");
        setup = ca_setup_of(&experiment);
        ck_assert_int_eq(b->stepper->plan(&setup, &plan, &error), CA_OK);
        ck_assert_msg((double)plan.memory_bytes >= 0.999 * cells * b->memory_bytes_per_cell &&
                          (double)plan.memory_bytes <= 1.3 * cells * b->memory_bytes_per_cell,
                      "%s %s: %lld bytes", model->name, b->name, (long long)plan.memory_bytes);
    }
}
END_TEST

/* --- costs ----------------------------------------------------------------------------------- */

/* One generation, by the plan of a backend with vectors of so many bits. */
static double bound_of(const char *backend, const char *params, int bits, int *draws)
{
    struct ca_experiment experiment =
        kernel_experiment("cloud", backend, "64x64x20", NULL, 1, params);
    const struct ca_plan plan = {.generations = 1,
                                 .threads = 1,
                                 .vector_bits = bits,
                                 .ops_per_cell_step = experiment.backend->ops_per_cell_step,
                                 .bytes_per_cell_step = experiment.backend->bytes_per_cell_step};

    if (draws)
        *draws = ca_event_draws(&experiment.params);
    return ca_cost_step(&experiment, &plan);
}

START_TEST(draws_are_counted)
{
    static const struct {
        const char *params;
        int draws;
    } cases[] = {
        {"p_ext=0", 0},
        {"p_ext=1", 0},
        {"p_ext=0.5", 1},
        {"p_hum=0.75", 2},
        {"p_act=0.01", 16}, /* 655 */
        {"p_ext=0.01 p_hum=0.5 p_act=1", 17},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int draws;

        bound_of("bitslice", cases[i].params, 64, &draws);
        ck_assert_msg(draws == cases[i].draws, "%s: %d draws", cases[i].params, draws);
    }
}
END_TEST

START_TEST(events_cost_time)
{
    static const struct {
        const char *name;
        int bits;
    } backends[] = {
        {"reference", 0}, {"bitslice", 64}, {"bitslice-avx2", 256}, {"bitslice-avx512", 512}};
    double wider = INFINITY;

    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
        const char *name = backends[i].name;
        int bits = backends[i].bits;
        double growth = bound_of(name, NULL, bits, NULL);
        double half = bound_of(name, "p_ext=0.5", bits, NULL);
        double hundredth = bound_of(name, "p_ext=0.01", bits, NULL);
        double three = bound_of(name, "p_ext=0.01 p_hum=0.01 p_act=0.01", bits, NULL);

        ck_assert_msg(0 < growth && growth < half && half < hundredth && hundredth < three,
                      "%s: %g %g %g %g", name, growth, half, hundredth, three);
        ck_assert_msg(growth < wider, "%s: %g, before it %g", name, growth, wider);
        wider = growth;
    }
}
END_TEST

/* By the facts of a core in core/bench/cost.c: 10^6 cells, of whose logic and memory the longer
 * counts. */
static const struct {
    struct ca_plan plan;
    double us;
} costs[] = {
    {{.generations = 1, .threads = 1, .ops_per_cell_step = 16}, 1000 + 0.05},
    {{.generations = 1, .threads = 0, .ops_per_cell_step = 16}, 1000 + 0.05},
    {{.generations = 4, .threads = 1, .ops_per_cell_step = 16}, 1000 + 0.05 / 4},
    {{.generations = 1, .threads = 2, .ops_per_cell_step = 16}, 500 + 0.35},
    {{.generations = 1, .threads = 5, .ops_per_cell_step = 16}, 200 + 0.35},
    {{.generations = 1, .threads = 1, .vector_bits = 64, .ops_per_cell_step = 16}, 1000 + 0.05},
    {{.generations = 1, .threads = 1, .vector_bits = 128, .ops_per_cell_step = 24}, 1000 + 0.05},
    {{.generations = 1, .threads = 1, .vector_bits = 256, .ops_per_cell_step = 48}, 1000 + 0.05},
    {{.generations = 1, .threads = 1, .vector_bits = 512, .ops_per_cell_step = 64}, 1000 + 0.05},
    {{.generations = 1, .threads = 1, .bytes_per_cell_step = 20, .memory_bytes = 32000000},
     1000 + 0.05},
    {{.generations = 1, .threads = 1, .bytes_per_cell_step = 20, .memory_bytes = 31999999}, 0.05},
    {{.generations = 1, .threads = 3, .bytes_per_cell_step = 60, .memory_bytes = 32000000},
     1000 + 0.35},
    {{.generations = 1, .threads = 20, .bytes_per_cell_step = 400, .memory_bytes = 32000000},
     1000 + 0.35},
    {{.generations = 1, .threads = 40, .bytes_per_cell_step = 400, .memory_bytes = 32000000},
     1000 + 0.35},
    {{.generations = 1,
      .threads = 1,
      .ops_per_cell_step = 32,
      .bytes_per_cell_step = 20,
      .memory_bytes = 32000000},
     2000 + 0.05},
    {{.generations = 1, .threads = 1, .ops_per_cell_step = 16, .step_s = 7e-6}, 7},
};

START_TEST(costs_by_hand)
{
    struct ca_experiment experiment =
        kernel_experiment("cloud", "reference", "100x100x100", NULL, 1, "p_ext=0");
    double us = 1e6 * ca_cost_step(&experiment, &costs[_i].plan);

    ck_assert_msg(fabs(us - costs[_i].us) < 1e-9 * costs[_i].us, "%.12g, expected %.12g", us,
                  costs[_i].us);
}
END_TEST

/* A draw of 32 bits for 128 cells takes 60 operations of 32 bits. */
START_TEST(a_draw_by_hand)
{
    const struct ca_plan plan = {.generations = 1, .threads = 1};
    struct ca_experiment experiment =
        kernel_experiment("cloud", "reference", "100x100x100", NULL, 1, "p_ext=0.01");
    double us = 1e6 * ca_cost_step(&experiment, &plan);
    double expected = 16 * 60 / 128.0 / 2 * 1e6 / 16e9 * 1e6 + 0.05;

    ck_assert_msg(fabs(us - expected) < 1e-9 * expected, "%.12g, expected %.12g", us, expected);
}
END_TEST

/* --- bounds of GPUs -------------------------------------------------------------------------- */

static const struct ca_cuda_device gpu = {.multiprocessors = 100,
                                          .clock_mhz = 1000,
                                          .l2_bytes = 50000000,
                                          .bytes_a_clock = 1000,
                                          .l2_bytes_a_clock = 4000,
                                          .launch_s = 2e-6};

/* A kernel that fills the GPU, of 2 generations a pass. */
static const struct cuda_shape full = {.generations = 2,
                                       .blocks = 100000,
                                       .warps = 8,
                                       .resident = 8,
                                       .ops = 6400,
                                       .held = 1e9,
                                       .moved = 1e9};

static double pass_s(struct cuda_shape shape) { return 2 * cuda_bound_s(&gpu, &shape); }

static bool near_to(double a, double b) { return a > b / 1.1 && a < b * 1.1; }

/* The longer of logic and memory: 1000 blocks a multiprocessor of 100 clocks each, 10^6 clocks of
 * memory, or a quarter of them in L2. */
START_TEST(bounds_are_the_longer)
{
    struct cuda_shape shape = full;

    ck_assert_msg(near_to(pass_s(shape), 1e-3), "%g", pass_s(shape));
    shape.ops *= 20;
    ck_assert_msg(near_to(pass_s(shape), 2e-3), "%g", pass_s(shape));
    shape.ops = 6400;
    shape.held = 1e6;
    ck_assert_msg(near_to(pass_s(shape), 2.5e-4), "%g", pass_s(shape));
    shape.moved = 0;
    ck_assert_msg(near_to(pass_s(shape), 1e-4), "%g", pass_s(shape));
}
END_TEST

/* Of memory and logic that take 10^6 clocks each, a part is one after the other; launches, barriers
 * and what takes no time are as before. */
START_TEST(bounds_that_overlap_in_part)
{
    struct cuda_shape shape = full;

    shape.ops *= 10;
    ck_assert_msg(near_to(2 * moore_overlap_s(&gpu, &shape), 1.414e-3), "%g", pass_s(shape));
    shape.moved = 0;
    ck_assert_double_eq_tol(2 * moore_overlap_s(&gpu, &shape), pass_s(shape), 1e-12);
    shape.launches = shape.barriers = 10;
    ck_assert_double_eq_tol(2 * moore_overlap_s(&gpu, &shape), pass_s(shape), 1e-12);
    shape.moved = full.moved;
    shape.ops = 0;
    ck_assert_double_eq_tol(2 * moore_overlap_s(&gpu, &shape), pass_s(shape), 1e-12);
}
END_TEST

/* A block more than there are multiprocessors takes twice as long, and few warps take longer. */
START_TEST(bounds_count_waves_and_warps)
{
    struct cuda_shape shape = {
        .generations = 2, .blocks = 100, .warps = 32, .resident = 1, .ops = 6400e4};
    double one = pass_s(shape), few;

    shape.blocks = 101;
    ck_assert_double_eq_tol(pass_s(shape), 2 * one, one * 1e-9);
    shape.blocks = 100;
    shape.warps = 4;
    few = pass_s(shape);
    ck_assert(few > 1.2 * one);
    shape.warps = 1;
    ck_assert_double_eq_tol(pass_s(shape), 4 * few, few * 1e-9);
}
END_TEST

START_TEST(bounds_count_launches_and_barriers)
{
    struct cuda_shape shape = {.generations = 2, .blocks = 100, .warps = 8}, empty = shape;
    double launch_s, barriers_s, clusters_s;

    ck_assert(pass_s(empty) == 0);
    shape.launches = 1;
    launch_s = pass_s(shape);
    ck_assert(launch_s > gpu.launch_s);
    shape.launches = 2;
    ck_assert_double_eq_tol(pass_s(shape), launch_s + gpu.launch_s, 1e-12);
    empty.barriers = 10;
    barriers_s = pass_s(empty);
    empty.clusters = 10;
    ck_assert(pass_s(empty) > 2 * barriers_s);
    empty.blocks = 101; /* one block at once: the barriers of two follow each other */
    empty.clusters = 0;
    ck_assert_double_eq_tol(pass_s(empty), 2 * barriers_s, 1e-12);
    empty.resident = 2;
    ck_assert_double_eq_tol(pass_s(empty), barriers_s, 1e-12);
    empty.blocks = 201;
    ck_assert_double_eq_tol(pass_s(empty), 2 * barriers_s, 1e-12);
    empty.barriers = 0;
    empty.clusters = 1;
    clusters_s = pass_s(empty);
    empty.blocks = 1000; /* all blocks of a cluster run at once */
    ck_assert_double_eq_tol(pass_s(empty), clusters_s, 1e-12);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {draws_are_counted, events_cost_time, a_draw_by_hand,
                              bounds_are_the_longer, bounds_that_overlap_in_part,
                              bounds_count_waves_and_warps, bounds_count_launches_and_barriers},
                     .table = {{plans_are_reports, test_models()},
                               {plans_take_no_memory, test_models()},
                               {costs_by_hand, COUNT(costs)}});
}
