/* SPDX-License-Identifier: MIT */
/* Runs probes on a submission. */
#include "core/lab/cause/why.h"

#include "core/sim/simulation.h"

static enum ca_status run_submission(void *context, const struct ca_lattice *start,
                                     uint64_t generation, uint64_t generations,
                                     struct ca_lattice *result, struct ca_error *error)
{
    struct ca_lab_submission *submission = context;

    submission->pattern = *(const uint8_t *)result->plane[0];
    CA_TRY(ca_lab_submission_load(submission, start, generation, error));
    CA_TRY(ca_lab_submission_step(submission, generation, generations, error));
    return ca_lab_submission_store(submission, result, error);
}

enum ca_status ca_lab_why(const struct ca_lab *lab, const struct ca_lab_program *program,
                          struct ca_findings *findings, struct ca_error *error)
{
    struct ca_size size = ca_probing_size(lab->model);
    struct ca_experiment experiment = ca_lab_experiment(lab, size, lab->seed[0]);
    struct ca_probing probing = {.size = size};
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
