/* SPDX-License-Identifier: MIT */
/*
 * This file plans the layout of banded bit planes, and the workers, generations, layers and rows of
 * a pass; it takes no memory.
 */
#include <stdio.h>
#include <string.h>

#include "core/machine/cpu.h"
#include "core/machine/device.h"
#include "kernels/cpu/bands.h"

/* A further worker pays from about so many words a generation on, which take 2 to 8 us. */
#define WORDS_PER_WORKER 8192

#define GENERATIONS 8     /* further ones gain little */
#define TILE_MIN 16       /* rows; of smaller tiles most of what is read lies around them */
#define GROUP_BYTES 65536 /* smaller layers are taken several at a time */
#define LAYERS_AROUND 4   /* that a step reads and writes */

static int64_t bands_plan_least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }

bool bands_in_place(const struct bands *bands, int plane)
{
    return bands->ops->in_place >> plane & 1;
}

/* One layer more than the slab has: the empty one. */
int64_t bands_plane_words(const struct bands *bands)
{
    return (bands->size.d + 1) * bands->layer_words + 2 * CA_PLANES_MAX * BANDS_STAGGER;
}

/* The copies of all planes. */
static int copies(const struct bands *bands)
{
    int count = 0;

    for (int p = 0; p < bands->planes; p++)
        count += bands_in_place(bands, p) ? 1 : 2;
    return count;
}

static void lay_out(struct bands *bands)
{
    int64_t w = bands->size.w, h = bands->size.h;

    bands->lanes = bands->ops->lanes;
    bands->fields = w <= 32 ? 64 / w : 1;
    bands->count = bands->lanes * bands->fields;
    bands->rows = (h + bands->count - 1) / bands->count;
    bands->words = (w + 63) / 64;
    bands->row_words = bands->lanes * bands->words;
    bands->layer_words = (bands->rows + 2 * bands->ops->halo_rows) * bands->row_words;
    bands->even = h % bands->count == 0 && bands->rows >= bands->ops->halo_rows;
}

static void make_masks(struct bands *bands)
{
    uint64_t row = bands->fields > 1 ? (UINT64_C(1) << bands->size.w) - 1 : ~UINT64_C(0);

    memset(bands->first, 0xff, sizeof bands->first);
    memset(bands->last, 0xff, sizeof bands->last);
    if (bands->torus)
        return;
    bands->first[0] = ~row;
    bands->last[bands->lanes - 1] =
        ~(row << (bands->fields - 1) * (bands->fields > 1 ? bands->size.w : 0));
}

/* The layers that workers leave out at both ends of their own must not meet in the middle. */
static int64_t most_generations(const struct bands *bands)
{
    if (!bands->whole_layers)
        return 1;
    if (bands->threads == 1 && !bands->periodic)
        return INT64_MAX;
    return bands->size.d / bands->threads / (2 * bands->reach) + 1;
}

/* Rows of a layer for which a worker's share of L3 holds all generations. */
static int64_t bands_plan_tile_rows(const struct bands *bands, int64_t l3, int64_t layer_bytes)
{
    int64_t layers = bands->generations * bands->reach + bands->group + LAYERS_AROUND;
    int64_t tile =
        greatest(l3 / 4 * 3 / bands->threads / layers * bands->rows / layer_bytes, TILE_MIN);
    int64_t tiles = (bands->rows + tile - 1) / tile;

    return (bands->rows + tiles - 1) / tiles;
}

/*
 * A lattice that the workers' L2 caches hold gains nothing by several generations in a pass. Where
 * tiles are needed, the last one, which wraps around the ends of the bands, must leave rows between
 * its two halves.
 */
static void bands_plan_choose_generations(struct bands *bands, int requested)
{
    const struct ca_slab *slab = &bands->setup.slab;
    int64_t bytes = greatest(1, copies(bands) * bands->layer_words * (int64_t)sizeof(uint64_t));
    int64_t caches[CA_CACHES];
    bool large;

    ca_cpu_caches(caches);
    large = bytes * bands->size.d > caches[1] * bands->threads;
    bands->reach = bands->setup.model->radius;
    bands->periodic = bands->torus && !slab->ghost_low && !slab->ghost_high;
    bands->whole_layers = bands->threads == 1 || bands->size.d >= 4 * bands->threads;
    bands->group = greatest(1, GROUP_BYTES / bytes);
    bands->generations = (int)bands_plan_least(requested ? requested
                                               : large   ? GENERATIONS
                                                         : 1,
                                               most_generations(bands));
    bands->tile = bands_plan_tile_rows(bands, caches[2], bytes);
    if (bands->tile < bands->rows)
        bands->generations = (int)bands_plan_least(bands->generations,
                                                   greatest(1, bands->rows / (2 * bands->reach)));
}

struct bands bands_describe(const struct ca_setup *setup)
{
    struct bands bands = {.ops = setup->backend->ops,
                          .setup = *setup,
                          .size = setup->size,
                          .planes = setup->model->planes};
    int64_t words;

    bands.size.d = setup->slab.extent;
    bands.torus = bands.ops->torus && bands.ops->torus(setup);
    lay_out(&bands);
    make_masks(&bands);
    words = ca_rows(bands.size) * bands.words * bands.planes;
    bands.threads =
        ca_threads_for(&setup->options, words < 2 * WORDS_PER_WORKER ? 0 : INT64_MAX, 1);
    bands_plan_choose_generations(&bands, (int)ca_int(&setup->options, "generations"));
    return bands;
}

void bands_report(const void *self, struct ca_plan *plan)
{
    const struct bands *bands = self;
    const struct ca_backend *backend = bands->setup.backend;
    int64_t words = copies(bands) * bands_plane_words(bands) +
                    bands->threads * bands->ops->scratch_rows * bands->row_words;
    int used;

    *plan = (struct ca_plan){
        .generations = bands->generations,
        .threads = bands->threads,
        .vector_bits = (int)(64 * bands->lanes),
        .memory_bytes = words * (int64_t)sizeof(uint64_t) + (int64_t)bands->ops->context_size,
        .bytes_per_cell_step = backend->bytes_per_cell_step / bands->generations,
        .ops_per_cell_step = backend->ops_per_cell_step,
    };
    used = snprintf(plan->variant, sizeof plan->variant, "%d band%s", (int)bands->count,
                    bands->count == 1 ? "" : "s");
    if (bands->generations > 1 && bands->tile < bands->rows)
        snprintf(plan->variant + used, sizeof plan->variant - (size_t)used, ", tiles of %d rows",
                 (int)bands->tile);
}
