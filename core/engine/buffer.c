/* SPDX-License-Identifier: MIT */
/* A buffer queues bytes for a descriptor. Descriptors are non-blocking, or poll has reported them
 * ready. */
#include "core/engine/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALL 4096

void ca_buffer_free(struct ca_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct ca_buffer){0};
}

bool ca_buffer_reserve(struct ca_buffer *buffer, size_t count)
{
    size_t used = ca_buffer_count(buffer), size = buffer->size ? buffer->size : SMALL;
    char *bytes;

    if (buffer->size - buffer->end >= count)
        return true;
    /* Moving the queue to the front pays only if it is shorter than the gap before it. */
    if (buffer->start >= used && buffer->size - used >= count) {
        memmove(buffer->bytes, ca_buffer_head(buffer), used);
        buffer->start = 0;
        buffer->end = used;
        return true;
    }
    if (count > (size_t)-1 / 4 - used)
        return false;
    while (size < used + count)
        size *= 2;
    bytes = malloc(size);
    if (!bytes)
        return false;
    if (used)
        memcpy(bytes, ca_buffer_head(buffer), used);
    free(buffer->bytes);
    *buffer = (struct ca_buffer){.bytes = bytes, .end = used, .size = size};
    return true;
}

bool ca_buffer_append(struct ca_buffer *buffer, const void *bytes, size_t count)
{
    if (!ca_buffer_reserve(buffer, count))
        return false;
    if (count)
        memcpy(buffer->bytes + buffer->end, bytes, count);
    buffer->end += count;
    return true;
}

void ca_buffer_drop(struct ca_buffer *buffer, size_t count)
{
    buffer->start += count;
    if (buffer->start == buffer->end)
        buffer->start = buffer->end = 0;
}

enum ca_transfer ca_buffer_read(struct ca_buffer *buffer, int fd, size_t most)
{
    ssize_t got;

    if (!ca_buffer_reserve(buffer, most)) {
        errno = ENOMEM;
        return CA_BROKEN;
    }
    do
        got = read(fd, buffer->bytes + buffer->end, most);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        return CA_ENDED;
    if (got < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? CA_WOULD_WAIT : CA_BROKEN;
    buffer->end += (size_t)got;
    return CA_MOVED;
}

enum ca_transfer ca_buffer_write(struct ca_buffer *buffer, int fd)
{
    bool moved = false;

    while (ca_buffer_count(buffer) > 0) {
        ssize_t put = write(fd, ca_buffer_head(buffer), ca_buffer_count(buffer));

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return moved ? CA_MOVED : CA_WOULD_WAIT;
        if (put < 0)
            return errno == EPIPE ? CA_ENDED : CA_BROKEN;
        ca_buffer_drop(buffer, (size_t)put);
        moved = true;
    }
    return CA_MOVED;
}
