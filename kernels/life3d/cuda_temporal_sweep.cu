/* SPDX-License-Identifier: MIT */
/*
 * The kernel of cuda-temporal: a sweep of two generations a pass (cuda_sweep.cuh). Compiled once
 * for each rule variant, whose name is RULE_VARIANT.
 *
 * A block has the rows of all its warps together and sweeps down the layers two at a time. The
 * results go into the second generation at once, two layers behind the first. The rows above and
 * below a warp's are exchanged as their sums of three, through shared memory:
 *
 *     warp 0   rows 0 ...  3                  after generation 1, rows 0 and 31 are invalid,
 *              -------------- sums of rows 3, 4       after generation 2 rows 1 and 30 too:
 *     warp 1   rows 4 ...  7                          blocks overlap by two rows at each end
 *              -------------- sums of rows 7, 8
 *     ...
 *     warp 7   rows 28 ... 31
 *
 * so that a block adds each row of three once, and memory moves half as much.
 */
#include "kernels/life3d/cuda_sweep.cuh"

#define WARPS 8
#define THREADS (WARPS * LIFE3D_WARP)
#define GENERATIONS 2
#define ROWS 4 /* of a thread */
#define WORDS 2

/* A generation's input, and its output one layer earlier. */
typedef struct life3d_layer_pair<WORDS, ROWS> layer_pair;

typedef struct bit_sum row_sums[WORDS];

/* Sums of the first and last row of each thread, of layers a and b: low and high of two words. */
struct edge_sums {
    uint4 first[2][THREADS], last[2][THREADS];
};

struct temporal_memory {
    struct edge_sums edges[GENERATIONS];
    struct life3d_prefetch<WORDS, ROWS, THREADS> prefetch[LIFE3D_PREFETCH_PAIRS + 1];
};

struct temporal_position {
    struct life3d_lane<WORDS> lane;
    int above, below; /* threads with the rows next to this one's */
    int y;            /* of its first row */
    int outside;      /* has rows beyond a dead boundary */
    int interior;     /* all results are valid, and none is repeated in the halo */
    int first, end;   /* else: the rows from first up to end are valid */
};

static __device__ __forceinline__ void put_sums(uint4 *to, const struct bit_sum sum[WORDS])
{
    *to = make_uint4(sum[0].low, sum[0].high, sum[1].low, sum[1].high);
}

static __device__ __forceinline__ void get_sums(struct bit_sum sum[WORDS], const uint4 *from)
{
    uint4 all = *from;

    sum[0] = {all.x, all.y};
    sum[1] = {all.z, all.w};
}

/* A generation, by all threads of the block. */
template <class Rule, int ROW_END>
static __device__ __forceinline__ void
step_layers(layer_pair *cells, struct life3d_previous previous[ROWS][WORDS],
            struct edge_sums *edges, const struct temporal_position &position,
            const struct life3d_masks &masks)
{
    row_sums a[ROWS + 2], b[ROWS + 2];
    layer_pair result;

#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        int r = k == 0 ? 0 : k == 1 ? ROWS - 1 : k - 1; /* first the rows that others wait for */

        life3d_row_sums<ROW_END, WORDS>(a[r + 1], cells->a[r], position.lane);
        life3d_row_sums<ROW_END, WORDS>(b[r + 1], cells->b[r], position.lane);
        if (r == 0) {
            put_sums(&edges->first[0][threadIdx.x], a[1]);
            put_sums(&edges->first[1][threadIdx.x], b[1]);
        }
        if (r == ROWS - 1) {
            put_sums(&edges->last[0][threadIdx.x], a[ROWS]);
            put_sums(&edges->last[1][threadIdx.x], b[ROWS]);
        }
    }
    __syncthreads();
    get_sums(a[0], &edges->last[0][position.above]);
    get_sums(b[0], &edges->last[1][position.above]);
    get_sums(a[ROWS + 1], &edges->first[0][position.below]);
    get_sums(b[ROWS + 1], &edges->first[1][position.below]);
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        int r = (k + 1) % ROWS;
        const row_sums *const of_a[3] = {&a[r], &a[r + 1], &a[r + 2]};
        const row_sums *const of_b[3] = {&b[r], &b[r + 1], &b[r + 2]};

        life3d_feed_row<Rule, WORDS>(previous[r], of_a, of_b, cells->a[r], cells->b[r], masks,
                                     result.a[r], result.b[r]);
    }
    if (ROW_END == LIFE3D_ROW_PARTIAL) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            for (int j = 0; j < WORDS; j++) {
                result.a[r][j] &= position.lane.valid[j];
                result.b[r][j] &= position.lane.valid[j];
            }
    }
    *cells = result;
}

