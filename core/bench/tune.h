/* SPDX-License-Identifier: MIT */
/*
 * Tuning: the values of a backend's options that are the fastest on this device, searched once,
 * kept in a file, and used wherever the user has not set them.
 *
 * $XDG_CACHE_HOME/calab/tuned.cfg (default ~/.cache), libconfig, an entry for each search:
 *
 *     version = 1;
 *     tuned = ({ device = "NVIDIA H200"; model = "fhp"; backend = "cuda-temporal";
 *                size = "4096x4096"; setup = "p_force=0.25"; options : { generations = 4; };
 *                mups = ...; untuned_mups = ...; measured = "bench"; others = "quiet";
 *                date = "2026-01-31T12:00:00Z"; driver = "580.65.06"; calab = "0.1.0"; }, ...);
 *
 * `setup` holds what else can change the kernel: parameters that are not at their defaults, but for
 * those that shape the initial state alone, the number of threads, and options that are not at
 * their defaults and were not searched. An entry is used only if all of these keys and the version
 * of calab are equal. Empty `options` say that the backend's default was the fastest, or that they
 * were never searched. `measured`, `others`, `date` and `driver` say how well the rate `mups` is
 * known (core/bench/kept.h); entries that lack them count, too.
 *
 * The file is read, changed and replaced under a lock (core/files/lock.h).
 */
#ifndef CALAB_CORE_BENCH_TUNE_H
#define CALAB_CORE_BENCH_TUNE_H

#include "core/bench/bench.h"
#include "core/bench/kept.h"

/* The file, "" without a home. */
const char *ca_tuned_path(void);
/*
 * Sets the options that the user has not set to the values of the file's entry, with origin
 * CA_TUNED. Without an entry, or with CALAB_TUNED=off, values of an earlier entry go back to their
 * defaults, as they do on an error. CA_SETTINGS with file and line if the file is wrong, CA_IO.
 */
enum ca_status ca_tuned_use(struct ca_experiment *experiment, struct ca_error *error);
/* Writes the i-th value of an option that a search tries to `text`, its default first. False after
 * the last. */
bool ca_tune_value(const struct ca_param *param, int i, char text[CA_TEXT_MAX]);
/* Whether CALAB_TUNED=off: what was measured before counts for nothing, and nothing is tried. */
bool ca_tuned_off(void);
/* The rate in the file's entry for the experiment's backend. Its mups are 0 without an entry. */
struct ca_kept ca_tuned_rate(const struct ca_experiment *experiment);
/* A number for what an entry applies to, the same in this process for the same alone. */
uint64_t ca_tuned_key(const struct ca_experiment *experiment);
/*
 * Keeps a rate unless a better one is kept that still holds. The options that were found by tuning
 * stay; a rate of other tuned options than those, or of default ones where some were found, is not
 * kept. A trial that found options has the rate without them in `untuned_mups`, else 0: the options
 * are kept, too. Fails as ca_tuned_keep does.
 */
enum ca_status ca_tuned_keep_rate(const struct ca_experiment *experiment,
                                  const struct ca_kept *rate, double untuned_mups,
                                  struct ca_error *error);
/* Keeps the rates of the lines that are right, not stopped early, of no emulated GPU, and not
 * unsure. A file that cannot be written costs a trial later, no more. */
void ca_tuned_keep_lines(const struct ca_bench *bench);
/* Writes the tuned options of a timed line to the file, in place of an entry with the same keys,
 * unless that has options and its rate is better known than the line's and still holds; everything
 * else in the file stays. CA_SETTINGS if the file is wrong, which is then left as it is; CA_IO.
 * *kept, unless NULL, says whether they are in the file now. */
enum ca_status ca_tuned_keep(const struct ca_bench_line *tuned, double untuned_mups, bool *kept,
                             struct ca_error *error);

/*
 * Searches the options of each line and keeps what it finds if the final state is right. Each line
 * that had options to search becomes two, with default and with tuned options, timed in alternation
 * and checked; the other lines are removed. CA_USAGE if no line is left. CA_WRONG with the command
 * that shows it if a value leads to another state than the default does; CA_TIMEOUT if stopped.
 */
enum ca_status ca_tune_run(struct ca_bench *bench, ca_bench_progress *progress, void *context,
                           struct ca_error *error);

#endif
