/* SPDX-License-Identifier: MIT */
/*
 * Code that is compiled with -fsanitize=thread calls these functions at each access, in place of
 * libtsan. A race is two accesses of different threads to the same byte, one of them a write
 * and not both atomic, of which none is ordered before the other (order.h).
 *
 * All of this runs at each load and store of a kernel, so that code which seldom runs stands apart.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "core/emulator/runtime/count.h"
#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/host.h"
#include "core/emulator/runtime/library.h"
#include "core/emulator/runtime/mapped.h"
#include "core/emulator/runtime/notes.h"
#include "core/emulator/runtime/order.h"
#include "core/emulator/runtime/shadow.h"
#include "core/emulator/runtime/threads.h"

#define SELDOM __attribute__((noinline, cold))
#define ALWAYS inline __attribute__((always_inline))
#define seldom(condition) __builtin_expect(condition, false)

static const char *const verbs[] = {"reads", "writes", "atomically changes"};
static const char *const verbs_past[] = {"read", "wrote", "atomically changed"};

/* --- what is found ---------------------------------------------------------------------------- */

/* A write of what another thread wrote: whether both wrote the same is known once it is done. */
static struct {
    bool waits;
    const char *memory;
    size_t bytes;
    char before[16];
    struct access other;
    uint32_t code;
    size_t at;
    enum watch_access how;
    struct who who;
} pending;

static void report_race(uint32_t code, const struct access *other, enum watch_access how,
                        enum watch_access other_how, const struct who *who, size_t at, bool same)
{
    const struct place *where = place_of(code), *before = place_of(other->code);

    finding_report(same ? EMULATED_HINT : EMULATED_ERROR, same ? "same value" : "race", where,
                   before, "%s %s what %s %s%s at %s:%d: %s, in kernel %s", who->text, verbs[how],
                   who_made(other).text, verbs_past[other_how], same ? " with the same value" : "",
                   before->file, before->line, shadow_words(at).text, where->function);
}

/* Pairs of code that were told of a race, so that a loop of races is not slow. */
static uint64_t known_pairs[4096];

static bool is_new_pair(uint32_t code, uint32_t other, bool same)
{
    uint64_t pair = ((uint64_t)code << 32 | other) ^ (same ? 0x5555 : 0);
    uint64_t *slot = &known_pairs[pair * 0x9e3779b97f4a7c15u >> 52];

    if (*slot == pair)
        return false;
    *slot = pair;
    return true;
}

bool hooks_knows(uint32_t code, uint32_t other)
{
    uint64_t pair = (uint64_t)code << 32 | other;

    return known_pairs[pair * 0x9e3779b97f4a7c15u >> 52] == pair;
}

/* A loop, since memcmp of AddressSanitizer refuses device memory once the kernel has ended. */
static bool is_as_before()
{
    const unsigned char *before = (const unsigned char *)pending.before;
    const volatile unsigned char *now = (const volatile unsigned char *)pending.memory;

    for (size_t i = 0; i < pending.bytes; i++)
        if (before[i] != now[i])
            return false;
    return true;
}

SELDOM static void settle()
{
    bool same;

    pending.waits = false;
    same = is_as_before();
    if (is_new_pair(pending.code, pending.other.code, same))
        report_race(pending.code, &pending.other, pending.how, WATCH_WRITE, &pending.who,
                    pending.at, same);
}

void watch_settle()
{
    if (notes_wait)
        notes_settle_copies();
    if (pending.waits)
        settle();
}

SELDOM static void race(size_t at, size_t bytes, enum watch_access how, uint32_t code,
                        const struct access *other, enum watch_access other_how)
{
    if (other->thread & ACCESS_ATOMIC)
        other_how = WATCH_ATOMIC;
    if (how == WATCH_WRITE && other_how == WATCH_WRITE && bytes <= sizeof pending.before) {
        if (pending.waits)
            return;
        pending.waits = true;
        pending.memory = shadow_piece(at)->kind == WATCH_VARIABLE ? NULL : shadow.base + at;
        pending.bytes = bytes;
        pending.other = *other;
        pending.code = code;
        pending.at = at;
        pending.how = how;
        pending.who = who_runs();
        if (pending.memory) {
            memcpy(pending.before, pending.memory, bytes);
            return;
        }
        pending.waits = false;
    }
    if (is_new_pair(code, other->code, false)) {
        struct who who = who_runs();

        report_race(code, other, how, other_how, &who, at, false);
    }
}

