/* SPDX-License-Identifier: MIT */
/* Each rank of this process has an instance of the backend and a thread. This file must not know
 * any backend.
 *
 * A thread goes through a call of many generations by itself and meets the others only in each
 * exchange, at a barrier: before it, each sends the layers at its ends, behind it, it receives its
 * neighbours'. The slots are double buffers, so that nobody fills one that is still being read.
 * Halos of ranks in other processes are messages, which the first thread sends and receives between
 * two barriers. */
#include "core/ranks/slabs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/machine/thread_pool.h"
#include "core/ranks/cut.h"
#include "core/ranks/processes.h"

enum { LOW, HIGH, SIDES };

struct rank {
    struct ca_setup setup;
    void *self;
    int64_t low, own; /* layers of the slab: the halo below, those that it owns */
    char *slots;      /* of a backend without send: CA_SLOTS times slot_bytes */
    enum ca_status status;
    struct ca_error error;
    double device_s; /* of the last call */
    struct ca_survey survey;
    bool made;
};

/* A neighbour in another process, of the first rank below or of the last above. */
struct remote {
    int process; /* -1: there is none */
    void *from;  /* what receive takes rows from; NULL: they are messages */
    char *out, *in;
};

struct ca_slabs {
    const struct ca_stepper *stepper; /* of the backend */
    const struct ca_model *model;
    struct ca_cut cut;
    int first, count;   /* ranks of this process */
    size_t slot_bytes;  /* of a halo as it is sent */
    size_t plane_bytes; /* of a plane of it, where those are canonical cells */
    struct remote remote[SIDES];
    struct ca_thread_pool *pool;
    struct rank rank[];
};

/* --- halos --------------------------------------------------------------------------------------
 */

static int halo_slot(int buffer, int side) { return 2 * buffer + side; }

/* The process of the neighbour on a side of a rank, -1 where it is this one or there is none. */
static int slabs_remote_process(const struct ca_slabs *slabs, int rank, int side)
{
    int next = ca_cut_neighbour(&slabs->cut, rank, side == LOW ? -1 : 1);

    if (next < 0 || (next >= slabs->first && next < slabs->first + slabs->count))
        return -1;
    return slabs->cut.place[next].process;
}

static void planes_at(const struct ca_slabs *slabs, char *memory, void *planes[])
{
    for (int p = 0; p < slabs->model->planes; p++)
        planes[p] = memory + (size_t)p * slabs->plane_bytes;
}

static char *slot_at(const struct ca_slabs *slabs, const struct rank *rank, int slot)
{
    return rank->slots + (size_t)slot * slabs->slot_bytes;
}

/* The first row, in its slab, of the halo that a rank sends or receives on a side. */
static int64_t sent_row(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    int64_t layer = side == LOW ? rank->low : rank->low + rank->own - slabs->cut.halo;

    return layer * slabs->cut.rows;
}

static int64_t received_row(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    return side == LOW ? 0 : (rank->low + rank->own) * slabs->cut.rows;
}

/* The neighbour of a rank of this process, -1 where the lattice ends. */
static int neighbour(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    int r = slabs->first + (int)(rank - slabs->rank);

    return ca_cut_neighbour(&slabs->cut, r, side == LOW ? -1 : 1);
}

static bool by_message(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    int r = slabs->first + (int)(rank - slabs->rank);

    return slabs_remote_process(slabs, r, side) >= 0 && !slabs->remote[side].from;
}

/* Whether there is a halo on a side that goes by the backend's own slots, or that does not. */
static bool by_slot(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    return neighbour(slabs, rank, side) >= 0 && slabs->stepper->transfer &&
           !by_message(slabs, rank, side);
}

static bool alone(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    return neighbour(slabs, rank, side) >= 0 && !by_slot(slabs, rank, side);
}

static enum ca_status send_alone(struct ca_slabs *slabs, struct rank *rank, int side, int slot)
{
    const struct ca_stepper_transfer *transfer = slabs->stepper->transfer;
    int64_t rows = slabs->cut.halo * slabs->cut.rows, first = sent_row(slabs, rank, side);
    bool message = by_message(slabs, rank, side);
    struct ca_halo halo = {.slot = slot, .first = first};
    void *planes[CA_PLANES_MAX];

