// SPDX-License-Identifier: MIT
/*
 * Rows from one instance to another, on the same device or a peer, in this process or another one
 * of the host: the stepper's send and receive.
 * But for messages nothing here waits for a device: the receiver's stream waits for the sender's
 * event, and both hosts go on.
 *
 * Rows travel as words of bits from one bit-sliced state to another, as floats that change, and as
 * canonical cells else, which are as small. Words and floats are read from the peer's memory where
 * they are; bytes are copied first, since kernels that read them a byte at a time reached 33 GB/s
 * between two H200, and copies some 390. Devices that are no peers are copied between through the
 * host's memory.
 *
 * Large halos whose rows travel as they are need no kernel at all. One would have to wait until
 * blocks of the rest of the slab leave it room on the multiprocessors, which copy engines do not
 * need. Within a process receivers copy them from the sender's state, where a turn is one pass: the
 * pass after the next, which overwrites them, begins when the receiver, too, has sent again.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/stepper.cuh"

#define DIRECT_BYTES ((size_t)4 << 20)

static size_t plane_row_bytes(const struct cuda *cuda)
{
    return (size_t)cuda->size.w * ca_type_bytes(cuda->setup.model->type);
}

/* The bytes of a row of all planes as it travels. */
static size_t cuda_peers_row_bytes(const struct cuda *cuda)
{
    const struct cuda_access *access = cuda->ops->access;

    return access->pack ? access->row_bytes(cuda)
                        : plane_row_bytes(cuda) * (size_t)cuda->setup.model->planes;
}

/* The planes of halos whose rows are copied without a kernel, 0 where that is not so. */
static int copied_planes(const struct cuda *cuda, int64_t rows, char *plane[CA_PLANES_MAX])
{
    const struct cuda_access *access = cuda->ops->access;

    return access->halo_planes && (size_t)rows * cuda_peers_row_bytes(cuda) > DIRECT_BYTES
               ? access->halo_planes(cuda, plane)
               : 0;
}

static enum ca_status hold(struct cuda *cuda, struct cuda_slot *slot, size_t bytes,
                           struct ca_error *error)
{
    if (slot->bytes >= bytes)
        return CA_OK;
    CUDA_TRY(cuda, cudaFree(slot->memory), error);
    *slot = {};
    if (cudaMalloc(&slot->memory, bytes) != cudaSuccess) {
        cudaGetLastError();
        return ca_fail(error, CA_NO_MEMORY, "no %zu bytes of memory on GPU %d for a halo", bytes,
                       cuda->device);
    }
    slot->bytes = bytes;
    return CA_OK;
}

/* Canonical rows of halos, which travel plane after plane, in and out by load or store. */
static enum ca_status each_canonical(struct cuda *cuda, struct cuda_halos halos,
                                     enum ca_status (*copy)(struct cuda *cuda, void *const planes[],
                                                            int64_t first, int64_t rows,
                                                            struct ca_error *error),
                                     struct ca_error *error)
{
    void *planes[CA_PLANES_MAX];

    for (int i = 0; i < halos.count; i++) {
        for (int p = 0; p < cuda->setup.model->planes; p++)
            planes[p] =
                (char *)halos.memory[i] + (size_t)p * (size_t)halos.rows * plane_row_bytes(cuda);
        CA_TRY(copy(cuda, planes, halos.first[i], halos.rows, error));
    }
    return CA_OK;
}

/* Between the state and the memory of halos, which has plane after plane of each. */
static enum ca_status copy_planes(struct cuda *cuda, char *const plane[], int planes,
                                  struct cuda_halos halos, bool out, struct ca_error *error)
{
    size_t row = cuda_peers_row_bytes(cuda) / (size_t)planes, bytes = (size_t)halos.rows * row;

    for (int i = 0; i < halos.count; i++)
        for (int p = 0; p < planes; p++) {
            char *state = plane[p] + (size_t)halos.first[i] * row;
            char *halo = (char *)halos.memory[i] + (size_t)p * bytes;

            CUDA_TRY(cuda,
                     cudaMemcpyAsync(out ? halo : state, out ? state : halo, bytes,
                                     cudaMemcpyDefault, cuda->stream),
                     error);
        }
    return CA_OK;
}

