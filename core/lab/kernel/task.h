/* SPDX-License-Identifier: MIT */
/*
 * New folders of labs. A task is a folder with a lab.cfg, a kernel to be written and a README.md;
 * those of calab are in configs/lab. What is called solution is not copied from it.
 */
#ifndef CALAB_CORE_LAB_KERNEL_TASK_H
#define CALAB_CORE_LAB_KERNEL_TASK_H

#include "core/lab/kernel/lab.h"

#define CA_LAB_TASK_NAME_MAX 64
#define CA_LAB_TASKS_MAX 64

struct ca_lab_task {
    char name[CA_LAB_TASK_NAME_MAX];
    char folder[PATH_MAX + 80];
    char title[120]; /* the first line of its README.md, "" */
    struct ca_lab lab;
};

/* Task i of those that are found without a path, by name; false beyond the last. */
bool ca_lab_task(struct ca_lab_task *task, int i);
/* The same of those that are no tasks because their lab.cfg cannot be read, and why. */
bool ca_lab_task_wrong(struct ca_lab_task *task, int i, struct ca_error *why);
/* Finds a task by name, or by a path with a slash. CA_USAGE with the nearest, CA_SETTINGS for one
 * that is wrong.
 */
enum ca_status ca_lab_task_find(struct ca_lab_task *task, const char *name, struct ca_error *error);

/*
 * Makes a folder that can be built, and whose check fails: of `task`, or (NULL) with a kernel
 * without content, for the model, form and language of `lab`. CA_IO, also where the folder is there
 * already and not empty.
 */
enum ca_status ca_lab_make(const struct ca_lab *lab, const struct ca_lab_task *task,
                           const char *folder, struct ca_error *error);
/* Writes calab's own files of a folder once more, for a changed lab.cfg or another calab, and a
 * Makefile where there is none. No other file is touched. */
enum ca_status ca_lab_update(const struct ca_lab *lab, const char *folder, struct ca_error *error);
/* Whether it has files of an older calab beside its kernel, which no check reads. */
bool ca_lab_is_flat(const char *folder);

#endif
