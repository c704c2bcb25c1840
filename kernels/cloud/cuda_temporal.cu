/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-temporal of cloud: cuda-bitslice with two to four generations a pass over memory.
 *
 * Growth moves half a byte a cell and pass, so a pass should take more than one generation. A block
 * sweeps up the planes with a tile of rows and takes each plane through all generations of the pass
 * in registers. Each thread has two rows of a group. When plane p of generation 0 arrives, plane
 * p - 1 of generation 1 has all that it waits for but rows beside, so plane p - 2 of generation 2
 * has, and so on: the active cells of all generations are known before a row beside is needed.
 * Threads publish them in shared memory, all generations at once, with one barrier a plane; the
 * rows beside, two on each side, are just those of the threads above and below.
 *
 *     group, 2 rows     stage k, which makes generation k + 1, keeps in four words for each row:
 *       +---------+       hum   of plane p, without the cells that were active
 *     y |         |       any_act: neighbours of plane p, without what plane p + 1 adds
 *   y+1 |         |       below active in plane p or p - 1, for p + 1
 *       +---------+       last  active in plane p
 *
 * A tile has whole rows of up to 32 groups, several rows side by side in a warp if they are short;
 * or rows are cut, and the first and last lane of a cut are halo, which makes tiles narrower and
 * higher. Halo are also two rows a generation at the upper and lower end of a tile that does not
 * have all rows, and three planes a generation at the start of a chunk of planes. All halo is
 * computed twice, so tiles are as high as the registers of a multiprocessor allow. With two
 * generations a pass is bound by memory; with three, by memory and logic alike.
 *
 * Events are refused: their draws bind, not memory. A generation that is left over alone goes
 * through cuda-bitslice's kernel.
 */
#include "kernels/cloud/cuda_bits.cuh"

#define GENERATIONS_MAX 4
/* Warps of a block: registers of 65,536 that a multiprocessor has hold no more. */
#define WARPS(generations) ((generations) == 2 ? 16 : (generations) == 3 ? 12 : 8)
#define THREADS(generations) (WARPS(generations) * CLOUD_LANES)
#define ROWS 2 /* of a thread */

/* How blocks share a lattice: tiles in x and y, and chunks of planes. */
struct sweep {
    int generations, warps;
    int lanes, halo_lanes; /* of a row of groups; of these at each end */
    int warp_pairs;        /* pairs of rows side by side in a warp */
    int halo_rows;         /* of a tile at each end */
    int64_t rows, planes;  /* that a tile stores; of a chunk */
    uint32_t tiles_x, tiles_y, chunks;
    struct cuda_bands bands; /* the chunks that are launched, and the planes that all store */
    int resident;            /* blocks that a multiprocessor can hold */
    double step_s;           /* of a generation, at least */
};

struct temporal {
    struct cloud_cuda_bits bits;             /* first: see cloud_cuda_bits_plan */
    struct sweep sweep[GENERATIONS_MAX + 1]; /* by generations, from 2 on */
    int generations;                         /* of a pass, at most */
};

/* --- the kernel ------------------------------------------------------------------------------ */

struct stage {
    struct cuda_group hum[ROWS], any_act[ROWS], below[ROWS], last[ROWS];
};

/* The active cells that threads publish; the slot behind the last thread's stays empty. */
template <int GENERATIONS> struct row_buffer {
    uint4 row[GENERATIONS][ROWS][THREADS(GENERATIONS) + 1];
};

struct position {
    int64_t at; /* index of the first row's group in plane 0 */
    bool in_lattice[ROWS], stores[ROWS];
    int above, below; /* slots of the threads with the rows beside */
    struct cloud_row_ends ends;
};

