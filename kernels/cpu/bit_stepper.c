/* SPDX-License-Identifier: MIT */
/* The bit stepper keeps two copies of the bit planes, and orders passes and generations. */
#include "kernels/cpu/bit_stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/instance.h"

/*
 * A worker with fewer cells steps a generation in less time than a barrier takes. Two workers with
 * AVX-512 gained 1.5 with 2^16 cells each and 1.1 with half of that, on cores of their own; on
 * shared cores a barrier costs far more.
 */
#define CELLS_PER_WORKER (INT64_C(1) << 16)

static int bits_of(const struct bit_ops *ops) { return ops->bits ? ops->bits : 1; }

/* Planes as views of one allocation, in which row r of all planes is contiguous. */
static void lay_out_planes(const struct bit_rows *memory, struct bit_rows plane[], int planes)
{
    for (int p = 0; p < planes; p++) {
        plane[p] = *memory;
        plane[p].rows = memory->rows / planes;
        plane[p].stride *= planes;
        if (memory->word)
            plane[p].word += p * memory->stride;
    }
}

/* All that is known of an instance before it takes memory. */
static struct bit_stepper bit_stepper_describe(const struct ca_setup *setup)
{
    const struct bit_ops *ops = setup->backend->ops;
    const struct ca_model *model = setup->model;
    struct bit_stepper stepper = {.ops = ops, .setup = *setup, .size = setup->size};
    int64_t rows;

    *(model->dimensions == 3 ? &stepper.size.d : &stepper.size.h) = setup->slab.extent;
    stepper.planes = model->planes * bits_of(ops);
    stepper.changing = stepper.planes - ops->fixed;
    rows = ca_rows(stepper.size) + 1;
    stepper.memory[0] = bit_rows_layout(stepper.size.w, rows * stepper.planes);
    stepper.memory[1] = bit_rows_layout(stepper.size.w, rows * stepper.changing);
    lay_out_planes(&stepper.memory[0], stepper.now, stepper.planes);
    lay_out_planes(&stepper.memory[1], stepper.next, stepper.changing);
    stepper.threads = ca_threads_for(&setup->options, ca_cells(stepper.size), CELLS_PER_WORKER);
    stepper.generations = 1;
    if (ops->plan)
        ops->plan(&stepper, (int)ca_int(&setup->options, "generations"));
    return stepper;
}

static void bit_stepper_report(const void *self, struct ca_plan *plan)
{
    const struct bit_stepper *stepper = self;
    const struct ca_backend *backend = stepper->setup.backend;

    *plan = (struct ca_plan){
        .generations = stepper->generations,
        .threads = stepper->threads,
        .vector_bits = 64 * stepper->ops->lanes,
        .memory_bytes = bit_rows_bytes(&stepper->memory[0]) + bit_rows_bytes(&stepper->memory[1]) +
                        stepper->threads * (int64_t)stepper->scratch_bytes +
                        (int64_t)stepper->ops->context_size,
        .bytes_per_cell_step = backend->bytes_per_cell_step / stepper->generations,
        .ops_per_cell_step = backend->ops_per_cell_step *
                             (stepper->ops->work ? stepper->ops->work(&stepper->setup) : 1),
    };
    if (stepper->group_rows)
        snprintf(plan->variant, sizeof plan->variant, "groups of %d rows%s",
                 (int)stepper->group_rows, stepper->streams ? ", non-temporal stores" : "");
    else
        snprintf(plan->variant, sizeof plan->variant, "row by row");
}

static enum ca_status bit_stepper_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                       struct ca_error *error)
{
    struct bit_stepper stepper = bit_stepper_describe(setup);

    (void)error;
    bit_stepper_report(&stepper, plan);
    return CA_OK;
}

static enum ca_status alloc_planes(struct bit_stepper *stepper, struct ca_error *error)
{
    for (int copy = 0; copy < 2; copy++) {
        struct bit_rows *memory = &stepper->memory[copy];

        CA_TRY(bit_rows_alloc(memory, memory->w, memory->rows, error));
        memory->dead = stepper->ops->torus && !stepper->ops->torus(&stepper->setup);
    }
    lay_out_planes(&stepper->memory[0], stepper->now, stepper->planes);
    lay_out_planes(&stepper->memory[1], stepper->next, stepper->changing);
    return CA_OK;
}

static enum ca_status alloc_scratch(struct bit_stepper *stepper, struct ca_error *error)
{
    if (stepper->scratch_bytes == 0)
        return CA_OK;
    stepper->scratch = calloc((size_t)stepper->threads, sizeof *stepper->scratch);
    for (int i = 0; stepper->scratch && i < stepper->threads; i++)
        if (posix_memalign(&stepper->scratch[i], 4096, stepper->scratch_bytes) != 0)
            return ca_fail(error, CA_NO_MEMORY, "no memory for %d scratch buffers of %zu bytes",
                           stepper->threads, stepper->scratch_bytes);
    return stepper->scratch ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
}

