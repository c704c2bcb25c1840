/* SPDX-License-Identifier: MIT */
/*
 * The ratio of two kernels by bursts in turns, A B B A, while nothing else runs.
 *
 * A state machine without a clock: ca_ratio_next says whose burst is due, the driver times that
 * many calls and hands the seconds to ca_ratio_take. Two bursts that follow each other make a pair;
 * the order within a pair changes from pair to pair, so that a drift of the machine's speed raises
 * every other paired ratio as much as it lowers the ones between, and their median stays. The first
 * bursts of each side warm it up, find how many calls fill CA_RATIO_BURST_S, and are not counted.
 *
 * A burst has at most CA_RATIO_CALLS calls, though these may fill less of that time.
 *
 * It ends after an even number of pairs: at 20, where the interval is within 2 % of the median, or
 * where the bursts have taken 4 s; and at 5 pairs if a call takes longer than 250 ms.
 */
#ifndef CALAB_CORE_BENCH_RATIO_H
#define CALAB_CORE_BENCH_RATIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CA_RATIO_PAIRS 20
#define CA_RATIO_PAIRS_LONG 5 /* where a call takes longer than CA_RATIO_CALL_S */
#define CA_RATIO_CALL_S 0.25
#define CA_RATIO_CALLS 10000 /* as many as an engine takes for one request */
#define CA_RATIO_BURST_S 0.025
#define CA_RATIO_TIME_S 4.0
#define CA_RATIO_ERROR 0.02 /* half the interval's width, relative to the median */

struct ca_ratio_side {
    double work; /* cell updates of a call */
    uint64_t calls;
    double call_s; /* of the shortest burst so far, 0: there was none */
    bool warm;     /* `calls` is found */
    double burst_s[CA_RATIO_PAIRS];
    uint64_t burst_calls[CA_RATIO_PAIRS];
};

struct ca_ratio {
    struct ca_ratio_side side[2];
    uint64_t generations; /* of a call, the same for both */
    int turn;             /* bursts of pairs so far */
    double seconds;       /* of all bursts */
};

/* The burst that is due. */
struct ca_ratio_turn {
    int side; /* 0: A, 1: B */
    uint64_t generations, calls;
    bool warm_up; /* it will not be counted */
};

struct ca_ratio_result {
    int pairs;                /* 0: nothing is known yet, and the rest is 0 */
    double median, low, high; /* how many times as fast as B A is, by cell updates */
    bool same;                /* 1 lies within the interval; otherwise it is clear of noise */
    double rate[2];           /* medians, in cell updates per second */
    double burst_s[2];        /* median lengths of their bursts */
};

/* `cells` of A and of B, which may differ in size; calls of so many generations (at least 1). */
void ca_ratio_begin(struct ca_ratio *ratio, const int64_t cells[2], uint64_t generations);
/* The burst that is due; false where the measurement is over. */
bool ca_ratio_next(const struct ca_ratio *ratio, struct ca_ratio_turn *turn);
/* What the burst that ca_ratio_next told of has taken, more than 0. */
void ca_ratio_take(struct ca_ratio *ratio, double seconds);
/* What is known so far; while the measurement runs, of the pairs that are whole. */
struct ca_ratio_result ca_ratio_result(const struct ca_ratio *ratio);

/*
 * "A is 153 x B (148 ... 159, 20 pairs of bursts of 25 ms)", the faster one first, with the lengths
 * of both bursts where they are not alike, "of 25 ms and 100 ms"; or "A and B are the same (0.99
 * ... 1.01, ...)", or "not measured". Returns text.
 */
char *ca_ratio_sentence(char *text, size_t size, const struct ca_ratio_result *result,
                        const char *a, const char *b);
/* "clear of noise", "same", or "" where nothing is known. */
const char *ca_ratio_verdict(const struct ca_ratio_result *result);

#endif
