/* SPDX-License-Identifier: MIT */
/* Owns the bricks of narrow lattices: their kernel, and how many generations they take at once. */
#include "kernels/life3d/brick.cuh"

#include <math.h>

/* --- a generation ---------------------------------------------------------------------------- */

/* What a thread knows of its rows. */
struct brick_place {
    word keep[BRICK_LAYERS]; /* all bits, or none where the lattice ends */
    word valid;              /* cells of the last word */
    word closed;             /* all bits if rows are closed */
    int end;                 /* bit of the last cell in the last word */
    int below, above;        /* threads with the layers beside these */
};

/* Three cells in x. Bits beyond the last cell are of no use and dropped from results. */
template <int WORDS, bool WHOLE>
static __device__ __forceinline__ void
brick_row_sums(struct bit_sum sum[WORDS], const word row[WORDS], const struct brick_place &place)
{
    int end = WHOLE ? 31 : place.end;
    word first = row[WORDS - 1] >> end, last = row[0] << end;

    if (!WHOLE) {
        first &= place.closed;
        last &= place.closed;
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

/* Nine cells in x and y; of no use in the first and last lane. */
template <int WORDS, bool WHOLE>
static __device__ __forceinline__ void
brick_nines(struct life3d_sum9 nine[WORDS], const word row[WORDS], const struct brick_place &place)
{
    struct bit_sum here[WORDS];

    brick_row_sums<WORDS, WHOLE>(here, row, place);
#pragma unroll
    for (int j = 0; j < WORDS; j++) {
        struct bit_sum above, below;

        above.low = __shfl_up_sync(0xffffffff, here[j].low, 1);
        above.high = __shfl_up_sync(0xffffffff, here[j].high, 1);
        below.low = __shfl_down_sync(0xffffffff, here[j].low, 1);
        below.high = __shfl_down_sync(0xffffffff, here[j].high, 1);
        nine[j] = life3d_add_columns(above, here[j], below);
    }
}

/* Sums of nine of the first and the last layer of each warp. */
template <int WORDS> struct brick_edges {
    uint4 first[WORDS][BRICK_THREADS], last[WORDS][BRICK_THREADS];
};

template <class Rule, int WORDS, bool WHOLE>
static __device__ __forceinline__ void
brick_generation(word rows[BRICK_LAYERS][WORDS], struct brick_edges<WORDS> *edges,
                 const struct brick_place &place, const struct life3d_masks &masks)
{
    struct life3d_sum9 a[WORDS], b[WORDS];

    brick_nines<WORDS, WHOLE>(a, rows[0], place);
    brick_nines<WORDS, WHOLE>(b, rows[1], place);
#pragma unroll
    for (int j = 0; j < WORDS; j++) {
        edges->first[j][threadIdx.x] = life3d_put_nine(a[j]);
        edges->last[j][threadIdx.x] = life3d_put_nine(b[j]);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < WORDS; j++) {
        struct life3d_pair pair = life3d_add_pair(a[j], b[j]);
        struct life3d_sum9 before = life3d_get_nine(edges->last[j][place.below]);
        struct life3d_sum9 after = life3d_get_nine(edges->first[j][place.above]);

        rows[0][j] = Rule::next(life3d_add_third(pair, before), rows[0][j], masks);
        rows[1][j] = Rule::next(life3d_add_third(pair, after), rows[1][j], masks);
        if (!WHOLE) {
            word valid = j < WORDS - 1 ? ~0u : place.valid;

            rows[0][j] &= valid & place.keep[0];
            rows[1][j] &= valid & place.keep[1];
        }
    }
}

/* --- a brick --------------------------------------------------------------------------------- */

/* Where `at` is along a side, counted from the lattice's end on if that is closed; -1: nowhere. */
static __device__ __forceinline__ int64_t brick_at(int64_t at, int64_t side, bool closed)
{
    if (at >= 0 && at < side)
        return at;
    if (!closed)
        return -1;
    at %= side;
    return at < 0 ? at + side : at;
}

template <class Rule, int WORDS, bool WHOLE>
static __global__ void __launch_bounds__(BRICK_THREADS)
    brick(const word *__restrict__ now, word *__restrict__ next,
          const __grid_constant__ struct life3d_field field,
          const __grid_constant__ struct life3d_masks masks, int halo, int generations)
{
    extern __shared__ uint4 memory[];
    struct brick_edges<WORDS> *edges = (struct brick_edges<WORDS> *)memory;
    int warp = threadIdx.x / BRICK_ROWS, lane = threadIdx.x % BRICK_ROWS;
    int64_t y = (int64_t)blockIdx.x * (BRICK_ROWS - 2 * halo) - halo + lane;
    int64_t z = (int64_t)blockIdx.y * (BRICK_DEPTH - 2 * halo) - halo + warp * BRICK_LAYERS;
    int64_t row = brick_at(y, field.h, field.torus);
    int end = (int)((field.w - 1) % 32);
    struct brick_place place = {{},
                                ~0u >> (31 - end),
                                field.torus ? ~0u : 0,
                                end,
                                (int)threadIdx.x - (warp > 0 ? BRICK_ROWS : 0),
                                (int)threadIdx.x + (warp < BRICK_WARPS - 1 ? BRICK_ROWS : 0)};
    word rows[BRICK_LAYERS][WORDS];

#pragma unroll
    for (int l = 0; l < BRICK_LAYERS; l++) {
        int64_t layer = brick_at(z + l, field.d, field.ring);
        bool is = row >= 0 && layer >= 0;
        const word *from = now + (is ? layer * field.plane + row * WORDS : 0);

        place.keep[l] = is ? ~0u : 0;
#pragma unroll
        for (int j = 0; j < WORDS; j++)
            rows[l][j] = from[j] & place.keep[l];
    }
#pragma unroll 1
    for (int g = 0; g < generations; g++)
        brick_generation<Rule, WORDS, WHOLE>(rows, &edges[g & 1], place, masks);
    if (lane < halo || lane >= BRICK_ROWS - halo || y >= field.h)
        return;
#pragma unroll
    for (int l = 0; l < BRICK_LAYERS; l++) {
        int in = warp * BRICK_LAYERS + l;
        word *to = next + (z + l) * field.plane + y * WORDS;

        if (in < halo || in >= BRICK_DEPTH - halo || z + l >= field.d)
            continue;
#pragma unroll
        for (int j = 0; j < WORDS; j++)
            to[j] = rows[l][j];
    }
}

/* --- which ----------------------------------------------------------------------------------- */

template <class Rule> static life3d_brick_kernel *brick_of(int words, bool whole)
{
    static life3d_brick_kernel *const kernels[BRICK_WORDS_MAX][2] = {
        {brick<Rule, 1, false>, brick<Rule, 1, true>},
        {brick<Rule, 2, false>, brick<Rule, 2, true>},
        {brick<Rule, 3, false>, brick<Rule, 3, true>},
        {brick<Rule, 4, false>, brick<Rule, 4, true>},
    };

    return kernels[words - 1][whole];
}

static life3d_brick_kernel *brick_for(const struct life3d_planes *own)
{
    static life3d_brick_kernel *(*const kernels[])(int, bool) = {
        brick_of<life3d_made_4576>,      brick_of<life3d_made_4555>,  brick_of<life3d_made_5766>,
        brick_of<life3d_made_intervals>, brick_of<life3d_made_table>,
    };
    const struct life3d_field *field = &own->field;

    return kernels[own->made]((int)field->row,
                              field->torus && field->ring && field->w == 32 * field->row);
}

static size_t brick_shared(const struct life3d_field *field)
{
    return 2 * (size_t)field->row * sizeof(struct brick_edges<1>);
}

static dim3 brick_grid(const struct life3d_field *field, int halo)
{
    int64_t rows = BRICK_ROWS - 2 * halo, layers = BRICK_DEPTH - 2 * halo;

    return dim3((unsigned)((field->h + rows - 1) / rows),
                (unsigned)((field->d + layers - 1) / layers));
}

/* Operations for a word in a brick and in a thread of its own, waits included; what shuffles, the
 * barrier and chains of adders take in a generation though nothing else is done. */
#define BRICK_OPERATIONS 45.0
#define WORD_OPERATIONS 200.0
#define GENERATION_CYCLES 400.0

/* Cycles of a generation in bricks. */
static double brick_cycles(const struct life3d_field *field, int multiprocessors, int resident,
                           int halo)
{
    dim3 grid = brick_grid(field, halo);
    double share = ceil((double)grid.x * grid.y / multiprocessors);
    double words = (double)field->row * BRICK_LAYERS * BRICK_THREADS;

    return share * words * BRICK_OPERATIONS / 64 + ceil(share / resident) * GENERATION_CYCLES +
           LIFE3D_PASS_CYCLES / halo;
}

enum ca_status life3d_brick_choose(struct cuda *cuda, int64_t generations, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;
    const struct life3d_field *field = &own->field;
    int most = generations > 0 && generations < BRICK_GENERATIONS_MAX ? (int)generations
                                                                      : BRICK_GENERATIONS_MAX;
    int least = generations > 0 ? most : 2, resident;
    struct ca_cuda_device device;
    double words = (double)(field->row * field->h) * (double)field->d, one;

    if (generations == 1 || field->row > BRICK_WORDS_MAX || field->h > INT32_MAX ||
        field->d > UINT16_MAX)
        return CA_OK;
    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    if ((int64_t)brick_shared(field) > device.shared_bytes)
        return CA_OK;
    CA_TRY(life3d_planes_resident(cuda, (const void *)brick_for(own), BRICK_THREADS,
                                  brick_shared(field), &resident, error));
    one = words * WORD_OPERATIONS / 64 / device.multiprocessors + LIFE3D_PASS_CYCLES;
    for (int n = least; n <= most; n++) {
        double cycles = brick_cycles(field, device.multiprocessors, resident, n);

        if (cycles >= one && generations == 0)
            continue;
        one = cycles;
        own->brick = brick_for(own);
        own->generations = n;
    }
    return CA_OK;
}

enum ca_status life3d_brick_pass(struct cuda *cuda, int generations, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;

    CA_TRY(cuda_launch(cuda, "step", own->brick, brick_grid(&own->field, own->generations),
                       dim3(BRICK_THREADS), brick_shared(&own->field), error, own->now, own->next,
                       own->field, own->masks, own->generations, generations));
    life3d_planes_turn(own);
    return CA_OK;
}
