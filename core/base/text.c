/* SPDX-License-Identifier: MIT */
/* A further part begins where the text ends. */
#include "core/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ca_text_add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;

    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}
