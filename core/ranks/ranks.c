/* SPDX-License-Identifier: MIT */
/*
 * Owns the instances of ranks and their threads: steps, exchanges, and the rows of the whole
 * lattice that each of them owns. Must not know any backend.
 *
 * A thread goes through a call of many generations by itself and meets the others only at a
 * barrier in each exchange: before it, it sends the layers at its ends, behind it, it receives its
 * neighbours'. Two sets of slots take turns, so that nobody fills one that is still being read.
 */
#include "core/ranks/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/machine/thread_pool.h"
#include "core/model/field.h"
#include "core/model/survey.h"
#include "core/ranks/cut.h"

enum { LOW, HIGH };

struct rank {
    struct ca_setup setup;
    void *self;
    int64_t low, own; /* layers of the slab: the halo below, those that it owns */
    char *slots;      /* of a backend without send: CA_SLOTS times slot_bytes */
    enum ca_status status;
    struct ca_error error;
    struct ca_clock clock; /* of the last call */
    struct ca_survey survey;
    bool made;
};

struct ranks {
    const struct ca_stepper *stepper; /* of the backend */
    struct ca_setup setup;
    struct ca_cut cut;
    struct ca_plan plan;
    size_t slot_bytes, plane_bytes; /* of a halo's canonical cells; of one plane of them */
    struct ca_thread_pool *pool;
    struct ca_clock clock;
    int room, kept_room; /* generations that the halos still serve; those of the marked state */
    int turn;            /* which set of slots is next */
    struct rank rank[];
};

/* --- ranks side by side ---------------------------------------------------------------------- */

/* The first rank's error, with its number, where one has failed. */
static enum ca_status outcome(const struct ranks *ranks, struct ca_error *error)
{
    for (int r = 0; r < ranks->cut.ranks; r++)
        if (ranks->rank[r].status != CA_OK)
            return ranks->cut.ranks == 1
                       ? ca_fail(error, ranks->rank[r].status, "%s", ranks->rank[r].error.text)
                       : ca_fail(error, ranks->rank[r].status, "rank %d of %d: %.700s", r,
                                 ranks->cut.ranks, ranks->rank[r].error.text);
    return CA_OK;
}

struct job {
    struct ranks *ranks;
    enum ca_status (*of_rank)(struct job *job, struct rank *rank);
    uint64_t t, n;
    unsigned parts;
    int64_t first, rows;
    enum ca_mark mark;
};

static void run_rank(void *context, int r)
{
    struct job *job = context;
    struct rank *rank = &job->ranks->rank[r];

    rank->status = job->of_rank(job, rank);
}

static enum ca_status on_all(struct job *job, struct ca_error *error)
{
    ca_thread_pool_run(job->ranks->pool, run_rank, job);
    return outcome(job->ranks, error);
}

/* --- exchange -------------------------------------------------------------------------------- */

static int slot_of(int turn, int side) { return 2 * turn + side; }

static void slot_planes(const struct ranks *ranks, const struct rank *rank, int slot,
                        void *planes[])
{
    for (int p = 0; p < ranks->setup.model->planes; p++)
        planes[p] = rank->slots + (size_t)slot * ranks->slot_bytes + (size_t)p * ranks->plane_bytes;
}

static enum ca_status send(struct ranks *ranks, struct rank *rank, int slot, int64_t layer)
{
    int64_t first = layer * ranks->cut.rows, rows = ranks->cut.halo * ranks->cut.rows;
    void *planes[CA_PLANES_MAX];

    if (ranks->stepper->send)
        return ranks->stepper->send(rank->self, slot, first, rows, &rank->error);
    slot_planes(ranks, rank, slot, planes);
    return ranks->stepper->store(rank->self, planes, first, rows, &rank->error);
}

