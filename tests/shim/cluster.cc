/* SPDX-License-Identifier: MIT */
/* Owns what blocks of a cluster have together: a barrier, each other's dynamic shared memory, and
 * boxes that count what was sent there. */
#include "tests/shim/block.h"

#include <string.h>

#include "tests/shim/threads.h"

/* --- the barrier ------------------------------------------------------------------------------ */

static struct {
    uint64_t block; /* whose barrier it is: anew for each cluster */
    int arrived;
    unsigned phase;
    unsigned phases[SHIM_THREADS_MAX * SHIM_CLUSTER_MAX]; /* that each thread has arrived at */
} barrier;

static int cluster_threads()
{
    const struct shim_launch *launch = shim_running();

    return launch->cluster * shim_threads();
}

void shim_cluster_arrive(const char *file, int line)
{
    if (barrier.block != shim_block)
        memset(&barrier, 0, sizeof barrier);
    barrier.block = shim_block;
    if (barrier.phases[shim_thread()]++ > barrier.phase)
        shim_stop("%s:%d: a thread arrives a second time and did not wait", file, line);
    if (++barrier.arrived < cluster_threads())
        return;
    barrier.arrived = 0;
    barrier.phase++;
    shim_go_on(SHIM_CLUSTER, &barrier);
}

void shim_cluster_wait(const char *file, int line)
{
    if (barrier.block != shim_block || barrier.phases[shim_thread()] == 0)
        shim_stop("%s:%d: a thread waits that did not arrive", file, line);
    if (barrier.phases[shim_thread()] > barrier.phase)
        shim_wait_for(SHIM_CLUSTER, &barrier, file, line);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The block in whose dynamic memory a place is; -1: in none. */
static int block_of(const void *shared)
{
    const struct shim_launch *launch = shim_running();

    for (int i = 0; i < launch->cluster; i++) {
        const char *from = (const char *)launch->dynamic[i];

        if ((const char *)shared >= from && (const char *)shared < from + launch->dynamic_bytes)
            return i;
    }
    return -1;
}

static void must_live(int rank)
{
    if (shim_block_ended(rank))
        shim_stop("shared memory of block %d of the cluster, which has ended", rank);
}

void *shim_cluster_map(const void *shared, unsigned rank)
{
    const struct shim_launch *launch = shim_running();

    if (rank >= (unsigned)launch->cluster)
        shim_stop("block %u of a cluster of %d", rank, launch->cluster);
    if (block_of(shared) != shim_rank)
        shim_stop("what is not in the block's dynamic shared memory has no place in another's");
    must_live((int)rank);
    return (char *)launch->dynamic[rank] +
           ((const char *)shared - (const char *)launch->dynamic[shim_rank]);
}

/* --- mail ------------------------------------------------------------------------------------- */

#define OPEN 0x6d61696c /* what poison is not */

/* What the 64 bits of a box hold here. */
struct box {
    uint32_t open : 31, phase : 1;
    int32_t missing : 31; /* bytes that are expected and did not come, or less than 0 */
    uint32_t said : 1;    /* how many are expected */
};

static_assert(sizeof(struct box) == sizeof(uint64_t), "a box is an mbarrier");

static struct box *opened(uint64_t *box)
{
    struct box *own = (struct box *)box;

    if (own->open != OPEN)
        shim_stop("a box for mail that was not opened");
    return own;
}

static void look(struct box *own)
{
    if (!own->said || own->missing != 0)
        return;
    own->said = 0;
    own->phase ^= 1;
    shim_go_on(SHIM_MAIL, own);
}

void shim_mbar_init(uint64_t *box)
{
    struct box own = {};

    own.open = OPEN;
    memcpy(box, &own, sizeof own);
}

void shim_mbar_expect_tx(uint64_t *box, unsigned bytes)
{
    struct box *own = opened(box);

    if (own->said)
        shim_stop("a phase of a box for mail is expected twice");
    own->said = 1;
    own->missing += (int32_t)bytes;
    look(own);
}

template <class Words> static void send(Words *to, Words words, uint64_t *box)
{
    struct box *own = opened(box);
    int rank = block_of(to);

    if (rank < 0 || rank != block_of(box))
        shim_stop("mail and its box are not in the same block's dynamic shared memory");
    must_live(rank);
    *to = words;
    own->missing -= (int32_t)sizeof words;
    look(own);
}

void shim_dsmem_store_async(uint4 *to, uint4 words, uint64_t *box) { send(to, words, box); }
void shim_dsmem_store_async(uint32_t *to, uint32_t word, uint64_t *box) { send(to, word, box); }

void shim_mbar_await(uint64_t *box, unsigned phase, const char *file, int line)
{
    if (block_of(box) != shim_rank)
        shim_stop("%s:%d: a thread waits for another block's mail", file, line);
    if (opened(box)->phase == (phase & 1))
        shim_wait_for(SHIM_MAIL, box, file, line);
}
