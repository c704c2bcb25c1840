/* SPDX-License-Identifier: MIT */
/* This file computes the shares of ranks and the size of their halos, predicts what they take, and
 * decides how often they exchange. It must not know how. */
#include "core/ranks/cut.h"

#include <limits.h>
#include <math.h>

#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/ranks/processes.h"

#define EXCHANGE_MOST 4096 /* generations: beyond, an exchange costs nothing that could be seen */

/* The constants of an exchange's time: a share of calls and waiting, and the bytes, on a CPU
 * through load and store, on GPUs by the kernels that pack them and read them from a peer; and the
 * share that remains of one that goes on while the rest of a slab steps. */
static const struct {
    double latency_s, bytes_per_s, least_s;
} costs[] = {[CA_CPU] = {10e-6, 1e9, 10e-6}, [CA_CUDA] = {12e-6, 200e9, 10e-6}};

static int option(const struct ca_setup *setup, const char *name)
{
    return ca_values_find(&setup->options, name) < 0 ? 0 : (int)ca_int(&setup->options, name);
}

/* --- devices --------------------------------------------------------------------------------- */

/* The GPUs of the option `devices`; count 0: it names none; CA_DEVICES_ALL: all of them. */
struct gpus {
    int count, device[CA_RANKS_MAX];
};

/* --- places ---------------------------------------------------------------------------------- */

struct places {
    int count;
    struct ca_place place[CA_RANKS_MAX];
};

static void cut_add_place(struct places *places, int process, int device)
{
    if (places->count < CA_RANKS_MAX)
        places->place[places->count++] = (struct ca_place){process, device};
}

/* Adds the GPUs of a process, of the `devices` of its host: its share, or one that it shares. */
static void add_devices(struct places *places, int process, const struct ca_process *facts,
                        const struct gpus *gpus)
{
    int all = gpus->count == CA_DEVICES_ALL ? ca_process_gpus(process) : gpus->count;
    int first = all * facts->local / facts->locals, end = all * (facts->local + 1) / facts->locals;

    if (all < facts->locals && all > 0) {
        first = facts->local % all;
        end = first + 1;
    }
    for (int i = first; i < end; i++)
        cut_add_place(places, process, gpus->count == CA_DEVICES_ALL ? i : gpus->device[i]);
}

static void find_places(struct places *places, const struct ca_setup *setup,
                        const struct gpus *gpus)
{
    int processes = ca_process_count();

    *places = (struct places){.count = 0};
    for (int p = 0; p < processes; p++) {
        struct ca_process facts = {.locals = 1};

        if (processes > 1)
            facts = ca_process_facts(p);
        if (gpus->count != 0)
            add_devices(places, p, &facts, gpus);
        else if (processes > 1 && setup->backend->device == CA_CUDA && ca_process_gpus(p) > 0)
            cut_add_place(places, p, (option(setup, "device") + facts.local) % ca_process_gpus(p));
        else
            cut_add_place(places, p, -1);
    }
}

/* Ranks of one process share its threads. */
static void take_places(struct ca_cut *cut, const struct ca_setup *setup,
                        const struct places *places)
{
    int of_process[CA_PROCESSES_MAX] = {0}, threads = option(setup, "threads");

    for (int r = 0; r < cut->ranks; r++) {
        cut->place[r] =
            places->place[cut->ranks < places->count ? r : r * places->count / cut->ranks];
        of_process[cut->place[r].process]++;
    }
    for (int r = 0; r < cut->ranks && cut->ranks > 1; r++) {
        int process = cut->place[r].process;
        int cores = threads > 0 ? threads : ca_process_facts(process).cores;

        cut->threads[r] = cores > of_process[process] ? cores / of_process[process] : 1;
    }
}

/* --- shares ---------------------------------------------------------------------------------- */

int64_t ca_cut_own(const struct ca_cut *cut, int rank)
{
    return cut->first[rank + 1] - cut->first[rank];
}

static int64_t smallest_share(const struct ca_cut *cut)
{
    int64_t least = ca_cut_own(cut, 0);

    for (int r = 1; r < cut->ranks; r++)
        if (ca_cut_own(cut, r) < least)
            least = ca_cut_own(cut, r);
    return least;
}

static int64_t even(int64_t layers) { return (layers + 1) & ~INT64_C(1); }

