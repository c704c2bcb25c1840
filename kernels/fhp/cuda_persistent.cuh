/* SPDX-License-Identifier: MIT */
/*
 * The kernels of cuda-persistent: a lattice stays in the shared memory of one block, or of up to
 * sixteen blocks of a cluster (compute capability 9.0), for many generations.
 *
 * A thread has 32 nodes of a row, which is a word of each plane, and of larger lattices those of
 * several rows. A warp takes rows of one parity, so that all its lanes shift the same planes:
 *
 *     warp    0, 2, 4 ...    rows 0, 2, 4 ...     the words of these rows one after the other
 *             1, 3, 5 ...    rows 1, 3, 5 ...
 *
 * A generation reads what arrives from one buffer of the planes and writes what leaves to the other
 * one, with one barrier. A block of a cluster has some pairs of rows and in each buffer a halo row
 * at either end, to which the neighbouring blocks send the planes that leave their end rows, by
 * stores that an mbarrier counts. A Philox call makes 128 random bits, which are four words: those
 * of four generations are drawn at a time, so that as many threads draw as step.
 */
#ifndef CALAB_KERNELS_FHP_CUDA_PERSISTENT_CUH
#define CALAB_KERNELS_FHP_CUDA_PERSISTENT_CUH

#include "kernels/cuda/halo_exchange.cuh"
#include "kernels/fhp/cuda_bits.cuh"

#define LANES 32
#define THREADS_MAX 1024
#define ROUNDS_MAX 32 /* bits of `solid_rounds` */
#define DRAWN 4       /* generations drawn at a time, as many as a draw has words */
#define MOVING 6      /* planes with a double buffer; those of rest and solid nodes need none */
#define BUFFERS HALO_BUFFERS
#define CROSSING 2 /* planes whose particles leave the block there */

/* How the blocks of a launch share the lattice out. */
struct shape {
    int generations; /* of a launch, at most */
    int blocks;      /* of the cluster, 1 for a single block, 0 where the lattice does not fit */
    int threads;
    int groups, words; /* of a row */
    int last_nodes;    /* of a row's last word, 0 where it is full */
    int pairs;         /* of rows, one of each parity, that the lattice has, */
    int block_pairs;   /* and that a block has at most */
    int rows;          /* of each parity that the threads of a block take at a time */
    int plane, drawn;  /* in shared memory: words of a plane, groups of a generation's draws */
    size_t shared_bytes;
};

/* The kernels take this by value. */
struct work {
    struct fhp_bits_layout layout;
    struct fhp_bits_params params;
    struct shape shape;
    int generations;
};

/*
 * A buffer of the moving planes in shared memory. A plane has the even rows first, then the odd
 * ones. In a cluster the even rows are followed by a halo row, the first row of the next block, and
 * the odd rows come after a halo row, the last row of the block before.
 */
struct buffer {
    word *planes;
    word *remote_halo; /* where this thread's end row goes in the neighbouring block */
    struct halo_barrier *arrived, *remote_arrived; /* of both halo rows here; of that one there */
};

/* A block has this in shared memory. */
struct shared_view {
    uint4 *chirality, *turns; /* random bits of DRAWN generations */
    struct buffer now, next;
    word *rest, *solid;
};

/* The first pair of rows of a block: pairs are shared out evenly. */
static __device__ __forceinline__ int first_pair(const struct shape &shape, int nth)
{
    return nth * shape.pairs / shape.blocks;
}

/* A thread's position, and where its neighbours are as offsets in words. */
struct position {
    int pairs, first_pair;      /* of the block */
    int odd;                    /* the parity of its rows, 1 or 0; slabs start on even rows */
    bool active;                /* it has words at all */
    bool wraps_low, wraps_high; /* it has the first, the last word of rows that end in a word */
    int x, row;                 /* its word, and its first row among those of its parity */
    int at;                     /* the index of that word in a plane */
    int above, below;           /* from there to the rows above and below, */
    int top, bottom;            /* but in a single block from these rows further by `around` */
    int around;
    int left, right;   /* to the neighbouring words of the row, */
    int lower, upper;  /* and of the diagonal planes in the rows below and above */
    bool sends;        /* it has a word in an end row of a block of a cluster: */
    int plane, end;    /* the first plane that the block sends, and the word in it, */
    int halo;          /* its index in the receiving plane, */
    int side;          /* and the receiving block: on which side, */
    unsigned receiver; /* and its number */
};

