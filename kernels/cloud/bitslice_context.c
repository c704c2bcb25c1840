/* SPDX-License-Identifier: MIT */
/* This file computes the context of cloud's bit-sliced backends: probabilities, ends of rows,
 * starts of bands. */
#include "kernels/cloud/bitslice.h"
#include "kernels/cloud/cloud.h"
#include "kernels/cpu/bands.h"

/* The cells of a word that have a neighbour at a distance on one side; it holds `fields` rows. */
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

void cloud_bitslice_prepare(const struct bands *bands, void *context)
{
    const struct ca_values *params = &bands->setup.params;
    struct cloud_context *made = context;
    int64_t end = bands->size.w % 64;

    made->extinct = ca_probability(params, "p_ext");
    made->humid = ca_probability(params, "p_hum");
    made->active = ca_probability(params, "p_act");
    made->ends.valid = end ? (UINT64_C(1) << end) - 1 : ~UINT64_C(0);
    for (int i = 0; i < 2; i++) {
        made->ends.left[i] = cells_with(bands, i + 1, true);
        made->ends.right[i] = cells_with(bands, i + 1, false);
    }
    for (int64_t band = 0; band < bands->count; band++)
        made->start[band % bands->fields * bands->lanes + band / bands->fields] =
            (uint64_t)bands_start(bands, band);
}
