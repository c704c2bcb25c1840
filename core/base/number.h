/* SPDX-License-Identifier: MIT */
/*
 * Numbers as they are typed: on the command line, in variables of the environment, as text in
 * files. A whole number is digits, with a '-' before them where it may be negative: no blanks, no
 * '+', no exponent, no octal, and 0x... for seeds alone. Anything else is refused, never cut off.
 */
#ifndef CALAB_CORE_BASE_NUMBER_H
#define CALAB_CORE_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The digits at the head of a text. Returns what follows them, NULL where there are none or they
 * are beyond 64 bits. */
const char *ca_take_digits(const char *text, uint64_t *number);
/* The whole text is the number; false leaves *number alone. */
bool ca_read_unsigned(const char *text, uint64_t *number);
bool ca_read_whole(const char *text, int64_t *number);
/* Decimal or 0x... */
bool ca_read_seed(const char *text, uint64_t *number);
/* A decimal number, as in -0.5 or 1e-3; one that is too large for a double is infinite. */
bool ca_read_real(const char *text, double *number);

#ifdef __cplusplus
}
#endif
#endif
