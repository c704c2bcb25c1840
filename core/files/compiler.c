/* SPDX-License-Identifier: MIT */
/* This file puts commands of compilers together and finds the error in what they say. */
#include "core/files/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"

const char *ca_compiler_named(const char *variable, const char *otherwise)
{
    const char *value = getenv(variable);

    return value && *value ? value : otherwise;
}

void ca_command_word(struct ca_command *command, const char *word)
{
    if (command->count < CA_COMMAND_WORDS)
        command->word[command->count++] = word;
}

void ca_command_add(struct ca_command *command, const char *text)
{
    while (*(text += strspn(text, " \t"))) {
        size_t length = strcspn(text, " \t");

        if (command->used + length + 1 > sizeof command->text)
            return;
        ca_command_word(command, memcpy(command->text + command->used, text, length));
        command->used += length;
        command->text[command->used++] = '\0';
        text += length;
    }
}

void ca_compiler_first_error(const char *said, char text[600])
{
    static const char *const marks[] = {"undefined reference", "error:", "error :", "Error:", ""};
    const char *line = said, *at;

    for (size_t m = 0; m < sizeof marks / sizeof *marks; m++) {
        at = strstr(said, marks[m]);
        if (!at)
            continue;
        for (line = at; line > said && line[-1] != '\n'; line--)
            ;
        break;
    }
    snprintf(text, 600, "%.*s", (int)strcspn(line, "\n"), line);
    if (strncmp(text, "/usr/bin/ld: ", 13) == 0)
        memmove(text, text + 13, strlen(text + 13) + 1);
    ca_plain(text);
}
