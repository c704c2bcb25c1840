/* SPDX-License-Identifier: MIT */
/*
 * Sweeps of two generations a pass, for cuda-blocked. A block has as many rows as its warps
 * together, each some of them, and goes down the layers two at a time as in sweep.cuh; the results
 * are fed to the second generation at once, two layers behind the first. What a warp does not have
 * of the rows above and below its own are their sums of three, which come through shared memory:
 *
 *     warp 0   rows 0 ...  3                  generation 1   2
 *              -------------- sums of rows 3, 4              of no use: rows 0, 31 after
 *     warp 1   rows 4 ...  7                                 generation 1, 1 and 30 too after 2;
 *              -------------- sums of rows 7, 8              blocks overlap by that much
 *     ...
 *     warp 7   rows 28 ... 31
 *
 * so that each row of three is added once for a block, and memory moves half as much.
 */
#ifndef CALAB_KERNELS_LIFE3D_TOWER_CUH
#define CALAB_KERNELS_LIFE3D_TOWER_CUH

#include "kernels/life3d/sweep.cuh"

#define TOWER_WARPS 8
#define TOWER_THREADS (TOWER_WARPS * SWEEP_LANES)
#define TOWER_GENERATIONS 2
#define TOWER_ROWS 4
#define TOWER_WORDS 2
#define TOWER_OPERATIONS 65.5 /* of a word: twice 25, and what is lost to waits */
#define TOWER_LANES_MIN 8     /* of a row */
#define TOWER_LAYERS_MIN 8    /* of a lattice, so that no layer is looked for further than that */

/* What a generation gets, and gives one layer before. */
typedef struct life3d_two_layers<TOWER_WORDS, TOWER_ROWS> life3d_floor;

struct life3d_edges { /* of layers a and b: low and high sums of two words */
    uint4 first[2][TOWER_THREADS], last[2][TOWER_THREADS];
};

struct life3d_tower_memory {
    struct life3d_edges edges[TOWER_GENERATIONS];
    struct life3d_coming<TOWER_WORDS, TOWER_ROWS, TOWER_THREADS> coming[SWEEP_AHEAD + 1];
};

struct life3d_tower_place {
    struct life3d_lane<TOWER_WORDS> lane;
    int above, below; /* threads with the rows next to this one's */
    int y;            /* of its first row */
    int outside;      /* whether it has rows beyond a dead wall */
    int plain;        /* whether its results are all its own, and have no ghosts */
    int own, end;     /* else: from where on and up to where they are its own */
};

static __device__ __forceinline__ void life3d_put_sums(uint4 *to,
                                                       const struct bit_sum sum[TOWER_WORDS])
{
    *to = make_uint4(sum[0].low, sum[0].high, sum[1].low, sum[1].high);
}

static __device__ __forceinline__ void life3d_get_sums(struct bit_sum sum[TOWER_WORDS],
                                                       const uint4 *from)
{
    uint4 all = *from;

    sum[0] = {all.x, all.y};
    sum[1] = {all.z, all.w};
}

typedef struct bit_sum life3d_row_of_sums[TOWER_WORDS];

/* A generation: all threads of the block. */
template <class Rule, int SEAM>
static __device__ __forceinline__ void
life3d_tower_feed(life3d_floor *cells, struct life3d_kept kept[TOWER_ROWS][TOWER_WORDS],
                  struct life3d_edges *edges, const struct life3d_tower_place &place,
                  const struct life3d_masks &masks)
{
    life3d_row_of_sums a[TOWER_ROWS + 2], b[TOWER_ROWS + 2];
    life3d_floor result;

#pragma unroll
    for (int k = 0; k < TOWER_ROWS; k++) {
        int r = k == 0 ? 0 : k == 1 ? TOWER_ROWS - 1 : k - 1; /* first what others wait for */

        life3d_row_sums<SEAM, TOWER_WORDS>(a[r + 1], cells->a[r], place.lane);
        life3d_row_sums<SEAM, TOWER_WORDS>(b[r + 1], cells->b[r], place.lane);
        if (r == 0) {
            life3d_put_sums(&edges->first[0][threadIdx.x], a[1]);
            life3d_put_sums(&edges->first[1][threadIdx.x], b[1]);
        }
        if (r == TOWER_ROWS - 1) {
            life3d_put_sums(&edges->last[0][threadIdx.x], a[TOWER_ROWS]);
            life3d_put_sums(&edges->last[1][threadIdx.x], b[TOWER_ROWS]);
        }
    }
    __syncthreads();
    life3d_get_sums(a[0], &edges->last[0][place.above]);
    life3d_get_sums(b[0], &edges->last[1][place.above]);
    life3d_get_sums(a[TOWER_ROWS + 1], &edges->first[0][place.below]);
    life3d_get_sums(b[TOWER_ROWS + 1], &edges->first[1][place.below]);
#pragma unroll
    for (int k = 0; k < TOWER_ROWS; k++) {
        int r = (k + 1) % TOWER_ROWS;
        const life3d_row_of_sums *const of_a[3] = {&a[r], &a[r + 1], &a[r + 2]};
        const life3d_row_of_sums *const of_b[3] = {&b[r], &b[r + 1], &b[r + 2]};

        life3d_feed_row<Rule, TOWER_WORDS>(kept[r], of_a, of_b, cells->a[r], cells->b[r], masks,
                                           result.a[r], result.b[r]);
    }
    if (SEAM == LIFE3D_RAGGED) {
#pragma unroll
        for (int r = 0; r < TOWER_ROWS; r++)
            for (int j = 0; j < TOWER_WORDS; j++) {
                result.a[r][j] &= place.lane.valid[j];
                result.b[r][j] &= place.lane.valid[j];
            }
    }
    *cells = result;
}

