/* SPDX-License-Identifier: MIT */
/*
 * The kernel of a lab as one more backend of its model, `lab`: behind the row is a stepper whose
 * instances are processes of the kernel (core/lab/process/submission.h). A kernel that crashes,
 * never ends or writes outside of its planes is an error of the call, after which the instance is
 * no more.
 */
#ifndef CALAB_CORE_LAB_BACKEND_BACKEND_H
#define CALAB_CORE_LAB_BACKEND_BACKEND_H

#include "core/lab/process/build.h"

#define CA_LAB_BACKEND "lab"

/*
 * Reads a folder and adds its backend to the model (ca_backend_add). `built` is a link to the
 * program, which may come, and lead elsewhere, at any time (core/lab/backend/builds.h); what is
 * created runs the program that it leads to then. NULL: the kernel is compiled here and now, and a
 * backend that does not compile is not available. CA_IO, CA_SETTINGS of the folder, CA_USAGE for a
 * second lab.
 */
enum ca_status ca_lab_backend_add(const char *folder, const char *built, struct ca_error *error);
/* The lab that was added, NULL: none. */
const struct ca_lab *ca_lab_backend_lab(void);
/* A size to look at: the model's, or a small one where the kernel runs on the emulator. */
struct ca_size ca_lab_shown_size(const struct ca_lab *lab);
/* Removes what was compiled here. */
void ca_lab_backend_end(void);

#endif
