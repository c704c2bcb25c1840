/* SPDX-License-Identifier: MIT */
/* Looks for causes in order: first those that results show, then the influence of single cells. */
#include "core/lab/cause/influence.h"

#include <stdlib.h>

#include "core/lab/cause/cause.h"

#define PLACES_LOOKED_AT 8

const char *const ca_cause_names[CA_CAUSES] = {
    "unknown",  "unwritten", "input-changed", "unstable", "range",      "generation",
    "axes",     "shifted",   "rounding",      "in-place", "neighbours", "parity",
    "boundary", "halo",      "tail",          "rule",     "draws",
};

static void report_unknown(struct prober *prober, const struct cause_place *place)
{
    char where[CAUSE_NAME_MAX];
    bool all = place_is_all(place);
    int64_t at[3];

    place_text(where, place);
    for (int64_t i = 0; i < prober->cells; i++) {
        cell_at(prober->setup.size, i, at);
        if (!prober->wrong[i] || !place_holds(place, at))
            continue;
        cause_add(
            prober, CA_CAUSE_UNKNOWN, 0,
            "The cause is unknown: %lld of %lld cells%s%s come out wrong after one generation, "
            "the first at (%lld, %lld, %lld).",
            (long long)place->cells, (long long)prober->cells, all ? "" : ", with ",
            all ? "" : where, (long long)at[0], (long long)at[1], (long long)at[2]);
        return;
    }
}

/* Whether the wrong cells of a place keep what they hold at the start. */
static bool keeps_start(const struct prober *prober, const struct cause_place *place)
{
    for (int s = 0; s < prober->samples; s++) {
        const struct cause_sample *sample = &prober->sample[s];
        int64_t at[3];

        for (int64_t i = 0; i < prober->cells; i++) {
            cell_at(prober->setup.size, i, at);
            if (prober->wrong[i] && place_holds(place, at) &&
                cell_differs(&sample->start, &sample->got, i))
                return false;
        }
    }
    return true;
}

static enum ca_status look_at(struct prober *prober, const struct cause_place *places, int count,
                              int which, struct stencil *stencil)
{
    const struct cause_place *place = &places[which];
    bool same, found = false;
    char where[CAUSE_NAME_MAX];

    if (!place_is_all(place) && keeps_start(prober, place)) {
        cause_add(prober, place_cause(prober, place), 1,
                  "Cells with %s keep what they hold at the start: they are not updated.",
                  place_text(where, place));
        return CA_OK;
    }
    CA_TRY(cause_neighbours(prober, places, count, which, stencil, &same));
    if (same) {
        CA_TRY(cause_rule(prober, stencil, place, &found));
        if (prober->model->type == CA_F32)
            cause_float_rule(prober, place, &found);
    }
    return CA_OK;
}

/* `set` has a byte a cell. */
static enum ca_status look_at_wrong(struct prober *prober, uint8_t *set, struct stencil *stencil)
{
    struct cause_place places[CAUSE_PLACES_MAX];
    int count;

    for (int64_t i = 0; i < prober->cells; i++)
        set[i] = prober->wrong[i] > 0;
    count = places_find(places, set, prober->setup.size);
    if (count < 0)
        return prober_short(prober);
    if (count > PLACES_LOOKED_AT)
        count = PLACES_LOOKED_AT;
    for (int i = 0; i < count; i++)
        CA_TRY(look_at(prober, places, count, i, stencil));
    if (prober->findings->count == 0)
        report_unknown(prober, &places[0]);
    return CA_OK;
}

static enum ca_status look_at_places(struct prober *prober)
{
    struct stencil *stencil = malloc(sizeof *stencil);
    uint8_t *set = malloc((size_t)prober->cells);
    enum ca_status status =
        stencil && set ? look_at_wrong(prober, set, stencil) : prober_short(prober);

    free(set);
    free(stencil);
    return status;
}

static enum ca_status find_causes(struct prober *prober)
{
    static enum ca_status (*const hypotheses[])(struct prober *, bool *) = {
        cause_axes, cause_shifted, cause_draws, cause_in_place};
    bool done = false;

    if (prober->subject->input_changed)
        cause_add(prober, CA_CAUSE_INPUT_CHANGED, 1,
                  "The kernel writes to its input, the planes of this generation.");
    CA_TRY(prober_sample(prober));
    CA_TRY(cause_direct(prober, &done));
    if (done)
        return CA_OK;
    if (prober->wrong_cells == 0)
        return cause_generations(prober, &done);
    cause_rounding(prober, &done);
    for (size_t i = 0; i < sizeof hypotheses / sizeof hypotheses[0] && !done; i++)
        CA_TRY(hypotheses[i](prober, &done));
    return done ? CA_OK : look_at_places(prober);
}

enum ca_status ca_find_causes(const struct ca_subject *subject, const struct ca_probing *probing,
                              struct ca_findings *findings, struct ca_error *error)
{
    struct prober *prober = malloc(sizeof *prober);
    enum ca_status status;

    *findings = (struct ca_findings){.count = 0};
    if (!prober)
        return ca_fail(error, CA_NO_MEMORY, "no memory to look for causes");
    status = prober_open(prober, subject, probing, findings, error);
    if (status == CA_OK) {
        status = find_causes(prober);
        prober_close(prober);
    }
    free(prober);
    return status;
}
