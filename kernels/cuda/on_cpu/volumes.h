/* SPDX-License-Identifier: MIT */
/* Pitched and three-dimensional memory, the addresses of variables, and what there is not. */
#ifndef CALAB_KERNELS_CUDA_ON_CPU_VOLUMES_H
#define CALAB_KERNELS_CUDA_ON_CPU_VOLUMES_H

#include "kernels/cuda/on_cpu/api.h"

typedef struct cudaArray *cudaArray_t;

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

struct cudaExtent {
    size_t width, height, depth; /* width in bytes */
};

struct cudaPos {
    size_t x, y, z;
};

struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *at, size_t pitch, size_t x, size_t y)
{
    return {at, pitch, x, y};
}

static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return {width, height, depth};
}

static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }

#define SHIM_PITCH 512 /* bytes that rows are aligned to */

template <class T>
SHIM_INLINED cudaError_t cudaMallocPitch(T **memory, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + SHIM_PITCH - 1) / SHIM_PITCH * SHIM_PITCH;
    return shim_malloc((void **)memory, *pitch * height);
}

SHIM_INLINED cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent)
{
    memory->pitch = (extent.width + SHIM_PITCH - 1) / SHIM_PITCH * SHIM_PITCH;
    memory->xsize = extent.width;
    memory->ysize = extent.height;
    return shim_malloc(&memory->ptr, memory->pitch * extent.height * extent.depth);
}

/* Between pitched pointers; cudaErrorNotSupported for arrays. */
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream = NULL);
cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int byte, struct cudaExtent extent);

/* --- the addresses of __device__ variables ---------------------------------------------------- */

cudaError_t shim_symbol_address(void **address, const void *symbol, size_t size);
/* Whether the bytes are in a variable whose address the host has asked for. */
bool shim_is_variable(const void *at, size_t bytes);

template <class T> static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    return shim_symbol_address(address, (const void *)&symbol, sizeof(T));
}

template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &)
{
    *size = sizeof(T);
    return cudaSuccess;
}

/* --- memory of another process: not supported, as on some systems with GPUs ------------------- */

struct cudaIpcMemHandle_t {
    char reserved[64];
};
struct cudaIpcEventHandle_t {
    char reserved[64];
};
enum { cudaIpcMemLazyEnablePeerAccess = 1 };

SHIM_INLINED cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *)
{
    return cudaErrorNotSupported;
}
SHIM_INLINED cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *, cudaEvent_t)
{
    return cudaErrorNotSupported;
}
SHIM_INLINED cudaError_t cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned)
{
    return cudaErrorNotSupported;
}
SHIM_INLINED cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *, cudaIpcEventHandle_t)
{
    return cudaErrorNotSupported;
}
SHIM_INLINED cudaError_t cudaIpcCloseMemHandle(void *) { return cudaErrorNotSupported; }

/* --- what there is not ------------------------------------------------------------------------ */

#define SHIM_MISSING(name)                                                                         \
    template <class... A>                                                                          \
    __attribute__((error("calab's emulator has no " #name))) cudaError_t name(A &&...)

SHIM_MISSING(cudaMallocArray);
SHIM_MISSING(cudaMalloc3DArray);
SHIM_MISSING(cudaFreeArray);
SHIM_MISSING(cudaMemcpyToArray);
SHIM_MISSING(cudaMemcpy2DToArray);
SHIM_MISSING(cudaBindTexture);
SHIM_MISSING(cudaBindTexture2D);
SHIM_MISSING(cudaCreateTextureObject);
SHIM_MISSING(cudaCreateSurfaceObject);
SHIM_MISSING(cudaGraphCreate);
SHIM_MISSING(cudaGraphLaunch);
SHIM_MISSING(cudaGraphInstantiate);
SHIM_MISSING(cudaStreamBeginCapture);
SHIM_MISSING(cudaStreamEndCapture);
SHIM_MISSING(cudaMemPoolCreate);
SHIM_MISSING(cudaStreamAddCallback);
SHIM_MISSING(cudaLaunchHostFunc);

#endif
