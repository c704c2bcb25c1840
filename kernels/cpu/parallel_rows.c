/* SPDX-License-Identifier: MIT */
/* This file shares out rows between steps, and adds their surveys in order. */
#include "kernels/cpu/parallel_rows.h"

#include <stdlib.h>

#include "core/machine/device.h"
#include "kernels/cpu/byte_stepper.h"
#include "core/machine/thread_pool.h"

/* Fewer cells take a worker, at some 2 to 50 of them a nanosecond, less time than its start. */
#define CELLS_PER_WORKER (INT64_C(1) << 20)
#define PAGE_BYTES 4096
#define ROWS_AT_ONCE 16384 /* whose surveys are kept until they are added */

static int64_t parallel_rows_least(int64_t a, int64_t b) { return a < b ? a : b; }

int parallel_workers(int64_t rows, int64_t w)
{
    int64_t most = parallel_rows_least(rows * w / CELLS_PER_WORKER, rows);

    return most < 2 ? 1 : (int)parallel_rows_least(most, ca_cpu_cores());
}

struct shares {
    const struct ca_thread_pool *thread_pool;
    int64_t count;
    void (*job)(void *context, int worker, int64_t first, int64_t last);
    void *context;
};

static void do_share(void *context, int worker)
{
    const struct shares *shares = context;
    int64_t first, last;

    ca_thread_pool_share(shares->thread_pool, worker, shares->count, &first, &last);
    shares->job(shares->context, worker, first, last);
}

static void rows_run(struct ca_thread_pool *thread_pool, int64_t count,
                     void (*job)(void *context, int worker, int64_t first, int64_t last),
                     void *context)
{
    struct shares shares = {thread_pool, count, job, context};

    ca_thread_pool_run(thread_pool, do_share, &shares);
}

enum ca_status parallel_rows(int workers, int64_t count,
                             void (*job)(void *context, int worker, int64_t first, int64_t last),
                             void *context, struct ca_error *error)
{
    struct ca_thread_pool *thread_pool;

    if (workers == 1) { /* a frame reads its rows one by one, and a pool costs more than a row */
        job(context, 0, 0, count);
        return CA_OK;
    }
    CA_TRY(ca_thread_pool_create(&thread_pool, workers, error));
    rows_run(thread_pool, count, job, context);
    ca_thread_pool_destroy(thread_pool);
    return CA_OK;
}

static void touch_share(void *context, int worker, int64_t first, int64_t last)
{
    volatile char *memory = context;

    (void)worker;
    for (int64_t page = first; page < last; page++)
        memory[page * PAGE_BYTES] = 0;
}

enum ca_status parallel_touch(void *memory, size_t bytes, struct ca_error *error)
{
    int64_t pages = (int64_t)((bytes + PAGE_BYTES - 1) / PAGE_BYTES);

    return parallel_rows(parallel_workers(pages, PAGE_BYTES), pages, touch_share, memory, error);
}

/* --- surveys ---------------------------------------------------------------------------------- */

struct survey_job {
    void (*one)(void *context, int worker, int64_t row, struct ca_survey *survey);
    void *context;
    int64_t first;
    struct ca_survey *row; /* of those that are kept at once */
};

static void survey_share(void *context, int worker, int64_t first, int64_t last)
{
    const struct survey_job *job = context;

    for (int64_t i = first; i < last; i++) {
        job->row[i] = ca_survey_none();
        job->one(job->context, worker, job->first + i, &job->row[i]);
    }
}

enum ca_status parallel_survey(int64_t first, int64_t rows, int64_t w,
                               void (*one)(void *context, int worker, int64_t row,
                                           struct ca_survey *survey),
                               void *context, struct ca_survey *survey, struct ca_error *error)
{
    int64_t end = first + rows, most = parallel_rows_least(rows, ROWS_AT_ONCE);
    struct survey_job job = {.one = one, .context = context, .first = first};
    struct ca_thread_pool *thread_pool;
    enum ca_status status;

    job.row = malloc((size_t)(most + 1) * sizeof *job.row);
    if (!job.row)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the surveys of %d rows", (int)most);
    status = ca_thread_pool_create(&thread_pool, parallel_workers(rows, w), error);
    for (; status == CA_OK && job.first < end; job.first += most) {
        int64_t count = parallel_rows_least(end - job.first, most);

        rows_run(thread_pool, count, survey_share, &job);
        for (int64_t i = 0; i < count; i++)
            ca_survey_add(survey, &job.row[i]);
    }
    ca_thread_pool_destroy(thread_pool);
    free(job.row);
    return status;
}

struct cells {
    const struct ca_setup *setup;
    unsigned parts;
    const void *const *planes;
    size_t stride_bytes;
    int64_t first;
};

static void survey_row(void *context, int worker, int64_t row, struct ca_survey *survey)
{
    const struct cells *cells = context;
    const void *at[CA_PLANES_MAX];

    (void)worker;
    for (int p = 0; p < cells->setup->model->planes; p++)
        at[p] = (const char *)cells->planes[p] + (size_t)(row - cells->first) * cells->stride_bytes;
    ca_survey_rows(cells->setup, cells->parts, at, slab_global_row(cells->setup, row), 1, survey);
}

enum ca_status parallel_survey_cells(const struct ca_setup *setup, unsigned parts,
                                     const void *const planes[], size_t stride_bytes, int64_t first,
                                     int64_t rows, struct ca_survey *survey, struct ca_error *error)
{
    struct cells cells = {setup, parts, planes, stride_bytes, first};

    return parallel_survey(first, rows, setup->size.w, survey_row, &cells, survey, error);
}

struct states {
    const struct ca_setup *setup;
    const void *const *planes;
    int64_t (*cells)[CA_STATES_MAX]; /* of each worker */
};

static void count_share(void *context, int worker, int64_t first, int64_t last)
{
    const struct states *states = context;
    int64_t w = states->setup->size.w;
    const void *at[CA_PLANES_MAX];

    for (int p = 0; p < states->setup->model->planes; p++)
        at[p] = (const char *)states->planes[p] + first * w;
    ca_count_states(states->setup->model, at, (last - first) * w, states->cells[worker]);
}

enum ca_status parallel_states(const struct ca_setup *setup, const void *const planes[],
                               int64_t rows, int64_t *cells, struct ca_error *error)
{
    int workers = parallel_workers(rows, setup->size.w);
    struct states states = {setup, planes, calloc((size_t)workers, sizeof *states.cells)};
    enum ca_status status;

    if (!states.cells)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the counts of %d workers", workers);
    status = parallel_rows(workers, rows, count_share, &states, error);
    for (int i = 0; i < workers; i++)
        for (int v = 0; v < CA_STATES_MAX; v++)
            cells[v] += states.cells[i][v];
    free(states.cells);
    return status;
}

int64_t slab_global_row(const struct ca_setup *setup, int64_t row)
{
    const struct ca_model *model = setup->model;
    int64_t rows = model->dimensions == 3 ? setup->size.h : 1; /* of a layer */
    int64_t layer = slab_global(&setup->slab, row / rows, ca_layers(model, setup->size));

    return layer * rows + row % rows;
}
