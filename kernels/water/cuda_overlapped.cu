/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-overlapped of water: overlapped tiles of up to 4096 cells, which a block keeps in
 * registers for several generations.
 *
 * Passes of a sweep over a small lattice are shorter than the launch of the next one, and there are
 * too few warps. A tile takes up to 12 generations a launch instead. In each of them it loses two
 * rows and two columns at each side, which the tiles beside it compute as well. A tile that holds
 * the whole lattice, such as 64 x 64 or 128 x 32, loses nothing and stays for all generations of a
 * call. Where more multiprocessors save more time than launches cost, such a lattice is still cut.
 *
 * A lane has four columns of a row, and a row of the tile is 1, 2, 4 ... 32 lanes wide:
 *
 *     warp 0    row 0: lanes 0 ... 15    row 1: lanes 16 ... 31        of 64 columns
 *     warp 1    row 2                    row 3
 *     ...
 *
 * Columns of other lanes come by shuffles, and the rows above and below through shared memory:
 * first their levels, then their best levels, with a barrier after each. A warp is idle once no
 * other needs its rows. The bottleneck is the issue of instructions, some 70 a cell with the
 * exchange through shared memory; in tiles of less than some 500 cells it is the two barriers a
 * generation.
 *
 * All lattices take this kernel whose tiles one launch can count.
 */
#include "kernels/water/cuda_groups.cuh"

#include <stdio.h>

#define THREADS 1024 /* of a block at most, for the registers of one multiprocessor */
#define OUTSIDE THREADS
#define SHARED_BYTES (2 * (THREADS + 1) * (int64_t)sizeof(float4))
#define GENERATIONS_MAX 12            /* of a pass, as the option `generations` allows */
#define GENERATIONS_ENDLESS (1 << 16) /* of a pass whose tile is the whole lattice */
#define TILES_MAX (INT64_C(1) << 30)  /* of a launch, less one */

/* The tile of a launch. */
struct tile {
    int generations, lanes;
    int groups, rows;           /* that the tile stores */
    int halo_groups, halo_rows; /* at each side, that other tiles store */
    int64_t top;                /* row of the first one in the lattice, its halo included */
    uint32_t across;            /* tiles side by side */
    struct cuda_bands bands;    /* rows of tiles that are launched */
};

/* The position of a lane, and where its neighbours' rows are in shared memory. */
struct position {
    int64_t at;       /* its group in the lattice, or the nearest that exists */
    int above, below; /* threads, or OUTSIDE */
    bool first, last; /* of the lanes of its row */
    unsigned columns; /* a bit for each of its cells that exists */
    bool edges;       /* some cells of the warp do not exist */
    int top, bottom;  /* rows of the tile that the warp has; an empty range if none exists */
    bool stores;
};

static __device__ __forceinline__ int64_t nearest(int64_t i, int64_t count)
{
    return i < 0 ? 0 : i < count ? i : count - 1;
}

/* PARTS: some rows of tiles are launched, not all. Finding out costs a block 3 % of its time. */
template <bool PARTS>
static __device__ __forceinline__ struct position position_of(const struct water_lattice &lattice,
                                                              const struct tile &tile)
{
    int thread = threadIdx.x, row = thread / tile.lanes, column = thread % tile.lanes;
    int64_t h = lattice.partition.h;
    uint32_t band =
        PARTS ? cuda_band(tile.bands, blockIdx.x / tile.across) : blockIdx.x / tile.across;
    int64_t y = tile.top + (int64_t)band * tile.rows + row;
    int64_t group = (int64_t)(blockIdx.x % tile.across) * tile.groups + column - tile.halo_groups;
    struct position position;

    position.above = row > 0 ? thread - tile.lanes : OUTSIDE;
    position.below = thread + tile.lanes < (int)blockDim.x ? thread + tile.lanes : OUTSIDE;
    position.first = column == 0;
    position.last = column == tile.lanes - 1;
    position.columns = 0;
    for (int i = 0; i < WATER_COLUMNS; i++)
        if (y >= 0 && y < h && group >= 0 && group * WATER_COLUMNS + i < lattice.w)
            position.columns |= 1u << i;
    position.edges = !__all_sync(0xffffffff, position.columns == (1 << WATER_COLUMNS) - 1);
    position.top = thread / WARP_LANES * (WARP_LANES / tile.lanes);
    position.bottom = position.top + WARP_LANES / tile.lanes;
    if (!__any_sync(0xffffffff, position.columns != 0))
        position.bottom = INT32_MIN;
    position.stores = position.columns && (unsigned)(row - tile.halo_rows) < (unsigned)tile.rows &&
                      (unsigned)(column - tile.halo_groups) < (unsigned)tile.groups;
    position.at = nearest(y, h) * lattice.pitch +
                  nearest(group, (lattice.w + WATER_COLUMNS - 1) / WATER_COLUMNS);
    return position;
}

