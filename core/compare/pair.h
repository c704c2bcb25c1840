/* SPDX-License-Identifier: MIT */
/*
 * Two backends on one experiment: both run from the same start, one after the other, their states
 * are compared, and their speeds by bursts in turns (core/compare/ratio.h).
 *
 * Both states are kept at once where they fit. Where they do not, the runs alone give the rates,
 * and the hashes say whether the states are equal. Backends whose states differ have no ratio;
 * where the difference is small work to find, or where it is asked for, the search of
 * core/compare/differ.h says where it begins.
 */
#ifndef CALAB_CORE_COMPARE_PAIR_H
#define CALAB_CORE_COMPARE_PAIR_H

#include "core/compare/lock_step.h"
#include "core/compare/ratio.h"

#define CA_PAIR_CHEAP_S 1.0 /* of both runs: a difference is then looked for unasked */

struct ca_pair_side {
    double wall_s, device_s; /* of the run */
    uint64_t hash;
    uint64_t call; /* generations of its calls */
};

struct ca_pair {
    struct ca_experiment
        experiment[2]; /* checked, with a backend each; of one model, size and start */
    bool find;         /* look for a difference however long it takes */
    ca_watch *watch;   /* may be NULL */
    /* Called when a side is at its last generation. */
    enum ca_status (*ran)(void *context, int side, struct ca_simulation *simulation,
                          struct ca_error *error);
    void *context;

    bool together;   /* both states were kept at once */
    char apart[256]; /* why not */
    struct ca_pair_side side[2];
    bool equal;
    /* 0: the states are equal to the last bit, or differ. Otherwise the backends agree within a
     * tolerance only (core/compare/drive.h), and `equal` says whether `compared` single generations
     * from the start do; these take CA_DIFFER_SCAN_S at most, unless `find` is set. */
    double tolerance;
    uint64_t compared;
    struct ca_ratio_result ratio;    /* together and equal, on no emulated GPU */
    struct ca_difference difference; /* together and not equal: at the last generation */
    bool searched;
    struct ca_differ_result finding;
};

/* Runs both for the steps of the first experiment. CA_OK also where they differ. CA_TIMEOUT: the
 * watch has stopped it. What a simulation returns. */
enum ca_status ca_pair_run(struct ca_pair *pair, struct ca_error *error);

/* "A is 153 x B (148 ... 159, ...); the states at generation 4,096 are equal". Returns text. */
char *ca_pair_sentence(char *text, size_t size, const struct ca_pair *pair, const char *a,
                       const char *b);

#endif
