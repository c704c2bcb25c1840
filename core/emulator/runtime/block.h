/* SPDX-License-Identifier: MIT */
/*
 * Running the threads of one block, or of the blocks of one cluster together. A thread starts on
 * the stack of the one that ended before it; only when it waits does the next one need a fiber of
 * its own.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_BLOCK_H
#define CALAB_CORE_EMULATOR_RUNTIME_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/emulator/runtime/threads.h"
#include "core/emulator/runtime/vectors.h"

#define EMULATED_THREADS_MAX 1024
#define EMULATED_POISON 0xa5 /* of memory that nobody wrote */

struct emulated_launch {
    const void *kernel;
    void (*call)(const void *arguments);
    const void *arguments;
    size_t argument_bytes;
    dim3 grid, block;
    int cluster;      /* blocks of a cluster, side by side in x, or all of the grid */
    bool cooperative; /* all blocks of the grid run together */
    bool early;       /* may begin while the kernel before it runs */
    size_t dynamic_bytes;
    size_t shared_limit;               /* static and dynamic bytes together */
    uint32_t code;                     /* where it is launched */
    void *dynamic[EMULATED_GROUP_MAX]; /* memory of each block, of exactly so many bytes */
};

/* The order in which blocks and threads run; see CALAB_EMULATED_ORDER. */
enum emulated_direction { EMULATED_FORWARD, EMULATED_REVERSE, EMULATED_RANDOM };

struct emulated_order {
    enum emulated_direction kind;
    uint64_t state;
};

uint64_t emulated_random(struct emulated_order *order);

/* Runs the block that blockIdx names, or the cluster of which it is the first; false when a thread
 * trapped. */
bool emulated_block_run(const struct emulated_launch *launch, struct emulated_order *order);

/* Memory for a variable that is declared there, or a launch's dynamic memory; NULL: there is none.
 */
void *emulated_shared_take(size_t bytes, size_t align, const char *file, int line);

/* cluster.cc asks these for the running block or cluster: the launch, the running thread of
 * all of them, whether all threads of a block have ended. */
const struct emulated_launch *emulated_running();
bool emulated_in_kernel();
/* The error that a trap made of the launch. */
int emulated_trap_error();
int emulated_thread();
bool emulated_block_ended(int rank);
/* The running thread waits; all that wait so go on. */
void emulated_wait_for(enum emulated_wait kind, const void *what, const char *file, int line);
void emulated_go_on(enum emulated_wait kind, const void *what);

/* Says what is wrong in which kernel and block, and aborts. */
[[noreturn]] void emulated_stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
