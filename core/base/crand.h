/* SPDX-License-Identifier: MIT */
/*
 * glibc's rand(), the same everywhere: the additive feedback generator of its TYPE_3 state,
 * r[i] = r[i-3] + r[i-31] mod 2^32, output r[i] >> 1 from i = 344 on. It repeats the initial
 * states that exercises and reports made with srand(seed) and rand().
 */
#ifndef CALAB_CORE_BASE_CRAND_H
#define CALAB_CORE_BASE_CRAND_H

#include <stdint.h>

#define CA_RAND_MAX 2147483647

struct ca_crand {
    uint32_t r[31]; /* the last 31, r[at] the oldest */
    int at;
};

void ca_crand_seed(struct ca_crand *generator, uint32_t seed); /* 0 counts as 1 */
int32_t ca_crand_next(struct ca_crand *generator);             /* 0 ... CA_RAND_MAX */

#endif
