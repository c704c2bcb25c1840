/* SPDX-License-Identifier: MIT */
/* The probe measures what a GPU can do. Each figure is the best of several launches that are long
 * enough for the clock; a launch does so many rounds of a kernel's work. */
#include <cuda_runtime.h>
#include <string.h>

#include "core/machine/cuda.h"
#include "core/probe/gpu.h"

#define THREADS 256
#define WINDOW_MS 3
#define WINDOWS 5
#define ROUNDS_MAX (1 << 24)
#define UNROLL 8

struct gpu {
    int index, blocks; /* as many as all multiprocessors hold at once */
    cudaStream_t stream;
    cudaEvent_t start, stop;
    uint4 *from, *to; /* of `bytes` each, of which a copy takes `some` */
    int64_t bytes, some;
    char *host; /* as much, pinned */
};

static enum ca_status gpu_probe_check(const struct gpu *gpu, cudaError_t result, const char *what,
                                      struct ca_error *error)
{
    if (result == cudaSuccess)
        return CA_OK;
    cudaGetLastError();
    return ca_fail(error, CA_CUDA_FAILED, "GPU %d: probing its %s: %s (%s)", gpu->index, what,
                   cudaGetErrorString(result), cudaGetErrorName(result));
}

/* --- kernels --------------------------------------------------------------------------------- */

/* Loads and stores past the first cache, so that what counts is the second one or the memory. */
__global__ void probe_copy(const uint4 *from, uint4 *to, int64_t count, int rounds)
{
    for (int round = 0; round < rounds; round++)
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
             i += (int64_t)gridDim.x * blockDim.x)
            __stcg(&to[i], __ldcg(&from[i]));
}

/* Operations of three values a, b and c. */
struct logic {
    typedef unsigned value;
    static const int operations = 1;
    static __device__ value of(value a, value b, value c) { return (a & b) ^ c; }
};

struct shift {
    typedef unsigned value;
    static const int operations = 1;
    static __device__ value of(value a, value, value c) { return __funnelshift_l(a, c, 7); }
};

struct floats {
    typedef float value;
    static const int operations = 2;
    static __device__ value of(value a, value, value c) { return fmaxf(a + 0.5f, c); }
};

/*
 * UNROLL values that all depend on each other. Nothing of it can be left out, since something is
 * stored where they add up to 0, which the compiler cannot tell.
 */
template <class Op> __global__ void probe_operations(unsigned *sink, int rounds)
{
    typename Op::value x[UNROLL], sum = 0;

    for (int i = 0; i < UNROLL; i++)
        x[i] = (typename Op::value)((threadIdx.x + 1) * (2654435761u + i));
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            x[i] = Op::of(x[i], x[(i + 1) % UNROLL], x[(i + 3) % UNROLL]);
    for (int i = 0; i < UNROLL; i++)
        sum += x[i];
    if (sum == 0)
        *sink = 1;
}

/* Each round reads UNROLL times 16 bytes a thread, its neighbours' next to its own, and none of the
 * last round again, which a register would hold. */
__global__ void probe_shared(unsigned *sink, int rounds)
{
    __shared__ uint4 words[THREADS];
    unsigned all = threadIdx.x + 1;

    words[threadIdx.x] = make_uint4(all, 2 * all, 3 * all, 5 * all);
    __syncthreads();
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            uint4 word = words[(threadIdx.x + (unsigned)round * UNROLL + i) % THREADS];

            all = (all ^ word.x ^ word.y) + (word.z ^ word.w);
        }
    if (all == 0)
        *sink = all;
}

/* Whatever a generation does, its launch takes this long. */
__global__ void probe_nothing(unsigned *sink)
{
    if (!sink)
        __trap();
}

/* --- launches: rounds of work, and how much of it a round is --------------------------------- */

template <class... Params, class... Args>
static cudaError_t gpu_probe_launch(const struct gpu *gpu, void (*kernel)(Params...), Args... args)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3((unsigned)gpu->blocks);
    config.blockDim = dim3(THREADS);
    config.stream = gpu->stream;
    return cudaLaunchKernelEx(&config, kernel, (Params)args...);
}

