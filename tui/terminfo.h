/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of common terminals, which `make portable` compiles into the program for machines
 * without a terminfo database.
 */
#ifndef CALAB_TUI_TERMINFO_H
#define CALAB_TUI_TERMINFO_H

/*
 * As setupterm(3). If terminfo does not know `name`, its compiled-in description is put into
 * TERMINFO, where newterm(3) finds it too.
 */
int terminfo_setup(const char *name, int fd, int *found);

#endif
