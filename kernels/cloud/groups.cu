/* SPDX-License-Identifier: MIT */
/* Owns the memory of cloud's bit groups: cells in and out, and a generation straight from it. */
#include "kernels/cloud/groups.cuh"
#include "kernels/cuda/philox.cuh"

#define THREADS 256
#define RESIDENT 4 /* blocks whose registers a multiprocessor has room for */

/* --- cells in and out ------------------------------------------------------------------------ */

/* cld of a group, see groups.cuh. */
static __device__ __forceinline__ uint32_t cld_of(uint32_t cloud, uint32_t start, uint32_t hum,
                                                  uint32_t act)
{
    return cloud | (start & ~hum & ~act);
}

/* A plane's groups as cells see them. */
struct groups_view {
    typedef uint8_t value;

    struct cloud_groups own;
    int plane;
    int64_t first; /* row */

    static groups_view of(const struct cuda *cuda)
    {
        return {*(const struct cloud_groups *)cuda->own, 0, 0};
    }

    __device__ struct cuda_group operator()(int64_t row, int64_t group) const
    {
        int64_t at = (first + row) * own.size.w + group;
        struct cuda_group hum = cuda_group_of(own.hum[at]), act = cuda_group_of(own.act[at]), cld;

        if (plane == CLOUD_HUM)
            return hum;
        if (plane == CLOUD_ACT)
            return act;
        cld = cuda_group_of(own.cloud[at]);
        if (own.start) {
            struct cuda_group start = cuda_group_of(own.start[at]);

            for (int j = 0; j < 4; j++)
                cld.word[j] = cld_of(cld.word[j], start.word[j], hum.word[j], act.word[j]);
        }
        return cld;
    }

    __device__ value get(int of_plane, int64_t x, int64_t row) const
    {
        groups_view view = {own, of_plane, 0};

        return cuda_group_cell(view(row, x / GROUP_CELLS), x);
    }
};

/* Planes come in one after the other, hum first, act last but one. */
struct groups_put {
    struct cloud_groups own;
    int plane;
    int64_t first;

    __device__ void operator()(int64_t row, int64_t group, const struct cuda_group &bits) const
    {
        int64_t at = (first + row) * own.size.w + group;
        uint4 words = cuda_group_words(bits);

        (plane == CLOUD_HUM ? own.hum : plane == CLOUD_ACT ? own.act : own.cloud)[at] = words;
        if (plane == CLOUD_ACT && own.start) {
            uint4 hum = own.hum[at];

            own.start[at] =
                make_uint4(words.x | hum.x, words.y | hum.y, words.z | hum.z, words.w | hum.w);
        }
    }
};

enum ca_status cloud_groups_load(struct cuda *cuda, void *const planes[], int64_t first,
                                 int64_t rows, struct ca_error *error)
{
    const struct cloud_groups *own = (const struct cloud_groups *)cuda->own;

    for (int p = 0; p < CLOUD_PLANES; p++)
        CA_TRY(cuda_launch(cuda, "load", cuda_put_groups<groups_put>,
                           cuda_groups_grid(cuda->size.w, rows), dim3(256), 0, error,
                           groups_put{*own, p, first}, (const uint8_t *)planes[p], cuda->size.w,
                           rows));
    return CA_OK;
}

enum ca_status cloud_groups_store(struct cuda *cuda, void *const planes[], int64_t first,
                                  int64_t rows, struct ca_error *error)
{
    const struct cloud_groups *own = (const struct cloud_groups *)cuda->own;

    for (int p = 0; p < CLOUD_PLANES; p++)
        CA_TRY(cuda_launch(cuda, "store", cuda_get_groups<groups_view>,
                           cuda_groups_grid(cuda->size.w, rows), dim3(256), 0, error,
                           groups_view{*own, p, first}, (uint8_t *)planes[p], cuda->size.w, rows));
    return CA_OK;
}

enum ca_status cloud_groups_gather(struct cuda *cuda, const struct ca_gather_points *places,
                                   void *const planes[], struct ca_error *error)
{
    return cuda_cells<groups_view>::gather(cuda, places, planes, error);
}

/* --- a generation ---------------------------------------------------------------------------- */

/* Where a thread's group stands in each plane, and which groups beside it are in the lattice. */
struct column {
    int64_t group, y;
    bool inside, left, right, up[2], down[2]; /* up: y - 1, y - 2 */
};

