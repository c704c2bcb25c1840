/* SPDX-License-Identifier: MIT */
/*
 * Owns the instances of ranks and their threads, and how halos pass between them. Must not know
 * any backend.
 *
 * A thread goes through a call of many generations by itself and meets the others only at a
 * barrier in each exchange: before it, it sends the layers at its ends, behind it, it receives its
 * neighbours'. Two sets of slots take turns, so that nobody fills one that is still being read.
 * Halos of ranks in other processes are messages, which the first thread sends and receives
 * between two barriers.
 */
#include "core/ranks/slabs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/machine/thread_pool.h"
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

/* --- exchange -------------------------------------------------------------------------------- */

static int slot_of(int turn, int side) { return 2 * turn + side; }

/* The process of the neighbour on a side of a rank, -1 where it is this one or there is none. */
static int remote_process(const struct ca_slabs *slabs, int rank, int side)
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

static enum ca_status send_message(struct ca_slabs *slabs, struct rank *rank, int side, int slot,
                                   int64_t first, int64_t rows)
{
    CA_TRY(slabs->stepper->send(rank->self, slot, first, rows, &rank->error));
    return slabs->stepper->fetch(rank->self, slot, slabs->remote[side].out, slabs->slot_bytes,
                                 &rank->error);
}

static enum ca_status send(struct ca_slabs *slabs, struct rank *rank, int side, int turn)
{
    int r = slabs->first + (int)(rank - slabs->rank), slot = slot_of(turn, side);
    int64_t layer = side == LOW ? rank->low : rank->low + rank->own - slabs->cut.halo;
    int64_t first = layer * slabs->cut.rows, rows = slabs->cut.halo * slabs->cut.rows;
    void *planes[CA_PLANES_MAX];

    if (ca_cut_neighbour(&slabs->cut, r, side == LOW ? -1 : 1) < 0)
        return CA_OK;
    if (remote_process(slabs, r, side) >= 0 && !slabs->remote[side].from) {
        if (slabs->stepper->fetch)
            return send_message(slabs, rank, side, slot, first, rows);
        planes_at(slabs, slabs->remote[side].out, planes);
    } else if (slabs->stepper->send)
        return slabs->stepper->send(rank->self, slot, first, rows, &rank->error);
    else
        planes_at(slabs, slot_at(slabs, rank, slot), planes);
    return slabs->stepper->store(rank->self, planes, first, rows, &rank->error);
}

static enum ca_status receive(struct ca_slabs *slabs, struct rank *rank, int side, int turn)
{
    int r = slabs->first + (int)(rank - slabs->rank), slot = slot_of(turn, side == LOW);
    int64_t first = side == LOW ? 0 : (rank->low + rank->own) * slabs->cut.rows,
            rows = slabs->cut.halo * slabs->cut.rows;
    int next = ca_cut_neighbour(&slabs->cut, r, side == LOW ? -1 : 1);
    bool remote = remote_process(slabs, r, side) >= 0;
    const struct rank *from = &slabs->rank[next - slabs->first];
    void *planes[CA_PLANES_MAX];

