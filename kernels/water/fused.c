/* SPDX-License-Identifier: MIT */
/* Owns the padded planes of the fused stepper, and the order of its rows and generations. */
#include "kernels/water/fused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/device.h"

/*
 * Rows that a member puts aside: its first two and its last two, at the end of even and of odd
 * generations; and the best levels of three rows.
 */
enum { ASIDE_FIRST = 0, ASIDE_LAST = 2, ASIDE = 4, BEST = 2 * ASIDE, MEMBER_ROWS = BEST + 3 };

/* A generation of a band of fewer cells is over before the team has met: some 4 us by AVX-512. */
#define CELLS_A_MEMBER 4096

struct fused {
    const struct fused_ops *ops;
    struct ca_setup setup;
    int64_t w, h;                             /* of the slab */
    int64_t stride;                           /* floats from row to row */
    int members;                              /* of the team that own rows: two at least */
    float *memory;                            /* all rows, the first of them of infinite levels */
    float *terrain, *level, *source, *member; /* cell 0 of row 0 of each part */
    bool *has_source;                         /* of each row */
    enum water_mode mode;
    struct thread_pool *thread_pool;
};

static int count_members(const struct fused *fused, int threads)
{
    int64_t most = fused->w * fused->h / CELLS_A_MEMBER;
    int cores = ca_cpu_cores();

    if (threads > 0)
        return threads;
    return most < 1 ? 1 : most < cores ? (int)most : cores;
}

static enum ca_status alloc_rows(struct fused *fused, struct ca_error *error)
{
    int64_t rows = 1 + 3 * fused->h + (int64_t)fused->members * MEMBER_ROWS;
    size_t bytes = (size_t)(rows * fused->stride + FUSED_PAD) * sizeof(float);
    void *memory;

    fused->has_source = calloc((size_t)fused->h, sizeof *fused->has_source);
    if (!fused->has_source || posix_memalign(&memory, 64, bytes) != 0)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %zu bytes of rows", bytes);
    fused->memory = memory;
    fused->level = fused->memory + FUSED_PAD + fused->stride;
    fused->terrain = fused->level + fused->h * fused->stride;
    fused->source = fused->terrain + fused->h * fused->stride;
    fused->member = fused->source + fused->h * fused->stride;
    for (float *at = fused->memory; at < fused->memory + bytes / sizeof *at; at++)
        *at = INFINITY;
    return CA_OK;
}

static void destroy(void *self)
{
    struct fused *fused = self;

    if (!fused)
        return;
    thread_pool_destroy(fused->thread_pool);
    free(fused->has_source);
    free(fused->memory);
    free(fused);
}

static enum ca_status create(void **self, const struct ca_setup *setup, struct ca_error *error)
{
    struct fused *fused = calloc(1, sizeof *fused);
    enum ca_status status;

    *self = NULL;
    if (!fused)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    fused->ops = setup->backend->ops;
    fused->setup = *setup;
    fused->w = setup->size.w;
    fused->h = setup->slab.extent;
    fused->stride = fused_stride(fused->w);
    fused->mode = (enum water_mode)ca_choice(&setup->params, "source_mode");
    status = thread_pool_create(&fused->thread_pool,
                                count_members(fused, threads_wanted(&setup->options)), error);
    if (status == CA_OK) {
        int64_t most = fused->h / 2 > 0 ? fused->h / 2 : 1;

        fused->members = thread_pool_size(fused->thread_pool) < most
                             ? thread_pool_size(fused->thread_pool)
                             : (int)most;
        status = alloc_rows(fused, error);
    }
    if (status != CA_OK) {
        destroy(fused);
        return status;
    }
    *self = fused;
    return CA_OK;
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

static enum ca_status load(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    struct fused *fused = self;
    size_t bytes = (size_t)fused->w * sizeof(float);

    (void)error;
    for (int64_t i = 0; i < rows; i++) {
        int64_t at = (first + i) * fused->stride, from = i * fused->w;

        memcpy(fused->terrain + at, (const float *)planes[WATER_TERRAIN] + from, bytes);
        memcpy(fused->level + at, (const float *)planes[WATER_LEVEL] + from, bytes);
        memcpy(fused->source + at, (const float *)planes[WATER_SOURCE] + from, bytes);
        fused->has_source[first + i] = any_source(fused->source + at, fused->w);
    }
    return CA_OK;
}

static enum ca_status store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error)
{
    struct fused *fused = self;
    size_t bytes = (size_t)fused->w * sizeof(float);

