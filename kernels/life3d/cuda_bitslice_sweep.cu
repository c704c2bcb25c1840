/* SPDX-License-Identifier: MIT */
/*
 * The kernel of cuda-bitslice for rows of 129 to 4096 cells: a sweep of one generation a pass
 * (cuda_sweep.cuh). Compiled once for each rule variant, whose name is RULE_VARIANT.
 */
#include "kernels/life3d/cuda_sweep.cuh"

#define WARPS 4 /* of a block */
#define THREADS (WARPS * LIFE3D_WARP)

/* Rows of a thread that are repeated in the halo. */
enum { HALO_OF_FIRST = 1, HALO_OF_LAST = 2 };

/* Stores rows of a layer, the first at `to`, and their copies in the halo. */
template <int WORDS, int LANES_OF_ROW, int ROWS>
static __device__ __forceinline__ void
life3d_bitslice_sweep_store_rows(word *to, const word rows[ROWS][WORDS], int halo,
                                 const struct life3d_layout &layout)
{
    const int row = WORDS * LANES_OF_ROW;

#pragma unroll
    for (int r = 0; r < ROWS; r++)
        life3d_store_row<WORDS>(to + r * row, rows[r]);
    if (halo == 0)
        return;
    if (halo & HALO_OF_FIRST)
        life3d_store_row<WORDS>(to + layout.h * row, rows[0]);
    if (halo & HALO_OF_LAST)
        life3d_store_row<WORDS>(to + (ROWS - 1 - layout.h) * row, rows[ROWS - 1]);
}

/* Adds two layers row by row; gives the results of the layer before a and of a. */
template <class Rule, int ROW_END, int WORDS, int ROWS>
static __device__ __forceinline__ void
feed_layers(struct life3d_previous previous[ROWS][WORDS],
            const struct life3d_layer_pair<WORDS, ROWS + 2> &layers,
            const struct life3d_lane<WORDS> &lane, const struct life3d_masks &masks,
            word before[ROWS][WORDS], word result[ROWS][WORDS])
{
    struct bit_sum a[3][WORDS], b[3][WORDS];

#pragma unroll
    for (int r = -1; r <= ROWS; r++) {
        life3d_row_sums<ROW_END, WORDS>(a[(r + 3) % 3], layers.a[r + 1], lane);
        life3d_row_sums<ROW_END, WORDS>(b[(r + 3) % 3], layers.b[r + 1], lane);
        if (r < 1)
            continue;

        const struct bit_sum(*const of_a[3])[WORDS] = {&a[(r + 1) % 3], &a[(r + 2) % 3], &a[r % 3]};
        const struct bit_sum(*const of_b[3])[WORDS] = {&b[(r + 1) % 3], &b[(r + 2) % 3], &b[r % 3]};

        life3d_feed_row<Rule, WORDS>(previous[r - 1], of_a, of_b, layers.a[r], layers.b[r], masks,
                                     before[r - 1], result[r - 1]);
    }
    if (ROW_END == LIFE3D_ROW_PARTIAL) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            for (int j = 0; j < WORDS; j++) {
                before[r][j] &= lane.valid[j];
                result[r][j] &= lane.valid[j];
            }
    }
}