static __device__ __forceinline__ struct position
position_of(struct ca_size size, const struct sweep &sweep, int empty_slot)
{
    int thread = threadIdx.x, lane = thread % CLOUD_LANES, segment = lane / sweep.lanes;
    int column = lane - segment * sweep.lanes;
    int pair = thread / CLOUD_LANES * sweep.warp_pairs + segment;
    uint32_t tile_y = blockIdx.x / sweep.tiles_x % sweep.tiles_y;
    int64_t group =
        (int64_t)(blockIdx.x % sweep.tiles_x) * (sweep.lanes - 2 * sweep.halo_lanes) + column;
    int64_t y = tile_y * sweep.rows - sweep.halo_rows;
    bool in_row = segment < sweep.warp_pairs, stores;
    struct position position;

    group -= sweep.halo_lanes;
    in_row = in_row && group >= 0 && group < size.w;
    stores = in_row && column >= sweep.halo_lanes && column < sweep.lanes - sweep.halo_lanes;
    position.at = (y + ROWS * pair) * size.w + group;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int64_t row = ROWS * pair + r - sweep.halo_rows;

        position.in_lattice[r] = in_row && y + ROWS * pair + r >= 0 && y + ROWS * pair + r < size.h;
        position.stores[r] = position.in_lattice[r] && stores && row >= 0 && row < sweep.rows;
    }
    position.above = pair == 0     ? empty_slot
                     : segment > 0 ? thread - sweep.lanes
                                   : thread - CLOUD_LANES + (sweep.warp_pairs - 1) * sweep.lanes;
    position.below = pair + 1 >= (int)blockDim.x / CLOUD_LANES * sweep.warp_pairs ? empty_slot
                     : segment + 1 < sweep.warp_pairs
                         ? thread + sweep.lanes
                         : thread + CLOUD_LANES - segment * sweep.lanes;
    position.ends = cloud_row_ends_of(column > 0, column + 1 < sweep.lanes);
    return position;
}

/*
 * Takes the active cells of plane p of a generation and replaces them by those of plane p - 1 of
 * the next generation. What other threads' rows add to `any_act` is still missing afterwards.
 */
template <bool MASK_ENDS>
static __device__ __forceinline__ void advance(struct stage *stage, struct cuda_group act[ROWS],
                                               const struct cloud_row_ends &ends)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        struct cuda_group any_act =
            cloud_warp_row_neighbours<MASK_ENDS>(act[r], stage->below[r], ends);

#pragma unroll
        for (int j = 0; j < 4; j++) {
            word now = act[r].word[j];

            act[r].word[j] = stage->hum[r].word[j] & (stage->any_act[r].word[j] | now);
            stage->any_act[r].word[j] = any_act.word[j];
            stage->below[r].word[j] = now | stage->last[r].word[j];
            stage->last[r].word[j] = now;
        }
    }
}

/* Then hum moves a stage on, the last stage's first, less what was active; plane p of generation 0
 * enters the first stage. */
template <int GENERATIONS>
static __device__ __forceinline__ void advance_hum(struct stage stage[GENERATIONS],
                                                   const struct cuda_group hum[ROWS])
{
#pragma unroll
    for (int k = GENERATIONS - 1; k >= 0; k--)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                word was = k > 0 ? stage[k - 1].hum[r].word[j] : hum[r].word[j];

                stage[k].hum[r].word[j] = was & ~stage[k].last[r].word[j];
            }
}

/* Adds the two rows on either side, and the thread's own to each other. */
static __device__ __forceinline__ void add_rows(struct stage *stage, const uint4 *row0,
                                                const uint4 *row1, const struct position &position)
{
    struct cuda_group above2 = cuda_group_of(row0[position.above]);
    struct cuda_group above = cuda_group_of(row1[position.above]);
    struct cuda_group below = cuda_group_of(row0[position.below]);
    struct cuda_group below2 = cuda_group_of(row1[position.below]);

#pragma unroll
    for (int j = 0; j < 4; j++) {
        word rows = stage->last[0].word[j] | stage->last[1].word[j]; /* a cell may count itself */
        word both = word_or3(rows, above.word[j], below.word[j]);

        stage->any_act[0].word[j] = word_or3(stage->any_act[0].word[j], above2.word[j], both);
        stage->any_act[1].word[j] = word_or3(stage->any_act[1].word[j], below2.word[j], both);
    }
}

