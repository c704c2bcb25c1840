/* SPDX-License-Identifier: MIT */
/* One case of a check: a kernel's process goes through the calls of one size and seed. */
#ifndef CALAB_CORE_LAB_CHECK_TRIAL_H
#define CALAB_CORE_LAB_CHECK_TRIAL_H

#include "core/lab/check/check.h"

/*
 * A process that stays from case to case. What a case before has left in it must not change what
 * the kernel computes. Zeroed but for `shared_bytes` at first.
 */
struct lab_kept {
    struct ca_lab_submission submission;
    bool open;
    uint64_t shared_bytes;   /* that the largest of the cases shares with it, in bytes */
    int cases;               /* that this process was right in */
    struct ca_lab_case last; /* the last of them */
};

/* The calls of a case in one process. */
struct lab_calls {
    int repeats; /* all from the same start, each time with another pattern in what is not written
                  */
    bool apart;  /* before, call number `one`, and behind, the last first, each from a state that is
                  * loaded for it */
    bool alone;  /* call number `one` alone */
    bool warm;   /* after the same call, at whose result nobody looks */
    int one;
};

/* Has the process share enough for a case of that size. */
void lab_kept_fits(struct lab_kept *kept, const struct ca_lab *lab, struct ca_size size);
/* Ends it as a case does that is alone in its process: CA_WRONG where the kernel fails at that.
 * Takes one that is not open, or NULL. */
enum ca_status lab_kept_finish(struct lab_kept *kept, struct ca_error *error);
/* Ends it as it is. */
void lab_kept_end(struct lab_kept *kept);

/*
 * CA_WRONG: the report says what is wrong, where and since when. In the process that is kept, which
 * is started where it is not open, or in one of its own (NULL).
 */
enum ca_status lab_trial(const struct ca_lab *lab, const struct ca_lab_oracle *oracle,
                         const struct ca_lab_program *program, struct lab_kept *kept,
                         const struct lab_calls *how, struct ca_lab_report *report,
                         struct ca_error *error);

#endif
