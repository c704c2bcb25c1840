/* SPDX-License-Identifier: MIT */
/* This file collects the facts of this build and this machine. The Makefile passes the flags. */
#include "core/machine/provenance.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/base/clock.h"

#ifndef CALAB_FLAGS
#define CALAB_FLAGS "unknown"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

void ca_provenance_take(struct ca_provenance *provenance)
{
    struct ca_device device;
    struct utsname system;

    memset(provenance, 0, sizeof *provenance);
    provenance->version = CALAB_VERSION;
    provenance->compiler = COMPILER;
    provenance->flags = CALAB_FLAGS;
    ca_date(provenance->date);
    if (uname(&system) == 0) {
        snprintf(provenance->host, sizeof provenance->host, "%.63s", system.nodename);
        snprintf(provenance->kernel, sizeof provenance->kernel, "%.31s %.63s %.31s", system.sysname,
                 system.release, system.machine);
    }
    ca_device_cpu(&device);
    snprintf(provenance->cpu, sizeof provenance->cpu, "%s", device.name);
    snprintf(provenance->governor, sizeof provenance->governor, "%s",
             device.governor[0] ? device.governor : "unknown");
    provenance->cores = device.cores;
    provenance->isa = ca_cpu_isa();
}

void ca_provenance_gpu(struct ca_provenance *provenance, int index)
{
    struct ca_device *gpu = &provenance->gpu[provenance->gpus];
    struct ca_error ignored;

    for (int i = 0; i < provenance->gpus; i++)
        if (provenance->gpu[i].index == index)
            return;
    if (provenance->gpus == CA_PROVENANCE_GPUS || ca_device_gpu(index, gpu, &ignored) != CA_OK)
        return;
    provenance->gpus++;
    snprintf(provenance->driver, sizeof provenance->driver, "%.31s", ca_nvml_driver());
    ca_cuda_version(provenance->driver_cuda, ca_cuda_driver());
    ca_cuda_version(provenance->runtime_cuda, ca_cuda_runtime());
}
