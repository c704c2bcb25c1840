/* SPDX-License-Identifier: MIT */
/* Owns streams and events. All work is done when its call returns, so they only keep the time. */
#include "kernels/cuda/on_cpu/device.h"

#include <stdlib.h>
#include <time.h>

#include "kernels/cuda/on_cpu/watch.h"

struct CUstream_st {
    int device;
};

struct CUevent_st {
    int device;
    bool timing, recorded;
    struct timespec when;
};

bool shim_stream_fits(cudaStream_t stream) { return !stream || stream->device == shim_current(); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    struct shim_entry entry("cudaStreamCreate");

    if (entry.refused())
        return entry.fail();
    *stream = (cudaStream_t)calloc(1, sizeof **stream);
    if (!*stream)
        return entry.fail(cudaErrorMemoryAllocation);
    (*stream)->device = shim_current();
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    struct shim_entry entry(__func__);

    if (!stream)
        return entry.fail(cudaErrorInvalidResourceHandle);
    free(stream);
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    struct shim_entry entry(__func__);

    watch_synchronized();
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t)
{
    struct shim_entry entry(__func__);

    watch_synchronized();
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned)
{
    struct shim_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    return event ? cudaSuccess : entry.fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    struct shim_entry entry("cudaEventCreate");

    if (entry.refused())
        return entry.fail();
    *event = (cudaEvent_t)calloc(1, sizeof **event);
    if (!*event)
        return entry.fail(cudaErrorMemoryAllocation);
    (*event)->device = shim_current();
    (*event)->timing = !(flags & cudaEventDisableTiming);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    struct shim_entry entry(__func__);

    if (!event)
        return entry.fail(cudaErrorInvalidResourceHandle);
    free(event);
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    struct shim_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!event || event->device != (stream ? stream->device : shim_current()))
        return entry.fail(cudaErrorInvalidResourceHandle);
    clock_gettime(CLOCK_MONOTONIC, &event->when);
    event->recorded = true;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    struct shim_entry entry(__func__);

    watch_synchronized();
    if (entry.refused())
        return entry.fail();
    return event ? cudaSuccess : entry.fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    struct shim_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!start || !stop || !start->timing || !stop->timing || !start->recorded || !stop->recorded)
        return entry.fail(cudaErrorInvalidResourceHandle);
    *ms = (float)((double)(stop->when.tv_sec - start->when.tv_sec) * 1e3 +
                  (double)(stop->when.tv_nsec - start->when.tv_nsec) * 1e-6);
    return cudaSuccess;
}
