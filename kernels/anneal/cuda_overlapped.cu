/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-overlapped of anneal: overlapped tiles that stay in registers for several
 * generations.
 *
 * Starting a kernel costs more than a generation of a small lattice, and warps that sweep down its
 * rows would have so few of them that most of their work would be halo. So a block holds all rows
 * of a tile, 32 lanes wide, in registers and takes them through up to dozens of generations. In
 * each of these the sums of the first and last row of a lane go to the lanes above and below
 * through shared memory, double buffered, with one barrier:
 *
 *     warp 0   rows 0 ... R - 1     of each lane     ^  halo: as many rows as generations
 *     warp 1   rows R ... 2 R - 1   sums <-> warp 0  |
 *     ...                                            |  the tile's rows, which are stored
 *     warp 7   rows 7 R ... 8 R - 1                  v  halo
 *
 * Neighbouring tiles overlap: each generation spoils one row at either end of a tile, and the rows
 * that are lost by the end of a pass are stored by the tiles above and below. Where the rest of a
 * row is narrower than a warp, a warp holds several segments of it one below the other.
 *
 * Rows a lane and generations a pass are chosen by what they take at least. More
 * generations need fewer launches but more halo. Of a slab each pass between two exchanges has its
 * own number of them: one that stores much of the halos takes fewer, so that its blocks are not
 * more than run at once. All sizes take this path; generations that leave a tile no rows to store
 * are refused. A width that is no multiple of 128 costs a small kernel more a pass, which fills the
 * halo of rows.
 */
#include "kernels/anneal/cuda_bits.cuh"

#define WARPS 8 /* of a block: with two a scheduler, one works while the other waits */
#define THREADS (WARPS * WARP_LANES)
#define RESIDENT 2 /* blocks whose registers a multiprocessor holds */
#define EDGES_BYTES sizeof(uint4[2][2][2][THREADS])

#define BLOCKS_MAX (1 << 30) /* they are counted in 32 bits */
/* Each generation spoils a cell of the halo, which is one lane wide. */
#define GENERATIONS_MAX GROUP_CELLS

struct anneal_overlapped {
    struct anneal_bits bits;
    int shape; /* index into shapes[] */
};

/* The blocks of a launch: the tiles of whole segments, then those of the narrow ones beside them.
 */
struct tiling {
    int generations;
    int64_t whole, narrow;   /* rows that a tile stores */
    uint32_t tiles;          /* of a whole segment */
    struct cuda_bands bands; /* those of them that are launched; the narrow ones go with the ends */
};

typedef void tiles_kernel(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                          struct anneal_bits_layout layout, struct tiling tiling);

/* --- kernel ---------------------------------------------------------------------------------- */

/* A lane's rows and its vertical neighbours. */
struct tile_position {
    int64_t row, y;   /* its first row, counted from the tile's first stored one; of the lattice */
    int64_t stored;   /* rows that the tile stores */
    int above, below; /* threads; the lane's own at the tile's ends */
};

static __device__ __forceinline__ struct tile_position
tile_position(const struct anneal_bits_layout &layout, const struct tiling &tiling, uint32_t tile,
              bool narrow, struct segment_lane lane, int rows)
{
    int thread = threadIdx.x, parts = narrow ? layout.segments_per_warp : 1;
    int at = thread / WARP_LANES * parts + lane.segment;
    struct tile_position position = {(int64_t)at * rows - tiling.generations, 0,
                                     narrow ? tiling.narrow : tiling.whole, thread, thread};

    position.y = tiling.bands.stored.from + tile * position.stored + position.row;
    if (lane.segment >= parts)
        return position;
    if (at > 0)
        position.above =
            lane.segment > 0 ? thread - lane.width : thread - WARP_LANES + (parts - 1) * lane.width;
    if (at < WARPS * parts - 1)
        position.below = lane.segment < parts - 1 ? thread + lane.width
                                                  : thread + WARP_LANES - lane.segment * lane.width;
    return position;
}

static __device__ __forceinline__ void put_sums(uint4 low_high[2][THREADS],
                                                const struct bit_sum sum[4])
{
    low_high[0][threadIdx.x] = make_uint4(sum[0].low, sum[1].low, sum[2].low, sum[3].low);
    low_high[1][threadIdx.x] = make_uint4(sum[0].high, sum[1].high, sum[2].high, sum[3].high);
}

static __device__ __forceinline__ void get_sums(struct bit_sum sum[4],
                                                const uint4 low_high[2][THREADS], int thread)
{
    uint4 low = low_high[0][thread], high = low_high[1][thread];

    sum[0] = {low.x, high.x}, sum[1] = {low.y, high.y};
    sum[2] = {low.z, high.z}, sum[3] = {low.w, high.w};
}

/*
 * One generation: first the sums of the rows that other warps wait for, then those of the others,
 * then the results. `edges` is this generation's buffer, for the other one may still be read.
 */
