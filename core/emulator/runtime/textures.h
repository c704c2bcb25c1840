/* SPDX-License-Identifier: MIT */
/*
 * Texture and surface objects. A fetch finds the texels that it needs, by the rules of the CUDA C++
 * Programming Guide ("Texture Fetching"): coordinates, address modes, and weights of the linear
 * filter with 8 fraction bits. Each texel is read as the kernel's own access.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_TEXTURES_H
#define CALAB_CORE_EMULATOR_RUNTIME_TEXTURES_H

#include "core/emulator/runtime/arrays.h"
#include "core/emulator/runtime/watch.h"

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;

enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0,
    cudaAddressModeClamp = 1,
    cudaAddressModeMirror = 2,
    cudaAddressModeBorder = 3,
};

enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };

enum cudaResourceType {
    cudaResourceTypeArray = 0,
    cudaResourceTypeMipmappedArray = 1,
    cudaResourceTypeLinear = 2,
    cudaResourceTypePitch2D = 3,
};

enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp = 1,
    cudaBoundaryModeTrap = 2,
};

struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
    unsigned flags;
};

struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

struct cudaResourceViewDesc;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description,
                                    const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);

/* --- fetches ---------------------------------------------------------------------------------- */

/* The channels of what was fetched, as numbers of the texture's elements. */
struct emulated_texel {
    bool is_float;
    float f[4];
    int i[4];
};

/* dimensions: 0 for tex1Dfetch, whose x is an index. */
void emulated_fetch(struct emulated_texel *texel, cudaTextureObject_t texture, int dimensions,
                    float x, float y, float z, int index, uint32_t code);

template <class T> EMULATED_UNSEEN T emulated_value(const struct emulated_texel *texel)
{
    auto channel = [texel](auto &to, int n) {
        if (texel->is_float)
            to = (std::remove_reference_t<decltype(to)>)texel->f[n];
        else
            to = (std::remove_reference_t<decltype(to)>)texel->i[n];
    };
    T value;

    if constexpr (std::is_arithmetic_v<T>) {
        channel(value, 0);
    } else {
        channel(value.x, 0);
        if constexpr (requires { value.y; })
            channel(value.y, 1);
        if constexpr (requires { value.z; })
            channel(value.z, 2);
        if constexpr (requires { value.w; })
            channel(value.w, 3);
    }
    return value;
}

template <class T>
__attribute__((noinline)) EMULATED_UNSEEN T emulated_tex(cudaTextureObject_t texture,
                                                         int dimensions, float x, float y, float z,
                                                         int index)
{
    struct emulated_texel texel;

    emulated_fetch(&texel, texture, dimensions, x, y, z, index, WATCH_CALLER);
    return emulated_value<T>(&texel);
}

template <class T> EMULATED_INLINED T tex1Dfetch(cudaTextureObject_t texture, int x)
{
    return emulated_tex<T>(texture, 0, 0, 0, 0, x);
}
template <class T> EMULATED_INLINED T tex1D(cudaTextureObject_t texture, float x)
{
    return emulated_tex<T>(texture, 1, x, 0, 0, 0);
}
template <class T> EMULATED_INLINED T tex2D(cudaTextureObject_t texture, float x, float y)
{
    return emulated_tex<T>(texture, 2, x, y, 0, 0);
}
template <class T> EMULATED_INLINED T tex3D(cudaTextureObject_t texture, float x, float y, float z)
{
    return emulated_tex<T>(texture, 3, x, y, z, 0);
}
template <class T> EMULATED_INLINED T tex1DLayered(cudaTextureObject_t texture, float x, int layer)
{
    return emulated_tex<T>(texture, 1, x, 0, 0, layer);
}
template <class T>
EMULATED_INLINED T tex2DLayered(cudaTextureObject_t texture, float x, float y, int layer)
{
    return emulated_tex<T>(texture, 2, x, y, 0, layer);
}
template <class T> EMULATED_INLINED void tex1Dfetch(T *to, cudaTextureObject_t texture, int x)
{
    *to = tex1Dfetch<T>(texture, x);
}
template <class T> EMULATED_INLINED void tex1D(T *to, cudaTextureObject_t texture, float x)
{
    *to = tex1D<T>(texture, x);
}
template <class T> EMULATED_INLINED void tex2D(T *to, cudaTextureObject_t texture, float x, float y)
{
    *to = tex2D<T>(texture, x, y);
}
template <class T>
EMULATED_INLINED void tex3D(T *to, cudaTextureObject_t texture, float x, float y, float z)
{
    *to = tex3D<T>(texture, x, y, z);
}

/* --- surfaces: x in bytes --------------------------------------------------------------------- */

/* Where the bytes are; NULL: outside, where a read gets 0 and a write does nothing. */
char *emulated_surface(cudaSurfaceObject_t surface, int x, int y, int z, size_t bytes,
                       enum cudaSurfaceBoundaryMode mode);

template <class T>
EMULATED_INLINED T emulated_surface_read(cudaSurfaceObject_t surface, int x, int y, int z,
                                         enum cudaSurfaceBoundaryMode mode)
{
    const char *at = emulated_surface(surface, x, y, z, sizeof(T), mode);

    return at ? *(const T *)at : T{};
}

template <class T>
EMULATED_INLINED void emulated_surface_write(T value, cudaSurfaceObject_t surface, int x, int y,
                                             int z, enum cudaSurfaceBoundaryMode mode)
{
    char *at = emulated_surface(surface, x, y, z, sizeof(T), mode);

    if (at)
        *(T *)at = value;
}

#define EMULATED_SURFACE(name, y, z, ...)                                                          \
    template <class T>                                                                             \
    EMULATED_INLINED T name##read(cudaSurfaceObject_t surface, __VA_ARGS__,                        \
                                  enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)        \
    {                                                                                              \
        return emulated_surface_read<T>(surface, x, y, z, mode);                                   \
    }                                                                                              \
    template <class T>                                                                             \
    EMULATED_INLINED void name##read(T *to, cudaSurfaceObject_t surface, __VA_ARGS__,              \
                                     enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)     \
    {                                                                                              \
        *to = emulated_surface_read<T>(surface, x, y, z, mode);                                    \
    }                                                                                              \
    template <class T>                                                                             \
    EMULATED_INLINED void name##write(T value, cudaSurfaceObject_t surface, __VA_ARGS__,           \
                                      enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)    \
    {                                                                                              \
        emulated_surface_write<T>(value, surface, x, y, z, mode);                                  \
    }

EMULATED_SURFACE(surf1D, 0, 0, int x)
EMULATED_SURFACE(surf2D, y, 0, int x, int y)
EMULATED_SURFACE(surf3D, y, z, int x, int y, int z)
EMULATED_SURFACE(surf2DLayered, y, layer, int x, int y, int layer)

/* --- texture references, which CUDA 12 has no more -------------------------------------------- */

template <class T, int DIMENSIONS = 1, int MODE = 0>
struct __attribute__((
    unavailable("calab's emulator has no texture references, nor has CUDA since 12: use "
                "a cudaTextureObject_t"))) texture;

enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3 };

#endif
