/* SPDX-License-Identifier: MIT */
/* Chooses the variables that a process of a lab gets. */
#include "core/lab/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char inherited[] = "PATH LANG TMPDIR LD_LIBRARY_PATH CUDA_ OMP_";

static bool is_in(const char *variable, const char *names)
{
    while (names && *(names += strspn(names, " "))) {
        size_t length = strcspn(names, " ");
        bool begins = names[length - 1] == '_';

        if (strncmp(variable, names, length) == 0 && (begins || variable[length] == '='))
            return true;
        names += length;
    }
    return false;
}

static bool is_set_in(const char *variable, const char *const *variables)
{
    size_t length = strcspn(variable, "=") + 1;

    for (; variables && *variables; variables++)
        if (strncmp(variable, *variables, length) == 0)
            return true;
    return false;
}

static size_t count_of(const char *const *list)
{
    size_t count = 0;

    while (list && list[count])
        count++;
    return count;
}

char **lab_environment(const char *inherits, const char *const *variables)
{
    size_t count = 0;
    char **list =
        calloc(count_of((const char *const *)environ) + count_of(variables) + 1, sizeof *list);

    for (char **from = environ; list && from && *from; from++)
        if ((is_in(*from, inherited) || is_in(*from, inherits)) && !is_set_in(*from, variables))
            list[count++] = *from;
    for (; list && variables && *variables; variables++)
        list[count++] = (char *)*variables;
    return list;
}