static enum ca_status receive(struct ranks *ranks, struct rank *rank, int64_t layer,
                              const struct rank *from, int slot)
{
    int64_t first = layer * ranks->cut.rows, rows = ranks->cut.halo * ranks->cut.rows;
    void *planes[CA_PLANES_MAX];

    if (ranks->stepper->receive)
        return ranks->stepper->receive(rank->self, first, rows, from->self, slot, &rank->error);
    slot_planes(ranks, from, slot, planes);
    return ranks->stepper->load(rank->self, (const void *const *)planes, first, rows, &rank->error);
}

static enum ca_status send_ends(struct ranks *ranks, struct rank *rank, int turn)
{
    int r = (int)(rank - ranks->rank);

    if (ca_cut_neighbour(&ranks->cut, r, -1) >= 0)
        CA_TRY(send(ranks, rank, slot_of(turn, LOW), rank->low));
    if (ca_cut_neighbour(&ranks->cut, r, 1) >= 0)
        CA_TRY(send(ranks, rank, slot_of(turn, HIGH), rank->low + rank->own - ranks->cut.halo));
    return CA_OK;
}

static enum ca_status receive_ends(struct ranks *ranks, struct rank *rank, int turn)
{
    int r = (int)(rank - ranks->rank), below = ca_cut_neighbour(&ranks->cut, r, -1),
        above = ca_cut_neighbour(&ranks->cut, r, 1);

    if (below >= 0)
        CA_TRY(receive(ranks, rank, 0, &ranks->rank[below], slot_of(turn, HIGH)));
    if (above >= 0)
        CA_TRY(
            receive(ranks, rank, rank->low + rank->own, &ranks->rank[above], slot_of(turn, LOW)));
    return CA_OK;
}

/* Every rank goes through the barrier, also one that has failed. */
static enum ca_status exchange(struct ranks *ranks, struct rank *rank, int turn,
                               enum ca_status status)
{
    if (status == CA_OK)
        status = send_ends(ranks, rank, turn);
    ca_thread_pool_barrier(ranks->pool);
    return status == CA_OK ? receive_ends(ranks, rank, turn) : status;
}

/* --- steps ----------------------------------------------------------------------------------- */

static enum ca_status timed_step(const struct ranks *ranks, struct rank *rank, uint64_t t,
                                 uint64_t n)
{
    struct ca_clock before = {0}, after = {0};
    double start = ca_now();

    if (ranks->stepper->clock)
        ranks->stepper->clock(rank->self, &before);
    CA_TRY(ranks->stepper->step(rank->self, t, n, &rank->error));
    after.device_s = ca_now() - start;
    if (ranks->stepper->clock)
        ranks->stepper->clock(rank->self, &after);
    rank->clock.device_s += after.device_s - before.device_s;
    return CA_OK;
}

/* All ranks come to the same numbers here, which are the caller's to keep: see spend. */
static enum ca_status step_rank(struct job *job, struct rank *rank)
{
    struct ranks *ranks = job->ranks;
    uint64_t room = (uint64_t)ranks->room, t = job->t, left = job->n, n;
    enum ca_status status = CA_OK;
    int turn = ranks->turn;

    rank->clock = (struct ca_clock){0};
    for (; left > 0; t += n, left -= n, room -= n) {
        if (room == 0) {
            status = exchange(ranks, rank, turn, status);
            turn = !turn;
            room = (uint64_t)ranks->cut.exchange;
        }
        n = left < room ? left : room;
        if (status == CA_OK)
            status = timed_step(ranks, rank, t, n);
    }
    return status;
}

/* What a call of n generations leaves of the halos. */
static void spend(struct ranks *ranks, uint64_t n)
{
    uint64_t room = (uint64_t)ranks->room, every = (uint64_t)ranks->cut.exchange;
    uint64_t exchanges = n > room ? (n - room + every - 1) / every : 0;

    ranks->room = (int)(room + exchanges * every - n);
    ranks->turn = (ranks->turn + (int)(exchanges % 2)) % 2;
}

