/* SPDX-License-Identifier: MIT */
/*
 * Equal runs of tokens in the sources of a class, beyond those that the task has itself and those
 * that more than half of the class have. They are found by winnowing: S. Schleimer, D. S.
 * Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003. A
 * run of COPIES_FOUND tokens is found in any case, one of less than COPIES_GRAM is none.
 */
#ifndef CALAB_CORE_LAB_GRADE_COPIES_H
#define CALAB_CORE_LAB_GRADE_COPIES_H

#include <stddef.h>

#include "core/base/error.h"

#define COPIES_GRAM 25   /* tokens in a row */
#define COPIES_WINDOW 10 /* grams, of which one is a fingerprint */
#define COPIES_FOUND (COPIES_GRAM + COPIES_WINDOW - 1)

struct ca_lab_copy {
    int a, b;                        /* numbers of the submissions */
    int equal;                       /* tokens of the first in such runs */
    int renamed;                     /* the same where all names count as one */
    int of_a, of_b;                  /* tokens that are theirs: in no run that is left out */
    char lines_a[160], lines_b[160]; /* of the longest run, as "kernel.c:12-30" */
};

struct ca_lab_copies {
    struct ca_lab_copy *copy; /* the one with most equal tokens first */
    int count;
};

/* Compares the sources of folders, without those of `skeleton` (NULL: none). A folder that cannot
 * be read has no tokens. CA_NO_MEMORY. */
enum ca_status ca_lab_copies_find(struct ca_lab_copies *copies, const char *const folders[],
                                  int count, const char *skeleton, struct ca_error *error);
void ca_lab_copies_free(struct ca_lab_copies *copies);

#endif