static int64_t halo_of(const struct ca_setup *setup, int exchange)
{
    return even((int64_t)exchange * setup->model->radius);
}

static enum ca_status cut_share_out(struct ca_cut *cut, const struct ca_setup *setup,
                                    bool may_shrink, struct ca_error *error)
{
    int64_t layers = ca_layers(setup->model, setup->size);

    for (;; cut->ranks--) {
        for (int r = 0; r < cut->ranks; r++)
            cut->first[r] = even(layers * r / cut->ranks);
        cut->first[cut->ranks] = layers;
        if (cut->ranks == 1 || smallest_share(cut) >= halo_of(setup, 1))
            return CA_OK;
        if (!may_shrink)
            return ca_fail(error, CA_USAGE,
                           "%d ranks leave a share of %lld of the lattice's %lld layers; a rank "
                           "needs at least %lld, since a generation reaches %d and shares begin "
                           "at even ones",
                           cut->ranks, (long long)smallest_share(cut), (long long)layers,
                           (long long)halo_of(setup, 1), setup->model->radius);
    }
}

/* --- exchange -------------------------------------------------------------------------------- */

int64_t ca_cut_sent_bytes(const struct ca_cut *cut)
{
    return 2 * cut->halo * cut->rows * cut->row_bytes;
}

struct ca_exchange_time ca_cut_exchange_time(const struct ca_cut *cut, const struct ca_setup *setup)
{
    enum ca_device_kind kind = setup->backend->device;
    double all = costs[kind].latency_s + (double)ca_cut_sent_bytes(cut) / costs[kind].bytes_per_s;
    double exposed = fmax(all - cut->hidden_s, costs[kind].least_s);

    if (cut->ranks == 1)
        return (struct ca_exchange_time){0};
    return (struct ca_exchange_time){exposed, all - exposed};
}

/* Seconds of a generation: the slab's, of which halos are a part, and its share of an exchange. */
static double generation_s(struct ca_cut cut, const struct ca_setup *setup, int exchange,
                           double cell_s)
{
    int64_t own = ca_cut_own(&cut, 0);

    cut.halo = halo_of(setup, exchange);
    return cell_s * (double)((own + 2 * cut.halo) * cut.rows * setup->size.w) +
           ca_cut_exchange_time(&cut, setup).exposed_s / exchange;
}

/* The generations between exchanges that cost least, in multiples of those of a pass. */
static int choose_exchange(const struct ca_cut *cut, const struct ca_setup *setup, int most,
                           const struct ca_plan *plan)
{
    double slab = (double)((ca_cut_own(cut, 0) + 2 * setup->model->radius) * cut->rows) *
                  (double)setup->size.w;
    double cell_s = plan->step_s > 0                   ? plan->step_s / slab
                    : setup->backend->device == CA_CPU ? 1e-10
                                                       : 1e-12;
    int pass = plan->generations > most ? 1 : plan->generations, best;

    best = pass;
    for (int g = pass; g <= most; g += pass)
        if (generation_s(*cut, setup, g, cell_s) < generation_s(*cut, setup, best, cell_s))
            best = g;
    return best;
}

enum ca_status ca_cut_make(struct ca_cut *cut, const struct ca_setup *setup,
                           const struct ca_plan *slab, struct ca_error *error)
{
    int64_t layers = ca_layers(setup->model, setup->size), served;
    const char *devices =
        ca_values_find(&setup->options, "devices") < 0 ? "" : ca_text(&setup->options, "devices");
    int asked = option(setup, "exchange");
    struct places places;
    struct gpus gpus;

    *cut = (struct ca_cut){.torus = ca_is_torus(setup),
                           .hidden_s = slab->hidden_s,
                           .rows = ca_rows(setup->size) / layers,
                           .row_bytes = slab->halo_row_bytes};
    if (cut->row_bytes <= 0)
        cut->row_bytes =
            setup->size.w * setup->model->planes * (int64_t)ca_type_bytes(setup->model->type);
    CA_TRY(ca_devices_check(devices, error));
    gpus.count = ca_device_numbers(devices, gpus.device);
    if (gpus.count == CA_DEVICES_ALL)
        CA_TRY(ca_needs_cuda(error));
    find_places(&places, setup, &gpus);
    cut->ranks = option(setup, "ranks") > 0 ? option(setup, "ranks") : places.count;
    CA_TRY(cut_share_out(cut, setup, option(setup, "ranks") == 0 && gpus.count == 0, error));
    take_places(cut, setup, &places);
    if (cut->ranks == 1) {
        cut->exchange = INT_MAX;
        return CA_OK;
    }
    served = (smallest_share(cut) & ~INT64_C(1)) / setup->model->radius;
    if (served > EXCHANGE_MOST && asked <= EXCHANGE_MOST)
        served = EXCHANGE_MOST;
    cut->exchange = asked == 0       ? choose_exchange(cut, setup, (int)served, slab)
                    : asked < served ? asked
                                     : (int)served;
    cut->halo = halo_of(setup, cut->exchange);
    return CA_OK;
}

