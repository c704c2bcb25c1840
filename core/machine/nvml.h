/* SPDX-License-Identifier: MIT */
/* Facts of a GPU from the driver's management library (NVML): clocks, power, temperature,
 * memory, energy. The library is loaded at the first query. Without it, or if it does not know a
 * figure, the fact stays unknown. CALAB_NVML names another library than the system's. */
#ifndef CALAB_CORE_MACHINE_NVML_H
#define CALAB_CORE_MACHINE_NVML_H

#include "core/machine/device.h"

/* Stores the known facts of the GPU at a PCI address ("00000000:01:00.0") in *device. */
void ca_nvml_read(const char *bus, struct ca_device *device);
/* The energy in joules since the driver was loaded. */
struct ca_fact ca_nvml_energy(const char *bus);
/* Reads the use by other processes since *since_us, which becomes the time of NVML's newest sample;
 * 0: all that NVML still has, about a second. `is_ours` names the processes that do not count. */
void ca_nvml_use(const char *bus, bool (*is_ours)(int pid), unsigned long long *since_us,
                 struct ca_gpu_use *use);
/* The driver's version, as "580.65.06"; "": unknown. */
const char *ca_nvml_driver(void);

#endif
