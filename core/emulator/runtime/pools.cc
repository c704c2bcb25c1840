/* SPDX-License-Identifier: MIT */
/* Implements pools of memory, which keep what is said of them. */
#include "core/emulator/runtime/pools.h"

#include "core/emulator/runtime/device.h"

struct CUmemPoolHandle_st {
    uint64_t attributes[cudaMemPoolAttrUsedMemHigh + 1];
};

static struct CUmemPoolHandle_st default_pools[EMULATED_DEVICES_MAX];
static cudaMemPool_t present[EMULATED_DEVICES_MAX];

static bool pool_has(enum cudaMemPoolAttr attribute)
{
    return attribute >= cudaMemPoolReuseFollowEventDependencies &&
           attribute <= cudaMemPoolAttrUsedMemHigh;
}

static bool is_wide(enum cudaMemPoolAttr attribute)
{
    return attribute >= cudaMemPoolAttrReleaseThreshold;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (properties->allocType != cudaMemAllocationTypePinned)
        return entry.fail(cudaErrorNotSupported);
    *pool = new CUmemPoolHandle_st{};
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    for (cudaMemPool_t &one : present)
        if (one == pool)
            one = NULL;
    delete pool;
    return cudaSuccess;
}

static cudaError_t get_pool(const char *call, cudaMemPool_t *pool, int device, bool as_set)
{
    struct emulated_entry entry(call);

    if (entry.refused())
        return entry.fail();
    if (device < 0 || device >= emulated_devices())
        return entry.fail(cudaErrorInvalidDevice);
    *pool = as_set && present[device] ? present[device] : &default_pools[device];
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return get_pool(__func__, pool, device, false);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return get_pool(__func__, pool, device, true);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (device < 0 || device >= emulated_devices())
        return entry.fail(cudaErrorInvalidDevice);
    present[device] = pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!pool || !pool_has(attribute))
        return entry.fail(cudaErrorInvalidValue);
    pool->attributes[attribute] =
        is_wide(attribute) ? *(const uint64_t *)value : (uint64_t) * (const int *)value;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!pool || !pool_has(attribute))
        return entry.fail(cudaErrorInvalidValue);
    if (is_wide(attribute))
        *(uint64_t *)value = pool->attributes[attribute];
    else
        *(int *)value = (int)pool->attributes[attribute];
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    return pool ? cudaSuccess : entry.fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *, size_t)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    return pool ? cudaSuccess : entry.fail(cudaErrorInvalidValue);
}
