/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-persistent of cloud: one thread block cluster of up to sixteen blocks keeps the
 * whole lattice in registers, a band of rows each, for all generations of a call.
 *
 * It is for the smallest lattices, on GPUs of compute capability 9.0 and more. As in
 * cuda-overlapped a thread has a group in two rows of two planes and publishes its active cells in
 * shared memory. A block also stores those of its upper and lower rows into the shared memory of
 * the block above or below (kernels/cuda/halo_exchange.cuh), where they lie as if they were rows of
 * that block, so that nothing is computed twice. A block waits for this halo only after it has
 * looked at planes and at its own rows.
 *
 * Bound by logic and latency alike: with three warps a block a generation takes some 250 cycles of
 * logic, 110 of shared memory and 300 of barrier and halo exchange.
 *
 * Refused are events, rows of more than 4,096 cells, lattices that do not fit into the registers
 * and the shared memory of sixteen blocks, and GPUs without such clusters. All generations go
 * through this kernel, also single ones.
 */
#include "kernels/cloud/cuda_bits.cuh"
#include "kernels/cuda/halo_exchange.cuh"

#include <math.h>

#define ROWS 2 /* of a thread; and planes */
#define PLANES 2
#define THREADS 512               /* of a block at most: the registers of one multiprocessor, */
#define THREADS_FEW 384           /* or with more registers for each thread */
#define SLOTS 1024                /* that shared memory has for what threads publish, */
#define SLOTS_FEW 512             /* or half of them */
#define BLOCKS 16                 /* of a cluster at most */
#define GENERATIONS_MAX (1 << 20) /* of a launch */

struct clustering {
    int blocks;                        /* 0: there is no such cluster */
    int lanes, plane_pairs, row_pairs; /* of a block; lanes is a power of two */
    double step_s;                     /* of a generation, at least */
};

struct persistent {
    struct cloud_cuda_bits bits; /* first: see cloud_cuda_bits_plan */
    struct clustering clustering;
};

/* --- shared memory --------------------------------------------------------------------------- */

/* A launch gets this. */
struct band {
    int generations, lanes, plane_pairs, row_pairs;
};

/*
 * Shared memory has a slot for each thread in each of its planes and rows, one pair of rows after
 * the other; the first and last pair are the halo from the blocks above and below. Behind each pair
 * lie empty slots, which stand for what is below the lowest plane and above the highest. Their
 * number makes eight threads in a row always find their slots in eight different banks.
 */
static __host__ __device__ __forceinline__ int stride_of(int pair_threads, int lanes)
{
    return pair_threads + (lanes + 7) / 8 * 8;
}

template <int COUNT> struct row_exchange {
    uint4 group[HALO_BUFFERS][PLANES][ROWS][COUNT];
    struct halo_barrier barrier[HALO_BUFFERS][HALO_SIDES]; /* from above and from below */
};

/* --- where a thread is ----------------------------------------------------------------------- */

#if CLUSTER_SUPPORTED

/* Slots of a thread and its neighbours, and its part in the halo exchange. */
struct position {
    int slot, above, below, down, up; /* above and below: rows; down and up: planes */
    int64_t at;
    bool in_lattice[PLANES][ROWS], publishes;
    bool sends[HALO_SIDES];  /* its rows are the halo of the block above, of the block below, */
    int to_slot[HALO_SIDES]; /* where they have these slots */
    bool waits[HALO_SIDES];  /* its warp needs the halo from above, from below */
    bool arms[HALO_SIDES];   /* it arms the mbarrier of that halo */
    uint32_t left, right;    /* 1; 0 at an end of the row */
    uint32_t left_byte;      /* 256; 0 at an end */
    uint32_t second_right;   /* PRMT selector of a word's second byte, or of zeros at an end */
};

/* Middle warps have the first and last pair: of five warps the first and last share a scheduler. */
static __device__ __forceinline__ int pair_of(int thread, const struct band &band)
{
    int nth = thread / (band.plane_pairs * band.lanes);

    return nth < band.row_pairs ? (nth + band.row_pairs - band.row_pairs / 2) % band.row_pairs : -1;
}

