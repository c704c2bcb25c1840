/* SPDX-License-Identifier: MIT */
/* Owns the kernel of lattices that one block holds. */
#include "kernels/fhp/block.cuh"

#define LANES 32
#define THREADS_MAX 1024
#define ROUNDS_MAX 32          /* bits of `seen` */
#define DRAWN 4                /* generations drawn at a time, as many as a draw has words */
#define MOVING 6               /* planes, in two copies; of rest and solid nodes one is enough */
#define PASS_GENERATIONS 65536 /* of a launch, so that there is an end to wait for */

/* What a launch is about. */
struct work {
    struct fhp_layout layout;
    struct fhp_facts facts;
    struct fhp_block block;
    int generations;
};

/* What stands in shared memory: planes by rows, even ones first. */
struct held {
    uint4 *chirality, *turns; /* of DRAWN generations */
    word *now, *next, *rest, *solid;
};

template <bool FORCED>
static __device__ __forceinline__ struct held held_of(uint4 *shared, const struct fhp_block &block)
{
    int drawn = DRAWN * block.drawn, moving = MOVING * block.plane;
    uint4 *turns = shared + (FORCED ? drawn : 0);
    word *now = (word *)(turns + drawn);

    return {shared, turns, now, now + moving, now + 2 * moving, now + 2 * moving + block.plane};
}

/* Where a thread stands. */
struct spot {
    int odd;          /* of which rows it has some: 1 or 0; slabs start on even rows */
    bool is;          /* it has words at all */
    bool first, last; /* they are at an end of a row that closes within a word */
    int x, row;       /* its word, its first row of those of its parity */
    int at;           /* there */
    int above, below; /* from there to the rows beside it, */
    int top, bottom;  /* but from these rows by `around` more, or less */
    int around;
    int left, right;  /* to the words beside it, */
    int lower, upper; /* and in diagonal planes from these rows */
};

static __device__ __forceinline__ struct spot spot_of(const struct fhp_block &block)
{
    int thread = threadIdx.x / (2 * LANES) * LANES + threadIdx.x % LANES;
    int odd = threadIdx.x / LANES % 2, words = block.words;
    struct spot spot;

    spot.odd = odd;
    spot.x = thread % words;
    spot.row = thread / words;
    spot.is = spot.row < block.rows;
    spot.first = block.ring && spot.x == 0;
    spot.last = block.ring && spot.x == words - 1;
    spot.around = cuda_kept(block.half * words);
    spot.at = odd * spot.around + spot.row * words + spot.x;
    spot.above = cuda_kept(odd ? -spot.around : spot.around - words);
    spot.below = cuda_kept(odd ? words - spot.around : spot.around);
    spot.top = cuda_kept(odd ? -1 : 0);
    spot.bottom = cuda_kept(odd ? block.half - 1 : -1);
    spot.left = cuda_kept(spot.x > 0 ? -1 : words - 1);
    spot.right = cuda_kept(spot.x < words - 1 ? 1 : 1 - words);
    spot.lower = cuda_kept(spot.odd ? spot.right : block.plane + spot.left);
    spot.upper = cuda_kept(spot.odd ? 4 * block.plane + spot.right : 3 * block.plane + spot.left);
    return spot;
}

/* --- a generation ---------------------------------------------------------------------------- */

