/* SPDX-License-Identifier: MIT */
/* Each rank of this process has an instance of the backend and a thread. This file must not know
 * any backend.
 *
 * A thread goes through a call of many generations by itself and meets the others only in each
 * exchange (core/ranks/halos.c). */
#include "core/ranks/slabs.h"

#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/machine/thread_pool.h"
#include "core/ranks/cut.h"
#include "core/ranks/processes.h"
#include "core/ranks/slab_parts.h"

/* --- ranks side by side ---------------------------------------------------------------------- */

struct work {
    struct ca_slabs *slabs;
    enum ca_status (*of_rank)(struct work *work, struct rank *rank);
    const struct ca_ranks_job *job;
};

static void run_rank(void *context, int i)
{
    struct work *work = context;
    struct rank *rank = &work->slabs->rank[i];

    rank->status = work->of_rank(work, rank);
}

/* The first failure is the reply's. */
static enum ca_status on_all(struct work *work, struct ca_ranks_reply *reply)
{
    struct ca_slabs *slabs = work->slabs;

    reply->error.status = CA_OK;
    ca_thread_pool_run(slabs->pool, run_rank, work);
    for (int i = 0; i < slabs->count; i++)
        if (slabs->rank[i].status != CA_OK) {
            reply->error = slabs->rank[i].error;
            reply->error.status = slabs->rank[i].status;
            reply->rank = slabs->first + i;
            break;
        }
    return reply->error.status;
}

/* --- jobs ------------------------------------------------------------------------------------ */

/* All ranks end with the same `served` and buffer, which the caller keeps. A rank whose steps may
 * be launched ahead of what is done waits for them at the end alone. */
static enum ca_status run_exchanges(struct work *work, struct rank *rank)
{
    struct ca_slabs *slabs = work->slabs;
    const struct ca_stepper *stepper = slabs->stepper;
    uint64_t served = (uint64_t)work->job->served, t = work->job->t, left = work->job->n, n;
    enum ca_status status = CA_OK;
    int buffer = work->job->buffer;

    for (; left > 0; t += n, left -= n, served -= n) {
        double start;

        if (served == 0) {
            status = slabs_exchange(slabs, rank, buffer, status);
            buffer = !buffer;
            served = (uint64_t)slabs->cut.exchange;
        }
        n = left < served ? left : served;
        start = ca_now();
        if (status == CA_OK)
            status = stepper->launch ? stepper->launch(rank->self, t, n, served, &rank->error)
                                     : stepper->step(rank->self, t, n, &rank->error);
        rank->device_s += ca_now() - start;
    }
    return status == CA_OK && stepper->finish ? stepper->finish(rank->self, &rank->error) : status;
}

static enum ca_status step_rank(struct work *work, struct rank *rank)
{
    const struct ca_stepper *stepper = work->slabs->stepper;
    struct ca_clock before = {0}, after = {0};

    rank->device_s = 0;
    if (stepper->clock)
        stepper->clock(rank->self, &before);
    CA_TRY(run_exchanges(work, rank));
    if (stepper->clock) {
        stepper->clock(rank->self, &after);
        rank->device_s = after.device_s - before.device_s;
    }
    return CA_OK;
}

/* Exchanges halos and waits for them, as the next call may change rows that another rank still
 * receives. */
static enum ca_status refresh_rank(struct work *work, struct rank *rank)
{
    const struct ca_stepper *stepper = work->slabs->stepper;

    CA_TRY(slabs_exchange(work->slabs, rank, work->job->buffer, CA_OK));
    return stepper->finish ? stepper->finish(rank->self, &rank->error) : CA_OK;
}

static enum ca_status init_rank(struct work *work, struct rank *rank)
{
    return work->slabs->stepper->init(rank->self, &rank->made, &rank->error);
}

static enum ca_status survey_rank(struct work *work, struct rank *rank)
{
    const struct ca_slabs *slabs = work->slabs;
    struct ca_piece piece = ca_cut_piece(&slabs->cut, slabs->first + (int)(rank - slabs->rank),
                                         work->job->first, work->job->rows);

