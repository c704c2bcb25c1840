/* SPDX-License-Identifier: MIT */
/* Where figures come from: program, build, machine, time. */
#ifndef CALAB_CORE_PROVENANCE_H
#define CALAB_CORE_PROVENANCE_H

#include "core/cpu.h"

struct ca_provenance {
    const char *version, *compiler, *flags;
    char date[32]; /* UTC */
    char host[64], kernel[128], cpu[128], governor[32];
    int cores;
    enum ca_isa isa;
};

void ca_provenance_take(struct ca_provenance *provenance);

#endif