static enum ca_status take_out(struct cuda *cuda, cudaStream_t stream, struct cuda_halos halos,
                               struct ca_error *error)
{
    const struct cuda_access *access = cuda->ops->access;
    cudaStream_t own = cuda->stream;
    char *plane[CA_PLANES_MAX];
    int planes = copied_planes(cuda, halos.rows, plane);
    enum ca_status status;

    cuda->stream = stream;
    status = planes > 0     ? copy_planes(cuda, plane, planes, halos, true, error)
             : access->pack ? access->pack(cuda, halos, error)
                            : each_canonical(cuda, halos, access->store, error);
    cuda->stream = own;
    return status;
}

static enum ca_status put_in(struct cuda *cuda, cudaStream_t stream, struct cuda_halos halos,
                             struct ca_error *error)
{
    const struct cuda_access *access = cuda->ops->access;
    cudaStream_t own = cuda->stream;
    char *plane[CA_PLANES_MAX];
    int planes = copied_planes(cuda, halos.rows, plane);
    enum ca_status status;

    cuda->writes++;
    cuda->stream = stream;
    status = planes > 0       ? copy_planes(cuda, plane, planes, halos, false, error)
             : access->unpack ? access->unpack(cuda, halos, error)
                              : each_canonical(cuda, halos, access->load, error);
    cuda->stream = own;
    cuda->edges.received = true;
    return status;
}

static cudaEvent_t *sent_event(struct cuda_sender *sender, int slot)
{
    return &sender->sent[slot / CA_HALOS_MAX];
}

static enum ca_status event_ready(struct cuda *cuda, cudaEvent_t *event, unsigned flags,
                                  struct ca_error *error)
{
    if (*event)
        return CA_OK;
    return cuda_check(cuda, cudaEventCreateWithFlags(event, cudaEventDisableTiming | flags),
                      "cudaEventCreateWithFlags", error);
}

/* Whether receivers may copy rows from the state: see above. */
static bool may_lend(const struct cuda *cuda)
{
    return !cuda->sent.shared &&
           cuda_halo(cuda) <= (int64_t)cuda->plan.generations * cuda->setup.model->radius;
}

/* Says where rows are that receivers copy from the state. */
static void lend(struct cuda *cuda, const struct ca_halo halos[], int count, char *const plane[],
                 int planes)
{
    size_t row = cuda_peers_row_bytes(cuda) / (size_t)planes;

    for (int i = 0; i < count; i++) {
        struct cuda_slot *slot = &cuda->sent.slots[halos[i].slot];

        slot->planes = planes;
        for (int p = 0; p < planes; p++)
            slot->lent[p] = plane[p] + (size_t)halos[i].first * row;
    }
}

enum ca_status cuda_send(void *self, const struct ca_halo halos[], int count, int64_t rows,
                         struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    struct cuda_halos out = {count, rows, {}, {}};
    cudaStream_t stream;
    cudaEvent_t *sent = sent_event(&cuda->sent, halos[0].slot);
    char *plane[CA_PLANES_MAX];
    int planes;

    CA_TRY(cuda_enter_edges(cuda, &stream, error));
    CA_TRY(event_ready(cuda, sent, 0, error));
    planes = may_lend(cuda) ? copied_planes(cuda, rows, plane) : 0;
    if (planes > 0) {
        lend(cuda, halos, count, plane, planes);
        return cuda_check(cuda, cudaEventRecord(*sent, stream), "cudaEventRecord", error);
    }
    for (int i = 0; i < count; i++) {
        struct cuda_slot *slot = &cuda->sent.slots[halos[i].slot];

        slot->planes = 0;
        CA_TRY(hold(cuda, slot, (size_t)rows * cuda_peers_row_bytes(cuda), error));
        out.first[i] = halos[i].first;
        out.memory[i] = slot->memory;
    }
    CA_TRY(take_out(cuda, stream, out, error));
    return cuda_check(cuda, cudaEventRecord(*sent, stream), "cudaEventRecord", error);
}

