/* SPDX-License-Identifier: MIT */
/* Runs the program under test with private settings folders and captures its output. */
#ifndef CALAB_TESTS_PROGRAM_H
#define CALAB_TESTS_PROGRAM_H

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
 * Runs `calab ARGUMENTS` in the root of the source tree; arguments are split at blanks. Free the
 * outcome with outcome_free.
 */
struct outcome calab(const char *arguments, ...) __attribute__((format(printf, 1, 2)));
struct outcome calab_in(const struct surroundings *surroundings, const char *arguments, ...)
    __attribute__((format(printf, 2, 3)));
void outcome_free(struct outcome *outcome);

/* A command that fails: its exit status and two parts of its message, which is only on stderr. */
struct refusal {
    const char *arguments;
    int status;
    const char *part[2];
};

void calab_refuses(const struct refusal *refusal);

/* The value of a "key: value" line of stdout, in static storage; fails if there is none. */
const char *outcome_value(const struct outcome *outcome, const char *key);

#endif
