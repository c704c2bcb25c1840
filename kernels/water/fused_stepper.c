/* SPDX-License-Identifier: MIT */
/* The fused stepper keeps padded planes, and orders rows and generations. */
#include "kernels/water/fused_stepper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "kernels/cpu/instance.h"
#include "kernels/cpu/mark.h"
#include "kernels/cpu/parallel_blocks.h"
#include "kernels/cpu/parallel_rows.h"
#include "kernels/water/water.h"

/*
 * The rows of each worker: copies of its first two and its last two rows, double-buffered by the
 * parity of the generation, and the best levels of three rows.
 */
enum { EDGE_FIRST = 0, EDGE_LAST = 2, EDGE_ROWS = 4, BEST = 2 * EDGE_ROWS, WORKER_ROWS = BEST + 3 };

/* A worker with fewer cells steps a generation in less time than a barrier: some 4 us by AVX-512.
 */
#define CELLS_PER_WORKER 4096

/* Rows of an initial state that are made together: as many as lie between lines of the coarsest
 * mesh of `hills`, whose heights are drawn once for all of them. */
#define ROWS_AT_ONCE 128

struct fused {
    const struct fused_ops *ops;
    struct ca_setup setup;
    int64_t w, h;                              /* of the slab */
    int64_t stride;                            /* floats from row to row */
    int64_t rows;                              /* of all parts of the memory */
    float *memory;                             /* all rows; the first of them has infinite levels */
    float *terrain, *level, *source, *workers; /* cell 0 of row 0 of each part */
    bool *has_source;                          /* of each row */
    struct mark mark;                          /* of the lattice's rows and has_source */
    enum water_mode mode;
    int threads, bands; /* one band for each thread, but at least two rows a band */
    struct ca_thread_pool *thread_pool;
};

/* All that is known of an instance before it takes memory. */
static struct fused water_fused_describe(const struct ca_setup *setup)
{
    struct fused fused = {
        .ops = setup->backend->ops, .setup = *setup, .w = setup->size.w, .h = setup->slab.extent};
    int64_t most = fused.h / 2 > 0 ? fused.h / 2 : 1;

    fused.stride = fused_stride(fused.w);
    fused.mode = (enum water_mode)ca_choice(&setup->params, "source_mode");
    fused.threads = ca_threads_for(&setup->options, fused.w * fused.h, CELLS_PER_WORKER);
    fused.bands = fused.threads < most ? fused.threads : (int)most;
    fused.rows = 1 + 3 * fused.h + (int64_t)fused.bands * WORKER_ROWS;
    return fused;
}

static int64_t rows_bytes(const struct fused *fused)
{
    return (fused->rows * fused->stride + FUSED_PAD) * (int64_t)sizeof(float);
}

static void water_fused_report(const void *self, struct ca_plan *plan)
{
    const struct fused *fused = self;
    const struct ca_backend *backend = fused->setup.backend;

    *plan = (struct ca_plan){
        .generations = 1,
        .threads = fused->threads,
        .vector_bits = fused->ops->vector_bits,
        .memory_bytes = rows_bytes(fused) + fused->h * (int64_t)sizeof *fused->has_source,
        .bytes_per_cell_step = backend->bytes_per_cell_step,
        .ops_per_cell_step = backend->ops_per_cell_step,
    };
    snprintf(plan->variant, sizeof plan->variant, "fused passes, %d band%s of rows", fused->bands,
             fused->bands == 1 ? "" : "s");
}

static enum ca_status water_fused_stepper_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                               struct ca_error *error)
{
    struct fused fused = water_fused_describe(setup);

    (void)error;
    water_fused_report(&fused, plan);
    return CA_OK;
}

static void fill_infinite(float *from, const float *end)
{
    for (; from < end; from++)
        *from = INFINITY;
}

/* The workers' rows, and the one above the lattice, are filled here; those of the lattice get their
 * padding with their cells. */