/* Told of each place once, which finding_report sees to; this one is faster. */
static bool is_new_code(uint32_t code, int kind)
{
    return is_new_pair(code, (uint32_t)kind, false);
}

void hooks_report_unwritten(const struct who *who, size_t at, size_t bytes, uint32_t code)
{
    struct notes_source source = notes_source(at);
    const struct place *where, *copied;
    char from[800] = "";

    if (!is_new_code(code, 1))
        return;
    where = place_of(code);
    for (size_t i = 1; i < bytes && source.code == 0; i++)
        source = notes_source(at + i);
    copied = source.code ? place_of(source.code) : NULL;
    if (copied)
        snprintf(from, sizeof from, ", copied at %s:%d from %s", copied->file, copied->line,
                 shadow_words(source.at).text);
    finding_report(EMULATED_ERROR, "unwritten", where, copied,
                   "%s reads %zu byte%s that nobody wrote: %s%s, in kernel %s", who->text, bytes,
                   bytes == 1 ? "" : "s", shadow_words(at).text, from, where->function);
}

void hooks_report_read(const struct who *who, size_t at, uint32_t code, const struct access *other)
{
    if (is_new_pair(code, other->code, false))
        report_race(code, other, WATCH_READ, WATCH_ATOMIC, who, at, false);
}

/* So far from its memory an address is that was made of what nobody wrote. */
#define FAR ((size_t)1 << 20)

SELDOM static void outside(size_t at, size_t bytes, enum watch_access how, uint32_t code)
{
    const struct piece *piece = shadow_piece(at);
    const struct place *where;

    if (at - piece->at >= piece->bytes + FAR && notes_report_own())
        return;
    if (!is_new_code(code, 2))
        return;
    where = place_of(code);
    if (piece->freed)
        finding_report(EMULATED_ERROR, "bounds", where, NULL,
                       "%s %s %zu byte%s of memory that is freed: %s, in kernel %s",
                       who_runs().text, verbs[how], bytes, bytes == 1 ? "" : "s",
                       shadow_words(at).text, where->function);
    else
        finding_report(EMULATED_ERROR, "bounds", where, NULL,
                       "%s %s %zu byte%s outside of its memory: %s, in kernel %s", who_runs().text,
                       verbs[how], bytes, bytes == 1 ? "" : "s", shadow_words(at).text,
                       where->function);
}

/* It ends the launch, as on a GPU. */
SELDOM static void misaligned(size_t at, size_t bytes, enum watch_access how, uint32_t code)
{
    const struct place *where = place_of(code);

    finding_report(EMULATED_ERROR, "alignment", where, NULL,
                   "%s %s %zu bytes at an address that is not a multiple of %zu: %s, in kernel %s",
                   who_runs().text, verbs[how], bytes, bytes < 16 ? bytes : 8,
                   shadow_words(at).text, where->function);
    emulated_trap();
}

SELDOM static void host(const char *memory, size_t bytes, enum watch_access how, uint32_t code)
{
    size_t at = (size_t)(memory - shadow.base);
    struct piece *piece = shadow_piece(at);
    const struct place *where, *other;

    if (!piece->freed && emulated_library_reaches(memory)) {
        if (how != WATCH_READ)
            watch_written(shadow.base + at, bytes);
        return;
    }
    if (piece->kind == WATCH_DEVICE || piece->kind == WATCH_NOTHING || piece->freed) {
        if (is_new_code(code, 4))
            finding_report(EMULATED_ERROR, "host", place_of(code), NULL,
                           "the host %s %zu byte%s of device memory: %s", verbs[how], bytes,
                           bytes == 1 ? "" : "s", shadow_words(at).text);
        return;
    }
    if (queue_waits())
        host_note(at, bytes, how, code);
    for (size_t i = 0; i < bytes; i++) {
        const struct cell *cell = shadow_cell(at + i);
        const struct access *before = &cell->write;

        if (how == WATCH_WRITE && before->interval < now.synchronized)
            before = &cell->reads[0];
        if (before->interval < now.synchronized || before->interval <= INTERVAL_HOST)
            continue;
        if (is_new_code(code, 5)) {
            where = place_of(code);
            other = place_of(before->code);
            finding_report(
                EMULATED_ERROR, "synchronization", where, other,
                "the host %s what %s at %s:%d %s, and has not waited for it: %s", verbs[how],
                before->thread & ACCESS_HOST ? "an asynchronous copy" : "a kernel", other->file,
                other->line, before == &cell->write ? "writes" : "reads", shadow_words(at).text);
        }
        return;
    }
    if (how != WATCH_READ)
        watch_written(shadow.base + at, bytes);
}

