/* SPDX-License-Identifier: MIT */
/* Kernels without a fault: indices, barriers, warps, shared memory, intrinsics. */
#include "tests/emulator/fixture.cuh"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- indices and order ------------------------------------------------------------------------ */

static __global__ void count_visits(int *visits)
{
    int block = (int)((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
    int thread = (int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);

    visits[block * (int)(blockDim.x * blockDim.y * blockDim.z) + thread]++;
}

static const char *indices()
{
    numbers visits(5 * 3 * 2 * 7 * 4 * 3);

    cudaMemset(visits.d, 0, (size_t)visits.count * sizeof(int));
    EXPECT_OK(launch(count_visits, dim3(5, 3, 2), dim3(7, 4, 3), 0, visits.d));
    for (int i = 0; i < visits.count; i++)
        EXPECT(visits[i] == 1);
    return NULL;
}

/* Each thread of each block leaves its number; the last that runs is seen. */
static __global__ void leave_number(int *last)
{
    *last = (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static const char *order()
{
    static char text[16];
    numbers last(1);

    EXPECT_OK(launch(leave_number, dim3(10), dim3(50), 0, last.d));
    snprintf(text, sizeof text, "%d", last[0]);
    return text;
}

/* Reads what a neighbour writes, without a barrier between: wrong, and right in some orders. */
static __global__ void race_kernel(int *out)
{
    __shared__ int line[64];

    line[threadIdx.x] = (int)threadIdx.x;
    out[threadIdx.x] = line[(threadIdx.x + 63) % 64];
}

static const char *race()
{
    numbers out(64);

    EXPECT_OK(launch(race_kernel, dim3(1), dim3(64), 0, out.d));
    for (int i = 1; i < 64; i++)
        EXPECT(out[i] == i - 1);
    return NULL;
}

/* --- shared memory ---------------------------------------------------------------------------- */

static __global__ void reduce(const int *in, int *out, int n)
{
    __shared__ int tile[256];
    extern __shared__ int ones[];
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), sum;

    tile[threadIdx.x] = i < n ? in[i] : 0;
    ones[threadIdx.x] = 1;
    __syncthreads();
    for (unsigned s = 128; s >= 32; s /= 2) {
        if (threadIdx.x < s)
            tile[threadIdx.x] += tile[threadIdx.x + s];
        __syncthreads();
    }
    sum = tile[threadIdx.x % 32];
    for (unsigned s = 16; s > 0; s /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, s);
    if (threadIdx.x == 0)
        atomicAdd(out, sum + ones[255] - 1);
}

static const char *sum()
{
    numbers in(1000), out(1);
    int values[1000];

    for (int i = 0; i < 1000; i++)
        values[i] = i;
    EXPECT_OK(cudaMemcpy(in.d, values, sizeof values, cudaMemcpyHostToDevice));
    EXPECT_OK(cudaMemset(out.d, 0, sizeof(int)));
    EXPECT_OK(launch(reduce, dim3(4), dim3(256), 256 * sizeof(int), in.d, out.d, 1000));
    EXPECT(out[0] == 1000 * 999 / 2);
    return NULL;
}

/* What a block finds in shared memory that it did not write, and then writes. */
template <class T, int COUNT> static __global__ void find(int *found)
{
    __shared__ T fixed[COUNT];
    extern __shared__ unsigned char varying[];

    found[2 * blockIdx.x] = ((unsigned char *)fixed)[COUNT * sizeof(T) - 1];
    found[2 * blockIdx.x + 1] = varying[99];
    fixed[COUNT - 1] = 1;
    varying[99] = 1;
}

static const char *poison()
{
    numbers found(20), fresh(1);

    int complements = 0;

    EXPECT(fresh[0] == (int)0xa5a5a5a5);
    for (int round = 0; round < 2; round++) {
        EXPECT_OK(launch(round ? find<int, 3> : find<double, 50>, dim3(10), dim3(1), 100, found.d));
        for (int i = 0; i < 20; i += 2) {
            EXPECT(found[i] == 0xa5 || found[i] == 0x5a);
            EXPECT(found[i + 1] == found[i]);
            complements += found[i] == 0x5a;
        }
    }
    EXPECT(complements == 10);
    return NULL;
}

/* 100 KB of dynamic memory, to its last byte. */
static __global__ void fill_shared(int *out, int bytes)
{
    extern __shared__ __align__(16) unsigned char all[];

    for (int i = (int)threadIdx.x; i < bytes; i += (int)blockDim.x)
        all[i] = (unsigned char)i;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = all[bytes - 1];
}

static const char *large_shared()
{
    const int bytes = 100 << 10;
    numbers out(1);

    EXPECT(launch(fill_shared, dim3(1), dim3(64), bytes, out.d, bytes) == cudaErrorInvalidValue);
    EXPECT_OK(
        cudaFuncSetAttribute(fill_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    EXPECT_OK(launch(fill_shared, dim3(1), dim3(64), bytes, out.d, bytes));
    EXPECT(out[0] == ((bytes - 1) & 255));
    EXPECT(cudaFuncSetAttribute(fill_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (227 << 10) + 1) == cudaErrorInvalidValue);
    return NULL;
}

/* --- waiting for others ----------------------------------------------------------------------- */

/* 40 threads: the second warp has 8 lanes, whom a full mask does not wait for. */
static __global__ void vote(int *wrong)
{
    int i = (int)threadIdx.x, lane = i % 32, warp = i / 32;
    unsigned there = warp ? 0xff : 0xffffffff;
    unsigned odd = __ballot_sync(0xffffffff, i & 1);

    if (odd != (0xaaaaaaaa & there))
        atomicAdd(wrong, 1);
    if (!__any_sync(0xffffffff, lane == 7) || __any_sync(0xffffffff, lane == 32))
        atomicAdd(wrong, 1);
    if (!__all_sync(0xffffffff, lane < 32) || __all_sync(0xffffffff, lane < 7))
        atomicAdd(wrong, 1);
    if (__syncthreads_count(i >= 5) != 35 || !__syncthreads_or(i == 39) || __syncthreads_or(0))
        atomicAdd(wrong, 1);
    if (__syncthreads_and(i < 39) || !__syncthreads_and(i < 40))
        atomicAdd(wrong, 1);
    if (__activemask() != there)
        atomicAdd(wrong, 1);
    __syncwarp();
    if (lane < 8) {
        if (__reduce_add_sync(0xff, (unsigned)lane) != 28 ||
            __reduce_max_sync(0xff, i) != 32 * warp + 7)
            atomicAdd(wrong, 1);
        if (__match_any_sync(0xff, lane / 4) != (lane < 4 ? 0xf : 0xf0))
            atomicAdd(wrong, 1);
    }
}

static const char *votes()
{
    numbers wrong(1);

    cudaMemset(wrong.d, 0, sizeof(int));
    EXPECT_OK(launch(vote, dim3(2), dim3(40), 0, wrong.d));
    EXPECT(wrong[0] == 0);
    return NULL;
}

/* Two halves of a warp go different ways and come together again. */
static __global__ void shuffle(int *wrong)
{
    int lane = (int)threadIdx.x % 32;
    unsigned half = lane < 16 ? 0xffff : 0xffff0000;
    long long wide = __shfl_sync(0xffffffff, (long long)lane << 40, 31 - lane);
    float real = __shfl_xor_sync(0xffffffff, (float)lane, 1);

    if (wide != (long long)(31 - lane) << 40 || real != (float)(lane ^ 1))
        atomicAdd(wrong, 1);
    if (__shfl_up_sync(0xffffffff, lane, 1) != (lane ? lane - 1 : 0))
        atomicAdd(wrong, 1);
    if (__shfl_down_sync(0xffffffff, lane, 3, 8) != (lane % 8 < 5 ? lane + 3 : lane))
        atomicAdd(wrong, 1);
    if (__shfl_sync(0xffffffff, lane, 2, 8) != lane / 8 * 8 + 2)
        atomicAdd(wrong, 1);
    if (lane < 16) {
        for (int i = 0; i < 3; i++)
            if (__shfl_xor_sync(half, lane, 15) != 15 - lane)
                atomicAdd(wrong, 1);
    } else {
        __syncwarp(half);
        if (__shfl_sync(half, lane, 20) != 20)
            atomicAdd(wrong, 1);
    }
    __syncthreads();
    if (__ballot_sync(half, lane == 3 || lane == 17) != (lane < 16 ? 1u << 3 : 1u << 17))
        atomicAdd(wrong, 1);
    /* A lane that takes no part holds poison. */
    if (lane < 16 && __shfl_sync(half, lane, 30) != (int)0xa5a5a5a5)
        atomicAdd(wrong, 1);
}

static const char *shuffles()
{
    numbers wrong(1);

    cudaMemset(wrong.d, 0, sizeof(int));
    EXPECT_OK(launch(shuffle, dim3(2), dim3(1024), 0, wrong.d));
    EXPECT(wrong[0] == 0);
    return NULL;
}

/* --- functions of a single thread ------------------------------------------------------------- */

static const char *bits()
{
    unsigned low = 0x89abcdef, high = 0x01234567;

    EXPECT(__popc(0xf0f0) == 8 && __popcll(~0ull) == 64);
    EXPECT(__clz(1) == 31 && __clz(0) == 32 && __ffs(0) == 0 && __ffs(8) == 4);
    EXPECT(__brev(1) == 0x80000000 && __brevll(1) == 1ull << 63);
    EXPECT(__funnelshift_l(low, high, 8) == 0x23456789 && __funnelshift_l(low, high, 32) == high);
    EXPECT(__funnelshift_r(low, high, 8) == 0x6789abcd && __funnelshift_r(low, high, 32) == low);
    EXPECT(__funnelshift_lc(low, high, 40) == low && __funnelshift_rc(low, high, 40) == high);
    EXPECT(__umulhi(0x80000000, 6) == 3 && __byte_perm(low, high, 0x7140) == 0x01cd67ef);
    EXPECT(__byte_perm(0x80, 0, 0x8888) == 0xffffffff);
    EXPECT(min(3, 5u) == 3 && max(-1, 2) == 2 && max(1ll << 40, 2) == 1ll << 40);
    EXPECT(min(NAN, 2.0f) == 2.0f && signbit(min(0.0f, -0.0f)) && !signbit(max(0.0f, -0.0f)));
    EXPECT(__uint_as_float(0x3f800000) == 1 && __float_as_uint(-0.0f) == 0x80000000);
    EXPECT(__fmaf_rn(1 + 0x1p-12f, 1 + 0x1p-12f, -1) == 0x1p-11f + 0x1p-24f);
    return NULL;
}

static const char *atomics()
{
    unsigned u = 5;
    int i = 0x7fffffff;
    float f = 1;

    EXPECT(atomicAdd(&u, 3) == 5 && u == 8);
    EXPECT(atomicAdd(&i, 1) == 0x7fffffff && i == (int)0x80000000);
    EXPECT(atomicAdd(&f, 2) == 1 && f == 3);
    EXPECT(atomicOr(&u, 1) == 8 && atomicAnd(&u, 1) == 9 && atomicXor(&u, 3) == 1 && u == 2);
    EXPECT(atomicMax(&u, 7) == 2 && atomicMin(&u, 6) == 7 && u == 6);
    EXPECT(atomicExch(&u, 1) == 6 && atomicCAS(&u, 2, 9) == 1 && atomicCAS(&u, 1, 9) == 1 &&
           u == 9);
    return NULL;
}

const struct fixture thread_fixtures[] = {
    {"indices", indices}, {"order", order},       {"race", race},
    {"sum", sum},         {"poison", poison},     {"large-shared", large_shared},
    {"votes", votes},     {"shuffles", shuffles}, {"bits", bits},
    {"atomics", atomics}, {NULL, NULL},
};

const char *fixture_run(const char *name)
{
    for (const struct fixture *table :
         {thread_fixtures, host_fixtures, fault_fixtures, cluster_fixtures, occupancy_fixtures})
        for (const struct fixture *one = table; one->name; one++)
            if (strcmp(one->name, name) == 0)
                return one->run();
    return "there is no such fixture";
}
