/* SPDX-License-Identifier: MIT */
/* Keeps the memory of the host that is registered, and the limits of a device. */
#include "core/emulator/runtime/mapped.h"

#include <vector>

#include "core/emulator/runtime/device.h"
#include "core/emulator/runtime/settings.h"
#include "core/emulator/runtime/volumes.h"

struct registered {
    const char *memory;
    size_t bytes;
};

static std::vector<registered> &all_registered()
{
    static auto *all = new std::vector<registered>;

    return *all;
}

bool emulated_is_registered(const void *memory, size_t bytes)
{
    for (const registered &one : all_registered())
        if ((const char *)memory >= one.memory && bytes <= one.bytes &&
            (size_t)((const char *)memory - one.memory) <= one.bytes - bytes)
            return true;
    return false;
}

static bool is_pinned(const void *memory)
{
    struct cudaPointerAttributes attributes;

    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess &&
           (attributes.type == cudaMemoryTypeHost || attributes.type == cudaMemoryTypeManaged);
}

cudaError_t emulated_host_pointer(void **device, void *host)
{
    bool pinned = is_pinned(host);
    struct emulated_entry entry("cudaHostGetDevicePointer");

    if (entry.refused())
        return entry.fail();
    *device = pinned || emulated_is_registered(host, 1) ? host : NULL;
    return *device ? cudaSuccess : entry.fail(cudaErrorInvalidValue);
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!memory || bytes == 0)
        return entry.fail(cudaErrorInvalidValue);
    if (emulated_is_registered(memory, 1))
        return entry.fail(cudaErrorHostMemoryAlreadyRegistered);
    all_registered().push_back({(const char *)memory, bytes});
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    for (auto one = all_registered().begin(); one != all_registered().end(); ++one)
        if (one->memory == memory) {
            queue_wait_all();
            all_registered().erase(one);
            return entry.waited();
        }
    return entry.fail(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *memory)
{
    bool pinned = is_pinned(memory);
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    *flags = cudaHostAllocMapped;
    return pinned ? cudaSuccess : entry.fail(cudaErrorInvalidValue);
}

cudaError_t emulated_managed(const char *call, const void *memory, size_t)
{
    struct cudaPointerAttributes attributes = {};
    bool managed = cudaPointerGetAttributes(&attributes, memory) != cudaSuccess ||
                   attributes.type == cudaMemoryTypeManaged ||
                   emulated_is_variable(memory, 1); /* a __managed__ one, for all that is known */
    struct emulated_entry entry(call);

    if (entry.refused())
        return entry.fail();
    return managed ? cudaSuccess : entry.fail(cudaErrorInvalidValue);
}

/* --- settings --------------------------------------------------------------------------------- */

static size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if ((size_t)limit >= sizeof limits / sizeof *limits)
        return entry.fail(cudaErrorInvalidValue);
    limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if ((size_t)limit >= sizeof limits / sizeof *limits)
        return entry.fail(cudaErrorInvalidValue);
    *value = limits[limit];
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    struct emulated_entry entry(__func__);

    *flags = cudaDeviceMapHost;
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *)
{
    struct emulated_entry entry(__func__);

    *device = 0;
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    return device >= 0 && device < emulated_devices() ? cudaSuccess
                                                      : entry.fail(cudaErrorInvalidDevice);
}
