/* SPDX-License-Identifier: MIT */
/* This file writes the texts of errors. */
#include "core/base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The bytes of the character at the head of a text, and which one it is; 0 where no UTF-8 begins.
 */
static int decode(const unsigned char *text, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int count = text[0] < 0x80   ? 1
                : text[0] < 0xc0 ? 0
                : text[0] < 0xe0 ? 2
                : text[0] < 0xf0 ? 3
                : text[0] < 0xf8 ? 4
                                 : 0;

    *character = count < 2 ? text[0] : text[0] & (0x7fu >> count);
    for (int i = 1; i < count; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *character = *character << 6 | (text[i] & 0x3f);
    }
    return count > 0 && *character >= least[count] && *character <= 0x10ffff &&
                   (*character < 0xd800 || *character > 0xdfff)
               ? count
               : 0;
}

bool ca_steers(uint32_t character)
{
    return character < ' ' || (character >= 0x7f && character < 0xa0) || character == 0x61c ||
           character == 0x200e || character == 0x200f ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

char *ca_plain(char *text)
{
    char *end = text;

    for (const char *from = text; *from;) {
        uint32_t character;
        int count = decode((const unsigned char *)from, &character);

        if (count == 0 || ca_steers(character)) {
            *end++ = '?';
            from += count > 0 ? count : 1;
        } else {
            for (; count > 0; count--)
                *end++ = *from++;
        }
    }
    *end = 0;
    return text;
}

void ca_error_set(struct ca_error *error, enum ca_status status, const char *format, ...)
{
    va_list arguments;

    error->status = status;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    ca_plain(error->text);
}

const char *ca_status_name(enum ca_status status)
{
    static const char *const names[] = {
        [CA_OK] = "ok",           [CA_WRONG] = "wrong",
        [CA_USAGE] = "usage",     [CA_SETTINGS] = "settings",
        [CA_COMPILE] = "compile", [CA_CUDA_FAILED] = "cuda",
        [CA_TIMEOUT] = "timeout", [CA_NO_DEVICE] = "no-device",
        [CA_IO] = "io",           [CA_NO_MEMORY] = "no-memory",
    };

    return names[status];
}