static __device__ __forceinline__ struct position position_of(struct ca_size size,
                                                              const struct band &band)
{
    int pair_threads = band.plane_pairs * band.lanes, stride = stride_of(pair_threads, band.lanes);
    int pair = pair_of(threadIdx.x, band), nth = threadIdx.x % pair_threads;
    int column = nth % band.lanes, plane_pair = nth / band.lanes;
    int64_t y = ROWS * ((int64_t)blockIdx.x * band.row_pairs + pair), z = PLANES * plane_pair;
    bool first = pair == 0 && halo_has_next(HALO_BEFORE);
    bool last = pair == band.row_pairs - 1 && halo_has_next(HALO_BEHIND);
    int row = pair >= 0 ? stride : 0; /* no thread without cells reads a halo that may arrive */
    struct position position;

    position.publishes = pair >= 0;
    position.slot = ((position.publishes ? pair : 0) + 1) * stride + nth;
    position.above = position.slot - row;
    position.below = position.slot + row;
    position.down = position.slot - band.lanes;
    position.up = position.slot + band.lanes;
    position.at = (z * size.h + y) * size.w + column;
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            position.in_lattice[p][r] =
                position.publishes && column < size.w && y + r < size.h && z + p < size.d;
    position.sends[HALO_BEFORE] = first;
    position.sends[HALO_BEHIND] = last;
    position.to_slot[HALO_BEFORE] = (band.row_pairs + 1) * stride + nth;
    position.to_slot[HALO_BEHIND] = nth;
    position.waits[HALO_BEFORE] = __any_sync(0xffffffff, first);
    position.waits[HALO_BEHIND] = __any_sync(0xffffffff, last);
    position.arms[HALO_BEFORE] = first && nth == 0;
    position.arms[HALO_BEHIND] = last && nth == 0;
    position.left = cuda_opaque((uint32_t)(column > 0)); /* else they would become selections */
    position.left_byte = cuda_opaque(column > 0 ? 256u : 0u);
    position.right = cuda_opaque((uint32_t)(column + 1 < band.lanes));
    position.second_right = column + 1 < band.lanes ? 0x4441 : 0x4444;
    return position;
}

/* --- a generation ---------------------------------------------------------------------------- */

/* A thread keeps hum & ~act, the cells that can become active; hum is their union with act. */
struct cells {
    struct cuda_group humid_inactive[PLANES][ROWS], act[PLANES][ROWS];
};

/* The neighbours in the row, in two partial results whose union they are. One shuffle brings from
 * the lane before the last bits of words 3 and of words 2 or 3, one from the lane behind the first
 * bits of words 0 and of words 0 or 1. Cells may count themselves. */
static __device__ __forceinline__ void
row_neighbours(const uint32_t w[4], const struct position &position, uint32_t partial[2][4])
{
    uint32_t inner = w[1] | w[2], all = word_or3(inner, w[0], w[3]);
    uint32_t low = w[0] | w[1], high = w[2] | w[3];
    uint32_t before = __shfl_up_sync(0xffffffff, __byte_perm(high, w[3], CLOUD_PRMT_LAST), 1);
    uint32_t after = __shfl_down_sync(0xffffffff, __byte_perm(w[0], low, CLOUD_PRMT_FIRST), 1);

    /* Ends are masked by products, since the logic units are the busier ones. */
    partial[0][0] = partial[0][3] = inner;
    partial[0][1] = partial[0][2] = all;
    partial[1][0] = __funnelshift_l(before * position.left_byte, high, 1);
    partial[1][1] = __funnelshift_l(before * position.left, w[3], 1);
    partial[1][2] = __funnelshift_r(w[0], after * position.right, 1);
    partial[1][3] = __funnelshift_r(low, __byte_perm(after, 0, position.second_right), 1);
}

/* any_act: in the row and in the planes beside; also: the other planes, then all of other rows. */
struct neighbours {
    struct cuda_group any_act[PLANES][ROWS], also[PLANES][ROWS];
};

template <int COUNT>
static __device__ __forceinline__ void
look_at_planes(struct neighbours *neighbours, const struct cells &cells,
               const uint4 published[PLANES][ROWS][COUNT], const struct position &position)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        struct cuda_group down = cuda_group_of(published[1][r][position.down]);

        neighbours->also[0][r] = cuda_group_of(published[0][r][position.down]);
        neighbours->also[1][r] = cuda_group_of(published[0][r][position.up]);
        cloud_or3(&down, cells.act[0][r], cells.act[1][r]);
#pragma unroll
        for (int p = 0; p < PLANES; p++) {
            uint32_t partial[2][4];

            row_neighbours(cells.act[p][r].word, position, partial);
#pragma unroll
            for (int j = 0; j < 4; j++)
                neighbours->any_act[p][r].word[j] =
                    word_or3(down.word[j], partial[0][j], partial[1][j]);
        }
    }
}

