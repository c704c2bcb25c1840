/* SPDX-License-Identifier: MIT */
/* Kernels of clusters: blocks that write to each other, right ones and ones with a fault. */
#include "tests/emulator/fixture.cuh"

#include <stdio.h>

template <class... Params, class... Args>
static cudaError_t launch_cluster(void (*kernel)(Params...), unsigned blocks, dim3 grid, dim3 block,
                                  size_t shared, Args... args)
{
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};
    cudaError_t error;

    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {blocks, 1, 1};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.attrs = &cluster;
    config.numAttrs = 1;
    error = cudaLaunchKernelEx(&config, kernel, (Params)args...);
    if (error == cudaSuccess)
        cudaDeviceSynchronize();
    return error;
}

/* --- right ------------------------------------------------------------------------------------ */

/* Each block leaves its number with the next one of its cluster; 40 threads, two warps. */
static __global__ void pass_on(int *out, int blocks)
{
    extern __shared__ int got[];
    __shared__ int own;
    __shared__ int sum;
    int rank = (int)blockIdx.x % blocks, thread = (int)threadIdx.x;
    int *next = (int *)__cluster_map_shared_rank(got, (unsigned)((rank + 1) % blocks));

    if (thread == 0)
        own = (int)(100 * blockIdx.x), sum = 0;
    __syncthreads();
    next[thread] = own + thread;
    atomicAdd(&sum, __popc(__ballot_sync(0xffffffff, 1)));
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    out[(int)(blockIdx.x * blockDim.x) + thread] = got[thread] + (sum == 32 * 32 + 8 * 8 ? 0 : 1);
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}

static const char *clusters()
{
    const int blocks = 3, threads = 40, grid = 6;
    numbers out(grid * threads);

    EXPECT_OK(launch_cluster(pass_on, blocks, dim3(grid), dim3(threads), threads * sizeof(int),
                             out.d, blocks));
    EXPECT_OK(cudaDeviceSynchronize());
    for (int i = 0; i < grid; i++)
        for (int thread = 0; thread < threads; thread++)
            EXPECT(out[i * threads + thread] ==
                   100 * (i / blocks * blocks + (i + blocks - 1) % blocks) + thread);
    return NULL;
}

/* In each round, each block stores its count in the next block's shared memory. */
static __global__ void count_round(int *out, int blocks, int rounds)
{
    extern __shared__ uint4 got[];
    uint64_t *barrier = (uint64_t *)(got + 32);
    uint32_t *got_word = (uint32_t *)(got + 33);
    unsigned next = (unsigned)((int)blockIdx.x + 1) % (unsigned)blocks, bytes = 32 * (16 + 4);
    uint4 words = make_uint4(blockIdx.x, threadIdx.x, 0, 0);

    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++) {
            emulated_mbar_init(&barrier[i]);
            emulated_mbar_expect_tx(&barrier[i], bytes);
        }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    for (int round = 0; round < rounds; round++) {
        emulated_dsmem_store_async(
            (uint4 *)__cluster_map_shared_rank(got, next) + threadIdx.x, words,
            (uint64_t *)__cluster_map_shared_rank(&barrier[round % 2], next));
        emulated_dsmem_store_async(
            (uint32_t *)__cluster_map_shared_rank(got_word, next) + threadIdx.x, words.z,
            (uint64_t *)__cluster_map_shared_rank(&barrier[round % 2], next));
        emulated_mbar_wait(&barrier[round % 2], round / 2 & 1);
        if (threadIdx.x == 0)
            emulated_mbar_expect_tx(&barrier[round % 2], bytes);
        words = got[threadIdx.x];
        words.z = got_word[threadIdx.x] + 1;
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = (int)(1000 * words.z + 100 * words.x + words.y);
}

static const char *mbarriers()
{
    const int blocks = 5, rounds = 7;
    numbers out(blocks * 32);

    EXPECT_OK(launch_cluster(count_round, blocks, dim3(blocks), dim3(32), 41 * sizeof(uint4), out.d,
                             blocks, rounds));
    for (int i = 0; i < blocks; i++)
        for (int thread = 0; thread < 32; thread++)
            EXPECT(out[32 * i + thread] ==
                   1000 * rounds + 100 * ((i + 5 * rounds - rounds) % blocks) + thread);
    return NULL;
}

static __global__ void nothing() {}

static const char *cluster_limits()
{
    const auto allowed = cudaFuncAttributeNonPortableClusterSizeAllowed;

    EXPECT_OK(launch_cluster(nothing, 8, dim3(16), dim3(1), 0));
    EXPECT(launch_cluster(nothing, 8, dim3(12), dim3(1), 0) == cudaErrorInvalidClusterSize);
    EXPECT(launch_cluster(nothing, 9, dim3(9), dim3(1), 0) == cudaErrorInvalidClusterSize);
    EXPECT_OK(cudaFuncSetAttribute(nothing, allowed, 1));
    EXPECT_OK(launch_cluster(nothing, 16, dim3(16), dim3(1), 0));
    EXPECT(launch_cluster(nothing, 17, dim3(17), dim3(1), 0) == cudaErrorInvalidClusterSize);
    return NULL;
}

/* --- wrong ------------------------------------------------------------------------------------ */

enum fault { NOT_REACHED, TWICE, NOT_ARRIVED, OTHER_ENDED, NO_SUCH_BLOCK, OVER, NOT_OPENED, LOST };

static __global__ void fault_kernel(enum fault fault)
{
    extern __shared__ uint4 got[];
    uint64_t *barrier = (uint64_t *)(got + 32);
    unsigned other = 1 - blockIdx.x;
    uint4 *there = got;

    if (fault == NOT_REACHED && blockIdx.x == 1 && threadIdx.x == 7)
        return;
    if (fault == LOST && threadIdx.x == 0) {
        emulated_mbar_init(barrier);
        emulated_mbar_expect_tx(barrier, 33 * sizeof(uint4));
    }
    if (fault != NOT_ARRIVED)
        __cluster_barrier_arrive();
    if (fault == TWICE)
        __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (fault == OTHER_ENDED && blockIdx.x == 1)
        return;
    if (fault == OTHER_ENDED)
        __syncthreads();
    there = (uint4 *)__cluster_map_shared_rank(got, fault == NO_SUCH_BLOCK ? 2 : other);
    if (fault == OVER)
        there[33] = {};
    emulated_dsmem_store_async(&there[threadIdx.x], {}, (uint64_t *)(there + 32));
    emulated_mbar_wait(barrier, 0);
}

template <enum fault FAULT> static const char *faulty()
{
    EXPECT_OK(launch_cluster(fault_kernel, 2, dim3(2), dim3(32), 33 * sizeof(uint4), FAULT));
    return "a fault of a cluster went by";
}

const struct fixture cluster_fixtures[] = {
    {"clusters", clusters},
    {"mbarriers", mbarriers},
    {"cluster-limits", cluster_limits},
    {"not-reached", faulty<NOT_REACHED>},
    {"arrived-twice", faulty<TWICE>},
    {"not-arrived", faulty<NOT_ARRIVED>},
    {"other-ended", faulty<OTHER_ENDED>},
    {"no-such-block", faulty<NO_SUCH_BLOCK>},
    {"other-over", faulty<OVER>},
    {"not-opened", faulty<NOT_OPENED>},
    {"bytes-lost", faulty<LOST>},
    {NULL, NULL},
};
