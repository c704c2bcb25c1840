/* SPDX-License-Identifier: MIT */
/* How the steppers of the CPU make an instance, and free what it took where it cannot be made. */
#ifndef CALAB_KERNELS_CPU_INSTANCE_H
#define CALAB_KERNELS_CPU_INSTANCE_H

#include <stddef.h>

#include "core/base/error.h"

/*
 * A copy of `described`, all that is known of an instance before it takes memory, in *self; `take`
 * takes the memory and threads. Where that fails *self is NULL, and `destroy` has freed the copy.
 */
enum ca_status instance_create(void **self, const void *described, size_t bytes,
                               enum ca_status (*take)(void *self, struct ca_error *error),
                               void (*destroy)(void *self), struct ca_error *error);

/* The context of a backend's ops, which its `prepare` fills; NULL of 0 bytes. */
enum ca_status instance_context(void **context, size_t bytes, struct ca_error *error);

#endif
