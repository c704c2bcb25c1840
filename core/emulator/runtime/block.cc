/* SPDX-License-Identifier: MIT */
/*
 * Runs the threads of the running block or cluster, and reports those that are waited for and never
 * come. The host thread that launches holds the emulator's
 * lock, so there is one running block or cluster in the process.
 */
#define CHANGES_THREADS
#include "core/emulator/runtime/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/count.h"
#include "core/emulator/runtime/place.h"
#include "core/emulator/runtime/watch.h"
#include "core/emulator/runtime/errors.h"
#include "core/emulator/runtime/fiber.h"
#include "core/emulator/runtime/threads.h"

uint3 threadIdx, blockIdx;
dim3 blockDim = {0, 0, 0}, gridDim = {0, 0, 0};
uint64_t emulated_block;
int emulated_rank;
void *emulated_dynamic_memory;

static const char *const wait_names[] = {
    "__syncthreads",          "__syncthreads_or", "__syncthreads_and",   "__syncthreads_count",
    "__cluster_barrier_wait", "mbarrier",         "__syncwarp",          "__shfl_sync",
    "__ballot_sync",          "__any_sync",       "__all_sync",          "__reduce_sync",
    "__match_any_sync",       "__activemask",     "cuda::barrier::wait",
};

#define THREADS_MAX (EMULATED_THREADS_MAX * EMULATED_CLUSTER_MAX)

enum state { UNSTARTED, RUNS, WAITS, ENDED };

struct thread {
    enum state state;
    struct fiber *fiber;
    /* While it waits: */
    enum emulated_wait kind;
    const char *file;
    int line;
    uint32_t mask;
    const void *what;
    int from;
    uint64_t value, *values; /* value: what it brings, then what it gets */
    uint3 index;
};

static struct {
    const struct emulated_launch *launch;
    struct emulated_order *order;
    struct thread thread[THREADS_MAX]; /* block after block */
    int start[THREADS_MAX];            /* the order in which threads start, */
    int go[EMULATED_THREADS_MAX];      /* in which those of a block go on after a barrier, */
    int all[THREADS_MAX];              /* and those of a cluster */
    int ready[THREADS_MAX];            /* a ring of threads that can go on */
    int ready_first, ready_count;
    int size, count, started, ended; /* size: of a block */
    struct {
        int at_barrier, predicates, result, ended;
        uint32_t
            at_warp[EMULATED_THREADS_MAX / EMULATED_WARP]; /* lanes that wait in warp operations */
        size_t shared_bytes;
    } of[EMULATED_GROUP_MAX]; /* each block */
    uint3 first;              /* block */
    bool trapped, asks_active;
    int trap_error;
    struct fiber host, *running;
} block;

/* --- saying what is wrong --------------------------------------------------------------------- */

/* Reports a finding, after which the launch ends. */
[[noreturn]] static void stop_watched(const char *format, va_list arguments)
{
    const struct place *kernel = place_of((uint32_t)(uintptr_t)block.launch->kernel + 1);
    char text[1024];

    vsnprintf(text, sizeof text, format, arguments);
    finding_report(EMULATED_ERROR, "kernel", kernel, NULL, "block (%u,%u,%u) thread (%u,%u,%u): %s",
                   blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, text);
    emulated_trap();
}

void emulated_stop(const char *format, ...)
{
    const char *name = place_of((uint32_t)(uintptr_t)block.launch->kernel + 1)->function;
    va_list arguments;

    va_start(arguments, format);
    if (watch_on)
        stop_watched(format, arguments); /* does not return */
    fprintf(stderr, "calab: kernel %s, block (%u,%u,%u) of %ux%ux%u threads: ", name, blockIdx.x,
            blockIdx.y, blockIdx.z, blockDim.x, blockDim.y, blockDim.z);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    abort();
}

static bool same_wait(const struct thread *a, const struct thread *b)
{
    return a->state == b->state &&
           (a->state != WAITS || (a->kind == b->kind && a->line == b->line && a->mask == b->mask &&
                                  (a->file == b->file || strcmp(a->file, b->file) == 0)));
}

