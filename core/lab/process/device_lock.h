/* SPDX-License-Identifier: MIT */
/*
 * A lock that a few processes may hold at once, on a device such as a GPU, whose memory and driver
 * they share. It lies in memory that the processes share; the slot of a process that dies becomes
 * free.
 */
#ifndef CALAB_CORE_LAB_PROCESS_DEVICE_LOCK_H
#define CALAB_CORE_LAB_PROCESS_DEVICE_LOCK_H

struct lab_device_lock;

/* Makes a lock of `count` slots, 16 at most; returns NULL where there is no memory. */
struct lab_device_lock *lab_device_lock_make(int count);
void lab_device_lock_free(struct lab_device_lock *lock);
/* Waits for a free slot and returns its number; of NULL it returns 0 at once. */
int lab_device_lock_take(struct lab_device_lock *lock);
void lab_device_lock_give(struct lab_device_lock *lock, int slot);

#endif
