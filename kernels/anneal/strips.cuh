/* SPDX-License-Identifier: MIT */
/*
 * Lattices of bits: what cuda-bitslice and cuda-blocked of anneal share, and the strips of the
 * latter. A warp sweeps down the rows of a strip of the lattice and takes them through several
 * generations on the way, all in registers.
 *
 * Groups of 128 cells are four words, which one lane has; cell x of a group is bit x div 4 of word
 * x mod 4. So a cell's neighbours are at the same bit of the words beside its own, and a group of
 * 128 cells needs but two shifts, where its ends meet the lanes beside it:
 *
 *     word  0  1  2  3 | 0  1  2  3 |          bit
 *     cell  0  1  2  3 | .              ...     0        left of word 0: word 3, one bit up, with
 *           4  5  6  7 |                ...     1          the last bit of the lane before
 *           .          |                                right of word 3: word 0, one bit down
 *          124 . . 127 | .              ...    31
 *
 * Strips are those of kernels/cuda/row_segments.cuh, with a halo of one lane. A row of up to 32
 * groups is a ring.
 *
 * Where the width is no multiple of 128 each row has ghost groups before and behind, which repeat
 * the row's other end (so do the bits behind cell W - 1), made anew before each pass; otherwise a
 * lane loads the group on the other side itself. All sizes take this path.
 */
#ifndef CALAB_KERNELS_ANNEAL_STRIPS_CUH
#define CALAB_KERNELS_ANNEAL_STRIPS_CUH

#define WORD uint32_t
#include "kernels/anneal/anneal.h"
#include "kernels/anneal/bitslice.h"
#include "kernels/cuda/stepper.cuh"
#include "kernels/cuda/row_segments.cuh"

#define STRIPS_GENERATIONS_MAX 8 /* of a pass */

/* And where groups stand in memory. */
struct anneal_strips_cut : row_partition {
    int64_t first; /* group of a row's memory where cell 0 stands */
    int64_t pitch; /* groups from row to row */
};

/* Steps all rows of `now` into `next`, through as many generations as the kernel is made for. */
typedef void anneal_strips_kernel(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                                  struct anneal_strips_cut cut);

struct anneal_strips {
    uint4 *now, *next;
    struct anneal_strips_cut cut;
    int generations; /* of a pass, at most */
    /* Steps n generations, now to next. */
    enum ca_status (*pass)(struct cuda *cuda, int n, struct ca_error *error);
    anneal_strips_kernel *const *kernel;  /* of sweeps, by generations */
    int rows[STRIPS_GENERATIONS_MAX + 1]; /* of their pieces, likewise; of a lane for one */
    int tile;                             /* rows of a lane in tiles.cuh */
};

/* A way to take a lattice through its generations, and cycles that it may cost for each. */
struct anneal_choice {
    int generations, tile;
    double cycles;
};

/* Of a kernel whose blocks wait to start, load and end. */
#define STRIPS_KERNEL_CYCLES 4700.0

/* Of a pass beside its work: ragged rows are closed first. */
static inline double anneal_strips_start(const struct anneal_strips_cut *cut)
{
    return STRIPS_KERNEL_CYCLES * (cut->first ? 2 : 1);
}

/* Cycles in which memory moves a lattice both ways, none where the second cache holds it. */
double anneal_strips_memory(const struct anneal_strips_cut *cut,
                            const struct ca_cuda_device *device);

/* In a cuda_ops's plan: wants the memory. */
enum ca_status anneal_strips_plan(struct cuda *cuda, struct ca_error *error);
/*
 * Sweeps: kernel[2 ... STRIPS_GENERATIONS_MAX] are for so many generations; `generations` and
 * `rows` of a piece as wanted, or 0: chosen by lattice and device. What is chosen stands in the
 * choice and in own.
 */
enum ca_status anneal_strips_choose(struct cuda *cuda, anneal_strips_kernel *const *kernel,
                                    int generations, int64_t rows, struct anneal_choice *choice,
                                    struct ca_error *error);
/* One generation, which is cuda-bitslice's: rows of a lane as wanted, or 0. */
void anneal_rows_choose(const struct cuda *cuda, const struct ca_cuda_device *device, int64_t rows,
                        struct anneal_choice *choice);
