/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-temporal of fhp: temporal blocking of cuda-bitslice by streaming.
 *
 * A warp sweeps down the rows of a segment of 32 groups, a lane each. A row that comes from memory
 * yields one of generation 1, that one yields the row before it of generation 2, and so on; so
 * memory is read once for all generations:
 *
 *     row     top     top - 1   top - 2        generation g needs of g - 1 the row that was just
 *     step    1       2         3              made (planes 0, 1), in registers, and of rows before
 *                                              it planes 2, 5, 6 (one) and 3, 4 (two)
 *
 * The planes of rows before wait in shared memory, because registers for them would leave too few
 * warps. Of each lane it holds, in groups of 16 bytes,
 *
 *     fetched   7 planes of the next row of the lattice, which come by asynchronous copies
 *     kept      for each generation but the last: planes 2, 5, 6 of the row before, and 3, 4 of
 *               the two rows before
 *
 * A lane touches its own groups alone, and no warp ever waits for another. Shared memory and
 * registers limit the number of warps, and these how well products and logic fill the
 * multiprocessor. Logic is the limit, and with forcing the products of the draws.
 *
 * The code is unrolled over the number of generations that is fastest: the draws of one are made
 * between the logic of the one before it, and nothing is moved from register to register. All else
 * goes through one loop for any generation: other numbers of them, the first rows of a segment, and
 * rows in which the warp has solid nodes, which are read from memory again.
 *
 * The first and the last lane of a segment do not know all their neighbours, so their groups belong
 * to other segments too, and the rows before and after a segment are computed twice, one for each
 * generation. The width must be a multiple of 128 nodes: otherwise the ends of a row would meet
 * within a group. A single generation at the end of a call goes through cuda-bitslice's kernel.
 */
#include <math.h>
#include <stdio.h>

#include "kernels/cuda/any_value.cuh"
#include "kernels/cuda/copy_async.cuh"
#include "kernels/cuda/row_partition.cuh"
#include "kernels/fhp/cuda_bits.cuh"
#include "kernels/fhp/cuda_plan.cuh"

#define GENERATIONS_MIN 2 /* of a pass */
#define GENERATIONS_MAX 8
#define ROWS_MULTIPLE 2 /* all lanes of a warp have rows of one parity */
#define KEPT 7          /* planes kept between two generations: 2, 5, 6 and twice 3, 4 */
#define RESIDENT 4      /* blocks that registers suffice for */
/* The fastest number of generations, measured on compute capability 9.0. */
#define UNROLLED(set, forced) ((forced) ? (set) == FHP_BITS_3 ? 3 : 4 : 5)

/* Groups of shared memory that a warp has. */
static __host__ __device__ __forceinline__ int shared_groups(int generations)
{
    return WARP_LANES * (FHP_BIT_PLANES + KEPT * (generations - 1));
}

/* The kernel takes this by value. */
struct sweep {
    struct row_partition partition;
    struct fhp_bits_layout layout;
    struct fhp_bits_params params;
    int generations;
};

/* A lane's position and work. */
struct lane {
    const uint4 *above, *here, *below; /* plane 0 of its group in rows of the lattice, */
    const uint4 *first, *last;         /* in the first row and the last one */
    uint4 *out;
    uint4 *fetched, *kept; /* in shared memory */
    int64_t group;
    uint32_t y;      /* in the whole lattice, of the row that generation 1 makes */
    int rows;        /* that the lane stores */
    int left, right; /* the lanes that have the neighbouring groups */
};

static __device__ __forceinline__ void next_row(struct lane *lane, const struct sweep &sweep)
{
    lane->above = lane->here;
    lane->here = lane->below;
    lane->below = lane->below == lane->last ? lane->first : lane->below + sweep.layout.pitch;
}