static enum ca_status step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct ranks *ranks = self;
    struct job job = {.ranks = ranks, .of_rank = step_rank, .t = t, .n = n};
    double start = ca_now(), device_s = 0, took;

    CA_TRY(on_all(&job, error));
    spend(ranks, n);
    for (int r = 0; r < ranks->cut.ranks; r++)
        if (ranks->rank[r].clock.device_s > device_s)
            device_s = ranks->rank[r].clock.device_s;
    took = ca_now() - start;
    ranks->clock.device_s += took; /* a rate of several ranks has the exchanges in it */
    ranks->clock.transfer_s += took - device_s;
    return CA_OK;
}

static enum ca_status refresh_rank(struct job *job, struct rank *rank)
{
    return exchange(job->ranks, rank, job->ranks->turn, CA_OK);
}

/* Makes the layers next to those that ranks own those of this generation. */
static enum ca_status refresh(struct ranks *ranks, struct ca_error *error)
{
    struct job job = {.ranks = ranks, .of_rank = refresh_rank};

    if (ranks->room > 0)
        return CA_OK;
    CA_TRY(on_all(&job, error));
    ranks->room = ranks->cut.exchange;
    ranks->turn = !ranks->turn;
    return CA_OK;
}

/* --- rows of the whole lattice --------------------------------------------------------------- */

/* Of rows first ... first + rows - 1 of the lattice, those that a rank owns. */
struct piece {
    int64_t slab_row, rows;
    int64_t offset; /* of the first of them, among the rows asked for */
};

static struct piece piece_of(const struct ranks *ranks, int r, int64_t first, int64_t rows)
{
    const struct ca_cut *cut = &ranks->cut;
    int64_t begin = cut->first[r] * cut->rows, end = cut->first[r + 1] * cut->rows;
    int64_t from = first > begin ? first : begin, to = first + rows < end ? first + rows : end;

    return (struct piece){from - begin + ranks->rank[r].low * cut->rows, to - from, from - first};
}

static enum ca_status load(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    struct ranks *ranks = self;
    size_t row_bytes = (size_t)ranks->setup.size.w * ca_type_bytes(ranks->setup.model->type);
    const void *at[CA_PLANES_MAX];

    ranks->room = 0;
    for (int r = 0; r < ranks->cut.ranks; r++) {
        struct piece piece = piece_of(ranks, r, first, rows);

        if (piece.rows <= 0)
            continue;
        for (int p = 0; p < ranks->setup.model->planes; p++)
            at[p] = (const char *)planes[p] + row_bytes * (size_t)piece.offset;
        CA_TRY(ranks->stepper->load(ranks->rank[r].self, at, piece.slab_row, piece.rows, error));
    }
    return CA_OK;
}

static enum ca_status store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error)
{
    struct ranks *ranks = self;
    size_t row_bytes = (size_t)ranks->setup.size.w * ca_type_bytes(ranks->setup.model->type);
    void *at[CA_PLANES_MAX];

    for (int r = 0; r < ranks->cut.ranks; r++) {
        struct piece piece = piece_of(ranks, r, first, rows);

        if (piece.rows <= 0)
            continue;
        for (int p = 0; p < ranks->setup.model->planes; p++)
            at[p] = (char *)planes[p] + row_bytes * (size_t)piece.offset;
        CA_TRY(ranks->stepper->store(ranks->rank[r].self, at, piece.slab_row, piece.rows, error));
    }
    return CA_OK;
}

static enum ca_status init_rank(struct job *job, struct rank *rank)
{
    return job->ranks->stepper->init(rank->self, &rank->made, &rank->error);
}

static enum ca_status init(void *self, bool *made, struct ca_error *error)
{
    struct ranks *ranks = self;
    struct job job = {.ranks = ranks, .of_rank = init_rank};

    *made = false;
    if (!ranks->stepper->init)
        return CA_OK;
    ranks->room = 0;
    CA_TRY(on_all(&job, error));
    *made = true;
    for (int r = 0; r < ranks->cut.ranks; r++)
        *made &= ranks->rank[r].made;
    return CA_OK;
}

