/* SPDX-License-Identifier: MIT */
/*
 * The files that folders of labs get, as they stand in configs/lab/submission/: they are part of
 * the program, so that they are always of its own version.
 */
#ifndef CALAB_CORE_LAB_KERNEL_FILES_H
#define CALAB_CORE_LAB_KERNEL_FILES_H

#include <stdio.h>

#include "core/lab/kernel/lab.h"
#include "core/lab/kernel/wire.h"

#define CA_LAB_FILES_FOLDER "calab" /* of a lab's folder: what is in it is not the student's */

enum ca_lab_file {
    CA_LAB_HEADER,
    CA_LAB_DRAW,
    CA_LAB_RUNNER,
    CA_LAB_WIRE,
    CA_LAB_WHO,
    CA_LAB_FILES,
};

/* The text of a kernel without content, for the form, ghosts and language of the lab. */
const char *ca_lab_skeleton(const struct ca_lab *lab);
/* README.md of a new folder, for lab_write. */
void lab_put_readme(FILE *out, const void *lab);
/* Its path in a folder; the runner's ending is that of the lab's source. */
const char *ca_lab_file_name(enum ca_lab_file file, bool cuda);
/* Whether a file of that name is one of calab's, which older folders have beside the kernel. */
bool ca_lab_is_own_file(const char *name);

/*
 * Fills in what the kernel of an experiment is told before it begins: sizes, parameters, table, and
 * where the planes lie.
 */
void ca_lab_shared(struct lab_shared *shared, const struct ca_lab *lab,
                   const struct ca_setup *setup);
/* Writes a file of a folder: `put` gets what stands in it, such as lab_put_text a text. CA_IO. */
enum ca_status lab_write(const char *folder, const char *name, void (*put)(FILE *, const void *),
                         const void *what, struct ca_error *error);
void lab_put_text(FILE *out, const void *text);
/* Writes lab_model.h, which has the model, its planes and parameters, and all files above to
 * CA_LAB_FILES_FOLDER of a folder; of a whole program no other than the draws. CA_IO. */
enum ca_status ca_lab_write_files(const struct ca_lab *lab, const char *folder,
                                  struct ca_error *error);

#endif