static __device__ __forceinline__ void fetch_row(const struct lane *lane, const struct sweep &sweep)
{
    int shift = sweep.layout.shift;

    copy_async(lane->fetched + 0 * WARP_LANES, lane->below);
    copy_async(lane->fetched + 1 * WARP_LANES, lane->below + (1 << shift));
    copy_async(lane->fetched + 2 * WARP_LANES, lane->here + (2 << shift));
    copy_async(lane->fetched + 3 * WARP_LANES, lane->above + (3 << shift));
    copy_async(lane->fetched + 4 * WARP_LANES, lane->above + (4 << shift));
    copy_async(lane->fetched + 5 * WARP_LANES, lane->here + (5 << shift));
    copy_async(lane->fetched + 6 * WARP_LANES, lane->here + (6 << shift));
}

/* The solid nodes of the row that fetch_row fetches. */
static __device__ __forceinline__ uint4 fetch_solid(const struct lane &lane,
                                                    const struct sweep &sweep)
{
    return __ldg(lane.here + (FHP_PLANE_SOLID << sweep.layout.shift));
}

/* The solid nodes of the row `back` rows before `above`. */
static __device__ __forceinline__ uint4 read_solid(const struct lane &lane,
                                                   const struct sweep &sweep, int back)
{
    const uint4 *row = lane.above - back * sweep.layout.pitch;

    while (row < lane.first)
        row += sweep.layout.h * sweep.layout.pitch;
    return __ldg(row + (FHP_PLANE_SOLID << sweep.layout.shift));
}

/* False for a warp without work. */
static __device__ __forceinline__ bool begin(struct lane *lane, const uint4 *now, uint4 *next,
                                             uint4 *shared, const struct sweep &sweep)
{
    const struct fhp_bits_layout &layout = sweep.layout;
    int at = threadIdx.x % WARP_LANES, warp = threadIdx.x / WARP_LANES;
    struct segment_work work;
    int64_t y, global;

    if (!segment_begin(sweep.partition, &work))
        return false;
    lane->group = work.column.group;
    if (lane->group < 0)
        lane->group += layout.groups;
    else if (lane->group >= layout.groups)
        lane->group -= layout.groups;
    now += fhp_group_at(layout, lane->group, 0);
    lane->out = next + fhp_group_at(layout, lane->group, 0) + work.y * layout.pitch;
    for (y = work.y - (sweep.generations - 1); y < 0;)
        y += layout.h;
    lane->first = now;
    lane->last = now + (layout.h - 1) * layout.pitch;
    lane->here = now + y * layout.pitch;
    lane->above = y > 0 ? lane->here - layout.pitch : lane->last;
    lane->below = y < layout.h - 1 ? lane->here + layout.pitch : now;
    global = sweep.params.slab.origin + work.y - (sweep.generations - 1);
    while (global < 0)
        global += sweep.params.slab.size;
    while (global >= sweep.params.slab.size)
        global -= sweep.params.slab.size;
    lane->y = (uint32_t)global;
    lane->rows = work.rows;
    lane->left = work.column.left;
    lane->right = work.column.right;
    lane->fetched = shared + warp * shared_groups(sweep.generations) + at;
    lane->kept = lane->fetched + FHP_BIT_PLANES * WARP_LANES;
    return true;
}

static __device__ __forceinline__ void arrive(struct fhp_group *group, const struct lane &lane,
                                              bool odd)
{
    struct fhp_beside beside = {__shfl_sync(0xffffffff, group->plane[2][3], lane.left),
                                __shfl_sync(0xffffffff, group->plane[5][0], lane.right), 0, 0};

    if (odd) {
        beside.below = __shfl_sync(0xffffffff, group->plane[0][0], lane.right);
        beside.above = __shfl_sync(0xffffffff, group->plane[4][0], lane.right);
        fhp_group_arrive<true>(group, beside);
    } else {
        beside.below = __shfl_sync(0xffffffff, group->plane[1][3], lane.left);
        beside.above = __shfl_sync(0xffffffff, group->plane[3][3], lane.left);
        fhp_group_arrive<false>(group, beside);
    }
}

/* Keeps the planes that the next generation needs one or two rows later, and takes those that were
 * kept of the rows before. */
