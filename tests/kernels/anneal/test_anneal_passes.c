/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced backends of anneal: several generations in a pass, results written past the
 * caches, and what is chosen by itself.
 */
#include "core/machine/device.h"
#include "core/model/registry.h"
#include "kernels/cpu/bit_stepper.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

static const struct {
    const char *size, *settings;
} blocked[] = {
    {"1x1", "generations=3"},
    {"70x2", "threads=2 generations=5"},
    {"64x3", "threads=3 generations=64"},
    {"513x40", "threads=1 generations=1"},
    {"500x37", "threads=2 generations=2"},
    {"512x71", "threads=1 generations=8"},
    {"1000x33", "threads=3 generations=7"},
    {"200x300", "threads=2 generations=8"},
    {"200x150", "threads=4 generations=13"},
    {"70000x12", "threads=2 generations=64"}, /* rows for which L2 is too small */
};

/* Several generations in a pass, in calls of fewer, of as many, and of what leaves a remainder. */
START_TEST(generations_in_a_pass)
{
    static const uint64_t calls[] = {1, 8, 2, 17, 5, 0};
    int backends = 0;

    for (const struct ca_backend *b = anneal_model.backends; b->name; b++) {
        struct ca_experiment experiment;

        if (b->device != CA_CPU || !ca_backend_has_option(b, "generations") ||
            ca_backend_available(b, &error) != CA_OK)
            continue;
        backends++;
        experiment = kernel_experiment("anneal", b->name, blocked[_i].size, NULL, test_seed(),
                                       blocked[_i].settings);
        kernel_check_same(&experiment, calls);
    }
    ck_assert_int_ge(backends, 1);
}
END_TEST

/* The two states of a run, the second with results written past the caches, as huge lattices are.
 */
START_TEST(streams)
{
    static const char *const sizes[] = {"64x9", "500x70", "512x33", "1100x40"};

    for (int s = 0; s < 8; s++)
        for (const struct ca_backend *b = anneal_model.backends + 2; b->name; b++) {
            struct ca_experiment experiment =
                kernel_experiment("anneal", b->name, sizes[s / 2], NULL, test_seed(),
                                  s % 2 ? "threads=2 generations=4" : "threads=2 generations=1");
            struct ca_lattice start, state[2];

            if (b->device != CA_CPU || ca_backend_available(b, &error) != CA_OK)
                continue;
            ck_assert_ok(ca_initial_state(&experiment, &start, &error));
            for (int past = 0; past < 2; past++) {
                struct kernel kernel;

                kernel_open(&kernel, &experiment);
                ck_assert(!((struct bit_stepper *)kernel.self)->streams);
                ((struct bit_stepper *)kernel.self)->streams = past;
                kernel_load(&kernel, &start);
                kernel_step(&kernel, 19);
                state[past] = kernel_store(&kernel);
                kernel_close(&kernel);
            }
            kernel_compare(&experiment, 19, &state[0], &state[1]);
            ca_lattice_free(&state[0]);
            ca_lattice_free(&state[1]);
            ca_lattice_free(&start);
        }
}
END_TEST

/* By itself a pass takes one generation of what the caches hold, and several of what they do not.
 */
START_TEST(how_many_generations)
{
    static const struct {
        const char *size, *settings;
        bool several;
    } table[] = {{"512x512", "threads=1", false},
                 {"512x512", "threads=2 generations=3", true},
                 {"16000x16000", "threads=1", true},
                 {"16000x16000", "threads=1 generations=1", false}};

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct ca_experiment experiment =
            kernel_experiment("anneal", "bitslice", table[i].size, NULL, 1, table[i].settings);
        struct kernel kernel;

        kernel_open(&kernel, &experiment);
        ck_assert_int_eq(((struct bit_stepper *)kernel.self)->generations > 1, table[i].several);
        kernel_close(&kernel);
    }
}
END_TEST

/* By default a pool has no more workers than the lattice has work for. */
START_TEST(how_many_threads)
{
    static const struct {
        const char *size, *settings;
        int count;
    } table[] = {
        {"64x64", "threads=0", 1}, {"64x64", "threads=3", 3}, {"4096x4096", "threads=0", 0}};

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct ca_experiment experiment =
            kernel_experiment("anneal", "bitslice", table[i].size, NULL, 1, table[i].settings);
        int count = table[i].count ? table[i].count : ca_cpu_cores();
        struct kernel kernel;

        kernel_open(&kernel, &experiment);
        ck_assert_int_le(ca_thread_pool_size(((struct bit_stepper *)kernel.self)->thread_pool),
                         count);
        ck_assert_int_ge(ca_thread_pool_size(((struct bit_stepper *)kernel.self)->thread_pool),
                         count < 64 ? count : 64);
        kernel_close(&kernel);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {streams, how_many_generations, how_many_threads},
                     .table = {{generations_in_a_pass, COUNT(blocked)}});
}
