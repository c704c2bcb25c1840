/* SPDX-License-Identifier: MIT */
/* Rules that are imported: .rule files, or notations where the first byte is even. What can be read
 * can be written. */
#include <stdio.h>
#include <string.h>

#include "core/import/import.h"
#include "tests/fuzz/fuzz.h"

#define BYTES_MAX 2048 /* of a file: longer ones take long */

static struct ca_error error;
static struct import_rule rule;

void fuzz_rules(const uint8_t *data, size_t size)
{
    uint8_t which = fuzz_byte(&data, &size);
    char notation[128];
    FILE *nowhere;

    if (size > BYTES_MAX)
        return;
    snprintf(notation, sizeof notation, "%.*s", (int)size, (const char *)data);
    if (ca_import_read(which & 1 ? fuzz_file("fuzzed.rule", data, size) : notation, &rule,
                       &error) == CA_OK) {
        nowhere = fopen("/dev/null", "w");
        if (nowhere) {
            ca_import_write(&rule, nowhere);
            fclose(nowhere);
        }
        if (rule.at) {
            uint8_t states[DIAGRAM_INPUTS_MAX] = {1, 0, 1};

            FUZZ_HOLDS(ca_import_next(&rule, states) < rule.states);
        }
    }
    ca_import_destroy(&rule);
}
