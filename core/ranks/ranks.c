/* SPDX-License-Identifier: MIT */
/* A lattice is stepped by ranks, in this process (core/ranks/slabs.h) and in others
 * (core/ranks/remote.h). This file knows how many generations the halos still serve, and which rows
 * of the whole lattice each rank owns. It must not know any backend. */
#include "core/ranks/ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/model/field.h"
#include "core/model/survey.h"
#include "core/ranks/cut.h"
#include "core/ranks/processes.h"
#include "core/ranks/remote.h"
#include "core/ranks/slabs.h"

struct ranks {
    const struct ca_stepper *stepper; /* of the backend */
    struct ca_setup setup;
    struct ca_cut cut;
    struct ca_plan plan;
    struct ca_slabs *slabs; /* of this process, which is number 0 */
    int processes;          /* that have ranks: this one and those that follow it */
    bool made[CA_PROCESSES_MAX];
    uint64_t lattice; /* as other processes know it */
    struct ca_clock clock;
    int served, kept_served; /* generations that the halos still serve; those of the marked state */
    int buffer;              /* which set of slots is next */
};

/* Messages of two lattices must not mix, and their numbers differ. */
static pthread_mutex_t calls = PTHREAD_MUTEX_INITIALIZER;
static uint64_t lattices;

/* --- ranks side by side ---------------------------------------------------------------------- */

static enum ca_status ranks_describe(const struct ranks *ranks, int rank, enum ca_status status,
                                     struct ca_error *error)
{
    struct ca_error own = *error;

    if (status == CA_OK || ranks->cut.ranks == 1)
        return status;
    return ca_fail(error, status, "rank %d of %d: %.700s", rank, ranks->cut.ranks, own.text);
}

/* Adds a process's answer to that of all; the first failure is the one of all. */
static void add_reply(struct ca_ranks_reply *all, const struct ca_ranks_reply *reply)
{
    if (all->error.status == CA_OK && reply->error.status != CA_OK) {
        all->error = reply->error;
        all->rank = reply->rank;
    }
    all->made &= reply->made;
    if (reply->device_s > all->device_s)
        all->device_s = reply->device_s;
    ca_survey_add(&all->survey, &reply->survey);
    ca_ranks_add_plan(&all->plan, &reply->plan);
}

/* All processes work at the same time. */
static enum ca_status on_all(struct ranks *ranks, const struct ca_ranks_job *job,
                             struct ca_ranks_reply *reply, struct ca_error *error)
{
    struct ca_ranks_reply other;

    pthread_mutex_lock(&calls);
    for (int p = 1; p < ranks->processes; p++)
        ca_remote_ask(p, ranks->lattice, job);
    ca_slabs_do(ranks->slabs, job, reply);
    for (int p = 1; p < ranks->processes; p++) {
        ca_remote_answer(p, &other);
        add_reply(reply, &other);
    }
    pthread_mutex_unlock(&calls);
    if (reply->error.status == CA_OK)
        return CA_OK;
    *error = reply->error;
    return ranks_describe(ranks, reply->rank, reply->error.status, error);
}

/* --- steps ----------------------------------------------------------------------------------- */

static enum ca_status ranks_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct ranks *ranks = self;
    struct ca_ranks_job job = {
        .op = CA_RANKS_STEP, .t = t, .n = n, .served = ranks->served, .buffer = ranks->buffer};
    uint64_t served = (uint64_t)ranks->served, every = (uint64_t)ranks->cut.exchange, exchanges;
    struct ca_ranks_reply reply;
    double start = ca_now(), took;

    CA_TRY(on_all(ranks, &job, &reply, error));
    /* The generations of the call count against those that the halos serve. */
    exchanges = n > served ? (n - served + every - 1) / every : 0;
    ranks->served = (int)(served + exchanges * every - n);
    ranks->buffer = (ranks->buffer + (int)(exchanges % 2)) % 2;
    took = ca_now() - start;
    ranks->clock.device_s += took; /* a rate of several ranks has the exchanges in it */
    ranks->clock.transfer_s += took - reply.device_s;
    return CA_OK;
}

/* --- rows of the whole lattice --------------------------------------------------------------- */

static enum ca_status call_rank(const struct ranks *ranks, int r, const struct ca_rank_call *call,
                                struct ca_error *error)
{
    struct ca_remote_rank rank = {ranks->cut.place[r].process, r, ranks->lattice, &ranks->setup};
    enum ca_status status;

