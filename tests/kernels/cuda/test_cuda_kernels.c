/* SPDX-License-Identifier: MIT */
/*
 * Every CUDA backend against the reference on CUDA on the CPU (core/emulator/runtime/), with the
 * blocks and threads in several orders: a kernel that leans on one of them is wrong in another. The
 * sanitizers and the emulator end a program whose kernel reaches outside of its memory or waits for
 * a thread that never comes.
 */
#include <inttypes.h>
#include <string.h>

#include "core/model/model.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static const struct {
    const char *order;
    int cases;
} runs[] = {
    {"CALAB_EMULATED_ORDER=forward", 18},
    {"CALAB_EMULATED_ORDER=reverse", 12},
    {"CALAB_EMULATED_ORDER=random:1", 12},
};

#define RUNS (int)(sizeof runs / sizeof *runs)

static int cuda_backends(const struct ca_model *model)
{
    int count = 0;

    for (const struct ca_backend *b = model->backends; b->name; b++)
        count += b->device == CA_CUDA;
    return count;
}

/* One order and model; other cases in each order. */
START_TEST(equal_to_reference)
{
    const struct ca_model *model = ca_models[_i / RUNS];
    const char *variables[] = {runs[_i % RUNS].order, NULL};
    const struct surroundings surroundings = {.variable = variables};
    struct outcome o =
        calab_in(&surroundings, "verify %s -b cuda-* --small --cases %d --seed %" PRIu64,
                 model->name, runs[_i % RUNS].cases, test_seed() + (uint64_t)_i);
    int ok = 0;

    ck_assert_msg(o.status == 0, "%s, %s: status %d\n%s%s", model->name, variables[0], o.status,
                  o.out, o.err);
    for (const char *at = o.out; (at = strstr(at, "  ok\n")); at++)
        ok++;
    ck_assert_msg(ok == cuda_backends(model) && ok > 0, "%s: %d backends are ok:\n%s", model->name,
                  ok, o.out);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 300, .table = {{equal_to_reference, test_models() * RUNS}});
}
