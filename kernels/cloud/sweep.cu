/* SPDX-License-Identifier: MIT */
/* Owns the kernels of cloud's sweeps, and how they cut a lattice. */
#include "kernels/cloud/sweep.cuh"

/* Warps of a block, whose registers are all that a multiprocessor of 65,536 has. */
#define WARPS(generations) ((generations) == 2 ? 16 : (generations) == 3 ? 12 : 8)
#define THREADS(generations) (WARPS(generations) * SWEEP_LANES)

/* --- the sweep ------------------------------------------------------------------------------- */

#define ROWS 2 /* of a thread */

struct stage {
    struct cuda_group hum[ROWS], near[ROWS], below[ROWS], last[ROWS];
};

/* Rows of all threads by generation and number; the last thread is none, whose rows are empty. */
template <int GENERATIONS> struct rows_shown {
    uint4 row[GENERATIONS][ROWS][THREADS(GENERATIONS) + 1];
};

struct place {
    int64_t at; /* of the first row in plane 0, from the lattice's first group */
    bool is[ROWS], own[ROWS];
    int above, below; /* threads */
    struct cloud_taps taps;
};

static __device__ __forceinline__ struct place place_of(struct ca_size size,
                                                        const struct cloud_cut &cut, int nobody)
{
    int thread = threadIdx.x, lane = thread % SWEEP_LANES, part = lane / cut.lanes;
    int column = lane - part * cut.lanes, pair = thread / SWEEP_LANES * cut.parts + part;
    uint32_t tile = blockIdx.x / cut.across % cut.down;
    int64_t group = (int64_t)(blockIdx.x % cut.across) * (cut.lanes - 2 * cut.halo) + column;
    int64_t y = tile * cut.rows - cut.ghosts;
    bool is = part < cut.parts, keeps;
    struct place place;

    group -= cut.halo;
    is = is && group >= 0 && group < size.w;
    keeps = is && column >= cut.halo && column < cut.lanes - cut.halo;
    place.at = (y + ROWS * pair) * size.w + group;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int64_t own = ROWS * pair + r - cut.ghosts;

        place.is[r] = is && y + ROWS * pair + r >= 0 && y + ROWS * pair + r < size.h;
        place.own[r] = place.is[r] && keeps && own >= 0 && own < cut.rows;
    }
    place.above = pair == 0  ? nobody
                  : part > 0 ? thread - cut.lanes
                             : thread - SWEEP_LANES + (cut.parts - 1) * cut.lanes;
    place.below = pair + 1 >= (int)blockDim.x / SWEEP_LANES * cut.parts ? nobody
                  : part + 1 < cut.parts                                ? thread + cut.lanes
                                         : thread + SWEEP_LANES - part * cut.lanes;
    place.taps = cloud_taps_of(column > 0, column + 1 < cut.lanes);
    return place;
}

/*
 * What is active in plane p of a generation comes in, and in plane p - 1 of the next takes its
 * place. What rows of other threads add to `near` is still missing afterwards.
 */
template <bool TAPS>
static __device__ __forceinline__ void feed(struct stage *stage, struct cuda_group act[ROWS],
                                            const struct cloud_taps &taps)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        struct cuda_group near = cloud_lane_sides<TAPS>(act[r], stage->below[r], taps);

#pragma unroll
        for (int j = 0; j < 4; j++) {
            word now = act[r].word[j];

            act[r].word[j] = stage->hum[r].word[j] & (stage->near[r].word[j] | now);
            stage->near[r].word[j] = near.word[j];
            stage->below[r].word[j] = now | stage->last[r].word[j];
            stage->last[r].word[j] = now;
        }
    }
}

