/* SPDX-License-Identifier: MIT */
/* Owns the kernel of water's tiles, and which of them suit a lattice. */
#include "kernels/water/tiles.cuh"

#define THREADS 1024 /* of a block at most, for the registers of one multiprocessor */
#define NOBODY THREADS

/* What a launch is about. */
struct tile {
    int generations, lanes;
    int groups, rows;           /* that are the tile's own */
    int lost_groups, lost_rows; /* at each side, that others have */
    uint32_t across;            /* tiles side by side */
};

/* Where a lane stands, and what is beside it. */
struct spot {
    int64_t at;       /* its group in the lattice, or the nearest to it */
    int above, below; /* threads */
    bool first, last; /* of the lanes of its row */
    unsigned columns; /* a bit for each of its cells that exists */
    bool edges;       /* cells of the warp do not exist */
    int top, bottom;  /* rows of the tile that the warp has; nowhere if none of them exists */
    bool own;
};

static __device__ __forceinline__ int64_t nearest(int64_t i, int64_t count)
{
    return i < 0 ? 0 : i < count ? i : count - 1;
}

static __device__ __forceinline__ struct spot spot_of(const struct water_sweep &lattice,
                                                      const struct tile &tile)
{
    int thread = threadIdx.x, row = thread / tile.lanes, column = thread % tile.lanes;
    int64_t y = (int64_t)(blockIdx.x / tile.across) * tile.rows + row - tile.lost_rows;
    int64_t group = (int64_t)(blockIdx.x % tile.across) * tile.groups + column - tile.lost_groups;
    struct spot spot;

    spot.above = row > 0 ? thread - tile.lanes : NOBODY;
    spot.below = thread + tile.lanes < (int)blockDim.x ? thread + tile.lanes : NOBODY;
    spot.first = column == 0;
    spot.last = column == tile.lanes - 1;
    spot.columns = 0;
    for (int i = 0; i < SWEEP_COLUMNS; i++)
        if (y >= 0 && y < lattice.cut.h && group >= 0 && group * SWEEP_COLUMNS + i < lattice.w)
            spot.columns |= 1u << i;
    spot.edges = !__all_sync(0xffffffff, spot.columns == (1 << SWEEP_COLUMNS) - 1);
    spot.top = thread / WARP_LANES * (WARP_LANES / tile.lanes);
    spot.bottom = spot.top + WARP_LANES / tile.lanes;
    if (!__any_sync(0xffffffff, spot.columns != 0))
        spot.bottom = INT32_MIN;
    spot.own = spot.columns && (unsigned)(row - tile.lost_rows) < (unsigned)tile.rows &&
               (unsigned)(column - tile.lost_groups) < (unsigned)tile.groups;
    spot.at = nearest(y, lattice.cut.h) * lattice.pitch +
              nearest(group, (lattice.w + SWEEP_COLUMNS - 1) / SWEEP_COLUMNS);
    return spot;
}

static __device__ __forceinline__ float4 pack(const float cell[SWEEP_COLUMNS])
{
    return make_float4(cell[0], cell[1], cell[2], cell[3]);
}

/* What does not exist is `none`. */
static __device__ __forceinline__ void bound(float cell[SWEEP_COLUMNS], float none,
                                             const struct spot &spot)
{
    if (spot.edges)
#pragma unroll
        for (int i = 0; i < SWEEP_COLUMNS; i++)
            cell[i] = spot.columns >> i & 1 ? cell[i] : none;
}

/* What is beside a lane's cells. */
struct beside {
    float north[SWEEP_COLUMNS], south[SWEEP_COLUMNS], west, east;
};

static __device__ __forceinline__ struct beside
beside_of(const float cell[SWEEP_COLUMNS], const float4 *rows, float none, const struct spot &spot)
{
    struct beside beside;

    water_unpack(beside.north, rows[spot.above]);
    water_unpack(beside.south, rows[spot.below]);
    beside.west = __shfl_up_sync(0xffffffff, cell[SWEEP_COLUMNS - 1], 1);
    beside.east = __shfl_down_sync(0xffffffff, cell[0], 1);
    beside.west = spot.first ? none : beside.west;
    beside.east = spot.last ? none : beside.east;
    return beside;
}

/* The cells of a lane. */
struct patch {
    float terrain[SWEEP_COLUMNS], level[SWEEP_COLUMNS], best[SWEEP_COLUMNS];
    float no_best; /* of what does not exist */
    bool plain;    /* no sources in the warp, and levels below WATER_HUGE */
};

