/* SPDX-License-Identifier: MIT */
/* Owns the kernel of cloud's clusters, and which of them suits a lattice. */
#include "kernels/cloud/cluster.cuh"

#include "kernels/cuda/cluster.cuh"

#include <math.h>

#define ROWS 2 /* of a thread; and planes */
#define PLANES 2
#define THREADS 512     /* of a block at most, for the registers of one multiprocessor, */
#define THREADS_FEW 384 /* or with more registers for each */
#define SLOTS 1024      /* that shared memory has for threads to show what they have in, */
#define SLOTS_FEW 512   /* or half of them */
#define BLOCKS 16       /* of a cluster at most */
#define TURNS 2         /* of shared memory: this generation's and the next one's */

/* What a launch is about. */
struct band {
    int generations, lanes, floors, pairs;
};

/* --- what threads show each other ------------------------------------------------------------ */

/*
 * A slot for each thread in each of its planes and rows, pair after pair of rows, with those of the
 * blocks above and below as the first and last pair. Behind each pair stand empty slots, which are
 * what is below the lowest plane and above the highest; so many that eight threads side by side
 * always find what they ask for in eight different banks.
 */
static __host__ __device__ __forceinline__ int stride_of(int pair_threads, int lanes)
{
    return pair_threads + (lanes + 7) / 8 * 8;
}

template <int COUNT> struct stage {
    uint4 group[TURNS][PLANES][ROWS][COUNT];
    uint64_t box[TURNS][2]; /* of mail from above and from below */
};

/* --- where a thread is ----------------------------------------------------------------------- */

#if CLUSTER_SUPPORTED

enum { FROM_ABOVE, FROM_BELOW };

/* Where a thread's groups are, here and in the blocks beside it. */
struct spot {
    int slot, above, below, down, up; /* above and below: rows; down and up: planes */
    int64_t at;
    bool is[PLANES][ROWS], shows;
    bool sends[2];         /* its rows to above and to below, */
    int to_slot[2];        /* where they are there; */
    bool waits[2];         /* its warp needs the mail of above and of below; */
    bool opens[2];         /* it says how much comes */
    uint32_t left, right;  /* 1; 0 at an end of the row */
    uint32_t left_too;     /* 256; 0 at an end */
    uint32_t second_right; /* takes the second byte of a word, or zeros, as __byte_perm counts */
};

/* The first and last pair are in the middle warps: where a block has five, the first and the last
 * warp have the same scheduler. */
static __device__ __forceinline__ int pair_of(int thread, const struct band &band)
{
    int nth = thread / (band.floors * band.lanes);

    return nth < band.pairs ? (nth + band.pairs - band.pairs / 2) % band.pairs : -1;
}

static __device__ __forceinline__ struct spot spot_of(struct ca_size size, const struct band &band)
{
    int pair_threads = band.floors * band.lanes, stride = stride_of(pair_threads, band.lanes);
    int pair = pair_of(threadIdx.x, band), place = threadIdx.x % pair_threads;
    int column = place % band.lanes, floor = place / band.lanes;
    int64_t y = ROWS * ((int64_t)blockIdx.x * band.pairs + pair), z = PLANES * floor;
    bool first = pair == 0 && blockIdx.x > 0;
    bool last = pair == band.pairs - 1 && blockIdx.x + 1 < gridDim.x;
    struct spot spot;

    spot.shows = pair >= 0;
    spot.slot = ((spot.shows ? pair : 0) + 1) * stride + place;
    spot.above = spot.slot - stride;
    spot.below = spot.slot + stride;
    spot.down = spot.slot - band.lanes;
    spot.up = spot.slot + band.lanes;
    spot.at = (z * size.h + y) * size.w + column;
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            spot.is[p][r] = spot.shows && column < size.w && y + r < size.h && z + p < size.d;
    spot.sends[FROM_ABOVE] = first;
    spot.sends[FROM_BELOW] = last;
    spot.to_slot[FROM_ABOVE] = (band.pairs + 1) * stride + place;
    spot.to_slot[FROM_BELOW] = place;
    spot.waits[FROM_ABOVE] = __any_sync(0xffffffff, first);
    spot.waits[FROM_BELOW] = __any_sync(0xffffffff, last);
    spot.opens[FROM_ABOVE] = first && place == 0;
    spot.opens[FROM_BELOW] = last && place == 0;
    spot.left = cuda_opaque((uint32_t)(column > 0)); /* or they would become selections */
    spot.left_too = cuda_opaque(column > 0 ? 256u : 0u);
    spot.right = cuda_opaque((uint32_t)(column + 1 < band.lanes));
    spot.second_right = column + 1 < band.lanes ? 0x4441 : 0x4444;
    return spot;
}

