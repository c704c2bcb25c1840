/* SPDX-License-Identifier: MIT */
/* Where the library is that answers as NVML does (tests/shim/nvml.c). */
#ifndef CALAB_TESTS_SHIM_NVML_H
#define CALAB_TESTS_SHIM_NVML_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support.h"

/* "CALAB_NVML=PATH", in static storage. */
static inline const char *shim_nvml(void)
{
    static char text[PATH_MAX];
    const char *program = test_program();

    snprintf(text, sizeof text, "CALAB_NVML=%.*s/tests/shim/nvml.so",
             (int)(strrchr(program, '/') - program), program);
    return text;
}

/* For this process, before NVML is first asked. */
static inline void shim_nvml_load(void) { setenv("CALAB_NVML", strchr(shim_nvml(), '=') + 1, 1); }

#endif
