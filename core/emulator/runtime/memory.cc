/* SPDX-License-Identifier: MIT */
/*
 * Allocates device and pinned memory. It comes from malloc, so that AddressSanitizer sees what goes
 * beyond an end, is full of poison at first, and that of a device is closed to everybody while no
 * kernel of that device runs: the host cannot reach into it unnoticed, nor a kernel of another
 * device.
 */
#include "core/emulator/runtime/device.h"

#include <memory>
#include <stdlib.h>
#include <string.h>

#include "core/emulator/runtime/sanitizer.h"
#include "core/emulator/runtime/volumes.h"
#include "core/emulator/runtime/watch.h"

struct allocation {
    char *memory;
    size_t bytes;
    int device;
    bool on_device, managed, going; /* going: cudaFreeAsync has been called */
    struct allocation *next;
};

static struct allocation *pieces;

static struct allocation *find_memory(const void *at)
{
    for (struct allocation *piece = pieces; piece; piece = piece->next)
        if ((const char *)at >= piece->memory &&
            (const char *)at < piece->memory + (piece->bytes ? piece->bytes : 1))
            return piece;
    return NULL;
}

static size_t used(int device)
{
    size_t bytes = 0;

    for (const struct allocation *piece = pieces; piece; piece = piece->next)
        bytes += (piece->on_device || piece->managed) && piece->device == device ? piece->bytes : 0;
    return bytes;
}

static void open(const struct allocation *piece) { sanitizer_open(piece->memory, piece->bytes); }

static void close(const struct allocation *piece)
{
    if (piece->on_device)
        sanitizer_close(piece->memory, piece->bytes);
}

void emulated_memory_open(int device)
{
    for (const struct allocation *piece = pieces; piece; piece = piece->next)
        if (emulated_peers(device, piece->device))
            open(piece);
}

void emulated_memory_close(int device)
{
    for (const struct allocation *piece = pieces; piece; piece = piece->next)
        if (emulated_peers(device, piece->device))
            close(piece);
}

static void *new_memory(size_t bytes, bool on_device, bool managed, const char *call, uint32_t code)
{
    void *memory = NULL;

    if (watch_on)
        return watch_take(bytes, 256,
                          managed     ? WATCH_MANAGED
                          : on_device ? WATCH_DEVICE
                                      : WATCH_PINNED,
                          emulated_current(), {call, code, NULL, 0});
    return posix_memalign(&memory, 256, bytes) == 0 ? memory : NULL;
}

static cudaError_t memory_take(void **memory, size_t bytes, bool on_device, bool managed,
                               const char *call, uint32_t code)
{
    struct allocation *piece;

    if (!memory) {
        watch_no_variable(call, code);
        return cudaErrorInvalidValue;
    }
    *memory = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if ((on_device || managed) && bytes > emulated_memory_size() - used(emulated_current())) {
        watch_not_given(memory, bytes, used(emulated_current()), emulated_memory_size(), call,
                        code);
        return cudaErrorMemoryAllocation;
    }
    watch_given(memory);
    piece = (struct allocation *)calloc(1, sizeof *piece);
    if (piece)
        *memory = new_memory(bytes, on_device, managed, call, code);
    if (!piece || !*memory) {
        free(piece);
        return cudaErrorMemoryAllocation;
    }
    *piece = {(char *)*memory, bytes, emulated_current(), on_device, managed, false, pieces};
    if (watch_on)
        watch_fill_junk(*memory, bytes);
    else
        memset(*memory, EMULATED_POISON, bytes);
    close(piece);
    pieces = piece;
    return cudaSuccess;
}

static void memory_give(struct allocation *piece)
{
    struct allocation **link = &pieces;

    while (*link != piece)
        link = &(*link)->next;
    *link = piece->next;
    open(piece);
    if (watch_on)
        watch_give(piece->memory);
    else
        free(piece->memory);
    free(piece);
}

void emulated_memory_reset()
{
    while (pieces)
        memory_give(pieces);
}

cudaError_t emulated_malloc(void **memory, size_t bytes)
{
    struct emulated_entry entry("cudaMalloc");
    cudaError_t error = entry.refused()
                            ? entry.error
                            : memory_take(memory, bytes, true, false, "cudaMalloc", WATCH_CALLER);

    return error == cudaSuccess ? error : entry.fail(error);
}

cudaError_t emulated_malloc_host(void **memory, size_t bytes)
{
    struct emulated_entry entry("cudaMallocHost");
    cudaError_t error =
        entry.refused() ? entry.error
                        : memory_take(memory, bytes, false, false, "cudaMallocHost", WATCH_CALLER);

    return error == cudaSuccess ? error : entry.fail(error);
}

cudaError_t emulated_malloc_managed(void **memory, size_t bytes)
{
    struct emulated_entry entry("cudaMallocManaged");
    cudaError_t error = entry.refused() ? entry.error
                                        : memory_take(memory, bytes, false, true,
                                                      "cudaMallocManaged", WATCH_CALLER);

    return error == cudaSuccess ? error : entry.fail(error);
}

