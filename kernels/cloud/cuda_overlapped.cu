/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-overlapped of cloud: overlapped tiles that stay in registers for many generations of
 * one launch. It is for lattices so small that launches cost more than all else.
 *
 * A block holds all planes of a tile of rows. A thread has a group in two rows of two planes. In
 * each generation it publishes its active cells in shared memory, and after a barrier it reads what
 * it needs, just the rows and planes of the threads beside it. A tile that does not have all rows
 * of the lattice overlaps the next: at its upper and lower end two rows become invalid in each
 * generation, and the threads whose rows are invalid rest. A tile that has all rows needs no halo
 * and takes all generations of a call in one launch.
 *
 * Latency-bound: each generation waits for shared memory and the barrier, about 250 cycles, and
 * each warp adds about 130 of shared-memory accesses and logic.
 *
 * Refused are events, rows of more than 4,096 cells, and lattices with more planes than the 512
 * threads of a block can hold. All generations go through this kernel, also single ones.
 */
#include "kernels/cloud/cuda_bits.cuh"
#include "kernels/cuda/any_value.cuh"

#define ROWS 2 /* of a thread; and planes */
#define PLANES 2
#define WARPS 16 /* of a block, whose registers are all that a multiprocessor has */
#define THREADS (WARPS * CLOUD_LANES)
#define GENERATIONS_MAX 16          /* of a pass with halo */
#define GENERATIONS_WHOLE (1 << 20) /* of a pass without: a tile has the whole lattice */

struct tiling {
    int generations; /* of a pass, at most; 0: there is no such tile */
    int lanes;       /* that a row of groups takes, a power of two */
    int plane_pairs, row_pairs;
    int halo_pairs; /* of row_pairs at each end, for each generation: 1 or 0 */
    double step_s;  /* of a generation, at least */
};

struct overlapped {
    struct cloud_cuda_bits bits; /* first: see cloud_cuda_bits_plan */
    struct tiling tiling;
};

/* --- the kernel ------------------------------------------------------------------------------ */

/* A launch gets this. */
struct tile {
    int generations, lanes, plane_pairs, row_pairs;
    int halo_rows; /* at each end */
};

/* Slots of the threads beside a thread, and which of its rows are in the lattice and which it
 * stores. */
struct position {
    int pair, above, below, up, down; /* above and below: rows; up and down: planes */
    int64_t at;
    bool in_lattice[PLANES][ROWS], stores[ROWS];
    struct cloud_row_ends ends;
};

static __device__ __forceinline__ struct position position_of(struct ca_size size,
                                                              const struct tile &tile)
{
    int empty_slot = blockDim.x, thread = threadIdx.x;
    int pair_threads = tile.plane_pairs * tile.lanes;
    int pair = thread / pair_threads, plane_pair = thread % pair_threads / tile.lanes;
    int column = thread % tile.lanes, rows = ROWS * tile.row_pairs - 2 * tile.halo_rows;
    int64_t y = (int64_t)blockIdx.x * rows - tile.halo_rows + ROWS * pair;
    int64_t z = PLANES * plane_pair;
    bool in_row = pair < tile.row_pairs;
    struct position position;

    position.pair = pair;
    position.above = pair > 0 ? thread - pair_threads : empty_slot;
    position.below = pair + 1 < tile.row_pairs ? thread + pair_threads : empty_slot;
    position.down = plane_pair > 0 ? thread - tile.lanes : empty_slot;
    position.up = plane_pair + 1 < tile.plane_pairs ? thread + tile.lanes : empty_slot;
    position.at = (z * size.h + y) * size.w + column;
    position.ends = cloud_row_ends_of(column > 0, column + 1 < tile.lanes);
    in_row = in_row && column < size.w;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int row = ROWS * pair + r;

        position.stores[r] = row >= tile.halo_rows && row < tile.halo_rows + rows;
#pragma unroll
        for (int p = 0; p < PLANES; p++)
            position.in_lattice[p][r] = in_row && y + r >= 0 && y + r < size.h && z + p < size.d;
    }
    return position;
}

