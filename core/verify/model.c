/* SPDX-License-Identifier: MIT */
/* This file runs all cases of a model on several backends, and writes the command that repeats a
 * fault. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/ranks/processes.h"
#include "core/verify/verify.h"

/* Who is told, and how far it has come. */
struct course {
    ca_verify_progress *progress;
    void *context;
    int done, all;
    bool stopped;
};

/* Whether it says nothing against a backend unless it is so of all cases. */
static bool fault_is_none(enum ca_fault fault)
{
    return fault == CA_FAULT_NONE || fault == CA_FAULT_REFUSED || fault == CA_FAULT_DIVERGED;
}

static enum ca_status try_ranks(const struct ca_verify_oracle *oracle,
                                struct ca_verify_result *result, int ranks,
                                struct ca_verify_fault *fault, struct ca_error *error)
{
    double start = ca_now();

    CA_TRY(ca_verify_one(oracle, result->backend, ranks, fault, &result->cells, error));
    result->seconds += ca_now() - start;
    result->cases += fault->fault != CA_FAULT_REFUSED;
    result->failed += !fault_is_none(fault->fault);
    /* A refusal is replaced once a case runs; a fault is kept. */
    if (fault_is_none(result->first.fault))
        result->first = *fault;
    return CA_OK;
}

/* Counts the case if the reference diverges in it. Whether a generation is left to be compared. */
static bool count_divergence(struct ca_verify_result *result, const struct ca_verify_oracle *oracle,
                             const struct ca_verify_case *test)
{
    const char *divergence = ca_verify_divergence(oracle);

    result->drawn++;
    if (divergence && result->diverged++ == 0)
        snprintf(result->divergence, sizeof result->divergence, "%s", divergence);
    if (ca_verify_comparable(oracle))
        return true;
    result->left_out++;
    if (result->first.fault == CA_FAULT_NONE) {
        result->first.fault = CA_FAULT_DIVERGED;
        result->first.experiment = ca_verify_experiment(test, result->backend, 0);
        snprintf(result->first.text, sizeof result->first.text,
                 "no case has a generation to compare: %.680s", divergence);
    }
    return false;
}

static enum ca_status try_all(const struct ca_verify_case *test, struct ca_verify_result *result,
                              int count, const struct ca_verify_choice *choice,
                              struct course *course, struct ca_verify_fault *fault,
                              struct ca_error *error)
{
    struct ca_verify_oracle *oracle;
    bool any = !test->reaches;
    enum ca_status status;

    for (int i = 0; i < count; i++)
        any |= test->reaches == result[i].backend && result[i].available;
    if (!any)
        return CA_OK;
    CA_TRY(ca_verify_oracle(&oracle, test, error));
    status = CA_OK;
    for (int i = 0; i < count && status == CA_OK; i++)
        if (result[i].available && (!test->reaches || test->reaches == result[i].backend)) {
            int r = 0;

            course->stopped |=
                course->progress &&
                !course->progress(course->context, result[i].backend, course->done, course->all);
            if (course->stopped)
                break;
            if (!count_divergence(&result[i], oracle, test))
                continue;
            do /* 0: its own number of ranks */
                status = try_ranks(oracle, &result[i], choice->rank_counts ? choice->ranks[r] : 0,
                                   fault, error);
            while (++r < choice->rank_counts && status == CA_OK);
        }
    ca_verify_oracle_free(oracle);
    return status;
}

enum ca_status ca_verify_model(const struct ca_model *model, struct ca_verify_result *result,
                               int count, const struct ca_verify_choice *choice,
                               ca_verify_progress *progress, void *context, struct ca_error *error)
{
    struct ca_verify_fault *fault = calloc(1, sizeof *fault);
    struct ca_verify_case *tests = NULL;
    enum ca_status status = CA_OK;
    /* Whether lattices are tried that are not cut, so that small ones suffice. */
    bool any = false, whole = choice->rank_counts == 0 && ca_process_count() == 1;
    struct course course = {.progress = progress, .context = context};
    int made = 0;

    for (int i = 0; i < count; i++) {
        struct ca_error reason;

        result[i].available = ca_backend_available(result[i].backend, &reason) == CA_OK;
        if (!result[i].available)
            snprintf(result[i].reason, sizeof result[i].reason, "%s", reason.text);
        any |= result[i].available;
    }
    if (!fault)
        status = ca_fail(error, CA_NO_MEMORY, "no memory for the cases of %s", model->name);
    else if (any)
        status = ca_verify_cases(&tests, &made, model, choice, error);
    for (int i = 0; i < choice->rank_counts; i++)
        whole |= choice->ranks[i] == 1;
    course.all = made;
    while (course.done < made && status == CA_OK && !course.stopped) {
        status = try_all(&tests[course.done], result, count, choice, &course, fault, error);
        course.done += !course.stopped;
    }
    for (int i = 0; i < count && made > 0 && course.done == made; i++)
        if (result[i].available && result[i].cases == 0 && result[i].left_out == 0 && !whole) {
            /* It was only asked for slabs: else one that no case has reached is a fault. */
            result[i].available = false;
            snprintf(result[i].reason, sizeof result[i].reason,
                     "no case is large enough to be cut: %.600s", result[i].first.text);
        } else if (result[i].available && result[i].cases == 0) {
            result[i].failed = 1;
        } else if (result[i].failed == 0) {
            result[i].first.fault = CA_FAULT_NONE;
        }
    free(tests);
    free(fault);
    return status;
}

char *ca_verify_command(const struct ca_verify_fault *fault, const struct ca_verify_choice *choice)
{
    const struct ca_experiment *e = &fault->experiment;
    int index = ca_values_find(&e->options, "ranks");
    char *command = NULL, *word, subset[32] = "", ranks[32] = "";
    int length;

    if (fault->fault == CA_FAULT_CELL && e->backend->tolerance == 0)
        return ca_experiment_command(e, NULL, fault->generation);
    if (choice->count > 0)
        snprintf(subset, sizeof subset, " --cases %d", choice->count);
    if (index >= 0 && e->options.value[index].number > 1)
        snprintf(ranks, sizeof ranks, " --ranks %d", (int)e->options.value[index].number);
    word = ca_shell_word(ca_model_word(e->model));
    if (!word)
        return NULL;
    length =
        asprintf(&command, "calab verify %s -b %s --seed %" PRIu64 "%s%s%s", word, e->backend->name,
                 choice->seed, subset, choice->small ? " --small" : "", ranks);
    free(word);
    return length < 0 ? NULL : command;
}