    if (next < 0)
        return CA_OK;
    if (remote && !slabs->remote[side].from) {
        if (slabs->stepper->deliver)
            return slabs->stepper->deliver(rank->self, first, rows, slabs->remote[side].in,
                                           &rank->error);
        planes_at(slabs, slabs->remote[side].in, planes);
    } else if (slabs->stepper->receive)
        return slabs->stepper->receive(rank->self, first, rows,
                                       remote ? slabs->remote[side].from : from->self, slot,
                                       &rank->error);
    else
        planes_at(slabs, slot_at(slabs, from, slot), planes);
    return slabs->stepper->load(rank->self, (const void *const *)planes, first, rows, &rank->error);
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

/* Where rows are taken from the neighbour's slots, it only hears that they are filled. */
static void swap_halos(const struct ca_slabs *slabs)
{
    char filled[SIDES] = {0}, heard[SIDES];
    void *out[SIDES], *in[SIDES];
    size_t bytes[SIDES];

    for (int side = LOW; side < SIDES; side++) {
        const struct remote *remote = &slabs->remote[side];

        out[side] = remote->from ? &filled[side] : remote->out;
        in[side] = remote->from ? &heard[side] : remote->in;
        bytes[side] = remote->from ? 1 : slabs->slot_bytes;
    }
    swap(slabs, out, in, bytes);
}

/* Every rank goes through the barriers, and every process sends its messages, also after a
 * failure: nobody is left waiting. */
static enum ca_status exchange(struct ca_slabs *slabs, struct rank *rank, int turn,
                               enum ca_status status)
{
    if (status == CA_OK)
        status = send(slabs, rank, LOW, turn);
    if (status == CA_OK)
        status = send(slabs, rank, HIGH, turn);
    ca_thread_pool_barrier(slabs->pool);
    if (slabs->remote[LOW].process >= 0 || slabs->remote[HIGH].process >= 0) {
        if (rank == slabs->rank)
            swap_halos(slabs);
        ca_thread_pool_barrier(slabs->pool);
    }
    if (status == CA_OK)
        status = receive(slabs, rank, LOW, turn);
    return status == CA_OK ? receive(slabs, rank, HIGH, turn) : status;
}

/* --- jobs ------------------------------------------------------------------------------------ */

/* All ranks come to the same room and turn here, which are the caller's to keep. A rank whose steps
 * may be launched ahead of what is done waits for them at the end alone. */
static enum ca_status run_turns(struct work *work, struct rank *rank)
{
    struct ca_slabs *slabs = work->slabs;
    const struct ca_stepper *stepper = slabs->stepper;
    uint64_t room = (uint64_t)work->job->room, t = work->job->t, left = work->job->n, n;
    enum ca_status status = CA_OK;
    int turn = work->job->turn;