static double threads(const struct gpu *gpu) { return (double)gpu->blocks * THREADS; }

typedef cudaError_t work(const struct gpu *gpu, int rounds, double *units);

static cudaError_t work_memcpy(const struct gpu *gpu, int rounds, double *units)
{
    cudaError_t result = cudaSuccess;

    *units = 2.0 * (double)gpu->some;
    for (int i = 0; i < rounds && result == cudaSuccess; i++)
        result = cudaMemcpyAsync(gpu->to, gpu->from, (size_t)gpu->some, cudaMemcpyDeviceToDevice,
                                 gpu->stream);
    return result;
}

static cudaError_t work_copy(const struct gpu *gpu, int rounds, double *units)
{
    *units = 2.0 * (double)gpu->some;
    return gpu_probe_launch(gpu, probe_copy, gpu->from, gpu->to, gpu->some / 16, rounds);
}

template <class Op>
static cudaError_t work_operations(const struct gpu *gpu, int rounds, double *units)
{
    *units = Op::operations * UNROLL * threads(gpu);
    return gpu_probe_launch(gpu, probe_operations<Op>, (unsigned *)gpu->to, rounds);
}

static cudaError_t work_shared(const struct gpu *gpu, int rounds, double *units)
{
    *units = 16 * UNROLL * threads(gpu);
    return gpu_probe_launch(gpu, probe_shared, (unsigned *)gpu->to, rounds);
}

static cudaError_t work_transfer(const struct gpu *gpu, int rounds, double *units, bool out)
{
    cudaError_t result = cudaSuccess;

    *units = (double)gpu->some;
    for (int i = 0; i < rounds && result == cudaSuccess; i++)
        result = out ? cudaMemcpyAsync(gpu->host, gpu->from, (size_t)gpu->some,
                                       cudaMemcpyDeviceToHost, gpu->stream)
                     : cudaMemcpyAsync(gpu->to, gpu->host, (size_t)gpu->some,
                                       cudaMemcpyHostToDevice, gpu->stream);
    return result;
}

static cudaError_t work_to_device(const struct gpu *gpu, int rounds, double *units)
{
    return work_transfer(gpu, rounds, units, false);
}

static cudaError_t work_to_host(const struct gpu *gpu, int rounds, double *units)
{
    return work_transfer(gpu, rounds, units, true);
}

static cudaError_t work_launch(const struct gpu *gpu, int rounds, double *units)
{
    cudaError_t result = cudaSuccess;

    *units = 1e6; /* so that what counts 10^9 a second counts thousands of launches */
    for (int i = 0; i < rounds && result == cudaSuccess; i++)
        result = gpu_probe_launch(gpu, probe_nothing, (unsigned *)gpu->to);
    return result;
}

/* In the order of enum ca_gpu_rate. */
static work *const works[CA_GPU_RATES] = {
    work_memcpy,
    work_copy,
    work_copy,
    work_operations<struct logic>,
    work_operations<struct shift>,
    work_operations<struct floats>,
    work_shared,
    work_to_device,
    work_to_host,
    work_launch,
};

/* --- measuring ------------------------------------------------------------------------------- */

static cudaError_t timed(const struct gpu *gpu, work *run, int rounds, double *units, float *ms)
{
    cudaError_t result = cudaEventRecord(gpu->start, gpu->stream);

    if (result == cudaSuccess)
        result = run(gpu, rounds, units);
    if (result == cudaSuccess)
        result = cudaEventRecord(gpu->stop, gpu->stream);
    if (result == cudaSuccess)
        result = cudaEventSynchronize(gpu->stop);
    return result == cudaSuccess ? cudaEventElapsedTime(ms, gpu->start, gpu->stop) : result;
}

static enum ca_status gpu_probe_measure(const struct gpu *gpu, enum ca_gpu_rate which, double *rate,
                                        struct ca_error *error)
{
    const char *what = ca_gpu_rates[which].help;
    int rounds = 1;
    double units;
    float ms;

