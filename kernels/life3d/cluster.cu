/* SPDX-License-Identifier: MIT */
/* Owns the kernels of clusters, and which of them suits a lattice. */
#include "kernels/life3d/cluster.cuh"

#include "kernels/cuda/cluster.cuh"
#include "kernels/life3d/cube.cuh"

#define BLOCKS 16 /* of a cluster at most */
#define LAYERS 8  /* of a block at most */
#define GHOSTS 2  /* layers of each side, and generations from mail to mail */
#define SHOWN (LAYERS + 2 * GHOSTS)
#define ROWS CUBE_SIDE   /* of a layer, each a lane's */
#define SLOTS (ROWS + 2) /* with one before and one after them that stay empty */
#define TURNS 2          /* of shared memory: this mail's and the next one's */
#define THREADS ((LAYERS + 2 * GHOSTS - 2) * ROWS)

/* Mail from the block below and above in z; the last box is for those who wait for none. */
enum { FROM_BELOW, FROM_ABOVE, FROM_NONE, BOXES };

struct stage {
    word even[TURNS][SHOWN][SLOTS]; /* layers as they are when mail comes, */
    word odd[SHOWN][SLOTS];         /* and a generation later */
    uint64_t box[TURNS][BOXES];
};

#define TURN (SHOWN * SLOTS)
#define ODD (TURNS * TURN)
#define MAIL (GHOSTS * ROWS * (uint32_t)sizeof(word))

#if CLUSTER_SUPPORTED

/* --- where a thread is ----------------------------------------------------------------------- */

struct spot {
    bool owns, there; /* its row is the block's own; or a ghost that is in the lattice */
    int64_t at;       /* of its word */
    word *row;        /* in even[0], with those beside it in y: */
    const word *before, *after;
    bool sends[2];              /* to below and above, */
    word *to[2][TURNS];         /* where its row is there in even, */
    uint64_t *to_box[2][TURNS]; /* and the box for it */
    uint64_t *box;              /* its warp waits for: of turn 0 */
    uint32_t phase, flip;       /* until this one is over; flip: 1 if there are others */
    bool opens;                 /* it says how much comes */
    int side;                   /* cells of a row - 1 */
    word valid;
};

/* The first layer of a block; the layers are shared out evenly. */
static __device__ __forceinline__ int first_of(int block, int layers)
{
    return block * layers / (int)gridDim.x;
}

static __device__ __forceinline__ struct spot spot_of(struct stage *stage,
                                                      const struct life3d_field &field)
{
    int y = threadIdx.x % ROWS, place = threadIdx.x / ROWS + 1, last = (int)field.h - 1;
    int block = (int)blockIdx.x, blocks = (int)gridDim.x, d = (int)field.d;
    int first = first_of(block, d), layers = first_of(block + 1, d) - first;
    int beside[] = {block > 0    ? block - 1
                    : field.ring ? blocks - 1
                                 : -1,
                    block + 1 < blocks ? block + 1
                    : field.ring       ? 0
                                       : -1};
    bool near[] = {place <= GHOSTS, place >= layers + GHOSTS - 1 && place <= layers + GHOSTS};
    int waits = FROM_NONE;
    struct spot spot;

    spot.owns = place >= GHOSTS && place < layers + GHOSTS;
    spot.there = spot.owns;
    spot.opens = false;
    spot.at = (first + place - GHOSTS) * field.plane + (y < last ? y : last);
    spot.row = &stage->even[0][place][0] + cuda_opaque(1 + y);
    spot.before = &stage->even[0][place][0] + cuda_opaque(y > 0 ? y : field.torus ? 1 + last : 0);
    spot.after = &stage->even[0][place][0] + cuda_opaque(y < last      ? 2 + y
                                                         : field.torus ? 1
                                                                       : 1 + ROWS);
#pragma unroll
    for (int side = 0; side < 2; side++) {
        bool is = beside[side] >= 0;
        struct stage *to = cluster_map_shared(stage, is ? (unsigned)beside[side] : 0);
        int theirs = first_of(beside[side] + 1, d) - first_of(beside[side], d);
        int ghost = side == FROM_BELOW ? theirs + place : place - layers;

        if (is && near[side]) {
            waits = side;
            if (!spot.owns) {
                spot.there = true;
                spot.opens = y == 0;
            }
        }
        spot.sends[side] =
            is && spot.owns && (side == FROM_BELOW ? place < 2 * GHOSTS : place >= layers);
#pragma unroll
        for (int turn = 0; turn < TURNS; turn++) {
            spot.to[side][turn] = cuda_opaque(&to->even[turn][spot.sends[side] ? ghost : 0][1 + y]);
            spot.to_box[side][turn] =
                cuda_opaque(&to->box[turn][side == FROM_BELOW ? FROM_ABOVE : FROM_BELOW]);
        }
    }
    spot.box = &stage->box[0][waits];
    spot.phase = waits == FROM_NONE ? 1 : 0; /* the one before the first is over */
    spot.flip = waits == FROM_NONE ? 0 : 1;
    spot.side = (int)field.w - 1;
    spot.valid = ~0u >> (32 - field.w);
    return spot;
}

