/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-temporal of anneal: several generations in one pass over memory (streaming temporal
 * blocking).
 *
 * A warp sweeps down the rows of a segment. Two rows that come from memory go through generation 1,
 * whose results, one row further up, go through generation 2, and so on; each generation keeps the
 * sums of two rows, 16 registers. The rows that come out have moved through memory once for all
 * generations, so that the kernel is bound by logic: six and a half operations on words and half a
 * shift for 32 cells and a generation.
 *
 * The halo is computed twice: the rows before and behind each chunk of a segment, as many as there
 * are generations on either side, and the first and last of a warp's 32 lanes. Chunks are as long
 * as makes every multiprocessor equally busy. Each generation of a pass costs registers: with fewer
 * warps on a multiprocessor, the latency of shuffles is hidden less.
 *
 * Rows a warp and generations a pass are chosen by what they take at least. All sizes take
 * this path; a width that is no multiple of 128 costs a small kernel more a pass, which fills the
 * halo of rows. A single generation that a call leaves over goes through cuda-bitslice's kernel.
 */
#include "kernels/anneal/cuda_bits.cuh"

#include <stdio.h>

#define GENERATIONS_MIN 2
#define GENERATIONS_MAX 8 /* of a pass */

struct anneal_temporal {
    struct anneal_bits bits;
    int rows[GENERATIONS_MAX + 1]; /* of a warp, by generations of a pass */
};

/* --- kernel ---------------------------------------------------------------------------------- */

/* A sweeping lane's work: the next row that it loads and the next that it stores. */
struct sweep_lane {
    const uint4 *in;
    uint4 *out;
    int64_t before_end; /* rows to load until the lattice's last is done */
    int keeps;          /* rows that it is to store */
    int left, right;
};

/*
 * The sums of the last two rows that a generation was fed with. Rows go two at a time, so that the
 * results of two have their common part: that of the later of these, and of the first that comes.
 */
struct sweep_generation {
    struct bit_sum above[4], centre[4];
};

struct sweep_rows {
    word row[2][4];
};

static __device__ __forceinline__ void load_rows(struct sweep_rows *rows, struct sweep_lane *lane,
                                                 const struct anneal_bits_layout &layout,
                                                 bool wraps)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        uint4 group = __ldg(lane->in);

        rows->row[r][0] = group.x, rows->row[r][1] = group.y;
        rows->row[r][2] = group.z, rows->row[r][3] = group.w;
        lane->in += layout.pitch;
        if (wraps && --lane->before_end == 0) {
            lane->in -= layout.h * layout.pitch;
            lane->before_end = layout.h;
        }
    }
}

/* Feeds rows to a generation, which are replaced by its results of one row before each. */
static __device__ __forceinline__ void feed_rows(struct sweep_generation *generation,
                                                 struct sweep_rows *rows,
                                                 const struct sweep_lane *lane)
{
    struct bit_sum first[4], second[4];

    anneal_warp_row_sums(first, rows->row[0], lane->left, lane->right);
    anneal_warp_row_sums(second, rows->row[1], lane->left, lane->right);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        struct anneal_two two = anneal_two(generation->centre[i], first[i]);

        rows->row[0][i] = anneal_two_rule(two, generation->above[i]);
        rows->row[1][i] = anneal_two_rule(two, second[i]);
        generation->above[i] = first[i];
        generation->centre[i] = second[i];
    }
}

/* After three times two rows the sums are in the same registers as before, so that loops that are
 * unrolled to six rows need not copy them. */
#define LOOP_ROWS 6

/* Rows that the loop before the first stored row takes each time: unrolled where it would copy
 * many registers. */
static __host__ __device__ constexpr int lead_loop_rows(int generations)
{
    return generations < 5 ? 2 : LOOP_ROWS;
}

/* Rows that are fed before the first that is stored: two a generation, in whole loops. */
static __host__ __device__ constexpr int lead_rows(int generations)
{
    int rows = lead_loop_rows(generations);

    return (2 * generations + rows - 1) / rows * rows;
}

