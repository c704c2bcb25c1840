/* SPDX-License-Identifier: MIT */
/*
 * cuda-persistent's kernel of one block, which holds the whole lattice in its registers. A row is a
 * word, a lane has row y of some layers, and a warp these layers:
 *
 *               lane 0  1  2 ...  31         x: shifts within the word
 *     warp 0    layers 0 ...  3              y: the neighbouring lanes, by shuffles
 *     warp 1    layers 4 ...  7              z: registers; between warps the sums of nine of
 *     ...                                       their first and last layers, in shared memory
 *
 * so a generation has one barrier. A lattice whose layers are not a multiple of four has one layer
 * a thread.
 */
#include "kernels/life3d/cuda_persistent.cuh"

#define SIDE LIFE3D_PERSISTENT_SIDE
#define LAYERS_MAX 64 /* of a lattice with four layers a thread; SIDE with one */
#define THREAD_LAYERS 4

struct lane_position {
    int above, below; /* lanes with the rows beside this one */
    word keep_above, keep_below;
    int last; /* bit of the last cell of a row */
    word valid;
};

static __device__ __forceinline__ struct lane_position
lane_position_of(const struct life3d_layout &layout)
{
    int y = threadIdx.x % SIDE, last = (int)layout.h - 1;

    return {y > 0 ? y - 1 : last,
            y < last ? y + 1 : 0,
            life3d_factor(y > 0 || layout.torus),
            life3d_factor(y < last || layout.torus),
            (int)layout.w - 1,
            y > last ? 0 : ~0u >> (32 - layout.w)};
}

/* Nine cells in x and y. */
template <int ENDS>
static __device__ __forceinline__ struct life3d_sum9 layer_sum(word row,
                                                               const struct lane_position &lane)
{
    struct bit_sum here = word_full_add(life3d_word_left<ENDS>(row, lane.last), row,
                                        life3d_word_right<ENDS>(row, lane.last));
    struct bit_sum above, below;

    above.low = __shfl_sync(0xffffffff, here.low, lane.above);
    above.high = __shfl_sync(0xffffffff, here.high, lane.above);
    below.low = __shfl_sync(0xffffffff, here.low, lane.below);
    below.high = __shfl_sync(0xffffffff, here.high, lane.below);
    if (ENDS == LIFE3D_WORD_DEAD || ENDS == LIFE3D_WORD_PARTIAL_DEAD) {
        above.low *= lane.keep_above, above.high *= lane.keep_above;
        below.low *= lane.keep_below, below.high *= lane.keep_below;
    }
    return life3d_add_columns(above, here, below);
}

/* Warps of a block at most. */
template <int LAYERS> constexpr int warps_max = LAYERS == 1 ? SIDE : LAYERS_MAX / LAYERS;

/* Sums of nine of the first and of the last layer of each warp, and after them empty ones. */
template <int LAYERS> struct edge_sums {
    uint4 first[(warps_max<LAYERS> + 1) * SIDE];
    uint4 last[LAYERS > 1 ? (warps_max<LAYERS> + 1) * SIDE : 1];
};

/* Indices in struct edge_sums: of a thread's own, and of those of its neighbours in z. */
struct edge_indices {
    int own, below, above;
};

template <class Rule, int ENDS, int LAYERS>
static __device__ __forceinline__ void life3d_persistent_block_step_rows(
    word row[LAYERS], struct edge_sums<LAYERS> *edges, const struct edge_indices &indices,
    const struct lane_position &lane, const struct life3d_masks &masks)
{
    struct life3d_sum9 sum9[LAYERS], before, after;
    word next[LAYERS];

    sum9[0] = layer_sum<ENDS>(row[0], lane);
    edges->first[indices.own] = life3d_put_sum9(sum9[0]);
    if (LAYERS > 1) {
        sum9[LAYERS - 1] = layer_sum<ENDS>(row[LAYERS - 1], lane);
        edges->last[indices.own] = life3d_put_sum9(sum9[LAYERS - 1]);
    }
#pragma unroll
    for (int l = 1; l < LAYERS - 1; l++)
        sum9[l] = layer_sum<ENDS>(row[l], lane);
    __syncthreads();
    before = life3d_get_sum9((LAYERS > 1 ? edges->last : edges->first)[indices.below]);
    after = life3d_get_sum9(edges->first[indices.above]);
    __syncwarp(); /* makes compilers start both loads early */
    if (LAYERS == 1) {
        next[0] =
            Rule::next(life3d_add_third(life3d_add_pair(before, sum9[0]), after), row[0], masks);
    } else {
        struct life3d_pair low = life3d_add_pair(sum9[0], sum9[1 % LAYERS]);
        struct life3d_pair high = life3d_add_pair(sum9[2 % LAYERS], sum9[3 % LAYERS]);

        next[1 % LAYERS] =
            Rule::next(life3d_add_third(low, sum9[2 % LAYERS]), row[1 % LAYERS], masks);
        next[2 % LAYERS] =
            Rule::next(life3d_add_third(high, sum9[1 % LAYERS]), row[2 % LAYERS], masks);
        next[0] = Rule::next(life3d_add_third(low, before), row[0], masks);
        next[3 % LAYERS] = Rule::next(life3d_add_third(high, after), row[3 % LAYERS], masks);
    }
#pragma unroll
    for (int l = 0; l < LAYERS; l++)
        row[l] = ENDS == LIFE3D_WORD_PARTIAL_PERIODIC || ENDS == LIFE3D_WORD_PARTIAL_DEAD
                     ? next[l] & lane.valid
                     : next[l];
}

