/* Epidemic: the susceptible, the infected and the recovered, who are immune. An outbreak either
 * dies soon or goes round the world; between both stands one chance of infection, 1/2 here.
 * P. Grassberger, Math. Biosci. 63, 157 (1983): those whom it reaches are a cluster of bond
 * percolation. */
#define CA_DRAWS 4
#include "calab_model.h"

CA_MODEL(sir, "epidemic of susceptible, infected and recovered")
CA_ABOUT("Who is infected meets the four neighbours once, infects each of them with the chance"
         " infection, and is immune from then on. Look for the ragged front, and for the "
         "islands that it leaves; below 1/2 it soon ends.")
CA_PACE(4)
CA_STATE(SUSCEPTIBLE, 0, '.', CA_QUIET, "susceptible")
CA_STATE(INFECTED, 1, '*', CA_WARM, "infected")
CA_STATE(RECOVERED, 2, '-', CA_GREEN, "recovered")
CA_PARAM(infection, 0.55, 0, 1, "chance that an infected neighbour infects a cell")
CA_COUNT(infected, INFECTED, "infected cells")
CA_COUNT(recovered, RECOVERED, "recovered cells")
CA_START(one, "one infected cell in the middle")
{
    return nb.x == nb.w / 2 && nb.y == nb.h / 2 ? INFECTED : SUSCEPTIBLE;
}

CA_CELL cell(CA_NB nb)
{
    if (AT(0, 0) != SUSCEPTIBLE)
        return RECOVERED;
    return (AT(0, -1) == INFECTED && CHANCE(0, infection)) ||
                   (AT(-1, 0) == INFECTED && CHANCE(1, infection)) ||
                   (AT(1, 0) == INFECTED && CHANCE(2, infection)) ||
                   (AT(0, 1) == INFECTED && CHANCE(3, infection))
               ? INFECTED
               : SUSCEPTIBLE;
}
