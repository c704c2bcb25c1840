/* SPDX-License-Identifier: MIT */
/* Owns the kernel of lattices that one block holds, or a cluster of them. */
#include "kernels/fhp/block.cuh"

#include "kernels/cuda/cluster.cuh"

#define LANES 32
#define THREADS_MAX 1024
#define BLOCKS_MAX 16
#define ROUNDS_MAX 32 /* bits of `seen` */
#define DRAWN 4       /* generations drawn at a time, as many as a draw has words */
#define MOVING 6      /* planes, in two copies; of rest and solid nodes one is enough */
#define COPIES 2
#define ENDS 2                 /* of a cluster's block: its first row and its last */
#define CROSSING 2             /* planes that leave it there */
#define PASS_GENERATIONS 65536 /* of a launch, so that there is an end to wait for */

/* What a launch is about. */
struct work {
    struct fhp_layout layout;
    struct fhp_facts facts;
    struct fhp_block block;
    int generations;
};

/*
 * What stands in shared memory: planes by rows, even ones first; in a cluster behind them the ghost
 * of the next one, and the ghost of the odd row before; odd ones.
 */
struct copy {
    word *planes;
    word *ghost;               /* in a cluster: where the end of this thread's goes */
    uint64_t *box, *ghost_box; /* and for mail to this one, from each side, and to that one */
};

struct held {
    uint4 *chirality, *turns; /* of DRAWN generations */
    struct copy now, next;
    word *rest, *solid;
};

/* The first pair of rows of a block; they are shared out evenly. */
static __device__ __forceinline__ int first_pair(const struct fhp_block &block, int nth)
{
    return nth * block.pairs / block.blocks;
}

/* Where a thread stands. */
struct spot {
    int pairs, first_pair; /* of the block */
    int odd;               /* of which rows it has some: 1 or 0; slabs start on even rows */
    bool is;               /* it has words at all */
    bool first, last;      /* they are at an end of a row that closes within a word */
    int x, row;            /* its word, its first row of those of its parity */
    int at;                /* there */
    int above, below;      /* from there to the rows beside it, */
    int top, bottom;       /* but in one block from these rows by `around` more, or less */
    int around;
    int left, right;  /* to the words beside it, */
    int lower, upper; /* and in diagonal planes from these rows */
    bool gives_on;    /* it has a word at an end of a cluster's block: */
    int plane, end;   /* the first plane that leaves it, and there, */
    int ghost;        /* where that goes, */
    unsigned beside;  /* in which block */
};

template <bool CLUSTER>
static __device__ __forceinline__ struct spot spot_of(const struct fhp_block &block)
{
    int thread = threadIdx.x / (2 * LANES) * LANES + threadIdx.x % LANES;
    int odd = threadIdx.x / LANES % 2, words = block.words,
        around = (block.half + CLUSTER * 2) * words;
    int nth = CLUSTER ? (int)blockIdx.x : 0;
    int before = (nth > 0 ? nth : block.blocks) - 1, behind = nth + 1 < block.blocks ? nth + 1 : 0;
    int end_row;
    struct spot spot;

    spot.first_pair = first_pair(block, nth);
    spot.pairs = first_pair(block, nth + 1) - spot.first_pair;
    end_row = odd ? spot.pairs - 1 : 0;
    spot.odd = odd;
    spot.x = thread % words;
    spot.row = thread / words;
    spot.is = spot.row < block.rows;
    spot.first = block.ring && spot.x == 0;
    spot.last = block.ring && spot.x == words - 1;
    spot.at = odd * around + spot.row * words + spot.x;
    spot.above = cuda_opaque(odd ? -around : around - words);
    spot.below = cuda_opaque(odd ? words - around : around);
    spot.top = cuda_opaque(CLUSTER || odd ? -1 : 0);
    spot.bottom = cuda_opaque(!CLUSTER && odd ? block.half - 1 : -1);
    spot.around = cuda_opaque(around);
    spot.left = cuda_opaque(spot.x > 0 ? -1 : words - 1);
    spot.right = cuda_opaque(spot.x < words - 1 ? 1 : 1 - words);
    spot.lower = cuda_opaque(spot.odd ? spot.right : block.plane + spot.left);
    spot.upper = cuda_opaque(spot.odd ? 4 * block.plane + spot.right : 3 * block.plane + spot.left);
    spot.gives_on = spot.is && end_row >= spot.row && (end_row - spot.row) % block.rows == 0;
    spot.plane = odd ? 3 : 0;
    spot.end = spot.plane * block.plane + odd * around + end_row * words + spot.x;
    spot.ghost = spot.x + words * (odd ? block.half + 1
                                       : first_pair(block, before + 1) - first_pair(block, before));
    spot.beside = (unsigned)(odd ? behind : before);
    return spot;
}

