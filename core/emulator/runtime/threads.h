/* SPDX-License-Identifier: MIT */
/*
 * A kernel's thread sees this: where it is, its block's shared memory, and waiting for others.
 * Waits are known by the line of the source that calls, so that a barrier of which some threads
 * reach another one is noticed.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_THREADS_H
#define CALAB_CORE_EMULATOR_RUNTIME_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/emulator/runtime/watch.h"
#include "core/emulator/runtime/vectors.h"

/*
 * One thread runs at a time, so these hold whatever the running one should see. For it they never
 * change: kernels cannot write them, and the compiler leaves their reads out of what is watched.
 */
#ifndef CHANGES_THREADS /* block.cc and launch.cc */
#define CHANGES_THREADS const
#endif
extern CHANGES_THREADS uint3 threadIdx, blockIdx;
extern CHANGES_THREADS dim3 blockDim, gridDim;
static const int warpSize = 32;

#define EMULATED_WARP 32
#define EMULATED_CLUSTER_MAX 16 /* blocks */
#define EMULATED_GROUP_MAX 128  /* blocks of a grid that run together */

/* --- shared memory ---------------------------------------------------------------------------- */

/*
 * A __shared__ variable: memory of its own, of exactly its size, with new poison for every block.
 * core/emulator/rewrite.c makes of `__shared__ T name[N];` a reference that is bound by a slot of
 * its own.
 */
struct emulated_slot {
    const char *file;
    int line;
    void *memory[EMULATED_GROUP_MAX];   /* by a block's place in its cluster or grid */
    uint64_t block[EMULATED_GROUP_MAX]; /* serial number of the block whose memory it is */
};

extern CHANGES_THREADS uint64_t emulated_block; /* of the running block or cluster */
extern CHANGES_THREADS int emulated_rank;       /* the running block's place in its cluster */
void emulated_slot_open(struct emulated_slot *slot, size_t bytes, size_t align);

struct emulated_shared {
    struct emulated_slot *slot;

    template <class T> EMULATED_UNSEEN operator T &() const
    {
        if (slot->block[emulated_rank] != emulated_block)
            emulated_slot_open(slot, sizeof(T), alignof(T));
        return *(T *)slot->memory[emulated_rank];
    }
};

/* An `extern __shared__ T name[];`: the launch's dynamic memory, of exactly its size. */
extern void *CHANGES_THREADS emulated_dynamic_memory;

struct emulated_dynamic {
    template <class T> operator T *() const { return (T *)emulated_dynamic_memory; }
};

/* --- waiting ---------------------------------------------------------------------------------- */

enum emulated_wait {
    EMULATED_SYNC,
    EMULATED_SYNC_OR,
    EMULATED_SYNC_AND,
    EMULATED_SYNC_COUNT,
    EMULATED_CLUSTER,
    EMULATED_MBARRIER,
    EMULATED_SYNCWARP,
    EMULATED_SHFL,
    EMULATED_BALLOT,
    EMULATED_ANY,
    EMULATED_ALL,
    EMULATED_REDUCE,
    EMULATED_MATCH,
    EMULATED_ACTIVE,
    EMULATED_ARRIVALS,
};

#define EMULATED_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

/* How many threads of the block came with a predicate that holds. */
int emulated_barrier(enum emulated_wait kind, bool predicate, const char *file, int line);
/*
 * Brings a value, once all lanes of the mask have come: the value of lane `from`, or, where that is
 * EMULATED_EACH, the lanes that brought other values than 0, with all values in values[] unless
 * NULL. Lanes that take no part hold poison.
 */
#define EMULATED_EACH (-1)
uint64_t emulated_warp(enum emulated_wait kind, uint32_t mask, uint64_t value, int from,
                       uint64_t values[EMULATED_WARP], const char *file, int line);
/* The lanes that are together: each that calls waits until no thread of the block can go on
 * otherwise, and then gets the same mask as those of its warp that have come to the same line. */
