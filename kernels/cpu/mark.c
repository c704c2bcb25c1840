/* SPDX-License-Identifier: MIT */
/* This file allocates a kept state, and copies it. */
#include "kernels/cpu/mark.h"

#include <string.h>

#include "core/base/memory.h"
#include "core/machine/device.h"
#include "kernels/cpu/parallel_rows.h"

#define PIECE_BYTES 65536 /* that a worker copies at a time */

struct copying {
    char *to;
    const char *from;
    size_t bytes;
};

static void copy_pieces(void *context, int worker, int64_t first, int64_t last)
{
    const struct copying *copying = context;
    size_t from = (size_t)first * PIECE_BYTES, to = (size_t)last * PIECE_BYTES;

    (void)worker;
    if (to > copying->bytes)
        to = copying->bytes;
    memcpy(copying->to + from, copying->from + from, to - from);
}

static enum ca_status copy(void *to, const void *from, size_t bytes, struct ca_error *error)
{
    struct copying copying = {to, from, bytes};
    int64_t pieces = (int64_t)((bytes + PIECE_BYTES - 1) / PIECE_BYTES);

    return parallel_rows(parallel_workers(pieces, PIECE_BYTES), pieces, copy_pieces, &copying,
                         error);
}

static enum ca_status take_memory(struct mark *mark, size_t bytes, struct ca_error *error)
{
    uint64_t available = ca_memory_available();

    mark_free(mark);
    if (available == 0 || bytes <= available) /* 0: not known */
        mark->copy = ca_zeroed(bytes);
    if (!mark->copy)
        return ca_fail(error, CA_NO_MEMORY,
                       "keeping the state needs %zu bytes of memory, %llu are available", bytes,
                       (unsigned long long)available);
    mark->bytes = bytes;
    return CA_OK;
}

enum ca_status mark_parts(struct mark *mark, enum ca_mark what, const struct mark_part parts[],
                          int count, struct ca_error *error)
{
    size_t bytes = 0, at = 0;

    for (int i = 0; i < count; i++)
        bytes += parts[i].bytes;
    if (what == CA_MARK_DROP)
        mark_free(mark);
    else if (what == CA_MARK_KEEP && (!mark->copy || mark->bytes != bytes))
        CA_TRY(take_memory(mark, bytes, error));
    for (int i = 0; i < count && mark->copy; at += parts[i++].bytes) {
        char *kept = (char *)mark->copy + at;

        CA_TRY(what == CA_MARK_KEEP ? copy(kept, parts[i].memory, parts[i].bytes, error)
                                    : copy(parts[i].memory, kept, parts[i].bytes, error));
    }
    return CA_OK;
}

void mark_free(struct mark *mark)
{
    ca_release(mark->copy, mark->bytes);
    *mark = (struct mark){0};
}