/* --- shared memory --------------------------------------------------------------------------- */

template <bool CLUSTER>
static __device__ __forceinline__ struct copy
copy_of(word *planes, uint64_t *box, const struct fhp_block &block, const struct spot &spot)
{
    if (!CLUSTER)
        return {planes};
    return {planes, cluster_map_shared(planes + spot.plane * block.plane + spot.ghost, spot.beside),
            box, cluster_map_shared(box + spot.odd, spot.beside)};
}

template <bool FORCED, bool CLUSTER>
static __device__ __forceinline__ struct held held_of(uint4 *shared, const struct fhp_block &block,
                                                      const struct spot &spot)
{
    int drawn = DRAWN * block.drawn, moving = MOVING * block.plane;
    uint4 *turns = shared + (FORCED ? drawn : 0);
    word *now = (word *)(turns + drawn), *rest = now + COPIES * moving;
    uint64_t *box = (uint64_t *)(rest + 2 * block.plane);

    return {shared,
            turns,
            copy_of<CLUSTER>(now, box, block, spot),
            copy_of<CLUSTER>(now + moving, box + ENDS, block, spot),
            rest,
            rest + block.plane};
}

/* --- ghost rows ------------------------------------------------------------------------------ */

static __device__ __forceinline__ void expect_ghosts(const struct copy &copy,
                                                     const struct fhp_block &block)
{
#pragma unroll
    for (int end = 0; end < ENDS; end++)
        mbar_expect_tx(copy.box + end, (uint32_t)(CROSSING * block.words * (int)sizeof(word)));
}

static __device__ __forceinline__ void open_boxes(const struct held &held,
                                                  const struct fhp_block &block)
{
    if (threadIdx.x == 0) {
        for (int end = 0; end < ENDS; end++) {
            mbar_init(held.now.box + end);
            mbar_init(held.next.box + end);
        }
        expect_ghosts(held.now, block);
        expect_ghosts(held.next, block);
    }
    cluster_sync();
}

/* Gives on what is in a row at an end of the block. */
static __device__ __forceinline__ void
give_on(const struct copy &copy, const struct fhp_block &block, const struct spot &spot)
{
    const word *from = copy.planes + spot.end;

    if (spot.gives_on)
#pragma unroll
        for (int i = 0; i < CROSSING; i++)
            dsmem_store_async(copy.ghost + i * block.plane, from[i * block.plane], copy.ghost_box);
}

/* Until they are there that are read in generation g of the launch. */
static __device__ __forceinline__ void await_ghosts(const struct copy &copy,
                                                    const struct fhp_block &block, int g)
{
#pragma unroll
    for (int end = 0; end < ENDS; end++)
        mbar_wait(copy.box + end, g / COPIES & 1);
    __syncwarp(); /* a lane that came two generations late would wait for ever */
    if (threadIdx.x == 0)
        expect_ghosts(copy, block);
}

/* --- a generation ---------------------------------------------------------------------------- */

