/* SPDX-License-Identifier: MIT */
/*
 * The mask over CPU features: with CALAB_CPU every backend that this CPU can run is checked as on a
 * lesser machine, and those that need more stay in the lists with the reason.
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "core/bench/choose.h"
#include "core/machine/cpu.h"
#include "core/model/model.h"
#include "core/verify/verify.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static struct ca_error error;

static const char *const masks[] = {"baseline", "avx", "avx2", "avx512"};
static const char *const reasons[] = {"needs AVX", "needs AVX2", "needs AVX-512"};

static enum ca_isa unmasked(void)
{
    unsetenv("CALAB_CPU");
    return ca_cpu_isa();
}

static enum ca_isa least(enum ca_isa a, enum ca_isa b) { return a < b ? a : b; }

START_TEST(masks_downwards_only)
{
    enum ca_isa all = unmasked();

    setenv("CALAB_CPU", masks[_i], 1);
    ck_assert_int_eq(ca_cpu_isa(), least(all, (enum ca_isa)_i));
    ck_assert_str_eq(ca_isa_names[_i], masks[_i]);
    ck_assert_int_eq(ca_needs_avx(&error), ca_cpu_isa() >= CA_AVX ? CA_OK : CA_NO_DEVICE);
    ck_assert_int_eq(ca_needs_avx2(&error), ca_cpu_isa() >= CA_AVX2 ? CA_OK : CA_NO_DEVICE);
    ck_assert_int_eq(ca_needs_avx512(&error), ca_cpu_isa() >= CA_AVX512 ? CA_OK : CA_NO_DEVICE);
    setenv("CALAB_CPU", "abacus", 1);
    ck_assert_int_eq(ca_cpu_isa(), all);
}
END_TEST

START_TEST(says_what_masks)
{
    if (unmasked() < CA_AVX2)
        return;
    setenv("CALAB_CPU", "baseline", 1);
    ck_assert_int_eq(ca_needs_avx(&error), CA_NO_DEVICE);
    ck_assert_str_eq(error.text, "needs AVX, which CALAB_CPU=baseline masks");
    ck_assert_int_eq(ca_needs_avx2(&error), CA_NO_DEVICE);
    ck_assert_contains(error.text, "AVX2", "CALAB_CPU=baseline");
    ck_assert_int_eq(ca_needs_avx512(&error), CA_NO_DEVICE);
    ck_assert_contains(error.text, "AVX-512");
}
END_TEST

/* What a name says of the instructions that a backend uses. */
static enum ca_isa isa_of(const char *name)
{
    return strstr(name, "avx512") ? CA_AVX512
           : strstr(name, "avx2") ? CA_AVX2
           : strstr(name, "avx")  ? CA_AVX
                                  : CA_BASELINE;
}

/* Under each mask: exactly the backends below it run, and the default is one of them. */
START_TEST(lists_the_rest)
{
    const struct ca_model *model = ca_models[_i];
    enum ca_isa all = unmasked();

    for (int m = 0; m < (int)COUNT(masks); m++) {
        enum ca_isa now = least(all, (enum ca_isa)m);
        struct ca_experiment experiment;

        setenv("CALAB_CPU", masks[m], 1);
        for (const struct ca_backend *b = model->backends; b->name; b++) {
            enum ca_isa needed = isa_of(b->name);

            if (b->device != CA_CPU)
                continue;
            ck_assert_msg((ca_backend_available(b, &error) == CA_OK) == (needed <= now),
                          "%s %s under %s", model->name, b->name, masks[m]);
            if (needed > now)
                ck_assert_contains(error.text, reasons[needed - 1]);
        }
        ca_experiment_default(&experiment, model);
        ca_experiment_backend(&experiment, ca_backend_auto(model) + 1, CA_FROM_COMMAND_LINE);
        ck_assert_ok(ca_choose_backend(&experiment, &error));
        ck_assert_int_eq(experiment.backend->device, CA_CPU);
        ck_assert_str_eq(experiment.choice->name, "cpu");
        ck_assert_int_le(isa_of(experiment.backend->name), now);
    }
}
END_TEST

