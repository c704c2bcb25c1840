/* SPDX-License-Identifier: MIT */
/*
 * What cuda-fused and cuda-blocked of water share: a warp sweeps down the rows of a strip of the
 * lattice and makes best levels and new levels on the way, of one or several generations, all in
 * registers.
 *
 * A lane has four columns, which it loads and stores at once; those beside them come by shuffles.
 * When old levels of row y arrive, best levels of row y - 1 can be made, and with them new levels
 * of row y - 2, which are the row that arrives for the next generation:
 *
 *     row     generation 1             generation 2
 *     y - 4                            new levels, to memory
 *     y - 3                            best levels
 *     y - 2   new levels        --->   arrives
 *     y - 1   best levels
 *     y       arrives from memory
 *
 * A generation takes two columns at each end of a strip, which it cannot know. The first and the
 * last lane are there for that, and are enough for two generations.
 *
 * Beyond the lattice's edges levels are infinite and best levels -inf, so that nothing is taken and
 * nothing given. Rows are looked through for sources when they are loaded, and where a warp's strip
 * has none, none are read: most warps know nothing of edges and sources.
 */
#ifndef CALAB_KERNELS_WATER_SWEEP_CUH
#define CALAB_KERNELS_WATER_SWEEP_CUH

#include "kernels/cuda/copy_async.cuh"
#include "kernels/cuda/stepper.cuh"
#include "kernels/cuda/row_segments.cuh"
#include "kernels/water/best.cuh"

#define SWEEP_COLUMNS 4 /* of a lane */
#define SWEEP_HALO 1    /* lanes at each end of a strip */
#define SWEEP_KEEPS (WARP_LANES - 2 * SWEEP_HALO)
#define SWEEP_ROWS 3 /* at a time, so that what is kept of three rows is where it was */
#define SWEEP_GENERATIONS_MAX 2

/* A lattice and how it is cut. Groups are of four cells; `pitch` of them from row to row. */
struct water_sweep {
    const float4 *terrain, *level, *source;
    float4 *next;
    const uint8_t *sourced;    /* for each strip, for each row: whether lanes of it have sources */
    const unsigned *overlarge; /* not 0: there are values as large as WATER_HUGE */
    int64_t w;
    uint32_t pitch;
    enum water_mode mode;
    struct row_partition cut;
};

/* Steps all rows of `level` into `next`, through as many generations as the kernel is made for. */
typedef void water_sweep_kernel(struct water_sweep lattice);

/* In a cuda_ops's own, at its beginning, for both rungs. */
struct water_sweeps {
    float4 *plane[WATER_PLANES], *next;
    uint8_t *sourced;
    unsigned *overlarge;
    struct water_sweep lattice;
    water_sweep_kernel *const *kernel;   /* by generations */
    int generations;                     /* of a pass, at most */
    int rows[SWEEP_GENERATIONS_MAX + 1]; /* of a piece, by generations */
    double cycles;                       /* that a generation should take */
};

/*
 * In a cuda_ops's plan: kernel[1 ... most] are for so many generations. `generations` of a pass
 * and `rows` of a piece as wanted, or 0: chosen by lattice and device.
 */
enum ca_status water_sweep_plan(struct cuda *cuda, water_sweep_kernel *const *kernel, int most,
                                int generations, int64_t rows, struct ca_error *error);
/* Of a cuda_ops. */
enum ca_status water_sweep_load(struct cuda *cuda, void *const planes[], int64_t first,
                                int64_t rows, struct ca_error *error);
enum ca_status water_sweep_store(struct cuda *cuda, void *const planes[], int64_t first,
                                 int64_t rows, struct ca_error *error);
enum ca_status water_sweep_gather(struct cuda *cuda, const struct ca_gather_points *places,
                                  void *const planes[], struct ca_error *error);
enum ca_status water_sweep_step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error);

/* Cycles for what a pass brings from memory and back; 0 where the second cache holds it. */
double water_sweep_memory(const struct water_sweep *lattice, const struct ca_cuda_device *device);
/* The lattice as it stands now, for kernels; and after a pass: what is next is now. */
struct water_sweep water_sweep_now(const struct water_sweeps *own);
void water_sweep_turn(struct water_sweeps *own);