/* It waits for all work, since some could use the memory. */
static cudaError_t give_checked(struct emulated_entry *entry, void *memory, bool on_device,
                                const char *call, uint32_t code)
{
    struct allocation *piece = find_memory(memory);

    if (entry->refused())
        return entry->fail();
    if (!memory)
        return cudaSuccess;
    if (!piece || piece->going || piece->memory != memory ||
        (piece->on_device || piece->managed) != on_device) {
        watch_bad_free(memory, call, code);
        return entry->fail(cudaErrorInvalidValue);
    }
    queue_wait_all();
    memory_give(piece);
    return entry->waited();
}

cudaError_t cudaFree(void *memory)
{
    struct emulated_entry entry(__func__);

    return give_checked(&entry, memory, true, __func__, WATCH_CALLER);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    struct emulated_entry entry(__func__);
    struct allocation *piece = find_memory(memory);

    if (entry.refused())
        return entry.fail();
    if (!memory)
        return cudaSuccess;
    if (!piece || piece->going || piece->memory != memory || !piece->on_device) {
        watch_bad_free(memory, __func__, WATCH_CALLER);
        return entry.fail(cudaErrorInvalidValue);
    }
    piece->going = true;
    queue_add(emulated_stream_lane(stream), {NULL, NULL, 0}, [piece] { memory_give(piece); });
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *memory)
{
    struct emulated_entry entry(__func__);

    return give_checked(&entry, memory, false, __func__, WATCH_CALLER);
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    *total = emulated_memory_size();
    *free = *total - used(emulated_current());
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory)
{
    struct emulated_entry entry(__func__);
    const struct allocation *piece = find_memory(memory);

    if (entry.refused())
        return entry.fail();
    *attributes = {};
    if (!piece)
        return cudaSuccess;
    attributes->type = piece->managed     ? cudaMemoryTypeManaged
                       : piece->on_device ? cudaMemoryTypeDevice
                                          : cudaMemoryTypeHost;
    attributes->device = piece->device;
    attributes->devicePointer = (void *)memory;
    attributes->hostPointer = piece->on_device ? NULL : (void *)memory;
    return cudaSuccess;
}

/* --- copying ---------------------------------------------------------------------------------- */

/* Whether `height` rows of `width` bytes at `at` are all on a device (or all off it) as wanted, and
 * within their piece. */
static bool copy_fits(const void *at, size_t pitch, size_t width, size_t height, bool on_device,
                      struct allocation **piece)
{
    size_t bytes = (height - 1) * pitch + width;

    *piece = find_memory(at);
    if (!*piece) /* a __device__ variable is the program's own, as far as one can tell here */
        return !on_device || emulated_is_variable(at, bytes);
    if (((*piece)->on_device != on_device && !(*piece)->managed) ||
        bytes > (size_t)((*piece)->memory + (*piece)->bytes - (const char *)at))
        return false;
    return true;
}

