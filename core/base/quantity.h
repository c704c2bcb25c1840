/* SPDX-License-Identifier: MIT */
/* Numbers as people read them: prefixes k, M, G and T, rates of cell updates, thousands. */
#ifndef CALAB_CORE_BASE_QUANTITY_H
#define CALAB_CORE_BASE_QUANTITY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CA_QUANTITY_TEXT 40 /* bytes that hold any of these texts, for a unit of up to 16 */

/* A rate of cell updates, given in updates per second, with three digits: "150 Gups", "0.45 ups";
 * "-" for 0, which is unknown. Returns text. */
char *ca_rate(char text[CA_QUANTITY_TEXT], double cells_per_s);
/* "2.19 us", "266 ms", "12 s": three digits in s, ms, us or ns. */
char *ca_duration(char text[CA_QUANTITY_TEXT], double seconds);
/* "3,117". */
char *ca_thousands(char text[CA_QUANTITY_TEXT], uint64_t value);
/* Three significant digits without an exponent between 0.001 and 10^15: "153", "1.02",
 * "0.0065". */
char *ca_three_digits(char text[CA_QUANTITY_TEXT], double value);

#ifdef __cplusplus
}
#endif
#endif
