/* SPDX-License-Identifier: MIT */
/* The byte stepper keeps two copies of the planes, and orders passes and generations. */
#include "kernels/cpu/byte_stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/instance.h"
#include "kernels/cpu/parallel_blocks.h"
#include "kernels/cpu/parallel_rows.h"

/* A worker with fewer cells, at some nanoseconds each, takes less time than a barrier. */
#define CELLS_PER_WORKER 1024

/* All that is known of an instance before it takes memory. */
static struct byte_stepper byte_stepper_describe(const struct ca_setup *setup)
{
    struct byte_stepper stepper = {
        .ops = setup->backend->ops, .setup = *setup, .size = setup->size};

    *(setup->model->dimensions == 3 ? &stepper.size.d : &stepper.size.h) = setup->slab.extent;
    stepper.threads = ca_threads_for(&setup->options, ca_cells(stepper.size), CELLS_PER_WORKER);
    return stepper;
}

static size_t byte_stepper_context_bytes(const struct byte_stepper *stepper)
{
    const struct byte_ops *ops = stepper->ops;

    return ops->context_bytes ? ops->context_bytes(&stepper->setup) : ops->context_size;
}

static void byte_stepper_report(const void *self, struct ca_plan *plan)
{
    const struct byte_stepper *stepper = self;
    const struct byte_ops *ops = stepper->ops;
    const struct ca_model *model = stepper->setup.model;
    const struct ca_backend *backend = stepper->setup.backend;
    int64_t plane_bytes = ca_cells(stepper->size) * (int64_t)ca_type_bytes(model->type);

    *plan = (struct ca_plan){
        .generations = 1,
        .threads = stepper->threads,
        .vector_bits = ops->vector_bits,
        .memory_bytes = (2 * model->planes + ops->scratch_planes) * plane_bytes +
                        (int64_t)byte_stepper_context_bytes(stepper),
        .bytes_per_cell_step = backend->bytes_per_cell_step,
        .ops_per_cell_step = backend->ops_per_cell_step,
    };
    snprintf(plan->variant, sizeof plan->variant, "%d %s a generation", ops->passes,
             ops->passes == 1 ? "pass" : "passes");
}

static enum ca_status byte_stepper_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                        struct ca_error *error)
{
    struct byte_stepper stepper = byte_stepper_describe(setup);

    (void)error;
    byte_stepper_report(&stepper, plan);
    return CA_OK;
}

static void byte_stepper_destroy(void *self)
{
    struct byte_stepper *stepper = self;

    if (!stepper)
        return;
    ca_thread_pool_destroy(stepper->thread_pool);
    ca_lattice_free(&stepper->now);
    ca_lattice_free(&stepper->next);
    ca_lattice_free(&stepper->scratch);
    mark_free(&stepper->mark);
    free(stepper->context);
    free(stepper);
}

static enum ca_status alloc_planes(struct ca_lattice *lattice, const struct byte_stepper *stepper,
                                   int planes, struct ca_error *error)
{
    enum ca_type type = stepper->setup.model->type;
    size_t bytes = (size_t)ca_cells(stepper->size) * ca_type_bytes(type);

    CA_TRY(ca_lattice_alloc(lattice, stepper->size, type, planes, error));
    for (int p = 0; p < planes; p++)
        CA_TRY(parallel_touch(lattice->plane[p], bytes, error));
    return CA_OK;
}

static enum ca_status byte_stepper_take(void *self, struct ca_error *error)
{
    struct byte_stepper *stepper = self;
    const struct byte_ops *ops = stepper->ops;
    int planes = stepper->setup.model->planes;

    CA_TRY(alloc_planes(&stepper->now, stepper, planes, error));
    CA_TRY(alloc_planes(&stepper->next, stepper, planes, error));
    CA_TRY(alloc_planes(&stepper->scratch, stepper, ops->scratch_planes, error));
    CA_TRY(instance_context(&stepper->context, byte_stepper_context_bytes(stepper), error));
    CA_TRY(ca_thread_pool_create(&stepper->thread_pool, stepper->threads, error));
    if (ops->prepare)
        ops->prepare(&stepper->setup, stepper->context);
    stepper->empty = true;
    return CA_OK;
}

static enum ca_status byte_stepper_create(void **self, const struct ca_setup *setup,
                                          struct ca_error *error)
{
    struct byte_stepper described = byte_stepper_describe(setup);

    return instance_create(self, &described, sizeof described, byte_stepper_take,
                           byte_stepper_destroy, error);
}

static size_t byte_stepper_row_bytes(const struct byte_stepper *stepper, int64_t rows)
{
    return (size_t)(stepper->size.w * rows) * ca_type_bytes(stepper->now.type);
}

static enum ca_status byte_stepper_load(void *self, const void *const planes[], int64_t first,
                                        int64_t rows, struct ca_error *error)
{
    struct byte_stepper *stepper = self;
    void *at[CA_PLANES_MAX];

    (void)error;
    stepper->empty = false;
    ca_lattice_at(&stepper->now, first, at);
    for (int p = 0; p < stepper->now.planes; p++)
        memcpy(at[p], planes[p], byte_stepper_row_bytes(stepper, rows));
    return CA_OK;
}

static enum ca_status byte_stepper_store(void *self, void *const planes[], int64_t first,
                                         int64_t rows, struct ca_error *error)
{
    struct byte_stepper *stepper = self;
    void *at[CA_PLANES_MAX];

    (void)error;
    ca_lattice_at(&stepper->now, first, at);
    for (int p = 0; p < stepper->now.planes; p++)
        memcpy(planes[p], at[p], byte_stepper_row_bytes(stepper, rows));
    return CA_OK;
}

