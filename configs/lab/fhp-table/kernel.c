/* SPDX-License-Identifier: MIT */
/* One generation of the FHP lattice gas. README.md has the rule and the steps. */
#include "calab/calab_draw.h"
#include "calab/calab_lab.h"

#define SOLID 128
#define CHIRALITY 16 /* the stream of the draw that decides between two outcomes */

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    const uint8_t(*table)[128] = (const uint8_t(*)[128])lab->table; /* [chirality][node] */

    for (int64_t y = 0; y < lab->h; y++)
        for (int64_t x = 0; x < lab->w; x++) {
            /* Write here: gather what arrives at node (x, y), then let it collide or bounce. */
            (void)table;
        }
}
