/* SPDX-License-Identifier: MIT */
/*
 * Keeps the intervals of the launch that runs, the clocks of its warps' lanes, and what its threads
 * have released and acquired.
 *
 * A lane's clock counts the warp operations of an interval that it took part in; `seen` has, for
 * each lane, up to which clock it knows what the other lanes did.
 *
 * Each place at which threads release by a fence and an atomic, or by an mbarrier, has a log of
 * releases: a thread that acquires it knows of all of them so far, of all that those knew who
 * released, and so do the other threads of its block after their next barrier. A fence or an atomic
 * operation of the block's scope does so for threads of its block alone.
 *
 * A fence advances the clock of its lane: what a thread does behind the fence is not released with
 * what it did before. Behind an atomicCAS, with which locks are taken, nothing is acquired before
 * the next fence, and what was done without it is not in order with what others do under the lock.
 */
#include "core/emulator/runtime/order.h"

#include <algorithm>
#include <memory>
#include <stdio.h>
#include <string.h>
#include <unordered_map>
#include <vector>

#include "core/emulator/runtime/block.h"
#include "core/emulator/runtime/count.h"
#include "core/emulator/runtime/notes.h"

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

/* Of so many releases it is looked at what those knew who released, if of no more places. */
#define FORMER_MOST 256
#define KNOWN_MOST 64

enum scope { BLOCK, DEVICE, SCOPES };
/* Behind the scopes that one of the block has, or one of the device. */
static int scopes_of(bool device) { return device ? SCOPES : DEVICE; }

struct moment {
    uint32_t interval;
    uint16_t stamp; /* the last that was before it */
};

struct released {
    uint64_t position; /* in the log */
    struct moment until;
    uint16_t thread;
    bool device; /* for other blocks, too */
    /* Accesses with these stamps were made under a lock, and before the fence that belongs there.
     */
    uint16_t locked, fenced[SCOPES];
};

/* How many entries of a log are known that threads of the own block have made, and others. */
struct known {
    uint64_t count[SCOPES];
};

struct log;
typedef std::vector<std::pair<struct log *, struct known>> knowledge;

struct log {
    std::unordered_map<uint64_t, std::vector<struct released>> by_block;
    std::vector<std::shared_ptr<knowledge>> former; /* of who released, by position */
};

struct acquired {
    struct known before; /* entries of the log that all threads of the block know, */
    uint32_t interval;   /* and those that single threads have acquired in this interval */
    std::vector<std::pair<uint16_t, struct known>> by_thread;
};

/* A lock that a thread has taken in an interval: `fenced` are the stamps behind its first fences.
 */
struct lock {
    const void *what;
    struct moment from;
    uint16_t fenced[SCOPES];
};

/* An acquire that waits for a fence. */
struct asked {
    const void *what;
    uint16_t thread;
    bool device;
};

/* A block of the group that runs. */
struct member {
    uint64_t block;
    uint32_t interval;
    struct warp warp[WARPS];
    struct moment fence[SCOPES][EMULATED_THREADS_MAX];
    uint32_t last_fence[SCOPES]; /* intervals */
    struct lock lock[EMULATED_THREADS_MAX];
    std::vector<struct asked> asked;
    std::unordered_map<struct log *, struct acquired> acquired;
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
    notes_report_all();
    if (count_on)
        count_launched();
}

void watch_group(const uint64_t *blocks, int count)
{
    if (!watch_on)
        return;
    watch_settle();
    notes_report_all();
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
        group[(size_t)i].asked.clear();
        memset(group[(size_t)i].last_fence, 0, sizeof group[(size_t)i].last_fence);
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
    now.plain = now.stamp == 0 && !count_on && !notes_wait;
    now.fresh = false;
    now.reads = 0;
    now.stack = (const char *)stack;
    now.stack_bytes = bytes;
}

/* --- barriers --------------------------------------------------------------------------------- */

static void acquire_for(struct member *member, uint16_t thread, const void *what, bool device);

/* A barrier is as good as the fence that an acquire waits for. */
static void acquire_asked(struct member *member)
{
    for (const struct asked &one : member->asked)
        acquire_for(member, one.thread, one.what, one.device);
    member->asked.clear();
}

/* The threads that wait go on by watch_thread, and so find the new interval. */
void watch_barrier(int rank)
{
    if (!watch_on)
        return;
    acquire_asked(&group[(size_t)rank]);
    new_interval(&group[(size_t)rank]);
    if (count_on)
        count_block(rank);
}