static enum ca_status survey_rank(struct job *job, struct rank *rank)
{
    struct piece piece =
        piece_of(job->ranks, (int)(rank - job->ranks->rank), job->first, job->rows);

    rank->survey = ca_survey_none();
    return piece.rows <= 0 ? CA_OK
                           : job->ranks->stepper->survey(rank->self, job->parts, piece.slab_row,
                                                         piece.rows, &rank->survey, &rank->error);
}

static enum ca_status survey(void *self, unsigned parts, int64_t first, int64_t rows,
                             struct ca_survey *survey, struct ca_error *error)
{
    struct ranks *ranks = self;
    struct job job = {
        .ranks = ranks, .of_rank = survey_rank, .parts = parts, .first = first, .rows = rows};

    CA_TRY(on_all(&job, error));
    for (int r = 0; r < ranks->cut.ranks; r++)
        ca_survey_add(survey, &ranks->rank[r].survey);
    return CA_OK;
}

static enum ca_status blocks(void *self, const struct ca_blocks *blocks, int64_t first,
                             int64_t rows, double *sums, struct ca_error *error)
{
    struct ranks *ranks = self;

    for (int r = 0; r < ranks->cut.ranks; r++) {
        struct piece piece = piece_of(ranks, r, first, rows);

        if (piece.rows > 0)
            CA_TRY(ranks->stepper->blocks(ranks->rank[r].self, blocks, piece.slab_row, piece.rows,
                                          sums, error));
    }
    return CA_OK;
}

static enum ca_status near(void *self, const struct ca_blocks *blocks, int64_t first, int64_t rows,
                           double *near, struct ca_error *error)
{
    struct ranks *ranks = self;

    CA_TRY(refresh(ranks, error));
    for (int r = 0; r < ranks->cut.ranks; r++) {
        struct piece piece = piece_of(ranks, r, first, rows);

        if (piece.rows > 0)
            CA_TRY(ranks->stepper->near(ranks->rank[r].self, blocks, piece.slab_row, piece.rows,
                                        near, error));
    }
    return CA_OK;
}

/* Points in lines of rows, one after the other; those that follow each other in one rank go to it
 * together. */
static enum ca_status gather(void *self, const struct ca_gather_points *points,
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
        int r = 0;

        while (points->row[done] >= cut->first[r + 1] * cut->rows)
            r++;
        for (int64_t i = done; i < points->count && points->row[i] >= cut->first[r] * cut->rows &&
                               points->row[i] < cut->first[r + 1] * cut->rows;
             i++, part.count++)
            row[i] = points->row[i] + (ranks->rank[r].low - cut->first[r]) * cut->rows;
        for (int p = 0; p < ranks->setup.model->planes; p++)
            at[p] = (char *)planes[p] + line_bytes * (size_t)done;
        status = ranks->stepper->gather(ranks->rank[r].self, &part, at, error);
        done += part.count;
    }
    free(row);
    return status;
}

/* --- a copy of the state --------------------------------------------------------------------- */

static enum ca_status mark_rank(struct job *job, struct rank *rank)
{
    return job->ranks->stepper->mark(rank->self, job->mark, &rank->error);
}

static enum ca_status mark(void *self, enum ca_mark what, struct ca_error *error)
{
    struct ranks *ranks = self;
    struct job job = {.ranks = ranks, .of_rank = mark_rank, .mark = what};
    struct job drop = {.ranks = ranks, .of_rank = mark_rank, .mark = CA_MARK_DROP};
    struct ca_error ignored;
    enum ca_status status;

    if (!ranks->stepper->mark)
        return ca_fail(error, CA_USAGE, "%s cannot keep a state", ranks->setup.backend->name);
    status = on_all(&job, error);
    if (status != CA_OK && what == CA_MARK_KEEP)
        on_all(&drop, &ignored);
    if (status == CA_OK && what == CA_MARK_KEEP)
        ranks->kept_room = ranks->room;
    if (status == CA_OK && what == CA_MARK_BACK)
        ranks->room = ranks->kept_room;
    return status;
}

