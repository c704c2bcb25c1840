/* SPDX-License-Identifier: MIT */
/*
 * A small program for the far side of a pseudo-terminal: it opens a terminal, shows what it found,
 * and has a main loop like the workbench's, which shows each key in row 1.
 */
#ifndef CALAB_TESTS_LOOP_H
#define CALAB_TESTS_LOOP_H

#include "tui/workbench/terminal.h"

/* Opens, or prints why not after "REFUSED" and ends with the status. */
struct terminal *loop_open(void);
void loop_show(int row, const char *text);
/* Makes the file HOME/name, for the test to find. */
void loop_leave_mark(const char *name);

/*
 * Row 0 "ready ROWSxCOLUMNS utf8=N colours=N 0.5", row 2 the notice. Takes the mouse when data is
 * not NULL. 'q' ends it in good order, ^Z suspends, ^L redraws; leaves the files HOME/saved at a
 * signal and HOME/gone when the line is gone.
 */
int loop_body(const void *data);

#endif
