/* SPDX-License-Identifier: MIT */
/*
 * calab shares with the process of a student's kernel, the submission, memory with the planes, and
 * exchanges messages of fixed size over a socket. A folder of a lab has a copy of this file,
 * lab_wire.h.
 *
 * The memory begins with a struct lab_shared. Behind it lie four sets of planes, each plane between
 * two guard bands that nobody may write:
 *
 *     in    the state that is loaded; a submission reads it
 *     a, b  the generations that a submission works on, alternately
 *     out   the state that is stored; calab reads it
 *
 * calab fills `in`, and everything else with a pattern, before LAB_LOAD. With ghosts a plane has a
 * border of so many cells on each side (in 2D none above and below the plane).
 *
 * A request is answered by one reply, in order; a submission that ends is one that failed. After
 * LAB_CLOSE comes LAB_OPEN, where it goes on with another lattice in the same memory, or the end of
 * the socket.
 */
#ifndef CALAB_LAB_WIRE_H
#define CALAB_LAB_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define LAB_WIRE_VERSION 1
#define LAB_WIRE_VARIABLE                                                                          \
    "CALAB_LAB" /* "SOCKET MEMORY BYTES": descriptors, bytes of the memory                         \
                 */
#define LAB_PLANES_MAX 3
#define LAB_PARAMETERS_MAX 40

enum lab_op { LAB_OPEN = 1, LAB_LOAD, LAB_STEP, LAB_STORE, LAB_CLOSE };
enum lab_set { LAB_IN, LAB_A, LAB_B, LAB_OUT, LAB_SETS };

struct lab_request {
    uint32_t version, op;
    uint64_t t, n; /* of LAB_LOAD the generation; of LAB_STEP also how many */
};

struct lab_reply {
    uint32_t version, op;
    int32_t failed;
    char text[236]; /* why, ends with NUL */
};

struct lab_parameter {
    char name[32];
    double number;  /* of a choice its number, of a probability its 65536ths */
    char text[512]; /* of a text, a choice */
};

struct lab_shared {
    uint32_t version;
    uint32_t planes, cell_bytes; /* of the model */
    uint32_t constant;           /* bit p: a step does not change plane p */
    uint32_t dimensions, ghosts; /* cells of the border */
    uint32_t table_bytes, parameters;
    int64_t w, h, d;
    uint64_t seed;
    /* From here on lab_layout's work, in bytes: */
    uint64_t plane_bytes, guard_bytes, bytes;
    uint64_t at[LAB_SETS][LAB_PLANES_MAX]; /* of each plane, from the beginning of the memory */
    uint8_t table[512];
    struct lab_parameter parameter[LAB_PARAMETERS_MAX];
};

/* The cells of a plane across, down and deep, with the border. */
static inline int64_t lab_across(const struct lab_shared *s) { return s->w + 2 * s->ghosts; }
static inline int64_t lab_down(const struct lab_shared *s) { return s->h + 2 * s->ghosts; }
static inline int64_t lab_deep(const struct lab_shared *s)
{
    return s->dimensions == 3 ? s->d + 2 * s->ghosts : s->d;
}

/* Lays the planes out. A guard band is at least a layer, a row and a cell long, which a kernel
 * writes that does not look where its lattice ends. */
static inline void lab_layout(struct lab_shared *s)
{
    uint64_t row = (uint64_t)lab_across(s) * s->cell_bytes, layer = row * (uint64_t)lab_down(s), at;

    s->plane_bytes = layer * (uint64_t)lab_deep(s);
    s->guard_bytes = ((s->dimensions == 3 ? layer : 0) + 2 * row + 4096) & ~(uint64_t)63;
    at = (sizeof *s + 4095) & ~(uint64_t)4095;
    for (int set = 0; set < LAB_SETS; set++)
        for (uint32_t p = 0; p < s->planes; p++) {
            at += s->guard_bytes;
            s->at[set][p] = at;
            at = (at + s->plane_bytes + s->guard_bytes + 63) & ~(uint64_t)63;
        }
    s->bytes = at;
}

#endif