/* Finds where a lane begins; false for a warp without work. */
static __device__ __forceinline__ bool begin_lane(struct sweep_lane *lane, const uint4 *now,
                                                  uint4 *next,
                                                  const struct anneal_bits_layout &layout,
                                                  int generations)
{
    struct segment_work work;
    struct segment_lane &column = work.column;
    int64_t y;

    if (!segment_begin(layout, &work))
        return false;
    anneal_bits_locate(layout, &column);
    y = work.y;
    lane->keeps = work.rows;
    lane->out = next + y * layout.pitch + column.group;
    for (y -= lead_rows(generations) - generations; y < 0;)
        y += layout.h;
    lane->in = now + y * layout.pitch + column.group;
    lane->before_end = layout.h - y;
    lane->left = column.left;
    lane->right = column.right;
    return true;
}

/* Returns the rows that were loaded ahead and issues the loads of the next two. */
static __device__ __forceinline__ struct sweep_rows
take_rows(struct sweep_rows *ahead, struct sweep_lane *lane,
          const struct anneal_bits_layout &layout, bool wraps)
{
    struct sweep_rows rows = *ahead;

    load_rows(ahead, lane, layout, wraps);
    return rows;
}

/* Feeds all generations with the rows of the chunk and stores what comes out of the last. */
template <int GENERATIONS>
static __device__ __forceinline__ void
sweep_chunk(struct sweep_generation generation[GENERATIONS], struct sweep_lane lane,
            struct sweep_rows ahead, const struct anneal_bits_layout &layout, bool wraps)
{
#pragma unroll 1
    for (int y = 0; y < layout.rows; y += LOOP_ROWS) {
#pragma unroll
        for (int at = 0; at < LOOP_ROWS; at += 2) {
            struct sweep_rows rows = take_rows(&ahead, &lane, layout, wraps);

#pragma unroll
            for (int k = 0; k < GENERATIONS; k++)
                feed_rows(&generation[k], &rows, &lane);
#pragma unroll
            for (int r = 0; r < 2; r++) {
                if (y + at + r < lane.keeps)
                    *lane.out =
                        make_uint4(rows.row[r][0], rows.row[r][1], rows.row[r][2], rows.row[r][3]);
                lane.out += layout.pitch;
            }
        }
    }
}

/* Blocks that a multiprocessor of 65,536 registers holds, at 16 a generation and 64 more. */
static constexpr int resident_blocks(int generations)
{
    return generations <= 2 ? 5 : generations <= 4 ? 4 : generations <= 6 ? 3 : 2;
}

/* Generation k has nothing to do before row 2 k is fed, the first that the ones before it give. */
template <int GENERATIONS>
__global__ static void __launch_bounds__(SEGMENT_THREADS, resident_blocks(GENERATIONS))
    anneal_cuda_temporal_step(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                              struct anneal_bits_layout layout)
{
    cuda_begin_early();

    struct sweep_generation generation[GENERATIONS] = {};
    struct sweep_rows ahead;
    struct sweep_lane lane;

    if (!begin_lane(&lane, now, next, layout, GENERATIONS))
        return;
    load_rows(&ahead, &lane, layout, true);
#pragma unroll 1
    for (int y = 0; y < lead_rows(GENERATIONS); y += lead_loop_rows(GENERATIONS)) {
#pragma unroll
        for (int at = 0; at < lead_loop_rows(GENERATIONS); at += 2) {
            struct sweep_rows rows = take_rows(&ahead, &lane, layout, true);

#pragma unroll
            for (int k = 0; k < GENERATIONS; k++) {
                if (2 * k > y + at)
                    break;
                feed_rows(&generation[k], &rows, &lane);
            }
        }
    }
    if (__any_sync(0xffffffff, lane.before_end < layout.rows + LOOP_ROWS))
        sweep_chunk<GENERATIONS>(generation, lane, ahead, layout, true);
    else
        sweep_chunk<GENERATIONS>(generation, lane, ahead, layout, false);
}

static anneal_bits_kernel *const kernels[GENERATIONS_MAX + 1] = {
    NULL,
    NULL,
    anneal_cuda_temporal_step<2>,
    anneal_cuda_temporal_step<3>,
    anneal_cuda_temporal_step<4>,
    anneal_cuda_temporal_step<5>,
    anneal_cuda_temporal_step<6>,
    anneal_cuda_temporal_step<7>,
    anneal_cuda_temporal_step<8>,
};

/* --- plan ------------------------------------------------------------------------------------ */

/* Chooses the rows a warp with which a pass of n generations should take least. */
static enum ca_status choose_rows(struct cuda *cuda, int n, double *step_s, struct ca_error *error)
{
    struct anneal_temporal *state = (struct anneal_temporal *)cuda->state;
    int64_t rows = ca_int(&cuda->setup.options, "rows");
    struct row_partition partition = state->bits.layout;
    int resident = 0;

