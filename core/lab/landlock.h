/* SPDX-License-Identifier: MIT */
/* Landlock (Linux 5.13): what a process of a lab may write, and what it may not read. */
#ifndef CALAB_CORE_LAB_LANDLOCK_H
#define CALAB_CORE_LAB_LANDLOCK_H

#include <stdbool.h>

/* The version that the kernel has, below 1 without. */
int lab_landlock_version(void);
/*
 * From now on this process, and those that it starts, can write, make and remove files only below
 * `folder`, in /dev/shm, in devices and in /proc, as CUDA does: in all of it if it shows no others
 * (`own_proc`), else of this process alone. Where the kernel is 6.12 or later they can send signals
 * to one another alone. Returns false, and changes nothing, where the kernel has no Landlock.
 * Called between fork and exec.
 */
bool lab_landlock(const char *folder, bool own_proc);
/*
 * The same of reading: all that there is now can be read but a file, and what is made below the
 * folder `temporary` later. What is made later beside the file, or beside a folder above it, cannot
 * be read either.
 */
bool lab_landlock_hide(const char *file, const char *temporary);
/* The same of all other processes in /proc: their command lines, variables and memory. */
bool lab_landlock_hide_processes(void);

#endif
