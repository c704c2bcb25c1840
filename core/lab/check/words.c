/* SPDX-License-Identifier: MIT */
/* The tables of short words and their texts. */
#include "core/lab/check/words.h"

#include <stddef.h>
#include <string.h>

struct words {
    const char *name, *text;
};

static const struct words hows[] = {
    {"", "by calab"},
    {"cc", "on the CPU"},
    {"nvcc", "on the GPU"},
    {"the sanitizers", "under the sanitizers"},
    {"the emulator", "on the emulator"},
    {"the GPU and the emulator", "on the GPU and the emulator"},
    {"its files", "by its files"},
};

static const struct words names[] = {
    /* verdicts */
    {"cell", "wrong cells"},
    {"outside", "writes outside the planes"},
    {"input", "changes its input"},
    {"static", "keeps something between calls"},
    {"found", "right cells, but a fault"},
    {"refused", "a call failed"},
    {"exited", "ended its process"},
    {"slow", "too slow"},
    {"large", "too much memory"},
    {"loud", "prints too much"},
    {"broken", "does not compile"},
    {"output", "no file to compare"},
    /* causes */
    {"unknown", "cause unknown"},
    {"unwritten", "cells never written"},
    {"input-changed", "changes its input"},
    {"unstable", "two runs differ"},
    {"range", "values out of range"},
    {"generation", "another generation"},
    {"axes", "axes exchanged"},
    {"shifted", "shifted"},
    {"in-place", "updated in place"},
    {"neighbours", "wrong neighbours"},
    {"parity", "even and odd rows"},
    {"boundary", "edges of the lattice"},
    {"halo", "edges of tiles"},
    {"tail", "behind the last whole tile"},
    {"rule", "wrong rule"},
    {"draws", "random draws"},
};

static const char *words_of(const struct words *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].text;
    return name;
}

const char *ca_lab_how_words(const char *how)
{
    return words_of(hows, sizeof hows / sizeof *hows, how ? how : "");
}

const char *ca_lab_words(const char *name)
{
    return words_of(names, sizeof names / sizeof *names, name);
}