/* --- the rule --------------------------------------------------------------------------------- */

static uint16_t strong;        /* of the read that runs: ACCESS_STRONG or 0 */
static bool stores, comparing; /* what the atomic operation that runs does */
static bool called;            /* the access that runs is that of a function of a library */
/* What is found of a read, once for all of its bytes. */
static struct {
    bool any, unwritten;
    struct access atomic; /* that it collides with */
} found;

static ALWAYS struct access present(uint32_t code, uint16_t flags)
{
    return {now.interval, code, (uint16_t)(now.thread | flags), now.stamp};
}

SELDOM static void note_found(const void *memory, size_t at, size_t bytes, uint32_t code)
{
    if (found.unwritten && !shadow_piece(at)->any_value)
        notes_unwritten(at, bytes, code, called);
    else if (found.atomic.interval != 0)
        notes_race(at, memory, bytes, code, &found.atomic);
    found = {};
}

/* Whether an access is at least as near to the first read as another one is: in its warp, or in its
 * block. The farther one is worth keeping. */
static int distance(const struct access *a, const struct access *b)
{
    if (a->interval != b->interval)
        return 2;
    return (a->thread & ACCESS_THREAD) / 32 != (b->thread & ACCESS_THREAD) / 32;
}

/* Whether an access need not be kept beside one of the running thread. Without warp operations
 * other threads of the interval are never ordered before it, or seldom enough. */
static ALWAYS bool replaced(const struct access *access, uint32_t limit)
{
    if (access->interval < limit ||
        (access->interval == now.interval && (access->thread & ACCESS_THREAD) == now.thread))
        return true;
    if (access->interval == now.interval)
        return now.stamp > 0 && order_in_interval(access);
    return now.alone && access->interval >= now.group;
}

/* The usual case, without warp operations: of the reads of this interval in two warps at most, and
 * so the present one need not be kept, or only instead of the second. */
static ALWAYS bool is_noted(struct access reads[2], uint32_t limit, uint32_t code)
{
    uint16_t other = (reads[0].thread ^ now.thread) & ACCESS_THREAD;

    if (reads[0].interval != now.interval || now.stamp > 0)
        return false;
    if (other == 0)
        reads[0] = present(code, strong);
    else if (reads[1].interval < limit ||
             (reads[1].interval == now.interval && other >= 32 &&
              ((reads[0].thread ^ reads[1].thread) & ACCESS_THREAD) < 32))
        reads[1] = present(code, strong);
    else
        return reads[1].interval == now.interval;
    return true;
}

static ALWAYS void note_read(struct cell *cell, uint32_t limit, uint32_t code)
{
    const struct access self = present(code, strong);

    if (is_noted(cell->reads, limit, code))
        return;
    if (replaced(&cell->reads[0], limit)) {
        cell->reads[0] = self;
        if (cell->reads[1].interval != 0 && replaced(&cell->reads[1], limit))
            cell->reads[1].interval = 0;
    } else if (replaced(&cell->reads[1], limit) ||
               distance(&self, &cell->reads[0]) > distance(&cell->reads[1], &cell->reads[0])) {
        cell->reads[1] = self;
    }
}

/* Accesses in intervals below the limit are before the launch, or to what is no longer there. */
static ALWAYS bool collides(const struct access *access, uint32_t limit)
{
    return access->interval >= limit && !order_before(access);
}

static uint16_t scope; /* of the atomic operation that runs: ACCESS_BLOCK or 0 */

/* Whether two atomic operations are atomic for each other. */
static bool in_scope(const struct access *other)
{
    return !((other->thread | scope) & ACCESS_BLOCK) || order_in_block(other);
}