template <int COUNT>
static __device__ __forceinline__ void
look_at_rows(struct neighbours *neighbours, const struct cells &cells,
             const uint4 published[PLANES][ROWS][COUNT], const struct position &position)
{
#pragma unroll
    for (int p = 0; p < PLANES; p++) {
        struct cuda_group above2 = cuda_group_of(published[p][0][position.above]);
        struct cuda_group above = cuda_group_of(published[p][1][position.above]);
        struct cuda_group below = cuda_group_of(published[p][0][position.below]);
        struct cuda_group below2 = cuda_group_of(published[p][1][position.below]);

        /* Both rows share these neighbours; each may count itself. */
        cloud_or3(&above, below, cells.act[p][0]);
        cloud_or3(&above, above, cells.act[p][1]);
        cloud_or3(&neighbours->also[p][0], above2, above);
        cloud_or3(&neighbours->also[p][1], below2, above);
    }
}

static __device__ __forceinline__ void update(struct cells *cells,
                                              const struct neighbours &neighbours)
{
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                uint32_t any_act = neighbours.any_act[p][r].word[j] | neighbours.also[p][r].word[j];

                /* One LOP3 each. */
                cells->act[p][r].word[j] = cells->humid_inactive[p][r].word[j] & any_act;
                cells->humid_inactive[p][r].word[j] &= ~cells->act[p][r].word[j];
            }
}

/* --- a block --------------------------------------------------------------------------------- */

template <int COUNT>
static __device__ __forceinline__ void begin(struct row_exchange<COUNT> *exchange,
                                             const struct position &position, uint32_t halo_bytes)
{
    uint4 *all = &exchange->group[0][0][0][0];

    for (int i = threadIdx.x; i < HALO_BUFFERS * PLANES * ROWS * COUNT; i += blockDim.x)
        all[i] = {};
#pragma unroll
    for (int side = 0; side < HALO_SIDES; side++)
        if (position.arms[side])
            for (int buffer = 0; buffer < HALO_BUFFERS; buffer++)
                halo_begin(&exchange->barrier[buffer][side], halo_bytes);
    cluster_sync();
}

/* Sends this generation's halo to the blocks beside, then publishes to the thread's own block. */
template <int COUNT>
static __device__ __forceinline__ void publish(struct row_exchange<COUNT> *exchange,
                                               const struct cells &cells,
                                               const struct position &position, int buffer)
{
#pragma unroll
    for (int side = 0; side < HALO_SIDES; side++)
        if (position.sends[side]) {
            struct row_exchange<COUNT> *to =
                cluster_map_shared(exchange, (unsigned)halo_next(side));

#pragma unroll
            for (int i = 0; i < PLANES * ROWS; i++)
                halo_send(&to->group[buffer][i / ROWS][i % ROWS][position.to_slot[side]],
                          cuda_group_words(cells.act[i / ROWS][i % ROWS]),
                          &to->barrier[buffer][halo_opposite(side)]);
        }
    if (position.publishes)
#pragma unroll
        for (int i = 0; i < PLANES * ROWS; i++)
            exchange->group[buffer][i / ROWS][i % ROWS][position.slot] =
                cuda_group_words(cells.act[i / ROWS][i % ROWS]);
    __syncthreads();
}

#endif

template <int COUNT>
__global__ static void __launch_bounds__(COUNT == SLOTS_FEW ? THREADS_FEW : THREADS, 1)
    cloud_cuda_persistent_step(const uint4 *__restrict__ hum_now, const uint4 *__restrict__ act_now,
                               uint4 *__restrict__ hum_next, uint4 *__restrict__ act_next,
                               struct ca_size size, struct band band)
{
#if CLUSTER_SUPPORTED
    extern __shared__ uint4 shared[];
    struct row_exchange<COUNT> *exchange = (struct row_exchange<COUNT> *)shared;
    struct position position = position_of(size, band);
    uint32_t halo_bytes = (uint32_t)(band.plane_pairs * band.lanes * PLANES * ROWS * sizeof(uint4));
    int64_t plane = size.w * size.h;
    struct cells cells;

#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int64_t at = position.at + p * plane + r * size.w;
            struct cuda_group hum = cloud_group_if(position.in_lattice[p][r], hum_now + at);

