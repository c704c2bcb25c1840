/* SPDX-License-Identifier: MIT */
/* Reads numbers strictly, in place of the C library, which skips blanks and takes other bases. */
#include "core/base/number.h"

#include <stdlib.h>
#include <string.h>

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 16;
}

static const char *number_take(const char *text, unsigned base, uint64_t *number)
{
    const char *at = text;
    uint64_t value = 0;

    for (; (unsigned)digit_of(*at) < base; at++) {
        unsigned digit = (unsigned)digit_of(*at);

        if (value > (UINT64_MAX - digit) / base)
            return NULL;
        value = value * base + digit;
    }
    if (at == text)
        return NULL;
    *number = value;
    return at;
}

const char *ca_take_digits(const char *text, uint64_t *number)
{
    return number_take(text, 10, number);
}

static bool number_read_all(const char *text, unsigned base, uint64_t *number)
{
    uint64_t value;
    const char *end = number_take(text, base, &value);

    if (!end || *end)
        return false;
    *number = value;
    return true;
}

bool ca_read_unsigned(const char *text, uint64_t *number)
{
    return number_read_all(text, 10, number);
}

bool ca_read_whole(const char *text, int64_t *number)
{
    bool minus = text[0] == '-';
    uint64_t size;

    if (!number_read_all(text + minus, 10, &size) || size > (uint64_t)INT64_MAX)
        return false;
    *number = minus ? -(int64_t)size : (int64_t)size;
    return true;
}

bool ca_read_seed(const char *text, uint64_t *number)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

    return number_read_all(text + 2 * hex, hex ? 16 : 10, number);
}

bool ca_read_real(const char *text, double *number)
{
    double value;
    char *end;

    if (!text[0] || text[strspn(text, "0123456789.eE+-")] || text[0] == '+')
        return false;
    value = strtod(text, &end);
    if (*end)
        return false;
    *number = value;
    return true;
}
