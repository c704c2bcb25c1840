/* SPDX-License-Identifier: MIT */
/* Owns the kernels of anneal's tiles, and which of them suits a lattice. */
#include "kernels/anneal/tiles.cuh"

#define WARPS 8 /* of a block: with two for a scheduler, one works where the other waits */
#define THREADS (WARPS * WARP_LANES)
#define RESIDENT 2 /* blocks whose registers a multiprocessor has room for */

/* The tiles of whole strips, then those of the narrow ones beside them. */
struct tiling {
    int generations;
    int64_t whole, narrow; /* rows of a tile that are its own */
    uint32_t tiles;        /* of a whole strip */
};

typedef void tiles_kernel(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                          struct anneal_strips_cut cut, struct tiling tiling);

/* Where a lane stands: its first row, of the tile and of the lattice, and its vertical neighbours.
 */
struct spot {
    int64_t row, y, own;
    int above, below; /* threads */
};

static __device__ __forceinline__ struct spot spot_of(const struct anneal_strips_cut &cut,
                                                      const struct tiling &tiling, uint32_t tile,
                                                      bool narrow, struct segment_lane column,
                                                      int rows)
{
    int thread = threadIdx.x, parts = narrow ? cut.side_by_side : 1;
    int at = thread / WARP_LANES * parts + column.part;
    struct spot spot = {(int64_t)at * rows - tiling.generations, 0,
                        narrow ? tiling.narrow : tiling.whole, thread, thread};

    spot.y = tile * spot.own + spot.row;
    if (column.part >= parts)
        return spot;
    if (at > 0)
        spot.above = column.part > 0 ? thread - column.wide
                                     : thread - WARP_LANES + (parts - 1) * column.wide;
    if (at < WARPS * parts - 1)
        spot.below = column.part < parts - 1 ? thread + column.wide
                                             : thread + WARP_LANES - column.part * column.wide;
    return spot;
}

static __device__ __forceinline__ void put_sums(uint4 low_high[2][THREADS],
                                                const struct anneal_sum sum[4])
{
    low_high[0][threadIdx.x] = make_uint4(sum[0].low, sum[1].low, sum[2].low, sum[3].low);
    low_high[1][threadIdx.x] = make_uint4(sum[0].high, sum[1].high, sum[2].high, sum[3].high);
}

static __device__ __forceinline__ void get_sums(struct anneal_sum sum[4],
                                                const uint4 low_high[2][THREADS], int thread)
{
    uint4 low = low_high[0][thread], high = low_high[1][thread];

    sum[0] = {low.x, high.x}, sum[1] = {low.y, high.y};
    sum[2] = {low.z, high.z}, sum[3] = {low.w, high.w};
}

/*
 * A generation: the sums of all rows, first of those that others wait for; then the results.
 * `edges` are of this generation's parity: the other one's may still be read.
 */
template <int ROWS>
static __device__ __forceinline__ void generation(word row[ROWS][4], uint4 edges[2][2][THREADS],
                                                  const struct segment_lane &column,
                                                  const struct spot &spot)
{
    struct anneal_sum sum[ROWS + 2][4];

    anneal_strips_warp_sums(sum[1], row[0], column.left, column.right);
    put_sums(edges[0], sum[1]);
    if (ROWS > 1) {
        anneal_strips_warp_sums(sum[ROWS], row[ROWS - 1], column.left, column.right);
        put_sums(edges[1], sum[ROWS]);
    }
#pragma unroll
    for (int r = 1; r < ROWS - 1; r++)
        anneal_strips_warp_sums(sum[r + 1], row[r], column.left, column.right);
    __syncthreads();
    get_sums(sum[0], edges[ROWS > 1], spot.above);
    get_sums(sum[ROWS + 1], edges[0], spot.below);
#pragma unroll
    for (int k = 0; k < ROWS; k += 2) {
        int r = (k + 2) % (ROWS + ROWS % 2); /* rows 0 and 1 last: they wait for another warp */

#pragma unroll
        for (int i = 0; i < 4; i++) {
            struct anneal_two two = anneal_two(sum[r + 1][i], sum[r + 2][i]);

            row[r][i] = anneal_two_rule(two, sum[r][i]);
            if (r + 1 < ROWS)
                row[r + 1][i] = anneal_two_rule(two, sum[r + 3][i]);
        }
    }
}

