/* SPDX-License-Identifier: MIT */
/* Keeps notes of reads until it is known whether they matter. */
#include "core/emulator/runtime/notes.h"

#include <algorithm>
#include <string.h>
#include <unordered_map>
#include <vector>

#define NOTES_MOST 64   /* of a thread; then the oldest is taken for one that matters */
#define COPIED_MOST 128 /* bytes that one access copies and that are looked at */

struct note {
    uint64_t id;
    int rank;
    uint16_t thread;
    bool races;
    size_t at, bytes;
    uint32_t code;
    struct access other;
    struct who who;
    unsigned char value[COPIED_MOST];
    bool missing[COPIED_MOST]; /* bytes that nobody wrote */
};

bool notes_wait;

static auto *const notes = new std::vector<struct note>;
static auto *const sources = new std::unordered_map<size_t, struct notes_source>;
static struct {
    bool waits;
    int rank;
    uint16_t thread;
    size_t at, bytes;
} written;

/* Writes of a thread that follow each other, and the reads before them. */
static struct {
    uint32_t reads, writes;
    std::vector<std::pair<uint64_t, std::pair<size_t, size_t>>> copies; /* note, place and size */
} batch;

/* --- junk ------------------------------------------------------------------------------------- */

/* Bytes of 0xa0 to 0xbf: negative integers, small floats, and no cell of an automaton. */
void watch_fill_junk(void *memory, size_t bytes)
{
    static unsigned char junk[4096 + 256];
    size_t at = (size_t)((char *)memory - shadow.base);
    uint32_t state = 1;

    for (size_t i = 0; junk[0] == 0 && i < sizeof junk; i++) {
        state = state * 1664525 + 1013904223;
        junk[sizeof junk - 1 - i] = (unsigned char)(0xa0 | state >> 27);
    }
    for (size_t done = 0; done < bytes; done += 4096)
        memcpy((char *)memory + done, junk + (at + done) / 4096 * 8 % 256,
               std::min(bytes - done, (size_t)4096));
}

struct notes_source notes_source(size_t at)
{
    auto found = sources->find(at);

    if (found == sources->end() || !(shadow_cell(at)->write.thread & ACCESS_UNWRITTEN))
        return {at, 0};
    return found->second;
}

/* --- notes ------------------------------------------------------------------------------------ */

static bool is_own(const struct note *note)
{
    return note->thread == now.thread && note->rank == now.rank;
}

static bool has_value(size_t at)
{
    const struct access *write = &shadow_cell(at)->write;

    return write->interval >= shadow_piece(at)->since && !(write->thread & ACCESS_UNWRITTEN);
}

static void report(const struct note *note)
{
    if (note->races)
        hooks_report_read(&note->who, note->at, note->code, &note->other);
    else
        hooks_report_unwritten(&note->who, note->at, note->bytes, note->code);
}

/* The thread's new note, or the one that it has of the same. */
static struct note *add(size_t at, size_t bytes, uint32_t code, bool races)
{
    struct note *oldest = NULL;
    int count = 0;

    notes_wait = true;
    now.plain = false;
    for (struct note &one : *notes)
        if (is_own(&one)) {
            oldest = oldest ? oldest : &one;
            count++;
            if (one.at == at && one.bytes == bytes && one.code == code && one.races == races)
                return &one;
        }
    if (count >= NOTES_MOST) {
        report(oldest);
        notes->erase(notes->begin() + (oldest - notes->data()));
    }
    static uint64_t last;

    notes->push_back(
        {++last, now.rank, now.thread, races, at, bytes, code, {}, who_runs(), {}, {}});
    return &notes->back();
}

/* Whether it is known at once that a read matters. */
static bool is_use(size_t at, size_t bytes, bool whole)
{
    bool none = true;

    for (size_t i = 0; i < bytes; i++) {
        const struct access *write = &shadow_cell(at + i)->write;

        if (write->interval == INTERVAL_NEVER && write->code == CODE_UNDER_WAY)
            return true;
        none &= !has_value(at + i);
    }
    return (whole && none) || bytes > COPIED_MOST || shadow_piece(at)->kind == WATCH_VARIABLE;
}

void notes_unwritten(size_t at, size_t bytes, uint32_t code, bool whole)
{
    struct note *note;

    if (hooks_knows(code, 1))
        return;
    if (is_use(at, bytes, whole)) {
        struct who who = who_runs();

        hooks_report_unwritten(&who, at, bytes, code);
        return;
    }
    note = add(at, bytes, code, false);
    memcpy(note->value, shadow.base + at, bytes);
    for (size_t i = 0; i < bytes; i++)
        note->missing[i] = !has_value(at + i);
}

