/* SPDX-License-Identifier: MIT */
/* The host's side: types, constants and calls of the CUDA runtime, as far as calab uses them. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_API_H
#define CALAB_CORE_EMULATOR_RUNTIME_API_H

#include <stddef.h>
#include <stdint.h>

#include "core/emulator/runtime/errors.h"
#include "core/emulator/runtime/vectors.h"

#define CUDART_VERSION 13000
#define CUDART_CB
#define EMULATED_MULTIPROCESSORS 4 /* few, so that grids that fill a device are small */

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4,
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3,
};

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual,
};

enum {
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaEventInterprocess = 4,
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0,
    cudaMemAttachGlobal = 1,
    cudaDeviceScheduleAuto = 0,
    cudaDeviceScheduleSpin = 1,
    cudaDeviceScheduleYield = 2,
    cudaDeviceScheduleBlockingSync = 4,
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrTextureAlignment = 14,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrKernelExecTimeout = 17,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrHostNativeAtomicSupported = 86,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrComputePreemptionSupported = 90,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrStreamPrioritiesSupported = 78,
};

struct cudaDeviceProp {
    char name[256];
    struct {
        char bytes[16];
    } uuid;
    size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, sharedMemPerMultiprocessor;
    size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int major, minor, multiProcessorCount, integrated, canMapHostMemory, concurrentKernels;
    int ECCEnabled, pciBusID, pciDeviceID, pciDomainID, asyncEngineCount, unifiedAddressing;
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int clockRate, memoryClockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode;
    size_t memPitch, textureAlignment;
    int regsPerMultiprocessor, managedMemory, cooperativeLaunch, maxBlocksPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported, isMultiGpuBoard;
    int multiGpuBoardGroupID, hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, tccDriver;
    int canUseHostPointerForRegisteredMem, cooperativeMultiDeviceLaunch, accessPolicyMaxWindowSize;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture3D[3];
    int maxTexture1DLayered[2], maxTexture2DLayered[3], maxSurface1D, maxSurface2D[2];
    int maxTexture2DLinear[3], maxTexture2DGather[2], maxTextureCubemap, maxSurface3D[3];
    int memoryPoolsSupported, hostRegisterSupported, clusterLaunch, unifiedFunctionPointers;
    size_t surfaceAlignment, texturePitchAlignment;
};

/* Calls that C++ may see without C linkage, since .cu files alone use them. */

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);

cudaError_t emulated_malloc(void **memory, size_t bytes);
cudaError_t emulated_malloc_host(void **memory, size_t bytes);
cudaError_t emulated_malloc_managed(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory);
cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream = NULL);
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t count);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t count, cudaStream_t stream = NULL);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream = NULL);
cudaError_t cudaMemset(void *memory, int byte, size_t count);
cudaError_t cudaMemsetAsync(void *memory, int byte, size_t count, cudaStream_t stream = NULL);
cudaError_t cudaMemset2D(void *memory, size_t pitch, int byte, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int byte, size_t width, size_t height,
                              cudaStream_t stream = NULL);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
/* Priorities are accepted and change nothing: who runs first is the ORDER's to say. */
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
/* Functions of the host in the order of a stream; they call nothing of CUDA. */
typedef void (*cudaHostFn_t)(void *argument);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t error, void *argument);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                  void *argument, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = NULL);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop);

/* A library is a shared object with kernels in it, which stays loaded. */
typedef void *cudaLibrary_t, *cudaKernel_t;
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, void *, void **,
                                    unsigned, void *, void **, unsigned);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name);

cudaError_t emulated_function_set(const void *kernel, enum cudaFuncAttribute what, int value);
cudaError_t emulated_function_get(struct cudaFuncAttributes *attributes, const void *kernel);
struct cudaLaunchConfig_t;
cudaError_t emulated_clusters(int *clusters, const void *kernel,
                              const struct cudaLaunchConfig_t *config);
cudaError_t emulated_occupancy(int *blocks, const void *kernel, int threads, size_t shared);
cudaError_t emulated_symbol_copy(void *to, const void *from, size_t count, size_t offset,
                                 size_t size);

/* Inlined, so that the place of a call is known. */
#define EMULATED_INLINED static inline __attribute__((always_inline))
#define EMULATED_INLINED_MEMBER inline __attribute__((always_inline))

template <class T> EMULATED_INLINED cudaError_t cudaMalloc(T **memory, size_t bytes)
{
    return emulated_malloc((void **)memory, bytes);
}

template <class T>
EMULATED_INLINED cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t)
{
    return emulated_malloc((void **)memory, bytes);
}

/* The host does not wait for it. */
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);

template <class T>
EMULATED_INLINED cudaError_t cudaMallocHost(T **memory, size_t bytes, unsigned = 0)
{
    return emulated_malloc_host((void **)memory, bytes);
}

template <class T>
EMULATED_INLINED cudaError_t cudaMallocManaged(T **memory, size_t bytes,
                                               unsigned = cudaMemAttachGlobal)
{
    return emulated_malloc_managed((void **)memory, bytes);
}

template <class T>
EMULATED_INLINED cudaError_t cudaHostAlloc(T **memory, size_t bytes, unsigned = 0)
{
    return emulated_malloc_host((void **)memory, bytes);
}

#endif
