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
enum ca_status lab_kept_finish(struct lab_kept *kept);
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

/* Puts into the report of one that was too slow how many cases were right, what was seen, and what
 * says how long it may take. */
void lab_report_slow(const struct ca_lab *lab, struct ca_lab_report *report);

/* --- where a state is wrong, as text -----------------------------------------------------------
 */

#define CA_LAB_MAP_WIDE 64 /* characters for cells, at most */
#define CA_LAB_MAP_HIGH 32

/*
 * The layer z of a plane: `.` right, `#` wrong, `?` wrong and never written; of a square the worst.
 * Between tiles (0: not known) stand lines. The first line says what a character stands for.
 * Malloc'd, NULL without memory.
 */
char *ca_lab_map(const struct ca_lattice *expected, const struct ca_lattice *got, int plane,
                 int64_t z, const int64_t tile[2], int pattern);

/* Puts the first wrong cell of a state and the map of all of them into a report. `pattern` is what
 * fills cells that nobody has written; -1: nothing does. CA_NO_MEMORY without memory for the map.
 */
enum ca_status lab_report_difference(const struct ca_lab *lab, const struct ca_lattice *expected,
                                     const struct ca_lattice *got, int pattern,
                                     struct ca_difference difference, uint64_t generation,
                                     struct ca_lab_report *report, struct ca_error *error);

/*
 * The cells around the first wrong one, at most seven by seven of its layer: before the generations
 * that lead there, as expected and as the kernel has it, where `!` marks what is wrong and `?` what
 * is never written.
 */
void ca_lab_around(const struct ca_lattice *before, const struct ca_lattice *expected,
                   const struct ca_lattice *got, const struct ca_difference *first, int pattern,
                   char text[CA_LAB_AROUND_MAX]);

/* --- again.c: whether a kernel computes the same whatever its process has computed before ------
 */

/*
 * A check runs its cases from the smallest to the largest. Here others run in one process, the
 * largest first, with calls that do not follow each other, and some of them each in a process of
 * its own. A call that is right alone in a process and wrong behind others shows that the kernel
 * keeps something between calls, such as a table that it made for the first size.
 */

#define LAB_AGAIN_LIKE 4 /* cases that a case becomes */
#define LAB_AGAIN_MAX (LAB_AGAIN_LIKE * CA_LAB_CASES_MAX)

struct lab_again {
    const struct ca_lab *lab;
    const struct ca_lab_program *program;
    struct ca_lab_build *build;    /* whose folder is emptied before each process */
    const struct ca_lab_case *one; /* the cases, in the order in which they run */
    int count, alone;              /* of which so many run in processes of their own as well */
    bool (*goes_on)(void *context);
    /* Reads what a tool found that watched the process which has ended: whether cells depend on
     * chance. */
    bool (*is_chance)(void *context, bool wrong);
    void *context;
};

/* Adds to `list` some cases of the size and generation of one: as it is, with another start, and
 * with another seed. Tables of draws and results may be kept by any of these. Returns how many. */
int lab_again_like(const struct ca_lab_case *one, uint64_t other_seed, struct ca_lab_case *list);
/* The cases of a check: of each of its sizes, the largest first. Returns how many. */
int lab_again_cases(const struct ca_lab *lab, int64_t most_cells,
                    struct ca_lab_case one[LAB_AGAIN_MAX]);
/*
 * CA_WRONG: report says what is wrong, and *failed is the case. With report->verdict CA_LAB_STATIC
 * it is right in another process. CA_TIMEOUT where goes_on has returned false.
 */
enum ca_status lab_again(const struct lab_again *again, int *failed, struct ca_lab_report *report,
                         struct ca_error *error);

/*
 * Whether a call that was wrong, as `tried` says, is right by `alone` in a process that has had no
 * other. If so, CA_WRONG, and the report says with CA_LAB_STATIC what has been seen; else CA_OK,
 * and the report is as it was. `before` is the case that its process had run before it, NULL: none,
 * and `how` what was called in both.
 */
enum ca_status lab_again_static(const struct lab_again *again, const struct ca_lab_oracle *oracle,
                                const struct lab_calls *how, const struct lab_calls *alone,
                                const struct ca_lab_case *before, struct ca_lab_report *tried,
                                struct ca_lab_report *report, struct ca_error *error);
/* The number of the call of a case that was wrong. */
int lab_again_call(const struct ca_lab *lab, const struct ca_lab_oracle *oracle,
                   const struct ca_lab_report *report);
/* The end of a process that has run several cases has failed: CA_WRONG, and the report says so, but
 * where a limit ended it, which counts for a case alone. */
enum ca_status lab_again_end(const struct lab_kept *kept, struct ca_lab_report *report);
/* Whether it failed by what a process may take, which counts for a case alone. */
bool lab_again_is_limit(enum ca_lab_verdict verdict);

#endif
