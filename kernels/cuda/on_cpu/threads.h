/* SPDX-License-Identifier: MIT */
/*
 * What a kernel's thread sees: where it is, its block's shared memory, and waiting for others.
 * Waits are known by the line of the source that calls, so that a barrier of which some threads
 * reach another one is noticed.
 */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_THREADS_H
#define CALAB_KERNELS_CUDA_ON_CPU_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cuda/on_cpu/watch.h"
#include "kernels/cuda/on_cpu/vectors.h"

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

#define SHIM_WARP 32
#define SHIM_CLUSTER_MAX 16 /* blocks */
#define SHIM_GROUP_MAX 128  /* blocks of a grid that run together */

/* --- shared memory ---------------------------------------------------------------------------- */

/*
 * A __shared__ variable: memory of its own, of exactly its size, with new poison for every block.
 * shared.sed makes of `__shared__ T name[N];` a reference that is bound by a slot of its own.
 */
struct shim_slot {
    const char *file;
    int line;
    void *memory[SHIM_GROUP_MAX];   /* by a block's place in its cluster or grid */
    uint64_t block[SHIM_GROUP_MAX]; /* serial number of the block whose memory it is */
};

extern CHANGES_THREADS uint64_t shim_block; /* of the running block or cluster */
extern CHANGES_THREADS int shim_rank;       /* the running block's place in its cluster */
void shim_slot_open(struct shim_slot *slot, size_t bytes, size_t align);

struct shim_shared {
    struct shim_slot *slot;

    template <class T> SHIM_UNSEEN operator T &() const
    {
        if (slot->block[shim_rank] != shim_block)
            shim_slot_open(slot, sizeof(T), alignof(T));
        return *(T *)slot->memory[shim_rank];
    }
};

/* An `extern __shared__ T name[];`: the launch's dynamic memory, of exactly its size. */
extern void *CHANGES_THREADS shim_dynamic_memory;

struct shim_dynamic {
    template <class T> operator T *() const { return (T *)shim_dynamic_memory; }
};

/* --- waiting ---------------------------------------------------------------------------------- */

enum shim_wait {
    SHIM_SYNC,
    SHIM_SYNC_OR,
    SHIM_SYNC_AND,
    SHIM_SYNC_COUNT,
    SHIM_CLUSTER,
    SHIM_MBARRIER,
    SHIM_SYNCWARP,
    SHIM_SHFL,
    SHIM_BALLOT,
    SHIM_ANY,
    SHIM_ALL,
    SHIM_REDUCE,
    SHIM_MATCH,
};

#define SHIM_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

/* How many threads of the block came with a predicate that holds. */
int shim_barrier(enum shim_wait kind, bool predicate, const char *file, int line);
/*
 * Brings a value, once all lanes of the mask have come: the value of lane `from`, or, where that is
 * SHIM_EACH, the lanes that brought other values than 0, with all values in values[] unless NULL.
 * Lanes that take no part hold poison.
 */
#define SHIM_EACH (-1)
uint64_t shim_warp(enum shim_wait kind, uint32_t mask, uint64_t value, int from,
                   uint64_t values[SHIM_WARP], const char *file, int line);
/* What __activemask gives: the lanes that have not ended. */
uint32_t shim_active(void);
int shim_threads(void); /* of the block */
int shim_lane(void);
/* Ends the launch with an error that stays. */
[[noreturn]] void shim_trap(void);
[[noreturn]] void shim_trap_with(int error);

static inline void __syncthreads(SHIM_PLACE) { shim_barrier(SHIM_SYNC, false, file, line); }

static inline int __syncthreads_count(int predicate, SHIM_PLACE)
{
    return shim_barrier(SHIM_SYNC_COUNT, predicate != 0, file, line);
}

static inline int __syncthreads_or(int predicate, SHIM_PLACE)
{
    return shim_barrier(SHIM_SYNC_OR, predicate != 0, file, line) > 0;
}

static inline int __syncthreads_and(int predicate, SHIM_PLACE)
{
    return shim_barrier(SHIM_SYNC_AND, predicate != 0, file, line) == shim_threads();
}

static inline void __syncwarp(unsigned mask = 0xffffffff, SHIM_PLACE)
{
    shim_warp(SHIM_SYNCWARP, mask, 0, SHIM_EACH, NULL, file, line);
}

static inline unsigned __activemask() { return shim_active(); }

static inline unsigned __ballot_sync(unsigned mask, int predicate, SHIM_PLACE)
{
    return (unsigned)shim_warp(SHIM_BALLOT, mask, predicate != 0, SHIM_EACH, NULL, file, line);
}

static inline int __any_sync(unsigned mask, int predicate, SHIM_PLACE)
{
    return shim_warp(SHIM_ANY, mask, predicate != 0, SHIM_EACH, NULL, file, line) != 0;
}

static inline int __all_sync(unsigned mask, int predicate, SHIM_PLACE)
{
    return shim_warp(SHIM_ALL, mask, predicate == 0, SHIM_EACH, NULL, file, line) == 0;
}

template <class T>
static inline T shim_shuffle(unsigned mask, T value, int from, const char *file, int line)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;

    memcpy(&bits, &value, sizeof value);
    bits = shim_warp(SHIM_SHFL, mask, bits, from, NULL, file, line);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* First and last lane of the part of the warp that a width gives. */
