/* SPDX-License-Identifier: MIT */
/*
 * Sweeps of one generation. A warp, or a part of it, has some rows of whole length, and goes down
 * the layers with them, two at a time; the sums of the two layers before are in registers, so that
 * each cell is loaded once but for those of the rows above and below, which the warp beside has.
 *
 *              lanes: the row              Loads of the next two layers are under way
 *     row -1   . . . . . . . .             while these two are added.
 *     row 0    o o o o o o o o   ]
 *     ...                        ]  kept: sums of nine of the last two layers
 *     row 3    o o o o o o o o   ]
 *     row 4    . . . . . . . .
 *
 * A word costs 2 operations for three cells in x, 4 for nine in x and y, 2 for its part of a pair
 * of layers, and 8 for 27 (words.cuh); then the rule.
 */
#ifndef CALAB_KERNELS_LIFE3D_SWEEP_CUH
#define CALAB_KERNELS_LIFE3D_SWEEP_CUH

#include "kernels/cuda/copy_async.cuh"
#include "kernels/life3d/planes.cuh"

#define SWEEP_LANES 32
#define SWEEP_WARPS 4 /* of a block */
#define SWEEP_THREADS (SWEEP_WARPS * SWEEP_LANES)
#define SWEEP_OPERATIONS 30.5 /* of a word: 28, and what is lost to waits */

/* --- a row ----------------------------------------------------------------------------------- */

/* Where a lane stands in its row. */
template <int WORDS> struct life3d_lane {
    int at, left, right; /* lanes beside it in the warp, the row's other end for an end's */
    bool has;            /* cells of the row */
    word keep_left, keep_right;
    word last_bit[WORDS], valid[WORDS], beyond[WORDS]; /* see struct life3d_sweep */
};

template <int SEAM, int WORDS, int LANES_OF_ROW>
static __device__ __forceinline__ struct life3d_lane<WORDS>
life3d_lane_of(const struct life3d_sweep &sweep) {
    struct life3d_lane<WORDS> lane;
    int at = threadIdx.x % LANES_OF_ROW, first = threadIdx.x % SWEEP_LANES - at;
    int last = SEAM == LIFE3D_RAGGED ? sweep.last : LANES_OF_ROW - 1;

    lane.has = at <= last;
    lane.at = lane.has ? at : last;
    lane.left = cuda_opaque(first + (at > 0 ? at - 1 : last));
    lane.right = cuda_opaque(first + (at < last ? at + 1 : 0));
    lane.keep_left = life3d_factor(at > 0 || sweep.field.torus);
    lane.keep_right = life3d_factor(at < last || sweep.field.torus);
#pragma unroll
    for (int j = 0; j < WORDS; j++) {
        lane.valid[j] = at < last ? ~0u : at == last ? sweep.valid[j] : 0;
        lane.beyond[j] = at == last ? sweep.beyond[j] : 0;
        lane.last_bit[j] = at == last ? sweep.last_bit[j] : j == WORDS - 1;
    }
    return lane;
}

/* Three cells in x. */
template <int SEAM, int WORDS>
static __device__ __forceinline__ void life3d_row_sums(struct bit_sum sum[WORDS],
                                                       const word cells[WORDS],
                                                       const struct life3d_lane<WORDS> &lane)
{
    word row[WORDS], last = cells[WORDS - 1], before, behind, left, right;

#pragma unroll
    for (int j = 0; j < WORDS; j++)
        row[j] = cells[j];
    if (SEAM == LIFE3D_RAGGED) {
        last = 0;
#pragma unroll
        for (int j = 0; j < WORDS; j++)
            last += row[j] * lane.last_bit[j];
    }
    before = __shfl_sync(0xffffffff, last, lane.left);
    behind = __shfl_sync(0xffffffff, row[0], lane.right);
    if (SEAM != LIFE3D_RING) {
        before *= lane.keep_left;
        behind *= lane.keep_right;
    }
    if (SEAM == LIFE3D_RAGGED) { /* what is beyond the last cell is empty, so sums set bits */
#pragma unroll
        for (int j = 0; j < WORDS; j++)
            row[j] += (behind & 1) * lane.beyond[j];
    }
    left = __funnelshift_l(before, row[WORDS - 1], 1);
    right = __funnelshift_r(row[0], behind, 1);
#pragma unroll
    for (int j = 0; j < WORDS; j++)
        sum[j] =
            word_full_add(j > 0 ? row[j - 1] : left, row[j], j < WORDS - 1 ? row[j + 1] : right);
}