/* A few cases of verify on all that runs under each mask. Under lesser ones the kernels are the
 * same, and starts are drawn by other words (tests/kernels/cpu/test_start_in_place.c): there small
 * lattices do. */
START_TEST(right_under_masks)
{
    const struct ca_model *model = ca_models[_i / (int)COUNT(masks)];
    const bool all = _i % (int)COUNT(masks) == (int)COUNT(masks) - 1;
    const struct ca_verify_choice choice = {test_seed(), 12, SANITIZED || !all};
    struct ca_verify_result *result = calloc(64, sizeof *result);
    int count = 0;

    setenv("CALAB_CPU", masks[_i % (int)COUNT(masks)], 1);
    for (const struct ca_backend *b = model->backends; b->name; b++)
        result[count++].backend = b;
    ck_assert_ok(ca_verify_model(model, result, count, &choice, NULL, NULL, &error));
    for (int i = 0; i < count; i++) {
        ck_assert_msg(result[i].failed == 0, "%s %s under %s, seed %llu: %s", model->name,
                      result[i].backend->name, masks[_i % (int)COUNT(masks)],
                      (unsigned long long)test_seed(), result[i].first.text);
        /* The cases of backends with small sizes of their own come on top. */
        ck_assert(result[i].available ? result[i].cases >= 12 : result[i].cases == 0);
        ck_assert_int_eq(result[i].reason[0] == '\0', result[i].available);
    }
    free(result);
}
END_TEST

static struct outcome calab_masked(const char *mask, const char *arguments)
{
    static char pair[64];
    const char *const variable[] = {pair, NULL};
    const struct surroundings s = {.variable = variable};

    snprintf(pair, sizeof pair, "CALAB_CPU=%s", mask);
    return calab_in(&s, "%s", arguments);
}

/* The whole program as on a machine without AVX. */
START_TEST(program)
{
    struct outcome o;

    if (unmasked() < CA_AVX512)
        return;
    o = calab_masked("baseline", "list backends");
    ck_assert_int_eq(o.status, 0);
    ck_assert_contains(o.out, "bitslice-avx512", "needs AVX-512");
    o = calab_masked("baseline", "run anneal -n 3 -s 64x64");
    ck_assert_int_eq(o.status, 0);
    ck_assert_str_eq(outcome_value(&o, "backend"), "bitslice");
    o = calab_masked("avx2", "run anneal -n 3 -s 64x64 -b bitslice-avx512");
    ck_assert_int_eq(o.status, 7);
    ck_assert_contains(o.err, "needs AVX-512", "CALAB_CPU=avx2");
    o = calab_masked("avx2", "verify anneal --cases 2");
    ck_assert_int_eq(o.status, 0);
    ck_assert_contains(o.out, "unavailable: needs AVX-512");
    o = calab_masked("baseline", "verify anneal --cases 2 -b *avx*");
    ck_assert_int_eq(o.status, 7);
    ck_assert_contains(o.err, "none of these backends is available: needs AVX");
    o = calab_masked("avx2", "bench anneal -s 32x32 -b bit* --time 0.01 --csv");
    ck_assert_int_eq(o.status, 0);
    ck_assert_contains(o.out, ",-,\"unavailable: needs AVX-512");
    o = calab_masked("baseline", "bench anneal -s 32x32 -b *avx* --time 0.01");
    ck_assert_int_eq(o.status, 7);
    o = calab_masked("avx2", "doctor");
    ck_assert_contains(o.out, "vectors      avx2");
}
END_TEST

/* Whether the system reports them or not, the sizes are plausible. */
START_TEST(caches)
{
    int64_t bytes[CA_CACHES];

    ca_cpu_caches(bytes);
    ck_assert_int_ge(bytes[0], 4 << 10);
    ck_assert_int_le(bytes[0], 1 << 20);
    ck_assert_int_gt(bytes[1], bytes[0]);
    ck_assert_int_ge(bytes[2], 1 << 20);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {says_what_masks, caches, program},
                     .table = {{masks_downwards_only, COUNT(masks)},
                               {lists_the_rest, test_models()},
                               {right_under_masks, COUNT(masks) * test_models()}});
}