/* Then hum moves on, the last generation's first, less what was active: plane p of the first. */
template <int GENERATIONS>
static __device__ __forceinline__ void dry(struct stage stage[GENERATIONS],
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

/* The two rows on either side, and the thread's own. */
static __device__ __forceinline__ void add_rows(struct stage *stage, const uint4 *row0,
                                                const uint4 *row1, const struct place &place)
{
    struct cuda_group up2 = cuda_group_of(row0[place.above]);
    struct cuda_group up = cuda_group_of(row1[place.above]);
    struct cuda_group down = cuda_group_of(row0[place.below]);
    struct cuda_group down2 = cuda_group_of(row1[place.below]);

#pragma unroll
    for (int j = 0; j < 4; j++) {
        word own = stage->last[0].word[j] | stage->last[1].word[j]; /* each row is beside one */
        word both = word_or3(own, up.word[j], down.word[j]);

        stage->near[0].word[j] = word_or3(stage->near[0].word[j], up2.word[j], both);
        stage->near[1].word[j] = word_or3(stage->near[1].word[j], down2.word[j], both);
    }
}

template <int GENERATIONS, bool TAPS>
__global__ static void __launch_bounds__(THREADS(GENERATIONS), 1)
    sweep(const uint4 *__restrict__ hum_now, const uint4 *__restrict__ act_now,
          uint4 *__restrict__ hum_next, uint4 *__restrict__ act_next, struct ca_size size,
          struct cloud_cut cut)
{
    extern __shared__ uint4 shared[];
    struct rows_shown<GENERATIONS> *edges =
        (struct rows_shown<GENERATIONS> *)shared; /* of two planes */
    struct place place = place_of(size, cut, THREADS(GENERATIONS));
    int64_t plane = size.w * size.h, from = blockIdx.x / cut.across / cut.down * cut.planes;
    int64_t end = from + cut.planes < size.d ? from + cut.planes : size.d;
    int64_t first = from > 2 * GENERATIONS ? from - 2 * GENERATIONS : 0;
    int64_t at = place.at + first * plane;
    struct stage stage[GENERATIONS] = {};
    struct cuda_group hum_ahead[ROWS], act_ahead[ROWS];

    if (threadIdx.x < 4 * GENERATIONS)
        edges[threadIdx.x & 1].row[threadIdx.x / 4][threadIdx.x / 2 % 2][THREADS(GENERATIONS)] = {};
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        hum_ahead[r] = cloud_group_if(place.is[r], hum_now + at + r * size.w);
        act_ahead[r] = cloud_group_if(place.is[r], act_now + at + r * size.w);
    }
#pragma unroll 1
    for (int64_t p = first; p < end + GENERATIONS; p++) {
        struct rows_shown<GENERATIONS> *shown = edges + (p & 1);
        struct cuda_group hum[ROWS], act[ROWS];

        at += plane;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            hum[r] = hum_ahead[r];
            act[r] = act_ahead[r];
            if (p + 1 >= size.d)
                hum_ahead[r] = act_ahead[r] = {};
            else if (place.is[r]) { /* others have zeros from the start */
                hum_ahead[r] = cuda_group_of(hum_now[at + r * size.w]);
                act_ahead[r] = cuda_group_of(act_now[at + r * size.w]);
            }
        }
#pragma unroll
        for (int k = 0; k < GENERATIONS; k++) {
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                shown->row[k][r][threadIdx.x] = cuda_group_words(act[r]);
            feed<TAPS>(&stage[k], act, place.taps);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (place.own[r] && p >= from + GENERATIONS) {
                int64_t to = at - (GENERATIONS + 1) * plane + r * size.w;

                hum_next[to] = cuda_group_words(stage[GENERATIONS - 1].hum[r]);
                act_next[to] = cuda_group_words(act[r]);
            }
        dry<GENERATIONS>(stage, hum);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < GENERATIONS; k++)
            add_rows(&stage[k], shown->row[k][0], shown->row[k][1], place);
    }
}

typedef void sweep_kernel(const uint4 *__restrict__ hum_now, const uint4 *__restrict__ act_now,
                          uint4 *__restrict__ hum_next, uint4 *__restrict__ act_next,
                          struct ca_size size, struct cloud_cut cut);

#define SWEEP(generations)                                                                         \
    {                                                                                              \
        {sweep<generations, true>, sweep<generations, false>},                                     \
            2 * sizeof(struct rows_shown<generations>), WARPS(generations)                         \
    }

static const struct {
    sweep_kernel *kernel[2]; /* of whole rows; of rows that are cut, whose ends are halo */
    size_t shared;
    int warps;
} sweeps[SWEEP_GENERATIONS_MAX + 1] = {{}, {}, SWEEP(2), SWEEP(3), SWEEP(4)};

/* --- how a lattice is cut -------------------------------------------------------------------- */

/* Across and down; false if nothing of a tile would be its own. */
static bool cut_tiles(struct cloud_cut *cut, struct ca_size size, int lanes)
{
    int64_t rows, across, down;

    cut->halo = size.w > lanes;
    cut->lanes = cut->halo ? lanes : (int)size.w;
    cut->parts = SWEEP_LANES / cut->lanes;
    rows = (int64_t)ROWS * cut->warps * cut->parts;
    cut->ghosts = rows < size.h ? 2 * cut->generations : 0;
    cut->rows = rows - 2 * cut->ghosts;
    if (cut->rows < 1 || cut->lanes <= 2 * cut->halo)
        return false;
    across = cloud_divided(size.w, cut->lanes - 2 * cut->halo);
    down = cloud_divided(size.h, cut->rows);
    cut->across = (uint32_t)across;
    cut->down = (uint32_t)down;
    return across * down < 1 << 30;
}

