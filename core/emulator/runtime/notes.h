/* SPDX-License-Identifier: MIT */
/*
 * Notes of what threads have read and of which it is not known yet whether it matters.
 *
 * A value that nobody wrote matters once something depends on it. Copies do not: where a thread
 * writes the value that it has read, the target holds what nobody wrote, and the note is gone. What
 * is left when the blocks that run together end is reported. Memory that nobody wrote is full of
 * junk, which a result seldom is by chance; but it is where zeros are added to it. So reads that
 * are followed by fewer writes are no copies.
 *
 * A plain read of what others change atomically is a race, unless its value is what the thread
 * next compares with in an atomicCAS at the same place: that fails if the value is an old one.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_NOTES_H
#define CALAB_CORE_EMULATOR_RUNTIME_NOTES_H

#include "core/emulator/runtime/order.h"
#include "core/emulator/runtime/shadow.h"

/* Whether notes wait, or it is to be seen what was written. */
extern bool notes_wait;

/* The running thread has read bytes of which some have no value; whole: it is a use if none has. */
void notes_unwritten(size_t at, size_t bytes, uint32_t code, bool whole);
/* Notes that the thread has read what another access changed atomically. */
void notes_race(size_t at, const void *memory, size_t bytes, uint32_t code,
                const struct access *other);
/* It is about to write; what, is seen at the next notes_settle. */
void notes_writes(size_t at, size_t bytes);
void notes_settle_write();
/* It is about to read, or another thread goes on. */
void notes_settle_copies();
/* It compares a value with what is there, atomically. */
void notes_compare(size_t at, const void *memory, size_t bytes, uint64_t value);
/* Whether it has a note of this place. */
bool notes_has(size_t at);
/* The blocks that run together have ended, or the running thread is about to use an address that
 * may come of what it has read: whether there was a note of such values. */
void notes_report_all();
bool notes_report_own();

/* Where the value of a place comes from that holds a copy of what nobody wrote, and the read that
 * copied it. */
struct notes_source {
    size_t at;
    uint32_t code;
};
struct notes_source notes_source(size_t at);

/* Of hooks.cc: reports. */
void hooks_report_unwritten(const struct who *who, size_t at, size_t bytes, uint32_t code);
void hooks_report_read(const struct who *who, size_t at, uint32_t code, const struct access *other);
bool hooks_knows(uint32_t code, uint32_t other);

#endif
