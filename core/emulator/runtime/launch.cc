/* SPDX-License-Identifier: MIT */
/* Checks launches against their limits and attributes, and runs their blocks in order. */
#define CHANGES_THREADS
#include "core/emulator/runtime/launch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <memory>
#include <new>

#include "core/emulator/runtime/watch.h"
#include "core/emulator/runtime/device.h"
#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/place.h"
#include "core/emulator/runtime/threads.h"

#define SHARED_PLAIN ((size_t)48 << 10)
#define EMULATED_CLUSTER_PORTABLE 8 /* blocks that a kernel need not ask for */

/* The attributes that cudaFuncSetAttribute has set for a kernel. */
struct function {
    const void *kernel;
    bool has_limit;
    size_t dynamic_bytes; /* where it has_limit, which may be less than without */
    bool large_clusters;
    struct function *next;
};

static struct function *functions;

static struct function *find_function(const void *kernel)
{
    for (struct function *one = functions; one; one = one->next)
        if (one->kernel == kernel)
            return one;
    return NULL;
}

void emulated_function_reset()
{
    while (functions) {
        struct function *one = functions;

        functions = one->next;
        free(one);
    }
}

cudaError_t emulated_function_set(const void *kernel, enum cudaFuncAttribute what, int value)
{
    struct emulated_entry entry("cudaFuncSetAttribute");
    struct function *one;

    if (entry.refused())
        return entry.fail();
    if (what == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cudaSuccess;
    if (value < 0 || (size_t)value > emulated_shared_size())
        return entry.fail(cudaErrorInvalidValue);
    one = find_function(kernel);
    if (!one) {
        one = (struct function *)calloc(1, sizeof *one);
        one->kernel = kernel;
        one->next = functions;
        functions = one;
    }
    if (what == cudaFuncAttributeNonPortableClusterSizeAllowed)
        one->large_clusters = value != 0;
    else
        one->has_limit = true, one->dynamic_bytes = (size_t)value;
    return cudaSuccess;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, void *, void **,
                                    unsigned, void *, void **, unsigned)
{
    struct emulated_entry entry("cudaLibraryLoadFromFile");

    if (entry.refused())
        return entry.fail();
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*library)
        return cudaSuccess;
    fprintf(stderr, "%s\n", dlerror());
    return entry.fail(cudaErrorInvalidValue);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    struct emulated_entry entry("cudaLibraryGetKernel");

    if (entry.refused())
        return entry.fail();
    *kernel = dlsym(library, name);
    return *kernel ? cudaSuccess : entry.fail(cudaErrorInvalidValue);
}

static size_t dynamic_limit(const void *kernel)
{
    const struct function *one = find_function(kernel);

    return one && one->has_limit ? one->dynamic_bytes : SHARED_PLAIN;
}

/* Static and dynamic bytes together, once a kernel has opted in to more. */
static size_t shared_limit(const void *kernel)
{
    return dynamic_limit(kernel) > SHARED_PLAIN ? emulated_shared_size() : SHARED_PLAIN;
}

cudaError_t emulated_function_get(struct cudaFuncAttributes *attributes, const void *kernel)
{
    struct emulated_entry entry("cudaFuncGetAttributes");

    if (entry.refused())
        return entry.fail();
    *attributes = {};
    attributes->maxThreadsPerBlock = EMULATED_THREADS_MAX;
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = (int)dynamic_limit(kernel);
    return cudaSuccess;
}

/* Blocks that a multiprocessor holds. */
static int resident(int threads, size_t shared)
{
    int by_threads = emulated_resident_threads() / ((threads + 31) / 32 * 32);
    int by_shared = (int)((emulated_shared_size() + 1024) / (shared + 1024));
    int most = emulated_resident_blocks(), blocks = by_threads < most ? by_threads : most;

    return by_shared < blocks ? by_shared : blocks;
}

cudaError_t emulated_occupancy(int *blocks, const void *kernel, int threads, size_t shared)
{
    struct emulated_entry entry("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    if (entry.refused())
        return entry.fail();
    if (threads < 1)
        return entry.fail(cudaErrorInvalidValue);
    *blocks = resident(threads, shared);
    if (threads > EMULATED_THREADS_MAX || shared > dynamic_limit(kernel))
        *blocks = 0;
    return cudaSuccess;
}

/* NULL where the launch has no such attribute. */
static const union cudaLaunchAttributeValue *attribute_of(const struct cudaLaunchConfig_t *config,
                                                          enum cudaLaunchAttributeID id)
{
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == id)
            return &config->attrs[i].val;
    return NULL;
}

/* Blocks of a cluster, as the launch says; 0: it asks for what there is not. */
static unsigned cluster_of(const struct cudaLaunchConfig_t *config)
{
    auto value = attribute_of(config, cudaLaunchAttributeClusterDimension);

    if (!value)
        return 1;
    return value->clusterDim.y == 1 && value->clusterDim.z == 1 ? value->clusterDim.x : 0;
}