void watch_group_barrier()
{
    if (!watch_on)
        return;
    now.floor = next_interval;
    for (struct member &member : group) {
        acquire_asked(&member);
        new_interval(&member);
    }
    if (count_on)
        count_together();
    now.interval = group[(size_t)now.rank].interval;
}

static struct warp *warp_now(struct member *member, int number)
{
    struct warp *warp = &member->warp[number];

    if (warp->interval != member->interval) {
        memset(warp, 0, sizeof *warp);
        warp->interval = member->interval;
    }
    return warp;
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
    warp = warp_now(member, number);
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

/* What the running thread does from here on comes behind all that it has done. */
static void advance(struct member *member)
{
    uint16_t *clock = &warp_now(member, now.thread / EMULATED_WARP)->clock[now.thread % 32];

    if (*clock < CLOCK_LAST)
        ++*clock;
    now.stamp = *clock;
    now.plain = false;
}

/* How much of a log a thread knows. */
static struct known known_of(const struct acquired *acquired, uint16_t thread)
{
    struct known known = acquired->before;

    for (const auto &one : acquired->by_thread)
        if (acquired->interval < now.interval || one.first == thread)
            for (int scope = 0; scope < SCOPES; scope++)
                known.count[scope] = std::max(known.count[scope], one.second.count[scope]);
    return known;
}

static std::shared_ptr<knowledge> knowledge_of(const struct member *member)
{
    std::shared_ptr<knowledge> all;

    if (member->acquired.size() > KNOWN_MOST)
        return all;
    for (const auto &one : member->acquired) {
        if (!all)
            all = std::make_shared<knowledge>();
        all->push_back({one.first, known_of(&one.second, now.thread)});
    }
    return all;
}

static void release(const void *what, struct moment until, bool device)
{
    struct member *member = &group[(size_t)now.rank];
    struct lock *lock = &member->lock[now.thread];
    struct log *log = &logs[what];
    std::vector<struct released> *own = &log->by_block[member->block];
    struct released entry = {log->former.size(), until, now.thread, device, UINT16_MAX, {0, 0}};

    if (lock->what == what && lock->from.interval == now.interval) {
        entry.locked = lock->from.stamp;
        memcpy(entry.fenced, lock->fenced, sizeof entry.fenced);
    }
    if (!own->empty() && own->back().until.interval == until.interval &&
        own->back().until.stamp == until.stamp && own->back().thread == now.thread &&
        own->back().device == device && own->back().position + 1 == entry.position)
        return;
    own->push_back(entry);
    log->former.push_back(knowledge_of(member));
}

static struct known *known_by(struct member *member, uint16_t thread, struct log *log)
{
    struct acquired *own = &member->acquired[log];

