/* SPDX-License-Identifier: MIT */
/* Where the library is that answers as NVML does (tests/stand_in/nvml.c). */
#ifndef CALAB_TESTS_EMULATED_NVML_H
#define CALAB_TESTS_EMULATED_NVML_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"

/* "CALAB_NVML=PATH", in static storage. */
static inline const char *emulated_nvml(void)
{
    static char text[PATH_MAX];
    const char *program = test_program();

    snprintf(text, sizeof text, "CALAB_NVML=%.*s/tests/stand_in/nvml.so",
             (int)(strrchr(program, '/') - program), program);
    return text;
}

/* For this process, before NVML is first asked. */
static inline void emulated_nvml_load(void)
{
    setenv("CALAB_NVML", strchr(emulated_nvml(), '=') + 1, 1);
}

#endif