/* --- ranks ----------------------------------------------------------------------------------- */

int ca_cut_neighbour(const struct ca_cut *cut, int rank, int side)
{
    bool last = side < 0 ? rank == 0 : rank == cut->ranks - 1;

    if (cut->ranks <= 1 || (last && !cut->torus))
        return -1;
    return (rank + side + cut->ranks) % cut->ranks;
}

int ca_cut_first_rank(const struct ca_cut *cut, int process)
{
    int rank = 0;

    while (rank < cut->ranks && cut->place[rank].process < process)
        rank++;
    return rank;
}

/* Selects, of the lattice's rows first ... first + rows - 1, those in layers begin ... end - 1, the
 * first of which is layer `layer` of a slab. */
static struct ca_piece piece_of(const struct ca_cut *cut, int64_t layer, int64_t begin, int64_t end,
                                int64_t first, int64_t rows)
{
    int64_t from = begin * cut->rows, to = end * cut->rows;

    from = first > from ? first : from;
    to = first + rows < to ? first + rows : to;
    return (struct ca_piece){from + (layer - begin) * cut->rows, to - from, from - first};
}

struct ca_piece ca_cut_piece(const struct ca_cut *cut, int rank, int64_t first, int64_t rows)
{
    return piece_of(cut, ca_cut_low(cut, rank), cut->first[rank], cut->first[rank + 1], first,
                    rows);
}

struct ca_piece ca_cut_halo_piece(const struct ca_cut *cut, int rank, int side, int64_t first,
                                  int64_t rows)
{
    int next = ca_cut_neighbour(cut, rank, side);

    if (next < 0)
        return (struct ca_piece){0};
    if (side < 0)
        return piece_of(cut, 0, cut->first[next + 1] - cut->halo, cut->first[next + 1], first,
                        rows);
    return piece_of(cut, ca_cut_low(cut, rank) + ca_cut_own(cut, rank), cut->first[next],
                    cut->first[next] + cut->halo, first, rows);
}

int64_t ca_cut_low(const struct ca_cut *cut, int rank)
{
    return ca_cut_neighbour(cut, rank, -1) < 0 ? 0 : cut->halo;
}

static void cut_set_option(struct ca_setup *setup, const char *name, int number)
{
    int index = ca_values_find(&setup->options, name);
    struct ca_error ignored; /* it is in the range of the row, where `devices` are checked */

    if (index >= 0)
        ca_values_set_number(&setup->options, index, number, CA_TUNED, NULL, &ignored);
}

struct ca_setup ca_cut_setup(const struct ca_cut *cut, const struct ca_setup *setup, int rank)
{
    struct ca_setup own = *setup;
    int64_t low = ca_cut_low(cut, rank);
    int64_t high = ca_cut_neighbour(cut, rank, 1) < 0 ? 0 : cut->halo;

    own.slab =
        (struct ca_slab){cut->first[rank] - low, low + ca_cut_own(cut, rank) + high, low, high};
    if (cut->ranks > 1)
        cut_set_option(&own, "threads", cut->threads[rank]);
    if (cut->place[rank].device >= 0)
        cut_set_option(&own, "device", cut->place[rank].device);
    return own;
}

/* --- the plan of all ranks -------------------------------------------------------------------- */

#define TRIED_EXCHANGES 16

static enum ca_status rank_plan(const struct ca_cut *cut, const struct ca_setup *setup, int rank,
                                struct ca_plan *plan, struct ca_error *error)
{
    struct ca_setup own = ca_cut_setup(cut, setup, rank);
    const struct ca_stepper *stepper = own.backend->stepper;
    struct ca_error refusal;
    enum ca_status status;

