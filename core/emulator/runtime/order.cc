/* SPDX-License-Identifier: MIT */
/*
 * Keeps the intervals of the launch that runs, the clocks of its warps' lanes, and what its threads
 * have released and acquired.
 *
 * A lane's clock counts the warp operations of an interval that it took part in; `seen` has, for
 * each lane, up to which clock it knows what the other lanes did.
 *
 * Each place at which threads release by a fence and an atomic, or by an mbarrier, has a log of
 * releases: a thread that acquires it knows of all of them so far, and so do the other threads of
 * its block after their next barrier.
 */
#include "core/emulator/runtime/order.h"

#include <algorithm>
#include <stdio.h>
#include <string.h>
#include <unordered_map>
#include <vector>

#include "core/emulator/runtime/block.h"
#include "core/emulator/runtime/count.h"

struct now now = {
    .alone = true,
    .interval = INTERVAL_FIRST,
    .before = INTERVAL_FIRST,
    .launch = INTERVAL_FIRST,
    .group = INTERVAL_FIRST,
    .floor = INTERVAL_FIRST,
};
__thread bool order_in_kernel;

struct warp {
    uint32_t interval; /* that the clocks are of */
    uint16_t clock[EMULATED_WARP], seen[EMULATED_WARP][EMULATED_WARP];
};

/* Beyond it, all is taken for ordered. */
static const uint16_t CLOCK_LAST = UINT16_MAX - 1;

#define WARPS (EMULATED_THREADS_MAX / EMULATED_WARP)

struct released {
    uint64_t position; /* in the log */
    uint32_t interval;
    uint16_t thread;
};

struct log {
    uint64_t count;
    std::unordered_map<uint64_t, std::vector<struct released>> by_block;
};

struct acquired {
    uint64_t before;   /* entries of the log that all threads of the block know, */
    uint32_t interval; /* and those that single threads have acquired in this interval */
    std::vector<std::pair<uint16_t, uint64_t>> by_thread;
};

/* A block of the group that runs. */
struct member {
    uint64_t block;
    uint32_t interval;
    struct warp warp[WARPS];
    uint32_t fence[EMULATED_THREADS_MAX], last_fence; /* intervals */
    std::unordered_map<const struct log *, struct acquired> acquired;
};

static uint32_t next_interval = INTERVAL_FIRST;
static std::vector<uint64_t> owner; /* block of each interval since now.launch */
static std::vector<struct member> group;
static std::unordered_map<const void *, struct log> logs;
static const char *arguments;
static size_t argument_bytes;
static dim3 grid_shape, block_shape;

/* --- intervals -------------------------------------------------------------------------------- */

uint32_t order_next_interval()
{
    owner.push_back(UINT64_MAX);
    return next_interval++;
}

static void new_interval(struct member *member)
{
    owner.push_back(member->block);
    member->interval = next_interval++;
}

void watch_launch(const struct emulated_launch *launch, int device)
{
    if (!watch_on)
        return;
    if (next_interval > UINT32_MAX / 4 * 3) {
        shadow_renumber();
        queue_forget();
        next_interval = INTERVAL_FIRST;
        now.synchronized = INTERVAL_FIRST;
    }
    owner.clear();
    logs.clear();
    arguments = (const char *)launch->arguments;
    argument_bytes = launch->argument_bytes;
    grid_shape = launch->grid;
    block_shape = launch->block;
    now.launch = now.group = now.floor = next_interval;
    now.before = std::min(now.launch, queue_beside());
    now.device = device;
    now.fenced = false;
    if (count_on)
        count_launch(launch);
}

void watch_launched()
{
    order_in_kernel = false;
    watch_settle();
    if (count_on)
        count_launched();
}

void watch_group(const uint64_t *blocks, int count)
{
    if (!watch_on)
        return;
    watch_settle();
    if (count_on)
        count_group();
    if ((int)group.size() < count)
        group.resize((size_t)count);
    now.group = now.floor = next_interval;
    now.alone = count == 1;
    now.own = now.alone ? now.group : UINT32_MAX;
    for (int i = 0; i < count; i++) {
        group[(size_t)i].block = blocks[i];
        group[(size_t)i].acquired.clear();
        group[(size_t)i].last_fence = 0;
        new_interval(&group[(size_t)i]);
    }
}

void watch_thread(int rank, int thread, const void *stack, size_t bytes)
{
    const struct member *member;
    const struct warp *warp;

    if (!watch_on)
        return;
    watch_settle();
    member = &group[(size_t)rank];
    warp = &member->warp[thread / EMULATED_WARP];
    order_in_kernel = true;
    now.rank = rank;
    now.thread = (uint16_t)thread;
    now.interval = member->interval;
    now.stamp = warp->interval == now.interval
                    ? std::min(warp->clock[thread % EMULATED_WARP], CLOCK_LAST)
                    : 0;
    now.plain = now.stamp == 0 && !count_on;
    now.stack = (const char *)stack;
    now.stack_bytes = bytes;
}

/* --- barriers --------------------------------------------------------------------------------- */

/* The threads that wait go on by watch_thread, and so find the new interval. */
void watch_barrier(int rank)
{
    if (!watch_on)
        return;
    new_interval(&group[(size_t)rank]);
    if (count_on)
        count_block(rank);
}

void watch_group_barrier()
{
    if (!watch_on)
        return;
    now.floor = next_interval;
    for (struct member &member : group)
        new_interval(&member);
    if (count_on)
        count_together();
    now.interval = group[(size_t)now.rank].interval;
}

