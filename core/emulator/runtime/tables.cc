/* SPDX-License-Identifier: MIT */
/* Has the names and texts of CUDA's errors, and the values of a device's attributes. */
#include "core/emulator/runtime/device.h"

#define NAMED(error) error, #error

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {NAMED(cudaSuccess), "no error"},
    {NAMED(cudaErrorInvalidValue), "invalid argument"},
    {NAMED(cudaErrorMemoryAllocation), "out of memory"},
    {NAMED(cudaErrorInitializationError), "initialization error"},
    {NAMED(cudaErrorCudartUnloading), "driver shutting down"},
    {NAMED(cudaErrorInvalidConfiguration), "invalid configuration argument"},
    {NAMED(cudaErrorInvalidPitchValue), "invalid pitch argument"},
    {NAMED(cudaErrorInvalidSymbol), "invalid device symbol"},
    {NAMED(cudaErrorInvalidDevicePointer), "invalid device pointer"},
    {NAMED(cudaErrorInvalidMemcpyDirection), "invalid copy direction for memcpy"},
    {NAMED(cudaErrorInsufficientDriver),
     "CUDA driver version is insufficient for CUDA runtime version"},
    {NAMED(cudaErrorDevicesUnavailable), "CUDA-capable device(s) is/are busy or unavailable"},
    {NAMED(cudaErrorInvalidDeviceFunction), "invalid device function"},
    {NAMED(cudaErrorNoDevice), "no CUDA-capable device is detected"},
    {NAMED(cudaErrorInvalidDevice), "invalid device ordinal"},
    {NAMED(cudaErrorNoKernelImageForDevice),
     "no kernel image is available for execution on the device"},
    {NAMED(cudaErrorECCUncorrectable), "uncorrectable ECC error encountered"},
    {NAMED(cudaErrorInvalidResourceHandle), "invalid resource handle"},
    {NAMED(cudaErrorIllegalState), "the operation cannot be performed in the present state"},
    {NAMED(cudaErrorNotReady), "device not ready"},
    {NAMED(cudaErrorIllegalAddress), "an illegal memory access was encountered"},
    {NAMED(cudaErrorLaunchOutOfResources), "too many resources requested for launch"},
    {NAMED(cudaErrorLaunchTimeout), "the launch timed out and was terminated"},
    {NAMED(cudaErrorPeerAccessAlreadyEnabled), "peer access is already enabled"},
    {NAMED(cudaErrorPeerAccessNotEnabled), "peer access has not been enabled"},
    {NAMED(cudaErrorAssert), "device-side assert triggered"},
    {NAMED(cudaErrorHostMemoryAlreadyRegistered),
     "part or all of the requested memory range is already mapped"},
    {NAMED(cudaErrorHostMemoryNotRegistered),
     "pointer does not correspond to a registered memory region"},
    {NAMED(cudaErrorIllegalInstruction), "an illegal instruction was encountered"},
    {NAMED(cudaErrorMisalignedAddress), "misaligned address"},
    {NAMED(cudaErrorLaunchFailure), "unspecified launch failure"},
    {NAMED(cudaErrorCooperativeLaunchTooLarge), "too many blocks in cooperative launch"},
    {NAMED(cudaErrorNotPermitted), "operation not permitted"},
    {NAMED(cudaErrorNotSupported), "operation not supported"},
    {NAMED(cudaErrorSystemDriverMismatch),
     "system has unsupported display driver / cuda driver combination"},
    {NAMED(cudaErrorStreamCaptureUnsupported), "operation not permitted when stream is capturing"},
    {NAMED(cudaErrorInvalidClusterSize), "cluster misconfiguration"},
    {NAMED(cudaErrorUnknown), "unknown error"},
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (const auto &one : errors)
        if (one.error == error)
            return one.name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (const auto &one : errors)
        if (one.error == error)
            return one.text;
    return "unrecognized error code";
}

static const struct {
    enum cudaDeviceAttr attribute;
    int value;
} attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 0x7fffffff},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, 49152},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrMultiProcessorCount, EMULATED_MULTIPROCESSORS},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, 0},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 0},
    {cudaDevAttrMemoryClockRate, 3201000},
    {cudaDevAttrGlobalMemoryBusWidth, 6144},
    {cudaDevAttrL2CacheSize, 1 << 20},
    {cudaDevAttrAsyncEngineCount, 1},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrMaxPitch, 0x7fffffff},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrHostNativeAtomicSupported, 1},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
};

bool emulated_attribute(enum cudaDeviceAttr attribute, int *value)
{
    bool of_block = attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin;

    if (attribute == cudaDevAttrClockRate) {
        *value = emulated_clock_khz();
        return true;
    }
    if (of_block || attribute == cudaDevAttrMaxSharedMemoryPerMultiprocessor) {
        *value = (int)emulated_shared_size() + (of_block ? 0 : 1024);
        return true;
    }
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = emulated_resident_threads();
        return true;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = emulated_resident_blocks();
        return true;
    case cudaDevAttrComputeCapabilityMajor:
        *value = emulated_capability() / 10;
        return true;
    case cudaDevAttrComputeCapabilityMinor:
        *value = emulated_capability() % 10;
        return true;
    default:
        break;
    }
    for (const auto &one : attributes)
        if (one.attribute == attribute) {
            *value = one.value;
            return true;
        }
    return false;
}
