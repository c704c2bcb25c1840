/* SPDX-License-Identifier: MIT */
/* Landlock (Linux 5.13): what a process of a lab may write. */
#ifndef CALAB_CORE_LAB_LANDLOCK_H
#define CALAB_CORE_LAB_LANDLOCK_H

#include <stdbool.h>

/*
 * From now on this process, and those that it starts, can write, make and remove files only below
 * `folder`, in /dev/shm, in devices and of itself in /proc, as CUDA does. Returns false, and
 * changes nothing, where the kernel has no Landlock. Called between fork and exec.
 */
bool lab_landlock(const char *folder);

#endif
