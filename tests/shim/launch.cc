/* SPDX-License-Identifier: MIT */
/* Owns launches: their limits, what a kernel asked for beforehand, and the order of blocks. */
#include "tests/shim/launch.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/shim/device.h"
#include "tests/shim/threads.h"

#define SHARED_PLAIN ((size_t)48 << 10)

/* What cudaFuncSetAttribute said of a kernel. */
struct function {
    const void *kernel;
    size_t dynamic_bytes;
    struct function *next;
};

static struct function *functions;

static struct function *find(const void *kernel)
{
    for (struct function *one = functions; one; one = one->next)
        if (one->kernel == kernel)
            return one;
    return NULL;
}

void shim_function_reset()
{
    while (functions) {
        struct function *one = functions;

        functions = one->next;
        free(one);
    }
}

cudaError_t shim_function_set(const void *kernel, enum cudaFuncAttribute what, int value)
{
    struct shim_entry entry("cudaFuncSetAttribute");
    struct function *one;

    if (entry.refused())
        return entry.fail();
    if (what != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value < 0 || (size_t)value > shim_shared_size())
        return entry.fail(cudaErrorInvalidValue);
    one = find(kernel);
    if (!one) {
        one = (struct function *)calloc(1, sizeof *one);
        one->kernel = kernel;
        one->next = functions;
        functions = one;
    }
    one->dynamic_bytes = (size_t)value;
    return cudaSuccess;
}

static size_t dynamic_limit(const void *kernel)
{
    const struct function *one = find(kernel);

    return one && one->dynamic_bytes > SHARED_PLAIN ? one->dynamic_bytes : SHARED_PLAIN;
}

cudaError_t shim_function_get(struct cudaFuncAttributes *attributes, const void *kernel)
{
    struct shim_entry entry("cudaFuncGetAttributes");

    if (entry.refused())
        return entry.fail();
    *attributes = {};
    attributes->maxThreadsPerBlock = SHIM_THREADS_MAX;
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = (int)dynamic_limit(kernel);
    return cudaSuccess;
}

cudaError_t shim_occupancy(int *blocks, const void *kernel, int threads, size_t shared)
{
    struct shim_entry entry("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    int by_threads, by_shared;

    if (entry.refused())
        return entry.fail();
    if (threads < 1)
        return entry.fail(cudaErrorInvalidValue);
    by_threads = 2048 / ((threads + 31) / 32 * 32);
    by_shared = (int)((shim_shared_size() + 1024) / (shared + 1024));
    *blocks = by_threads < 32 ? by_threads : 32;
    *blocks = by_shared < *blocks ? by_shared : *blocks;
    if (threads > SHIM_THREADS_MAX || shared > dynamic_limit(kernel))
        *blocks = 0;
    return cudaSuccess;
}

/* --- limits ----------------------------------------------------------------------------------- */

static bool within(dim3 size, uint64_t x, uint64_t y, uint64_t z)
{
    return size.x >= 1 && size.x <= x && size.y >= 1 && size.y <= y && size.z >= 1 && size.z <= z;
}

static cudaError_t check(const struct cudaLaunchConfig_t *config, const void *kernel)
{
    dim3 block = config->blockDim;

    if (!kernel)
        return cudaErrorInvalidDeviceFunction;
    if (!within(config->gridDim, 0x7fffffff, 65535, 65535) || !within(block, 1024, 1024, 64) ||
        (uint64_t)block.x * block.y * block.z > SHIM_THREADS_MAX)
        return cudaErrorInvalidConfiguration;
    if (config->dynamicSmemBytes > dynamic_limit(kernel))
        return cudaErrorInvalidValue;
    if (!shim_stream_fits(config->stream))
        return cudaErrorInvalidResourceHandle;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const struct cudaLaunchAttribute *one = &config->attrs[i];

        if (one->id == cudaLaunchAttributeCooperative && one->val.cooperative)
            return cudaErrorNotSupported;
        if (one->id == cudaLaunchAttributeClusterDimension &&
            one->val.clusterDim.x * one->val.clusterDim.y * one->val.clusterDim.z != 1)
            return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The i-th of `count` blocks to run is start + i * stride, modulo the count. */
static void stride_of(struct shim_order *order, uint64_t count, uint64_t *start, uint64_t *stride)
{
    *start = order->kind == SHIM_REVERSE ? count - 1 : 0;
    *stride = order->kind == SHIM_REVERSE ? count - 1 : 1;
    if (order->kind != SHIM_RANDOM)
        return;
    *start = shim_random(order) % count;
    do
        *stride = (shim_random(order) & 0xffffffff) % count;
    while (count > 1 && common_divisor(*stride, count) != 1);
}

/* False when a thread trapped. */
static bool run_blocks(const struct shim_launch *launch)
{
    uint64_t count = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z, i, stride;
    struct shim_order order = shim_order_wanted();

    gridDim = launch->grid;
    blockDim = launch->block;
    stride_of(&order, count, &i, &stride);
    for (uint64_t done = 0; done < count; done++) {
        blockIdx.x = (unsigned)(i % launch->grid.x);
        blockIdx.y = (unsigned)(i / launch->grid.x % launch->grid.y);
        blockIdx.z = (unsigned)(i / launch->grid.x / launch->grid.y);
        if (!shim_block_run(launch, &order))
            return false;
        i = (uint64_t)(((unsigned __int128)i + stride) % count);
    }
    return true;
}

cudaError_t shim_launch(const struct cudaLaunchConfig_t *config, const void *kernel,
                        void (*call)(const void *arguments), const void *arguments)
{
    struct shim_entry entry("cudaLaunchKernelEx");
    struct shim_launch launch = {};
    cudaError_t error = entry.refused() ? entry.error : check(config, kernel);

    if (error != cudaSuccess)
        return entry.fail(error);
    if (!shim_count_launch())
        return cudaSuccess;
    launch.kernel = kernel;
    launch.call = call;
    launch.arguments = arguments;
    launch.grid = config->gridDim;
    launch.block = config->blockDim;
    launch.dynamic_bytes = config->dynamicSmemBytes;
    launch.shared_limit = dynamic_limit(kernel);
    /* Exactly as large as asked for, so that the sanitizer sees what goes beyond it. */
    shim_dynamic_memory = malloc(launch.dynamic_bytes);
    if (!shim_dynamic_memory)
        return entry.fail(cudaErrorLaunchOutOfResources);
    shim_memory_open(shim_current());
    if (!run_blocks(&launch))
        shim_lose(cudaErrorLaunchFailure);
    shim_memory_close(shim_current());
    free(shim_dynamic_memory);
    shim_dynamic_memory = NULL;
    return cudaSuccess;
}
