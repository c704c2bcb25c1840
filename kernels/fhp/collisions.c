/* SPDX-License-Identifier: MIT */
/*
 * The collision sets of fhp, derived from their rules in words. All of them conserve the number of
 * particles and the momentum, treat the six directions alike, are each other's mirror image and
 * inverse at the two chiralities, and so keep the equilibrium of a gas (d'Humieres and Lallemand,
 * "Numerical simulations of hydrodynamics with lattice gas automata in two dimensions", Complex
 * Systems 1, 1987).
 *
 *   fhp1  a head-on pair turns by 60 degrees, a symmetric triple flips; rest particles take no part
 *   fhp2  and a particle that hits a rest particle becomes the two beside its direction, and back
 *   fhp3  and so does every state that shares mass and momentum with another one
 */
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"

#define MOVING 63

/* The particle in direction i, any integer. */
static uint8_t particle(int i) { return (uint8_t)(1 << ((i + 6) % 6)); }

/* The two directions beside i: their momenta add up to that of one particle in direction i. */
static uint8_t beside(int i) { return particle(i - 1) | particle(i + 1); }

static uint8_t head_on(int i) { return particle(i) | particle(i + 3); }

static uint8_t triple(int i) { return particle(i) | particle(i + 2) | particle(i + 4); }

/* A pair turns clockwise at chirality 1, else the other way; a triple flips; rest stays. */
static uint8_t collide_1(uint8_t state, int chirality)
{
    uint8_t moving = state & MOVING, rest = state & FHP_REST;

    for (int i = 0; i < 3; i++)
        if (moving == head_on(i))
            return head_on(i + (chirality ? 1 : -1)) | rest;
    for (int i = 0; i < 2; i++)
        if (moving == triple(i))
            return triple(i + 1) | rest;
    return state;
}

/* Mass 2 and the momentum of one particle: {i, rest} <-> {i - 1, i + 1}. */
static uint8_t swap_rest(uint8_t state)
{
    for (int i = 0; i < 6; i++) {
        if (state == (particle(i) | FHP_REST))
            return beside(i);
        if (state == beside(i))
            return particle(i) | FHP_REST;
    }
    return state;
}

static uint8_t collide_2(uint8_t state, int chirality)
{
    uint8_t next = swap_rest(state);

    return next != state ? next : collide_1(state, chirality);
}

/*
 * The states of mass 3 and the momentum of one particle in direction i: that particle with either
 * of the head-on pairs that it is not part of, or the two beside it with a rest particle. They form
 * a cycle.
 */
static uint8_t cycle_of_three(uint8_t state, int chirality)
{
    for (int i = 0; i < 6; i++) {
        uint8_t cycle[3] = {particle(i) | head_on(i + 1), particle(i) | head_on(i + 2),
                            beside(i) | FHP_REST};

        for (int k = 0; k < 3; k++)
            if (state == cycle[k])
                return cycle[(k + (chirality ? 1 : 2)) % 3];
    }
    return state;
}

/* Above half filling the holes collide as the particles do below it. */
static uint8_t collide_3(uint8_t state, int chirality)
{
    bool dense = fhp_particles(state) >= 4;
    uint8_t few, next = collide_1(state, chirality);

    if (next != state)
        return next;
    few = dense ? FHP_PARTICLES ^ state : state;
    next = collide_2(few, chirality);
    if (next == few)
        next = cycle_of_three(few, chirality);
    return dense ? FHP_PARTICLES ^ next : next;
}

uint8_t fhp_collide(enum fhp_collisions set, uint8_t state, int chirality)
{
    switch (set) {
    case FHP_1:
        return collide_1(state, chirality);
    case FHP_2:
        return collide_2(state, chirality);
    default:
        return collide_3(state, chirality);
    }
}

void fhp_table_make(struct fhp_table *table, enum fhp_collisions set)
{
    for (int chirality = 0; chirality < 2; chirality++)
        for (int state = 0; state < 128; state++)
            table->next[chirality][state] = fhp_collide(set, (uint8_t)state, chirality);
}
