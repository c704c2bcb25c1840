/* SPDX-License-Identifier: MIT */
/*
 * Counts what a GPU would do for the loads, stores, atomic operations and branches of each kernel.
 *
 * Accesses of a warp's lanes that the same instruction makes for the same time since the lanes were
 * last together, at a barrier or a warp operation of all of them, are one request. A request of
 * global memory asks for sectors of 32 bytes; one of shared memory for words of 32 banks, again for
 * each further word of the same bank.
 *
 *     CALAB_EMULATED_COUNT=CC     counts, and tells at the end of the process in tables, with the
 *                                 occupancy by the rules of compute capability CC, such as 9.0
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_COUNT_H
#define CALAB_CORE_EMULATOR_RUNTIME_COUNT_H

#include <stddef.h>
#include <stdint.h>

#include "core/emulator/runtime/watch.h"

struct emulated_launch;

extern bool count_on;

/* Reads the environment; ends the process where it names no compute capability that is known. */
void count_begin();

void count_launch(const struct emulated_launch *launch);
/* The running thread of the kernel accesses memory of a kind. */
void count_access(enum watch_kind kind, int rank, int thread, uint64_t at, size_t bytes,
                  enum watch_access how, uint32_t code);
/* The running thread of the kernel comes to a basic block of code. */
void count_step(int rank, int thread, uint32_t code);
/* All lanes of a warp, all threads of a block, or of all blocks that run, are together. */
void count_warp(int rank, int warp, uint32_t lanes);
void count_block(int rank);
void count_together();
/* A block has so many bytes of shared memory. */
void count_shared(size_t bytes);
/* Other blocks run from here on. */
void count_group();
/* The launch has ended, and all requests are complete. */
void count_launched();

void count_report();

#endif