/* Whether a write and a read, or the other way, are atomic for each other. */
static bool is_strong(uint16_t read, const struct access *other)
{
    return read & ACCESS_STRONG && in_scope(other);
}

static ALWAYS bool has_no_value(const struct cell *cell, uint32_t since)
{
    return cell->write.interval < since || cell->write.thread & ACCESS_UNWRITTEN;
}

SELDOM static void read_collides(const struct access *write, size_t at, size_t bytes, uint32_t code)
{
    if (!(write->thread & ACCESS_ATOMIC)) {
        race(at, bytes, WATCH_READ, code, write, WATCH_WRITE);
    } else if (!is_strong(strong, write)) {
        found.any = true;
        found.atomic = *write;
    }
}

SELDOM static void atomic_without_value(size_t at, size_t bytes, uint32_t code)
{
    if (stores || notes_has(at))
        return;
    struct who who = who_runs();
    hooks_report_unwritten(&who, at, bytes, code);
}

/* split: ACCESS_SPLIT for a cell of one byte, or 0. */
static ALWAYS void hook_change(struct cell *cell, uint16_t split, size_t at, size_t bytes,
                               enum watch_access how, uint32_t limit, uint32_t since, uint32_t code)
{
    if (how == WATCH_READ) {
        if (seldom(has_no_value(cell, since)))
            found.any = found.unwritten = true;
        if (seldom(collides(&cell->write, limit)))
            read_collides(&cell->write, at, bytes, code);
        note_read(cell, limit, code);
        if (seldom(cell->write.interval < since))
            cell->reads[0].thread |= ACCESS_UNWRITTEN;
        return;
    }
    if (how == WATCH_ATOMIC && seldom(has_no_value(cell, since)))
        atomic_without_value(at, bytes, code);
    if (seldom(collides(&cell->write, limit)) &&
        !(how == WATCH_ATOMIC && cell->write.thread & ACCESS_ATOMIC && in_scope(&cell->write)))
        race(at, bytes, how, code, &cell->write, WATCH_WRITE);
    else if (seldom(collides(&cell->reads[0], limit)) &&
             !(how == WATCH_ATOMIC && is_strong(cell->reads[0].thread, &cell->reads[0])))
        race(at, bytes, how, code, &cell->reads[0], WATCH_READ);
    else if (seldom(collides(&cell->reads[1], limit)) &&
             !(how == WATCH_ATOMIC && is_strong(cell->reads[1].thread, &cell->reads[1])))
        race(at, bytes, how, code, &cell->reads[1], WATCH_READ);
    if (how == WATCH_ATOMIC) {
        /* A plain write of this thread goes on to collide with the atomics of others. */
        if ((cell->write.thread & ACCESS_ATOMIC) || cell->write.interval != now.interval ||
            (cell->write.thread & ACCESS_THREAD) != now.thread)
            cell->write = present(code, ACCESS_ATOMIC | scope | split);
        cell->write.thread &= (uint16_t)~ACCESS_UNWRITTEN;
    } else {
        cell->write = present(code, split);
        cell->reads[0].interval = cell->reads[1].interval = 0;
    }
}

static ALWAYS void change_byte(size_t at, size_t bytes, enum watch_access how, uint32_t limit,
                               uint32_t since, uint32_t code)
{
    shadow_split(at);
    hook_change(shadow_byte(at), ACCESS_SPLIT, at, bytes, how, limit, since, code);
}

/* Bytes of words that have cells of their own, or get them; whole words that are written do not
 * have them afterwards. */
__attribute__((noinline)) static void change_bytes(size_t bytes, size_t first, size_t count,
                                                   enum watch_access how, uint32_t limit,
                                                   uint32_t since, uint32_t code)
{
    for (size_t i = first; i < first + count; i++)
        change_byte(i, bytes, how, limit, since, code);
    if (how == WATCH_WRITE && first % 4 == 0 && count == 4)
        shadow_join(first);
}

