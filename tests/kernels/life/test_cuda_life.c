/* SPDX-License-Identifier: MIT */
/*
 * The CUDA backends of life: rules of each family, compiled in or looked up, by counts, by letters
 * and as any table, with both kinds of edges, at the widths by which rows are cut to segments; what
 * they plan, and what they refuse.
 */
#include <stdio.h>
#include <string.h>

#include "core/base/random.h"
#include "core/model/registry.h"
#include "kernels/life/life.h"
#include "kernels/life/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

#define NAIVE "cuda-naive"
#define SHARED "cuda-shared"
#define BITSLICE "cuda-bitslice"
#define TEMPORAL "cuda-temporal"
#define OVERLAPPED "cuda-overlapped"

/* --- rules ------------------------------------------------------------------------------------ */

static const char *const compiled[] = {"B3/S23",  "B36/S23",      "B3678/S34678", "B2/S",
                                       "B34/S34", "B35678/S5678", "B4678/S35678", "B1357/S1357"};

/* Others: by counts, with B0 and without, by letters, and any table. */
#define OTHERS 5

static uint64_t bits(int i)
{
    return (uint64_t)ca_uniform(test_seed(), (uint64_t)i, 0, 0, 0, 0) << 32 |
           ca_uniform(test_seed(), (uint64_t)i, 1, 0, 0, 0);
}

static const char *other_rule(int i)
{
    static char text[CA_TEXT_MAX];
    struct life_rule rule = {.totalistic = false};
    uint64_t drawn = bits(i);

    for (int k = 0; i == OTHERS - 1 && k < LIFE_SQUARES / 64; k++)
        rule.table[k] = bits(100 + k);
    for (int n = 0; i < OTHERS - 1 && n <= 8; n++)
        for (int live = 0; live < 2; live++, drawn >>= 3) {
            unsigned all = life_all_letters(n);
            unsigned some = i == 3 ? all & (unsigned)bits(200 + 2 * n + live) : drawn & 1 ? all : 0;

            if (i == 0 && n == 0)
                some = live ? some : 0;
            if (i == 1 && n == 0)
                some = live ? some : all;
            life_mark_classes(rule.table, n, live, some);
        }
    life_rule_format(&rule, text);
    return text;
}

/* --- sizes ------------------------------------------------------------------------------------ */

/* Backends at sizes and shapes; `four` where no more generations than four fit a pass. */
static const struct {
    const char *backend, *size, *settings, *four;
} table[] = {
    {NAIVE, "1x1", NULL, NULL},
    {NAIVE, "33x9", "block=16x16", NULL},
    {SHARED, "1x7", NULL, NULL},
    {SHARED, "65x34", "block=32x8", NULL},
    {BITSLICE, "128x5", NULL, NULL}, /* all lanes at ends of rows */
    {BITSLICE, "128x1", "rows=8", NULL},
    {BITSLICE, "384x7", "rows=4", NULL}, /* ends of rows within a warp */
    {BITSLICE, "4096x21", "rows=2", NULL},
    {BITSLICE, "3839x12", NULL, NULL}, /* with a halo */
    {BITSLICE, "5x3", "rows=8", NULL},
    {BITSLICE, "1x40", "rows=4", NULL},
    {TEMPORAL, "384x40", "generations=3", NULL},             /* rows of 3 lanes */
    {TEMPORAL, "4096x21", "generations=6", "generations=4"}, /* some warps have nothing to do */
    {TEMPORAL, "4224x30", "generations=8", "generations=2"}, /* a whole segment and 3 groups */
    {TEMPORAL, "3840x9", "rows=2 generations=5", "rows=2 generations=3"},
    {TEMPORAL, "7680x20", "generations=7 rows=7", "generations=4 rows=7"},
    {TEMPORAL, "8000x11", "generations=4 rows=3", NULL},
    {TEMPORAL, "3839x12", "generations=2", NULL}, /* a whole segment with a halo */
    {TEMPORAL, "1x300", "generations=4", NULL},
    {TEMPORAL, "700x60", NULL, NULL},
    {TEMPORAL, "255x3", "generations=2", NULL}, /* odd calls end in cuda-bitslice's kernel */
    {TEMPORAL, "65x64", "generations=2 rows=6", NULL},
    {TEMPORAL, "65x1", "generations=3", NULL},
    {OVERLAPPED, "128x5", NULL, NULL},       /* a row is one lane */
    {OVERLAPPED, "4096x13", "rows=1", NULL}, /* a row is a warp */
    {OVERLAPPED, "7680x20", "rows=4", NULL}, /* two whole segments and no other */
    {OVERLAPPED, "7681x20", "rows=2", NULL}, /* and a cell behind them */
    {OVERLAPPED, "3841x6", "rows=6", NULL},
    {OVERLAPPED, "255x40", "rows=8 generations=20", NULL},
    {OVERLAPPED, "5x300", "rows=12", NULL},
    {OVERLAPPED, "1x1", "generations=64", NULL},
    {OVERLAPPED, "300x9", "generations=128", NULL}, /* as many as a halo lane has cells */
};