template <int WORDS> struct life3d_group;
template <> struct life3d_group<2> {
    typedef uint2 type;
};
template <> struct life3d_group<4> {
    typedef uint4 type;
};

template <int WORDS>
static __device__ __forceinline__ void life3d_write(word *to, const word row[WORDS])
{
    typedef typename life3d_group<WORDS>::type group;
    union {
        group all;
        word words[WORDS];
    } written;

#pragma unroll
    for (int j = 0; j < WORDS; j++)
        written.words[j] = row[j];
    *(group *)to = written.all;
}

/* --- two layers ------------------------------------------------------------------------------ */

/* Of a word: the pair of layers that came last, the second of them alone, and its cells. */
struct life3d_kept {
    struct life3d_pair pair;
    word high, four; /* its ones and other twos are in the pair */
    word live;
};

/*
 * Layers a and b have come, with their sums of three in x in rows above, here and below. The
 * results of the layer before a and of a.
 */
template <class Rule, int WORDS>
static __device__ __forceinline__ void
life3d_feed_row(struct life3d_kept kept[WORDS], const struct bit_sum (*const a[3])[WORDS],
                const struct bit_sum (*const b[3])[WORDS], const word live_a[WORDS],
                const word live_b[WORDS], const struct life3d_masks &masks, word before[WORDS],
                word result_a[WORDS])
{
#pragma unroll
    for (int j = 0; j < WORDS; j++) {
        struct life3d_kept *of = &kept[j];
        struct life3d_sum9 a_nine = life3d_add_columns((*a[0])[j], (*a[1])[j], (*a[2])[j]);
        struct life3d_sum9 b_nine = life3d_add_columns((*b[0])[j], (*b[1])[j], (*b[2])[j]);
        struct life3d_sum9 old = {{of->pair.ones[1], of->high}, {of->pair.twos[1], of->four}};

        before[j] = Rule::next(life3d_add_third(of->pair, a_nine), of->live, masks);
        of->pair = life3d_add_pair(a_nine, b_nine);
        result_a[j] = Rule::next(life3d_add_third(of->pair, old), live_a[j], masks);
        of->high = b_nine.l.high;
        of->four = b_nine.h.high;
        of->live = live_b[j];
    }
}

/* --- the sweep ------------------------------------------------------------------------------- */

/* The place of layer z, up to as many before the first or behind the last as there are layers:
 * what is outside is at the other end, or empty. */
static __device__ __forceinline__ int64_t life3d_layer_at(const struct life3d_field &field, int z)
{
    int depth = (int)field.d, there = z < 0 ? z + depth : z >= depth ? z - depth : z;

    return (field.ring || there == z ? there : depth) * field.plane;
}

/* Some rows of two layers, as threads bring them to shared memory for themselves. */
template <int WORDS, int ROWS, int THREADS> struct life3d_coming {
    typename life3d_group<WORDS>::type row[2][ROWS][THREADS];
};

#define SWEEP_AHEAD 2 /* pairs of layers that are under way */

template <int LANES_OF_ROW, int WORDS, int ROWS, int THREADS>
static __device__ __forceinline__ void
life3d_fetch(struct life3d_coming<WORDS, ROWS, THREADS> *coming, const word *rows,
             const struct life3d_field &field, int z, int end)
{
    typedef typename life3d_group<WORDS>::type group;

    if (z < end) {
        bool inside = (unsigned)z < (unsigned)field.d - 1;
        const word *a = rows + (inside ? z * field.plane : life3d_layer_at(field, z));
        const word *b = inside ? a + field.plane : rows + life3d_layer_at(field, z + 1);

#pragma unroll
        for (int r = 0; r < ROWS; r++)
            copy_async(&coming->row[0][r][threadIdx.x],
                       (const group *)(a + r * LANES_OF_ROW * WORDS));
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            copy_async(&coming->row[1][r][threadIdx.x],
                       (const group *)(b + r * LANES_OF_ROW * WORDS));
    }
    copy_group();
}

template <int WORDS>
static __device__ __forceinline__ void life3d_take(word row[WORDS],
                                                   const typename life3d_group<WORDS>::type *from)
{
    union {
        typename life3d_group<WORDS>::type all;
        word words[WORDS];
    } taken;

    taken.all = *from;
#pragma unroll
    for (int j = 0; j < WORDS; j++)
        row[j] = taken.words[j];
}

template <int WORDS, int ROWS> struct life3d_two_layers {
    word a[ROWS][WORDS], b[ROWS][WORDS];
};

