/* SPDX-License-Identifier: MIT */
/*
 * Builds what a model's file is compiled to: a temporary folder with the bytes that were digested,
 * compilers that run there, and the cache that keeps what they make under a digest of all that it
 * depends on.
 */
#ifndef CALAB_KERNELS_FILE_BUILD_H
#define CALAB_KERNELS_FILE_BUILD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/error.h"
#include "core/files/compiler.h"
#include "kernels/file/object.h"

#define FILE_HEADER "calab_model.h"
/* What models include, by name, FILE_HEADER first; ends with NULL. The text of one. */
extern const char *const file_headers[];
const char *file_header_text(const char *name);
#define FILE_SOURCE "source.c" /* what a compiler reads, in the temporary folder */

/* What is made lies in `kept` or, where no folder can keep it, in `work`, which is removed. */
struct file_build {
    const struct file_object *object;
    char kept[PATH_MAX];   /* the path of what is made but for its ending; "": none */
    char work[PATH_MAX];   /* a temporary folder; "": none */
    char folder[PATH_MAX]; /* of the source */
    bool keeps;
    int lock; /* of file_build_turn; 0: none */
};

#define FILE_DIGEST UINT64_C(0xCBF29CE484222325) /* of nothing */
uint64_t file_digest_bytes(uint64_t digest, const void *bytes, size_t count);
uint64_t file_digest_text(uint64_t digest, const char *text);
/* Adds a compiler as it is on this machine: a new version has another size or time. */
uint64_t file_digest_compiler(uint64_t digest, const char *command);

/* Fills `folder` and `kept` of the object's source, whose digest is added to what `key` has. */
void file_build_name(struct file_build *build, uint64_t key);
/* Waits until no other process makes what is kept: it may be there then. Files of this name are
 * made by one process of a host at a time, until file_build_close; where there is no folder for it,
 * or a compiler's time is over, each makes them for itself. */
void file_build_turn(struct file_build *build);
/* Makes the temporary folder, with the headers and the source behind the text `first`. */
enum ca_status file_build_open(struct file_build *build, const char *first, struct ca_error *error);
/* Writes one more text to it. */
enum ca_status file_build_write(const struct file_build *build, const char *name, const char *text,
                                struct ca_error *error);
/* Starts a compiler there, with the source as its standard input; what it says goes to the file
 * `said`. CA_COMPILE with `needs` where there is none. */
enum ca_status file_build_start(const struct file_build *build, const struct ca_command *command,
                                const char *said, const char *needs, pid_t *pid,
                                struct ca_error *error);
/* Waits for it; *good: it has ended well. CA_COMPILE after two minutes. */
enum ca_status file_build_await(const struct file_build *build, pid_t pid, bool *good,
                                struct ca_error *error);
/* CA_COMPILE with the compiler's first error, or what the source has not got. */
enum ca_status file_build_failed(const struct file_build *build, const char *said,
                                 struct ca_error *error);
/* Moves a file that was made to where it is kept, with that ending. */
enum ca_status file_build_keep(const struct file_build *build, const char *name, const char *ending,
                               struct ca_error *error);
void file_build_close(struct file_build *build);

#endif
