/* SPDX-License-Identifier: MIT */
/* Implements devices, decides which calls fail, and reads the environment for both. */
#include "core/emulator/runtime/device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/emulator/runtime/limit.h"
#include "core/emulator/runtime/settings.h"
#include "core/emulator/runtime/watch.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static thread_local cudaError_t last_error;
static thread_local int current;
static cudaError_t lost;
static long long launches;
static bool peers[EMULATED_DEVICES_MAX][EMULATED_DEVICES_MAX];

static long long device_number(const char *name, long long absent)
{
    const char *text = getenv(name);

    return text && *text ? strtoll(text, NULL, 0) : absent;
}

int emulated_devices()
{
    long long count = device_number("CALAB_EMULATED_DEVICES", 1);

    return count < 0 ? 0 : count > EMULATED_DEVICES_MAX ? EMULATED_DEVICES_MAX : (int)count;
}

int emulated_current() { return current; }
/* These properties differ among compute capabilities; the last one is the default. */
static const struct capability {
    int major, minor, shared_kib, threads, blocks;
} capabilities[] = {
    {7, 0, 96, 2048, 32},  {7, 5, 64, 1024, 16}, {8, 0, 163, 2048, 32}, {8, 6, 99, 1536, 16},
    {8, 7, 163, 1536, 16}, {8, 9, 99, 1536, 24}, {9, 0, 227, 2048, 32},
};

static const struct capability *capability()
{
    const char *text = getenv("CALAB_EMULATED_CC");
    int count = sizeof capabilities / sizeof *capabilities, major, minor;

    if (text && sscanf(text, "%d.%d", &major, &minor) == 2)
        for (int i = 0; i < count; i++)
            if (capabilities[i].major == major && capabilities[i].minor == minor)
                return &capabilities[i];
    return &capabilities[count - 1];
}

int emulated_capability() { return 10 * capability()->major + capability()->minor; }
int emulated_resident_threads() { return capability()->threads; }
int emulated_resident_blocks() { return capability()->blocks; }

size_t emulated_shared_size()
{
    return (size_t)device_number("CALAB_EMULATED_SHARED", capability()->shared_kib << 10);
}
size_t emulated_memory_size() { return (size_t)device_number("CALAB_EMULATED_MEMORY", 2LL << 30); }
unsigned emulated_cluster_size()
{
    long long blocks = device_number("CALAB_EMULATED_CLUSTER", EMULATED_CLUSTER_MAX);

    return blocks < 1 ? 1 : blocks > EMULATED_CLUSTER_MAX ? EMULATED_CLUSTER_MAX : (unsigned)blocks;
}

int emulated_clock_khz() { return (int)device_number("CALAB_EMULATED_CLOCK", 1980000); }

static int driver() { return (int)device_number("CALAB_EMULATED_DRIVER", CUDART_VERSION); }

struct emulated_order emulated_order_wanted()
{
    const char *text = getenv("CALAB_EMULATED_ORDER");
    struct emulated_order order = {EMULATED_FORWARD, 0};

    if (!text || !*text || strcmp(text, "forward") == 0)
        return order;
    if (strcmp(text, "reverse") == 0) {
        order.kind = EMULATED_REVERSE;
    } else if (strncmp(text, "random:", 7) == 0) {
        order.kind = EMULATED_RANDOM;
        order.state = strtoull(text + 7, NULL, 0) + (uint64_t)launches;
    } else {
        fprintf(stderr,
                "calab: CALAB_EMULATED_ORDER is '%s': allowed are forward, reverse, random:SEED\n",
                text);
        abort();
    }
    return order;
}

/* --- errors ----------------------------------------------------------------------------------- */

#define PLANNED_MAX 16

/* The calls that CALAB_EMULATED_FAIL plans to fail, with how often they were called since it was
 * set. */
static struct {
    char text[512];
    int count;
    struct {
        char call[64];
        long long at, calls;
        cudaError_t error;
    } planned[PLANNED_MAX];
} plan;

