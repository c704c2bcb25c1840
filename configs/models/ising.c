/* Ising's magnet: spins point up or down and like to point as their neighbours do, against the
 * disorder of heat. Below the critical temperature most of them agree.
 * L. Onsager, Phys. Rev. 65, 117 (1944); C. N. Yang, ibid. 85, 808 (1952), for the magnetisation.
 * Spins flip as Metropolis says, those of the black and of the white squares of a chess board in
 * turn, so that no two neighbours flip at once; the sides of the lattice have to be even. */
#define CA_DRAWS 2
#include "calab_model.h"

CA_MODEL(ising, "magnet of Ising")
CA_ABOUT("heat is exp(-4J/kT), the chance of a flip that breaks two bonds more than it makes: "
         "0.1716 = 3 - 2 sqrt(2) at the critical temperature. Look for domains that grow below"
         " it, and for domains of all sizes at it.")
CA_PACE(4)
CA_STATE(DOWN, 0, ' ', CA_QUIET, "spin down")
CA_STATE(UP, 1, '#', CA_STRONG, "spin up")
CA_PARAM(heat, 0.1716, 0, 1, "exp(-4J/kT)")
CA_COUNT(up, UP, "spins up")
CA_RANDOM_START(random, "half of the spins are up: infinite heat", SHARE(UP, 0.5))
CA_START(ordered, "all spins are up: no heat")
{
    return nb.x >= 0 ? UP : DOWN;
}

CA_CELL cell(CA_NB nb)
{
    ca_cell c = AT(0, 0), alike = COUNT4(c);

    if ((nb.x + nb.y + (int)nb.t) % 2 != 0)
        return c;
    if (alike == 4) /* four bonds break: exp(-8J/kT) */
        return CHANCE(0, heat) && CHANCE(1, heat) ? !c : c;
    if (alike == 3)
        return CHANCE(0, heat) ? !c : c;
    return !c;
}
