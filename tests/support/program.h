/* SPDX-License-Identifier: MIT */
/* Runs the program under test with private settings folders and captures its output. */
#ifndef CALAB_TESTS_PROGRAM_H
#define CALAB_TESTS_PROGRAM_H

#include <check.h>
#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

struct outcome {
    int status; /* exit status, 128 + n after signal n */
    char *out, *err;
};

/* The streams and environment of the program. All zero: pipes, empty stdin, TERM unset. */
struct surroundings {
    bool no_stdin, no_stdout;
    const char *stdout_file;     /* instead of a pipe */
    const char *stdin_text;      /* the contents of stdin */
    const char *term;            /* with a terminal of this type as all three streams */
    const char *const *variable; /* further NAME=VALUE, ends with NULL */
    unsigned long file_limit;    /* the largest size of a file in bytes, to imitate a full disk */
    unsigned long memory_limit;  /* bytes of address space, not under a sanitizer */
    const char *interrupt_after; /* stderr is a terminal; SIGINT is sent after this text */
    bool interrupts_ignored;     /* SIGINT is ignored, as for background jobs of a shell */
    const char *processes;       /* arguments of mpirun, which starts the program, as "-n 3" */
    int patience_s;              /* that it may say nothing; 0: as long as any other */
    void (*meanwhile)(pid_t pid, void *context); /* called once it has been started */
    void *context;
};

/*
 * Runs `calab ARGUMENTS` in the root of the source tree; arguments are split at blanks. What it has
 * said is kept until the test ends.
 */
struct outcome calab(const char *arguments, ...) __attribute__((format(printf, 1, 2)));
struct outcome calab_in(const struct surroundings *surroundings, const char *arguments, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, which must end with status 0, */
struct outcome calab_good(const char *arguments, ...) __attribute__((format(printf, 1, 2)));
struct outcome calab_good_in(const struct surroundings *surroundings, const char *arguments, ...)
    __attribute__((format(printf, 2, 3)));
/* with status 0 and nothing on stderr, */
struct outcome calab_done(const char *arguments, ...) __attribute__((format(printf, 1, 2)));
struct outcome calab_done_in(const struct surroundings *surroundings, const char *arguments, ...)
    __attribute__((format(printf, 2, 3)));
/* or with this status and a message that contains `part`. */
struct outcome calab_fails(int status, const char *part, const char *arguments, ...)
    __attribute__((format(printf, 3, 4)));

/* A command that fails: its exit status and two parts of its message, which is only on stderr. */
struct refusal {
    const char *arguments;
    int status;
    const char *one, *two;
};

void calab_refuses(const struct refusal *refusal);
/* The same, whose arguments are a format of a file's name. */
void calab_refuses_with(const struct refusal *refusal, const char *file);
/* The test of a row of this table, of which a program has one. */
const TTest *refusals_test(const struct refusal refusals[]);

/* The JSON of stdout, which is kept too; fails if it is none. */
json_t *outcome_json(const struct outcome *outcome);
/* The value of a "key: value" line of stdout, in static storage; fails if there is none. */
const char *outcome_value(const struct outcome *outcome, const char *key);

#endif
