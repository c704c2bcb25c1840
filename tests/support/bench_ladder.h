/* SPDX-License-Identifier: MIT */
/*
 * A benchmark of a ladder with mistakes, by a clock that the test sets: backends of known speed,
 * and ones that are wrong, absent or fail. Included by one file of a program.
 */
#ifndef CALAB_TESTS_BENCH_LADDER_H
#define CALAB_TESTS_BENCH_LADDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/manual_clock.h"
#include "tests/support/support.h"
#include "tui/commands/bench.h"

static inline enum ca_status wrong_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct byte_stepper *plain = self;
    enum ca_status status = byte_stepper.step(self, t, n, error);

    ((uint8_t *)plain->now.plane[0])[3] ^= 1;
    ((uint8_t *)plain->now.plane[0])[5] ^= 1;
    return status;
}

/* Backends that take so long by the test's clock, and no more however busy the machine is. */
#define STEP_S 1e-3
#define QUICK_STEP_S 1e-5

static double others_share; /* of the time of a call in which its thread waits for a core */

static inline enum ca_status paced_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    manual_clock_s += STEP_S * (double)n / (1 - others_share);
    return byte_stepper.step(self, t, n, error);
}

static inline enum ca_status quick_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    manual_clock_s += QUICK_STEP_S * (double)n;
    return byte_stepper.step(self, t, n, error);
}

/* In place of the machine's meter. */
void ca_meter_stop(struct ca_meter *meter, struct ca_interference *sample)
{
    (void)meter;
    *sample = (struct ca_interference){.cores = 1, .threads = 1, .waited = {true, others_share}};
}

static inline enum ca_status absent(struct ca_error *error)
{
    return ca_fail(error, CA_NO_DEVICE, "needs an abacus");
}

static inline enum ca_status failing_step(void *self, uint64_t t, uint64_t n,
                                          struct ca_error *error)
{
    (void)self, (void)t, (void)n;
    return ca_fail(error, CA_IO, "the cat has eaten it");
}

static inline enum ca_status lazy_store(void *self, void *const planes[], int64_t first,
                                        int64_t rows, struct ca_error *error)
{
    (void)self, (void)planes, (void)first, (void)rows, (void)error;
    return CA_OK;
}

static struct ca_backend ladder[7];
static struct ca_stepper fake[7]; /* of the backends, each its own */
static struct ca_model model;
static struct ca_bench bench;
static struct ca_bench_spec spec;
static struct ca_error error;

static inline void setup(void)
{
    for (int i = 0; i < 6; i++)
        ladder[i] = anneal_model.backends[0], fake[i] = byte_stepper, ladder[i].stepper = &fake[i];
    fake[0].step = fake[1].step = paced_step;
    ladder[1].name = "right";
    ladder[2].name = "wrong", fake[2].step = wrong_step;
    ladder[3].name = "absent", ladder[3].available = absent;
    ladder[4].name = "failing", fake[4].step = failing_step;
    ladder[5].name = "quick", fake[5].step = quick_step;
    model = anneal_model;
    model.backends = ladder;
    ca_bench_default(&bench);
    bench.time_s = 0.02;
    memset(&spec, 0, sizeof spec);
    spec.model = &model;
    strcpy(spec.sizes, "40x20");
}

static inline void teardown(void) { ca_bench_free(&bench); }

/* A line each of these backends, of what else `spec` says. */
static inline void bench_add(const char *backends)
{
    strcpy(spec.backends, backends);
    ck_assert_ok(ca_bench_add(&bench, &spec, NULL, &error));
}

static inline void bench_run(void) { ck_assert_ok(ca_bench_run(&bench, NULL, NULL, &error)); }

/* Adds lines of so many steps, and runs them. */
static inline void run_lines(const char *backends, const char *steps)
{
    strcpy(spec.setting[CA_KEY_STEPS], steps);
    bench_add(backends);
    bench_run();
}

/* A line of 40x20 cells, 10 steps, 2 ms: 4 Mups. */
static inline void fill_line(int i, double median)
{
    struct ca_bench_line *line = &bench.line[i];

    line->available = true;
    line->experiment.steps = 10;
    line->passes = 5;
    line->stats = (struct ca_bench_stats){5, median, 0, median, median, 0};
    line->wrong = 0;
}

static inline const char *printed(const struct ca_bench_report *report, enum table_form form)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_ok(bench_print(out, report, form, &error));
    fclose(out);
    return test_keep(text);
}

#endif
