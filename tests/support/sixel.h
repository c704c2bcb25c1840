/* SPDX-License-Identifier: MIT */
/* Decodes sixel graphics, strictly: each pixel of the size that a picture gives has one colour. */
#ifndef CALAB_TESTS_SIXEL_H
#define CALAB_TESTS_SIXEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sixels {
    int width, height;
    uint32_t *rgba; /* 0xRRGGBBAA; the caller frees it */
};

/* Whether a string (DCS), without its ends, has sixels: "P0;1q...". */
bool sixel_is(const char *text);
/* Fails the test where registers are used beyond so many, or the text is wrong. */
struct sixels sixel_decode(const char *text, int registers);

#endif