/* A kernel's access to what it can not reach on a GPU. The launch ends where here is nothing. */
SELDOM static void unreachable(const char *memory, size_t bytes, enum watch_access how,
                               uint32_t code)
{
    bool mapped = msync((void *)((uintptr_t)memory & ~(uintptr_t)4095), 1, MS_ASYNC) == 0;

    if (!mapped && watch_is_missing(memory, place_of(code), "%s %s %zu byte%s of it, in kernel %s",
                                    who_runs().text, verbs[how], bytes, bytes == 1 ? "" : "s",
                                    place_of(code)->function))
        emulated_trap();
    if (notes_report_own())
        emulated_trap();
    if (is_new_code(code, 6))
        finding_report(EMULATED_ERROR, "address", place_of(code), NULL,
                       "%s %s %zu byte%s at %p, which is %s, in kernel %s", who_runs().text,
                       verbs[how], bytes, bytes == 1 ? "" : "s", memory,
                       mapped ? "memory of the host" : "no memory", place_of(code)->function);
    if (!mapped)
        emulated_trap();
}

/* __constant__ variables; a program without any has no such section. */
extern "C" __attribute__((weak)) const char __start_calab_constant[], __stop_calab_constant[];

SELDOM static void constant(const char *memory, size_t bytes, enum watch_access how, uint32_t code)
{
    const struct place *where = place_of(code);

    if (memory >= __start_calab_constant && memory < __stop_calab_constant)
        finding_report(EMULATED_ERROR, "constant", where, NULL,
                       "%s %s %zu byte%s of constant memory, in kernel %s", who_runs().text,
                       verbs[how], bytes, bytes == 1 ? "" : "s", where->function);
}

/* Finds bytes that are watched although they are no part of the arena: variables. */
SELDOM static bool elsewhere(const char *memory, size_t bytes, enum watch_access how, size_t *at,
                             uint32_t code)
{
    if (!order_in_kernel || (size_t)(memory - now.stack) < now.stack_bytes)
        return false;
    if (shadow_of_variable(memory, at)) {
        if (how != WATCH_READ)
            constant(memory, bytes, how, code);
        return true;
    }
    if (!order_is_argument(memory) && !shadow_is_constant(memory) &&
        !emulated_is_registered(memory, bytes))
        unreachable(memory, bytes, how, code);
    return false;
}

static ALWAYS void touch(const void *memory, size_t bytes, enum watch_access how, bool aligned,
                         uint32_t code)
{
    size_t at = (size_t)((const char *)memory - shadow.base), last;
    const struct piece *piece;
    uint32_t limit, since;

    if (at >= ARENA_BYTES) {
        if (!elsewhere((const char *)memory, bytes, how, &at, code))
            return;
    } else if (seldom(!order_in_kernel)) {
        host((const char *)memory, bytes, how, code);
        return;
    }
    if (seldom(pending.waits))
        settle();
    if (seldom(notes_wait))
        how == WATCH_WRITE ? notes_settle_write() : notes_settle_copies();
    now.fresh = false;
    piece = shadow_piece(at);
    if (seldom(at - piece->at >= piece->bytes || bytes > piece->bytes - (at - piece->at) ||
               piece->freed)) {
        outside(at, bytes, how, code);
        return;
    }
    if (seldom(aligned && (at & ((bytes < 16 ? bytes : 8) - 1)))) {
        misaligned(at, bytes, how, code);
        return;
    }
    if (seldom(count_on))
        count_access(piece->kind, now.rank, now.thread, at, bytes, how, code);
    now.reads += how != WATCH_WRITE && piece->kind != WATCH_VARIABLE;
    limit = now.before > piece->since ? now.before : piece->since;
    since = piece->any_value ? 0 : piece->since;
    last = at + bytes;
    if (bytes == 1) {
        change_byte(at, bytes, how, limit, since, code);
    } else if (bytes < 4 || at % 4 != 0 || last % 4 != 0) {
        change_bytes(bytes, at, bytes, how, limit, since, code);
    } else {
        for (size_t word = at; word < last; word += 4) {
            struct cell *cell = shadow_word(word);

            if (seldom(cell->write.thread & ACCESS_SPLIT))
                change_bytes(bytes, word, 4, how, limit, since, code);
            else
                hook_change(cell, 0, at, bytes, how, limit, since, code);
        }
    }
    if (how == WATCH_READ && seldom(found.any))
        note_found(memory, at, bytes, code);
    else if (how == WATCH_WRITE && seldom(notes_wait))
        notes_writes(at, bytes);
    else if (how == WATCH_WRITE)
        now.reads = 0;
}

/* --- the short way ---------------------------------------------------------------------------- */