/* Draws of DRAWN generations from `g` of the launch on. */
template <bool FORCED>
static __device__ __forceinline__ void draw(const struct held &held, const struct work &work, int g)
{
    uint32_t groups = (uint32_t)work.block.groups, half = (uint32_t)work.block.half;

#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < 2 * half * groups * DRAWN; i += blockDim.x) {
        uint32_t ahead = i % DRAWN, at = i / DRAWN, row = at / groups, odd = row >= half;
        uint32_t y = odd ? 2 * (row - half) + 1 : 2 * row;
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
static __device__ __forceinline__ struct fhp_bits
arrive(const struct held &held, const struct work &work, const struct spot &spot, int at, int row)
{
    int above = at + spot.above + (row == spot.top ? spot.around : 0);
    int below = at + spot.below - (row == spot.bottom ? spot.around : 0);
    const word *now = held.now, *planes[MOVING];
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

template <int SET, bool FORCED>
static __device__ __forceinline__ void generation(const struct held &held, const struct work &work,
                                                  const struct spot &spot, int at, int row, int g,
                                                  bool any)
{
    struct fhp_bits node = arrive(held, work, spot, at, row);
    int drawn =
        (g % DRAWN * work.block.drawn + (spot.odd * work.block.half + row) * work.block.groups) * 4;
    word chirality = ((const word *)held.chirality)[drawn + spot.x];
    word turn = FORCED ? ((const word *)held.turns)[drawn + spot.x] : 0;

    if (any)
        fhp_scatter_word<SET, FORCED, true>(&node, chirality, turn, held.solid[at]);
    else
        fhp_scatter_word<SET, FORCED, false>(&node, chirality, turn, 0);
#pragma unroll
    for (int p = 0; p < MOVING; p++)
        held.next[p * work.block.plane + at] = node.move[p];
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

    for (int first = 0, i = 0; first < work.block.half; first += work.block.rows, i++) {
        int row = spot.row + first;
        word solid = 0;

        if (spot.is && row < work.block.half) {
            word *words = (word *)(lattice + (2 * row + spot.odd) * work.layout.pitch +
                                   fhp_group_at(work.layout, spot.x / 4, 0)) +
                          spot.x % 4;

            for (int p = 0; p < FHP_BIT_PLANES; p++) {
                word *mine = p < MOVING ? held.now + p * work.block.plane + at : held.rest + at;

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

template <int SET, bool FORCED>
__global__ static void __launch_bounds__(THREADS_MAX)
    step_block(uint4 *lattice, const __grid_constant__ struct work work)
{
    extern __shared__ uint4 shared[];
    struct held held = held_of<FORCED>(shared, work.block);
    struct spot spot = spot_of(work.block);
    uint32_t seen = move_words<true>(lattice, held, work, spot);

#pragma unroll 1
    for (int g = 0; g < work.generations; g++) {
        word *now = held.now;
        int at = spot.at;

        if (g % DRAWN == 0) {
            __syncthreads(); /* the draws before were read */
            draw<FORCED>(held, work, g);
        }
        __syncthreads();
#pragma unroll 1
        for (int row = spot.row, i = 0; spot.is && row < work.block.half;
             row += work.block.rows, i++) {
            generation<SET, FORCED>(held, work, spot, at, row, g, seen >> i & 1);
            at += work.block.rows * work.block.words;
        }
        held.now = held.next;
        held.next = now;
    }
    move_words<false>(lattice, held, work, spot);
}

typedef void block_kernel(uint4 *lattice, const struct work work);

static block_kernel *const kernels[3][2] = FHP_KERNELS(step_block);

struct fhp_block fhp_block_of(const struct fhp_layout &layout, bool forced, int wanted,
                              const struct ca_cuda_device *device)
{
    int64_t words = (layout.w + 31) / 32, half = layout.h / 2, drawn = layout.groups * layout.h;
    int64_t rows, rounds, pair = 2 * LANES;
    struct fhp_block block = {wanted ? wanted : PASS_GENERATIONS};

    if (layout.h % 2 || words * layout.h > device->shared_bytes)
        return {};
    block.threads =
        (int)(drawn < THREADS_MAX / 4 ? (4 * drawn + pair - 1) / pair * pair : THREADS_MAX);
    rows = block.threads / 2 / words;
    rounds = rows ? (half + rows - 1) / rows : 0;
    block.groups = (int)layout.groups;
    block.words = (int)words;
    block.ring = (int)(layout.w % 32);
    block.half = (int)half;
    block.rows = (int)(rounds ? (half + rounds - 1) / rounds : 0);
    block.plane = (int)(words * layout.h);
    block.drawn =
        (int)drawn + 2; /* so that a warp stores those of four generations to other banks */
    block.shared = (size_t)(DRAWN * (1 + forced) * block.drawn) * sizeof(uint4) +
                   (size_t)((2 * MOVING + 2) * block.plane) * sizeof(word);
    if (block.rows == 0 || rounds > ROUNDS_MAX || block.shared > (size_t)device->shared_bytes)
        return {};
    return block;
}

enum ca_status fhp_block_step(struct cuda *cuda, const struct fhp_block *block, uint64_t t,
                              uint64_t n, struct ca_error *error)
{
    struct fhp_planes *own = (struct fhp_planes *)cuda->own;
    block_kernel *kernel = kernels[ca_choice(&cuda->setup.params, "collisions")]
                                  [ca_probability(&cuda->setup.params, "p_force") > 0];

    while (n > 0) {
        int some = n < (uint64_t)block->generations ? (int)n : block->generations;
        struct work work = {own->layout, fhp_facts_of(cuda, t), *block, some};

        CA_TRY(cuda_launch(cuda, "block", kernel, dim3(1), dim3((unsigned)block->threads),
                           block->shared, error, own->now, work));
        t += (uint64_t)some;
        n -= (uint64_t)some;
    }
    return CA_OK;
}
