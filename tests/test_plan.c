/* SPDX-License-Identifier: MIT */
/*
 * Plans of all CPU backends: what is said before memory is taken is what an instance reports, and
 * the memory that is said is the memory that is taken.
 */
#include <malloc.h>
#include <string.h>

#include "core/machine/device.h"
#include "tests/support_kernels.h"

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

static bool can_measure_memory(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false; /* the sanitizers' allocators have no statistics */
#else
    return true;
#endif
}

static int64_t allocated_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return (int64_t)info.uordblks + (int64_t)info.hblkhd;
}

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
    return strstr(name, "avx512") ? 512 : strstr(name, "avx2") ? 256 : -1;
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
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
