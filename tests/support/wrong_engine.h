/* SPDX-License-Identifier: MIT */
/*
 * An engine whose backend `threads` of `anneal` is wrong, slow or uneven in a known way, and a
 * workbench that starts it. A test program stands in for calab: the workbench starts
 * /proc/self/exe, so main calls wrong_engine where its first argument is `engine`.
 *
 * Kinds: "from" is wrong in cell 21,40 of each generation from 3117 on, "once" in 3117 alone,
 * "calls" after calls of six generations or more, "always" after each call, "random" in three calls
 * of four in another cell; "slow" takes five seconds a generation, "uneven" two to four times as
 * long as it must; any other is right.
 */
#ifndef CALAB_TESTS_WRONG_ENGINE_H
#define CALAB_TESTS_WRONG_ENGINE_H

#include "tests/support/script.h"

/* Serves on standard input and output, with the kind of TEST_WRONG. Returns the exit status. */
int wrong_engine(void);

/* The workbench with `anneal` 64x64, with one side or split from the start (as -b), once it shows a
 * generation. */
struct screen *wrong_starts(const char *kind, const char *sides, int rows, int columns);
/* The options by which a script starts it so. */
int wrong_workbench(const void *sides);
#define WRONG(kind, sides, high, wide)                                                             \
    OPTIONS(.rows = (high), .columns = (wide), .environment = {"TEST_WRONG=" kind},                \
            .body = wrong_workbench, .data = (sides))

#endif
