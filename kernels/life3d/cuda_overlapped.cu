/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-overlapped of life3d: overlapped tiles of rows of up to 128 cells, which stay in
 * registers for up to seven generations a launch.
 *
 * A launch takes longer than a generation of such a lattice, so saved launches are worth the rows
 * and layers that overlapping tiles step twice. A tile is 32 rows of 16 layers, in the registers of
 * a block:
 *
 *               lane 0 .. 3 | 4 ... 27 | 28 .. 31        after 4 generations rows 4 ... 27 and
 *     warp 0    layers 0, 1                              layers 4 ... 11 are valid
 *     warp 1    layers 2, 3
 *     warp 2    layers 4, 5   x: a lane has all words of a row, in two layers
 *     ...                     y: the neighbouring lanes, by shuffles
 *     warp 7    layers 14, 15 z: sums of nine through shared memory, a barrier a generation
 *
 * The smaller the lattice, the more generations a launch should take. The kernel takes any number
 * of them up to the overlap, so what is left at the end of a call goes through it too.
 */
#include <math.h>
#include <stdio.h>

#include "kernels/life3d/cuda_bits.cuh"

#define ROWS 32 /* of a tile, each a lane's */
#define WARPS 8
#define THREADS (WARPS * ROWS)
#define THREAD_LAYERS 2
#define LAYERS (WARPS * THREAD_LAYERS) /* of a tile */
#define ROW_WORDS_MAX 4
#define GENERATIONS_CHOSEN_MIN 2
#define GENERATIONS_MAX LIFE3D_OVERLAPPED_GENERATIONS_MAX

typedef void overlapped_function(const word *__restrict__ now, word *__restrict__ next,
                                 const struct life3d_layout layout, const struct life3d_masks masks,
                                 int overlap, int generations);

struct overlapped_state {
    struct life3d_bits_state bits;
    overlapped_function *kernel;
};

/* --- a generation ---------------------------------------------------------------------------- */

struct row_position {
    word keep[THREAD_LAYERS]; /* all bits, or none outside the lattice */
    word valid;               /* cells of the last word */
    word closed;              /* all bits if rows are closed */
    int end;                  /* bit of the last cell in the last word */
    int below, above;         /* threads with the layers beside these */
};

/* Three cells in x. Bits beyond the last cell are invalid and cleared in the results. */
template <int WORDS, bool WHOLE>
static __device__ __forceinline__ void row_sums(struct bit_sum sum[WORDS], const word row[WORDS],
                                                const struct row_position &position)
{
    int end = WHOLE ? 31 : position.end;
    word first = row[WORDS - 1] >> end, last = row[0] << end;

    if (!WHOLE) {
        first &= position.closed;
        last &= position.closed;
    }
#pragma unroll
    for (int j = 0; j < WORDS; j++) {
        word left =
            j > 0 ? __funnelshift_l(row[(j + WORDS - 1) % WORDS], row[j], 1) : row[j] << 1 | first;
        word right =
            j < WORDS - 1 ? __funnelshift_r(row[j], row[(j + 1) % WORDS], 1) : row[j] >> 1 | last;

        sum[j] = word_full_add(left, row[j], right);
    }
}

/* Nine cells in x and y; invalid in the first and last lane. */
template <int WORDS, bool WHOLE>
static __device__ __forceinline__ void layer_sums(struct life3d_sum9 sum9[WORDS],
                                                  const word row[WORDS],
                                                  const struct row_position &position)
{
    struct bit_sum here[WORDS];

    row_sums<WORDS, WHOLE>(here, row, position);
#pragma unroll
    for (int j = 0; j < WORDS; j++) {
        struct bit_sum above, below;

        above.low = __shfl_up_sync(0xffffffff, here[j].low, 1);
        above.high = __shfl_up_sync(0xffffffff, here[j].high, 1);
        below.low = __shfl_down_sync(0xffffffff, here[j].low, 1);
        below.high = __shfl_down_sync(0xffffffff, here[j].high, 1);
        sum9[j] = life3d_add_columns(above, here[j], below);
    }
}

/* Sums of nine of the first and the last layer of each warp. */
template <int WORDS> struct edge_sums {
    uint4 first[WORDS][THREADS], last[WORDS][THREADS];
};