    if (own->interval != member->interval) {
        for (const auto &one : own->by_thread)
            for (int scope = 0; scope < SCOPES; scope++)
                own->before.count[scope] =
                    std::max(own->before.count[scope], one.second.count[scope]);
        own->by_thread.clear();
        own->interval = member->interval;
    }
    for (auto &one : own->by_thread)
        if (one.first == thread)
            return &one.second;
    own->by_thread.push_back({thread, own->before});
    return &own->by_thread.back().second;
}

/* device: releases of other blocks, too. */
static void acquire_for(struct member *member, uint16_t thread, const void *what, bool device)
{
    auto found = logs.find(what);
    uint64_t count, from;
    struct known *known;

    if (found == logs.end())
        return;
    known = known_by(member, thread, &found->second);
    count = found->second.former.size();
    from = std::max(known->count[device ? DEVICE : BLOCK],
                    count > FORMER_MOST ? count - FORMER_MOST : 0);
    for (int scope = BLOCK; scope < scopes_of(device); scope++)
        known->count[scope] = count;
    for (uint64_t i = from; i < count; i++)
        for (size_t j = 0; found->second.former[i] && j < found->second.former[i]->size(); j++) {
            const auto &one = (*found->second.former[i])[j];

            known = known_by(member, thread, one.first);
            for (int scope = BLOCK; scope < scopes_of(device); scope++)
                known->count[scope] = std::max(known->count[scope], one.second.count[scope]);
        }
}

static void acquire(const void *what, bool device)
{
    acquire_for(&group[(size_t)now.rank], now.thread, what, device);
}

void watch_release(const void *what)
{
    if (watch_on)
        release(what, {now.interval, now.stamp}, true);
}

void watch_acquire(const void *what)
{
    if (watch_on)
        acquire(what, true);
}

void watch_fence(bool device)
{
    struct member *member;
    struct lock *lock;
    std::vector<struct asked> *asked;

    if (!watch_on || !order_in_kernel)
        return;
    member = &group[(size_t)now.rank];
    asked = &member->asked;
    now.fenced = now.fresh = true;
    for (int scope = BLOCK; scope < scopes_of(device); scope++) {
        member->fence[scope][now.thread] = {now.interval, now.stamp};
        member->last_fence[scope] = now.interval;
    }
    advance(member);
    lock = &member->lock[now.thread];
    for (int scope = BLOCK; scope < scopes_of(device) && lock->from.interval == now.interval;
         scope++)
        if (lock->fenced[scope] == UINT16_MAX)
            lock->fenced[scope] = now.stamp;
    for (size_t i = 0; i < asked->size(); i++) {
        struct asked one = (*asked)[i];

        if (one.thread != now.thread)
            continue;
        acquire(one.what, device && one.device);
        if (device)
            asked->erase(asked->begin() + (long)i--);
    }
}

/* A fence of the thread, or of the block's before a barrier, makes an atomic operation a release.
 */
static void release_by_fence(const void *what, enum scope scope, bool device)
{
    const struct member *member = &group[(size_t)now.rank];
    const struct moment *own = &member->fence[scope][now.thread];

    if (own->interval == now.interval)
        release(what, *own, device);
    else if (member->last_fence[scope] && member->last_fence[scope] < now.interval)
        release(what, {member->last_fence[scope] + 1, 0}, device);
}

/* The running thread takes what may be a lock. */
static void ask(struct member *member, const void *what, bool device)
{
    struct lock *lock = &member->lock[now.thread];
    bool is_new = true;

    for (const struct asked &one : member->asked)
        is_new &= one.thread != now.thread || one.what != what || one.device != device;
    if (is_new)
        member->asked.push_back({what, now.thread, device});
    if (lock->what == what && lock->from.interval == now.interval &&
        lock->from.stamp == now.stamp && lock->fenced[BLOCK] == UINT16_MAX)
        return; /* nothing but attempts so far */
    advance(member);
    *lock = {what, {now.interval, now.stamp}, {UINT16_MAX, UINT16_MAX}};
}

void order_atomic(const void *what, struct order_how how)
{
    struct member *member = &group[(size_t)now.rank];
    struct lock *lock = &member->lock[now.thread];

    if (how.acquires || (now.fenced && !how.compares))
        acquire(what, !how.of_block);
    if (how.releases) {
        release(what, {now.interval, now.stamp}, !how.of_block);
        advance(member);
    } else if (now.fenced) {
        release_by_fence(what, DEVICE, !how.of_block);
        release_by_fence(what, BLOCK, false);
    }
    if (how.compares && !how.acquires)
        ask(member, what, !how.of_block);
    else if (lock->what == what)
        lock->what = NULL;
}

void order_load(const void *what, bool acquires)
{
    if (acquires || now.fenced)
        acquire(what, true);
}

void order_store(const void *what)
{
    release_by_fence(what, DEVICE, true);
    release_by_fence(what, BLOCK, false);
}

bool order_publishes()
{
    const struct lock *lock = &group[(size_t)now.rank].lock[now.thread];

    return now.fresh && !(lock->what && lock->from.interval == now.interval);
}

/* Whether a release covers an access of its block. */
static bool covers(const struct released *entry, const struct access *access, enum scope scope)
{
    if (entry->until.interval != access->interval ||
        entry->thread != (access->thread & ACCESS_THREAD))
        return entry->until.interval > access->interval;
    return access->stamp <= entry->until.stamp &&
           (access->stamp < entry->locked || access->stamp >= entry->fenced[scope]);
}

/* Whether a release that the running thread knows of came after the access. */
static bool handed_over(const struct access *access)
{
    uint64_t block = owner[access->interval - now.launch];
    const struct member *member = &group[(size_t)now.rank];
    enum scope scope = block == member->block ? BLOCK : DEVICE;

    for (const auto &one : member->acquired) {
        auto found = one.first->by_block.find(block);
        uint64_t known = known_of(&one.second, now.thread).count[scope];

        if (found == one.first->by_block.end())
            continue;
        for (auto entry = found->second.rbegin(); entry != found->second.rend(); ++entry) {
            if (entry->position >= known || (scope == DEVICE && !entry->device))
                continue;
            if (covers(&*entry, access, scope))
                return true;
            if (entry->until.interval < access->interval)
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