static void clear_rows(void *context, int worker, int64_t first, int64_t last)
{
    const struct byte_stepper *stepper = context;
    void *at[CA_PLANES_MAX];

    (void)worker;
    ca_lattice_at(&stepper->now, first, at);
    for (int p = 0; p < stepper->now.planes; p++)
        memset(at[p], 0, byte_stepper_row_bytes(stepper, last - first));
}

/* The model makes its starts of whole lattices in the planes themselves. */
static enum ca_status byte_stepper_init(void *self, bool *made, struct ca_error *error)
{
    struct byte_stepper *stepper = self;
    const struct ca_setup *setup = &stepper->setup;
    const struct ca_slab *slab = &setup->slab;
    int64_t rows = ca_rows(stepper->size);

    *made = setup->start >= 0 && slab->origin == 0 && !slab->ghost_low && !slab->ghost_high &&
            slab->extent == ca_layers(setup->model, setup->size);
    if (!*made)
        return CA_OK;
    if (!stepper->empty)
        CA_TRY(parallel_rows(parallel_workers(rows, stepper->size.w), rows, clear_rows, stepper,
                             error));
    stepper->empty = false;
    return setup->model->start->init(setup, setup->start, &stepper->now, error);
}

static enum ca_status byte_stepper_survey(void *self, unsigned parts, int64_t first, int64_t rows,
                                          struct ca_survey *survey, struct ca_error *error)
{
    struct byte_stepper *stepper = self;
    void *at[CA_PLANES_MAX];

    ca_lattice_at(&stepper->now, first, at);
    return parallel_survey_cells(&stepper->setup, parts, (const void *const *)at,
                                 byte_stepper_row_bytes(stepper, 1), first, rows, survey, error);
}

static enum ca_status byte_stepper_states(void *self, int64_t first, int64_t rows, int64_t *cells,
                                          struct ca_error *error)
{
    struct byte_stepper *stepper = self;
    void *at[CA_PLANES_MAX];

    ca_lattice_at(&stepper->now, first, at);
    return parallel_states(&stepper->setup, (const void *const *)at, rows, cells, error);
}

static enum ca_status byte_stepper_blocks(void *self, const struct ca_blocks *blocks, int64_t first,
                                          int64_t rows, double *sums, struct ca_error *error)
{
    struct byte_stepper *stepper = self;

    return parallel_blocks_cells(&stepper->setup, blocks, (const void *const *)stepper->now.plane,
                                 byte_stepper_row_bytes(stepper, 1), first, rows, sums, error);
}

static enum ca_status neighbours(void *self, const struct ca_blocks *blocks, int64_t first,
                                 int64_t rows, double *neighbours, struct ca_error *error)
{
    struct byte_stepper *stepper = self;

    return parallel_neighbour_cells(
        &stepper->setup, blocks, (const void *const *)stepper->now.plane,
        byte_stepper_row_bytes(stepper, 1), first, rows, neighbours, error);
}

static enum ca_status byte_stepper_mark(void *self, enum ca_mark what, struct ca_error *error)
{
    struct byte_stepper *stepper = self;
    size_t bytes = byte_stepper_row_bytes(stepper, ca_rows(stepper->size));
    struct mark_part parts[CA_PLANES_MAX];

    stepper->empty = false;
    for (int p = 0; p < stepper->now.planes; p++)
        parts[p] = (struct mark_part){stepper->now.plane[p], bytes};
    return mark_parts(&stepper->mark, what, parts, stepper->now.planes, error);
}

struct job {
    struct byte_stepper *stepper;
    uint64_t t, n;
};

static void swap_copies(struct byte_stepper *stepper)
{
    struct ca_lattice next = stepper->next;

    stepper->next = stepper->now;
    stepper->now = next;
}

/*
 * Each worker steps its rows through all n generations. It swaps the copies in its own copy of the
 * stepper, so one barrier before each pass but the first is enough: behind it every worker has
 * finished reading what the pass overwrites.
 */
static void byte_stepper_run_worker(void *context, int worker)
{
    struct job *job = context;
    struct byte_stepper view = *job->stepper;
    int64_t first, last;

    ca_thread_pool_share(view.thread_pool, worker, ca_rows(view.size), &first, &last);
    for (uint64_t i = 0; i < job->n; i++) {
        for (int p = 0; p < view.ops->passes; p++) {
            if (i > 0 || p > 0)
                ca_thread_pool_barrier(view.thread_pool);
            view.ops->pass[p](&view, first, last, job->t + i);
        }
        swap_copies(&view);
    }
}

static enum ca_status byte_stepper_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct job job = {self, t, n};
    const struct byte_ops *ops = job.stepper->ops;

    job.stepper->empty = false;
    ca_thread_pool_run(job.stepper->thread_pool, byte_stepper_run_worker, &job);
    if (n & 1)
        swap_copies(job.stepper);
    return ops->finish ? ops->finish(job.stepper, t + n - 1, error) : CA_OK;
}

static const struct ca_stepper_observe observe = {.survey = byte_stepper_survey,
                                                  .states = byte_stepper_states,
                                                  .blocks = byte_stepper_blocks,
                                                  .neighbours = neighbours};

const struct ca_stepper byte_stepper = {
    .plan = byte_stepper_plan,
    .create = byte_stepper_create,
    .destroy = byte_stepper_destroy,
    .load = byte_stepper_load,
    .store = byte_stepper_store,
    .init = byte_stepper_init,
    .step = byte_stepper_step,
    .mark = byte_stepper_mark,
    .report = byte_stepper_report,
    .observe = &observe,
};
