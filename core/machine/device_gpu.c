/* SPDX-License-Identifier: MIT */
/* The facts of a GPU come from CUDA, where they are constant, and from NVML otherwise. */
#include "core/machine/cuda.h"
#include "core/machine/interference.h"
#include "core/machine/nvml.h"

#include <stdio.h>

const char *ca_cuda_version(char text[16], int version)
{
    snprintf(text, 16, version > 0 ? "%d.%d" : "unknown", version / 1000, version % 1000 / 10);
    return text;
}

enum ca_status ca_device_gpu(int index, struct ca_device *device, struct ca_error *error)
{
    struct ca_cuda_device gpu;

    *device = (struct ca_device){.kind = CA_CUDA, .index = index};
    CA_TRY(ca_cuda_device(index, &gpu, error));
    snprintf(device->name, sizeof device->name, "%s", gpu.name);
    device->cores = gpu.multiprocessors;
    device->compute_major = gpu.major;
    device->compute_minor = gpu.minor;
    device->memory_bytes = (struct ca_fact){true, (double)gpu.memory_bytes};
    ca_nvml_read(gpu.bus, device);
    return CA_OK;
}

struct ca_fact ca_gpu_energy(int index)
{
    struct ca_cuda_device gpu;
    struct ca_error ignored;

    return ca_cuda_device(index, &gpu, &ignored) == CA_OK ? ca_nvml_energy(gpu.bus)
                                                          : (struct ca_fact){0};
}

void ca_gpu_use(int index, struct ca_gpu_use *use)
{
    static unsigned long long since_us[CA_RANKS_MAX];
    static struct ca_cuda_device gpu[CA_RANKS_MAX];
    struct ca_error ignored;

    *use = (struct ca_gpu_use){{0}, {0}, {0}};
    if (index < 0 || index >= CA_RANKS_MAX ||
        (!gpu[index].bus[0] && ca_cuda_device(index, &gpu[index], &ignored) != CA_OK))
        return;
    ca_nvml_use(gpu[index].bus, ca_process_is_ours, &since_us[index], use);
}
