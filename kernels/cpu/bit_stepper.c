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

static int members(const struct sliced *sliced, int threads)
{
    int64_t most = ca_cells(sliced->size) / CELLS_A_MEMBER;
    int cores = ca_cpu_cores();

    if (threads > 0)
        return threads;
    return most < 1 ? 1 : most < cores ? (int)most : cores;
}

static enum ca_status alloc_scratch(struct sliced *sliced, struct ca_error *error)
{
    int count = team_count(sliced->team);

    if (sliced->scratch_bytes == 0)
        return CA_OK;
    sliced->scratch = calloc((size_t)count, sizeof *sliced->scratch);
    for (int i = 0; sliced->scratch && i < count; i++)
        if (posix_memalign(&sliced->scratch[i], 4096, sliced->scratch_bytes) != 0)
            return ca_fail(error, CA_NO_DEVICE, "no memory for %d scratches of %zu bytes", count,
                           sliced->scratch_bytes);
    return sliced->scratch ? CA_OK : ca_fail(error, CA_NO_DEVICE, "no memory for a simulation");
}

static void free_scratch(struct sliced *sliced)
{
    for (int i = 0; sliced->scratch && i < team_count(sliced->team); i++)
        free(sliced->scratch[i]);
    free(sliced->scratch);
}

static int bits_of(const struct sliced_rule *rule) { return rule->bits ? rule->bits : 1; }

/* Planes as views of one piece of memory, row r of each beside that of the others. */
static enum ca_status alloc_planes(const struct sliced *sliced, struct bits *memory,
                                   struct bits plane[], int planes, struct ca_error *error)
{
    int64_t rows = ca_rows(sliced->size) + 1;

    CA_TRY(bits_alloc(memory, sliced->size.w, rows * planes, error));
    for (int p = 0; p < planes; p++) {
        plane[p] = *memory;
        plane[p].rows = rows;
        plane[p].word += p * memory->stride;
        plane[p].stride *= planes;
    }
    return CA_OK;
}

enum ca_status sliced_create(void **self, const struct ca_setup *setup,
                             const struct sliced_rule *rule, int threads, struct ca_error *error)
{
    const struct ca_model *model = setup->model;
    struct sliced *sliced = calloc(1, sizeof *sliced);
    enum ca_status status;

    *self = NULL;
    if (!sliced)
        return ca_fail(error, CA_NO_DEVICE, "no memory for a simulation");
    sliced->rule = rule;
    sliced->setup = *setup;
    sliced->size = setup->size;
    *(model->dimensions == 3 ? &sliced->size.d : &sliced->size.h) = setup->slab.extent;
    sliced->planes = model->planes * bits_of(rule);
    sliced->changing = sliced->planes - rule->fixed;
    sliced->torus = rule->torus ? rule->torus(setup) : true;

    status = alloc_planes(sliced, &sliced->memory[0], sliced->now, sliced->planes, error);
    if (status == CA_OK)
        status = alloc_planes(sliced, &sliced->memory[1], sliced->next, sliced->changing, error);
    if (status == CA_OK && rule->context_size && !(sliced->context = malloc(rule->context_size)))
        status = ca_fail(error, CA_NO_DEVICE, "no memory for a simulation");
    if (status == CA_OK)
        status = team_create(&sliced->team, members(sliced, threads), error);
    sliced->generations = 1;
    if (status == CA_OK && rule->plan)
        rule->plan(sliced, (int)ca_int(&setup->options, "generations"));
    if (status == CA_OK)
        status = alloc_scratch(sliced, error);
    if (status != CA_OK) {
        sliced_destroy(sliced);
        return status;
    }
    if (rule->prepare)
        rule->prepare(setup, sliced->context);
    *self = sliced;
    return CA_OK;
}

void sliced_destroy(void *self)
{
    struct sliced *sliced = self;

    if (!sliced)
        return;
    free_scratch(sliced);
    team_destroy(sliced->team);
    bits_free(&sliced->memory[0]);
    bits_free(&sliced->memory[1]);
    free(sliced->context);
    free(sliced);
}

static void close_rows(const struct sliced *sliced, const struct bits *bits, int64_t first,
                       int64_t last)
{
    for (int64_t r = first; r < last; r++)
        bits_close(bits, bits_row(bits, r), sliced->torus);
}

enum ca_status sliced_load(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    struct sliced *sliced = self;
    int bits = bits_of(sliced->rule);

    (void)error;
    for (int p = 0; p < sliced->planes; p++) {
        bits_load_bit(&sliced->now[p], planes[p / bits], p % bits, first, rows);
        close_rows(sliced, &sliced->now[p], first, first + rows);
    }
    return CA_OK;
}

enum ca_status sliced_store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error)
{
    struct sliced *sliced = self;
    int bits = bits_of(sliced->rule);

    (void)error;
    for (int p = 0; p < sliced->planes; p++)
        bits_store_bit(&sliced->now[p], planes[p / bits], p % bits, first, rows);
    return CA_OK;
}

struct job {
    struct sliced *sliced;
    uint64_t t, n;
};

static void exchange(struct sliced *sliced)
{
    for (int p = 0; p < sliced->changing; p++) {
        struct bits done = sliced->next[p];

        sliced->next[p] = sliced->now[p];
        sliced->now[p] = done;
    }
}

static uint64_t passes(const struct sliced *sliced, uint64_t n)
{
    return (n + (uint64_t)sliced->generations - 1) / (uint64_t)sliced->generations;
}

/* Each member steps its band through all n generations. Passes differ by one generation at most. */
static void run_member(void *context, int member)
{
    struct job *job = context;
    struct sliced view = *job->sliced;
    uint64_t count = passes(&view, job->n), done = 0;
    int64_t first, last;

    team_share(view.team, member, ca_rows(view.size), &first, &last);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t n = (job->n - done) / (count - i);

        if (i > 0)
            team_barrier(view.team);
        if (view.rule->blocked) {
            view.rule->blocked(&view, first, last, job->t + done, (int)n,
                               view.scratch ? view.scratch[member] : NULL);
        } else {
            view.rule->pass(&view, first, last, job->t + done);
            for (int p = 0; p < view.changing; p++)
                close_rows(&view, &view.next[p], first, last);
        }
        exchange(&view);
        done += n;
    }
}

enum ca_status sliced_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct job job = {self, t, n};

    (void)error;
    team_run(job.sliced->team, run_member, &job);
    if (passes(job.sliced, n) & 1)
        exchange(job.sliced);
    return CA_OK;
}

int sliced_generations(const void *self) { return ((const struct sliced *)self)->generations; }