static bool to_device(enum cudaMemcpyKind kind, const void *to)
{
    const struct allocation *piece = find_memory(to);

    if (kind == cudaMemcpyDefault)
        return piece && piece->on_device;
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

static bool from_device(enum cudaMemcpyKind kind, const void *from)
{
    const struct allocation *piece = find_memory(from);

    if (kind == cudaMemcpyDefault)
        return piece && piece->on_device;
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

struct rows {
    void *to;
    size_t to_pitch;
    const void *from;
    size_t from_pitch, width, height;
};

/* Whether a call moves nothing, because it is refused or because it has no rows. */
static bool ends_early(struct emulated_entry *entry, const struct rows *rows, cudaStream_t stream,
                       cudaError_t *result)
{
    *result = cudaSuccess;
    if (entry->refused())
        *result = entry->fail();
    else if (!emulated_stream_fits(stream))
        *result = entry->fail(cudaErrorInvalidResourceHandle);
    else
        return rows->width == 0 || rows->height == 0;
    return true;
}

static void run_copy(const struct rows *rows, const void *read, size_t pitch, struct allocation *to,
                     struct allocation *from, const char *call, uint32_t code)
{
    if (to)
        open(to);
    if (from)
        open(from);
    for (size_t y = 0; y < rows->height; y++)
        memmove((char *)rows->to + y * rows->to_pitch, (const char *)read + y * pitch, rows->width);
    for (size_t y = 0; y < rows->height; y++)
        watch_copied((char *)rows->to + y * rows->to_pitch,
                     (const char *)rows->from + y * rows->from_pitch, rows->width, call, code);
    if (to)
        close(to);
    if (from)
        close(from);
}

/* Copies the host's own memory, from which the work will read later. */
static std::shared_ptr<char[]> stage(const struct rows *rows)
{
    std::shared_ptr<char[]> bytes(new char[rows->width * rows->height]);

    for (size_t y = 0; y < rows->height; y++)
        memcpy(bytes.get() + y * rows->width, (const char *)rows->from + y * rows->from_pitch,
               rows->width);
    return bytes;
}

/* The host waits for copies of its own memory: for those to it always, for those from it unless
 * they are asynchronous; and for others that are not, but within a device. */
static cudaError_t copy_memory(const char *call, uint32_t code, const struct rows *rows,
                               enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct emulated_entry entry(call);
    struct allocation *to = NULL, *from = NULL;
    bool async = strstr(call, "Async") != NULL, into = to_device(kind, rows->to),
         out_of = from_device(kind, rows->from), waits, captures;
    std::shared_ptr<char[]> staged;
    cudaError_t result;
    queue_item work;

    if (ends_early(&entry, rows, stream, &result))
        return result;
    if (rows->width > rows->to_pitch || rows->width > rows->from_pitch)
        return entry.fail(cudaErrorInvalidPitchValue);
    if (!copy_fits(rows->to, rows->to_pitch, rows->width, rows->height, into, &to) ||
        !copy_fits(rows->from, rows->from_pitch, rows->width, rows->height, out_of, &from)) {
        watch_bad_copy(rows->to, rows->from, (rows->height - 1) * rows->to_pitch + rows->width,
                       call, code);
        return entry.fail(cudaErrorInvalidValue);
    }
    captures = queue_captures(emulated_stream_lane(stream));
    waits = !captures && (async ? !to && !into : !(into && out_of));
    if (!waits && !captures && !from && !out_of)
        staged = stage(rows);
    work = queue_add(emulated_stream_lane(stream), {call, NULL, code},
                     [rows = *rows, to, from, call, code, staged] {
                         run_copy(&rows, staged ? staged.get() : rows.from,
                                  staged ? rows.width : rows.from_pitch, to, from, call, code);
                     });
    if (!waits)
        return cudaSuccess;
    queue_wait(work);
    return entry.waited();
}

static cudaError_t copy_line(const char *call, uint32_t code, void *to, const void *from,
                             size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct rows rows = {to, count, from, count, count, 1};

    return copy_memory(call, code, &rows, kind, stream);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
    return copy_line(__func__, WATCH_CALLER, to, from, count, kind, NULL);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy_line(__func__, WATCH_CALLER, to, from, count, kind, stream);
}

cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t count)
{
    return copy_line(__func__, WATCH_CALLER, to, from, count, cudaMemcpyDeviceToDevice, NULL);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t count,
                                cudaStream_t stream)
{
    return copy_line(__func__, WATCH_CALLER, to, from, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct rows rows = {to, to_pitch, from, from_pitch, width, height};

    return copy_memory(__func__, WATCH_CALLER, &rows, kind, NULL);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    struct rows rows = {to, to_pitch, from, from_pitch, width, height};

    return copy_memory(__func__, WATCH_CALLER, &rows, kind, stream);
}

static cudaError_t memory_set(const char *call, uint32_t code, const struct rows *rows, int byte,
                              cudaStream_t stream)
{
    struct emulated_entry entry(call);
    struct allocation *piece;
    cudaError_t result;

    if (ends_early(&entry, rows, stream, &result))
        return result;
    if (!copy_fits(rows->to, rows->to_pitch, rows->width, rows->height, true, &piece)) {
        watch_bad_copy(rows->to, NULL, (rows->height - 1) * rows->to_pitch + rows->width, call,
                       code);
        return entry.fail(cudaErrorInvalidValue);
    }
    queue_add(emulated_stream_lane(stream), {call, NULL, code},
              [rows = *rows, byte, piece, call, code] {
                  if (piece)
                      open(piece);
                  for (size_t y = 0; y < rows.height; y++)
                      memset((char *)rows.to + y * rows.to_pitch, byte, rows.width);
                  for (size_t y = 0; y < rows.height; y++)
                      watch_filled((char *)rows.to + y * rows.to_pitch, rows.width, call, code);
                  if (piece)
                      close(piece);
              });
    return cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int byte, size_t count)
{
    struct rows rows = {memory, count, NULL, 0, count, 1};

    return memory_set(__func__, WATCH_CALLER, &rows, byte, NULL);
}

cudaError_t cudaMemsetAsync(void *memory, int byte, size_t count, cudaStream_t stream)
{
    struct rows rows = {memory, count, NULL, 0, count, 1};

    return memory_set(__func__, WATCH_CALLER, &rows, byte, stream);
}

cudaError_t cudaMemset2D(void *memory, size_t pitch, int byte, size_t width, size_t height)
{
    struct rows rows = {memory, pitch, NULL, 0, width, height};

    return memory_set(__func__, WATCH_CALLER, &rows, byte, NULL);
}

cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int byte, size_t width, size_t height,
                              cudaStream_t stream)
{
    struct rows rows = {memory, pitch, NULL, 0, width, height};

    return memory_set(__func__, WATCH_CALLER, &rows, byte, stream);
}

cudaError_t emulated_symbol_copy(void *to, const void *from, size_t count, size_t offset,
                                 size_t size)
{
    struct emulated_entry entry("cudaMemcpyToSymbol");

    if (entry.refused())
        return entry.fail();
    if (offset > size || count > size - offset)
        return entry.fail(cudaErrorInvalidValue);
    queue_wait_all();
    memcpy(to, from, count);
    watch_written(to, count);
    return entry.waited();
}
