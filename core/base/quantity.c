/* SPDX-License-Identifier: MIT */
/* This file writes numbers with units for users. */
#include "core/base/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The value rounded to three digits, so that 999.6 becomes 1.00 k and not 1000. */
static double rounded(double value)
{
    double unit = pow(10, floor(log10(value)) - 2);

    return value > 0 ? round(value / unit) * unit : value;
}

char *ca_three_digits(char text[CA_QUANTITY_TEXT], double value)
{
    double magnitude = rounded(fabs(value));
    int digits = magnitude > 0 ? 2 - (int)floor(log10(magnitude) + 1e-9) : 0;

    if (magnitude > 0 && (magnitude < 0.0009995 || magnitude >= 1e15)) {
        snprintf(text, CA_QUANTITY_TEXT, "%.3g", value);
        return text;
    }
    snprintf(text, CA_QUANTITY_TEXT, "%.*f", digits > 0 ? digits : 0, value);
    return text;
}

/* Three digits, the prefix of the value, the unit. "-" unless the value is finite and not
 * negative. */
static char *quantity(char text[CA_QUANTITY_TEXT], double value, const char *unit)
{
    static const char prefixes[] = "kMGT";
    char number[CA_QUANTITY_TEXT], prefix[2] = "";

    if (!isfinite(value) || value < 0) {
        strcpy(text, "-");
        return text;
    }
    for (int i = 0; prefixes[i] && rounded(value) >= 1000 * (1 - 1e-9); i++) {
        value /= 1000;
        prefix[0] = prefixes[i];
    }
    snprintf(text, CA_QUANTITY_TEXT, "%.20s %s%.16s", ca_three_digits(number, value), prefix, unit);
    return text;
}

char *ca_rate(char text[CA_QUANTITY_TEXT], double cells_per_s)
{
    return quantity(text, cells_per_s > 0 ? cells_per_s : -1, "ups");
}

char *ca_duration(char text[CA_QUANTITY_TEXT], double seconds)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    char number[CA_QUANTITY_TEXT];
    int i = 0;

    if (!isfinite(seconds) || seconds < 0) {
        strcpy(text, "-");
        return text;
    }
    for (; i < 3 && seconds > 0 && rounded(seconds) < 1 - 1e-9; i++)
        seconds *= 1000;
    snprintf(text, CA_QUANTITY_TEXT, "%.20s %s", ca_three_digits(number, seconds), units[i]);
    return text;
}

char *ca_thousands(char text[CA_QUANTITY_TEXT], uint64_t value)
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, value), used = 0;

    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}