static inline int shim_first(int width) { return shim_lane() & -width; }
static inline int shim_last(int width) { return shim_first(width) + width - 1; }

template <class T>
static inline T __shfl_sync(unsigned mask, T value, int from, int width = SHIM_WARP, SHIM_PLACE)
{
    return shim_shuffle(mask, value, shim_first(width) + (from & (width - 1)), file, line);
}

template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = SHIM_WARP,
                               SHIM_PLACE)
{
    int from = shim_lane() - (int)(by & 31);

    return shim_shuffle(mask, value, from < shim_first(width) ? shim_lane() : from, file, line);
}

template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = SHIM_WARP,
                                 SHIM_PLACE)
{
    int from = shim_lane() + (int)(by & 31);

    return shim_shuffle(mask, value, from > shim_last(width) ? shim_lane() : from, file, line);
}

template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = SHIM_WARP, SHIM_PLACE)
{
    int from = shim_lane() ^ (bits & 31);

    return shim_shuffle(mask, value, from > shim_last(width) ? shim_lane() : from, file, line);
}

/* Folds the values of the lanes in the mask. */
template <class T, class Fold>
static inline T shim_reduce(unsigned mask, T value, Fold fold, const char *file, int line)
{
    uint64_t bits = 0, values[SHIM_WARP];
    bool first = true;

    memcpy(&bits, &value, sizeof value);
    shim_warp(SHIM_REDUCE, mask, bits, SHIM_EACH, values, file, line);
    for (int lane = 0; lane < SHIM_WARP; lane++) {
        T one;

        if (!(mask >> lane & 1))
            continue;
        memcpy(&one, &values[lane], sizeof one);
        value = first ? one : fold(value, one);
        first = false;
    }
    return value;
}

#define SHIM_REDUCTION(name, type, expression)                                                     \
    static inline type name(unsigned mask, type value, SHIM_PLACE)                                 \
    {                                                                                              \
        return shim_reduce(                                                                        \
            mask, value, [](type a, type b) -> type { return expression; }, file, line);           \
    }

SHIM_REDUCTION(__reduce_add_sync, unsigned, a + b)
SHIM_REDUCTION(__reduce_min_sync, unsigned, a < b ? a : b)
SHIM_REDUCTION(__reduce_max_sync, unsigned, a > b ? a : b)
SHIM_REDUCTION(__reduce_add_sync, int, (int)((unsigned)a + (unsigned)b))
SHIM_REDUCTION(__reduce_min_sync, int, a < b ? a : b)
SHIM_REDUCTION(__reduce_max_sync, int, a > b ? a : b)
SHIM_REDUCTION(__reduce_and_sync, unsigned, a &b)
SHIM_REDUCTION(__reduce_or_sync, unsigned, a | b)
SHIM_REDUCTION(__reduce_xor_sync, unsigned, a ^ b)

template <class T> static inline unsigned __match_any_sync(unsigned mask, T value, SHIM_PLACE)
{
    uint64_t bits = 0, values[SHIM_WARP];
    unsigned same = 0;

    memcpy(&bits, &value, sizeof value);
    shim_warp(SHIM_MATCH, mask, bits, SHIM_EACH, values, file, line);
    for (int lane = 0; lane < SHIM_WARP; lane++)
        same |= (unsigned)(mask >> lane & 1 && values[lane] == bits) << lane;
    return same;
}

/* --- clusters --------------------------------------------------------------------------------- */

/* The barrier of all threads of a cluster; one that ended without it is missed. */
void shim_cluster_arrive(const char *file, int line);
void shim_cluster_wait(const char *file, int line);
/* Where a place in the block's dynamic memory is in another block's. */
void *shim_cluster_map(const void *shared, unsigned rank);

static inline void __cluster_barrier_arrive(SHIM_PLACE) { shim_cluster_arrive(file, line); }
static inline void __cluster_barrier_wait(SHIM_PLACE) { shim_cluster_wait(file, line); }

static inline void *__cluster_map_shared_rank(const void *shared, unsigned rank)
{
    return shim_cluster_map(shared, rank);
}

/* The barrier of all threads of a grid that was launched cooperatively. */
bool shim_grid_waits();
void shim_grid_sync(const char *file, int line);

/*
 * An mbarrier for one arrival a phase, which says how many bytes that are sent to the block belong
 * to it. They arrive at once.
 */
void shim_mbar_init(uint64_t *barrier);
void shim_mbar_expect_tx(uint64_t *barrier, unsigned bytes);
void shim_dsmem_store_async(uint4 *to, uint4 words, uint64_t *barrier);
void shim_dsmem_store_async(uint32_t *to, uint32_t word, uint64_t *barrier);
void shim_mbar_await(uint64_t *barrier, unsigned phase, const char *file, int line);

static inline void shim_mbar_wait(uint64_t *barrier, unsigned phase, SHIM_PLACE)
{
    shim_mbar_await(barrier, phase, file, line);
}

/* Threads run one at a time, so order in memory is order in time. */
static inline void __threadfence() { watch_fence(); }
static inline void __threadfence_block() { watch_fence(); }
static inline void __threadfence_system() { watch_fence(); }
static inline void __nanosleep(unsigned) {}
static inline void cudaGridDependencySynchronize() {}
static inline void cudaTriggerProgrammaticLaunchCompletion() {}
[[noreturn]] static inline void __trap() { shim_trap(); }

#endif
