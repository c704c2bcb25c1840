/* SPDX-License-Identifier: MIT */
/* Finds the logic of a rule, and writes the parameters of its launches. */
#include "kernels/life/cuda_rule.cuh"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/stepper.cuh"
#include "kernels/life/circuit.h"
#include "kernels/life/life.h"

/* Operations on words of a group of a row, which has two shifts and four sums of three. */
static constexpr double operations(double beside_sums) { return 4 * beside_sums + 10; }

#define LIFE_ROW(name, births, survivals, operations_of_word, centre)                              \
    [LIFE_##name] = {births, survivals, operations(operations_of_word)},

static const struct {
    uint16_t born, stays;
    double operations;
} logics[LIFE_LOGICS] = {
    LIFE_COMPILED(LIFE_ROW)[LIFE_COUNTS] = {0, 0, operations(24)}, [LIFE_TABLE] = {
                                                                       0, 0, operations(511)}};

static enum life_logic logic_of(const struct life_rule *rule)
{
    int logic = 0;

    if (!rule->totalistic)
        return LIFE_TABLE;
    while (logic < LIFE_COUNTS &&
           (logics[logic].born != rule->born || logics[logic].stays != rule->stays))
        logic++;
    return (enum life_logic)logic;
}

static uint32_t mask_of(unsigned set, int bit) { return set >> bit & 1 ? 0xffffffffu : 0; }

static void write_table(const struct life_rule *from, uint32_t words[LIFE_SQUARES / 32])
{
    for (int i = 0; i < LIFE_SQUARES / 32; i++)
        words[i] = (uint32_t)(from->table[i / 2] >> i % 2 * 32);
}

static enum life_logic begin_rule(const struct life_rule *from, bool dead, struct moore_rule *rule)
{
    enum life_logic logic = logic_of(from);

    *rule = {};
    rule->dead = dead;
    rule->work = logics[logic].operations / logics[LIFE_conway].operations;
    return logic;
}

enum ca_status life_cuda_cells_rule(const struct cuda *cuda, struct moore_rule *rule,
                                    enum life_logic *logic, struct ca_error *error)
{
    uint32_t *words = rule->parameters.rule;
    struct life_rule from;

    CA_TRY(life_rule_of_setup(&from, &cuda->setup, error));
    *logic = begin_rule(&from, !life_torus(&cuda->setup), rule);
    write_table(&from, words + LIFE_TABLE_AT);
    words[LIFE_BORN_AT] = from.born;
    words[LIFE_STAYS_AT] = from.stays;
    return CA_OK;
}

/* --- words ------------------------------------------------------------------------------------ */

/* Functions on a word by a rule's own circuit: of sums four and five, of cells as program.h has
 * them. */
static double own_operations(const struct life_rule *rule)
{
    char text[CA_TEXT_MAX];

    if (rule->totalistic)
        return operations(4 + 5);
    life_rule_format(rule, text);
    return 2 + 4 * (text[0] == 'B' ? 35 : 110);
}

/* PTX of kernels without a circuit, packed, by the inputs of circuits and whether edges are dead
 * (kernels/cuda/cuda.mk). */
#ifdef __NVCC__
extern "C" const unsigned char life_ptx_5_false[], life_ptx_5_false_end[], life_ptx_5_true[],
    life_ptx_5_true_end[], life_ptx_9_false[], life_ptx_9_false_end[], life_ptx_9_true[],
    life_ptx_9_true_end[];

static char *own_ptx(const uint64_t table[8], const struct moore_own_kinds *kinds, bool dead,
                     int capability)
{
    static const unsigned char *const packed[2][2][2] = {
        {{life_ptx_9_false, life_ptx_9_false_end}, {life_ptx_9_true, life_ptx_9_true_end}},
        {{life_ptx_5_false, life_ptx_5_false_end}, {life_ptx_5_true, life_ptx_5_true_end}}};
    struct life_rule rule;
    char *kernels, *text;

    life_rule_of_table(&rule, table);
    kernels = life_ptx_unpacked(packed[rule.totalistic][dead][0], packed[rule.totalistic][dead][1]);
    text = kernels ? life_circuit_ptx(kernels, table, kinds, capability) : NULL;
    free(kernels);
    return text;
}
#else
#define own_ptx NULL
#endif

static void own_rule_make(struct moore_own_rule *own, const struct life_rule *rule)
{
    own->text = life_circuit_text;
    own->ptx = own_ptx;
    memcpy(own->table, rule->table, sizeof own->table);
    own->kept = rule->totalistic ? 20 : 12; /* cuda_circuit.cuh */
    own->work = own_operations(rule) / logics[LIFE_conway].operations;
}

void life_cuda_words_make(struct life_cuda_words *words, const struct life_rule *from, bool dead)
{
    enum life_logic logic = begin_rule(from, dead, &words->rule);
    uint32_t *masks = words->rule.parameters.rule;

    words->logic = logic;
    words->own = NULL;
    if (logic == LIFE_TABLE)
        write_table(from, masks + LIFE_TABLE_AT);
    /* n live cells of a square are n neighbours of an empty centre, or n - 1 of a live one. */
    for (int n = 0; logic == LIFE_COUNTS && n <= 9; n++) {
        masks[LIFE_BORN_MASKS_AT + n] = mask_of(from->born, n);
        masks[LIFE_STAYS_MASKS_AT + n] = n > 0 ? mask_of(from->stays, n - 1) : 0;
    }
    if (logic == LIFE_COUNTS || logic == LIFE_TABLE) {
        own_rule_make(&words->own_rule, from);
        words->own = &words->own_rule;
    }
}

enum ca_status life_cuda_plan_of_setup(struct cuda *cuda, life_cuda_plan *plan,
                                       struct ca_error *error)
{
    struct life_cuda_words words;
    struct life_rule rule;

    CA_TRY(life_rule_of_setup(&rule, &cuda->setup, error));
    life_cuda_words_make(&words, &rule, !life_torus(&cuda->setup));
    return plan(cuda, &words, error);
}