template <class Rule, int WORDS, bool WHOLE>
static __device__ __forceinline__ void
step_tile(word rows[THREAD_LAYERS][WORDS], struct edge_sums<WORDS> *edges,
          const struct row_position &position, const struct life3d_masks &masks)
{
    struct life3d_sum9 a[WORDS], b[WORDS];

    layer_sums<WORDS, WHOLE>(a, rows[0], position);
    layer_sums<WORDS, WHOLE>(b, rows[1], position);
#pragma unroll
    for (int j = 0; j < WORDS; j++) {
        edges->first[j][threadIdx.x] = life3d_put_sum9(a[j]);
        edges->last[j][threadIdx.x] = life3d_put_sum9(b[j]);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < WORDS; j++) {
        struct life3d_pair pair = life3d_add_pair(a[j], b[j]);
        struct life3d_sum9 before = life3d_get_sum9(edges->last[j][position.below]);
        struct life3d_sum9 after = life3d_get_sum9(edges->first[j][position.above]);

        rows[0][j] = Rule::next(life3d_add_third(pair, before), rows[0][j], masks);
        rows[1][j] = Rule::next(life3d_add_third(pair, after), rows[1][j], masks);
        if (!WHOLE) {
            word valid = j < WORDS - 1 ? ~0u : position.valid;

            rows[0][j] &= valid & position.keep[0];
            rows[1][j] &= valid & position.keep[1];
        }
    }
}

/* --- a tile ---------------------------------------------------------------------------------- */

/* Index i along a side: wrapped around if it is closed, else -1 outside. */
static __device__ __forceinline__ int64_t wrap(int64_t i, int64_t side, bool closed)
{
    if (i >= 0 && i < side)
        return i;
    if (!closed)
        return -1;
    i %= side;
    return i < 0 ? i + side : i;
}

template <class Rule, int WORDS, bool WHOLE>
static __global__ void __launch_bounds__(THREADS)
    life3d_cuda_overlapped_step(const word *__restrict__ now, word *__restrict__ next,
                                const __grid_constant__ struct life3d_layout layout,
                                const __grid_constant__ struct life3d_masks masks, int overlap,
                                int generations)
{
    extern __shared__ uint4 memory[];
    struct edge_sums<WORDS> *edges = (struct edge_sums<WORDS> *)memory;
    int warp = threadIdx.x / ROWS, lane = threadIdx.x % ROWS;
    int64_t y = (int64_t)blockIdx.x * (ROWS - 2 * overlap) - overlap + lane;
    int64_t z = (int64_t)blockIdx.y * (LAYERS - 2 * overlap) - overlap + warp * THREAD_LAYERS;
    int64_t row = wrap(y, layout.h, layout.torus);
    int end = (int)((layout.w - 1) % 32);
    struct row_position position = {{},
                                    ~0u >> (31 - end),
                                    layout.torus ? ~0u : 0,
                                    end,
                                    (int)threadIdx.x - (warp > 0 ? ROWS : 0),
                                    (int)threadIdx.x + (warp < WARPS - 1 ? ROWS : 0)};
    word rows[THREAD_LAYERS][WORDS];

#pragma unroll
    for (int l = 0; l < THREAD_LAYERS; l++) {
        int64_t layer = wrap(z + l, layout.d, layout.torus_z);
        bool exists = row >= 0 && layer >= 0;
        const word *from = now + (exists ? layer * layout.layer_words + row * WORDS : 0);

        position.keep[l] = exists ? ~0u : 0;
#pragma unroll
        for (int j = 0; j < WORDS; j++)
            rows[l][j] = from[j] & position.keep[l];
    }
#pragma unroll 1
    for (int g = 0; g < generations; g++)
        step_tile<Rule, WORDS, WHOLE>(rows, &edges[g & 1], position, masks);
    if (lane < overlap || lane >= ROWS - overlap || y >= layout.h)
        return;
#pragma unroll
    for (int l = 0; l < THREAD_LAYERS; l++) {
        int in_tile = warp * THREAD_LAYERS + l;
        word *to = next + (z + l) * layout.layer_words + y * WORDS;

        if (in_tile < overlap || in_tile >= LAYERS - overlap || z + l >= layout.d)
            continue;
#pragma unroll
        for (int j = 0; j < WORDS; j++)
            to[j] = rows[l][j];
    }
}

template <class Rule> static overlapped_function *kernel_for(int words, bool whole)
{
    static overlapped_function *const kernels[ROW_WORDS_MAX][2] = {
        {life3d_cuda_overlapped_step<Rule, 1, false>, life3d_cuda_overlapped_step<Rule, 1, true>},
        {life3d_cuda_overlapped_step<Rule, 2, false>, life3d_cuda_overlapped_step<Rule, 2, true>},
        {life3d_cuda_overlapped_step<Rule, 3, false>, life3d_cuda_overlapped_step<Rule, 3, true>},
        {life3d_cuda_overlapped_step<Rule, 4, false>, life3d_cuda_overlapped_step<Rule, 4, true>},
    };

    return kernels[words - 1][whole];
}

/* --- the plan -------------------------------------------------------------------------------- */

static dim3 grid_of(const struct life3d_layout *layout, int overlap)
{
    return dim3((unsigned)ca_divide_up(layout->h, ROWS - 2 * overlap),
                (unsigned)ca_divide_up(layout->d, LAYERS - 2 * overlap));
}

static size_t shared_bytes(const struct life3d_layout *layout)
{
    return 2 * (size_t)layout->row_words * sizeof(struct edge_sums<1>);
}

