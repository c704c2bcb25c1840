/* SPDX-License-Identifier: MIT */
/* Owns the way from the parameters of cloud to what its bit-sliced forms take. */
#include "kernels/cloud/bitslice.h"
#include "kernels/cloud/cloud.h"
#include "kernels/cpu/bands.h"

/* Cells of rows of w cells, fields of them in a word, that have `distance` more on one side. */
static uint64_t cells_with(const struct bands *bands, int64_t distance, bool left)
{
    uint64_t mask = 0;
    int64_t w = bands->size.w;

    for (int64_t field = 0; field < bands->fields; field++)
        for (int64_t x = 0; x < w && w <= 64; x++)
            if (left ? x >= distance : x + distance < w)
                mask |= UINT64_C(1) << (field * w + x);
    return mask;
}

void cloud_bits_prepare(const struct bands *bands, void *context)
{
    const struct ca_values *params = &bands->setup.params;
    struct cloud_bits *bits = context;
    int64_t end = bands->size.w % 64;

    bits->extinct = ca_probability(params, "p_ext");
    bits->humid = ca_probability(params, "p_hum");
    bits->active = ca_probability(params, "p_act");
    bits->ends.valid = end ? (UINT64_C(1) << end) - 1 : ~UINT64_C(0);
    for (int i = 0; i < 2; i++) {
        bits->ends.left[i] = cells_with(bands, i + 1, true);
        bits->ends.right[i] = cells_with(bands, i + 1, false);
    }
    for (int64_t band = 0; band < bands->count; band++)
        bits->start[band % bands->fields * bands->lanes + band / bands->fields] =
            (uint64_t)bands_start(bands, band);
}