/* Draws of DRAWN generations from `g` of the launch on. */
template <bool FORCED>
static __device__ __forceinline__ void draw(const struct held &held, const struct work &work,
                                            const struct spot &spot, int g)
{
    uint32_t groups = (uint32_t)work.block.groups, half = (uint32_t)spot.pairs;
    uint32_t first = 2 * (uint32_t)spot.first_pair;

#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < 2 * half * groups * DRAWN; i += blockDim.x) {
        uint32_t ahead = i % DRAWN, at = i / DRAWN, row = at / groups, odd = row >= half;
        uint32_t y = first + (odd ? 2 * (row - half) + 1 : 2 * row);
        uint4 chirality, turns;

        fhp_draw<FORCED>(work.facts, at - row * groups, (uint32_t)cuda_global(work.facts.slab, y),
                         work.facts.t + (uint32_t)g + ahead, &chirality, &turns);
        held.chirality[ahead * work.block.drawn + at] = chirality;
        if (FORCED)
            held.turns[ahead * work.block.drawn + at] = turns;
    }
}

/* The last word of a row, its `ring` nodes and behind them the row's first one. */
static __device__ __forceinline__ word close_ring(word last, word first, int ring)
{
    word mask = 1u << ring;

    return (last & (mask - 1)) | first % 2 * mask;
}

/* The nodes at `at` with what arrives there. */
template <bool CLUSTER>
static __device__ __forceinline__ struct fhp_bits
arrive(const struct held &held, const struct work &work, const struct spot &spot, int at, int row)
{
    int above = at + spot.above + (!CLUSTER && row == spot.top ? spot.around : 0);
    int below = at + spot.below - (!CLUSTER && row == spot.bottom ? spot.around : 0);
    const word *now = held.now.planes, *planes[MOVING];
    struct fhp_bits node;
    word east, west, lower = now[below + spot.lower], upper = now[above + spot.upper];

#pragma unroll
    for (int p = 0; p < MOVING; p++)
        planes[p] = now + p * work.block.plane;
    node = {{planes[0][below], planes[1][below], planes[2][at], planes[3][above], planes[4][above],
             planes[5][at]},
            held.rest[at]};
    east = planes[2][at + spot.left];
    west = planes[5][at + spot.right];
    if (spot.last) {
        node.move[5] = close_ring(node.move[5], west, work.block.ring);
        if (spot.odd) {
            node.move[0] = close_ring(node.move[0], lower, work.block.ring);
            node.move[4] = close_ring(node.move[4], upper, work.block.ring);
        }
    }
    if (spot.first) {
        east <<= 32 - work.block.ring;
        if (!spot.odd) {
            lower <<= 32 - work.block.ring;
            upper <<= 32 - work.block.ring;
        }
    }
    node.move[2] = __funnelshift_l(east, node.move[2], 1);
    node.move[5] = __funnelshift_r(node.move[5], west, 1);
    if (spot.odd) {
        node.move[0] = __funnelshift_r(node.move[0], lower, 1);
        node.move[4] = __funnelshift_r(node.move[4], upper, 1);
    } else {
        node.move[1] = __funnelshift_l(lower, node.move[1], 1);
        node.move[3] = __funnelshift_l(upper, node.move[3], 1);
    }
    return node;
}

template <int SET, bool FORCED, bool CLUSTER>
static __device__ __forceinline__ void generation(const struct held &held, const struct work &work,
                                                  const struct spot &spot, int at, int row, int g,
                                                  bool any)
{
    struct fhp_bits node = arrive<CLUSTER>(held, work, spot, at, row);
    int drawn =
        (g % DRAWN * work.block.drawn + (spot.odd * spot.pairs + row) * work.block.groups) * 4;
    word chirality = ((const word *)held.chirality)[drawn + spot.x];
    word turn = FORCED ? ((const word *)held.turns)[drawn + spot.x] : 0;

    if (any)
        fhp_scatter_word<SET, FORCED, true>(&node, chirality, turn, held.solid[at]);
    else
        fhp_scatter_word<SET, FORCED, false>(&node, chirality, turn, 0);
#pragma unroll
    for (int p = 0; p < MOVING; p++)
        held.next.planes[p * work.block.plane + at] = node.move[p];
    held.rest[at] = node.rest;
}

