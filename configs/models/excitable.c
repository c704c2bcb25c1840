/* Excitable medium: waves run through cells that rest, and leave them tired behind. Heart muscle
 * and the Belousov-Zhabotinsky reaction have waves of this kind.
 * J. M. Greenberg and S. P. Hastings, SIAM J. Appl. Math. 34, 515 (1978). */
#include "calab_model.h"

CA_MODEL(excitable, "excitable medium of Greenberg and Hastings")
CA_ABOUT("A resting cell is excited by an excited neighbour; an excited one is tired next, and"
         " then rests. Waves that meet put each other out. Look for spirals: a wave that winds"
         " round a point never ends.")
CA_PACE(2)
CA_STATE(REST, 0, ' ', CA_QUIET, "at rest")
CA_STATE(EXCITED, 1, '*', CA_WARM, "excited")
CA_STATE(TIRED, 2, '.', CA_COLD, "tired")
CA_COUNT(excited, EXCITED, "excited cells")
CA_RANDOM_START(random, "few cells are excited or tired", SHARE(EXCITED, 0.05), SHARE(TIRED, 0.05))

CA_CELL cell(CA_NB nb)
{
    ca_cell c = AT(0, 0);

    if (c == REST)
        return ANY4(EXCITED) ? EXCITED : REST;
    return c == EXCITED ? TIRED : REST;
}
