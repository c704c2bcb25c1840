/* SPDX-License-Identifier: MIT */
/* Implements what blocks of a cluster share: a barrier, access to each other's dynamic shared
 * memory, and mbarriers that count the bytes stored there. */
#include "core/emulator/runtime/watch.h"
#include "core/emulator/runtime/block.h"

#include <string.h>

#include "core/emulator/runtime/threads.h"

/* --- the barrier ------------------------------------------------------------------------------ */

static struct {
    uint64_t block; /* whose barrier it is: anew for each cluster */
    int arrived;
    unsigned phase;
    unsigned
        phases[EMULATED_THREADS_MAX * EMULATED_CLUSTER_MAX]; /* that each thread has arrived at */
} barrier;

static int cluster_threads()
{
    const struct emulated_launch *launch = emulated_running();

    return launch->cluster * emulated_threads();
}

void emulated_cluster_arrive(const char *file, int line)
{
    if (barrier.block != emulated_block)
        memset(&barrier, 0, sizeof barrier);
    barrier.block = emulated_block;
    if (barrier.phases[emulated_thread()]++ > barrier.phase)
        emulated_stop("%s:%d: a thread arrives a second time and did not wait", file, line);
    if (++barrier.arrived < cluster_threads())
        return;
    barrier.arrived = 0;
    barrier.phase++;
    watch_group_barrier();
    emulated_go_on(EMULATED_CLUSTER, &barrier);
}

void emulated_cluster_wait(const char *file, int line)
{
    if (barrier.block != emulated_block || barrier.phases[emulated_thread()] == 0)
        emulated_stop("%s:%d: a thread waits that did not arrive", file, line);
    if (barrier.phases[emulated_thread()] > barrier.phase)
        emulated_wait_for(EMULATED_CLUSTER, &barrier, file, line);
}

bool emulated_grid_waits() { return emulated_running()->cooperative; }

void emulated_grid_sync(const char *file, int line)
{
    if (!emulated_grid_waits())
        emulated_stop("%s:%d: a grid waits only if cudaLaunchCooperativeKernel launches it", file,
                      line);
    emulated_cluster_arrive(file, line);
    emulated_cluster_wait(file, line);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The block in whose dynamic memory a place is; -1: in none. */
static int block_of(const void *shared)
{
    const struct emulated_launch *launch = emulated_running();

    for (int i = 0; i < launch->cluster; i++) {
        const char *from = (const char *)launch->dynamic[i];

        if ((const char *)shared >= from && (const char *)shared < from + launch->dynamic_bytes)
            return i;
    }
    return -1;
}

static void must_live(int rank)
{
    if (emulated_block_ended(rank))
        emulated_stop("shared memory of block %d of the cluster, which has ended", rank);
}

void *emulated_cluster_map(const void *shared, unsigned rank)
{
    const struct emulated_launch *launch = emulated_running();

    if (rank >= (unsigned)launch->cluster)
        emulated_stop("block %u of a cluster of %d", rank, launch->cluster);
    if (block_of(shared) != emulated_rank)
        emulated_stop("what is not in the block's dynamic shared memory has no place in another's");
    must_live((int)rank);
    return (char *)launch->dynamic[rank] +
           ((const char *)shared - (const char *)launch->dynamic[emulated_rank]);
}

/* --- mbarriers -------------------------------------------------------------------------------- */

#define INITIALIZED 0x6d61696c /* differs from poisoned memory */

/* The emulator's layout of the 64 bits of an mbarrier. */
struct mbarrier {
    uint32_t magic : 31, phase : 1;
    int32_t missing : 31; /* expected bytes that have not arrived; < 0 before it is armed */
    uint32_t armed : 1;   /* whether the bytes of the phase are known */
};

static_assert(sizeof(struct mbarrier) == sizeof(uint64_t), "an mbarrier has 64 bits");

static struct mbarrier *initialized(uint64_t *barrier)
{
    struct mbarrier *state = (struct mbarrier *)barrier;

    if (state->magic != INITIALIZED)
        emulated_stop("an mbarrier that was not initialized");
    return state;
}

static void complete_if_done(struct mbarrier *state)
{
    if (!state->armed || state->missing != 0)
        return;
    state->armed = 0;
    state->phase ^= 1;
    emulated_go_on(EMULATED_MBARRIER, state);
}

void emulated_mbar_init(uint64_t *barrier)
{
    struct mbarrier state = {};

    state.magic = INITIALIZED;
    memcpy(barrier, &state, sizeof state);
}

void emulated_mbar_expect_tx(uint64_t *barrier, unsigned bytes)
{
    struct mbarrier *state = initialized(barrier);

    if (state->armed)
        emulated_stop("a phase of an mbarrier is armed twice");
    state->armed = 1;
    state->missing += (int32_t)bytes;
    complete_if_done(state);
}

template <class Words> static void store(Words *to, Words words, uint64_t *barrier, uint32_t code)
{
    struct mbarrier *state = initialized(barrier);
    int rank = block_of(to);

    if (rank < 0 || rank != block_of(barrier))
        emulated_stop("data and its mbarrier are not in the same block's dynamic shared memory");
    must_live(rank);
    watch_access(to, sizeof words, WATCH_WRITE, code);
    watch_release(barrier);
    *to = words;
    state->missing -= (int32_t)sizeof words;
    complete_if_done(state);
}

void emulated_dsmem_store_async(uint4 *to, uint4 words, uint64_t *barrier)
{
    store(to, words, barrier, WATCH_CALLER);
}
void emulated_dsmem_store_async(uint32_t *to, uint32_t word, uint64_t *barrier)
{
    store(to, word, barrier, WATCH_CALLER);
}

void emulated_mbar_await(uint64_t *barrier, unsigned phase, const char *file, int line)
{
    if (block_of(barrier) != emulated_rank)
        emulated_stop("%s:%d: a thread waits for another block's mbarrier", file, line);
    if (initialized(barrier)->phase == (phase & 1))
        emulated_wait_for(EMULATED_MBARRIER, barrier, file, line);
    watch_acquire(barrier);
}
