/* SPDX-License-Identifier: MIT */
/* Where the failures of tests/stand_in/faults.c come from: a library that is preloaded, or a
 * program that they are part of. The Makefile says which in CALAB_FAULT_LIBRARY. */
#ifndef CALAB_TESTS_INJECTED_H
#define CALAB_TESTS_INJECTED_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether there is one at all. */
static inline bool faults_exist(void)
{
    const char *library = getenv("CALAB_FAULT_LIBRARY");

    return library && library[0];
}

/* Whether they are part of a program, whose system calls do not fail. */
static inline bool faults_are_linked(void)
{
    const char *end = strrchr(getenv("CALAB_FAULT_LIBRARY"), '.');

    return !end || strcmp(end, ".so") != 0;
}

/* The variable that loads the library; the program is the one to test from now on. */
static inline void faults_load(char *variable, size_t size)
{
    const char *library = getenv("CALAB_FAULT_LIBRARY");

    if (faults_are_linked())
        setenv("CALAB", library, 1);
    snprintf(variable, size, "LD_PRELOAD=%s", faults_are_linked() ? "" : library);
}

#endif
