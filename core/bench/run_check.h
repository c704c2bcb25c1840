/* SPDX-License-Identifier: MIT */
/*
 * All that `calab run` refuses before its first step, found without a run: `config check` calls it
 * for experiment files. It is made of the functions that the run itself calls.
 */
#ifndef CALAB_CORE_BENCH_RUN_CHECK_H
#define CALAB_CORE_BENCH_RUN_CHECK_H

#include "core/sim/measure.h"

/* Every line of a list of measurements. CA_USAGE, CA_IO, CA_NO_DEVICE, CA_NO_MEMORY,
 * CA_CUDA_FAILED. */
enum ca_status ca_measures_check(const struct ca_measures *measures, struct ca_error *error);
/* Checks an argument of `run -c`: an experiment file, a state, or the name of a pattern; its text,
 * and then its measurements or, without any, the experiment. CA_SETTINGS for what is wrong with the
 * file; else as above. */
enum ca_status ca_run_file_check(const char *path, struct ca_error *error);

#endif
