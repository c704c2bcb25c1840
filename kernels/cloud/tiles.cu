/* SPDX-License-Identifier: MIT */
/* Owns the kernel of cloud's tiles, and which of them suits a lattice. */
#include "kernels/cloud/tiles.cuh"

#define ROWS 2 /* of a thread; and planes */
#define PLANES 2
#define WARPS 16 /* of a block at most, for the registers of one multiprocessor */
#define THREADS (WARPS * SWEEP_LANES)

/* What a launch is about. */
struct tile {
    int generations, lanes, floors, pairs;
    int lost; /* rows at each end that others have */
};

/* The threads beside one, and which of its rows are in the lattice and the tile's own. */
struct spot {
    int pair, above, below, up, down; /* above and below: rows; up and down: planes */
    int64_t at;
    bool is[PLANES][ROWS], own[ROWS];
    struct cloud_taps taps;
};

static __device__ __forceinline__ struct spot spot_of(struct ca_size size, const struct tile &tile)
{
    int nobody = blockDim.x, thread = threadIdx.x, pair_threads = tile.floors * tile.lanes;
    int pair = thread / pair_threads, floor = thread % pair_threads / tile.lanes;
    int column = thread % tile.lanes, rows = ROWS * tile.pairs - 2 * tile.lost;
    int64_t y = (int64_t)blockIdx.x * rows - tile.lost + ROWS * pair, z = PLANES * floor;
    bool is = pair < tile.pairs;
    struct spot spot;

    spot.pair = pair;
    spot.above = pair > 0 ? thread - pair_threads : nobody;
    spot.below = pair + 1 < tile.pairs ? thread + pair_threads : nobody;
    spot.down = floor > 0 ? thread - tile.lanes : nobody;
    spot.up = floor + 1 < tile.floors ? thread + tile.lanes : nobody;
    spot.at = (z * size.h + y) * size.w + column;
    spot.taps = cloud_taps_of(column > 0, column + 1 < tile.lanes);
    is = is && column < size.w;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int row = ROWS * pair + r;

        spot.own[r] = row >= tile.lost && row < tile.lost + rows;
#pragma unroll
        for (int p = 0; p < PLANES; p++)
            spot.is[p][r] = is && y + r >= 0 && y + r < size.h && z + p < size.d;
    }
    return spot;
}

/* What threads show each other: by plane and row, then thread. */
struct shown {
    uint4 *groups;
    int threads; /* and one that is nobody */

    __device__ __forceinline__ uint4 &at(int plane, int row, int thread) const
    {
        return groups[(plane * ROWS + row) * threads + thread];
    }
};

static __device__ __forceinline__ void generation(struct cuda_group hum[PLANES][ROWS],
                                                  struct cuda_group act[PLANES][ROWS],
                                                  const struct shown &shown,
                                                  const struct spot &spot)
{
    struct cuda_group near[PLANES][ROWS];

#pragma unroll
    for (int p = 0; p < PLANES; p++) {
        struct cuda_group above2 = cuda_group_of(shown.at(p, 0, spot.above));
        struct cuda_group above = cuda_group_of(shown.at(p, 1, spot.above));
        struct cuda_group below = cuda_group_of(shown.at(p, 0, spot.below));
        struct cuda_group below2 = cuda_group_of(shown.at(p, 1, spot.below));

        /* What both rows are beside, each of them among it. */
        cloud_join(&above, below, act[p][0]);
        cloud_join(&above, above, act[p][1]);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            near[p][r] = cloud_lane_sides<true>(act[p][r], r ? below2 : above2, spot.taps);
            cloud_join(&near[p][r], above, act[1 - p][r]);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        struct cuda_group down2 = cuda_group_of(shown.at(0, r, spot.down));
        struct cuda_group down = cuda_group_of(shown.at(1, r, spot.down));
        struct cuda_group up = cuda_group_of(shown.at(0, r, spot.up));

        cloud_join(&near[0][r], down2, down);
        cloud_join(&near[1][r], down, up);
    }
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                struct cloud_word cell =
                    cloud_bits_rule({hum[p][r].word[j], act[p][r].word[j], 0}, near[p][r].word[j]);

                hum[p][r].word[j] = cell.hum;
                act[p][r].word[j] = cell.act;
            }
}

__global__ static void __launch_bounds__(THREADS, 1)
    step_tile(const uint4 *__restrict__ hum_now, const uint4 *__restrict__ act_now,
              uint4 *__restrict__ hum_next, uint4 *__restrict__ act_next, struct ca_size size,
              struct tile tile)
{
    extern __shared__ uint4 shared[];
    struct spot spot = spot_of(size, tile);
    int threads = blockDim.x + 1, warp = threadIdx.x / SWEEP_LANES * SWEEP_LANES;
    int first = warp / (tile.floors * tile.lanes); /* pairs of this warp */
    int last = (warp + SWEEP_LANES - 1) / (tile.floors * tile.lanes);
    int64_t plane = size.w * size.h;
    struct cuda_group hum[PLANES][ROWS], act[PLANES][ROWS];

    if (threadIdx.x < 2 * PLANES * ROWS)
        shared[threadIdx.x * threads + blockDim.x] = {};
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            hum[p][r] = cloud_group_if(spot.is[p][r], hum_now + spot.at + p * plane + r * size.w);
            act[p][r] = cloud_group_if(spot.is[p][r], act_now + spot.at + p * plane + r * size.w);
        }