/* One line for all threads that are in the same state as thread i, unless said before. */
static void describe_thread(int i)
{
    const struct thread *one = &block.thread[i];
    int same = 0;

    for (int j = 0; j < block.count; j++) {
        if (j < i && same_wait(one, &block.thread[j]))
            return;
        same += same_wait(one, &block.thread[j]);
    }
    fprintf(stderr, "calab:     %d %s", same,
            one->state == ENDED ? "ended" : wait_names[one->kind]);
    if (one->state == WAITS) {
        if (one->kind >= EMULATED_SYNCWARP && one->kind <= EMULATED_MATCH)
            fprintf(stderr, " of lanes 0x%08x", one->mask);
        fprintf(stderr, " at %s:%d", one->file, one->line);
    }
    fprintf(stderr, ", the first is (%u,%u,%u)", one->index.x, one->index.y, one->index.z);
    if (block.launch->cluster > 1)
        fprintf(stderr, " of block %d of the cluster", i / block.size);
    fprintf(stderr, "\n");
}

/* The same as a part of a finding. */
static size_t describe_shortly(int i, char *text, size_t size)
{
    const struct thread *one = &block.thread[i];
    int same = 0, length;

    for (int j = 0; j < block.count; j++) {
        if (j < i && same_wait(one, &block.thread[j]))
            return 0;
        same += same_wait(one, &block.thread[j]);
    }
    if (one->state == WAITS)
        length = snprintf(text, size, "; %d wait%s in %s at %s:%d", same, same == 1 ? "s" : "",
                          wait_names[one->kind], one->file, one->line);
    else
        length = snprintf(text, size, "; %d %s ended", same, same == 1 ? "has" : "have");
    if (length > 0 && (size_t)length < size)
        length += snprintf(text + length, size - (size_t)length, ", the first is thread (%u,%u,%u)",
                           one->index.x, one->index.y, one->index.z);
    return (size_t)length < size ? (size_t)length : size;
}

/* Returns the place at which a thread waits. */
static struct place place_of_wait(const struct thread *thread)
{
    return {thread->file, thread->line,
            place_of((uint32_t)(uintptr_t)block.launch->kernel + 1)->function};
}

/* Whether a thread waits for something of these kinds. */
static bool any_waits(enum emulated_wait first, enum emulated_wait last)
{
    for (int i = 0; i < block.count; i++)
        if (block.thread[i].state == WAITS && block.thread[i].kind >= first &&
            block.thread[i].kind <= last)
            return true;
    return false;
}

[[noreturn]] static void stalled()
{
    fprintf(stderr, "calab: the threads of a %s wait for each other for ever:\n",
            block.launch->cluster > 1 ? "cluster" : "block");
    for (int i = 0; i < block.count; i++)
        describe_thread(i);
    if (any_waits(EMULATED_MBARRIER, EMULATED_MBARRIER))
        emulated_stop("bytes of an mbarrier's phase that do not arrive, or not all of them");
    if (any_waits(EMULATED_SYNCWARP, EMULATED_MATCH))
        emulated_stop("a warp operation whose mask names lanes that do not come");
    if (any_waits(EMULATED_SYNC, EMULATED_SYNC_COUNT))
        emulated_stop("a barrier that not all threads of the block reach");
    emulated_stop("a barrier that not all threads of the cluster reach");
}

/* Reports a finding, after which the launch ends. */
static void report_stall()
{
    const struct thread *first = &block.thread[0];
    char text[1024] = "";
    size_t length = 0;
    bool any = false;

    for (int i = 0; i < block.count; i++) {
        if (block.thread[i].state == WAITS && !any) {
            first = &block.thread[i];
            any = true;
        }
        length += describe_shortly(i, text + length, sizeof text - length);
    }
    struct place where = place_of_wait(first);
    finding_report(EMULATED_ERROR, "stall", &where, NULL,
                   "the threads of block (%u,%u,%u) wait for each other for ever%s, in kernel %s",
                   block.first.x, block.first.y, block.first.z, text, where.function);
    block.trapped = true;
}

/* --- who runs next ---------------------------------------------------------------------------- */

static void run_threads();

static void make_ready(int thread)
{
    block.thread[thread].state = RUNS;
    block.ready[(block.ready_first + block.ready_count++) % THREADS_MAX] = thread;
}

static bool go_on_together();
static bool go_on_without_ended();

