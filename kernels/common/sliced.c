/* SPDX-License-Identifier: MIT */
/* Owns the two copies of the bit planes, and the order of generations. */
#include "kernels/common/sliced.h"

#include <stdlib.h>

enum ca_status sliced_create(void **self, const struct ca_setup *setup,
                             const struct sliced_rule *rule, int threads, struct ca_error *error)
{
    const struct ca_model *model = setup->model;
    struct sliced *sliced = calloc(1, sizeof *sliced);
    enum ca_status status = CA_OK;

    *self = NULL;
    if (!sliced)
        return ca_fail(error, CA_NO_DEVICE, "no memory for a simulation");
    sliced->rule = rule;
    sliced->setup = *setup;
    sliced->size = setup->size;
    *(model->dimensions == 3 ? &sliced->size.d : &sliced->size.h) = setup->slab.extent;
    sliced->planes = model->planes;
    sliced->torus = rule->torus ? rule->torus(setup) : true;

    for (int p = 0; p < sliced->planes && status == CA_OK; p++) {
        int64_t rows = ca_rows(sliced->size) + 1;

        status = bits_alloc(&sliced->now[p], sliced->size.w, rows, error);
        if (status == CA_OK)
            status = bits_alloc(&sliced->next[p], sliced->size.w, rows, error);
    }
    if (status == CA_OK && rule->context_size && !(sliced->context = malloc(rule->context_size)))
        status = ca_fail(error, CA_NO_DEVICE, "no memory for a simulation");
    if (status == CA_OK)
        status = team_create(&sliced->team, threads, error);
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
    team_destroy(sliced->team);
    for (int p = 0; p < sliced->planes; p++) {
        bits_free(&sliced->now[p]);
        bits_free(&sliced->next[p]);
    }
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

    (void)error;
    for (int p = 0; p < sliced->planes; p++) {
        bits_load(&sliced->now[p], planes[p], first, rows);
        close_rows(sliced, &sliced->now[p], first, first + rows);
    }
    return CA_OK;
}

enum ca_status sliced_store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error)
{
    struct sliced *sliced = self;

    (void)error;
    for (int p = 0; p < sliced->planes; p++)
        bits_store(&sliced->now[p], planes[p], first, rows);
    return CA_OK;
}

struct job {
    struct sliced *sliced;
    uint64_t t, n;
};

/* Each member steps its band through all n generations; member 0 swaps the copies in between. */
static void run_member(void *context, int member)
{
    struct job *job = context;
    struct sliced *sliced = job->sliced;
    int64_t first, last;

    team_share(sliced->team, member, ca_rows(sliced->size), &first, &last);
    for (uint64_t i = 0; i < job->n; i++) {
        sliced->rule->pass(sliced, first, last, job->t + i);
        for (int p = 0; p < sliced->planes; p++)
            close_rows(sliced, &sliced->next[p], first, last);
        team_barrier(sliced->team);
        for (int p = 0; member == 0 && p < sliced->planes; p++) {
            struct bits done = sliced->next[p];

            sliced->next[p] = sliced->now[p];
            sliced->now[p] = done;
        }
        team_barrier(sliced->team);
    }
}

enum ca_status sliced_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct job job = {self, t, n};

    (void)error;
    team_run(job.sliced->team, run_member, &job);
    return CA_OK;
}
