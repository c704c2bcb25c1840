/* SPDX-License-Identifier: MIT */
/* A user without a plan: keys of the table and sizes of the terminal, drawn from the seed. */
#ifndef CALAB_TESTS_RANDOM_KEYS_H
#define CALAB_TESTS_RANDOM_KEYS_H

#include "tests/screen.h"

/*
 * Presses CALAB_EVENTS keys (150 where it is unset) in a workbench that has started, and resizes
 * the terminal in between, 1x1 to 60x200; those of `often`, bytes as a terminal sends them, are one
 * key of four and keep the screen open that is meant. Keys that quit or suspend are left out. Then
 * the program must be alive, its screen be what a redraw makes of it, and Q must end it with
 * status 0. Closes the screen.
 */
void random_keys(struct screen *screen, const char *often);
/* Goes into a folder of the test's own, where the files that the keys write may lie. */
void random_keys_folder(void);

#endif
