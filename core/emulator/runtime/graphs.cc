/* SPDX-License-Identifier: MIT */
/* Implements graphs, which keep what a lane's capture has brought. */
#include "core/emulator/runtime/graphs.h"

#include "core/emulator/runtime/device.h"

struct CUgraph_st {
    queue_captured work;
};

struct CUgraphExec_st {
    queue_captured work;
};

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!stream) /* the legacy default stream */
        return entry.fail(cudaErrorStreamCaptureUnsupported);
    if (!queue_capture_begin(emulated_stream_lane(stream)))
        return entry.fail(cudaErrorIllegalState);
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    struct emulated_entry entry(__func__);
    queue_captured work;

    if (entry.refused())
        return entry.fail();
    *graph = NULL;
    work = queue_capture_end(emulated_stream_lane(stream));
    if (!work)
        return entry.fail(cudaErrorIllegalState);
    *graph = new CUgraph_st{work};
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    *status = queue_captures(emulated_stream_lane(stream)) ? cudaStreamCaptureStatusActive
                                                           : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
    struct emulated_entry entry("cudaGraphInstantiate");

    if (entry.refused())
        return entry.fail();
    if (!graph)
        return entry.fail(cudaErrorInvalidValue);
    *exec = new CUgraphExec_st{graph->work};
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *,
                                 char *, size_t)
{
    return cudaGraphInstantiate(exec, graph);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long)
{
    return cudaGraphInstantiate(exec, graph);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    return exec ? cudaSuccess : entry.fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!exec)
        return entry.fail(cudaErrorInvalidValue);
    if (!emulated_stream_fits(stream))
        return entry.fail(cudaErrorInvalidResourceHandle);
    queue_add_captured(emulated_stream_lane(stream), exec->work);
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!graph || nodes)
        return entry.fail(graph ? cudaErrorNotSupported : cudaErrorInvalidValue);
    *count = queue_captured_count(graph->work);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    struct emulated_entry entry(__func__);

    delete exec;
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    struct emulated_entry entry(__func__);

    delete graph;
    return entry.refused() ? entry.fail() : cudaSuccess;
}
