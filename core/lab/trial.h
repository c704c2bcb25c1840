/* SPDX-License-Identifier: MIT */
/* One case of a check: a kernel's process goes through the calls of one size and seed. */
#ifndef CALAB_CORE_LAB_TRIAL_H
#define CALAB_CORE_LAB_TRIAL_H

#include "core/lab/check.h"

/*
 * `repeats` times from the same start, each with another pattern in what is not written yet.
 * CA_WRONG: the report says what is wrong, where and since when.
 */
enum ca_status lab_trial(const struct ca_lab *lab, const struct ca_lab_truth *truth,
                         const struct ca_lab_program *program, int repeats,
                         struct ca_lab_report *report, struct ca_error *error);

#endif
