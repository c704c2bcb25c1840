/* SPDX-License-Identifier: MIT */
/* Runs one case: its calls, the comparison, and the search for the first wrong generation. */
#include "core/lab/check/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lab/kernel/files.h"
#include "core/lab/check/map.h"
#include "core/sim/simulation.h"

/* These fill memory that is not written yet: no value that a right kernel leaves everywhere. */
static const uint8_t patterns[] = {0xa5, 0x5a, 0xff, 0x7e, 0x81};

struct trial {
    const struct ca_lab *lab;
    const struct ca_lab_oracle *oracle;
    struct ca_lab_report *report;
    struct ca_lab_submission *submission;
    struct ca_lattice got;
    int loaded; /* the state of the reference that was loaded last */
    struct ca_error *error;
};

/* The generation of state i of the reference. */
static uint64_t generation_of(const struct trial *trial, int i)
{
    uint64_t t = trial->oracle->t;

    for (int call = 0; call < i; call++)
        t += (uint64_t)trial->lab->generation[call];
    return t;
}

/* Runs from the state that was loaded last once more, a generation a call, up to the first that is
 * wrong. */
static enum ca_status trial_locate(struct trial *trial, uint64_t end)
{
    const struct ca_lab_oracle *oracle = trial->oracle;
    struct ca_lattice expected = {.planes = 0};
    struct ca_difference difference = {.count = 0};
    enum ca_status status = ca_lattice_alloc(&expected, trial->got.size, trial->got.type,
                                             trial->got.planes, trial->error);
    const struct ca_lattice *start = &oracle->state[trial->loaded];
    uint64_t t = generation_of(trial, trial->loaded);

    if (status == CA_OK) {
        ca_lattice_copy(&expected, start);
        status = ca_lab_submission_load(trial->submission, start, t);
    }
    for (; t < end && status == CA_OK && difference.count == 0; t++) {
        status = ca_lab_oracle_next(oracle, &expected, t, trial->error);
        if (status == CA_OK)
            status = ca_lab_submission_step(trial->submission, t, 1);
        if (status == CA_OK)
            status = ca_lab_submission_store(trial->submission, &trial->got);
        if (status == CA_OK)
            difference = ca_lattice_compare(&expected, &trial->got);
    }
    if (status == CA_OK && difference.count > 0)
        status =
            lab_report_difference(trial->lab, &expected, &trial->got, trial->submission->pattern,
                                  difference, t, trial->report, trial->error);
    else if (status == CA_OK)
        trial->report->only_together = true;
    ca_lattice_free(&expected);
    return status == CA_WRONG ? CA_OK
                              : status; /* another fault there says no more than the first */
}

/* Loads state i of the reference, from which the next call goes on. */
static enum ca_status trial_load(struct trial *trial, int i)
{
    trial->loaded = i;
    trial->report->start = generation_of(trial, i);
    trial->report->passed = 0;
    trial->report->call = (uint64_t)trial->lab->generation[i];
    return ca_lab_submission_load(trial->submission, &trial->oracle->state[i],
                                  trial->report->start);
}

/* Call i, and the comparison with the state that it should end in. */
static enum ca_status call(struct trial *trial, int i)
{
    const struct ca_lattice *expected = &trial->oracle->state[i + 1];
    struct ca_lab_report *report = trial->report;
    uint64_t t = generation_of(trial, i), n = (uint64_t)trial->lab->generation[i];
    struct ca_difference difference;

    report->call = n;
    CA_TRY(ca_lab_submission_step(trial->submission, t, n));
    CA_TRY(ca_lab_submission_store(trial->submission, &trial->got));
    difference = ca_lattice_compare(expected, &trial->got);
    report->cells += ca_cells(trial->got.size);
    if (difference.count > 0) {
        CA_TRY(lab_report_difference(trial->lab, expected, &trial->got, trial->submission->pattern,
                                     difference, t + n, report, trial->error));
        CA_TRY(trial_locate(trial, t + n));
        return CA_WRONG;
    }
    report->passed += n;
    return CA_OK;
}

/* All calls, each of which goes on where the one before has ended. */
static enum ca_status calls_in_order(struct trial *trial)
{
    CA_TRY(trial_load(trial, 0));
    for (int i = 0; i < trial->oracle->calls; i++)
        CA_TRY(call(trial, i));
    return CA_OK;
}

static enum ca_status call_alone(struct trial *trial, int i)
{
    CA_TRY(trial_load(trial, i));
    return call(trial, i);
}

/* The last call first, each from a state that is loaded for it: what a kernel keeps of the call
 * before is of another state and of a later generation. */
static enum ca_status calls_apart(struct trial *trial)
{
    for (int i = trial->oracle->calls - 1; i >= 0; i--)
        CA_TRY(call_alone(trial, i));
    return CA_OK;
}

static enum ca_status calls(struct trial *trial, const struct lab_calls *how)
{
    enum ca_status status = CA_OK;