/* The least seconds of a generation where tiles overlap by so many rows and layers. */
static double overlapped_bound(const struct cuda *cuda, const struct life3d_layout *layout,
                               int resident, int overlap)
{
    dim3 grid = grid_of(layout, overlap);
    double cells = 32.0 * (double)layout->row_words * THREAD_LAYERS * THREADS;
    struct cuda_shape shape = {.generations = (double)overlap,
                               .launches = 1,
                               .blocks = (int64_t)grid.x * grid.y,
                               .warps = WARPS,
                               .resident = (double)resident,
                               .ops = life3d_ops_of(cuda, overlap * cells),
                               .barriers = (double)overlap};

    shape.held = shape.moved = 2.0 * (double)(layout->d * layout->layer_words) * sizeof(word);
    return cuda_bound_s(&cuda->facts, &shape);
}

static enum ca_status check(const struct cuda *cuda, const struct life3d_layout *layout,
                            struct ca_error *error)
{
    if (layout->w > 32 * ROW_WORDS_MAX)
        return ca_fail(error, CA_USAGE,
                       "cuda-overlapped keeps whole rows of up to %d cells in registers: %lld are "
                       "more",
                       32 * ROW_WORDS_MAX, (long long)layout->w);
    if (layout->h > INT32_MAX || layout->d > UINT16_MAX)
        return ca_fail(error, CA_USAGE,
                       "cuda-overlapped takes up to %d rows and %d layers: %lldx%lld are more",
                       INT32_MAX, UINT16_MAX, (long long)layout->h, (long long)layout->d);
    if ((int64_t)shared_bytes(layout) > cuda->facts.shared_bytes)
        return ca_fail(error, CA_USAGE,
                       "cuda-overlapped needs %zu bytes of shared memory a block, GPU %d has %lld",
                       shared_bytes(layout), cuda->device, (long long)cuda->facts.shared_bytes);
    return CA_OK;
}

/* The option `generations`, or the number that should take least. */
static enum ca_status choose_generations(struct cuda *cuda, const struct overlapped_state *state,
                                         struct ca_error *error)
{
    const struct life3d_layout *layout = &state->bits.layout;
    int asked = (int)ca_int(&cuda->setup.options, "generations"), resident;
    int least = asked ? asked : GENERATIONS_CHOSEN_MIN, most = asked ? asked : GENERATIONS_MAX;
    double best = 0;

    CA_TRY(cuda_resident_blocks(cuda, (const void *)state->kernel, THREADS, shared_bytes(layout),
                                &resident, error));
    for (int n = least; n <= most; n++) {
        double step_s = overlapped_bound(cuda, layout, resident, n);

        if (n > least && step_s >= best)
            continue;
        best = step_s;
        cuda->plan.generations = n;
    }
    cuda->plan.step_s = best;
    return CA_OK;
}

static enum ca_status life3d_cuda_overlapped_plan(struct cuda *cuda, struct ca_error *error)
{
    static overlapped_function *(*const kernels[LIFE3D_RULE_VARIANTS])(int, bool) = {
        kernel_for<life3d_rule_4576>,  kernel_for<life3d_rule_4555>,
        kernel_for<life3d_rule_5766>,  kernel_for<life3d_rule_intervals>,
        kernel_for<life3d_rule_table>,
    };
    struct overlapped_state *state = (struct overlapped_state *)cuda->state;
    const struct life3d_layout *layout = &state->bits.layout;
    struct ca_plan *plan = &cuda->plan;
    bool whole;

    CA_TRY(life3d_bits_plan(cuda, error));
    CA_TRY(check(cuda, layout, error));
    whole = layout->torus && layout->torus_z && layout->w == 32 * layout->row_words;
    state->kernel = kernels[state->bits.variant]((int)layout->row_words, whole);
    CA_TRY(choose_generations(cuda, state, error));
    cuda_plan_variant(cuda, "tiles of 32 rows, 16 layers: %d x %d valid",
                      ROWS - 2 * plan->generations, LAYERS - 2 * plan->generations);
    cuda_plan_launch(cuda, grid_of(layout, plan->generations), dim3(THREADS), shared_bytes(layout));
    return CA_OK;
}

static enum ca_status life3d_cuda_overlapped_pass(struct cuda *cuda, uint64_t t, int n,
                                                  struct ca_error *error)
{
    struct overlapped_state *state = (struct overlapped_state *)cuda->state;
    struct life3d_bits_state *bits = &state->bits;
    int most = cuda->plan.generations;

    (void)t; /* the same rule in every generation */
    return cuda_launch(cuda, "life3d_cuda_overlapped_step", state->kernel,
                       grid_of(&bits->layout, most), dim3(THREADS), shared_bytes(&bits->layout),
                       error, bits->now, bits->next, bits->layout, bits->masks, most, n);
}

CUDA_OPS(life3d_cuda_overlapped) = LIFE3D_BITS_OPS(struct overlapped_state,
                                                   life3d_cuda_overlapped_plan,
                                                   life3d_cuda_overlapped_pass);