uint32_t emulated_active(const char *file, int line);
int emulated_threads(void); /* of the block */
int emulated_lane(void);
/* Ends the launch with an error that stays. */
[[noreturn]] void emulated_trap(void);
[[noreturn]] void emulated_trap_with(int error);

static inline void __syncthreads(EMULATED_PLACE)
{
    emulated_barrier(EMULATED_SYNC, false, file, line);
}

static inline int __syncthreads_count(int predicate, EMULATED_PLACE)
{
    return emulated_barrier(EMULATED_SYNC_COUNT, predicate != 0, file, line);
}

static inline int __syncthreads_or(int predicate, EMULATED_PLACE)
{
    return emulated_barrier(EMULATED_SYNC_OR, predicate != 0, file, line) > 0;
}

static inline int __syncthreads_and(int predicate, EMULATED_PLACE)
{
    return emulated_barrier(EMULATED_SYNC_AND, predicate != 0, file, line) == emulated_threads();
}

static inline void __syncwarp(unsigned mask = 0xffffffff, EMULATED_PLACE)
{
    emulated_warp(EMULATED_SYNCWARP, mask, 0, EMULATED_EACH, NULL, file, line);
}

static inline unsigned __activemask(EMULATED_PLACE) { return emulated_active(file, line); }

static inline unsigned __ballot_sync(unsigned mask, int predicate, EMULATED_PLACE)
{
    return (unsigned)emulated_warp(EMULATED_BALLOT, mask, predicate != 0, EMULATED_EACH, NULL, file,
                                   line);
}

static inline int __any_sync(unsigned mask, int predicate, EMULATED_PLACE)
{
    return emulated_warp(EMULATED_ANY, mask, predicate != 0, EMULATED_EACH, NULL, file, line) != 0;
}

static inline int __all_sync(unsigned mask, int predicate, EMULATED_PLACE)
{
    return emulated_warp(EMULATED_ALL, mask, predicate == 0, EMULATED_EACH, NULL, file, line) == 0;
}

template <class T>
static inline T emulated_shuffle(unsigned mask, T value, int from, const char *file, int line)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;

    memcpy(&bits, &value, sizeof value);
    bits = emulated_warp(EMULATED_SHFL, mask, bits, from, NULL, file, line);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* First and last lane of the part of the warp that a width gives. */
static inline int emulated_first(int width) { return emulated_lane() & -width; }
static inline int emulated_last(int width) { return emulated_first(width) + width - 1; }

template <class T>
static inline T __shfl_sync(unsigned mask, T value, int from, int width = EMULATED_WARP,
                            EMULATED_PLACE)
{
    return emulated_shuffle(mask, value, emulated_first(width) + (from & (width - 1)), file, line);
}

template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = EMULATED_WARP,
                               EMULATED_PLACE)
{
    int from = emulated_lane() - (int)(by & 31);

    return emulated_shuffle(mask, value, from < emulated_first(width) ? emulated_lane() : from,
                            file, line);
}

template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = EMULATED_WARP,
                                 EMULATED_PLACE)
{
    int from = emulated_lane() + (int)(by & 31);

    return emulated_shuffle(mask, value, from > emulated_last(width) ? emulated_lane() : from, file,
                            line);
}

template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = EMULATED_WARP,
                                EMULATED_PLACE)
{
    int from = emulated_lane() ^ (bits & 31);

    return emulated_shuffle(mask, value, from > emulated_last(width) ? emulated_lane() : from, file,
                            line);
}

/* Folds the values of the lanes in the mask. */
template <class T, class Fold>
static inline T emulated_reduce(unsigned mask, T value, Fold fold, const char *file, int line)
{
    uint64_t bits = 0, values[EMULATED_WARP];
    bool first = true;

    memcpy(&bits, &value, sizeof value);
    emulated_warp(EMULATED_REDUCE, mask, bits, EMULATED_EACH, values, file, line);
    for (int lane = 0; lane < EMULATED_WARP; lane++) {
        T one;

        if (!(mask >> lane & 1))
            continue;
        memcpy(&one, &values[lane], sizeof one);
        value = first ? one : fold(value, one);
        first = false;
    }
    return value;
}

