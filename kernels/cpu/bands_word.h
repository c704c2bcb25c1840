/* SPDX-License-Identifier: MIT */
/* Neighbours and halos in banded bit planes (kernels/cpu/bands.h), written over `word`. */
#ifndef CALAB_KERNELS_CPU_BANDS_WORD_H
#define CALAB_KERNELS_CPU_BANDS_WORD_H

#include "kernels/cpu/bands.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/word.h"

#define ALWAYS static inline __attribute__((always_inline))

/* The same 64 bits in every lane. */
ALWAYS word word_of(uint64_t bits) { return (word){0} + bits; }

/* Each cell's neighbour `distance` (1 or 2) to the left and right along a row of words. */
ALWAYS word word_left_of(word before, word here, int distance)
{
#if WORD_LANES == 8 && defined(__AVX512VBMI2__)
    return distance == 1 ? (word)_mm512_shldi_epi64((__m512i)here, (__m512i)before, 1)
                         : (word)_mm512_shldi_epi64((__m512i)here, (__m512i)before, 2);
#else
    return here << distance | before >> (64 - distance);
#endif
}

ALWAYS word word_right_of(word here, word after, int distance)
{
#if WORD_LANES == 8 && defined(__AVX512VBMI2__)
    return distance == 1 ? (word)_mm512_shrdi_epi64((__m512i)here, (__m512i)after, 1)
                         : (word)_mm512_shrdi_epi64((__m512i)here, (__m512i)after, 2);
#else
    return here >> distance | after << (64 - distance);
#endif
}

/* The lanes rotated by one, up or down. */
ALWAYS word rotate_lanes_up(word a)
{
#if WORD_LANES == 8
    return __builtin_shufflevector(a, a, 7, 0, 1, 2, 3, 4, 5, 6);
#elif WORD_LANES == 4
    return __builtin_shufflevector(a, a, 3, 0, 1, 2);
#else
    return a;
#endif
}

ALWAYS word rotate_lanes_down(word a)
{
#if WORD_LANES == 8
    return __builtin_shufflevector(a, a, 1, 2, 3, 4, 5, 6, 7, 0);
#elif WORD_LANES == 4
    return __builtin_shufflevector(a, a, 1, 2, 3, 0);
#else
    return a;
#endif
}

/* How the halo rows of even bands are made from the ends of the bands before and after. */
struct bands_halo {
    const struct bands *bands;
    bool packed;                /* several rows in a word */
    int row, others;            /* shifts by a row, and by all rows but one */
    uint64_t low, all_but_last; /* masks of the first row of a word, and of all but the last */
    word first, last;
};

ALWAYS struct bands_halo bands_halo(const struct bands *bands)
{
    struct bands_halo halo = {.bands = bands, .packed = bands->fields > 1};

    if (halo.packed) {
        halo.row = (int)bands->size.w;
        halo.others = (int)((bands->fields - 1) * bands->size.w);
        halo.low = (UINT64_C(1) << halo.row) - 1;
        halo.all_but_last = (UINT64_C(1) << halo.others) - 1;
    }
    halo.first = load_word(bands->first);
    halo.last = load_word(bands->last);
    return halo;
}

/* The bands' last rows, moved to the band after each; and their first rows, to the band before. */
ALWAYS word halo_from_before(const struct bands_halo *halo, word a)
{
    word moved = rotate_lanes_up(a);

    if (halo->packed)
        moved = a << halo->row | (moved >> halo->others & halo->low);
    return moved & halo->first;
}

ALWAYS word halo_from_after(const struct bands_halo *halo, word a)
{
    word moved = rotate_lanes_down(a);

    if (halo->packed)
        moved = (a >> halo->row & halo->all_but_last) | moved << halo->others;
    return moved & halo->last;
}

ALWAYS void fill_layer_halo(const struct bands_halo *halo, int copy, int64_t z)
{
    const struct bands *bands = halo->bands;
    int64_t n = bands->row_words;

    if (!bands->even) {
        bands_fill_halo_uneven(bands, copy, z);
        return;
    }
    for (int p = 0; p < bands->planes; p++)
        for (int64_t g = 1; g <= bands->ops->halo_rows; g++) {
            const uint64_t *end = bands_row(bands, p, copy, z, bands->rows - g);
            const uint64_t *start = bands_row(bands, p, copy, z, g - 1);
            uint64_t *before = bands_row(bands, p, copy, z, -g);
            uint64_t *after = bands_row(bands, p, copy, z, bands->rows + g - 1);

            if (bands->ops->in_place >> p & 1)
                break;
            for (int64_t k = 0; k < n; k += LANES) {
                store_word(before + k, halo_from_before(halo, load_word(end + k)));
                store_word(after + k, halo_from_after(halo, load_word(start + k)));
            }
        }
}

static void bands_fill_halo(const struct bands *bands, int copy, int64_t z)
{
    struct bands_halo halo = bands_halo(bands);

    fill_layer_halo(&halo, copy, z);
}

#endif
