/* SPDX-License-Identifier: MIT */
/*
 * The mark of processes that run code of a submission. It is made of a system call's answer and of
 * two limits, which all processes below inherit and none can undo, under whatever name, environment
 * or user it starts another program.
 */
#ifndef CALAB_CORE_BASE_CONFINED_H
#define CALAB_CORE_BASE_CONFINED_H

#include <stdbool.h>

/* An option of prctl that Linux does not have: a filter of system calls answers it with an errno of
 * its own, where Linux says EINVAL. */
#define CA_CONFINED_OPTION 0x63616c62
#define CA_CONFINED_ERRNO ENOTUNIQ

/* Lowers the limits, which mark a process where the kernel takes no filter. */
void ca_confined_mark(void);
/* Whether this process, or one above it, has been marked. */
bool ca_is_confined(void);

#endif
