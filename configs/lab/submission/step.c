/* SPDX-License-Identifier: MIT */
/* One generation of the model in calab/lab_model.h. README.md says what that is. */
#include "calab/calab_draw.h"
#include "calab/calab_lab.h"

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    for (int64_t z = 0; z < lab->d; z++)
        for (int64_t y = 0; y < lab->h; y++)
            for (int64_t x = 0; x < lab->w; x++) {
                /* Write here what cell (x, y, z) becomes, out[...][LAB_AT(lab, x, y, z)]. */
            }
}
