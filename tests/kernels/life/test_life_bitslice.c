/* SPDX-License-Identifier: MIT */
/* The logic of life's bit-sliced backends for random rules of each family: on all squares, and as
 * cells beside the reference. */
#include <stdio.h>
#include <string.h>

#include "core/model/registry.h"
#include "kernels/life/bitslice.h"
#include "kernels/life/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

enum { COUNTS, LETTERS, TABLES, FAMILIES };

static uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)(state >> 33) % below;
}

/* A random rule of a family, as a table of its own and as text. */
static struct life_rule random_rule(int family, char text[CA_TEXT_MAX])
{
    struct life_rule rule = {.totalistic = false};

    for (int n = 0; n <= 8 && family != TABLES; n++)
        for (int live = 0; live < 2; live++) {
            unsigned all = life_all_letters(n);

            life_mark_classes(rule.table, n, live,
                              family == COUNTS ? all * draw(2) : draw(all + 1) & all);
        }
    for (unsigned square = 0; square < LIFE_SQUARES && family == TABLES; square++)
        rule.table[square / 64] |= (uint64_t)draw(2) << square % 64;
    life_rule_format(&rule, text);
    ck_assert_ok(life_rule_parse(&rule, text, &error));
    return rule;
}

/* Cell k of square 64 i + lane, k counted from the south-east. */
static word cell_of(int i, int k)
{
    word cells = 0;

    for (int lane = 0; lane < 64; lane++)
        cells |= (word)((64 * i + lane) >> k & 1) << lane;
    return cells;
}

/* The sums of squares 64 i ... 64 i + 63. */
static void sums_of(int i, struct bit_sum *l, struct bit_sum *h)
{
    struct bit_sum row[3];

    for (int r = 0; r < 3; r++)
        row[r] = word_full_add(cell_of(i, 3 * r), cell_of(i, 3 * r + 1), cell_of(i, 3 * r + 2));
    *l = word_full_add(row[0].low, row[1].low, row[2].low);
    *h = word_full_add(row[0].high, row[1].high, row[2].high);
}

START_TEST(conway_on_all_squares)
{
    struct life_rule rule;

    ck_assert_ok(life_rule_parse(&rule, "B3/S23", &error));
    for (int i = 0; i < 8; i++) {
        struct bit_sum l, h;

        sums_of(i, &l, &h);
        ck_assert_uint_eq(life_conway(l, h, cell_of(i, 4)), rule.table[i]);
    }
}
END_TEST

START_TEST(counts_on_all_squares)
{
    char text[CA_TEXT_MAX];

    for (int r = 0; r < 200; r++) {
        struct life_rule rule = random_rule(COUNTS, text);

        ck_assert(rule.totalistic);
        for (int i = 0; i < 8; i++) {
            struct bit_sum l, h;

            sums_of(i, &l, &h);
            ck_assert_msg(life_by_counts(l, h, cell_of(i, 4), rule.born, rule.stays) ==
                              rule.table[i],
                          "%s", text);
        }
    }
}
END_TEST

/* What a program makes of squares 64 i ... 64 i + 63. */
static uint64_t program_on(const struct life_program *program, int i)
{
    uint64_t slot[LIFE_CELLS + LIFE_FUNCTIONS_MAX];
    uint64_t result;

    for (int k = 0; k < LIFE_CELLS; k++)
        slot[k] = cell_of(i, k);
    for (int f = 0; f < program->count; f++) {
        const struct life_function *function = &program->function[f];
        uint64_t value = 0;

        for (unsigned j = 0; j < 8; j++)
            if (function->table >> j & 1)
                value |= (j & 4 ? slot[function->a] : ~slot[function->a]) &
                         (j & 2 ? slot[function->b] : ~slot[function->b]) &
                         (j & 1 ? slot[function->c] : ~slot[function->c]);
        slot[function->to] = value;
    }
    result = program->result < 0 ? 0 : slot[program->result];
    return program->inverted ? ~result : result;
}

static bool is_compiled(unsigned table)
{
#define IS_ONE(TABLE)                                                                              \
    if (table == TABLE)                                                                            \
        return true;
    LIFE_FUNCTION_TABLES(IS_ONE)
    return false;
}

/* A random table of 512 takes some 110 functions, random letters 90, and counts a few dozen. */
START_TEST(programs_on_all_squares)
{
    static const int most[FAMILIES] = {60, 120, 127};
    struct life_program program;
    char text[CA_TEXT_MAX];

    state += (uint64_t)_i;
    for (int r = 0; r < 100; r++) {
        struct life_rule rule = random_rule(_i, text);

        life_program_make(&program, rule.table);
        ck_assert_int_le(program.count, most[_i]);
        ck_assert_int_le(program.slots, LIFE_CELLS + program.count);
        for (int f = 0; f < program.count; f++)
            ck_assert(is_compiled(program.function[f].table));
        for (int i = 0; i < 8; i++)
            ck_assert_msg(program_on(&program, i) == rule.table[i], "%s", text);
    }
}
END_TEST

