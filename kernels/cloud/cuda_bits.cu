/* SPDX-License-Identifier: MIT */
/* This file serves cloud's bit-sliced CUDA backends: it moves cells in and out, and computes a
 * generation straight from memory to memory. */
#include "kernels/cloud/cuda_bits.cuh"

#include "core/model/registry.h"
#include "kernels/cuda/access.cuh"
#include "kernels/cuda/philox.cuh"

#define THREADS 256
#define BLOCKS_PER_SM 4 /* whose registers a multiprocessor can hold */

/* --- cells in and out ------------------------------------------------------------------------ */

struct cloud_group_words {
    enum { PLANES = CLOUD_PLANES, BITS = 1, HALO_PLANES = CLOUD_CLD }; /* none reads others' cld */

    uint4 *hum, *act, *cld, *loaded; /* as in struct cloud_cuda_bits */
    int64_t pitch;

    static cloud_group_words of(const struct cuda *cuda)
    {
        const struct cloud_cuda_bits *bits = (const struct cloud_cuda_bits *)cuda->state;

        return {bits->hum, bits->act, bits->cld, bits->loaded, bits->size.w};
    }
    static __device__ uint64_t word_of(const uint4 &group, int64_t k)
    {
        return cuda_group_get_half(cuda_group_of(group), (int)(k % 2));
    }
    __device__ void get(int64_t row, int64_t k, uint64_t words[PLANES]) const
    {
        int64_t at = row * pitch + k / 2;

        words[CLOUD_HUM] = word_of(hum[at], k);
        words[CLOUD_ACT] = word_of(act[at], k);
        words[CLOUD_CLD] = word_of(cld[at], k);
        if (loaded)
            words[CLOUD_CLD] |= word_of(loaded[at], k) & ~words[CLOUD_HUM] & ~words[CLOUD_ACT];
    }
    __device__ void put(int64_t row, int64_t k, const uint64_t words[PLANES]) const
    {
        int64_t at = row * pitch + k / 2;
        int half = (int)(k % 2);

        cuda_group_put_half(hum + at, half, words[CLOUD_HUM]);
        cuda_group_put_half(act + at, half, words[CLOUD_ACT]);
        cuda_group_put_half(cld + at, half, words[CLOUD_CLD]);
        if (loaded)
            cuda_group_put_half(loaded + at, half, words[CLOUD_HUM] | words[CLOUD_ACT]);
    }
    __device__ void put_halo(int64_t row, int64_t k, const uint64_t words[PLANES]) const
    {
        int64_t at = row * pitch + k / 2;

        cuda_group_put_half(hum + at, (int)(k % 2), words[CLOUD_HUM]);
        cuda_group_put_half(act + at, (int)(k % 2), words[CLOUD_ACT]);
    }
};

static int halo_planes(const struct cuda *cuda, char *plane[CA_PLANES_MAX])
{
    const struct cloud_cuda_bits *bits = (const struct cloud_cuda_bits *)cuda->state;

    plane[CLOUD_HUM] = (char *)bits->hum;
    plane[CLOUD_ACT] = (char *)bits->act;
    return cuda->size.w == bits->size.w * GROUP_CELLS ? cloud_group_words::HALO_PLANES : 0;
}

CUDA_WORD_ACCESS(cloud_bits_access, cloud_group_words, .halo_planes = halo_planes);

/* --- a generation ---------------------------------------------------------------------------- */

/* The place of a thread's group in each plane, and which groups beside it are in the lattice. */
struct column {
    int64_t group, y;
    bool inside, left, right, north[2], south[2]; /* north: rows y - 1 and y - 2 */
};

static __device__ __forceinline__ struct column column_of(int64_t i, struct ca_size size)
{
    struct column column;
    int64_t plane = size.w * size.h;

    column.inside = i < plane;
    column.y = plane <= UINT32_MAX ? (uint32_t)i / (uint32_t)size.w : i / size.w;
    column.group = i - column.y * size.w;
    column.left = column.inside && column.group > 0;
    column.right = column.inside && column.group + 1 < size.w;
    for (int k = 0; k < 2; k++) {
        column.north[k] = column.inside && column.y > k;
        column.south[k] = column.inside && column.y + k + 1 < size.h;
    }
    return column;
}