/* The fiber that goes on when the running one does not. */
static struct fiber *next_fiber()
{
    if (block.ready_count > 0) {
        int thread = block.ready[block.ready_first];

        block.ready_first = (block.ready_first + 1) % THREADS_MAX;
        block.ready_count--;
        return block.thread[thread].fiber;
    }
    if (block.trapped || block.ended == block.count)
        return &block.host;
    if (block.started < block.count)
        return fiber_take(run_threads);
    if (go_on_together())
        return next_fiber();
    if (!watch_on)
        stalled();
    if (go_on_without_ended())
        return next_fiber();
    report_stall();
    return &block.host;
}

static void go_to(struct fiber *to)
{
    struct fiber *from = block.running;

    block.running = to;
    fiber_switch(from, to);
}

static void set_index(int thread)
{
    block.running->thread = thread;
    threadIdx = block.thread[thread].index;
    emulated_rank = thread / block.size;
    if (block.launch->cooperative) {
        unsigned rank = (unsigned)emulated_rank;

        blockIdx = {rank % gridDim.x, rank / gridDim.x % gridDim.y, rank / gridDim.x / gridDim.y};
    } else {
        blockIdx.x = block.first.x + (unsigned)emulated_rank;
    }
    emulated_dynamic_memory = block.launch->dynamic[emulated_rank];
    watch_thread(emulated_rank, thread % block.size, block.running->stack, block.running->bytes);
}

/* Sets the index of each thread, unless the block before had the same shape. */
static void set_shape(dim3 shape)
{
    static dim3 before(0, 0, 0);
    static int count;

    if (shape.x == before.x && shape.y == before.y && shape.z == before.z && count >= block.count)
        return;
    before = shape;
    count = block.count;
    for (int thread = 0; thread < count; thread++) {
        unsigned i = (unsigned)(thread % block.size);

        block.thread[thread].index = {i % shape.x, i / shape.x % shape.y, i / shape.x / shape.y};
    }
}

/* The running thread stops here until another makes it ready. */
static void wait_for_others()
{
    struct fiber *self = block.running, *to = next_fiber();

    if (to != self)
        go_to(to);
    set_index(self->thread);
}

/* Every fiber does this for ever: it starts threads one after the other; those that are ready come
 * first. */
static void run_threads()
{
    fiber_entered();
    for (;;) {
        while (block.ready_count == 0 && block.started < block.count && !block.trapped) {
            int thread = block.start[block.started++];

            block.thread[thread].state = RUNS;
            block.thread[thread].fiber = block.running;
            set_index(thread);
            block.launch->call(block.launch->arguments);
            block.thread[block.running->thread].state = ENDED;
            block.of[block.running->thread / block.size].ended++;
            block.ended++;
        }
        fiber_give(block.running);
        go_to(next_fiber());
    }
}

/* --- a block ---------------------------------------------------------------------------------- */

uint64_t emulated_random(struct emulated_order *order)
{
    uint64_t z = order->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Threads from `first` on, in the order that is wanted. */
static void arrange(int *sequence, int first, int count)
{
    for (int i = 0; i < count; i++)
        sequence[i] = first + (block.order->kind == EMULATED_REVERSE ? count - 1 - i : i);
    if (block.order->kind != EMULATED_RANDOM)
        return;
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(emulated_random(block.order) % (unsigned)(i + 1)), t = sequence[i];

        sequence[i] = sequence[j];
        sequence[j] = t;
    }
}

/* Threads that a trap left in the middle. */
static void drop_fibers()
{
    for (int i = 0; i < block.count; i++)
        if (block.thread[i].state == WAITS || block.thread[i].state == RUNS)
            fiber_drop(block.thread[i].fiber);
}

/* Tells who watches which blocks run together from here on. */
static void watch_blocks(const struct emulated_launch *launch)
{
    uint64_t blocks[EMULATED_GROUP_MAX];
    uint64_t first = block.first.x + (uint64_t)launch->grid.x *
                                         (block.first.y + (uint64_t)launch->grid.y * block.first.z);

    for (int i = 0; i < launch->cluster; i++)
        blocks[i] = first + (uint64_t)i;
    watch_group(blocks, launch->cluster);
}

/* The poison of shared memory; every other block has the complement, so that no bit is right by
 * chance. */
static int poison() { return emulated_block % 2 ? EMULATED_POISON : ~EMULATED_POISON & 0xff; }

static void fill_shared(void *memory, size_t bytes)
{
    if (watch_on)
        watch_fill_junk(memory, bytes);
    else
        memset(memory, poison(), bytes);
}

