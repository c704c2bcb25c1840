/* SPDX-License-Identifier: MIT */
/*
 * The hash of a state: a digest that adds up over words of 64 bits, so that each backend computes
 * it where the state is, in any order, and rows, slabs and ranks add up. Included by C and CUDA.
 *
 * A u8 plane is taken apart into the bits of its values, and a word holds a bit of 64 cells of a
 * row: cell x is bit x mod 64 of word x div 64. A word of an f32 plane holds two cells by their
 * IEEE bits, the even one in its low half. Bits beyond a row's end are 0. With R = H D rows and K
 * words a row, word k of row r = z H + y of bit b of plane p has the index
 *
 *     i = ((8 p + b) R + r) K + k,
 *
 * and the digest is the sum of mix(w + (i + 1) 0x9E3779B97F4A7C15) over all words w, modulo 2^64,
 * where mix is the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
 * number generators", OOPSLA 2014).
 */
#ifndef CALAB_CORE_MODEL_DIGEST_H
#define CALAB_CORE_MODEL_DIGEST_H

#include <stdint.h>

#include "core/model/both.h"

/* The index of word 0 of row r of bit b of plane p, in a lattice of so many rows and words a row.
 */
CA_BOTH uint64_t ca_digest_index(int p, int b, int64_t r, int64_t rows, int64_t words)
{
    return ((uint64_t)(8 * p + b) * (uint64_t)rows + (uint64_t)r) * (uint64_t)words;
}

/* Returns what the word of that index adds to the digest. */
CA_BOTH uint64_t ca_digest_term(uint64_t word, uint64_t index)
{
    uint64_t u = word + (index + 1) * UINT64_C(0x9E3779B97F4A7C15);

    u = (u ^ u >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    u = (u ^ u >> 27) * UINT64_C(0x94D049BB133111EB);
    return u ^ u >> 31;
}

#endif