template <int GENERATIONS, bool MASK_ENDS>
__global__ static void __launch_bounds__(THREADS(GENERATIONS), 1)
    cloud_cuda_temporal_step(const uint4 *__restrict__ hum_now, const uint4 *__restrict__ act_now,
                             uint4 *__restrict__ hum_next, uint4 *__restrict__ act_next,
                             struct ca_size size, struct sweep sweep)
{
    extern __shared__ uint4 shared[];
    struct row_buffer<GENERATIONS> *buffers =
        (struct row_buffer<GENERATIONS> *)shared; /* two, used alternately */
    struct position position = position_of(size, sweep, THREADS(GENERATIONS));
    int64_t plane = size.w * size.h;
    int64_t from =
        sweep.bands.stored.from +
        cuda_band(sweep.bands, blockIdx.x / sweep.tiles_x / sweep.tiles_y) * sweep.planes;
    int64_t end =
        from + sweep.planes < sweep.bands.stored.end ? from + sweep.planes : sweep.bands.stored.end;
    int64_t first = from > 2 * GENERATIONS ? from - 2 * GENERATIONS : 0;
    int64_t at = position.at + first * plane;
    struct stage stage[GENERATIONS] = {};
    struct cuda_group hum_ahead[ROWS], act_ahead[ROWS];

    if (threadIdx.x < 4 * GENERATIONS)
        buffers[threadIdx.x & 1]
            .row[threadIdx.x / 4][threadIdx.x / 2 % 2][THREADS(GENERATIONS)] = {};
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        hum_ahead[r] = cloud_group_if(position.in_lattice[r], hum_now + at + r * size.w);
        act_ahead[r] = cloud_group_if(position.in_lattice[r], act_now + at + r * size.w);
    }
#pragma unroll 1
    for (int64_t p = first; p < end + GENERATIONS; p++) {
        struct row_buffer<GENERATIONS> *buffer = buffers + (p & 1);
        struct cuda_group hum[ROWS], act[ROWS];

        at += plane;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            hum[r] = hum_ahead[r];
            act[r] = act_ahead[r];
            if (p + 1 >= size.d)
                hum_ahead[r] = act_ahead[r] = {};
            else if (position.in_lattice[r]) { /* others have zeros from the start */
                hum_ahead[r] = cuda_group_of(hum_now[at + r * size.w]);
                act_ahead[r] = cuda_group_of(act_now[at + r * size.w]);
            }
        }
#pragma unroll
        for (int k = 0; k < GENERATIONS; k++) {
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                buffer->row[k][r][threadIdx.x] = cuda_group_words(act[r]);
            advance<MASK_ENDS>(&stage[k], act, position.ends);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (position.stores[r] && p >= from + GENERATIONS) {
                int64_t to = at - (GENERATIONS + 1) * plane + r * size.w;

                hum_next[to] = cuda_group_words(stage[GENERATIONS - 1].hum[r]);
                act_next[to] = cuda_group_words(act[r]);
            }
        advance_hum<GENERATIONS>(stage, hum);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < GENERATIONS; k++)
            add_rows(&stage[k], buffer->row[k][0], buffer->row[k][1], position);
    }
}

typedef void temporal_kernel(const uint4 *__restrict__ hum_now, const uint4 *__restrict__ act_now,
                             uint4 *__restrict__ hum_next, uint4 *__restrict__ act_next,
                             struct ca_size size, struct sweep sweep);

#define KERNELS(generations)                                                                       \
    {                                                                                              \
        {cloud_cuda_temporal_step<generations, true>,                                              \
         cloud_cuda_temporal_step<generations, false>},                                            \
            2 * sizeof(struct row_buffer<generations>), WARPS(generations)                         \
    }

static const struct {
    temporal_kernel *kernel[2]; /* for whole rows; for cut rows, whose ends are halo */
    size_t shared_bytes;
    int warps;
} kernels[GENERATIONS_MAX + 1] = {{}, {}, KERNELS(2), KERNELS(3), KERNELS(4)};

/* --- the shape of a sweep -------------------------------------------------------------------- */

