/* SPDX-License-Identifier: MIT */
/*
 * The GPUs of this machine, as far as all parts of the program ask: whether CUDA backends can run,
 * and what the devices are. Without the CUDA Toolkit at build time every call says so.
 *
 * Devices count as the CUDA runtime counts them (CUDA_VISIBLE_DEVICES applies).
 */
#ifndef CALAB_CORE_MACHINE_CUDA_H
#define CALAB_CORE_MACHINE_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ca_cuda_device {
    char name[128];
    char bus[32];     /* PCI address, as NVML finds it: "00000000:01:00.0" */
    int major, minor; /* compute capability */
    int multiprocessors;
    int clock_mhz; /* at most */
    int64_t memory_bytes;
    int64_t l2_bytes, shared_bytes; /* second cache; shared memory a block may have */
    double bytes_a_clock; /* what a copy moves to and from memory in a clock, all together */
};

/* CA_OK, or CA_NO_DEVICE with why none can be used: not built, no driver, one too old, no GPU. */
enum ca_status ca_needs_cuda(struct ca_error *error);
/* GPUs that can be used; 0 where ca_needs_cuda says why. */
int ca_cuda_devices(void);
/* CA_NO_DEVICE for an index that is not among them, with those that are; CA_CUDA_FAILED. Takes no
 * memory of the device: nothing is started on it. */
enum ca_status ca_cuda_device(int index, struct ca_cuda_device *device, struct ca_error *error);
/* Versions as 1000 major + 10 minor; 0 unknown. */
int ca_cuda_driver(void);
int ca_cuda_runtime(void);
/* One of them as text, "13.0" or "unknown". */
const char *ca_cuda_version(char text[16], int version);
/*
 * For a process that leaves the devices to another one, as the workbench does to its engine: from
 * now on ca_needs_cuda only sees whether a driver is loaded, so that no time goes into waking GPUs.
 * Whether there is one that can be used shows when the other process needs it.
 */
void ca_cuda_leave(void);
/* After a failed call: whether this process can do nothing more with the device. */
bool ca_cuda_lost(void);

#ifdef __cplusplus
}
#endif
#endif
