/* SPDX-License-Identifier: MIT */
/* The kernel of cuda_bitslice.cuh. */
#ifndef CALAB_KERNELS_MOORE_CUDA_BITSLICE_STEP_CUH
#define CALAB_KERNELS_MOORE_CUDA_BITSLICE_STEP_CUH

#include "kernels/moore/cuda_words.cuh"

#define MOORE_BITSLICE_THREADS 128
/* Blocks whose registers a multiprocessor holds, at eight rows a lane. */
#define MOORE_BITSLICE_RESIDENT 4

/* One lane's rows: those that it steps, and one on either side. */
template <int ROWS> struct moore_lane_rows {
    word row[ROWS + 2][4];
    word before[ROWS + 2], behind[ROWS + 2]; /* words beside them that no lane of the warp has */
};

/* A lane's work. Lanes take all groups of the first rows in order, then those of the next rows. */
struct moore_lane_work {
    int64_t y;                  /* its first row */
    int64_t group, left, right; /* in a row's memory, and those beside it */
    bool first, last;           /* no lane of the warp has the group to the left or right */
    bool active;
};

template <int ROWS>
static __device__ __forceinline__ struct moore_lane_work
moore_begin_lane(const struct moore_bits_layout &layout)
{
    uint32_t groups = (uint32_t)layout.groups, chunks = (uint32_t)((layout.h + ROWS - 1) / ROWS);
    uint32_t at = blockIdx.x * MOORE_BITSLICE_THREADS + threadIdx.x, count = groups * chunks;
    int lane = threadIdx.x % WARP_LANES;
    struct moore_lane_work work;
    uint32_t chunk, group;

    work.active = at < count;
    at = work.active ? at : count - 1;
    chunk = at / groups;
    group = at - chunk * groups;
    work.y = (int64_t)chunk * ROWS;
    work.first = lane == 0 || group == 0;
    work.last = lane == WARP_LANES - 1 || group == groups - 1 || !work.active;
    work.group = layout.first + group;
    work.left = layout.first || group > 0 ? work.group - 1 : groups - 1;
    work.right = layout.first || group < groups - 1 ? work.group + 1 : 0;
    return work;
}

template <int ROWS, bool DEAD>
static __device__ __forceinline__ void
moore_load_rows(struct moore_lane_rows<ROWS> *in, const uint4 *now,
                const struct moore_lane_work &work, const struct moore_bits_layout &layout)
{
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) {
        int64_t y = work.y + r - 1;
        bool outside = DEAD && (y < 0 || y >= layout.h);
        const uint4 *from;
        uint4 group;

        if (r == 0)
            y = y < 0 ? layout.h - 1 : y;
        else
            y = y < layout.h ? y : 0; /* no row after that one is stored */
        from = now + y * layout.pitch;
        group = __ldg(from + work.group);
        in->row[r][0] = group.x, in->row[r][1] = group.y;
        in->row[r][2] = group.z, in->row[r][3] = group.w;
        in->before[r] = in->behind[r] = 0;
        if (work.first)
            in->before[r] = __ldg(&from[work.left].w);
        if (work.last)
            in->behind[r] = __ldg(&from[work.right].x);
        if (outside)
            in->row[r][0] = in->row[r][1] = in->row[r][2] = in->row[r][3] = in->before[r] =
                in->behind[r] = 0;
    }
}

template <class Rule, int ROWS, bool DEAD>
static __device__ __forceinline__ void
moore_bitslice_rows(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                    const struct moore_bits_layout &layout,
                    const struct moore_parameters &parameters)
{
    cuda_begin_early();

    Rule rule(parameters);
    struct moore_lane_work work = moore_begin_lane<ROWS>(layout);
    typename Rule::row row[ROWS + 2];
    struct moore_lane_rows<ROWS> in;
    struct cuda_group inside = {};

    if (DEAD)
        inside = moore_bits_inside(work.group - layout.first, parameters.w);
    moore_load_rows<ROWS, DEAD>(&in, now, work, layout);
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) {
        word before = __shfl_up_sync(0xffffffff, in.row[r][3], 1);
        word behind = __shfl_down_sync(0xffffffff, in.row[r][0], 1);

        row[r] = rule.row_of(in.row[r], work.first ? in.before[r] : before,
                             work.last ? in.behind[r] : behind);
        if (r < 3 || r % 2 == 0)
            continue;

        typename Rule::two two = rule.two_of(row[r - 2], row[r - 1]);

        rule.upper(in.row[r - 2], two, row[r - 3], row[r - 2], row[r - 1]);
        rule.lower(in.row[r - 1], two, row[r - 2], row[r - 1], row[r]);
        for (int to = r - 2; to < r; to++) {
            if (DEAD)
                moore_bits_mask(in.row[to], inside, true);
            if (work.active && work.y + to - 1 < layout.h)
                next[(work.y + to - 1) * layout.pitch + work.group] =
                    make_uint4(in.row[to][0], in.row[to][1], in.row[to][2], in.row[to][3]);
        }
    }
}

#define MOORE_BITSLICE_BOUNDS                                                                      \
    __launch_bounds__(MOORE_BITSLICE_THREADS,                                                      \
                      cuda_resident(MOORE_BITSLICE_THREADS, MOORE_BITSLICE_RESIDENT))

template <class Rule, int ROWS, bool DEAD>
__global__ void MOORE_BITSLICE_BOUNDS moore_cuda_bitslice_step(const uint4 *__restrict__ now,
                                                               uint4 *__restrict__ next,
                                                               struct moore_bits_layout layout,
                                                               struct moore_parameters parameters)
{
    moore_bitslice_rows<Rule, ROWS, DEAD>(now, next, layout, parameters);
}

#endif
