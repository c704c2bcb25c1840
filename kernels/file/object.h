/* SPDX-License-Identifier: MIT */
/*
 * Shared objects of a file that describes a model (calab_model.h): one that steps rows, and one
 * that checks each cell on its way. Each is compiled once and kept in the user's cache, under a
 * name made of the source, the header, the command and the processor.
 */
#ifndef CALAB_KERNELS_FILE_OBJECT_H
#define CALAB_KERNELS_FILE_OBJECT_H

#include <limits.h>
#include <stdint.h>

#include "core/base/error.h"

#define CA_ENGINE
#include "kernels/file/calab_model.h"

struct file_object {
    char path[PATH_MAX]; /* of the source, from the root */
    char name[128];      /* the last part of that, in which steering characters are replaced */
    uint64_t digest;     /* of the source's bytes */
    char *source;        /* which ends with '\0' */
    size_t size;
    const struct ca_model_description *fast, *checked;
};

/*
 * Reads and compiles the file, unless that has been done before, and loads both objects, which stay
 * loaded. CA_IO: it cannot be read; CA_COMPILE: there is no compiler, or the compiler's first error
 * by file and line, or it describes no model, or is written for another interface.
 */
enum ca_status file_object_open(struct file_object *object, const char *path,
                                struct ca_error *error);
/* Frees what an object has that was opened but for what is loaded. */
void file_object_close(struct file_object *object);
/* The digest of a file's bytes as it is now: another than the object's where it has been saved
 * since. CA_IO. */
enum ca_status file_object_digest(const char *path, uint64_t *digest, struct ca_error *error);

#endif
