/* SPDX-License-Identifier: MIT */
/*
 * Compiles texts that come up while the program runs, models in files and rules as kernels: a
 * temporary folder with the bytes that were digested, compilers that run there, and the cache that
 * keeps what they make under a digest of all that it depends on.
 */
#ifndef CALAB_KERNELS_COMPILE_BUILD_H
#define CALAB_KERNELS_COMPILE_BUILD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/error.h"
#include "core/files/compiler.h"

#define COMPILE_SOURCE "source.c" /* what a compiler reads, in the temporary folder */

/* A text that is compiled. */
struct compile_text {
    const char *name; /* for messages */
    const char *text; /* which ends with NUL behind `size` bytes */
    size_t size;
    const char *const *headers;              /* that it includes, by name; ends with NULL */
    const char *(*header)(const char *name); /* the text of one */
    const char *define; /* an option of compilers for a GPU, "-DCA_GPU"; NULL: none */
    const char *kept;   /* what such texts are, "models": the folder of the cache */
};

/* A job leaves its code in `kept` or, where no folder can keep it, in `work`, which is removed. */
struct compile_job {
    const struct compile_text *from;
    char kept[PATH_MAX]; /* the path of what is made but for its ending; "": none */
    char work[PATH_MAX]; /* a temporary folder; "": none */
    bool keeps;
    int lock; /* of compile_turn; 0: none */
};

#define COMPILE_DIGEST UINT64_C(0xCBF29CE484222325) /* of nothing */
uint64_t compile_digest_bytes(uint64_t digest, const void *bytes, size_t count);
uint64_t compile_digest_text(uint64_t digest, const char *text);
/* Adds a compiler as it is on this machine: a new version has another size or time. */
uint64_t compile_digest_compiler(uint64_t digest, const char *command);

/* Fills `kept` of the text, whose digest and those of its headers are added to what `key` has. */
void compile_name(struct compile_job *build, uint64_t key);
/* Waits until no other process makes what is kept: it may be there then. Files of this name are
 * made by one process of a host at a time, until compile_close; where there is no folder for it,
 * or a compiler's time is over, each makes them for itself. */
void compile_turn(struct compile_job *build);
/* Makes the temporary folder, with the headers and the source behind the text `first`. */
enum ca_status compile_open(struct compile_job *build, const char *first, struct ca_error *error);
/* Writes one more text to it. */
enum ca_status compile_write(const struct compile_job *build, const char *name, const char *text,
                             struct ca_error *error);
/* Starts a compiler there, with the source as its standard input; what it says goes to the file
 * `said`. CA_COMPILE with `needs` where there is none. */
enum ca_status compile_start(const struct compile_job *build, const struct ca_command *command,
                             const char *said, const char *needs, pid_t *pid,
                             struct ca_error *error);
/* Waits for it; *good: it has ended well. CA_COMPILE after two minutes. */
enum ca_status compile_await(const struct compile_job *build, pid_t pid, bool *good,
                             struct ca_error *error);
/* CA_COMPILE with the compiler's first error. */
enum ca_status compile_failed(const struct compile_job *build, const char *said,
                              struct ca_error *error);
/* Moves a file that was made to where it is kept, with that ending. */
enum ca_status compile_keep(const struct compile_job *build, const char *name, const char *ending,
                            struct ca_error *error);
void compile_close(struct compile_job *build);

#endif
