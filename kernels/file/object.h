/* SPDX-License-Identifier: MIT */
/*
 * Shared objects of a file that describes a model (calab_model.h): one that steps rows, and one
 * that checks each cell on its way. Each is compiled once and kept in the user's cache, under a
 * name made of the source, the header, the command and the processor.
 */
#ifndef CALAB_KERNELS_FILE_OBJECT_H
#define CALAB_KERNELS_FILE_OBJECT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

#define CA_ENGINE
#include "kernels/compile/build.h"
#include "kernels/file/calab_model.h"

#define FILE_HEADER "calab_model.h"

/* Lines (-g1) are for what is said of a crash. sqrt becomes an instruction where it sets no errno.
 * Without trapping math both sides of a condition may be computed, which changes no value. */
#define FILE_OBJECT_FLAGS                                                                          \
    "-std=c11 -g1 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math "             \
    "-fno-strict-aliasing -fPIC -shared -fvisibility=hidden -Wl,-z,defs,--hash-style=gnu"

struct file_object {
    char path[PATH_MAX]; /* of the source, from the root */
    char name[128];      /* the last part of that, in which steering characters are replaced */
    uint64_t digest;     /* of the source's bytes */
    char *source;        /* which ends with '\0' */
    size_t size;
    const struct ca_model_description *fast, *checked;
    /* A function that the file calls whose last bits differ between machines; NULL: none. */
    const char *inexact;
    /* calab_model_bits.h; NULL: the next state depends on more than nine cells of two states. */
    int (*table_of_bits)(const struct ca_model_values *values, uint8_t table[64]);
};

/*
 * Compiles the text of a file, which is copied, unless that has been done before, by whichever
 * process of this host, and loads both objects, which stay loaded. The path, from the root, names
 * it in messages and is not read. CA_COMPILE: it includes another file of the user, there is no
 * compiler, or the compiler's first error by file and line, or it describes no model, or is
 * written for another interface. CA_IO.
 */
enum ca_status file_object_open(struct file_object *object, const char *path, const char *text,
                                size_t size, struct ca_error *error);
/* Frees what an object has that was opened but for what is loaded. */
void file_object_close(struct file_object *object);
/* The text that compilers get of an object, until that is closed. */
struct compile_text file_object_text(const struct file_object *object);
/* Reads a file's text, with a NUL after it; malloc'd. CA_IO. */
enum ca_status file_object_read(const char *path, char **text, size_t *size,
                                struct ca_error *error);
/* Whether a path is that of a file of the program itself. */
bool file_object_is_inside(const char *path);
/* The digest of a text, by which files are told apart. */
uint64_t file_object_digest(const char *text, size_t size);

#endif
