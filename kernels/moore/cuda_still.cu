/* SPDX-License-Identifier: MIT */
/* This file lists the tiles that are not still, compares states, and decides which passes skip. */
#include "kernels/moore/cuda_still.cuh"

/* --- kernels --------------------------------------------------------------------------------- */

/* Of `count` rows or columns of tiles, the one before or behind; the first follows the last. */
static __device__ uint32_t tile_before(uint32_t i, uint32_t count)
{
    return i > 0 ? i - 1 : count - 1;
}

static __device__ uint32_t tile_behind(uint32_t i, uint32_t count)
{
    return i + 1 < count ? i + 1 : 0;
}

/*
 * Whether a tile or what is up to n cells from it has changed. All tiles have at least n rows and
 * columns, but for those of the lattice's last row of tiles, which may be `low`, and those of the
 * narrow column: beside these, what lies beyond them counts, too.
 */
static __device__ bool tile_active(const struct row_partition &partition, const uint8_t *changed,
                                   uint32_t segment, uint32_t chunk, bool low)
{
    const uint32_t columns = moore_still_columns(partition), chunks = partition.chunks;
    const uint32_t narrow = partition.narrow_groups > 0 ? columns - 1 : columns;
    const uint32_t left = tile_before(segment, columns), right = tile_behind(segment, columns);
    const uint32_t above = tile_before(chunk, chunks), below = tile_behind(chunk, chunks);
    const uint32_t near_rows[] = {above, chunk, below}, near_columns[] = {left, segment, right};
    uint32_t any = 0;

#pragma unroll
    for (uint32_t row : near_rows)
#pragma unroll
        for (uint32_t column : near_columns)
            any |= changed[(size_t)row * columns + column];
    if (left == narrow || right == narrow || (low && (above == chunks - 1 || below == chunks - 1)))
        for (int row = -2; row <= 2; row++)
            for (int column = -2; column <= 2; column++)
                any |= changed[(chunk + row + 2 * (size_t)chunks) % chunks * columns +
                               (segment + column + 2 * columns) % columns];
    return any != 0;
}

/* Lists the shares of warps; the other count is emptied for the next list. */
__global__ static void moore_cuda_still_list(struct moore_bits_layout layout, int n,
                                             const uint8_t *changed, uint32_t *list,
                                             uint32_t *count, uint32_t *other)
{
    uint32_t full = layout.full_segments * layout.bands.count;
    bool low = layout.h - (int64_t)(layout.chunks - 1) * layout.rows < n;

    cuda_begin_early();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *other = 0;
    for (uint32_t warp = blockIdx.x * blockDim.x + threadIdx.x; warp < layout.warps;
         warp += gridDim.x * blockDim.x) {
        bool active = false;

        if (warp < full) {
            active = tile_active(layout, changed, warp % layout.full_segments,
                                 warp / layout.full_segments, low);
        } else {
            uint32_t chunk = (warp - full) * layout.segments_per_warp;

            for (int i = 0; i < layout.segments_per_warp && chunk + i < layout.chunks; i++)
                active =
                    active || tile_active(layout, changed, layout.full_segments, chunk + i, low);
        }
        if (active)
            list[atomicAdd(count, 1)] = warp;
    }
}

/* Compares two states tile by tile. */
__global__ static void moore_cuda_still_compare(const uint4 *__restrict__ one,
                                                const uint4 *__restrict__ other,
                                                struct moore_bits_layout layout, int64_t w,
                                                uint8_t *changed)
{
    struct segment_work work;
    struct segment_lane place;
    struct cuda_group inside;
    bool differs = false;
    int64_t at;

    if (!segment_begin(layout, &work))
        return;
    inside = moore_bits_inside(work.column.group, w);
    place = work.column;
    moore_bits_locate(layout, &place);
    at = work.y * layout.pitch + place.group;
    for (int y = 0; y < layout.rows; y++, at += layout.pitch) {
        if (y < work.rows)
            differs = differs || moore_still_differ(one[at], other[at], inside);
        if (work.segment < layout.full_segments && __any_sync(0xffffffff, differs))
            break;
    }
    moore_still_keep(layout, work, differs, changed);
}

/* --- plan ------------------------------------------------------------------------------------ */

struct moore_bits_layout moore_still_layout(const struct moore_bits *bits)
{
    struct moore_bits_layout layout = bits->layout;

    layout.bands.stored = {0, layout.h};
    partition_rows(&layout, MOORE_STILL_ROWS);
    return layout;
}