/* `own` begins with a struct water_sweeps. */
#define WATER_SWEEP_RULE(own, plan_function, step_function)                                        \
    {                                                                                              \
        .own_size = sizeof(own), .plan = (plan_function), .load = water_sweep_load,                \
        .store = water_sweep_store, .gather = water_sweep_gather, .step = (step_function)          \
    }

/* --- the sweep ------------------------------------------------------------------------------- */

/* Rows of levels that are loaded before they are needed: more of them where memory binds. */
#define SWEEP_AHEAD(generations) ((generations) == 1 ? SWEEP_ROWS : 1)

/*
 * What a lane keeps of a generation. The row that arrives goes to the slot of the row of three
 * before; so rows go three at a time, and no register is copied to another.
 */
struct water_flow {
    float level[SWEEP_ROWS][SWEEP_COLUMNS], best[SWEEP_ROWS][SWEEP_COLUMNS];
    float terrain[SWEEP_ROWS][SWEEP_COLUMNS];
    struct water_pair pair[SWEEP_COLUMNS]; /* levels north and east of the last row's cells */
    float west;                            /* level west of the last row's first cell */
};

/* Where a lane stands; rows count from the first that the warp stores. */
template <int GENERATIONS> struct water_lane {
    const float4 *level;                /* of the next row to load, within the lattice */
    const float4 *terrain[GENERATIONS]; /* likewise, two rows less for each generation */
    const float4 *source;               /* of row 0 */
    float4 *out;                        /* of row `y` - 2 GENERATIONS */
    int y;                              /* row that arrives next */
    int top, end;                       /* rows that exist: the first, and beyond the last */
    int first, last;                    /* rows with sources, none where last < first */
    int all, rows;                      /* that the warp and the lane store */
    unsigned columns;                   /* a bit for each of its columns that exists */
};

static __device__ __forceinline__ void water_unpack(float cell[SWEEP_COLUMNS], float4 from)
{
    cell[0] = from.x, cell[1] = from.y, cell[2] = from.z, cell[3] = from.w;
}

/* Loads row y, or the one nearest to it, and moves on. */
template <bool EDGES, int GENERATIONS>
static __device__ __forceinline__ void water_read(float cell[SWEEP_COLUMNS], const float4 **from,
                                                  int y, const struct water_lane<GENERATIONS> &lane,
                                                  uint32_t pitch)
{
    water_unpack(cell, __ldg(*from));
    if (!EDGES || (y >= lane.top && y + 1 < lane.end))
        *from += pitch;
}

/* Where row y or a column does not exist, `none`. */
template <int GENERATIONS>
static __device__ __forceinline__ void water_bound(float cell[SWEEP_COLUMNS], int y, float none,
                                                   const struct water_lane<GENERATIONS> &lane)
{
    bool row = y >= lane.top && y < lane.end;

#pragma unroll
    for (int i = 0; i < SWEEP_COLUMNS; i++)
        if (!row || !(lane.columns >> i & 1))
            cell[i] = none;
}

/*
 * Best levels of a row of a lane's cells; west and east are beside `here` and `south`. `pair`:
 * levels north and east of the cells, then those of the row to the south.
 */
static __device__ __forceinline__ void
water_row_best(float best[SWEEP_COLUMNS], const float terrain[SWEEP_COLUMNS],
               const float here[SWEEP_COLUMNS], const float south[SWEEP_COLUMNS], float west_here,
               float east_south, struct water_pair pair[SWEEP_COLUMNS])
{
    struct water_pair next[SWEEP_COLUMNS + 1];

    next[0] = water_pair_of(west_here, south[0]);
#pragma unroll
    for (int i = 0; i < SWEEP_COLUMNS; i++)
        next[i + 1] = water_pair_of(here[i], i + 1 < SWEEP_COLUMNS ? south[i + 1] : east_south);
#pragma unroll
    for (int i = 0; i < SWEEP_COLUMNS; i++) {
        best[i] = water_best_of_pairs(terrain[i], here[i], pair[i], next[i]);
        pair[i] = next[i + 1];
    }
}

