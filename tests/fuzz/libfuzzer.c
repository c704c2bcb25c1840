/* SPDX-License-Identifier: MIT */
/* Lets libFuzzer run the target that CALAB_FUZZ names. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("CALAB_FUZZ");

    (void)argc, (void)argv;
    target = fuzz_find(name);
    if (target)
        return 0;
    fprintf(stderr, "CALAB_FUZZ is '%s'; allowed are", name ? name : "");
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
        fprintf(stderr, " %s", t->name);
    fputc('\n', stderr);
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target->run(data, size);
    return 0;
}
