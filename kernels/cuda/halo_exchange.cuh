/* SPDX-License-Identifier: MIT */
/*
 * The halo exchange of the cuda-persistent kernels: the blocks of a cluster divide a lattice along
 * one axis, and each stores its outer rows or layers into the shared memory of the blocks before
 * and behind it. A model says which words go where, and when; the protocol is this one:
 *
 *     block                                        its neighbour
 *     halo_begin, cluster_sync                     the same: both buffers are armed
 *     exchange 0:  halo_send to buffer 0   --->    bytes arrive there and are counted
 *                  halo_wait on buffer 0   <---    halo_send to buffer 0
 *                  read buffer 0, arm it again
 *     exchange 1:  the same with buffer 1
 *     exchange 2:  buffer 0, and so on
 *
 * Buffers. Exchange e uses buffer e mod 2. For each side a block has an mbarrier a buffer, which
 * counts the bytes of that side's halo.
 *
 * Phases. Exchange e is phase e / 2 of its buffer's barriers, and a phase completes when the
 * barrier was armed (halo_arm) and as many bytes have arrived as it was armed for. One thread arms
 * a barrier: for the first two exchanges before the cluster_sync that precedes every store, then
 * for exchange e + 2 once it has waited for exchange e.
 *
 * Two buffers are enough. A block sends what belongs to exchange e + 1 after it has waited for
 * exchange e, and exchange e + 2 after e + 1. So when bytes of exchange e + 2 arrive, their sender
 * has received all of this block's exchange e + 1, which this block sent after its own wait for e:
 * phase e is complete, and no byte can arrive for a wrong phase. They may come before the barrier
 * is armed for them, but the phase does not complete before it is. Nor do they overwrite a halo
 * that is still read, if the threads that read the halo of a side send to that side themselves
 * after having read, or pass a barrier of the block before others send.
 *
 * Waiting. All lanes of a warp wait together (halo_wait): a lane two phases late would take the
 * barrier for one that has not completed, and wait for ever. Every halo that is sent is waited for,
 * so that a block that ends receives no more stores, without a cluster_sync at the end.
 */
#ifndef CALAB_KERNELS_CUDA_HALO_EXCHANGE_CUH
#define CALAB_KERNELS_CUDA_HALO_EXCHANGE_CUH

#include "kernels/cuda/cluster.cuh"

#define HALO_BUFFERS 2

/* Which neighbour: the block before or behind on the axis. */
enum { HALO_BEFORE, HALO_BEHIND, HALO_SIDES };

/* In shared memory, one for each buffer and side: it counts what arrives from there. */
struct halo_barrier {
    uint64_t mbar;
};

/* A block receives from the opposite side what its neighbour sends to a side. */
static __device__ __forceinline__ int halo_opposite(int side) { return 1 - side; }

/* Whether a block is followed on that side by another of the cluster, and which one it is. */
static __device__ __forceinline__ bool halo_has_next(int side)
{
    return side == HALO_BEFORE ? blockIdx.x > 0 : blockIdx.x + 1 < gridDim.x;
}

static __device__ __forceinline__ int halo_next(int side)
{
    return (int)blockIdx.x + (side == HALO_BEFORE ? -1 : 1);
}

/* The same at the ends too: in a torus the block at the other end, else -1 for none. */
static __device__ __forceinline__ int halo_neighbour(int side, bool torus)
{
    int block = (int)blockIdx.x, blocks = (int)gridDim.x;

    if (side == HALO_BEFORE)
        return block > 0 ? block - 1 : torus ? blocks - 1 : -1;
    return block + 1 < blocks ? block + 1 : torus ? 0 : -1;
}

/* The phase of an exchange; exchanges are counted from 0. */
static __device__ __forceinline__ uint32_t halo_phase(int exchange)
{
    return (uint32_t)(exchange / HALO_BUFFERS & 1);
}

/* The phase before the first, which is over from the start: of a barrier that is never armed, for
 * warps that wait for neither side but run the same instructions. */
#define HALO_PHASE_OVER 1

/* Expects the bytes of one more exchange; `_if`: where `active` is true, without a branch. */
static __device__ __forceinline__ void halo_arm(struct halo_barrier *barrier, uint32_t bytes)
{
    mbar_expect_tx(&barrier->mbar, bytes);
}

static __device__ __forceinline__ void halo_arm_if(bool active, struct halo_barrier *barrier,
                                                   uint32_t bytes)
{
    mbar_expect_tx_if(active, &barrier->mbar, bytes);
}

/* Before the cluster_sync at the start, by the thread that arms the barrier later, too. */
static __device__ __forceinline__ void halo_begin(struct halo_barrier *barrier, uint32_t bytes)
{
    mbar_init(&barrier->mbar);
    halo_arm(barrier, bytes);
}

/* For the phase HALO_PHASE_OVER. */
static __device__ __forceinline__ void halo_begin_unused(struct halo_barrier *barrier)
{
    mbar_init(&barrier->mbar);
}

/* Stores four or sixteen bytes in a neighbour's shared memory. `to` and `barrier` are addresses
 * there (cluster_map_shared), the barrier that of the opposite side. */
template <class Words>
static __device__ __forceinline__ void halo_send(Words *to, Words words,
                                                 struct halo_barrier *barrier)
{
    dsmem_store_async(to, words, &barrier->mbar);
}

static __device__ __forceinline__ void halo_send_if(bool active, uint32_t *to, uint32_t word,
                                                    struct halo_barrier *barrier)
{
    dsmem_store_async_if(active, to, word, &barrier->mbar);
}

/* By all lanes of a warp. */
static __device__ __forceinline__ void halo_wait(struct halo_barrier *barrier, uint32_t phase)
{
    mbar_wait(&barrier->mbar, phase);
    __syncwarp();
}

#endif
