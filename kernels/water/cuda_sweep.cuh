/* SPDX-License-Identifier: MIT */
/*
 * The sweep of cuda-fused and cuda-temporal: a warp streams down the rows of a row segment and
 * computes best levels and new levels on the way, of one or two generations, all in registers.
 *
 * A lane has four columns, which it loads and stores at once; columns of other lanes come by
 * shuffles. When old levels of row y arrive, best levels of row y - 1 can be computed, and with
 * them new levels of row y - 2, which are the row that arrives for the next generation:
 *
 *     row     generation 1             generation 2
 *     y - 4                            new levels, to memory
 *     y - 3                            best levels
 *     y - 2   new levels        --->   arrives
 *     y - 1   best levels
 *     y       arrives from memory
 *
 * Each generation invalidates two columns at each end of a segment. The first and the last lane of
 * a warp are that halo, which suffices for two generations.
 *
 * Outside the lattice levels are infinite and best levels -inf, so nothing is given or taken there.
 * A load records which rows of a segment have sources. Rows away from those and from the edges go
 * through a version of the loop without either. Most rows do.
 */
#ifndef CALAB_KERNELS_WATER_CUDA_SWEEP_CUH
#define CALAB_KERNELS_WATER_CUDA_SWEEP_CUH

#include "kernels/cuda/copy_async.cuh"
#include "kernels/water/cuda_groups.cuh"

#define WATER_SWEEP_GENERATIONS_MAX 2

/* Steps all rows of `level` into `next`, through as many generations as the kernel is made for. */
typedef void water_sweep_kernel(struct water_lattice lattice);

struct water_sweep_launch {
    water_sweep_kernel *kernel;
    const char *name;
};

struct water_sweep_state {
    struct water_groups groups; /* first, for its load, store and gather */
    const struct water_sweep_launch *passes;
    int rows[WATER_SWEEP_GENERATIONS_MAX]; /* that a warp stores, for each of the passes */
};

/* One generation, a warp a block: cuda-fused, and what cuda-temporal has left at the end of a call.
 */
__global__ void water_cuda_fused_step(struct water_lattice lattice);

/*
 * In ops.plan: passes[n - 1] takes n generations, and most generations go through that of
 * `generations`. The option `rows` says how many a warp stores; 0: those of the least cost.
 */
enum ca_status water_sweep_plan(struct cuda *cuda, const struct water_sweep_launch *passes,
                                int generations, struct ca_error *error);
/* The pass of struct cuda_ops. */
enum ca_status water_sweep_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);

/* --- the sweep ------------------------------------------------------------------------------- */

/* Rows of one iteration. Levels are kept of three rows, so after three rows each value
 * is back in its register and no copies between registers are needed. */
#define WATER_SWEEP_ROWS 3

/* Rows of levels that are loaded in advance: more of them where memory is the bottleneck. */
#define WATER_SWEEP_AHEAD(generations) ((generations) == 1 ? WATER_SWEEP_ROWS : 1)

/* A lane keeps this of a generation. A row that arrives replaces the row three above it. */
struct water_stage {
    float level[WATER_SWEEP_ROWS][WATER_COLUMNS], best[WATER_SWEEP_ROWS][WATER_COLUMNS];
    float terrain[WATER_SWEEP_ROWS][WATER_COLUMNS];
    struct water_pair pair[WATER_COLUMNS]; /* levels north and east of the last row's cells */
    float west;                            /* level west of the last row's first cell */
};

/* The position of a lane. Rows count from the first that the warp stores. */
template <int GENERATIONS> struct water_lane {
    const float4 *level;                /* of the next row to load, within the lattice */
    const float4 *terrain[GENERATIONS]; /* likewise, two rows less for each generation */
    const float4 *source;               /* of row 0 */
    float4 *out;                        /* of row y - 2 GENERATIONS */
    int y;                              /* row that arrives next */
    int top, end;                       /* rows that exist: the first, and one past the last */
    int first_source, last_source;      /* rows with sources, none where last < first */
    int warp_rows, rows;                /* rows that the warp and the lane store */
    unsigned columns;                   /* a bit for each of its columns that exists */
};

