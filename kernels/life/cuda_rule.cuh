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

/* In plan: the rule of the setup for kernels of bytes, and of words. */
enum ca_status life_cuda_cells_rule(const struct cuda *cuda, struct moore_rule *rule,
                                    enum life_logic *logic, struct ca_error *error);
enum ca_status life_cuda_words_rule(const struct cuda *cuda, struct moore_rule *rule,
                                    enum life_logic *logic, struct ca_error *error);

/* How kernels of the rule's own are made, which `rule` is of; NULL: some are compiled in for it.
 * Valid until the next call of the thread. */
const struct moore_own_rule *life_own_rule(const struct cuda *cuda, enum life_logic logic);

extern const struct cuda_access life_cells_access, life_bits_access;

#endif
