/* SPDX-License-Identifier: MIT */
/* Experiments of tests: set, made unlike the default, and compared. */
#ifndef CALAB_TESTS_SUPPORT_EXPERIMENT_H
#define CALAB_TESTS_SUPPORT_EXPERIMENT_H

#include "core/sim/experiment.h"

/* As from the command line; fails the test where it is refused. */
void test_experiment_set(struct ca_experiment *experiment, const char *name, const char *text);
/* An experiment of the model that differs from its default in all that it can, with hurtful texts.
 */
void experiment_disturb(struct ca_experiment *experiment, const struct ca_model *model);

/* Fail the test where the two are not the same. Steps and outputs are not compared. */
void values_same(const struct ca_values *a, const struct ca_values *b);
void experiment_same(const struct ca_experiment *a, const struct ca_experiment *b);

static inline bool test_at_equal(struct ca_at a, struct ca_at b)
{
    return a.given == b.given && (!a.given || (a.x == b.x && a.y == b.y && a.z == b.z));
}

#endif