static bool cluster_fits(const struct cudaLaunchConfig_t *config, const void *kernel)
{
    const struct function *one = find_function(kernel);
    unsigned blocks = cluster_of(config), most = emulated_cluster_size();

    if (most > EMULATED_CLUSTER_PORTABLE && !(one && one->large_clusters))
        most = EMULATED_CLUSTER_PORTABLE;
    return blocks >= 1 && blocks <= most && config->gridDim.x % blocks == 0;
}

cudaError_t emulated_clusters(int *clusters, const void *kernel,
                              const struct cudaLaunchConfig_t *config)
{
    struct emulated_entry entry("cudaOccupancyMaxActiveClusters");

    if (entry.refused())
        return entry.fail();
    if (!cluster_fits(config, kernel))
        return entry.fail(cudaErrorInvalidClusterSize);
    *clusters = config->dynamicSmemBytes <= dynamic_limit(kernel);
    return cudaSuccess;
}

/* --- limits ----------------------------------------------------------------------------------- */

static bool is_within_limit(dim3 size, uint64_t x, uint64_t y, uint64_t z)
{
    return size.x >= 1 && size.x <= x && size.y >= 1 && size.y <= y && size.z >= 1 && size.z <= z;
}

static bool is_cooperative(const struct cudaLaunchConfig_t *config)
{
    auto value = attribute_of(config, cudaLaunchAttributeCooperative);

    return value && value->cooperative;
}

static bool is_early(const struct cudaLaunchConfig_t *config)
{
    auto value = attribute_of(config, cudaLaunchAttributeProgrammaticStreamSerialization);

    return value && value->programmaticStreamSerializationAllowed;
}

/* Whether all blocks are resident at once. */
static bool cooperative_fits(const struct cudaLaunchConfig_t *config)
{
    dim3 grid = config->gridDim, block = config->blockDim;

    return (uint64_t)grid.x * grid.y * grid.z <=
           (uint64_t)EMULATED_MULTIPROCESSORS *
               (unsigned)resident((int)(block.x * block.y * block.z), config->dynamicSmemBytes);
}

