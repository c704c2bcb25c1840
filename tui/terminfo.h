/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of common terminals that a program for any machine carries with it (`make
 * portable`), for those without a terminfo database.
 */
#ifndef CALAB_TUI_TERMINFO_H
#define CALAB_TUI_TERMINFO_H

/*
 * As setupterm(3), which may be given the compiled-in description of `name` where the machine knows
 * none; then TERMINFO holds it, for newterm(3) and for other programs.
 */
int terminfo_setup(const char *name, int fd, int *found);

#endif
