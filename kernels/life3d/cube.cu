/* SPDX-License-Identifier: MIT */
/* Owns the kernels of small lattices. */
#include "kernels/life3d/cube.cuh"

struct cube_lane {
    int up, down; /* lanes of the rows beside this one */
    word keep_up, keep_down;
    int side; /* cells of a row - 1 */
    word valid;
};

static __device__ __forceinline__ struct cube_lane cube_lane_of(const struct life3d_field &field)
{
    int y = threadIdx.x % CUBE_SIDE, last = (int)field.h - 1;

    return {y > 0 ? y - 1 : last,
            y < last ? y + 1 : 0,
            life3d_factor(y > 0 || field.torus),
            life3d_factor(y < last || field.torus),
            (int)field.w - 1,
            y > last ? 0 : ~0u >> (32 - field.w)};
}

/* Nine cells in x and y. */
template <int ENDS>
static __device__ __forceinline__ struct life3d_sum9 cube_nine(word row,
                                                               const struct cube_lane &lane)
{
    struct bit_sum here = word_full_add(life3d_cube_left<ENDS>(row, lane.side), row,
                                        life3d_cube_right<ENDS>(row, lane.side));
    struct bit_sum above, below;

    above.low = __shfl_sync(0xffffffff, here.low, lane.up);
    above.high = __shfl_sync(0xffffffff, here.high, lane.up);
    below.low = __shfl_sync(0xffffffff, here.low, lane.down);
    below.high = __shfl_sync(0xffffffff, here.high, lane.down);
    if (ENDS == LIFE3D_CUBE_WALL || ENDS == LIFE3D_CUBE_ANY_WALL) {
        above.low *= lane.keep_up, above.high *= lane.keep_up;
        below.low *= lane.keep_down, below.high *= lane.keep_down;
    }
    return life3d_add_columns(above, here, below);
}

/* Warps of a block at most. */
template <int LAYERS> constexpr int cube_warps = LAYERS == 1 ? CUBE_SIDE : CUBE_LAYERS_MAX / LAYERS;

/* Sums of nine between warps: of the first and of the last layer of each, and empty ones. */
template <int LAYERS> struct cube_edges {
    uint4 first[(cube_warps<LAYERS> + 1) * CUBE_SIDE];
    uint4 last[LAYERS > 1 ? (cube_warps<LAYERS> + 1) * CUBE_SIDE : 1];
};

/* Where a thread's own edges go, and where its neighbours' are; in uint4 of struct cube_edges. */
struct cube_places {
    int own, below, above;
};

template <class Rule, int ENDS, int LAYERS>
static __device__ __forceinline__ void
cube_generation(word row[LAYERS], struct cube_edges<LAYERS> *edges,
                const struct cube_places &places, const struct cube_lane &lane,
                const struct life3d_masks &masks)
{
    struct life3d_sum9 nine[LAYERS], before, after;
    word next[LAYERS];

    nine[0] = cube_nine<ENDS>(row[0], lane);
    edges->first[places.own] = life3d_put_nine(nine[0]);
    if (LAYERS > 1) {
        nine[LAYERS - 1] = cube_nine<ENDS>(row[LAYERS - 1], lane);
        edges->last[places.own] = life3d_put_nine(nine[LAYERS - 1]);
    }
#pragma unroll
    for (int l = 1; l < LAYERS - 1; l++)
        nine[l] = cube_nine<ENDS>(row[l], lane);
    __syncthreads();
    before = life3d_get_nine((LAYERS > 1 ? edges->last : edges->first)[places.below]);
    after = life3d_get_nine(edges->first[places.above]);
    __syncwarp(); /* so that compilers begin both loads early */
    if (LAYERS == 1) {
        next[0] =
            Rule::next(life3d_add_third(life3d_add_pair(before, nine[0]), after), row[0], masks);
    } else {
        struct life3d_pair low = life3d_add_pair(nine[0], nine[1 % LAYERS]);
        struct life3d_pair high = life3d_add_pair(nine[2 % LAYERS], nine[3 % LAYERS]);

        next[1 % LAYERS] =
            Rule::next(life3d_add_third(low, nine[2 % LAYERS]), row[1 % LAYERS], masks);
        next[2 % LAYERS] =
            Rule::next(life3d_add_third(high, nine[1 % LAYERS]), row[2 % LAYERS], masks);
        next[0] = Rule::next(life3d_add_third(low, before), row[0], masks);
        next[3 % LAYERS] = Rule::next(life3d_add_third(high, after), row[3 % LAYERS], masks);
    }
#pragma unroll
    for (int l = 0; l < LAYERS; l++)
        row[l] = ENDS == LIFE3D_CUBE_ANY_RING || ENDS == LIFE3D_CUBE_ANY_WALL ? next[l] & lane.valid
                                                                              : next[l];
}