            cells.act[p][r] = cloud_group_if(position.in_lattice[p][r], act_now + at);
#pragma unroll
            for (int j = 0; j < 4; j++)
                cells.humid_inactive[p][r].word[j] = hum.word[j] & ~cells.act[p][r].word[j];
        }
    begin(exchange, position, halo_bytes);
#pragma unroll 2
    for (int g = 0; g < band.generations; g++) {
        int buffer = g % HALO_BUFFERS;
        struct neighbours neighbours;

        publish(exchange, cells, position, buffer);
        look_at_planes<COUNT>(&neighbours, cells, exchange->group[buffer], position);
#pragma unroll
        for (int side = 0; side < HALO_SIDES; side++)
            if (position.waits[side]) {
                halo_wait(&exchange->barrier[buffer][side], halo_phase(g));
                if (position.arms[side])
                    halo_arm(&exchange->barrier[buffer][side], halo_bytes);
            }
        look_at_rows<COUNT>(&neighbours, cells, exchange->group[buffer], position);
        update(&cells, neighbours);
    }
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (position.in_lattice[p][r]) {
                int64_t at = position.at + p * plane + r * size.w;

#pragma unroll
                for (int j = 0; j < 4; j++)
                    cells.humid_inactive[p][r].word[j] |= cells.act[p][r].word[j];
                hum_next[at] = cuda_group_words(cells.humid_inactive[p][r]);
                act_next[at] = cuda_group_words(cells.act[p][r]);
            }
#endif
}

/* --- the shape of a cluster ------------------------------------------------------------------ */

static int64_t threads_of(const struct clustering *one)
{
    int64_t threads = (int64_t)one->row_pairs * one->plane_pairs * one->lanes;

    return ca_divide_up(threads, CLOUD_LANES) * CLOUD_LANES;
}

static int64_t slots_of(const struct clustering *one)
{
    return (one->row_pairs + 2) * (int64_t)stride_of(one->plane_pairs * one->lanes, one->lanes);
}

/* The kernel whose shared memory holds a block, or NULL. */
static decltype(&cloud_cuda_persistent_step<SLOTS>) kernel_of(const struct clustering *one,
                                                              size_t *shared_bytes)
{
    if (slots_of(one) <= SLOTS_FEW && threads_of(one) <= THREADS_FEW) {
        *shared_bytes = sizeof(struct row_exchange<SLOTS_FEW>);
        return cloud_cuda_persistent_step<SLOTS_FEW>;
    }
    *shared_bytes = sizeof(struct row_exchange<SLOTS>);
    return slots_of(one) <= SLOTS ? cloud_cuda_persistent_step<SLOTS> : NULL;
}

/* The least seconds of a generation. */
static double persistent_bound(const struct cuda *cuda, const struct clustering *one)
{
    double threads = (double)threads_of(one);
    struct cuda_shape shape = {
        .generations = GENERATIONS_MAX, .blocks = one->blocks, .warps = threads / CLOUD_LANES};

    shape.ops = cuda_ops_of(cuda, shape.generations * threads * PLANES * ROWS * 128);
    shape.barriers = shape.generations;
    shape.clusters = one->blocks > 1 ? shape.generations : 0;
    return cloud_bound(cuda, shape);
}

/* Shares the pairs of rows out to so many blocks; false if a block would have none or too many. */
static bool share_out(const struct cuda *cuda, struct clustering *one, int blocks,
                      int64_t row_pairs, int warps)
{
    int64_t each = ca_divide_up(row_pairs, blocks);
    int64_t pair_threads = (int64_t)one->plane_pairs * one->lanes;

    if (each * pair_threads > THREADS || ca_divide_up(row_pairs, each) != blocks)
        return false;
    if (warps && each > 1 && each * pair_threads > warps * CLOUD_LANES)
        return false;
    one->blocks = blocks;
    one->row_pairs = (int)each;
    one->step_s = persistent_bound(cuda, one);
    return true;
}

/* Why a lattice whose rows and planes fit into blocks has no cluster; `fits`: the GPU refuses it.
 */