template <class Rule, int ENDS, int LAYERS>
static __global__ void __launch_bounds__(SIDE *warps_max<LAYERS>)
    life3d_cuda_persistent_block_step(const word *now, word *next,
                                      const __grid_constant__ struct life3d_layout layout,
                                      const __grid_constant__ struct life3d_masks masks,
                                      int generations)
{
    __shared__ struct edge_sums<LAYERS> edges[2];
    struct lane_position lane = lane_position_of(layout);
    int warp = threadIdx.x / SIDE, warps = blockDim.x / SIDE, y = threadIdx.x % SIDE;
    int outside = layout.torus_z ? 0 : warps_max<LAYERS>; /* the warp whose sums stay empty */
    int below = warp > 0 ? warp - 1 : layout.torus_z ? warps - 1 : outside;
    int above = warp < warps - 1 ? warp + 1 : outside;
    struct edge_indices indices = {(int)threadIdx.x, below * SIDE + y, above * SIDE + y};
    int64_t at = warp * LAYERS * layout.layer_words + (y < layout.h ? y : layout.h - 1);
    word row[LAYERS];

    if (warp == 0)
        for (int i = 0; i < 2; i++) {
            edges[i].first[warps_max<LAYERS> * SIDE + y] = make_uint4(0, 0, 0, 0);
            if (LAYERS > 1)
                edges[i].last[warps_max<LAYERS> * SIDE + y] = make_uint4(0, 0, 0, 0);
        }
#pragma unroll
    for (int l = 0; l < LAYERS; l++)
        row[l] = now[at + l * layout.layer_words];
#pragma unroll 1
    for (int g = 0; g < generations; g++)
        life3d_persistent_block_step_rows<Rule, ENDS, LAYERS>(row, &edges[g & 1], indices, lane,
                                                              masks);
    if (y < layout.h)
#pragma unroll
        for (int l = 0; l < LAYERS; l++)
            next[at + l * layout.layer_words] = row[l];
}

template <class Rule>
static life3d_persistent_function *life3d_persistent_block_kernel_for(int layers,
                                                                      enum life3d_word_end ends)
{
    static life3d_persistent_function *const kernels[LIFE3D_WORD_ENDS] = {
        life3d_cuda_persistent_block_step<Rule, LIFE3D_WORD_PERIODIC, THREAD_LAYERS>,
        life3d_cuda_persistent_block_step<Rule, LIFE3D_WORD_DEAD, THREAD_LAYERS>,
        life3d_cuda_persistent_block_step<Rule, LIFE3D_WORD_PARTIAL_PERIODIC, THREAD_LAYERS>,
        life3d_cuda_persistent_block_step<Rule, LIFE3D_WORD_PARTIAL_DEAD, THREAD_LAYERS>,
    };

    if (layers == THREAD_LAYERS)
        return kernels[ends];
    return ends == LIFE3D_WORD_PARTIAL_PERIODIC
               ? life3d_cuda_persistent_block_step<Rule, LIFE3D_WORD_PARTIAL_PERIODIC, 1>
               : life3d_cuda_persistent_block_step<Rule, LIFE3D_WORD_PARTIAL_DEAD, 1>;
}

int life3d_persistent_block_layers(int64_t depth)
{
    return depth % THREAD_LAYERS == 0 ? LAYERS_MAX : SIDE;
}

struct life3d_persistent life3d_persistent_block(const struct life3d_bits_state *state)
{
    static life3d_persistent_function *(*const kernels[LIFE3D_RULE_VARIANTS])(
        int, enum life3d_word_end) = {
        life3d_persistent_block_kernel_for<life3d_rule_4576>,
        life3d_persistent_block_kernel_for<life3d_rule_4555>,
        life3d_persistent_block_kernel_for<life3d_rule_5766>,
        life3d_persistent_block_kernel_for<life3d_rule_intervals>,
        life3d_persistent_block_kernel_for<life3d_rule_table>,
    };
    const struct life3d_layout *layout = &state->layout;
    int layers = layout->d % THREAD_LAYERS == 0 ? THREAD_LAYERS : 1;
    bool whole = layout->w == SIDE && (layout->torus || layout->h == SIDE);
    enum life3d_word_end ends = layout->torus ? LIFE3D_WORD_PERIODIC : LIFE3D_WORD_DEAD;
    struct life3d_persistent block = {};

    if (layout->w > SIDE || layout->h > SIDE ||
        layout->d > life3d_persistent_block_layers(layout->d))
        return block;
    if (!whole || layers == 1)
        ends = layout->torus ? LIFE3D_WORD_PARTIAL_PERIODIC : LIFE3D_WORD_PARTIAL_DEAD;
    block.name = "life3d_cuda_persistent_block_step";
    block.kernel = kernels[state->variant](layers, ends);
    block.blocks = 1;
    block.threads = (unsigned)(layout->d / layers * SIDE);
    block.layers = (unsigned)layers;
    block.declared =
        2 * (layers == 1 ? sizeof(struct edge_sums<1>) : sizeof(struct edge_sums<THREAD_LAYERS>));
    return block;
}
