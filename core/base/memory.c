/* SPDX-License-Identifier: MIT */
/* This file allocates zeroed memory, as pages of the system or from the heap. */
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT 64
#define PAGES_BYTES ((size_t)4 << 20) /* from here on pages of the system: two huge ones */

void *ca_zeroed(size_t bytes)
{
    void *memory = NULL;

    if (bytes < PAGES_BYTES) {
        if (posix_memalign(&memory, ALIGNMENT, bytes ? bytes : 1) != 0)
            return NULL;
        return memset(memory, 0, bytes);
    }
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    (void)madvise(memory, bytes, MADV_HUGEPAGE); /* a system without them refuses */
    return memory;
}

void ca_release(void *memory, size_t bytes)
{
    if (bytes < PAGES_BYTES)
        free(memory);
    else if (memory)
        (void)munmap(memory, bytes);
}

bool ca_has_memory(size_t bytes)
{
    void *volatile memory = malloc(bytes); /* volatile: the pair would be left out */
    bool has = memory != NULL;

    free(memory);
    return has;
}