/* Enables what the driver allows once in a process for each pair of devices. */
static enum ca_status enable_peer(struct cuda *cuda, int device, struct ca_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t enabled[64]; /* of a device, a bit for each peer */
    const uint64_t bit = UINT64_C(1) << device;
    cudaError_t status = cudaSuccess;

    pthread_mutex_lock(&lock);
    if (!(enabled[cuda->device] & bit))
        status = cudaDeviceEnablePeerAccess(device, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError(); /* memory of another process was opened before */
        status = cudaSuccess;
    }
    if (status == cudaSuccess)
        enabled[cuda->device] |= bit;
    pthread_mutex_unlock(&lock);
    return cuda_check(cuda, status, "cudaDeviceEnablePeerAccess", error);
}

/* Lets this instance's device read the memory of another, where it can, so that copies from there
 * do not go through the host. */
static enum ca_status open_peer(struct cuda *cuda, int device, struct ca_error *error)
{
    int can = 0;

    if (cuda->peers >> device & 1)
        return CA_OK;
    cuda->peers |= UINT64_C(1) << device;
    CUDA_TRY(cuda, cudaDeviceCanAccessPeer(&can, cuda->device, device), error);
    if (!can)
        return CA_OK;
    cuda->readable |= UINT64_C(1) << device;
    return enable_peer(cuda, device, error);
}

/* Whether kernels of this device read the sender's slots where they are. Words and floats pass so
 * as fast as a copy does, which takes some microseconds to start; where there are many, a copy
 * leaves the multiprocessors to the steps that go on meanwhile. */
static bool reads_directly(const struct cuda *cuda, const struct cuda_sender *sender, size_t bytes)
{
    bool wide = cuda->ops->access->unpack || ca_type_bytes(cuda->setup.model->type) >= 4;

    return wide && bytes <= DIRECT_BYTES &&
           (sender->foreign || cuda->readable >> sender->device & 1);
}

/* Makes a stream wait for what has been sent in an exchange, once where both halos are of one
 * sender. */
static enum ca_status wait_for_senders(struct cuda *cuda, cudaStream_t stream,
                                       const struct ca_halo halos[], int count,
                                       struct ca_error *error)
{
    for (int i = 0; i < count; i++) {
        struct cuda_sender *sender = (struct cuda_sender *)halos[i].from;
        cudaEvent_t sent = *sent_event(sender, halos[i].slot);

        if (!sent)
            return ca_fail(error, CA_CUDA_FAILED, "GPU %d has sent no halo", sender->device);
        if (i == 0 || halos[i].from != halos[i - 1].from)
            CUDA_TRY(cuda, cudaStreamWaitEvent(stream, sent, 0), error);
    }
    return CA_OK;
}

/* *memory is where a halo can be read, or copied from: in the sender's slot or, at the i-th place,
 * in the inbox. */
static enum ca_status fetch_halo(struct cuda *cuda, cudaStream_t stream, const struct ca_halo *halo,
                                 int i, size_t bytes, bool copied, void **memory,
                                 struct ca_error *error)
{
    const struct cuda_sender *sender = (const struct cuda_sender *)halo->from;
    const struct cuda_slot *sent = &sender->slots[halo->slot];

    if (sent->bytes < bytes)
        return ca_fail(error, CA_CUDA_FAILED, "GPU %d has sent no halo", sender->device);
    if (sender->device != cuda->device && !sender->foreign)
        CA_TRY(open_peer(cuda, sender->device, error));
    *memory = sent->memory;
    if (sender->device == cuda->device || copied || reads_directly(cuda, sender, bytes))
        return CA_OK;
    CA_TRY(hold(cuda, &cuda->inbox, CA_HALOS_MAX * bytes, error));
    *memory = (char *)cuda->inbox.memory + (size_t)i * bytes;
    return cuda_check(cuda,
                      cudaMemcpyAsync(*memory, sent->memory, bytes, cudaMemcpyDefault, stream),
                      "cudaMemcpyAsync", error);
}