bool emulated_block_run(const struct emulated_launch *launch, struct emulated_order *order)
{
    emulated_block++;
    block.launch = launch;
    block.order = order;
    block.size = (int)(launch->block.x * launch->block.y * launch->block.z);
    block.count = block.size * launch->cluster;
    block.first = blockIdx;
    block.started = block.ended = block.ready_count = 0;
    block.trapped = block.asks_active = false;
    block.trap_error = cudaErrorLaunchFailure;
    watch_blocks(launch);
    for (int i = 0; i < launch->cluster; i++) {
        memset(&block.of[i], 0, sizeof block.of[i]);
        block.of[i].shared_bytes = launch->dynamic_bytes;
        fill_shared(launch->dynamic[i], launch->dynamic_bytes);
        watch_forget(launch->dynamic[i], launch->dynamic_bytes);
    }
    for (int i = 0; i < block.count; i++)
        block.thread[i].state = UNSTARTED;
    set_shape(launch->block);
    arrange(block.start, 0, block.count);
    block.running = &block.host;
    go_to(next_fiber());
    if (block.trapped)
        drop_fibers();
    return !block.trapped;
}

void emulated_trap(void) { emulated_trap_with(cudaErrorLaunchFailure); }

int emulated_trap_error() { return block.trap_error; }

void emulated_trap_with(int error)
{
    block.trap_error = error;
    block.trapped = true;
    block.ready_count = 0;
    go_to(&block.host);
    abort();
}

void *emulated_shared_take(size_t bytes, size_t align, const char *file, int line)
{
    void *memory = NULL;

    if (watch_on)
        return watch_take(bytes, align, WATCH_SHARED, 0, {NULL, 0, file, line});
    return posix_memalign(&memory, align < 16 ? 16 : align, bytes) == 0 ? memory : NULL;
}

/* A GPU refuses such a launch, which here begins to run before that is known. */
[[noreturn]] static void stop_for_shared(const struct emulated_slot *slot, size_t bytes)
{
    struct place variable = {slot->file, slot->line, ""};

    finding_report(EMULATED_ERROR, "launch", place_of(block.launch->code), &variable,
                   "kernel %s cannot be launched: with what is declared at %s:%d it has %zu bytes "
                   "of shared memory, %zu of them dynamic, where %zu are allowed",
                   place_of((uint32_t)(uintptr_t)block.launch->kernel + 1)->function, slot->file,
                   slot->line, bytes, block.launch->dynamic_bytes, block.launch->shared_limit);
    emulated_trap_with(cudaErrorInvalidValue);
}

void emulated_slot_open(struct emulated_slot *slot, size_t bytes, size_t align)
{
    size_t *taken = &block.of[emulated_rank].shared_bytes;
    void **memory = &slot->memory[emulated_rank];

    if (block.running == NULL || block.running == &block.host) {
        fprintf(stderr, "calab: %s:%d: a __shared__ variable outside of a kernel\n", slot->file,
                slot->line);
        abort();
    }
    *taken += bytes;
    if (count_on)
        count_shared(*taken);
    if (*taken > block.launch->shared_limit && watch_on)
        stop_for_shared(slot, *taken);
    if (*taken > block.launch->shared_limit)
        emulated_stop("%zu bytes of shared memory, %zu of them dynamic, where %zu are allowed",
                      *taken, block.launch->dynamic_bytes, block.launch->shared_limit);
    if (!*memory)
        *memory = emulated_shared_take(bytes, align, slot->file, slot->line);
    if (!*memory)
        emulated_stop("no memory for %zu shared bytes", bytes);
    slot->block[emulated_rank] = emulated_block;
    fill_shared(*memory, bytes);
    watch_forget(*memory, bytes);
}

/* --- waiting ---------------------------------------------------------------------------------- */

static struct thread *self() { return &block.thread[block.running->thread]; }

static struct thread *thread_arrives(enum emulated_wait kind, const char *file, int line)
{
    struct thread *thread = self();

    thread->state = WAITS;
    thread->kind = kind;
    thread->file = file;
    thread->line = line;
    thread->mask = 0;
    return thread;
}