static enum ca_status refuse(const struct cuda *cuda, struct clustering one, int64_t row_pairs,
                             bool fits, struct ca_error *error)
{
    int64_t each = ca_divide_up(row_pairs, BLOCKS), warps = ca_int(&cuda->setup.options, "warps");
    int64_t pair_threads = (int64_t)one.plane_pairs * one.lanes;
    int64_t slot_bytes = (int64_t)(HALO_BUFFERS * PLANES * ROWS * sizeof(uint4));
    int threads_max = warps && warps * CLOUD_LANES < THREADS ? (int)warps * CLOUD_LANES : THREADS;

    if (fits)
        return ca_fail(error, CA_USAGE,
                       "cuda-persistent: GPU %d runs no cluster of blocks that holds the lattice; "
                       "it has compute capability %d.%d (9.0 is needed) and %lld bytes of shared "
                       "memory a block",
                       cuda->device, cuda->facts.major, cuda->facts.minor,
                       (long long)cuda->facts.shared_bytes);
    if (each * pair_threads > threads_max)
        return ca_fail(error, CA_USAGE,
                       "cuda-persistent needs %lld threads in each of %d blocks for %lld rows of "
                       "all planes, a block has %d",
                       (long long)(each * pair_threads), BLOCKS, (long long)cuda->size.h,
                       threads_max);
    one.row_pairs = (int)each;
    return ca_fail(error, CA_USAGE,
                   "cuda-persistent needs %lld bytes of shared memory in each of %d blocks for "
                   "%lld rows of all planes, a block has %lld",
                   (long long)(slots_of(&one) * slot_bytes), BLOCKS, (long long)cuda->size.h,
                   (long long)(SLOTS * slot_bytes));
}

/* Tries all numbers of blocks and keeps the one that costs least. */
static enum ca_status choose(struct cuda *cuda, struct ca_error *error)
{
    struct persistent *state = (struct persistent *)cuda->state;
    struct ca_size size = state->bits.size;
    int64_t row_pairs = ca_divide_up(size.h, ROWS);
    struct clustering one = {}, *best = &state->clustering;
    bool fits = false;

    CA_TRY(cloud_fit_two_rows(cuda, THREADS, &one.lanes, &one.plane_pairs, error));
    for (int blocks = 1; blocks <= BLOCKS; blocks++) {
        bool runs = false;
        size_t shared_bytes;

        if (!share_out(cuda, &one, blocks, row_pairs, (int)ca_int(&cuda->setup.options, "warps")) ||
            !kernel_of(&one, &shared_bytes))
            continue;
        fits = true;
        if (best->blocks && one.step_s >= best->step_s)
            continue;
        CA_TRY(cuda_cluster_runs(cuda, "cloud_cuda_persistent_step", kernel_of(&one, &shared_bytes),
                                 (unsigned)blocks, dim3((unsigned)threads_of(&one)), shared_bytes,
                                 &runs, error));
        if (runs)
            *best = one;
    }
    return best->blocks ? CA_OK : refuse(cuda, one, row_pairs, fits, error);
}

/* --- the backend ----------------------------------------------------------------------------- */

static enum ca_status cloud_cuda_persistent_plan(struct cuda *cuda, struct ca_error *error)
{
    const struct clustering *one = &((struct persistent *)cuda->state)->clustering;
    size_t shared_bytes;

    CA_TRY(cloud_cuda_bits_plan_growth(cuda, error));
    CA_TRY(choose(cuda, error));
    kernel_of(one, &shared_bytes);
    cuda->plan.generations = GENERATIONS_MAX;
    cuda->plan.cluster = (unsigned)one->blocks;
    cuda->plan.step_s = one->step_s;
    cuda_plan_variant(cuda, "bands of %d rows in registers", ROWS * one->row_pairs);
    cuda_plan_launch(cuda, dim3((unsigned)one->blocks), dim3((unsigned)threads_of(one)),
                     shared_bytes);
    return CA_OK;
}

static enum ca_status cloud_cuda_persistent_pass(struct cuda *cuda, uint64_t t, int generations,
                                                 struct ca_error *error)
{
    const struct persistent *state = (const struct persistent *)cuda->state;
    const struct cloud_cuda_bits *bits = &state->bits;
    const struct clustering *one = &state->clustering;
    struct band band = {generations, one->lanes, one->plane_pairs, one->row_pairs};
    size_t shared_bytes;
    auto kernel = kernel_of(one, &shared_bytes);

    (void)t;
    return cuda_launch_cluster(cuda, "cloud_cuda_persistent_step", kernel, (unsigned)one->blocks,
                               dim3((unsigned)threads_of(one)), shared_bytes, error, bits->hum,
                               bits->act, bits->hum_next, bits->act_next, bits->size, band);
}

CUDA_OPS(cloud_cuda_persistent) = CLOUD_BITS_OPS(persistent, cloud_cuda_persistent_plan,
                                                 cloud_cuda_persistent_pass);
