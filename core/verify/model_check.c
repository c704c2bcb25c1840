/* SPDX-License-Identifier: MIT */
/*
 * This file tries the properties of a model in a file: those of its function, which kernels/file
 * knows, and those that every simulation shows. What a process finds is in memory that it shares.
 */
#include "core/verify/model_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/isolated.h"
#include "core/model/registry.h"
#include "core/sim/simulation.h"
#include "core/verify/verify.h"

#define REPEATED 20        /* generations that are run again */
#define CONSERVED_CASES 48 /* experiments whose totals are followed, */
#define CONSERVED_FOR 32   /* for so many generations */

/* What a process works on and leaves. */
struct task {
    const struct ca_model *model;
    const char *path;
    uint64_t seed;
    const struct ca_model_property *property;
    const struct ca_backend *backend;
    uint64_t hash[2]; /* of what is run again, in two processes */
    int process;
    /* What it leaves. */
    enum ca_status status;
    char text[CA_TEXT_MAX];
    struct ca_error error;
};

/* --- work in processes ------------------------------------------------------------------------ */

static void work_open(void *context)
{
    struct task *task = context;
    const struct ca_model *model;

    task->status = ca_model_open(&model, task->path, &task->error);
}

static void work_property(void *context)
{
    struct task *task = context;

    task->status = task->property->check(task->model, task->seed, task->text, &task->error);
}

/* The hash after some generations of a small lattice from a seed, by the reference. */
static enum ca_status hash_of_run(const struct task *task, uint64_t seed, uint64_t *hash,
                                  struct ca_error *error)
{
    struct ca_experiment experiment;
    struct ca_simulation *simulation;
    enum ca_status status;

    ca_experiment_default(&experiment, task->model);
    ca_experiment_backend(&experiment, task->model->backends, CA_FROM_COMMAND_LINE);
    experiment.size =
        task->model->dimensions == 3 ? (struct ca_size){12, 14, 16} : (struct ca_size){46, 34, 1};
    experiment.seed = seed;
    CA_TRY(ca_simulation_open(&simulation, &experiment, error));
    status = CA_OK;
    for (int i = 0; i < REPEATED && status == CA_OK; i++) {
        status = ca_simulation_step(simulation, 1, error);
        ca_isolated_alive();
    }
    if (status == CA_OK)
        status = ca_simulation_hash(simulation, hash, error);
    ca_simulation_close(simulation);
    return status;
}

/* The first process has run something else before. */
static void work_repeat(void *context)
{
    struct task *task = context;
    uint64_t other;

    task->status = CA_OK;
    if (task->process == 0)
        task->status = hash_of_run(task, task->seed + 1, &other, &task->error);
    if (task->status == CA_OK)
        task->status = hash_of_run(task, task->seed, &task->hash[task->process], &task->error);
}

/* Follows the totals of one experiment. */
static enum ca_status follow_totals(struct ca_experiment *experiment, struct ca_error *error)
{
    const struct ca_observable *o = ca_observables(experiment->model);
    double first[CA_OBSERVABLES_MAX], now[CA_OBSERVABLES_MAX];
    struct ca_simulation *simulation;
    enum ca_status status;

    CA_TRY(ca_simulation_open(&simulation, experiment, error));
    status = ca_simulation_observe(simulation, first, error);
    for (int t = 1; t <= CONSERVED_FOR && status == CA_OK; t++) {
        status = ca_simulation_step(simulation, 1, error);
        if (status == CA_OK)
            status = ca_simulation_observe(simulation, now, error);
        ca_isolated_alive();
        for (int i = 0; o[i].name && status == CA_OK; i++) {
            double allowed = o[i].tolerance * (first[i] != 0 ? fabs(first[i]) : 1);
            char place[CA_TEXT_MAX], *command;

            if (!o[i].conserved || (isfinite(now[i]) && fabs(now[i] - first[i]) <= allowed))
                continue;
            experiment->model->source->place(experiment->model, NULL, place);
            command = ca_experiment_command(experiment, NULL, (uint64_t)t);
            status = ca_fail(error, CA_WRONG,
                             "%.80s: %s is not conserved: %.15g at the start, %.15g at generation "
                             "%d; %.300s",
                             place, o[i].name, first[i], now[i], t, command ? command : "");
            free(command);
        }
    }
    ca_simulation_close(simulation);
    return status;
}