static __device__ __forceinline__ void find_best(struct patch *patch, const float4 *levels,
                                                 const struct spot &spot)
{
    struct beside beside = beside_of(patch->level, levels, WATER_NO_LEVEL, spot);
    struct water_pair pair[SWEEP_COLUMNS];

#pragma unroll
    for (int i = 0; i < SWEEP_COLUMNS; i++)
        pair[i] = water_pair_of(beside.north[i],
                                i + 1 < SWEEP_COLUMNS ? patch->level[i + 1] : beside.east);
    water_row_best(patch->best, patch->terrain, patch->level, beside.south, beside.west, 0, pair);
    bound(patch->best, patch->no_best, spot);
}

template <bool PLAIN>
static __device__ __forceinline__ void find_level(struct patch *patch, const float4 *bests,
                                                  const struct water_sweep &lattice,
                                                  const struct spot &spot)
{
    struct beside beside = beside_of(patch->best, bests, patch->no_best, spot);
    struct water_row_levels row = {patch->terrain, patch->level, beside.north, patch->best,
                                   beside.south,   beside.west,  beside.east};
    float source[SWEEP_COLUMNS] = {};

    if (!PLAIN)
        water_unpack(source, __ldg(lattice.source + spot.at));
    water_row_next<PLAIN, !PLAIN>(patch->level, row, source, lattice.mode);
    bound(patch->level, WATER_NO_LEVEL, spot);
}

/*
 * The cells as they come. Flows from a best level that is below all others are 0, and it is finite
 * if levels are no overlarge ones, as plain warps need it to be.
 */
static __device__ __forceinline__ void begin(struct patch *patch, float4 *levels, float4 *bests,
                                             const struct water_sweep &lattice,
                                             const struct spot &spot)
{
    bool overlarge = *lattice.overlarge != 0, none = true;
    float source[SWEEP_COLUMNS];

    water_unpack(source, __ldg(lattice.source + spot.at));
    water_unpack(patch->terrain, __ldg(lattice.terrain + spot.at));
    water_unpack(patch->level, __ldg(lattice.level + spot.at));
    bound(patch->level, WATER_NO_LEVEL, spot);
    patch->no_best = overlarge ? WATER_NO_BEST : -2 * WATER_HUGE;
#pragma unroll
    for (int i = 0; i < SWEEP_COLUMNS; i++) {
        none = none && source[i] == 0;
        patch->best[i] = patch->no_best;
    }
    patch->plain = __all_sync(0xffffffff, none && !overlarge);
    levels[threadIdx.x] = pack(patch->level);
    bests[threadIdx.x] = pack(patch->best);
    if (threadIdx.x == 0) {
        bests[NOBODY] = pack(patch->best);
        levels[NOBODY] =
            make_float4(WATER_NO_LEVEL, WATER_NO_LEVEL, WATER_NO_LEVEL, WATER_NO_LEVEL);
    }
}

__global__ static void __launch_bounds__(THREADS, 1)
    step_tile(const __grid_constant__ struct water_sweep lattice,
              const __grid_constant__ struct tile tile)
{
    __shared__ float4 levels[THREADS + 1];
    __shared__ float4 bests[THREADS + 1];
    struct spot spot = spot_of(lattice, tile);
    struct patch patch;

    begin(&patch, levels, bests, lattice, spot);
#pragma unroll 1
    for (int left = tile.generations - 1; left >= 0; left--) {
        /* Rows beside the tile's own that are of use, the last of them for their best levels. */
        int more = 2 * left + 1;
        bool needed =
            spot.bottom > tile.lost_rows - more && spot.top < tile.lost_rows + tile.rows + more;

        __syncthreads();
        if (needed) {
            find_best(&patch, levels, spot);
            bests[threadIdx.x] = pack(patch.best);
        }
        __syncthreads();
        if (needed) {
            if (patch.plain)
                find_level<true>(&patch, bests, lattice, spot);
            else
                find_level<false>(&patch, bests, lattice, spot);
            levels[threadIdx.x] = pack(patch.level);
        }
    }
    if (spot.own)
        lattice.next[spot.at] = pack(patch.level);
}

/* --- which tiles ----------------------------------------------------------------------------- */

