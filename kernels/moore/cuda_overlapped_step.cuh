/* SPDX-License-Identifier: MIT */
/* The kernel of cuda_overlapped.cuh. */
#ifndef CALAB_KERNELS_MOORE_CUDA_OVERLAPPED_STEP_CUH
#define CALAB_KERNELS_MOORE_CUDA_OVERLAPPED_STEP_CUH

#include "kernels/moore/cuda_words.cuh"

/* Warps of a block: with two a scheduler, one works while the other waits. */
#define MOORE_TILE_WARPS 8
#define MOORE_TILE_THREADS (MOORE_TILE_WARPS * WARP_LANES)
#define MOORE_TILE_RESIDENT 2 /* blocks whose registers a multiprocessor holds */

/* The blocks of a launch: the tiles of whole segments, then those of the narrow ones beside them.
 */
struct moore_tiling {
    int generations;
    int64_t whole, narrow;   /* rows that a tile stores */
    uint32_t tiles;          /* of a whole segment */
    struct cuda_bands bands; /* those of them that are launched; the narrow ones go with the ends */
};

typedef void moore_tiles_kernel(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                                struct moore_bits_layout layout, struct moore_tiling tiling,
                                struct moore_parameters parameters);

/* A lane's rows and its vertical neighbours. */
struct moore_tile_position {
    int64_t row, y;   /* its first row, counted from the tile's first stored one; of the lattice */
    int64_t stored;   /* rows that the tile stores */
    int above, below; /* threads; the lane's own at the tile's ends */
};

static __device__ __forceinline__ struct moore_tile_position
moore_tile_position_of(const struct moore_bits_layout &layout, const struct moore_tiling &tiling,
                       uint32_t tile, bool narrow, struct segment_lane lane, int rows)
{
    int thread = threadIdx.x, parts = narrow ? layout.segments_per_warp : 1;
    int at = thread / WARP_LANES * parts + lane.segment;
    struct moore_tile_position position = {(int64_t)at * rows - tiling.generations, 0,
                                           narrow ? tiling.narrow : tiling.whole, thread, thread};

    position.y = tiling.bands.stored.from + tile * position.stored + position.row;
    if (lane.segment >= parts)
        return position;
    if (at > 0)
        position.above =
            lane.segment > 0 ? thread - lane.width : thread - WARP_LANES + (parts - 1) * lane.width;
    if (at < MOORE_TILE_WARPS * parts - 1)
        position.below = lane.segment < parts - 1 ? thread + lane.width
                                                  : thread + WARP_LANES - lane.segment * lane.width;
    return position;
}

/* What threads have of a row for those above or below, group of words by group. */
template <class Rule> struct moore_edge {
    uint4 part[Rule::EDGES][MOORE_TILE_THREADS];
};

template <class Rule>
static __device__ __forceinline__ void
moore_put_edge(struct moore_edge<Rule> &edge, const Rule &rule, const typename Rule::row &row)
{
#pragma unroll
    for (int k = 0; k < Rule::EDGES; k++)
        edge.part[k][threadIdx.x] = rule.edge(row, k);
}

template <class Rule>
static __device__ __forceinline__ typename Rule::row
moore_get_edge(const struct moore_edge<Rule> &edge, const Rule &rule, int thread)
{
    return rule.row_at([&](int k) { return edge.part[k][thread]; });
}

/*
 * One generation: first what the rows have that other warps wait for, then the others, then the
 * results. `edges` is this generation's buffer, for the other one may still be read.
 */
