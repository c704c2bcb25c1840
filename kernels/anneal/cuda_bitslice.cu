/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of anneal: a bit a cell, 128 cells a lane, one generation a pass.
 *
 * A cell's nine neighbours are added by logic on words, 32 cells at a time. A lane takes a few rows
 * of a group: it loads all of them and the one above and below at once, makes each row's sums of
 * three once, and what two rows have in common once for both. So memory moves an eighth of a byte
 * for a cell in and as much out, and the kernel is bound by memory, as a copy of the lattice is.
 *
 * Threads are many and short, and blocks that run together work on neighbouring rows, as one front
 * that moves over the lattice. Warps that go down hundreds of rows each would compute less, but
 * memory then serves as many places at once, a quarter more slowly.
 *
 * All sizes take this path. It is also the one-generation kernel of cuda-temporal.
 */
#include "kernels/anneal/cuda_bits.cuh"

#define THREADS 128
#define RESIDENT 4 /* blocks whose registers a multiprocessor holds, at eight rows a lane */

/* One lane's rows: those that it steps, and one on either side. */
template <int ROWS> struct lane_rows {
    word row[ROWS + 2][4];
    word before[ROWS + 2], behind[ROWS + 2]; /* words beside them that no lane of the warp has */
};

/* A lane's work. Lanes take all groups of the first rows in order, then those of the next rows. */
struct lane_work {
    int64_t y;                  /* its first row */
    int64_t group, left, right; /* in a row's memory, and those beside it */
    bool first, last;           /* no lane of the warp has the group to the left or right */
    bool active;
};

template <int ROWS>
static __device__ __forceinline__ struct lane_work
begin_lane(const struct anneal_bits_layout &layout)
{
    uint32_t groups = (uint32_t)layout.groups, chunks = (uint32_t)((layout.h + ROWS - 1) / ROWS);
    uint32_t at = blockIdx.x * THREADS + threadIdx.x, count = groups * chunks;
    int lane = threadIdx.x % WARP_LANES;
    struct lane_work work;
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

template <int ROWS>
static __device__ __forceinline__ void load_rows(struct lane_rows<ROWS> *in, const uint4 *now,
                                                 const struct lane_work &work,
                                                 const struct anneal_bits_layout &layout)
{
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) {
        int64_t y = work.y + r - 1;
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
    }
}

template <int ROWS>
__global__ static void __launch_bounds__(THREADS, cuda_resident(THREADS, RESIDENT))
    anneal_cuda_bitslice_step(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                              struct anneal_bits_layout layout)
{
    cuda_begin_early();

    struct lane_work work = begin_lane<ROWS>(layout);
    struct bit_sum sum[ROWS + 2][4];
    struct lane_rows<ROWS> in;

    load_rows(&in, now, work, layout);
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) {
        word before = __shfl_up_sync(0xffffffff, in.row[r][3], 1);
        word behind = __shfl_down_sync(0xffffffff, in.row[r][0], 1);

        anneal_row_sums(sum[r], in.row[r], work.first ? in.before[r] : before,
                        work.last ? in.behind[r] : behind);
        if (r < 3 || r % 2 == 0)
            continue;
        for (int i = 0; i < 4; i++) {
            struct anneal_two two = anneal_two(sum[r - 2][i], sum[r - 1][i]);

            in.row[r - 2][i] = anneal_two_rule(two, sum[r - 3][i]);
            in.row[r - 1][i] = anneal_two_rule(two, sum[r][i]);
        }
        for (int to = r - 2; to < r; to++)
            if (work.active && work.y + to - 1 < layout.h)
                next[(work.y + to - 1) * layout.pitch + work.group] =
                    make_uint4(in.row[to][0], in.row[to][1], in.row[to][2], in.row[to][3]);
    }
}

/* For 2, 4 and 8 rows a lane, at rows / 4. */
static anneal_bits_kernel *const kernels[] = {
    anneal_cuda_bitslice_step<2>, anneal_cuda_bitslice_step<4>, anneal_cuda_bitslice_step<8>};

static int64_t grid_blocks(const struct anneal_bits *state)
{
    const struct anneal_bits_layout *layout = &state->layout;
    int64_t threads = layout->groups * ((layout->h + state->lane_rows - 1) / state->lane_rows);

    return (threads + THREADS - 1) / THREADS;
}

/* Chooses the most rows a lane that leave each multiprocessor all the threads that it can hold.
 * Threads are counted in 32 bits, which suffices below a terabyte at eight rows a lane. */
double anneal_bitslice_choose(struct cuda *cuda, int64_t rows)
{
    struct anneal_bits *state = (struct anneal_bits *)cuda->state;
    const struct anneal_bits_layout *layout = &state->layout;
    int multiprocessors = cuda->facts.multiprocessors;
    double lanes = (double)layout->groups * (double)layout->h;

    if (!rows || lanes > UINT32_MAX)
        rows = (int64_t)(lanes / (RESIDENT * THREADS * multiprocessors));
    state->lane_rows = rows >= 8 ? 8 : rows >= 4 ? 4 : 2;
    return anneal_bits_bound(
        cuda, {.generations = 1,
               .blocks = grid_blocks(state),
               .warps = THREADS / WARP_LANES,
               .resident = RESIDENT,
               .ops = cuda_ops_of(cuda, (double)THREADS * state->lane_rows * GROUP_CELLS)});
}

enum ca_status anneal_bitslice_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    struct anneal_bits *state = (struct anneal_bits *)cuda->state;

    (void)t, (void)n; /* the same rule in every generation, always one of them */
    CA_TRY(anneal_bits_fill(cuda, error));
    return cuda_launch_early(cuda, "anneal_cuda_bitslice_step", kernels[state->lane_rows / 4],
                             dim3((unsigned)grid_blocks(state)), dim3(THREADS), 0, error,
                             state->now, state->next, state->layout);
}

static enum ca_status anneal_cuda_bitslice_plan(struct cuda *cuda, struct ca_error *error)
{
    struct anneal_bits *state = (struct anneal_bits *)cuda->state;
    (void)error;
    anneal_bits_plan(cuda);
    cuda->plan.step_s = anneal_bitslice_choose(cuda, ca_int(&cuda->setup.options, "rows"));
    cuda_plan_launch(cuda, dim3((unsigned)grid_blocks(state)), dim3(THREADS), 0);
    cuda_plan_variant(cuda, "%d rows a lane", state->lane_rows);
    return CA_OK;
}

CUDA_OPS(anneal_cuda_bitslice) = {
    .state_size = sizeof(struct anneal_bits),
    .plan = anneal_cuda_bitslice_plan,
    .access = &anneal_bits_access,
    .pass = anneal_bitslice_pass,
    .swap = anneal_bits_swap,
};