/* Whether all threads of the block, of which this is the first, wait at the same barrier. */
static bool barrier_complete(const struct thread *first)
{
    for (int i = 1; i < block.size; i++)
        if (!same_wait(first, &first[i]))
            return false;
    return true;
}

int emulated_barrier(enum emulated_wait kind, bool predicate, const char *file, int line)
{
    int rank = emulated_rank, first = rank * block.size;
    auto *own = &block.of[rank];

    thread_arrives(kind, file, line);
    own->predicates += predicate;
    if (++own->at_barrier == block.size && barrier_complete(&block.thread[first])) {
        own->result = own->predicates;
        own->at_barrier = own->predicates = 0;
        watch_barrier(rank);
        arrange(block.go, first, block.size);
        for (int i = 0; i < block.size; i++)
            make_ready(block.go[i]);
    }
    wait_for_others();
    return own->result;
}

void emulated_wait_for(enum emulated_wait kind, const void *what, const char *file, int line)
{
    thread_arrives(kind, file, line)->what = what;
    wait_for_others();
}

void emulated_go_on(enum emulated_wait kind, const void *what)
{
    arrange(block.all, 0, block.count);
    for (int i = 0; i < block.count; i++) {
        struct thread *one = &block.thread[block.all[i]];

        if (one->state == WAITS && one->kind == kind && one->what == what)
            make_ready(block.all[i]);
    }
}

const struct emulated_launch *emulated_running() { return block.launch; }
bool emulated_in_kernel() { return block.running && block.running != &block.host; }
int emulated_thread() { return block.running->thread; }
bool emulated_block_ended(int rank) { return block.of[rank].ended == block.size; }

/* The threads of the warp of thread i: its first one, and a mask of those that there are. */
static struct thread *warp_of(int i, uint32_t *there)
{
    int place = i % block.size / EMULATED_WARP * EMULATED_WARP, lanes = block.size - place;

    *there = lanes >= EMULATED_WARP ? 0xffffffff : (1u << lanes) - 1;
    return &block.thread[i / block.size * block.size + place];
}

/* Lanes of the warp of a thread that wait in warp operations. */
static uint32_t *at_warp(const struct thread *thread)
{
    int i = (int)(thread - block.thread);

    return &block.of[i / block.size].at_warp[i % block.size / EMULATED_WARP];
}

static bool warp_complete(const struct thread *warp, const struct thread *last, uint32_t lanes)
{
    if (lanes & ~*at_warp(last))
        return false;
    for (int lane = 0; lane < EMULATED_WARP; lane++)
        if (lanes >> lane & 1 && (warp[lane].kind != last->kind || warp[lane].mask != last->mask))
            return false;
    return true;
}

/* Hands out what the lanes brought, and lets them go on. */
static void warp_release(struct thread *warp, uint32_t lanes)
{
    uint64_t values[EMULATED_WARP];
    uint32_t votes = 0;

    memset(values, EMULATED_POISON, sizeof values);
    *at_warp(warp) &= ~lanes;
    watch_warp((int)(warp - block.thread) / block.size,
               (int)(warp - block.thread) % block.size / EMULATED_WARP, lanes);
    for (int lane = 0; lane < EMULATED_WARP; lane++)
        if (lanes >> lane & 1) {
            values[lane] = warp[lane].value;
            votes |= (uint32_t)(values[lane] != 0) << lane;
        }
    for (int i = 0; i < EMULATED_WARP; i++) {
        int lane = block.order->kind == EMULATED_REVERSE ? EMULATED_WARP - 1 - i : i;
        struct thread *one = &warp[lane];

        if (!(lanes >> lane & 1))
            continue;
        one->value = one->from == EMULATED_EACH ? votes : values[one->from];
        if (one->values)
            memcpy(one->values, values, sizeof values);
        make_ready((int)(one - block.thread));
    }
}

uint64_t emulated_warp(enum emulated_wait kind, uint32_t mask, uint64_t value, int from,
                       uint64_t values[EMULATED_WARP], const char *file, int line)
{
    struct thread *thread = thread_arrives(kind, file, line), *warp;
    uint32_t there;

    thread->mask = mask;
    thread->value = value;
    thread->from = from;
    thread->values = values;
    if (!(mask >> emulated_lane() & 1))
        emulated_stop("%s at %s:%d: lane %d is not in its mask 0x%08x", wait_names[kind], file,
                      line, emulated_lane(), mask);
    warp = warp_of(block.running->thread, &there);
    *at_warp(thread) |= 1u << emulated_lane();
    if (warp_complete(warp, thread, mask & there))
        warp_release(warp, mask & there);
    wait_for_others();
    return thread->value;
}

