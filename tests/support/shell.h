/* SPDX-License-Identifier: MIT */
/* A shell with job control, to suspend a program in a pseudo-terminal and bring it back. */
#ifndef CALAB_TESTS_SHELL_H
#define CALAB_TESTS_SHELL_H

/*
 * Runs one job in the foreground of the terminal, as the body of a screen. Where SIGTSTP stops the
 * job, it prints "STOPPED" and how often that was, and continues the job after a line of input. The
 * number tells a stop from an earlier one, whose line shows again as soon as the job's screen goes.
 * Returns the job's exit status, 1 after a signal.
 */
int shell_with_job(int (*job)(const void *data), const void *data);

#endif
