/* SPDX-License-Identifier: MIT */
/*
 * Sweeps of life3d: what the kernels of cuda-bitslice (one generation a pass) and cuda-temporal
 * (two) share. A warp, or a part of it, has some rows of full length and sweeps down the layers
 * with them, two layers at a time. The sums of the previous two layers stay in registers, so each
 * cell is loaded once, but for the rows above and below, which belong to the neighbouring warps:
 *
 *              lanes: the row              Loads of the next layers are in flight while
 *     row -1   . . . . . . . .             these two are added.
 *     row 0    o o o o o o o o   ]
 *     ...                        ]  in registers: the sums of nine of the last two layers
 *     row 3    o o o o o o o o   ]
 *     row 4    . . . . . . . .
 *
 * A word takes 2 operations for three cells in x, 4 for nine in x and y, 2 for its part of a pair
 * of layers, and 8 for 27 (bitslice.h); then the rule (cuda_logic.cuh).
 */
#ifndef CALAB_KERNELS_LIFE3D_CUDA_SWEEP_CUH
#define CALAB_KERNELS_LIFE3D_CUDA_SWEEP_CUH

#include "kernels/cuda/copy_async.cuh"
#include "kernels/life3d/cuda_bits.cuh"

#define LIFE3D_WARP 32
#define LIFE3D_THREAD_WORDS 8   /* of a thread and layer */
#define LIFE3D_PREFETCH_PAIRS 2 /* pairs of layers whose loads are in flight */

/* Rows end in one of these ways. */
enum life3d_row_end {
    LIFE3D_ROW_PERIODIC, /* torus; the last cell is the last bit of a word of the last lane */
    LIFE3D_ROW_DEAD,     /* dead; likewise */
    LIFE3D_ROW_PARTIAL,  /* either; anywhere in the words of any lane */
    LIFE3D_ROW_ENDS
};

struct life3d_sweep_params {
    struct life3d_layout layout;
    int64_t chunk;           /* layers that a block sweeps */
    struct cuda_bands bands; /* the chunks that are launched, and the layers that all store */
    int last;                /* the lane with a row's last cell */
    word last_bit[4];        /* factor of its words that moves the last cell to a word's last bit */
    word valid[4];           /* bits of its words that are cells */
    word beyond[4];          /* of a torus: the bit after the last cell, if this lane has it */
};

typedef void life3d_sweep_function(const word *__restrict__ now, word *__restrict__ next,
                                   const struct life3d_sweep_params params,
                                   const struct life3d_masks masks);

/* A kernel, its shape and its partition. */
struct life3d_sweep {
    const char *name;
    life3d_sweep_function *kernel;
    int threads, generations;
    size_t shared;       /* bytes of a block */
    int rows;            /* that a block steps */
    uint32_t row_blocks; /* blocks beside each other in a layer */
    struct life3d_sweep_params params;
    double step_s; /* of a generation, at least */
};

enum life3d_row_end life3d_row_end_of(const struct life3d_layout *layout);
/* Completes a sweep for the lattice: the option `layers`, or the number that should cost least. */
enum ca_status life3d_sweep_partition(struct cuda *cuda, struct life3d_sweep *sweep,
                                      struct ca_error *error);
/* The grid that stores so many layers. */
dim3 life3d_sweep_grid(const struct life3d_sweep *sweep, int64_t layers);
struct cuda_band_sizes life3d_sweep_bands(const struct cuda *cuda,
                                          const struct life3d_sweep *sweep);
/* A pass, of as many generations as the kernel does, or the bands cuda->bands of it. */
enum ca_status life3d_sweep_pass(struct cuda *cuda, struct life3d_sweep sweep,
                                 struct ca_error *error);

/* The one-generation sweep of cuda-bitslice for this lattice and rule, partitioned. */
enum ca_status life3d_bitslice_sweep(struct cuda *cuda, struct life3d_sweep *sweep,
                                     struct ca_error *error);

/*
 * The sweeps of one rule variant, not yet partitioned. Each comes from a translation unit of its
 * own, as ptxas takes long for them: cuda.mk compiles cuda_bitslice_sweep.cu and
 * cuda_temporal_sweep.cu once for each variant, with its name as RULE_VARIANT.
 */
typedef struct life3d_sweep life3d_sweep_of(const struct life3d_layout &layout,
                                            enum life3d_row_end row_end);
life3d_sweep_of life3d_bitslice_sweep_4576, life3d_bitslice_sweep_4555, life3d_bitslice_sweep_5766,
    life3d_bitslice_sweep_intervals, life3d_bitslice_sweep_table;
