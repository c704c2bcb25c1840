/* SPDX-License-Identifier: MIT */
/*
 * A function of a few cells of up to 256 states, as a decision diagram: a node of level d asks for
 * input d and has a node of level d + 1, or at the last level a result, for each of its states.
 * Equal nodes are one, so that rules whose tables would have 10^20 entries take some thousand
 * nodes. Inputs that a rule says nothing of are unset until the diagram is closed.
 */
#ifndef CALAB_CORE_IMPORT_DIAGRAM_H
#define CALAB_CORE_IMPORT_DIAGRAM_H

#include <stddef.h>

#include "core/base/error.h"

#define DIAGRAM_INPUTS_MAX 9
#define DIAGRAM_STATES_MAX 256
#define DIAGRAM_UNSET UINT32_MAX

struct diagram_level {
    uint32_t *next; /* `states` of each node */
    bool *full;     /* no input below the node is unset */
    uint32_t *slot; /* hash table of nodes plus 1; 0: free */
    size_t count, room, slots;
};
struct diagram {
    int states, inputs;
    uint32_t root;
    size_t kept; /* entries after nodes were last dropped */
    struct diagram_level level[DIAGRAM_INPUTS_MAX];
};

/* Some of the states. */
struct diagram_set {
    uint64_t bits[DIAGRAM_STATES_MAX / 64];
};
static inline bool diagram_has(const struct diagram_set *set, int state)
{
    return set->bits[state / 64] >> state % 64 & 1;
}

/* All inputs unset. CA_NO_MEMORY. */
enum ca_status diagram_create(struct diagram *diagram, int states, int inputs,
                              struct ca_error *error);
void diagram_destroy(struct diagram *diagram);

/* Gives `result` to all inputs of the sets that are unset; `any_order`: to all orders of the inputs
 * but the last. CA_USAGE where the diagram becomes too large, CA_NO_MEMORY. */
enum ca_status diagram_set(struct diagram *diagram, const struct diagram_set sets[], bool any_order,
                           uint32_t result, struct ca_error *error);
/* The number of the node of that level with these next ones. Errors as above. */
enum ca_status diagram_node(struct diagram *diagram, int level, const uint32_t next[],
                            uint32_t *node, struct ca_error *error);
/* Gives unset inputs the state of the last one, and drops the nodes that cannot be reached. */
enum ca_status diagram_close(struct diagram *diagram, struct ca_error *error);

/* The result for a state of each input; DIAGRAM_UNSET. */
uint32_t diagram_get(const struct diagram *diagram, const uint8_t states[]);

#endif
