/* SPDX-License-Identifier: MIT */
/*
 * Backends bitslice, bitslice-avx2 and bitslice-avx512 of anneal: the pass of
 * kernels/moore/bit_pass.h with ANNEAL's rule. In plain C a word takes 25 operations for 64 cells;
 * with AVX-512 the rule is two ternary operations and all are nine.
 */
#include "kernels/moore/bit_pass.h"

#include "kernels/anneal/bitslice.h"

static inline word anneal_result(struct bit_sum l, struct bit_sum h, word cells,
                                 const void *context)
{
    (void)cells, (void)context;
    return moore_vote(l, h);
}

static void anneal_step_rows(const struct row_range *rows, int64_t words,
                             const struct kept_rows *kept, const void *context)
{
    moore_step_rows(rows, words, kept, anneal_result, false, context);
}

static void anneal_bit_rows_pass(const struct bit_stepper *stepper, int64_t first, int64_t last,
                                 uint64_t t, int n, void *scratch)
{
    static const struct moore_steps steps = {moore_keep_sums, anneal_step_rows};

    (void)t; /* the same rule in every generation */
    moore_bit_rows_pass(stepper, &steps, first, last, n, scratch);
}

const struct bit_ops WORD_NAME(anneal_bitslice) = {
    .lanes = WORD_LANES, .pass = anneal_bit_rows_pass, .plan = moore_bitslice_plan};
