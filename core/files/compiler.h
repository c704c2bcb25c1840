/* SPDX-License-Identifier: MIT */
/* Compilers that the user has: their commands, and what of their words names the error. */
#ifndef CALAB_CORE_FILES_COMPILER_H
#define CALAB_CORE_FILES_COMPILER_H

#include <stddef.h>

/* The command that the variable `CC` (or `NVCC`) names, or the other where it is not set. */
const char *ca_compiler_named(const char *variable, const char *otherwise);

#define CA_COMMAND_WORDS 64

/* The words of a command; all texts but those that are put into `word` itself are copied. */
struct ca_command {
    char text[4096];
    const char *word[CA_COMMAND_WORDS + 1]; /* ends with NULL */
    int count;
    size_t used;
};

/* Adds the words of a text, which are split at blanks; what does not fit is left out. */
void ca_command_add(struct ca_command *command, const char *text);
/* Adds a text of the caller's as one word. */
void ca_command_word(struct ca_command *command, const char *word);

/* The first line of a compiler's words that names an error, or says something at all. */
void ca_compiler_first_error(const char *said, char text[600]);

#endif
