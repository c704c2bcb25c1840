/* SPDX-License-Identifier: MIT */
#include "kernels/cpu/instance.h"

#include <stdlib.h>
#include <string.h>

enum ca_status instance_create(void **self, const void *described, size_t bytes,
                               enum ca_status (*take)(void *self, struct ca_error *error),
                               void (*destroy)(void *self), struct ca_error *error)
{
    void *made = malloc(bytes);
    enum ca_status status;

    *self = NULL;
    if (!made)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    memcpy(made, described, bytes);
    status = take(made, error);
    if (status == CA_OK)
        *self = made;
    else
        destroy(made);
    return status;
}

enum ca_status instance_context(void **context, size_t bytes, struct ca_error *error)
{
    if (bytes && !(*context = malloc(bytes)))
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    return CA_OK;
}