/* Loads row y, or the nearest row that exists, and advances *from by a row. */
template <bool EDGES, int GENERATIONS>
static __device__ __forceinline__ void
water_load_row(float cell[WATER_COLUMNS], const float4 **from, int y,
               const struct water_lane<GENERATIONS> &lane, uint32_t pitch)
{
    water_unpack(cell, __ldg(*from));
    if (!EDGES || (y >= lane.top && y + 1 < lane.end))
        *from += pitch;
}

/* Sets the cells of row y that do not exist to `none`. */
template <int GENERATIONS>
static __device__ __forceinline__ void water_mask_row(float cell[WATER_COLUMNS], int y, float none,
                                                      const struct water_lane<GENERATIONS> &lane)
{
    bool row_exists = y >= lane.top && y < lane.end;

#pragma unroll
    for (int i = 0; i < WATER_COLUMNS; i++)
        if (!row_exists || !(lane.columns >> i & 1))
            cell[i] = none;
}

/* Best levels of the row in slot HERE, once the row in slot SOUTH has arrived. */
template <int HERE, int SOUTH>
static __device__ __forceinline__ void water_stage_best(struct water_stage *stage)
{
    const float *south = stage->level[SOUTH];
    float east_south = __shfl_down_sync(0xffffffff, south[0], 1);

    water_row_best(stage->best[HERE], stage->terrain[HERE], stage->level[HERE], south, stage->west,
                   east_south, stage->pair);
    stage->west = __shfl_up_sync(0xffffffff, south[3], 1);
}

/* New levels of the row in slot HERE. Slot NORTH has levels of the row that just arrived, but still
 * best levels of the row three above it. */
template <int HERE, int NORTH, int SOUTH, bool FINITE, bool SOURCES>
static __device__ __forceinline__ void
water_stage_level(float next[WATER_COLUMNS], const struct water_stage &stage,
                  const float source[WATER_COLUMNS], enum water_mode mode)
{
    const float *best = stage.best[HERE];
    struct water_row_levels row = {stage.terrain[HERE],
                                   stage.level[HERE],
                                   stage.best[NORTH],
                                   best,
                                   stage.best[SOUTH],
                                   __shfl_up_sync(0xffffffff, best[3], 1),
                                   __shfl_down_sync(0xffffffff, best[0], 1)};

    water_row_next<FINITE, SOURCES>(next, row, source, mode);
}

/* Takes row y, whose old levels are in `row`, and replaces them by new levels of row y - 2. */
template <int SLOT, bool EDGES, bool SOURCES, int GENERATIONS>
static __device__ __forceinline__ void
water_stage_row(struct water_stage *stage, float row[WATER_COLUMNS], const float4 **terrain, int y,
                const struct water_lane<GENERATIONS> &lane, const struct water_lattice &lattice)
{
    constexpr int slot_1 = (SLOT + 2) % WATER_SWEEP_ROWS; /* of row y - 1 */
    constexpr int slot_2 = (SLOT + 1) % WATER_SWEEP_ROWS; /* of row y - 2 */
    float source[WATER_COLUMNS] = {};

#pragma unroll
    for (int i = 0; i < WATER_COLUMNS; i++)
        stage->level[SLOT][i] = row[i];
    water_load_row<EDGES>(stage->terrain[SLOT], terrain, y, lane, lattice.pitch);
    if (SOURCES && y - 2 >= lane.first_source && y - 2 <= lane.last_source)
        water_unpack(source, __ldg(lane.source + (int64_t)(y - 2) * lattice.pitch));
    water_stage_best<slot_1, SLOT>(stage);
    if (EDGES)
        water_mask_row(stage->best[slot_1], y - 1, WATER_NO_BEST, lane);
    water_stage_level<slot_2, SLOT, slot_1, !EDGES && !SOURCES, SOURCES>(row, *stage, source,
                                                                         lattice.mode);
    if (EDGES)
        water_mask_row(row, y - 2, WATER_NO_LEVEL, lane);
}