    rank->survey = ca_survey_none();
    return piece.rows <= 0
               ? CA_OK
               : slabs->stepper->observe->survey(rank->self, work->job->parts, piece.slab_row,
                                                 piece.rows, &rank->survey, &rank->error);
}

static enum ca_status mark_rank(struct work *work, struct rank *rank)
{
    return work->slabs->stepper->mark(rank->self, work->job->mark, &rank->error);
}

/* --- jobs of a whole process ----------------------------------------------------------------- */

void ca_slabs_do(struct ca_slabs *slabs, const struct ca_ranks_job *job,
                 struct ca_ranks_reply *reply)
{
    static enum ca_status (*const of_rank[])(struct work *, struct rank *) = {
        [CA_RANKS_STEP] = step_rank, [CA_RANKS_REFRESH] = refresh_rank,
        [CA_RANKS_INIT] = init_rank, [CA_RANKS_SURVEY] = survey_rank,
        [CA_RANKS_MARK] = mark_rank,
    };
    struct work work = {slabs, job->op < CA_RANKS_OF_EACH ? of_rank[job->op] : NULL, job};
    struct ca_plan one;

    *reply = (struct ca_ranks_reply){.made = true, .survey = ca_survey_none()};
    if (job->op == CA_RANKS_CONNECT)
        slabs_connect(slabs);
    for (int i = 0; i < slabs->count && job->op == CA_RANKS_REPORT; i++) {
        slabs->stepper->report(slabs->rank[i].self, i == 0 ? &reply->plan : &one);
        if (i > 0)
            ca_ranks_add_plan(&reply->plan, &one);
        reply->plan.messages = slabs_send_messages(slabs);
    }
    if (job->op >= CA_RANKS_OF_EACH)
        return;
    if (on_all(&work, reply) != CA_OK)
        return;
    for (int i = 0; i < slabs->count; i++) {
        const struct rank *rank = &slabs->rank[i];

        reply->made &= rank->made;
        if (rank->device_s > reply->device_s)
            reply->device_s = rank->device_s;
        if (job->op == CA_RANKS_SURVEY)
            ca_survey_add(&reply->survey, &rank->survey);
    }
}

enum ca_status ca_slabs_call(const struct ca_slabs *slabs, int rank,
                             const struct ca_rank_call *call, struct ca_error *error)
{
    const struct ca_stepper *stepper = slabs->stepper;
    void *self = slabs->rank[rank - slabs->first].self;

    switch (call->what) {
    case CA_RANK_LOAD:
        return stepper->load(self, call->from, call->first, call->rows, error);
    case CA_RANK_STORE:
        return stepper->store(self, call->to, call->first, call->rows, error);
    case CA_RANK_BLOCKS:
        return stepper->observe->blocks(self, call->blocks, call->first, call->rows, call->sums,
                                        error);
    case CA_RANK_NEIGHBOURS:
        return stepper->observe->neighbours(self, call->blocks, call->first, call->rows, call->sums,
                                            error);
    case CA_RANK_GATHER:
        break;
    }
    return stepper->draw->gather(self, call->points, call->to, error);
}

/* --- creation -------------------------------------------------------------------------------- */

static enum ca_status destroy_rank(struct work *work, struct rank *rank)
{
    work->slabs->stepper->destroy(rank->self);
    ca_release(rank->slots, CA_SLOTS * work->slabs->slot_bytes);
    return CA_OK;
}

static void release_message(const struct ca_slabs *slabs, char *memory)
{
    const struct ca_stepper_transfer *transfer = slabs->stepper->transfer;

    if (transfer && transfer->free_host)
        transfer->free_host(memory);
    else
        ca_release(memory, slabs->slot_bytes);
}