    partition.bands.stored = {0, cuda_stored_layers(cuda, n)};
    CA_TRY(
        cuda_resident_blocks(cuda, (const void *)kernels[n], SEGMENT_THREADS, 0, &resident, error));
    *step_s = partition_choose_rows(
        partition, rows, resident, cuda->facts.multiprocessors, LOOP_ROWS, &state->rows[n],
        [&](const struct row_partition &cut) {
            double swept = n * (cut.rows + (double)lead_rows(n)) * SEGMENT_THREADS;

            return anneal_bits_bound(cuda, {.generations = (double)n,
                                            .blocks = partition_blocks(&cut),
                                            .warps = SEGMENT_WARPS,
                                            .resident = (double)resident,
                                            .ops = cuda_ops_of(cuda, swept * GROUP_CELLS)});
        });
    return CA_OK;
}

static enum ca_status anneal_cuda_temporal_plan(struct cuda *cuda, struct ca_error *error)
{
    struct anneal_temporal *state = (struct anneal_temporal *)cuda->state;
    struct anneal_bits_layout *layout = &state->bits.layout;
    int wanted = (int)ca_int(&cuda->setup.options, "generations"), generations = 0;
    double least = 0;

    if (wanted != 0 && (wanted < GENERATIONS_MIN || wanted > GENERATIONS_MAX))
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal takes %d to %d generations a pass, or 0 to choose: %d is "
                       "not; cuda-bitslice takes one",
                       GENERATIONS_MIN, GENERATIONS_MAX, wanted);
    anneal_bits_plan(cuda);
    anneal_bitslice_choose(cuda, 0);
    for (int n = GENERATIONS_MIN; n <= GENERATIONS_MAX; n++) {
        double step_s = 0;

        CA_TRY(choose_rows(cuda, n, &step_s, error));
        if (wanted ? n == wanted : generations == 0 || step_s < least) {
            generations = n;
            least = step_s;
        }
    }
    partition_rows(layout, state->rows[generations]);
    cuda_plan_launch(cuda, dim3((unsigned)partition_blocks(layout)), dim3(SEGMENT_THREADS), 0);
    cuda->plan.generations = generations;
    cuda->plan.step_s = least;
    cuda_plan_variant(cuda, "sweep of %d rows a warp", layout->rows);
    return CA_OK;
}

/* --- steps ----------------------------------------------------------------------------------- */

static struct cuda_band_sizes anneal_cuda_temporal_bands(const struct cuda *cuda, int n)
{
    const struct anneal_temporal *state = (const struct anneal_temporal *)cuda->state;
    struct row_partition partition = state->bits.layout;
    struct cuda_band_sizes bands = {};

    if (n > 1) {
        partition.bands.stored = cuda->stored;
        partition_rows(&partition, state->rows[n]);
        bands = partition_bands(&partition);
    }
    if (state->bits.layout.first)
        bands.layers = 0; /* the halo of all rows is filled first */
    return bands;
}

static enum ca_status anneal_cuda_temporal_pass(struct cuda *cuda, uint64_t t, int n,
                                                struct ca_error *error)
{
    struct anneal_temporal *state = (struct anneal_temporal *)cuda->state;
    struct anneal_bits *bits = &state->bits;

    if (n == 1)
        return anneal_bitslice_pass(cuda, t, n, error);
    CA_TRY(anneal_bits_fill(cuda, error));
    bits->layout.bands.stored = cuda->stored;
    partition_rows(&bits->layout, state->rows[n]);
    partition_take(&bits->layout, cuda->bands);
    return cuda_launch_early(cuda, "anneal_cuda_temporal_step", kernels[n],
                             dim3((unsigned)partition_blocks(&bits->layout)), dim3(SEGMENT_THREADS),
                             0, error, bits->now, bits->next, bits->layout);
}

CUDA_OPS(anneal_cuda_temporal) = {
    .state_size = sizeof(struct anneal_temporal),
    .plan = anneal_cuda_temporal_plan,
    .access = &anneal_bits_access,
    .pass = anneal_cuda_temporal_pass,
    .swap = anneal_bits_swap,
    .bands = anneal_cuda_temporal_bands,
};
