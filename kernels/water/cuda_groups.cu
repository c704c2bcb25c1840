/* SPDX-License-Identifier: MIT */
/* This file keeps the planes of water's backends with four columns a lane: it moves cells in and
 * out, and knows which rows have sources, and how fast memory brings a pass. */
#include "kernels/water/cuda_groups.cuh"

#include "kernels/water/cuda_flow.cuh"
#include "kernels/water/cuda_start.cuh"

/* --- cells in and out ------------------------------------------------------------------------ */

struct water_group_floats {
    enum { PLANES = WATER_PLANES, CHANGES = WATER_LEVEL };
    typedef float value;

    float *plane[WATER_PLANES];
    int64_t pitch;

    static water_group_floats of(const struct cuda *cuda)
    {
        const struct water_groups *state = (const struct water_groups *)cuda->state;
        water_group_floats layout;

        for (int p = 0; p < WATER_PLANES; p++)
            layout.plane[p] = (float *)state->plane[p];
        layout.pitch = (int64_t)state->lattice.pitch * WATER_COLUMNS;
        return layout;
    }
    __device__ value get(int p, int64_t x, int64_t row) const { return plane[p][row * pitch + x]; }
    __device__ void put(int p, int64_t x, int64_t row, value v) const
    {
        plane[p][row * pitch + x] = v;
    }
};

static __device__ __forceinline__ bool is_overlarge(float v) { return !(fabsf(v) < WATER_HUGE); }

/* A warp looks through a row of a segment; its lanes have the columns that they have in a sweep. */
__global__ static void water_groups_find_sources(struct water_lattice lattice,
                                                 struct water_group_floats layout, uint8_t *sourced,
                                                 unsigned *overlarge, int64_t first, int64_t rows)
{
    const struct row_partition &partition = lattice.partition;
    int lane = (int)(threadIdx.x % WARP_LANES);
    int64_t warps = (int64_t)gridDim.x * blockDim.x / WARP_LANES;

    for (int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP_LANES;
         i < rows * partition.full_segments; i += warps) {
        int64_t y = first + i / partition.full_segments, segment = i % partition.full_segments;
        int64_t x = (segment * WATER_STORED_LANES + lane - WATER_HALO_LANES) * WATER_COLUMNS;
        bool has_source = false;

        for (int64_t end = x + WATER_COLUMNS; x < end; x++) {
            if (x < 0 || x >= lattice.w)
                continue;
            has_source = has_source || layout.get(WATER_SOURCE, x, y) != 0;
            for (int p = 0; p < WATER_PLANES; p++)
                if (is_overlarge(layout.get(p, x, y)))
                    *overlarge = 1;
        }
        has_source = __any_sync(0xffffffff, has_source);
        if (lane == 0)
            sourced[segment * partition.h + y] = has_source;
    }
}

static enum ca_status find_sources(struct cuda *cuda, int64_t first, int64_t rows,
                                   struct ca_error *error)
{
    const struct water_groups *state = (const struct water_groups *)cuda->state;

    return cuda_launch(cuda, "water_groups_find_sources", water_groups_find_sources,
                       cuda_line(rows * state->lattice.partition.full_segments * WARP_LANES),
                       dim3(256), 0, error, state->lattice, water_group_floats::of(cuda),
                       state->sourced, state->overlarge, first, rows);
}

typedef struct layout_floats<water_group_floats, water_sums, water_start_cells> access;

static enum ca_status load(struct cuda *cuda, void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    CA_TRY(access::load(cuda, planes, first, rows, error));
    return find_sources(cuda, first, rows, error);
}

/* The same for levels that come from another instance, as a halo: overlarge ones are told here. */
__global__ static void water_groups_load_levels(struct water_group_floats layout,
                                                struct cuda_halos halos, unsigned *overlarge,
                                                int64_t w)
{
    layout_each(w, halos.count * halos.rows, [&](int64_t row, int64_t x) {
        layout_halo_row<const float> at = layout_halo_row_at<const float>(halos, row);
        float level = at.memory[at.row * w + x];

        layout.put(WATER_LEVEL, x, at.own, level);
        if (is_overlarge(level))
            *overlarge = 1;
    });
}

