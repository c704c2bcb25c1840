/* SPDX-License-Identifier: MIT */
/* Owns the two copies of the planes, and the order of passes and generations. */
#include "kernels/cpu/byte_stepper.h"

#include <stdlib.h>
#include <string.h>

#include "core/machine/device.h"

/*
 * Cells of one generation for each member where the number of threads is left to us: by some
 * nanoseconds a cell, less is over before the team has met.
 */
#define CELLS_A_MEMBER 1024

static int members(const struct plain *plain, int threads)
{
    int64_t most = ca_cells(plain->size) / CELLS_A_MEMBER;
    int cores = ca_cpu_cores();

    if (threads > 0)
        return threads;
    return most < 1 ? 1 : most < cores ? (int)most : cores;
}

enum ca_status plain_create(void **self, const struct ca_setup *setup,
                            const struct plain_rule *rule, int threads, struct ca_error *error)
{
    const struct ca_model *model = setup->model;
    struct plain *plain = calloc(1, sizeof *plain);
    enum ca_status status;

    *self = NULL;
    if (!plain)
        return ca_fail(error, CA_NO_DEVICE, "no memory for a simulation");
    plain->rule = rule;
    plain->setup = *setup;
    plain->size = setup->size;
    *(model->dimensions == 3 ? &plain->size.d : &plain->size.h) = setup->slab.extent;

    status = ca_lattice_alloc(&plain->now, plain->size, model->type, model->planes, error);
    if (status == CA_OK)
        status = ca_lattice_alloc(&plain->next, plain->size, model->type, model->planes, error);
    if (status == CA_OK)
        status = ca_lattice_alloc(&plain->scratch, plain->size, model->type, rule->scratch, error);
    if (status == CA_OK && rule->context_size && !(plain->context = malloc(rule->context_size)))
        status = ca_fail(error, CA_NO_DEVICE, "no memory for a simulation");
    if (status == CA_OK)
        status = team_create(&plain->team, members(plain, threads), error);
    if (status != CA_OK) {
        plain_destroy(plain);
        return status;
    }
    if (rule->prepare)
        rule->prepare(setup, plain->context);
    *self = plain;
    return CA_OK;
}

void plain_destroy(void *self)
{
    struct plain *plain = self;

    if (!plain)
        return;
    team_destroy(plain->team);
    ca_lattice_free(&plain->now);
    ca_lattice_free(&plain->next);
    ca_lattice_free(&plain->scratch);
    free(plain->context);
    free(plain);
}

static size_t row_bytes(const struct plain *plain, int64_t rows)
{
    return (size_t)(plain->size.w * rows) * ca_type_bytes(plain->now.type);
}

enum ca_status plain_load(void *self, const void *const planes[], int64_t first, int64_t rows,
                          struct ca_error *error)
{
    struct plain *plain = self;
    void *at[CA_PLANES_MAX];

    (void)error;
    ca_lattice_at(&plain->now, first, at);
    for (int p = 0; p < plain->now.planes; p++)
        memcpy(at[p], planes[p], row_bytes(plain, rows));
    return CA_OK;
}

enum ca_status plain_store(void *self, void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    struct plain *plain = self;
    void *at[CA_PLANES_MAX];

    (void)error;
    ca_lattice_at(&plain->now, first, at);
    for (int p = 0; p < plain->now.planes; p++)
        memcpy(planes[p], at[p], row_bytes(plain, rows));
    return CA_OK;
}

struct job {
    struct plain *plain;
    uint64_t t, n;
};

static void exchange(struct plain *plain)
{
    struct ca_lattice done = plain->next;

    plain->next = plain->now;
    plain->now = done;
}

/*
 * Each member steps its rows through all n generations. The copies change roles in its own view of
 * the stepper, so that a barrier before each pass but the first is enough: who has passed it may
 * write what all have finished reading.
 */
static void run_member(void *context, int member)
{
    struct job *job = context;
    struct plain view = *job->plain;
    int64_t first, last;

    team_share(view.team, member, ca_rows(view.size), &first, &last);
    for (uint64_t i = 0; i < job->n; i++) {
        for (int p = 0; p < view.rule->passes; p++) {
            if (i > 0 || p > 0)
                team_barrier(view.team);
            view.rule->pass[p](&view, first, last, job->t + i);
        }
        exchange(&view);
    }
}

enum ca_status plain_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct job job = {self, t, n};

    (void)error;
    team_run(job.plain->team, run_member, &job);
    if (n & 1)
        exchange(job.plain);
    return CA_OK;
}
