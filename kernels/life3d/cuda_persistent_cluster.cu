/* SPDX-License-Identifier: MIT */
/*
 * cuda-persistent's kernel of a thread block cluster, from compute capability 9.0 on: up to sixteen
 * blocks hold rows of up to 32 cells, up to 32 of them in up to 128 layers, in registers.
 *
 * It is latency-bound: DSMEM takes some 200 cycles, an exchange within the block (store, barrier,
 * load) 60, logic 80. So a block has at least two layers and exchanges halos with its neighbours
 * only every second generation. A halo is two layers on each side, which the block steps like its
 * own:
 *
 *     layer   0  halo
 *             1  halo     a warp        stored by the block below in even generations
 *             2  own      a warp
 *             3  own      a warp
 *             4  halo     a warp        stored by the block above
 *             5  halo
 *
 * The inner halo layers step the first generation after an exchange too, and from their results the
 * block's own layers step the second. All warps do the same work, whether it is needed or not, and
 * it is nearly branch-free: with one warp per scheduler every branch stall is exposed (340 -> 250
 * cycles a generation).
 */
#include "kernels/cuda/halo_exchange.cuh"
#include "kernels/life3d/cuda_persistent.cuh"

#define BLOCKS LIFE3D_CLUSTER_BLOCKS
#define LAYERS LIFE3D_CLUSTER_LAYERS
#define HALO 2 /* layers of each side, and generations from one exchange to the next */
#define BUFFER_LAYERS (LAYERS + 2 * HALO)
#define ROWS LIFE3D_PERSISTENT_SIDE /* of a layer, each a lane's */
#define BUFFER_ROWS (ROWS + 2)      /* with an empty one before and after them */
#define THREADS ((LAYERS + 2 * HALO - 2) * ROWS)

/* Barriers of the halo from each side; the last one is for those that wait for neither. */
enum { FROM_NONE = HALO_SIDES, BARRIERS };

struct plane_buffers {
    word exchanged[HALO_BUFFERS][BUFFER_LAYERS][BUFFER_ROWS]; /* after an exchange, */
    word stepped[BUFFER_LAYERS][BUFFER_ROWS];                 /* and a generation later */
    struct halo_barrier barrier[HALO_BUFFERS][BARRIERS];
};

#define BUFFER (BUFFER_LAYERS * BUFFER_ROWS) /* words from one buffer to the next */
#define STEPPED (HALO_BUFFERS * BUFFER)      /* words from exchanged[0] to stepped */
#define HALO_BYTES (HALO * ROWS * (uint32_t)sizeof(word))

#if CLUSTER_SUPPORTED

/* --- thread positions ------------------------------------------------------------------------ */

struct thread_position {
    bool owns;    /* its row is the block's own */
    bool stepped; /* or a halo row inside the lattice: its result is used */
    int64_t at;   /* of its word */
    word *row;    /* in exchanged[0], with those beside it in y: */
    const word *before, *after;
    bool sends[HALO_SIDES];             /* its row is in the halo of the block below, above, */
    word *to[HALO_SIDES][HALO_BUFFERS]; /* where it goes in that block's buffers, */
    /* and the barrier there that counts it */
    struct halo_barrier *to_barrier[HALO_SIDES][HALO_BUFFERS];
    struct halo_barrier *barrier; /* that its warp waits for: of buffer 0 */
    uint32_t phase, flip;         /* to wait for; flip: 1 if phases alternate */
    bool arms;                    /* it tells the barrier how many bytes to expect */
    int last;                     /* bit of the last cell of a row */
    word valid;
};

/* The first layer of a block; the layers are divided evenly. */
static __device__ __forceinline__ int first_layer(int block, int layers)
{
    return block * layers / (int)gridDim.x;
}

