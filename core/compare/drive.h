/* SPDX-License-Identifier: MIT */
/*
 * The drivers of comparisons: they ask two sides (core/compare/side.h) for what a ratio
 * (core/compare/ratio.h), the search for the first difference (core/compare/differ.h), an agreement
 * within a tolerance or a comparison of two states needs next, and hand it the results.
 *
 * `ask` begins what is due, `answer` is called once that has ended: neither blocks where the sides
 * do not. `run` does both until all is known, with sides whose operations end at once; what a side
 * returns ends it, and CA_TIMEOUT where `watch`, which may be NULL, has stopped it.
 */
#ifndef CALAB_CORE_COMPARE_DRIVE_H
#define CALAB_CORE_COMPARE_DRIVE_H

#include "core/compare/differ.h"
#include "core/compare/ratio.h"
#include "core/compare/side.h"

/* Calls a watch, which may be NULL, with a text. CA_TIMEOUT where it stops. */
enum ca_status ca_watch_call(ca_watch *watch, void *context, struct ca_error *error,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ca_ratio_begin and ca_differ_begin have been called; nothing is asked where the measurement or
 * the search is over. CA_IO: a burst took no time. */
enum ca_status ca_ratio_ask(const struct ca_ratio *ratio, const struct ca_side side[2],
                            struct ca_error *error);
enum ca_status ca_ratio_answer(struct ca_ratio *ratio, const struct ca_side side[2],
                               struct ca_error *error);
enum ca_status ca_ratio_run(struct ca_ratio *ratio, const struct ca_side side[2], ca_watch *watch,
                            void *context, struct ca_error *error);

enum ca_status ca_differ_ask(struct ca_differ *differ, const struct ca_side side[2],
                             struct ca_error *error);
enum ca_status ca_differ_answer(struct ca_differ *differ, const struct ca_side side[2],
                                struct ca_error *error);
enum ca_status ca_differ_run(struct ca_differ *differ, const struct ca_side side[2],
                             ca_watch *watch, void *context, struct ca_error *error);

/*
 * Compares the states of two sides whose operations end at once, the expected one first: count and
 * first difference. Rows are asked for only where their digests differ. With a tolerance the
 * difference is that beyond it, and all rows are asked for.
 */
enum ca_status ca_states_compare(const struct ca_side side[2], const struct ca_setup *setup,
                                 double tolerance, struct ca_difference *difference,
                                 struct ca_error *error);

/*
 * Two sides that agree within a tolerance only (struct ca_backend), of which the first has the
 * expected states. Their states drift apart over generations, so they are compared one generation
 * at a time, each from the state of the second side.
 */
struct ca_agreement {
    double tolerance;
    int radius;                             /* of the model */
    uint64_t first;                         /* generation of the start */
    uint64_t generations;                   /* since then that agreed */
    struct ca_difference difference;        /* in the next one; count 0: none was found */
    struct ca_lattice state, expected, got; /* state: of the second side, before the next one */
};

/* *agreement takes over `start`, the second side's state at generation `first`. */
enum ca_status ca_agreement_begin(struct ca_agreement *agreement, struct ca_lattice *start,
                                  uint64_t first, double tolerance, int radius,
                                  struct ca_error *error);
/* Makes and compares the next generation, with sides whose operations end at once. */
enum ca_status ca_agreement_next(struct ca_agreement *agreement, const struct ca_side side[2],
                                 struct ca_error *error);
void ca_agreement_end(struct ca_agreement *agreement);

#endif
