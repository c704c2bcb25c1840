/* SPDX-License-Identifier: MIT */
/*
 * The rewriter as a program of its own, from standard input to standard output. The machine that
 * builds calab runs it on calab's own kernels, before the first of them is compiled.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/emulator/rewrite.h"

int main(void)
{
    char *source = NULL, *result = NULL;
    size_t capacity = 0;
    ssize_t length = getdelim(&source, &capacity, '\0', stdin);
    struct ca_error error = {.text = "standard input has no source, or one with a NUL in it"};
    bool done = length > 0 && feof(stdin) &&
                ca_rewrite_cuda(source, (size_t)length, true, &result, &error) == CA_OK;

    if (done && (fputs(result, stdout) < 0 || fflush(stdout) != 0)) {
        ca_error_set(&error, CA_IO, "standard output: %m");
        done = false;
    }
    if (!done) {
        fputs(error.text, stderr);
        fputc('\n', stderr);
    }
    free(source);
    free(result);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
