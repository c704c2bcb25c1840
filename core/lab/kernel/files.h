/* SPDX-License-Identifier: MIT */
/*
 * The files that folders of labs get, as they stand in configs/lab/submission/: they are part of
 * the program, so that they are always of its own version.
 */
#ifndef CALAB_CORE_LAB_KERNEL_FILES_H
#define CALAB_CORE_LAB_KERNEL_FILES_H

#include "core/lab/kernel/lab.h"
#include "core/lab/kernel/wire.h"

enum ca_lab_file {
    CA_LAB_HEADER,
    CA_LAB_DRAW,
    CA_LAB_RUNNER,
    CA_LAB_WIRE,
    CA_LAB_FILES,
};

/* The text of a file, which ends with NUL. */
const char *ca_lab_file_text(enum ca_lab_file file);
/* The text of a kernel without content. */
const char *ca_lab_skeleton(enum ca_lab_form form, bool cuda);
/* Its name in a folder; the runner's ending is that of the lab's source. */
const char *ca_lab_file_name(enum ca_lab_file file, bool cuda);

/*
 * Fills in what the kernel of an experiment is told before it begins: sizes, parameters, table, and
 * where the planes lie.
 */
void ca_lab_shared(struct lab_shared *shared, const struct ca_lab *lab,
                   const struct ca_setup *setup);
/* lab_model.h: the model, its planes and parameters. */
enum ca_status ca_lab_write_model(const struct ca_lab *lab, const char *path,
                                  struct ca_error *error);
/* Writes lab_model.h and all files above to a folder; of a whole program no other than the draws.
 * CA_IO. */
enum ca_status ca_lab_write_files(const struct ca_lab *lab, const char *folder,
                                  struct ca_error *error);

#endif
