/* SPDX-License-Identifier: MIT */
/*
 * The mark of the steppers of the CPU: a copy of the memory that is the state between steps, which
 * the stepper names part by part. It lies beside the instance, made and read on all cores.
 */
#ifndef CALAB_KERNELS_CPU_MARK_H
#define CALAB_KERNELS_CPU_MARK_H

#include "core/model/model.h"

struct mark_part {
    void *memory;
    size_t bytes;
};

struct mark {
    void *copy; /* of all parts, one after the other; NULL: no state is kept */
    size_t bytes;
};

/*
 * Does what ca_stepper.mark asks for, of a state in these parts. To go back the parts must be as
 * large as those that were kept. CA_NO_MEMORY with the bytes that are needed and those that are
 * available, CA_NO_DEVICE where threads cannot be started.
 */
enum ca_status mark_parts(struct mark *mark, enum ca_mark what, const struct mark_part parts[],
                          int count, struct ca_error *error);
void mark_free(struct mark *mark); /* takes {0} */

#endif