static int64_t divided(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int rows_of(const struct water_tiling *tiling)
{
    return tiling->warps * (WARP_LANES / tiling->lanes);
}

/* The tile for n generations; blocks, 0 if it has no cells of its own or they are too many. */
static int64_t tile_of(struct tile *tile, const struct water_tiling *tiling, int n,
                       struct ca_size size)
{
    int64_t groups = divided(size.w, SWEEP_COLUMNS), blocks;
    int rows = rows_of(tiling);

    *tile = {n, tiling->lanes};
    tile->lost_groups = groups > tiling->lanes ? (int)divided(2 * n, SWEEP_COLUMNS) : 0;
    tile->lost_rows = size.h > rows ? 2 * n : 0;
    tile->groups = tiling->lanes - 2 * tile->lost_groups;
    tile->rows = rows - 2 * tile->lost_rows;
    if (tile->groups < 1 || tile->rows < 1)
        return 0;
    blocks = divided(groups, tile->groups) * divided(size.h, tile->rows);
    tile->across = (uint32_t)divided(groups, tile->groups);
    return blocks < 1 << 30 ? blocks : 0;
}

/* Cycles of a launch and for what a block waits at first; of a warp's row, issued among others; of
 * a generation's barriers, and of one that nothing but itself delays. */
#define PASS_CYCLES 4000.0
#define BEGIN_CYCLES 1500.0
#define ROW_CYCLES 370.0
#define BARRIER_CYCLES 150.0
#define WAIT_CYCLES 500.0

/* Cycles of a generation; on average a tile's rows are lost after half of them. */
static double cycles(const struct tile *tile, const struct water_tiling *tiling, int64_t blocks,
                     double memory, int multiprocessors)
{
    int n = tile->generations, rows = rows_of(tiling);
    double used = (double)(rows - tile->lost_rows) / rows * tiling->warps;
    double work = used / SEGMENT_WARPS * ROW_CYCLES + BARRIER_CYCLES;
    double logic = n * (work > WAIT_CYCLES ? work : WAIT_CYCLES) + BEGIN_CYCLES;

    logic *= (double)divided(blocks, multiprocessors);
    memory *= (double)tiling->lanes * rows / ((double)tile->groups * tile->rows);
    return (PASS_CYCLES + (logic > memory ? logic : memory)) / n;
}

static void choose_generations(const struct cuda *cuda, struct water_tiling tried, int wanted,
                               const struct ca_cuda_device *device, struct water_tiling *least)
{
    const struct water_sweeps *own = (const struct water_sweeps *)cuda->own;
    double memory = water_sweep_memory(&own->lattice, device);
    bool whole =
        cuda->size.w <= (int64_t)tried.lanes * SWEEP_COLUMNS && cuda->size.h <= rows_of(&tried);
    int most = wanted ? wanted : whole ? TILE_GENERATIONS_ENDLESS : TILE_GENERATIONS_MAX;
    struct tile tile;

    for (int n = wanted || whole ? most : 1; n <= most; n++) {
        int64_t blocks = tile_of(&tile, &tried, n, cuda->size);

        if (blocks == 0)
            return;
        tried.generations = n;
        tried.cycles = cycles(&tile, &tried, blocks, memory, device->multiprocessors);
        if (least->generations == 0 || tried.cycles < least->cycles)
            *least = tried;
    }
}

enum ca_status water_tiles_choose(struct cuda *cuda, int generations, struct water_tiling *tiling,
                                  struct ca_error *error)
{
    struct ca_cuda_device device;

    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    *tiling = {};
    for (int lanes = 1; lanes <= WARP_LANES; lanes *= 2)
        for (int warps = 1; warps <= THREADS / WARP_LANES; warps++)
            choose_generations(cuda, {lanes, warps}, generations, &device, tiling);
    return CA_OK;
}

enum ca_status water_tiles_pass(struct cuda *cuda, const struct water_tiling *tiling,
                                int generations, struct ca_error *error)
{
    struct water_sweeps *own = (struct water_sweeps *)cuda->own;
    struct tile tile;
    int64_t blocks = tile_of(&tile, tiling, generations, cuda->size);

    CA_TRY(cuda_launch(cuda, "step", step_tile, dim3((unsigned)blocks),
                       dim3((unsigned)(tiling->warps * WARP_LANES)), 0, error, water_sweep_now(own),
                       tile));
    water_sweep_turn(own);
    return CA_OK;
}
