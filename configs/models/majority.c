/* Larger than Life: a cell counts the 49 cells within a distance of 3, itself among them, and
 * joins the majority. Ragged noise becomes smooth lands, whose borders straighten.
 * K. M. Evans, Larger than Life: it's so nonlinear, Ph.D. thesis, Univ. of Wisconsin (1996); the
 * rule is R3,C0,M1,S25..49,B25..49,NM. */
#define CA_RADIUS 3
#include "calab_model.h"

CA_MODEL(majority, "majority vote within a distance of three")
CA_ABOUT("A cell becomes what at least 25 of 49 cells are. Look for lands that grow smooth "
         "within a few generations; small islands vanish, straight borders stay.")
CA_PACE(0.5)
CA_STATE(NO, 0, ' ', CA_QUIET, "no")
CA_STATE(YES, 1, '#', CA_STRONG, "yes")
CA_PARAM(share, 0.5, 0, 1, "share of cells that are yes at the start")
CA_COUNT(yes, YES, "cells that are yes")
CA_RANDOM_START(random, "by chance", SHARE_OF(YES, share))

CA_CELL cell(CA_NB nb)
{
    return SQUARE_COUNT(3, YES) >= 25 ? YES : NO;
}