void moore_still_plan(struct cuda *cuda, struct moore_still_state *still,
                      const struct moore_bits *bits)
{
    struct moore_bits_layout layout = moore_still_layout(bits);

    still->wanted = (enum moore_still)ca_choice(&cuda->setup.options, "still");
    if (cuda_halo(cuda) > 0) /* what is received would have to be compared */
        still->wanted = MOORE_STILL_OFF;
    if (still->wanted == MOORE_STILL_AUTO &&
        !moore_still_pays(cuda->plan.generations * cuda->plan.step_s, 1, 0))
        still->wanted = MOORE_STILL_OFF;
    if (still->wanted == MOORE_STILL_OFF)
        return;
    cuda_reserve_passing(cuda, &still->changed,
                         (int64_t)layout.chunks * moore_still_columns(layout));
    cuda_reserve_passing(cuda, &still->list, (int64_t)layout.warps);
    cuda_reserve_passing(cuda, &still->counts, 2);
}

enum ca_status moore_still_start(struct cuda *cuda, struct moore_still_state *still,
                                 struct ca_error *error)
{
    if (still->wanted != MOORE_STILL_AUTO)
        return CA_OK;
    CUDA_TRY(cuda, cudaMallocHost(&still->counted, sizeof *still->counted), error);
    CUDA_TRY(cuda, cudaEventCreateWithFlags(&still->arrived, cudaEventDisableTiming), error);
    return CA_OK;
}

void moore_still_stop(struct moore_still_state *still)
{
    if (still->arrived)
        cudaEventDestroy(still->arrived);
    if (still->counted)
        cudaFreeHost(still->counted);
}

/* --- passes ---------------------------------------------------------------------------------- */

static enum ca_status make_list(struct cuda *cuda, struct moore_still_state *still,
                                const struct moore_bits_layout *layout, int n,
                                struct ca_error *error)
{
    still->parity = !still->parity;
    return cuda_launch_early(cuda, "moore_cuda_still_list", moore_cuda_still_list,
                             cuda_line(layout->warps), dim3(256), 0, error, *layout, n,
                             still->changed, still->list, still->counts + still->parity,
                             still->counts + !still->parity);
}

/* Takes the last count, which the device has made long since, into account. */
static enum ca_status take_count(struct cuda *cuda, struct moore_still_state *still, double pass_s,
                                 double tile_work, struct ca_error *error)
{
    if (!still->counting)
        return CA_OK;
    CA_TRY(cuda_check(cuda, cudaEventSynchronize(still->arrived), "step", error));
    still->counting = false;
    still->choice.skips = moore_still_pays(pass_s, tile_work, *still->counted / still->count_all);
    return CA_OK;
}

enum ca_status moore_still_before(struct cuda *cuda, struct moore_still_state *still,
                                  const struct moore_bits *bits, int n, double pass_s,
                                  double tile_work, struct moore_still_pass *pass,
                                  struct ca_error *error)
{
    struct moore_bits_layout layout = moore_still_layout(bits);
    bool known = still->generations == n && still->writes == cuda->writes;

    *pass = {};
    if (still->wanted == MOORE_STILL_OFF)
        return CA_OK;
    if (still->wanted == MOORE_STILL_AUTO && moore_still_pays(pass_s, tile_work, 0)) {
        pass->counts = moore_still_counts(&still->choice);
        if (pass->counts)
            CA_TRY(take_count(cuda, still, pass_s, tile_work, error));
    }
    pass->skips = known && (still->choice.skips || still->wanted == MOORE_STILL_ON);
    pass->compares =
        !pass->skips && (still->choice.skips || still->wanted == MOORE_STILL_ON || pass->counts);
    if (pass->skips)
        CA_TRY(make_list(cuda, still, &layout, n, error));
    pass->tiles = {still->list, still->counts + still->parity, still->changed};
    return CA_OK;
}

enum ca_status moore_still_after(struct cuda *cuda, struct moore_still_state *still,
                                 const struct moore_bits *bits, int n,
                                 const struct moore_still_pass *pass, struct ca_error *error)
{
    struct moore_bits_layout layout = moore_still_layout(bits);

    still->generations = pass->skips || pass->compares ? n : 0;
    still->writes = cuda->writes;
    if (pass->compares)
        CA_TRY(cuda_launch(cuda, "moore_cuda_still_compare", moore_cuda_still_compare,
                           dim3((unsigned)partition_blocks(&layout)), dim3(SEGMENT_THREADS), 0,
                           error, bits->now, bits->next, layout, cuda->size.w, still->changed));
    if (!pass->counts)
        return CA_OK;
    if (!pass->skips)
        CA_TRY(make_list(cuda, still, &layout, n, error));
    CUDA_TRY(cuda,
             cudaMemcpyAsync(still->counted, still->counts + still->parity, sizeof *still->counted,
                             cudaMemcpyDeviceToHost, cuda->stream),
             error);
    CUDA_TRY(cuda, cudaEventRecord(still->arrived, cuda->stream), error);
    still->counting = true;
    still->count_all = layout.warps;
    return CA_OK;
}
