/* SPDX-License-Identifier: MIT */
/* AddressSanitizer's side of what runs here; where a program is built without it, nothing. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_SANITIZER_H
#define CALAB_CORE_EMULATOR_RUNTIME_SANITIZER_H

#include <stddef.h>

extern "C" {
__attribute__((weak)) void __asan_poison_memory_region(const volatile void *memory, size_t bytes);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void *memory, size_t bytes);
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **fake, const void *stack,
                                                          size_t bytes);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *fake, const void **stack,
                                                           size_t *bytes);
}

static inline void sanitizer_open(const void *memory, size_t bytes)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(memory, bytes);
}

/* From here on each access to it is reported. */
static inline void sanitizer_close(const void *memory, size_t bytes)
{
    if (__asan_poison_memory_region)
        __asan_poison_memory_region(memory, bytes);
}

#endif