/* Steps it. */
enum ca_status anneal_rows_pass(struct cuda *cuda, struct ca_error *error);
/* Of a cuda_ops. */
enum ca_status anneal_strips_load(struct cuda *cuda, void *const planes[], int64_t first,
                                  int64_t rows, struct ca_error *error);
enum ca_status anneal_strips_store(struct cuda *cuda, void *const planes[], int64_t first,
                                   int64_t rows, struct ca_error *error);
enum ca_status anneal_strips_gather(struct cuda *cuda, const struct ca_gather_points *places,
                                    void *const planes[], struct ca_error *error);
enum ca_status anneal_strips_step(struct cuda *cuda, uint64_t t, uint64_t n,
                                  struct ca_error *error);

/* --- the sweep ------------------------------------------------------------------------------- */

/* The group of a row's memory, where ghosts stand or none are. */
static __device__ __forceinline__ void anneal_strips_place(const struct anneal_strips_cut &cut,
                                                           struct segment_lane *column)
{
    if (cut.first)
        column->group += cut.first;
    else if (column->group < 0)
        column->group += cut.groups;
    else if (column->group >= cut.groups)
        column->group -= cut.groups;
}

/* What a lane that sweeps has to do: the next row that it loads and the next that it stores. */
struct anneal_lane {
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
struct anneal_generation {
    struct anneal_sum above[4], here[4];
};

struct anneal_rows_in {
    word row[2][4];
};

static __device__ __forceinline__ void anneal_strips_read(struct anneal_rows_in *rows,
                                                          struct anneal_lane *lane,
                                                          const struct anneal_strips_cut &cut,
                                                          bool wraps)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        uint4 group = __ldg(lane->in);

        rows->row[r][0] = group.x, rows->row[r][1] = group.y;
        rows->row[r][2] = group.z, rows->row[r][3] = group.w;
        lane->in += cut.pitch;
        if (wraps && --lane->before_end == 0) {
            lane->in -= cut.h * cut.pitch;
            lane->before_end = cut.h;
        }
    }
}

/* The row's sums of three; `before` and `behind`: words 3 and 0 of the groups beside it. */
static __device__ __forceinline__ void
anneal_strips_sums(struct anneal_sum sum[4], const word row[4], word before, word behind)
{
    word left = __funnelshift_l(before, row[3], 1), right = __funnelshift_r(row[0], behind, 1);

    sum[0] = anneal_add(left, row[0], row[1]);
    sum[1] = anneal_add(row[0], row[1], row[2]);
    sum[2] = anneal_add(row[1], row[2], row[3]);
    sum[3] = anneal_add(row[2], row[3], right);
}

/* The same, of a row that lies in a warp. */
static __device__ __forceinline__ void
anneal_strips_warp_sums(struct anneal_sum sum[4], const word row[4], int left_lane, int right_lane)
{
    anneal_strips_sums(sum, row, __shfl_sync(0xffffffff, row[3], left_lane),
                       __shfl_sync(0xffffffff, row[0], right_lane));
}

/* Feeds rows to a generation, which are replaced by its results of one row before each. */
static __device__ __forceinline__ void anneal_strips_feed(struct anneal_generation *generation,
                                                          struct anneal_rows_in *rows,
                                                          const struct anneal_lane *lane)
{
    struct anneal_sum first[4], second[4];

    anneal_strips_warp_sums(first, rows->row[0], lane->left, lane->right);
    anneal_strips_warp_sums(second, rows->row[1], lane->left, lane->right);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        struct anneal_two two = anneal_two(generation->here[i], first[i]);

        rows->row[0][i] = anneal_two_rule(two, generation->above[i]);
        rows->row[1][i] = anneal_two_rule(two, second[i]);
        generation->above[i] = first[i];
        generation->here[i] = second[i];
    }
}

/*
 * After three times two rows the sums are in the registers again where they were before, so that
 * loops that turn thrice as often need not copy them.
 */
#define STRIPS_TURN 3
#define STRIPS_ROWS (2 * STRIPS_TURN) /* that a loop takes each time */

/* Rows that are fed before the first that is stored: two a generation, in whole turns where many
 * registers would be copied. */
static __host__ __device__ constexpr int anneal_strips_turn(int generations)
{
    return generations < 5 ? 2 : STRIPS_ROWS;
}