template <class Rule, int ENDS, int LAYERS>
static __global__ void __launch_bounds__(CUBE_SIDE *cube_warps<LAYERS>)
    cube(const word *now, word *next, const __grid_constant__ struct life3d_field field,
         const __grid_constant__ struct life3d_masks masks, int generations)
{
    __shared__ struct cube_edges<LAYERS> edges[2];
    struct cube_lane lane = cube_lane_of(field);
    int warp = threadIdx.x / CUBE_SIDE, warps = blockDim.x / CUBE_SIDE, y = threadIdx.x % CUBE_SIDE;
    int outside = field.ring ? 0 : cube_warps<LAYERS>; /* the warp whose edges stay empty */
    int below = warp > 0 ? warp - 1 : field.ring ? warps - 1 : outside;
    int above = warp < warps - 1 ? warp + 1 : outside;
    struct cube_places places = {(int)threadIdx.x, below * CUBE_SIDE + y, above * CUBE_SIDE + y};
    int64_t at = warp * LAYERS * field.plane + (y < field.h ? y : field.h - 1);
    word row[LAYERS];

    if (warp == 0)
        for (int i = 0; i < 2; i++) {
            edges[i].first[cube_warps<LAYERS> * CUBE_SIDE + y] = make_uint4(0, 0, 0, 0);
            if (LAYERS > 1)
                edges[i].last[cube_warps<LAYERS> * CUBE_SIDE + y] = make_uint4(0, 0, 0, 0);
        }
#pragma unroll
    for (int l = 0; l < LAYERS; l++)
        row[l] = now[at + l * field.plane];
#pragma unroll 1
    for (int g = 0; g < generations; g++)
        cube_generation<Rule, ENDS, LAYERS>(row, &edges[g & 1], places, lane, masks);
    if (y < field.h)
#pragma unroll
        for (int l = 0; l < LAYERS; l++)
            next[at + l * field.plane] = row[l];
}

template <class Rule> static life3d_small_kernel *cube_for(int layers, enum life3d_cube_ends ends)
{
    static life3d_small_kernel *const four[] = {
        cube<Rule, LIFE3D_CUBE_RING, CUBE_LAYERS>,
        cube<Rule, LIFE3D_CUBE_WALL, CUBE_LAYERS>,
        cube<Rule, LIFE3D_CUBE_ANY_RING, CUBE_LAYERS>,
        cube<Rule, LIFE3D_CUBE_ANY_WALL, CUBE_LAYERS>,
    };

    if (layers == CUBE_LAYERS)
        return four[ends];
    return ends == LIFE3D_CUBE_ANY_RING ? cube<Rule, LIFE3D_CUBE_ANY_RING, 1>
                                        : cube<Rule, LIFE3D_CUBE_ANY_WALL, 1>;
}

struct life3d_small life3d_cube_of(const struct life3d_planes *own)
{
    static life3d_small_kernel *(*const kernels[])(int, enum life3d_cube_ends) = {
        cube_for<life3d_made_4576>,      cube_for<life3d_made_4555>,  cube_for<life3d_made_5766>,
        cube_for<life3d_made_intervals>, cube_for<life3d_made_table>,
    };
    const struct life3d_field *field = &own->field;
    int layers = field->d % CUBE_LAYERS == 0 ? CUBE_LAYERS : 1;
    bool whole = field->w == CUBE_SIDE && (field->torus || field->h == CUBE_SIDE);
    enum life3d_cube_ends ends = field->torus ? LIFE3D_CUBE_RING : LIFE3D_CUBE_WALL;

    if (field->w > CUBE_SIDE || field->h > CUBE_SIDE ||
        field->d > (layers == 1 ? CUBE_SIDE : CUBE_LAYERS_MAX))
        return {};
    if (!whole || layers == 1)
        ends = field->torus ? LIFE3D_CUBE_ANY_RING : LIFE3D_CUBE_ANY_WALL;
    return {kernels[own->made](layers, ends), 1, (unsigned)(field->d / layers * CUBE_SIDE), 0};
}
