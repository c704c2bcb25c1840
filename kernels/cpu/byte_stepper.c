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

static int workers(const struct byte_stepper *stepper, int threads)
{
    int64_t most = ca_cells(stepper->size) / CELLS_A_MEMBER;
    int cores = ca_cpu_cores();

    if (threads > 0)
        return threads;
    return most < 1 ? 1 : most < cores ? (int)most : cores;
}

static void destroy(void *self)
{
    struct byte_stepper *stepper = self;

    if (!stepper)
        return;
    thread_pool_destroy(stepper->thread_pool);
    ca_lattice_free(&stepper->now);
    ca_lattice_free(&stepper->next);
    ca_lattice_free(&stepper->scratch);
    free(stepper->context);
    free(stepper);
}

static enum ca_status create(void **self, const struct ca_setup *setup, struct ca_error *error)
{
    const struct byte_ops *ops = setup->backend->ops;
    const struct ca_model *model = setup->model;
    struct byte_stepper *stepper = calloc(1, sizeof *stepper);
    enum ca_status status;

    *self = NULL;
    if (!stepper)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    stepper->ops = ops;
    stepper->setup = *setup;
    stepper->size = setup->size;
    *(model->dimensions == 3 ? &stepper->size.d : &stepper->size.h) = setup->slab.extent;

    status = ca_lattice_alloc(&stepper->now, stepper->size, model->type, model->planes, error);
    if (status == CA_OK)
        status = ca_lattice_alloc(&stepper->next, stepper->size, model->type, model->planes, error);
    if (status == CA_OK)
        status =
            ca_lattice_alloc(&stepper->scratch, stepper->size, model->type, ops->scratch, error);
    if (status == CA_OK && ops->context_size && !(stepper->context = malloc(ops->context_size)))
        status = ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    if (status == CA_OK)
        status = thread_pool_create(&stepper->thread_pool,
                                    workers(stepper, threads_wanted(&setup->options)), error);
    if (status != CA_OK) {
        destroy(stepper);
        return status;
    }
    if (ops->prepare)
        ops->prepare(setup, stepper->context);
    *self = stepper;
    return CA_OK;
}

static size_t row_bytes(const struct byte_stepper *stepper, int64_t rows)
{
    return (size_t)(stepper->size.w * rows) * ca_type_bytes(stepper->now.type);
}

static enum ca_status load(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    struct byte_stepper *stepper = self;
    void *at[CA_PLANES_MAX];

    (void)error;
    ca_lattice_at(&stepper->now, first, at);
    for (int p = 0; p < stepper->now.planes; p++)
        memcpy(at[p], planes[p], row_bytes(stepper, rows));
    return CA_OK;
}

static enum ca_status store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error)
{
    struct byte_stepper *stepper = self;
    void *at[CA_PLANES_MAX];

    (void)error;
    ca_lattice_at(&stepper->now, first, at);
    for (int p = 0; p < stepper->now.planes; p++)
        memcpy(planes[p], at[p], row_bytes(stepper, rows));
    return CA_OK;
}

struct job {
    struct byte_stepper *stepper;
    uint64_t t, n;
};

static void exchange(struct byte_stepper *stepper)
{
    struct ca_lattice done = stepper->next;

    stepper->next = stepper->now;
    stepper->now = done;
}

/*
 * Each member steps its rows through all n generations. The copies change roles in its own view of
 * the stepper, so that a barrier before each pass but the first is enough: who has passed it may
 * write what all have finished reading.
 */
static void run_member(void *context, int member)
{
    struct job *job = context;
    struct byte_stepper view = *job->stepper;
    int64_t first, last;

    thread_pool_share(view.thread_pool, member, ca_rows(view.size), &first, &last);
    for (uint64_t i = 0; i < job->n; i++) {
        for (int p = 0; p < view.ops->passes; p++) {
            if (i > 0 || p > 0)
                thread_pool_barrier(view.thread_pool);
            view.ops->pass[p](&view, first, last, job->t + i);
        }
        exchange(&view);
    }
}

static enum ca_status step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct job job = {self, t, n};

    (void)error;
    thread_pool_run(job.stepper->thread_pool, run_member, &job);
    if (n & 1)
        exchange(job.stepper);
    return CA_OK;
}

static void report(const void *self, struct ca_plan *plan)
{
    const struct byte_stepper *stepper = self;

    *plan = (struct ca_plan){.generations = 1, .threads = thread_pool_size(stepper->thread_pool)};
}

const struct ca_stepper byte_stepper = {
    .create = create,
    .destroy = destroy,
    .load = load,
    .store = store,
    .step = step,
    .report = report,
};