    if (rank.process == 0)
        return ranks_describe(ranks, r, ca_slabs_call(ranks->slabs, r, call, error), error);
    pthread_mutex_lock(&calls);
    status = ca_remote_call(&rank, call, error);
    pthread_mutex_unlock(&calls);
    return ranks_describe(ranks, r, status, error);
}

/* Moves the rows of a piece of a rank, in or out by the call, of planes that point at the first row
 * asked for. */
static enum ca_status move_piece(struct ranks *ranks, int r, struct ca_piece piece,
                                 struct ca_rank_call call, struct ca_error *error)
{
    size_t offset =
        (size_t)(ranks->setup.size.w * piece.offset) * ca_type_bytes(ranks->setup.model->type);
    const void *from[CA_PLANES_MAX] = {NULL};
    void *to[CA_PLANES_MAX] = {NULL};

    if (piece.rows <= 0)
        return CA_OK;
    for (int p = 0; p < ranks->setup.model->planes; p++) {
        if (call.from)
            from[p] = (const char *)call.from[p] + offset;
        else
            to[p] = (char *)call.to[p] + offset;
    }
    call.first = piece.slab_row;
    call.rows = piece.rows;
    call.from = from;
    call.to = to;
    return call_rank(ranks, r, &call, error);
}

/* Halos too, which get from their neighbours no planes that generations leave alone. */
static enum ca_status ranks_load(void *self, const void *const planes[], int64_t first,
                                 int64_t rows, struct ca_error *error)
{
    const struct ca_rank_call call = {.what = CA_RANK_LOAD, .from = planes};
    struct ranks *ranks = self;
    const struct ca_cut *cut = &ranks->cut;

    ranks->served = 0;
    for (int r = 0; r < cut->ranks; r++) {
        CA_TRY(move_piece(ranks, r, ca_cut_piece(cut, r, first, rows), call, error));
        for (int side = -1; side <= 1; side += 2)
            CA_TRY(move_piece(ranks, r, ca_cut_halo_piece(cut, r, side, first, rows), call, error));
    }
    return CA_OK;
}

static enum ca_status ranks_store(void *self, void *const planes[], int64_t first, int64_t rows,
                                  struct ca_error *error)
{
    const struct ca_rank_call call = {.what = CA_RANK_STORE, .to = planes};
    struct ranks *ranks = self;

    for (int r = 0; r < ranks->cut.ranks; r++)
        CA_TRY(move_piece(ranks, r, ca_cut_piece(&ranks->cut, r, first, rows), call, error));
    return CA_OK;
}

static enum ca_status ranks_init(void *self, bool *made, struct ca_error *error)
{
    struct ranks *ranks = self;
    struct ca_ranks_job job = {.op = CA_RANKS_INIT};
    struct ca_ranks_reply reply;

    *made = false;
    if (!ranks->stepper->init)
        return CA_OK;
    ranks->served = 0;
    CA_TRY(on_all(ranks, &job, &reply, error));
    *made = reply.made;
    return CA_OK;
}

static enum ca_status ranks_survey(void *self, unsigned parts, int64_t first, int64_t rows,
                                   struct ca_survey *survey, struct ca_error *error)
{
    struct ca_ranks_job job = {.op = CA_RANKS_SURVEY, .parts = parts, .first = first, .rows = rows};
    struct ca_ranks_reply reply;

    CA_TRY(on_all(self, &job, &reply, error));
    ca_survey_add(survey, &reply.survey);
    return CA_OK;
}

static enum ca_status sum(struct ranks *ranks, bool neighbours, const struct ca_blocks *blocks,
                          int64_t first, int64_t rows, double *sums, struct ca_error *error)
{
    for (int r = 0; r < ranks->cut.ranks; r++) {
        struct ca_piece piece = ca_cut_piece(&ranks->cut, r, first, rows);
        struct ca_rank_call call = {.what = neighbours ? CA_RANK_NEIGHBOURS : CA_RANK_BLOCKS,
                                    .first = piece.slab_row,
                                    .rows = piece.rows,
                                    .blocks = blocks,
                                    .sums = sums};

        if (piece.rows > 0)
            CA_TRY(call_rank(ranks, r, &call, error));
    }
    return CA_OK;
}

