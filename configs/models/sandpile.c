/* Sand pile: grains fall on a table, a place with four of them topples, and one grain may set off
 * an avalanche of any size. Sand is lost at the edges alone.
 * P. Bak, C. Tang and K. Wiesenfeld, Phys. Rev. Lett. 59, 381 (1987); D. Dhar, ibid. 64, 1613
 * (1990). */
#define CA_DRAWS 1
#define CA_EDGES CA_DEAD
#include "calab_model.h"

CA_MODEL(sandpile, "abelian sand pile of Bak, Tang and Wiesenfeld")
CA_ABOUT("A place with four grains or more gives one to each of its four neighbours. Grains "
         "fall with the chance rain on places at rest. Look for avalanches, most of which are "
         "small and some of which cross the table; the mean height settles near 17/8.")
CA_PACE(10)
CA_STATE(BARE, 0, ' ', CA_QUIET, "no grain")
CA_STATE(ONE, 1, '.', CA_PLAIN, "one grain")
CA_STATE(TWO, 2, ':', CA_COLD, "two grains")
CA_STATE(THREE, 3, 'o', CA_GREEN, "three grains")
CA_STATE(FOUR, 4, '#', CA_WARM, "four grains: it topples")
CA_STATE(FIVE, 5, '#', CA_WARM, "five grains")
CA_STATE(SIX, 6, '#', CA_WARM, "six grains")
CA_STATE(SEVEN, 7, '#', CA_WARM, "seven grains")
CA_PARAM(rain, 0.00002, 0, 1, "chance that a grain falls on a place at rest")
CA_SUM(grains, 0, "grains on the table")
CA_COUNT(toppling, FOUR, "places with four grains")
CA_RANDOM_START(random, "heights 0 to 3 by chance", SHARE(ONE, 0.25), SHARE(TWO, 0.25),
                SHARE(THREE, 0.25))

#define TOPPLES(dx, dy) (AT(dx, dy) >= 4)

CA_CELL cell(CA_NB nb)
{
    ca_cell c = AT(0, 0);
    ca_cell gets = TOPPLES(0, -1) + TOPPLES(-1, 0) + TOPPLES(1, 0) + TOPPLES(0, 1);
    ca_cell falls = c < 4 && gets == 0 && CHANCE(0, rain);

    return c - 4 * (c >= 4) + gets + falls;
}