static void read_plan(const char *text)
{
    plan.count = 0;
    snprintf(plan.text, sizeof plan.text, "%s", text);
    for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',') {
        auto *one = &plan.planned[plan.count];
        int error = 0;
        int fields = sscanf(at, "%63[^:,]:%lld:%d", one->call, &one->at, &error);

        if (fields < 2 || plan.count == PLANNED_MAX) {
            fprintf(stderr,
                    "calab: CALAB_EMULATED_FAIL is '%s': CALL:N or CALL:N:ERROR, with commas\n",
                    text);
            abort();
        }
        one->calls = 0;
        one->error = fields == 3                          ? (cudaError_t)error
                     : strncmp(at, "cudaMalloc", 10) == 0 ? cudaErrorMemoryAllocation
                                                          : cudaErrorUnknown;
        plan.count++;
    }
}

static cudaError_t planned(const char *call)
{
    const char *text = getenv("CALAB_EMULATED_FAIL");
    cudaError_t error = cudaSuccess;

    if (!text)
        text = "";
    if (strcmp(text, plan.text) != 0)
        read_plan(text);
    for (int i = 0; i < plan.count; i++)
        if (strcmp(plan.planned[i].call, call) == 0 &&
            ++plan.planned[i].calls == plan.planned[i].at)
            error = plan.planned[i].error;
    return error;
}

emulated_entry::emulated_entry(const char *call, bool without_device) : error(cudaSuccess)
{
    pthread_mutex_lock(&lock);
    limit_start();
    error = planned(call);
    if (error != cudaSuccess || without_device)
        return;
    if (driver() / 1000 < CUDART_VERSION / 1000)
        error = cudaErrorInsufficientDriver;
    else if (emulated_devices() == 0)
        error = cudaErrorNoDevice;
    else if (lost != cudaSuccess)
        error = lost;
}

emulated_entry::~emulated_entry() { pthread_mutex_unlock(&lock); }

cudaError_t emulated_entry::fail(cudaError_t why) const
{
    last_error = why;
    return why;
}

cudaError_t emulated_entry::waited()
{
    if (error == cudaSuccess)
        error = lost;
    return refused() ? fail() : cudaSuccess;
}

bool emulated_count_launch()
{
    if (++launches != device_number("CALAB_EMULATED_LOST", -1))
        return true;
    emulated_lose(cudaErrorIllegalAddress);
    return false;
}

void emulated_lose(cudaError_t why)
{
    lost = why;
    queue_drop();
}

bool emulated_is_lost() { return lost != cudaSuccess; }