static enum ca_status ranks_blocks(void *self, const struct ca_blocks *blocks, int64_t first,
                                   int64_t rows, double *sums, struct ca_error *error)
{
    return sum(self, false, blocks, first, rows, sums, error);
}

static enum ca_status ranks_neighbours(void *self, const struct ca_blocks *blocks, int64_t first,
                                       int64_t rows, double *neighbours, struct ca_error *error)
{
    struct ranks *ranks = self;
    struct ca_ranks_job job = {.op = CA_RANKS_REFRESH, .buffer = ranks->buffer};
    struct ca_ranks_reply reply;

    /* The layers next to those that ranks own become those of this generation. */
    if (ranks->served == 0) {
        CA_TRY(on_all(ranks, &job, &reply, error));
        ranks->served = ranks->cut.exchange;
        ranks->buffer = !ranks->buffer;
    }
    return sum(self, true, blocks, first, rows, neighbours, error);
}

/* Points in lines of rows, one after the other; those that follow each other in one rank go to it
 * together. */
static enum ca_status ranks_gather(void *self, const struct ca_gather_points *points,
                                   void *const planes[], struct ca_error *error)
{
    struct ranks *ranks = self;
    const struct ca_cut *cut = &ranks->cut;
    size_t line_bytes = (size_t)points->columns * ca_type_bytes(ranks->setup.model->type);
    int64_t *row = malloc((size_t)points->count * sizeof *row + 1), done = 0;
    enum ca_status status = CA_OK;

    if (!row)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %lld rows", (long long)points->count);
    while (done < points->count && status == CA_OK) {
        struct ca_gather_points part = {points->x, row + done, points->columns, 0};
        void *at[CA_PLANES_MAX];
        struct ca_rank_call call = {.what = CA_RANK_GATHER, .points = &part, .to = at};
        int r = 0;

        while (points->row[done] >= cut->first[r + 1] * cut->rows)
            r++;
        for (int64_t i = done; i < points->count && points->row[i] >= cut->first[r] * cut->rows &&
                               points->row[i] < cut->first[r + 1] * cut->rows;
             i++, part.count++)
            row[i] = points->row[i] + (ca_cut_low(cut, r) - cut->first[r]) * cut->rows;
        for (int p = 0; p < ranks->setup.model->planes; p++)
            at[p] = (char *)planes[p] + line_bytes * (size_t)done;
        status = call_rank(ranks, r, &call, error);
        done += part.count;
    }
    free(row);
    return status;
}

/* --- a copy of the state --------------------------------------------------------------------- */

static enum ca_status ranks_mark(void *self, enum ca_mark what, struct ca_error *error)
{
    struct ranks *ranks = self;
    struct ca_ranks_job job = {.op = CA_RANKS_MARK, .mark = what};
    struct ca_ranks_job drop = {.op = CA_RANKS_MARK, .mark = CA_MARK_DROP};
    struct ca_ranks_reply reply;
    struct ca_error ignored;
    enum ca_status status;

    if (!ranks->stepper->mark)
        return ca_fail(error, CA_USAGE, "%s cannot keep a state", ranks->setup.backend->name);
    status = on_all(ranks, &job, &reply, error);
    if (status != CA_OK && what == CA_MARK_KEEP)
        on_all(ranks, &drop, &reply, &ignored);
    if (status == CA_OK && what == CA_MARK_KEEP)
        ranks->kept_served = ranks->served;
    if (status == CA_OK && what == CA_MARK_BACK)
        ranks->served = ranks->kept_served;
    return status;
}

/* --- plan ------------------------------------------------------------------------------------ */

static enum ca_status ranks_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                 struct ca_error *error)
{
    struct ca_cut cut;

    return ca_ranks_plan(&cut, plan, setup, error);
}

static void ranks_report(const void *self, struct ca_plan *plan)
{
    *plan = ((const struct ranks *)self)->plan;
}

static void read_clock(void *self, struct ca_clock *clock)
{
    *clock = ((struct ranks *)self)->clock;
}

/* --- creation -------------------------------------------------------------------------------- */

