/* SPDX-License-Identifier: MIT */
/* The host's side without a fault: memory, copies, streams, events, launch limits, lost devices. */
#include "tests/emulator/fixture.cuh"

#include <string.h>

static __constant__ int table[4] = {1, 2, 3, 4};

static __global__ void nothing() {}
static __global__ void write_table(int *out) { out[threadIdx.x] = table[threadIdx.x]; }
static __global__ void trap_second()
{
    if (threadIdx.x == 1)
        __trap();
    __syncthreads();
}

static size_t free_bytes()
{
    size_t free = 0, all = 0;

    cudaMemGetInfo(&free, &all);
    return free;
}

/* With CALAB_EMULATED_MEMORY=1000. */
static const char *memory()
{
    char *a = NULL, *b = NULL, *pinned = NULL;

    EXPECT(free_bytes() == 1000);
    EXPECT_OK(cudaMalloc(&a, 600));
    EXPECT(free_bytes() == 400);
    EXPECT(cudaMalloc(&b, 401) == cudaErrorMemoryAllocation && b == NULL);
    EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaSuccess);
    EXPECT_OK(cudaMalloc(&b, 400));
    EXPECT_OK(cudaMallocHost(&pinned, 5000));
    EXPECT(cudaFree(pinned) == cudaErrorInvalidValue && cudaFree(a + 1) == cudaErrorInvalidValue);
    EXPECT_OK(cudaFreeHost(pinned));
    EXPECT_OK(cudaFree(a));
    EXPECT(cudaFree(a) == cudaErrorInvalidValue);
    EXPECT_OK(cudaFree(NULL));
    EXPECT_OK(cudaFree(b));
    EXPECT(free_bytes() == 1000);
    return NULL;
}

