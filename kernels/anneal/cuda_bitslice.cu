/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of anneal: a bit a cell, 128 cells a lane, one generation a pass.
 *
 * A cell's nine neighbours are added by logic on words, 32 cells at a time. A lane takes a few rows
 * of a group: it asks for all of them and the one before and behind at once, makes each row's sums
 * of three but once, and what two rows have in common once for both. So memory moves an eighth of a
 * byte for a cell in and as much out: it binds, as it does a copy of the lattice.
 *
 * Threads are many and short, and blocks that run together work on rows that stand together. Warps
 * that go down hundreds of rows each would compute less, but memory then serves as many places at
 * once, and at a quarter less.
 *
 * All sizes take this path.
 */
#include "kernels/anneal/strips.cuh"

#define THREADS 128
#define RESIDENT 4 /* blocks, whose registers hold eight rows a lane and more on their way */

/* One lane's rows: those that it steps, and one on either side. */
template <int ROWS> struct rows_of_lane {
    word row[ROWS + 2][4];
    word before[ROWS + 2], behind[ROWS + 2]; /* beside them, for lanes that no other can tell */
};

/* What lanes have to do, in order: all groups of the first rows, then of the next. */
struct rows_place {
    int64_t y;
    int64_t group, left, right; /* in a row's memory, and those beside it */
    bool first, last;           /* which of these no lane holds */
    bool works;
};

template <int ROWS>
static __device__ __forceinline__ struct rows_place rows_begin(const struct anneal_strips_cut &cut)
{
    uint32_t groups = (uint32_t)cut.groups, pieces = (uint32_t)((cut.h + ROWS - 1) / ROWS);
    uint32_t at = blockIdx.x * THREADS + threadIdx.x, all = groups * pieces;
    int lane = threadIdx.x % WARP_LANES;
    struct rows_place place;
    uint32_t piece, group;

    place.works = at < all;
    at = place.works ? at : all - 1;
    piece = at / groups;
    group = at - piece * groups;
    place.y = (int64_t)piece * ROWS;
    place.first = lane == 0 || group == 0;
    place.last = lane == WARP_LANES - 1 || group == groups - 1 || !place.works;
    place.group = cut.first + group;
    place.left = cut.first || group > 0 ? place.group - 1 : groups - 1;
    place.right = cut.first || group < groups - 1 ? place.group + 1 : 0;
    return place;
}

template <int ROWS>
static __device__ __forceinline__ void rows_read(struct rows_of_lane<ROWS> *in, const uint4 *now,
                                                 const struct rows_place &place,
                                                 const struct anneal_strips_cut &cut)
{
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) {
        int64_t y = place.y + r - 1;
        const uint4 *from;
        uint4 group;

        if (r == 0)
            y = y < 0 ? cut.h - 1 : y;
        else
            y = y < cut.h ? y : 0; /* of rows after that none is stored */
        from = now + y * cut.pitch;
        group = __ldg(from + place.group);
        in->row[r][0] = group.x, in->row[r][1] = group.y;
        in->row[r][2] = group.z, in->row[r][3] = group.w;
        in->before[r] = in->behind[r] = 0;
        if (place.first)
            in->before[r] = __ldg(&from[place.left].w);
        if (place.last)
            in->behind[r] = __ldg(&from[place.right].x);
    }
}

template <int ROWS>
__global__ static void __launch_bounds__(THREADS, cuda_resident(THREADS, RESIDENT))
    step_rows(const uint4 *__restrict__ now, uint4 *__restrict__ next, struct anneal_strips_cut cut)
{
    struct rows_place place = rows_begin<ROWS>(cut);
    struct anneal_sum sum[ROWS + 2][4];
    struct rows_of_lane<ROWS> in;

    rows_read(&in, now, place, cut);
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) {
        word before = __shfl_up_sync(0xffffffff, in.row[r][3], 1);
        word behind = __shfl_down_sync(0xffffffff, in.row[r][0], 1);

        anneal_strips_sums(sum[r], in.row[r], place.first ? in.before[r] : before,
                           place.last ? in.behind[r] : behind);
        if (r < 3 || r % 2 == 0)
            continue;
        for (int i = 0; i < 4; i++) {
            struct anneal_two two = anneal_two(sum[r - 2][i], sum[r - 1][i]);

            in.row[r - 2][i] = anneal_two_rule(two, sum[r - 3][i]);
            in.row[r - 1][i] = anneal_two_rule(two, sum[r][i]);
        }
        for (int to = r - 2; to < r; to++)
            if (place.works && place.y + to - 1 < cut.h)
                next[(place.y + to - 1) * cut.pitch + place.group] =
                    make_uint4(in.row[to][0], in.row[to][1], in.row[to][2], in.row[to][3]);
    }
}

static anneal_strips_kernel *const kernels[] = {step_rows<2>, step_rows<4>, step_rows<8>};

/* Cycles of a row in a warp. */
#define ROW_CYCLES 120.0

/* As many rows a lane as leave each multiprocessor all the threads that it has room for. Threads
 * are counted in 32 bits, which eight rows a lane keep to below a terabyte. */
void anneal_rows_choose(const struct cuda *cuda, const struct ca_cuda_device *device, int64_t rows,
                        struct anneal_choice *choice)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    const struct anneal_strips_cut *cut = &own->cut;
    double lanes = (double)cut->groups * (double)cut->h;
    double row_warps = lanes / WARP_LANES / (SEGMENT_WARPS * device->multiprocessors);

    if (!rows || lanes > UINT32_MAX)
        rows = (int64_t)(lanes / (RESIDENT * THREADS * device->multiprocessors));
    own->rows[1] = rows >= 8 ? 8 : rows >= 4 ? 4 : 2;
    *choice = {1, 0,
               pass_cycles(anneal_strips_start(cut), row_warps * ROW_CYCLES,
                           anneal_strips_memory(cut, device))};
}

enum ca_status anneal_rows_pass(struct cuda *cuda, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    const struct anneal_strips_cut *cut = &own->cut;
    int rows = own->rows[1];
    int64_t threads = cut->groups * ((cut->h + rows - 1) / rows);

    return cuda_launch(cuda, "step", kernels[rows / 4],
                       dim3((unsigned)((threads + THREADS - 1) / THREADS)), dim3(THREADS), 0, error,
                       own->now, own->next, *cut);
}

static enum ca_status pass(struct cuda *cuda, int n, struct ca_error *error)
{
    (void)n;
    return anneal_rows_pass(cuda, error);
}

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    struct ca_cuda_device device;
    struct anneal_choice choice;

    CA_TRY(anneal_strips_plan(cuda, error));
    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    anneal_rows_choose(cuda, &device, ca_int(&cuda->setup.options, "rows"), &choice);
    own->generations = 1;
    own->pass = pass;
    return CA_OK;
}

CUDA_OPS(anneal_cuda_bitslice) = {
    .own_size = sizeof(struct anneal_strips),
    .plan = plan,
    .load = anneal_strips_load,
    .store = anneal_strips_store,
    .gather = anneal_strips_gather,
    .step = anneal_strips_step,
};
