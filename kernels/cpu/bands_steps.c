/* SPDX-License-Identifier: MIT */
/*
 * Owns the order of generations of banded bit planes, one or several of them in a pass.
 *
 * In a pass of several, a group of layers is taken through all generations while it is in the
 * caches: generation g of layer z follows as soon as generation g - 1 of layer z + reach is there.
 * The two copies of the planes suffice for that: generation g overwrites g - 2 of its layer, which
 * nobody reads any more once g - 1 is done `reach` layers on. Nothing is computed twice.
 *
 *     generation 3       / . . . . . \ x x / . . . . . \       .  each member, of its own layers
 *                2     / . . . . . . . \ / . . . . . . . \     x  then the wedges between members
 *                1   / . . . . . . . . | . . . . . . . . . \
 *                            member 0          member 1
 *
 * Where a member's layers meet others', it leaves `reach` of them more in each generation, as these
 * would need the neighbour's. When all have met, what was left is filled generation by generation.
 * At the ends of a slab that is not closed there is nothing to leave.
 *
 * Layers of which the caches hold too few are cut: a tile of rows goes through all layers and
 * generations before the next one does, `reach` rows further up in each generation. Rows of bands
 * are a ring, since the bands' ends meet: its seam is the last tile.
 */
#include "core/machine/cpu.h"
#include "kernels/cpu/bands.h"

/* --- how many generations --------------------------------------------------------------------- */

#define GENERATIONS 8     /* more gain little */
#define TILE_MIN 16       /* rows; what lies around smaller ones would be most of what is read */
#define GROUP_BYTES 65536 /* layers smaller than that are taken several at a time */
#define LAYERS_AROUND 4   /* that a step reads and writes */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }

/* Of one layer, all copies of all planes. */
static int64_t layer_bytes(const struct bands *bands)
{
    int64_t copies = 0;

    for (int p = 0; p < bands->planes; p++)
        copies += bands->ops->in_place >> p & 1 ? 1 : 2;
    return greatest(1, copies * bands->layer_words * (int64_t)sizeof(uint64_t));
}

/* What members leave must not meet in the middle of their layers. */
static int64_t most_generations(const struct bands *bands)
{
    int members = thread_pool_size(bands->thread_pool);

    if (!bands->whole)
        return 1;
    if (members == 1 && !bands->ring)
        return INT64_MAX;
    return bands->size.d / members / (2 * bands->reach) + 1;
}

/* Rows of a layer for which a member's share of the third cache holds all generations. */
static int64_t tile_rows(const struct bands *bands, int64_t third)
{
    int64_t layers = bands->generations * bands->reach + bands->group + LAYERS_AROUND;
    int64_t tile = greatest(third / 4 * 3 / thread_pool_size(bands->thread_pool) / layers *
                                bands->rows / layer_bytes(bands),
                            TILE_MIN);
    int64_t tiles = (bands->rows + tile - 1) / tile;

    return (bands->rows + tiles - 1) / tiles;
}

/*
 * Lattices that the members' second caches hold gain nothing by several generations in a pass.
 * Where tiles are needed, the seam must leave rows between its two sides.
 */
void bands_plan(struct bands *bands, int wanted)
{
    const struct ca_slab *slab = &bands->setup.slab;
    int members = thread_pool_size(bands->thread_pool);
    int64_t bytes = layer_bytes(bands), caches[CA_CACHES];
    bool large;

    ca_cpu_caches(caches);
    large = bytes * bands->size.d > caches[1] * members;
    bands->reach = bands->setup.model->radius;
    bands->ring = bands->torus && !slab->ghost_low && !slab->ghost_high;
    bands->whole = members == 1 || bands->size.d >= 4 * members;
    bands->group = greatest(1, GROUP_BYTES / bytes);
    bands->generations = (int)least(wanted  ? wanted
                                    : large ? GENERATIONS
                                            : 1,
                                    most_generations(bands));
    bands->tile = tile_rows(bands, caches[2]);
    if (bands->tile < bands->rows)
        bands->generations =
            (int)least(bands->generations, greatest(1, bands->rows / (2 * bands->reach)));
}

/* --- steps ------------------------------------------------------------------------------------ */

struct job {
    struct bands *bands;
    uint64_t t, n;
};

/* A pass as one member sees it: `generations` of them, the first from t, of layers [first, last).
 */
struct turn {
    const struct bands *bands;
    int member, now, generations;
    uint64_t t;
    int64_t first, last;
};

/*
 * Generation g + 1 of rows from ... to - 1 of bands in layers first ... last - 1; those from the
 * slab's depth on are a ring's.
 */
static void step_rows(const struct turn *turn, int g, int64_t first, int64_t last, int64_t from,
                      int64_t to)
{
    const struct bands *bands = turn->bands;
    int64_t d = bands->size.d, rows = bands->rows, next;
    bool whole = from == 0 && to == rows;

    for (int64_t z = first; z < last && from < to; z = next) {
        int64_t start = z % d * rows;

        next = !whole ? z + 1 : z < d ? least(last, d) : last;
        bands->ops->pass(bands, turn->member, turn->now ^ (g & 1), start + from,
                         start + (next - z - 1) * rows + to, turn->t + (uint64_t)g);
    }
}

