/* SPDX-License-Identifier: MIT */
/* Turns at something that few processes may use at once, such as a GPU, whose memory and driver
 * they share. They lie in memory that the processes share; what a process that dies had, others
 * get. */
#ifndef CALAB_CORE_LAB_TURNS_H
#define CALAB_CORE_LAB_TURNS_H

struct lab_turns;

/* Makes turns of which at most `count`, itself at most 16, are taken at once; returns NULL where
 * there is no memory. */
struct lab_turns *lab_turns_make(int count);
void lab_turns_free(struct lab_turns *turns);
/* Waits for one, and returns its number; NULL has nothing to wait for. */
int lab_turns_take(struct lab_turns *turns);
void lab_turns_give(struct lab_turns *turns, int turn);

#endif
