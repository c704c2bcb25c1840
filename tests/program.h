/* SPDX-License-Identifier: MIT */
/* Runs the program under test with private settings folders and catches all it says. */
#ifndef CALAB_TESTS_PROGRAM_H
#define CALAB_TESTS_PROGRAM_H

#include <stdbool.h>

struct outcome {
    int status; /* exit status, 128 + n after signal n */
    char *out, *err;
};

/* How the program's streams and surroundings are. All zero: pipes, stdin empty, TERM unset. */
struct surroundings {
    bool no_stdin, no_stdout;
    const char *stdout_file;     /* in place of a pipe */
    const char *stdin_text;      /* what stdin holds */
    const char *term;            /* with a terminal of this type as all three streams */
    const char *const *variable; /* further NAME=VALUE, ends with NULL */
    unsigned long file_limit;    /* bytes that a file can have, as on a full disk */
    const char *interrupt_after; /* SIGINT once stderr, then a terminal, has shown this */
    bool interrupts_ignored;     /* from the start, as in a shell's background */
};

/*
 * Runs `calab ARGUMENTS` in the root of the source tree; arguments are split at blanks. What is
 * said belongs to the outcome: free it with outcome_free.
 */
struct outcome calab(const char *arguments, ...) __attribute__((format(printf, 1, 2)));
struct outcome calab_in(const struct surroundings *surroundings, const char *arguments, ...)
    __attribute__((format(printf, 2, 3)));
void outcome_free(struct outcome *outcome);

/* A command that is refused: its exit status, and two parts of what it says on stderr alone. */
struct refusal {
    const char *arguments;
    int status;
    const char *part[2];
};

void calab_refuses(const struct refusal *refusal);

/* Value of a "key: value" line of the outcome's stdout, in static storage; fails without one. */
const char *outcome_value(const struct outcome *outcome, const char *key);

#endif
