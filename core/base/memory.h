/* SPDX-License-Identifier: MIT */
/*
 * Zeroed memory for lattices. Large blocks are untouched pages of the system, huge ones where it
 * has them. The system places a page on the NUMA node of the thread that first writes to it, so
 * a lattice should be filled by the threads that will step it. Of other memory: whether there is
 * some.
 */
#ifndef CALAB_CORE_BASE_MEMORY_H
#define CALAB_CORE_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed bytes, aligned to 64. NULL where there is no memory. */
void *ca_zeroed(size_t bytes);
/* Gives back what ca_zeroed returned for so many bytes; takes NULL. */
void ca_release(void *memory, size_t bytes);

/* Whether so many bytes can be allocated now, asked before calling a library that does not look
 * whether its own allocations succeed. */
bool ca_has_memory(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
