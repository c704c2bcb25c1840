/* SPDX-License-Identifier: MIT */
/*
 * Finds the value that a kernel takes for neighbours which it does not read: another value is put
 * in their place, and the reference has to make of it what the kernel made of the state as it was,
 * in every cell that is looked at.
 */
#include "core/lab/cause/cause.h"

#include <stdlib.h>
#include <string.h>

#define AGREE_MIN 30 /* cells that were looked at */
#define SHOW_MIN 4   /* of them in which it matters */

enum instead { AS_0, AS_1, AS_EDGE, AS_MIRROR, AS_WRAPPED, INSTEAD };

static const char *const instead_words[INSTEAD] = {
    "they are taken as 0",
    "they are taken as 1",
    "the cells at the edge stand in for them",
    "the cells inside the edge stand in for them, as in a mirror",
    "cells of the same tile are read, as if it were a torus",
};

struct instead_trial {
    struct prober *prober;
    const struct cause_place *place;
    const uint8_t *target;
    const struct stencil *stencil;
    const uint8_t *missing;
    struct ca_lattice changed, result;
    uint8_t *blocked, *chosen;
};

/* The cell that stands in for a neighbour beyond the edge of the place. */
static bool stand_in(const struct cause_place *place, enum instead how, int offset[3])
{
    bool moved = false;

    for (int a = 0; a < 3; a++) {
        bool low = place->along[a].k < (place->along[a].p ? place->along[a].p / 2 : 2);

        if (place->along[a].kind == ALONG_ANY || (low ? offset[a] >= 0 : offset[a] <= 0))
            continue;
        moved = true;
        if (how == AS_EDGE)
            offset[a] = 0;
        else if (how == AS_MIRROR)
            offset[a] = -offset[a];
        else if (place->along[a].kind != ALONG_RESIDUE)
            return false;
        else
            offset[a] += (int)(low ? place->along[a].p : -place->along[a].p);
    }
    return moved;
}

static void set_channel(const struct prober *prober, struct ca_lattice *state, int channel,
                        int64_t cell, const struct ca_lattice *from, int64_t other, int value)
{
    int plane = channel / prober->bits, bit = channel % prober->bits;

    if (state->type == CA_F32) {
        ((float *)state->plane[plane])[cell] =
            from ? ((float *)from->plane[plane])[other] : (float)value;
        return;
    }
    if (from)
        value = ((uint8_t *)from->plane[plane])[other] >> bit & 1;
    ((uint8_t *)state->plane[plane])[cell] =
        (uint8_t)((((uint8_t *)state->plane[plane])[cell] & ~(1 << bit)) | value << bit);
}

/* Changes the state beside targets that are far from each other, which it chooses. */
static bool put_instead(struct instead_trial *trial, const struct ca_lattice *start,
                        enum instead how)
{
    struct prober *prober = trial->prober;
    struct ca_size size = prober->setup.size;
    int far = 2 * trial->stencil->reach, deep = size.d > 1 ? far : 0;

    ca_lattice_copy(&trial->changed, start);
    memset(trial->blocked, 0, (size_t)prober->cells);
    memset(trial->chosen, 0, (size_t)prober->cells);
    for (int64_t i = 0; i < prober->cells; i++) {
        int64_t at[3];
        int o[3];

        if (!trial->target[i] || trial->blocked[i])
            continue;
        cell_at(size, i, at);
        trial->chosen[i] = 1;
        for (o[2] = -deep; o[2] <= deep; o[2]++)
            for (o[1] = -far; o[1] <= far; o[1]++)
                for (o[0] = -far; o[0] <= far; o[0]++)
                    trial->blocked[cell_beside(size, at, o)] = 1;
        for (int m = 0; m < trial->stencil->pairs; m++) {
            const struct stencil_pair *pair = &trial->stencil->pair[m];
            int other[3] = {pair->offset[0], pair->offset[1], pair->offset[2]};
            int64_t cell = cell_beside(size, at, pair->offset);

            if (!trial->missing[m])
                continue;
            if (how > AS_1 && !stand_in(trial->place, how, other))
                return false;
            set_channel(prober, &trial->changed, pair->channel, cell, how > AS_1 ? start : NULL,
                        cell_beside(size, at, other), how == AS_1);
        }
    }
    return true;
}

static enum ca_status instead_fits(struct instead_trial *trial, enum instead how, bool *fits)
{
    struct prober *prober = trial->prober;
    int looked = 0, showed = 0;

    *fits = false;
    for (int s = 0; s < prober->samples; s++) {
        const struct cause_sample *sample = &prober->sample[s];

        if (!put_instead(trial, &sample->start, how))
            return CA_OK;
        CA_TRY(prober_reference(prober, &trial->changed, sample->t, 1, &trial->result));
        for (int64_t i = 0; i < prober->cells; i++) {
            if (!trial->chosen[i])
                continue;
            looked++;
            showed += cell_differs(&sample->expected, &trial->result, i);
            if (cell_differs(&sample->got, &trial->result, i))
                return CA_OK;
        }
    }
    *fits = looked >= AGREE_MIN && showed >= SHOW_MIN;
    return CA_OK;
}

enum ca_status cause_instead(struct prober *prober, const struct cause_place *place,
                             const uint8_t *target, const struct stencil *stencil,
                             const uint8_t *missing, const char **words)
{
    struct instead_trial trial = {prober, place, target, stencil, missing};
    enum ca_status status = CA_OK;

    *words = "";
    trial.blocked = malloc((size_t)prober->cells);
    trial.chosen = malloc((size_t)prober->cells);
    if (!trial.blocked || !trial.chosen)
        status = ca_fail(prober->error, CA_NO_MEMORY, "no memory for %lld cells",
                         (long long)prober->cells);
    if (status == CA_OK)
        status = prober_lattice(prober, &trial.changed);
    if (status == CA_OK)
        status = prober_lattice(prober, &trial.result);
    for (int how = 0; status == CA_OK && !**words && how < INSTEAD; how++) {
        bool fit = false;

        status = instead_fits(&trial, (enum instead)how, &fit);
        if (fit)
            *words = instead_words[how];
    }
    free(trial.blocked);
    free(trial.chosen);
    ca_lattice_free(&trial.changed);
    ca_lattice_free(&trial.result);
    return status;
}
