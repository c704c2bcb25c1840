/* SPDX-License-Identifier: MIT */
/* Plans and passes of cuda-overlapped. */
#include "kernels/moore/cuda_overlapped.cuh"

#define BLOCKS_MAX (1 << 30) /* they are counted in 32 bits */
/* Each generation spoils a cell of the halo, which is one lane wide. */
#define GENERATIONS_MAX GROUP_CELLS

static const int lane_rows_of[MOORE_TILE_SHAPES] = {1, 2, 4, 6, 8, 12};

/* --- plan ------------------------------------------------------------------------------------ */

/* Rows of a tile, halo included. Where there are tiles of whole and of narrow segments, the former
 * have fewer. */
static int64_t tile_rows(const struct moore_bits_layout *layout, int lane_rows)
{
    return (int64_t)MOORE_TILE_WARPS * lane_rows *
           (layout->full_segments ? 1 : layout->segments_per_warp);
}

/* Blocks for so many rows that are stored, 0 where a tile has none. */
static int64_t tile_lattice(const struct moore_bits_layout *layout, int64_t stored, int lane_rows,
                            int generations, struct moore_tiling *tiling)
{
    int64_t rows = (int64_t)MOORE_TILE_WARPS * lane_rows;

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
static int64_t tile_pass(const struct cuda *cuda, int generations, struct moore_tiling *tiling)
{
    const struct moore_overlapped *state = (const struct moore_overlapped *)cuda->state;

    return tile_lattice(&state->bits.layout, cuda_layers_count(cuda->stored),
                        lane_rows_of[state->shape], generations, tiling);
}

double moore_overlapped_bound(const struct cuda *cuda, int n)
{
    const struct moore_overlapped *state = (const struct moore_overlapped *)cuda->state;
    double cells = (double)MOORE_TILE_THREADS * lane_rows_of[state->shape] * GROUP_CELLS;
    struct moore_tiling tiling;
    int64_t blocks = tile_pass(cuda, n, &tiling);

    if (blocks == 0 || blocks >= BLOCKS_MAX)
        return 0;
    return moore_bits_bound(cuda, {.generations = (double)n,
                                   .blocks = blocks,
                                   .warps = MOORE_TILE_WARPS,
                                   .resident = MOORE_TILE_RESIDENT,
                                   .ops = moore_bits_ops(cuda, n * cells),
                                   .barriers = (double)n});
}

/* Shared memory of a block: the edges of all its threads, above and below, double buffered. */
static size_t edges_bytes(const struct cuda *cuda)
{
    const struct moore_overlapped *state = (const struct moore_overlapped *)cuda->state;

    return sizeof(uint4[2][2][MOORE_TILE_THREADS]) * (size_t)state->kernels->edges;
}

/* A pass that has a block for each multiprocessor at most takes what keeps others from joining. */
static size_t dynamic_shared(const struct cuda *cuda, int64_t blocks)
{
    return blocks <= cuda->facts.multiprocessors ? cuda_shared_alone(cuda, edges_bytes(cuda)) : 0;
}

/* Refuses a setup that no shape up to the last that is allowed can hold. */
static enum ca_status refuse(const struct cuda *cuda, int last, int generations,
                             struct ca_error *error)
{
    const struct moore_bits *state = (const struct moore_bits *)cuda->state;
    int lane_rows = lane_rows_of[last];
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

static void overlapped_say(struct cuda *cuda, bool own)
{
    const struct moore_overlapped *state = (const struct moore_overlapped *)cuda->state;

    cuda_plan_variant(cuda, "tiles of %d rows a lane%s", lane_rows_of[state->shape],
                      moore_own_said(&state->bits.own, own));
}

enum ca_status moore_overlapped_plan(struct cuda *cuda, const struct moore_rule *rule,
                                     const struct moore_overlapped_kernels *kernels,
                                     const struct moore_own_rule *own, struct ca_error *error)
{
    struct moore_overlapped *state = (struct moore_overlapped *)cuda->state;
    int64_t rows = ca_int(&cuda->setup.options, "rows"), blocks;
    int wanted = (int)ca_int(&cuda->setup.options, "generations");
    int first = 0, last = MOORE_TILE_SHAPES - 1, chosen = 0;
    struct moore_tiling tiling;
    double least = 0;

    CA_TRY(moore_bits_plan(cuda, rule, NULL, own, error));
    state->kernels = kernels;
    for (int i = 0; rows > 0 && i < MOORE_TILE_SHAPES; i++)
        if (lane_rows_of[i] <= rows)
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
    cuda_plan_launch(cuda, dim3((unsigned)blocks), dim3(MOORE_TILE_THREADS),
                     edges_bytes(cuda) + dynamic_shared(cuda, blocks));
    cuda->plan.step_s = least;
    overlapped_say(cuda, state->bits.own.wanted && state->bits.own.waits);
    return CA_OK;
}

/* --- steps ----------------------------------------------------------------------------------- */

struct cuda_band_sizes moore_overlapped_bands(const struct cuda *cuda, int n)
{
    const struct moore_overlapped *state = (const struct moore_overlapped *)cuda->state;
    const struct moore_bits_layout *layout = &state->bits.layout;
    struct moore_tiling tiling = {};

    tile_pass(cuda, n, &tiling);
    return {tiling.tiles,
            moore_bits_fills(&state->bits) || !layout->full_segments ? 0 : tiling.whole};
}

enum ca_status moore_overlapped_start(struct cuda *cuda, struct ca_error *error)
{
    struct moore_overlapped *state = (struct moore_overlapped *)cuda->state;

    return moore_own_start(cuda, &state->bits.own, {.tile_rows = lane_rows_of[state->shape]},
                           state->bits.rule.dead, error);
}

/* The rule's own kernel takes the place of another. */
static void overlapped_turn(struct cuda *cuda)
{
    struct moore_overlapped *state = (struct moore_overlapped *)cuda->state;
    const struct moore_own_kernels *kernels = moore_own_turn(cuda, &state->bits.own);

    if (!kernels)
        return;
    state->own_kernels = *state->kernels;
    state->own_kernels.step[state->shape] = kernels->tiles;
    state->kernels = &state->own_kernels;
    overlapped_say(cuda, true);
}

enum ca_status moore_overlapped_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    struct moore_overlapped *state = (struct moore_overlapped *)cuda->state;
    const struct moore_bits *bits = &state->bits;
    struct moore_tiling tiling;
    int64_t blocks = tile_pass(cuda, n, &tiling);
    int64_t narrow = blocks - (int64_t)bits->layout.full_segments * tiling.tiles;
    size_t shared = dynamic_shared(cuda, blocks);

    (void)t; /* the same rule in every generation */
    overlapped_turn(cuda);
    tiling.bands = cuda->bands;
    blocks =
        (int64_t)bits->layout.full_segments * tiling.bands.count + (tiling.bands.rest ? 0 : narrow);
    CA_TRY(moore_bits_fill(cuda, error));
    return cuda_launch_early(cuda, state->kernels->name, state->kernels->step[state->shape],
                             dim3((unsigned)blocks), dim3(MOORE_TILE_THREADS), shared, error,
                             bits->now, bits->next, bits->layout, tiling, bits->rule.parameters);
}
