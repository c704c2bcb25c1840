/* SPDX-License-Identifier: MIT */
/*
 * A library such as Thrust works on the host in place of a device. The host may use its memory, and
 * its calls run after all work that was issued before and may reach device memory.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_LIBRARY_H
#define CALAB_CORE_EMULATOR_RUNTIME_LIBRARY_H

#include <stddef.h>

/* Throws std::bad_alloc. */
void *emulated_library_take(size_t bytes);
void emulated_library_give(void *memory);

/* core/emulator/rewrite.c puts one before each call of Thrust: (emulated_library(), call). */
struct emulated_library {
    emulated_library();
    ~emulated_library();
    emulated_library(const emulated_library &) = delete;
};

/* Whether the host's access is one of a library, or to memory of one: it comes after all work. */
bool emulated_library_reaches(const void *memory);

#endif
