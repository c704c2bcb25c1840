/* SPDX-License-Identifier: MIT */
/* This file asks the CUDA runtime about drivers and devices. */
#include "core/machine/cuda.h"
#include "core/base/clock.h"
#include "core/machine/driver.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* This check precedes each first call of the driver. */
static enum ca_status check_driver(struct ca_error *error)
{
    return ca_cuda_emulated() ? CA_OK : ca_driver_answers(CA_DRIVER_CUDA, error);
}

int ca_cuda_driver(void)
{
    struct ca_error ignored;
    int version = 0;

    if (check_driver(&ignored) != CA_OK)
        return 0;
    return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

int ca_cuda_runtime(void)
{
    int version = 0;

    return cudaRuntimeGetVersion(&version) == cudaSuccess ? version : 0;
}

bool ca_cuda_emulated(void)
{
#ifdef CUDA_ON_CPU
    return true;
#else
    return false;
#endif
}

static bool left; /* the devices are another process's */

void ca_cuda_leave(void) { left = true; }

bool ca_cuda_lost(void)
{
    bool lost = cudaDeviceSynchronize() != cudaSuccess;

    cudaGetLastError();
    return lost;
}

/* Each call of the runtime would wake the devices; a driver shows itself by its device file. */
static enum ca_status look_for_driver(struct ca_error *error)
{
    if (access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0)
        return CA_OK;
    return ca_fail(error, CA_NO_DEVICE, "no NVIDIA driver is installed here");
}

#ifndef CALAB_CUDA_LEAST
#define CALAB_CUDA_LEAST 75 /* of a build for all GPUs that nvcc knows, and of the emulator */
#endif

/* There is code for compute capabilities from the least one of the build on. */
static enum ca_status check_capability(int count, struct ca_error *error)
{
    int major = 0, minor = 0;

    for (int i = 0; i < count; i++) {
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, i);
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, i);
        if (10 * major + minor >= CALAB_CUDA_LEAST)
            return CA_OK;
    }
    return ca_fail(error, CA_NO_DEVICE,
                   "the GPU has compute capability %d.%d, this calab was built for %d.%d and later "
                   "(`make CUDA_ARCH=%d%d` is for this GPU)",
                   major, minor, CALAB_CUDA_LEAST / 10, CALAB_CUDA_LEAST % 10, major, minor);
}

enum ca_status ca_needs_cuda(struct ca_error *error)
{
    int count = 0, driver, runtime = ca_cuda_runtime();
    cudaError_t result;