template <int ROWS>
__global__ static void __launch_bounds__(THREADS, RESIDENT)
    step_tiles(const uint4 *__restrict__ now, uint4 *__restrict__ next,
               struct anneal_strips_cut cut, struct tiling tiling)
{
    __shared__ uint4 edges[2][2][2][THREADS];
    bool narrow = blockIdx.x >= cut.whole * tiling.tiles;
    uint32_t strip = narrow ? cut.whole : blockIdx.x % cut.whole;
    uint32_t tile = narrow ? blockIdx.x - cut.whole * tiling.tiles : blockIdx.x / cut.whole;
    struct segment_lane column = segment_lane(cut, strip, narrow);
    struct spot spot = spot_of(cut, tiling, tile, narrow, column, ROWS);
    int64_t y = spot.y;
    word row[ROWS][4];

    anneal_strips_place(cut, &column);
    while (y < 0)
        y += cut.h;
    while (y >= cut.h)
        y -= cut.h;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uint4 group = __ldg(now + y * cut.pitch + column.group);

        row[r][0] = group.x, row[r][1] = group.y, row[r][2] = group.z, row[r][3] = group.w;
        y = y + 1 < cut.h ? y + 1 : 0;
    }
#pragma unroll 1
    for (int g = 0; g < tiling.generations; g++)
        generation<ROWS>(row, edges[g & 1], column, spot);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (column.keeps && spot.row + r >= 0 && spot.row + r < spot.own && spot.y + r < cut.h)
            next[(spot.y + r) * cut.pitch + column.group] =
                make_uint4(row[r][0], row[r][1], row[r][2], row[r][3]);
}

static const struct {
    int rows; /* of a lane */
    tiles_kernel *kernel;
} tiles[] = {
    {1, step_tiles<1>}, {2, step_tiles<2>}, {4, step_tiles<4>},
    {6, step_tiles<6>}, {8, step_tiles<8>}, {12, step_tiles<12>},
};

#define TILES ((int)(sizeof tiles / sizeof tiles[0]))

static int64_t divided(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Blocks, 0 if a tile has no rows of its own. */
static int64_t tile_rows(const struct anneal_strips_cut *cut, int rows, int generations,
                         struct tiling *tiling)
{
    int64_t all = (int64_t)WARPS * rows;

    tiling->generations = generations;
    tiling->whole = all - 2 * generations;
    tiling->narrow = all * cut->side_by_side - 2 * generations;
    if ((cut->whole ? tiling->whole : tiling->narrow) < 1)
        return 0;
    tiling->tiles = cut->whole ? (uint32_t)divided(cut->h, tiling->whole) : 0;
    return (int64_t)cut->whole * tiling->tiles +
           (cut->narrow ? divided(cut->h, tiling->narrow) : 0);
}

/* Of a row's generation in a warp. */
#define ROW_CYCLES 58.0

/*
 * Cycles of a generation. Shared memory takes 256 for the edges of a block, beside the logic of two
 * warps of each scheduler; a block waits for its rows as it starts.
 */
static double cycles(double start, int64_t blocks, int multiprocessors, int rows, int generations,
                     double memory)
{
    double share = (double)divided(blocks, multiprocessors);
    double block = 2 * ROW_CYCLES * rows, edges = 256;
    double logic = share * (((block > edges ? block : edges) + 100) * generations + 1500);

    return (start + (logic > 2 * memory ? logic : 2 * memory)) / generations;
}

enum ca_status anneal_tiles_choose(struct cuda *cuda, int generations, int64_t rows,
                                   struct anneal_choice *choice, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    int first = 0, last = TILES - 1, most = generations ? generations : GROUP_CELLS;
    struct ca_cuda_device device;

    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    for (int i = 0; rows > 0 && i < TILES; i++)
        if (tiles[i].rows <= rows)
            first = last = i;
    *choice = {};
    for (int i = first; i <= last; i++)
        for (int n = generations ? generations : 1; n <= most; n++) {
            struct tiling tiling;
            int64_t blocks = tile_rows(&own->cut, tiles[i].rows, n, &tiling);
            double cost = cycles(anneal_strips_start(&own->cut), blocks, device.multiprocessors,
                                 tiles[i].rows, n, anneal_strips_memory(&own->cut, &device));

            if (blocks > 0 && blocks < 1 << 30 &&
                (choice->generations == 0 || cost < choice->cycles))
                *choice = {n, tiles[i].rows, cost};
        }
    return CA_OK;
}

enum ca_status anneal_tiles_pass(struct cuda *cuda, int n, struct ca_error *error)
{
    struct anneal_strips *own = (struct anneal_strips *)cuda->own;
    struct tiling tiling;
    int64_t blocks = tile_rows(&own->cut, own->tile, n, &tiling);

    for (int i = 0; i < TILES; i++)
        if (tiles[i].rows == own->tile)
            return cuda_launch(cuda, "step", tiles[i].kernel, dim3((unsigned)blocks), dim3(THREADS),
                               0, error, own->now, own->next, own->cut, tiling);
    return CA_OK;
}