/* Copies a halo from the sender's state. */
static enum ca_status borrow(struct cuda *cuda, cudaStream_t stream, const struct ca_halo *halo,
                             int64_t rows, char *const plane[], int planes, struct ca_error *error)
{
    const struct cuda_sender *sender = (const struct cuda_sender *)halo->from;
    size_t row = cuda_peers_row_bytes(cuda) / (size_t)planes;

    if (sender->device != cuda->device)
        CA_TRY(open_peer(cuda, sender->device, error));
    for (int p = 0; p < planes; p++)
        CUDA_TRY(cuda,
                 cudaMemcpyAsync(plane[p] + (size_t)halo->first * row,
                                 sender->slots[halo->slot].lent[p], (size_t)rows * row,
                                 cudaMemcpyDefault, stream),
                 error);
    cuda->edges.received = true;
    return CA_OK;
}

enum ca_status cuda_receive(void *self, const struct ca_halo halos[], int count, int64_t rows,
                            struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    struct cuda_halos in = {0, rows, {}, {}};
    size_t bytes = (size_t)rows * cuda_peers_row_bytes(cuda);
    char *plane[CA_PLANES_MAX];
    int planes = copied_planes(cuda, rows, plane);
    cudaStream_t stream;

    CA_TRY(cuda_enter_edges(cuda, &stream, error));
    CA_TRY(wait_for_senders(cuda, stream, halos, count, error));
    for (int i = 0; i < count; i++) {
        const struct cuda_sender *sender = (const struct cuda_sender *)halos[i].from;

        if (sender->slots[halos[i].slot].planes > 0) {
            CA_TRY(borrow(cuda, stream, &halos[i], rows, plane, planes, error));
            continue;
        }
        in.first[in.count] = halos[i].first;
        CA_TRY(fetch_halo(cuda, stream, &halos[i], in.count, bytes, planes > 0,
                          &in.memory[in.count], error));
        in.count++;
    }
    return in.count > 0 ? put_in(cuda, stream, in, error) : CA_OK;
}

/* --- between two processes ------------------------------------------------------------------- */

static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(((ca_shared_slots *)0)->memory[0]) &&
                  sizeof(cudaIpcEventHandle_t) == sizeof(((ca_shared_slots *)0)->sent[0]),
              "a handle fits where it is kept");

enum ca_status cuda_share(void *self, int64_t rows, struct ca_shared_slots *slots,
                          struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;

    *slots = {};
    slots->bytes = (size_t)rows * cuda_peers_row_bytes(cuda);
    snprintf(slots->device, sizeof slots->device, "%s", cuda->facts.bus);
    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    for (int i = 0; i < CA_SLOTS; i++) {
        struct cuda_slot *slot = &cuda->sent.slots[i];

        CA_TRY(hold(cuda, slot, slots->bytes, error));
        CUDA_TRY(cuda, cudaIpcGetMemHandle((cudaIpcMemHandle_t *)slots->memory[i], slot->memory),
                 error);
    }
    for (int buffer = 0; buffer < CA_HALO_BUFFERS; buffer++) {
        cudaEvent_t *sent = &cuda->sent.sent[buffer];

        CA_TRY(event_ready(cuda, sent, cudaEventInterprocess, error));
        CUDA_TRY(cuda, cudaIpcGetEventHandle((cudaIpcEventHandle_t *)slots->sent[buffer], *sent),
                 error);
    }
    cuda->sent.shared = true;
    return CA_OK;
}

static enum ca_status open_slot(struct cuda *cuda, struct cuda_slot *slot,
                                const struct ca_shared_slots *slots, int i, struct ca_error *error)
{
    cudaIpcMemHandle_t memory;

    memcpy(&memory, slots->memory[i], sizeof memory);
    CUDA_TRY(cuda, cudaIpcOpenMemHandle(&slot->memory, memory, cudaIpcMemLazyEnablePeerAccess),
             error);
    slot->bytes = slots->bytes;
    return CA_OK;
}

