/* SPDX-License-Identifier: MIT */
/* Two backends run, are compared, and are timed in this order. */
#include "core/compare/pair.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/quantity.h"
#include "core/machine/device.h"

#define CALL_S 0.1 /* between checks of whether to stop */
#define GROWTH 16

/* --- the runs -------------------------------------------------------------------------------- */

/* The generations that take CALL_S, at most all; the first calls warm the backend up. */
static enum ca_status find_call(struct ca_pair *pair, int i, struct ca_simulation *simulation,
                                struct ca_error *error)
{
    uint64_t all = pair->experiment[0].steps, n = 1;

    pair->side[i].call = all > 0 ? 1 : 0;
    while (all > 0) {
        double start = ca_now(), took;

        CA_TRY(ca_watch_call(pair->watch, pair->context, error, "%s: warming up",
                             pair->experiment[i].backend->name));
        CA_TRY(ca_simulation_step(simulation, n, error));
        took = fmax(ca_now() - start, 1e-9);
        pair->side[i].call = (uint64_t)fmax(1, fmin((double)all, (double)n * CALL_S / took));
        if (took >= CALL_S / 2 || n == all)
            break;
        n = (uint64_t)fmin(fmin((double)n * GROWTH, ceil((double)n * CALL_S / took)), (double)all);
    }
    return CA_OK;
}

static enum ca_status pair_run(struct ca_pair *pair, int i, struct ca_simulation *simulation,
                               struct ca_error *error)
{
    struct ca_pair_side *side = &pair->side[i];
    uint64_t all = pair->experiment[0].steps;
    const struct ca_timing *timing = ca_simulation_timing(simulation);

    CA_TRY(ca_simulation_reset(simulation, error));
    for (uint64_t done = 0; done < all; done = ca_simulation_generation(simulation)) {
        char at[CA_QUANTITY_TEXT], of[CA_QUANTITY_TEXT];

        CA_TRY(ca_watch_call(pair->watch, pair->context, error, "%s: generation %s of %s",
                             pair->experiment[i].backend->name, ca_thousands(at, done),
                             ca_thousands(of, all)));
        CA_TRY(ca_simulation_step(simulation, all - done < side->call ? all - done : side->call,
                                  error));
    }
    side->wall_s = timing->wall_s;
    side->device_s = timing->device_s;
    CA_TRY(ca_simulation_hash(simulation, &side->hash, error));
    return pair->ran ? pair->ran(pair->context, i, simulation, error) : CA_OK;
}

/* --- together -------------------------------------------------------------------------------- */

/* Keeps generation 0, so that a start that the host makes is made once; where memory lacks, bursts
 * make it again. */
static enum ca_status keep_start(struct ca_simulation *simulation, struct ca_error *error)
{
    enum ca_status status;

    CA_TRY(ca_simulation_reset(simulation, error));
    status = ca_simulation_mark(simulation, error);
    return status == CA_NO_MEMORY || status == CA_USAGE ? CA_OK : status;
}

static enum ca_status measure(struct ca_pair *pair, struct ca_simulation *const simulation[2],
                              struct ca_error *error)
{
    int64_t all = ca_cells(pair->experiment[0].size), cells[2] = {all, all};
    struct ca_simulation_side self[2];
    struct ca_side side[2];
    struct ca_ratio ratio;

    for (int i = 0; i < 2; i++) {
        side[i] = ca_simulation_side(&self[i], simulation[i]);
        CA_TRY(keep_start(simulation[i], error));
    }
    ca_ratio_begin(&ratio, cells, pair->side[0].call);
    CA_TRY(ca_ratio_run(&ratio, side, pair->watch, pair->context, error));
    pair->ratio = ca_ratio_result(&ratio);
    return CA_OK;
}

