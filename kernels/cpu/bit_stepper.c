/* SPDX-License-Identifier: MIT */
/* Owns the two copies of the bit planes, and the order of generations. */
#include "kernels/cpu/bit_stepper.h"

#include <stdlib.h>

#include "core/machine/device.h"

/*
 * Cells of one generation for each member: less is over before the team has met. Two members with
 * AVX-512 gained 1.5 with 2^16 cells each and 1.1 with half of that, on cores of their own; on
 * shared ones each meeting costs far more.
 */
#define CELLS_A_MEMBER (INT64_C(1) << 16)

static int workers(const struct bit_stepper *stepper, int threads)
{
    int64_t most = ca_cells(stepper->size) / CELLS_A_MEMBER;
    int cores = ca_cpu_cores();

    if (threads > 0)
        return threads;
    return most < 1 ? 1 : most < cores ? (int)most : cores;
}

static enum ca_status alloc_scratch(struct bit_stepper *stepper, struct ca_error *error)
{
    int count = thread_pool_size(stepper->thread_pool);

    if (stepper->scratch_bytes == 0)
        return CA_OK;
    stepper->scratch = calloc((size_t)count, sizeof *stepper->scratch);
    for (int i = 0; stepper->scratch && i < count; i++)
        if (posix_memalign(&stepper->scratch[i], 4096, stepper->scratch_bytes) != 0)
            return ca_fail(error, CA_NO_MEMORY, "no memory for %d scratches of %zu bytes", count,
                           stepper->scratch_bytes);
    return stepper->scratch ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
}

static void free_scratch(struct bit_stepper *stepper)
{
    for (int i = 0; stepper->scratch && i < thread_pool_size(stepper->thread_pool); i++)
        free(stepper->scratch[i]);
    free(stepper->scratch);
}

static int bits_of(const struct bit_ops *ops) { return ops->bits ? ops->bits : 1; }

/* Planes as views of one piece of memory, row r of each beside that of the others. */
static enum ca_status alloc_planes(const struct bit_stepper *stepper, struct bit_rows *memory,
                                   struct bit_rows plane[], int planes, struct ca_error *error)
{
    int64_t rows = ca_rows(stepper->size) + 1;

    CA_TRY(bit_rows_alloc(memory, stepper->size.w, rows * planes, error));
    for (int p = 0; p < planes; p++) {
        plane[p] = *memory;
        plane[p].rows = rows;
        plane[p].word += p * memory->stride;
        plane[p].stride *= planes;
    }
    return CA_OK;
}

static void destroy(void *self)
{
    struct bit_stepper *stepper = self;

    if (!stepper)
        return;
    free_scratch(stepper);
    thread_pool_destroy(stepper->thread_pool);
    bit_rows_free(&stepper->memory[0]);
    bit_rows_free(&stepper->memory[1]);
    free(stepper->context);
    free(stepper);
}

static enum ca_status create(void **self, const struct ca_setup *setup, struct ca_error *error)
{
    const struct bit_ops *ops = setup->backend->ops;
    const struct ca_model *model = setup->model;
    struct bit_stepper *stepper = calloc(1, sizeof *stepper);
    enum ca_status status;

    *self = NULL;
    if (!stepper)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    stepper->ops = ops;
    stepper->setup = *setup;
    stepper->size = setup->size;
    *(model->dimensions == 3 ? &stepper->size.d : &stepper->size.h) = setup->slab.extent;
    stepper->planes = model->planes * bits_of(ops);
    stepper->changing = stepper->planes - ops->fixed;
    stepper->torus = ops->torus ? ops->torus(setup) : true;

    status = alloc_planes(stepper, &stepper->memory[0], stepper->now, stepper->planes, error);
    if (status == CA_OK)
        status =
            alloc_planes(stepper, &stepper->memory[1], stepper->next, stepper->changing, error);
    if (status == CA_OK && ops->context_size && !(stepper->context = malloc(ops->context_size)))
        status = ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    if (status == CA_OK)
        status = thread_pool_create(&stepper->thread_pool,
                                    workers(stepper, threads_wanted(&setup->options)), error);
    stepper->generations = 1;
    if (status == CA_OK && ops->plan)
        ops->plan(stepper, (int)ca_int(&setup->options, "generations"));
    if (status == CA_OK)
        status = alloc_scratch(stepper, error);
    if (status != CA_OK) {
        destroy(stepper);
        return status;
    }
    if (ops->prepare)
        ops->prepare(setup, stepper->context);
    *self = stepper;
    return CA_OK;
}

static void close_rows(const struct bit_stepper *stepper, const struct bit_rows *bits,
                       int64_t first, int64_t last)
{
    for (int64_t r = first; r < last; r++)
        bit_rows_wrap(bits, bit_rows_row(bits, r), stepper->torus);
}

static enum ca_status load(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    struct bit_stepper *stepper = self;
    int bits = bits_of(stepper->ops);

    (void)error;
    for (int p = 0; p < stepper->planes; p++) {
        bit_rows_load_bit(&stepper->now[p], planes[p / bits], p % bits, first, rows);
        close_rows(stepper, &stepper->now[p], first, first + rows);
    }
    return CA_OK;
}

static enum ca_status store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error)
{
    struct bit_stepper *stepper = self;
    int bits = bits_of(stepper->ops);

    (void)error;
    for (int p = 0; p < stepper->planes; p++)
        bit_rows_store_bit(&stepper->now[p], planes[p / bits], p % bits, first, rows);
    return CA_OK;
}

struct job {
    struct bit_stepper *stepper;
    uint64_t t, n;
};

static void exchange(struct bit_stepper *stepper)
{
    for (int p = 0; p < stepper->changing; p++) {
        struct bit_rows done = stepper->next[p];

        stepper->next[p] = stepper->now[p];
        stepper->now[p] = done;
    }
}

static uint64_t passes(const struct bit_stepper *stepper, uint64_t n)
{
    return (n + (uint64_t)stepper->generations - 1) / (uint64_t)stepper->generations;
}

/* Each member steps its band through all n generations. Passes differ by one generation at most. */
static void run_member(void *context, int member)
{
    struct job *job = context;
    struct bit_stepper view = *job->stepper;
    uint64_t count = passes(&view, job->n), done = 0;
    int64_t first, last;

    thread_pool_share(view.thread_pool, member, ca_rows(view.size), &first, &last);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t n = (job->n - done) / (count - i);

        if (i > 0)
            thread_pool_barrier(view.thread_pool);
        if (view.ops->blocked) {
            view.ops->blocked(&view, first, last, job->t + done, (int)n,
                              view.scratch ? view.scratch[member] : NULL);
        } else {
            view.ops->pass(&view, first, last, job->t + done);
            for (int p = 0; p < view.changing; p++)
                close_rows(&view, &view.next[p], first, last);
        }
        exchange(&view);
        done += n;
    }
}

static enum ca_status step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct job job = {self, t, n};

    (void)error;
    thread_pool_run(job.stepper->thread_pool, run_member, &job);
    if (passes(job.stepper, n) & 1)
        exchange(job.stepper);
    return CA_OK;
}

static void report(const void *self, struct ca_plan *plan)
{
    const struct bit_stepper *stepper = self;

    *plan = (struct ca_plan){.generations = stepper->generations,
                             .threads = thread_pool_size(stepper->thread_pool)};
}

const struct ca_stepper bit_stepper = {
    .create = create,
    .destroy = destroy,
    .load = load,
    .store = store,
    .step = step,
    .report = report,
};
