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

#define CA_CUDA_LOGIC 64 /* three-input logic, shifts, integers */

struct ca_cuda_device {
    char name[128];
    char bus[32];     /* PCI address as NVML expects it: "00000000:01:00.0" */
    int major, minor; /* compute capability */
    int multiprocessors;
    int clock_mhz; /* the highest clock */
    int64_t memory_bytes;
    int64_t l2_bytes, shared_bytes; /* L2; the most shared memory of a block */
    /* What it does at most: bytes that memory and L2 read and write in a clock, and the seconds of
     * a launch. Each multiprocessor computes CA_CUDA_LOGIC 32-bit words in a clock. */
    double bytes_a_clock, l2_bytes_a_clock, launch_s;
};

/* CA_NO_DEVICE with the reason if no GPU can be used: not built, no driver, driver too old, no
 * GPU, none that the kernels are built for. */
enum ca_status ca_needs_cuda(struct ca_error *error);
/* The number of usable GPUs. 0: ca_needs_cuda says why. */
int ca_cuda_devices(void);
/* CA_NO_DEVICE for another index, with those allowed; CA_CUDA_FAILED. Creates no context, so
 * that it takes no device memory. */
enum ca_status ca_cuda_device(int index, struct ca_cuda_device *device, struct ca_error *error);
/* Whether the GPUs are emulated on this CPU, so that no time is a speed of theirs. */
bool ca_cuda_emulated(void);
/* Versions as 1000 major + 10 minor, 0: unknown. */
int ca_cuda_driver(void);
int ca_cuda_runtime(void);
/* Formats a version: "13.0", or "unknown". */
const char *ca_cuda_version(char text[16], int version);
/* For a process that leaves the devices to another one, as the workbench to its engine: from now
 * on ca_needs_cuda only checks whether a driver is loaded, which avoids the time of initialising
 * GPUs. The other process finds out whether one can be used. */
void ca_cuda_leave(void);
/* Seconds until the GPU has done a first piece of work, of 4 bytes: some 10 us, and up to a time
 * slice of milliseconds where another process uses it. Below 0: it cannot be asked. */
double ca_cuda_answer_s(int index);
/* After a failed call: whether this process has lost the device. */
bool ca_cuda_lost(void);

#ifdef __cplusplus
}
#endif
#endif