    for (; left > 0; t += n, left -= n, room -= n) {
        double start;

        if (room == 0) {
            status = exchange(slabs, rank, turn, status);
            turn = !turn;
            room = (uint64_t)slabs->cut.exchange;
        }
        n = left < room ? left : room;
        start = ca_now();
        if (status == CA_OK)
            status =
                (stepper->launch ? stepper->launch : stepper->step)(rank->self, t, n, &rank->error);
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
    CA_TRY(run_turns(work, rank));
    if (stepper->clock) {
        stepper->clock(rank->self, &after);
        rank->device_s = after.device_s - before.device_s;
    }
    return CA_OK;
}

static enum ca_status refresh_rank(struct work *work, struct rank *rank)
{
    return exchange(work->slabs, rank, work->job->turn, CA_OK);
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
    return piece.rows <= 0 ? CA_OK
                           : slabs->stepper->survey(rank->self, work->job->parts, piece.slab_row,
                                                    piece.rows, &rank->survey, &rank->error);
}

static enum ca_status mark_rank(struct work *work, struct rank *rank)
{
    return work->slabs->stepper->mark(rank->self, work->job->mark, &rank->error);
}

void ca_ranks_add_plan(struct ca_plan *all, const struct ca_plan *plan)
{
    all->memory_bytes += plan->memory_bytes;
    all->messages |= plan->messages;
    if (plan->step_s > all->step_s)
        all->step_s = plan->step_s;
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

static bool on_one_host(int process)
{
    return strcmp(ca_process_facts(process).host, ca_process_facts(ca_process_self()).host) == 0;
}

static void detach(struct ca_slabs *slabs, int side)
{
    if (slabs->remote[side].from)
        slabs->stepper->detach(outer_rank(slabs, side)->self, slabs->remote[side].from);
    slabs->remote[side].from = NULL;
}

/* Two neighbours take halos from each other's slots where both can, else they send messages. */
static void connect_all(struct ca_slabs *slabs)
{
    static const size_t bytes[] = {sizeof(struct offer), sizeof(struct offer)}, flag[] = {1, 1};
    struct offer mine[SIDES] = {{.made = false}}, theirs[SIDES] = {{.made = false}};
    char open_here[SIDES] = {0}, open_there[SIDES] = {0};
    struct ca_error why; /* messages do as well */

    for (int side = LOW; side < SIDES; side++)
        mine[side].made =
            slabs->remote[side].process >= 0 && slabs->stepper->share &&
            on_one_host(slabs->remote[side].process) &&
            slabs->stepper->share(outer_rank(slabs, side)->self, slabs->cut.halo * slabs->cut.rows,
                                  &mine[side].slots, &why) == CA_OK;
    swap(slabs, (void *[]){&mine[LOW], &mine[HIGH]}, (void *[]){&theirs[LOW], &theirs[HIGH]},
         bytes);
    for (int side = LOW; side < SIDES; side++)
        open_here[side] = mine[side].made && theirs[side].made &&
                          slabs->stepper->attach(outer_rank(slabs, side)->self, &theirs[side].slots,
                                                 &slabs->remote[side].from, &why) == CA_OK;
    swap(slabs, (void *[]){&open_here[LOW], &open_here[HIGH]},
         (void *[]){&open_there[LOW], &open_there[HIGH]}, flag);
    for (int side = LOW; side < SIDES; side++)
        if (!open_there[side])
            detach(slabs, side);
}

static bool sends_messages(const struct ca_slabs *slabs)
{
    for (int side = LOW; side < SIDES; side++)
        if (slabs->remote[side].process >= 0 && !slabs->remote[side].from)
            return true;
    return false;
}

/* --- jobs of a whole process ----------------------------------------------------------------- */

static void report_all(const struct ca_slabs *slabs, struct ca_plan *plan)
{
    struct ca_plan one;

    slabs->stepper->report(slabs->rank[0].self, plan);
    for (int i = 1; i < slabs->count; i++) {
        slabs->stepper->report(slabs->rank[i].self, &one);
        ca_ranks_add_plan(plan, &one);
    }
    plan->messages = sends_messages(slabs);
}

void ca_slabs_do(struct ca_slabs *slabs, const struct ca_ranks_job *job,
                 struct ca_ranks_reply *reply)
{
    static enum ca_status (*const of_rank[])(struct work *, struct rank *) = {
        [CA_RANKS_STEP] = step_rank, [CA_RANKS_REFRESH] = refresh_rank,
        [CA_RANKS_INIT] = init_rank, [CA_RANKS_SURVEY] = survey_rank,
        [CA_RANKS_MARK] = mark_rank,
    };
    struct work work = {slabs, job->op < CA_RANKS_OF_EACH ? of_rank[job->op] : NULL, job};

    *reply = (struct ca_ranks_reply){.made = true, .survey = ca_survey_none()};
    if (job->op == CA_RANKS_CONNECT)
        connect_all(slabs);
    if (job->op == CA_RANKS_REPORT)
        report_all(slabs, &reply->plan);
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

void *ca_slabs_rank(const struct ca_slabs *slabs, int rank)
{
    return slabs->rank[rank - slabs->first].self;
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
    if (slabs->stepper->free_host)
        slabs->stepper->free_host(memory);
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
        detach(slabs, side);
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
    if (slabs->stepper->send || slabs->slot_bytes == 0)
        return CA_OK;
    rank->slots = ca_zeroed(CA_SLOTS * slabs->slot_bytes);
    return rank->slots ? CA_OK : no_halos(slabs, &rank->error);
}

static enum ca_status hold_message(const struct ca_slabs *slabs, char **memory,
                                   struct ca_error *error)
{
    *memory = slabs->stepper->take_host ? slabs->stepper->take_host(slabs->slot_bytes)
                                        : ca_zeroed(slabs->slot_bytes);
    return *memory ? CA_OK : no_halos(slabs, error);
}

static enum ca_status create_remotes(struct ca_slabs *slabs, struct ca_error *error)
{
    for (int side = LOW; side < SIDES; side++) {
        struct remote *remote = &slabs->remote[side];

        remote->process = remote_process(
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
