/* SPDX-License-Identifier: MIT */
/* Owns the facts of a GPU: constant ones from CUDA, present ones from NVML. */
#include "core/machine/cuda.h"
#include "core/machine/nvml.h"

#include <stdio.h>

#define GPUS_MAX 64

/* The constant facts of a GPU, queried once. NULL: there is no such GPU. */
static const struct ca_cuda_device *what_is(int index, struct ca_error *error)
{
    static struct ca_cuda_device gpu[GPUS_MAX];

    if (index >= 0 && index < GPUS_MAX && gpu[index].name[0])
        return &gpu[index];
    if (index < 0 || index >= GPUS_MAX) {
        ca_error_set(error, CA_NO_DEVICE, "device %d: 0 ... %d can be counted", index,
                     GPUS_MAX - 1);
        return NULL;
    }
    return ca_cuda_device(index, &gpu[index], error) == CA_OK ? &gpu[index] : NULL;
}

const char *ca_cuda_version(char text[16], int version)
{
    snprintf(text, 16, version > 0 ? "%d.%d" : "unknown", version / 1000, version % 1000 / 10);
    return text;
}

enum ca_status ca_device_gpu(int index, struct ca_device *device, struct ca_error *error)
{
    const struct ca_cuda_device *gpu = what_is(index, error);

    *device = (struct ca_device){.kind = CA_CUDA, .index = index};
    if (!gpu)
        return error->status;
    snprintf(device->name, sizeof device->name, "%s", gpu->name);
    device->cores = gpu->multiprocessors;
    device->compute_major = gpu->major;
    device->compute_minor = gpu->minor;
    device->memory_bytes = (struct ca_fact){true, (double)gpu->memory_bytes};
    ca_nvml_read(gpu->bus, device);
    return CA_OK;
}

struct ca_fact ca_gpu_energy(int index)
{
    struct ca_error ignored;
    const struct ca_cuda_device *gpu = what_is(index, &ignored);

    return gpu ? ca_nvml_energy(gpu->bus) : (struct ca_fact){0};
}