    *plan = (struct ca_plan){.generations = 1};
    status = stepper->plan ? stepper->plan(&own, plan, &refusal) : CA_OK;
    if (status == CA_OK || cut->ranks == 1)
        return status == CA_OK ? CA_OK : ca_fail(error, status, "%s", refusal.text);
    return ca_fail(error, status, "rank %d of %d, a slab of %lld layers: %.600s", rank, cut->ranks,
                   (long long)own.slab.extent, refusal.text);
}

void ca_ranks_add_plan(struct ca_plan *all, const struct ca_plan *plan)
{
    all->memory_bytes += plan->memory_bytes;
    all->messages |= plan->messages;
    if (plan->step_s > all->step_s)
        all->step_s = plan->step_s;
}

void ca_ranks_add_exchange(struct ca_plan *plan, const struct ca_cut *cut,
                           const struct ca_setup *setup)
{
    const struct ca_exchange_time time = ca_cut_exchange_time(cut, setup);

    if (cut->ranks == 1)
        return;
    plan->ranks = cut->ranks;
    plan->processes = cut->place[cut->ranks - 1].process + 1;
    plan->halo = cut->halo;
    plan->exchange = cut->exchange;
    plan->exchange_s = time.exposed_s;
    plan->hidden_s = time.hidden_s;
    plan->memory_bytes += cut->ranks * (CA_SLOTS / 2) * ca_cut_sent_bytes(cut);
    if (plan->step_s > 0)
        plan->step_s += plan->exchange_s / cut->exchange;
    if (plan->generations > cut->exchange)
        plan->generations = cut->exchange;
}

/* The cut with an exchange that is asked for, by a slab's plan, and the plan of rank 0. */
static enum ca_status cut_with(struct ca_cut *cut, struct ca_plan *plan,
                               const struct ca_setup *setup, int64_t exchange,
                               const struct ca_plan *slab, struct ca_error *error)
{
    struct ca_setup asked = *setup;

    CA_TRY(ca_values_set_number(&asked.options, ca_values_find(&setup->options, "exchange"),
                                exchange, CA_TUNED, NULL, error));
    CA_TRY(ca_cut_make(cut, &asked, slab, error));
    return rank_plan(cut, setup, 0, plan, error);
}

/* Plans some exchanges about the chosen one and keeps the cheapest: the choice took a slab's time
 * to grow with its halos, but where it is a few waves of blocks, its time goes in steps. */
static void refine(struct ca_cut *cut, struct ca_plan *plan, const struct ca_setup *setup,
                   const struct ca_plan *slab)
{
    int pass = slab->generations, chosen = cut->exchange, count = chosen / pass;
    int step = pass * (count / TRIED_EXCHANGES + 1);
    double least = plan->step_s + ca_cut_exchange_time(cut, setup).exposed_s / chosen;
    struct ca_error refusal;

    for (int tried = chosen / 2 / step * step; tried <= 2 * chosen; tried += step) {
        struct ca_cut other;
        struct ca_plan its;
        double cost;

        /* With as many generations of these as whole passes take. */
        if (tried == 0 || cut_with(&other, &its, setup, tried, slab, &refusal) != CA_OK ||
            (its.period > 0 && its.period < tried &&
             cut_with(&other, &its, setup, its.period, slab, &refusal) != CA_OK))
            continue;
        cost = its.step_s + ca_cut_exchange_time(&other, setup).exposed_s / other.exchange;
        if (cost >= least)
            continue;
        least = cost;
        *cut = other;
        *plan = its;
    }
}

enum ca_status ca_ranks_plan(struct ca_cut *cut, struct ca_plan *plan, const struct ca_setup *setup,
                             struct ca_error *error)
{
    struct ca_plan one;

    CA_TRY(cut_with(cut, &one, setup, 1, &(struct ca_plan){.generations = 1}, error));
    CA_TRY(ca_cut_make(cut, setup, &one, error));
    CA_TRY(rank_plan(cut, setup, 0, plan, error));
    if (cut->ranks > 1 && ca_int(&setup->options, "exchange") == 0 && plan->step_s > 0)
        refine(cut, plan, setup, &one);
    for (int r = 1; r < cut->ranks; r++) {
        CA_TRY(rank_plan(cut, setup, r, &one, error));
        ca_ranks_add_plan(plan, &one);
    }
    ca_ranks_add_exchange(plan, cut, setup);
    return CA_OK;
}
