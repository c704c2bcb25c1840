/* SPDX-License-Identifier: MIT */
/* This file writes bytes as base64. */
#include "tui/workbench/terminal/base64.h"

size_t base64(char *out, const void *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = bytes;
    size_t used = 0;

    for (size_t i = 0; i < count; i += 3) {
        const unsigned a = in[i];
        const unsigned b = i + 1 < count ? in[i + 1] : 0;
        const unsigned c = i + 2 < count ? in[i + 2] : 0;

        out[used++] = digits[a >> 2];
        out[used++] = digits[(a & 3) << 4 | b >> 4];
        out[used++] = i + 1 < count ? digits[(b & 15) << 2 | c >> 6] : '=';
        out[used++] = i + 2 < count ? digits[c & 63] : '=';
    }
    return used;
}