static __device__ __forceinline__ struct column column_of(int64_t i, struct ca_size size)
{
    struct column at;
    int64_t plane = size.w * size.h;

    at.inside = i < plane;
    at.y = plane <= UINT32_MAX ? (uint32_t)i / (uint32_t)size.w : i / size.w;
    at.group = i - at.y * size.w;
    at.left = at.inside && at.group > 0;
    at.right = at.inside && at.group + 1 < size.w;
    for (int k = 0; k < 2; k++) {
        at.up[k] = at.inside && at.y > k;
        at.down[k] = at.inside && at.y + k + 1 < size.h;
    }
    return at;
}

/* cloud_group_sides in the warp, whose ends look at memory. */
static __device__ __forceinline__ struct cuda_group sides(const struct cuda_group &act,
                                                          const struct cuda_group &also,
                                                          const struct column &at,
                                                          const uint4 *here)
{
    int lane = threadIdx.x % 32;
    uint32_t before2 = __shfl_up_sync(0xffffffff, act.word[2], 1);
    uint32_t before3 = __shfl_up_sync(0xffffffff, act.word[3], 1);
    uint32_t after0 = __shfl_down_sync(0xffffffff, act.word[0], 1);
    uint32_t after1 = __shfl_down_sync(0xffffffff, act.word[1], 1);

    if (!at.left)
        before2 = before3 = 0;
    else if (lane == 0)
        before2 = here[-1].z, before3 = here[-1].w;
    if (!at.right)
        after0 = after1 = 0;
    else if (lane == 31)
        after0 = here[1].x, after1 = here[1].y;
    return cloud_group_sides(act, also, before2, before3, after0, after1);
}

/* What events take: see kernels/cuda/philox.cuh. */
struct chances {
    struct draw_keys keys;
    struct draw_chance extinct, humid, active;
};

static struct chances chances_of(const struct cloud_space &space)
{
    return {draw_keys_of(space.seed), draw_chance_of(space.extinct), draw_chance_of(space.humid),
            draw_chance_of(space.active)};
}

/* On the rule's results of plane z, see cloud_events. */
static __device__ __forceinline__ void events(struct cuda_group *hum, struct cuda_group *act,
                                              struct cuda_group *cld, const struct chances &chances,
                                              const struct draw_place &place,
                                              const struct cuda_group &inside, uint32_t z)
{
    struct cuda_group extinct = cuda_group_in_order(
        draw_event(chances.keys, place, CA_STREAM_CLOUD_EXTINCTION, z, chances.extinct));
    struct cuda_group humid = cuda_group_in_order(
        draw_event(chances.keys, place, CA_STREAM_CLOUD_HUMIDITY, z, chances.humid));
    struct cuda_group active = cuda_group_in_order(
        draw_event(chances.keys, place, CA_STREAM_CLOUD_ACTIVATION, z, chances.active));

#pragma unroll
    for (int j = 0; j < 4; j++) {
        cld->word[j] &= ~extinct.word[j];
        hum->word[j] |= humid.word[j] & inside.word[j];
        act->word[j] |= active.word[j] & inside.word[j];
    }
}

/*
 * A thread goes up a column of groups. Of the planes below and above it keeps or has what it needs,
 * of its own the rows beside come from the first cache, where other warps of the block had them.
 */
template <bool EVENTS>
__global__ static void __launch_bounds__(THREADS, EVENTS ? RESIDENT - 1 : RESIDENT)
    generation(const uint4 *__restrict__ hum_now, const uint4 *__restrict__ act_now,
               uint4 *__restrict__ hum_next, uint4 *__restrict__ act_next, uint4 *cloud,
               struct ca_size size, int planes, int64_t w, struct cuda_slab slab,
               struct chances chances, uint32_t t)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, plane = size.w * size.h;
    struct column at = column_of(i, size);
    int64_t z = (int64_t)blockIdx.y * planes, end = z + planes < size.d ? z + planes : size.d;
    int64_t offset = z * plane + i, row = size.w;
    const uint4 *here = act_now + offset;
    struct cuda_group below = cloud_group_if(at.inside && z > 1, here - 2 * plane);
    struct cuda_group last = cloud_group_if(at.inside && z > 0, here - plane);
    struct cuda_group act = cloud_group_if(at.inside, here), valid = {};
    struct draw_place drawn = {};

    if (EVENTS) {
        valid = cuda_group_inside(at.group, w);
        drawn = draw_place(chances.keys, (uint32_t)at.group, (uint32_t)at.y, t);
    }