void notes_race(size_t at, const void *memory, size_t bytes, uint32_t code,
                const struct access *other)
{
    struct note *note;

    if (hooks_knows(code, other->code))
        return;
    note = add(at, bytes, code, true);
    note->other = *other;
    memcpy(note->value, memory, std::min(bytes, sizeof note->value));
}

bool notes_has(size_t at)
{
    for (const struct note &one : *notes)
        if (is_own(&one) && !one.races && one.at == at)
            return true;
    return false;
}

/* --- copies ----------------------------------------------------------------------------------- */

void notes_writes(size_t at, size_t bytes)
{
    if (now.reads > 0)
        batch.reads = now.reads, batch.writes = 0;
    now.reads = 0;
    batch.writes++;
    if (bytes <= COPIED_MOST && shadow_piece(at)->kind != WATCH_VARIABLE)
        written = {true, now.rank, now.thread, at, bytes};
}

/* Whether bytes are those of a note, or begin with them and have nothing or a sign beside. */
static bool is_copy(const struct note *note, const unsigned char *bytes, size_t count)
{
    size_t same = std::min(count, note->bytes);

    if (same < note->bytes && note->bytes > 8)
        return false;
    for (size_t i = 0; i < same; i++) /* a loop, as in hooks.cc */
        if (bytes[i] != note->value[i])
            return false;
    for (size_t i = same; i < count; i++)
        if (bytes[i] != 0 && bytes[i] != 0xff)
            return false;
    return true;
}

/* The target of a copy has no value, either. */
static void mark(const struct note *note, size_t at, size_t bytes)
{
    for (size_t i = 0; i < std::min(note->bytes, bytes); i++) {
        if (!note->missing[i])
            continue;
        shadow_split(at + i);
        shadow_byte(at + i)->write.thread |= ACCESS_UNWRITTEN;
        (*sources)[at + i] = {notes_source(note->at + i).at, note->code};
    }
    shadow_piece(at)->copied = true;
}

static bool is_in_batch(const struct note *note)
{
    for (const auto &one : batch.copies)
        if (one.first == note->id)
            return true;
    return false;
}

void notes_settle_write()
{
    if (!written.waits)
        return;
    written.waits = false;
    for (const struct note &note : *notes)
        if (note.thread == written.thread && note.rank == written.rank && !note.races &&
            !is_in_batch(&note) &&
            is_copy(&note, (const unsigned char *)shadow.base + written.at, written.bytes)) {
            batch.copies.push_back({note.id, {written.at, written.bytes}});
            return;
        }
}

void notes_settle_copies()
{
    notes_settle_write();
    for (const auto &one : batch.copies)
        for (size_t i = 0; batch.writes >= batch.reads && i < notes->size(); i++)
            if ((*notes)[i].id == one.first) {
                mark(&(*notes)[i], one.second.first, one.second.second);
                notes->erase(notes->begin() + (long)i);
                break;
            }
    batch.copies.clear();
    batch.reads = batch.writes = 0;
    notes_wait = !notes->empty();
}

/* --- ends ------------------------------------------------------------------------------------- */

/* The plain read that gave a value to compare with is no access by itself. */
static void forget_reads(size_t at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        for (struct access &read : shadow_cell(at + i)->reads)
            if (read.interval == now.interval && (read.thread & ACCESS_THREAD) == now.thread)
                read.interval = 0;
}

void notes_compare(size_t at, const void *memory, size_t bytes, uint64_t value)
{
    if (bytes <= sizeof value && memcmp(memory, &value, bytes) == 0)
        forget_reads(at, bytes);
    for (size_t i = 0; i < notes->size(); i++) {
        const struct note *note = &(*notes)[i];

        if (is_own(note) && note->races && note->at == at && note->bytes == bytes &&
            memcmp(note->value, &value, bytes) == 0)
            notes->erase(notes->begin() + (long)i--);
    }
    notes_wait = !notes->empty();
}

bool notes_report_own()
{
    bool some = false;

    notes_settle_copies();
    for (size_t i = 0; i < notes->size(); i++)
        if (is_own(&(*notes)[i]) && !(*notes)[i].races) {
            report(&(*notes)[i]);
            notes->erase(notes->begin() + (long)i--);
            some = true;
        }
    return some;
}

void notes_report_all()
{
    notes_settle_copies();
    for (const struct note &one : *notes)
        report(&one);
    notes->clear();
    notes_wait = false;
}
