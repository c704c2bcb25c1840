/* SPDX-License-Identifier: MIT */
/* Kernels with one fault each. None of them comes back. */
#include "tests/emulator/fixture.cuh"

#include <string.h>

/* --- memory ----------------------------------------------------------------------------------- */

static __global__ void write_at(int *to, int at) { to[at] = 1; }

static const char *global(int at)
{
    numbers ten(10);

    EXPECT_OK(launch(write_at, dim3(1), dim3(1), 0, ten.d, at));
    return "a write outside of global memory went by";
}

static const char *global_over() { return global(10); }
static const char *global_under() { return global(-1); }

static const char *freed()
{
    int *d = NULL;

    EXPECT_OK(cudaMalloc(&d, 40));
    EXPECT_OK(cudaFree(d));
    EXPECT_OK(launch(write_at, dim3(1), dim3(1), 0, d, 0));
    return "a write to freed memory went by";
}

static const char *host_reads()
{
    numbers ten(10);

    cudaMemset(ten.d, 0, 40);
    return ten.d[3] == 0 ? "a read of device memory by the host went by" : "and gave nonsense";
}

/* With CALAB_EMULATED_DEVICES=2. */
static const char *other_device()
{
    numbers ten(10);

    EXPECT_OK(cudaSetDevice(1));
    EXPECT_OK(launch(write_at, dim3(1), dim3(1), 0, ten.d, 0));
    return "a write to another device's memory went by";
}

static __global__ void shared_kernel(int at, int varying_at)
{
    __shared__ int fixed[8];
    __shared__ int neighbour;
    extern __shared__ int varying[];
    int *first = fixed;

    neighbour = 0;
    first[at] = neighbour;
    varying[varying_at] = 1;
}

static const char *shared(int at, int varying_at)
{
    EXPECT_OK(launch(shared_kernel, dim3(1), dim3(1), 9 * sizeof(int), at, varying_at));
    return "a write outside of shared memory went by";
}

static const char *shared_over() { return shared(8, 0); }
static const char *shared_under() { return shared(-1, 0); }
static const char *dynamic_over() { return shared(0, 9); }
static const char *dynamic_under() { return shared(0, -1); }

/* Within the array, but not within its row. */
static __global__ void row_kernel(int column)
{
    __shared__ int tile[4][8];

    tile[1][column] = 1;
}

static const char *row_over()
{
    EXPECT_OK(launch(row_kernel, dim3(1), dim3(1), 0, 8));
    return "a column beyond a row went by";
}

static __global__ void align_kernel(const int *from, int *to)
{
    *to = ((const int4 *)(from + 1))->x;
}

static const char *misaligned()
{
    numbers ten(10);

    EXPECT_OK(launch(align_kernel, dim3(1), dim3(1), 0, ten.d, ten.d));
    return "a misaligned read went by";
}

static __global__ void much_kernel()
{
    __shared__ char much[49153];

    much[0] = 0;
}

static const char *much_shared()
{
    EXPECT_OK(launch(much_kernel, dim3(1), dim3(1), 0));
    return "49153 bytes of shared memory went by";
}

static __global__ void early_kernel(int *out, bool waits)
{
    if (waits)
        cudaGridDependencySynchronize();
    if (threadIdx.x == 0)
        *out = 1;
}

static const char *early(bool waits)
{
    struct cudaLaunchAttribute attribute = {};
    struct cudaLaunchConfig_t config = {};
    numbers one(1);

    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(2);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    EXPECT_OK(cudaLaunchKernelEx(&config, early_kernel, one.d, waits));
    EXPECT_OK(cudaDeviceSynchronize());
    return NULL;
}

static const char *early_alone()
{
    const char *fault = early(true);

    return fault ? fault : early(false) ? "failed" : "a kernel that does not wait went by";
}

static __device__ int deep(int n)
{
    volatile char room[1000];

    room[n % 1000] = (char)n;
    return n == 0 ? 0 : deep(n - 1) + room[n % 1000];
}

static __global__ void deep_kernel(int *out, int n) { *out = deep(n); }

static const char *stack()
{
    numbers one(1);

    EXPECT_OK(launch(deep_kernel, dim3(1), dim3(1), 0, one.d, 1000000));
    return "a gigabyte of stack went by";
}

/* --- waiting ---------------------------------------------------------------------------------- */

enum fault {
    ENDED,
    OTHER_BARRIER,
    BARRIER_AND_WARP,
    LANE_ENDED,
    LANE_AT_BARRIER,
    OTHER_MASK,
    NOT_IN
};

static __global__ void wait_kernel(enum fault fault)
{
    const unsigned all = 0xffffffff;
    bool odd_one = threadIdx.x == 37;

    switch (fault) {
    case ENDED:
        if (odd_one)
            return;
        __syncthreads();
        break;
    case OTHER_BARRIER:
        if (odd_one)
            __syncthreads();
        else
            __syncthreads();
        break;
    case BARRIER_AND_WARP:
        if (threadIdx.x >= 32)
            __syncthreads();
        __syncwarp();
        break;
    case LANE_ENDED:
        if (odd_one)
            return;
        __shfl_sync(all, 1, 0);
        break;
    case LANE_AT_BARRIER:
        if (!odd_one)
            __ballot_sync(all, 1);
        __syncthreads();
        break;
    case OTHER_MASK:
        __any_sync(odd_one ? 1u << 5 | 1 : all, 1);
        break;
    case NOT_IN:
        __syncwarp(odd_one ? 1 : all);
        break;
    }
}

template <enum fault FAULT> static const char *waits()
{
    EXPECT_OK(launch(wait_kernel, dim3(2), dim3(64), 0, FAULT));
    return "threads that wait for ever went by";
}

const struct fixture fault_fixtures[] = {
    {"global-over", global_over},
    {"global-under", global_under},
    {"freed", freed},
    {"host-reads", host_reads},
    {"other-device", other_device},
    {"shared-over", shared_over},
    {"shared-under", shared_under},
    {"dynamic-over", dynamic_over},
    {"dynamic-under", dynamic_under},
    {"row-over", row_over},
    {"misaligned", misaligned},
    {"much-shared", much_shared},
    {"early", early_alone},
    {"stack", stack},
    {"ended", waits<ENDED>},
    {"other-barrier", waits<OTHER_BARRIER>},
    {"barrier-and-warp", waits<BARRIER_AND_WARP>},
    {"lane-ended", waits<LANE_ENDED>},
    {"lane-at-barrier", waits<LANE_AT_BARRIER>},
    {"other-mask", waits<OTHER_MASK>},
    {"not-in-mask", waits<NOT_IN>},
    {NULL, NULL},
};