static __host__ __device__ constexpr int anneal_strips_lead(int generations)
{
    int turn = anneal_strips_turn(generations);

    return (2 * generations + turn - 1) / turn * turn;
}

/* Where a lane begins; false for a warp that has nothing to do. */
static __device__ __forceinline__ bool anneal_strips_begin(struct anneal_lane *lane,
                                                           const uint4 *now, uint4 *next,
                                                           const struct anneal_strips_cut &cut,
                                                           int generations)
{
    struct segment_work work;
    struct segment_lane &column = work.column;
    int64_t y;

    if (!segment_begin(cut, &work))
        return false;
    anneal_strips_place(cut, &column);
    y = work.y;
    lane->keeps = work.rows;
    lane->out = next + y * cut.pitch + column.group;
    for (y -= anneal_strips_lead(generations) - generations; y < 0;)
        y += cut.h;
    lane->in = now + y * cut.pitch + column.group;
    lane->before_end = cut.h - y;
    lane->left = column.left;
    lane->right = column.right;
    return true;
}

/* The rows that were ahead; the next two are then on their way from memory. */
static __device__ __forceinline__ struct anneal_rows_in
anneal_strips_take(struct anneal_rows_in *ahead, struct anneal_lane *lane,
                   const struct anneal_strips_cut &cut, bool wraps)
{
    struct anneal_rows_in rows = *ahead;

    anneal_strips_read(ahead, lane, cut, wraps);
    return rows;
}

/* All generations fed with the rows that are ahead, and what comes of it stored, again and again.
 */
template <int GENERATIONS>
static __device__ __forceinline__ void
anneal_strips_run(struct anneal_generation generation[GENERATIONS], struct anneal_lane lane,
                  struct anneal_rows_in ahead, const struct anneal_strips_cut &cut, bool wraps)
{
#pragma unroll 1
    for (int y = 0; y < cut.rows; y += STRIPS_ROWS) {
#pragma unroll
        for (int at = 0; at < STRIPS_ROWS; at += 2) {
            struct anneal_rows_in rows = anneal_strips_take(&ahead, &lane, cut, wraps);

#pragma unroll
            for (int k = 0; k < GENERATIONS; k++)
                anneal_strips_feed(&generation[k], &rows, &lane);
#pragma unroll
            for (int r = 0; r < 2; r++) {
                if (y + at + r < lane.keeps)
                    *lane.out =
                        make_uint4(rows.row[r][0], rows.row[r][1], rows.row[r][2], rows.row[r][3]);
                lane.out += cut.pitch;
            }
        }
    }
}

/* Blocks whose registers a multiprocessor of 65,536 has room for: about 16 a generation and 64. */
static constexpr int anneal_strips_resident(int generations)
{
    return generations <= 2 ? 5 : generations <= 4 ? 4 : generations <= 6 ? 3 : 2;
}

/* Generation k has nothing to do before row 2 k is fed, the first that the ones before it give. */
template <int GENERATIONS>
__global__ static void __launch_bounds__(SEGMENT_WARPS *WARP_LANES,
                                         anneal_strips_resident(GENERATIONS))
    anneal_strips_sweep(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                        struct anneal_strips_cut cut)
{
    struct anneal_generation generation[GENERATIONS] = {};
    struct anneal_rows_in ahead;
    struct anneal_lane lane;

    if (!anneal_strips_begin(&lane, now, next, cut, GENERATIONS))
        return;
    anneal_strips_read(&ahead, &lane, cut, true);
#pragma unroll 1
    for (int y = 0; y < anneal_strips_lead(GENERATIONS); y += anneal_strips_turn(GENERATIONS)) {
#pragma unroll
        for (int at = 0; at < anneal_strips_turn(GENERATIONS); at += 2) {
            struct anneal_rows_in rows = anneal_strips_take(&ahead, &lane, cut, true);

#pragma unroll
            for (int k = 0; k < GENERATIONS; k++) {
                if (2 * k > y + at)
                    break;
                anneal_strips_feed(&generation[k], &rows, &lane);
            }
        }
    }
    if (__any_sync(0xffffffff, lane.before_end < cut.rows + STRIPS_ROWS))
        anneal_strips_run<GENERATIONS>(generation, lane, ahead, cut, true);
    else
        anneal_strips_run<GENERATIONS>(generation, lane, ahead, cut, false);
}

#endif
