/* SPDX-License-Identifier: MIT */
/* How fast cores run a loop that never changes: what slows it slows whatever is timed beside it. */
#ifndef CALAB_CORE_MACHINE_FIXED_LOOP_H
#define CALAB_CORE_MACHINE_FIXED_LOOP_H

/*
 * Passes a second of the loop, run on so many cores at once (at most those that this process may
 * use), of the slowest of them: the best of some tries of some 4 us each, as a hypervisor may stop
 * some of them. Threads that a neighbour's or each other's work on one physical core slows, and
 * cores whose clock is down, show in it. The threads are kept for the next call; a process below
 * this one makes its own.
 */
double ca_fixed_loop(int threads);

#endif