life3d_sweep_of life3d_temporal_sweep_4576, life3d_temporal_sweep_4555, life3d_temporal_sweep_5766,
    life3d_temporal_sweep_intervals, life3d_temporal_sweep_table;

/* NAME(life3d_rule_, RULE_VARIANT) is life3d_rule_4576. */
#define LIFE3D_PASTE(prefix, variant) prefix##variant
#define LIFE3D_NAME(prefix, variant) LIFE3D_PASTE(prefix, variant)

/* --- a row ----------------------------------------------------------------------------------- */

/* The place of a lane in its row. */
template <int WORDS> struct life3d_lane {
    int index, left, right; /* in the row; neighbours in the warp, across the row's ends too */
    bool active;            /* has cells of the row */
    word keep_left, keep_right;
    word last_bit[WORDS], valid[WORDS], beyond[WORDS]; /* see struct life3d_sweep_params */
};

template <int ROW_END, int WORDS, int LANES_OF_ROW>
static __device__ __forceinline__ struct life3d_lane<WORDS>
life3d_lane_of(const struct life3d_sweep_params &params) {
    struct life3d_lane<WORDS> lane;
    int at = threadIdx.x % LANES_OF_ROW, first = threadIdx.x % LIFE3D_WARP - at;
    int last = ROW_END == LIFE3D_ROW_PARTIAL ? params.last : LANES_OF_ROW - 1;

    lane.active = at <= last;
    lane.index = lane.active ? at : last;
    lane.left = cuda_opaque(first + (at > 0 ? at - 1 : last));
    lane.right = cuda_opaque(first + (at < last ? at + 1 : 0));
    lane.keep_left = life3d_factor(at > 0 || params.layout.torus);
    lane.keep_right = life3d_factor(at < last || params.layout.torus);
#pragma unroll
    for (int j = 0; j < WORDS; j++) {
        lane.valid[j] = at < last ? ~0u : at == last ? params.valid[j] : 0;
        lane.beyond[j] = at == last ? params.beyond[j] : 0;
        lane.last_bit[j] = at == last ? params.last_bit[j] : j == WORDS - 1;
    }
    return lane;
}

/* Three cells in x. */
template <int ROW_END, int WORDS>
static __device__ __forceinline__ void life3d_row_sums(struct bit_sum sum[WORDS],
                                                       const word cells[WORDS],
                                                       const struct life3d_lane<WORDS> &lane)
{
    word row[WORDS], last = cells[WORDS - 1], from_left, from_right, left, right;

#pragma unroll
    for (int j = 0; j < WORDS; j++)
        row[j] = cells[j];
    if (ROW_END == LIFE3D_ROW_PARTIAL) {
        last = 0;
#pragma unroll
        for (int j = 0; j < WORDS; j++)
            last += row[j] * lane.last_bit[j];
    }
    from_left = __shfl_sync(0xffffffff, last, lane.left);
    from_right = __shfl_sync(0xffffffff, row[0], lane.right);
    if (ROW_END != LIFE3D_ROW_PERIODIC) {
        from_left *= lane.keep_left;
        from_right *= lane.keep_right;
    }
    if (ROW_END == LIFE3D_ROW_PARTIAL) { /* bits beyond the last cell are 0, so adding sets them */
#pragma unroll
        for (int j = 0; j < WORDS; j++)
            row[j] += (from_right & 1) * lane.beyond[j];
    }
    left = __funnelshift_l(from_left, row[WORDS - 1], 1);
    right = __funnelshift_r(row[0], from_right, 1);
#pragma unroll
    for (int j = 0; j < WORDS; j++)
        sum[j] =
            word_full_add(j > 0 ? row[j - 1] : left, row[j], j < WORDS - 1 ? row[j + 1] : right);
}

/* A lane's words of a row, as they are loaded and stored. */
template <int WORDS> struct life3d_group;
template <> struct life3d_group<2> {
    typedef uint2 type;
};
template <> struct life3d_group<4> {
    typedef uint4 type;
};

template <int WORDS>
static __device__ __forceinline__ void life3d_store_row(word *to, const word row[WORDS])
{
    typedef typename life3d_group<WORDS>::type group;
    union {
        group all;
        word words[WORDS];
    } value;

#pragma unroll
    for (int j = 0; j < WORDS; j++)
        value.words[j] = row[j];
    *(group *)to = value.all;
}

