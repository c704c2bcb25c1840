/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced backends of cloud: the logic on words against the rule, and the layout in bands
 * and the random bits against reference, on sizes that fill words, vectors and bands or do not.
 */
#include <string.h>

#include "core/model/registry.h"
#include "kernels/cloud/bitslice.h"
#include "kernels/cloud/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

START_TEST(rule_on_words)
{
    /* Bit i of the words: the cell and its neighbourhood i, read as a number. */
    const struct cloud_word cells = {0xaaaa, 0xcccc, 0xf0f0};
    struct cloud_word got = cloud_bits_rule(cells, 0xff00);

    for (uint8_t i = 0; i < 16; i++) {
        struct cloud_cell cell = {i & 1, i >> 1 & 1, i >> 2 & 1};
        struct cloud_cell next = cloud_rule(cell, i >> 3);

        ck_assert_uint_eq(got.hum >> i & 1, next.hum);
        ck_assert_uint_eq(got.act >> i & 1, next.act);
        ck_assert_uint_eq(got.cld >> i & 1, next.cld);
    }
    ck_assert_uint_eq(word_or3(0xf0, 0xcc, 0xaa), 0xfe);
}
END_TEST

static const char *const settings[] = {
    "act0=0.1",
    "threads=2 hum0=0.9 act0=0.02",
    "threads=3 p_ext=0.1 p_hum=0.02 p_act=0.01",
    "threads=2 p_ext=0.5 p_act=0.0000153",
    "threads=5 hum0=0.2 p_hum=1 p_act=0.25",
    "p_ext=1 p_hum=0.99999 p_act=0.33",
};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

static bool tested(const struct ca_backend *backend)
{
    return strncmp(backend->name, "bitslice", 8) == 0 &&
           ca_backend_available(backend, &error) == CA_OK;
}

START_TEST(same_as_reference)
{
    static const uint64_t calls[] = {1, 1, 2, 5, 0};

    for (int s = 0; s < SETTINGS; s++)
        kernel_check_backends("cloud", "bitslice", kernel_band_shapes[_i],
                              test_seed() * UINT64_C(0x100000001) + (uint64_t)s, settings[s],
                              calls);
}
END_TEST

static const char *const slab_shapes[] = {"32x32x12", "65x8x12", "20x13x14", "128x3x16"};

START_TEST(slabs)
{
    for (const struct ca_backend *b = cloud_model.backends; b->name; b++) {
        struct ca_experiment experiment;

        if (!tested(b))
            continue;
        experiment = kernel_experiment("cloud", b->name, slab_shapes[_i], NULL, test_seed(),
                                       "threads=2 act0=0.05 p_ext=0.1 p_hum=0.02 p_act=0.01");
        kernel_check_slabs(&experiment, 2 * (1 + _i), false, 2);
    }
}
END_TEST

/* The counter's t wraps on the way. */
START_TEST(late_generations)
{
    for (const struct ca_backend *b = cloud_model.backends; b->name; b++) {
        struct ca_experiment experiment, reference;
        struct kernel kernel[2];
        struct ca_lattice start, states[2];

        if (!tested(b))
            continue;
        experiment = kernel_experiment("cloud", b->name, "140x9x5", NULL, test_seed(),
                                       "threads=2 p_ext=0.3 p_hum=0.1 p_act=0.03");
        reference = experiment;
        ca_experiment_backend(&reference, &cloud_model.backends[0], CA_FROM_COMMAND_LINE);
        ck_assert_ok(ca_initial_state(&experiment, &start, &error));
        for (int i = 0; i < 2; i++) {
            kernel_open(&kernel[i], i == 0 ? &reference : &experiment);
            kernel_load(&kernel[i], &start);
            kernel[i].generation = UINT32_MAX - 1;
            kernel_step(&kernel[i], 5);
            states[i] = kernel_store(&kernel[i]);
            kernel_close(&kernel[i]);
        }
        kernel_compare(&experiment, kernel[1].generation, &states[0], &states[1]);
        ca_lattice_free(&start);
        ca_lattice_free(&states[0]);
        ca_lattice_free(&states[1]);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {rule_on_words, late_generations},
                     .table = {{same_as_reference, KERNEL_BAND_SHAPES},
                               {slabs, COUNT(slab_shapes)}});
}
