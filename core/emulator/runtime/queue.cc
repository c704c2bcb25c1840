/* SPDX-License-Identifier: MIT */
/*
 * Keeps the work of all streams and its order. Each work has a clock: of each lane, up to which of
 * its works all came before. Two works of which neither's clock has the other are beside each
 * other.
 */
#include "core/emulator/runtime/queue.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/host.h"
#include "core/emulator/runtime/order.h"
#include "core/emulator/runtime/watch.h"

typedef std::vector<uint64_t> lane_clock; /* by lane */

struct queue_capture {
    struct one {
        struct queue_origin origin;
        std::function<void()> run;
    };
    std::vector<one> work;
};

struct queue_work {
    uint64_t serial; /* among all */
    uint64_t number; /* in its lane, from 1 on */
    unsigned lane;
    struct queue_origin origin;
    bool done, asked; /* asked: whether it has run */
    lane_clock before;
    std::vector<queue_item> after; /* of other lanes */
    std::function<void()> run;
    uint32_t first, end;    /* intervals in which it ran */
    queue_captured capture; /* that it is a part of: it stands for the place there */
};

struct queue_lane {
    unsigned index;
    int device;
    bool blocking, is_default, unused;
    uint64_t count;
    queue_item last;
    std::vector<queue_item> follows; /* for what comes next */
    std::deque<queue_item> waiting;
    queue_captured capture; /* that keeps its work; NULL: none */
};

/* Never destroyed, since findings at the process's end ask them. */
static auto *const lanes = new std::vector<struct queue_lane *>;
static auto *const ran = new std::vector<queue_item>; /* what may be beside what is to come */
static auto *const known = new lane_clock;            /* to the host */
static const queue_item *running;
static uint64_t serial, waiting;

static uint64_t queue_at(const lane_clock &clock, unsigned lane)
{
    return lane < clock.size() ? clock[lane] : 0;
}

static void queue_join(lane_clock *to, const lane_clock &from)
{
    if (to->size() < from.size())
        to->resize(from.size());
    for (size_t i = 0; i < from.size(); i++)
        (*to)[i] = std::max((*to)[i], from[i]);
}

/* --- lanes ------------------------------------------------------------------------------------ */

static struct queue_lane *new_lane(int device, bool blocking, bool is_default)
{
    auto *lane = new struct queue_lane;

    *lane = {(unsigned)lanes->size(), device, blocking, is_default, false, 0, NULL, {}, {}, NULL};
    lanes->push_back(lane);
    return lane;
}

struct queue_lane *queue_lane_new(int device, bool blocking)
{
    for (struct queue_lane *lane : *lanes)
        if (lane->unused) {
            lane->unused = false;
            lane->device = device;
            lane->blocking = blocking;
            return lane;
        }
    return new_lane(device, blocking, false);
}

struct queue_lane *queue_default_lane(int device)
{
    for (struct queue_lane *lane : *lanes)
        if (lane->is_default && lane->device == device)
            return lane;
    return new_lane(device, true, true);
}

static bool has_lanes()
{
    int used = 0;

    for (const struct queue_lane *lane : *lanes)
        used += lane->count > 0;
    return used > 1;
}

/* --- running ---------------------------------------------------------------------------------- */

static void queue_finish(const queue_item &work);

/* The next work of a lane, after all that it needs. */
static void run_next(struct queue_lane *lane)
{
    queue_item work = lane->waiting.front();

    for (const queue_item &other : work->after)
        queue_finish(other);
    if (work->done)
        return;
    lane->waiting.pop_front();
    waiting--;
    work->done = true;
    work->first = watch_on ? order_next_interval() : 0;
    running = &work;
    if (work->run)
        work->run();
    running = NULL;
    work->end = watch_on ? order_next_interval() : 0;
    work->run = nullptr;
    work->after.clear();
    if (watch_on && work->origin.call) {
        host_settle(work->serial, work->first, work->end);
        if (has_lanes())
            ran->push_back(work);
    }
}

static void queue_finish(const queue_item &work)
{
    struct queue_lane *lane = (*lanes)[work->lane];

    while (!work->done)
        run_next(lane);
}

/* --- issuing ---------------------------------------------------------------------------------- */

static void depend(struct queue_work *work, const queue_item &other)
{
    queue_join(&work->before, other->before);
    if (!other->done && other->lane != work->lane)
        work->after.push_back(other);
}

/* The default stream waits for the blocking ones of its device, and they for it. */
static bool are_legacy(const struct queue_lane *a, const struct queue_lane *b)
{
    return a != b && a->device == b->device && a->blocking && b->blocking &&
           (a->is_default || b->is_default);
}

queue_item queue_add(struct queue_lane *lane, struct queue_origin origin, std::function<void()> run)
{
    auto work = std::make_shared<struct queue_work>();

    if (lane->capture) {
        if (origin.call)
            lane->capture->work.push_back({origin, std::move(run)});
        work->done = true;
        work->capture = lane->capture;
        return work;
    }
    while (waiting >= QUEUE_MOST)
        for (struct queue_lane *one : *lanes)
            if (!one->waiting.empty())
                run_next(one);
    work->serial = ++serial;
    work->number = ++lane->count;
    work->lane = lane->index;
    work->origin = origin;
    work->run = std::move(run);
    work->before = *known;
    if (lane->last)
        depend(work.get(), lane->last);
    for (const queue_item &other : lane->follows)
        depend(work.get(), other);
    lane->follows.clear();
    for (const struct queue_lane *other : *lanes)
        if (other->last && are_legacy(lane, other))
            depend(work.get(), other->last);
    if (work->before.size() <= lane->index)
        work->before.resize(lane->index + 1);
    work->before[lane->index] = work->number;
    lane->last = work;
    lane->waiting.push_back(work);
    waiting++;
    return work;
}