template <class Rule, int ROWS>
static __device__ __forceinline__ void
moore_step_rows(word cells[ROWS][4], struct moore_edge<Rule> edges[2], const Rule &rule,
                const struct segment_lane &lane, const struct moore_tile_position &position)
{
    typename Rule::row row[ROWS + 2];

    row[1] = moore_warp_row(rule, cells[0], lane.left, lane.right);
    moore_put_edge(edges[0], rule, row[1]);
    if (ROWS > 1) {
        row[ROWS] = moore_warp_row(rule, cells[ROWS - 1], lane.left, lane.right);
        moore_put_edge(edges[1], rule, row[ROWS]);
    }
#pragma unroll
    for (int r = 1; r < ROWS - 1; r++)
        row[r + 1] = moore_warp_row(rule, cells[r], lane.left, lane.right);
    __syncthreads();
    row[0] = moore_get_edge(edges[ROWS > 1], rule, position.above);
    row[ROWS + 1] = moore_get_edge(edges[0], rule, position.below);
#pragma unroll
    for (int k = 0; k < ROWS; k += 2) {
        int r = (k + 2) % (ROWS + ROWS % 2); /* rows 0 and 1 last: they wait for another warp */
        typename Rule::two two = rule.two_of(row[r + 1], row[r + 2]);

        rule.upper(cells[r], two, row[r], row[r + 1], row[r + 2]);
        if (r + 1 < ROWS)
            rule.lower(cells[r + 1], two, row[r + 1], row[r + 2], row[r + 3]);
    }
}

/* A pass of a block's tile: the body of a kernel. */
template <class Rule, int ROWS, bool DEAD>
static __device__ __forceinline__ void
moore_tile_pass(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                const struct moore_bits_layout &layout, const struct moore_tiling &tiling,
                const struct moore_parameters &parameters)
{
    cuda_begin_early();

    __shared__ struct moore_edge<Rule> edges[2][2];
    bool narrow = blockIdx.x >= layout.full_segments * tiling.bands.count;
    uint32_t segment = narrow ? layout.full_segments : blockIdx.x % layout.full_segments;
    uint32_t tile = narrow ? blockIdx.x - layout.full_segments * tiling.bands.count
                           : cuda_band(tiling.bands, blockIdx.x / layout.full_segments);
    struct segment_lane lane = segment_lane(layout, segment, narrow);
    struct moore_tile_position position =
        moore_tile_position_of(layout, tiling, tile, narrow, lane, ROWS);
    Rule rule(parameters);
    int64_t y = position.y;
    word cells[ROWS][4];
    struct cuda_group inside = {};
    uint32_t rows_inside = 0;

    if (DEAD)
        inside = moore_bits_inside(lane.group, parameters.w);
    moore_bits_locate(layout, &lane);
    while (y < 0)
        y += layout.h;
    while (y >= layout.h)
        y -= layout.h;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uint4 group = __ldg(now + y * layout.pitch + lane.group);

        cells[r][0] = group.x, cells[r][1] = group.y, cells[r][2] = group.z, cells[r][3] = group.w;
        y = y + 1 < layout.h ? y + 1 : 0;
        if constexpr (DEAD) {
            bool in_lattice = position.y + r >= 0 && position.y + r < layout.h;

            rows_inside |= (uint32_t)in_lattice << r;
            moore_bits_mask(cells[r], inside, in_lattice);
        }
    }
#pragma unroll 1
    for (int g = 0; g < tiling.generations; g++) {
        moore_step_rows<Rule, ROWS>(cells, edges[g & 1], rule, lane, position);
        if constexpr (DEAD) {
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                moore_bits_mask(cells[r], inside, rows_inside >> r & 1);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (lane.stores && position.row + r >= 0 && position.row + r < position.stored &&
            position.y + r < layout.h)
            next[(position.y + r) * layout.pitch + lane.group] =
                make_uint4(cells[r][0], cells[r][1], cells[r][2], cells[r][3]);
}

#define MOORE_TILE_BOUNDS __launch_bounds__(MOORE_TILE_THREADS, MOORE_TILE_RESIDENT)

template <class Rule, int ROWS, bool DEAD>
__global__ void MOORE_TILE_BOUNDS moore_cuda_overlapped_step(const uint4 *__restrict__ now,
                                                             uint4 *__restrict__ next,
                                                             struct moore_bits_layout layout,
                                                             struct moore_tiling tiling,
                                                             struct moore_parameters parameters)
{
    moore_tile_pass<Rule, ROWS, DEAD>(now, next, layout, tiling, parameters);
}

#endif
