/* SPDX-License-Identifier: MIT */
/* Asynchronous copies of a thread from global to shared memory, in the order of their commits. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_ASYNC_H
#define CALAB_CORE_EMULATOR_RUNTIME_ASYNC_H

#include <stddef.h>
#include <stdint.h>

/* The last `zeros` of the bytes are 0 instead. */
void emulated_async_copy(void *to, const void *from, size_t bytes, size_t zeros, uint32_t code);
void emulated_async_commit();
/* Waits until at most so many of the thread's commits are under way. */
void emulated_async_wait(unsigned prior);

#endif
