/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/engine/engine.h"
#include "core/model/registry.h"
#include "core/settings/settings.h"
#include "core/sim/backend_spec.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/process.h"
#include "tests/support/support.h"
#include "tests/support/user.h"
#include "tests/support/wrong_engine.h"
#include "tui/contender.h"
#include "tui/workbench/workbench.h"

#define X 21
#define Y 40
#define FIRST 3117

static struct ca_stepper fake;

static void flip(void *self, int64_t x, int64_t y)
{
    const struct byte_stepper *stepper = self;

    x %= stepper->size.w;
    y %= stepper->size.h;
    ((uint8_t *)stepper->now.plane[0])[y * stepper->size.w + x] ^= 1;
}

static enum ca_status wrong_between(void *self, uint64_t t, uint64_t n, uint64_t last,
                                    struct ca_error *error)
{
    for (uint64_t end = t + n; t < end; t++) {
        CA_TRY(byte_stepper.step(self, t, 1, error));
        if (t + 1 >= FIRST && t + 1 <= last)
            flip(self, X, Y);
    }
    return CA_OK;
}

static enum ca_status wrong_from(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    return wrong_between(self, t, n, UINT64_MAX, error);
}

static enum ca_status wrong_once(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    return wrong_between(self, t, n, FIRST, error);
}

static enum ca_status wrong_calls(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    CA_TRY(byte_stepper.step(self, t, n, error));
    if (n >= 6)
        flip(self, X, Y);
    return CA_OK;
}

static enum ca_status wrong_always(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    CA_TRY(byte_stepper.step(self, t, n, error));
    flip(self, X, Y);
    return CA_OK;
}

static enum ca_status wrong_at_random(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    static uint64_t draws;
    uint64_t u = (test_seed() + ++draws) * UINT64_C(0x9E3779B97F4A7C15);

    CA_TRY(byte_stepper.step(self, t, n, error));
    u = (u ^ u >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    if (u >> 62 != 0) /* in three calls of four */
        flip(self, (int64_t)(u >> 8 & 63), (int64_t)(u >> 20 & 63));
    return CA_OK;
}

/* Right, but a generation takes the processor for five seconds. */
static enum ca_status slow(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    const double end = seconds_now() + 5;

    while (seconds_now() < end)
        ;
    return byte_stepper.step(self, t, n, error);
}

/* Right, but a call takes two to four times as long as it must, so that no benchmark knows its
 * median before the limit of time. */
static enum ca_status uneven(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    static uint64_t calls;
    const double start = seconds_now();
    double end;

    CA_TRY(byte_stepper.step(self, t, n, error));
    end = seconds_now() + (seconds_now() - start) * (double)(1 + calls++ * 7 % 11);
    while (seconds_now() < end)
        ;
    return CA_OK;
}

static const struct {
    const char *name;
    enum ca_status (*step)(void *, uint64_t, uint64_t, struct ca_error *);
} kinds[] = {{"from", wrong_from},        {"once", wrong_once}, {"calls", wrong_calls},
             {"random", wrong_at_random}, {"slow", slow},       {"uneven", uneven},
             {"always", wrong_always}};

/* The row of `threads` is constant for everyone else. */
int wrong_engine(void)
{
    const char *name = getenv("TEST_WRONG");
    struct ca_backend *row = (struct ca_backend *)(uintptr_t)anneal_model.backends;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from, end;
    struct ca_error error;

    while (strcmp(row->name, "threads") != 0)
        row++;
    from = (uintptr_t)row / page * page;
    end = (uintptr_t)(row + 1);
    fake = byte_stepper;
    for (size_t i = 0; name && i < COUNT(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0) {
            fake.step = kinds[i].step;
            if (mprotect((void *)from, end - from, PROT_READ | PROT_WRITE) != 0)
                return 1;
            row->ops = anneal_model.backends[0].ops;
            row->stepper = &fake;
        }
    return (int)ca_engine_serve(0, 1, &error);
}

int wrong_workbench(const void *data)
{
    static struct contender sides[CONTENDERS_MAX];
    struct ca_backend_spec spec[CONTENDERS_MAX];
    struct ca_settings *settings;
    struct ca_error error = {.text = ""};
    enum ca_status status;
    int count;

    if (ca_backend_specs_parse(spec, CONTENDERS_MAX, &count, data, "-b", &error) != CA_OK)
        return 99;
    for (int i = 0; i < count; i++) {
        ca_experiment_default(&sides[i].experiment, &anneal_model);
        if (ca_experiment_set(&sides[i].experiment, "size", "64x64", CA_FROM_COMMAND_LINE, "size",
                              &error) != CA_OK ||
            ca_backend_spec_apply(&spec[i], &sides[i].experiment, CA_FROM_COMMAND_LINE, "-b",
                                  &error) != CA_OK)
            return 99;
    }
    ca_settings_open(&settings, ca_settings_path(), &error);
    status = workbench_run(sides, count, settings, NULL, NULL, &error);
    ca_settings_close(settings);
    return (int)status;
}

struct screen *wrong_starts(const char *kind, const char *sides, int rows, int columns)
{
    char variable[64];
    struct screen_options options = {.rows = rows,
                                     .columns = columns,
                                     .environment = {variable},
                                     .body = wrong_workbench,
                                     .data = sides};

    snprintf(variable, sizeof variable, "TEST_WRONG=%s", kind);
    return user_starts(&options);
}