void queue_follow(struct queue_lane *lane, const queue_item &work)
{
    if (work->capture)
        lane->capture = work->capture;
    else
        lane->follows.push_back(work);
}

bool queue_done(const queue_item &work) { return work->done; }

/* --- capturing -------------------------------------------------------------------------------- */

bool queue_capture_begin(struct queue_lane *lane)
{
    if (lane->capture)
        return false;
    lane->capture = std::make_shared<struct queue_capture>();
    return true;
}

queue_captured queue_capture_end(struct queue_lane *lane)
{
    queue_captured capture = lane->capture;

    for (struct queue_lane *other : *lanes)
        if (capture && other->capture == capture)
            other->capture = NULL;
    return capture;
}

bool queue_captures(const struct queue_lane *lane) { return lane->capture != NULL; }
size_t queue_captured_count(const queue_captured &capture) { return capture->work.size(); }

void queue_add_captured(struct queue_lane *lane, const queue_captured &capture)
{
    for (const auto &one : capture->work)
        queue_add(lane, one.origin, one.run);
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* Whether what waits, and what is to come, is all behind this work. */
static bool is_past(const queue_item &other)
{
    if (queue_at(*known, other->lane) < other->number)
        return false;
    for (const struct queue_lane *lane : *lanes)
        for (const queue_item &work : lane->waiting)
            if (queue_at(work->before, other->lane) < other->number)
                return false;
    return true;
}

static void wait_for_work(const queue_item &work)
{
    queue_finish(work);
    queue_join(known, work->before);
    ran->erase(std::remove_if(ran->begin(), ran->end(), is_past), ran->end());
}

void queue_wait(const queue_item &work)
{
    wait_for_work(work);
    watch_synchronized();
}

/* Adds work behind all that a lane has to wait for. */
static queue_item queue_mark(struct queue_lane *lane)
{
    return queue_add(lane, {NULL, NULL, 0}, nullptr);
}

void queue_wait_lane(struct queue_lane *lane) { queue_wait(queue_mark(lane)); }

/* Whether work, but for marks, waits that this work is behind. */
static bool is_behind_waiting(const queue_item &work)
{
    for (const struct queue_lane *lane : *lanes)
        for (const queue_item &other : lane->waiting)
            if (other != work && other->run && queue_at(work->before, lane->index) >= other->number)
                return true;
    return false;
}

bool queue_ask(const queue_item &work)
{
    if (!work->done && !work->asked) {
        work->asked = true;
        return false;
    }
    queue_wait(work);
    return true;
}

bool queue_ask_lane(struct queue_lane *lane)
{
    bool again = lane->last && lane->last->asked && !lane->last->done;
    queue_item last = again ? lane->last : queue_mark(lane);

    last->asked = again || !is_behind_waiting(last);
    return queue_ask(last);
}

void queue_wait_all()
{
    for (size_t i = 0; i < lanes->size(); i++)
        if ((*lanes)[i]->last)
            wait_for_work((*lanes)[i]->last);
    watch_synchronized();
}

void queue_lane_delete(struct queue_lane *lane)
{
    if (lane->last)
        queue_finish(lane->last);
    lane->follows.clear();
    lane->unused = true;
}

void queue_drop()
{
    for (struct queue_lane *lane : *lanes)
        for (const queue_item &work : lane->waiting)
            work->run = nullptr;
}

/* --- for watching ----------------------------------------------------------------------------- */

bool queue_waits() { return waiting > 0; }
uint64_t queue_serial() { return serial; }

static bool is_beside(const queue_item &other)
{
    return running && queue_at((*running)->before, other->lane) < other->number;
}

bool queue_has_beside()
{
    for (const struct queue_lane *lane : *lanes)
        for (const queue_item &work : lane->waiting)
            if (running && queue_at(work->before, (*running)->lane) < (*running)->number)
                return true;
    return queue_beside() != UINT32_MAX;
}

uint32_t queue_beside()
{
    uint32_t first = UINT32_MAX;

    for (const queue_item &other : *ran)
        if (other->first < first && is_beside(other))
            first = other->first;
    return first;
}

bool queue_is_beside(uint32_t interval)
{
    for (const queue_item &other : *ran)
        if (interval >= other->first && interval < other->end)
            return is_beside(other);
    return false;
}

void queue_forget()
{
    ran->clear();
    if (running)
        (*running)->first = INTERVAL_FIRST;
}

void queue_run_rest()
{
    for (const struct queue_lane *lane : *lanes)
        for (const queue_item &work : lane->waiting)
            if (work->origin.call && work->run)
                finding_report(
                    EMULATED_WARNING, "synchronization", place_of(work->origin.code), NULL,
                    "%s%s has not run when the program ends, which never waits for it",
                    work->origin.kernel ? "kernel " : "",
                    work->origin.kernel
                        ? place_of((uint32_t)(uintptr_t)work->origin.kernel + 1)->function
                        : work->origin.call);
    for (size_t i = 0; i < lanes->size(); i++)
        while (!(*lanes)[i]->waiting.empty())
            run_next((*lanes)[i]);
}
