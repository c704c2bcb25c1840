/* SPDX-License-Identifier: MIT */
/*
 * Finds causes that results show by themselves: cells that were never written, results that differ
 * from run to run, values that the model has not, and states of other generations.
 */
#include "core/lab/cause/cause.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POISON 0xa5 /* of the first sample */
#define OTHER_POISON 0x3c
#define RUNS_AGAIN 3

/* Marks cells of which a plane holds the poison of both runs. */
static int64_t mark_unwritten(const struct ca_lattice *a, const struct ca_lattice *b, uint8_t *set)
{
    size_t bytes = ca_type_bytes(a->type);
    int64_t count = 0;

    for (int64_t i = 0; i < ca_cells(a->size); i++) {
        set[i] = 0;
        for (int p = 0; p < a->planes; p++) {
            bool kept = true;

            for (size_t k = (size_t)i * bytes; k < (size_t)(i + 1) * bytes; k++)
                kept &= ((uint8_t *)a->plane[p])[k] == POISON &&
                        ((uint8_t *)b->plane[p])[k] == OTHER_POISON;
            set[i] |= kept;
        }
        count += set[i];
    }
    return count;
}

/* A plane that is never written anywhere, -1: none is. */
static int unwritten_plane(const struct ca_lattice *a, const struct ca_lattice *b)
{
    size_t bytes = (size_t)ca_cells(a->size) * ca_type_bytes(a->type);

    for (int p = 0; p < a->planes; p++) {
        size_t kept = 0;

        while (kept < bytes && ((uint8_t *)a->plane[p])[kept] == POISON &&
               ((uint8_t *)b->plane[p])[kept] == OTHER_POISON)
            kept++;
        if (kept == bytes)
            return p;
    }
    return -1;
}

static enum ca_status report_unwritten(struct prober *prober, const struct ca_lattice *a,
                                       const struct ca_lattice *b, const uint8_t *set,
                                       int64_t count)
{
    struct cause_place places[CAUSE_PLACES_MAX];
    int found = places_find(places, set, a->size), plane = unwritten_plane(a, b);
    char text[CAUSE_LIST_MAX] = "", where[CAUSE_NAME_MAX];
    bool tail = true, all = false;

    if (found < 0)
        return prober_short(prober);
    if (plane >= 0 && a->planes > 1) {
        cause_add(prober, CA_CAUSE_UNWRITTEN, 1, "The result has no plane %s: it is never written.",
                  prober->model->plane_names[plane]);
        return CA_OK;
    }
    for (int i = 0; i < found; i++) {
        size_t used = strlen(text);

        all |= place_is_all(&places[i]);
        tail &= place_is_tail(&places[i], a->size);
        snprintf(text + used, sizeof text - used, "%s%s", i ? ", or " : "",
                 place_text(where, &places[i]));
    }
    if (count == ca_cells(a->size))
        cause_add(prober, CA_CAUSE_UNWRITTEN, 1, "Nothing of the result is ever written.");
    else if (all)
        cause_add(prober, CA_CAUSE_UNWRITTEN, 1,
                  "%lld of %lld cells of the result are never written, here and there.",
                  (long long)count, (long long)ca_cells(a->size));
    else
        cause_add(prober, CA_CAUSE_UNWRITTEN, 1,
                  "%lld of %lld cells of the result are never written: those with %s%s.",
                  (long long)count, (long long)ca_cells(a->size), text,
                  tail ? ", the last partial tile" : "");
    return CA_OK;
}

/* Runs the first sample again, with the same poison and with another one. */
static enum ca_status run_again(struct prober *prober, struct ca_lattice *again, uint8_t *set,
                                bool *done)
{
    const struct cause_sample *sample = &prober->sample[0];
    int64_t unwritten;

    for (int i = 0; i < RUNS_AGAIN && !*done; i++) {
        CA_TRY(prober_kernel(prober, &sample->start, sample->t, 1, POISON, again));
        if (lattice_same(again, &sample->got))
            continue;
        cause_add(prober, CA_CAUSE_UNSTABLE, 1,
                  "Two runs from the same start end differently: cells are read while others "
                  "write them, or memory is read that was never written.");
        *done = true;
    }
    if (*done)
        return CA_OK;
    CA_TRY(prober_kernel(prober, &sample->start, sample->t, 1, OTHER_POISON, again));
    unwritten = mark_unwritten(&sample->got, again, set);
    *done = !lattice_same(again, &sample->got);
    if (unwritten > 0)
        CA_TRY(report_unwritten(prober, &sample->got, again, set, unwritten));
    else if (*done)
        cause_add(prober, CA_CAUSE_UNWRITTEN, 1,
                  "The result depends on what its memory held before: cells of it are read before "
                  "they are written.");
    return CA_OK;
}

/* --- values and generations ------------------------------------------------------------------- */

static bool out_of_range(struct prober *prober)
{
    for (int s = 0; s < prober->samples && prober->model->type == CA_U8; s++)
        for (int p = 0; p < prober->model->planes; p++)
            for (int64_t i = 0; i < prober->cells; i++) {
                unsigned value = ((uint8_t *)prober->sample[s].got.plane[p])[i];
                int64_t at[3];

                if (value <= prober->model->max_value)
                    continue;
                cell_at(prober->setup.size, i, at);
                cause_add(prober, CA_CAUSE_RANGE, 1,
                          "The result holds %u in plane %s at (%lld, %lld, %lld), where the values "
                          "are 0 ... %u.",
                          value, prober->model->plane_names[p], (long long)at[0], (long long)at[1],
                          (long long)at[2], prober->model->max_value);
                return true;
            }
    return false;
}

