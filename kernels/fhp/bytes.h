/* SPDX-License-Identifier: MIT */
/*
 * Fhp's backends with a byte a node in vectors share a vector of nodes, what a node collides into,
 * and forcing. The including file defines VECTOR, the bytes of a vector, as 16, 32 or 64, and has
 * expand and collect for it.
 */
#ifndef CALAB_KERNELS_FHP_BYTES_H
#define CALAB_KERNELS_FHP_BYTES_H

#include "kernels/cpu/philox.h"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"

#ifndef VECTOR
#define VECTOR 16
#endif
/* In a block, the cells that one vector of Philox counters draws bits for. */
#define VECTORS (DRAW_CELLS / VECTOR)

typedef uint8_t vector __attribute__((vector_size(VECTOR)));

struct fhp_bytes {
    /* [chirality]: what a node becomes, a fluid one by the collision table, a solid one bounced. */
    uint8_t next[2][256];
    uint32_t force; /* probability of forcing in 65536ths */
};

/* Bits of a block in vectors, which a backend supplies. */
struct bytes_bits {
    /* Expands bits of a block to bytes 0 or 255 of its vector i, and collects them. */
    vector (*expand)(const uint64_t bits[DRAW_WORDS], int i);
    void (*collect)(uint64_t bits[DRAW_WORDS], int i, vector bytes);
};

DRAW vector bytes_load(const uint8_t *at)
{
    vector value;

    memcpy(&value, at, sizeof value);
    return value;
}

DRAW void bytes_store(uint8_t *at, vector value) { memcpy(at, &value, sizeof value); }

/* The nodes that forcing may turn: fluid, with a particle westward and none eastward. */
DRAW vector bytes_can_force(vector node)
{
    return (vector)((node & (uint8_t)(FHP_SOLID | 1 << FHP_W | 1 << FHP_E)) ==
                    (uint8_t)(1 << FHP_W));
}

/* Forces the nodes of a block that have collided. */
DRAW void bytes_force(const struct draw_place *place, uint32_t force, uint8_t next[DRAW_CELLS],
                      const struct bytes_bits *bits)
{
    uint64_t among[DRAW_WORDS], turned[DRAW_WORDS];

    for (int i = 0; i < VECTORS; i++)
        bits->collect(among, i, bytes_can_force(bytes_load(next + i * VECTOR)));
    if (!draw_event(place, FHP_STREAM_FORCING, force, among, turned))
        return;
    for (int i = 0; i < VECTORS; i++)
        bytes_store(next + i * VECTOR,
                    bytes_load(next + i * VECTOR) ^
                        (bits->expand(turned, i) & (uint8_t)(1 << FHP_W | 1 << FHP_E)));
}

/* byte_ops.prepare of a struct fhp_bytes. */
static void bytes_prepare(const struct ca_setup *setup, void *context)
{
    struct fhp_bytes *fhp = context;
    struct fhp_table table;

    fhp_table_make(&table, (enum fhp_collisions)ca_choice(&setup->params, "collisions"));
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < 128; i++) {
            fhp->next[c][i] = table.next[c][i];
            fhp->next[c][i | FHP_SOLID] = fhp_bounce((uint8_t)(i | FHP_SOLID));
        }
    fhp->force = ca_probability(&setup->params, "p_force");
}

#endif