/* The active cells that threads publish, by plane and row, then thread. */
struct buffer {
    uint4 *groups;
    int slots; /* one a thread, and an empty one */

    __device__ __forceinline__ uint4 &at(int plane, int row, int slot) const
    {
        return groups[(plane * ROWS + row) * slots + slot];
    }
};

static __device__ __forceinline__ void update(struct cuda_group *hum, struct cuda_group *act,
                                              const struct cuda_group &any_act)
{
#pragma unroll
    for (int j = 0; j < 4; j++) {
        struct cloud_word cell = cloud_bits_rule({hum->word[j], act->word[j], 0}, any_act.word[j]);

        hum->word[j] = cell.hum;
        act->word[j] = cell.act;
    }
}

static __device__ __forceinline__ void generation(struct cuda_group hum[PLANES][ROWS],
                                                  struct cuda_group act[PLANES][ROWS],
                                                  const struct buffer &buffer,
                                                  const struct position &position)
{
    struct cuda_group any_act[PLANES][ROWS];

#pragma unroll
    for (int p = 0; p < PLANES; p++) {
        struct cuda_group above2 = cuda_group_of(buffer.at(p, 0, position.above));
        struct cuda_group above = cuda_group_of(buffer.at(p, 1, position.above));
        struct cuda_group below = cuda_group_of(buffer.at(p, 0, position.below));
        struct cuda_group below2 = cuda_group_of(buffer.at(p, 1, position.below));

        /* Both rows share these neighbours; each may count itself. */
        cloud_or3(&above, below, act[p][0]);
        cloud_or3(&above, above, act[p][1]);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            any_act[p][r] =
                cloud_warp_row_neighbours<true>(act[p][r], r ? below2 : above2, position.ends);
            cloud_or3(&any_act[p][r], above, act[1 - p][r]);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        struct cuda_group down2 = cuda_group_of(buffer.at(0, r, position.down));
        struct cuda_group down = cuda_group_of(buffer.at(1, r, position.down));
        struct cuda_group up = cuda_group_of(buffer.at(0, r, position.up));

        cloud_or3(&any_act[0][r], down2, down);
        cloud_or3(&any_act[1][r], down, up);
    }
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            update(&hum[p][r], &act[p][r], any_act[p][r]);
}

__global__ static void __launch_bounds__(THREADS, 1)
    cloud_cuda_overlapped_step(const uint4 *__restrict__ hum_now, const uint4 *__restrict__ act_now,
                               uint4 *__restrict__ hum_next, uint4 *__restrict__ act_next,
                               struct ca_size size, struct tile tile)
{
    cuda_begin_early();

    extern __shared__ uint4 shared[];
    struct position position = position_of(size, tile);
    int slots = blockDim.x + 1, warp = threadIdx.x / CLOUD_LANES * CLOUD_LANES;
    int first = warp / (tile.plane_pairs * tile.lanes); /* row pairs of this warp */
    int last = (warp + CLOUD_LANES - 1) / (tile.plane_pairs * tile.lanes);
    int64_t plane = size.w * size.h;
    struct cuda_group hum[PLANES][ROWS], act[PLANES][ROWS];

    cuda_any_value(shared); /* of threads whose cells are not valid any more */
    if (threadIdx.x < 2 * PLANES * ROWS)
        shared[threadIdx.x * slots + blockDim.x] = {};
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            hum[p][r] = cloud_group_if(position.in_lattice[p][r],
                                       hum_now + position.at + p * plane + r * size.w);
            act[p][r] = cloud_group_if(position.in_lattice[p][r],
                                       act_now + position.at + p * plane + r * size.w);
        }