template <int ROWS>
static __device__ __forceinline__ void step_rows(word row[ROWS][4], uint4 edges[2][2][THREADS],
                                                 const struct segment_lane &lane,
                                                 const struct tile_position &position)
{
    struct bit_sum sum[ROWS + 2][4];

    anneal_warp_row_sums(sum[1], row[0], lane.left, lane.right);
    put_sums(edges[0], sum[1]);
    if (ROWS > 1) {
        anneal_warp_row_sums(sum[ROWS], row[ROWS - 1], lane.left, lane.right);
        put_sums(edges[1], sum[ROWS]);
    }
#pragma unroll
    for (int r = 1; r < ROWS - 1; r++)
        anneal_warp_row_sums(sum[r + 1], row[r], lane.left, lane.right);
    __syncthreads();
    get_sums(sum[0], edges[ROWS > 1], position.above);
    get_sums(sum[ROWS + 1], edges[0], position.below);
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
    anneal_cuda_overlapped_step(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                                struct anneal_bits_layout layout, struct tiling tiling)
{
    cuda_begin_early();

    __shared__ uint4 edges[2][2][2][THREADS];
    bool narrow = blockIdx.x >= layout.full_segments * tiling.bands.count;
    uint32_t segment = narrow ? layout.full_segments : blockIdx.x % layout.full_segments;
    uint32_t tile = narrow ? blockIdx.x - layout.full_segments * tiling.bands.count
                           : cuda_band(tiling.bands, blockIdx.x / layout.full_segments);
    struct segment_lane lane = segment_lane(layout, segment, narrow);
    struct tile_position position = tile_position(layout, tiling, tile, narrow, lane, ROWS);
    int64_t y = position.y;
    word row[ROWS][4];

    anneal_bits_locate(layout, &lane);
    while (y < 0)
        y += layout.h;
    while (y >= layout.h)
        y -= layout.h;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uint4 group = __ldg(now + y * layout.pitch + lane.group);

        row[r][0] = group.x, row[r][1] = group.y, row[r][2] = group.z, row[r][3] = group.w;
        y = y + 1 < layout.h ? y + 1 : 0;
    }
#pragma unroll 1
    for (int g = 0; g < tiling.generations; g++)
        step_rows<ROWS>(row, edges[g & 1], lane, position);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (lane.stores && position.row + r >= 0 && position.row + r < position.stored &&
            position.y + r < layout.h)
            next[(position.y + r) * layout.pitch + lane.group] =
                make_uint4(row[r][0], row[r][1], row[r][2], row[r][3]);
}

static const struct {
    int rows; /* of a lane */
    tiles_kernel *kernel;
} shapes[] = {
    {1, anneal_cuda_overlapped_step<1>}, {2, anneal_cuda_overlapped_step<2>},
    {4, anneal_cuda_overlapped_step<4>}, {6, anneal_cuda_overlapped_step<6>},
    {8, anneal_cuda_overlapped_step<8>}, {12, anneal_cuda_overlapped_step<12>},
};

#define SHAPES ((int)(sizeof shapes / sizeof shapes[0]))

/* --- plan ------------------------------------------------------------------------------------ */

/* Rows of a tile, halo included. Where there are tiles of whole and of narrow segments, the former
 * have fewer. */
static int64_t tile_rows(const struct anneal_bits_layout *layout, int lane_rows)
{
    return (int64_t)WARPS * lane_rows * (layout->full_segments ? 1 : layout->segments_per_warp);
}

/* Blocks for so many rows that are stored, 0 where a tile has none. */
static int64_t tile_lattice(const struct anneal_bits_layout *layout, int64_t stored, int lane_rows,
                            int generations, struct tiling *tiling)
{
    int64_t rows = (int64_t)WARPS * lane_rows;

    tiling->generations = generations;
    tiling->whole = rows - 2 * generations;
    tiling->narrow = rows * layout->segments_per_warp - 2 * generations;
    if (tile_rows(layout, lane_rows) <= 2 * generations)
        return 0;
    tiling->tiles = layout->full_segments ? (uint32_t)ca_divide_up(stored, tiling->whole) : 0;
    return (int64_t)layout->full_segments * tiling->tiles +
           (layout->narrow_groups ? ca_divide_up(stored, tiling->narrow) : 0);
}

/* The blocks of a pass that stores cuda->stored. */
static int64_t tile_pass(const struct cuda *cuda, int generations, struct tiling *tiling)
{
    const struct anneal_overlapped *state = (const struct anneal_overlapped *)cuda->state;

    return tile_lattice(&state->bits.layout, cuda_layers_count(cuda->stored),
                        shapes[state->shape].rows, generations, tiling);
}

static double anneal_overlapped_bound(const struct cuda *cuda, int n)
{
    const struct anneal_overlapped *state = (const struct anneal_overlapped *)cuda->state;
    double cells = (double)THREADS * shapes[state->shape].rows * GROUP_CELLS;
    struct tiling tiling;
    int64_t blocks = tile_pass(cuda, n, &tiling);

    if (blocks == 0 || blocks >= BLOCKS_MAX)
        return 0;
    return anneal_bits_bound(cuda, {.generations = (double)n,
                                    .blocks = blocks,
                                    .warps = WARPS,
                                    .resident = RESIDENT,
                                    .ops = cuda_ops_of(cuda, n * cells),
                                    .barriers = (double)n});
}