static enum ca_status search(struct ca_pair *pair, struct ca_simulation *const simulation[2],
                             struct ca_error *error)
{
    struct ca_simulation_side self[2];
    const struct ca_side side[2] = {ca_simulation_side(&self[0], simulation[0]),
                                    ca_simulation_side(&self[1], simulation[1])};
    struct ca_differ_case found;
    struct ca_differ differ;
    enum ca_status status = CA_OK;
    bool differs = false;

    for (int i = 0; i < 2 && status == CA_OK; i++)
        status = ca_simulation_reset(simulation[i], error);
    if (status == CA_OK)
        status = ca_differ_lock_step(&found, &differs, simulation, pair->side[0].call,
                                     pair->experiment[0].steps, pair->watch, pair->context, error);
    if (status == CA_OK && differs) {
        ca_differ_begin(&differ, &found);
        status = ca_differ_run(&differ, side, pair->watch, pair->context, error);
        pair->finding = differ.result;
    } else if (status == CA_OK) { /* then the run that ended otherwise does not repeat itself */
        pair->finding = (struct ca_differ_result){.kind = CA_DIFFER_VARYING,
                                                  .generation = pair->experiment[0].steps,
                                                  .call = pair->side[0].call};
        for (int i = 0; i < 2; i++)
            pair->finding.guilty[i] = found.hash[i] != pair->side[i].hash;
    }
    pair->searched = status == CA_OK;
    for (int i = 0; i < 2; i++)
        ca_simulation_side_end(&self[i]);
    return status;
}

/* --- within a tolerance ---------------------------------------------------------------------- */

/* The side with the tolerance is tested, and has to end as it did in its run. */
static enum ca_status compare_within(struct ca_pair *pair,
                                     struct ca_simulation *const simulation[2],
                                     struct ca_error *error)
{
    uint64_t all = pair->experiment[0].steps, hash;
    int tested = pair->experiment[0].backend->tolerance > 0 ? 0 : 1;
    struct ca_agreement_result agreement;
    struct ca_difference *d = &pair->difference;

    CA_TRY(ca_simulations_agree(&agreement, simulation[!tested], simulation[tested], all,
                                pair->find ? INFINITY : CA_DIFFER_SCAN_S, pair->watch,
                                pair->context, error));
    pair->compared = agreement.generations;
    pair->equal = agreement.difference.count == 0;
    if (!pair->equal) {
        *d = agreement.difference;
        if (tested == 0) {
            d->expected = agreement.difference.got;
            d->got = agreement.difference.expected;
        }
        pair->finding = (struct ca_differ_result){.kind = CA_DIFFER_FROM,
                                                  .equal_at = agreement.generations,
                                                  .generation = agreement.generations + 1,
                                                  .length = 1,
                                                  .placed = true,
                                                  .cell = {d->x, d->y, d->z},
                                                  .plane = d->plane,
                                                  .value = {d->expected, d->got}};
        pair->searched = true;
    }
    if (agreement.generations < all)
        return CA_OK;
    CA_TRY(ca_simulation_hash(simulation[tested], &hash, error));
    if (hash == pair->side[tested].hash)
        return CA_OK;
    pair->equal = false;
    pair->finding = (struct ca_differ_result){.kind = CA_DIFFER_LENGTH,
                                              .generation = pair->side[tested].call,
                                              .length = pair->side[tested].call,
                                              .bisected = true};
    pair->finding.guilty[tested] = pair->searched = true;
    return CA_OK;
}

static enum ca_status both(struct ca_pair *pair, struct ca_simulation *const simulation[2],
                           struct ca_error *error)
{
    const struct ca_experiment *e = pair->experiment;
    uint64_t least;

