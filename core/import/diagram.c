/* SPDX-License-Identifier: MIT */
/* Decision diagrams grow by path copying: what has changed is a new node unless there is an equal
 * one, found by a hash table for each level. */
#include "core/import/diagram.h"

#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX ((size_t)1 << 26)  /* next nodes of one level: 256 MiB */
#define ENTRIES_KEPT ((size_t)1 << 22) /* beyond twice those reachable: the others are dropped */

static enum ca_status level_reserve(struct diagram_level *level, int states, struct ca_error *error)
{
    size_t room = level->room ? 2 * level->room : 64;
    uint32_t *next, *slot;
    bool *full;

    if (room * (size_t)states > ENTRIES_MAX)
        return ca_fail(error, CA_USAGE,
                       "the rule is too irregular: its decision tree has more than %zu entries",
                       ENTRIES_MAX);
    next = realloc(level->next, room * (size_t)states * sizeof *next);
    if (next)
        level->next = next;
    full = realloc(level->full, room * sizeof *full);
    if (full)
        level->full = full;
    slot = calloc(4 * room, sizeof *slot);
    if (!next || !full || !slot) {
        free(slot);
        return ca_fail(error, CA_NO_MEMORY, "no memory for a decision tree of %zu nodes", room);
    }
    free(level->slot);
    level->slot = slot;
    level->slots = 4 * room;
    level->room = room;
    return CA_OK;
}

static size_t level_slot(const struct diagram_level *level, int states, const uint32_t next[])
{
    uint64_t hash = 0x9E3779B97F4A7C15u;
    size_t i;

    for (int s = 0; s < states; s++)
        hash = (hash ^ next[s]) * 0xD6E8FEB86659FD93u, hash ^= hash >> 32;
    for (i = hash & (level->slots - 1); level->slot[i]; i = (i + 1) & (level->slots - 1))
        if (memcmp(level->next + (size_t)(level->slot[i] - 1) * (size_t)states, next,
                   (size_t)states * sizeof *next) == 0)
            break;
    return i;
}

enum ca_status diagram_node(struct diagram *diagram, int d, const uint32_t next[], uint32_t *node,
                            struct ca_error *error)
{
    struct diagram_level *level = &diagram->level[d];
    int n = diagram->states;
    bool full = true;
    size_t i;

    if (level->count == level->room) {
        CA_TRY(level_reserve(level, n, error));
        for (size_t k = 0; k < level->count; k++)
            level->slot[level_slot(level, n, level->next + k * (size_t)n)] = (uint32_t)k + 1;
    }
    i = level_slot(level, n, next);
    if (!level->slot[i]) {
        memcpy(level->next + level->count * (size_t)n, next, (size_t)n * sizeof *next);
        for (int s = 0; s < n; s++)
            full &= d == diagram->inputs - 1 ? next[s] != DIAGRAM_UNSET : level[1].full[next[s]];
        level->full[level->count] = full;
        level->slot[i] = (uint32_t)++level->count;
    }
    *node = level->slot[i] - 1;
    return CA_OK;
}

enum ca_status diagram_create(struct diagram *diagram, int states, int inputs,
                              struct ca_error *error)
{
    uint32_t next[DIAGRAM_STATES_MAX] = {0};

    *diagram = (struct diagram){.states = states, .inputs = inputs, .root = DIAGRAM_UNSET};
    for (int d = inputs - 1; d >= 0; d--) {
        for (int s = 0; s < states; s++)
            next[s] = diagram->root;
        CA_TRY(diagram_node(diagram, d, next, &diagram->root, error));
    }
    return CA_OK;
}

void diagram_destroy(struct diagram *diagram)
{
    for (int d = 0; d < DIAGRAM_INPUTS_MAX; d++) {
        free(diagram->level[d].next);
        free(diagram->level[d].full);
        free(diagram->level[d].slot);
    }
    *diagram = (struct diagram){0};
}

/* --- one line of a rule ------------------------------------------------------------------------
 */

/* A change remembers which new node it made of a node of a level and the inputs that are left. */
struct change_done {
    uint32_t node, left, result;
};
struct change {
    struct diagram *diagram;
    const struct diagram_set *sets;
    uint32_t same[DIAGRAM_INPUTS_MAX]; /* the nearest input before with the same set, which is taken
                                        * first; itself: none */
    bool any_order;
    uint32_t result;
    struct change_done *done[DIAGRAM_INPUTS_MAX];
    size_t count[DIAGRAM_INPUTS_MAX], room[DIAGRAM_INPUTS_MAX]; /* room: a power of two */
    struct ca_error *error;
};

static size_t change_place(const struct change_done *done, size_t room, uint32_t node,
                           uint32_t left)
{
    size_t i = (size_t)(((uint64_t)node << 9 ^ left) * 0x9E3779B97F4A7C15u >> 20) & (room - 1);

    while (done[i].left && (done[i].node != node || done[i].left != left))
        i = (i + 1) & (room - 1);
    return i;
}

static enum ca_status change_remember(struct change *change, int d, struct change_done entry)
{
    size_t room = change->room[d];

    if (2 * change->count[d] >= room) {
        struct change_done *bigger = calloc(room ? 2 * room : 64, sizeof *bigger);

        if (!bigger)
            return ca_fail(change->error, CA_NO_MEMORY, "no memory for a line of a rule");
        for (size_t i = 0; i < room; i++)
            if (change->done[d][i].left)
                bigger[change_place(bigger, 2 * room, change->done[d][i].node,
                                    change->done[d][i].left)] = change->done[d][i];
        free(change->done[d]);
        change->done[d] = bigger;
        room = change->room[d] = room ? 2 * room : 64;
    }
    change->done[d][change_place(change->done[d], room, entry.node, entry.left)] = entry;
    change->count[d]++;
    return CA_OK;
}

