/* SPDX-License-Identifier: MIT */
/*
 * The word that bit-sliced code is written over: `#define WORD ...` before the first include for
 * another than uint64_t, an unsigned integer or a vector of them. C and CUDA.
 */
#ifndef CALAB_KERNELS_WORD_H
#define CALAB_KERNELS_WORD_H

#include <stdint.h>
#include <string.h>

#include "kernels/common/rule.h"

#ifndef WORD
#define WORD uint64_t
#endif

typedef WORD word;

/* Words of a bit row in one of these. */
#define LANES ((int64_t)(sizeof(word) / sizeof(uint64_t)))

/* At any word of a bit row, aligned or not. */
RULE word load_word(const uint64_t *at)
{
    word value;

    memcpy(&value, at, sizeof value);
    return value;
}

RULE void store_word(uint64_t *at, word value) { memcpy(at, &value, sizeof value); }

#endif