    (void)error;
    for (int64_t i = 0; i < rows; i++) {
        int64_t at = (first + i) * fused->stride, to = i * fused->w;

        memcpy((float *)planes[WATER_TERRAIN] + to, fused->terrain + at, bytes);
        memcpy((float *)planes[WATER_LEVEL] + to, fused->level + at, bytes);
        memcpy((float *)planes[WATER_SOURCE] + to, fused->source + at, bytes);
    }
    return CA_OK;
}

/* A member's view of its band in one generation. */
struct band {
    const struct fused *fused;
    int member;
    int64_t first, last;
    int turn; /* where rows of this generation were put aside */
};

static float *member_row(const struct fused *fused, int member, int row)
{
    return fused->member + ((int64_t)member * MEMBER_ROWS + row) * fused->stride;
}

static float *aside(const struct fused *fused, int member, int turn, int row)
{
    return member_row(fused, member, turn * ASIDE + row);
}

/* Old levels of row y of the band, or of the two rows beyond either end of it. */
static const float *old_levels(const struct band *band, int64_t y)
{
    const struct fused *fused = band->fused;

    if (y < 0 || y >= fused->h)
        return fused->level - fused->stride; /* infinite */
    if (y < band->first)
        return aside(fused, band->member - 1, band->turn,
                     ASIDE_LAST + (int)(y - (band->first - 2)));
    if (y >= band->last)
        return aside(fused, band->member + 1, band->turn, ASIDE_FIRST + (int)(y - band->last));
    return fused->level + y * fused->stride;
}

/* Where best levels of row y are, or NULL outside the lattice. */
static float *best_of(const struct band *band, int64_t y)
{
    if (y < 0 || y >= band->fused->h)
        return NULL;
    return member_row(band->fused, band->member, BEST + (int)((y + 3) % 3));
}

static void make_best(const struct band *band, int64_t y)
{
    const struct fused *fused = band->fused;
    float *best = best_of(band, y);

    if (best)
        fused->ops->best(best, fused->terrain + y * fused->stride, old_levels(band, y - 1),
                         old_levels(band, y), old_levels(band, y + 1), fused->w);
}

static void put_aside(const struct band *band, int turn)
{
    const struct fused *fused = band->fused;
    size_t bytes = (size_t)fused->w * sizeof(float);
    const int64_t rows[ASIDE] = {band->first, band->first + 1, band->last - 2, band->last - 1};

    for (int i = 0; i < ASIDE; i++)
        memcpy(aside(fused, band->member, turn, i), fused->level + rows[i] * fused->stride, bytes);
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

static void run_member(void *context, int member)
{
    struct job *job = context;
    struct fused *fused = job->fused;
    struct band band = {.fused = fused, .member = member};
    bool works = member < fused->members, alone = fused->members == 1;

    band.first = fused->h * member / fused->members;
    band.last = fused->h * (member + 1) / fused->members;
    if (works && !alone)
        put_aside(&band, 0);
    for (uint64_t i = 0; i < job->n; i++) {
        thread_pool_barrier(fused->thread_pool);
        if (!works)
            continue;
        band.turn = (int)(i & 1);
        step_band(&band);
        if (!alone)
            put_aside(&band, !band.turn);
    }
}

static enum ca_status step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct job job = {self, n};

    (void)t; /* the same rule in every generation */
    (void)error;
    thread_pool_run(job.fused->thread_pool, run_member, &job);
    return CA_OK;
}

static void report(const void *self, struct ca_plan *plan)
{
    const struct fused *fused = self;

    *plan = (struct ca_plan){.generations = 1, .threads = thread_pool_size(fused->thread_pool)};
}

const struct ca_stepper water_fused_stepper = {.create = create,
                                               .destroy = destroy,
                                               .load = load,
                                               .store = store,
                                               .step = step,
                                               .report = report};