/*
 * Most accesses are to what some thread has used before, so that its cell says that it is memory
 * that a kernel may use; and all that the cell has came before them, by a barrier or the end of a
 * launch, or is the thread's own. The following are told from a cell alone, and nothing is wrong
 * with them. Of others they say nothing, and change nothing.
 *
 * Accesses in intervals below the limit are void or before the launch.
 */

static ALWAYS bool is_own(const struct access *access, uint16_t split)
{
    return access->interval == now.interval && access->thread == (now.thread | split);
}

static ALWAYS bool is_past(const struct access *access, uint32_t limit)
{
    return access->interval < limit ||
           (access->interval >= now.own && access->interval < now.interval);
}

/* Whether it was made by an earlier block of the launch. */
static ALWAYS bool is_of_other(const struct access *access)
{
    return access->interval >= now.launch && access->interval < now.group;
}

static ALWAYS bool is_read_in_short(struct cell *cell, uint16_t split, bool shared, uint32_t code)
{
    uint32_t limit = shared ? now.group : now.before;
    struct access *reads = cell->reads;

    if (is_own(&cell->write, split))
        return true;
    if ((cell->write.thread & (ACCESS_SPLIT | ACCESS_UNWRITTEN)) != split ||
        reads[0].thread & ACCESS_UNWRITTEN || !is_past(&cell->write, limit) ||
        (shared ? cell->write.interval < limit : !(cell->write.interval | reads[0].interval)))
        return false;
    if (reads[0].interval == now.interval)
        return is_noted(reads, limit, code);
    if (is_past(&reads[0], limit)) {
        if (!is_past(&reads[1], limit))
            return false;
        reads[0] = present(code, 0);
        reads[1].interval = 0;
        return true;
    }
    if (shared || !is_of_other(&reads[0]))
        return false;
    if (is_past(&reads[1], limit) || reads[1].interval == reads[0].interval)
        reads[1] = present(code, 0);
    /* Otherwise the two are of two blocks: another one's read adds nothing. */
    return reads[1].interval == now.interval || is_of_other(&reads[1]);
}

static ALWAYS bool is_written_in_short(struct cell *cell, uint16_t split, bool shared,
                                       uint32_t code)
{
    uint32_t limit = shared ? now.group : now.before;
    struct access *reads = cell->reads;

    if ((cell->write.thread & ACCESS_SPLIT) != split ||
        !(cell->write.interval | reads[0].interval) ||
        !(is_past(&cell->write, limit) || is_own(&cell->write, split)) ||
        !(is_past(&reads[0], limit) || is_own(&reads[0], 0)) ||
        !(is_past(&reads[1], limit) || is_own(&reads[1], 0)))
        return false;
    cell->write = present(code, split);
    reads[0].interval = reads[1].interval = 0;
    return true;
}

/* These no kernel can write, but compilers do not know it of what has a constructor. */
static ALWAYS bool is_shape(const char *memory)
{
    return (size_t)(memory - (const char *)&threadIdx) < sizeof threadIdx ||
           (size_t)(memory - (const char *)&blockIdx) < sizeof blockIdx ||
           (size_t)(memory - (const char *)&blockDim) < sizeof blockDim ||
           (size_t)(memory - (const char *)&gridDim) < sizeof gridDim;
}

static ALWAYS bool is_in_short(const void *memory, size_t bytes, enum watch_access how,
                               uint32_t code)
{
    size_t at = (size_t)((const char *)memory - shadow.base);
    uint16_t split = bytes < 4 ? ACCESS_SPLIT : 0;

    if (at >= ARENA_BYTES)
        return how == WATCH_READ && is_shape((const char *)memory);
    if (!now.plain || !order_in_kernel || at % (bytes < 16 ? bytes : 8) != 0 ||
        (how == WATCH_WRITE && pending.waits))
        return false;
    for (size_t i = at; i < at + bytes; i += bytes < 4 ? 1 : 4) {
        struct cell *cell = bytes < 4 ? shadow_byte(i) : shadow_word(i);

        if (!(how == WATCH_READ ? is_read_in_short(cell, split, at >= ARENA_SHARED, code)
                                : is_written_in_short(cell, split, at >= ARENA_SHARED, code)))
            return false;
    }
    now.reads = how == WATCH_READ ? now.reads + 1 : 0;
    return true;
}

