/* SPDX-License-Identifier: MIT */
/* One generation of the model in calab/lab_model.h, of planes with a border of ghost cells, which
 * this file fills. README.md says what that is. */
#include "calab/calab_draw.h"
#include "calab/calab_lab.h"

/* One ghost cell of a plane: x is less than 0, or w and more, or y or z is such. */
static void fill_ghost(const struct lab *lab, lab_cell *plane, int64_t x, int64_t y, int64_t z)
{
    /* Write here what it holds, plane[LAB_AT(lab, x, y, z)]. */
}

static void fill_border(const struct lab *lab, lab_cell *plane)
{
    for (int64_t z = -LAB_GHOSTS_Z; z < lab->d + LAB_GHOSTS_Z; z++)
        for (int64_t y = -LAB_GHOSTS; y < lab->h + LAB_GHOSTS; y++)
            for (int64_t x = -LAB_GHOSTS; x < lab->w + LAB_GHOSTS; x++) {
                if (x == 0 && y >= 0 && y < lab->h && z >= 0 && z < lab->d)
                    x = lab->w; /* what is between is no border */
                fill_ghost(lab, plane, x, y, z);
            }
}

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    for (int p = 0; p < LAB_PLANES; p++)
        fill_border(lab, in[p]);
    for (int64_t z = 0; z < lab->d; z++)
        for (int64_t y = 0; y < lab->h; y++)
            for (int64_t x = 0; x < lab->w; x++) {
                /* Write here what cell (x, y, z) becomes, out[...][LAB_AT(lab, x, y, z)]. */
            }
}
