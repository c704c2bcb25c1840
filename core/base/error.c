/* SPDX-License-Identifier: MIT */
/* Owns the texts of errors. */
#include "core/base/error.h"

#include <stdarg.h>
#include <stdio.h>

char *ca_plain(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
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
        [CA_OK] = "ok",
        [CA_WRONG] = "wrong",
        [CA_USAGE] = "usage",
        [CA_SETTINGS] = "settings",
        [CA_CUDA_FAILED] = "cuda",
        [CA_TIMEOUT] = "timeout",
        [CA_NO_DEVICE] = "no-device",
        [CA_IO] = "io",
        [CA_NO_MEMORY] = "no-memory",
    };

    return names[status];
}
