/* SPDX-License-Identifier: MIT */
/*
 * Counts and sums of the cells around one, for calab_model.h, which includes this file.
 */
#ifndef CALAB_MODEL_AROUND_H
#define CALAB_MODEL_AROUND_H

/* These ask the 4 or 8 neighbours in the layer: how many have a state; whether any has; their sum.
 * Where there are several planes of states, the plane's name comes first: COUNT8(KIND, CAR). */
#define COUNT4(...) ((ca_cell)CA_OVER4(CA_IS, (__VA_ARGS__), +))
#define COUNT8(...) ((ca_cell)CA_OVER8(CA_IS, (__VA_ARGS__), +))
#define ANY4(...) CA_OVER4(CA_IS, (__VA_ARGS__), |)
#define ANY8(...) CA_OVER8(CA_IS, (__VA_ARGS__), |)
/* SUM8() is of plane 0, SUM8(SPEED) of another. */
#define SUM4(...) CA_SUMMED(CA_OVER4(CA_VALUE, (__VA_ARGS__ + 0), +))
#define SUM8(...) CA_SUMMED(CA_OVER8(CA_VALUE, (__VA_ARGS__ + 0), +))
/* The sum of all nine cells, the cell's own among them. */
#define SUM9(...) CA_SUMMED(CA_OVER9(CA_VALUE, (__VA_ARGS__ + 0), +, 0))
/* In 3D: of the 6 neighbours that share a face; of all 26. */
#define COUNT6(...) ((ca_cell)CA_OVER6(CA_IS, (__VA_ARGS__), +))
#define COUNT26(...) ((ca_cell)CA_OVER26(CA_IS, (__VA_ARGS__), +))
#define ANY6(...) CA_OVER6(CA_IS, (__VA_ARGS__), |)
#define ANY26(...) CA_OVER26(CA_IS, (__VA_ARGS__), |)
#define SUM6(...) CA_SUMMED(CA_OVER6(CA_VALUE, (__VA_ARGS__ + 0), +))
#define SUM26(...) CA_SUMMED(CA_OVER26(CA_VALUE, (__VA_ARGS__ + 0), +))
/* With CA_HEXAGONAL: neighbour k of six, clockwise: 0 up left, 1 up right, 2 right, 3 down right,
 * 4 down left, 5 left; the same of another plane than 0; of all six. */
#define HEX(k) HEX_VALUE(0, k)
#define HEX_VALUE(plane, k)                                                                        \
    ((k) == 2     ? VALUE(plane, 1, 0)                                                             \
     : (k) == 5   ? VALUE(plane, -1, 0)                                                            \
     : (nb.y & 1) ? VALUE(plane, (k) == 1 || (k) == 3 ? 1 : 0, (k) < 2 ? -1 : 1)                   \
                  : VALUE(plane, (k) == 1 || (k) == 3 ? 0 : -1, (k) < 2 ? -1 : 1))
#define HEX_COUNT(...) ((ca_cell)CA_OVER_HEX(CA_HEX_IS, (__VA_ARGS__), +))
#define HEX_ANY(...) CA_OVER_HEX(CA_HEX_IS, (__VA_ARGS__), |)
#define HEX_SUM(...) CA_SUMMED(CA_OVER_HEX(CA_HEX_SUMMAND, (__VA_ARGS__ + 0), +))
/* The cells within a distance of r along both axes, the cell's own among them. */
#define SQUARE_COUNT(r, ...)                                                                       \
    (ca_square_count(nb, r, CA_PLANE_OF(__VA_ARGS__), CA_STATE_OF(__VA_ARGS__)))
/* The 4 neighbours of a plane of floats less 4 times the cell; in 3D 6. */
#define LAPLACE(p)                                                                                 \
    ((VALUE(p, 0, -1) + VALUE(p, 0, 1)) + (VALUE(p, -1, 0) + VALUE(p, 1, 0)) - 4 * VALUE(p, 0, 0))
#define LAPLACE3(p)                                                                                \
    ((VALUE3(p, 0, 0, -1) + VALUE3(p, 0, 0, 1)) + (VALUE3(p, 0, -1, 0) + VALUE3(p, 0, 1, 0)) +     \
     (VALUE3(p, -1, 0, 0) + VALUE3(p, 1, 0, 0)) - 6 * VALUE3(p, 0, 0, 0))

/* Of (STATE) or (PLANE, STATE). */
#define CA_3RD(a, b, c, ...) c
#define CA_PLANE_OF(...) CA_3RD(__VA_ARGS__, CA_PLANE_FIRST, CA_PLANE_NONE, 0)(__VA_ARGS__, 0)
#define CA_STATE_OF(...) CA_3RD(__VA_ARGS__, CA_STATE_SECOND, CA_STATE_FIRST, 0)(__VA_ARGS__, 0)
#define CA_PLANE_FIRST(plane, ...) plane
#ifdef CA_STATE_PLANES
#define CA_PLANE_NONE(...) the_name_of_a_plane_has_to_come_first
#else
#define CA_PLANE_NONE(...) 0
#endif
#define CA_STATE_SECOND(plane, state, ...) (state)
#define CA_STATE_FIRST(state, ...) (state)

#define CA_IS(dx, dy, dz, s) ((int)(CA_GET(CA_PLANE_OF s, dx, dy, dz) == CA_STATE_OF s))
#define CA_VALUE(dx, dy, dz, plane) CA_GET(plane, dx, dy, dz)
#define CA_HEX_IS(k, s) ((int)(HEX_VALUE(CA_PLANE_OF s, k) == CA_STATE_OF s))
#define CA_HEX_SUMMAND(k, plane) HEX_VALUE(plane, k)
#define CA_OVER4(f, s, op) (f(0, -1, 0, s) op f(-1, 0, 0, s) op f(1, 0, 0, s) op f(0, 1, 0, s))
#define CA_OVER8(f, s, op)                                                                         \
    (f(-1, -1, 0, s) op f(0, -1, 0, s) op f(1, -1, 0, s) op f(-1, 0, 0, s) op f(1, 0, 0, s)        \
         op f(-1, 1, 0, s) op f(0, 1, 0, s) op f(1, 1, 0, s))
#define CA_OVER9(f, s, op, dz)                                                                     \
    (f(-1, -1, dz, s) op f(0, -1, dz, s) op f(1, -1, dz, s) op f(-1, 0, dz, s) op f(0, 0, dz, s)   \
         op f(1, 0, dz, s) op f(-1, 1, dz, s) op f(0, 1, dz, s) op f(1, 1, dz, s))
#define CA_OVER6(f, s, op) (f(0, 0, -1, s) op CA_OVER4(f, s, op) op f(0, 0, 1, s))
#define CA_OVER26(f, s, op) (CA_OVER9(f, s, op, -1) op CA_OVER8(f, s, op) op CA_OVER9(f, s, op, 1))
#define CA_OVER_HEX(f, s, op) (f(0, s) op f(1, s) op f(2, s) op f(3, s) op f(4, s) op f(5, s))

CA_FUNCTION ca_cell ca_square_count(CA_NB nb, int r, int plane, int s)
{
    ca_cell n = 0;

    CA_UNROLL
    for (int dy = -CA_RADIUS; dy <= CA_RADIUS; dy++)
        CA_UNROLL
    for (int dx = -CA_RADIUS; dx <= CA_RADIUS; dx++)
        if (dx >= -r && dx <= r && dy >= -r && dy <= r)
            n = (ca_cell)(n + (CA_GET(plane, dx, dy, 0) == (ca_cell)s));
    return n;
}

#endif