static enum ca_status open_event(struct cuda *cuda, cudaEvent_t *event,
                                 const struct ca_shared_slots *slots, int buffer,
                                 struct ca_error *error)
{
    cudaIpcEventHandle_t sent;

    memcpy(&sent, slots->sent[buffer], sizeof sent);
    return cuda_check(cuda, cudaIpcOpenEventHandle(event, sent), "cudaIpcOpenEventHandle", error);
}

enum ca_status cuda_attach(void *self, const struct ca_shared_slots *slots, void **from,
                           struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    struct cuda_sender *sender = (struct cuda_sender *)calloc(1, sizeof *sender);
    enum ca_status status = CA_OK;

    if (!sender)
        return ca_fail(error, CA_NO_MEMORY, "no memory for another process's halos");
    sender->foreign = true;
    sender->device = strcmp(slots->device, cuda->facts.bus) == 0 ? cuda->device : -1;
    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    for (int i = 0; i < CA_SLOTS && status == CA_OK; i++)
        status = open_slot(cuda, &sender->slots[i], slots, i, error);
    for (int buffer = 0; buffer < CA_HALO_BUFFERS && status == CA_OK; buffer++)
        status = open_event(cuda, &sender->sent[buffer], slots, buffer, error);
    if (status != CA_OK) {
        cuda_detach(cuda, sender);
        return status;
    }
    *from = sender;
    return CA_OK;
}

void cuda_detach(void *self, void *from)
{
    struct cuda_sender *sender = (struct cuda_sender *)from;

    cudaSetDevice(((struct cuda *)self)->device);
    for (const struct cuda_slot &slot : sender->slots)
        if (slot.memory)
            cudaIpcCloseMemHandle(slot.memory);
    for (cudaEvent_t sent : sender->sent)
        if (sent)
            cudaEventDestroy(sent);
    cudaGetLastError();
    free(sender);
}

/* --- by messages ----------------------------------------------------------------------------- */

enum ca_status cuda_fetch(void *self, int slot, void *bytes, size_t count, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    const struct cuda_slot *sent = &cuda->sent.slots[slot];
    cudaStream_t stream = cuda->edges.stream ? cuda->edges.stream : cuda->stream;
    int parts = sent->planes > 0 ? sent->planes : 1;

    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    count /= (size_t)parts;
    for (int p = 0; p < parts; p++)
        CUDA_TRY(cuda,
                 cudaMemcpyAsync((char *)bytes + (size_t)p * count,
                                 sent->planes > 0 ? sent->lent[p] : sent->memory, count,
                                 cudaMemcpyDeviceToHost, stream),
                 error);
    return cuda_check(cuda, cudaStreamSynchronize(stream), "send", error);
}

enum ca_status cuda_deliver(void *self, int64_t first, int64_t rows, const void *bytes,
                            struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    size_t count = (size_t)rows * cuda_peers_row_bytes(cuda);
    cudaStream_t stream;

    CA_TRY(cuda_enter_edges(cuda, &stream, error));
    CA_TRY(hold(cuda, &cuda->inbox, count, error));
    CUDA_TRY(cuda,
             cudaMemcpyAsync(cuda->inbox.memory, bytes, count, cudaMemcpyHostToDevice, stream),
             error);
    CUDA_TRY(cuda, cudaStreamSynchronize(stream), error); /* the caller has `bytes` back */
    return put_in(cuda, stream, {1, rows, {first}, {cuda->inbox.memory}}, error);
}

void *cuda_take_host(size_t count)
{
    void *memory;

    if (cudaMallocHost(&memory, count) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    return memset(memory, 0, count);
}

void cuda_free_host(void *memory)
{
    if (memory)
        cudaFreeHost(memory);
}

void cuda_peers_free(struct cuda *cuda)
{
    for (const struct cuda_slot &slot : cuda->sent.slots)
        cudaFree(slot.memory);
    for (cudaEvent_t sent : cuda->sent.sent)
        if (sent)
            cudaEventDestroy(sent);
    cudaFree(cuda->inbox.memory);
}
