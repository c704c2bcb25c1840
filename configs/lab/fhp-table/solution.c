/* SPDX-License-Identifier: MIT */
/* One generation of the FHP lattice gas. README.md has the rule and the steps. */
#include "calab/calab_draw.h"
#include "calab/calab_lab.h"

#define SOLID 128
#define CHIRALITY 16 /* the stream of the draw that decides between two outcomes */

/* The column of the neighbour in direction i of a node, and the row, both from the node's. */
static int column(int i, int64_t y)
{
    static const int even[] = {-1, 0, 1, 0, -1, -1}, odd[] = {0, 1, 1, 1, 0, -1};

    return y % 2 ? odd[i] : even[i];
}

static int row(int i)
{
    static const int rows[] = {-1, -1, 0, 1, 1, 0};

    return rows[i];
}

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    const uint8_t(*table)[128] = (const uint8_t(*)[128])lab->table; /* [chirality][node] */

    for (int64_t y = 0; y < lab->h; y++)
        for (int64_t x = 0; x < lab->w; x++) {
            unsigned node = in[LAB_NODE][LAB_AT(lab, x, y, 0)] & (64 | SOLID);

            for (int i = 0; i < 6; i++) {
                int back = (i + 3) % 6;
                int64_t from_x = (x + column(back, y) + lab->w) % lab->w;
                int64_t from_y = (y + row(back) + lab->h) % lab->h;

                node |= in[LAB_NODE][LAB_AT(lab, from_x, from_y, 0)] & 1u << i;
            }
            if (node & SOLID)
                node = (node & 7) << 3 | (node >> 3 & 7) | (node & (64 | SOLID));
            else
                node = table[lab_bit(lab->seed, x, y, 0, lab->t, CHIRALITY)][node];
            out[LAB_NODE][LAB_AT(lab, x, y, 0)] = (lab_cell)node;
        }
}