    if (message && transfer && transfer->fetch) {
        CA_TRY(transfer->send(rank->self, &halo, 1, rows, &rank->error));
        return transfer->fetch(rank->self, slot, slabs->remote[side].out, slabs->slot_bytes,
                               &rank->error);
    }
    planes_at(slabs, message ? slabs->remote[side].out : slot_at(slabs, rank, slot), planes);
    return slabs->stepper->store(rank->self, planes, first, rows, &rank->error);
}

/* Both sides at once by the backend's own slots; messages after them. */
static enum ca_status halos_send(struct ca_slabs *slabs, struct rank *rank, int buffer)
{
    const struct ca_stepper *stepper = slabs->stepper;
    struct ca_halo halos[SIDES];
    int count = 0;

    for (int side = LOW; side < SIDES; side++)
        if (by_slot(slabs, rank, side))
            halos[count++] = (struct ca_halo){.slot = halo_slot(buffer, side),
                                              .first = sent_row(slabs, rank, side)};
    if (count > 0)
        CA_TRY(stepper->transfer->send(rank->self, halos, count, slabs->cut.halo * slabs->cut.rows,
                                       &rank->error));
    for (int side = LOW; side < SIDES; side++)
        if (alone(slabs, rank, side))
            CA_TRY(send_alone(slabs, rank, side, halo_slot(buffer, side)));
    return CA_OK;
}

static enum ca_status receive_alone(struct ca_slabs *slabs, struct rank *rank, int side, int slot)
{
    const struct ca_stepper_transfer *transfer = slabs->stepper->transfer;
    int64_t rows = slabs->cut.halo * slabs->cut.rows, first = received_row(slabs, rank, side);
    bool message = by_message(slabs, rank, side);
    void *planes[CA_PLANES_MAX];

    if (message && transfer && transfer->deliver)
        return transfer->deliver(rank->self, first, rows, slabs->remote[side].in, &rank->error);
    if (message)
        planes_at(slabs, slabs->remote[side].in, planes);
    else
        planes_at(slabs,
                  slot_at(slabs, &slabs->rank[neighbour(slabs, rank, side) - slabs->first], slot),
                  planes);
    return slabs->stepper->load(rank->self, (const void *const *)planes, first, rows, &rank->error);
}

static enum ca_status receive(struct ca_slabs *slabs, struct rank *rank, int buffer)
{
    const struct ca_stepper *stepper = slabs->stepper;
    struct ca_halo halos[SIDES];
    int count = 0;

    for (int side = LOW; side < SIDES; side++)
        if (by_slot(slabs, rank, side)) {
            int next = neighbour(slabs, rank, side) - slabs->first;
            bool here = next >= 0 && next < slabs->count;

            halos[count++] =
                (struct ca_halo){.slot = halo_slot(buffer, side == LOW),
                                 .first = received_row(slabs, rank, side),
                                 .from = here ? slabs->rank[next].self : slabs->remote[side].from};
        }
    if (count > 0)
        CA_TRY(stepper->transfer->receive(rank->self, halos, count,
                                          slabs->cut.halo * slabs->cut.rows, &rank->error));
    for (int side = LOW; side < SIDES; side++)
        if (alone(slabs, rank, side))
            CA_TRY(receive_alone(slabs, rank, side, halo_slot(buffer, side == LOW)));
    return CA_OK;
}

/* Gives the neighbours in other processes out[side] and takes as many bytes from them. */
static void swap(const struct ca_slabs *slabs, void *const out[SIDES], void *const in[SIDES],
                 const size_t bytes[SIDES])
{
    static const enum ca_process_tag tags[] = {[LOW] = CA_TAG_DOWN, [HIGH] = CA_TAG_UP};
    struct ca_process_message messages[CA_SWAP_MAX];
    int count = 0;

    for (int side = LOW; side < SIDES; side++) {
        int process = slabs->remote[side].process;

        if (process < 0)
            continue;
        messages[count++] =
            (struct ca_process_message){true, process, tags[side == LOW], in[side], bytes[side]};
        messages[count++] =
            (struct ca_process_message){false, process, tags[side], out[side], bytes[side]};
    }
    ca_process_swap(messages, count);
}

