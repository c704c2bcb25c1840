/* SPDX-License-Identifier: MIT */
/*
 * How well a kept rate is known, and when a new one takes its place.
 *
 * Undisturbed rates of `bench` are better than undisturbed ones of a trial, those better than rates
 * of which nothing is known, and those better than disturbed ones. Among equals the newer is
 * better. A kept rate holds for CA_KEPT_DAYS, with the driver that it was measured with; what holds
 * is replaced by a better or equal one alone.
 */
#ifndef CALAB_CORE_BENCH_KEPT_H
#define CALAB_CORE_BENCH_KEPT_H

#include "core/machine/interference.h"

#define CA_KEPT_DAYS 30

enum ca_measured { CA_BY_UNKNOWN, CA_BY_TRIAL, CA_BY_BENCH };
extern const char *const ca_measured_names[]; /* "unknown", "trial", "bench" */

struct ca_kept {
    double mups; /* million cell updates a second; 0: nothing is kept */
    enum ca_measured by;
    enum ca_quiet quiet;
    char date[32];   /* in UTC, as ca_date has it; "": unknown */
    char driver[32]; /* of a GPU; "": of a CPU, or unknown */
};

/* A rate that was measured now, on the device of a backend. */
struct ca_kept ca_kept_now(double mups, enum ca_measured by, enum ca_quiet quiet,
                           const struct ca_backend *backend);
/* Whole days between two dates; -1 where one is unknown, or the second is before the first. */
int ca_kept_days(const char *date, const char *today);
/* Whether it is to be measured again: it is disturbed, old or of unknown age, or of another
 * driver than `now`. */
bool ca_kept_is_doubtful(const struct ca_kept *kept, const struct ca_kept *now);
/* Whether `now` takes its place. A disturbed rate takes that of a better one that is merely old
 * never. */
bool ca_kept_gives_way(const struct ca_kept *kept, const struct ca_kept *now);
/* "measured today", "measured yesterday", "measured on 2026-01-31", "measured before", and where
 * it is disturbed or unknown that. Returns text. */
#define CA_KEPT_TEXT 64
char *ca_kept_text(char text[CA_KEPT_TEXT], const struct ca_kept *kept);

#endif