double cloud_memory_cycles(double bytes, struct ca_size size, const struct ca_cuda_device *device)
{
    double cycles = bytes / (0.9 * device->bytes_a_clock);

    return 4 * cloud_plane_bytes(size) < (double)device->l2_bytes ? cycles / 2 : cycles;
}

/*
 * Cycles of a generation. A plane of a tile takes each warp some 90 operations for a generation and
 * 30 besides, of which a multiprocessor does two at a time, and a barrier. Memory is read once, but
 * what tiles share comes twice from the second cache.
 */
static double cycles(const struct cloud_cut *cut, struct ca_size size,
                     const struct ca_cuda_device *device)
{
    int64_t all = (int64_t)cut->across * cut->down * cut->chunks;
    int64_t blocks = cloud_divided(all, device->multiprocessors), together = cut->resident;
    double n = cut->generations, bytes = cloud_plane_bytes(size), plane, logic;
    double planes = (double)cut->planes + 3 * n;
    double read = (double)all * planes * cut->warps * SWEEP_LANES * ROWS * sizeof(uint4) / bytes;
    double memory = cloud_memory_cycles(bytes * (4 + 0.6 * (read - 1)), size, device);

    together = blocks < together ? blocks : together;
    plane = (double)together * cut->warps * (45 * n + 15) * 1.2;
    plane = (plane > 400 ? plane : 400) + 150;
    logic = (double)cloud_divided(blocks, together) * plane * planes;
    return ((logic > memory ? logic + memory / 8 : memory + logic / 8) + 4000) / n;
}

/* As many chunks of planes as cost least, of numbers ever further apart. */
static void choose_planes(struct cloud_cut *cut, struct ca_size size, int64_t wanted,
                          const struct ca_cuda_device *device)
{
    struct cloud_cut least = *cut;
    int64_t most = (INT64_C(1) << 31) / ((int64_t)cut->across * cut->down) - 1;

    for (int64_t chunks = 1; chunks <= most && chunks <= size.d; chunks += 1 + chunks / 16) {
        cut->planes = cloud_divided(size.d, chunks);
        if (wanted)
            cut->planes = wanted > size.d / most ? wanted : cloud_divided(size.d, most);
        cut->chunks = (uint32_t)cloud_divided(size.d, cut->planes);
        cut->cycles = cycles(cut, size, device);
        if (chunks == 1 || cut->cycles < least.cycles)
            least = *cut;
    }
    *cut = least;
}

enum ca_status cloud_sweep_choose(struct cuda *cuda, int generations,
                                  const struct cloud_wanted *wanted, struct cloud_cut *cut,
                                  struct ca_error *error)
{
    const struct cloud_groups *own = (const struct cloud_groups *)cuda->own;
    struct ca_cuda_device device;
    int warps_max = sweeps[generations].warps, resident;

    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    resident = (int)(device.shared_bytes / (int64_t)sweeps[generations].shared);
    *cut = {};
    for (int warps = warps_max; warps > 0 && resident > 0; warps--)
        for (int lanes = SWEEP_LANES; lanes > 2; lanes--) {
            bool is = warps == wanted->warps, was = cut->warps == wanted->warps;
            struct cloud_cut tried = {};

            tried.generations = generations;
            tried.warps = warps;
            tried.resident = resident < warps_max / warps ? resident : warps_max / warps;
            if (!cut_tiles(&tried, own->size, wanted->lanes > 2 ? wanted->lanes : lanes))
                continue;
            choose_planes(&tried, own->size, wanted->planes, &device);
            if (cut->warps == 0 || (is == was ? tried.cycles < cut->cycles : is))
                *cut = tried;
        }
    return CA_OK;
}

enum ca_status cloud_sweep_pass(struct cuda *cuda, const struct cloud_cut *cut,
                                struct ca_error *error)
{
    const struct cloud_groups *own = (const struct cloud_groups *)cuda->own;

    return cuda_launch(cuda, "cloud sweep", sweeps[cut->generations].kernel[cut->halo],
                       dim3(cut->across * cut->down * cut->chunks),
                       dim3((unsigned)(cut->warps * SWEEP_LANES)), sweeps[cut->generations].shared,
                       error, own->hum, own->act, own->hum_next, own->act_next, own->size, *cut);
}