static __device__ __forceinline__ void exchange(struct fhp_group *group, uint4 *kept, int row)
{
    const int plane[5] = {2, 5, 6, 3, 4};

#pragma unroll
    for (int i = 0; i < 5; i++) {
        uint4 *at = kept + (i < 3 ? i : i + row % 2 * 2) * WARP_LANES, before = *at;

        *at = fhp_pack(group->plane[plane[i]]);
        fhp_unpack(group->plane[plane[i]], before);
    }
}

/* Generation g, counted from 1, of the row g rows before `here`. `solid_row`: the warp has solid
 * nodes there. */
template <int SET, bool FORCED>
static __device__ __forceinline__ void generation(struct fhp_group *group, const struct lane &lane,
                                                  const struct sweep &sweep, int g, uint32_t y,
                                                  bool solid_row)
{
    uint4 chirality, turns, solid = make_uint4(0, 0, 0, 0);

    if (solid_row)
        solid = read_solid(lane, sweep, g - 1);
    fhp_draw<FORCED>(sweep.params, (uint32_t)lane.group, y, sweep.params.t + (uint32_t)(g - 1),
                     &chirality, &turns);
    arrive(group, lane, y % 2);
    if (solid_row)
        fhp_group_scatter<SET, FORCED, true>(group, chirality, turns, solid);
    else
        fhp_group_scatter<SET, FORCED, false>(group, chirality, turns, solid);
}

static __device__ __forceinline__ void take_row(struct fhp_group *group, const struct lane &lane)
{
    copy_wait();
#pragma unroll
    for (int p = 0; p < FHP_BIT_PLANES; p++)
        fhp_unpack(group->plane[p], lane.fetched[p * WARP_LANES]);
}

/* The row before row y of the whole lattice. */
static __device__ __forceinline__ uint32_t row_before(uint32_t y, const struct sweep &sweep)
{
    return (y == 0 ? (uint32_t)sweep.params.slab.size : y) - 1;
}

/* Generations 1 ... UNROLLED of rows without solid nodes. */
template <int SET, bool FORCED>
static __device__ __forceinline__ void unrolled_generations(struct fhp_group *group,
                                                            const struct lane &lane,
                                                            const struct sweep &sweep, int row)
{
    uint32_t y = lane.y;

#pragma unroll
    for (int g = 1; g <= UNROLLED(SET, FORCED); g++, y = row_before(y, sweep)) {
        generation<SET, FORCED>(group, lane, sweep, g, y, false);
        if (g < UNROLLED(SET, FORCED))
            exchange(group, lane.kept + (g - 1) * KEPT * WARP_LANES, row);
    }
}

/* Generations 1 ... `most`. Bit g - 1 of `solid_rows`: the warp has solid nodes in the row of
 * generation g. */
template <int SET, bool FORCED>
static __device__ __forceinline__ void
looped_generations(struct fhp_group *group, const struct lane &lane, const struct sweep &sweep,
                   int row, int most, uint32_t solid_rows)
{
    uint4 *kept = lane.kept;
    uint32_t y = lane.y;

#pragma unroll 1
    for (int g = 1;; g++) {
        generation<SET, FORCED>(group, lane, sweep, g, y, solid_rows >> (g - 1) & 1);
        if (g == sweep.generations)
            break;
        exchange(group, kept, row);
        if (g == most)
            break;
        kept += KEPT * WARP_LANES;
        y = row_before(y, sweep);
    }
}

