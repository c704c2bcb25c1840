/* SPDX-License-Identifier: MIT */
/*
 * A rule of life: any function of the nine cells of a square, as a table, once for C and CUDA, and
 * its text form.
 */
#ifndef CALAB_KERNELS_LIFE_RULE_H
#define CALAB_KERNELS_LIFE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/model.h"
#include "kernels/cpu/rule.h"

/*
 * A square of nine cells is a number of nine bits, read row by row, y growing downwards:
 *
 *     256 NW   128 N    64 NE
 *      32 W     16 C     8 E
 *       4 SW     2 S     1 SE
 */
#define LIFE_SQUARES 512
#define LIFE_CENTRE 16

struct life_rule {
    uint64_t table[LIFE_SQUARES / 64]; /* bit s mod 64 of word s div 64: the cell after square s */
    bool totalistic; /* whether the centre and the count of its eight neighbours decide */
    /* Where they do, bit n: an empty cell with n live neighbours is born, a live one stays. */
    uint16_t born, stays;
};

/* cell' = table[square around the cell] */
RULE int life_next(const uint64_t table[LIFE_SQUARES / 64], unsigned square)
{
    return (int)(table[square / 64] >> square % 64 & 1);
}

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads B3/S23 and its other spellings (S23/B3, B3S23, 23/3, any case), Hensel's letters
 * (B2-a/S12), or MAP and 86 characters of base64. CA_USAGE with the place, what stands there and
 * what is allowed; families of rules that are not rules of nine cells with two states are named.
 */
enum ca_status life_rule_parse(struct life_rule *rule, const char *text, struct ca_error *error);
/* The rule of a table: whether it goes by counts, and which. */
void life_rule_of_table(struct life_rule *rule, const uint64_t table[LIFE_SQUARES / 64]);
/* The rule of a setup's parameter `rule`. */
enum ca_status life_rule_of_setup(struct life_rule *rule, const struct ca_setup *setup,
                                  struct ca_error *error);
/* The shortest of Golly's forms: by counts, by Hensel's letters, or MAP. */
void life_rule_format(const struct life_rule *rule, char text[CA_TEXT_MAX]);

/* The same of a setup's rule, whether a text is that rule, and whether it has B0: hooks of the
 * model. */
void life_rule_text(const struct ca_setup *setup, char text[CA_TEXT_MAX]);
bool life_is_rule(const struct ca_setup *setup, const char *text);
bool life_flashes(const struct ca_setup *setup);

#ifdef __cplusplus
}
#endif
#endif