static enum ca_status alloc_rows(struct fused *fused, struct ca_error *error)
{
    size_t bytes = (size_t)rows_bytes(fused);

    fused->has_source = calloc((size_t)fused->h, sizeof *fused->has_source);
    fused->memory = ca_zeroed(bytes);
    if (!fused->has_source || !fused->memory)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %zu bytes of rows", bytes);
    fused->level = fused->memory + FUSED_PAD + fused->stride;
    fused->terrain = fused->level + fused->h * fused->stride;
    fused->source = fused->terrain + fused->h * fused->stride;
    fused->workers = fused->source + fused->h * fused->stride;
    CA_TRY(parallel_touch(fused->memory, bytes, error));
    fill_infinite(fused->memory, fused->level);
    fill_infinite(fused->workers - FUSED_PAD, fused->memory + bytes / sizeof *fused->memory);
    return CA_OK;
}

static void water_fused_destroy(void *self)
{
    struct fused *fused = self;

    if (!fused)
        return;
    ca_thread_pool_destroy(fused->thread_pool);
    free(fused->has_source);
    ca_release(fused->memory, (size_t)rows_bytes(fused));
    mark_free(&fused->mark);
    free(fused);
}

static enum ca_status water_fused_take(void *self, struct ca_error *error)
{
    struct fused *fused = self;

    CA_TRY(ca_thread_pool_create(&fused->thread_pool, fused->threads, error));
    return alloc_rows(fused, error);
}

static enum ca_status water_fused_create(void **self, const struct ca_setup *setup,
                                         struct ca_error *error)
{
    struct fused described = water_fused_describe(setup);

    return instance_create(self, &described, sizeof described, water_fused_take,
                           water_fused_destroy, error);
}

static bool any_source(const float *source, int64_t w)
{
    for (int64_t x = 0; x < w; x++) {
        uint32_t bits;

        memcpy(&bits, &source[x], sizeof bits);
        if (bits)
            return true;
    }
    return false;
}

/* --- rows between steps ----------------------------------------------------------------------- */

/* The planes from row y on, in the model's order. */
static void planes_at(const struct fused *fused, int64_t y, float *planes[WATER_PLANES])
{
    planes[WATER_TERRAIN] = fused->terrain + y * fused->stride;
    planes[WATER_LEVEL] = fused->level + y * fused->stride;
    planes[WATER_SOURCE] = fused->source + y * fused->stride;
}

/* Completes a row whose cells have been put: its padding, and whether it has sources. */
static void finish_row(struct fused *fused, int64_t y)
{
    float *planes[WATER_PLANES];

    planes_at(fused, y, planes);
    for (int p = 0; p < WATER_PLANES; p++) {
        fill_infinite(planes[p] - FUSED_PAD, planes[p]);
        fill_infinite(planes[p] + fused->w, planes[p] + fused->stride - FUSED_PAD);
    }
    fused->has_source[y] = any_source(planes[WATER_SOURCE], fused->w);
}

struct move {
    struct fused *fused;
    void *const *planes; /* of the lattice, from row `first` on */
    int64_t first;
    bool load; /* from the lattice's planes; else to them */
};

static void move_share(void *context, int worker, int64_t first, int64_t last)
{
    const struct move *move = context;
    int64_t w = move->fused->w;
    float *planes[WATER_PLANES];

    (void)worker;
    for (int64_t i = first; i < last; i++) {
        planes_at(move->fused, move->first + i, planes);
        for (int p = 0; p < WATER_PLANES; p++) {
            float *theirs = (float *)move->planes[p] + i * w;

            memcpy(move->load ? planes[p] : theirs, move->load ? theirs : planes[p],
                   (size_t)w * sizeof(float));
        }
        if (move->load)
            finish_row(move->fused, move->first + i);
    }
}

