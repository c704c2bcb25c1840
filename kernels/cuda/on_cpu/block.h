/* SPDX-License-Identifier: MIT */
/*
 * Running the threads of one block, or of the blocks of one cluster together. A thread starts on
 * the stack of the one that ended before it; only when it waits does the next one need a fiber of
 * its own.
 */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_BLOCK_H
#define CALAB_KERNELS_CUDA_ON_CPU_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cuda/on_cpu/threads.h"
#include "kernels/cuda/on_cpu/vectors.h"

#define SHIM_THREADS_MAX 1024
#define SHIM_POISON 0xa5 /* of memory that nobody wrote */

struct shim_launch {
    const void *kernel;
    void (*call)(const void *arguments);
    const void *arguments;
    size_t argument_bytes;
    dim3 grid, block;
    int cluster;      /* blocks of a cluster, side by side in x, or all of the grid */
    bool cooperative; /* all blocks of the grid run together */
    size_t dynamic_bytes;
    size_t shared_limit;           /* static and dynamic bytes together */
    void *dynamic[SHIM_GROUP_MAX]; /* memory of each block, of exactly so many bytes */
};

/* In which order blocks and threads go; see CALAB_EMULATED_ORDER. */
enum shim_direction { SHIM_FORWARD, SHIM_REVERSE, SHIM_RANDOM };

struct shim_order {
    enum shim_direction kind;
    uint64_t state;
};

uint64_t shim_random(struct shim_order *order);

/* Runs the block that blockIdx names, or the cluster of which it is the first; false when a thread
 * trapped. */
bool shim_block_run(const struct shim_launch *launch, struct shim_order *order);

/* Memory for a variable that is declared there, or a launch's dynamic memory; NULL: there is none.
 */
void *shim_shared_take(size_t bytes, size_t align, const char *file, int line);

/* What cluster.cc needs to know of the running block or cluster: the launch, the running thread of
 * all of them, whether all threads of a block have ended. */
const struct shim_launch *shim_running();
bool shim_in_kernel();
/* What a trap made of the launch. */
int shim_trap_error();
int shim_thread();
bool shim_block_ended(int rank);
/* The running thread waits; all that wait so go on. */
void shim_wait_for(enum shim_wait kind, const void *what, const char *file, int line);
void shim_go_on(enum shim_wait kind, const void *what);

/* Says what is wrong in which kernel and block, and aborts. */
[[noreturn]] void shim_stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
