/* SPDX-License-Identifier: MIT */
/* Bytes as text, as sequences of terminals carry them (RFC 4648, 4). */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_BASE64_H
#define CALAB_TUI_WORKBENCH_TERMINAL_BASE64_H

#include <stddef.h>

#define BASE64_SIZE(bytes) (((bytes) + 2) / 3 * 4)

/* Writes BASE64_SIZE(count) characters, without a NUL. Returns their number. */
size_t base64(char *out, const void *bytes, size_t count);

#endif
