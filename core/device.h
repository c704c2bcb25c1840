/* SPDX-License-Identifier: MIT */
/*
 * Facts of the devices of this machine. Every figure that may be missing carries a validity bit,
 * so that unknown is never shown as 0.
 */
#ifndef CALAB_CORE_DEVICE_H
#define CALAB_CORE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model.h"

struct ca_fact {
    bool known;
    double value;
};

struct ca_device {
    enum ca_device_kind kind;
    int index;
    char name[128];
    int cores;                /* that this process may use */
    struct ca_fact clock_mhz; /* now, mean over cores */
    struct ca_fact temperature_c;
    struct ca_fact power_w;  /* since the last call, from RAPL's energy counter */
    struct ca_fact energy_j; /* RAPL's counter, monotonic within a run */
    struct ca_fact memory_bytes, memory_free_bytes;
    char governor[32]; /* "" unknown */
};

/* The CPU as it is now. Cheap; poll once a second at most. */
void ca_device_cpu(struct ca_device *device);
/* energy_j alone: for readings right before and after something. */
struct ca_fact ca_cpu_energy(void);
/* Cores that this process may use (affinity, cgroup limits rounded up), at least 1. */
int ca_cpu_cores(void);
/* Physical memory that is free for use, in bytes; 0 unknown. */
uint64_t ca_memory_available(void);

#endif