/* The same of what tiles leave at both ends of the bands. The ghosts follow when all is there. */
static void step_seam(const struct turn *turn, int g, int64_t first, int64_t last)
{
    const struct bands *bands = turn->bands;
    int64_t left = g * bands->reach;

    step_rows(turn, g, first, last, 0, left);
    step_rows(turn, g, first, last, bands->rows - left, bands->rows);
    for (int64_t z = first; z < last; z++)
        bands->ops->close(bands, !(turn->now ^ (g & 1)), z);
}

/* The same of the tile that starts at `row`; of layers as a whole where there are no tiles. */
static void step_tile(const struct turn *turn, int g, int64_t first, int64_t last, int64_t row)
{
    const struct bands *bands = turn->bands;
    int64_t left = g * bands->reach, rows = bands->rows;

    if (bands->tile == rows || turn->generations == 1)
        step_rows(turn, g, first, last, 0, rows);
    else if (row < rows)
        step_rows(turn, g, first, last, greatest(row - left, left),
                  least(row + bands->tile, rows) - left);
    else
        step_seam(turn, g, first, last);
}

/* The member's layers through all generations, less what is left for the wedges. */
static void sweep_tile(const struct turn *turn, int64_t row)
{
    const struct bands *bands = turn->bands;
    int64_t reach = bands->reach, first = turn->first, last = turn->last;
    int64_t low = first > 0 || bands->ring ? reach : 0;
    int64_t high = last < bands->size.d || bands->ring ? reach : 0;
    int64_t group = turn->generations > 1 ? bands->group : greatest(1, last - first);

    for (int64_t at = first; at < last + (turn->generations - 1) * reach; at += group)
        for (int g = 0; g < turn->generations; g++)
            step_tile(turn, g, greatest(at - g * reach, first + g * low),
                      least(at + group - g * reach, last - g * high), row);
}

static void sweep(const struct turn *turn)
{
    const struct bands *bands = turn->bands;
    bool tiled = bands->tile < bands->rows && turn->generations > 1;

    for (int64_t row = 0; row < bands->rows; row += tiled ? bands->tile : bands->rows)
        sweep_tile(turn, row);
    if (tiled)
        sweep_tile(turn, bands->rows);
}

/* The member's share of generation g + 1 of the wedges, one's layers after the other's. */
static void fill(const struct turn *turn, int g)
{
    const struct bands *bands = turn->bands;
    int skipped = bands->ring ? 0 : 1; /* there is no wedge below the first member's layers */
    int64_t width = 2 * g * bands->reach, first, last, next, start, end;

    thread_pool_share(bands->thread_pool, turn->member,
                      (thread_pool_size(bands->thread_pool) - skipped) * width, &first, &last);
    for (int64_t at = first; at < last; at = next) {
        next = least(last, at - at % width + width);
        thread_pool_share(bands->thread_pool, (int)(at / width) + skipped, bands->size.d, &start,
                          &end);
        start += (start ? 0 : bands->size.d) - width / 2 + at % width;
        step_rows(turn, g, start, start + next - at, 0, bands->rows);
    }
}

/* Of a ring's wedges each member has one to itself, else the members share each generation. */
static void run_passes(const struct job *job, int member)
{
    const struct bands *bands = job->bands;
    struct turn turn = {.bands = bands, .member = member, .now = bands->now, .t = job->t};

    thread_pool_share(bands->thread_pool, member, bands->size.d, &turn.first, &turn.last);
    for (uint64_t left = job->n; left > 0; left -= (uint64_t)turn.generations) {
        if (left < job->n)
            thread_pool_barrier(bands->thread_pool);
        turn.generations = left < (uint64_t)bands->generations ? (int)left : bands->generations;
        sweep(&turn);
        for (int g = 1; g < turn.generations; g++) {
            if (g == 1 || !bands->ring)
                thread_pool_barrier(bands->thread_pool);
            fill(&turn, g);
        }
        turn.now ^= turn.generations & 1;
        turn.t += (uint64_t)turn.generations;
    }
}

/* --- fewer layers than members could own ------------------------------------------------------ */

/* Layers whose rows more than one member has stepped get their ghosts when all are done. */
static void close_shared(const struct bands *bands, int copy, int64_t first, int64_t last)
{
    if (first < last && first % bands->rows != 0)
        first += bands->rows - first % bands->rows;
    if (first < last && last % bands->rows != 0)
        bands->ops->close(bands, copy, last / bands->rows);
}

/* The layers' rows are shared out, and the members meet once more for the ghosts. */
static void share_rows(const struct job *job, int member)
{
    const struct bands *bands = job->bands;
    int64_t first, last;
    int now = bands->now;

    thread_pool_share(bands->thread_pool, member, bands->size.d * bands->rows, &first, &last);
    for (uint64_t i = 0; i < job->n; i++, now = !now) {
        if (i > 0)
            thread_pool_barrier(bands->thread_pool);
        bands->ops->pass(bands, member, now, first, last, job->t + i);
        thread_pool_barrier(bands->thread_pool);
        close_shared(bands, !now, first, last);
    }
}

static void run_member(void *context, int member)
{
    const struct job *job = context;

    if (job->bands->whole)
        run_passes(job, member);
    else
        share_rows(job, member);
}

enum ca_status bands_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct bands *bands = self;
    struct job job = {bands, t, n};

    (void)error;
    for (int64_t z = 0; bands->loaded && z < bands->size.d; z++)
        bands->ops->close(bands, bands->now, z);
    bands->loaded = false;
    thread_pool_run(bands->thread_pool, run_member, &job);
    bands->now ^= (int)(n & 1);
    return CA_OK;
}