    if (how->apart)
        status = call_alone(trial, how->one);
    for (int i = 0; i < how->repeats && status == CA_OK; i++) {
        trial->report->repeat = i;
        trial->submission->pattern = patterns[(size_t)i % sizeof patterns];
        status = calls_in_order(trial);
    }
    if (status == CA_OK && how->apart)
        status = calls_apart(trial);
    if (status == CA_OK && how->warm) {
        CA_TRY(trial_load(trial, how->one));
        CA_TRY(
            ca_lab_submission_step(trial->submission, trial->report->start, trial->report->call));
    }
    if (status == CA_OK && how->alone)
        status = call_alone(trial, how->one);
    return status;
}

/* Keeps what it printed, which is reported only where something is wrong. */
static enum ca_status keep_said(struct trial *trial)
{
    const struct ca_lab_process *process = &trial->submission->process;

    if (process->kept == 0 || trial->report->said)
        return CA_OK;
    trial->report->said = strdup(process->said);
    if (!trial->report->said)
        return ca_fail(trial->error, CA_NO_MEMORY, "no memory for what a kernel prints");
    trial->report->printed = process->printed;
    return CA_OK;
}

/* --- the process ------------------------------------------------------------------------------ */

void lab_kept_fits(struct lab_kept *kept, const struct ca_lab *lab, struct ca_size size)
{
    struct ca_experiment experiment = ca_lab_experiment(lab, size, lab->seed[0]);
    struct ca_setup setup = ca_setup_of(&experiment);
    struct lab_shared layout;

    ca_lab_shared(&layout, lab, &setup);
    kept->shared_bytes = layout.bytes > kept->shared_bytes ? layout.bytes : kept->shared_bytes;
}

void lab_kept_end(struct lab_kept *kept)
{
    if (kept->open)
        ca_lab_submission_free(&kept->submission);
    kept->open = false;
}

enum ca_status lab_kept_finish(struct lab_kept *kept)
{
    enum ca_status status = CA_OK;

    if (kept && kept->open) {
        status = ca_lab_submission_finish(&kept->submission);
        lab_kept_end(kept);
    }
    return status;
}

/* Notes what it has run, for the question which case came before. */
static void lab_kept_takes(struct lab_kept *kept, const struct ca_lab_oracle *oracle)
{
    kept->last = (struct ca_lab_case){.size = oracle->setup.size,
                                      .seed = oracle->setup.seed,
                                      .t = oracle->t,
                                      .random = oracle->random,
                                      .params = oracle->setup.params};
    kept->cases++;
}

static enum ca_status open_submission(struct trial *trial, const struct ca_lab_program *program,
                                      struct lab_kept *kept)
{
    const struct ca_setup *setup = &trial->oracle->setup;
    struct ca_lab_program larger = *program;

    if (kept && kept->open)
        return ca_lab_submission_reopen(trial->submission, trial->lab, setup, program->limit_s,
                                        trial->error);
    if (kept) {
        larger.shared_bytes = kept->shared_bytes;
        kept->open = true;
        kept->cases = 0;
    }
    return ca_lab_submission_open(trial->submission, trial->lab, setup, &larger, trial->error);
}

enum ca_status lab_trial(const struct ca_lab *lab, const struct ca_lab_oracle *oracle,
                         const struct ca_lab_program *program, struct lab_kept *kept,
                         const struct lab_calls *how, struct ca_lab_report *report,
                         struct ca_error *error)
{
    struct ca_lab_submission own = {.socket = -1, .shared = -1};
    struct trial trial = {.lab = lab,
                          .oracle = oracle,
                          .report = report,
                          .submission = kept ? &kept->submission : &own,
                          .error = error};
    enum ca_status status;

    report->size = oracle->setup.size;
    report->seed = oracle->setup.seed;
    report->start = oracle->t;
    report->passed = report->call = 0;
    report->repeat = 0;
    CA_TRY(ca_lattice_alloc(&trial.got, oracle->setup.size, lab->model->type, lab->model->planes,
                            error));
    status = open_submission(&trial, program, kept);
    if (status == CA_OK)
        status = calls(&trial, how);
    if (status == CA_OK)
        status = kept ? ca_lab_submission_close(trial.submission)
                      : ca_lab_submission_finish(trial.submission);
    if (status != CA_OK || !kept)
        ca_lab_submission_end(trial.submission);
    if (status == CA_WRONG && report->verdict == CA_LAB_RIGHT) {
        report->verdict = trial.submission->fault.verdict;
        snprintf(report->text, sizeof report->text, "%s", trial.submission->fault.text);
    }
    if (status == CA_WRONG && keep_said(&trial) != CA_OK)
        status = CA_NO_MEMORY;
    if (!kept)
        ca_lab_submission_free(&own);
    else if (status != CA_OK)
        lab_kept_end(kept);
    else
        lab_kept_takes(kept, oracle);
    ca_lattice_free(&trial.got);
    return status;
}