void watch_warp(int rank, int number, uint32_t lanes)
{
    struct member *member;
    struct warp *warp;
    uint16_t row[EMULATED_WARP] = {};

    if (!watch_on)
        return;
    if (count_on)
        count_warp(rank, number, lanes);
    member = &group[(size_t)rank];
    warp = &member->warp[number];
    if (warp->interval != member->interval) {
        memset(warp, 0, sizeof *warp);
        warp->interval = member->interval;
    }
    for (int lane = 0; lane < EMULATED_WARP; lane++)
        if (lanes >> lane & 1)
            for (int other = 0; other < EMULATED_WARP; other++)
                row[other] = std::max(row[other], warp->seen[lane][other]);
    for (int lane = 0; lane < EMULATED_WARP; lane++)
        if (lanes >> lane & 1 && warp->clock[lane] < UINT16_MAX)
            row[lane] = ++warp->clock[lane];
    for (int lane = 0; lane < EMULATED_WARP; lane++)
        if (lanes >> lane & 1)
            memcpy(warp->seen[lane], row, sizeof row);
}

/* --- handing over ----------------------------------------------------------------------------- */

static void release(const void *what, uint32_t interval)
{
    struct log *log = &logs[what];
    std::vector<struct released> *own = &log->by_block[group[(size_t)now.rank].block];

    if (!own->empty() && own->back().interval == interval && own->back().thread == now.thread &&
        own->back().position == log->count - 1)
        return;
    own->push_back({log->count++, interval, now.thread});
}

static void acquire(const void *what)
{
    auto known = logs.find(what);
    struct acquired *own;

    if (known == logs.end())
        return;
    own = &group[(size_t)now.rank].acquired[&known->second];
    if (own->interval != now.interval) {
        for (auto &one : own->by_thread)
            own->before = std::max(own->before, one.second);
        own->by_thread.clear();
        own->interval = now.interval;
    }
    for (auto &one : own->by_thread)
        if (one.first == now.thread) {
            one.second = known->second.count;
            return;
        }
    own->by_thread.push_back({now.thread, known->second.count});
}

void watch_release(const void *what)
{
    if (watch_on)
        release(what, now.interval);
}

void watch_acquire(const void *what)
{
    if (watch_on)
        acquire(what);
}

void watch_fence()
{
    struct member *member;

    if (!watch_on || !order_in_kernel)
        return;
    member = &group[(size_t)now.rank];
    now.fenced = true;
    member->fence[now.thread] = member->last_fence = now.interval;
}

void order_atomic(const void *what, bool acquires, bool releases)
{
    const struct member *member = &group[(size_t)now.rank];

    if (acquires || now.fenced)
        acquire(what);
    if (releases || member->fence[now.thread] == now.interval)
        release(what, now.interval);
    else if (member->last_fence && member->last_fence < now.interval)
        release(what, member->last_fence + 1); /* of all threads, that a barrier followed */
}

/* How much of a log the running thread knows. */
static uint64_t known_of(const struct acquired *acquired)
{
    uint64_t count = acquired->before;

    for (const auto &one : acquired->by_thread)
        if (acquired->interval < now.interval || one.first == now.thread)
            count = std::max(count, one.second);
    return count;
}

/* Whether a release that the running thread knows of came after the access. */
static bool handed_over(const struct access *access)
{
    uint64_t block = owner[access->interval - now.launch];

    for (const auto &one : group[(size_t)now.rank].acquired) {
        auto found = one.first->by_block.find(block);
        uint64_t known = known_of(&one.second);

        if (found == one.first->by_block.end())
            continue;
        for (auto entry = found->second.rbegin(); entry != found->second.rend(); ++entry) {
            if (entry->position >= known)
                continue;
            if (entry->interval > access->interval ||
                (entry->interval == access->interval &&
                 entry->thread == (access->thread & ACCESS_THREAD)))
                return true;
            if (entry->interval < access->interval)
                break;
        }
    }
    return false;
}

/* --- questions -------------------------------------------------------------------------------- */

bool order_in_interval(const struct access *access)
{
    const struct warp *warp = &group[(size_t)now.rank].warp[now.thread / EMULATED_WARP];
    int other = access->thread & ACCESS_THREAD;

    if (other / EMULATED_WARP == now.thread / EMULATED_WARP && warp->interval == now.interval &&
        warp->seen[now.thread % EMULATED_WARP][other % EMULATED_WARP] > access->stamp)
        return true;
    return handed_over(access);
}

bool order_in_launch(const struct access *access)
{
    if (access->interval >= now.group &&
        (access->interval < now.floor ||
         owner[access->interval - now.launch] == group[(size_t)now.rank].block))
        return true;
    return handed_over(access);
}

bool order_in_block(const struct access *access)
{
    return access->interval >= now.launch &&
           owner[access->interval - now.launch] == group[(size_t)now.rank].block;
}

bool order_is_argument(const void *memory)
{
    return (size_t)((const char *)memory - arguments) < argument_bytes;
}

/* --- in words --------------------------------------------------------------------------------- */

static struct who who(uint64_t block, unsigned thread)
{
    struct who who;
    unsigned x = grid_shape.x, y = grid_shape.y;

    snprintf(who.text, sizeof who.text, "block (%u,%u,%u) thread (%u,%u,%u)", (unsigned)(block % x),
             (unsigned)(block / x % y), (unsigned)(block / x / y), thread % block_shape.x,
             thread / block_shape.x % block_shape.y, thread / block_shape.x / block_shape.y);
    return who;
}

struct who who_made(const struct access *access)
{
    if (access->interval < now.launch) {
        struct who other;

        snprintf(other.text, sizeof other.text, "a %s of another stream, with no event between,",
                 access->thread & ACCESS_HOST ? "copy" : "kernel");
        return other;
    }
    return who(owner[access->interval - now.launch], access->thread & ACCESS_THREAD);
}

struct who who_runs() { return who(group[(size_t)now.rank].block, now.thread); }

void watch_synchronized() { now.synchronized = next_interval; }
