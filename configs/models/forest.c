/* Forest fire: trees grow, lightning strikes, and fire spreads from tree to tree. Where lightning
 * is rare the forest tunes itself to clusters of trees of all sizes.
 * B. Drossel and F. Schwabl, Phys. Rev. Lett. 69, 1629 (1992). */
#define CA_DRAWS 2
#include "calab_model.h"

CA_MODEL(forest, "forest fire of Drossel and Schwabl")
CA_ABOUT("A tree burns for one generation and sets fire to the trees beside it. On empty "
         "ground a tree grows with the chance growth; lightning strikes a tree with the chance"
         " lightning. Look for fronts of fire that run through what has grown together.")
CA_PACE(2)
CA_STATE(EMPTY, 0, ' ', CA_QUIET, "empty")
CA_STATE(TREE, 1, '#', CA_GREEN, "tree")
CA_STATE(FIRE, 2, '*', CA_WARM, "fire")
CA_PARAM(growth, 0.01, 0, 1, "chance that a tree grows on an empty cell")
CA_PARAM(lightning, 0.00002, 0, 1, "chance that a tree catches fire by itself")
CA_COUNT(trees, TREE, "trees")
CA_COUNT(fires, FIRE, "burning trees")
CA_RANDOM_START(random, "40 % of the cells are trees", SHARE(TREE, 0.4))

CA_CELL cell(CA_NB nb)
{
    ca_cell c = AT(0, 0);

    if (c == FIRE)
        return EMPTY;
    if (c == TREE)
        return ANY4(FIRE) || CHANCE(0, lightning) ? FIRE : TREE;
    return CHANCE(1, growth) ? TREE : EMPTY;
}