    if (left)
        return look_for_driver(error);
    CA_TRY(check_driver(error));
    driver = ca_cuda_driver();
    result = cudaGetDeviceCount(&count);
    ca_driver_release(CA_DRIVER_CUDA);
    if (result == cudaSuccess && count > 0)
        return check_capability(count, error);
    cudaGetLastError(); /* it is said here, and must not be found by a later call */
    if (driver == 0)
        return ca_fail(error, CA_NO_DEVICE, "no NVIDIA driver is installed here");
    if (driver / 1000 < runtime / 1000 || result == cudaErrorInsufficientDriver)
        return ca_fail(error, CA_NO_DEVICE,
                       "the NVIDIA driver is too old: it knows CUDA %d.%d, this calab needs %d.%d",
                       driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    if (result == cudaSuccess || result == cudaErrorNoDevice)
        return ca_fail(error, CA_NO_DEVICE, "there is no NVIDIA GPU here");
    return ca_fail(error, CA_NO_DEVICE, "no GPU can be used: %s (%s)", cudaGetErrorString(result),
                   cudaGetErrorName(result));
}

int ca_cuda_devices(void)
{
    struct ca_error ignored;
    int count = 0;

    if (ca_needs_cuda(&ignored) != CA_OK || cudaGetDeviceCount(&count) != cudaSuccess)
        return 0;
    return count;
}

#define DEVICES_MAX 64 /* whose facts are kept */

/* A GPU is asked for an answer by these; NULL: none yet. */
static struct {
    cudaStream_t stream;
    void *word;
} asker[DEVICES_MAX];

static bool make_asker(int index)
{
    return asker[index].word ||
           (cudaStreamCreateWithFlags(&asker[index].stream, cudaStreamNonBlocking) == cudaSuccess &&
            cudaMalloc(&asker[index].word, 4) == cudaSuccess);
}

double ca_cuda_answer_s(int index)
{
    int current = 0;
    double start, seconds = -1;

    if (left || index < 0 || index >= DEVICES_MAX || cudaGetDevice(&current) != cudaSuccess)
        return -1;
    if (cudaSetDevice(index) == cudaSuccess && make_asker(index)) {
        start = ca_now();
        if (cudaMemsetAsync(asker[index].word, 0, 4, asker[index].stream) == cudaSuccess &&
            cudaStreamSynchronize(asker[index].stream) == cudaSuccess)
            seconds = ca_now() - start;
    }
    cudaSetDevice(current);
    return seconds;
}

static enum ca_status cuda_device_failed(cudaError_t result, int index, const char *what,
                                         struct ca_error *error)
{
    cudaGetLastError();
    return ca_fail(error, CA_CUDA_FAILED, "GPU %d: %s: %s (%s)", index, what,
                   cudaGetErrorString(result), cudaGetErrorName(result));
}

/* L2 of all GPUs since compute capability 8.0 has this rate, for each multiprocessor. */
#define L2_BYTES_A_CLOCK 32
#define LAUNCH_S 2.2e-6

/* Two transfers in a clock of the memory, of which copies reach nine tenths; without knowing its
 * bus, what an H200 has for each multiprocessor. */
static double bytes_a_clock(int index, int multiprocessors, int khz)
{
    int memory_khz = 0, bits = 0;

    cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, index);
    cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, index);
    if (memory_khz <= 0 || bits <= 0 || khz <= 0)
        return 17 * multiprocessors;
    return 0.9 * 2 * memory_khz * (bits / 8.0) / khz;
}

static enum ca_status cuda_device_ask(int index, struct ca_cuda_device *device,
                                      struct ca_error *error)
{
    struct cudaDeviceProp properties;
    cudaError_t result;
    int khz = 0;

    result = cudaGetDeviceProperties(&properties, index);
    if (result != cudaSuccess)
        return cuda_device_failed(result, index, "asking for its properties", error);
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, index);
    memset(device, 0, sizeof *device);
    snprintf(device->name, sizeof device->name, "%.127s", properties.name);
    snprintf(device->bus, sizeof device->bus, "%08x:%02x:%02x.0", properties.pciDomainID,
             properties.pciBusID, properties.pciDeviceID);
    device->major = properties.major;
    device->minor = properties.minor;
    device->multiprocessors = properties.multiProcessorCount;
    device->clock_mhz = khz / 1000;
    device->memory_bytes = (int64_t)properties.totalGlobalMem;
    device->l2_bytes = properties.l2CacheSize;
    device->shared_bytes = (int64_t)properties.sharedMemPerBlockOptin;
    device->bytes_a_clock = bytes_a_clock(index, device->multiprocessors, khz);
    device->l2_bytes_a_clock = L2_BYTES_A_CLOCK * device->multiprocessors;
    device->launch_s = LAUNCH_S;
    return CA_OK;
}

enum ca_status ca_cuda_device(int index, struct ca_cuda_device *device, struct ca_error *error)
{
    static struct ca_cuda_device known[DEVICES_MAX]; /* asking takes milliseconds */
    int count;

    CA_TRY(ca_needs_cuda(error));
    count = ca_cuda_devices();
    if (index < 0 || index >= count)
        return ca_fail(error, CA_NO_DEVICE, "there is no GPU %d: %s%d %s here", index,
                       count > 1 ? "0 ... " : "", count - 1, count > 1 ? "are" : "alone is");
    if (index < DEVICES_MAX && known[index].multiprocessors) {
        *device = known[index];
        return CA_OK;
    }
    CA_TRY(cuda_device_ask(index, device, error));
    if (index < DEVICES_MAX)
        known[index] = *device;
    return CA_OK;
}
