/* SPDX-License-Identifier: MIT */
/*
 * A clock that the test itself sets, in place of core/base/clock.c. The program that includes this
 * header times nothing but what adds to the clock, so that its result does not depend on how busy
 * the machine is. Included by one file of a program.
 */
#ifndef CALAB_TESTS_MANUAL_CLOCK_H
#define CALAB_TESTS_MANUAL_CLOCK_H

#include <string.h>

#include "core/base/clock.h"

#define CLOCK_READ_S 1e-9 /* time goes on, or loops that wait for it would never end */

static double manual_clock_s;

double ca_now(void) { return manual_clock_s += CLOCK_READ_S; }
void ca_date(char text[32]) { strcpy(text, "2026-01-31T12:00:00Z"); }

#endif
