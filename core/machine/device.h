/* SPDX-License-Identifier: MIT */
/* Facts of the devices of this machine. Every figure that may be unknown carries a validity bit,
 * so that it is never shown as 0. */
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
    int index; /* of a GPU as CUDA counts them; 0 for the CPU */
    char name[128];
    int cores; /* cores that this process may use; multiprocessors of a GPU */
    int compute_major, compute_minor; /* of a GPU */
    struct ca_fact clock_mhz; /* at present: the mean of the cores, or of a GPU's multiprocessors */
    struct ca_fact memory_clock_mhz;
    struct ca_fact temperature_c;
    struct ca_fact power_w; /* of a CPU the mean since the last call, from RAPL's energy counter */
    struct ca_fact power_limit_w;
    struct ca_fact energy_j; /* the counter of RAPL or of the GPU */
    struct ca_fact memory_bytes, memory_free_bytes;
    struct ca_fact ecc;         /* of a GPU: 1, its memory's errors are corrected, or 0 */
    struct ca_fact utilisation; /* 0 ... 1, the share of recent time in which a kernel ran */
    char held_by[128];          /* what limits a GPU's clocks, or "nothing"; "": unknown */
    char governor[32];          /* "": unknown */
};

/* Reads the CPU's facts. It is cheap; poll at most once per second. */
void ca_device_cpu(struct ca_device *device);
/* Reads a GPU's facts, likewise. CA_NO_DEVICE, CA_CUDA_FAILED. */
enum ca_status ca_device_gpu(int index, struct ca_device *device, struct ca_error *error);
/* ", ECC on", ", ECC off", or "" where that is unknown. */
const char *ca_device_ecc(const struct ca_device *device);
/* Reads energy_j alone, for readings directly before and after some work. */
struct ca_fact ca_cpu_energy(void);
struct ca_fact ca_gpu_energy(int index);

/* The facts of the device of a backend with these options, of several GPUs the first; if it cannot
 * be queried, its name says why. The energy is that of all GPUs, unknown where that of one is. */
void ca_device_of(const struct ca_backend *backend, const struct ca_values *options,
                  struct ca_device *device);
struct ca_fact ca_energy_of(const struct ca_backend *backend, const struct ca_values *options);
/* Whether the device of a backend is emulated on this CPU: then no time is a speed, and what would
 * show one says CA_NOT_A_SPEED. */
bool ca_device_emulated(const struct ca_backend *backend);
#define CA_NOT_A_SPEED "emulated: not a speed"
/* The GPU that the options name, the first of several, 0 if they have no `device`. */
int ca_device_index(const struct ca_values *options);
/* The GPUs that the options name: those of `devices`, of which fewer `ranks` take only some, else
 * `device`. Returns their number, at least 1. */
#define CA_DEVICES_MAX 64
int ca_device_list(const struct ca_values *options, int index[CA_DEVICES_MAX]);
/* The GPUs that they name: "GPU 0", "GPU 0,1", "all GPUs". Returns text. */
#define CA_DEVICE_LABEL 80
char *ca_device_label(char text[CA_DEVICE_LABEL], const struct ca_values *options);

/* Cores that this process may use (affinity, cgroup limits rounded up), at least 1. */
int ca_cpu_cores(void);
/* Physical memory in bytes that is available, and allowed by control groups; 0: unknown. */
uint64_t ca_memory_available(void);

#endif