static void ranks_destroy(void *self)
{
    struct ranks *ranks = self;
    struct ca_ranks_reply ignored;

    if (!ranks)
        return;
    pthread_mutex_lock(&calls);
    for (int p = 1; p < ranks->processes; p++)
        if (ranks->made[p])
            ca_remote_ask(p, ranks->lattice, NULL);
    ca_slabs_destroy(ranks->slabs);
    for (int p = 1; p < ranks->processes; p++)
        if (ranks->made[p])
            ca_remote_answer(p, &ignored);
    pthread_mutex_unlock(&calls);
    free(ranks);
}

static enum ca_status ranks_create(void **self, const struct ca_setup *setup,
                                   struct ca_error *error)
{
    struct ranks *ranks = calloc(1, sizeof *ranks);
    struct ca_ranks_reply reply, other;
    enum ca_status status;

    *self = NULL;
    if (!ranks)
        return ca_fail(error, CA_NO_MEMORY, "no memory for ranks");
    status = ca_ranks_plan(&ranks->cut, &ranks->plan, setup, error);
    if (status != CA_OK) {
        free(ranks);
        return status;
    }
    ranks->stepper = setup->backend->stepper;
    ranks->setup = *setup;
    ranks->processes = ranks->cut.place[ranks->cut.ranks - 1].process + 1;
    /* All processes make their slabs, also where one has failed: each has been asked. */
    pthread_mutex_lock(&calls);
    ranks->lattice = ++lattices;
    for (int p = 1; p < ranks->processes; p++)
        ca_remote_ask_create(p, ranks->lattice, &ranks->setup, &ranks->cut);
    ca_slabs_create(&ranks->slabs, &ranks->setup, &ranks->cut, 0, &reply);
    for (int p = 1; p < ranks->processes; p++) {
        ca_remote_answer(p, &other);
        ranks->made[p] = other.error.status == CA_OK;
        add_reply(&reply, &other);
    }
    pthread_mutex_unlock(&calls);
    status = reply.error.status;
    if (status != CA_OK) {
        *error = reply.error;
        status = ranks_describe(ranks, reply.rank, status, error);
    }
    /* Once all processes have their slabs, those of one host look for a way without messages. */
    if (status == CA_OK && ranks->processes > 1)
        status = on_all(ranks, &(struct ca_ranks_job){.op = CA_RANKS_CONNECT}, &reply, error);
    /* What the instances chose is known better than by their plans, made without memory. */
    if (status == CA_OK)
        status = on_all(ranks, &(struct ca_ranks_job){.op = CA_RANKS_REPORT}, &reply, error);
    if (status != CA_OK) {
        ranks_destroy(ranks);
        return status;
    }
    ranks->plan = reply.plan;
    ca_ranks_add_exchange(&ranks->plan, &ranks->cut, &ranks->setup);
    *self = ranks;
    return CA_OK;
}

/* --- the steppers ---------------------------------------------------------------------------- */

static const struct ca_stepper_observe ranks_observe = {
    .survey = ranks_survey, .blocks = ranks_blocks, .neighbours = ranks_neighbours};
static const struct ca_stepper_draw ranks_draw = {.gather = ranks_gather};

#define RANKS_STEPPER                                                                              \
    .plan = ranks_plan, .create = ranks_create, .destroy = ranks_destroy, .load = ranks_load,      \
    .store = ranks_store, .init = ranks_init, .step = ranks_step, .mark = ranks_mark,              \
    .report = ranks_report, .clock = read_clock, .observe = &ranks_observe

static const struct ca_stepper ranks_stepper = {RANKS_STEPPER};
static const struct ca_stepper ranks_gather_stepper = {RANKS_STEPPER, .draw = &ranks_draw};

const struct ca_stepper *ca_stepper_of(const struct ca_setup *setup)
{
    const struct ca_stepper *stepper = setup->backend->stepper;
    const struct ca_values *options = &setup->options;
    bool whole = setup->slab.extent == ca_layers(setup->model, setup->size) &&
                 !setup->slab.ghost_low && !setup->slab.ghost_high;
    bool cut = (ca_values_find(options, "ranks") >= 0 && ca_int(options, "ranks") > 1) ||
               (ca_values_find(options, "devices") >= 0 && ca_text(options, "devices")[0]) ||
               (ca_values_find(options, "ranks") >= 0 && ca_int(options, "ranks") == 0 &&
                ca_process_count() > 1 && setup->backend != setup->model->backends);

    if (!stepper || !whole || !cut)
        return stepper;
    return stepper->draw ? &ranks_gather_stepper : &ranks_stepper;
}
