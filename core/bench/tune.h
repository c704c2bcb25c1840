/* SPDX-License-Identifier: MIT */
/*
 * Tuning: the values of a backend's options that are the fastest on this device, searched once,
 * kept in a file, and taken wherever nobody has chosen others.
 *
 * $XDG_CACHE_HOME/calab/tuned.cfg (default ~/.cache), libconfig, an entry for each search:
 *
 *     version = 1;
 *     tuned = ({ device = "NVIDIA H200"; model = "fhp"; backend = "cuda-blocked";
 *                size = "4096x4096"; setup = "p_force=0.25"; options : { generations = 4; };
 *                mups = ...; untuned_mups = ...; calab = "0.1.0"; }, ...);
 *
 * `setup` holds what else can change the kernel: parameters that are not at their defaults, but for
 * those that shape the initial state alone, the number of threads, and options that are not at
 * their defaults and were not searched. An entry counts for exactly that, and for this version of
 * calab. Empty `options`: the backend's own choice was the fastest.
 */
#ifndef CALAB_CORE_BENCH_TUNE_H
#define CALAB_CORE_BENCH_TUNE_H

#include "core/bench/bench.h"

/* The file, "" without a home. */
const char *ca_tuned_path(void);
/*
 * Gives the options that nobody chose the values of the file's entry, origin CA_TUNED; without one,
 * or with CALAB_TUNED=off, those of an earlier entry go back to their defaults. CA_SETTINGS with
 * file and line for a file that is wrong, CA_IO; the options are then at their defaults.
 */
enum ca_status ca_tuned_use(struct ca_experiment *experiment, struct ca_error *error);
/* Million cell updates a second of the file's entry for the experiment's backend, 0: none. */
double ca_tuned_mups(const struct ca_experiment *experiment);
/* Keeps a rate that was measured with the backend's own choice of options. Errors as ca_tuned_keep.
 */
enum ca_status ca_tuned_keep_rate(const struct ca_experiment *experiment, double mups,
                                  struct ca_error *error);
/* Puts the tuned options of a timed line into the file, in place of what it had of the kind; all
 * else in it stays. CA_SETTINGS for a file that is wrong, which is left alone; CA_IO. */
enum ca_status ca_tuned_keep(const struct ca_bench_line *tuned, double untuned_mups,
                             struct ca_error *error);

/*
 * Searches the options of each line and keeps what it finds, if it is right. Then the bench has two
 * lines for each that had options to search, without and with what was found, timed in turns and
 * checked; others are gone. CA_USAGE when none is left. CA_WRONG when a value brings about another
 * state than the backend's own choice, with the command that shows it; CA_TIMEOUT: stopped.
 */
enum ca_status ca_tune_run(struct ca_bench *bench, ca_bench_progress *progress, void *context,
                           struct ca_error *error);

#endif
