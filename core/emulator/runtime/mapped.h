/* SPDX-License-Identifier: MIT */
/*
 * Memory that host and kernels share: pinned memory by its address on the device, memory of the
 * host that is registered, and what is said about managed memory, which changes nothing here.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_MAPPED_H
#define CALAB_CORE_EMULATOR_RUNTIME_MAPPED_H

#include "core/emulator/runtime/api.h"

enum {
    cudaDeviceMapHost = 8,
    cudaDeviceLmemResizeToMax = 16,
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaHostRegisterIoMemory = 4,
    cudaHostRegisterReadOnly = 8,
    cudaMemAttachHost = 2,
    cudaMemAttachSingle = 4,
};

#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)

cudaError_t emulated_host_pointer(void **device, void *host);
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *memory);
cudaError_t cudaHostGetFlags(unsigned *flags, void *memory);
/* Whether kernels may use these bytes of the host's own memory. */
bool emulated_is_registered(const void *memory, size_t bytes);

template <class T>
EMULATED_INLINED cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned)
{
    return emulated_host_pointer((void **)device, host);
}

/* --- managed memory --------------------------------------------------------------------------- */

enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6,
};

enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2,
    cudaMemLocationTypeHostNuma = 3,
    cudaMemLocationTypeHostNumaCurrent = 4,
};

struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};

/* cudaErrorInvalidValue where the bytes are not all managed. */
cudaError_t emulated_managed(const char *call, const void *memory, size_t bytes);

/* Both as they were before CUDA 13 and as they are. */
EMULATED_INLINED cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, int,
                                                  cudaStream_t = NULL)
{
    return emulated_managed("cudaMemPrefetchAsync", memory, bytes);
}
EMULATED_INLINED cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes,
                                                  struct cudaMemLocation, unsigned,
                                                  cudaStream_t = NULL)
{
    return emulated_managed("cudaMemPrefetchAsync", memory, bytes);
}
EMULATED_INLINED cudaError_t cudaMemAdvise(const void *memory, size_t bytes, enum cudaMemoryAdvise,
                                           int)
{
    return emulated_managed("cudaMemAdvise", memory, bytes);
}
EMULATED_INLINED cudaError_t cudaMemAdvise(const void *memory, size_t bytes, enum cudaMemoryAdvise,
                                           struct cudaMemLocation)
{
    return emulated_managed("cudaMemAdvise", memory, bytes);
}
template <class T>
EMULATED_INLINED cudaError_t cudaStreamAttachMemAsync(cudaStream_t, T *memory, size_t bytes = 0,
                                                      unsigned = cudaMemAttachSingle)
{
    return emulated_managed("cudaStreamAttachMemAsync", memory, bytes);
}

#endif