/* --- plan ------------------------------------------------------------------------------------ */

static enum ca_status inner_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                 struct ca_error *error)
{
    const struct ca_stepper *stepper = setup->backend->stepper;

    *plan = (struct ca_plan){.generations = 1};
    return stepper->plan ? stepper->plan(setup, plan, error) : CA_OK;
}

static enum ca_status rank_plan(const struct ca_cut *cut, const struct ca_setup *setup, int rank,
                                struct ca_plan *plan, struct ca_error *error)
{
    struct ca_setup own = ca_cut_setup(cut, setup, rank);
    struct ca_error refusal;
    enum ca_status status = inner_plan(&own, plan, &refusal);

    if (status == CA_OK || cut->ranks == 1)
        return status == CA_OK ? CA_OK : ca_fail(error, status, "%s", refusal.text);
    return ca_fail(error, status, "rank %d of %d, a slab of %lld layers: %.600s", rank, cut->ranks,
                   (long long)own.slab.extent, refusal.text);
}

/* The plan of all: the first rank's, with the sums and the slowest of all ranks. */
static void add_plan(struct ca_plan *all, const struct ca_plan *plan)
{
    all->memory_bytes += plan->memory_bytes;
    if (plan->step_s > all->step_s)
        all->step_s = plan->step_s;
}

static void add_exchange(struct ca_plan *plan, const struct ca_cut *cut,
                         const struct ca_setup *setup)
{
    if (cut->ranks == 1)
        return;
    plan->ranks = cut->ranks;
    plan->halo = cut->halo;
    plan->exchange = cut->exchange;
    plan->exchange_s = ca_cut_exchange_s(cut, setup);
    plan->memory_bytes += cut->ranks * (CA_SLOTS / 2) * ca_cut_halo_bytes(cut, setup);
    if (plan->step_s > 0)
        plan->step_s += plan->exchange_s / cut->exchange;
    if (plan->generations > cut->exchange)
        plan->generations = cut->exchange;
}

/* The exchange is chosen by what a rank's slab takes, which is asked with the smallest halo. */
static enum ca_status make(struct ca_cut *cut, struct ca_plan *plan, const struct ca_setup *setup,
                           struct ca_error *error)
{
    struct ca_setup smallest = *setup;
    int exchange = ca_values_find(&setup->options, "exchange");
    struct ca_plan one;

    CA_TRY(ca_values_set_number(&smallest.options, exchange, 1, CA_TUNED, NULL, error));
    CA_TRY(ca_cut_make(cut, &smallest, 1, 0, error));
    CA_TRY(rank_plan(cut, setup, 0, plan, error));
    CA_TRY(ca_cut_make(cut, setup, plan->generations, plan->step_s, error));
    CA_TRY(rank_plan(cut, setup, 0, plan, error));
    for (int r = 1; r < cut->ranks; r++) {
        CA_TRY(rank_plan(cut, setup, r, &one, error));
        add_plan(plan, &one);
    }
    add_exchange(plan, cut, setup);
    return CA_OK;
}

static enum ca_status plan(const struct ca_setup *setup, struct ca_plan *plan,
                           struct ca_error *error)
{
    struct ca_cut cut;

    return make(&cut, plan, setup, error);
}

static void report(const void *self, struct ca_plan *plan)
{
    *plan = ((const struct ranks *)self)->plan;
}

static void read_clock(void *self, struct ca_clock *clock)
{
    *clock = ((struct ranks *)self)->clock;
}

/* --- creation -------------------------------------------------------------------------------- */

static enum ca_status destroy_rank(struct job *job, struct rank *rank)
{
    job->ranks->stepper->destroy(rank->self);
    ca_release(rank->slots, CA_SLOTS * job->ranks->slot_bytes);
    return CA_OK;
}

static void destroy(void *self)
{
    struct ranks *ranks = self;
    struct job job = {.ranks = ranks, .of_rank = destroy_rank};
    struct ca_error ignored;

    if (!ranks)
        return;
    if (ranks->pool)
        on_all(&job, &ignored);
    ca_thread_pool_destroy(ranks->pool);
    free(ranks);
}