void ca_slabs_destroy(struct ca_slabs *slabs)
{
    struct work work = {.slabs = slabs, .of_rank = destroy_rank};
    struct ca_ranks_reply ignored;

    if (!slabs)
        return;
    for (int side = LOW; side < SIDES; side++)
        slabs_detach(slabs, side);
    if (slabs->pool)
        on_all(&work, &ignored);
    ca_thread_pool_destroy(slabs->pool);
    for (int side = LOW; side < SIDES; side++) {
        release_message(slabs, slabs->remote[side].out);
        release_message(slabs, slabs->remote[side].in);
    }
    free(slabs);
}

static enum ca_status no_halos(const struct ca_slabs *slabs, struct ca_error *error)
{
    return ca_fail(error, CA_NO_MEMORY, "no memory for halos of %zu bytes", slabs->slot_bytes);
}

/* On the rank's own thread, so that its memory is near it. */
static enum ca_status create_rank(struct work *work, struct rank *rank)
{
    struct ca_slabs *slabs = work->slabs;

    CA_TRY(slabs->stepper->create(&rank->self, &rank->setup, &rank->error));
    if (slabs->stepper->transfer || slabs->slot_bytes == 0)
        return CA_OK;
    rank->slots = ca_zeroed(CA_SLOTS * slabs->slot_bytes);
    return rank->slots ? CA_OK : no_halos(slabs, &rank->error);
}

static enum ca_status hold_message(const struct ca_slabs *slabs, char **memory,
                                   struct ca_error *error)
{
    const struct ca_stepper_transfer *transfer = slabs->stepper->transfer;

    *memory = transfer && transfer->take_host ? transfer->take_host(slabs->slot_bytes)
                                              : ca_zeroed(slabs->slot_bytes);
    return *memory ? CA_OK : no_halos(slabs, error);
}

static enum ca_status create_remotes(struct ca_slabs *slabs, struct ca_error *error)
{
    for (int side = LOW; side < SIDES; side++) {
        struct remote *remote = &slabs->remote[side];

        remote->process = slabs_remote_process(
            slabs, side == LOW ? slabs->first : slabs->first + slabs->count - 1, side);
        if (remote->process < 0)
            continue;
        CA_TRY(hold_message(slabs, &remote->out, error));
        CA_TRY(hold_message(slabs, &remote->in, error));
    }
    return CA_OK;
}

enum ca_status ca_slabs_create(struct ca_slabs **result, const struct ca_setup *setup,
                               const struct ca_cut *cut, int process, struct ca_ranks_reply *reply)
{
    int first = ca_cut_first_rank(cut, process),
        count = ca_cut_first_rank(cut, process + 1) - first;
    struct ca_slabs *slabs = calloc(1, sizeof *slabs + (size_t)count * sizeof slabs->rank[0]);
    struct work work = {.slabs = slabs, .of_rank = create_rank};

    *result = NULL;
    *reply = (struct ca_ranks_reply){.rank = first};
    if (!slabs)
        return ca_fail(&reply->error, CA_NO_MEMORY, "no memory for %d ranks", count);
    slabs->stepper = setup->backend->stepper;
    slabs->model = setup->model;
    slabs->cut = *cut;
    slabs->first = first;
    slabs->count = count;
    slabs->slot_bytes = (size_t)ca_cut_sent_bytes(cut) / 2;
    slabs->plane_bytes = slabs->slot_bytes / (size_t)setup->model->planes;
    slabs->remote[LOW].process = slabs->remote[HIGH].process = -1;
    for (int i = 0; i < count; i++) {
        slabs->rank[i].setup = ca_cut_setup(cut, setup, first + i);
        slabs->rank[i].low = ca_cut_low(cut, first + i);
        slabs->rank[i].own = ca_cut_own(cut, first + i);
    }
    if (create_remotes(slabs, &reply->error) == CA_OK &&
        ca_thread_pool_create(&slabs->pool, count, &reply->error) == CA_OK)
        on_all(&work, reply);
    if (reply->error.status != CA_OK) {
        ca_slabs_destroy(slabs);
        return reply->error.status;
    }
    *result = slabs;
    return CA_OK;
}
