/* SPDX-License-Identifier: MIT */
/*
 * A clock that runs 16 times as fast, in place of ca_now() of core/base/clock.c, for tests of what
 * comes of a measurement. Included by one file of a program; test_hurry() of
 * tests/support/support.h does the same for programs that a test starts.
 */
#ifndef CALAB_TESTS_HURRIED_CLOCK_H
#define CALAB_TESTS_HURRIED_CLOCK_H

#include <time.h>

#include "core/base/clock.h"

double ca_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return 16 * ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
}

#endif
