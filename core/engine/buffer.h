/* SPDX-License-Identifier: MIT */
/*
 * A queue of bytes between a file descriptor and a protocol. Both ends of calab-engine(7) read
 * lines and payloads from one queue and write to another, and never block.
 */
#ifndef CALAB_CORE_ENGINE_BUFFER_H
#define CALAB_CORE_ENGINE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct ca_buffer {
    char *bytes;
    size_t start, end, size; /* the queue is bytes[start] ... bytes[end - 1] */
};

static inline size_t ca_buffer_count(const struct ca_buffer *buffer)
{
    return buffer->end - buffer->start;
}

static inline char *ca_buffer_head(const struct ca_buffer *buffer)
{
    return buffer->bytes ? buffer->bytes + buffer->start : NULL;
}

void ca_buffer_free(struct ca_buffer *buffer);
/* False without memory; the queue is then unchanged. After a reservation of so many more bytes
 * appending them does not fail. */
bool ca_buffer_reserve(struct ca_buffer *buffer, size_t count);
bool ca_buffer_append(struct ca_buffer *buffer, const void *bytes, size_t count);
/* Removes `count` bytes from the head. They stay readable until the next append or read. */
void ca_buffer_drop(struct ca_buffer *buffer, size_t count);

enum ca_transfer {
    CA_MOVED,      /* some bytes were transferred */
    CA_WOULD_WAIT, /* none could be transferred without blocking */
    CA_ENDED,      /* end of input, or the reader has closed */
    CA_BROKEN,     /* errno says why, also ENOMEM */
};

/* One read of at most `most` bytes; writes until the queue is empty or a write would block. */
enum ca_transfer ca_buffer_read(struct ca_buffer *buffer, int fd, size_t most);
enum ca_transfer ca_buffer_write(struct ca_buffer *buffer, int fd);

#endif