/* Sends the layers at a rank's ends and receives its neighbours' into its halos; `buffer` is 0 or
 * 1. Every rank goes through the barriers, and every process sends its messages, also after a
 * failure, which is handed in and returned: nobody is left waiting. */
static enum ca_status slabs_exchange(struct ca_slabs *slabs, struct rank *rank, int buffer,
                                     enum ca_status status)
{
    char filled[SIDES] = {0}, heard[SIDES];
    void *out[SIDES], *in[SIDES];
    size_t bytes[SIDES];

    if (status == CA_OK)
        status = halos_send(slabs, rank, buffer);
    ca_thread_pool_barrier(slabs->pool);
    if (slabs->remote[LOW].process >= 0 || slabs->remote[HIGH].process >= 0) {
        /* A neighbour that takes rows out of this rank's slots is only told that they are filled.
         */
        for (int side = LOW; side < SIDES; side++) {
            const struct remote *remote = &slabs->remote[side];

            out[side] = remote->from ? &filled[side] : remote->out;
            in[side] = remote->from ? &heard[side] : remote->in;
            bytes[side] = remote->from ? 1 : slabs->slot_bytes;
        }
        if (rank == slabs->rank)
            swap(slabs, out, in, bytes);
        ca_thread_pool_barrier(slabs->pool);
    }
    return status == CA_OK ? receive(slabs, rank, buffer) : status;
}

/* --- halos without messages ------------------------------------------------------------------ */

struct offer {
    bool made;
    struct ca_shared_slots slots;
};

static struct rank *outer_rank(struct ca_slabs *slabs, int side)
{
    return &slabs->rank[side == LOW ? 0 : slabs->count - 1];
}

static void slabs_detach(struct ca_slabs *slabs, int side)
{
    const struct ca_stepper_transfer *transfer = slabs->stepper->transfer;

    if (transfer && slabs->remote[side].from)
        transfer->detach(outer_rank(slabs, side)->self, slabs->remote[side].from);
    slabs->remote[side].from = NULL;
}

/* Two neighbours take halos from each other's slots where both can, else they send messages. */
static void slabs_connect(struct ca_slabs *slabs)
{
    static const size_t bytes[] = {sizeof(struct offer), sizeof(struct offer)}, flag[] = {1, 1};
    const struct ca_stepper_transfer *transfer = slabs->stepper->transfer;
    struct offer mine[SIDES] = {{.made = false}}, theirs[SIDES] = {{.made = false}};
    char open_here[SIDES] = {0}, open_there[SIDES] = {0};
    struct ca_error why; /* messages do as well */

    for (int side = LOW; side < SIDES; side++)
        mine[side].made =
            slabs->remote[side].process >= 0 && transfer && transfer->share &&
            strcmp(ca_process_facts(slabs->remote[side].process).host,
                   ca_process_facts(ca_process_self()).host) == 0 &&
            transfer->share(outer_rank(slabs, side)->self, slabs->cut.halo * slabs->cut.rows,
                            &mine[side].slots, &why) == CA_OK;
    swap(slabs, (void *[]){&mine[LOW], &mine[HIGH]}, (void *[]){&theirs[LOW], &theirs[HIGH]},
         bytes);
    for (int side = LOW; side < SIDES; side++)
        open_here[side] = transfer && mine[side].made && theirs[side].made &&
                          transfer->attach(outer_rank(slabs, side)->self, &theirs[side].slots,
                                           &slabs->remote[side].from, &why) == CA_OK;
    swap(slabs, (void *[]){&open_here[LOW], &open_here[HIGH]},
         (void *[]){&open_there[LOW], &open_there[HIGH]}, flag);
    for (int side = LOW; side < SIDES; side++)
        if (!open_there[side])
            slabs_detach(slabs, side);
}

static bool slabs_send_messages(const struct ca_slabs *slabs)
{
    for (int side = LOW; side < SIDES; side++)
        if (slabs->remote[side].process >= 0 && !slabs->remote[side].from)
            return true;
    return false;
}

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
