/* SPDX-License-Identifier: MIT */
/* The random cells of an initial state as words of 64, with the widest vectors of this CPU. */
#ifndef CALAB_KERNELS_CPU_RANDOM_WORDS_H
#define CALAB_KERNELS_CPU_RANDOM_WORDS_H

#include <stdint.h>

/* The cells where uniform(stream) of generation 0 (core/base/random.h) is below `below`, 2^32 at
 * most. */
struct random_cells {
    uint64_t seed, below;
    uint32_t y, z, stream; /* of the row */
};

/* Words first ... first + count - 1 of the row: bit i of word k is cell 64 k + i. */
typedef void random_words_function(const struct random_cells *cells, int64_t first, int64_t count,
                                   uint64_t *words);

/* Compiled for each vector width. */
random_words_function random_words_row, random_words_row_avx2, random_words_row_avx512;

/* The best of these here (core/machine/cpu.h). */
random_words_function *random_words(void);

#endif