template <bool CLUSTER>
static __device__ __forceinline__ struct position position_of(const struct shape &shape)
{
    int thread = threadIdx.x / (2 * LANES) * LANES + threadIdx.x % LANES;
    int odd = threadIdx.x / LANES % 2, words = shape.words,
        around = (shape.block_pairs + CLUSTER * 2) * words;
    int nth = CLUSTER ? (int)blockIdx.x : 0, before = halo_neighbour(HALO_BEFORE, true);
    int end_row;
    struct position position;

    position.first_pair = first_pair(shape, nth);
    position.pairs = first_pair(shape, nth + 1) - position.first_pair;
    end_row = odd ? position.pairs - 1 : 0;
    position.odd = odd;
    position.x = thread % words;
    position.row = thread / words;
    position.active = position.row < shape.rows;
    position.wraps_low = shape.last_nodes && position.x == 0;
    position.wraps_high = shape.last_nodes && position.x == words - 1;
    position.at = odd * around + position.row * words + position.x;
    position.above = cuda_opaque(odd ? -around : around - words);
    position.below = cuda_opaque(odd ? words - around : around);
    position.top = cuda_opaque(CLUSTER || odd ? -1 : 0);
    position.bottom = cuda_opaque(!CLUSTER && odd ? shape.block_pairs - 1 : -1);
    position.around = cuda_opaque(around);
    position.left = cuda_opaque(position.x > 0 ? -1 : words - 1);
    position.right = cuda_opaque(position.x < words - 1 ? 1 : 1 - words);
    position.lower = cuda_opaque(position.odd ? position.right : shape.plane + position.left);
    position.upper = cuda_opaque(position.odd ? 4 * shape.plane + position.right
                                              : 3 * shape.plane + position.left);
    position.sends =
        position.active && end_row >= position.row && (end_row - position.row) % shape.rows == 0;
    position.plane = odd ? 3 : 0;
    position.end = position.plane * shape.plane + odd * around + end_row * words + position.x;
    position.halo =
        position.x + words * (odd ? shape.block_pairs + 1
                                  : first_pair(shape, before + 1) - first_pair(shape, before));
    position.side = odd ? HALO_BEHIND : HALO_BEFORE;
    position.receiver = (unsigned)halo_neighbour(position.side, true);
    return position;
}

/* --- shared memory --------------------------------------------------------------------------- */

template <bool CLUSTER>
static __device__ __forceinline__ struct buffer
buffer_of(word *planes, struct halo_barrier *arrived, const struct shape &shape,
          const struct position &position)
{
    if (!CLUSTER)
        return {planes};
    return {planes,
            cluster_map_shared(planes + position.plane * shape.plane + position.halo,
                               position.receiver),
            arrived, cluster_map_shared(arrived + halo_opposite(position.side), position.receiver)};
}

template <bool FORCED, bool CLUSTER>
static __device__ __forceinline__ struct shared_view
shared_view_of(uint4 *shared, const struct shape &shape, const struct position &position)
{
    int drawn = DRAWN * shape.drawn, moving = MOVING * shape.plane;
    uint4 *turns = shared + (FORCED ? drawn : 0);
    word *now = (word *)(turns + drawn), *rest = now + BUFFERS * moving;
    struct halo_barrier *arrived = (struct halo_barrier *)(rest + 2 * shape.plane);

    return {shared,
            turns,
            buffer_of<CLUSTER>(now, arrived, shape, position),
            buffer_of<CLUSTER>(now + moving, arrived + HALO_SIDES, shape, position),
            rest,
            rest + shape.plane};
}

/* --- halo rows -------------------------------------------------------------------------------- */

/* The bytes that a halo row receives. */
static __device__ __forceinline__ uint32_t halo_bytes(const struct shape &shape)
{
    return (uint32_t)(CROSSING * shape.words * (int)sizeof(word));
}

static __device__ __forceinline__ void init_barriers(const struct shared_view &view,
                                                     const struct shape &shape)
{
    if (threadIdx.x == 0)
        for (int side = 0; side < HALO_SIDES; side++) {
            halo_begin(view.now.arrived + side, halo_bytes(shape));
            halo_begin(view.next.arrived + side, halo_bytes(shape));
        }
    cluster_sync();
}

/* Sends a word of an end row to the halo row of the neighbouring block. */
static __device__ __forceinline__ void
send_halo(const struct buffer &buffer, const struct shape &shape, const struct position &position)
{
    const word *from = buffer.planes + position.end;

    if (position.sends)
#pragma unroll
        for (int i = 0; i < CROSSING; i++)
            halo_send(buffer.remote_halo + i * shape.plane, from[i * shape.plane],
                      buffer.remote_arrived);
}

