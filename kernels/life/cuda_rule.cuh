/* SPDX-License-Identifier: MIT */
/*
 * The logic by which life's CUDA backends step a rule: compiled in for the rules that people use
 * (circuits.h), and a table for all others: by the count of the neighbours where the rule goes by
 * it, or of all squares.
 */
#ifndef CALAB_KERNELS_LIFE_CUDA_RULE_CUH
#define CALAB_KERNELS_LIFE_CUDA_RULE_CUH

#include "kernels/life/rule.h"
#include "kernels/moore/cuda_bits.cuh"

#include "kernels/life/circuits.h"

struct cuda;

#define LIFE_NAMED(name, born, stays, operations, centre) LIFE_##name,
enum life_logic { LIFE_COMPILED(LIFE_NAMED) LIFE_COUNTS, LIFE_TABLE, LIFE_LOGICS };

/* Words of the parameters of a launch. Of bytes: the table, then births and survivals by count. Of
 * words: the table, or masks for each count of a square's cells, of births and of survivals. */
enum { LIFE_TABLE_AT = 0, LIFE_BORN_AT = 16, LIFE_STAYS_AT = 17 };
enum { LIFE_BORN_MASKS_AT = 0, LIFE_STAYS_MASKS_AT = 10 };

/* In plan: the rule of the setup for kernels of bytes. */
enum ca_status life_cuda_cells_rule(const struct cuda *cuda, struct moore_rule *rule,
                                    enum life_logic *logic, struct ca_error *error);

/* Of words, whose plans take the rule: life's own is that of the setup, and a model in a file has
 * one that its function is evaluated for. */
struct life_cuda_words {
    enum life_logic logic;
    struct moore_rule rule;
    /* How kernels of the rule's own are made; NULL: some are compiled in for it. */
    const struct moore_own_rule *own;
    struct moore_own_rule own_rule;
};
void life_cuda_words_make(struct life_cuda_words *words, const struct life_rule *from, bool dead);

typedef enum ca_status life_cuda_plan(struct cuda *cuda, const struct life_cuda_words *words,
                                      struct ca_error *error);
life_cuda_plan life_cuda_bitslice_plan, life_cuda_temporal_plan, life_cuda_overlapped_plan;
/* The plan of a backend of life. */
enum ca_status life_cuda_plan_of_setup(struct cuda *cuda, life_cuda_plan *plan,
                                       struct ca_error *error);

extern const struct cuda_access life_cells_access, life_bits_access;

#endif
