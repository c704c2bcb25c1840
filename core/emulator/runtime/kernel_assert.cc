/* SPDX-License-Identifier: MIT */
/* A failed assert() in a kernel reports its place, and ends the launch. */
#include <stdio.h>
#include <stdlib.h>

#include "core/emulator/runtime/block.h"
#include "core/emulator/runtime/errors.h"
#include "core/emulator/runtime/finding.h"

/* assert() calls this in place of libc's. */
extern "C" void __assert_fail(const char *expression, const char *file, unsigned line,
                              const char *function) noexcept(false)
{
    struct place where = {file, (int)line, function};

    if (!emulated_in_kernel()) {
        fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
        abort();
    }
    finding_report(EMULATED_ERROR, "assertion", &where, NULL,
                   "block (%u,%u,%u) thread (%u,%u,%u): `%s' is false, in %s", blockIdx.x,
                   blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, expression,
                   function);
    emulated_trap_with(cudaErrorAssert);
}
