// SPDX-License-Identifier: MIT
/*
 * Rows from one instance to another, on the same device or a peer: the stepper's send and receive.
 * Nothing here waits for a device: the receiver's stream waits for the sender's event, and both
 * hosts go on.
 *
 * Rows travel as canonical cells, whatever the layouts, and by the copy engine: kernels that read
 * them from the other device's memory a byte at a time reached 33 GB/s between two H200, where
 * copies reach some 390. Devices that are no peers are copied between through the host's memory.
 */
#include "kernels/cuda/stepper.cuh"

static size_t row_bytes(const struct cuda *cuda) /* of one plane */
{
    return (size_t)cuda->size.w * ca_type_bytes(cuda->setup.model->type);
}

static enum ca_status hold(struct cuda *cuda, struct cuda_slot *slot, size_t bytes,
                           struct ca_error *error)
{
    if (slot->bytes >= bytes)
        return CA_OK;
    CUDA_TRY(cuda, cudaFree(slot->memory), error);
    *slot = {NULL, 0, slot->filled};
    if (cudaMalloc(&slot->memory, bytes) != cudaSuccess) {
        cudaGetLastError();
        return ca_fail(error, CA_NO_MEMORY, "no %zu bytes of memory on GPU %d for a halo", bytes,
                       cuda->device);
    }
    slot->bytes = bytes;
    return CA_OK;
}

/* The planes of so many rows that lie one after the other. */
static void planes_of(const struct cuda *cuda, const void *memory, int64_t rows, void *planes[])
{
    for (int p = 0; p < cuda->setup.model->planes; p++)
        planes[p] = (char *)memory + (size_t)p * (size_t)rows * row_bytes(cuda);
}

enum ca_status cuda_send(void *self, int slot, int64_t first, int64_t rows, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    struct cuda_slot *to = &cuda->slots[slot];
    void *planes[CA_PLANES_MAX];

    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    CA_TRY(
        hold(cuda, to, (size_t)rows * row_bytes(cuda) * (size_t)cuda->setup.model->planes, error));
    if (!to->filled)
        CUDA_TRY(cuda, cudaEventCreateWithFlags(&to->filled, cudaEventDisableTiming), error);
    planes_of(cuda, to->memory, rows, planes);
    CA_TRY(cuda->ops->access->store(cuda, planes, first, rows, error));
    return cuda_check(cuda, cudaEventRecord(to->filled, cuda->stream), "send", error);
}

/* Lets this instance's device read the memory of another, where it can, so that copies from there
 * do not go through the host. */
static enum ca_status open_peer(struct cuda *cuda, int device, struct ca_error *error)
{
    int can = 0;
    cudaError_t enabled;

    if (cuda->peers >> device & 1)
        return CA_OK;
    cuda->peers |= UINT64_C(1) << device;
    CUDA_TRY(cuda, cudaDeviceCanAccessPeer(&can, cuda->device, device), error);
    if (!can)
        return CA_OK;
    enabled = cudaDeviceEnablePeerAccess(device, 0);
    if (enabled == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError(); /* another instance has done it */
        return CA_OK;
    }
    return cuda_check(cuda, enabled, "cudaDeviceEnablePeerAccess", error);
}

enum ca_status cuda_receive(void *self, int64_t first, int64_t rows, void *from, int slot,
                            struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    const struct cuda *sender = (const struct cuda *)from;
    const struct cuda_slot *sent = &sender->slots[slot];
    size_t bytes = (size_t)rows * row_bytes(cuda) * (size_t)cuda->setup.model->planes;
    const void *memory = sent->memory;
    void *planes[CA_PLANES_MAX];

    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    if (sent->bytes < bytes || !sent->filled)
        return ca_fail(error, CA_CUDA_FAILED, "GPU %d has sent no halo", sender->device);
    CUDA_TRY(cuda, cudaStreamWaitEvent(cuda->stream, sent->filled, 0), error);
    if (sender->device != cuda->device) {
        CA_TRY(open_peer(cuda, sender->device, error));
        CA_TRY(hold(cuda, &cuda->inbox, bytes, error));
        CUDA_TRY(cuda,
                 cudaMemcpyPeerAsync(cuda->inbox.memory, cuda->device, memory, sender->device,
                                     bytes, cuda->stream),
                 error);
        memory = cuda->inbox.memory;
    }
    planes_of(cuda, memory, rows, planes);
    return cuda->ops->access->load(cuda, planes, first, rows, error);
}

void cuda_peers_free(struct cuda *cuda)
{
    for (int i = 0; i < CA_SLOTS; i++) {
        cudaFree(cuda->slots[i].memory);
        if (cuda->slots[i].filled)
            cudaEventDestroy(cuda->slots[i].filled);
    }
    cudaFree(cuda->inbox.memory);
}
