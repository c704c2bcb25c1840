/* SPDX-License-Identifier: MIT */
/*
 * Circuits that are found for a rule: they are the rule for all squares, of as many functions as
 * the kernels' speed rests on, and the text of their kernels is what NVRTC compiles, where it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/files/nvrtc.h"
#include "kernels/compile/gpu.h"
#include "kernels/life/circuit.h"
#include "kernels/life/rule.h"
#include "tests/kernels/life/sums.h"
#include "tests/support/support.h"

static struct ca_error error;

static struct life_rule parsed(const char *text)
{
    struct life_rule rule;

    ck_assert_ok(life_rule_parse(&rule, text, &error));
    return rule;
}

/* A rule by counts, by bits that are drawn. */
static struct life_rule drawn(int i)
{
    uint32_t bits = ca_uniform(test_seed(), (uint64_t)i, 0, 0, 0, 0);
    char text[64] = "B";
    size_t used = 1;

    for (int k = 0; k < 18; k++) {
        if (k == 9)
            used += (size_t)snprintf(text + used, sizeof text - used, "/S");
        if (bits >> k & 1)
            used += (size_t)snprintf(text + used, sizeof text - used, "%d", k % 9);
    }
    return parsed(text);
}

/* --- the circuit ------------------------------------------------------------------------------ */

static int program_result(const struct life_program *program, int inputs, unsigned in)
{
    int slot[LIFE_CELLS + LIFE_FUNCTIONS_MAX] = {0}, result;

    for (int i = 0; i < inputs; i++)
        slot[i] = (int)(in >> i & 1);
    for (int i = 0; i < program->count; i++) {
        const struct life_function *f = &program->function[i];

        slot[f->to] = f->table >> (4 * slot[f->a] + 2 * slot[f->b] + slot[f->c]) & 1;
    }
    result = program->result < 0 ? 0 : slot[program->result];
    return result ^ program->inverted;
}

static int check_circuit(const struct life_rule *rule)
{
    struct life_circuit circuit;
    char text[CA_TEXT_MAX];

    life_circuit_make(&circuit, rule);
    life_rule_format(rule, text);
    ck_assert_int_eq(circuit.inputs, rule->totalistic ? LIFE_SUM_INPUTS : LIFE_CELLS);
    for (unsigned square = 0; square < LIFE_SQUARES; square++) {
        unsigned in = rule->totalistic ? sums_of(square) : square;

        ck_assert_msg(program_result(&circuit.program, circuit.inputs, in) ==
                          life_next(rule->table, square),
                      "%s: square %u", text, square);
    }
    return circuit.program.count;
}

/* Rules by counts, of which nearly all take five functions of the sums, and none more than seven.
 */
START_TEST(rules_by_counts)
{
    static const char *const others[] = {
        "B/S",     "B012345678/S012345678", "B1357/S02468", "B13579/S", "B0/S8",
        "B3/S238", "B/S012345678"};
    int sum = 0;

    for (int i = 0; i < 60; i++) {
        struct life_rule rule = drawn(i);
        int functions = check_circuit(&rule);

        ck_assert_int_le(functions, 7);
        sum += functions;
    }
    ck_assert_int_le(sum, 5 * 60);
    for (size_t i = 0; i < COUNT(others); i++) {
        struct life_rule rule;

        if (life_rule_parse(&rule, others[i], &error) == CA_OK)
            ck_assert_int_le(check_circuit(&rule), 7);
    }
}
END_TEST

/* Others take the cells. */
START_TEST(rules_of_cells)
{
    struct life_rule rule = parsed("B2-a/S12");
    uint64_t table[8];

    ck_assert_int_le(check_circuit(&rule), 40);
    for (int k = 0; k < 8; k++)
        table[k] = (uint64_t)ca_uniform(test_seed(), (uint64_t)k, 1, 0, 0, 0) << 32 |
                   ca_uniform(test_seed(), (uint64_t)k, 2, 0, 0, 0);
    life_rule_of_table(&rule, table);
    ck_assert_int_le(check_circuit(&rule), LIFE_FUNCTIONS_MAX);
}
END_TEST

/* --- its text --------------------------------------------------------------------------------- */

static const char *const no_headers[] = {NULL};

static const struct moore_own_kinds sweeps = {.generations = 2}, tiles = {.tile_rows = 6};

static void check_text(const char *text, enum compile_gpu compiler, bool tiled)
{
    struct compile_text from = {.name = "rule.cu",
                                .text = text,
                                .size = strlen(text),
                                .headers = no_headers,
                                .kept = "kernels"};
    struct compile_job job = {.from = &from};
    static const char *const names[] = {"moore_own_tiles6", "moore_own_rows2",  "moore_own_rows4",
                                        "moore_own_rows8",  "moore_own_sweep2", "moore_own_still2"};
    char path[PATH_MAX], *code;
    size_t size;

    ck_assert_ok(compile_gpu(&job, compiler, 90, path, &error));
    code = test_keep(test_read(path, &size));
    for (size_t i = 0; i < COUNT(names); i++)
        ck_assert_int_eq(memmem(code, size, names[i], strlen(names[i])) != NULL, tiled == (i == 0));
    compile_close(&job);
}

/* The kernels compile by each compiler that is here. */
START_TEST(kernels_compile)
{
    static const char *const rules[] = {"B3/S238", "B2-a/S12"};
    struct life_rule rule = parsed(rules[_i % 2]);
    bool tiled = _i / 4;
    char *text = test_keep(life_circuit_text(rule.table, tiled ? &tiles : &sweeps, _i / 2 % 2));
    struct ca_nvrtc nvrtc;
    char path[PATH_MAX];

    setenv("XDG_CACHE_HOME", test_folder(), 1);
    if (ca_nvrtc_find(&nvrtc, &error) == CA_OK)
        check_text(text, COMPILE_NVRTC, tiled);
    if (ca_nvcc_find(path))
        check_text(text, COMPILE_NVCC, tiled);
}
END_TEST

/* Whoever compiles it finds nothing beside it: no file of the program is included. */
START_TEST(the_text_is_whole)
{
    struct life_rule rule = parsed("B3/S238");
    struct moore_own_kinds kinds = {4, 12};
    char *text = test_keep(life_circuit_text(rule.table, &kinds, false));

    ck_assert_ptr_null(strstr(text, "#include \""));
    ck_assert_contains(text, "#define LIFE_GENERATIONS 4\n", "#define LIFE_DEAD false\n",
                       "#define LIFE_INPUTS 5\n", "#define LIFE_TILES LIFE_TILE(12)\n");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {rules_by_counts, rules_of_cells, the_text_is_whole},
                     .table = {{kernels_compile, 8}});
}