cudaError_t cudaGetLastError()
{
    cudaError_t error = last_error;

    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError() { return last_error; }

/* --- devices ---------------------------------------------------------------------------------- */

cudaError_t cudaDriverGetVersion(int *version)
{
    struct emulated_entry entry(__func__, true);

    *version = driver();
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    struct emulated_entry entry(__func__, true);

    *version = CUDART_VERSION;
    return entry.refused() ? entry.fail() : cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    struct emulated_entry entry(__func__);

    *count = 0;
    if (entry.refused())
        return entry.fail();
    *count = emulated_devices();
    return cudaSuccess;
}

static bool library_exists(int device) { return device >= 0 && device < emulated_devices(); }

cudaError_t cudaSetDevice(int device)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!library_exists(device))
        return entry.fail(cudaErrorInvalidDevice);
    current = device;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    *device = current;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!library_exists(device))
        return entry.fail(cudaErrorInvalidDevice);
    return emulated_attribute(attribute, value) ? cudaSuccess : entry.fail(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!library_exists(device))
        return entry.fail(cudaErrorInvalidDevice);
    *properties = {};
    snprintf(properties->name, sizeof properties->name, "emulated GPU");
    properties->totalGlobalMem = emulated_memory_size();
    properties->sharedMemPerBlock = 49152;
    properties->sharedMemPerBlockOptin = emulated_shared_size();
    properties->sharedMemPerMultiprocessor = emulated_shared_size() + 1024;
    properties->reservedSharedMemPerBlock = 1024;
    properties->totalConstMem = properties->regsPerBlock = properties->regsPerMultiprocessor =
        65536;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
    properties->maxThreadsDim[2] = 64;
    properties->maxGridSize[0] = 0x7fffffff;
    properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
    properties->major = capability()->major;
    properties->minor = capability()->minor;
    properties->multiProcessorCount = EMULATED_MULTIPROCESSORS;
    properties->canMapHostMemory = properties->concurrentKernels = properties->managedMemory = 1;
    properties->cooperativeLaunch = 1;
    properties->clockRate = emulated_clock_khz();
    properties->memoryClockRate = 3201000;
    properties->memPitch = 0x7fffffff;
    properties->textureAlignment = 512;
    properties->deviceOverlap = 1;
    properties->texturePitchAlignment = 32;
    properties->surfaceAlignment = 512;
    properties->maxTexture1D = properties->maxTexture2D[0] = 131072;
    properties->maxTexture2D[1] = 65536;
    properties->maxTexture3D[0] = properties->maxTexture3D[1] = properties->maxTexture3D[2] = 16384;
    properties->maxTexture1DLayered[0] = properties->maxTexture2DLayered[0] =
        properties->maxTexture2DLayered[1] = 32768;
    properties->maxTexture1DLayered[1] = properties->maxTexture2DLayered[2] = 2048;
    properties->streamPrioritiesSupported = properties->globalL1CacheSupported =
        properties->localL1CacheSupported = 1;
    properties->concurrentManagedAccess = properties->hostNativeAtomicSupported = 1;
    properties->computePreemptionSupported = properties->memoryPoolsSupported = 1;
    properties->hostRegisterSupported = properties->canUseHostPointerForRegisteredMem = 1;
    properties->singleToDoublePrecisionPerfRatio = 2;
    properties->unifiedAddressing = properties->asyncEngineCount = 1;
    properties->pciBusID = device + 1;
    properties->memoryBusWidth = 64;
    properties->l2CacheSize = 1 << 20;
    properties->maxThreadsPerMultiProcessor = capability()->threads;
    properties->maxBlocksPerMultiProcessor = capability()->blocks;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!library_exists(device))
        return entry.fail(cudaErrorInvalidDevice);
    return snprintf(text, (size_t)size, "00000000:%02X:00.0", device + 1) < size
               ? cudaSuccess
               : entry.fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize()
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    queue_wait_all();
    return entry.waited();
}

cudaError_t cudaSetDeviceFlags(unsigned)
{
    struct emulated_entry entry(__func__);

    return entry.refused() ? entry.fail() : cudaSuccess;
}

/* Frees what there is and finds a lost device again. */
cudaError_t cudaDeviceReset()
{
    struct emulated_entry entry(__func__, true);

    if (entry.refused())
        return entry.fail();
    queue_wait_all();
    emulated_memory_reset();
    emulated_function_reset();
    memset(peers, 0, sizeof peers);
    lost = last_error = cudaSuccess;
    return cudaSuccess;
}

bool emulated_peers(int device, int peer) { return device == peer || peers[device][peer]; }

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!library_exists(device) || !library_exists(peer))
        return entry.fail(cudaErrorInvalidDevice);
    *can = device != peer && device_number("CALAB_EMULATED_PEERS", 1) != 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!library_exists(peer) || peer == current)
        return entry.fail(cudaErrorInvalidDevice);
    if (!peers[current][peer])
        return entry.fail(cudaErrorPeerAccessNotEnabled);
    peers[current][peer] = false;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer)
{
    *value = 0;
    return attribute == cudaDevP2PAttrAccessSupported ||
                   attribute == cudaDevP2PAttrNativeAtomicSupported
               ? cudaDeviceCanAccessPeer(value, device, peer)
               : cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    struct emulated_entry entry(__func__);

    if (entry.refused())
        return entry.fail();
    if (!library_exists(peer) || peer == current)
        return entry.fail(cudaErrorInvalidDevice);
    if (flags != 0)
        return entry.fail(cudaErrorInvalidValue);
    if (peers[current][peer])
        return entry.fail(cudaErrorPeerAccessAlreadyEnabled);
    peers[current][peer] = true;
    return cudaSuccess;
}
