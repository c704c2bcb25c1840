/* SPDX-License-Identifier: MIT */
/*
 * This file orders the generations of banded bit planes, one or several of them in a pass.
 *
 * A pass of several generations takes a group of layers through all of them while it is in the
 * caches (temporal blocking): generation g of layer z follows as soon as generation g - 1 of layer
 * z + reach is complete. Two copies of the planes suffice, because generation g overwrites g - 2 of
 * its layer, which is not read any more once g - 1 is complete `reach` layers on. No layer is
 * computed twice.
 *
 *     generation 3       / . . . . . \ x x / . . . . . \       .  each worker, in its own layers
 *                2     / . . . . . . . \ / . . . . . . . \     x  then the wedges between workers
 *                1   / . . . . . . . . | . . . . . . . . . \
 *                            worker 0          worker 1
 *
 * Where a worker's layers border on another's, it leaves out `reach` more of them in each
 * generation, as these would need the neighbour's. Behind a barrier the workers fill these wedges,
 * generation by generation. At the ends of a slab that is not periodic there is no wedge.
 *
 * Where the caches hold too few whole layers, layers are divided into tiles of rows: a tile goes
 * through all layers and generations before the next one does, `reach` rows further up in each
 * generation. The rows of bands are periodic, because the ends of the bands border on each other: a
 * last tile wraps around these ends.
 */
#include "kernels/cpu/bands.h"

static int64_t bands_steps_least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }

struct job {
    struct bands *bands;
    uint64_t t, n;
};

/* A worker's part of a pass: `generations` of them, the first from t, of layers [first, last). */
struct pass {
    const struct bands *bands;
    int worker, now, generations;
    uint64_t t;
    int64_t first, last;
};

/*
 * Generation g + 1 of rows from ... to - 1 of the bands in layers first ... last - 1, which wrap
 * around at the slab's depth.
 */
static void bands_step_rows(const struct pass *pass, int g, int64_t first, int64_t last,
                            int64_t from, int64_t to)
{
    const struct bands *bands = pass->bands;
    int64_t d = bands->size.d, rows = bands->rows, next;
    bool whole = from == 0 && to == rows;

    for (int64_t z = first; z < last && from < to; z = next) {
        int64_t start = z % d * rows;

        next = !whole ? z + 1 : z < d ? bands_steps_least(last, d) : last;
        bands->ops->pass(bands, pass->worker, pass->now ^ (g & 1), start + from,
                         start + (next - z - 1) * rows + to, pass->t + (uint64_t)g);
    }
}

/* The same for the tile that wraps around the ends of the bands, and then the layers' halos. */
static void step_wrap_tile(const struct pass *pass, int g, int64_t first, int64_t last)
{
    const struct bands *bands = pass->bands;
    int64_t left = g * bands->reach;

    bands_step_rows(pass, g, first, last, 0, left);
    bands_step_rows(pass, g, first, last, bands->rows - left, bands->rows);
    for (int64_t z = first; z < last; z++)
        bands->ops->fill_halo(bands, !(pass->now ^ (g & 1)), z);
}

/* The same for the tile that starts at `row`, or for whole layers where there are no tiles. */
static void step_tile(const struct pass *pass, int g, int64_t first, int64_t last, int64_t row)
{
    const struct bands *bands = pass->bands;
    int64_t left = g * bands->reach, rows = bands->rows;

    if (bands->tile == rows || pass->generations == 1)
        bands_step_rows(pass, g, first, last, 0, rows);
    else if (row < rows)
        bands_step_rows(pass, g, first, last, greatest(row - left, left),
                        bands_steps_least(row + bands->tile, rows) - left);
    else
        step_wrap_tile(pass, g, first, last);
}

/* Takes a tile of the worker's layers through all generations, less the wedges. */
static void sweep_tile(const struct pass *pass, int64_t row)
{
    const struct bands *bands = pass->bands;
    int64_t reach = bands->reach, first = pass->first, last = pass->last;
    int64_t low = first > 0 || bands->periodic ? reach : 0;
    int64_t high = last < bands->size.d || bands->periodic ? reach : 0;
    int64_t group = pass->generations > 1 ? bands->group : greatest(1, last - first);

    for (int64_t at = first; at < last + (pass->generations - 1) * reach; at += group)
        for (int g = 0; g < pass->generations; g++)
            step_tile(pass, g, greatest(at - g * reach, first + g * low),
                      bands_steps_least(at + group - g * reach, last - g * high), row);
}