static void work_conserved(void *context)
{
    struct task *task = context;
    const struct ca_verify_choice choice = {.seed = task->seed, .small = true};
    const struct ca_observable *o = ca_observables(task->model);
    struct ca_verify_case *cases;
    int made, any = 0, followed = 0;

    for (int i = 0; o[i].name; i++)
        any += o[i].conserved != NULL;
    if (!any) {
        snprintf(task->text, sizeof task->text, "nothing is declared to be (CA_CONSERVED)");
        return;
    }
    task->status = ca_verify_cases(&cases, &made, task->model, &choice, &task->error);
    for (int i = made - 1; i >= 0 && followed < CONSERVED_CASES && task->status == CA_OK; i--) {
        if (ca_cells(cases[i].experiment.size) < 64)
            continue;
        task->status = follow_totals(&cases[i].experiment, &task->error);
        followed++;
    }
    for (int i = 0, used = 0; o[i].name && used < CA_TEXT_MAX / 2; i++)
        if (o[i].conserved)
            used += snprintf(task->text + used, sizeof task->text - (size_t)used, "%s%s",
                             used ? ", " : "", o[i].name);
    snprintf(task->text + strlen(task->text), sizeof task->text - strlen(task->text),
             " stayed in %d experiments of %d generations", followed, CONSERVED_FOR);
    free(cases);
}

static bool case_begins(void *context, const struct ca_backend *backend, int done, int all)
{
    (void)context, (void)backend, (void)done, (void)all;
    ca_isolated_alive();
    return true;
}

static void work_backend(void *context)
{
    struct task *task = context;
    const struct ca_verify_choice choice = {.seed = task->seed, .small = true};
    struct ca_verify_result *result = calloc(1, sizeof *result);
    char *command;

    if (!result) {
        task->status = ca_fail(&task->error, CA_NO_MEMORY, "no memory");
        return;
    }
    result->backend = task->backend;
    task->status =
        ca_verify_model(task->model, result, 1, &choice, case_begins, NULL, &task->error);
    if (task->status == CA_OK && !result->available) {
        task->status = ca_fail(&task->error, CA_NO_DEVICE, "%s", result->reason);
    } else if (task->status == CA_OK && result->failed) {
        command = ca_verify_command(&result->first, &choice);
        task->status = ca_fail(&task->error, CA_WRONG, "%.450s; %.300s", result->first.text,
                               command ? command : "");
        free(command);
    }
    snprintf(task->text, sizeof task->text, "%d cases, %" PRId64 " cells equal reference",
             result->cases, result->cells);
    if (result->diverged)
        snprintf(task->text + strlen(task->text), sizeof task->text - strlen(task->text),
                 "; %d end early: %.200s", result->diverged, result->divergence);
    free(result);
}

/* --- what came of it -------------------------------------------------------------------------- */

struct checking {
    struct ca_model_check *check;
    struct task *task;
    bool hopeless; /* cell() crashes or does not return: all else would, too */
    bool faulty;   /* it does what no simulation allows */
};

static void finding_report(struct checking *c, const char *property, int result, const char *text)
{
    struct ca_model_finding finding = {.result = result};

    snprintf(finding.property, sizeof finding.property, "%s", property);
    snprintf(finding.text, sizeof finding.text, "%s", text);
    c->check->tried += result != CA_PROPERTY_UNTRIED;
    c->check->broken += result == CA_PROPERTY_BROKEN;
    c->check->report(c->check->context, &finding);
}

/* Says where the process ended that should have gone on. */
static void unended_report(struct checking *c, const char *property,
                           const struct ca_isolated_end *end)
{
    const struct ca_model *model = c->task->model;
    char place[CA_TEXT_MAX] = "the file";
    struct ca_error error;

    if (model)
        model->source->place(model, end->at, place);
    ca_isolated_report(end, place, c->check->limit_s, &error);
    c->hopeless = true;
    finding_report(c, property, CA_PROPERTY_BROKEN, error.text);
}

/* Runs work for a property in a process, and reports what comes of it but for success. Whether it
 * succeeded. */
static bool property_try(struct checking *c, const char *property, void (*work)(void *),
                         struct ca_error *error)
{
    struct task *task = c->task;
    struct ca_isolated_end end;

    task->status = CA_OK;
    task->text[0] = '\0';
    if (ca_isolated_run(work, task, c->check->limit_s, c->check->go_on, &end, error) != CA_OK)
        return false;
    if (end.how == CA_ISOLATED_STOPPED) {
        ca_error_set(error, CA_TIMEOUT, "stopped; only the finished properties are printed");
    } else if (end.how != CA_ISOLATED_DONE) {
        unended_report(c, property, &end);
    } else if (task->status == CA_NO_DEVICE) {
        finding_report(c, property, CA_PROPERTY_UNTRIED, task->error.text);
    } else if (task->status != CA_OK) {
        finding_report(c, property, CA_PROPERTY_BROKEN, task->error.text);
    } else {
        return true;
    }
    return false;
}

static void try_one(struct checking *c, const char *property, void (*work)(void *),
                    struct ca_error *error)
{
    if (error->status != CA_OK)
        return;
    if (c->hopeless)
        finding_report(c, property, CA_PROPERTY_UNTRIED,
                       "the model's code crashes or does not return");
    else if (property_try(c, property, work, error))
        finding_report(c, property, CA_PROPERTY_HOLDS, c->task->text);
}