static __device__ __forceinline__ void begin(struct stage *stage, const struct spot &spot)
{
    word *all = &stage->even[0][0][0];

    for (int i = threadIdx.x; i < ODD + TURN; i += blockDim.x)
        all[i] = 0;
    if (threadIdx.x == 0)
        for (int turn = 0; turn < TURNS; turn++)
            mbar_init(&stage->box[turn][FROM_NONE]);
    if (spot.opens)
        for (int turn = 0; turn < TURNS; turn++) {
            mbar_init(spot.box + turn * BOXES);
            mbar_expect_tx(spot.box + turn * BOXES, MAIL);
        }
    cluster_sync();
}

/* --- a generation ---------------------------------------------------------------------------- */

/* Three cells in y of a layer that is shown `at` words from even[0] of the thread's. */
static __device__ __forceinline__ struct bit_sum column_of(const struct spot &spot, int at)
{
    return word_full_add(spot.before[at], spot.row[at], spot.after[at]);
}

template <int ENDS>
static __device__ __forceinline__ struct life3d_sum9 left_of(struct life3d_sum9 n, int side)
{
    return {{life3d_cube_left<ENDS>(n.l.low, side), life3d_cube_left<ENDS>(n.l.high, side)},
            {life3d_cube_left<ENDS>(n.h.low, side), life3d_cube_left<ENDS>(n.h.high, side)}};
}

template <int ENDS>
static __device__ __forceinline__ struct life3d_sum9 right_of(struct life3d_sum9 n, int side)
{
    return {{life3d_cube_right<ENDS>(n.l.low, side), life3d_cube_right<ENDS>(n.l.high, side)},
            {life3d_cube_right<ENDS>(n.h.low, side), life3d_cube_right<ENDS>(n.h.high, side)}};
}

/* Columns first, then what is beside them in x: that takes more operations than rows first
 * (cube.cu), but shared memory alone, where those wait for other lanes too. */
template <class Rule, int ENDS>
static __device__ __forceinline__ word next_of(word row, const struct spot &spot, int at,
                                               const struct life3d_masks &masks)
{
    struct bit_sum here = word_full_add(spot.before[at], row, spot.after[at]);
    struct life3d_sum9 nine =
        life3d_add_columns(column_of(spot, at + SLOTS), here, column_of(spot, at - SLOTS));
    struct life3d_pair beside =
        life3d_add_pair(left_of<ENDS>(nine, spot.side), right_of<ENDS>(nine, spot.side));
    word next = Rule::next(life3d_add_third(beside, nine), row, masks);

    return ENDS == LIFE3D_CUBE_ANY_RING || ENDS == LIFE3D_CUBE_ANY_WALL ? next & spot.valid : next;
}

/* Most blocks send to both sides, which takes less time than one side after the other. */
static __device__ __forceinline__ void send(word row, const struct spot &spot, int turn)
{
    if (spot.sends[0] && spot.sends[1]) {
        dsmem_store_async(spot.to[0][turn], row, spot.to_box[0][turn]);
        dsmem_store_async(spot.to[1][turn], row, spot.to_box[1][turn]);
    } else {
#pragma unroll
        for (int side = 0; side < 2; side++)
            dsmem_store_async_if(spot.sends[side], spot.to[side][turn], row,
                                 spot.to_box[side][turn]);
    }
}

