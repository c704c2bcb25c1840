/* SPDX-License-Identifier: MIT */
/*
 * Checks what the host does to memory that kernels reach, too: its own accesses while work is
 * pending that it has not waited for, and its copies beside the work of other streams.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_HOST_H
#define CALAB_CORE_EMULATOR_RUNTIME_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "core/emulator/runtime/watch.h"

/* The host's access to pinned or managed memory while work waits. */
void host_note(size_t at, size_t bytes, enum watch_access how, uint32_t code);
/* A copy reads it, which the host may have written before. */
void host_copied_from(size_t source, size_t bytes, uint32_t code);
/* Work of this serial number has run in these intervals: says which accesses of the host before
 * were to what it has read or written. */
void host_settle(uint64_t serial, uint32_t first, uint32_t end);
/* Says what a copy collides with, and notes its accesses; NULL: that side is the host's own. */
void host_copied(const size_t *target, const size_t *source, size_t bytes, const char *call,
                 uint32_t code);

#endif
