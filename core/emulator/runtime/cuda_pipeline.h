/* SPDX-License-Identifier: MIT */
/* CUDA's primitives for asynchronous copies to shared memory; a part of the Toolkit's header. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_PIPELINE_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_PIPELINE_H

#include "core/emulator/runtime/async.h"
#include "core/emulator/runtime/watch.h"

__attribute__((noinline)) static void __pipeline_memcpy_async(void *to, const void *from,
                                                              size_t bytes, size_t zeros = 0)
{
    emulated_async_copy(to, from, bytes, zeros, WATCH_CALLER);
}
static inline void __pipeline_commit() { emulated_async_commit(); }
static inline void __pipeline_wait_prior(size_t prior) { emulated_async_wait((unsigned)prior); }

#endif
