/* SPDX-License-Identifier: MIT */
/* This table holds the options of nvcc that `calab emulate` takes, and what becomes of each. */
#include "tui/nvcc.h"

#include <stddef.h>
#include <string.h>

enum takes {
    NOTHING, /* the name alone */
    REST,    /* the rest of the word: -O3 */
    JOINED,  /* the rest of the word, or the next one: -DX, -D X */
    VALUE,   /* behind `=`, or the next word: -arch=sm_90, -arch sm_90 */
};

enum becomes { LEFT_OUT, COMPILED, LINKED, STANDARD, HOST, RELOCATABLE, SEPARATE };

static const struct nvcc_row {
    const char *name; /* after one `-` or two */
    enum takes takes;
    enum becomes becomes;
} rows[] = {
    /* Names before those that they begin with. */
    {"lineinfo", NOTHING, LEFT_OUT},
    {"generate-line-info", NOTHING, LEFT_OUT},
    {"device-debug", NOTHING, LEFT_OUT},
    {"debug", NOTHING, LEFT_OUT},
    {"use_fast_math", NOTHING, LEFT_OUT},
    {"expt-relaxed-constexpr", NOTHING, LEFT_OUT},
    {"expt-extended-lambda", NOTHING, LEFT_OUT},
    {"extended-lambda", NOTHING, LEFT_OUT},
    {"disable-warnings", NOTHING, LEFT_OUT},
    {"m64", NOTHING, LEFT_OUT},
    {"g", NOTHING, LEFT_OUT},
    {"G", NOTHING, LEFT_OUT},
    {"w", NOTHING, LEFT_OUT},
    {"arch", VALUE, LEFT_OUT},
    {"code", VALUE, LEFT_OUT},
    {"gencode", VALUE, LEFT_OUT},
    {"gpu-architecture", VALUE, LEFT_OUT},
    {"gpu-code", VALUE, LEFT_OUT},
    {"generate-code", VALUE, LEFT_OUT},
    {"maxrregcount", VALUE, LEFT_OUT},
    {"optimize", VALUE, LEFT_OUT},
    {"ftz", VALUE, LEFT_OUT},
    {"fmad", VALUE, LEFT_OUT},
    {"prec-div", VALUE, LEFT_OUT},
    {"prec-sqrt", VALUE, LEFT_OUT},
    {"cudart", VALUE, LEFT_OUT},
    {"ccbin", VALUE, LEFT_OUT},
    {"diag-suppress", VALUE, LEFT_OUT},
    {"Xptxas", VALUE, LEFT_OUT},
    {"ptxas-options", VALUE, LEFT_OUT},
    {"Xcudafe", VALUE, LEFT_OUT},
    {"Xlinker", VALUE, LEFT_OUT},
    {"Xcompiler", VALUE, HOST},
    {"compiler-options", VALUE, HOST},
    {"std", VALUE, STANDARD},
    {"rdc", VALUE, RELOCATABLE},
    {"relocatable-device-code", VALUE, RELOCATABLE},
    {"dc", NOTHING, SEPARATE},
    {"include", VALUE, COMPILED},
    {"isystem", VALUE, COMPILED},
    {"o", VALUE, LEFT_OUT},
    {"x", VALUE, LEFT_OUT},
    {"t", VALUE, LEFT_OUT},
    {"D", JOINED, COMPILED},
    {"U", JOINED, COMPILED},
    {"I", JOINED, COMPILED},
    {"L", JOINED, LINKED},
    {"l", JOINED, LINKED},
    {"O", REST, LEFT_OUT},
    {"W", REST, LEFT_OUT},
};

/* Whether a word is this option; *value: what stands in the word itself, NULL: in the next one. */
static bool is_option(const struct nvcc_row *row, const char *word, const char **value)
{
    size_t length = strlen(row->name), dashes = word[0] != '-' ? 0 : word[1] == '-' ? 2 : 1;
    const char *end = word + dashes + length;

    *value = row->takes == JOINED || row->takes == VALUE ? NULL : "";
    if (dashes == 0 || (dashes == 2 && length == 1) ||
        strncmp(word + dashes, row->name, length) != 0)
        return false;
    if (*end && (row->takes == REST || row->takes == JOINED))
        *value = end;
    else if (*end == '=' && row->takes == VALUE)
        *value = end + 1;
    else
        return *end == '\0';
    return true;
}

static bool add_nvcc_word(const char **words, int *count, const char *word)
{
    if (*count == NVCC_WORDS_MAX)
        return false;
    words[(*count)++] = word;
    words[*count] = NULL;
    return true;
}

/* The libraries of CUDA itself, in whose place the emulator is. */
static bool is_of_cuda(const char *library)
{
    static const char *const names[] = {"cuda", "cudart", "cudart_static", "cudadevrt"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(library, names[i]) == 0)
            return true;
    return false;
}

/* Of what is meant for the host's compiler, OpenMP and threads change what a program does. */
static bool keep_host(struct nvcc_words *words, const char *value)
{
    static const char *const kept[] = {"-fopenmp", "-pthread"};
    bool room = true;

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strstr(value, kept[i]))
            room &= add_nvcc_word(words->compile, &words->compiles, kept[i]) &&
                    add_nvcc_word(words->link, &words->links, kept[i]);
    return room;
}

static bool keep(struct nvcc_words *words, const struct nvcc_row *row, char **argv, int at,
                 const char *value)
{
    const char **list = row->becomes == LINKED ? words->link : words->compile;
    int *count = row->becomes == LINKED ? &words->links : &words->compiles;

    switch (row->becomes) {
    case COMPILED:
    case LINKED:
        if (strcmp(row->name, "l") == 0 && is_of_cuda(value))
            return true;
        return add_nvcc_word(list, count, argv[at]) &&
               (value != argv[at + 1] || add_nvcc_word(list, count, value));
    case STANDARD: /* of those before C++20 the emulator's headers know nothing */
        return strcmp(value, "c++23") != 0 ||
               add_nvcc_word(words->compile, &words->compiles, "-std=c++23");
    case HOST:
        return keep_host(words, value);
    case RELOCATABLE:
        words->relocatable = strcmp(value, "true") == 0;
        return true;
    case SEPARATE:
        words->relocatable = true;
        return true;
    default:
        return true;
    }
}

int nvcc_read(struct nvcc_words *words, int argc, char **argv, int at)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value;
        int taken = 1;

        if (!is_option(&rows[i], argv[at], &value))
            continue;
        if (!value) {
            if (at + 1 >= argc)
                return 0;
            value = argv[at + 1];
            taken = 2;
        }
        return keep(words, &rows[i], argv, at, value) ? taken : 0;
    }
    return 0;
}
