/* SPDX-License-Identifier: MIT */
/* Pitched and three-dimensional memory, the addresses of variables, and what there is not. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_VOLUMES_H
#define CALAB_CORE_EMULATOR_RUNTIME_VOLUMES_H

#include "core/emulator/runtime/api.h"

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

#define EMULATED_PITCH 512 /* bytes that rows are aligned to */

template <class T>
EMULATED_INLINED cudaError_t cudaMallocPitch(T **memory, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + EMULATED_PITCH - 1) / EMULATED_PITCH * EMULATED_PITCH;
    return emulated_malloc((void **)memory, *pitch * height);
}

EMULATED_INLINED cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent)
{
    memory->pitch = (extent.width + EMULATED_PITCH - 1) / EMULATED_PITCH * EMULATED_PITCH;
    memory->xsize = extent.width;
    memory->ysize = extent.height;
    return emulated_malloc(&memory->ptr, memory->pitch * extent.height * extent.depth);
}

/* Between pitched pointers. */
cudaError_t emulated_copy_volume(const struct cudaMemcpy3DParms *copy);
cudaError_t emulated_copy_volume_async(const struct cudaMemcpy3DParms *copy, cudaStream_t stream);
cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int byte, struct cudaExtent extent);

/* --- the addresses of __device__ variables ---------------------------------------------------- */

cudaError_t emulated_symbol_address(void **address, const void *symbol, size_t size);
/* Whether the bytes are in a variable whose address the host has asked for. */
bool emulated_is_variable(const void *at, size_t bytes);

template <class T> static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    return emulated_symbol_address(address, (const void *)&symbol, sizeof(T));
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

EMULATED_INLINED cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *)
{
    return cudaErrorNotSupported;
}
EMULATED_INLINED cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *, cudaEvent_t)
{
    return cudaErrorNotSupported;
}
EMULATED_INLINED cudaError_t cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned)
{
    return cudaErrorNotSupported;
}
EMULATED_INLINED cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *, cudaIpcEventHandle_t)
{
    return cudaErrorNotSupported;
}
EMULATED_INLINED cudaError_t cudaIpcCloseMemHandle(void *) { return cudaErrorNotSupported; }

/* --- what there is not ------------------------------------------------------------------------ */

#define EMULATED_MISSING(name)                                                                     \
    template <class... A>                                                                          \
    __attribute__((error("calab's emulator has no " #name))) cudaError_t name(A &&...)

EMULATED_MISSING(cudaBindTexture);
EMULATED_MISSING(cudaBindTexture2D);
EMULATED_MISSING(cudaBindTextureToArray);
EMULATED_MISSING(cudaBindSurfaceToArray);
EMULATED_MISSING(cudaMallocMipmappedArray);
EMULATED_MISSING(cudaGraphCreate);
EMULATED_MISSING(cudaGraphAddKernelNode);
EMULATED_MISSING(cudaGraphAddMemcpyNode);
EMULATED_MISSING(cudaGraphAddMemcpyNode1D);
EMULATED_MISSING(cudaGraphAddMemsetNode);
EMULATED_MISSING(cudaGraphAddHostNode);
EMULATED_MISSING(cudaGraphAddChildGraphNode);
EMULATED_MISSING(cudaGraphAddDependencies);
EMULATED_MISSING(cudaGraphClone);
EMULATED_MISSING(cudaGraphExecUpdate);

#endif
