/* SPDX-License-Identifier: MIT */
/* One generation of ANNEAL. README.md has the rule. */
#include "calab/calab_lab.h"

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    lab_input *old = in[LAB_CELL];
    lab_cell *next = out[LAB_CELL];

    for (int64_t y = 0; y < lab->h; y++)
        for (int64_t x = 0; x < lab->w; x++) {
            /* Write here: what becomes of cell (x, y)? It is old[LAB_AT(lab, x, y, 0)]. */
        }
}
