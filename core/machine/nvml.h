/* SPDX-License-Identifier: MIT */
/*
 * What the driver's management library (NVML) says of a GPU: clocks, power, temperature, memory,
 * energy. The library is looked for when it is first asked; without it, or where it does not know
 * a figure, the fact stays unknown. CALAB_NVML names another library than the system's.
 */
#ifndef CALAB_CORE_MACHINE_NVML_H
#define CALAB_CORE_MACHINE_NVML_H

#include "core/machine/device.h"

/* The facts of the GPU at a PCI address ("00000000:01:00.0") that are known now, over *device. */
void ca_nvml_read(const char *bus, struct ca_device *device);
/* Joules since the driver was loaded. */
struct ca_fact ca_nvml_energy(const char *bus);
/* The driver's own version, as "580.65.06"; "" unknown. */
const char *ca_nvml_driver(void);

#endif
