/* SPDX-License-Identifier: MIT */
/* A rule that is imported is a file of Golly or a notation. */
#include "core/import/import.h"

#include <string.h>

enum ca_status ca_import_read(const char *text, struct import_rule *rule, struct ca_error *error)
{
    size_t length = strlen(text);

    *rule = (struct import_rule){0};
    return length > 5 && strcmp(text + length - 5, ".rule") == 0
               ? import_golly_rule(text, rule, error)
               : import_notation(text, rule, error);
}

void ca_import_destroy(struct import_rule *rule) { diagram_destroy(&rule->diagram); }

int ca_import_next(const struct import_rule *rule, const uint8_t states[])
{
    return (int)diagram_get(&rule->diagram, states);
}