/* What is outside of an open lattice stays empty: layers z (a) and z + 1, and rows. */
static __device__ __forceinline__ void life3d_tower_clear(life3d_floor *cells,
                                                          const struct life3d_field &field,
                                                          const struct life3d_tower_place &place,
                                                          int z)
{
    bool a_is_out = !field.ring && (z < 0 || z >= field.d);
    bool b_is_out = !field.ring && (z < -1 || z >= field.d - 1);

    if (!a_is_out && !b_is_out && !place.outside)
        return;
#pragma unroll
    for (int r = 0; r < TOWER_ROWS; r++) {
        bool is_out = place.outside && (place.y + r < 0 || place.y + r >= field.h);

        for (int j = 0; j < TOWER_WORDS; j++) {
            cells->a[r][j] = a_is_out || is_out ? 0 : cells->a[r][j];
            cells->b[r][j] = b_is_out || is_out ? 0 : cells->b[r][j];
        }
    }
}

/* Stores the rows of a layer that are the thread's own, `to` being its first row. */
template <int LANES_OF_ROW>
static __device__ __forceinline__ void
life3d_tower_write(word *to, const word cells[TOWER_ROWS][TOWER_WORDS],
                   const struct life3d_field &field, const struct life3d_tower_place &place)
{
    const int row = LANES_OF_ROW * TOWER_WORDS, height = (int)field.h;

    if (place.plain) {
#pragma unroll
        for (int r = 0; r < TOWER_ROWS; r++)
            life3d_write<TOWER_WORDS>(to + r * row, cells[r]);
        return;
    }
#pragma unroll
    for (int r = 0; r < TOWER_ROWS; r++) {
        if (r < place.own || r >= place.end)
            continue;
        life3d_write<TOWER_WORDS>(to + r * row, cells[r]);
        if (field.torus && place.y + r < TOWER_GENERATIONS)
            life3d_write<TOWER_WORDS>(to + (r + height) * row, cells[r]);
        if (field.torus && place.y + r >= height - TOWER_GENERATIONS)
            life3d_write<TOWER_WORDS>(to + (r - height) * row, cells[r]);
    }
}

template <int SEAM, int LANES_OF_ROW>
static __device__ __forceinline__ struct life3d_tower_place
life3d_tower_place_of(const struct life3d_sweep &sweep)
{
    const int all = TOWER_THREADS / LANES_OF_ROW * TOWER_ROWS; /* rows of a block */
    const int own = all - 2 * TOWER_GENERATIONS;
    const struct life3d_field &field = sweep.field;
    struct life3d_tower_place place;
    int thread = threadIdx.x, at = thread / LANES_OF_ROW * TOWER_ROWS; /* in the block */
    int height = (int)field.h, y = (int)blockIdx.x * own;

    place.lane = life3d_lane_of<SEAM, TOWER_WORDS, LANES_OF_ROW>(sweep);
    place.above = thread < LANES_OF_ROW ? thread : thread - LANES_OF_ROW;
    place.below = thread < TOWER_THREADS - LANES_OF_ROW ? thread + LANES_OF_ROW : thread;
    y = y < height - own ? y : height - own; /* the last rows may be two blocks' */
    place.y = y - TOWER_GENERATIONS + at;
    place.own = TOWER_GENERATIONS - at;
    place.end = place.lane.has ? all - TOWER_GENERATIONS - at : 0;
    place.outside = !field.torus && (place.y < 0 || place.y + TOWER_ROWS > height);
    place.plain = place.own <= 0 && place.end >= TOWER_ROWS && place.y >= TOWER_GENERATIONS &&
                  place.y + TOWER_ROWS <= height - TOWER_GENERATIONS;
    place.outside = cuda_opaque(place.outside);
    place.plain = cuda_opaque(place.plain);
    return place;
}