static __device__ __forceinline__ struct thread_position
thread_position_of(struct plane_buffers *buffers, const struct life3d_layout &layout)
{
    int y = threadIdx.x % ROWS, layer = threadIdx.x / ROWS + 1, last = (int)layout.h - 1;
    int block = (int)blockIdx.x, d = (int)layout.d;
    int first = first_layer(block, d), layers = first_layer(block + 1, d) - first;
    bool at_edge[] = {layer <= HALO, layer >= layers + HALO - 1 && layer <= layers + HALO};
    int waits = FROM_NONE;
    struct thread_position position;

    position.owns = layer >= HALO && layer < layers + HALO;
    position.stepped = position.owns;
    position.arms = false;
    position.at = (first + layer - HALO) * layout.layer_words + (y < last ? y : last);
    position.row = &buffers->exchanged[0][layer][0] + cuda_opaque(1 + y);
    position.before = &buffers->exchanged[0][layer][0] + cuda_opaque(y > 0          ? y
                                                                     : layout.torus ? 1 + last
                                                                                    : 0);
    position.after = &buffers->exchanged[0][layer][0] + cuda_opaque(y < last       ? 2 + y
                                                                    : layout.torus ? 1
                                                                                   : 1 + ROWS);
#pragma unroll
    for (int side = 0; side < HALO_SIDES; side++) {
        int beside = halo_neighbour(side, layout.torus_z);
        bool exists = beside >= 0;
        struct plane_buffers *to = cluster_map_shared(buffers, exists ? (unsigned)beside : 0);
        int theirs = first_layer(beside + 1, d) - first_layer(beside, d);
        int halo_layer = side == HALO_BEFORE ? theirs + layer : layer - layers;

        if (exists && at_edge[side]) {
            waits = side;
            if (!position.owns) {
                position.stepped = true;
                position.arms = y == 0;
            }
        } else if (exists && side == HALO_BEHIND && layer > layers + HALO) {
            waits = side; /* it reads the halo for nothing, but not while it arrives */
        }
        position.sends[side] =
            exists && position.owns && (side == HALO_BEFORE ? layer < 2 * HALO : layer >= layers);
#pragma unroll
        for (int b = 0; b < HALO_BUFFERS; b++) {
            position.to[side][b] =
                cuda_opaque(&to->exchanged[b][position.sends[side] ? halo_layer : 0][1 + y]);
            position.to_barrier[side][b] = cuda_opaque(&to->barrier[b][halo_opposite(side)]);
        }
    }
    position.barrier = &buffers->barrier[0][waits];
    position.phase = waits == FROM_NONE ? HALO_PHASE_OVER : 0;
    position.flip = waits == FROM_NONE ? 0 : 1;
    position.last = (int)layout.w - 1;
    position.valid = ~0u >> (32 - layout.w);
    return position;
}

/* Clears the buffers, initializes the barriers and arms them for the first exchanges. */
static __device__ __forceinline__ void init_buffers(struct plane_buffers *buffers,
                                                    const struct thread_position &position)
{
    word *all = &buffers->exchanged[0][0][0];

    for (int i = threadIdx.x; i < STEPPED + BUFFER; i += blockDim.x)
        all[i] = 0;
    if (threadIdx.x == 0)
        for (int b = 0; b < HALO_BUFFERS; b++)
            halo_begin_unused(&buffers->barrier[b][FROM_NONE]);
    if (position.arms)
        for (int b = 0; b < HALO_BUFFERS; b++)
            halo_begin(position.barrier + b * BARRIERS, HALO_BYTES);
    cluster_sync();
}

/* --- a generation ---------------------------------------------------------------------------- */

/* Three cells in y of the layer `at` words from the thread's in exchanged[0]. */
static __device__ __forceinline__ struct bit_sum column_sum(const struct thread_position &position,
                                                            int at)
{
    return word_full_add(position.before[at], position.row[at], position.after[at]);
}