/* `left`: a bit for each input that no level above has taken; the last one stays last. */
static enum ca_status change_node(struct change *change, int d, uint32_t node, uint32_t left,
                                  uint32_t *changed) /* NOLINT(misc-no-recursion): 9 levels */
{
    struct diagram *diagram = change->diagram;
    int n = diagram->states, last = diagram->inputs - 1;
    uint32_t next[DIAGRAM_STATES_MAX];

    *changed = node;
    if (diagram->level[d].full[node])
        return CA_OK;
    if (change->room[d]) {
        const struct change_done *entry =
            &change->done[d][change_place(change->done[d], change->room[d], node, left)];

        if (entry->left) {
            *changed = entry->result;
            return CA_OK;
        }
    }
    memcpy(next, diagram->level[d].next + (size_t)node * (size_t)n, (size_t)n * sizeof *next);
    for (int i = 0; i <= last; i++) {
        if (!(left >> i & 1) || (d < last && i == last) ||
            (change->any_order ? change->same[i] != (uint32_t)i && (left >> change->same[i] & 1)
                               : i != d))
            continue;
        for (int s = 0; s < n; s++) {
            if (!diagram_has(&change->sets[i], s))
                continue;
            if (d < last)
                CA_TRY(change_node(change, d + 1, next[s], left & ~(1u << i), &next[s]));
            else if (next[s] == DIAGRAM_UNSET)
                next[s] = change->result;
        }
    }
    CA_TRY(diagram_node(diagram, d, next, changed, change->error));
    return change_remember(change, d, (struct change_done){node, left, *changed});
}

/* --- dropping nodes ----------------------------------------------------------------------------
 */

struct copy {
    const struct diagram *from;
    struct diagram *to;
    uint32_t *copied[DIAGRAM_INPUTS_MAX]; /* the node's copy plus 1; 0: none yet */
    bool close;
    struct ca_error *error;
};

static enum ca_status copy_node(struct copy *copy, int d, uint32_t node,
                                uint32_t *made) /* NOLINT(misc-no-recursion): 9 levels */
{
    int n = copy->from->states;
    uint32_t next[DIAGRAM_STATES_MAX];

    if (copy->copied[d][node]) {
        *made = copy->copied[d][node] - 1;
        return CA_OK;
    }
    memcpy(next, copy->from->level[d].next + (size_t)node * (size_t)n, (size_t)n * sizeof *next);
    for (int s = 0; s < n; s++) {
        if (d < copy->from->inputs - 1)
            CA_TRY(copy_node(copy, d + 1, next[s], &next[s]));
        else if (next[s] == DIAGRAM_UNSET && copy->close)
            next[s] = (uint32_t)s;
    }
    CA_TRY(diagram_node(copy->to, d, next, made, copy->error));
    copy->copied[d][node] = *made + 1;
    return CA_OK;
}

static size_t diagram_entries(const struct diagram *diagram)
{
    size_t entries = 0;

    for (int d = 0; d < diagram->inputs; d++)
        entries += diagram->level[d].count * (size_t)diagram->states;
    return entries;
}

static enum ca_status diagram_compact(struct diagram *diagram, bool close, struct ca_error *error)
{
    struct diagram to = {.states = diagram->states, .inputs = diagram->inputs};
    struct copy copy = {.from = diagram, .to = &to, .close = close, .error = error};
    enum ca_status status = CA_OK;

    for (int d = 0; d < diagram->inputs; d++) {
        copy.copied[d] = calloc(diagram->level[d].count, sizeof *copy.copied[d]);
        if (!copy.copied[d] && status == CA_OK)
            status = ca_fail(error, CA_NO_MEMORY, "no memory for a decision tree");
    }
    if (status == CA_OK && diagram->inputs > 0)
        status = copy_node(&copy, 0, diagram->root, &to.root);
    for (int d = 0; d < diagram->inputs; d++)
        free(copy.copied[d]);
    if (status != CA_OK) {
        diagram_destroy(&to);
        return status;
    }
    diagram_destroy(diagram);
    to.kept = diagram_entries(&to);
    *diagram = to;
    return CA_OK;
}

enum ca_status diagram_close(struct diagram *diagram, struct ca_error *error)
{
    return diagram_compact(diagram, true, error);
}

enum ca_status diagram_set(struct diagram *diagram, const struct diagram_set sets[], bool any_order,
                           uint32_t result, struct ca_error *error)
{
    struct change change = {
        .diagram = diagram, .sets = sets, .any_order = any_order, .result = result, .error = error};
    enum ca_status status;

    for (int i = 0; i < diagram->inputs; i++) {
        change.same[i] = (uint32_t)i;
        for (int k = i - 1; k >= 0 && i < diagram->inputs - 1; k--)
            if (memcmp(&sets[k], &sets[i], sizeof *sets) == 0) {
                change.same[i] = (uint32_t)k;
                break;
            }
    }
    status = change_node(&change, 0, diagram->root, (1u << diagram->inputs) - 1, &diagram->root);
    for (int d = 0; d < diagram->inputs; d++)
        free(change.done[d]);
    if (status == CA_OK && diagram_entries(diagram) > 2 * diagram->kept + ENTRIES_KEPT)
        status = diagram_compact(diagram, false, error);
    return status;
}

uint32_t diagram_get(const struct diagram *diagram, const uint8_t states[])
{
    uint32_t node = diagram->root;

    for (int d = 0; d < diagram->inputs; d++)
        node = diagram->level[d].next[(size_t)node * (size_t)diagram->states + states[d]];
    return node;
}