/* --- a generation ---------------------------------------------------------------------------- */

/* Instead of hum a thread keeps what can become active: hum & ~act. It has what hum had. */
struct cells {
    struct cuda_group wet[PLANES][ROWS], act[PLANES][ROWS];
};

/* What near a cell is active in its row, in two parts. What comes from lanes beside: of words 3 and
 * of words 2 or 3 the last bit, of words 0 and of words 0 or 1 the first. */
static __device__ __forceinline__ void sides(const uint32_t w[4], const struct spot &spot,
                                             uint32_t part[2][4])
{
    uint32_t inner = w[1] | w[2],
             all = word_or3(inner, w[0], w[3]); /* cells may count themselves */
    uint32_t low = w[0] | w[1], high = w[2] | w[3];
    uint32_t before = __shfl_up_sync(0xffffffff, __byte_perm(high, w[3], SWEEP_LAST_BYTES), 1);
    uint32_t after = __shfl_down_sync(0xffffffff, __byte_perm(w[0], low, SWEEP_FIRST_BYTES), 1);

    /* Products, since logic binds and not them. */
    part[0][0] = part[0][3] = inner;
    part[0][1] = part[0][2] = all;
    part[1][0] = __funnelshift_l(before * spot.left_too, high, 1);
    part[1][1] = __funnelshift_l(before * spot.left, w[3], 1);
    part[1][2] = __funnelshift_r(w[0], after * spot.right, 1);
    part[1][3] = __funnelshift_r(low, __byte_perm(after, 0, spot.second_right), 1);
}

/* near: in the row and in the planes beside; also: two planes below or one above. */
struct known {
    struct cuda_group near[PLANES][ROWS], also[PLANES][ROWS];
};

template <int COUNT>
static __device__ __forceinline__ void
look_at_planes(struct known *known, const struct cells &cells,
               const uint4 shown[PLANES][ROWS][COUNT], const struct spot &spot)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        struct cuda_group down = cuda_group_of(shown[1][r][spot.down]);

        known->also[0][r] = cuda_group_of(shown[0][r][spot.down]);
        known->also[1][r] = cuda_group_of(shown[0][r][spot.up]);
        cloud_join(&down, cells.act[0][r], cells.act[1][r]);
#pragma unroll
        for (int p = 0; p < PLANES; p++) {
            uint32_t part[2][4];

            sides(cells.act[p][r].word, spot, part);
#pragma unroll
            for (int j = 0; j < 4; j++)
                known->near[p][r].word[j] = word_or3(down.word[j], part[0][j], part[1][j]);
        }
    }
}

template <int COUNT>
static __device__ __forceinline__ void look_at_rows(struct known *known, const struct cells &cells,
                                                    const uint4 shown[PLANES][ROWS][COUNT],
                                                    const struct spot &spot)
{
#pragma unroll
    for (int p = 0; p < PLANES; p++) {
        struct cuda_group above2 = cuda_group_of(shown[p][0][spot.above]);
        struct cuda_group above = cuda_group_of(shown[p][1][spot.above]);
        struct cuda_group below = cuda_group_of(shown[p][0][spot.below]);
        struct cuda_group below2 = cuda_group_of(shown[p][1][spot.below]);

        /* What both rows are beside, each of them among it. */
        cloud_join(&above, below, cells.act[p][0]);
        cloud_join(&above, above, cells.act[p][1]);
        cloud_join(&known->also[p][0], above2, above);
        cloud_join(&known->also[p][1], below2, above);
    }
}

static __device__ __forceinline__ void step(struct cells *cells, const struct known &known)
{
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                uint32_t near = known.near[p][r].word[j] | known.also[p][r].word[j];

                /* An operation each. */
                cells->act[p][r].word[j] = cells->wet[p][r].word[j] & near;
                cells->wet[p][r].word[j] &= ~cells->act[p][r].word[j];
            }
}

