/* SPDX-License-Identifier: MIT */
/*
 * The ratio of two kernels by bursts that alternate, A B B A.
 *
 * A state machine without a clock: ca_ratio_next says whose burst is due, the driver times that
 * many calls and hands the seconds to ca_ratio_take, with what others did of the machine meanwhile
 * (core/machine/interference.h). Two bursts that follow each other make a pair; the order within a
 * pair changes from pair to pair, so that a drift of the machine's speed raises every other paired
 * ratio as much as it lowers the ones between, and their median stays. The first bursts of each
 * side warm it up, find how many calls fill CA_RATIO_BURST_S, and are not counted. A burst of less
 * than half that time, because those were slowed by others, is followed by longer ones.
 *
 * If the caller names no length of a call, one generation of each side is timed first, and a call
 * has CA_RATIO_GENERATIONS of them, or fewer where these take longer than a burst.
 *
 * A burst has at most CA_RATIO_CALLS calls, though these may fill less of that time.
 *
 * A pair counts where neither of its bursts was disturbed; others are left out, and more are made.
 * The measurement ends after 40 pairs that count, after 10 where the interval is within 1 % of the
 * median or where the bursts of pairs have taken 4 s, and after 6 if a call takes longer than 250
 * ms; and in any case once these have taken 8 s, or 7 s without one that counts, or twice as many
 * pairs as are wanted of long calls. With fewer than 6 pairs that count the result is unsure.
 *
 * The interval holds the ratio with 95 % or more: ranks of the pairs' ratios (Hahn and Meeker,
 * Statistical Intervals, 5.2), widened by CA_RATIO_PLACEMENT, by which two instances of one kernel
 * differ because their memory lies elsewhere.
 */
#ifndef CALAB_CORE_COMPARE_RATIO_H
#define CALAB_CORE_COMPARE_RATIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/machine/interference.h"

#define CA_RATIO_PAIRS 40
#define CA_RATIO_PAIRS_LEAST 6
#define CA_RATIO_PAIRS_MADE 256 /* with those that do not count */
#define CA_RATIO_CALL_S 0.25    /* a longer call is a long one */
#define CA_RATIO_GENERATIONS 64
#define CA_RATIO_CALLS 10000 /* as many as an engine takes for one request */
#define CA_RATIO_BURST_S 0.025
#define CA_RATIO_TIME_S 4.0
#define CA_RATIO_LONGEST_S 8.0
#define CA_RATIO_HOPELESS_S 7.0  /* without a pair that counts */
#define CA_RATIO_ERROR 0.01      /* half the interval's width, relative to the median */
#define CA_RATIO_PLACEMENT 1.015 /* a factor, either way */

struct ca_ratio_burst {
    double seconds, speed; /* of the burst; of the fixed loop beside it */
    double others;         /* cores that others used, 0 where that is not known */
    uint64_t calls;
    enum ca_quiet quiet; /* without a look at its speed */
};

struct ca_ratio_side {
    double cells; /* updates of a generation */
    uint64_t calls;
    double call_s; /* of the shortest burst so far, 0: there was none */
    bool warm;     /* `calls` is found */
    struct ca_ratio_burst burst[CA_RATIO_PAIRS_MADE];
};

struct ca_ratio {
    struct ca_ratio_side side[2];
    uint64_t generations; /* of a call, the same for both; 0: not known yet */
    int probes;           /* sides of which one generation has been timed */
    double slower_s;      /* the longer of these times, 0: unknown */
    int bursts;           /* of pairs, so far */
    double seconds;       /* of all bursts */
    double paired_s;      /* of those of pairs */
    double best_speed;    /* of the fixed loop */
    struct ca_disturbance disturbance;
};

/* The burst that is due. */
struct ca_ratio_request {
    int side; /* 0: A, 1: B */
    uint64_t generations, calls;
    bool warm_up; /* it will not be counted */
};

struct ca_ratio_result {
    int pairs; /* that count; where none does, the figures are those of all pairs */
    int made;  /* all pairs; 0: nothing is known yet, and the rest is 0 */
    bool unsure;
    double median, low, high; /* how many times as fast as B A is, by cell updates */
    bool same;                /* 1 lies within the interval */
    double rate[2];           /* medians, in cell updates per second */
    double burst_s[2];        /* median lengths of their bursts */
    double others;            /* cores that others used, the median of the same bursts */
    struct ca_disturbance disturbance;
};

/* `cells` of A and of B, which may differ in size; calls of so many generations, 0: it finds out.
 */
void ca_ratio_begin(struct ca_ratio *ratio, const int64_t cells[2], uint64_t generations);
/* The burst that is due; false where the measurement is over. */
bool ca_ratio_next(const struct ca_ratio *ratio, struct ca_ratio_request *next);
/* Takes the seconds, more than 0, of the burst that ca_ratio_next asked for, and what others did
 * meanwhile; NULL: that is not known. */
void ca_ratio_take(struct ca_ratio *ratio, double seconds, const struct ca_interference *others);
/* Returns the result so far; while the measurement runs, of the pairs that are whole. */
struct ca_ratio_result ca_ratio_result(const struct ca_ratio *ratio);

/*
 * "A is 153 x B (148 ... 159, 20 pairs of bursts of 25 ms)", the faster one first, with the lengths
 * of both bursts where they are not alike, "of 25 ms and 100 ms"; or "A and B are the same (0.99
 * ... 1.01, ...)"; or "A and B: unsure (...)"; or "not measured". Returns text.
 */
char *ca_ratio_sentence(char *text, size_t size, const struct ca_ratio_result *result,
                        const char *a, const char *b);
/*
 * "clear of noise", "same", "unsure: others used 1.3 of 2 cores", or "" where nothing is known.
 * Where the system does not tell what others use, that follows: "same; others unknown". Returns
 * text.
 */
#define CA_RATIO_VERDICT (CA_DISTURBANCE_TEXT + 16)
char *ca_ratio_verdict(char text[CA_RATIO_VERDICT], const struct ca_ratio_result *result);

#endif