template <int ENDS>
static __device__ __forceinline__ struct life3d_sum9 left_of(struct life3d_sum9 n, int last)
{
    return {{life3d_word_left<ENDS>(n.l.low, last), life3d_word_left<ENDS>(n.l.high, last)},
            {life3d_word_left<ENDS>(n.h.low, last), life3d_word_left<ENDS>(n.h.high, last)}};
}

template <int ENDS>
static __device__ __forceinline__ struct life3d_sum9 right_of(struct life3d_sum9 n, int last)
{
    return {{life3d_word_right<ENDS>(n.l.low, last), life3d_word_right<ENDS>(n.l.high, last)},
            {life3d_word_right<ENDS>(n.h.low, last), life3d_word_right<ENDS>(n.h.high, last)}};
}

/* Columns are summed first, then their neighbours in x. That takes more operations than rows first
 * (cuda_persistent_block.cu) but reads shared memory alone, where rows first waits for shuffles
 * too. */
template <class Rule, int ENDS>
static __device__ __forceinline__ word next_of(word row, const struct thread_position &position,
                                               int at, const struct life3d_masks &masks)
{
    struct bit_sum here = word_full_add(position.before[at], row, position.after[at]);
    struct life3d_sum9 sum9 = life3d_add_columns(column_sum(position, at + BUFFER_ROWS), here,
                                                 column_sum(position, at - BUFFER_ROWS));
    struct life3d_pair beside =
        life3d_add_pair(left_of<ENDS>(sum9, position.last), right_of<ENDS>(sum9, position.last));
    word next = Rule::next(life3d_add_third(beside, sum9), row, masks);

    return ENDS == LIFE3D_WORD_PARTIAL_PERIODIC || ENDS == LIFE3D_WORD_PARTIAL_DEAD
               ? next & position.valid
               : next;
}

/* Most blocks send to both sides, which takes less time than one side after the other. */
static __device__ __forceinline__ void send_halo(word row, const struct thread_position &position,
                                                 int buffer)
{
    if (position.sends[0] && position.sends[1]) {
        halo_send(position.to[0][buffer], row, position.to_barrier[0][buffer]);
        halo_send(position.to[1][buffer], row, position.to_barrier[1][buffer]);
    } else {
#pragma unroll
        for (int side = 0; side < HALO_SIDES; side++)
            halo_send_if(position.sends[side], position.to[side][buffer], row,
                         position.to_barrier[side][buffer]);
    }
}

/* Exchanges halos and steps the block's own layers and the inner halo. */
template <class Rule, int ENDS, int buffer>
static __device__ __forceinline__ word exchange_and_step(word row,
                                                         const struct thread_position &position,
                                                         const struct life3d_masks &masks)
{
    const int at = buffer * BUFFER;

    send_halo(row, position, buffer);
    if (position.owns)
        position.row[at] = row;
    __syncthreads();
    halo_wait(position.barrier + buffer * BARRIERS, position.phase);
    row = next_of<Rule, ENDS>(position.row[at], position, at, masks);
    if (position.stepped)
        position.row[STEPPED] = row;
    __syncthreads();
    halo_arm_if(position.arms, position.barrier + buffer * BARRIERS, HALO_BYTES);
    return row;
}

template <class Rule, int ENDS, int buffer>
static __device__ __forceinline__ word two_generations(word row,
                                                       const struct thread_position &position,
                                                       const struct life3d_masks &masks)
{
    row = exchange_and_step<Rule, ENDS, buffer>(row, position, masks);
    return next_of<Rule, ENDS>(row, position, STEPPED, masks);
}

#endif

