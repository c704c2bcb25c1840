/* SPDX-License-Identifier: MIT */
/* Guard bands are bytes around buffers that must not be written, and that are no valid cells. */
#include "core/verify/guarded_buffer.h"

#include <stdlib.h>
#include <string.h>

#define POISON 0xa5
#define GUARD_MIN 256 /* four vectors of AVX-512 */

enum ca_status verify_buffer_open(struct verify_buffer *buffer, const struct ca_lattice *like,
                                  int64_t rows, struct ca_error *error)
{
    size_t row = (size_t)like->size.w * ca_type_bytes(like->type), each;

    *buffer = (struct verify_buffer){.planes = like->planes, .bytes = (size_t)rows * row};
    /* A guard is at least a row long, and a multiple of malloc's alignment, so that rows have no
     * better alignment than malloc guarantees. */
    buffer->guard = ((row > GUARD_MIN ? row : GUARD_MIN) + 15) & ~(size_t)15;
    each = buffer->bytes + 2 * buffer->guard;
    buffer->block = malloc((size_t)like->planes * each);
    if (!buffer->block)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %zu bytes of rows", buffer->bytes);
    memset(buffer->block, POISON, (size_t)like->planes * each);
    for (int p = 0; p < like->planes; p++)
        buffer->plane[p] = buffer->block + (size_t)p * each + buffer->guard;
    return CA_OK;
}

void verify_buffer_close(struct verify_buffer *buffer)
{
    free(buffer->block);
    *buffer = (struct verify_buffer){.planes = 0};
}

void verify_buffer_fill(struct verify_buffer *buffer, const struct ca_lattice *state, int64_t row)
{
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(state, row, planes);
    for (int p = 0; p < buffer->planes; p++)
        memcpy(buffer->plane[p], planes[p], buffer->bytes);
}

void verify_buffer_take(const struct verify_buffer *buffer, struct ca_lattice *state, int64_t row)
{
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(state, row, planes);
    for (int p = 0; p < buffer->planes; p++)
        memcpy(planes[p], buffer->plane[p], buffer->bytes);
}

bool verify_buffer_equals(const struct verify_buffer *buffer, const struct ca_lattice *state,
                          int64_t row)
{
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(state, row, planes);
    for (int p = 0; p < buffer->planes; p++)
        if (memcmp(planes[p], buffer->plane[p], buffer->bytes) != 0)
            return false;
    return true;
}

static bool is_poison(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != POISON)
            return false;
    return true;
}

bool verify_buffer_kept(const struct verify_buffer *buffer)
{
    for (int p = 0; p < buffer->planes; p++) {
        const uint8_t *rows = buffer->plane[p];

        if (!is_poison(rows - buffer->guard, buffer->guard) ||
            !is_poison(rows + buffer->bytes, buffer->guard))
            return false;
    }
    return true;
}