template <int WORDS, int ROWS, int THREADS>
static __device__ __forceinline__ void
life3d_take_layers(struct life3d_two_layers<WORDS, ROWS> *layers,
                   const struct life3d_coming<WORDS, ROWS, THREADS> *coming)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        life3d_take<WORDS>(layers->a[r], &coming->row[0][r][threadIdx.x]);
        life3d_take<WORDS>(layers->b[r], &coming->row[1][r][threadIdx.x]);
    }
}

enum { SWEEP_FIRST = 1, SWEEP_LAST = 2 }; /* rows that ghosts are of, which a warp may have */

/* Of a layer, `to` being the first row, with the ghosts of what is in `ghosts`. */
template <int WORDS, int LANES_OF_ROW, int ROWS>
static __device__ __forceinline__ void life3d_write_rows(word *to, const word rows[ROWS][WORDS],
                                                         int ghosts,
                                                         const struct life3d_field &field)
{
    const int row = WORDS * LANES_OF_ROW;

#pragma unroll
    for (int r = 0; r < ROWS; r++)
        life3d_write<WORDS>(to + r * row, rows[r]);
    if (ghosts == 0)
        return;
    if (ghosts & SWEEP_FIRST)
        life3d_write<WORDS>(to + field.h * row, rows[0]);
    if (ghosts & SWEEP_LAST)
        life3d_write<WORDS>(to + (ROWS - 1 - field.h) * row, rows[ROWS - 1]);
}

/* Both layers fed, row by row; the results of the layer before a and of a. */
template <class Rule, int SEAM, int WORDS, int ROWS>
static __device__ __forceinline__ void
life3d_feed_layers(struct life3d_kept kept[ROWS][WORDS],
                   const struct life3d_two_layers<WORDS, ROWS + 2> &layers,
                   const struct life3d_lane<WORDS> &lane, const struct life3d_masks &masks,
                   word before[ROWS][WORDS], word result[ROWS][WORDS])
{
    struct bit_sum a[3][WORDS], b[3][WORDS];

#pragma unroll
    for (int r = -1; r <= ROWS; r++) {
        life3d_row_sums<SEAM, WORDS>(a[(r + 3) % 3], layers.a[r + 1], lane);
        life3d_row_sums<SEAM, WORDS>(b[(r + 3) % 3], layers.b[r + 1], lane);
        if (r < 1)
            continue;

        const struct bit_sum(*const of_a[3])[WORDS] = {&a[(r + 1) % 3], &a[(r + 2) % 3], &a[r % 3]};
        const struct bit_sum(*const of_b[3])[WORDS] = {&b[(r + 1) % 3], &b[(r + 2) % 3], &b[r % 3]};

        life3d_feed_row<Rule, WORDS>(kept[r - 1], of_a, of_b, layers.a[r], layers.b[r], masks,
                                     before[r - 1], result[r - 1]);
    }
    if (SEAM == LIFE3D_RAGGED) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            for (int j = 0; j < WORDS; j++) {
                before[r][j] &= lane.valid[j];
                result[r][j] &= lane.valid[j];
            }
    }
}

