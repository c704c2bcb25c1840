/* SPDX-License-Identifier: MIT */
/* Folders of labs that a test makes and changes. */
#ifndef CALAB_TESTS_LAB_FOLDER_H
#define CALAB_TESTS_LAB_FOLDER_H

#include "core/lab/kernel/task.h"

/* Writes, and reads, a file of a folder; what is read is kept. */
void lab_put(const char *folder, const char *name, const char *text);
char *lab_get(const char *folder, const char *name);
/*
 * Makes a folder of a task, whose kernel is `text`, or, if that is NULL, the task's solution, in
 * which the first `from` (NULL: nothing) is replaced by `to`. Returns the folder.
 */
const char *lab_solved(const struct ca_lab_task *task, const char *folder, const char *text,
                       const char *from, const char *to);

#endif