/* A pass that has a block for each multiprocessor at most takes what keeps others from joining. */
static size_t dynamic_shared(const struct cuda *cuda, int64_t blocks)
{
    return blocks <= cuda->facts.multiprocessors ? cuda_shared_alone(cuda, EDGES_BYTES) : 0;
}

/* Refuses a setup that no shape up to the last that is allowed can hold. */
static enum ca_status refuse(const struct cuda *cuda, int last, int generations,
                             struct ca_error *error)
{
    const struct anneal_bits *state = (const struct anneal_bits *)cuda->state;
    int lane_rows = shapes[last].rows;
    long long rows = (long long)tile_rows(&state->layout, lane_rows);

    if (generations > 0 && 2 * generations >= rows)
        return ca_fail(error, CA_USAGE,
                       "cuda-overlapped takes at most %lld generations a pass in tiles of %lld "
                       "rows (%d a lane), of which each generation spoils two: %d is too many",
                       (rows - 1) / 2, rows, lane_rows, generations);
    return ca_fail(error, CA_USAGE,
                   "cuda-overlapped needs more than %d blocks for %lldx%lld cells in tiles of %lld "
                   "rows (%d a lane)",
                   BLOCKS_MAX, (long long)cuda->size.w, (long long)cuda->size.h, rows, lane_rows);
}

static enum ca_status anneal_cuda_overlapped_plan(struct cuda *cuda, struct ca_error *error)
{
    struct anneal_overlapped *state = (struct anneal_overlapped *)cuda->state;
    int64_t rows = ca_int(&cuda->setup.options, "rows"), blocks;
    int wanted = (int)ca_int(&cuda->setup.options, "generations");
    int first = 0, last = SHAPES - 1, chosen = 0;
    struct tiling tiling;
    double least = 0;

    anneal_bits_plan(cuda);
    for (int i = 0; rows > 0 && i < SHAPES; i++)
        if (shapes[i].rows <= rows)
            first = last = i;
    for (state->shape = first; state->shape <= last; state->shape++) {
        struct cuda_period period;
        double its =
            cuda_plan_period(cuda, wanted ? wanted : 1, wanted ? wanted : GENERATIONS_MAX, &period);

        if (its > 0 && (least == 0 || its < least)) {
            least = its;
            chosen = state->shape;
            cuda->period = period;
        }
    }
    if (least == 0)
        return refuse(cuda, last, wanted, error);
    state->shape = chosen;
    cuda->plan.generations = cuda->period.pass[0];
    blocks = tile_pass(cuda, cuda->plan.generations, &tiling);
    cuda_plan_launch(cuda, dim3((unsigned)blocks), dim3(THREADS),
                     EDGES_BYTES + dynamic_shared(cuda, blocks));
    cuda->plan.step_s = least;
    cuda_plan_variant(cuda, "tiles of %d rows a lane", shapes[state->shape].rows);
    return CA_OK;
}

/* --- steps ----------------------------------------------------------------------------------- */

static struct cuda_band_sizes anneal_cuda_overlapped_bands(const struct cuda *cuda, int n)
{
    const struct anneal_overlapped *state = (const struct anneal_overlapped *)cuda->state;
    const struct anneal_bits_layout *layout = &state->bits.layout;
    struct tiling tiling = {};

    tile_pass(cuda, n, &tiling);
    return {tiling.tiles, layout->first || !layout->full_segments ? 0 : tiling.whole};
}

static enum ca_status anneal_cuda_overlapped_pass(struct cuda *cuda, uint64_t t, int n,
                                                  struct ca_error *error)
{
    struct anneal_overlapped *state = (struct anneal_overlapped *)cuda->state;
    const struct anneal_bits *bits = &state->bits;
    struct tiling tiling;
    int64_t blocks = tile_pass(cuda, n, &tiling);
    int64_t narrow = blocks - (int64_t)bits->layout.full_segments * tiling.tiles;
    size_t shared = dynamic_shared(cuda, blocks);

    (void)t; /* the same rule in every generation */
    tiling.bands = cuda->bands;
    blocks =
        (int64_t)bits->layout.full_segments * tiling.bands.count + (tiling.bands.rest ? 0 : narrow);
    CA_TRY(anneal_bits_fill(cuda, error));
    return cuda_launch_early(cuda, "anneal_cuda_overlapped_step", shapes[state->shape].kernel,
                             dim3((unsigned)blocks), dim3(THREADS), shared, error, bits->now,
                             bits->next, bits->layout, tiling);
}

CUDA_OPS(anneal_cuda_overlapped) = {
    .state_size = sizeof(struct anneal_overlapped),
    .plan = anneal_cuda_overlapped_plan,
    .access = &anneal_bits_access,
    .pass = anneal_cuda_overlapped_pass,
    .swap = anneal_bits_swap,
    .bands = anneal_cuda_overlapped_bands,
    .bound = anneal_overlapped_bound,
};