/* Waits for the halo rows that generation g of the launch reads, and arms them for generation
 * g + 2, which has the same buffer. */
static __device__ __forceinline__ void wait_for_halo(const struct buffer &buffer,
                                                     const struct shape &shape, int g)
{
#pragma unroll
    for (int side = 0; side < HALO_SIDES; side++)
        halo_wait(buffer.arrived + side, halo_phase(g));
    if (threadIdx.x == 0)
#pragma unroll
        for (int side = 0; side < HALO_SIDES; side++)
            halo_arm(buffer.arrived + side, halo_bytes(shape));
}

/* --- a generation ---------------------------------------------------------------------------- */

/* The random bits of DRAWN generations from generation g of the launch on. */
template <bool FORCED>
static __device__ __forceinline__ void draw(const struct shared_view &view, const struct work &work,
                                            const struct position &position, int g)
{
    uint32_t groups = (uint32_t)work.shape.groups, pairs = (uint32_t)position.pairs;
    uint32_t first = 2 * (uint32_t)position.first_pair;

#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < 2 * pairs * groups * DRAWN; i += blockDim.x) {
        uint32_t ahead = i % DRAWN, at = i / DRAWN, row = at / groups, odd = row >= pairs;
        uint32_t y = first + (odd ? 2 * (row - pairs) + 1 : 2 * row);
        uint4 chirality, turns;

        fhp_draw<FORCED>(work.params, at - row * groups, (uint32_t)cuda_global(work.params.slab, y),
                         work.params.t + (uint32_t)g + ahead, &chirality, &turns);
        view.chirality[ahead * work.shape.drawn + at] = chirality;
        if (FORCED)
            view.turns[ahead * work.shape.drawn + at] = turns;
    }
}

/* The last word of a row of which it has `nodes`, with the row's first node behind them. */
static __device__ __forceinline__ word wrap_row_end(word last, word first, int nodes)
{
    word mask = 1u << nodes;

    return (last & (mask - 1)) | first % 2 * mask;
}

/* Collects what arrives at the nodes of the word `at`. */
template <bool CLUSTER>
static __device__ __forceinline__ struct fhp_bits
arrive(const struct shared_view &view, const struct work &work, const struct position &position,
       int at, int row)
{
    int above = at + position.above + (!CLUSTER && row == position.top ? position.around : 0);
    int below = at + position.below - (!CLUSTER && row == position.bottom ? position.around : 0);
    const word *now = view.now.planes, *planes[MOVING];
    struct fhp_bits node;
    word east, west, lower = now[below + position.lower], upper = now[above + position.upper];

#pragma unroll
    for (int p = 0; p < MOVING; p++)
        planes[p] = now + p * work.shape.plane;
    node = {{planes[0][below], planes[1][below], planes[2][at], planes[3][above], planes[4][above],
             planes[5][at]},
            view.rest[at]};
    east = planes[2][at + position.left];
    west = planes[5][at + position.right];
    if (position.wraps_high) {
        node.move[5] = wrap_row_end(node.move[5], west, work.shape.last_nodes);
        if (position.odd) {
            node.move[0] = wrap_row_end(node.move[0], lower, work.shape.last_nodes);
            node.move[4] = wrap_row_end(node.move[4], upper, work.shape.last_nodes);
        }
    }
    if (position.wraps_low) {
        east <<= 32 - work.shape.last_nodes;
        if (!position.odd) {
            lower <<= 32 - work.shape.last_nodes;
            upper <<= 32 - work.shape.last_nodes;
        }
    }
    node.move[2] = __funnelshift_l(east, node.move[2], 1);
    node.move[5] = __funnelshift_r(node.move[5], west, 1);
    if (position.odd) {
        node.move[0] = __funnelshift_r(node.move[0], lower, 1);
        node.move[4] = __funnelshift_r(node.move[4], upper, 1);
    } else {
        node.move[1] = __funnelshift_l(lower, node.move[1], 1);
        node.move[3] = __funnelshift_l(upper, node.move[3], 1);
    }
    return node;
}