/* Empties the cells of layers z (a) and z + 1 (b) that lie outside a lattice that is not closed.
 * What lies beyond a slab of a closed one is unknown in any case. */
static __device__ __forceinline__ void clear_outside(layer_pair *cells,
                                                     const struct life3d_layout &layout,
                                                     const struct temporal_position &position,
                                                     int z)
{
    bool a_is_out = !layout.torus && (z < 0 || z >= layout.d);
    bool b_is_out = !layout.torus && (z < -1 || z >= layout.d - 1);

    if (!a_is_out && !b_is_out && !position.outside)
        return;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        bool is_out = position.outside && (position.y + r < 0 || position.y + r >= layout.h);

        for (int j = 0; j < WORDS; j++) {
            cells->a[r][j] = a_is_out || is_out ? 0 : cells->a[r][j];
            cells->b[r][j] = b_is_out || is_out ? 0 : cells->b[r][j];
        }
    }
}

/* Stores the valid rows of a layer, the thread's first at `to`, and their copies in the halo. */
template <int LANES_OF_ROW>
static __device__ __forceinline__ void
life3d_temporal_sweep_store_rows(word *to, const word cells[ROWS][WORDS],
                                 const struct life3d_layout &layout,
                                 const struct temporal_position &position)
{
    const int row = LANES_OF_ROW * WORDS, height = (int)layout.h;

    if (position.interior) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            life3d_store_row<WORDS>(to + r * row, cells[r]);
        return;
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        if (r < position.first || r >= position.end)
            continue;
        life3d_store_row<WORDS>(to + r * row, cells[r]);
        if (layout.torus && position.y + r < GENERATIONS)
            life3d_store_row<WORDS>(to + (r + height) * row, cells[r]);
        if (layout.torus && position.y + r >= height - GENERATIONS)
            life3d_store_row<WORDS>(to + (r - height) * row, cells[r]);
    }
}

template <int ROW_END, int LANES_OF_ROW>
static __device__ __forceinline__ struct temporal_position
life3d_temporal_sweep_position_of(const struct life3d_sweep_params &params)
{
    const int all = THREADS / LANES_OF_ROW * ROWS; /* rows of a block, and those that it gives: */
    const int valid = all - 2 * GENERATIONS;
    const struct life3d_layout &layout = params.layout;
    struct temporal_position position;
    int thread = threadIdx.x, at = thread / LANES_OF_ROW * ROWS; /* in the block */
    int height = (int)layout.h, y = (int)blockIdx.x * valid;

    position.lane = life3d_lane_of<ROW_END, WORDS, LANES_OF_ROW>(params);
    position.above = thread < LANES_OF_ROW ? thread : thread - LANES_OF_ROW;
    position.below = thread < THREADS - LANES_OF_ROW ? thread + LANES_OF_ROW : thread;
    y = y < height - valid ? y : height - valid; /* two blocks may step the same last rows */
    position.y = y - GENERATIONS + at;
    position.first = GENERATIONS - at;
    position.end = position.lane.active ? all - GENERATIONS - at : 0;
    position.outside = !layout.torus && (position.y < 0 || position.y + ROWS > height);
    position.interior = position.first <= 0 && position.end >= ROWS && position.y >= GENERATIONS &&
                        position.y + ROWS <= height - GENERATIONS;
    position.outside = cuda_opaque(position.outside);
    position.interior = cuda_opaque(position.interior);
    return position;
}

