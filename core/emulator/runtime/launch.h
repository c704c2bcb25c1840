/* SPDX-License-Identifier: MIT */
/* Launches: the configuration and its attributes, and the template that packs the arguments. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_LAUNCH_H
#define CALAB_CORE_EMULATOR_RUNTIME_LAUNCH_H

#include <new>
#include <utility>

#include "core/emulator/runtime/api.h"

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributePreferredSharedMemoryCarveout = 14,
};

union cudaLaunchAttributeValue {
    char pad[64];
    int cooperative;
    struct {
        unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
    int priority;
    unsigned sharedMemCarveout;
};

struct cudaLaunchAttribute {
    enum cudaLaunchAttributeID id;
    union cudaLaunchAttributeValue val;
};

struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    struct cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};

/* Issues a launch, which runs call(arguments) once for each thread of the grid; takes a copy of
 * the arguments. */
cudaError_t emulated_launch(const struct cudaLaunchConfig_t *config, const void *kernel,
                            void (*call)(const void *arguments), const void *arguments,
                            size_t bytes);

/* A kernel with its arguments, which it gets by no access of its own. They lie one after the other
 * as bytes: of lambdas and nested structs that hold them, g++ 12 loses some members of large ones.
 */
template <class... Params> struct emulated_call {
    static constexpr size_t ALIGNMENT = 64;

    void (*kernel)(Params...);
    alignas(ALIGNMENT) char bytes[((sizeof(Params) + ALIGNMENT) + ... + 1)];

    static constexpr size_t offset(size_t index)
    {
        const size_t sizes[] = {sizeof(Params)..., 0};
        size_t at = 0;

        for (size_t i = 0; i < index; i++)
            at += (sizes[i] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        return at;
    }

    template <size_t... I, class... Args> void hold(std::index_sequence<I...>, Args &&...args)
    {
        (new (bytes + offset(I)) Params(std::forward<Args>(args)), ...);
    }

    template <size_t... I>
    EMULATED_UNSEEN static void apply(const emulated_call *call, std::index_sequence<I...>)
    {
        call->kernel(*(const Params *)(call->bytes + offset(I))...);
    }

    EMULATED_UNSEEN static void run(const void *self)
    {
        apply((const emulated_call *)self, std::index_sequence_for<Params...>());
    }
};

template <class... Params, class... Args>
EMULATED_INLINED cudaError_t cudaLaunchKernelEx(const struct cudaLaunchConfig_t *config,
                                                void (*kernel)(Params...), Args &&...args)
{
    static_assert((sizeof(Params) + ... + 0) <= 32764,
                  "kernel parameters take at most 32764 bytes");
    struct emulated_call<Params...> call = {
        kernel, {}
    };

    call.hold(std::index_sequence_for<Params...>(), std::forward<Args>(args)...);
    return emulated_launch(config, (const void *)kernel, emulated_call<Params...>::run, &call,
                           sizeof call);
}

template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *kernel, enum cudaFuncAttribute what, int value)
{
    return emulated_function_set((const void *)kernel, what, value);
}

template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *kernel)
{
    return emulated_function_get(attributes, (const void *)kernel);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel,
                                                                        int threads, size_t shared)
{
    return emulated_occupancy(blocks, (const void *)kernel, threads, shared);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *kernel,
                                                         const struct cudaLaunchConfig_t *config)
{
    return emulated_clusters(clusters, (const void *)kernel, config);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T *, size_t = 0,
                                                             int limit = 0)
{
    *block = limit > 0 && limit < 256 ? limit : 256;
    *grid = EMULATED_MULTIPROCESSORS * 8;
    return cudaSuccess;
}

/* --- symbols: __device__ and __constant__ variables are plain ones here ----------------------- */

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t count,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind = cudaMemcpyHostToDevice)
{
    return emulated_symbol_copy((char *)&symbol + offset, from, count, offset, sizeof(T));
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t count,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind = cudaMemcpyDeviceToHost)
{
    return emulated_symbol_copy(to, (const char *)&symbol + offset, count, offset, sizeof(T));
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *from, size_t count,
                                                  size_t offset, enum cudaMemcpyKind kind,
                                                  cudaStream_t = NULL)
{
    return cudaMemcpyToSymbol(symbol, from, count, offset, kind);
}

#endif
