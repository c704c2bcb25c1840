/* SPDX-License-Identifier: MIT */
/*
 * Kernels of anneal that try to be graded without doing the work, or to keep others from it. Each
 * is what follows `good`, a right step in C; see tests/core/lab/test_lab_cheats.c for what becomes
 * of it.
 */
#ifndef CALAB_TESTS_STUDENT_CHEATS_H
#define CALAB_TESTS_STUDENT_CHEATS_H

#include <stdbool.h>

/* A step that is right. */
extern const char student_good[];

struct student_cheat {
    const char *name;
    const char *body; /* FILE in it stands for the file with the secret */
    /* What is expected: the most of 100 points; what its causes and its text must hold. */
    double points;
    const char *cause, *text;
    bool walls; /* it is kept from it by walls, of which some hold on each system */
};
extern const struct student_cheat student_cheats[]; /* ends with name NULL */

#endif