/* --- all of them ----------------------------------------------------------------------------- */

/* A thread's words, in or out. Bits of the result: whether its warp has solid nodes in a round. */
template <bool IN>
static __device__ __forceinline__ uint32_t move_words(uint4 *lattice, const struct held &held,
                                                      const struct work &work,
                                                      const struct spot &spot)
{
    int at = spot.at, shift = work.layout.shift;
    uint32_t seen = 0;

    for (int first = 0, i = 0; first < spot.pairs; first += work.block.rows, i++) {
        int row = spot.row + first;
        word solid = 0;

        if (spot.is && row < spot.pairs) {
            int64_t y = 2 * (spot.first_pair + row) + spot.odd;
            word *words = (word *)(lattice + y * work.layout.pitch +
                                   fhp_group_at(work.layout, spot.x / 4, 0)) +
                          spot.x % 4;

            for (int p = 0; p < FHP_BIT_PLANES; p++) {
                word *mine =
                    p < MOVING ? held.now.planes + p * work.block.plane + at : held.rest + at;

                if (IN)
                    *mine = words[4 * (p << shift)];
                else
                    words[4 * (p << shift)] = *mine;
            }
            if (IN)
                solid = held.solid[at] = words[4 * (FHP_PLANE_SOLID << shift)];
        }
        if (IN)
            seen |= (uint32_t)(__any_sync(0xffffffff, solid != 0) != 0) << i;
        at += work.block.rows * work.block.words;
    }
    return seen;
}

template <int SET, bool FORCED, bool CLUSTER>
static __device__ __forceinline__ void step(uint4 *shared, uint4 *lattice, const struct work &work)
{
    struct spot spot = spot_of<CLUSTER>(work.block);
    struct held held = held_of<FORCED, CLUSTER>(shared, work.block, spot);
    uint32_t seen;

    if (CLUSTER)
        open_boxes(held, work.block);
    seen = move_words<true>(lattice, held, work, spot);
    if (CLUSTER)
        give_on(held.now, work.block, spot);
#pragma unroll 1
    for (int g = 0; g < work.generations; g++) {
        struct copy now = held.now;
        int at = spot.at;

        if (g % DRAWN == 0) {
            __syncthreads(); /* the draws before were read */
            draw<FORCED>(held, work, spot, g);
        }
        __syncthreads();
        if (CLUSTER)
            await_ghosts(now, work.block, g);
#pragma unroll 1
        for (int row = spot.row, i = 0; spot.is && row < spot.pairs; row += work.block.rows, i++) {
            generation<SET, FORCED, CLUSTER>(held, work, spot, at, row, g, seen >> i & 1);
            at += work.block.rows * work.block.words;
        }
        if (CLUSTER && g + 1 < work.generations)
            give_on(held.next, work.block, spot);
        held.now = held.next;
        held.next = now;
    }
    move_words<false>(lattice, held, work, spot);
}

template <int SET, bool FORCED>
__global__ static void __launch_bounds__(THREADS_MAX)
    step_block(uint4 *lattice, const __grid_constant__ struct work work)
{
    extern __shared__ uint4 shared[];

    step<SET, FORCED, false>(shared, lattice, work);
}

template <int SET, bool FORCED>
__global__ static void __launch_bounds__(THREADS_MAX)
    step_cluster(uint4 *lattice, const __grid_constant__ struct work work)
{
#if CLUSTER_SUPPORTED
    extern __shared__ uint4 shared[];

    step<SET, FORCED, true>(shared, lattice, work);
#endif
}

typedef void block_kernel(uint4 *lattice, const struct work work);

static block_kernel *const of_block[3][2] = FHP_KERNELS(step_block);
static block_kernel *const of_cluster[3][2] = FHP_KERNELS(step_cluster);

