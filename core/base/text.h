/* SPDX-License-Identifier: MIT */
/* A text that is written part after part. */
#ifndef CALAB_CORE_BASE_TEXT_H
#define CALAB_CORE_BASE_TEXT_H

#include <stddef.h>

/* Adds to a text of `size` bytes, as far as they go. */
void ca_text_add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