template <class Rule, int ENDS>
static __global__ void __launch_bounds__(THREADS, 1)
    life3d_cuda_persistent_cluster_step(const word *now, word *next,
                                        const __grid_constant__ struct life3d_layout layout,
                                        const __grid_constant__ struct life3d_masks masks,
                                        int generations)
{
#if CLUSTER_SUPPORTED
    extern __shared__ uint64_t shared[];
    struct plane_buffers *buffers = (struct plane_buffers *)shared;
    struct thread_position position = thread_position_of(buffers, layout);
    word row = position.owns ? now[position.at] : 0;
    int g = 0;

    init_buffers(buffers, position);
#pragma unroll 1
    for (; g + 3 < generations; g += 4) {
        row = two_generations<Rule, ENDS, 0>(row, position, masks);
        row = two_generations<Rule, ENDS, 1>(row, position, masks);
        position.phase ^= position.flip;
    }
    if (generations & 2) {
        row = two_generations<Rule, ENDS, 0>(row, position, masks);
        if (generations & 1)
            row = exchange_and_step<Rule, ENDS, 1>(row, position, masks);
    } else if (generations & 1) {
        row = exchange_and_step<Rule, ENDS, 0>(row, position, masks);
    }
    if (position.owns && threadIdx.x % ROWS < layout.h)
        next[position.at] = row;
#endif
}

template <class Rule>
static life3d_persistent_function *life3d_persistent_cluster_kernel_for(enum life3d_word_end ends)
{
    static life3d_persistent_function *const kernels[LIFE3D_WORD_ENDS] = {
        life3d_cuda_persistent_cluster_step<Rule, LIFE3D_WORD_PERIODIC>,
        life3d_cuda_persistent_cluster_step<Rule, LIFE3D_WORD_DEAD>,
        life3d_cuda_persistent_cluster_step<Rule, LIFE3D_WORD_PARTIAL_PERIODIC>,
        life3d_cuda_persistent_cluster_step<Rule, LIFE3D_WORD_PARTIAL_DEAD>,
    };

    return kernels[ends];
}

static life3d_persistent_function *kernel_of(const struct life3d_bits_state *state)
{
    static life3d_persistent_function *(*const kernels[LIFE3D_RULE_VARIANTS])(
        enum life3d_word_end) = {
        life3d_persistent_cluster_kernel_for<life3d_rule_4576>,
        life3d_persistent_cluster_kernel_for<life3d_rule_4555>,
        life3d_persistent_cluster_kernel_for<life3d_rule_5766>,
        life3d_persistent_cluster_kernel_for<life3d_rule_intervals>,
        life3d_persistent_cluster_kernel_for<life3d_rule_table>,
    };
    bool whole = state->layout.w == ROWS;

    if (state->layout.torus)
        return kernels[state->variant](whole ? LIFE3D_WORD_PERIODIC : LIFE3D_WORD_PARTIAL_PERIODIC);
    return kernels[state->variant](whole ? LIFE3D_WORD_DEAD : LIFE3D_WORD_PARTIAL_DEAD);
}

/* It tries the largest cluster first: the more blocks, the fewer warps share a multiprocessor. */
enum ca_status life3d_persistent_cluster(struct cuda *cuda, struct life3d_persistent *cluster,
                                         struct ca_error *error)
{
    const struct life3d_bits_state *state = (const struct life3d_bits_state *)cuda->state;
    int d = state->layout.d > BLOCKS * LAYERS ? 0 : (int)state->layout.d;
    int blocks = d / HALO < BLOCKS ? d / HALO : BLOCKS;

    for (; blocks > 1 && blocks * LAYERS >= d; blocks--) {
        struct life3d_persistent tried = {};
        bool runs;

        tried.name = "life3d_cuda_persistent_cluster_step";
        tried.kernel = kernel_of(state);
        tried.blocks = (unsigned)blocks;
        tried.layers = (unsigned)ca_divide_up(d, blocks);
        tried.threads = (tried.layers + 2 * HALO - 2) * ROWS;
        tried.shared = sizeof(struct plane_buffers);
        CA_TRY(cuda_cluster_runs(cuda, tried.name, tried.kernel, tried.blocks, dim3(tried.threads),
                                 tried.shared, &runs, error));
        if (runs) {
            *cluster = tried;
            break;
        }
    }
    return CA_OK;
}