/* Sets the cells that do not exist to `none`. */
static __device__ __forceinline__ void mask(float cell[WATER_COLUMNS], float none,
                                            const struct position &position)
{
    if (position.edges)
#pragma unroll
        for (int i = 0; i < WATER_COLUMNS; i++)
            cell[i] = position.columns >> i & 1 ? cell[i] : none;
}

/* The values around a lane's cells. */
struct neighbours {
    float north[WATER_COLUMNS], south[WATER_COLUMNS], west, east;
};

static __device__ __forceinline__ struct neighbours neighbours_of(const float cell[WATER_COLUMNS],
                                                                  const float4 *rows, float none,
                                                                  const struct position &position)
{
    struct neighbours neighbours;

    water_unpack(neighbours.north, rows[position.above]);
    water_unpack(neighbours.south, rows[position.below]);
    neighbours.west = __shfl_up_sync(0xffffffff, cell[WATER_COLUMNS - 1], 1);
    neighbours.east = __shfl_down_sync(0xffffffff, cell[0], 1);
    neighbours.west = position.first ? none : neighbours.west;
    neighbours.east = position.last ? none : neighbours.east;
    return neighbours;
}

/* The cells of a lane. */
struct cells {
    float terrain[WATER_COLUMNS], level[WATER_COLUMNS], best[WATER_COLUMNS];
    float no_best; /* the best level of a cell that does not exist */
    bool fast;     /* the warp has no sources, and all levels are below WATER_HUGE */
};

static __device__ __forceinline__ void find_best(struct cells *cells, const float4 *levels,
                                                 const struct position &position)
{
    struct neighbours level = neighbours_of(cells->level, levels, WATER_NO_LEVEL, position);
    struct water_pair pair[WATER_COLUMNS];

#pragma unroll
    for (int i = 0; i < WATER_COLUMNS; i++)
        pair[i] =
            water_pair_of(level.north[i], i + 1 < WATER_COLUMNS ? cells->level[i + 1] : level.east);
    water_row_best(cells->best, cells->terrain, cells->level, level.south, level.west, 0, pair);
    mask(cells->best, cells->no_best, position);
}

template <bool FAST>
static __device__ __forceinline__ void find_level(struct cells *cells, const float4 *bests,
                                                  const struct water_lattice &lattice,
                                                  const struct position &position)
{
    struct neighbours best = neighbours_of(cells->best, bests, cells->no_best, position);
    struct water_row_levels row = {cells->terrain, cells->level, best.north, cells->best,
                                   best.south,     best.west,    best.east};
    float source[WATER_COLUMNS] = {};

    if (!FAST)
        water_unpack(source, __ldg(lattice.source + position.at));
    water_row_next<FAST, !FAST>(cells->level, row, source, lattice.mode);
    mask(cells->level, WATER_NO_LEVEL, position);
}

/*
 * Loads the lane's cells. A best level that is below all others makes flows of 0, as -inf does, and
 * it is finite, as the fast path requires, unless some levels are overlarge.
 */
static __device__ __forceinline__ void load_cells(struct cells *cells, float4 *levels,
                                                  float4 *bests,
                                                  const struct water_lattice &lattice,
                                                  const struct position &position)
{
    bool overlarge = *lattice.overlarge != 0, sourceless = true;
    float source[WATER_COLUMNS];

    water_unpack(source, __ldg(lattice.source + position.at));
    water_unpack(cells->terrain, __ldg(lattice.terrain + position.at));
    water_unpack(cells->level, __ldg(lattice.level + position.at));
    mask(cells->level, WATER_NO_LEVEL, position);
    cells->no_best = overlarge ? WATER_NO_BEST : -2 * WATER_HUGE;
#pragma unroll
    for (int i = 0; i < WATER_COLUMNS; i++) {
        sourceless = sourceless && source[i] == 0;
        cells->best[i] = cells->no_best;
    }
    cells->fast = __all_sync(0xffffffff, sourceless && !overlarge);
    levels[threadIdx.x] = water_pack(cells->level);
    bests[threadIdx.x] = water_pack(cells->best);
    if (threadIdx.x == 0) {
        bests[OUTSIDE] = water_pack(cells->best);
        levels[OUTSIDE] =
            make_float4(WATER_NO_LEVEL, WATER_NO_LEVEL, WATER_NO_LEVEL, WATER_NO_LEVEL);
    }
}

