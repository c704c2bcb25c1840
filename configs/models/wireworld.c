/* Wireworld: electrons run along wires; gates and whole computers have been built of them.
 * B. Silverman (1987); A. K. Dewdney, Scientific American 262 (1), 146 (1990). */
#include "calab_model.h"

CA_MODEL(wireworld, "Wireworld of Silverman")
CA_ABOUT("An electron is a head with its tail behind it. A wire becomes a head where one or "
         "two of its eight neighbours are heads: where three are, none comes. Look for "
         "electrons that run round the loops, and for wires that keep them apart.")
CA_STATE(EMPTY, 0, ' ', CA_QUIET, "empty")
CA_STATE(HEAD, 1, '#', CA_COLD, "electron head")
CA_STATE(TAIL, 2, '~', CA_WARM, "electron tail")
CA_STATE(WIRE, 3, '.', CA_PLAIN, "wire")
CA_COUNT(electrons, HEAD, "electron heads")

/* Square loops, 16 cells apart, each with an electron. */
CA_START(loops, "a grid of loops, an electron on each")
{
    int x = nb.x % 16, y = nb.y % 16;

    if (x < 2 || x > 13 || y < 2 || y > 13 || (x > 2 && x < 13 && y > 2 && y < 13))
        return EMPTY;
    if (y == 2 && x == 5 + nb.x / 16 % 8)
        return HEAD;
    return y == 2 && x == 4 + nb.x / 16 % 8 ? TAIL : WIRE;
}

CA_CELL cell(CA_NB nb)
{
    ca_cell c = AT(0, 0), heads = COUNT8(HEAD);

    if (c == WIRE)
        return heads == 1 || heads == 2 ? HEAD : WIRE;
    return c == HEAD ? TAIL : c == TAIL ? WIRE : EMPTY;
}