template <class Rule, int ROW_END, int LANES_OF_ROW>
static __global__ void __launch_bounds__(THREADS, 1)
    life3d_cuda_temporal_step(const word *__restrict__ now, word *__restrict__ next,
                              const __grid_constant__ struct life3d_sweep_params params,
                              const __grid_constant__ struct life3d_masks masks)
{
    extern __shared__ uint4 memory[];
    struct temporal_memory *shared = (struct temporal_memory *)memory;
    const struct life3d_layout &layout = params.layout;
    struct temporal_position position =
        life3d_temporal_sweep_position_of<ROW_END, LANES_OF_ROW>(params);
    struct life3d_previous previous[GENERATIONS][ROWS][WORDS] = {};
    int last = (int)params.bands.stored.end;
    int from = (int)(params.bands.stored.from + cuda_band(params.bands, blockIdx.y) * params.chunk);
    int end = last - from < params.chunk ? last : from + (int)params.chunk;
    int z = from - GENERATIONS, stop = end + GENERATIONS;
    int64_t at = layout.offset + (position.y * LANES_OF_ROW + position.lane.index) * WORDS;
    int buffer = 0, free = LIFE3D_PREFETCH_PAIRS;

    now = cuda_opaque(now + at);
    next += at + (z - GENERATIONS) * layout.layer_words;
    for (int i = 0; i < LIFE3D_PREFETCH_PAIRS; i++)
        life3d_prefetch_layers<LANES_OF_ROW>(&shared->prefetch[i], now, layout, z + 2 * i, stop);
        /* Layers z and z + 1 give the results of layers that are GENERATIONS less. */
#pragma unroll 1
    for (; z < stop; z += 2, next += 2 * layout.layer_words) {
        layer_pair cells;

        copy_wait_for_all_but<LIFE3D_PREFETCH_PAIRS - 1>();
        life3d_prefetch_layers<LANES_OF_ROW>(&shared->prefetch[free], now, layout,
                                             z + 2 * LIFE3D_PREFETCH_PAIRS, stop);
        life3d_load_layers(&cells, &shared->prefetch[buffer]);
        free = buffer;
        buffer = buffer < LIFE3D_PREFETCH_PAIRS ? buffer + 1 : 0;
#pragma unroll
        for (int g = 0; g < GENERATIONS; g++) {
            if (g > 0)
                clear_outside(&cells, layout, position, z - g);
            step_layers<Rule, ROW_END>(&cells, previous[g], &shared->edges[g], position, masks);
        }
        if (z - GENERATIONS >= from)
            life3d_temporal_sweep_store_rows<LANES_OF_ROW>(next, cells.a, layout, position);
        if (z - GENERATIONS + 1 >= from && z - GENERATIONS + 1 < end)
            life3d_temporal_sweep_store_rows<LANES_OF_ROW>(next + layout.layer_words, cells.b,
                                                           layout, position);
    }
}

template <class Rule, int ROW_END>
static life3d_sweep_function *life3d_temporal_sweep_kernel_for(int lanes)
{
    return lanes == 32   ? life3d_cuda_temporal_step<Rule, ROW_END, 32>
           : lanes == 16 ? life3d_cuda_temporal_step<Rule, ROW_END, 16>
                         : life3d_cuda_temporal_step<Rule, ROW_END, 8>;
}

struct life3d_sweep LIFE3D_NAME(life3d_temporal_sweep_,
                                RULE_VARIANT)(const struct life3d_layout &layout,
                                              enum life3d_row_end row_end)
{
    typedef struct LIFE3D_NAME(life3d_rule_, RULE_VARIANT) rule;
    struct life3d_sweep sweep = {};

    static_assert(WORDS * ROWS == LIFE3D_THREAD_WORDS, "a thread's words");
    sweep.name = "life3d_cuda_temporal_step";
    sweep.kernel = row_end == LIFE3D_ROW_PERIODIC
                       ? life3d_temporal_sweep_kernel_for<rule, LIFE3D_ROW_PERIODIC>(layout.lanes)
                   : row_end == LIFE3D_ROW_DEAD
                       ? life3d_temporal_sweep_kernel_for<rule, LIFE3D_ROW_DEAD>(layout.lanes)
                       : life3d_temporal_sweep_kernel_for<rule, LIFE3D_ROW_PARTIAL>(layout.lanes);
    sweep.threads = THREADS;
    sweep.generations = GENERATIONS;
    sweep.shared = sizeof(struct temporal_memory);
    sweep.rows = THREADS / layout.lanes * ROWS - 2 * GENERATIONS;
    return sweep;
}
