/* Langton's ant: on a white cell it turns right, on a black one left; it turns the cell over and
 * goes on. After some 10,000 steps without order it builds a highway, 104 steps for each 2 cells
 * down and across, for ever.
 * C. G. Langton, Physica D 22, 120 (1986). */
#define CA_STATE_PLANES 2, 5
#include "calab_model.h"

CA_MODEL(ant, "Langton's ant")
CA_ABOUT("An ant turns right on white and left on black, turns the cell over and goes on. Look for "
         "the highway that it builds after some 10,000 steps. Of two ants that meet in a cell one "
         "is lost.")
CA_SIZE(128, 128, 1)
CA_PACE(200)
CA_PLANE(GROUND, 0, "the ground")
CA_STATE(WHITE, 0, ' ', CA_QUIET, "white")
CA_STATE(BLACK, 1, '#', CA_PLAIN, "black")
CA_PLANE(ANT, 1, "the ant that stands here")
CA_STATE(NONE, 0, ' ', CA_QUIET, "no ant")
CA_STATE(UP, 1, '^', CA_WARM, "ant that looks up")
CA_STATE(RIGHT, 2, '>', CA_WARM, "ant that looks right")
CA_STATE(DOWN, 3, 'v', CA_WARM, "ant that looks down")
CA_STATE(LEFT, 4, '<', CA_WARM, "ant that looks left")
CA_PARAM(soil, 0.3, 0, 1, "share of black cells of the start soil")
CA_COUNT(black, BLACK, "black cells")
CA_COUNT(free, NONE, "cells without an ant")
CA_START(one, "one ant in the middle of white cells")
{
    return NEXT(WHITE, nb.x == nb.w / 2 && nb.y == nb.h / 2 ? UP : NONE);
}
CA_RANDOM_START(soil, "a few ants by chance, on white and black cells", SHARE_OF(BLACK, soil),
                SHARE(UP, 0.0005), SHARE(DOWN, 0.0005))

/* Turns an ant: its states 1 to 4 are directions, each to the right of the one before. */
CA_FUNCTION ca_cell turned(ca_cell ground, ca_cell ant)
{
    ca_cell from = ground == WHITE ? ant : ant + 2;

    return ant == NONE ? NONE : (from & 3) + 1;
}
#define TURNED(dx, dy) turned(VALUE(GROUND, dx, dy), VALUE(ANT, dx, dy))

CA_CELL cell(CA_NB nb)
{
    ca_cell ground = VALUE(GROUND, 0, 0), flipped = ground ^ 1, ant = NONE;

    ant = TURNED(1, 0) == LEFT ? LEFT : ant;
    ant = TURNED(0, -1) == DOWN ? DOWN : ant;
    ant = TURNED(-1, 0) == RIGHT ? RIGHT : ant;
    ant = TURNED(0, 1) == UP ? UP : ant;
    return NEXT(VALUE(ANT, 0, 0) == NONE ? ground : flipped, ant);
}
