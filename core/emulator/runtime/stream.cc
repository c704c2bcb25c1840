/* SPDX-License-Identifier: MIT */
/* Implements streams and events, which are places in the order of work. */
#include "core/emulator/runtime/device.h"

#include <functional>
#include <memory>
#include <time.h>

#include "core/emulator/runtime/watch.h"

struct CUstream_st {
    int device;
    struct queue_lane *lane;
};

struct CUevent_st {
    int device;
    bool timing;
    queue_item work; /* that was recorded last */
    std::shared_ptr<struct timespec> when;
};

bool emulated_stream_fits(cudaStream_t stream)
{
    return !stream || stream->device == emulated_current();
}

struct queue_lane *emulated_stream_lane(cudaStream_t stream)
{
    return stream ? stream->lane : queue_default_lane(emulated_current());
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    struct emulated_entry entry("cudaStreamCreate");

    if (entry.refused())
        return entry.fail();
    *stream = new CUstream_st{emulated_current(),
                              queue_lane_new(emulated_current(), !(flags & cudaStreamNonBlocking))};
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int)
{
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    struct emulated_entry entry(__func__);

    if (!stream)
        return entry.fail(cudaErrorInvalidResourceHandle);
    queue_lane_delete(stream->lane);
    delete stream;
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    queue_wait_lane(emulated_stream_lane(stream));
    return entry.waited();
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!queue_ask_lane(emulated_stream_lane(stream)))
        return entry.fail(cudaErrorNotReady);
    return entry.waited();
}

/* A function of the host sees what it reads as the host does that has waited for the stream. */
static cudaError_t add_function(const char *call, uint32_t code, cudaStream_t stream,
                                std::function<void()> run)
{
    struct emulated_entry entry(call);

    if (entry.refused())
        return entry.fail();
    if (!emulated_stream_fits(stream))
        return entry.fail(cudaErrorInvalidResourceHandle);
    queue_add(emulated_stream_lane(stream), {call, NULL, code}, std::move(run));
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    return add_function(__func__, WATCH_CALLER, stream, [=] { function(argument); });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                  void *argument, unsigned)
{
    return add_function(__func__, WATCH_CALLER, stream,
                        [=] { function(stream, cudaSuccess, argument); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!event)
        return entry.fail(cudaErrorInvalidResourceHandle);
    if (event->work)
        queue_follow(emulated_stream_lane(stream), event->work);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    struct emulated_entry entry("cudaEventCreate");

    if (entry.refused())
        return entry.fail();
    *event = new CUevent_st{emulated_current(), !(flags & cudaEventDisableTiming), NULL, NULL};
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    struct emulated_entry entry(__func__);

    if (!event)
        return entry.fail(cudaErrorInvalidResourceHandle);
    delete event;
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    struct emulated_entry entry(__func__);
    std::shared_ptr<struct timespec> when;

    if (entry.refused())
        return entry.fail();
    if (!event || event->device != (stream ? stream->device : emulated_current()))
        return entry.fail(cudaErrorInvalidResourceHandle);
    when = std::make_shared<struct timespec>();
    event->when = when;
    event->work = queue_add(emulated_stream_lane(stream), {NULL, NULL, 0},
                            [when] { clock_gettime(CLOCK_MONOTONIC, when.get()); });
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!event)
        return entry.fail(cudaErrorInvalidResourceHandle);
    if (event->work)
        queue_wait(event->work);
    return entry.waited();
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!event)
        return entry.fail(cudaErrorInvalidResourceHandle);
    if (event->work && !queue_ask(event->work))
        return entry.fail(cudaErrorNotReady);
    return entry.waited();
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!start || !stop || !start->timing || !stop->timing || !start->work || !stop->work)
        return entry.fail(cudaErrorInvalidResourceHandle);
    if (!queue_done(start->work) || !queue_done(stop->work))
        return entry.fail(cudaErrorNotReady);
    *ms = (float)((double)(stop->when->tv_sec - start->when->tv_sec) * 1e3 +
                  (double)(stop->when->tv_nsec - start->when->tv_nsec) * 1e-6);
    return cudaSuccess;
}
