/* SPDX-License-Identifier: MIT */
/* The clock that all timing is read from, and the date that results carry. */
#ifndef CALAB_CORE_BASE_CLOCK_H
#define CALAB_CORE_BASE_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of a monotonic clock. */
double ca_now(void);
/* The present time in UTC, as 2026-01-31T12:00:00Z. */
void ca_date(char text[32]);

#ifdef __cplusplus
}
#endif
#endif