void watch_access(const void *at, size_t bytes, enum watch_access how, uint32_t code)
{
    if (!watch_on)
        return;
    scope = how == WATCH_ATOMIC_BLOCK || how == WATCH_EXCHANGE_BLOCK ? ACCESS_BLOCK : 0;
    stores = how == WATCH_EXCHANGE || how == WATCH_EXCHANGE_BLOCK;
    if (how >= WATCH_ATOMIC) {
        touch(at, bytes, WATCH_ATOMIC, true, code);
    } else {
        called = true;
        touch(at, bytes, how, false, code);
        called = false;
    }
    if (how >= WATCH_ATOMIC && order_in_kernel)
        order_atomic(at, {false, false, comparing, scope != 0});
    scope = 0;
    stores = false;
    comparing = false;
}

void watch_compares(const void *memory, size_t bytes, uint64_t value)
{
    size_t at = (size_t)((const char *)memory - shadow.base);

    if (!watch_on || !order_in_kernel)
        return;
    comparing = true;
    if ((at < ARENA_BYTES || shadow_of_variable(memory, &at)) &&
        at - shadow_piece(at)->at < shadow_piece(at)->bytes)
        notes_compare(at, memory, bytes, value);
}

/* Volatile accesses are not cached and not left out. So a read may wait for what others write
 * atomically, and a store behind a fence may be what they wait for. */
static void read_volatile(const void *at, size_t bytes, uint32_t code)
{
    strong = ACCESS_STRONG;
    touch(at, bytes, WATCH_READ, true, code);
    strong = 0;
    if (order_in_kernel)
        order_load(at, false);
}

static void write_volatile(const void *at, size_t bytes, uint32_t code)
{
    if (!order_in_kernel || !order_publishes()) {
        touch(at, bytes, WATCH_WRITE, true, code);
        return;
    }
    stores = true;
    touch(at, bytes, WATCH_ATOMIC, true, code);
    stores = false;
    order_store(at);
}

/* --- what compilers call ---------------------------------------------------------------------- */

extern "C" {

#define ACCESS(n)                                                                                  \
    __attribute__((noinline)) static void read##n(const void *at, uint32_t code)                   \
    {                                                                                              \
        touch(at, n, WATCH_READ, true, code);                                                      \
    }                                                                                              \
    __attribute__((noinline)) static void write##n(const void *at, uint32_t code)                  \
    {                                                                                              \
        touch(at, n, WATCH_WRITE, true, code);                                                     \
    }                                                                                              \
    void __tsan_read##n(const void *at)                                                            \
    {                                                                                              \
        if (!is_in_short(at, n, WATCH_READ, WATCH_CALLER))                                         \
            read##n(at, WATCH_CALLER);                                                             \
    }                                                                                              \
    void __tsan_write##n(void *at)                                                                 \
    {                                                                                              \
        if (!is_in_short(at, n, WATCH_WRITE, WATCH_CALLER))                                        \
            write##n(at, WATCH_CALLER);                                                            \
    }                                                                                              \
    void __tsan_unaligned_read##n(const void *at)                                                  \
    {                                                                                              \
        touch(at, n, WATCH_READ, false, WATCH_CALLER);                                             \
    }                                                                                              \
    void __tsan_unaligned_write##n(void *at) { touch(at, n, WATCH_WRITE, false, WATCH_CALLER); }   \
    void __tsan_volatile_read##n(const void *at) { read_volatile(at, n, WATCH_CALLER); }           \
    void __tsan_volatile_write##n(void *at) { write_volatile(at, n, WATCH_CALLER); }               \
    void __tsan_unaligned_volatile_read##n(const void *at) { read_volatile(at, n, WATCH_CALLER); } \
    void __tsan_unaligned_volatile_write##n(void *at) { write_volatile(at, n, WATCH_CALLER); }

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(const void *at, size_t bytes)
{
    touch(at, bytes, WATCH_READ, false, WATCH_CALLER);
}

void __tsan_write_range(void *at, size_t bytes)
{
    touch(at, bytes, WATCH_WRITE, false, WATCH_CALLER);
}

void __tsan_init() { shadow_begin(__builtin_return_address(0)); }
/* -fsanitize-coverage=trace-pc calls this at each basic block. */
void __sanitizer_cov_trace_pc()
{
    if (count_on && order_in_kernel)
        count_step(now.rank, now.thread, WATCH_CALLER);
}

void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void **) {}
void __tsan_vptr_update(void **, void *) {}