static void sweep(const struct pass *pass)
{
    const struct bands *bands = pass->bands;
    bool tiled = bands->tile < bands->rows && pass->generations > 1;

    for (int64_t row = 0; row < bands->rows; row += tiled ? bands->tile : bands->rows)
        sweep_tile(pass, row);
    if (tiled)
        sweep_tile(pass, bands->rows);
}

/* The worker's share of generation g + 1 of all wedges, taken as one sequence of layers. */
static void fill_wedges(const struct pass *pass, int g)
{
    const struct bands *bands = pass->bands;
    int skipped = bands->periodic ? 0 : 1; /* no wedge below the first worker's layers */
    int64_t width = 2 * g * bands->reach, first, last, next, start, end;

    ca_thread_pool_share(bands->thread_pool, pass->worker,
                         (ca_thread_pool_size(bands->thread_pool) - skipped) * width, &first,
                         &last);
    for (int64_t at = first; at < last; at = next) {
        next = bands_steps_least(last, at - at % width + width);
        ca_thread_pool_share(bands->thread_pool, (int)(at / width) + skipped, bands->size.d, &start,
                             &end);
        start += (start ? 0 : bands->size.d) - width / 2 + at % width;
        bands_step_rows(pass, g, start, start + next - at, 0, bands->rows);
    }
}

/*
 * In a periodic slab each worker has a wedge to itself. Else the workers share each generation of
 * the wedges, with a barrier between generations.
 */
static void run_passes(const struct job *job, int worker)
{
    const struct bands *bands = job->bands;
    struct pass pass = {.bands = bands, .worker = worker, .now = bands->now, .t = job->t};

    ca_thread_pool_share(bands->thread_pool, worker, bands->size.d, &pass.first, &pass.last);
    for (uint64_t left = job->n; left > 0; left -= (uint64_t)pass.generations) {
        if (left < job->n)
            ca_thread_pool_barrier(bands->thread_pool);
        pass.generations = left < (uint64_t)bands->generations ? (int)left : bands->generations;
        sweep(&pass);
        for (int g = 1; g < pass.generations; g++) {
            if (g == 1 || !bands->periodic)
                ca_thread_pool_barrier(bands->thread_pool);
            fill_wedges(&pass, g);
        }
        pass.now ^= pass.generations & 1;
        pass.t += (uint64_t)pass.generations;
    }
}

/* --- fewer layers than workers could own ------------------------------------------------------ */

/* Fills the halos of layers that several workers have stepped, once all are done. */
static void fill_shared_halos(const struct bands *bands, int copy, int64_t first, int64_t last)
{
    if (first < last && first % bands->rows != 0)
        first += bands->rows - first % bands->rows;
    if (first < last && last % bands->rows != 0)
        bands->ops->fill_halo(bands, copy, last / bands->rows);
}

/* The workers share the rows of all layers; a second barrier precedes the shared halos. */
static void run_shared_layers(const struct job *job, int worker)
{
    const struct bands *bands = job->bands;
    int64_t first, last;
    int now = bands->now;

    ca_thread_pool_share(bands->thread_pool, worker, bands->size.d * bands->rows, &first, &last);
    for (uint64_t i = 0; i < job->n; i++, now = !now) {
        if (i > 0)
            ca_thread_pool_barrier(bands->thread_pool);
        bands->ops->pass(bands, worker, now, first, last, job->t + i);
        ca_thread_pool_barrier(bands->thread_pool);
        fill_shared_halos(bands, !now, first, last);
    }
}

static void bands_steps_run_worker(void *context, int worker)
{
    const struct job *job = context;

    if (job->bands->whole_layers)
        run_passes(job, worker);
    else
        run_shared_layers(job, worker);
}

enum ca_status bands_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct bands *bands = self;
    struct job job = {bands, t, n};

    (void)error;
    for (int64_t z = 0; bands->halo_stale && z < bands->size.d; z++)
        bands->ops->fill_halo(bands, bands->now, z);
    bands->halo_stale = false;
    ca_thread_pool_run(bands->thread_pool, bands_steps_run_worker, &job);
    bands->now ^= (int)(n & 1);
    return CA_OK;
}