template <bool PARTS>
__global__ static void __launch_bounds__(THREADS, 1)
    water_cuda_overlapped_step(const __grid_constant__ struct water_lattice lattice,
                               const __grid_constant__ struct tile tile)
{
    cuda_begin_early();

    __shared__ float4 levels[THREADS + 1];
    __shared__ float4 bests[THREADS + 1];
    struct position position = position_of<PARTS>(lattice, tile);
    struct cells cells;

    load_cells(&cells, levels, bests, lattice, position);
#pragma unroll 1
    for (int left = tile.generations - 1; left >= 0; left--) {
        /* Rows beside the stored ones that are still needed, the last of them as best levels. */
        int margin = 2 * left + 1;
        bool needed = position.bottom > tile.halo_rows - margin &&
                      position.top < tile.halo_rows + tile.rows + margin;

        __syncthreads();
        if (needed) {
            find_best(&cells, levels, position);
            bests[threadIdx.x] = water_pack(cells.best);
        }
        __syncthreads();
        if (needed) {
            if (cells.fast)
                find_level<true>(&cells, bests, lattice, position);
            else
                find_level<false>(&cells, bests, lattice, position);
            levels[threadIdx.x] = water_pack(cells.level);
        }
    }
    if (position.stores)
        lattice.next[position.at] = water_pack(cells.level);
}

/* --- the choice of tiles --------------------------------------------------------------------- */

struct tiling {
    int lanes, warps; /* of a row, and of the tile */
    int generations;  /* of a pass, at most */
    double step_s;    /* of a generation, at least */
};

struct overlapped {
    struct water_groups groups; /* first, for its load, store and gather */
    struct tiling tiling;
};

static int tile_rows(const struct tiling *tiling)
{
    return tiling->warps * (WARP_LANES / tiling->lanes);
}

/* The tile for n generations. Returns the number of tiles, 0 if nothing is left to store. A tile
 * without halo has all rows, whichever are stored. */
static int64_t make_tile(struct tile *tile, const struct tiling *tiling, int n, struct ca_size size,
                         struct cuda_layers stored)
{
    int64_t groups = water_groups_of(size.w);
    int rows = tile_rows(tiling);

    *tile = {n, tiling->lanes};
    tile->halo_groups = groups > tiling->lanes ? (int)ca_divide_up(2 * n, WATER_COLUMNS) : 0;
    tile->halo_rows = size.h > rows ? 2 * n : 0;
    tile->groups = tiling->lanes - 2 * tile->halo_groups;
    tile->rows = rows - 2 * tile->halo_rows;
    if (tile->groups < 1 || tile->rows < 1)
        return 0;
    if (tile->halo_rows == 0)
        stored = {0, size.h};
    tile->top = stored.from - tile->halo_rows;
    tile->across = (uint32_t)ca_divide_up(groups, tile->groups);
    return ca_divide_up(groups, tile->groups) * ca_divide_up(cuda_layers_count(stored), tile->rows);
}

/* The least seconds of a generation. On average a row of the halo is needed for half of the
 * generations. */
static double overlapped_bound(const struct cuda *cuda, const struct tile *tile,
                               const struct tiling *tiling, int64_t blocks)
{
    int n = tile->generations, rows = tile_rows(tiling);
    double cells = (double)(rows - tile->halo_rows) * tiling->lanes * WATER_COLUMNS;
    double again = (double)tiling->lanes * rows / ((double)tile->groups * tile->rows) - 1;

    return water_bound(cuda,
                       {.generations = (double)n,
                        .blocks = blocks,
                        .warps = (double)tiling->warps,
                        .ops = cuda_ops_of(cuda, n * cells),
                        .barriers = 2.0 * n},
                       again);
}