#pragma unroll 1
    for (int g = 0; g < tile.generations; g++) {
        struct shown shown = {shared + (g & 1) * PLANES * ROWS * threads, threads};
        int lost = tile.lost ? g : -1; /* pairs at each end */

        if (last >= lost && first < tile.pairs - lost)
#pragma unroll
            for (int i = 0; i < PLANES * ROWS; i++)
                shown.at(i / ROWS, i % ROWS, threadIdx.x) =
                    cuda_group_words(act[i / ROWS][i % ROWS]);
        __syncthreads();
        if (last > lost && first < tile.pairs - lost - 1)
            generation(hum, act, shown, spot);
    }
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (spot.is[p][r] && spot.own[r]) {
                hum_next[spot.at + p * plane + r * size.w] = cuda_group_words(hum[p][r]);
                act_next[spot.at + p * plane + r * size.w] = cuda_group_words(act[p][r]);
            }
}

/* --- which tiles ----------------------------------------------------------------------------- */

static int64_t threads_of(const struct cloud_tiling *tiling)
{
    return cloud_divided((int64_t)tiling->pairs * tiling->floors * tiling->lanes, SWEEP_LANES) *
           SWEEP_LANES;
}

static size_t shared_of(const struct cloud_tiling *tiling)
{
    return 2 * PLANES * ROWS * (size_t)(threads_of(tiling) + 1) * sizeof(uint4);
}

/* Rows that a tile has of its own after so many generations. */
static int64_t own_rows(const struct cloud_tiling *tiling, int generations)
{
    return ROWS * ((int64_t)tiling->pairs - 2 * tiling->ghosts * generations);
}

/*
 * Cycles of a generation: a warp's 18 accesses to shared memory and its logic take about as long
 * each, and hardly at the same time; then all wait for the last. A pass brings hum and act of all
 * rows of a tile and takes away those that are its own.
 */
static double cycles(const struct cloud_tiling *tiling, struct ca_size size,
                     const struct ca_cuda_device *device)
{
    int n = tiling->generations;
    int64_t blocks = cloud_divided(size.h, own_rows(tiling, n));
    double rows = ROWS * (double)tiling->pairs, own = (double)own_rows(tiling, n) / rows;
    double bytes = (double)blocks * threads_of(tiling) * PLANES * ROWS * sizeof(uint4) * 2;
    double pairs = tiling->ghosts ? tiling->pairs - n - 1 : tiling->pairs;
    double warps = (pairs > 1 ? pairs : 1) * tiling->floors * tiling->lanes / SWEEP_LANES;
    double rounds = (double)cloud_divided(blocks, device->multiprocessors);
    double generation = 130 * warps + 250;
    double memory = cloud_memory_cycles(bytes * (1 + own), size, device);

    return rounds * generation + (4000 + 600 * rounds + memory) / n;
}

/* Of a tile with so many pairs of rows. */
static void choose_generations(struct cloud_tiling *tiling, struct ca_size size, int wanted,
                               const struct ca_cuda_device *device, struct cloud_tiling *least)
{
    int most = wanted ? wanted : TILE_GENERATIONS_MAX, n = wanted ? wanted : 1;

    tiling->ghosts = (int64_t)ROWS * tiling->pairs < size.h;
    if (!tiling->ghosts)
        n = most = wanted ? wanted : TILE_GENERATIONS_ENDLESS;
    for (; n <= most; n++) {
        tiling->generations = n;
        if (own_rows(tiling, n) < 1 || cloud_divided(size.h, own_rows(tiling, n)) >= 1 << 30)
            return;
        tiling->cycles = cycles(tiling, size, device);
        if (least->generations == 0 || tiling->cycles < least->cycles)
            *least = *tiling;
    }
}

enum ca_status cloud_tiles_choose(struct cuda *cuda, const struct cloud_wanted *wanted,
                                  struct cloud_tiling *tiling, struct ca_error *error)
{
    const struct cloud_groups *own = (const struct cloud_groups *)cuda->own;
    int64_t pair = cloud_divided(own->size.d, PLANES), pairs;
    struct ca_cuda_device device;
    int lanes = 1;

    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    *tiling = {};
    while (lanes < own->size.w && lanes < SWEEP_LANES)
        lanes *= 2;
    if (lanes < own->size.w || pair * lanes > THREADS)
        return CA_OK;
    pair *= lanes;
    pairs = THREADS / pair;
    if (pairs > cloud_divided(own->size.h, ROWS))
        pairs = cloud_divided(own->size.h, ROWS);
    for (int64_t n = pairs; n >= 1; n--) {
        struct cloud_tiling tried = {};

        if (wanted->warps && wanted->warps < WARPS && n > 1 &&
            n * pair > wanted->warps * SWEEP_LANES)
            continue;
        tried.lanes = lanes;
        tried.floors = (int)(pair / lanes);
        tried.pairs = (int)n;
        if (shared_of(&tried) > (size_t)device.shared_bytes)
            continue;
        choose_generations(&tried, own->size, wanted->generations, &device, tiling);
        if (wanted->warps && tiling->generations)
            break;
    }
    return CA_OK;
}

enum ca_status cloud_tiles_pass(struct cuda *cuda, const struct cloud_tiling *tiling,
                                int generations, struct ca_error *error)
{
    const struct cloud_groups *own = (const struct cloud_groups *)cuda->own;
    struct tile tile = {generations, tiling->lanes, tiling->floors, tiling->pairs,
                        ROWS * tiling->ghosts * generations};

    return cuda_launch(cuda, "cloud tiles", step_tile,
                       dim3((unsigned)cloud_divided(own->size.h, own_rows(tiling, generations))),
                       dim3((unsigned)threads_of(tiling)), shared_of(tiling), error, own->hum,
                       own->act, own->hum_next, own->act_next, own->size, tile);
}