/* --- a block --------------------------------------------------------------------------------- */

template <int COUNT>
static __device__ __forceinline__ void begin(struct stage<COUNT> *shown, const struct spot &spot,
                                             uint32_t mail)
{
    uint4 *all = &shown->group[0][0][0][0];

    for (int i = threadIdx.x; i < TURNS * PLANES * ROWS * COUNT; i += blockDim.x)
        all[i] = {};
#pragma unroll
    for (int side = 0; side < 2; side++)
        if (spot.opens[side])
            for (int turn = 0; turn < TURNS; turn++) {
                mbar_init(&shown->box[turn][side]);
                mbar_expect_tx(&shown->box[turn][side], mail);
            }
    cluster_sync();
}

/* Shows what is active in this generation to the block, once that was sent to those beside it. */
template <int COUNT>
static __device__ __forceinline__ void show(struct stage<COUNT> *shown, const struct cells &cells,
                                            const struct spot &spot, int turn)
{
#pragma unroll
    for (int side = 0; side < 2; side++)
        if (spot.sends[side]) {
            struct stage<COUNT> *to = cluster_map_shared(shown, blockIdx.x + (side ? 1 : -1));

#pragma unroll
            for (int i = 0; i < PLANES * ROWS; i++)
                dsmem_store_async(&to->group[turn][i / ROWS][i % ROWS][spot.to_slot[side]],
                                  cuda_group_words(cells.act[i / ROWS][i % ROWS]),
                                  &to->box[turn][1 - side]);
        }
    if (spot.shows)
#pragma unroll
        for (int i = 0; i < PLANES * ROWS; i++)
            shown->group[turn][i / ROWS][i % ROWS][spot.slot] =
                cuda_group_words(cells.act[i / ROWS][i % ROWS]);
    __syncthreads();
}

#endif

template <int COUNT>
__global__ static void __launch_bounds__(COUNT == SLOTS_FEW ? THREADS_FEW : THREADS, 1)
    step_cluster(const uint4 *__restrict__ hum_now, const uint4 *__restrict__ act_now,
                 uint4 *__restrict__ hum_next, uint4 *__restrict__ act_next, struct ca_size size,
                 struct band band)
{
#if CLUSTER_SUPPORTED
    extern __shared__ uint4 shared[];
    struct stage<COUNT> *shown = (struct stage<COUNT> *)shared;
    struct spot spot = spot_of(size, band);
    uint32_t mail = (uint32_t)(band.floors * band.lanes * PLANES * ROWS * sizeof(uint4));
    int64_t plane = size.w * size.h;
    struct cells cells;

#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int64_t at = spot.at + p * plane + r * size.w;
            struct cuda_group hum = cloud_group_if(spot.is[p][r], hum_now + at);

            cells.act[p][r] = cloud_group_if(spot.is[p][r], act_now + at);
#pragma unroll
            for (int j = 0; j < 4; j++)
                cells.wet[p][r].word[j] = hum.word[j] & ~cells.act[p][r].word[j];
        }
    begin(shown, spot, mail);
#pragma unroll 2
    for (int g = 0; g < band.generations; g++) {
        int turn = g % TURNS;
        struct known known;

        show(shown, cells, spot, turn);
        look_at_planes<COUNT>(&known, cells, shown->group[turn], spot);
#pragma unroll
        for (int side = 0; side < 2; side++)
            if (spot.waits[side]) {
                mbar_wait(&shown->box[turn][side], g / TURNS & 1);
                __syncwarp(); /* a lane that came two turns late would wait for ever */
                if (spot.opens[side])
                    mbar_expect_tx(&shown->box[turn][side], mail);
            }
        look_at_rows<COUNT>(&known, cells, shown->group[turn], spot);
        step(&cells, known);
    }
#pragma unroll
    for (int p = 0; p < PLANES; p++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (spot.is[p][r]) {
                int64_t at = spot.at + p * plane + r * size.w;

#pragma unroll
                for (int j = 0; j < 4; j++)
                    cells.wet[p][r].word[j] |= cells.act[p][r].word[j];
                hum_next[at] = cuda_group_words(cells.wet[p][r]);
                act_next[at] = cuda_group_words(cells.act[p][r]);
            }
#endif
}

