/* SPDX-License-Identifier: MIT */
/*
 * Finds where two simulations in lock step, A and B, begin to differ.
 *
 * A state machine without I/O and without a clock, which core/compare/drive.h drives. It begins
 * when the two were equal at a generation, the mark, and were not after some calls of n generations
 * each. ca_differ_next says what one of the two has to do, the driver does it and hands the result
 * to ca_differ_take:
 *
 *   1. Both go back to the mark and repeat the calls. Who then has another hash than before is not
 *      deterministic; further repeats find cells that vary.
 *   2. From the last call after whose predecessors they were equal: one generation a call, compared
 *      each time, until they differ. If that would take more than CA_DIFFER_SCAN_S, single calls
 *      of other lengths are tried instead, by bisection: earlier differences may then have healed.
 *   3. If single generations agree all the way: single calls of 2, 3, ... generations.
 *   4. The first row that differs, by digests of rows, which add up; the first cell of it; its
 *      neighbourhood in both results, and before.
 *
 * At the end both are in the state that differs.
 */
#ifndef CALAB_CORE_COMPARE_DIFFER_H
#define CALAB_CORE_COMPARE_DIFFER_H

#include "core/compare/side.h"
#include "core/model/model.h"

#define CA_DIFFER_SCAN_S 10.0
#define CA_DIFFER_AROUND 7   /* cells a side of the neighbourhood, fewer in a smaller lattice */
#define CA_DIFFER_CHUNK 4096 /* cells of a row that are looked at together */
#define CA_DIFFER_VARYING_MAX                                                                      \
    4 /* cells that vary, looked for in CA_DIFFER_REPEATS repeats, for at                          \
         most CA_DIFFER_SCAN_S */
#define CA_DIFFER_REPEATS 16

enum ca_differ_verb {
    CA_DIFFER_DONE,
    CA_DIFFER_BACK,   /* to the mark */
    CA_DIFFER_STEP,   /* `calls` calls of `generations` each */
    CA_DIFFER_DIGEST, /* of rows; of all rows: the hash */
    CA_DIFFER_CELLS,  /* of a block, plane after plane, row after row */
};

struct ca_differ_request {
    enum ca_differ_verb verb;
    int side; /* 0: A, 1: B */
    uint64_t generations, calls;
    struct ca_block_of_cells block; /* of a digest: its rows */
};

/* The result of a request, as far as its verb has one. */
struct ca_differ_reply {
    double seconds;    /* that it took */
    uint64_t digest;   /* CA_DIFFER_DIGEST */
    const void *cells; /* CA_DIFFER_CELLS: canonical values, of the model's type */
};

/* The driver starts from this. */
struct ca_differ_case {
    const struct ca_model *model;
    struct ca_size size;
    uint64_t mark;               /* the generation of the last equal state */
    uint64_t generations, calls; /* since then: so many calls of so many generations each */
    uint64_t hash[2];            /* of A and B after them */
};

enum ca_differ_kind {
    CA_DIFFER_PENDING,
    CA_DIFFER_FROM,    /* a single generation differs */
    CA_DIFFER_LENGTH,  /* single generations agree, longer calls do not */
    CA_DIFFER_VARYING, /* not deterministic */
};

struct ca_differ_cell {
    int64_t x, y, z;
};

struct ca_differ_result {
    enum ca_differ_kind kind;
    uint64_t equal_at;   /* both agreed at this generation ... */
    uint64_t generation; /* ... and a call later, at this one, they did not */
    uint64_t length;     /* generations of that call */
    uint64_t call;       /* CA_DIFFER_VARYING: generations of each call that was repeated */
    bool bisected;       /* earlier generations or shorter calls may differ too */
    bool guilty[2];      /* VARYING: does not repeat itself. LENGTH: differs from its own single
                            generations */
    bool placed;         /* `cell`, `plane` and the values are known */
    struct ca_differ_cell cell;
    int plane; /* the first that differs */
    double value[2], value_before;
    /* The neighbourhood: from (x, y) on in the cell's layer, columns x rows, row after row. */
    struct ca_differ_cell corner;
    int columns, rows;
    double before[CA_PLANES_MAX][CA_DIFFER_AROUND * CA_DIFFER_AROUND];
    double after[2][CA_PLANES_MAX][CA_DIFFER_AROUND * CA_DIFFER_AROUND];
    int varying; /* cells in which A and B differed in a repeat */
    struct ca_differ_cell vary[CA_DIFFER_VARYING_MAX];
};

#define CA_DIFFER_BATCH 12

struct ca_differ {
    struct ca_differ_case start;
    struct ca_differ_result result;
    void (*stage)(struct ca_differ *differ); /* called when the batch is answered */
    struct ca_differ_request batch[CA_DIFFER_BATCH];
    int requests, answered;
    uint64_t digest[2]; /* of the last CA_DIFFER_DIGEST of each side */
    int64_t place_x;
    uint64_t call, equal_calls; /* calls repeated; those after which both agreed */
    uint64_t call_hash[2];      /* after the call that made them differ */
    bool differed;
    uint64_t single;    /* single generations that agreed */
    double scan_s;      /* that they took */
    bool singles_agree; /* as far as the call reaches */
    bool bisect;
    uint64_t low, high, tried; /* calls of so many generations: agree, differ, are tried */
    uint64_t high_hash[2];
    uint64_t before_call, before_singles; /* from the equal calls on to the state before */
    int64_t row_low, row_high;
    int repeats;
    double repeat_s; /* that they took */
    size_t cell_bytes;
    /* The driver's: when it has asked, the calls of the request that are made, and their time. */
    double asked, request_s;
    uint64_t calls_made;
    uint8_t chunk[CA_PLANES_MAX * CA_DIFFER_CHUNK * 4];
};

/* The model and size give rows and values; at least one call of at least one generation. */
void ca_differ_begin(struct ca_differ *differ, const struct ca_differ_case *start);
/* Returns what has to be done next; CA_DIFFER_DONE where the result is complete. */
struct ca_differ_request ca_differ_next(const struct ca_differ *differ);
void ca_differ_take(struct ca_differ *differ, const struct ca_differ_reply *reply);

/* Writes what it is doing: "repeating", "generation 3,072 of 4,096", "calls of 7 generations".
 * Returns text. */
char *ca_differ_progress(char text[64], const struct ca_differ *differ);
/* "DIFFER from 3,117 at 211,40", "DIFFER in calls of 6 or more", "NOT DETERMINISTIC", or "DIFFER"
 * while it looks. Returns text. */
char *ca_differ_headline(char text[80], const struct ca_differ_result *result,
                         const struct ca_model *model);
/* One or two sentences that say all that is known, without a full stop. Returns text. */
char *ca_differ_sentence(char *text, size_t size, const struct ca_differ_result *result,
                         const struct ca_model *model, const char *a, const char *b);

#endif
