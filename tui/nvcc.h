/* SPDX-License-Identifier: MIT */
/*
 * The words of nvcc's command line, which `calab emulate` takes as well: those that matter to the
 * compiler or the linker of the emulated program are kept, and those that say what a GPU or a file
 * should be like are left out.
 */
#ifndef CALAB_TUI_NVCC_H
#define CALAB_TUI_NVCC_H

#include <stdbool.h>

#define NVCC_WORDS_MAX 64

struct nvcc_words {
    const char *compile[NVCC_WORDS_MAX + 1], *link[NVCC_WORDS_MAX + 1]; /* end with NULL */
    int compiles, links;
    bool relocatable; /* -rdc=true or -dc */
};

/*
 * Reads the option that argv[at] is, with its argument: how many words of argv it takes; 0 where it
 * is none of nvcc's, and where more are given than there is room for.
 */
int nvcc_read(struct nvcc_words *words, int argc, char **argv, int at);

#endif