static void check_rule(int i, const char *rule, bool dead, bool four)
{
    const char *settings = four && table[i].four ? table[i].four : table[i].settings;
    struct kernel_case checked = {
        table[i].backend, table[i].size,
        test_text("rule=%s%s %s", rule, dead ? " boundary=dead" : "", settings ? settings : "")};
    static const uint64_t calls[] = {1, 8, 17, 3, 0};

    kernel_check_case("life", &checked, NULL, calls);
}

/* In calls of one generation, of as many as a pass has, and of what leaves a remainder. */
START_TEST(compiled_in)
{
    const char *other = compiled[1 + _i % ((int)COUNT(compiled) - 1)];

    check_rule(_i, compiled[0], false, false);
    check_rule(_i, compiled[0], true, true);
    check_rule(_i, other, false, false);
    check_rule(_i, other, true, true);
}
END_TEST

START_TEST(looked_up)
{
    check_rule(_i, other_rule(_i % OTHERS), _i / OTHERS % 2, true);
    check_rule(_i, other_rule((_i + 2) % OTHERS), !(_i / OTHERS % 2), true);
}
END_TEST

/* --- slabs ------------------------------------------------------------------------------------ */

START_TEST(slabs)
{
    static const char *const sizes[] = {"4096x64", "4099x64", "300x64"};
    static const char *const backends[] = {SHARED, BITSLICE, TEMPORAL, OVERLAPPED};

    for (int k = _i % 2; k <= OTHERS; k += 2) {
        bool dead = (_i + k / 2) % 2;
        struct ca_experiment experiment = kernel_experiment(
            "life", backends[_i % 4], sizes[_i / 4], NULL, test_seed(),
            test_text("generations=3 rule=%s boundary=%s", k == 0 ? compiled[0] : other_rule(k - 1),
                      dead ? "dead" : "torus"));

        kernel_check_slabs(&experiment, 6, !dead, 2);
    }
}
END_TEST

/* --- plans ------------------------------------------------------------------------------------ */

static enum ca_status plan_of(const char *backend, const char *settings, struct ca_plan *plan,
                              struct ca_error *error)
{
    struct ca_experiment experiment =
        kernel_experiment("life", backend, "4096x4096", NULL, test_seed(), settings);
    struct ca_setup setup = ca_setup_of(&experiment);

    return experiment.backend->stepper->plan(&setup, plan, error);
}

/* A rule that takes more operations is planned with fewer generations a pass, and to take longer.
 */
START_TEST(plans_by_rule)
{
    static const char *const settings[] = {"rule=B3/S23", "rule=B3/S12", "rule=B2-a/S12"};
    struct ca_plan plan[3];
    struct ca_error error;

    for (int i = 0; i < 3; i++)
        ck_assert_ok(plan_of(TEMPORAL, settings[i], &plan[i], &error));
    ck_assert_int_le(plan[1].generations, 4);
    ck_assert(plan[0].step_s < plan[1].step_s && plan[1].step_s < plan[2].step_s);
}
END_TEST

START_TEST(refuses)
{
    static const char *const settings[] = {
        "generations=5 rule=B2-a/S12", "generations=5 rule=B3/S12", "generations=5 boundary=dead"};
    struct ca_error error = {.text = ""};
    struct ca_plan plan;

    ck_assert_int_eq(plan_of(TEMPORAL, settings[_i], &plan, &error), CA_USAGE);
    ck_assert_contains(error.text, "cuda-temporal takes 2 to 4 generations a pass of this rule and "
                                   "these edges, or 0 to choose: 5 is not");
}
END_TEST

/* Widths at and beside the ends of words and groups, and all sorts of densities. */
static const char *const start_sizes[] = {"1x1",   "31x3",  "63x2",  "64x5",  "65x4", "127x7",
                                          "128x6", "129x9", "130x4", "200x8", "300x5"};

START_TEST(starts)
{
    static const char *const densities[] = {"density=0", "density=0.3 boundary=dead", "density=1"};

    kernel_check_starts("life", start_sizes[_i / 3], NULL, densities[_i % 3]);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 300, .test = {plans_by_rule},
                     .table = {{compiled_in, COUNT(table)},
                               {looked_up, COUNT(table)},
                               {slabs, 12},
                               {refuses, 3},
                               {starts, 3 * (int)COUNT(start_sizes)}});
}
