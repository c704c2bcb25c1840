/* SPDX-License-Identifier: MIT */
/*
 * ANNEAL on words, for two rows at once; for one it is moore_vote (kernels/moore/bitslice.h).
 * Checked against anneal_rule for all neighbourhoods.
 */
#ifndef CALAB_KERNELS_ANNEAL_BITSLICE_H
#define CALAB_KERNELS_ANNEAL_BITSLICE_H

#include "kernels/moore/bitslice.h"

/*
 * The results of two neighbouring rows b and c with fewer operations: three ternary operations
 * make what both results need, and then each result takes three more, with the row o on that row's
 * other side:
 *
 *     most = majority(b1, c0, c1)    even = c0 = most = (b0 + b1 + c1) mod 2
 *     cell' = majority(even ? o0 : o1, not (o0 + b0 + c0) mod 2, most)
 *
 * A search over circuits found this form, the smallest one; its intermediate values have no meaning
 * of their own.
 */
struct anneal_two {
    word even, most, b, c;
};

RULE struct anneal_two anneal_two(struct bit_sum b, struct bit_sum c)
{
    word odd = word_sum(b.low, b.high, c.high), most = word_carry(b.high, c.low, c.high);
    word even = LOP3(odd, c.low, most, ~((A ^ B) | (B ^ C)));

    return (struct anneal_two){even, most, b.low, c.low};
}

RULE word anneal_two_rule(struct anneal_two two, struct bit_sum other)
{
    word chosen = word_select(two.even, other.low, other.high);
    word even = LOP3(other.low, two.b, two.c, ~(A ^ B ^ C));

    return word_carry(chosen, even, two.most);
}

#endif
