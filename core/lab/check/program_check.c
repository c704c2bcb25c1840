/* SPDX-License-Identifier: MIT */
/* Checks a whole program: its runs, and the comparison of what they write. */
#include "core/lab/check/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/lab/check/trial.h"

#define LOCATE_MAX 40 /* runs that look for the first wrong generation */
#define LOCATE_S 2.0  /* that they may take */

struct check {
    struct lab_program program;
    const struct ca_lab *lab;
    struct ca_lab_report *report;
    struct ca_lab_oracle oracle; /* of the case */
    struct ca_lattice expected;  /* the reference at some generation of it */
    struct ca_lattice got;
    bool series; /* the last run has written several files */
    struct ca_error *error;
};

static uint64_t most_generations(const struct ca_lab *lab)
{
    int64_t most = 0;

    for (int i = 0; i < lab->generations; i++)
        most = lab->generation[i] > most ? lab->generation[i] : most;
    return (uint64_t)most;
}

enum ca_status lab_program_oracle(struct ca_lab_oracle *oracle, const struct lab_program *program,
                                  struct ca_size size, int seed, uint64_t n, struct ca_error *error)
{
    struct ca_lab one = *program->lab;

    one.generations = 1;
    one.generation[0] = (int64_t)n;
    if (!(program->has & CA_LAB_HAS_T)) {
        one.seed[0] = program->lab->seed[seed];
        seed = 0;
    }
    return ca_lab_oracle_make(oracle, &one, size, seed, error);
}

/* Compares the files of a run, from the earliest generation on. */
static enum ca_status compare_output(struct check *check, const struct lab_outputs *outputs)
{
    const struct ca_lab_oracle *oracle = &check->oracle;
    uint64_t at = 0;

    ca_lattice_copy(&check->expected, &oracle->state[0]);
    for (int i = 0; i < outputs->files.count; i++) {
        struct ca_difference difference;

        for (; at < outputs->generation[i]; at++)
            CA_TRY(ca_lab_oracle_next(oracle, &check->expected, oracle->t + at, check->error));
        CA_TRY(lab_program_read(&check->program, outputs, i, &check->got, check->error));
        difference = ca_lattice_compare(&check->expected, &check->got);
        check->report->cells += ca_cells(check->got.size);
        if (difference.count > 0) {
            CA_TRY(lab_report_difference(check->lab, &check->expected, &check->got, -1, difference,
                                         oracle->t + at, check->report, check->error));
            return CA_WRONG;
        }
    }
    return CA_OK;
}

/* A run of n generations. CA_WRONG: the report has the cell, or the program its fault. */
static enum ca_status run_case(struct check *check, uint64_t n)
{
    const struct ca_lab_oracle *oracle = &check->oracle;
    struct ca_lab_numbers numbers = {oracle->setup.size, oracle->setup.seed, oracle->t, n};
    struct lab_outputs outputs;
    enum ca_status status =
        lab_program_run(&check->program, &numbers, &oracle->state[0], &outputs, check->error);

    check->series = outputs.files.count > 1;
    if (status == CA_OK)
        status = compare_output(check, &outputs);
    if (status == CA_WRONG) {
        check->report->call = n;
        snprintf(check->report->command, sizeof check->report->command, "%s",
                 check->program.command);
        free(check->report->said);
        check->report->said = check->program.said;
        check->report->printed = check->program.printed;
        check->program.said = NULL;
    }
    lab_outputs_free(&outputs);
    return status;
}

/* The first number of generations below n that is wrong takes the place of n in the report. */
static enum ca_status locate_generation(struct check *check, uint64_t n)
{
    uint64_t right = check->report->passed;
    const double until = ca_now() + LOCATE_S;

    if (check->series || !(check->program.has & CA_LAB_HAS_N) || n - right > LOCATE_MAX)
        return CA_OK;
    for (uint64_t k = right + 1; k < n && ca_now() < until; k++) {
        enum ca_status status;

        check->report->verdict = CA_LAB_RIGHT;
        status = run_case(check, k);
        if (status == CA_WRONG && check->report->verdict == CA_LAB_CELL)
            return CA_OK;
        check->report->verdict = CA_LAB_CELL;
        if (status == CA_WRONG) /* another fault there says no more than the first */
            status = run_case(check, n);
        if (status != CA_OK)
            return status == CA_WRONG ? CA_OK : status;
    }
    return CA_OK;
}

