/* SPDX-License-Identifier: MIT */
/* Sources of the program itself as one text: files that it has inside (core/files/embedded.h). */
#ifndef CALAB_KERNELS_COMPILE_INLINED_H
#define CALAB_KERNELS_COMPILE_INLINED_H

#include <stdio.h>

/* Writes a file with those that it includes by "..." in their places, each once. All of them have
 * to be listed in EMBEDDED of the Makefile. */
void compile_inlined(FILE *to, const char *name);

#endif