/* -fsanitize=alignment and -fsanitize=bounds call these, under names that objcopy gives them. */

struct source {
    const char *file;
    uint32_t line, column;
};

struct misaligned_pointer {
    struct source source;
    const void *type;
    uint8_t log_alignment, kind;
};

struct out_of_bounds {
    struct source source;
    const struct {
        uint16_t kind, info;
        char name[];
    } * array;
};

void watch_misaligned_pointer(const struct misaligned_pointer *data, uintptr_t pointer)
{
    struct place where = {data->source.file, (int)data->source.line,
                          place_of(WATCH_CALLER)->function};

    if (!order_in_kernel)
        return;
    finding_report(EMULATED_ERROR, "alignment", &where, NULL,
                   "%s has an address for a type that needs a multiple of %d, and %#zx is none, in "
                   "kernel %s",
                   who_runs().text, 1 << data->log_alignment, (size_t)pointer, where.function);
    emulated_trap();
}

void watch_out_of_bounds(const struct out_of_bounds *data, uintptr_t index)
{
    struct place where = {data->source.file, (int)data->source.line,
                          place_of(WATCH_CALLER)->function};

    if (order_in_kernel)
        finding_report(EMULATED_ERROR, "bounds", &where, NULL,
                       "%s has index %td of an array of type %s, in kernel %s", who_runs().text,
                       (ptrdiff_t)index, data->array->name, where.function);
}

/* The compiler's own atomic operations: host code too has them, so that they are truly atomic. */

#define ORDERED(order) (order) != __ATOMIC_RELAXED
#define ATOMIC(how)                                                                                \
    do {                                                                                           \
        touch((const void *)at, sizeof *at, how, true, WATCH_CALLER);                              \
        if (order_in_kernel)                                                                       \
            order_atomic((const void *)at, {ORDERED(order), ORDERED(order), comparing, false});    \
        comparing = false;                                                                         \
    } while (0)

#define FETCH(bits, type, name, builtin)                                                           \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)                    \
    {                                                                                              \
        ATOMIC(WATCH_ATOMIC);                                                                      \
        return builtin(at, value, __ATOMIC_SEQ_CST);                                               \
    }

#define EXCHANGE(bits, type, name)                                                                 \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected,           \
                                                      type value, int order, int)                  \
    {                                                                                              \
        watch_compares((const void *)at, sizeof *at, (uint64_t)*expected);                         \
        ATOMIC(WATCH_ATOMIC);                                                                      \
        return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,           \
                                           __ATOMIC_SEQ_CST);                                      \
    }

#define ATOMICS(bits, type)                                                                        \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)                            \
    {                                                                                              \
        if (order_in_kernel)                                                                       \
            order_load((const void *)at, ORDERED(order));                                          \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                     \
    {                                                                                              \
        stores = true;                                                                             \
        ATOMIC(WATCH_ATOMIC);                                                                      \
        stores = false;                                                                            \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }                                                                                              \
    FETCH(bits, type, exchange, __atomic_exchange_n)                                               \
    FETCH(bits, type, fetch_add, __atomic_fetch_add)                                               \
    FETCH(bits, type, fetch_sub, __atomic_fetch_sub)                                               \
    FETCH(bits, type, fetch_and, __atomic_fetch_and)                                               \
    FETCH(bits, type, fetch_or, __atomic_fetch_or)                                                 \
    FETCH(bits, type, fetch_xor, __atomic_fetch_xor)                                               \
    FETCH(bits, type, fetch_nand, __atomic_fetch_nand)                                             \
    EXCHANGE(bits, type, strong)                                                                   \
    EXCHANGE(bits, type, weak)                                                                     \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int)                                \
    {                                                                                              \
        watch_compares((const void *)at, sizeof *at, (uint64_t)expected);                          \
        ATOMIC(WATCH_ATOMIC);                                                                      \
        __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST,                 \
                                    __ATOMIC_SEQ_CST);                                             \
        return expected;                                                                           \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int) { watch_fence(true); }
void __tsan_atomic_signal_fence(int) {}
}
