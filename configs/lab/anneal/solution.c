/* SPDX-License-Identifier: MIT */
/* One generation of ANNEAL. README.md has the rule. */
#include "calab/calab_lab.h"

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    lab_input *old = in[LAB_CELL];
    lab_cell *next = out[LAB_CELL];

    for (int64_t y = 0; y < lab->h; y++)
        for (int64_t x = 0; x < lab->w; x++) {
            int live = 0;

            for (int64_t dy = -1; dy <= 1; dy++)
                for (int64_t dx = -1; dx <= 1; dx++)
                    live +=
                        old[LAB_AT(lab, (x + dx + lab->w) % lab->w, (y + dy + lab->h) % lab->h, 0)];
            next[LAB_AT(lab, x, y, 0)] = live == 4 || live >= 6;
        }
}