/* On the rank's own thread, so that its memory is near it. */
static enum ca_status create_rank(struct job *job, struct rank *rank)
{
    struct ranks *ranks = job->ranks;

    CA_TRY(ranks->stepper->create(&rank->self, &rank->setup, &rank->error));
    if (ranks->stepper->send || ranks->slot_bytes == 0)
        return CA_OK;
    rank->slots = ca_zeroed(CA_SLOTS * ranks->slot_bytes);
    return rank->slots ? CA_OK
                       : ca_fail(&rank->error, CA_NO_MEMORY, "no memory for halos of %zu bytes",
                                 ranks->slot_bytes);
}

/* The figures of what the instances chose, which know more than their plans where those were made
 * without memory. */
static void take_reports(struct ranks *ranks)
{
    struct ca_plan one;

    ranks->stepper->report(ranks->rank[0].self, &ranks->plan);
    for (int r = 1; r < ranks->cut.ranks; r++) {
        ranks->stepper->report(ranks->rank[r].self, &one);
        add_plan(&ranks->plan, &one);
    }
    add_exchange(&ranks->plan, &ranks->cut, &ranks->setup);
}

static enum ca_status create(void **self, const struct ca_setup *setup, struct ca_error *error)
{
    struct ca_plan planned;
    struct ca_cut cut;
    struct ranks *ranks;
    struct job job = {.of_rank = create_rank};
    enum ca_status status;

    *self = NULL;
    CA_TRY(make(&cut, &planned, setup, error));
    ranks = calloc(1, sizeof *ranks + (size_t)cut.ranks * sizeof ranks->rank[0]);
    if (!ranks)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %d ranks", cut.ranks);
    ranks->stepper = setup->backend->stepper;
    ranks->setup = *setup;
    ranks->cut = cut;
    ranks->slot_bytes = (size_t)ca_cut_halo_bytes(&cut, setup) / 2;
    ranks->plane_bytes = ranks->slot_bytes / (size_t)setup->model->planes;
    for (int r = 0; r < cut.ranks; r++) {
        ranks->rank[r].setup = ca_cut_setup(&cut, setup, r);
        ranks->rank[r].low = ca_cut_low(&cut, r);
        ranks->rank[r].own = ca_cut_own(&cut, r);
    }
    job.ranks = ranks;
    status = ca_thread_pool_create(&ranks->pool, cut.ranks, error);
    if (status == CA_OK)
        status = on_all(&job, error);
    if (status != CA_OK) {
        destroy(ranks);
        return status;
    }
    take_reports(ranks);
    *self = ranks;
    return CA_OK;
}

/* --- the steppers ---------------------------------------------------------------------------- */

#define RANKS_STEPPER                                                                              \
    .plan = plan, .create = create, .destroy = destroy, .load = load, .store = store,              \
    .init = init, .survey = survey, .blocks = blocks, .near = near, .step = step, .mark = mark,    \
    .report = report, .clock = read_clock

static const struct ca_stepper ranks_stepper = {RANKS_STEPPER};
static const struct ca_stepper ranks_gather_stepper = {RANKS_STEPPER, .gather = gather};

const struct ca_stepper *ca_stepper_of(const struct ca_setup *setup)
{
    const struct ca_stepper *stepper = setup->backend->stepper;
    const struct ca_values *options = &setup->options;
    bool whole = setup->slab.extent == ca_layers(setup->model, setup->size) &&
                 !setup->slab.ghost_low && !setup->slab.ghost_high;
    bool cut = (ca_values_find(options, "ranks") >= 0 && ca_int(options, "ranks") > 1) ||
               (ca_values_find(options, "devices") >= 0 && ca_text(options, "devices")[0]);

    if (!stepper || !whole || !cut)
        return stepper;
    return stepper->gather ? &ranks_gather_stepper : &ranks_stepper;
}