/* A row of a lane's cells and their best levels, and those of the rows beside them. */
struct water_row_levels {
    const float *terrain, *level, *north, *best, *south;
    float west, east; /* best levels beside its ends */
};

/* New levels of it, in `next`, which may be its levels. */
template <bool FINITE, bool SOURCES>
static __device__ __forceinline__ void
water_row_next(float next[SWEEP_COLUMNS], const struct water_row_levels &row,
               const float source[SWEEP_COLUMNS], enum water_mode mode)
{
#pragma unroll
    for (int i = 0; i < SWEEP_COLUMNS; i++) {
        float g = row.terrain[i], l = row.level[i], s = source[i];
        float left = i > 0 ? row.best[i - 1] : row.west;
        float right = i + 1 < SWEEP_COLUMNS ? row.best[i + 1] : row.east;
        float change = water_flow_of(row.north[i], l);

        if (SOURCES)
            change = (mode == WATER_ADD ? s : 0) + change;
        next[i] = water_settled(g, l, change, row.best[i], left, right, row.south[i], FINITE);
        if (SOURCES && mode == WATER_FILL)
            next[i] = water_filled(g, next[i], s);
    }
}

/* Best levels of row HERE, now that row SOUTH has arrived. */
template <int HERE, int SOUTH>
static __device__ __forceinline__ void water_feed_best(struct water_flow *flow)
{
    const float *south = flow->level[SOUTH];
    float east = __shfl_down_sync(0xffffffff, south[0], 1);

    water_row_best(flow->best[HERE], flow->terrain[HERE], flow->level[HERE], south, flow->west,
                   east, flow->pair);
    flow->west = __shfl_up_sync(0xffffffff, south[3], 1);
}

/* New levels of row HERE; best levels of row NORTH are those of three rows before SOUTH. */
template <int HERE, int NORTH, int SOUTH, bool FINITE, bool SOURCES>
static __device__ __forceinline__ void
water_feed_level(float next[SWEEP_COLUMNS], const struct water_flow &flow,
                 const float source[SWEEP_COLUMNS], enum water_mode mode)
{
    const float *best = flow.best[HERE];
    struct water_row_levels row = {flow.terrain[HERE],
                                   flow.level[HERE],
                                   flow.best[NORTH],
                                   best,
                                   flow.best[SOUTH],
                                   __shfl_up_sync(0xffffffff, best[3], 1),
                                   __shfl_down_sync(0xffffffff, best[0], 1)};

    water_row_next<FINITE, SOURCES>(next, row, source, mode);
}

/* Takes row `y` into a generation; what arrives is replaced by new levels of row y - 2. */
template <int SLOT, bool EDGES, bool SOURCES, int GENERATIONS>
static __device__ __forceinline__ void
water_feed(struct water_flow *flow, float row[SWEEP_COLUMNS], const float4 **terrain, int y,
           const struct water_lane<GENERATIONS> &lane, const struct water_sweep &lattice)
{
    constexpr int before = (SLOT + 2) % SWEEP_ROWS, second = (SLOT + 1) % SWEEP_ROWS;
    float source[SWEEP_COLUMNS] = {};

#pragma unroll
    for (int i = 0; i < SWEEP_COLUMNS; i++)
        flow->level[SLOT][i] = row[i];
    water_read<EDGES>(flow->terrain[SLOT], terrain, y, lane, lattice.pitch);
    if (SOURCES && y - 2 >= lane.first && y - 2 <= lane.last)
        water_unpack(source, __ldg(lane.source + (int64_t)(y - 2) * lattice.pitch));
    water_feed_best<before, SLOT>(flow);
    if (EDGES)
        water_bound(flow->best[before], y - 1, WATER_NO_BEST, lane);
    water_feed_level<second, SLOT, before, !EDGES && !SOURCES, SOURCES>(row, *flow, source,
                                                                        lattice.mode);
    if (EDGES)
        water_bound(row, y - 2, WATER_NO_LEVEL, lane);
}