template <int SLOT, bool EDGES, bool SOURCES, int GENERATIONS>
static __device__ __forceinline__ void
water_sweep_row(struct water_stage *stages, float (*ahead)[WATER_COLUMNS],
                struct water_lane<GENERATIONS> *lane, const struct water_lattice &lattice)
{
    int y = lane->y + SLOT;
    float row[WATER_COLUMNS];

#pragma unroll
    for (int i = 0; i < WATER_COLUMNS; i++)
        row[i] = ahead[SLOT % WATER_SWEEP_AHEAD(GENERATIONS)][i];
    if (EDGES)
        water_mask_row(row, y, WATER_NO_LEVEL, *lane);
    water_load_row<EDGES>(ahead[SLOT % WATER_SWEEP_AHEAD(GENERATIONS)], &lane->level,
                          y + WATER_SWEEP_AHEAD(GENERATIONS), *lane, lattice.pitch);
#pragma unroll
    for (int k = 0; k < GENERATIONS; k++)
        water_stage_row<SLOT, EDGES, SOURCES>(&stages[k], row, &lane->terrain[k], y - 2 * k, *lane,
                                              lattice);
    if ((unsigned)(y - 2 * GENERATIONS) < (unsigned)lane->rows)
        *lane->out = make_float4(row[0], row[1], row[2], row[3]);
    lane->out += lattice.pitch;
}

template <bool EDGES, bool SOURCES, int GENERATIONS>
static __device__ __forceinline__ void
water_sweep_rows(struct water_stage *stages, float (*ahead)[WATER_COLUMNS],
                 struct water_lane<GENERATIONS> *lane, const struct water_lattice &lattice)
{
    water_sweep_row<0, EDGES, SOURCES>(stages, ahead, lane, lattice);
    water_sweep_row<1, EDGES, SOURCES>(stages, ahead, lane, lattice);
    water_sweep_row<2, EDGES, SOURCES>(stages, ahead, lane, lattice);
    lane->y += WATER_SWEEP_ROWS;
}

/* Prefetches the rows that the next iteration loads. The pass of one generation, which is
 * bound by memory, would be slower with it. */
template <int GENERATIONS>
static __device__ __forceinline__ void water_prefetch(const struct water_lane<GENERATIONS> &lane,
                                                      uint32_t pitch)
{
    int y = lane.y + 2 * WATER_SWEEP_ROWS;

    if (lane.y < lane.top || y >= lane.end || y > lane.warp_rows + 2 * GENERATIONS)
        return;
#pragma unroll
    for (int r = WATER_SWEEP_ROWS; r < 2 * WATER_SWEEP_ROWS; r++) {
        copy_ahead(lane.level + (size_t)r * pitch);
        copy_ahead(lane.terrain[0] + (size_t)r * pitch);
    }
}

static __device__ __forceinline__ int water_clamp(int64_t rows, int low, int high)
{
    return rows < low ? low : rows > high ? high : (int)rows;
}

/* The least and the greatest value of a warp's lanes. From compute capability 8.0 on this is one
 * instruction, which also tells the compiler that the result is the same in all lanes. */
static __device__ __forceinline__ int water_warp_min(int value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    for (int lane = WARP_LANES / 2; lane > 0; lane /= 2)
        value = min(value, __shfl_xor_sync(0xffffffff, value, lane));
    return value;
#else
    return __reduce_min_sync(0xffffffff, value);
#endif
}

static __device__ __forceinline__ int water_warp_max(int value) { return -water_warp_min(-value); }

/*
 * Finds the first and the last row with sources among those that the warp loads. `all`: values are
 * so large that they might overflow, so that all rows need the careful version of the loop.
 */
template <int GENERATIONS>
static __device__ __forceinline__ void water_find_sources(struct water_lane<GENERATIONS> *lane,
                                                          const uint8_t *sourced, bool all)
{
    int low = max(lane->top, -2 * GENERATIONS);
    int high = min(lane->end, lane->warp_rows + 2 * GENERATIONS);

    lane->first_source = high, lane->last_source = low - 1;
    for (int y = low + (int)threadIdx.x; y < high; y += WARP_LANES)
        if (all || sourced[y]) {
            lane->first_source = min(lane->first_source, y);
            lane->last_source = y;
        }
    lane->first_source = water_warp_min(lane->first_source);
    lane->last_source = water_warp_max(lane->last_source);
}

