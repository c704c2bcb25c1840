/* Heat: each cell takes the mean of itself and its neighbours, in parts. A wave of temperature of
 * length L decays as exp(-k (2 pi / L)^2 t), which is how well the cells solve the equation.
 * J. Fourier, Theorie analytique de la chaleur (1822); R. Courant, K. Friedrichs and H. Lewy,
 * Math. Ann. 100, 32 (1928), for the largest k, 1/4. */
#define CA_FLOATS 1
#include "calab_model.h"

CA_MODEL(heat, "conduction of heat")
CA_ABOUT("dT/dt = k times the Laplacian of T. Look for the sharp edges, which are gone first; "
         "above k = 1/4 the cells of a chess board would swing against each other.")
CA_PACE(2)
CA_PLANE(T, 0, "K", 0, 1, "temperature")
CA_PARAM(k, 0.2, 0, 0.25, "conductivity, cells squared a generation")
CA_SUM(energy, T, "heat in all cells")
CA_CONSERVED(energy, 1e-3)
CA_START(squares, "hot squares on cold ground")
{
    return nb.x / 16 % 2 == 0 && nb.y / 16 % 2 == 0 ? 1.0f : 0.0f;
}

CA_CELL cell(CA_NB nb)
{
    return VALUE(T, 0, 0) + PARAM(k) * LAPLACE(T);
}