template <int SET, bool FORCED>
__global__ static void __launch_bounds__(SEGMENT_THREADS, RESIDENT)
    fhp_cuda_temporal_step(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                           struct sweep sweep)
{
    extern __shared__ uint4 shared[];
    int lead = 2 * (sweep.generations - 1), rows = sweep.partition.rows + lead;
    uint32_t solid_rows = 0, all = (1u << UNROLLED(SET, FORCED)) - 1;
    struct lane lane;
    uint4 solid;

    cuda_any_value(shared); /* of rows kept before the first */
    if (!begin(&lane, now, next, shared, sweep))
        return;
    solid = fetch_solid(lane, sweep);
    fetch_row(&lane, sweep);
#pragma unroll 1
    for (int row = 0; row < rows; row++) {
        struct fhp_group group;

        solid_rows <<= 1;
        solid_rows |= __any_sync(0xffffffff, (solid.x | solid.y | solid.z | solid.w) != 0);
        take_row(&group, lane);
        next_row(&lane, sweep);
        if (row + 1 < rows) {
            solid = fetch_solid(lane, sweep);
            fetch_row(&lane, sweep);
        }
        if (row >= lead && sweep.generations == UNROLLED(SET, FORCED) && !(solid_rows & all))
            unrolled_generations<SET, FORCED>(&group, lane, sweep, row);
        else
            looped_generations<SET, FORCED>(
                &group, lane, sweep, row, row < lead ? row / 2 + 1 : sweep.generations, solid_rows);
        if (row >= lead) {
            if (row - lead < lane.rows)
                fhp_write_planes(group, lane.out, sweep.layout.shift);
            lane.out += sweep.layout.pitch;
        }
        lane.y = lane.y + 1 == (uint32_t)sweep.params.slab.size ? 0 : lane.y + 1;
    }
}

typedef void sweep_kernel(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                          struct sweep sweep);

static sweep_kernel *const kernels[3][2] = FHP_KERNELS(fhp_cuda_temporal_step);

/* --- plan ------------------------------------------------------------------------------------- */

struct temporal {
    struct fhp_bits_state bits; /* first: what cuda_bits.cu finds in cuda->state */
    struct row_partition partition;
    sweep_kernel *kernel;
    int unrolled;                  /* generations that the kernel is unrolled over */
    int generations;               /* of a pass, at most */
    int rows[GENERATIONS_MAX + 1]; /* of a segment, by the generations of a pass */
};

static size_t shared_bytes(int generations)
{
    return (size_t)SEGMENT_WARPS * shared_groups(generations) * sizeof(uint4);
}

/* The rows of a segment for n generations a pass, and the least seconds of a generation. */
static enum ca_status choose_rows(struct cuda *cuda, int n, double *step_s, struct ca_error *error)
{
    struct temporal *state = (struct temporal *)cuda->state;
    struct row_partition partition = state->partition;
    int resident = 0;

    partition.bands.stored = {0, cuda_stored_layers(cuda, n)};
    CA_TRY(cuda_resident_blocks(cuda, (const void *)state->kernel, SEGMENT_THREADS, shared_bytes(n),
                                &resident, error));
    *step_s = partition_choose_rows(
        partition, ca_int(&cuda->setup.options, "rows"), resident, cuda->facts.multiprocessors,
        ROWS_MULTIPLE, &state->rows[n], [&](const struct row_partition &cut) {
            double swept = n * (cut.rows + n - 1.0) * SEGMENT_THREADS;

            return fhp_bound(cuda, {.generations = (double)n,
                                    .blocks = partition_blocks(&cut),
                                    .warps = SEGMENT_WARPS,
                                    .resident = (double)resident,
                                    .ops = fhp_ops_of(cuda, swept * FHP_GROUP)});
        });
    return CA_OK;
}

/* The number of generations of a pass: at most that of the option, or the one that costs least. */
static enum ca_status choose_generations(struct cuda *cuda, double *least, struct ca_error *error)
{
    struct temporal *state = (struct temporal *)cuda->state;
    int64_t groups = state->bits.layout.groups;
    int most = (int)ca_int(&cuda->setup.options, "generations");

    *least = INFINITY;
    partition_columns(&state->partition, groups, cuda->size.h, groups > WARP_LANES);
    for (int n = GENERATIONS_MIN;
         n <= GENERATIONS_MAX && (int64_t)shared_bytes(n) <= cuda->facts.shared_bytes; n++) {
        double step_s = 0;

        CA_TRY(choose_rows(cuda, n, &step_s, error));
        if (most ? n <= most : step_s < *least) {
            state->generations = n;
            *least = step_s;
        }
    }
    return CA_OK;
}