template <class Rule, int SEAM, int LANES_OF_ROW>
static __global__ void __launch_bounds__(TOWER_THREADS, 1)
    life3d_tower(const word *__restrict__ now, word *__restrict__ next,
                 const __grid_constant__ struct life3d_sweep sweep,
                 const __grid_constant__ struct life3d_masks masks)
{
    extern __shared__ uint4 memory[];
    struct life3d_tower_memory *shared = (struct life3d_tower_memory *)memory;
    const struct life3d_field &field = sweep.field;
    struct life3d_tower_place place = life3d_tower_place_of<SEAM, LANES_OF_ROW>(sweep);
    struct life3d_kept kept[TOWER_GENERATIONS][TOWER_ROWS][TOWER_WORDS] = {};
    int depth = (int)field.d, from = (int)(blockIdx.y * sweep.chunk);
    int end = depth - from < sweep.chunk ? depth : from + (int)sweep.chunk;
    int z = from - TOWER_GENERATIONS, stop = end + TOWER_GENERATIONS;
    int64_t at = field.first + (place.y * LANES_OF_ROW + place.lane.at) * TOWER_WORDS;
    int slot = 0, free = SWEEP_AHEAD;

    now = cuda_opaque(now + at);
    next += at + (z - TOWER_GENERATIONS) * field.plane;
    for (int i = 0; i < SWEEP_AHEAD; i++)
        life3d_fetch<LANES_OF_ROW>(&shared->coming[i], now, field, z + 2 * i, stop);
        /* Layers z and z + 1 have come: the results of as many layers before as generations. */
#pragma unroll 1
    for (; z < stop; z += 2, next += 2 * field.plane) {
        life3d_floor cells;

        copy_wait_for_all_but<SWEEP_AHEAD - 1>();
        life3d_fetch<LANES_OF_ROW>(&shared->coming[free], now, field, z + 2 * SWEEP_AHEAD, stop);
        life3d_take_layers(&cells, &shared->coming[slot]);
        free = slot;
        slot = slot < SWEEP_AHEAD ? slot + 1 : 0;
#pragma unroll
        for (int g = 0; g < TOWER_GENERATIONS; g++) {
            if (g > 0)
                life3d_tower_clear(&cells, field, place, z - g);
            life3d_tower_feed<Rule, SEAM>(&cells, kept[g], &shared->edges[g], place, masks);
        }
        if (z - TOWER_GENERATIONS >= from)
            life3d_tower_write<LANES_OF_ROW>(next, cells.a, field, place);
        if (z - TOWER_GENERATIONS + 1 >= from && z - TOWER_GENERATIONS + 1 < end)
            life3d_tower_write<LANES_OF_ROW>(next + field.plane, cells.b, field, place);
    }
}

/* For a rule, that of this lattice; its kernel is NULL if there is none. */
template <class Rule, int SEAM> static life3d_sweep_kernel *life3d_tower_of(int lanes)
{
    return lanes == 32   ? life3d_tower<Rule, SEAM, 32>
           : lanes == 16 ? life3d_tower<Rule, SEAM, 16>
                         : life3d_tower<Rule, SEAM, 8>;
}

#define LIFE3D_TOWERS(name, Rule)                                                                  \
    life3d_sweep_kernel *name(int lanes, enum life3d_seam seam)                                    \
    {                                                                                              \
        return seam == LIFE3D_RING   ? life3d_tower_of<Rule, LIFE3D_RING>(lanes)                   \
               : seam == LIFE3D_WALL ? life3d_tower_of<Rule, LIFE3D_WALL>(lanes)                   \
                                     : life3d_tower_of<Rule, LIFE3D_RAGGED>(lanes);                \
    }

life3d_sweep_kernel *life3d_tower_4576(int lanes, enum life3d_seam seam);
life3d_sweep_kernel *life3d_tower_4555(int lanes, enum life3d_seam seam);
life3d_sweep_kernel *life3d_tower_5766(int lanes, enum life3d_seam seam);
life3d_sweep_kernel *life3d_tower_intervals(int lanes, enum life3d_seam seam);
life3d_sweep_kernel *life3d_tower_table(int lanes, enum life3d_seam seam);

#endif
