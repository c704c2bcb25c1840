/* SPDX-License-Identifier: MIT */
/* Finds the texels of a fetch, reads and filters them. */
#include "core/emulator/runtime/textures.h"

#include <math.h>
#include <string.h>

#include "core/emulator/runtime/device.h"
#include "core/emulator/runtime/threads.h"

struct emulated_texture {
    struct cudaTextureDesc how;
    struct cudaChannelFormatDesc format;
    const char *memory;
    size_t element, pitch;
    int size[3]; /* in texels; a layer is a step along z */
    bool layered;
};

/* --- objects ---------------------------------------------------------------------------------- */

static size_t element_of(const struct cudaChannelFormatDesc *format)
{
    return (size_t)(format->x + format->y + format->z + format->w) / 8;
}

static int size_of(size_t texels) { return texels ? (int)texels : 1; }

static bool describe(struct emulated_texture *texture, const struct cudaResourceDesc *resource)
{
    switch (resource->resType) {
    case cudaResourceTypeArray: {
        cudaArray_const_t array = resource->res.array.array;

        if (!array || array->flags & (cudaArrayCubemap | cudaArrayTextureGather))
            return false;
        texture->layered = array->flags & cudaArrayLayered;
        texture->format = array->format;
        texture->memory = array->memory;
        texture->pitch = array->width * array->element;
        texture->size[0] = size_of(array->width);
        texture->size[1] = size_of(array->height);
        texture->size[2] = size_of(array->depth);
        break;
    }
    case cudaResourceTypeLinear:
        texture->format = resource->res.linear.desc;
        texture->memory = (const char *)resource->res.linear.devPtr;
        texture->pitch = resource->res.linear.sizeInBytes;
        texture->size[0] =
            (int)(resource->res.linear.sizeInBytes / element_of(&resource->res.linear.desc));
        texture->size[1] = texture->size[2] = 1;
        break;
    case cudaResourceTypePitch2D:
        texture->format = resource->res.pitch2D.desc;
        texture->memory = (const char *)resource->res.pitch2D.devPtr;
        texture->pitch = resource->res.pitch2D.pitchInBytes;
        texture->size[0] = (int)resource->res.pitch2D.width;
        texture->size[1] = (int)resource->res.pitch2D.height;
        texture->size[2] = 1;
        break;
    default:
        return false;
    }
    texture->element = element_of(&texture->format);
    return texture->memory && texture->element > 0;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *how,
                                    const struct cudaResourceViewDesc *view)
{
    struct emulated_entry entry(__func__);
    struct emulated_texture texture = {};

    if (entry.refused())
        return entry.fail();
    if (view || !resource || !how)
        return entry.fail(view ? cudaErrorNotSupported : cudaErrorInvalidValue);
    if (resource->resType == cudaResourceTypeLinear && element_of(&resource->res.linear.desc) == 0)
        return entry.fail(cudaErrorInvalidValue);
    texture.how = *how;
    if (!describe(&texture, resource))
        return entry.fail(cudaErrorInvalidValue);
    /* Elements that are whole numbers are filtered only where they are read as fractions. */
    if (how->filterMode == cudaFilterModeLinear && how->readMode == cudaReadModeElementType &&
        texture.format.f != cudaChannelFormatKindFloat)
        return entry.fail(cudaErrorInvalidValue);
    *object = (cudaTextureObject_t)(uintptr_t) new struct emulated_texture(texture);
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    struct emulated_entry entry(__func__);

    queue_wait_all();
    delete (struct emulated_texture *)(uintptr_t)object;
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *resource)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!resource || resource->resType != cudaResourceTypeArray || !resource->res.array.array ||
        !(resource->res.array.array->flags & cudaArraySurfaceLoadStore))
        return entry.fail(cudaErrorInvalidValue);
    *surface = (cudaSurfaceObject_t)(uintptr_t) new struct cudaArray(*resource->res.array.array);
    return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    struct emulated_entry entry(__func__);

    queue_wait_all();
    delete (struct cudaArray *)(uintptr_t)surface;
    return entry.refused() ? entry.fail() : cudaSuccess;
}

/* --- texels ----------------------------------------------------------------------------------- */

