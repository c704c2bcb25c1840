/* SPDX-License-Identifier: MIT */
/*
 * Shadow memory: what kernels have done to each byte of device and shared memory, and whose memory
 * it is. A word of four bytes has one cell as long as it is only used as a whole; once a byte of it
 * is used alone, each byte has a cell of its own. These lie apart, on pages that are not touched
 * until then.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_SHADOW_H
#define CALAB_CORE_EMULATOR_RUNTIME_SHADOW_H

#include <stddef.h>
#include <stdint.h>

#include "core/emulator/runtime/watch.h"

#define ARENA_BYTES ((size_t)1 << 36)
#define ARENA_SHARED (ARENA_BYTES / 2) /* from here on is shared memory, and only there */
#define GRANULE 256                    /* bytes that belong to one piece */

/* --- accesses --------------------------------------------------------------------------------- */

/*
 * Intervals between barriers are numbered in the order in which they run, through all blocks and
 * launches. Two accesses with the same number were made by the same block between two barriers.
 */
enum { INTERVAL_NEVER, INTERVAL_HOST, INTERVAL_FIRST };

enum {
    ACCESS_THREAD = 0x3ff, /* of its block */
    ACCESS_ATOMIC = 0x400,
    ACCESS_HOST = 0x800,
    ACCESS_BLOCK = 0x1000,     /* atomic within its block alone */
    ACCESS_UNWRITTEN = 0x2000, /* a read of what nobody had written, or a write that copies it */
    ACCESS_STRONG = 0x4000,    /* a volatile read, which is atomic with atomic writes */
    ACCESS_SPLIT = 0x8000,     /* in the write of a cell: it is of one byte of its word */
};

struct access {
    uint32_t interval;
    uint32_t code;   /* lower half of the address that the access returns to */
    uint16_t thread; /* and flags */
    uint16_t stamp;  /* of its lane, which counts warp operations within an interval */
};

/* The code of a write that a copy makes which is under way: it has no interval. */
#define CODE_UNDER_WAY 1

/* The last write, and two of the reads since, of which at least one collides with whatever write a
 * read collides with. */
struct cell {
    struct access write, reads[2];
};

/* --- pieces ----------------------------------------------------------------------------------- */

/* Memory that was given out as one. A piece without bytes is where nothing was given out. */
struct piece {
    size_t at, bytes, extent; /* extent: with what lies between it and the next one */
    enum watch_kind kind;
    bool freed;
    bool any_value; /* reads of what nobody wrote are right */
    bool copied;    /* some of it has been copied from where nobody wrote */
    int device;
    uint32_t since; /* accesses in intervals below are void: what was written then is not there */
    struct watch_origin origin;
};

struct shadow {
    char *base;                 /* of the arena */
    struct cell *words, *bytes; /* by place / 4, and by place */
    uint32_t *granules;         /* index of the piece that begins in or covers each of them */
    struct piece *pieces;
};

extern struct shadow shadow;

/* Watches a module that calls from `code`. */
void shadow_begin(const void *code);

static inline struct piece *shadow_piece(size_t at)
{
    return &shadow.pieces[shadow.granules[at / GRANULE]];
}

/* Gives bytes of the arena the same write, and no reads. */
void shadow_fill(size_t at, size_t bytes, const struct access *write);
/* Finds bytes that are no part of the arena but are watched like it; false: there are none. */
bool shadow_of_variable(const void *memory, size_t *at);
/* Whether it is in a part of the program that nobody can write. */
bool shadow_is_constant(const void *memory);
/* All accesses so far are the host's: their numbers are given out anew. */
void shadow_renumber();

/* "byte 12 of 400 that cudaMalloc gave at f.cu:7", for a finding. */
struct words {
    char text[512];
};
struct words shadow_words(size_t at);

static inline struct cell *shadow_word(size_t at) { return &shadow.words[at / 4]; }
static inline struct cell *shadow_byte(size_t at) { return &shadow.bytes[at]; }
/* The one of the two that holds. */
static inline struct cell *shadow_cell(size_t at)
{
    struct cell *word = shadow_word(at);

    return word->write.thread & ACCESS_SPLIT ? shadow_byte(at) : word;
}

/* Gives each byte of a word a cell of its own. */
static inline void shadow_split(size_t at)
{
    struct cell *word = shadow_word(at);

    if (word->write.thread & ACCESS_SPLIT)
        return;
    word->write.thread |= ACCESS_SPLIT;
    for (size_t i = 0; i < 4; i++)
        *shadow_byte(at / 4 * 4 + i) = *word;
}

/* The whole word was written: the cell of one of its bytes is that of all. */
static inline void shadow_join(size_t at)
{
    struct cell *word = shadow_word(at);

    if (!(word->write.thread & ACCESS_SPLIT))
        return;
    *word = *shadow_byte(at);
    word->write.thread &= (uint16_t)~ACCESS_SPLIT;
    for (size_t i = 0; i < 4; i++)
        shadow_byte(at / 4 * 4 + i)->write.thread &= (uint16_t)~ACCESS_SPLIT;
}

#endif