static enum ca_status water_fused_load(void *self, const void *const planes[], int64_t first,
                                       int64_t rows, struct ca_error *error)
{
    struct fused *fused = self;
    struct move move = {fused, (void *const *)planes, first, true};

    return parallel_rows(parallel_workers(rows, fused->w), rows, move_share, &move, error);
}

static enum ca_status water_fused_store(void *self, void *const planes[], int64_t first,
                                        int64_t rows, struct ca_error *error)
{
    struct fused *fused = self;
    struct move move = {fused, planes, first, false};

    return parallel_rows(parallel_workers(rows, fused->w), rows, move_share, &move, error);
}

static int64_t water_fused_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* A few rows at a time, which the caches hold until they are finished; a slab may wrap around. */
static void init_share(void *context, int worker, int64_t first, int64_t last)
{
    struct fused *fused = context;
    struct water_rows rows = {.setup = &fused->setup, .stride = fused->stride};

    (void)worker;
    while (first < last) {
        int64_t count;

        rows.first = slab_global_row(&fused->setup, first);
        count = water_fused_least(water_fused_least(last - first, fused->setup.size.h - rows.first),
                                  ROWS_AT_ONCE);
        planes_at(fused, first, rows.plane);
        water_make_rows(&rows, rows.first, rows.first + count);
        for (; count > 0; count--)
            finish_row(fused, first++);
    }
}

static enum ca_status water_fused_init(void *self, bool *made, struct ca_error *error)
{
    struct fused *fused = self;

    *made = fused->setup.start == WATER_HILLS || fused->setup.start == WATER_DAM;
    if (!*made)
        return CA_OK;
    return parallel_rows(parallel_workers(fused->h, fused->w), fused->h, init_share, fused, error);
}

static enum ca_status water_fused_survey(void *self, unsigned parts, int64_t first, int64_t rows,
                                         struct ca_survey *survey, struct ca_error *error)
{
    struct fused *fused = self;
    float *planes[WATER_PLANES];

    planes_at(fused, first, planes);
    return parallel_survey_cells(&fused->setup, parts, (const void *const *)planes,
                                 (size_t)fused->stride * sizeof(float), first, rows, survey, error);
}

static enum ca_status water_fused_blocks(void *self, const struct ca_blocks *blocks, int64_t first,
                                         int64_t rows, double *sums, struct ca_error *error)
{
    struct fused *fused = self;
    float *planes[WATER_PLANES];

    planes_at(fused, 0, planes);
    return parallel_blocks_cells(&fused->setup, blocks, (const void *const *)planes,
                                 (size_t)fused->stride * sizeof(float), first, rows, sums, error);
}