/* The texel that a place outside stands for; -1: the border. */
static int address(int i, int n, enum cudaTextureAddressMode mode)
{
    int round;

    switch (mode) {
    case cudaAddressModeWrap:
        return (i % n + n) % n;
    case cudaAddressModeMirror:
        round = (i % (2 * n) + 2 * n) % (2 * n);
        return round < n ? round : 2 * n - 1 - round;
    case cudaAddressModeBorder:
        return i < 0 || i >= n ? -1 : i;
    default:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

static enum cudaTextureAddressMode mode_of(const struct emulated_texture *texture, int axis)
{
    enum cudaTextureAddressMode mode = texture->how.addressMode[axis];

    if (!texture->how.normalizedCoords &&
        (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
        return cudaAddressModeClamp;
    return mode;
}

static float half_of(uint16_t bits)
{
#ifdef __FLT16_MAX__
    _Float16 value;

    memcpy(&value, &bits, sizeof value);
    return (float)value;
#else
    return (float)bits;
#endif
}

static void read_channel(struct emulated_texel *texel, int n, const char *at, int bits,
                         enum cudaChannelFormatKind kind, bool as_fraction)
{
    uint32_t word = 0;
    int32_t value;

    memcpy(&word, at, (size_t)bits / 8);
    if (kind == cudaChannelFormatKindFloat) {
        if (bits == 16)
            texel->f[n] = half_of((uint16_t)word);
        else
            memcpy(&texel->f[n], &word, sizeof word);
        return;
    }
    value = (int32_t)word;
    if (kind == cudaChannelFormatKindSigned && bits < 32)
        value = (int32_t)(word << (32 - bits)) >> (32 - bits);
    texel->i[n] = value;
    if (as_fraction)
        texel->f[n] = kind == cudaChannelFormatKindSigned
                          ? fmaxf((float)value / (float)((1 << (bits - 1)) - 1), -1)
                          : (float)word / (float)((1u << bits) - 1);
}

/* Reads the texel at a place, which is -1 on an axis where the border is. */
static void read_texel(const struct emulated_texture *texture, const int place[3],
                       struct emulated_texel *texel, uint32_t code)
{
    const int bits[] = {texture->format.x, texture->format.y, texture->format.z, texture->format.w};
    const char *at =
        texture->memory +
        ((size_t)place[2] * (size_t)texture->size[1] + (size_t)place[1]) * texture->pitch +
        (size_t)place[0] * texture->element;
    bool as_fraction = texture->how.readMode == cudaReadModeNormalizedFloat;

    *texel = {};
    texel->is_float = as_fraction || texture->format.f == cudaChannelFormatKindFloat;
    if (place[0] < 0 || place[1] < 0 || place[2] < 0) {
        for (int n = 0; n < 4; n++) {
            texel->f[n] = texture->how.borderColor[n];
            texel->i[n] = (int)texture->how.borderColor[n];
        }
        return;
    }
    watch_access(at, texture->element, WATCH_READ, code);
    for (int n = 0; n < 4 && bits[n] > 0; n++) {
        read_channel(texel, n, at, bits[n], texture->format.f, as_fraction);
        at += bits[n] / 8;
    }
}

/* The weight of the farther texel has 8 fraction bits. */
static float fraction_of(float x) { return floorf((x - floorf(x)) * 256 + 0.5f) / 256; }

static void filter(const struct emulated_texture *texture, int dimensions, const float x[3],
                   int layer, struct emulated_texel *sum, uint32_t code)
{
    *sum = {};
    sum->is_float = true;
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        struct emulated_texel texel;
        float weight = 1;
        int place[3] = {0, 0, layer};

        for (int axis = 0; axis < dimensions; axis++) {
            float at = x[axis] - 0.5f, far = fraction_of(at);
            bool farther = corner >> axis & 1;

            weight *= farther ? far : 1 - far;
            place[axis] =
                address((int)floorf(at) + farther, texture->size[axis], mode_of(texture, axis));
        }
        if (weight == 0)
            continue;
        read_texel(texture, place, &texel, code);
        for (int n = 0; n < 4; n++)
            sum->f[n] += weight * texel.f[n];
    }
}

void emulated_fetch(struct emulated_texel *texel, cudaTextureObject_t object, int dimensions,
                    float x, float y, float z, int index, uint32_t code)
{
    const struct emulated_texture *texture = (const struct emulated_texture *)(uintptr_t)object;
    float at[] = {x, y, z};
    int place[] = {index, 0, 0};

    if (dimensions == 0) {
        *texel = {};
        texel->is_float = texture->format.f == cudaChannelFormatKindFloat ||
                          texture->how.readMode == cudaReadModeNormalizedFloat;
        if (index >= 0 && index < texture->size[0])
            read_texel(texture, place, texel, code);
        return;
    }
    for (int axis = 0; texture->how.normalizedCoords && axis < dimensions; axis++)
        at[axis] *= (float)texture->size[axis];
    index = index < 0 ? 0 : index >= texture->size[2] ? texture->size[2] - 1 : index;
    if (texture->how.filterMode == cudaFilterModeLinear) {
        filter(texture, dimensions, at, index, texel, code);
        return;
    }
    place[0] = 0;
    place[2] = index;
    for (int axis = 0; axis < dimensions; axis++)
        place[axis] = address((int)floorf(at[axis]), texture->size[axis], mode_of(texture, axis));
    read_texel(texture, place, texel, code);
}

/* --- surfaces --------------------------------------------------------------------------------- */

char *emulated_surface(cudaSurfaceObject_t surface, int x, int y, int z, size_t bytes,
                       enum cudaSurfaceBoundaryMode mode)
{
    const struct cudaArray *array = (const struct cudaArray *)(uintptr_t)surface;
    int width = (int)(array->width * array->element), height = size_of(array->height),
        depth = size_of(array->depth), last = width - (int)bytes;
    bool outside = x < 0 || x > last || y < 0 || y >= height || z < 0 || z >= depth;

    if (outside && mode == cudaBoundaryModeZero)
        return NULL;
    if (outside && mode == cudaBoundaryModeTrap) {
        if (!watch_on)
            emulated_trap();
        return array->memory + (size_t)width * (size_t)height * (size_t)depth;
    }
    x = x < 0 ? 0 : x > last ? last : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    z = z < 0 ? 0 : z >= depth ? depth - 1 : z;
    return array->memory + ((size_t)z * (size_t)height + (size_t)y) * (size_t)width + x;
}
