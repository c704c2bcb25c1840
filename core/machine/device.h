/* SPDX-License-Identifier: MIT */
/* Facts of the devices of this machine. Every figure that may be unknown carries a validity bit,
 * so that it is never shown as 0. */
#ifndef CALAB_CORE_MACHINE_DEVICE_H
#define CALAB_CORE_MACHINE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/model.h"
#include "core/model/ranks.h"

struct ca_fact {
    bool known;
    double value;
};

/* Their sum, unknown where one of them is. */
struct ca_fact ca_fact_plus(struct ca_fact a, struct ca_fact b);

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
/* The use of a GPU by other processes, and the reason why its clock is held down. */
struct ca_gpu_use {
    struct ca_fact others; /* 0 ... 1, the share of its time that processes use which are not of
                              this program: neither this process, nor those above or below it */
    struct ca_fact clock_mhz;
    struct ca_fact held; /* 1: heat or a power brake holds the clock down, or 0 */
};
/* Since the last call for this GPU, or of the last second. All is unknown without NVML. */
void ca_gpu_use(int index, struct ca_gpu_use *use);
/* Reads energy_j alone, for readings directly before and after some work. */
struct ca_fact ca_gpu_energy(int index);

/* The facts of the device of a backend with these options, of several GPUs the first. If a GPU
 * cannot be queried, its name says why. */
void ca_device_of(const struct ca_backend *backend, const struct ca_values *options,
                  struct ca_device *device);
/* The facts of each of them; returns how many there are. */
int ca_devices_of(const struct ca_backend *backend, const struct ca_values *options,
                  struct ca_device device[CA_RANKS_MAX]);
/* The energy of all of them, unknown where that of one is. */
struct ca_fact ca_energy_of(const struct ca_backend *backend, const struct ca_values *options);
/* Whether the device of a backend is emulated on this CPU: then no time is a speed, and what would
 * show one says CA_NOT_A_SPEED. */
bool ca_device_emulated(const struct ca_backend *backend);
#define CA_NOT_A_SPEED "emulated: not a speed"
/* The numbers of a list of GPUs such as 0,1, each once. Returns how many there are, 0 for an empty
 * text. */
#define CA_DEVICES_ALL (-1)   /* the text is "all" */
#define CA_DEVICES_WRONG (-2) /* it is no list */
int ca_device_numbers(const char *text, int index[CA_RANKS_MAX]);
/* CA_USAGE for a text that is not a list of GPUs; an empty text is the list of none. */
enum ca_status ca_devices_check(const char *text, struct ca_error *error);
/* The GPUs that the options `device`, `devices` and `ranks` use, in the order of the ranks. Returns
 * how many there are: at least one, which is GPU 0 if no option names another. */
int ca_device_list(const struct ca_values *options, int index[CA_RANKS_MAX]);
/* The first of them. */
int ca_device_index(const struct ca_values *options);
/* The GPUs that they name: "GPU 0", "GPU 0,1", "all GPUs". Returns text. */
#define CA_DEVICE_LABEL 80
char *ca_device_label(char text[CA_DEVICE_LABEL], const struct ca_values *options);

/* The driver's version, as "580.65.06"; "": unknown. */
const char *ca_nvml_driver(void);

/* Reads a small file of /proc or /sys whole, by its path. False, with an empty text: it cannot be
 * read. */
bool ca_machine_file(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Cores that this process may use (affinity, cgroup limits rounded up), at least 1. */
int ca_cpu_cores(void);
/* The memory that control groups leave to this process: of a container, a Slurm job, a systemd
 * unit. */
struct ca_cgroup_memory {
    struct ca_fact limit, available; /* bytes, the tightest of all groups; unknown: no limit */
};

/* `membership` is /proc/self/cgroup, `mount` /sys/fs/cgroup, or a test's copies. Versions 1 and 2
 * (Linux, Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst). Cached files that are
 * dropped when memory is needed count as available. */
struct ca_cgroup_memory ca_cgroup_memory(const char *membership, const char *mount);
/* Physical memory in bytes that is available, and allowed by control groups; 0: unknown. */
uint64_t ca_memory_available(void);

#endif