static enum ca_status neighbours(void *self, const struct ca_blocks *blocks, int64_t first,
                                 int64_t rows, double *neighbours, struct ca_error *error)
{
    struct fused *fused = self;
    float *planes[WATER_PLANES];

    planes_at(fused, 0, planes);
    return parallel_neighbour_cells(&fused->setup, blocks, (const void *const *)planes,
                                    (size_t)fused->stride * sizeof(float), first, rows, neighbours,
                                    error);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* A worker's band in one generation. */
struct band {
    const struct fused *fused;
    int worker;
    int64_t first, last;
    int buffer; /* that holds the edge rows of this generation */
};

static float *worker_row(const struct fused *fused, int worker, int row)
{
    return fused->workers + ((int64_t)worker * WORKER_ROWS + row) * fused->stride;
}

static float *edge_row(const struct fused *fused, int worker, int buffer, int row)
{
    return worker_row(fused, worker, buffer * EDGE_ROWS + row);
}

/* Old levels of row y of the band, or of one of the two rows beyond either of its ends. */
static const float *old_levels(const struct band *band, int64_t y)
{
    const struct fused *fused = band->fused;

    if (y < 0 || y >= fused->h)
        return fused->level - fused->stride; /* infinite */
    if (y < band->first)
        return edge_row(fused, band->worker - 1, band->buffer,
                        EDGE_LAST + (int)(y - (band->first - 2)));
    if (y >= band->last)
        return edge_row(fused, band->worker + 1, band->buffer, EDGE_FIRST + (int)(y - band->last));
    return fused->level + y * fused->stride;
}

/* The best levels of row y, NULL outside the lattice. */
static float *best_of(const struct band *band, int64_t y)
{
    if (y < 0 || y >= band->fused->h)
        return NULL;
    return worker_row(band->fused, band->worker, BEST + (int)((y + 3) % 3));
}

static void make_best(const struct band *band, int64_t y)
{
    const struct fused *fused = band->fused;
    float *best = best_of(band, y);

    if (best)
        fused->ops->best(best, fused->terrain + y * fused->stride, old_levels(band, y - 1),
                         old_levels(band, y), old_levels(band, y + 1), fused->w);
}

static void copy_edges(const struct band *band, int buffer)
{
    const struct fused *fused = band->fused;
    size_t bytes = (size_t)fused->w * sizeof(float);
    const int64_t rows[EDGE_ROWS] = {band->first, band->first + 1, band->last - 2, band->last - 1};

    for (int i = 0; i < EDGE_ROWS; i++)
        memcpy(edge_row(fused, band->worker, buffer, i), fused->level + rows[i] * fused->stride,
               bytes);
}

static void step_band(const struct band *band)
{
    const struct fused *fused = band->fused;

    make_best(band, band->first - 1);
    make_best(band, band->first);
    for (int64_t y = band->first; y < band->last; y++) {
        struct fused_row row = {.w = fused->w, .mode = fused->mode};

        make_best(band, y + 1);
        row.terrain = fused->terrain + y * fused->stride;
        row.source = fused->has_source[y] ? fused->source + y * fused->stride : NULL;
        row.best_north = best_of(band, y - 1);
        row.best = best_of(band, y);
        row.best_south = best_of(band, y + 1);
        row.level = fused->level + y * fused->stride;
        fused->ops->level(&row);
    }
}

struct job {
    struct fused *fused;
    uint64_t n;
};

static void water_fused_run_worker(void *context, int worker)
{
    struct job *job = context;
    struct fused *fused = job->fused;
    struct band band = {.fused = fused, .worker = worker};
    bool works = worker < fused->bands, alone = fused->bands == 1;

    band.first = fused->h * worker / fused->bands;
    band.last = fused->h * (worker + 1) / fused->bands;
    if (works && !alone)
        copy_edges(&band, 0);
    for (uint64_t i = 0; i < job->n; i++) {
        ca_thread_pool_barrier(fused->thread_pool);
        if (!works)
            continue;
        band.buffer = (int)(i & 1);
        step_band(&band);
        if (!alone)
            copy_edges(&band, !band.buffer);
    }
}

static enum ca_status water_fused_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct job job = {self, n};

    (void)t; /* the same rule in every generation */
    (void)error;
    ca_thread_pool_run(job.fused->thread_pool, water_fused_run_worker, &job);
    return CA_OK;
}

static enum ca_status water_fused_mark(void *self, enum ca_mark what, struct ca_error *error)
{
    struct fused *fused = self;
    struct mark_part parts[] = {
        {fused->level, (size_t)(fused->workers - fused->level) * sizeof(float)},
        {fused->has_source, (size_t)fused->h * sizeof *fused->has_source},
    };

    return mark_parts(&fused->mark, what, parts, 2, error);
}

static const struct ca_stepper_observe observe = {
    .survey = water_fused_survey, .blocks = water_fused_blocks, .neighbours = neighbours};

const struct ca_stepper water_fused_stepper = {.plan = water_fused_stepper_plan,
                                               .create = water_fused_create,
                                               .destroy = water_fused_destroy,
                                               .load = water_fused_load,
                                               .store = water_fused_store,
                                               .init = water_fused_init,
                                               .step = water_fused_step,
                                               .mark = water_fused_mark,
                                               .report = water_fused_report,
                                               .observe = &observe};