/* A generation of the word `at` in row `row`; `solid`: its warp has solid nodes there. */
template <int SET, bool FORCED, bool CLUSTER>
static __device__ __forceinline__ void
generation(const struct shared_view &view, const struct work &work, const struct position &position,
           int at, int row, int g, bool solid)
{
    struct fhp_bits node = arrive<CLUSTER>(view, work, position, at, row);
    int drawn =
        (g % DRAWN * work.shape.drawn + (position.odd * position.pairs + row) * work.shape.groups) *
        4;
    word chirality = ((const word *)view.chirality)[drawn + position.x];
    word turn = FORCED ? ((const word *)view.turns)[drawn + position.x] : 0;

    if (solid)
        fhp_scatter_word<SET, FORCED, true>(&node, chirality, turn, view.solid[at]);
    else
        fhp_scatter_word<SET, FORCED, false>(&node, chirality, turn, 0);
#pragma unroll
    for (int p = 0; p < MOVING; p++)
        view.next.planes[p * work.shape.plane + at] = node.move[p];
    view.rest[at] = node.rest;
}

/* --- the kernels ------------------------------------------------------------------------------ */

/* Loads or stores a thread's words, a word of each plane in a round. Bit i of the result: the warp
 * has solid nodes in round i. */
template <bool LOAD>
static __device__ __forceinline__ uint32_t move_words(uint4 *lattice,
                                                      const struct shared_view &view,
                                                      const struct work &work,
                                                      const struct position &position)
{
    int at = position.at, shift = work.layout.shift;
    uint32_t solid_rounds = 0;

    for (int first = 0, i = 0; first < position.pairs; first += work.shape.rows, i++) {
        int row = position.row + first;
        word solid = 0;

        if (position.active && row < position.pairs) {
            int64_t y = 2 * (position.first_pair + row) + position.odd;
            word *words = (word *)(lattice + y * work.layout.pitch +
                                   fhp_group_at(work.layout, position.x / 4, 0)) +
                          position.x % 4;

            for (int p = 0; p < FHP_BIT_PLANES; p++) {
                word *here =
                    p < MOVING ? view.now.planes + p * work.shape.plane + at : view.rest + at;

                if (LOAD)
                    *here = words[4 * (p << shift)];
                else
                    words[4 * (p << shift)] = *here;
            }
            if (LOAD)
                solid = view.solid[at] = words[4 * (FHP_PLANE_SOLID << shift)];
        }
        if (LOAD)
            solid_rounds |= (uint32_t)(__any_sync(0xffffffff, solid != 0) != 0) << i;
        at += work.shape.rows * work.shape.words;
    }
    return solid_rounds;
}

template <int SET, bool FORCED, bool CLUSTER>
static __device__ __forceinline__ void step(uint4 *shared, uint4 *lattice, const struct work &work)
{
    struct position position = position_of<CLUSTER>(work.shape);
    struct shared_view view = shared_view_of<FORCED, CLUSTER>(shared, work.shape, position);
    uint32_t solid_rounds;

    if (CLUSTER)
        init_barriers(view, work.shape);
    solid_rounds = move_words<true>(lattice, view, work, position);
    if (CLUSTER)
        send_halo(view.now, work.shape, position);
#pragma unroll 1
    for (int g = 0; g < work.generations; g++) {
        struct buffer now = view.now;
        int at = position.at;

        if (g % DRAWN == 0) {
            __syncthreads(); /* all threads have read the draws before */
            draw<FORCED>(view, work, position, g);
        }
        __syncthreads();
        if (CLUSTER)
            wait_for_halo(now, work.shape, g);
#pragma unroll 1
        for (int row = position.row, i = 0; position.active && row < position.pairs;
             row += work.shape.rows, i++) {
            generation<SET, FORCED, CLUSTER>(view, work, position, at, row, g,
                                             solid_rounds >> i & 1);
            at += work.shape.rows * work.shape.words;
        }
        if (CLUSTER && g + 1 < work.generations)
            send_halo(view.next, work.shape, position);
        view.now = view.next;
        view.next = now;
    }
    move_words<false>(lattice, view, work, position);
}

template <int SET, bool FORCED>
__global__ static void __launch_bounds__(THREADS_MAX)
    fhp_cuda_persistent_block(uint4 *lattice, const __grid_constant__ struct work work)
{
    extern __shared__ uint4 shared[];

    step<SET, FORCED, false>(shared, lattice, work);
}

template <int SET, bool FORCED>
__global__ static void __launch_bounds__(THREADS_MAX)
    fhp_cuda_persistent_cluster(uint4 *lattice, const __grid_constant__ struct work work)
{
#if CLUSTER_SUPPORTED
    extern __shared__ uint4 shared[];

    step<SET, FORCED, true>(shared, lattice, work);
#endif
}

#endif
