/* SPDX-License-Identifier: MIT */
/*
 * Facts of the devices of this machine. Every figure that may be missing carries a validity bit,
 * so that unknown is never shown as 0.
 */
#ifndef CALAB_CORE_MACHINE_DEVICE_H
#define CALAB_CORE_MACHINE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/model.h"

struct ca_fact {
    bool known;
    double value;
};

struct ca_device {
    enum ca_device_kind kind;
    int index; /* as CUDA counts GPUs; 0 of the CPU */
    char name[128];
    int cores;                        /* that this process may use; of a GPU its multiprocessors */
    int compute_major, compute_minor; /* of a GPU */
    struct ca_fact clock_mhz;         /* now: mean over cores; of a GPU its multiprocessors' */
    struct ca_fact memory_clock_mhz;
    struct ca_fact temperature_c;
    struct ca_fact power_w; /* of a CPU since the last call, from RAPL's energy counter */
    struct ca_fact power_limit_w;
    struct ca_fact energy_j; /* a counter: RAPL's, the GPU's */
    struct ca_fact memory_bytes, memory_free_bytes;
    struct ca_fact utilisation; /* 0 ... 1, part of the time that a kernel ran, lately */
    char held_by[128];          /* what keeps a GPU's clocks down, "nothing"; "" unknown */
    char governor[32];          /* "" unknown */
};

/* The CPU as it is now. Cheap; poll once a second at most. */
void ca_device_cpu(struct ca_device *device);
/* A GPU as it is now. Likewise. CA_NO_DEVICE, CA_CUDA_FAILED. */
enum ca_status ca_device_gpu(int index, struct ca_device *device, struct ca_error *error);
/* energy_j alone: for readings right before and after something. */
struct ca_fact ca_cpu_energy(void);
struct ca_fact ca_gpu_energy(int index);

/* The same two of what a backend with these options runs on. A GPU that says nothing of itself has
 * a name that says why. */
void ca_device_of(const struct ca_backend *backend, const struct ca_values *options,
                  struct ca_device *device);
struct ca_fact ca_energy_of(const struct ca_backend *backend, const struct ca_values *options);
/* The GPU that options name, 0 where they have no `device`. */
int ca_device_index(const struct ca_values *options);

/* Cores that this process may use (affinity, cgroup limits rounded up), at least 1. */
int ca_cpu_cores(void);
/* Physical memory that is free for use, in bytes; 0 unknown. */
uint64_t ca_memory_available(void);

#endif
