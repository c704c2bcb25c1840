/* SPDX-License-Identifier: MIT */
/* CUDA programs on their way to a C++ compiler: whatever they are, lines stay where they are. */
#include <stdlib.h>
#include <string.h>

#include "core/emulator/rewrite.h"
#include "tests/fuzz/fuzz.h"

static size_t lines(const char *text, size_t size)
{
    size_t count = 0;

    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    return count;
}

void fuzz_cuda(const uint8_t *data, size_t size)
{
    /* No longer than it says, so that a byte too many is noticed. */
    char *source = malloc(size + 1), *result;
    struct ca_error error;

    if (!source)
        return;
    memcpy(source, data, size);
    source[size] = '\0';
    if (ca_rewrite_cuda(source, size, false, &result, &error) == CA_OK) {
        if (!memchr(source, 0, size))
            FUZZ_HOLDS(lines(result, strlen(result)) >= lines(source, size));
        free(result);
    }
    free(source);
}