/* All runs of a size and seed. */
static enum ca_status runs(struct check *check)
{
    const struct ca_lab *lab = check->lab;
    struct ca_lab_report *report = check->report;
    uint64_t most = most_generations(lab);

    report->passed = 0;
    report->repeat = 0;
    for (int i = 0; i < lab->generations; i++) {
        uint64_t n = (uint64_t)lab->generation[i];
        enum ca_status status = run_case(check, n);

        if (status == CA_WRONG && report->verdict == CA_LAB_CELL) {
            CA_TRY(locate_generation(check, n));
            CA_TRY(lab_program_why(&check->program, &report->why, check->error));
        }
        CA_TRY(status);
        report->passed = n > report->passed ? n : report->passed;
    }
    for (report->repeat = 1; report->repeat < lab->repeats; report->repeat++) {
        enum ca_status status = run_case(check, most);

        if (status == CA_WRONG && report->verdict == CA_LAB_CELL)
            lab_program_unstable(&check->program, &report->why);
        CA_TRY(status);
    }
    return CA_OK;
}

static enum ca_status one_case(struct check *check, struct ca_size size, int seed)
{
    const struct ca_model *model = check->lab->model;
    struct ca_lab_report *report = check->report;
    struct ca_error refused;
    double limit;
    enum ca_status status = lab_program_oracle(&check->oracle, &check->program, size, seed,
                                               most_generations(check->lab), &refused);

    if (status == CA_USAGE) {
        report->sizes_left_out += seed == 0;
        return CA_OK;
    }
    if (status != CA_OK) {
        *check->error = refused;
        return status;
    }
    limit = CA_LAB_SLOW_FACTOR * check->oracle.longest_s;
    check->program.limit_s = limit > check->lab->seconds ? limit : check->lab->seconds;
    report->size = size;
    report->seed = check->oracle.setup.seed;
    report->start = check->oracle.t;
    CA_TRY(ca_lattice_alloc(&check->expected, size, model->type, model->planes, check->error));
    CA_TRY(ca_lattice_alloc(&check->got, size, model->type, model->planes, check->error));
    CA_TRY(runs(check));
    report->cases++;
    return CA_OK;
}

static enum ca_status program_cases(struct check *check, ca_lab_progress *progress, void *context)
{
    const struct ca_lab *lab = check->lab;
    int order[CA_LAB_CASES_MAX];
    /* A program that is not told the seed in any way has one start. */
    int seeds = check->program.has & (CA_LAB_HAS_SEED | CA_LAB_HAS_INPUT) ? lab->seeds : 1;

    ca_lab_by_cells(lab, order);
    for (int i = 0; i < lab->sizes; i++)
        for (int seed = 0; seed < seeds; seed++) {
            enum ca_status status;

            if (progress &&
                !progress(context, check->report->how, i * seeds + seed, lab->sizes * seeds)) {
                check->error->text[0] = '\0';
                return CA_WRONG;
            }
            status = one_case(check, lab->size[order[i]], seed);
            ca_lattice_free(&check->expected);
            ca_lattice_free(&check->got);
            ca_lab_oracle_free(&check->oracle);
            check->expected = check->got = (struct ca_lattice){.planes = 0};
            memset(&check->oracle, 0, sizeof check->oracle);
            CA_TRY(status);
        }
    return CA_OK;
}

enum ca_status lab_program_check(const struct ca_lab *lab, struct ca_lab_report *report,
                                 ca_lab_progress *progress, void *context, struct ca_error *error)
{
    struct check check = {.lab = lab, .report = report, .error = error};
    double start = ca_now();
    enum ca_status status;

    error->text[0] = '\0';
    report->how = "its files";
    snprintf(report->not_watched, sizeof report->not_watched, "a whole program is run as it is");
    status = lab_program_open(&check.program, lab, error);
    if (status == CA_OK)
        status = program_cases(&check, progress, context);
    if (status == CA_WRONG && report->verdict == CA_LAB_RIGHT && check.program.fault.verdict) {
        report->verdict = check.program.fault.verdict;
        report->slow = check.program.fault.slow;
        snprintf(report->text, sizeof report->text, "%s", check.program.fault.text);
        if (!report->said) { /* of make */
            report->said = check.program.said;
            check.program.said = NULL;
        }
    }
    lab_program_close(&check.program);
    lab_report_slow(lab, report);
    report->seconds = ca_now() - start;
    return status == CA_WRONG && report->verdict != CA_LAB_RIGHT ? CA_OK : status;
}
