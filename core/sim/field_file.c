/* SPDX-License-Identifier: MIT */
/* This file writes a field of a window to a file. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/files/formats.h"
#include "core/sim/fields.h"

enum ca_status ca_window_write(const struct ca_window *window, const struct ca_field *field,
                               const char *path, struct ca_error *error)
{
    struct ca_block_means means = ca_window_means(window);
    int64_t count = ca_window_values(window, field);
    double *values = malloc((size_t)count * sizeof *values);
    struct ca_field_values of = {.model = window->setup->model,
                                 .field = field,
                                 .blocks = &window->blocks,
                                 .map = &window->setup->map,
                                 .values = values,
                                 .states = window->states,
                                 .first = window->first,
                                 .last = window->last};
    enum ca_status status;

    if (!values)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %" PRId64 " values", count);
    ca_field_values(field, &means, values);
    status = ca_field_write(path, &of, error);
    free(values);
    return status;
}