    for (int i = 0; i < 2; i++)
        CA_TRY(find_call(pair, i, simulation[i], error));
    least = pair->side[0].call < pair->side[1].call ? pair->side[0].call : pair->side[1].call;
    pair->side[0].call = pair->side[1].call = least;
    for (int i = 0; i < 2; i++)
        CA_TRY(pair_run(pair, i, simulation[i], error));
    pair->tolerance = ca_simulation_tolerance(simulation[0], simulation[1]);
    pair->equal = pair->side[0].hash == pair->side[1].hash;
    if (pair->tolerance > 0)
        CA_TRY(compare_within(pair, simulation, error));
    if (pair->equal) /* the times of an emulated GPU are no speed */
        return least > 0 && !ca_device_emulated(e[0].backend) && !ca_device_emulated(e[1].backend)
                   ? measure(pair, simulation, error)
                   : CA_OK;
    if (pair->tolerance > 0)
        return CA_OK;
    CA_TRY(ca_simulation_compare(simulation[0], simulation[1], &pair->difference, error));
    if (pair->find || pair->side[0].wall_s + pair->side[1].wall_s <= CA_PAIR_CHEAP_S)
        return search(pair, simulation, error);
    return CA_OK;
}

/* --- one after the other --------------------------------------------------------------------- */

static enum ca_status one_by_one(struct ca_pair *pair, struct ca_simulation *simulation[2],
                                 struct ca_error *error)
{
    for (int i = 0; i < 2; i++) {
        if (i > 0)
            CA_TRY(ca_simulation_open(&simulation[i], &pair->experiment[i], error));
        CA_TRY(find_call(pair, i, simulation[i], error));
        CA_TRY(pair_run(pair, i, simulation[i], error));
        ca_simulation_close(simulation[i]);
        simulation[i] = NULL;
    }
    pair->equal = pair->side[0].hash == pair->side[1].hash;
    return CA_OK;
}

enum ca_status ca_pair_run(struct ca_pair *pair, struct ca_error *error)
{
    struct ca_simulation *simulation[2] = {NULL, NULL};
    enum ca_status status = ca_simulation_open(&simulation[0], &pair->experiment[0], error);

    if (status == CA_OK)
        status = ca_simulation_open(&simulation[1], &pair->experiment[1], error);
    pair->together = status == CA_OK;
    if (status == CA_OK) {
        status = both(pair, simulation, error);
    } else if (status == CA_NO_MEMORY && simulation[0] && /* with a tolerance both are needed */
               ca_tolerance(pair->experiment[0].backend, pair->experiment[1].backend) <= 0) {
        snprintf(pair->apart, sizeof pair->apart, "%.255s", error->text);
        status = one_by_one(pair, simulation, error);
    }
    for (int i = 0; i < 2; i++)
        ca_simulation_close(simulation[i]);
    return status;
}

char *ca_pair_sentence(char *text, size_t size, const struct ca_pair *pair, const char *a,
                       const char *b)
{
    char ratio[CA_TEXT_MAX] = "", end[CA_QUANTITY_TEXT], count[CA_QUANTITY_TEXT];
    bool all = pair->compared == pair->experiment[0].steps, timed = pair->ratio.made > 0;

    ca_thousands(end, pair->experiment[0].steps);
    ca_thousands(count, pair->compared + !pair->equal);
    if (timed)
        ca_ratio_sentence(ratio, sizeof ratio, &pair->ratio, a, b);
    if (pair->tolerance <= 0 && !pair->equal)
        snprintf(text, size, "%s and %s differ at generation %s", a, b, end);
    else if (pair->tolerance <= 0 && !timed)
        snprintf(text, size, "the states of %s and %s at generation %s are equal", a, b, end);
    else if (pair->tolerance <= 0)
        snprintf(text, size, "%s; the states at generation %s are equal", ratio, end);
    else if (!pair->equal && all)
        snprintf(text, size, "single generations of %s and %s agree within %g, longer calls do not",
                 a, b, pair->tolerance);
    else if (!pair->equal)
        snprintf(text, size, "%s and %s differ by more than %g in the step to generation %s", a, b,
                 pair->tolerance, count);
    else
        snprintf(text, size, "%s%s%s %s generations, each from the same state, agree within %g",
                 ratio, timed ? "; " : "", all ? "all" : "the first", count, pair->tolerance);
    return text;
}