template <int SLOT, bool EDGES, bool SOURCES, int GENERATIONS>
static __device__ __forceinline__ void
water_row(struct water_flow *flow, float (*ahead)[SWEEP_COLUMNS],
          struct water_lane<GENERATIONS> *lane, const struct water_sweep &lattice)
{
    int y = lane->y + SLOT;
    float row[SWEEP_COLUMNS];

#pragma unroll
    for (int i = 0; i < SWEEP_COLUMNS; i++)
        row[i] = ahead[SLOT % SWEEP_AHEAD(GENERATIONS)][i];
    if (EDGES)
        water_bound(row, y, WATER_NO_LEVEL, *lane);
    water_read<EDGES>(ahead[SLOT % SWEEP_AHEAD(GENERATIONS)], &lane->level,
                      y + SWEEP_AHEAD(GENERATIONS), *lane, lattice.pitch);
#pragma unroll
    for (int k = 0; k < GENERATIONS; k++)
        water_feed<SLOT, EDGES, SOURCES>(&flow[k], row, &lane->terrain[k], y - 2 * k, *lane,
                                         lattice);
    if ((unsigned)(y - 2 * GENERATIONS) < (unsigned)lane->rows)
        *lane->out = make_float4(row[0], row[1], row[2], row[3]);
    lane->out += lattice.pitch;
}

template <bool EDGES, bool SOURCES, int GENERATIONS>
static __device__ __forceinline__ void
water_rows(struct water_flow *flow, float (*ahead)[SWEEP_COLUMNS],
           struct water_lane<GENERATIONS> *lane, const struct water_sweep &lattice)
{
    water_row<0, EDGES, SOURCES>(flow, ahead, lane, lattice);
    water_row<1, EDGES, SOURCES>(flow, ahead, lane, lattice);
    water_row<2, EDGES, SOURCES>(flow, ahead, lane, lattice);
    lane->y += SWEEP_ROWS;
}

/* Has rows fetched from memory that the warp loads in the turn after this one. One generation a
 * pass, which memory binds as it is, would be slower for it. */
template <int GENERATIONS>
static __device__ __forceinline__ void water_ahead(const struct water_lane<GENERATIONS> &lane,
                                                   uint32_t pitch)
{
    int y = lane.y + 2 * SWEEP_ROWS;

    if (lane.y < lane.top || y >= lane.end || y > lane.all + 2 * GENERATIONS)
        return;
#pragma unroll
    for (int r = SWEEP_ROWS; r < 2 * SWEEP_ROWS; r++) {
        copy_ahead(lane.level + (size_t)r * pitch);
        copy_ahead(lane.terrain[0] + (size_t)r * pitch);
    }
}

static __device__ __forceinline__ int water_clamp(int64_t rows, int low, int high)
{
    return rows < low ? low : rows > high ? high : (int)rows;
}

/* The least and the greatest of what the warp's lanes have; one instruction from compute capability
 * 8.0 on, which also tells the compiler that all lanes have the same then. */
static __device__ __forceinline__ int water_least(int value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    for (int lane = WARP_LANES / 2; lane > 0; lane /= 2)
        value = min(value, __shfl_xor_sync(0xffffffff, value, lane));
    return value;
#else
    return __reduce_min_sync(0xffffffff, value);
#endif
}

static __device__ __forceinline__ int water_greatest(int value) { return -water_least(-value); }

/*
 * The first and the last row with sources that the warp may come across. Where values are so large
 * that they might overflow all rows go the way of those.
 */
template <int GENERATIONS>
static __device__ __forceinline__ void water_look(struct water_lane<GENERATIONS> *lane,
                                                  const uint8_t *sourced, bool all)
{
    int low = max(lane->top, -2 * GENERATIONS);
    int high = min(lane->end, lane->all + 2 * GENERATIONS);

    lane->first = high, lane->last = low - 1;
    for (int y = low + (int)threadIdx.x; y < high; y += WARP_LANES)
        if (all || sourced[y]) {
            lane->first = min(lane->first, y);
            lane->last = y;
        }
    lane->first = water_least(lane->first);
    lane->last = water_greatest(lane->last);
}

