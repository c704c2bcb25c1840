/* SPDX-License-Identifier: MIT */
/* core/compare: two simulations whose states agree within a tolerance, each generation made from
 * one state. */
#include <string.h>

#include "core/compare/lock_step.h"
#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/support.h"

static struct ca_stepper fake[2]; /* of a backend that is right, and of one within a tolerance */
static double nudge;
static uint64_t nudge_from;

static enum ca_status nudged(void *self, uint64_t t, uint64_t n, struct ca_error *err)
{
    const struct byte_stepper *stepper = self;

    for (uint64_t end = t + n; t < end; t++) {
        float *plane;

        CA_TRY(byte_stepper.step(self, t, 1, err));
        plane = stepper->now.plane[0];
        for (int64_t i = 0; i < ca_cells(stepper->size); i++)
            plane[i] += 1e-4F;
        if (t + 1 >= nudge_from)
            plane[5 * stepper->size.w + 3] += (float)nudge;
    }
    return CA_OK;
}

/* Runs both on water of this size and start, until they differ or have made so many generations. */
static struct ca_agreement_result agree(struct ca_size size, const char *start,
                                        uint64_t generations)
{
    struct ca_simulation *pair[2];
    struct ca_backend ladder[3] = {water_model.backends[0], water_model.backends[0]};
    struct ca_model model = water_model;
    struct ca_agreement_result found;
    struct ca_error error;

    model.backends = ladder;
    ladder[1].tolerance = 0.001;
    for (int i = 0; i < 2; i++) {
        struct ca_experiment experiment;

        ladder[i].stepper = &fake[i];
        ca_experiment_default(&experiment, &model);
        ca_experiment_backend(&experiment, &ladder[i], CA_FROM_COMMAND_LINE);
        experiment.size = size;
        if (start)
            strcpy(experiment.init, start);
        ck_assert_ok(ca_simulation_open(&pair[i], &experiment, &error));
    }
    ck_assert_ok(
        ca_simulations_agree(&found, pair[0], pair[1], generations, 1e9, NULL, NULL, &error));
    for (int i = 0; i < 2; i++)
        ca_simulation_close(pair[i]);
    return found;
}

/* Each generation adds a little everywhere, which is allowed, and from the 20th on too much at one
 * cell. What is allowed would add up to more, but each generation is made from one state. */
START_TEST(one_cell_is_beyond_it)
{
    struct ca_agreement_result found;

    fake[1].step = nudged;
    nudge = 0.5;
    nudge_from = 20;
    found = agree((struct ca_size){24, 16, 1}, NULL, 32);
    ck_assert_uint_eq(found.generations, 19);
    ck_assert_int_eq(found.difference.count, 1);
    ck_assert(found.difference.x == 3 && found.difference.y == 5);
    ck_assert_double_eq_tol(found.difference.got - found.difference.expected, 0.5, 0.01);
}
END_TEST

/* Leaves out a row of the level. */
static enum ca_status store_all_but_one(void *self, void *const planes[], int64_t first,
                                        int64_t rows, struct ca_error *err)
{
    float kept[3];

    memcpy(kept, (float *)planes[1] + 3 * 5, sizeof kept);
    CA_TRY(byte_stepper.store(self, planes, first, rows, err));
    memcpy((float *)planes[1] + 3 * 5, kept, sizeof kept);
    return CA_OK;
}

/* A row that is left out is not right because it was 0 before and is so afterwards. */
START_TEST(a_row_is_left_out)
{
    struct ca_agreement_result found;

    fake[1].store = store_all_but_one;
    found =
        agree((struct ca_size){3, 16, 1}, "dam", 4); /* water in W / 4 columns, which are none */
    ck_assert_uint_eq(found.generations, 0);
    ck_assert_int_eq(found.difference.count, 3);
}
END_TEST

static void setup(void) { fake[0] = fake[1] = byte_stepper; }

int main(void)
{
    return RUN_TESTS(.setup = setup, .test = {one_cell_is_beyond_it, a_row_is_left_out});
}
