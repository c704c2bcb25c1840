/* SPDX-License-Identifier: MIT */
/*
 * Zeroed memory for lattices. Large blocks are pages of the system that nobody has touched yet, in
 * huge pages where it has them: a page is made, on the node of its memory, when a thread first
 * writes to it. So whoever fills a lattice should do so with the threads that will step it.
 */
#ifndef CALAB_CORE_BASE_MEMORY_H
#define CALAB_CORE_BASE_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed bytes, aligned to 64. NULL where there is no memory. */
void *ca_zeroed(size_t bytes);
/* Gives back what ca_zeroed returned for so many bytes; takes NULL. */
void ca_release(void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