/* From mail on: the block's own layers and the ghosts next to them. */
template <class Rule, int ENDS, int turn>
static __device__ __forceinline__ word first_generation(word row, const struct spot &spot,
                                                        const struct life3d_masks &masks)
{
    const int at = turn * TURN;

    send(row, spot, turn);
    if (spot.owns)
        spot.row[at] = row;
    __syncthreads();
    mbar_wait(spot.box + turn * BOXES, spot.phase);
    __syncwarp();
    row = next_of<Rule, ENDS>(spot.row[at], spot, at, masks);
    if (spot.there)
        spot.row[ODD] = row;
    __syncthreads();
    mbar_expect_tx_if(spot.opens, spot.box + turn * BOXES, MAIL);
    return row;
}

template <class Rule, int ENDS, int turn>
static __device__ __forceinline__ word two_generations(word row, const struct spot &spot,
                                                       const struct life3d_masks &masks)
{
    row = first_generation<Rule, ENDS, turn>(row, spot, masks);
    return next_of<Rule, ENDS>(row, spot, ODD, masks);
}

#endif

template <class Rule, int ENDS>
static __global__ void __launch_bounds__(THREADS, 1)
    cluster(const word *now, word *next, const __grid_constant__ struct life3d_field field,
            const __grid_constant__ struct life3d_masks masks, int generations)
{
#if CLUSTER_SUPPORTED
    extern __shared__ uint64_t shared[];
    struct stage *stage = (struct stage *)shared;
    struct spot spot = spot_of(stage, field);
    word row = spot.owns ? now[spot.at] : 0;
    int g = 0;

    begin(stage, spot);
#pragma unroll 1
    for (; g + 3 < generations; g += 4) {
        row = two_generations<Rule, ENDS, 0>(row, spot, masks);
        row = two_generations<Rule, ENDS, 1>(row, spot, masks);
        spot.phase ^= spot.flip;
    }
    if (generations & 2) {
        row = two_generations<Rule, ENDS, 0>(row, spot, masks);
        if (generations & 1)
            row = first_generation<Rule, ENDS, 1>(row, spot, masks);
    } else if (generations & 1) {
        row = first_generation<Rule, ENDS, 0>(row, spot, masks);
    }
    if (spot.owns && threadIdx.x % ROWS < field.h)
        next[spot.at] = row;
#endif
}

/* --- which cluster --------------------------------------------------------------------------- */

template <class Rule> static life3d_small_kernel *cluster_for(enum life3d_cube_ends ends)
{
    static life3d_small_kernel *const kernels[] = {
        cluster<Rule, LIFE3D_CUBE_RING>,
        cluster<Rule, LIFE3D_CUBE_WALL>,
        cluster<Rule, LIFE3D_CUBE_ANY_RING>,
        cluster<Rule, LIFE3D_CUBE_ANY_WALL>,
    };

    return kernels[ends];
}

static life3d_small_kernel *kernel_of(const struct life3d_planes *own)
{
    static life3d_small_kernel *(*const kernels[])(enum life3d_cube_ends) = {
        cluster_for<life3d_made_4576>,  cluster_for<life3d_made_4555>,
        cluster_for<life3d_made_5766>,  cluster_for<life3d_made_intervals>,
        cluster_for<life3d_made_table>,
    };
    bool whole = own->field.w == CUBE_SIDE;

    if (own->field.torus)
        return kernels[own->made](whole ? LIFE3D_CUBE_RING : LIFE3D_CUBE_ANY_RING);
    return kernels[own->made](whole ? LIFE3D_CUBE_WALL : LIFE3D_CUBE_ANY_WALL);
}

/* The more blocks, the less warps share a multiprocessor. */
enum ca_status life3d_cluster_choose(struct cuda *cuda, struct life3d_small *small,
                                     struct ca_error *error)
{
    const struct life3d_planes *own = (const struct life3d_planes *)cuda->own;
    const struct life3d_field *field = &own->field;
    int blocks = field->d / GHOSTS < BLOCKS ? (int)field->d / GHOSTS : BLOCKS;

    if (field->w > CUBE_SIDE || field->h > ROWS)
        return CA_OK;
    for (; blocks > 1 && blocks * LAYERS >= field->d; blocks--) {
        int layers = (int)((field->d + blocks - 1) / blocks);
        struct life3d_small one = {kernel_of(own), (unsigned)blocks,
                                   (unsigned)(layers + 2 * GHOSTS - 2) * ROWS,
                                   sizeof(struct stage)};
        bool runs;

        CA_TRY(cuda_cluster_runs(cuda, "life3d cluster", one.kernel, one.blocks, dim3(one.threads),
                                 one.shared, &runs, error));
        if (runs) {
            *small = one;
            break;
        }
    }
    return CA_OK;
}