/* CA_USAGE for setups that the kernel does not hold. */
static enum ca_status check(const struct cuda *cuda, struct ca_error *error)
{
    if (cuda->size.w % FHP_GROUP)
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal takes rows that are a multiple of %d nodes: %lld is not",
                       FHP_GROUP, (long long)cuda->size.w);
    if (ca_int(&cuda->setup.options, "generations") == 1)
        return ca_fail(error, CA_USAGE,
                       "generations is 1: cuda-temporal takes %d to %d in a pass, or 0 for the "
                       "number that should be fastest",
                       GENERATIONS_MIN, GENERATIONS_MAX);
    if (ca_int(&cuda->setup.options, "rows") % ROWS_MULTIPLE)
        return ca_fail(error, CA_USAGE,
                       "rows is %lld: cuda-temporal takes a multiple of %d, or 0 for the number "
                       "that should be fastest",
                       (long long)ca_int(&cuda->setup.options, "rows"), ROWS_MULTIPLE);
    if ((int64_t)shared_bytes(GENERATIONS_MIN) > cuda->facts.shared_bytes)
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal needs %zu bytes of shared memory a block, GPU %d has %lld",
                       shared_bytes(GENERATIONS_MIN), cuda->device,
                       (long long)cuda->facts.shared_bytes);
    return CA_OK;
}

static enum ca_status fhp_cuda_temporal_plan(struct cuda *cuda, struct ca_error *error)
{
    struct temporal *state = (struct temporal *)cuda->state;
    int set = ca_choice(&cuda->setup.params, "collisions");
    bool forced = ca_probability(&cuda->setup.params, "p_force") > 0;
    struct row_partition partition;
    double least;
    int n;

    CA_TRY(check(cuda, error));
    fhp_bits_plan(cuda, 2);
    state->kernel = kernels[set][forced];
    state->unrolled = UNROLLED(set, forced);
    CA_TRY(choose_generations(cuda, &least, error));
    n = state->generations;
    partition = state->partition;
    partition_rows(&partition, state->rows[n]);
    cuda_plan_launch(cuda, dim3((unsigned)partition_blocks(&partition)), dim3(SEGMENT_THREADS),
                     shared_bytes(n));
    cuda_plan_variant(cuda, "sweep of %d rows a warp", partition.rows);
    cuda->plan.generations = n;
    cuda->plan.step_s = least;
    return CA_OK;
}

static struct cuda_band_sizes fhp_cuda_temporal_bands(const struct cuda *cuda, int n)
{
    const struct temporal *state = (const struct temporal *)cuda->state;
    struct row_partition partition = state->partition;

    if (n == 1)
        return {};
    partition.bands.stored = cuda->stored;
    partition_rows(&partition, state->rows[n]);
    return partition_bands(&partition);
}

static enum ca_status fhp_cuda_temporal_pass(struct cuda *cuda, uint64_t t, int n,
                                             struct ca_error *error)
{
    const struct temporal *state = (const struct temporal *)cuda->state;
    struct sweep sweep = {state->partition, state->bits.layout, fhp_bits_params_of(cuda, t), n};

    if (n == 1)
        return fhp_bits_pass(cuda, t, n, error);
    sweep.partition.bands.stored = cuda->stored;
    partition_rows(&sweep.partition, state->rows[n]);
    partition_take(&sweep.partition, cuda->bands);
    return cuda_launch(cuda, "fhp_cuda_temporal_step", state->kernel,
                       dim3((unsigned)partition_blocks(&sweep.partition)), dim3(SEGMENT_THREADS),
                       shared_bytes(n), error, state->bits.now, state->bits.next, sweep);
}

CUDA_OPS(fhp_cuda_temporal) = {
    .state_size = sizeof(struct temporal),
    .plan = fhp_cuda_temporal_plan,
    .access = &fhp_bits_access,
    .pass = fhp_cuda_temporal_pass,
    .swap = fhp_bits_swap,
    .bands = fhp_cuda_temporal_bands,
};