/* cloud_row_neighbours in the warp; its first and last lane load the groups beside from memory. */
static __device__ __forceinline__ struct cuda_group row_neighbours(const struct cuda_group &act,
                                                                   const struct cuda_group &also,
                                                                   const struct column &column,
                                                                   const uint4 *act_at)
{
    int lane = threadIdx.x % 32;
    uint32_t before2 = __shfl_up_sync(0xffffffff, act.word[2], 1);
    uint32_t before3 = __shfl_up_sync(0xffffffff, act.word[3], 1);
    uint32_t after0 = __shfl_down_sync(0xffffffff, act.word[0], 1);
    uint32_t after1 = __shfl_down_sync(0xffffffff, act.word[1], 1);

    if (!column.left)
        before2 = before3 = 0;
    else if (lane == 0)
        before2 = act_at[-1].z, before3 = act_at[-1].w;
    if (!column.right)
        after0 = after1 = 0;
    else if (lane == 31)
        after0 = act_at[1].x, after1 = act_at[1].y;
    return cloud_row_neighbours(act, also, before2, before3, after0, after1);
}

/* The draws of events: see kernels/cuda/philox.cuh. */
struct chances {
    struct draw_keys keys;
    struct draw_chance extinct, humid, active;
};

static struct chances chances_of(const struct cloud_params &params)
{
    return {draw_keys_of(params.seed), draw_chance_of(params.extinct), draw_chance_of(params.humid),
            draw_chance_of(params.active)};
}

/* Applies the events of plane z to the rule's results: see cloud_events. */
static __device__ __forceinline__ void apply_events(struct cuda_group *hum, struct cuda_group *act,
                                                    struct cuda_group *cld,
                                                    const struct chances &chances,
                                                    const struct draw_place &place,
                                                    const struct cuda_group &inside, uint32_t z)
{
    struct cuda_group extinct = cuda_group_in_order(
        draw_event(chances.keys, place, CLOUD_STREAM_EXTINCTION, z, chances.extinct));
    struct cuda_group humid = cuda_group_in_order(
        draw_event(chances.keys, place, CLOUD_STREAM_HUMIDITY, z, chances.humid));
    struct cuda_group active = cuda_group_in_order(
        draw_event(chances.keys, place, CLOUD_STREAM_ACTIVATION, z, chances.active));

#pragma unroll
    for (int j = 0; j < 4; j++) {
        cld->word[j] &= ~extinct.word[j];
        hum->word[j] |= humid.word[j] & inside.word[j];
        act->word[j] |= active.word[j] & inside.word[j];
    }
}

/*
 * A thread goes up a column of groups and keeps what it needs of the planes below and above in
 * registers. The rows beside in its own plane come from L1, where other warps of the block have
 * brought them.
 */
template <bool EVENTS>
__global__ static void __launch_bounds__(THREADS, EVENTS ? BLOCKS_PER_SM - 1 : BLOCKS_PER_SM)
    cloud_cuda_bitslice_step(const uint4 *__restrict__ hum_now, const uint4 *__restrict__ act_now,
                             uint4 *__restrict__ hum_next, uint4 *__restrict__ act_next,
                             uint4 *cld_now, struct ca_size size, int planes, int64_t w,
                             struct cuda_slab slab, struct chances chances, uint32_t t)
{
    cuda_begin_early();

    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, plane = size.w * size.h;
    struct column column = column_of(i, size);
    int64_t z = (int64_t)blockIdx.y * planes, end = z + planes < size.d ? z + planes : size.d;
    int64_t offset = z * plane + i, row = size.w;
    const uint4 *act_at = act_now + offset;
    struct cuda_group below2 = cloud_group_if(column.inside && z > 1, act_at - 2 * plane);
    struct cuda_group below = cloud_group_if(column.inside && z > 0, act_at - plane);
    struct cuda_group act = cloud_group_if(column.inside, act_at), valid = {};
    struct draw_place place = {};

