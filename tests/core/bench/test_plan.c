/* SPDX-License-Identifier: MIT */
/*
 * Plans of all CPU backends: what is said before memory is taken is what an instance reports, and
 * the memory that is said is the memory that is taken. And what they are predicted to cost, which
 * random draws of events raise.
 */
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/bench/cost.h"
#include "core/machine/device.h"
#include "core/model/registry.h"
#include "kernels/cuda/cost.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

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
    struct ca_error error;
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
        struct ca_error error;

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
        struct ca_error error;
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

/* One generation, by a plan of one thread, which needs no CPU that runs the backend. */
static double predicted(const char *backend, const char *params, int *draws)
{
    struct ca_experiment experiment =
        kernel_experiment("cloud", backend, "64x64x20", NULL, 1, params);
    const struct ca_plan plan = {.generations = 1, .threads = 1};

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

        predicted("bitslice", cases[i].params, &draws);
        ck_assert_msg(draws == cases[i].draws, "%s: %d draws", cases[i].params, draws);
    }
}
END_TEST

/* All backends with a rate, on CPUs and GPUs. */
START_TEST(events_cost_time)
{
    for (const struct ca_rate *rate = ca_rates.rows; rate->model; rate++) {
        double growth, half, hundredth, three;

        if (strcmp(rate->model, "cloud") != 0)
            continue;
        growth = predicted(rate->backend, NULL, NULL);
        half = predicted(rate->backend, "p_ext=0.5", NULL);
        hundredth = predicted(rate->backend, "p_ext=0.01", NULL);
        three = predicted(rate->backend, "p_ext=0.01 p_hum=0.01 p_act=0.01", NULL);
        ck_assert_msg(0 < growth && growth < half && half < hundredth && hundredth < three,
                      "%s: %g %g %g %g", rate->backend, growth, half, hundredth, three);
    }
}
END_TEST

/* On an H200 cloud's cuda-bitslice takes 3.84 us for this lattice, a warp of groups a scheduler;
 * the fastest CPU rung about twice as long. The choice has to see that without a trial. */
START_TEST(events_go_to_the_gpu)
{
    const struct cuda_cost *cost = cuda_cost_of("cloud", "cuda-bitslice");
    double cpu_s, gpu_s;
    int draws;

    cpu_s = predicted("bitslice-avx512", "p_ext=0.01", &draws);
    gpu_s =
        cuda_cycles_of_generation(
            cost, 1, 1, cuda_cycles_of_units(cost, cuda_unit_of(cost, 1, 0, draws), 1, 1, 8), 0) /
        1980e6;
    ck_assert_msg(gpu_s > 3.84e-6 / 1.1 && gpu_s < 3.84e-6 * 1.1, "%g s", gpu_s);
    ck_assert_msg(cpu_s > 1.5 * gpu_s, "%g s on the CPU, %g on the GPU", cpu_s, gpu_s);
}
END_TEST

/* The longer of logic and memory at least, their sum at most, shared by the pass's generations. */
START_TEST(memory_overlaps_logic)
{
    static const char *const kernels[][2] = {
        {"anneal", "cuda-temporal"},  {"anneal", "cuda-overlapped"},
        {"life3d", "cuda-bitslice"},  {"cloud", "cuda-overlapped"},
        {"cloud", "cuda-temporal"},   {"fhp", "cuda-temporal loop"},
        {"water", "cuda-overlapped"}, {"water", "sweep"},
    };

    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        const struct cuda_cost *cost = cuda_cost_of(kernels[i][0], kernels[i][1]);
        double both = cuda_cycles_of_generation(cost, 1, 2, 3e4, 2e4);

        ck_assert_str_eq(cost->model, kernels[i][0]);
        ck_assert_str_eq(cost->kernel, kernels[i][1]);
        ck_assert_msg(both >= (cost->pass + 3e4) / 2 && both <= (cost->pass + 5e4) / 2, "%s %s: %g",
                      cost->model, cost->kernel, both);
        ck_assert(cuda_cycles_of_generation(cost, 1, 2, 2e4, 3e4) == both);
        ck_assert(cuda_cycles_of_generation(cost, 2, 1, 0, 0) == 2 * cost->pass);
        ck_assert(cuda_cycles_of_generation(cost, 1, 1, 1e4, 0) == cost->pass + 1e4);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan");
    TCase *tests = tcase_create("plan");
    int models = 0;

    while (ca_models[models])
        models++;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, plans_are_reports, 0, models);
    tcase_add_loop_test(tests, plans_take_no_memory, 0, models);
    tcase_add_test(tests, draws_are_counted);
    tcase_add_test(tests, events_cost_time);
    tcase_add_test(tests, events_go_to_the_gpu);
    tcase_add_test(tests, memory_overlaps_logic);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
