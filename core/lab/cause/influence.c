/* SPDX-License-Identifier: MIT */
/* Looks for causes in order: first those that results show, then the influence of single cells. */
#include "core/lab/cause/influence.h"

#include <stdlib.h>

#include "core/lab/cause/cause.h"
#include "core/lab/process/submission.h"
#include "core/sim/simulation.h"

#define PLACES_LOOKED_AT 8
#define WHY_S 8.0 /* that the search for the causes of a lab may take */

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

static enum ca_status find_causes(struct prober *prober, struct stencil *stencil)
{
    static enum ca_status (*const hypotheses[])(struct prober *, bool *) = {
        cause_axes, cause_shifted, cause_draws, cause_in_place};
    struct cause_place places[CAUSE_PLACES_MAX];
    bool done = false;
    int count;

    if (prober->subject->input_changed)
        cause_add(
            prober, CA_CAUSE_INPUT_CHANGED, 1,
            "You wrote into the old plane: the kernel writes to its input, the planes of this "
            "generation.");
    CA_TRY(prober_sample(prober));
    CA_TRY(cause_direct(prober, &done));
    if (done)
        return CA_OK;
    if (prober->wrong_cells == 0)
        return cause_generations(prober, &done);
    cause_rounding(prober, &done);
    for (size_t i = 0; i < sizeof hypotheses / sizeof hypotheses[0] && !done; i++)
        CA_TRY(hypotheses[i](prober, &done));
    if (done)
        return CA_OK;
    for (int64_t i = 0; i < prober->cells; i++)
        prober->set[0][i] = prober->wrong[i] > 0;
    count = places_find(places, prober->set[0], prober->setup.size);
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

enum ca_status ca_find_causes(const struct ca_subject *subject, const struct ca_probing *probing,
                              struct ca_findings *findings, struct ca_error *error)
{
    struct stencil *stencil = malloc(sizeof *stencil);
    struct prober prober;
    enum ca_status status;

    *findings = (struct ca_findings){.count = 0};
    if (!stencil)
        return ca_fail(error, CA_NO_MEMORY, "no memory to look for causes");
    status = prober_open(&prober, subject, probing, findings, error);
    if (status == CA_OK) {
        status = find_causes(&prober, stencil);
        prober_close(&prober);
    }
    free(stencil);
    return status;
}

/* --- of a submission -------------------------------------------------------------------------- */

static enum ca_status run_submission(void *context, const struct ca_lattice *start,
                                     uint64_t generation, uint64_t generations,
                                     struct ca_lattice *result, struct ca_error *error)
{
    struct ca_lab_submission *submission = context;

    (void)error; /* CA_WRONG is the kernel's fault alone */
    submission->pattern = *(const uint8_t *)result->plane[0];
    CA_TRY(ca_lab_submission_load(submission, start, generation));
    CA_TRY(ca_lab_submission_step(submission, generation, generations));
    return ca_lab_submission_store(submission, result);
}

enum ca_status ca_lab_why(const struct ca_lab *lab, const struct ca_lab_program *program,
                          struct ca_findings *findings, struct ca_error *error)
{
    struct ca_size size = ca_probing_size(lab->model);
    struct ca_experiment experiment = ca_lab_experiment(lab, size, lab->seed[0]);
    struct ca_probing probing = {.size = size, .seconds = WHY_S};
    struct ca_lab_submission submission;
    struct ca_subject subject = {
        .experiment = &experiment, .run = run_submission, .context = &submission};
    struct ca_setup setup;
    enum ca_status status;

    findings->count = 0;
    status = ca_experiment_check(&experiment, error);
    if (status != CA_OK)
        return status == CA_USAGE ? CA_OK : status;
    setup = ca_setup_of(&experiment);
    status = ca_lab_submission_open(&submission, lab, &setup, program, error);
    if (status == CA_OK)
        status = ca_find_causes(&subject, &probing, findings, error);
    if (status == CA_WRONG || status == CA_USAGE) {
        findings->count = 0;
        status = CA_OK;
    }
    ca_lab_submission_free(&submission);
    return status;
}