/* Rules that are one function, a cell, its complement, or constant. */
START_TEST(small_programs)
{
    struct life_program program;
    uint64_t table[8];

    for (int what = 0; what < 6; what++) {
        for (int i = 0; i < 8; i++) {
            uint64_t north = cell_of(i, 7), west = cell_of(i, 5), centre = cell_of(i, 4);

            table[i] = what == 0   ? 0
                       : what == 1 ? ~UINT64_C(0)
                       : what == 2 ? north
                       : what == 3 ? ~north
                       : what == 4 ? ~(north & west)
                                   : north ^ west ^ centre;
        }
        life_program_make(&program, table);
        ck_assert_int_eq(program.count, what < 4 ? 0 : 1);
        for (int i = 0; i < 8; i++)
            ck_assert_uint_eq(program_on(&program, i), table[i]);
    }
}
END_TEST

/* How each rule is stepped: what is compiled in is what its name says. */
START_TEST(forms)
{
    static const struct {
        const char *rule;
        enum life_form form;
    } rows[] = {
        {"B3/S23", LIFE_CONWAY},     {"B36/S23", LIFE_COMMON},       {"B3678/S34678", LIFE_COMMON},
        {"B2/S", LIFE_COMMON},       {"B1357/S1357", LIFE_COMMON},   {"B1357/S02468", LIFE_COMMON},
        {"B4678/S35678", LIFE_VOTE}, {"B5678/S45678", LIFE_COMMON},  {"B35678/S5678", LIFE_COMMON},
        {"B36/S125", LIFE_COMMON},   {"B368/S245", LIFE_COMMON},     {"B3/S12345", LIFE_COMMON},
        {"B3/S45678", LIFE_COMMON},  {"B3/S012345678", LIFE_COMMON}, {"B345/S5", LIFE_COMMON},
        {"B34/S34", LIFE_COMMON},    {"B2/S0", LIFE_COMMON},         {"B45/S2367", LIFE_COUNTED},
        {"B2-a/S12", LIFE_PROGRAM}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct life_rule rule;
        struct life_bits bits;

        ck_assert_ok(life_rule_parse(&rule, rows[i].rule, &error));
        life_bits_make(&bits, &rule);
        ck_assert_msg(bits.form == rows[i].form, "%s", rows[i].rule);
    }
}
END_TEST

static const char *const common[] = {
    "B3/S23",       "B36/S23",      "B3678/S34678", "B2/S",          "B1357/S1357", "B1357/S02468",
    "B4678/S35678", "B5678/S45678", "B35678/S5678", "B36/S125",      "B368/S245",   "B3/S12345",
    "B3/S45678",    "B345/S5",      "B34/S34",      "B3/S012345678", "B2/S0"};
#define COMMON ((int)(sizeof common / sizeof common[0]))

/* Each backend on a small lattice of its own, of any width, torus or not, for any rule. */
static void check_rule(const char *rule)
{
    static const uint64_t calls[] = {1, 3, 0};
    unsigned w = 1 + draw(200), h = 1 + draw(30), generations = 1 + draw(4);
    const char *boundary = draw(2) ? "torus" : "dead", *size = test_text("%ux%u", w, h);

    for (const struct ca_backend *b = life_model.backends; b->name; b++) {
        struct ca_experiment experiment;

        if (strncmp(b->name, "bitslice", 8) != 0 || ca_backend_available(b, &error) != CA_OK)
            continue;
        experiment = kernel_experiment(
            "life", b->name, size, NULL, test_seed() + w,
            test_text("rule=%s boundary=%s threads=1 generations=%u", rule, boundary, generations));
        kernel_check_same(&experiment, calls);
    }
}

START_TEST(random_rules_are_the_reference)
{
    char text[CA_TEXT_MAX];

    state += (uint64_t)_i;
    for (int r = 0; r < 25; r++) {
        random_rule(_i % FAMILIES, text);
        check_rule(text);
    }
}
END_TEST

START_TEST(common_rules_are_the_reference)
{
    state += (uint64_t)_i;
    for (int r = 0; r < 4; r++)
        check_rule(common[_i]);
}
END_TEST

/* Rows of several segments, and of those that end with one. */
START_TEST(long_rows)
{
    static const char *const sizes[] = {"8192x3", "8191x4", "20000x3"};
    static const char *const rules[] = {"B2-a/S12", "B02ci3ai4c8/S02ae3eijkq4iz5ar6i7e",
                                        "B45/S2367"};
    static const uint64_t calls[] = {1, 2, 5, 0};

    for (const struct ca_backend *b = life_model.backends; b->name; b++)
        for (size_t i = 0; i < COUNT(rules); i++) {
            struct ca_experiment experiment;

            if (strncmp(b->name, "bitslice", 8) != 0 || ca_backend_available(b, &error) != CA_OK)
                continue;
            experiment = kernel_experiment("life", b->name, sizes[_i], NULL, test_seed(),
                                           test_text("rule=%s threads=2", rules[i]));
            kernel_check_same(&experiment, calls);
        }
}
END_TEST

int main(void)
{
    state = test_seed();
    return RUN_TESTS(.test = {conway_on_all_squares, counts_on_all_squares, small_programs, forms},
                     .table = {{programs_on_all_squares, FAMILIES},
                               {random_rules_are_the_reference, 8 * FAMILIES},
                               {common_rules_are_the_reference, COMMON},
                               {long_rows, 3}});
}