#define EMULATED_REDUCTION(name, type, expression)                                                 \
    static inline type name(unsigned mask, type value, EMULATED_PLACE)                             \
    {                                                                                              \
        return emulated_reduce(                                                                    \
            mask, value, [](type a, type b) -> type { return expression; }, file, line);           \
    }

EMULATED_REDUCTION(__reduce_add_sync, unsigned, a + b)
EMULATED_REDUCTION(__reduce_min_sync, unsigned, a < b ? a : b)
EMULATED_REDUCTION(__reduce_max_sync, unsigned, a > b ? a : b)
EMULATED_REDUCTION(__reduce_add_sync, int, (int)((unsigned)a + (unsigned)b))
EMULATED_REDUCTION(__reduce_min_sync, int, a < b ? a : b)
EMULATED_REDUCTION(__reduce_max_sync, int, a > b ? a : b)
EMULATED_REDUCTION(__reduce_and_sync, unsigned, a &b)
EMULATED_REDUCTION(__reduce_or_sync, unsigned, a | b)
EMULATED_REDUCTION(__reduce_xor_sync, unsigned, a ^ b)

template <class T> static inline unsigned __match_any_sync(unsigned mask, T value, EMULATED_PLACE)
{
    uint64_t bits = 0, values[EMULATED_WARP];
    unsigned same = 0;

    memcpy(&bits, &value, sizeof value);
    emulated_warp(EMULATED_MATCH, mask, bits, EMULATED_EACH, values, file, line);
    for (int lane = 0; lane < EMULATED_WARP; lane++)
        same |= (unsigned)(mask >> lane & 1 && values[lane] == bits) << lane;
    return same;
}

/* --- clusters --------------------------------------------------------------------------------- */

/* The barrier of all threads of a cluster; one that ended without it is missed. */
void emulated_cluster_arrive(const char *file, int line);
void emulated_cluster_wait(const char *file, int line);
/* Maps an address in the block's dynamic memory to the same place in another block's. */
void *emulated_cluster_map(const void *shared, unsigned rank);

static inline void __cluster_barrier_arrive(EMULATED_PLACE) { emulated_cluster_arrive(file, line); }
static inline void __cluster_barrier_wait(EMULATED_PLACE) { emulated_cluster_wait(file, line); }

static inline void *__cluster_map_shared_rank(const void *shared, unsigned rank)
{
    return emulated_cluster_map(shared, rank);
}

/* The barrier of all threads of a grid that was launched cooperatively. */
bool emulated_grid_waits();
void emulated_grid_sync(const char *file, int line);

/*
 * An mbarrier for one arrival a phase, which says how many bytes that are sent to the block belong
 * to it. They arrive at once.
 */
void emulated_mbar_init(uint64_t *barrier);
void emulated_mbar_expect_tx(uint64_t *barrier, unsigned bytes);
void emulated_dsmem_store_async(uint4 *to, uint4 words, uint64_t *barrier);
void emulated_dsmem_store_async(uint32_t *to, uint32_t word, uint64_t *barrier);
void emulated_mbar_await(uint64_t *barrier, unsigned phase, const char *file, int line);

static inline void emulated_mbar_wait(uint64_t *barrier, unsigned phase, EMULATED_PLACE)
{
    emulated_mbar_await(barrier, phase, file, line);
}

/* Threads run one at a time, so order in memory is order in time. */
static inline void __threadfence() { watch_fence(true); }
static inline void __threadfence_block() { watch_fence(false); }
static inline void __threadfence_system() { watch_fence(true); }
static inline void __nanosleep(unsigned) {}
/* Kernels of a stream run one after the other, so that there is nothing to wait for; but that one
 * waits is noticed. */
void emulated_await_kernel();
static inline void cudaGridDependencySynchronize() { emulated_await_kernel(); }
static inline void cudaTriggerProgrammaticLaunchCompletion() {}
[[noreturn]] static inline void __trap() { emulated_trap(); }

#endif
