/* SPDX-License-Identifier: MIT */
/* The model in calab/lab_model.h, in memory of your own. README.md says what that is. */
#include <stdlib.h>
#include <string.h>

#include "calab/calab_draw.h"
#include "calab/calab_lab.h"

/* One generation, from the planes `in` to the planes `out`; lab->t is the one of `in`. Planes that
 * a step does not change are the same in both. */
static void step(const struct lab *lab, const lab_cell *const in[], lab_cell *const out[])
{
    for (int64_t z = 0; z < lab->d; z++)
        for (int64_t y = 0; y < lab->h; y++)
            for (int64_t x = 0; x < lab->w; x++) {
                /* Write here what cell (x, y, z) becomes, out[...][LAB_AT(lab, x, y, z)]. */
            }
}

/* --- what keeps the state, in whatever layout you like -----------------------------------------
 */

struct state {
    struct lab lab;
    lab_cell *now[LAB_PLANES], *next[LAB_PLANES];
};

static int is_constant(int plane) { return LAB_CONSTANT >> plane & 1; }

static size_t bytes_of(const struct lab *lab)
{
    return (size_t)(lab->w * lab->h * lab->d) * sizeof(lab_cell);
}

void *lab_open(const struct lab *lab)
{
    struct state *state = (struct state *)calloc(1, sizeof *state);

    if (!state)
        return NULL;
    state->lab = *lab;
    for (int p = 0; p < LAB_PLANES; p++) {
        state->now[p] = (lab_cell *)malloc(bytes_of(lab));
        state->next[p] = is_constant(p) ? state->now[p] : (lab_cell *)malloc(bytes_of(lab));
        if (!state->now[p] || !state->next[p])
            return NULL;
    }
    return state;
}

void lab_load(void *self, uint64_t t, const lab_cell *const planes[])
{
    struct state *state = (struct state *)self;

    state->lab.t = t;
    for (int p = 0; p < LAB_PLANES; p++) {
        memcpy(state->now[p], planes[p], bytes_of(&state->lab));
        memcpy(state->next[p], planes[p], bytes_of(&state->lab)); /* nothing of an earlier state */
    }
}

void lab_step(void *self, uint64_t t, uint64_t n)
{
    struct state *state = (struct state *)self;

    for (uint64_t i = 0; i < n; i++) {
        state->lab.t = t + i;
        step(&state->lab, (const lab_cell *const *)state->now, state->next);
        for (int p = 0; p < LAB_PLANES; p++) {
            lab_cell *before = state->now[p];

            state->now[p] = state->next[p];
            state->next[p] = before;
        }
    }
}

void lab_store(void *self, lab_cell *const planes[])
{
    struct state *state = (struct state *)self;

    for (int p = 0; p < LAB_PLANES; p++)
        if (planes[p])
            memcpy(planes[p], state->now[p], bytes_of(&state->lab));
}

void lab_close(void *self)
{
    struct state *state = (struct state *)self;

    for (int p = 0; p < LAB_PLANES; p++) {
        free(state->now[p]);
        if (!is_constant(p))
            free(state->next[p]);
    }
    free(state);
}
