/* SPDX-License-Identifier: MIT */
/*
 * The rule of `cloud`, once, for C and CUDA (Nagel and Raschke, "Self-organizing criticality in
 * cloud formation?", Physica A 182, 1992; with the growth of Dobashi et al., "A simple, efficient
 * method for realistic animation of clouds", SIGGRAPH 2000).
 *
 * Three bits a cell: hum, there is vapour; act, it condenses now; cld, there is cloud. A cell may
 * start to condense when one of eleven cells near it does, z being height:
 *
 *       z+1           o            f = act at (x +- 1), (x +- 2), (y +- 1), (y +- 2),
 *       z         o o X o o            (z +- 1), (z - 2); outside the lattice act = 0
 *       z-1           o
 *       z-2           o            (and the four in y, out of the page)
 */
#ifndef CALAB_KERNELS_CLOUD_RULE_H
#define CALAB_KERNELS_CLOUD_RULE_H

#include <stdint.h>

#include "kernels/cpu/rule.h"

/* Streams of core/base/random.h. */
enum {
    CLOUD_STREAM_EXTINCTION = 64,
    CLOUD_STREAM_HUMIDITY = 80,
    CLOUD_STREAM_ACTIVATION = 96,
};

enum { CLOUD_HUM, CLOUD_ACT, CLOUD_CLD, CLOUD_PLANES };

struct cloud_cell {
    uint8_t hum, act, cld; /* 0 or 1 */
};

/* hum' = hum & !act,  act' = !act & hum & f,  cld' = cld | act */
RULE struct cloud_cell cloud_rule(struct cloud_cell cell, uint8_t f)
{
    struct cloud_cell next;

    next.hum = (uint8_t)(cell.hum & ~cell.act);
    next.act = (uint8_t)(~cell.act & cell.hum & f);
    next.cld = (uint8_t)(cell.cld | cell.act);
    return next;
}

/* On the primed values: cld'' = cld' & !extinct,  hum'' = hum' | humid,  act'' = act' | active */
RULE struct cloud_cell cloud_events(struct cloud_cell cell, uint8_t extinct, uint8_t humid,
                                    uint8_t active)
{
    struct cloud_cell next;

    next.hum = (uint8_t)(cell.hum | humid);
    next.act = (uint8_t)(cell.act | active);
    next.cld = (uint8_t)(cell.cld & ~extinct);
    return next;
}

#endif
