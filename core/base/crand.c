/* SPDX-License-Identifier: MIT */
/* This file computes glibc's rand() by its recurrence. */
#include "core/base/crand.h"

void ca_crand_seed(struct ca_crand *generator, uint32_t seed)
{
    int32_t word = seed == 0 ? 1 : (int32_t)seed;

    /* r[1 ... 30] by 16807 r mod (2^31 - 1) with the signed remainder made positive. */
    for (int i = 0; i < 31; i++) {
        generator->r[i] = (uint32_t)word;
        word = (int32_t)(16807 * (int64_t)word % 2147483647);
        if (word < 0)
            word += 2147483647;
    }
    /* r[31 ... 33] repeat r[0 ... 2], which is where they already stand in a ring of 31. */
    generator->at = 3;
    for (int i = 34; i < 344; i++)
        ca_crand_next(generator);
}

int32_t ca_crand_next(struct ca_crand *generator)
{
    uint32_t *r = generator->r;
    int at = generator->at;

    r[at] += r[(at + 28) % 31]; /* r[i - 31] + r[i - 3] */
    generator->at = (at + 1) % 31;
    return (int32_t)(r[at] >> 1);
}
