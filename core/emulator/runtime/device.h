/* SPDX-License-Identifier: MIT */
/*
 * The parts of the emulator's host side share this: the lock and the checks that every call starts
 * with, what the environment says, and the memory that a launch may touch.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_DEVICE_H
#define CALAB_CORE_EMULATOR_RUNTIME_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/block.h"
#include "core/emulator/runtime/queue.h"

#define EMULATED_DEVICES_MAX 64

/*
 * Each call of the API opens with one: it takes the emulator's lock for the call, and refuses where
 * the driver is too old, no device is there, the device is lost, or CALAB_EMULATED_FAIL says so.
 *
 *     struct emulated_entry entry(__func__);
 *     if (entry.refused())
 *         return entry.fail();
 */
struct emulated_entry {
    cudaError_t error;

    explicit emulated_entry(const char *call, bool without_device = false);
    ~emulated_entry();
    bool refused() const { return error != cudaSuccess; }
    cudaError_t fail() const { return fail(error); }
    cudaError_t fail(cudaError_t why) const; /* as the thread's last error, too */
    /* After waiting: what became of the work that has run. */
    cudaError_t waited();
};

/* The same for every device; false for one that the emulator has no value for. */
bool emulated_attribute(enum cudaDeviceAttr attribute, int *value);

int emulated_devices();        /* CALAB_EMULATED_DEVICES, peers unless CALAB_EMULATED_PEERS is 0 */
int emulated_current();        /* the calling thread's device */
size_t emulated_memory_size(); /* CALAB_EMULATED_MEMORY */
size_t emulated_shared_size(); /* CALAB_EMULATED_SHARED */
int emulated_clock_khz();      /* CALAB_EMULATED_CLOCK */
/* The compute capability that CALAB_EMULATED_CC sets, 90 for 9.0, and the threads that a
 * multiprocessor holds at once. */
int emulated_capability();
int emulated_resident_threads();
int emulated_resident_blocks();
unsigned emulated_cluster_size(); /* CALAB_EMULATED_CLUSTER */
struct emulated_order emulated_order_wanted();

/* Counts a launch; false when it is the one that loses the device. */
bool emulated_count_launch();
/* All later calls fail with this error. */
void emulated_lose(cudaError_t why);
bool emulated_is_lost();

/* Memory that kernels on a device may touch; at other times nobody may, not even the host. */
void emulated_memory_open(int device);
void emulated_memory_close(int device);
void emulated_memory_reset();
void emulated_function_reset();
bool emulated_peers(int device, int peer);

/* Whether a stream can be used by the calling thread as it stands. */
bool emulated_stream_fits(cudaStream_t stream);
/* The lane in which a stream's work is in order; NULL: the calling thread's device's default
 * stream.
 */
struct queue_lane *emulated_stream_lane(cudaStream_t stream);

#endif
