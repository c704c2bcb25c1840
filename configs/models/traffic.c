/* Traffic: each row is a road round which cars drive to the right. Jams come from nothing but
 * drivers who dawdle, and run backwards.
 * K. Nagel and M. Schreckenberg, J. Phys. I France 2, 2221 (1992).
 * A generation of theirs is two here: drivers choose their speeds, then all cars move. */
#define CA_RADIUS 3
#define CA_DRAWS 1
#include "calab_model.h"

CA_MODEL(traffic, "road traffic of Nagel and Schreckenberg")
CA_ABOUT("A driver speeds up by 1 as far as the limit, brakes for the car ahead, and dawdles "
         "with the chance dawdle. Look down the rows: jams appear and drift to the left "
         "against the cars. The flow is greatest at a density of about 1/5.")
CA_PACE(2)
CA_STATE(ROAD, 0, ' ', CA_QUIET, "road")
CA_STATE(STOPPED, 1, '#', CA_WARM, "stopped car")
CA_STATE(SLOW, 2, '1', CA_STRONG, "car with speed 1")
CA_STATE(MEDIUM, 3, '2', CA_GREEN, "car with speed 2")
CA_STATE(FAST, 4, '3', CA_COLD, "car with speed 3")
CA_PARAM_INT(limit, 3, 1, 3, "greatest speed, in cells")
CA_PARAM(dawdle, 0.2, 0, 1, "chance that a driver is slower by 1")
CA_PARAM(density, 0.25, 0, 1, "cars a cell of the start")
CA_COUNT(stopped, STOPPED, "stopped cars")
CA_RANDOM_START(random, "stopped cars by chance", SHARE_OF(STOPPED, density))

CA_CELL cell(CA_NB nb)
{
    int c = AT(0, 0), speed = c; /* a state is a speed plus 1, so this is one more */
    int free = AT(1, 0) ? 0 : AT(2, 0) ? 1 : AT(3, 0) ? 2 : 3;

    if (nb.t % 2 == 1) /* cars that come here */
        return AT(-3, 0) == FAST     ? FAST
               : AT(-2, 0) == MEDIUM ? MEDIUM
               : AT(-1, 0) == SLOW   ? SLOW
               : c == STOPPED        ? STOPPED
                                     : ROAD;
    if (c == ROAD)
        return ROAD;
    speed = speed < PARAM_INT(limit) ? speed : PARAM_INT(limit);
    speed = speed < free ? speed : free;
    if (speed > 0 && CHANCE(0, dawdle))
        speed--;
    return speed + 1;
}
