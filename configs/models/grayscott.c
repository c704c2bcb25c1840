/* Reaction and diffusion: v feeds on u, which flows in, and both spread. Fronts grow, fold and
 * fill the plane.
 * J. E. Pearson, Science 261, 189 (1993), with the reaction of P. Gray and S. K. Scott. */
#define CA_FLOATS 2
#include "calab_model.h"

CA_MODEL(grayscott, "reaction and diffusion of Gray and Scott")
CA_ABOUT("u + 2v become 3v; u is fed, v is removed. Look for a square that grows arms and "
         "fills the plane; with another feed and kill there are spots that divide, holes or "
         "waves.")
CA_PACE(80)
CA_PLANE(U, 0, "", 0, 1, "concentration of u")
CA_PLANE(V, 1, "", 0, 0.4, "concentration of v")
CA_PARAM(feed, 0.037, 0, 0.1, "rate at which u flows in")
CA_PARAM(kill, 0.06, 0, 0.1, "rate at which v is removed")
/* Beyond these an explicit step is not stable, whatever is fed and removed: u below 0 and v above
 * 1 amplify each other. */
CA_PARAM(spread_u, 0.2, 0.05, 0.22, "diffusion of u")
CA_PARAM(spread_v, 0.1, 0.05, 0.2, "diffusion of v")
CA_SUM(u, U, "all of u")
CA_SUM(v, V, "all of v")
CA_START(square, "u, and a square of v in the middle")
{
    int x = nb.x - nb.w / 2, y = nb.y - nb.h / 2;

    return x >= -10 && x < 10 && y >= -10 && y < 10 ? NEXT(0.5f, 0.25f) : NEXT(1.0f, 0.0f);
}

CA_CELL cell(CA_NB nb)
{
    float u = VALUE(U, 0, 0), v = VALUE(V, 0, 0), reacts = u * v * v;

    return NEXT(u + PARAM(spread_u) * LAPLACE(U) - reacts + PARAM(feed) * (1 - u),
                v + PARAM(spread_v) * LAPLACE(V) + reacts - (PARAM(feed) + PARAM(kill)) * v);
}