template <class Rule, int SEAM, int WORDS, int LANES_OF_ROW, int ROWS>
static __global__ void __launch_bounds__(SWEEP_THREADS, WORDS == 2 ? 3 : 2)
    life3d_sweep_rows(const word *__restrict__ now, word *__restrict__ next,
                      const __grid_constant__ struct life3d_sweep sweep,
                      const __grid_constant__ struct life3d_masks masks)
{
    const int parts = SWEEP_LANES / LANES_OF_ROW, row = WORDS * LANES_OF_ROW;
    const struct life3d_field &field = sweep.field;
    struct life3d_lane<WORDS> lane = life3d_lane_of<SEAM, WORDS, LANES_OF_ROW>(sweep);
    struct life3d_kept kept[ROWS][WORDS] = {};
    int64_t y = ((int64_t)blockIdx.x * SWEEP_WARPS + threadIdx.x / SWEEP_LANES) * parts * ROWS;
    int depth = (int)field.d, from = (int)(blockIdx.y * sweep.chunk), z = from - 1;
    int end = depth - from < sweep.chunk ? depth : from + (int)sweep.chunk;
    int slot = 0, free = SWEEP_AHEAD;
    int ghosts = 0;
    extern __shared__ uint4 shared[];
    struct life3d_coming<WORDS, ROWS + 2, SWEEP_THREADS> *coming =
        (struct life3d_coming<WORDS, ROWS + 2, SWEEP_THREADS> *)shared;

    if (y >= field.h)
        return;
    y += threadIdx.x % SWEEP_LANES / LANES_OF_ROW * ROWS;
    y = y < field.h - ROWS ? y : field.h - ROWS; /* the last rows may be two warps' */
    if (field.torus)
        ghosts = (y == 0 ? SWEEP_FIRST : 0) | (y == field.h - ROWS ? SWEEP_LAST : 0);
    ghosts = cuda_opaque(ghosts);
    now = cuda_opaque(now + field.first + (y - 1) * row + lane.at * WORDS);
    next += field.first + y * row + lane.at * WORDS + (z - 1) * field.plane;
    for (int i = 0; i < SWEEP_AHEAD; i++)
        life3d_fetch<LANES_OF_ROW>(&coming[i], now, field, z + 2 * i, end + 1);
        /* Layers z and z + 1 have come: the results of z - 1 and z. */
#pragma unroll 1
    for (; z <= end; z += 2, next += 2 * field.plane) {
        struct life3d_two_layers<WORDS, ROWS + 2> layers;
        word before[ROWS][WORDS], result[ROWS][WORDS];

        copy_wait_for_all_but<SWEEP_AHEAD - 1>();
        life3d_fetch<LANES_OF_ROW>(&coming[free], now, field, z + 2 * SWEEP_AHEAD, end + 1);
        life3d_take_layers(&layers, &coming[slot]);
        free = slot;
        slot = slot < SWEEP_AHEAD ? slot + 1 : 0;
        life3d_feed_layers<Rule, SEAM, WORDS, ROWS>(kept, layers, lane, masks, before, result);
        if (lane.has && z > from)
            life3d_write_rows<WORDS, LANES_OF_ROW, ROWS>(next, before, ghosts, field);
        if (lane.has && z >= from && z < end)
            life3d_write_rows<WORDS, LANES_OF_ROW, ROWS>(next + field.plane, result, ghosts, field);
    }
}

/* --- which ----------------------------------------------------------------------------------- */

template <class Rule, int SEAM, int WORDS, int LANES_OF_ROW, int ROWS>
static struct life3d_swept life3d_swept_with()
{
    struct life3d_swept swept = {life3d_sweep_rows<Rule, SEAM, WORDS, LANES_OF_ROW, ROWS>,
                                 SWEEP_THREADS, 1};

    static_assert(WORDS * ROWS == SWEPT_WORDS, "a thread's words");
    swept.operations = SWEEP_OPERATIONS;
    swept.shared = (SWEEP_AHEAD + 1) * sizeof(struct life3d_coming<WORDS, ROWS + 2, SWEEP_THREADS>);
    swept.rows = SWEEP_THREADS / LANES_OF_ROW * ROWS;
    return swept;
}

template <class Rule, int SEAM>
static struct life3d_swept life3d_swept_of(const struct life3d_field &field)
{
    return field.words == 4    ? life3d_swept_with<Rule, SEAM, 4, 32, 2>()
           : field.lanes == 32 ? life3d_swept_with<Rule, SEAM, 2, 32, 4>()
           : field.lanes == 16 ? life3d_swept_with<Rule, SEAM, 2, 16, 4>()
           : field.lanes == 8  ? life3d_swept_with<Rule, SEAM, 2, 8, 4>()
                               : life3d_swept_with<Rule, SEAM, 2, 4, 4>();
}

/* For a rule, that of this lattice. */
#define LIFE3D_SWEEPS(name, Rule)                                                                  \
    struct life3d_swept name(const struct life3d_field &field, enum life3d_seam seam)              \
    {                                                                                              \
        return seam == LIFE3D_RING   ? life3d_swept_of<Rule, LIFE3D_RING>(field)                   \
               : seam == LIFE3D_WALL ? life3d_swept_of<Rule, LIFE3D_WALL>(field)                   \
                                     : life3d_swept_of<Rule, LIFE3D_RAGGED>(field);                \
    }

struct life3d_swept life3d_sweep_4576(const struct life3d_field &field, enum life3d_seam seam);
struct life3d_swept life3d_sweep_4555(const struct life3d_field &field, enum life3d_seam seam);
struct life3d_swept life3d_sweep_5766(const struct life3d_field &field, enum life3d_seam seam);
struct life3d_swept life3d_sweep_intervals(const struct life3d_field &field, enum life3d_seam seam);
struct life3d_swept life3d_sweep_table(const struct life3d_field &field, enum life3d_seam seam);

#endif
