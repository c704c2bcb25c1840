/* SPDX-License-Identifier: MIT */
/*
 * What a loaded object of a model has besides its function: calls to functions that are not its
 * own, memory that it may write, and the lines of the source that its instructions come from.
 */
#ifndef CALAB_KERNELS_FILE_SYMBOLS_H
#define CALAB_KERNELS_FILE_SYMBOLS_H

#include "kernels/file/file_model.h"

/*
 * The name of a function outside of the object that it calls, the first behind number *from, which
 * moves on; functions whose results the standard of floats fixes are left out. NULL: there are no
 * more, or the object's file cannot be read.
 */
const char *file_called(const struct ca_model_description *d, int *from, char name[128]);

#define FILE_WRITABLE_MAX 8
/* Memory of an object that stays writable once it is loaded, with a copy. */
struct file_memory {
    int count;
    struct {
        const char *at;
        size_t bytes;
        char *copy;
    } range[FILE_WRITABLE_MAX];
    char object[PATH_MAX]; /* the file that was loaded */
    const char *base;      /* where */
};

/* Copies what is there now. CA_NO_MEMORY. */
enum ca_status file_memory_copy(struct file_memory *memory, const struct ca_model_description *d,
                                struct ca_error *error);
/* The first byte that is not as it was, NULL: all are; the variable that it belongs to, "" where
 * that is not known. */
const char *file_memory_changed(const struct file_memory *memory, char name[128]);
void file_memory_free(struct file_memory *memory);

/* The line of the model's own file from which an instruction comes, 0: unknown. */
int file_line_of(const struct file_model *file, const void *instruction);
#define CA_INCLUDE_NAME 256
/* The first line behind another one (0: of all) that includes what is not a header of the system in
 * <>, and its name; 0: there is none, -1: no memory. */
int file_include_after(const char *text, int line, char name[CA_INCLUDE_NAME]);
/*
 * The line of the source where a word stands first, outside of comments and strings; 0: nowhere.
 * `behind`: a word that has to stand before it on the line, or NULL.
 * outside_starts: not in the body of a CA_START.
 */
int file_line_with(const struct file_model *file, const char *word, const char *behind,
                   bool outside_starts);

#endif