/* A result that the model would refuse in a state file is not a valid state of it. */
static bool refused(struct prober *prober)
{
    struct ca_lattice *got;
    struct ca_error error;

    for (int s = 0; s < prober->samples && prober->model->check_state; s++) {
        got = &prober->sample[s].got;
        if (prober->model->check_state(&prober->setup, got->plane, 0, ca_rows(got->size), &error) ==
            CA_OK)
            continue;
        cause_add(prober, CA_CAUSE_RANGE, 1, "The result is not a valid state of the model: %s.",
                  error.text);
        return true;
    }
    return false;
}

/* Whether each sample's result is what the reference makes of its start in n generations. */
static enum ca_status is_generation(struct prober *prober, uint64_t n, struct ca_lattice *state,
                                    bool *is)
{
    *is = true;
    for (int s = 0; s < prober->samples && *is; s++) {
        CA_TRY(prober_reference(prober, &prober->sample[s].start, prober->sample[s].t, n, state));
        *is = lattice_same(state, &prober->sample[s].got);
    }
    return CA_OK;
}

static enum ca_status another_generation(struct prober *prober, struct ca_lattice *state,
                                         bool *done)
{
    static const struct {
        uint64_t n;
        const char *text;
    } others[] = {
        {0, "The result is the start, unchanged: nothing is computed, or the wrong one of two "
            "buffers is returned; it is one generation late."},
        {2, "The result is one generation early: two are made in place of one."},
        {3, "The result is two generations early: three are made in place of one."},
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0] && !*done; i++) {
        CA_TRY(is_generation(prober, others[i].n, state, done));
        if (*done)
            cause_add(prober, CA_CAUSE_GENERATION, 1, "%s", others[i].text);
    }
    return CA_OK;
}

enum ca_status cause_direct(struct prober *prober, bool *done)
{
    uint8_t *set = malloc((size_t)prober->cells);
    struct ca_lattice state = {0};
    enum ca_status status = prober_lattice(prober, &state);

    if (!set && status == CA_OK)
        status = prober_short(prober);
    if (status == CA_OK)
        status = run_again(prober, &state, set, done);
    if (status == CA_OK && !*done && prober->wrong_cells > 0)
        *done = out_of_range(prober) || refused(prober);
    if (status == CA_OK && !*done && prober->wrong_cells > 0)
        status = another_generation(prober, &state, done);
    ca_lattice_free(&state);
    free(set);
    return status;
}

/* --- several generations at once -------------------------------------------------------------- */

/* n generations of the first sample, each drawing as the first does. */
static enum ca_status with_frozen_draws(struct prober *prober, uint64_t n, struct ca_lattice *state)
{
    const struct cause_sample *sample = &prober->sample[0];

    ca_lattice_copy(state, &sample->start);
    for (uint64_t i = 0; i < n; i++)
        CA_TRY(prober_reference(prober, state, sample->t, 1, state));
    return CA_OK;
}

static enum ca_status report_generations(struct prober *prober, uint64_t n,
                                         const struct ca_lattice *got, struct ca_lattice *state)
{
    const struct cause_sample *sample = &prober->sample[0];

    for (uint64_t other = 0; other <= 2 * n; other++) {
        CA_TRY(prober_reference(prober, &sample->start, sample->t, other, state));
        if (other == n || !lattice_same(state, got))
            continue;
        cause_add(prober, CA_CAUSE_GENERATION, 1,
                  "One generation is right, but a call of %d ends at generation %d: %s.", (int)n,
                  (int)other,
                  other == 0   ? "the start is returned"
                  : other == 1 ? "each starts from the first state, as buffers are not exchanged"
                  : other < n  ? "one is left out, or the wrong one of two buffers is returned"
                               : "too many are made");
        return CA_OK;
    }
    CA_TRY(with_frozen_draws(prober, n, state));
    if (lattice_same(state, got))
        cause_add(prober, CA_CAUSE_DRAWS, 1,
                  "One generation is right, but in a call of %d all draw the random numbers of the "
                  "first: the number of the generation stays the same.",
                  (int)n);
    else
        cause_add(prober, CA_CAUSE_UNKNOWN, 1,
                  "One generation is right, but a call of %d is not: what a generation leaves "
                  "behind disturbs the next.",
                  (int)n);
    return CA_OK;
}

enum ca_status cause_generations(struct prober *prober, bool *done)
{
    static const uint64_t calls[] = {3, 2};
    const struct cause_sample *sample = &prober->sample[0];
    struct ca_lattice got = {0}, state = {0};
    enum ca_status status = prober_lattice(prober, &got);

    if (status == CA_OK)
        status = prober_lattice(prober, &state);
    for (int i = 0; status == CA_OK && !*done && i < 2; i++) {
        status = prober_kernel(prober, &sample->start, sample->t, calls[i], POISON, &got);
        if (status == CA_OK)
            status = prober_reference(prober, &sample->start, sample->t, calls[i], &state);
        if (status != CA_OK || lattice_same(&got, &state))
            continue;
        *done = true;
        status = report_generations(prober, calls[i], &got, &state);
    }
    ca_lattice_free(&got);
    ca_lattice_free(&state);
    return status;
}
