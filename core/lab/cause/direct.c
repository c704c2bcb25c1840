/* SPDX-License-Identifier: MIT */
/*
 * Finds causes that results show by themselves: cells that were never written, results that differ
 * from run to run, values that the model has not, states of other generations, and other draws.
 */
#include "core/lab/cause/cause.h"

#include <stdio.h>
#include <string.h>

#define POISON 0xa5 /* of the first sample */
#define OTHER_POISON 0x3c
#define RUNS_AGAIN 3

/* Whether bytes of a plane hold the poison of both runs. */
static bool is_unwritten(const struct ca_lattice *a, const struct ca_lattice *b, int plane,
                         size_t from, size_t bytes)
{
    for (size_t k = from; k < from + bytes; k++)
        if (((uint8_t *)a->plane[plane])[k] != POISON ||
            ((uint8_t *)b->plane[plane])[k] != OTHER_POISON)
            return false;
    return true;
}

static enum ca_status report_unwritten(struct prober *prober, const struct ca_lattice *a,
                                       const struct ca_lattice *b, int64_t count)
{
    struct cause_place places[CAUSE_PLACES_MAX];
    int found = places_find(places, prober->set[0], a->size), plane = 0;
    char text[CAUSE_LIST_MAX] = "", where[CAUSE_NAME_MAX];
    bool tail = true, all = false;

    if (found < 0)
        return prober_short(prober);
    while (plane < a->planes && !is_unwritten(a, b, plane, 0, ca_lattice_plane_bytes(a)))
        plane++;
    if (plane < a->planes && a->planes > 1) {
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
static enum ca_status run_again(struct prober *prober, bool *done)
{
    const struct cause_sample *sample = &prober->sample[0];
    struct ca_lattice *again = &prober->scratch[0];
    size_t bytes = ca_type_bytes(again->type);
    int64_t unwritten = 0;

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
    for (int64_t i = 0; i < prober->cells; i++) {
        prober->set[0][i] = 0;
        for (int p = 0; p < again->planes; p++)
            prober->set[0][i] |= is_unwritten(&sample->got, again, p, (size_t)i * bytes, bytes);
        unwritten += prober->set[0][i];
    }
    *done = !lattice_same(again, &sample->got);
    if (unwritten > 0)
        CA_TRY(report_unwritten(prober, &sample->got, again, unwritten));
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

enum ca_status cause_direct(struct prober *prober, bool *done)
{
    static const struct cause_other others[] = {
        {0, false, 0,
         "The result is the start, unchanged: nothing is computed, or the wrong one of two "
         "buffers is returned; it is one generation late."},
        {2, false, 0, "The result is one generation early: two are made in place of one."},
        {3, false, 0, "The result is two generations early: three are made in place of one."},
    };

    CA_TRY(run_again(prober, done));
    if (prober->wrong_cells == 0)
        return CA_OK;
    *done = *done || out_of_range(prober) || refused(prober);
    return cause_others(prober, CA_CAUSE_GENERATION, others, sizeof others / sizeof *others, done);
}

/* --- draws ------------------------------------------------------------------------------------ */

static enum ca_status other_seeds(struct prober *prober, bool *done)
{
    static const struct cause_other same = {.n = 1};
    const uint64_t seed = prober->setup.seed;
    const uint64_t others[] = {0, 1, seed & UINT32_MAX, seed << 32 | seed >> 32, seed + 1};

    for (size_t i = 0; i < sizeof others / sizeof others[0] && !*done; i++) {
        struct prober other = *prober;
        enum ca_status status;

        other.setup.seed = others[i];
        if (others[i] == seed)
            continue;
        CA_TRY(other.stepper->create(&other.reference, &other.setup, prober->error));
        status = cause_fits(&other, &same, done);
        other.stepper->destroy(other.reference);
        CA_TRY(status);
        if (*done)
            cause_add(prober, CA_CAUSE_DRAWS, 1,
                      "The random draws are those of seed %llu, where the run's seed is %llu.",
                      (unsigned long long)others[i], (unsigned long long)seed);
    }
    return CA_OK;
}

enum ca_status cause_draws(struct prober *prober, bool *done)
{
#define ARE_THOSE "The random draws are those of generation "
    static const struct cause_other others[] = {
        {1, false, 1, ARE_THOSE "t + 1, where the step starts from t."},
        {1, false, UINT64_MAX, ARE_THOSE "t - 1, where the step starts from t."},
        {1, true, 0, ARE_THOSE "0 whatever the generation is."},
        {1, true, 1, ARE_THOSE "1 whatever the generation is."},
    };

    if (!ca_draws(&prober->setup))
        return CA_OK;
    CA_TRY(cause_others(prober, CA_CAUSE_DRAWS, others, sizeof others / sizeof *others, done));
    return *done ? CA_OK : other_seeds(prober, done);
}

/* --- several generations at once -------------------------------------------------------------- */

static enum ca_status report_generations(struct prober *prober, uint64_t n)
{
    const struct cause_sample *sample = &prober->sample[0];
    const struct ca_lattice *got = &prober->scratch[0];
    struct ca_lattice *state = &prober->scratch[1];

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
    ca_lattice_copy(state, &sample->start);
    for (uint64_t i = 0; i < n; i++) /* each drawing as the first does */
        CA_TRY(prober_reference(prober, state, sample->t, 1, state));
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
    struct ca_lattice *got = &prober->scratch[0], *state = &prober->scratch[1];

    for (int i = 0; !*done && i < 2; i++) {
        CA_TRY(prober_kernel(prober, &sample->start, sample->t, calls[i], POISON, got));
        CA_TRY(prober_reference(prober, &sample->start, sample->t, calls[i], state));
        *done = !lattice_same(got, state);
        if (*done)
            CA_TRY(report_generations(prober, calls[i]));
    }
    return CA_OK;
}
