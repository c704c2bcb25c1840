/* SPDX-License-Identifier: MIT */
/*
 * Backends bitslice, bitslice-avx2 and bitslice-avx512 of a model in a file: the rows of life's
 * ladder, whose logic is made of the file's function evaluated for all 512 neighbourhoods. So a
 * file has them where it has two states and nine cells that decide, draws nothing, and has edges
 * that are all closed or all dead.
 */
#include <string.h>

#include "kernels/file/file_model.h"
#include "kernels/life/bitslice.h"
#include "kernels/life/rule.h"
#include "kernels/moore/rungs.h"

extern const struct bit_ops life_bitslice, life_bitslice_avx2, life_bitslice_avx512;

static const struct ca_backend rungs[FILE_BIT_RUNGS] = {
    MOORE_BITSLICE("64 cells a word, by the logic of the file's function", life_bitslice, 20),
    MOORE_BITSLICE_AVX2(life_bitslice_avx2, 20),
    MOORE_BITSLICE_AVX512(life_bitslice_avx512, 17),
};

/* The rule under the setup's parameters; false where cell() does what it must not. */
static bool file_rule(const struct ca_setup *setup, struct life_rule *rule)
{
    struct ca_model_values values;
    uint64_t table[LIFE_SQUARES / 64] = {0};
    uint8_t bytes[LIFE_SQUARES / 8];
    int wrong;

    file_values(setup, &values);
    wrong = file_model_of(setup->model)->object.table_of_bits(&values, bytes);
    for (unsigned i = 0; i < LIFE_SQUARES / 8; i++)
        table[i / 8] |= (uint64_t)bytes[i] << i % 8 * 8;
    life_rule_of_table(rule, table);
    return !wrong;
}

static void file_bits_prepare(const struct ca_setup *setup, void *context)
{
    struct life_rule rule;

    file_rule(setup, &rule);
    life_bits_make(context, &rule);
}

static double file_bits_work(const struct ca_setup *setup)
{
    struct life_rule rule;

    file_rule(setup, &rule);
    return life_bits_work_of(&rule);
}

static bool file_bits_torus(const struct ca_setup *setup) { return file_is_torus(setup->model, 0); }

static enum ca_status file_bits_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                     struct ca_error *error)
{
    struct life_rule rule;

    if (!file_rule(setup, &rule))
        return ca_fail(error, CA_USAGE,
                       "%s: cell() reads beyond CA_RADIUS or returns a state that there is not, "
                       "which %s cannot have: the backend reference says where",
                       setup->model->name, setup->backend->name);
    return bit_stepper.plan(setup, plan, error);
}

int file_bit_backends(struct file_model *file, struct ca_backend backends[FILE_BIT_RUNGS])
{
    const int *edge = file->object.fast->edge;

    if (!file->object.table_of_bits || file->states != 2 || edge[0] != edge[1] ||
        edge[0] == CA_CONSTANT)
        return 0;
    file->bit_stepper = bit_stepper;
    file->bit_stepper.plan = file_bits_plan;
    for (int i = 0; i < FILE_BIT_RUNGS; i++) {
        backends[i] = rungs[i];
        backends[i].stepper = &file->bit_stepper;
        if (!rungs[i].ops)
            continue; /* of another processor */
        file->bit_ops[i] = *(const struct bit_ops *)rungs[i].ops;
        file->bit_ops[i].prepare = file_bits_prepare;
        file->bit_ops[i].work = file_bits_work;
        file->bit_ops[i].torus = file_bits_torus;
        backends[i].ops = &file->bit_ops[i];
    }
    return FILE_BIT_RUNGS;
}