    if (EVENTS) {
        valid = cuda_group_inside(column.group, w);
        place = draw_place(chances.keys, (uint32_t)column.group, (uint32_t)column.y, t);
    }
#pragma unroll 1
    for (; z < end; z++, act_at += plane, offset += plane) {
        struct cuda_group above = cloud_group_if(column.inside && z + 1 < size.d, act_at + plane);
        struct cuda_group hum = cloud_group_if(column.inside, hum_now + offset);
        struct cuda_group north2 = cloud_group_if(column.north[1], act_at - 2 * row);
        struct cuda_group north = cloud_group_if(column.north[0], act_at - row);
        struct cuda_group south = cloud_group_if(column.south[0], act_at + row);
        struct cuda_group south2 = cloud_group_if(column.south[1], act_at + 2 * row);
        struct cuda_group any_act = row_neighbours(act, north, column, act_at), next, cld = {};

        cloud_or3(&any_act, north2, south);
        cloud_or3(&any_act, south2, below);
        if (EVENTS)
            cld = cloud_group_if(column.inside, cld_now + offset);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            struct cloud_word cell =
                cloud_bits_rule({hum.word[j], act.word[j], cld.word[j]},
                                word_or3(any_act.word[j], below2.word[j], above.word[j]));

            hum.word[j] = cell.hum, next.word[j] = cell.act, cld.word[j] = cell.cld;
        }
        if (EVENTS && column.inside)
            apply_events(&hum, &next, &cld, chances, place, valid, (uint32_t)cuda_global(slab, z));
        if (column.inside) {
            hum_next[offset] = cuda_group_words(hum);
            act_next[offset] = cuda_group_words(next);
            if (EVENTS)
                cld_now[offset] = cuda_group_words(cld);
        }
        below2 = below, below = act, act = above;
    }
}

static void generation_shape(const struct cloud_cuda_bits *bits, dim3 *grid, dim3 *block)
{
    int64_t plane = bits->size.w * bits->size.h;
    int64_t threads = plane < THREADS ? (plane + 31) / 32 * 32 : THREADS;

    *grid = dim3((unsigned)ca_divide_up(plane, threads),
                 (unsigned)ca_divide_up(bits->size.d, bits->planes));
    *block = dim3((unsigned)threads);
}

enum ca_status cloud_cuda_bits_generation(struct cuda *cuda, uint64_t t, int n,
                                          struct ca_error *error)
{
    struct cloud_cuda_bits *bits = (struct cloud_cuda_bits *)cuda->state;
    dim3 grid, block;

    (void)n; /* always one */
    generation_shape(bits, &grid, &block);
    return cuda_launch_early(
        cuda, "cloud_cuda_bitslice_step",
        bits->events ? cloud_cuda_bitslice_step<true> : cloud_cuda_bitslice_step<false>, grid,
        block, 0, error, bits->hum, bits->act, bits->hum_next, bits->act_next, bits->cld,
        bits->size, bits->planes, cuda->size.w, bits->params.slab, chances_of(bits->params), t);
}

void cloud_cuda_bits_swap(struct cuda *cuda)
{
    struct cloud_cuda_bits *bits = (struct cloud_cuda_bits *)cuda->state;
    uint4 *hum = bits->hum, *act = bits->act;

    bits->hum = bits->hum_next, bits->act = bits->act_next;
    bits->hum_next = hum, bits->act_next = act;
}

/* --- the plan -------------------------------------------------------------------------------- */

double cloud_bound(const struct cuda *cuda, struct cuda_shape shape)
{
    const struct cloud_cuda_bits *bits = (const struct cloud_cuda_bits *)cuda->state;

    shape.launches = 1;
    shape.held = 4 * cloud_plane_bytes(bits->size);
    return cuda_bound_s(&cuda->facts, &shape);
}

#define DRAW_OPS 60 /* of a draw for 128 cells (kernels/cuda/philox.cuh) */