/* Tiles in x and y; false if a tile would be all halo. */
static bool cut_tiles(struct sweep *sweep, struct ca_size size, int lanes)
{
    int64_t rows, tiles_x, tiles_y;

    sweep->halo_lanes = size.w > lanes;
    sweep->lanes = sweep->halo_lanes ? lanes : (int)size.w;
    sweep->warp_pairs = CLOUD_LANES / sweep->lanes;
    rows = (int64_t)ROWS * sweep->warps * sweep->warp_pairs;
    sweep->halo_rows = rows < size.h ? 2 * sweep->generations : 0;
    sweep->rows = rows - 2 * sweep->halo_rows;
    if (sweep->rows < 1 || sweep->lanes <= 2 * sweep->halo_lanes)
        return false;
    tiles_x = ca_divide_up(size.w, sweep->lanes - 2 * sweep->halo_lanes);
    tiles_y = ca_divide_up(size.h, sweep->rows);
    sweep->tiles_x = (uint32_t)tiles_x;
    sweep->tiles_y = (uint32_t)tiles_y;
    return tiles_x * tiles_y < 1 << 30;
}

/* The least seconds of a generation. A plane's halo comes a second time. */
static double temporal_bound(const struct cuda *cuda, const struct sweep *sweep,
                             struct ca_size size)
{
    double n = sweep->generations, planes = (double)sweep->planes + 3 * n;
    int64_t blocks = (int64_t)sweep->tiles_x * sweep->tiles_y * sweep->chunks;
    double groups = planes * sweep->warps * CLOUD_LANES * ROWS;

    return cloud_bound(
        cuda, {.generations = n,
               .blocks = blocks,
               .warps = (double)sweep->warps,
               .resident = (double)sweep->resident,
               .ops = cuda_ops_of(cuda, n * groups * 128),
               .barriers = planes,
               .moved = 2 * cloud_plane_bytes(size) + 2 * (double)blocks * groups * sizeof(uint4)});
}

/* Tries ever larger numbers of chunks of planes and keeps the one that costs least. */
static void choose_chunks(const struct cuda *cuda, struct sweep *sweep, struct ca_size size,
                          int64_t planes)
{
    int64_t depth = cuda_stored_layers(cuda, sweep->generations);
    struct sweep least = *sweep;
    int64_t most = (INT64_C(1) << 31) / ((int64_t)sweep->tiles_x * sweep->tiles_y) - 1;

    for (int64_t chunks = 1; chunks <= most && chunks <= depth; chunks += 1 + chunks / 16) {
        sweep->planes = ca_divide_up(depth, chunks);
        if (planes)
            sweep->planes = planes > size.d / most ? planes : ca_divide_up(size.d, most);
        sweep->chunks = (uint32_t)ca_divide_up(depth, sweep->planes);
        sweep->step_s = temporal_bound(cuda, sweep, size);
        if (chunks == 1 || sweep->step_s < least.step_s)
            least = *sweep;
    }
    *sweep = least;
}

/* The best sweep of so many generations; its warps are 0 if there is none. */
static struct sweep choose_sweep(const struct cuda *cuda, int generations)
{
    const struct ca_values *options = &cuda->setup.options;
    const struct cloud_cuda_bits *bits = (const struct cloud_cuda_bits *)cuda->state;
    int warps_option = (int)ca_int(options, "warps"), lanes_option = (int)ca_int(options, "lanes");
    int warps_max = kernels[generations].warps;
    int resident = (int)(cuda->facts.shared_bytes / (int64_t)kernels[generations].shared_bytes);
    struct sweep best = {};

    for (int warps = warps_max; warps > 0 && resident > 0; warps--)
        for (int lanes = CLOUD_LANES; lanes > 2; lanes--) {
            bool asked = warps == warps_option, best_asked = best.warps == warps_option;
            struct sweep tried = {};

            tried.generations = generations;
            tried.warps = warps;
            tried.resident = resident < warps_max / warps ? resident : warps_max / warps;
            if (!cut_tiles(&tried, bits->size, lanes_option ? lanes_option : lanes))
                continue;
            choose_chunks(cuda, &tried, bits->size, ca_int(options, "planes"));
            if (best.warps == 0 || (asked == best_asked ? tried.step_s < best.step_s : asked))
                best = tried;
        }
    return best;
}

/* --- the backend ----------------------------------------------------------------------------- */