static void bit_stepper_destroy(void *self)
{
    struct bit_stepper *stepper = self;

    if (!stepper)
        return;
    for (int i = 0; stepper->scratch && i < stepper->threads; i++)
        free(stepper->scratch[i]);
    free(stepper->scratch);
    ca_thread_pool_destroy(stepper->thread_pool);
    bit_rows_free(&stepper->memory[0]);
    bit_rows_free(&stepper->memory[1]);
    mark_free(&stepper->mark);
    free(stepper->context);
    free(stepper);
}

/* --- rows between steps ----------------------------------------------------------------------- */

static const uint64_t *get_row(void *self, int plane, int64_t row, uint64_t *buffer)
{
    (void)buffer;
    return bit_row(self, plane, row);
}

static void put_row(void *self, int plane, int64_t row, const uint64_t *words)
{
    struct bit_rows *rows = &((struct bit_stepper *)self)->now[plane];
    uint64_t *at = bit_rows_at(rows, row);

    memcpy(at, words, (size_t)rows->words * sizeof *at);
    bit_rows_wrap(rows, at);
}

static enum ca_status bit_stepper_init(void *self, bool *made, struct ca_error *error)
{
    struct bit_stepper *stepper = self;

    return word_rows_init(&stepper->rows, ca_rows(stepper->size), made, error);
}

/* --- an instance ------------------------------------------------------------------------------ */

static enum ca_status bit_stepper_take(void *self, struct ca_error *error)
{
    struct bit_stepper *stepper = self;
    const struct bit_ops *ops = stepper->ops;

    stepper->rows = (struct word_rows){&stepper->setup, 1, get_row, put_row, stepper};
    CA_TRY(alloc_planes(stepper, error));
    CA_TRY(instance_context(&stepper->context, ops->context_size, error));
    CA_TRY(ca_thread_pool_create(&stepper->thread_pool, stepper->threads, error));
    CA_TRY(alloc_scratch(stepper, error));
    if (ops->prepare)
        ops->prepare(&stepper->setup, stepper->context);
    return CA_OK;
}

static enum ca_status bit_stepper_create(void **self, const struct ca_setup *setup,
                                         struct ca_error *error)
{
    struct bit_stepper described = bit_stepper_describe(setup);

    return instance_create(self, &described, sizeof described, bit_stepper_take,
                           bit_stepper_destroy, error);
}

/* --- steps ------------------------------------------------------------------------------------ */

struct job {
    struct bit_stepper *stepper;
    uint64_t t, n;
};

static void swap_copies(struct bit_stepper *stepper)
{
    for (int p = 0; p < stepper->changing; p++) {
        struct bit_rows next = stepper->next[p];

        stepper->next[p] = stepper->now[p];
        stepper->now[p] = next;
    }
}

/*
 * The planes of a copy lie row by row among each other, so all of its memory is kept, and put back
 * where it was. The fixed planes are in the first one.
 */
static enum ca_status bit_stepper_mark(void *self, enum ca_mark what, struct ca_error *error)
{
    struct bit_stepper *stepper = self;
    int now = stepper->now[0].word == stepper->memory[0].word ? 0 : 1, count = 0;
    bool both = stepper->changing < stepper->planes;
    struct mark_part parts[2];

    if (what == CA_MARK_BACK && now != stepper->marked)
        swap_copies(stepper);
    else
        stepper->marked = now;
    for (int copy = 0; copy < 2; copy++)
        if (copy == stepper->marked || (both && copy == 0))
            parts[count++] = (struct mark_part){stepper->memory[copy].word - BIT_ROWS_VECTOR,
                                                (size_t)bit_rows_bytes(&stepper->memory[copy])};
    return mark_parts(&stepper->mark, what, parts, count, error);
}

static uint64_t passes(const struct bit_stepper *stepper, uint64_t n)
{
    return (n + (uint64_t)stepper->generations - 1) / (uint64_t)stepper->generations;
}

/* Each worker steps its band through all n generations. Passes differ by one generation at most. */
static void bit_stepper_run_worker(void *context, int worker)
{
    struct job *job = context;
    struct bit_stepper view = *job->stepper;
    uint64_t count = passes(&view, job->n), done = 0;
    int64_t first, last;

    ca_thread_pool_share(view.thread_pool, worker, ca_rows(view.size), &first, &last);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t n = (job->n - done) / (count - i);

        if (i > 0)
            ca_thread_pool_barrier(view.thread_pool);
        view.ops->pass(&view, first, last, job->t + done, (int)n,
                       view.scratch ? view.scratch[worker] : NULL);
        swap_copies(&view);
        done += n;
    }
}

static enum ca_status bit_stepper_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct job job = {self, t, n};

    (void)error;
    ca_thread_pool_run(job.stepper->thread_pool, bit_stepper_run_worker, &job);
    if (passes(job.stepper, n) & 1)
        swap_copies(job.stepper);
    return CA_OK;
}

static const struct ca_stepper_observe observe = {
    .survey = word_rows_survey, .blocks = word_rows_blocks, .neighbours = word_rows_neighbours};

const struct ca_stepper bit_stepper = {
    .plan = bit_stepper_plan,
    .create = bit_stepper_create,
    .destroy = bit_stepper_destroy,
    .load = word_rows_load,
    .store = word_rows_store,
    .init = bit_stepper_init,
    .step = bit_stepper_step,
    .mark = bit_stepper_mark,
    .report = bit_stepper_report,
    .observe = &observe,
};