/* The least seconds of a generation: hum and act are read and written, with events cld too. */
static double bits_bound(const struct cuda *cuda)
{
    const struct cloud_cuda_bits *bits = (const struct cloud_cuda_bits *)cuda->state;
    double threads = cuda->plan.block[0];
    double groups = threads * bits->planes;

    return cloud_bound(
        cuda, {.generations = 1,
               .blocks = (int64_t)cuda->plan.grid[0] * cuda->plan.grid[1] * cuda->plan.grid[2],
               .warps = threads / CLOUD_LANES,
               .resident = BLOCKS_PER_SM,
               .ops = cuda_ops_of(cuda, groups * 128) +
                      groups * DRAW_OPS * ca_event_draws(&cuda->setup.params),
               .moved = (bits->events ? 6 : 4) * cloud_plane_bytes(bits->size)});
}

/*
 * Planes that a thread goes up. Each column reads two planes more than these, so they are many; but
 * few where there would not be four times as many threads as the device holds.
 */
static int choose_planes(const struct cuda *cuda, struct ca_size size)
{
    int64_t least = (size.d + 65534) / 65535, planes = 64;
    int64_t threads = (int64_t)4 * cuda->facts.multiprocessors * BLOCKS_PER_SM * THREADS;

    while (planes > 1 && ca_cells(size) / planes < threads)
        planes /= 2;
    return (int)(planes > least ? planes : least);
}

enum ca_status cloud_cuda_bits_plan(struct cuda *cuda, struct ca_error *error)
{
    struct cloud_cuda_bits *bits = (struct cloud_cuda_bits *)cuda->state;
    dim3 grid, block;
    int64_t count;

    (void)error;
    bits->size = {cuda_groups(cuda->size.w), cuda->size.h, cuda->size.d};
    bits->params = cloud_params_of(cuda);
    bits->events = cloud_has_events(bits->params);
    bits->planes = choose_planes(cuda, bits->size);
    count = ca_cells(bits->size);
    cuda_reserve(cuda, &bits->hum, count);
    cuda_reserve(cuda, &bits->act, count);
    cuda_reserve(cuda, &bits->cld, count);
    if (!bits->events)
        cuda_reserve(cuda, &bits->loaded, count);
    cuda_reserve_passing(cuda, &bits->hum_next, count);
    cuda_reserve_passing(cuda, &bits->act_next, count);
    generation_shape(bits, &grid, &block);
    cuda_plan_launch(cuda, grid, block, 0);
    cuda_plan_variant(cuda, "128x1x%d cells a thread%s", bits->planes,
                      bits->events ? ", with events" : "");
    cuda->plan.step_s = bits_bound(cuda);
    return CA_OK;
}

enum ca_status cloud_cuda_bits_plan_growth(struct cuda *cuda, struct ca_error *error)
{
    CA_TRY(cloud_cuda_bits_plan(cuda, error));
    if (((const struct cloud_cuda_bits *)cuda->state)->events)
        return ca_fail(error, CA_USAGE,
                       "%s takes growth alone, without events: p_ext, p_hum and p_act must be 0",
                       cuda->setup.backend->name);
    return CA_OK;
}

enum ca_status cloud_fit_two_rows(const struct cuda *cuda, int threads, int *lanes,
                                  int *plane_pairs, struct ca_error *error)
{
    struct ca_size size = ((const struct cloud_cuda_bits *)cuda->state)->size;
    int64_t pairs = ca_divide_up(size.d, 2);

    *lanes = 1;
    while (*lanes < size.w && *lanes < CLOUD_LANES)
        *lanes *= 2;
    if (*lanes < size.w)
        return ca_fail(error, CA_USAGE, "%s takes rows of at most %d cells, not %lld",
                       cuda->setup.backend->name, CLOUD_LANES * GROUP_CELLS,
                       (long long)cuda->size.w);
    if (pairs * *lanes > threads)
        return ca_fail(error, CA_USAGE,
                       "%s needs %lld threads for two rows of all %lld planes of %lld cells a row, "
                       "a block has %d",
                       cuda->setup.backend->name, (long long)(pairs * *lanes), (long long)size.d,
                       (long long)cuda->size.w, threads);
    *plane_pairs = (int)pairs;
    return CA_OK;
}
