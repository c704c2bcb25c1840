/* SPDX-License-Identifier: MIT */
/*
 * A small program that runs in a pseudo-terminal: it opens a terminal, shows its properties, and
 * has a main loop like that of the workbench, which shows each key in row 1.
 */
#ifndef CALAB_TESTS_LOOP_H
#define CALAB_TESTS_LOOP_H

#include "tui/workbench/terminal/terminal.h"

/* Opens the terminal, or prints the error after "REFUSED" and ends with its status. */
struct terminal *loop_open(void);
void loop_show(int row, const char *text);
/* Creates the file HOME/name, which the test looks for. */
void loop_leave_mark(const char *name);

/*
 * Row 0 shows "ready ROWSxCOLUMNS utf8=N colours=N 0.5", row 2 the notice. The mouse is on if data
 * is not NULL. 'q' ends it, ^Z suspends, ^L redraws. It creates HOME/saved on a signal and
 * HOME/gone when the terminal is lost.
 */
int loop_body(const void *data);

#endif