/*
 * Threads that have ended are not waited for where accesses are watched, since GPUs do not wait for
 * them either. CUDA allows it of warp operations, of which the lanes that have ended bring nothing,
 * but not of barriers.
 */
static bool block_goes_on(int rank)
{
    struct thread *first = NULL;
    auto *own = &block.of[rank];

    if (own->ended == 0 || own->at_barrier + own->ended < block.size)
        return false;
    for (int i = 0; i < block.size; i++) {
        struct thread *one = &block.thread[rank * block.size + i];

        if (one->state == ENDED)
            continue;
        if (one->state != WAITS || one->kind > EMULATED_SYNC_COUNT ||
            (first && !same_wait(first, one)))
            return false;
        first = first ? first : one;
    }
    struct place where = place_of_wait(first);
    finding_report(EMULATED_WARNING, "barrier", &where, NULL,
                   "%d of %d threads of block (%u,%u,%u) have ended without %s, in kernel %s",
                   own->ended, block.size, block.first.x + (unsigned)rank, block.first.y,
                   block.first.z, wait_names[first->kind], where.function);
    own->result = own->predicates;
    own->at_barrier = own->predicates = 0;
    watch_barrier(rank);
    for (int i = 0; i < block.size; i++)
        if (block.thread[rank * block.size + i].state == WAITS)
            make_ready(rank * block.size + i);
    return true;
}

static bool warp_goes_on(int first)
{
    uint32_t there, ended = 0;
    struct thread *warp = warp_of(first, &there), *last = NULL;

    for (int lane = 0; lane < EMULATED_WARP; lane++)
        if (there >> lane & 1 && warp[lane].state == ENDED)
            ended |= 1u << lane;
        else if (*at_warp(warp) >> lane & 1)
            last = &warp[lane];
    if (!last || !warp_complete(warp, last, last->mask & there & ~ended))
        return false;
    if (last->kind != EMULATED_SYNCWARP) {
        struct place where = place_of_wait(last);

        finding_report(EMULATED_WARNING, "warp", &where, NULL,
                       "%d lanes that the mask 0x%08x of %s names have ended, in kernel %s",
                       __builtin_popcount(last->mask & ended), last->mask, wait_names[last->kind],
                       where.function);
    }
    warp_release(warp, last->mask & there & ~ended);
    return true;
}

static bool go_on_without_ended()
{
    bool some = false;

    for (int rank = 0; rank < block.count / block.size; rank++) {
        some |= block_goes_on(rank);
        for (int i = 0; i < block.size; i += EMULATED_WARP)
            some |= warp_goes_on(rank * block.size + i);
    }
    return some;
}

uint32_t emulated_active(const char *file, int line)
{
    struct thread *thread = thread_arrives(EMULATED_ACTIVE, file, line);

    block.asks_active = true;
    wait_for_others();
    return (uint32_t)thread->value;
}

/* Lets the first lane of a warp that asks who is with it go on, and those that are. */
static bool warp_tells_active(int first)
{
    uint32_t there, lanes = 0;
    struct thread *warp = warp_of(first, &there);
    const struct thread *asks = NULL;

    for (int lane = 0; lane < EMULATED_WARP; lane++)
        if (there >> lane & 1 && warp[lane].state == WAITS && warp[lane].kind == EMULATED_ACTIVE &&
            (!asks || same_wait(asks, &warp[lane]))) {
            asks = asks ? asks : &warp[lane];
            lanes |= 1u << lane;
        }
    for (int lane = 0; lane < EMULATED_WARP; lane++)
        if (lanes >> lane & 1) {
            warp[lane].value = lanes;
            make_ready(first + lane);
        }
    return lanes != 0;
}

static bool go_on_together()
{
    bool some = false;

    for (int rank = 0; rank < block.count / block.size; rank++)
        for (int i = 0; block.asks_active && i < block.size; i += EMULATED_WARP)
            some |= warp_tells_active(rank * block.size + i);
    return some;
}

int emulated_threads(void) { return block.size; }
int emulated_lane(void) { return block.running->thread % block.size % EMULATED_WARP; }
