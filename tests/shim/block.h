/* SPDX-License-Identifier: MIT */
/*
 * Running the threads of one block. A thread starts on the stack of the one that ended before it;
 * only when it waits does the next one need a fiber of its own.
 */
#ifndef CALAB_TESTS_SHIM_BLOCK_H
#define CALAB_TESTS_SHIM_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/shim/vectors.h"

#define SHIM_THREADS_MAX 1024
#define SHIM_POISON 0xa5 /* of memory that nobody wrote */

struct shim_launch {
    const void *kernel;
    void (*call)(const void *arguments);
    const void *arguments;
    dim3 grid, block;
    size_t dynamic_bytes;
    size_t shared_limit; /* static and dynamic bytes together */
};

/* In which order blocks and threads go; see SHIM_ORDER. */
enum shim_direction { SHIM_FORWARD, SHIM_REVERSE, SHIM_RANDOM };

struct shim_order {
    enum shim_direction kind;
    uint64_t state;
};

uint64_t shim_random(struct shim_order *order);

/* Runs the block that blockIdx names; false when a thread trapped. */
bool shim_block_run(const struct shim_launch *launch, struct shim_order *order);

/* Says what is wrong in which kernel and block, and aborts. */
[[noreturn]] void shim_stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
