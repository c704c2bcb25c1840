/* SPDX-License-Identifier: MIT */
/* Owns the shares of ranks and the size of their halos. Must not know how instances exchange. */
#include "core/ranks/cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/cuda.h"
#include "core/machine/device.h"

#define EXCHANGE_MOST 4096 /* generations: beyond, an exchange costs nothing that could be seen */

/* What an exchange takes: a share of calls and waiting, and the canonical bytes, on a CPU through
 * load and store, on GPUs by peer copies and the kernels that convert. */
static const struct {
    double latency_s, bytes_per_s;
} costs[] = {[CA_CPU] = {10e-6, 1e9}, [CA_CUDA] = {40e-6, 150e9}};

static bool is_torus(const struct ca_setup *setup)
{
    return setup->model->torus && setup->model->torus(setup);
}

static int option(const struct ca_setup *setup, const char *name)
{
    return ca_values_find(&setup->options, name) < 0 ? 0 : (int)ca_int(&setup->options, name);
}

/* --- devices --------------------------------------------------------------------------------- */

static enum ca_status wrong_devices(const char *text, struct ca_error *error)
{
    return ca_fail(error, CA_USAGE,
                   "devices: '%.80s' is not allowed: numbers of GPUs with commas, each once, as "
                   "in 0,1, or all",
                   text);
}

static enum ca_status read_devices(struct ca_cut *cut, const struct ca_setup *setup,
                                   struct ca_error *error)
{
    const char *text =
        ca_values_find(&setup->options, "devices") < 0 ? "" : ca_text(&setup->options, "devices");
    const char *rest = text;
    char *end;

    cut->devices = 0;
    if (strcmp(text, "all") == 0) {
        CA_TRY(ca_needs_cuda(error));
        while (cut->devices < ca_cuda_devices() && cut->devices < CA_RANKS_MAX) {
            cut->device[cut->devices] = cut->devices;
            cut->devices++;
        }
        return CA_OK;
    }
    while (*rest) {
        long number = strtol(rest, &end, 10);

        if (*rest < '0' || *rest > '9' || number >= CA_RANKS_MAX || (*end && *end != ',') ||
            (*end && !end[1]))
            return wrong_devices(text, error);
        for (int i = 0; i < cut->devices; i++)
            if (cut->device[i] == (int)number)
                return wrong_devices(text, error);
        cut->device[cut->devices++] = (int)number;
        rest = *end ? end + 1 : end;
    }
    return CA_OK;
}

/* --- shares ---------------------------------------------------------------------------------- */

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

static enum ca_status share_out(struct ca_cut *cut, const struct ca_setup *setup,
                                struct ca_error *error)
{
    int64_t layers = ca_layers(setup->model, setup->size);

    for (int r = 0; r < cut->ranks; r++)
        cut->first[r] = even(layers * r / cut->ranks);
    cut->first[cut->ranks] = layers;
    if (cut->ranks > 1 && smallest_share(cut) < halo_of(setup, 1))
        return ca_fail(error, CA_USAGE,
                       "%d ranks leave a share of %lld of the lattice's %lld layers; a rank needs "
                       "at least %lld, since a generation reaches %d and shares begin at even ones",
                       cut->ranks, (long long)smallest_share(cut), (long long)layers,
                       (long long)halo_of(setup, 1), setup->model->radius);
    return CA_OK;
}

/* --- exchange -------------------------------------------------------------------------------- */

int64_t ca_cut_halo_bytes(const struct ca_cut *cut, const struct ca_setup *setup)
{
    return 2 * cut->halo * cut->rows * setup->size.w * setup->model->planes *
           (int64_t)ca_type_bytes(setup->model->type);
}

double ca_cut_exchange_s(const struct ca_cut *cut, const struct ca_setup *setup)
{
    enum ca_device_kind kind = setup->backend->device;

    return cut->ranks == 1 ? 0
                           : costs[kind].latency_s +
                                 (double)ca_cut_halo_bytes(cut, setup) / costs[kind].bytes_per_s;
}

/* Seconds of a generation: the slab's, of which halos are a part, and its share of an exchange. */
static double generation_s(struct ca_cut cut, const struct ca_setup *setup, int exchange,
                           double cell_s)
{
    int64_t own = ca_cut_own(&cut, 0);

    cut.halo = halo_of(setup, exchange);
    return cell_s * (double)((own + 2 * cut.halo) * cut.rows * setup->size.w) +
           ca_cut_exchange_s(&cut, setup) / exchange;
}

/* The generations between exchanges that cost least, in multiples of those of a pass. */
static int choose_exchange(const struct ca_cut *cut, const struct ca_setup *setup, int most,
                           int pass, double step_s)
{
    double slab = (double)((ca_cut_own(cut, 0) + 2 * setup->model->radius) * cut->rows) *
                  (double)setup->size.w;
    double cell_s = step_s > 0 ? step_s / slab : setup->backend->device == CA_CPU ? 1e-10 : 1e-12;
    int best;

    if (pass > most)
        pass = 1;
    best = pass;
    for (int g = pass; g <= most; g += pass)
        if (generation_s(*cut, setup, g, cell_s) < generation_s(*cut, setup, best, cell_s))
            best = g;
    return best;
}

enum ca_status ca_cut_make(struct ca_cut *cut, const struct ca_setup *setup, int generations,
                           double step_s, struct ca_error *error)
{
    int64_t layers = ca_layers(setup->model, setup->size), served;
    int asked = option(setup, "exchange");

    *cut = (struct ca_cut){.torus = is_torus(setup), .rows = ca_rows(setup->size) / layers};
    CA_TRY(read_devices(cut, setup, error));
    cut->ranks = option(setup, "ranks");
    if (cut->ranks == 0)
        cut->ranks = cut->devices > 0 ? cut->devices : 1;
    CA_TRY(share_out(cut, setup, error));
    if (cut->ranks == 1)
        return CA_OK;
    served = (smallest_share(cut) & ~INT64_C(1)) / setup->model->radius;
    if (served > EXCHANGE_MOST && asked <= EXCHANGE_MOST)
        served = EXCHANGE_MOST;
    cut->exchange = asked == 0       ? choose_exchange(cut, setup, (int)served, generations, step_s)
                    : asked < served ? asked
                                     : (int)served;
    cut->halo = halo_of(setup, cut->exchange);
    return CA_OK;
}

/* --- ranks ----------------------------------------------------------------------------------- */

int ca_cut_neighbour(const struct ca_cut *cut, int rank, int side)
{
    int next = rank + side;

    if (cut->ranks == 1 || (!cut->torus && (next < 0 || next == cut->ranks)))
        return -1;
    return (next + cut->ranks) % cut->ranks;
}

int64_t ca_cut_low(const struct ca_cut *cut, int rank)
{
    return ca_cut_neighbour(cut, rank, -1) < 0 ? 0 : cut->halo;
}

static void set_option(struct ca_setup *setup, const char *name, int number)
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
    bool high = ca_cut_neighbour(cut, rank, 1) >= 0;
    int threads = option(setup, "threads");

    own.slab =
        (struct ca_slab){cut->first[rank] - low,
                         low + ca_cut_own(cut, rank) + (high ? cut->halo : 0), low > 0, high};
    if (cut->ranks > 1) {
        if (threads == 0)
            threads = ca_cpu_cores();
        set_option(&own, "threads", threads > cut->ranks ? threads / cut->ranks : 1);
    }
    if (cut->devices > 0)
        set_option(&own, "device", cut->device[rank * cut->devices / cut->ranks]);
    return own;
}