template <int WORDS>
static __device__ __forceinline__ void
life3d_load_row(word row[WORDS], const typename life3d_group<WORDS>::type *from)
{
    union {
        typename life3d_group<WORDS>::type all;
        word words[WORDS];
    } value;

    value.all = *from;
#pragma unroll
    for (int j = 0; j < WORDS; j++)
        row[j] = value.words[j];
}

/* --- two layers ------------------------------------------------------------------------------ */

/* A thread keeps this of a word of the previous two layers: the pair, the second layer's sum of
 * nine and its cells. */
struct life3d_previous {
    struct life3d_pair pair;
    word high, four; /* the second layer's ones and other twos are in the pair */
    word live;
};

/*
 * Adds the next layers a and b, given by the sums of three in x of the rows above, here and below.
 * Gives the results of the layer before a and of a.
 */
template <class Rule, int WORDS>
static __device__ __forceinline__ void
life3d_feed_row(struct life3d_previous previous[WORDS], const struct bit_sum (*const a[3])[WORDS],
                const struct bit_sum (*const b[3])[WORDS], const word live_a[WORDS],
                const word live_b[WORDS], const struct life3d_masks &masks, word before[WORDS],
                word result_a[WORDS])
{
#pragma unroll
    for (int j = 0; j < WORDS; j++) {
        struct life3d_previous *last = &previous[j];
        struct life3d_sum9 a_sum9 = life3d_add_columns((*a[0])[j], (*a[1])[j], (*a[2])[j]);
        struct life3d_sum9 b_sum9 = life3d_add_columns((*b[0])[j], (*b[1])[j], (*b[2])[j]);
        struct life3d_sum9 old = {{last->pair.ones[1], last->high},
                                  {last->pair.twos[1], last->four}};

        before[j] = Rule::next(life3d_add_third(last->pair, a_sum9), last->live, masks);
        last->pair = life3d_add_pair(a_sum9, b_sum9);
        result_a[j] = Rule::next(life3d_add_third(last->pair, old), live_a[j], masks);
        last->high = b_sum9.l.high;
        last->four = b_sum9.h.high;
        last->live = live_b[j];
    }
}

/* --- loads of layers ------------------------------------------------------------------------- */

/* Offset of layer z, which may lie outside by up to the number of layers: beyond a closed end is
 * the other end, beyond another one the empty layer. */
static __device__ __forceinline__ int64_t life3d_layer_offset(const struct life3d_layout &layout,
                                                              int z)
{
    int depth = (int)layout.d, wrapped = z < 0 ? z + depth : z >= depth ? z - depth : z;

    return (layout.torus_z || wrapped == z ? wrapped : depth) * layout.layer_words;
}

/* Rows of two layers in shared memory, each loaded by the thread that reads it. */
template <int WORDS, int ROWS, int THREADS> struct life3d_prefetch {
    typename life3d_group<WORDS>::type row[2][ROWS][THREADS];
};

template <int WORDS, int ROWS> struct life3d_layer_pair {
    word a[ROWS][WORDS], b[ROWS][WORDS];
};

/* Starts the loads of layers z and z + 1, and nothing from layer `end` on. */
template <int LANES_OF_ROW, int WORDS, int ROWS, int THREADS>
static __device__ __forceinline__ void
life3d_prefetch_layers(struct life3d_prefetch<WORDS, ROWS, THREADS> *prefetch, const word *rows,
                       const struct life3d_layout &layout, int z, int end)
{
    typedef typename life3d_group<WORDS>::type group;

    if (z < end) {
        bool inside = (unsigned)z < (unsigned)layout.d - 1;
        const word *a = rows + (inside ? z * layout.layer_words : life3d_layer_offset(layout, z));
        const word *b = inside ? a + layout.layer_words : rows + life3d_layer_offset(layout, z + 1);

#pragma unroll
        for (int r = 0; r < ROWS; r++)
            copy_async(&prefetch->row[0][r][threadIdx.x],
                       (const group *)(a + r * LANES_OF_ROW * WORDS));
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            copy_async(&prefetch->row[1][r][threadIdx.x],
                       (const group *)(b + r * LANES_OF_ROW * WORDS));
    }
    copy_group();
}

template <int WORDS, int ROWS, int THREADS>
static __device__ __forceinline__ void
life3d_load_layers(struct life3d_layer_pair<WORDS, ROWS> *layers,
                   const struct life3d_prefetch<WORDS, ROWS, THREADS> *prefetch)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        life3d_load_row<WORDS>(layers->a[r], &prefetch->row[0][r][threadIdx.x]);
        life3d_load_row<WORDS>(layers->b[r], &prefetch->row[1][r][threadIdx.x]);
    }
}

#endif
