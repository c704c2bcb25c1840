/* SPDX-License-Identifier: MIT */
/*
 * Sums of blocks of cells (core/model/field.h) where the state is. An item is a chunk of a block's
 * rows, which one thread adds up or, where blocks are few and large, the 32 of a warp. Each item
 * has its own place for its sums, so nothing has to be zeroed and floats add up in an order that
 * the shape alone decides.
 *
 * Memory is read once, but for words that several narrow blocks share: neighbouring threads read
 * the same word at the same time.
 */
#ifndef CALAB_KERNELS_CUDA_BLOCKS_CUH
#define CALAB_KERNELS_CUDA_BLOCKS_CUH

#include "kernels/cuda/layout.cuh"

#define LAYOUT_TEAM 32

/* The bits of word u that are cells x0 ... x1 - 1, some of which are in it. */
static __device__ __forceinline__ uint64_t layout_mask(int64_t u, int64_t x0, int64_t x1)
{
    int64_t low = x0 - 64 * u, high = x1 - 64 * u;
    uint64_t mask = high < 64 ? ((uint64_t)1 << high) - 1 : ~(uint64_t)0;

    return low > 0 ? mask >> low << low : mask;
}

/*
 * An item adds up, for each kind of layout, COUNT sums of type `sum`, which one lane makes of type
 * `part`. add() takes unit u of a row, the cells u * UNIT ... u * UNIT + UNIT - 1, as far as they
 * are among x0 ... x1 - 1.
 */
template <class Words> struct layout_sums_of_words {
    enum { UNIT = 64, SOLID = layout_solid<Words>(), COUNT = Words::PLANES * (SOLID < 0 ? 1 : 2) };
    typedef unsigned long long sum;
    typedef uint32_t part;

    Words layout;

    static layout_sums_of_words of(const struct cuda *cuda) { return {Words::of(cuda)}; }
    __device__ __forceinline__ void add(int64_t row, int64_t u, int64_t x0, int64_t x1,
                                        part parts[COUNT]) const
    {
        uint64_t words[Words::PLANES], mask = layout_mask(u, x0, x1);

        layout.get(row, u, words);
#pragma unroll
        for (int p = 0; p < Words::PLANES; p++) {
            parts[p] += (part)__popcll(words[p] & mask);
            if constexpr (SOLID >= 0)
                parts[Words::PLANES + p] += (part)__popcll(words[p] & mask & words[SOLID]);
        }
    }
};

template <class Cells> struct layout_sums_of_cells {
    enum { UNIT = 1, SOLID = layout_solid<Cells>(), COUNT = Cells::PLANES * (SOLID < 0 ? 1 : 2) };
    typedef unsigned long long sum;
    typedef uint32_t part;

    Cells layout;

    static layout_sums_of_cells of(const struct cuda *cuda) { return {Cells::of(cuda)}; }
    __device__ __forceinline__ void add(int64_t row, int64_t x, int64_t, int64_t,
                                        part parts[COUNT]) const
    {
        unsigned first = 0;

#pragma unroll
        for (int p = 0; p < Cells::PLANES / Cells::BITS; p++) {
            unsigned value = layout.get(p, x, row);

            first = p ? first : value;
#pragma unroll
            for (int b = 0; b < Cells::BITS; b++) {
                parts[p * Cells::BITS + b] += value >> b & 1;
                if constexpr (SOLID >= 0)
                    parts[Cells::PLANES + p * Cells::BITS + b] += value >> b & first >> SOLID & 1;
            }
        }
    }
};

template <class Floats> struct layout_sums_of_floats {
    enum { UNIT = 1, COUNT = Floats::PLANES };
    typedef double sum;
    typedef double part;

    Floats layout;

    static layout_sums_of_floats of(const struct cuda *cuda) { return {Floats::of(cuda)}; }
    __device__ __forceinline__ void add(int64_t row, int64_t x, int64_t, int64_t,
                                        part parts[COUNT]) const
    {
#pragma unroll
        for (int p = 0; p < Floats::PLANES; p++)
            parts[p] += layout.get(p, x, row);
    }
};

/* The slab, for neighbour sums (cuda_access.neighbours), whose add() looks at cells beside its own.
 */
struct layout_neighbours {
    int64_t w, h;
    bool torus; /* rows follow each other around the lattice */