static const char *copies()
{
    unsigned char *d = NULL, h[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, back[12] = {0};

    EXPECT_OK(cudaMalloc(&d, 13));
    EXPECT(cudaMemcpy(d, h, 14, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(h, h + 6, 6, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(h, d, 12, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemset(h, 0, 12) == cudaErrorInvalidValue);
    EXPECT_OK(cudaMemset(d, 9, 13));
    /* Two columns of a picture of 4 x 3 into rows of 5. */
    EXPECT_OK(cudaMemcpy2D(d, 5, h + 1, 4, 2, 3, cudaMemcpyHostToDevice));
    EXPECT_OK(cudaMemcpy(back, d + 1, 12, cudaMemcpyDefault));
    EXPECT(memcmp(back, "\2\11\11\11\5\6\11\11\11\11\12\11", 12) == 0);
    EXPECT(cudaMemcpy2D(d, 5, h, 4, 5, 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
    EXPECT_OK(cudaFree(d));
    return NULL;
}

static const char *symbols()
{
    const int two[2] = {20, 30};
    numbers out(4);

    EXPECT_OK(cudaMemcpyToSymbol(table, two, sizeof two, sizeof(int)));
    EXPECT(cudaMemcpyToSymbol(table, two, sizeof two, 3 * sizeof(int)) == cudaErrorInvalidValue);
    EXPECT_OK(launch(write_table, dim3(1), dim3(4), 0, out.d));
    EXPECT(out[0] == 1 && out[1] == 20 && out[2] == 30 && out[3] == 4);
    return NULL;
}

static const char *limits()
{
    const struct {
        dim3 grid, block;
        size_t shared;
        cudaError_t error;
    } cases[] = {
        {dim3(1), dim3(1024), 48 << 10, cudaSuccess},
        {dim3(1), dim3(16, 1, 64), 0, cudaSuccess},
        {dim3(1, 65535), dim3(1), 0, cudaSuccess},
        {dim3(1), dim3(1025), 0, cudaErrorInvalidConfiguration},
        {dim3(1), dim3(33, 32), 0, cudaErrorInvalidConfiguration},
        {dim3(1), dim3(1, 1, 65), 0, cudaErrorInvalidConfiguration},
        {dim3(1), dim3(0), 0, cudaErrorInvalidConfiguration},
        {dim3(0), dim3(1), 0, cudaErrorInvalidConfiguration},
        {dim3(1, 65536), dim3(1), 0, cudaErrorInvalidConfiguration},
        {dim3(1, 1, 65536), dim3(1), 0, cudaErrorInvalidConfiguration},
        {dim3(0x80000000), dim3(1), 0, cudaErrorInvalidConfiguration},
        {dim3(1), dim3(1), (48 << 10) + 1, cudaErrorInvalidValue},
    };

    for (const auto &one : cases) {
        EXPECT(launch(nothing, one.grid, one.block, one.shared) == one.error);
        EXPECT(cudaGetLastError() == one.error);
    }
    return NULL;
}

static const char *clocks()
{
    cudaStream_t stream;
    cudaEvent_t start, stop;
    float ms = -1;

    EXPECT_OK(cudaStreamCreate(&stream));
    EXPECT_OK(cudaEventCreate(&start));
    EXPECT_OK(cudaEventCreate(&stop));
    EXPECT_OK(cudaEventRecord(start, stream));
    EXPECT(cudaEventElapsedTime(&ms, start, stop) == cudaErrorInvalidResourceHandle);
    EXPECT_OK(cudaEventRecord(stop, stream));
    EXPECT(cudaEventElapsedTime(&ms, start, stop) == cudaErrorNotReady);
    EXPECT_OK(cudaEventSynchronize(stop));
    EXPECT_OK(cudaEventElapsedTime(&ms, start, stop));
    EXPECT(ms >= 0 && ms < 60000);
    EXPECT_OK(cudaEventDestroy(start));
    EXPECT_OK(cudaEventDestroy(stop));
    EXPECT_OK(cudaStreamDestroy(stream));
    return NULL;
}

/* With CALAB_EMULATED_DEVICES=2: a stream belongs to its device. */
static const char *devices()
{
    cudaLaunchConfig_t config = {};
    struct cudaDeviceProp properties;
    int count = 0, shared = 0;

    EXPECT_OK(cudaGetDeviceCount(&count));
    EXPECT(count == 2);
    EXPECT(cudaSetDevice(2) == cudaErrorInvalidDevice);
    EXPECT(cudaGetDeviceProperties(&properties, 2) == cudaErrorInvalidDevice);
    EXPECT_OK(cudaGetDeviceProperties(&properties, 1));
    EXPECT_OK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 1));
    EXPECT(shared == 227 << 10 && properties.sharedMemPerBlockOptin == (size_t)shared);
    config.gridDim = config.blockDim = dim3(1);
    EXPECT_OK(cudaSetDevice(1));
    EXPECT_OK(cudaStreamCreate(&config.stream));
    EXPECT_OK(cudaLaunchKernelEx(&config, nothing));
    EXPECT_OK(cudaSetDevice(0));
    EXPECT(cudaLaunchKernelEx(&config, nothing) == cudaErrorInvalidResourceHandle);
    EXPECT_OK(cudaStreamDestroy(config.stream));
    return NULL;
}

/* What the first call that needs a device says. */
static const char *first_call()
{
    int count = -1, driver = -1, runtime = -1;
    cudaError_t error = cudaGetDeviceCount(&count);

    EXPECT_OK(cudaDriverGetVersion(&driver));
    EXPECT_OK(cudaRuntimeGetVersion(&runtime));
    EXPECT(runtime == CUDART_VERSION);
    EXPECT((error == cudaSuccess) == (count > 0));
    EXPECT(cudaSetDevice(0) == error);
    return cudaGetErrorName(error);
}

/* With CALAB_EMULATED_FAIL=cudaMalloc:2,cudaMemset:1:46 */
static const char *fails()
{
    char *d = NULL;

    EXPECT_OK(cudaMalloc(&d, 1));
    EXPECT_OK(cudaFree(d));
    EXPECT(cudaMalloc(&d, 1) == cudaErrorMemoryAllocation);
    EXPECT_OK(cudaMalloc(&d, 1));
    EXPECT(cudaMemset(d, 0, 1) == cudaErrorDevicesUnavailable);
    EXPECT_OK(cudaMemset(d, 0, 1));
    EXPECT_OK(cudaFree(d));
    return NULL;
}

/* With CALAB_EMULATED_LOST=2: the launch is accepted, all that comes after it fails. */
static const char *lost()
{
    numbers some(1);
    size_t free, all;

    EXPECT_OK(launch(nothing, dim3(1), dim3(1), 0));
    EXPECT_OK(launch(nothing, dim3(1), dim3(1), 0));
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
    EXPECT(launch(nothing, dim3(1), dim3(1), 0) == cudaErrorIllegalAddress);
    EXPECT(cudaMemset(some.d, 0, 4) == cudaErrorIllegalAddress);
    EXPECT(cudaMemGetInfo(&free, &all) == cudaErrorIllegalAddress);
    EXPECT_OK(cudaDeviceReset());
    EXPECT_OK(launch(nothing, dim3(1), dim3(1), 0));
    some.d = NULL;
    return NULL;
}

/* A trap loses the device; after a reset, fibers that it left are as good as new. */
static const char *trap()
{
    for (int round = 0; round < 3; round++) {
        EXPECT_OK(launch(trap_second, dim3(2), dim3(64), 0));
        EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
        EXPECT(launch(nothing, dim3(1), dim3(1), 0) == cudaErrorLaunchFailure);
        EXPECT_OK(cudaDeviceReset());
    }
    return NULL;
}

/* --- work that waits -------------------------------------------------------------------------- */

static __global__ void increase(int *count) { *count += 1; }

static cudaError_t increase_in(cudaStream_t stream, int *count)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = config.blockDim = dim3(1);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, increase, count);
}

/* Work runs when somebody waits for it, and with it what is ordered before it; no other does.
 * Memory of the host shows when it has run. */
static const char *queue()
{
    cudaStream_t a, b, free_one;
    cudaEvent_t event;
    int *count;

    EXPECT_OK(cudaStreamCreate(&a));
    EXPECT_OK(cudaStreamCreate(&b));
    EXPECT_OK(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
    EXPECT_OK(cudaEventCreate(&event));
    EXPECT_OK(cudaMallocHost(&count, 4 * sizeof *count));
    for (int i = 0; i < 4; i++)
        count[i] = 0;
    EXPECT_OK(increase_in(a, &count[0]));
    EXPECT_OK(increase_in(b, &count[1]));
    EXPECT_OK(increase_in(free_one, &count[2]));
    EXPECT(count[0] == 0 && count[1] == 0 && count[2] == 0);
    EXPECT_OK(cudaStreamSynchronize(a));
    EXPECT(count[0] == 1 && count[1] == 0 && count[2] == 0);

    /* the default stream is behind the blocking ones, and they behind it */
    EXPECT_OK(increase_in(NULL, &count[3]));
    EXPECT_OK(increase_in(a, &count[0]));
    EXPECT_OK(cudaStreamSynchronize(a));
    EXPECT(count[0] == 2 && count[1] == 1 && count[2] == 0 && count[3] == 1);

    /* an event */
    EXPECT_OK(cudaEventRecord(event, free_one));
    EXPECT_OK(increase_in(free_one, &count[2]));
    EXPECT_OK(cudaStreamWaitEvent(b, event, 0));
    EXPECT_OK(increase_in(b, &count[1]));
    EXPECT_OK(cudaStreamSynchronize(b));
    EXPECT(count[1] == 2 && count[2] == 1);
    EXPECT_OK(cudaEventRecord(event, a));
    EXPECT_OK(increase_in(a, &count[0]));
    EXPECT_OK(cudaEventSynchronize(event));
    EXPECT(count[0] == 2 && count[2] == 1);
    EXPECT_OK(cudaDeviceSynchronize());
    EXPECT(count[0] == 3 && count[2] == 2);

    /* not for ever */
    for (int i = 0; i < 3000; i++)
        EXPECT_OK(increase_in(a, &count[0]));
    EXPECT(count[0] > 1000 && count[0] < 3003);
    EXPECT_OK(cudaStreamDestroy(a));
    EXPECT(count[0] == 3003);
    EXPECT_OK(increase_in(b, &count[1]));
    EXPECT_OK(cudaFreeHost(count)); /* waits, since b writes to it */
    EXPECT_OK(cudaStreamDestroy(b));
    EXPECT_OK(cudaStreamDestroy(free_one));
    EXPECT_OK(cudaEventDestroy(event));
    return NULL;
}

/* A copy from the host's own memory takes what is there at once, one to it is waited for, one of
 * pinned memory is neither. */
static const char *copies_wait()
{
    numbers two(2);
    cudaStream_t stream;
    int own[2] = {1, 2}, got[2] = {}, *pinned;

    EXPECT_OK(cudaStreamCreate(&stream));
    EXPECT_OK(cudaMallocHost(&pinned, 2 * sizeof *pinned));
    EXPECT_OK(cudaMemcpyAsync(two.d, own, sizeof own, cudaMemcpyHostToDevice, stream));
    own[0] = 7;
    EXPECT_OK(cudaMemcpyAsync(got, two.d, sizeof got, cudaMemcpyDeviceToHost, stream));
    EXPECT(got[0] == 1 && got[1] == 2);
    pinned[0] = pinned[1] = 3;
    EXPECT_OK(cudaMemcpyAsync(two.d, pinned, sizeof got, cudaMemcpyHostToDevice, stream));
    pinned[1] = 4;
    EXPECT_OK(cudaMemcpyAsync(pinned, two.d, sizeof got, cudaMemcpyDeviceToHost, stream));
    pinned[0] = 0;
    EXPECT(pinned[0] == 0);
    EXPECT_OK(cudaStreamSynchronize(stream));
    EXPECT(pinned[0] == 0 && pinned[1] == 4);
    EXPECT_OK(cudaFreeHost(pinned));
    EXPECT_OK(cudaStreamDestroy(stream));
    return NULL;
}

const struct fixture host_fixtures[] = {
    {"memory", memory},   {"copies", copies},
    {"symbols", symbols}, {"limits", limits},
    {"clocks", clocks},   {"devices", devices},
    {"fails", fails},     {"lost", lost},
    {"trap", trap},       {"first-call", first_call},
    {"queue", queue},     {"copies-wait", copies_wait},
    {NULL, NULL},
};
