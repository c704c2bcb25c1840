/* SPDX-License-Identifier: MIT */
/*
 * The work that the host has issued and that has not run: launches, copies, fillings and events. It
 * runs when the host waits for it and not before, or has asked for it twice, and of it only what
 * CUDA orders before what is waited for. So a host or a stream that does not wait sees old data
 * each time, and not by chance.
 *
 * These are ordered: work of one stream; work of the legacy default stream and of the blocking ones
 * of its device; work behind an event that its stream waits for; and what the host has waited for
 * before it issues work. All calls are made while the emulator's lock is held.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_QUEUE_H
#define CALAB_CORE_EMULATOR_RUNTIME_QUEUE_H

#include <functional>
#include <memory>
#include <stdint.h>

#include "core/emulator/runtime/api.h"

#define QUEUE_MOST 1024 /* of work that waits; the oldest runs before more is issued */

struct queue_work;
typedef std::shared_ptr<struct queue_work> queue_item;

/* Work is in order in a lane: a stream, or a device's default stream. */
struct queue_lane;
struct queue_lane *queue_lane_new(int device, bool blocking);
/* Work that is pending in it runs first. */
void queue_lane_delete(struct queue_lane *lane);
struct queue_lane *queue_default_lane(int device);

/* The call or kernel of work, and where it was issued. */
struct queue_origin {
    const char *call;   /* NULL: nothing that would be missed */
    const void *kernel; /* NULL: no launch */
    uint32_t code;
};

queue_item queue_add(struct queue_lane *lane, struct queue_origin origin,
                     std::function<void()> run);
/* Work that a lane gets from now on is ordered behind this one. */
void queue_follow(struct queue_lane *lane, const queue_item &work);
bool queue_done(const queue_item &work);

/* Work that lanes kept instead of running it: from the begin of one's capture to its end, that lane
 * and those that follow its work. */
struct queue_capture;
typedef std::shared_ptr<struct queue_capture> queue_captured;
/* False where the lane captures already. */
bool queue_capture_begin(struct queue_lane *lane);
/* NULL where it captures nothing. */
queue_captured queue_capture_end(struct queue_lane *lane);
bool queue_captures(const struct queue_lane *lane);
size_t queue_captured_count(const queue_captured &capture);
/* Issues what was captured, once more. */
void queue_add_captured(struct queue_lane *lane, const queue_captured &capture);

/* The host waits. */
void queue_wait(const queue_item &work);
void queue_wait_lane(struct queue_lane *lane);
void queue_wait_all();
/* The host asks whether work, or all that a lane has to wait for, has run, and has waited for it if
 * the answer is yes. It is no where that still waits and the host asks for the first time; asked
 * again, it runs. */
bool queue_ask(const queue_item &work);
bool queue_ask_lane(struct queue_lane *lane);
/* Nothing of what waits runs: the device is lost. */
void queue_drop();

/* --- for watching ----------------------------------------------------------------------------- */

/* Whether work has been issued that the host has not waited for. */
bool queue_waits();
/* The number of the last work that was issued. */
uint64_t queue_serial();
/* Whether other work, which has run or waits, is not ordered with the work that runs. */
bool queue_has_beside();
/* The first interval of work that has run and is not ordered before the work that runs; UINT32_MAX
 * where there is none. */
uint32_t queue_beside();
/* Whether an interval is of such work. */
bool queue_is_beside(uint32_t interval);
/* Intervals are numbered anew. */
void queue_forget();
/* Says what the program never waited for, and runs it. */
void queue_run_rest();

#endif
