/* Copies in space: a cell becomes the parity of its six neighbours. After 4 generations, or 8, or
 * 16, whatever pattern there was stands there six times.
 * E. Fredkin's rule, in S. Wolfram, Rev. Mod. Phys. 55, 601 (1983), here in three dimensions. */
#define CA_DIMENSIONS 3
#include "calab_model.h"

CA_MODEL(copies, "parity of the six neighbours, which copies patterns")
CA_ABOUT("A live cell has an odd number of live neighbours among six. Look for six copies of "
         "the block after 16 generations, as far from where it was; between them the lattice "
         "is full.")
CA_PACE(0.5)
CA_SIZE(64, 64, 64)
CA_STATE(OFF, 0, ' ', CA_QUIET, "off")
CA_STATE(ON, 1, '#', CA_STRONG, "on")
CA_COUNT(on, ON, "cells that are on")
CA_START(block, "a block of 3 x 2 x 1 in the middle")
{
    int x = nb.x - nb.w / 2, y = nb.y - nb.h / 2;

    return x >= 0 && x < 3 && y >= 0 && y < 2 && nb.z == nb.d / 2 ? ON : OFF;
}

CA_CELL cell(CA_NB nb)
{
    return SUM6() % 2;
}
