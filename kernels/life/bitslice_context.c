/* SPDX-License-Identifier: MIT */
/* This file computes the context of life's bit-sliced backends: how a rule is stepped. */
#include <string.h>

#include "kernels/life/bitslice.h"
#include "kernels/life/rule.h"

/* Masks by which a leaf's table is an expression: its algebraic normal form. */
static void mask_leaf(uint64_t mask[4][LIFE_LANES], unsigned table)
{
    unsigned at[4] = {table & 1, table >> 1 & 1, table >> 2 & 1, table >> 3 & 1};
    unsigned set[4] = {at[0], at[0] ^ at[1], at[0] ^ at[2], at[0] ^ at[1] ^ at[2] ^ at[3]};

    for (int i = 0; i < 4; i++)
        for (int lane = 0; lane < LIFE_LANES; lane++)
            mask[i][lane] = set[i] ? ~UINT64_C(0) : 0;
}

/* The place of a rule that goes by counts in LIFE_COMMON_RULES, or -1. */
static int common_rule(const struct life_rule *rule)
{
    static const struct {
        unsigned born, stays;
    } common[] = {
#define LIFE_ROW(name, born, stays) {born, stays},
        LIFE_COMMON_RULES(LIFE_ROW)
#undef LIFE_ROW
    };

    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        if (rule->born == common[i].born && rule->stays == common[i].stays)
            return (int)i;
    return -1;
}

static enum life_form form_of(const struct life_rule *rule)
{
    if (!rule->totalistic)
        return LIFE_PROGRAM;
    if (rule->born == 0x008 && rule->stays == 0x00c)
        return LIFE_CONWAY;
    if (rule->born == 0x1d0 && rule->stays == 0x1e8)
        return LIFE_VOTE;
    return common_rule(rule) < 0 ? LIFE_COUNTED : LIFE_COMMON;
}

void life_bits_make(struct life_bits *bits, const struct life_rule *rule)
{
    memset(bits, 0, sizeof *bits);
    bits->form = form_of(rule);
    if (bits->form == LIFE_COMMON)
        bits->common = common_rule(rule);
    if (bits->form == LIFE_PROGRAM)
        life_program_make(&bits->program, rule->table);
    for (unsigned m = 0; m < 5 && bits->form == LIFE_COUNTED; m++)
        mask_leaf(bits->mask[m], life_leaf_table(rule->born, rule->stays, m));
}

static struct life_rule rule_of(const struct ca_setup *setup)
{
    struct life_rule rule = {.totalistic = true};
    struct ca_error ignored; /* the model's check has refused what is no rule */

    life_rule_of_setup(&rule, setup, &ignored);
    return rule;
}

void life_bits_prepare(const struct ca_setup *setup, void *context)
{
    struct life_rule rule = rule_of(setup);

    life_bits_make(context, &rule);
}

/* Functions of three inputs count as two operations, of which letters take some 80 and a random
 * table 105: to find the program takes longer than a plan may. */
double life_bits_work_of(const struct life_rule *rule)
{
    char text[CA_TEXT_MAX];
    double sums = 13, conway = 7;

    switch (form_of(rule)) {
    case LIFE_COMMON:
        return (sums + 14) / (sums + conway);
    case LIFE_COUNTED:
        return (sums + 46) / (sums + conway);
    case LIFE_PROGRAM:
        life_rule_format(rule, text);
        return 2 * (text[0] == 'B' ? 80 : 105) / (sums + conway);
    default:
        return 1;
    }
}

double life_bits_work(const struct ca_setup *setup)
{
    struct life_rule rule = rule_of(setup);

    return life_bits_work_of(&rule);
}