#pragma unroll 1
    for (int g = 0; g < tile.generations; g++) {
        struct buffer buffer = {shared + (g & 1) * PLANES * ROWS * slots, slots};
        int invalid = tile.halo_rows ? g : -1; /* row pairs at each end */

        if (last >= invalid && first < tile.row_pairs - invalid)
#pragma unroll
            for (int i = 0; i < PLANES * ROWS; i++)
                buffer.at(i / ROWS, i % ROWS, threadIdx.x) =
                    cuda_group_words(act[i / ROWS][i % ROWS]);
        __syncthreads();
        if (last > invalid && first < tile.row_pairs - invalid - 1)
            generation(hum, act, buffer, position);
    }
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (position.in_lattice[p][r] && position.stores[r]) {
                hum_next[position.at + p * plane + r * size.w] = cuda_group_words(hum[p][r]);
                act_next[position.at + p * plane + r * size.w] = cuda_group_words(act[p][r]);
            }
}

/* --- the shape of a tile --------------------------------------------------------------------- */

static int64_t threads_of(const struct tiling *tiling)
{
    int64_t threads = (int64_t)tiling->row_pairs * tiling->plane_pairs * tiling->lanes;

    return ca_divide_up(threads, CLOUD_LANES) * CLOUD_LANES;
}

static size_t shared_bytes_of(const struct tiling *tiling)
{
    return 2 * PLANES * ROWS * (size_t)(threads_of(tiling) + 1) * sizeof(uint4);
}

/* Rows that a tile stores after so many generations. */
static int64_t stored_rows(const struct tiling *tiling, int generations)
{
    return ROWS * ((int64_t)tiling->row_pairs - 2 * tiling->halo_pairs * generations);
}

/* The least seconds of a generation. A pass reads hum and act of all rows of a tile and writes
 * those that it stores. Of the halo a generation needs two pairs of rows less than the one before.
 */
static double overlapped_bound(const struct cuda *cuda, const struct tiling *tiling,
                               struct ca_size size)
{
    int n = tiling->generations;
    int64_t blocks = ca_divide_up(size.h, stored_rows(tiling, n));
    double rows = ROWS * (double)tiling->row_pairs, stored = (double)stored_rows(tiling, n) / rows;
    double threads = (double)threads_of(tiling), groups = threads * PLANES * ROWS;
    double pairs = tiling->halo_pairs ? tiling->row_pairs - n - 1 : tiling->row_pairs;

    pairs = (pairs > 1 ? pairs : 1) * tiling->plane_pairs * tiling->lanes * PLANES * ROWS;
    return cloud_bound(cuda, {.generations = (double)n,
                              .blocks = blocks,
                              .warps = threads / CLOUD_LANES,
                              .ops = cuda_ops_of(cuda, n * pairs * 128),
                              .barriers = (double)n,
                              .moved = (1 + stored) * (double)blocks * groups * sizeof(uint4) * 2});
}

/* Keeps in *least the cheapest number of generations for the tile, if it is cheaper. */
static void choose_generations(const struct cuda *cuda, struct tiling *tiling, struct ca_size size,
                               int asked, struct tiling *least)
{
    int most = asked ? asked : GENERATIONS_MAX, n = asked ? asked : 1;

    tiling->halo_pairs = (int64_t)ROWS * tiling->row_pairs < size.h;
    if (!tiling->halo_pairs)
        n = most = asked ? asked : GENERATIONS_WHOLE;
    for (; n <= most; n++) {
        tiling->generations = n;
        if (stored_rows(tiling, n) < 1 || ca_divide_up(size.h, stored_rows(tiling, n)) >= 1 << 30)
            return;
        tiling->step_s = overlapped_bound(cuda, tiling, size);
        if (least->generations == 0 || tiling->step_s < least->step_s)
            *least = *tiling;
    }
}

/* Tries all tiles from the largest of `row_pairs` on; without a tile `generations` stays 0. */
static struct tiling choose_tiling(const struct cuda *cuda, struct tiling tried, int64_t row_pairs)
{
    const struct cloud_cuda_bits *bits = (const struct cloud_cuda_bits *)cuda->state;
    int generations = (int)ca_int(&cuda->setup.options, "generations");
    int warps = (int)ca_int(&cuda->setup.options, "warps");
    int64_t pair_threads = (int64_t)tried.plane_pairs * tried.lanes;
    struct tiling best = {};