/* Simulations would say again what the function was found to do. */
static void try_simulations(struct checking *c, const char *property, void (*work)(void *),
                            struct ca_error *error)
{
    if (error->status == CA_OK && c->faulty && !c->hopeless)
        finding_report(c, property, CA_PROPERTY_UNTRIED, "cell() is wrong, as said above");
    else
        try_one(c, property, work, error);
}

static void try_repeat(struct checking *c, struct ca_error *error)
{
    struct task *task = c->task;
    char place[CA_TEXT_MAX], text[768];

    for (task->process = 0; task->process < 2; task->process++) {
        if (error->status != CA_OK || c->hopeless || c->faulty) {
            try_simulations(c, "repeat", work_repeat, error);
            return;
        }
        if (!property_try(c, "repeat", work_repeat, error))
            return;
    }
    if (task->hash[0] == task->hash[1]) {
        snprintf(text, sizeof text,
                 "%d generations after others and in a process of their own "
                 "are the same",
                 REPEATED);
        finding_report(c, "repeat", CA_PROPERTY_HOLDS, text);
        return;
    }
    task->model->source->place(task->model, NULL, place);
    snprintf(text, sizeof text,
             "%s: a run gives another result after a different one: something static is kept "
             "between calls",
             place);
    finding_report(c, "repeat", CA_PROPERTY_BROKEN, text);
}

static int count_of(const struct ca_model *model, int *params, int *observables, int *starts)
{
    int states = 0;

    *params = *observables = *starts = 0;
    while (model->type == CA_U8 && ca_draw_of(model)->states[states].name)
        states++;
    while (model->params[*params].name)
        ++*params;
    while (ca_observables(model)[*observables].name)
        ++*observables;
    while (model->start->named[*starts].name)
        ++*starts;
    return states;
}

static void declaration_report(struct checking *c)
{
    const struct ca_model *model = c->task->model;
    int params, observables, starts, states = count_of(model, &params, &observables, &starts);
    char text[768];

    snprintf(text, sizeof text,
             "%s: %s, %d %s, radius %d; parameters: %d, counts and sums: %d, starts: %d",
             model->name, model->dimensions == 3 ? "3D" : "2D", states ? states : model->planes,
             states ? "states" : "planes of floats", model->radius, params, observables, starts);
    finding_report(c, "declaration", CA_PROPERTY_HOLDS, text);
}

/* A constructor of the file, even, runs in a process of its own first. */
static enum ca_status check_open(struct checking *c, struct ca_error *error)
{
    struct ca_isolated_end end;

    CA_TRY(ca_isolated_run(work_open, c->task, 300, c->check->go_on, &end, error));
    if (end.how == CA_ISOLATED_STOPPED)
        return ca_fail(error, CA_TIMEOUT, "stopped before the model was compiled");
    if (end.how != CA_ISOLATED_DONE)
        return ca_fail(error, CA_WRONG, "%.300s: the program ends where the file is loaded",
                       c->task->path);
    if (c->task->status != CA_OK) {
        *error = c->task->error;
        return error->status;
    }
    CA_TRY(ca_model_open(&c->task->model, c->task->path, error));
    if (!c->task->model->source)
        return ca_fail(error, CA_USAGE, "%s is a built-in model: calab verify %s checks it",
                       c->task->model->name, c->task->model->name);
    declaration_report(c);
    return CA_OK;
}

static void check_all(struct checking *c, struct ca_error *error)
{
    const struct ca_model *model = c->task->model;

    for (const struct ca_model_property *p = model->source->properties; p->name; p++) {
        int broken = c->check->broken;

        c->task->property = p;
        try_one(c, p->name, work_property, error);
        c->faulty |= c->check->broken > broken;
    }
    try_repeat(c, error);
    try_simulations(c, "conserved", work_conserved, error);
    for (const struct ca_backend *b = ca_backend_next(model, model->backends); b;
         b = ca_backend_next(model, b)) {
        c->task->backend = b;
        try_simulations(c, b->name, work_backend, error);
    }
}

enum ca_status ca_model_check(struct ca_model_check *check, const char *path,
                              struct ca_error *error)
{
    struct checking c = {.check = check, .task = ca_shared_memory(sizeof *c.task)};
    enum ca_status status;

    check->tried = check->broken = 0;
    if (!c.task)
        return ca_fail(error, CA_NO_MEMORY, "no memory to share with a process");
    c.task->path = path;
    c.task->seed = check->seed;
    status = check_open(&c, error);
    if (status == CA_OK) {
        struct ca_error ended = {.status = CA_OK};

        check_all(&c, &ended);
        status = ended.status;
        *error = status == CA_OK ? *error : ended;
    }
    ca_shared_free(c.task, sizeof *c.task);
    return status;
}
