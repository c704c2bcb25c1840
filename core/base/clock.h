/* SPDX-License-Identifier: MIT */
/* The clock of all timing, and the date of results. */
#ifndef CALAB_CORE_BASE_CLOCK_H
#define CALAB_CORE_BASE_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* The time of a monotonic clock in seconds. */
double ca_now(void);
/* The present time in UTC, as 2026-01-31T12:00:00Z. */
void ca_date(char text[32]);

#ifdef __cplusplus
}
#endif
#endif
