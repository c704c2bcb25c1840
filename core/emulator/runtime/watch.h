/* SPDX-License-Identifier: MIT */
/*
 * Watching what kernels do to memory. Where the program's code was compiled with -fsanitize=thread,
 * each access calls a function of hooks.cc, and the host's side and the scheduler of threads call
 * the functions here: which memory there is, who runs, and who has waited for whom. Without such
 * code watching is off, and none of them does anything.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_WATCH_H
#define CALAB_CORE_EMULATOR_RUNTIME_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern bool watch_on;

/* Lower half of where the present function returns to: what a place is known by. */
#define WATCH_CALLER ((uint32_t)(uintptr_t)__builtin_return_address(0))

/* --- memory ----------------------------------------------------------------------------------- */

enum watch_kind {
    WATCH_NOTHING,
    WATCH_DEVICE,
    WATCH_SHARED,
    WATCH_PINNED,
    WATCH_MANAGED,
    WATCH_VARIABLE, /* the program's own, where __device__ variables are */
    WATCH_CONSTANT,
};

/* The name of a piece of memory in findings; either a call and where it is made, or a variable
 * and where it is declared. */
struct watch_origin {
    const char *name;
    uint32_t code;
    const char *file;
    int line;
};

/* Memory of which all accesses are watched, or NULL. Only while watching is on. */
void *watch_take(size_t bytes, size_t align, enum watch_kind kind, int device,
                 struct watch_origin origin);
void watch_give(void *memory);
/* Fills memory that nobody has written. */
void watch_fill_junk(void *memory, size_t bytes);
/* Nobody has written it: the shared memory of a new block. */
void watch_forget(void *memory, size_t bytes);
/* A copy to it is under way. */
void watch_unwritten(void *memory, size_t bytes);
/* Reads of a piece before it is written do not matter. */
void watch_any_value(const void *memory);
/* The host has written it. */
void watch_written(void *memory, size_t bytes);
/* Work of the host's has filled it. */
void watch_filled(void *memory, size_t bytes, const char *call, uint32_t code);
/* The host has copied one to the other, and with it what nobody wrote. */
void watch_copied(void *to, const void *from, size_t bytes, const char *call, uint32_t code);
/* From here on kernels must not write it. */
void watch_constant(const void *memory, size_t bytes, const char *name);
/* The host frees what it has freed already, or what was never given out. */
void watch_bad_free(const void *memory, const char *call, uint32_t code);
/* A copy, or a filling whose `from` is NULL, that is refused: places or directions do not fit. */
void watch_bad_copy(const void *to, const void *from, size_t bytes, const char *call,
                    uint32_t code);
/* An allocation for the variable at `pointer` fails, where `used` of `size` bytes are in use; or
 * it does not. */
void watch_not_given(const void *pointer, size_t bytes, size_t used, size_t size, const char *call,
                     uint32_t code);
void watch_given(const void *pointer);
/* An allocation is given a null pointer in place of a variable's address. */
void watch_no_variable(const char *call, uint32_t code);
/* Whether an address is in memory that such an allocation should have given: then that is said,
 * and what was about to be done there. */
struct place;
bool watch_is_missing(const void *memory, const struct place *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A kernel is not launched. */
void watch_launch_error(const void *kernel, const char *why, uint32_t code);

/* --- who runs --------------------------------------------------------------------------------- */

struct emulated_launch;

/* Between the two, kernels run. */
void watch_launch(const struct emulated_launch *launch, int device);
void watch_launched();
/* The blocks of a cluster or grid that run together begin; of most launches it is one block. */
void watch_group(const uint64_t *blocks, int count);
/* Which thread of which block of the group runs, on which stack. */
void watch_thread(int rank, int thread, const void *stack, size_t bytes);

/* --- who has waited for whom ------------------------------------------------------------------ */

/* All threads of a block, or of all blocks of the group, have come. */
void watch_barrier(int rank);
void watch_group_barrier();
/* The lanes of a warp. */
void watch_warp(int rank, int warp, uint32_t lanes);
/* The running thread's accesses are visible to those that acquire `what` from now on; and it
 * acquires. */
void watch_release(const void *what);
void watch_acquire(const void *what);
/* device: for all blocks, not only the thread's own. */
void watch_fence(bool device);
/* Says what waits until the running thread goes on; before another does. */
void watch_settle();
/* The host waits for all that it has started. */
void watch_synchronized();

/* --- accesses that the compiler does not see -------------------------------------------------- */

/* WATCH_ATOMIC_BLOCK: it is atomic among the threads of its block alone. WATCH_EXCHANGE: what was
 * there before does not matter. */
enum watch_access {
    WATCH_READ,
    WATCH_WRITE,
    WATCH_ATOMIC,
    WATCH_ATOMIC_BLOCK,
    WATCH_EXCHANGE,
    WATCH_EXCHANGE_BLOCK
};

void watch_access(const void *at, size_t bytes, enum watch_access how, uint32_t code);
/* The atomic access that comes next compares with a value first. */
void watch_compares(const void *at, size_t bytes, uint64_t value);

#endif
