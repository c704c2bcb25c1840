/* SPDX-License-Identifier: MIT */
/* The inner loops of the probe for each instruction set. */
#ifndef CALAB_CORE_PROBE_LOOPS_H
#define CALAB_CORE_PROBE_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/cpu.h"

struct probe_loops {
    /* Copies count bytes, a multiple of 512, aligned to 64. */
    void (*copy)(void *to, const void *from, size_t count);
    void (*stream)(void *to, const void *from, size_t count); /* with non-temporal stores */
    /* Runs n rounds of logic_ops operations on 64-bit words. The result keeps them from being
     * removed. */
    uint64_t (*logic)(uint64_t n);
    uint64_t logic_ops; /* operations of a round */
};

extern const struct probe_loops probe_loops[CA_AVX512 + 1];

#endif