/* --- which clusters -------------------------------------------------------------------------- */

static int64_t threads_of(const struct cloud_clustering *one)
{
    return cloud_divided((int64_t)one->pairs * one->floors * one->lanes, SWEEP_LANES) * SWEEP_LANES;
}

/* A kernel that has room for it, or NULL. */
static decltype(&step_cluster<SLOTS>) kernel_of(const struct cloud_clustering *one, size_t *shared)
{
    int64_t slots = (one->pairs + 2) * (int64_t)stride_of(one->floors * one->lanes, one->lanes);

    if (slots <= SLOTS_FEW && threads_of(one) <= THREADS_FEW) {
        *shared = sizeof(struct stage<SLOTS_FEW>);
        return step_cluster<SLOTS_FEW>;
    }
    *shared = sizeof(struct stage<SLOTS>);
    return slots <= SLOTS ? step_cluster<SLOTS> : NULL;
}

/*
 * Cycles of a generation: a scheduler of four takes about 120 instructions of logic for each of its
 * warps, two cycles each; shared memory gives and takes 18 times 512 bytes for a warp, 128 a cycle,
 * half of the time beside logic; then come barrier and mail.
 */
static double cycles(const struct cloud_clustering *one)
{
    double warps = (double)threads_of(one) / SWEEP_LANES;

    return 250 * ceil(warps / 4) + 36 * warps + (one->blocks > 1 ? 300 : 150);
}

/* One with so many blocks, if they share the pairs of rows out and each has some. */
static bool shared_out(struct cloud_clustering *one, int blocks, int64_t pairs,
                       const struct cloud_wanted *wanted)
{
    int64_t each = cloud_divided(pairs, blocks), pair_threads = (int64_t)one->floors * one->lanes;

    if (each * pair_threads > THREADS || cloud_divided(pairs, each) != blocks)
        return false;
    if (wanted->warps && each > 1 && each * pair_threads > wanted->warps * SWEEP_LANES)
        return false;
    one->blocks = blocks;
    one->pairs = (int)each;
    one->cycles = cycles(one);
    return true;
}

enum ca_status cloud_cluster_choose(struct cuda *cuda, const struct cloud_wanted *wanted,
                                    struct cloud_clustering *clustering, struct ca_error *error)
{
    const struct cloud_groups *own = (const struct cloud_groups *)cuda->own;
    int64_t floors = cloud_divided(own->size.d, PLANES), pairs = cloud_divided(own->size.h, ROWS);
    struct cloud_clustering one = {};

    *clustering = {};
    one.generations = wanted->generations ? wanted->generations : CLUSTER_GENERATIONS;
    one.lanes = 1;
    while (one.lanes < own->size.w && one.lanes < SWEEP_LANES)
        one.lanes *= 2;
    if (one.lanes < own->size.w || floors * one.lanes > THREADS)
        return CA_OK;
    one.floors = (int)floors;
    for (int blocks = 1; blocks <= BLOCKS; blocks++) {
        bool runs = false;
        size_t shared;

        if (!shared_out(&one, blocks, pairs, wanted) || !kernel_of(&one, &shared))
            continue;
        if (clustering->generations && one.cycles >= clustering->cycles)
            continue;
        CA_TRY(cuda_cluster_runs(cuda, "cloud cluster", kernel_of(&one, &shared), (unsigned)blocks,
                                 dim3((unsigned)threads_of(&one)), shared, &runs, error));
        if (runs)
            *clustering = one;
    }
    return CA_OK;
}

enum ca_status cloud_cluster_pass(struct cuda *cuda, const struct cloud_clustering *clustering,
                                  int generations, struct ca_error *error)
{
    const struct cloud_groups *own = (const struct cloud_groups *)cuda->own;
    struct band band = {generations, clustering->lanes, clustering->floors, clustering->pairs};
    size_t shared;
    auto kernel = kernel_of(clustering, &shared);

    return cuda_launch_cluster(cuda, "cloud cluster", kernel, (unsigned)clustering->blocks,
                               dim3((unsigned)threads_of(clustering)), shared, error, own->hum,
                               own->act, own->hum_next, own->act_next, own->size, band);
}