/*
 * Where the lane begins. A block is a warp, so that the compiler sees that all lanes agree on rows.
 */
template <int GENERATIONS>
static __device__ __forceinline__ void water_begin(struct water_lane<GENERATIONS> *lane,
                                                   const struct water_sweep &lattice)
{
    const struct row_partition &cut = lattice.cut;
    uint32_t strip = blockIdx.x % cut.whole, piece = blockIdx.x / cut.whole;
    int64_t y = (int64_t)piece * cut.rows, last = (lattice.w - 1) / SWEEP_COLUMNS;
    int64_t group = (int64_t)strip * SWEEP_KEEPS + (int)threadIdx.x - SWEEP_HALO, from;
    bool keeps = threadIdx.x >= SWEEP_HALO && threadIdx.x < SWEEP_HALO + SWEEP_KEEPS;

    lane->columns = 0;
    for (int i = 0; i < SWEEP_COLUMNS; i++)
        if (group >= 0 && group * SWEEP_COLUMNS + i < lattice.w)
            lane->columns |= 1u << i;
    lane->all = water_clamp(cut.h - y, 1, cut.rows);
    lane->rows = keeps && lane->columns ? lane->all : 0;
    lane->y = -2 * GENERATIONS;
    lane->top = water_clamp(-y, -4 * GENERATIONS - 1, 0);
    lane->end = water_clamp(cut.h - y, 1, lane->all + 4 * GENERATIONS + 4);
    from = y * lattice.pitch + (group < 0 ? 0 : group < last ? group : last);
    lane->source = lattice.source + from;
    lane->out = lattice.next + from - (int64_t)(4 * GENERATIONS) * lattice.pitch;
    lane->level = lattice.level + from + (int64_t)max(lane->y, lane->top) * lattice.pitch;
#pragma unroll
    for (int k = 0; k < GENERATIONS; k++)
        lane->terrain[k] =
            lattice.terrain + from + (int64_t)max(lane->y - 2 * k, lane->top) * lattice.pitch;
    water_look(lane, lattice.sourced + strip * cut.h + y, *lattice.overlarge != 0);
}

/* Blocks whose registers a multiprocessor of 65,536 has room for. For so many of one generation a
 * few spill, which costs less than fewer warps would: memory then has more on the way. */
#define SWEEP_RESIDENT(generations) ((generations) == 1 ? 24 : 16)

template <int GENERATIONS>
__global__ static void __launch_bounds__(WARP_LANES,
                                         cuda_resident(WARP_LANES, SWEEP_RESIDENT(GENERATIONS)))
    water_sweep_pass(struct water_sweep lattice)
{
    struct water_flow flow[GENERATIONS] = {};
    struct water_lane<GENERATIONS> lane;
    float ahead[SWEEP_AHEAD(GENERATIONS)][SWEEP_COLUMNS];
    bool inside;

    water_begin(&lane, lattice);
    inside = __all_sync(0xffffffff, lane.columns == (1 << SWEEP_COLUMNS) - 1);
#pragma unroll
    for (int r = 0; r < SWEEP_AHEAD(GENERATIONS); r++)
        water_read<true>(ahead[r], &lane.level, lane.y + r, lane, lattice.pitch);
#pragma unroll 1
    while (lane.y < lane.all + 2 * GENERATIONS) {
        bool rows = lane.y - 2 * GENERATIONS > lane.top &&
                    lane.y + SWEEP_ROWS + SWEEP_AHEAD(GENERATIONS) < lane.end;

        if (GENERATIONS > 1)
            water_ahead(lane, lattice.pitch);
        if (!inside || !rows)
            water_rows<true, true>(flow, ahead, &lane, lattice);
        else if (lane.y >= lane.first && lane.y - 2 * GENERATIONS <= lane.last)
            water_rows<false, true>(flow, ahead, &lane, lattice);
        else
            water_rows<false, false>(flow, ahead, &lane, lattice);
    }
}

#endif