/* Tries the numbers of generations for a shape; *fewest is the least number of tiles seen. */
static void try_shape(const struct cuda *cuda, struct tiling tried, int wanted,
                      struct tiling *least, int64_t *fewest)
{
    bool whole =
        cuda->size.w <= (int64_t)tried.lanes * WATER_COLUMNS && cuda->size.h <= tile_rows(&tried);
    int most = wanted ? wanted : whole ? GENERATIONS_ENDLESS : GENERATIONS_MAX;
    struct tile tile;

    for (int n = wanted || whole ? most : 1; n <= most; n++) {
        int64_t tiles = make_tile(&tile, &tried, n, cuda->size, {0, cuda_stored_layers(cuda, n)});

        if (tiles == 0)
            return;
        *fewest = *fewest == 0 || tiles < *fewest ? tiles : *fewest;
        if (tiles >= TILES_MAX)
            return;
        tried.generations = n;
        tried.step_s = overlapped_bound(cuda, &tile, &tried, tiles);
        if (least->generations == 0 || tried.step_s < least->step_s)
            *least = tried;
    }
}

static enum ca_status water_cuda_overlapped_plan(struct cuda *cuda, struct ca_error *error)
{
    struct tiling *tiling = &((struct overlapped *)cuda->state)->tiling;
    int wanted = (int)ca_int(&cuda->setup.options, "generations");
    int64_t fewest = 0, tiles;
    struct tile tile;

    water_groups_plan(cuda);
    for (int lanes = 1; lanes <= WARP_LANES; lanes *= 2)
        for (int warps = 1; warps <= THREADS / WARP_LANES; warps++)
            try_shape(cuda, {lanes, warps}, wanted, tiling, &fewest);
    if (tiling->generations == 0)
        return ca_fail(error, CA_USAGE,
                       "cuda-overlapped needs %lld tiles for %lldx%lld with %d generation%s a pass,"
                       " a launch has at most %lld",
                       (long long)fewest, (long long)cuda->size.w, (long long)cuda->size.h,
                       wanted ? wanted : 1, wanted > 1 ? "s" : "", (long long)TILES_MAX - 1);

    tiles = make_tile(&tile, tiling, tiling->generations, cuda->size,
                      {0, cuda_stored_layers(cuda, tiling->generations)});
    cuda_plan_launch(cuda, dim3((unsigned)tiles), dim3((unsigned)(tiling->warps * WARP_LANES)),
                     SHARED_BYTES);
    cuda->plan.step_s = tiling->step_s;
    cuda->plan.generations = tiling->generations;
    if (tiles == 1)
        cuda_plan_variant(cuda, "one tile of %dx%d cells", tiling->lanes * WATER_COLUMNS,
                          tile_rows(tiling));
    else
        cuda_plan_variant(cuda, "tiles of %dx%d cells, %dx%d of them stored",
                          tiling->lanes * WATER_COLUMNS, tile_rows(tiling),
                          tile.groups * WATER_COLUMNS, tile.rows);
    return CA_OK;
}

/* --- steps ----------------------------------------------------------------------------------- */

static struct cuda_band_sizes water_cuda_overlapped_bands(const struct cuda *cuda, int n)
{
    const struct overlapped *state = (const struct overlapped *)cuda->state;
    struct tile tile;
    int64_t tiles = make_tile(&tile, &state->tiling, n, cuda->size, cuda->stored);

    return {tiles / tile.across, tile.halo_rows ? tile.rows : 0};
}

static enum ca_status water_cuda_overlapped_pass(struct cuda *cuda, uint64_t t, int n,
                                                 struct ca_error *error)
{
    struct overlapped *state = (struct overlapped *)cuda->state;
    const struct tiling *tiling = &state->tiling;
    struct tile tile;
    int64_t tiles = make_tile(&tile, tiling, n, cuda->size, cuda->stored);

    (void)t; /* the same rule in every generation */
    tile.bands = cuda->bands;
    return cuda_launch_early(
        cuda, "water_cuda_overlapped_step",
        tile.bands.count * tile.across == tiles ? water_cuda_overlapped_step<false>
                                                : water_cuda_overlapped_step<true>,
        dim3(tile.bands.count * tile.across), dim3((unsigned)(tiling->warps * WARP_LANES)), 0,
        error, water_groups_now(&state->groups), tile);
}

CUDA_OPS(water_cuda_overlapped) = {
    .state_size = sizeof(struct overlapped),
    .plan = water_cuda_overlapped_plan,
    .access = &water_groups_access,
    .pass = water_cuda_overlapped_pass,
    .swap = water_groups_swap,
    .bands = water_cuda_overlapped_bands,
};
