/* SPDX-License-Identifier: MIT */
/* This file reads the monotonic clock and the present date. */
#include "core/base/clock.h"

#include <time.h>

double ca_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void ca_date(char text[32])
{
    time_t now = time(NULL);
    struct tm utc;

    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}