static enum ca_status unpack(struct cuda *cuda, struct cuda_halos halos, struct ca_error *error)
{
    const struct water_groups *state = (const struct water_groups *)cuda->state;

    return cuda_launch(cuda, "water_groups_load_levels", water_groups_load_levels,
                       cuda_small_line(cuda, halos.count * halos.rows * cuda->size.w),
                       dim3(CUDA_SMALL_BLOCK), 0, error, water_group_floats::of(cuda), halos,
                       state->overlarge, cuda->size.w);
}

static enum ca_status init(struct cuda *cuda, bool *made, struct ca_error *error)
{
    CA_TRY(access::init(cuda, made, error));
    return *made ? find_sources(cuda, 0, ca_rows(cuda->size), error) : CA_OK;
}

const struct cuda_access water_groups_access = {
    .load = load,
    .store = access::store,
    .row_bytes = access::row_bytes,
    .pack = access::pack,
    .unpack = unpack,
    .gather = access::gather,
    .init = init,
    .survey = access::survey,
    .blocks = layout_blocks<layout_sums_of_floats<water_group_floats>>,
    .neighbours = layout_blocks<water_flow_of_floats<water_group_floats>>};

/* --- plans ------------------------------------------------------------------------------------ */

void water_groups_plan(struct cuda *cuda)
{
    struct water_groups *state = (struct water_groups *)cuda->state;
    struct water_lattice *lattice = &state->lattice;
    int64_t groups = water_groups_of(cuda->size.w), padded, cells;

    /* The last segment is as wide as the others; kernels tell by the column what exists in it. */
    padded = (groups + WATER_STORED_LANES - 1) / WATER_STORED_LANES * WATER_STORED_LANES;
    partition_columns(&lattice->partition, padded, cuda->size.h, WATER_HALO_LANES);
    lattice->w = cuda->size.w;
    lattice->pitch = (uint32_t)(groups < WARP_LANES ? groups : (groups + 7) / 8 * 8);
    lattice->mode = (enum water_mode)ca_choice(&cuda->setup.params, "source_mode");

    cells = cuda->size.h * lattice->pitch;
    for (int p = 0; p < WATER_PLANES; p++)
        cuda_reserve(cuda, &state->plane[p], cells);
    cuda_reserve_passing(cuda, &state->next, cells);
    cuda_reserve(cuda, &state->sourced, cuda->size.h * lattice->partition.full_segments);
    cuda_reserve(cuda, &state->overlarge, 1);
}

double water_bound(const struct cuda *cuda, struct cuda_shape shape, double again)
{
    const struct row_partition *partition =
        &((const struct water_groups *)cuda->state)->lattice.partition;

    shape.launches = 1;
    shape.held = 12.0 * (double)(partition->h * partition->groups) * WATER_COLUMNS;
    shape.moved = shape.held * (1 + again);
    return cuda_bound_s(&cuda->facts, &shape);
}

/* --- passes ----------------------------------------------------------------------------------- */

struct water_lattice water_groups_now(const struct water_groups *state)
{
    struct water_lattice lattice = state->lattice;

    lattice.terrain = state->plane[WATER_TERRAIN];
    lattice.level = state->plane[WATER_LEVEL];
    lattice.source = state->plane[WATER_SOURCE];
    lattice.next = state->next;
    lattice.sourced = state->sourced;
    lattice.overlarge = state->overlarge;
    return lattice;
}

void water_groups_swap(struct cuda *cuda)
{
    struct water_groups *state = (struct water_groups *)cuda->state;
    float4 *level = state->plane[WATER_LEVEL];

    state->plane[WATER_LEVEL] = state->next;
    state->next = level;
}