    for (int64_t n = row_pairs; n >= 1; n--) {
        if (warps && warps < WARPS && n > 1 && n * pair_threads > warps * CLOUD_LANES)
            continue;
        tried.row_pairs = (int)n;
        if (shared_bytes_of(&tried) > (size_t)cuda->facts.shared_bytes)
            continue;
        choose_generations(cuda, &tried, bits->size, generations, &best);
        if (warps && best.generations)
            break;
    }
    return best;
}

/* --- the backend ----------------------------------------------------------------------------- */

static enum ca_status choose(struct cuda *cuda, struct ca_error *error)
{
    struct overlapped *state = (struct overlapped *)cuda->state;
    struct ca_size size = state->bits.size;
    int64_t row_pairs = ca_divide_up(size.h, ROWS), most;
    int generations = (int)ca_int(&cuda->setup.options, "generations");
    struct tiling tiling = {};

    CA_TRY(cloud_fit_two_rows(cuda, THREADS, &tiling.lanes, &tiling.plane_pairs, error));
    most = THREADS / (tiling.plane_pairs * tiling.lanes);
    if (row_pairs > most)
        row_pairs = most;
    state->tiling = choose_tiling(cuda, tiling, row_pairs);
    if (state->tiling.generations)
        return CA_OK;
    tiling.row_pairs = 1;
    if (shared_bytes_of(&tiling) > (size_t)cuda->facts.shared_bytes)
        return ca_fail(error, CA_USAGE,
                       "cuda-overlapped needs %zu bytes of shared memory a block, GPU %d has %lld",
                       shared_bytes_of(&tiling), cuda->device, (long long)cuda->facts.shared_bytes);
    return ca_fail(error, CA_USAGE,
                   "cuda-overlapped: a block holds at most %lld of %lld rows of all planes, which "
                   "leaves none after %d generations",
                   (long long)(ROWS * row_pairs), (long long)size.h, generations ? generations : 1);
}

static unsigned blocks_of(const struct overlapped *state, int generations)
{
    return (unsigned)ca_divide_up(state->bits.size.h, stored_rows(&state->tiling, generations));
}

static enum ca_status cloud_cuda_overlapped_plan(struct cuda *cuda, struct ca_error *error)
{
    struct overlapped *state = (struct overlapped *)cuda->state;
    const struct tiling *tiling = &state->tiling;

    CA_TRY(cloud_cuda_bits_plan_growth(cuda, error));
    CA_TRY(choose(cuda, error));
    cuda->plan.generations = tiling->generations;
    cuda->plan.step_s = tiling->step_s;
    if (tiling->halo_pairs)
        cuda_plan_variant(cuda, "overlapped tiles of %d rows", ROWS * tiling->row_pairs);
    else
        cuda_plan_variant(cuda, "%s", "one tile of all rows");
    cuda_plan_launch(cuda, dim3(blocks_of(state, tiling->generations)),
                     dim3((unsigned)threads_of(tiling)), shared_bytes_of(tiling));
    return CA_OK;
}

static enum ca_status cloud_cuda_overlapped_pass(struct cuda *cuda, uint64_t t, int generations,
                                                 struct ca_error *error)
{
    const struct overlapped *state = (const struct overlapped *)cuda->state;
    const struct cloud_cuda_bits *bits = &state->bits;
    const struct tiling *tiling = &state->tiling;
    struct tile tile = {generations, tiling->lanes, tiling->plane_pairs, tiling->row_pairs,
                        ROWS * tiling->halo_pairs * generations};

    (void)t;
    return cuda_launch_early(cuda, "cloud_cuda_overlapped_step", cloud_cuda_overlapped_step,
                             dim3(blocks_of(state, generations)),
                             dim3((unsigned)threads_of(tiling)), shared_bytes_of(tiling), error,
                             bits->hum, bits->act, bits->hum_next, bits->act_next, bits->size,
                             tile);
}

CUDA_OPS(cloud_cuda_overlapped) = CLOUD_BITS_OPS(overlapped, cloud_cuda_overlapped_plan,
                                                 cloud_cuda_overlapped_pass);