static enum ca_status check_options(const struct cuda *cuda, struct ca_error *error)
{
    int64_t generations = ca_int(&cuda->setup.options, "generations");
    int64_t lanes = ca_int(&cuda->setup.options, "lanes");

    if (generations == 1)
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal: generations is 1, allowed are 0 (chosen) and 2 to %d; "
                       "cuda-bitslice takes one generation a pass",
                       GENERATIONS_MAX);
    if (lanes == 1 || lanes == 2)
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal: lanes is %d, allowed are 0 (chosen) and 3 to %d", (int)lanes,
                       CLOUD_LANES);
    return CA_OK;
}

/* Why there is no sweep of so many generations. */
static enum ca_status refuse(const struct cuda *cuda, int generations, struct ca_error *error)
{
    if (cuda->facts.shared_bytes < (int64_t)kernels[generations].shared_bytes)
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal needs %zu bytes of shared memory a block for %d generations "
                       "a pass, GPU %d has %lld",
                       kernels[generations].shared_bytes, generations, cuda->device,
                       (long long)cuda->facts.shared_bytes);
    return ca_fail(error, CA_USAGE,
                   "cuda-temporal: with lanes=%d a tile is all halo in %d generations a pass; take "
                   "fewer lanes or generations",
                   (int)ca_int(&cuda->setup.options, "lanes"), generations);
}

static enum ca_status cloud_cuda_temporal_plan(struct cuda *cuda, struct ca_error *error)
{
    struct temporal *state = (struct temporal *)cuda->state;
    int asked = (int)ca_int(&cuda->setup.options, "generations");
    const struct sweep *sweep = state->sweep;

    CA_TRY(check_options(cuda, error));
    CA_TRY(cloud_cuda_bits_plan_growth(cuda, error));
    for (int n = 2; n <= (asked ? asked : GENERATIONS_MAX); n++) {
        state->sweep[n] = choose_sweep(cuda, n);
        if (sweep[n].warps == 0) {
            if (asked || n == 2)
                return refuse(cuda, n, error);
            break;
        }
        if (asked || n == 2 || sweep[n].step_s < sweep[state->generations].step_s)
            state->generations = n;
    }
    sweep += state->generations;
    cuda->plan.generations = state->generations;
    cuda->plan.step_s = sweep->step_s;
    cuda_plan_variant(cuda, "sweep with tiles of %lld rows", (long long)sweep->rows);
    cuda_plan_launch(cuda, dim3(sweep->tiles_x * sweep->tiles_y * sweep->chunks),
                     dim3((unsigned)(sweep->warps * CLOUD_LANES)),
                     kernels[sweep->generations].shared_bytes);
    return CA_OK;
}

static struct cuda_band_sizes cloud_cuda_temporal_bands(const struct cuda *cuda, int n)
{
    const struct sweep *sweep = &((const struct temporal *)cuda->state)->sweep[n];

    if (n == 1)
        return {};
    return {ca_divide_up(cuda_layers_count(cuda->stored), sweep->planes), sweep->planes};
}

static enum ca_status cloud_cuda_temporal_pass(struct cuda *cuda, uint64_t t, int generations,
                                               struct ca_error *error)
{
    const struct temporal *state = (const struct temporal *)cuda->state;
    const struct cloud_cuda_bits *bits = &state->bits;
    struct sweep sweep = state->sweep[generations];

    if (generations == 1)
        return cloud_cuda_bits_generation(cuda, t, generations, error);
    sweep.bands = cuda->bands;
    return cuda_launch(
        cuda, "cloud_cuda_temporal_step", kernels[generations].kernel[sweep.halo_lanes],
        dim3(sweep.tiles_x * sweep.tiles_y * sweep.bands.count),
        dim3((unsigned)(sweep.warps * CLOUD_LANES)), kernels[generations].shared_bytes, error,
        bits->hum, bits->act, bits->hum_next, bits->act_next, bits->size, sweep);
}

CUDA_OPS(cloud_cuda_temporal) = CLOUD_BITS_OPS(temporal, cloud_cuda_temporal_plan,
                                               cloud_cuda_temporal_pass,
                                               .bands = cloud_cuda_temporal_bands);