template <class Rule, int ROW_END, int WORDS, int LANES_OF_ROW, int ROWS>
static __global__ void __launch_bounds__(THREADS, WORDS == 2 ? 3 : 2)
    life3d_cuda_bitslice_step(const word *__restrict__ now, word *__restrict__ next,
                              const __grid_constant__ struct life3d_sweep_params params,
                              const __grid_constant__ struct life3d_masks masks)
{
    const int rows_of_warp = LIFE3D_WARP / LANES_OF_ROW * ROWS, row = WORDS * LANES_OF_ROW;
    const struct life3d_layout &layout = params.layout;
    struct life3d_lane<WORDS> lane = life3d_lane_of<ROW_END, WORDS, LANES_OF_ROW>(params);
    struct life3d_previous previous[ROWS][WORDS] = {};
    int64_t y = ((int64_t)blockIdx.x * WARPS + threadIdx.x / LIFE3D_WARP) * rows_of_warp;
    int last = (int)params.bands.stored.end;
    int from = (int)(params.bands.stored.from + cuda_band(params.bands, blockIdx.y) * params.chunk);
    int z = from - 1, end = last - from < params.chunk ? last : from + (int)params.chunk;
    int buffer = 0, free = LIFE3D_PREFETCH_PAIRS;
    int halo = 0;
    extern __shared__ uint4 shared[];
    struct life3d_prefetch<WORDS, ROWS + 2, THREADS> *prefetch =
        (struct life3d_prefetch<WORDS, ROWS + 2, THREADS> *)shared;

    if (y >= layout.h)
        return;
    y += threadIdx.x % LIFE3D_WARP / LANES_OF_ROW * ROWS;
    y = y < layout.h - ROWS ? y : layout.h - ROWS; /* two warps may step the same last rows */
    if (layout.torus)
        halo = (y == 0 ? HALO_OF_FIRST : 0) | (y == layout.h - ROWS ? HALO_OF_LAST : 0);
    halo = cuda_opaque(halo);
    now = cuda_opaque(now + layout.offset + (y - 1) * row + lane.index * WORDS);
    next += layout.offset + y * row + lane.index * WORDS + (z - 1) * layout.layer_words;
    for (int i = 0; i < LIFE3D_PREFETCH_PAIRS; i++)
        life3d_prefetch_layers<LANES_OF_ROW>(&prefetch[i], now, layout, z + 2 * i, end + 1);
        /* Layers z and z + 1 give the results of z - 1 and z. */
#pragma unroll 1
    for (; z <= end; z += 2, next += 2 * layout.layer_words) {
        struct life3d_layer_pair<WORDS, ROWS + 2> layers;
        word before[ROWS][WORDS], result[ROWS][WORDS];

        copy_wait_for_all_but<LIFE3D_PREFETCH_PAIRS - 1>();
        life3d_prefetch_layers<LANES_OF_ROW>(&prefetch[free], now, layout,
                                             z + 2 * LIFE3D_PREFETCH_PAIRS, end + 1);
        life3d_load_layers(&layers, &prefetch[buffer]);
        free = buffer;
        buffer = buffer < LIFE3D_PREFETCH_PAIRS ? buffer + 1 : 0;
        feed_layers<Rule, ROW_END, WORDS, ROWS>(previous, layers, lane, masks, before, result);
        if (lane.active && z > from)
            life3d_bitslice_sweep_store_rows<WORDS, LANES_OF_ROW, ROWS>(next, before, halo, layout);
        if (lane.active && z >= from && z < end)
            life3d_bitslice_sweep_store_rows<WORDS, LANES_OF_ROW, ROWS>(next + layout.layer_words,
                                                                        result, halo, layout);
    }
}

template <class Rule, int ROW_END, int WORDS, int LANES_OF_ROW, int ROWS>
static struct life3d_sweep sweep_of()
{
    struct life3d_sweep sweep = {};

    static_assert(WORDS * ROWS == LIFE3D_THREAD_WORDS, "a thread's words");
    sweep.name = "life3d_cuda_bitslice_step";
    sweep.kernel = life3d_cuda_bitslice_step<Rule, ROW_END, WORDS, LANES_OF_ROW, ROWS>;
    sweep.threads = THREADS;
    sweep.generations = 1;
    sweep.shared =
        (LIFE3D_PREFETCH_PAIRS + 1) * sizeof(struct life3d_prefetch<WORDS, ROWS + 2, THREADS>);
    sweep.rows = THREADS / LANES_OF_ROW * ROWS;
    return sweep;
}

template <class Rule, int ROW_END>
static struct life3d_sweep sweep_for(const struct life3d_layout &layout)
{
    return layout.lane_words == 4 ? sweep_of<Rule, ROW_END, 4, 32, 2>()
           : layout.lanes == 32   ? sweep_of<Rule, ROW_END, 2, 32, 4>()
           : layout.lanes == 16   ? sweep_of<Rule, ROW_END, 2, 16, 4>()
           : layout.lanes == 8    ? sweep_of<Rule, ROW_END, 2, 8, 4>()
                                  : sweep_of<Rule, ROW_END, 2, 4, 4>();
}

struct life3d_sweep LIFE3D_NAME(life3d_bitslice_sweep_,
                                RULE_VARIANT)(const struct life3d_layout &layout,
                                              enum life3d_row_end row_end)
{
    typedef struct LIFE3D_NAME(life3d_rule_, RULE_VARIANT) rule;

    return row_end == LIFE3D_ROW_PERIODIC ? sweep_for<rule, LIFE3D_ROW_PERIODIC>(layout)
           : row_end == LIFE3D_ROW_DEAD   ? sweep_for<rule, LIFE3D_ROW_DEAD>(layout)
                                          : sweep_for<rule, LIFE3D_ROW_PARTIAL>(layout);
}