    static layout_neighbours of(const struct cuda *cuda)
    {
        return {cuda->size.w, cuda->size.h, cuda_slab_of(cuda).torus};
    }
    /* The row above (-1) or below (1); -1 where the lattice, or what the slab knows of it, ends. */
    __device__ __forceinline__ int64_t row(int64_t row, int offset) const
    {
        row += offset;
        if (row >= 0 && row < h)
            return row;
        return !torus ? -1 : row < 0 ? row + h : row - h;
    }
};

/* The sums of chunk `chunk` of block `index`, those of one lane of TEAM. */
template <class Sums, int TEAM>
static __device__ __forceinline__ void
layout_add_chunk(const Sums &sums, const struct layout_rows &lattice, const struct cuda_blocks &job,
                 int64_t index, int64_t chunk, int lane, typename Sums::part parts[Sums::COUNT])
{
    const struct ca_blocks &blocks = job.blocks;
    int64_t line = layout_quotient(index, blocks.count.w);
    int64_t z = layout_quotient(line, blocks.count.h), start = layout_global(lattice, job.first);
    int64_t x0, x1, y0, y1, z0, z1, from, to, unit, units, row, down;
    struct ca_block_axis axis = ca_blocks_across(&blocks);

    ca_block_side(&axis, index - line * blocks.count.w, &x0, &x1);
    axis = ca_blocks_down(&blocks);
    ca_block_side(&axis, line - z * blocks.count.h, &y0, &y1);
    axis = ca_blocks_deep(&blocks);
    ca_block_side(&axis, z, &z0, &z1);
    if (x0 >= x1 || y0 >= y1 || z0 >= z1)
        return;
    axis = ca_block_axis_of((y1 - y0) * (z1 - z0), 0, job.chunk_rows, 1);
    ca_block_side(&axis, chunk, &from, &to);
    unit = x0 / Sums::UNIT;
    units = (x1 - 1) / Sums::UNIT - unit + 1;
    down = layout_quotient(lane, units);
    for (row = from + down, lane -= (int)(down * units); row < to;) {
        int64_t layer = z1 - z0 > 1 ? layout_quotient(row, y1 - y0) : 0;
        int64_t global = (z0 + layer) * lattice.h + y0 + row - layer * (y1 - y0);
        int64_t behind = global - start + (global < start ? lattice.count : 0);

        if (behind < job.rows)
            sums.add(job.first + behind, unit + lane, x0, x1, parts);
        lane += TEAM;
        down = TEAM == 1 ? lane >= units : layout_quotient(lane, units);
        lane -= (int)(down * units);
        row += down;
    }
}

template <class Sums, int TEAM>
__global__ void __launch_bounds__(LAYOUT_THREADS)
    layout_sum_blocks(Sums sums, struct layout_rows lattice, struct cuda_blocks job,
                      typename Sums::sum *found)
{
    int64_t teams = (int64_t)gridDim.x * (LAYOUT_THREADS / TEAM);
    int64_t item = ((int64_t)blockIdx.x * LAYOUT_THREADS + threadIdx.x) / TEAM;
    int lane = (int)threadIdx.x % TEAM;

    for (; item < job.count * job.chunks; item += teams) {
        int64_t block = layout_quotient(item, job.chunks);
        typename Sums::part parts[Sums::COUNT] = {};

        layout_add_chunk<Sums, TEAM>(sums, lattice, job, job.from + block,
                                     item - block * job.chunks, lane, parts);
#pragma unroll
        for (int i = 0; i < Sums::COUNT; i++) {
            typename Sums::sum sum = parts[i];

            for (int by = TEAM / 2; by > 0; by /= 2)
                sum += __shfl_down_sync(0xffffffff, sum, by);
            if (lane == 0)
                found[item * Sums::COUNT + i] = sum;
        }
    }
}

/* For struct cuda_access. */
template <class Sums>
static enum ca_status layout_blocks(struct cuda *cuda, const struct cuda_blocks *job, void *found,
                                    struct ca_error *error)
{
    int team = job->team ? LAYOUT_TEAM : 1;

    return cuda_launch(
        cuda, "layout_sum_blocks",
        job->team ? layout_sum_blocks<Sums, LAYOUT_TEAM> : layout_sum_blocks<Sums, 1>,
        cuda_resident_line(cuda, job->count * job->chunks * team), dim3(LAYOUT_THREADS), 0, error,
        Sums::of(cuda), layout_rows_of(cuda), *job, (typename Sums::sum *)found);
}

#endif
