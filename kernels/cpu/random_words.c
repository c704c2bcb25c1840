/* SPDX-License-Identifier: MIT */
/*
 * The random cells of a row as words: 16 calls of Philox a word, four or eight of them in the lanes
 * of a vector, which differ in x / 4. Bound by the vector units: 12 multiplications and some 60
 * operations a vector, of which the comparison takes eight.
 */
#include "kernels/cpu/random_words.h"

#include <string.h>

#include "core/machine/cpu.h"
#include "kernels/cpu/word.h"
#include "kernels/cpu/philox.h"

void WORD_NAME(random_words_row)(const struct random_cells *cells, int64_t first, int64_t count,
                                 uint64_t *words)
{
    struct draw_step step = draw_step(cells->seed, 0);
    struct draw_row row = draw_row(&step, cells->y, cells->z);
    uint32_t below = (uint32_t)cells->below, stream = cells->stream;

    if (cells->below == 0 || cells->below >> 32) {
        memset(words, cells->below ? 0xff : 0, (size_t)count * sizeof *words);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        words[k] = draw_word_below(&row, first + k, stream, below);
}

#if WORD_LANES == 1
random_words_function *random_words(void)
{
#if defined(__x86_64__)
    switch (ca_cpu_isa()) {
    case CA_AVX512:
        return random_words_row_avx512;
    case CA_AVX2:
        return random_words_row_avx2;
    case CA_AVX: /* its integer instructions are those of SSE2 */
    case CA_BASELINE:
        break;
    }
#endif
    return random_words_row;
}
#endif