static cudaError_t check_launch(const struct cudaLaunchConfig_t *config, const void *kernel)
{
    dim3 block = config->blockDim;

    if (!kernel)
        return cudaErrorInvalidDeviceFunction;
    if (!is_within_limit(config->gridDim, 0x7fffffff, 65535, 65535) ||
        !is_within_limit(block, 1024, 1024, 64) ||
        (uint64_t)block.x * block.y * block.z > EMULATED_THREADS_MAX)
        return cudaErrorInvalidConfiguration;
    if (config->dynamicSmemBytes > dynamic_limit(kernel))
        return cudaErrorInvalidValue;
    if (!emulated_stream_fits(config->stream))
        return cudaErrorInvalidResourceHandle;
    if (is_cooperative(config))
        return cooperative_fits(config) ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
    return cluster_fits(config, kernel) ? cudaSuccess : cudaErrorInvalidClusterSize;
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
static void stride_of(struct emulated_order *order, uint64_t count, uint64_t *start,
                      uint64_t *stride)
{
    *start = order->kind == EMULATED_REVERSE ? count - 1 : 0;
    *stride = order->kind == EMULATED_REVERSE ? count - 1 : 1;
    if (order->kind != EMULATED_RANDOM)
        return;
    *start = emulated_random(order) % count;
    do
        *stride = (emulated_random(order) & 0xffffffff) % count;
    while (count > 1 && common_divisor(*stride, count) != 1);
}

/* False when a thread trapped. Blocks of a cluster run together. */
static bool run_blocks(const struct emulated_launch *launch, struct emulated_order order)
{
    unsigned across = launch->cooperative ? 1 : launch->grid.x / (unsigned)launch->cluster;
    uint64_t count = launch->cooperative ? 1 : (uint64_t)across * launch->grid.y * launch->grid.z;
    uint64_t i, stride;

    gridDim = launch->grid;
    blockDim = launch->block;
    stride_of(&order, count, &i, &stride);
    for (uint64_t done = 0; done < count; done++) {
        blockIdx.x = (unsigned)(i % across) * (unsigned)launch->cluster;
        blockIdx.y = (unsigned)(i / across % launch->grid.y);
        blockIdx.z = (unsigned)(i / across / launch->grid.y);
        if (!emulated_block_run(launch, &order))
            return false;
        i = (uint64_t)(((unsigned __int128)i + stride) % count);
    }
    return true;
}

static void give_dynamic(struct emulated_launch *launch)
{
    for (int i = 0; i < launch->cluster; i++)
        if (watch_on)
            watch_give(launch->dynamic[i]);
        else
            free(launch->dynamic[i]);
}

/* Exactly as large as asked for, so that the sanitizer sees what goes beyond it. */
static bool take_dynamic(struct emulated_launch *launch)
{
    for (int i = 0; i < launch->cluster; i++)
        if (!(launch->dynamic[i] = emulated_shared_take(launch->dynamic_bytes, 1, NULL, 0))) {
            give_dynamic(launch);
            return false;
        }
    return true;
}

/* Why a launch is refused, with the numbers. */
static void report_refused(const struct cudaLaunchConfig_t *config, const void *kernel,
                           cudaError_t error, uint32_t code)
{
    dim3 grid = config->gridDim, block = config->blockDim;
    char text[256];

    if (error == cudaErrorInvalidConfiguration)
        snprintf(text, sizeof text,
                 "%ux%ux%u blocks of %ux%ux%u threads, where a block has 1 to %d threads, in x, y "
                 "and z at most 1024, 1024 and 64, and a grid 1 to 2147483647, 65535 and 65535 "
                 "blocks",
                 grid.x, grid.y, grid.z, block.x, block.y, block.z, EMULATED_THREADS_MAX);
    else if (error == cudaErrorInvalidValue)
        snprintf(text, sizeof text, "%zu bytes of dynamic shared memory, where %zu are allowed",
                 config->dynamicSmemBytes, dynamic_limit(kernel));
    else
        snprintf(text, sizeof text, "%s", cudaGetErrorString(error));
    watch_launch_error(kernel, text, code);
}

static bool awaited; /* by a thread of the launch that runs */

void emulated_await_kernel() { awaited = true; }

/* Nothing orders what such a kernel reads behind what the one before it wrote. */
static void report_early(const void *kernel)
{
    const struct place *place = place_of((uint32_t)(uintptr_t)kernel + 1);

    if (watch_on) {
        finding_report(EMULATED_ERROR, "launch", place, NULL,
                       "kernel %s is launched before the one before it is done, and waits for it "
                       "nowhere: cudaGridDependencySynchronize",
                       place->function);
        return;
    }
    fprintf(stderr,
            "calab: kernel %s is launched before the one before it is done, and waits for it "
            "nowhere: cudaGridDependencySynchronize\n",
            place->function);
    abort();
}

/* Its error is the device's, as that of any asynchronous work. */
static void run_launch(struct emulated_launch launch, const char *arguments, int device,
                       struct emulated_order order)
{
    launch.arguments = arguments;
    if (!take_dynamic(&launch)) {
        emulated_lose(cudaErrorLaunchOutOfResources);
        return;
    }
    emulated_memory_open(device);
    watch_launch(&launch, device);
    awaited = false;
    if (!run_blocks(&launch, order))
        emulated_lose((cudaError_t)emulated_trap_error());
    else if (launch.early && !awaited)
        report_early(launch.kernel);
    emulated_memory_close(device);
    watch_launched();
    give_dynamic(&launch);
}

cudaError_t emulated_launch(const struct cudaLaunchConfig_t *config, const void *kernel,
                            void (*call)(const void *arguments), const void *arguments,
                            size_t bytes)
{
    struct emulated_entry entry("cudaLaunchKernelEx");
    struct emulated_launch launch = {};
    const std::align_val_t alignment{64};
    std::shared_ptr<char> copy;
    cudaError_t error = entry.refused() ? entry.error : check_launch(config, kernel);

    if (error != cudaSuccess) {
        if (watch_on && !entry.refused())
            report_refused(config, kernel, error, WATCH_CALLER);
        return entry.fail(error);
    }
    if (!emulated_count_launch())
        return cudaSuccess;
    launch.kernel = kernel;
    launch.code = WATCH_CALLER;
    launch.call = call;
    launch.argument_bytes = bytes;
    launch.grid = config->gridDim;
    launch.block = config->blockDim;
    launch.dynamic_bytes = config->dynamicSmemBytes;
    launch.shared_limit = shared_limit(kernel);
    launch.cooperative = is_cooperative(config);
    launch.early = is_early(config);
    launch.cluster = launch.cooperative ? (int)(launch.grid.x * launch.grid.y * launch.grid.z)
                                        : (int)cluster_of(config);
    copy = std::shared_ptr<char>((char *)operator new(bytes, alignment),
                                 [alignment](char *memory) { operator delete(memory, alignment); });
    memcpy(copy.get(), arguments, bytes);
    queue_add(emulated_stream_lane(config->stream), {"cudaLaunchKernel", kernel, WATCH_CALLER},
              [launch, copy, device = emulated_current(), order = emulated_order_wanted()] {
                  run_launch(launch, copy.get(), device, order);
              });
    return cudaSuccess;
}