    *rate = 0;
    CA_TRY(gpu_probe_check(gpu, timed(gpu, works[which], 1, &units, &ms), what, error));
    for (;;) {
        CA_TRY(gpu_probe_check(gpu, timed(gpu, works[which], rounds, &units, &ms), what, error));
        if (ms >= WINDOW_MS || rounds >= ROUNDS_MAX)
            break;
        rounds *= ms > WINDOW_MS / 8.0f ? 2 : 8;
    }
    for (int i = 0; i < WINDOWS; i++) {
        CA_TRY(gpu_probe_check(gpu, timed(gpu, works[which], rounds, &units, &ms), what, error));
        if (ms > 0 && units * rounds / ms * 1e-6 > *rate)
            *rate = units * rounds / ms * 1e-6; /* 10^9 a second */
    }
    return CA_OK;
}

/* Both arrays together fit well into the cache, or are many times as large. */
static int64_t copy_bytes(const struct ca_cuda_device *device, enum ca_gpu_rate which)
{
    int64_t l2 = device->l2_bytes > 1 << 20 ? device->l2_bytes : 1 << 20;

    return (which == CA_GPU_L2_COPY ? l2 / 4 : 8 * l2) / 4096 * 4096;
}

static enum ca_status gpu_probe_prepare(struct gpu *gpu, const struct ca_cuda_device *device,
                                        struct ca_error *error)
{
    const char *what = "memory";
    int held = 0; /* threads of a multiprocessor */

    CA_TRY(gpu_probe_check(
        gpu, cudaDeviceGetAttribute(&held, cudaDevAttrMaxThreadsPerMultiProcessor, gpu->index),
        what, error));
    gpu->blocks = device->multiprocessors * (held / THREADS);
    gpu->bytes = copy_bytes(device, CA_GPU_COPY);
    CA_TRY(gpu_probe_check(gpu, cudaSetDevice(gpu->index), what, error));
    CA_TRY(gpu_probe_check(gpu, cudaStreamCreate(&gpu->stream), what, error));
    CA_TRY(gpu_probe_check(gpu, cudaEventCreate(&gpu->start), what, error));
    CA_TRY(gpu_probe_check(gpu, cudaEventCreate(&gpu->stop), what, error));
    CA_TRY(gpu_probe_check(gpu, cudaMalloc(&gpu->from, (size_t)gpu->bytes), what, error));
    CA_TRY(gpu_probe_check(gpu, cudaMalloc(&gpu->to, (size_t)gpu->bytes), what, error));
    CA_TRY(gpu_probe_check(gpu, cudaMallocHost(&gpu->host, (size_t)gpu->bytes), what, error));
    memset(gpu->host, 1, (size_t)gpu->bytes);
    return gpu_probe_check(gpu, cudaMemsetAsync(gpu->from, 1, (size_t)gpu->bytes, gpu->stream),
                           what, error);
}

static void close_gpu(struct gpu *gpu)
{
    if (gpu->start)
        cudaEventDestroy(gpu->start);
    if (gpu->stop)
        cudaEventDestroy(gpu->stop);
    if (gpu->stream)
        cudaStreamDestroy(gpu->stream);
    cudaFree(gpu->from);
    cudaFree(gpu->to);
    cudaFreeHost(gpu->host);
    cudaGetLastError();
}

enum ca_status ca_gpu_probe_measure(struct ca_gpu_probe *probe, int index, struct ca_error *error)
{
    struct ca_cuda_device device;
    struct gpu gpu = {};
    enum ca_status status;

    memset(probe, 0, sizeof *probe);
    CA_TRY(ca_cuda_device(index, &device, error));
    memcpy(probe->name, device.name, sizeof probe->name);
    probe->l2_bytes = device.l2_bytes;
    gpu.index = index;
    status = gpu_probe_prepare(&gpu, &device, error);
    for (int i = 0; i < CA_GPU_RATES && status == CA_OK; i++) {
        gpu.some = copy_bytes(&device, (enum ca_gpu_rate)i);
        status = gpu_probe_measure(&gpu, (enum ca_gpu_rate)i, &probe->rate[i], error);
    }
    close_gpu(&gpu);
    return status;
}
