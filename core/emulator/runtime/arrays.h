/* SPDX-License-Identifier: MIT */
/* CUDA arrays: device memory that textures and surfaces read, and copies from and to it. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_ARRAYS_H
#define CALAB_CORE_EMULATOR_RUNTIME_ARRAYS_H

#include <type_traits>

#include "core/emulator/runtime/volumes.h"

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3,
};

struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits */
    enum cudaChannelFormatKind f;
};

enum {
    cudaArrayDefault = 0,
    cudaArrayLayered = 1,
    cudaArraySurfaceLoadStore = 2,
    cudaArrayCubemap = 4,
    cudaArrayTextureGather = 8,
};

struct cudaArray {
    struct cudaChannelFormatDesc format;
    size_t width, height, depth; /* in elements; 0: it has no such dimension */
    size_t element;              /* bytes */
    unsigned flags;
    char *memory; /* rows without gaps */
};

typedef const struct cudaArray *cudaArray_const_t;

static inline struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                 enum cudaChannelFormatKind f)
{
    return {x, y, z, w, f};
}

template <class T> static inline struct cudaChannelFormatDesc emulated_channels(int count)
{
    int bits = 8 * (int)sizeof(T);
    enum cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;

    if constexpr (std::is_floating_point_v<T>)
        kind = cudaChannelFormatKindFloat;
    else if constexpr (std::is_signed_v<T>)
        kind = cudaChannelFormatKindSigned;
    return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
}

template <class T> static inline struct cudaChannelFormatDesc cudaCreateChannelDesc()
{
    if constexpr (std::is_arithmetic_v<T>)
        return emulated_channels<T>(1);
    else
        return emulated_channels<std::remove_cvref_t<decltype(T{}.x)>>(
            (int)(sizeof(T) / sizeof(T{}.x)));
}

EMULATED_INLINED size_t emulated_rows(const struct cudaArray *array)
{
    return (array->height ? array->height : 1) * (array->depth ? array->depth : 1);
}

EMULATED_INLINED cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                                               const struct cudaChannelFormatDesc *format,
                                               struct cudaExtent extent, unsigned flags = 0)
{
    size_t element = (size_t)(format->x + format->y + format->z + format->w) / 8;
    struct cudaArray made = {*format, extent.width, extent.height, extent.depth,
                             element, flags,        NULL};
    cudaError_t error =
        emulated_malloc((void **)&made.memory, made.width * element * emulated_rows(&made));

    *array = error == cudaSuccess ? new struct cudaArray(made) : NULL;
    return error;
}

EMULATED_INLINED cudaError_t cudaMallocArray(cudaArray_t *array,
                                             const struct cudaChannelFormatDesc *format,
                                             size_t width, size_t height = 0, unsigned flags = 0)
{
    return cudaMalloc3DArray(array, format, make_cudaExtent(width, height, 0), flags);
}

EMULATED_INLINED cudaError_t cudaFreeArray(cudaArray_t array)
{
    cudaError_t error = array ? cudaFree(array->memory) : cudaSuccess;

    delete array;
    return error;
}

static inline cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format,
                                           struct cudaExtent *extent, unsigned *flags,
                                           cudaArray_t array)
{
    if (format)
        *format = array->format;
    if (extent)
        *extent = {array->width, array->height, array->depth};
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

static inline cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format,
                                             cudaArray_const_t array)
{
    *format = array->format;
    return cudaSuccess;
}

/* --- copies: x in bytes ----------------------------------------------------------------------- */

EMULATED_INLINED size_t emulated_pitch(cudaArray_const_t array)
{
    return array->width * array->element;
}
EMULATED_INLINED char *emulated_at(cudaArray_const_t array, size_t x, size_t y)
{
    return array->memory + y * emulated_pitch(array) + x;
}
EMULATED_INLINED bool emulated_holds(cudaArray_const_t array, size_t x, size_t y, size_t width,
                                     size_t height)
{
    return x + width <= emulated_pitch(array) && y + height <= emulated_rows(array);
}

EMULATED_INLINED cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y,
                                                 const void *from, size_t pitch, size_t width,
                                                 size_t height, enum cudaMemcpyKind kind)
{
    return emulated_holds(to, x, y, width, height)
               ? cudaMemcpy2D(emulated_at(to, x, y), emulated_pitch(to), from, pitch, width, height,
                              kind)
               : cudaErrorInvalidValue;
}

EMULATED_INLINED cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                                      const void *from, size_t pitch, size_t width,
                                                      size_t height, enum cudaMemcpyKind kind,
                                                      cudaStream_t stream = NULL)
{
    return emulated_holds(to, x, y, width, height)
               ? cudaMemcpy2DAsync(emulated_at(to, x, y), emulated_pitch(to), from, pitch, width,
                                   height, kind, stream)
               : cudaErrorInvalidValue;
}

EMULATED_INLINED cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from,
                                                   size_t x, size_t y, size_t width, size_t height,
                                                   enum cudaMemcpyKind kind)
{
    return emulated_holds(from, x, y, width, height)
               ? cudaMemcpy2D(to, pitch, emulated_at(from, x, y), emulated_pitch(from), width,
                              height, kind)
               : cudaErrorInvalidValue;
}

/* Rows lie without gaps, so that bytes may go on in the next one. */
EMULATED_INLINED cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                               size_t count, enum cudaMemcpyKind kind)
{
    return y * emulated_pitch(to) + x + count <= emulated_pitch(to) * emulated_rows(to)
               ? cudaMemcpy(emulated_at(to, x, y), from, count, kind)
               : cudaErrorInvalidValue;
}

EMULATED_INLINED cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x,
                                                 size_t y, size_t count, enum cudaMemcpyKind kind)
{
    return y * emulated_pitch(from) + x + count <= emulated_pitch(from) * emulated_rows(from)
               ? cudaMemcpy(to, emulated_at(from, x, y), count, kind)
               : cudaErrorInvalidValue;
}

/* A volume of which a side is an array, as one of pitched pointers: the extent is in elements. */
EMULATED_INLINED struct cudaMemcpy3DParms emulated_pointers(const struct cudaMemcpy3DParms *copy)
{
    struct cudaMemcpy3DParms plain = *copy;
    size_t element = copy->srcArray   ? copy->srcArray->element
                     : copy->dstArray ? copy->dstArray->element
                                      : 1;
    cudaArray_t *arrays[] = {&plain.srcArray, &plain.dstArray};
    struct cudaPitchedPtr *pointers[] = {&plain.srcPtr, &plain.dstPtr};
    struct cudaPos *places[] = {&plain.srcPos, &plain.dstPos};

    plain.extent.width *= element;
    for (int i = 0; i < 2; i++) {
        cudaArray_t array = *arrays[i];

        if (!array)
            continue;
        *pointers[i] = {array->memory, emulated_pitch(array), array->width,
                        array->height ? array->height : 1};
        places[i]->x *= element;
        *arrays[i] = NULL;
    }
    return plain;
}

EMULATED_INLINED cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy)
{
    struct cudaMemcpy3DParms plain = emulated_pointers(copy);

    return emulated_copy_volume(&plain);
}

EMULATED_INLINED cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy,
                                               cudaStream_t stream = NULL)
{
    struct cudaMemcpy3DParms plain = emulated_pointers(copy);

    return emulated_copy_volume_async(&plain, stream);
}

#endif
