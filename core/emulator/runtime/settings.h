/* SPDX-License-Identifier: MIT */
/* Settings that change nothing here, and names that calls of the runtime had in former versions. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_SETTINGS_H
#define CALAB_CORE_EMULATOR_RUNTIME_SETTINGS_H

#include "core/emulator/runtime/api.h"

enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6,
};

enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0,
    cudaSharedMemBankSizeFourByte = 1,
    cudaSharedMemBankSizeEightByte = 2,
};

enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3,
};

enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4,
};

/* What a stream's attributes can say of the L2 cache. */
enum cudaAccessProperty {
    cudaAccessPropertyNormal = 0,
    cudaAccessPropertyStreaming = 1,
    cudaAccessPropertyPersisting = 2,
};

struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};

enum cudaStreamAttrID {
    cudaStreamAttributeAccessPolicyWindow = 1,
    cudaStreamAttributePriority = 8
};

union cudaStreamAttrValue {
    struct cudaAccessPolicyWindow accessPolicyWindow;
    int priority;
};

EMULATED_INLINED cudaError_t cudaStreamSetAttribute(cudaStream_t, enum cudaStreamAttrID,
                                                    const union cudaStreamAttrValue *)
{
    return cudaSuccess;
}

/* --- settings --------------------------------------------------------------------------------- */

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaGetDeviceFlags(unsigned *flags);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted);
cudaError_t cudaInitDevice(int device, unsigned, unsigned);

EMULATED_INLINED cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache) { return cudaSuccess; }
EMULATED_INLINED cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}
EMULATED_INLINED cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig)
{
    return cudaSuccess;
}
EMULATED_INLINED cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}
EMULATED_INLINED cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

template <class T> EMULATED_INLINED cudaError_t cudaFuncSetCacheConfig(T *, enum cudaFuncCache)
{
    return cudaSuccess;
}

template <class T>
EMULATED_INLINED cudaError_t cudaFuncSetSharedMemConfig(T *, enum cudaSharedMemConfig)
{
    return cudaSuccess;
}

/* --- former names ----------------------------------------------------------------------------- */

#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadSetLimit cudaDeviceSetLimit
#define cudaThreadGetLimit cudaDeviceGetLimit
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define cudaThreadGetCacheConfig cudaDeviceGetCacheConfig
#define cudaDeviceBlockingSync cudaDeviceScheduleBlockingSync
#define cudaErrorInvalidTexture ((cudaError_t)18)
#define cudaErrorPriorLaunchFailure ((cudaError_t)53)

#endif
