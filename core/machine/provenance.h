/* SPDX-License-Identifier: MIT */
/* The provenance of figures: program, build, machine, time. */
#ifndef CALAB_CORE_MACHINE_PROVENANCE_H
#define CALAB_CORE_MACHINE_PROVENANCE_H

#include "core/machine/cpu.h"
#include "core/machine/device.h"

#define CA_PROVENANCE_GPUS 16

struct ca_provenance {
    const char *version, *compiler, *flags;
    char date[32]; /* UTC */
    char host[64], kernel[128], cpu[128], governor[32];
    int cores;
    enum ca_isa isa;
    /* The GPUs used, and versions, which are "" without GPUs. */
    int gpus;
    struct ca_device gpu[CA_PROVENANCE_GPUS];
    char driver[32], driver_cuda[16], runtime_cuda[16];
};

void ca_provenance_take(struct ca_provenance *provenance);
/* Adds a GPU with its present facts, unless it is listed already or cannot be queried. */
void ca_provenance_gpu(struct ca_provenance *provenance, int index);

#endif