#pragma unroll 1
    for (; z < end; z++, here += plane, offset += plane) {
        struct cuda_group above = cloud_group_if(at.inside && z + 1 < size.d, here + plane);
        struct cuda_group hum = cloud_group_if(at.inside, hum_now + offset);
        struct cuda_group north2 = cloud_group_if(at.up[1], here - 2 * row);
        struct cuda_group north = cloud_group_if(at.up[0], here - row);
        struct cuda_group south = cloud_group_if(at.down[0], here + row);
        struct cuda_group south2 = cloud_group_if(at.down[1], here + 2 * row);
        struct cuda_group near = sides(act, north, at, here), next, cld = {};

        cloud_join(&near, north2, south);
        cloud_join(&near, south2, last);
        if (EVENTS)
            cld = cloud_group_if(at.inside, cloud + offset);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            struct cloud_word cell =
                cloud_bits_rule({hum.word[j], act.word[j], cld.word[j]},
                                word_or3(near.word[j], below.word[j], above.word[j]));

            hum.word[j] = cell.hum, next.word[j] = cell.act, cld.word[j] = cell.cld;
        }
        if (EVENTS && at.inside)
            events(&hum, &next, &cld, chances, drawn, valid, (uint32_t)cuda_global(slab, z));
        if (at.inside) {
            hum_next[offset] = cuda_group_words(hum);
            act_next[offset] = cuda_group_words(next);
            if (EVENTS)
                cloud[offset] = cuda_group_words(cld);
        }
        below = last, last = act, act = above;
    }
}

enum ca_status cloud_groups_generation(struct cuda *cuda, uint64_t t, struct ca_error *error)
{
    struct cloud_groups *own = (struct cloud_groups *)cuda->own;
    int64_t plane = own->size.w * own->size.h;
    int64_t threads = plane < THREADS ? (plane + 31) / 32 * 32 : THREADS;
    dim3 grid((unsigned)((plane + threads - 1) / threads),
              (unsigned)((own->size.d + own->planes - 1) / own->planes));

    return cuda_launch(cuda, "cloud generation", own->events ? generation<true> : generation<false>,
                       grid, dim3((unsigned)threads), 0, error, own->hum, own->act, own->hum_next,
                       own->act_next, own->cloud, own->size, own->planes, cuda->size.w,
                       own->space.slab, chances_of(own->space), t);
}

void cloud_groups_swap(struct cloud_groups *own)
{
    uint4 *hum = own->hum, *act = own->act;

    own->hum = own->hum_next, own->act = own->act_next;
    own->hum_next = hum, own->act_next = act;
}

/* --- the memory ------------------------------------------------------------------------------ */

/*
 * Planes that a thread goes up: each start reads two more. Few where there are not enough threads
 * for four times as many as the device holds.
 */
static enum ca_status choose_planes(struct cuda *cuda, struct ca_error *error)
{
    struct cloud_groups *own = (struct cloud_groups *)cuda->own;
    int64_t least = (own->size.d + 65534) / 65535, planes = 64, threads;
    struct ca_cuda_device device;

    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    threads = (int64_t)4 * device.multiprocessors * RESIDENT * THREADS;
    while (planes > 1 && ca_cells(own->size) / planes < threads)
        planes /= 2;
    own->planes = (int)(planes > least ? planes : least);
    return CA_OK;
}

enum ca_status cloud_groups_plan(struct cuda *cuda, struct ca_error *error)
{
    struct cloud_groups *own = (struct cloud_groups *)cuda->own;
    int64_t count;

    own->size = {cuda_groups(cuda->size.w), cuda->size.h, cuda->size.d};
    own->space = cloud_space_of(cuda);
    own->events = cloud_has_events(own->space);
    count = ca_cells(own->size);
    cuda_want(cuda, &own->hum, count);
    cuda_want(cuda, &own->act, count);
    cuda_want(cuda, &own->cloud, count);
    if (!own->events)
        cuda_want(cuda, &own->start, count);
    cuda_want(cuda, &own->hum_next, count);
    cuda_want(cuda, &own->act_next, count);
    return choose_planes(cuda, error);
}