/* A block is one warp, so the compiler knows that all lanes have the same rows. */
template <int GENERATIONS>
static __device__ __forceinline__ void water_lane_begin(struct water_lane<GENERATIONS> *lane,
                                                        const struct water_lattice &lattice)
{
    const struct row_partition &partition = lattice.partition;
    uint32_t segment = blockIdx.x % partition.full_segments,
             chunk = blockIdx.x / partition.full_segments;
    int64_t y = (int64_t)chunk * partition.rows, last = (lattice.w - 1) / WATER_COLUMNS;
    int64_t group = (int64_t)segment * WATER_STORED_LANES + (int)threadIdx.x - WATER_HALO_LANES,
            from;
    bool stores =
        threadIdx.x >= WATER_HALO_LANES && threadIdx.x < WATER_HALO_LANES + WATER_STORED_LANES;

    lane->columns = 0;
    for (int i = 0; i < WATER_COLUMNS; i++)
        if (group >= 0 && group * WATER_COLUMNS + i < lattice.w)
            lane->columns |= 1u << i;
    lane->warp_rows = water_clamp(partition.h - y, 1, partition.rows);
    lane->rows = stores && lane->columns ? lane->warp_rows : 0;
    lane->y = -2 * GENERATIONS;
    lane->top = water_clamp(-y, -4 * GENERATIONS - 1, 0);
    lane->end = water_clamp(partition.h - y, 1, lane->warp_rows + 4 * GENERATIONS + 4);
    from = y * lattice.pitch + (group < 0 ? 0 : group < last ? group : last);
    lane->source = lattice.source + from;
    lane->out = lattice.next + from - (int64_t)(4 * GENERATIONS) * lattice.pitch;
    lane->level = lattice.level + from + (int64_t)max(lane->y, lane->top) * lattice.pitch;
#pragma unroll
    for (int k = 0; k < GENERATIONS; k++)
        lane->terrain[k] =
            lattice.terrain + from + (int64_t)max(lane->y - 2 * k, lane->top) * lattice.pitch;
    water_find_sources(lane, lattice.sourced + segment * partition.h + y, *lattice.overlarge != 0);
}

/* Blocks that fit at once into the 65,536 registers of a multiprocessor. With one generation a few
 * registers spill at this number, which costs less than fewer warps with loads in flight would. */
#define WATER_SWEEP_RESIDENT(generations) ((generations) == 1 ? 24 : 16)

#define WATER_SWEEP_BOUNDS(generations)                                                            \
    __launch_bounds__(WARP_LANES, cuda_resident(WARP_LANES, WATER_SWEEP_RESIDENT(generations)))

/* The body of a sweep kernel; a block is one warp. */
template <int GENERATIONS>
static __device__ __forceinline__ void water_sweep(const struct water_lattice &lattice)
{
    struct water_stage stages[GENERATIONS] = {};
    struct water_lane<GENERATIONS> lane;
    float ahead[WATER_SWEEP_AHEAD(GENERATIONS)][WATER_COLUMNS];
    bool inside;

    water_lane_begin(&lane, lattice);
    inside = __all_sync(0xffffffff, lane.columns == (1 << WATER_COLUMNS) - 1);
#pragma unroll
    for (int r = 0; r < WATER_SWEEP_AHEAD(GENERATIONS); r++)
        water_load_row<true>(ahead[r], &lane.level, lane.y + r, lane, lattice.pitch);
#pragma unroll 1
    while (lane.y < lane.warp_rows + 2 * GENERATIONS) {
        bool rows = lane.y - 2 * GENERATIONS > lane.top &&
                    lane.y + WATER_SWEEP_ROWS + WATER_SWEEP_AHEAD(GENERATIONS) < lane.end;

        if (GENERATIONS > 1)
            water_prefetch(lane, lattice.pitch);
        if (!inside || !rows)
            water_sweep_rows<true, true>(stages, ahead, &lane, lattice);
        else if (lane.y >= lane.first_source && lane.y - 2 * GENERATIONS <= lane.last_source)
            water_sweep_rows<false, true>(stages, ahead, &lane, lattice);
        else
            water_sweep_rows<false, false>(stages, ahead, &lane, lattice);
    }
}

#endif