static block_kernel *kernel_of(const struct cuda *cuda, int blocks)
{
    int set = ca_choice(&cuda->setup.params, "collisions");
    bool forced = ca_probability(&cuda->setup.params, "p_force") > 0;

    return blocks > 1 ? of_cluster[set][forced] : of_block[set][forced];
}

struct fhp_block fhp_block_of(const struct fhp_layout &layout, bool forced, int wanted, int blocks,
                              const struct ca_cuda_device *device)
{
    int64_t words = (layout.w + 31) / 32, pairs = layout.h / 2,
            half = (pairs + blocks - 1) / blocks;
    int64_t drawn = layout.groups * 2 * half, rows, rounds, warps = 2 * LANES;
    struct fhp_block block = {wanted ? wanted : PASS_GENERATIONS, blocks};

    if (layout.h % 2 || pairs < blocks || words * half > device->shared_bytes)
        return {};
    block.threads =
        (int)(drawn < THREADS_MAX / 4 ? (4 * drawn + warps - 1) / warps * warps : THREADS_MAX);
    rows = block.threads / 2 / words;
    rounds = rows ? (half + rows - 1) / rows : 0;
    block.groups = (int)layout.groups;
    block.words = (int)words;
    block.ring = (int)(layout.w % 32);
    block.pairs = (int)pairs;
    block.half = (int)half;
    block.rows = (int)(rounds ? (half + rounds - 1) / rounds : 0);
    block.plane = (int)(2 * (half + (blocks > 1)) * words);
    block.drawn =
        (int)drawn + 2; /* so that a warp stores those of four generations to other banks */
    block.shared = (size_t)(DRAWN * (1 + forced) * block.drawn) * sizeof(uint4) +
                   (size_t)((COPIES * MOVING + 2) * block.plane) * sizeof(word) +
                   (blocks > 1 ? COPIES * ENDS * sizeof(uint64_t) : 0);
    if (block.rows == 0 || rounds > ROUNDS_MAX || block.shared > (size_t)device->shared_bytes)
        return {};
    return block;
}

enum ca_status fhp_cluster_of(struct cuda *cuda, int wanted, struct fhp_block *block,
                              struct ca_error *error)
{
    const struct fhp_planes *own = (const struct fhp_planes *)cuda->own;
    bool forced = ca_probability(&cuda->setup.params, "p_force") > 0, runs = false;
    struct ca_cuda_device device;

    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    for (int blocks = BLOCKS_MAX; blocks > 1 && !runs; blocks--) {
        *block = fhp_block_of(own->layout, forced, wanted, blocks, &device);
        if (block->generations)
            CA_TRY(cuda_cluster_runs(cuda, "fhp cluster", kernel_of(cuda, blocks), (unsigned)blocks,
                                     dim3((unsigned)block->threads), block->shared, &runs, error));
    }
    if (!runs)
        *block = {};
    return CA_OK;
}

enum ca_status fhp_block_step(struct cuda *cuda, const struct fhp_block *block, uint64_t t,
                              uint64_t n, struct ca_error *error)
{
    struct fhp_planes *own = (struct fhp_planes *)cuda->own;
    block_kernel *kernel = kernel_of(cuda, block->blocks);
    dim3 threads((unsigned)block->threads);

    while (n > 0) {
        int some = n < (uint64_t)block->generations ? (int)n : block->generations;
        struct work work = {own->layout, fhp_facts_of(cuda, t), *block, some};

        if (block->blocks == 1)
            CA_TRY(cuda_launch(cuda, "block", kernel, dim3(1), threads, block->shared, error,
                               own->now, work));
        else
            CA_TRY(cuda_launch_cluster(cuda, "block", kernel, (unsigned)block->blocks, threads,
                                       block->shared, error, own->now, work));
        t += (uint64_t)some;
        n -= (uint64_t)some;
    }
    return CA_OK;
}
