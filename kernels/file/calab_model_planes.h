/* SPDX-License-Identifier: MIT */
/*
 * Planes of states, for calab_model.h, which includes this file where CA_STATE_PLANES lists how
 * many states each has. They share a byte, in which plane 0 has the lowest bits:
 *
 *     #define CA_STATE_PLANES 3, 6      bits . . . 4 3 2 1 0
 *                                            . . . b b b a a     a: plane 0, b: plane 1
 */
#ifndef CALAB_MODEL_PLANES_H
#define CALAB_MODEL_PLANES_H

/* The list has 2 to 8 numbers; those behind its end are 1 state, which takes no bit. */
#define CA_9TH_OF(a, b, c, d, e, f, g, h, i, ...) i
#define CA_9TH(...) CA_9TH_OF(__VA_ARGS__, 0)
#define CA_STATES_0 CA_9TH(0, 0, 0, 0, 0, 0, 0, 0, CA_STATE_PLANES, 1)
#define CA_STATES_1 CA_9TH(0, 0, 0, 0, 0, 0, 0, CA_STATE_PLANES, 1)
#define CA_STATES_2 CA_9TH(0, 0, 0, 0, 0, 0, CA_STATE_PLANES, 1, 1)
#define CA_STATES_3 CA_9TH(0, 0, 0, 0, 0, CA_STATE_PLANES, 1, 1, 1)
#define CA_STATES_4 CA_9TH(0, 0, 0, 0, CA_STATE_PLANES, 1, 1, 1, 1)
#define CA_STATES_5 CA_9TH(0, 0, 0, CA_STATE_PLANES, 1, 1, 1, 1, 1)
#define CA_STATES_6 CA_9TH(0, 0, CA_STATE_PLANES, 1, 1, 1, 1, 1, 1)
#define CA_STATES_7 CA_9TH(0, CA_STATE_PLANES, 1, 1, 1, 1, 1, 1, 1)
#define CA_PLANES_LISTED CA_9TH(CA_STATE_PLANES, 8, 7, 6, 5, 4, 3, 2, 1)
#define CA_PLANES_TOO_MANY CA_9TH(CA_STATE_PLANES, 0, 0, 0, 0, 0, 0, 0, 0)

#define CA_STATE_COUNTS                                                                            \
    CA_STATES_0, CA_STATES_1, CA_STATES_2, CA_STATES_3, CA_STATES_4, CA_STATES_5, CA_STATES_6,     \
        CA_STATES_7

/* The bits that n states take. */
#define CA_BITS_FOR(n)                                                                             \
    (((n) > 1) + ((n) > 2) + ((n) > 4) + ((n) > 8) + ((n) > 16) + ((n) > 32) + ((n) > 64) +        \
     ((n) > 128) + ((n) > 256))

#if CA_IS_FLOAT
#error "CA_STATE_PLANES and CA_FLOATS exclude each other"
#endif
#if CA_PARTS < 2 || CA_PLANES_TOO_MANY
#error "CA_STATE_PLANES lists how many states each of 2 to 8 planes has"
#endif

CA_FUNCTION int ca_states_of(int plane)
{
    return plane == 0   ? CA_STATES_0
           : plane == 1 ? CA_STATES_1
           : plane == 2 ? CA_STATES_2
           : plane == 3 ? CA_STATES_3
           : plane == 4 ? CA_STATES_4
           : plane == 5 ? CA_STATES_5
           : plane == 6 ? CA_STATES_6
                        : CA_STATES_7;
}

/* The lowest bit of a plane. */
CA_FUNCTION int ca_shift_of(int plane)
{
    return (plane > 0 ? CA_BITS_FOR(CA_STATES_0) : 0) + (plane > 1 ? CA_BITS_FOR(CA_STATES_1) : 0) +
           (plane > 2 ? CA_BITS_FOR(CA_STATES_2) : 0) + (plane > 3 ? CA_BITS_FOR(CA_STATES_3) : 0) +
           (plane > 4 ? CA_BITS_FOR(CA_STATES_4) : 0) + (plane > 5 ? CA_BITS_FOR(CA_STATES_5) : 0) +
           (plane > 6 ? CA_BITS_FOR(CA_STATES_6) : 0);
}

/* The state of a plane in a byte. */
CA_FUNCTION ca_cell ca_part(ca_cell byte, int plane)
{
    return (ca_cell)(byte >> ca_shift_of(plane) & ((1 << CA_BITS_FOR(ca_states_of(plane))) - 1));
}

CA_FUNCTION ca_cell ca_pack(const ca_cell state[CA_PARTS])
{
    ca_cell byte = 0;

    CA_UNROLL
    for (int p = 0; p < CA_PARTS; p++)
        byte = (ca_cell)(byte | state[p] << ca_shift_of(p));
    return byte;
}

/* Whether some state is one that its plane has not. */
CA_FUNCTION uint8_t ca_is_wrong(const ca_cell state[CA_PARTS])
{
    uint8_t wrong = 0;

    CA_UNROLL
    for (int p = 0; p < CA_PARTS; p++)
        wrong = (uint8_t)(wrong | (state[p] >= ca_states_of(p)));
    return wrong;
}

#endif
