/* SPDX-License-Identifier: MIT */
/*
 * Owns the memory of life3d's bit planes on a GPU: how they are laid out, cells that come in, ghost
 * rows, passes; and the generation of a word a thread, for lattices that are not swept.
 */
#include "kernels/life3d/planes.cuh"

#include <math.h>

#include "kernels/life3d/rule.h"

#define SIDE_MAX (1 << 30) /* of what is swept */

/* --- cells in -------------------------------------------------------------------------------- */

/* A thread a word of the rows that begin at `to`. */
__global__ static void load_words(word *to, struct life3d_field field, const uint8_t *cells,
                                  int64_t first, int64_t rows)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows * field.row;
         i += step) {
        int64_t row = i / field.row, k = i - row * field.row, in_group = k % field.words;
        int64_t x = (k - in_group) * 32 + in_group, z = (first + row) / field.h;
        const uint8_t *from = cells + row * field.w;
        word bits = 0;

        for (int b = 0; b < 32; b++, x += field.words)
            if (x < field.w)
                bits |= (word)(from[x] & 1) << b;
        to[z * field.plane + (first + row - z * field.h) * field.row + k] = bits;
    }
}

enum ca_status life3d_planes_load(struct cuda *cuda, void *const planes[], int64_t first,
                                  int64_t rows, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;

    return cuda_launch(cuda, "load", load_words, cuda_line(rows * own->field.row), dim3(256), 0,
                       error, own->now + own->field.first, own->field, (const uint8_t *)planes[0],
                       first, rows);
}

/* The rows next to each end of a layer, repeated beyond the other. */
__global__ static void close_layers(word *cells, struct life3d_field field)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x, all = field.d * PLANES_GHOSTS * field.row;
    int64_t ghosts = PLANES_GHOSTS * field.row, side = field.h * field.row;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {
        word *at = cells + i / ghosts * field.plane + i % ghosts; /* of the ghosts above */

        at[0] = at[side];
        at[side + ghosts] = at[ghosts];
    }
}

enum ca_status life3d_planes_close(struct cuda *cuda, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;

    if (own->field.lanes == 0 || !own->field.torus)
        return CA_OK;
    return cuda_launch(cuda, "close", close_layers,
                       cuda_line(own->field.d * PLANES_GHOSTS * own->field.row), dim3(256), 0,
                       error, own->now, own->field);
}

/* --- a word a thread ------------------------------------------------------------------------- */

/* A word's neighbours in x: places in its row, and which of their bits is the one wanted. */
struct columns {
    int64_t here, left, right;
    int left_bit, right_bit; /* left: of that word; right: of this one */
    word keep_left, keep_right, valid;
};

static __device__ __forceinline__ struct columns columns_of(const struct life3d_field &field,
                                                            int64_t k)
{
    int end = (int)((field.w - 1) % 32);
    bool first = k == 0, last = k == field.row - 1;

    return {k,
            first ? field.row - 1 : k - 1,
            last ? 0 : k + 1,
            first ? end : 31,
            last ? end : 31,
            !first || field.torus,
            !last || field.torus,
            last ? ~0u >> (31 - end) : ~0u};
}

/* Rows above and below, how far away and whether they are there. */
struct rows_beside {
    int64_t above, below;
    word keep_above, keep_below;
};

static __device__ __forceinline__ struct bit_sum sum_of_row(const word *row,
                                                            const struct columns &x, word keep)
{
    word here = row[x.here] & keep;
    word left = row[x.left] >> x.left_bit & x.keep_left & keep;
    word right = (row[x.right] & x.keep_right & keep) << x.right_bit;

    return word_full_add(here << 1 | left, here, here >> 1 | right);
}

/* Of a layer that is there or not. */
static __device__ __forceinline__ struct life3d_sum9
nine_of(const word *row, const struct columns &x, const struct rows_beside &y, word keep)
{
    return life3d_add_columns(sum_of_row(row + y.above, x, y.keep_above & keep),
                              sum_of_row(row, x, keep),
                              sum_of_row(row + y.below, x, y.keep_below & keep));
}

/* The layer z + by of a lattice in which z is, or any where there is none. */
static __device__ __forceinline__ const word *
layer_of(const word *cells, const struct life3d_field &field, int64_t z, word *keep)
{
    *keep = ~0u;
    if (z >= 0 && z < field.d)
        return cells + z * field.plane;
    if (!field.ring) {
        *keep = 0;
        return cells;
    }
    while (z >= field.d) /* twice for a single layer */
        z -= field.d;
    return cells + (z < 0 ? z + field.d : z) * field.plane;
}

/* A thread takes a word of layers z and z + 1, for even z. */
template <class Rule, class Index>
__global__ static void __launch_bounds__(256)
    step_words(const word *__restrict__ now, word *__restrict__ next,
               const __grid_constant__ struct life3d_field field,
               const __grid_constant__ struct life3d_masks masks)
{
    Index width = (Index)field.row, height = (Index)field.h;
    Index all = (Index)((field.d + 1) / 2) * height * width;

    for (Index i = (Index)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (Index)gridDim.x * blockDim.x) {
        Index row = i / width, pair = row / height, y = row - pair * height;
        int64_t z = 2 * (int64_t)pair, at = (int64_t)y * field.row, side = field.h * field.row;
        struct columns x = columns_of(field, i - row * width);
        bool top = y == 0, bottom = y == height - 1;
        struct rows_beside beside = {
            top ? side - field.row : -field.row, bottom ? field.row - side : field.row,
            top && !field.torus ? 0 : ~0u, bottom && !field.torus ? 0 : ~0u};
        const word *layer[4];
        word keep[4];

#pragma unroll
        for (int l = 0; l < 4; l++)
            layer[l] = layer_of(now, field, z + l - 1, &keep[l]) + at;

        struct life3d_sum9 a = nine_of(layer[1], x, beside, keep[1]);
        struct life3d_sum9 b = nine_of(layer[2], x, beside, keep[2]);
        struct life3d_pair both = life3d_add_pair(a, b);
        struct life3d_sum9 before = nine_of(layer[0], x, beside, keep[0]);

        next[z * field.plane + at + x.here] =
            Rule::next(life3d_add_third(both, before), layer[1][x.here], masks) & x.valid;
        if (z + 1 < field.d)
            next[(z + 1) * field.plane + at + x.here] =
                Rule::next(life3d_add_third(both, nine_of(layer[3], x, beside, keep[3])),
                           layer[2][x.here], masks) &
                x.valid;
    }
}

template <class Rule>
static enum ca_status launch_words(struct cuda *cuda, const struct life3d_planes *own,
                                   struct ca_error *error)
{
    int64_t all = (own->field.d + 1) / 2 * own->field.h * own->field.row;
    dim3 grid = cuda_line(all), block(256);

    if (all < 1 << 30)
        return cuda_launch(cuda, "step", step_words<Rule, uint32_t>, grid, block, 0, error,
                           own->now, own->next, own->field, own->masks);
    return cuda_launch(cuda, "step", step_words<Rule, int64_t>, grid, block, 0, error, own->now,
                       own->next, own->field, own->masks);
}

void life3d_planes_turn(struct life3d_planes *own)
{
    word *done = own->now;

    own->now = own->next;
    own->next = done;
}

enum ca_status life3d_planes_words(struct cuda *cuda, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;

    if (own->made == LIFE3D_MADE_4576)
        CA_TRY(launch_words<life3d_made_4576>(cuda, own, error));
    else if (own->made == LIFE3D_MADE_TABLE)
        CA_TRY(launch_words<life3d_made_table>(cuda, own, error));
    else
        CA_TRY(launch_words<life3d_made_intervals>(cuda, own, error));
    life3d_planes_turn(own);
    return CA_OK;
}

/* --- the plan -------------------------------------------------------------------------------- */

static void lay_out(struct life3d_field *field, const struct cuda *cuda)
{
    struct ca_size size = cuda->size;

    *field = {size.w, size.h, size.d, 1, 0, (size.w + 31) / 32, 0, 0, false, false};
    field->torus = life3d_torus(&cuda->setup);
    field->ring = cuda_slab_of(cuda).torus;
    field->plane = field->row * size.h;
    if (size.w <= 128 || size.w > 4096 || size.h < 4 || size.d < 4 || size.h > SIDE_MAX ||
        size.d > SIDE_MAX)
        return;
    field->words = size.w > 2048 ? 4 : 2;
    field->lanes = size.w <= 256 ? 4 : size.w <= 512 ? 8 : size.w <= 1024 ? 16 : 32;
    field->row = field->lanes * field->words;
    field->plane = field->row * (size.h + 2 * PLANES_GHOSTS);
    field->first = field->row * PLANES_GHOSTS;
}

static void read_rule(struct life3d_planes *own, struct life3d_rule rule)
{
    uint32_t survive = rule.survive << 1;
    struct life3d_bits bits;

    life3d_bits_make(&bits, rule);
    own->made = bits.form == LIFE3D_STANDARD            ? LIFE3D_MADE_4576
                : survive == 0x60 && rule.born == 0x20  ? LIFE3D_MADE_4555
                : survive == 0x1c0 && rule.born == 0x40 ? LIFE3D_MADE_5766
                : bits.form == LIFE3D_INTERVALS         ? LIFE3D_MADE_INTERVALS
                                                        : LIFE3D_MADE_TABLE;
    for (int l = 0; l < 4; l++)
        for (int i = 0; i < 5; i++)
            own->masks.not_limits[l][i] = (word)bits.not_limits[l][i];
    for (int i = 0; i < 14; i++)
        for (int l = 0; l < 2; l++) {
            uint8_t kind = l ? bits.survive[i] : bits.born[i];

            own->masks.even[l][i] = kind & 1 ? ~0u : 0;
            own->masks.odd[l][i] = (kind ^ kind >> 1) & 1 ? ~0u : 0;
        }
}

/* The end of a row, for sweeps. */
static void find_end(struct life3d_sweep *sweep, const struct life3d_field *field)
{
    int group = 32 * field->words, in_group = (int)((field->w - 1) % group);

    sweep->field = *field;
    sweep->last = (int)((field->w - 1) / group);
    sweep->last_bit[in_group % field->words] = 1u << (31 - in_group / field->words);
    for (int j = 0; j < field->words; j++) {
        int cells = (in_group - j + field->words) / field->words; /* up to the last */

        sweep->valid[j] = cells > 0 ? ~0u >> (32 - cells) : 0;
    }
    if (field->torus && in_group + 1 < group)
        sweep->beyond[(in_group + 1) % field->words] = 1u << (in_group + 1) / field->words;
}

enum ca_status life3d_planes_plan(struct cuda *cuda, struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;
    struct life3d_field *field = &own->field;
    struct life3d_rule rule;
    int64_t words;

    CA_TRY(life3d_rule_of_setup(&rule, &cuda->setup, error));
    read_rule(own, rule);
    lay_out(field, cuda);
    if (field->lanes)
        find_end(&own->sweep, field);
    words = (field->d + (field->lanes > 0)) * field->plane;
    cuda_want(cuda, &own->now, words);
    cuda_want(cuda, &own->next, words);
    return CA_OK;
}

/* --- sweeps ---------------------------------------------------------------------------------- */

enum life3d_seam life3d_seam_of(const struct life3d_field *field)
{
    if (field->w != 32 * field->row)
        return LIFE3D_RAGGED;
    return field->torus ? LIFE3D_RING : LIFE3D_WALL;
}

static int64_t divided(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Until the first layers of a block have come that follows another where there is room for one. */
#define BLOCK_CYCLES 1500.0
/* The last block of a multiprocessor has nobody who fills its waits: the part of its time lost. */
#define TAIL 0.4
#define SHARE_MAX 16 /* blocks that follow each other, of those that are thought of */

/* Cycles of the logic units for a layer of a block. Rules that no kernel is made for take more. */
static double cycles_of_layer(const struct life3d_swept *swept, enum life3d_made made)
{
    double more = made == LIFE3D_MADE_INTERVALS ? 20 : made == LIFE3D_MADE_TABLE ? 50 : 0;

    return swept->threads * SWEPT_WORDS / 64.0 * (swept->operations + swept->generations * more);
}

/*
 * Cycles of a pass: of the logic units of the multiprocessor with most blocks, whose layers go in
 * pairs and are more by one for each generation at both ends; and of memory where the lattice is
 * larger than the second cache. The longer of both counts, but what takes nearly as long delays it.
 */
static double cycles_of(const struct life3d_planes *own, const struct life3d_swept *swept,
                        const struct ca_cuda_device *device, int resident)
{
    int64_t depth = own->field.d, blocks = swept->row_blocks * divided(depth, swept->chunk);
    int64_t share = divided(blocks, device->multiprocessors);
    int64_t at_once = share < resident ? share : resident;
    double layers = 2.0 * (double)divided(swept->chunk + 2 * swept->generations, 2);
    double waits = (double)(share - at_once) / resident * BLOCK_CYCLES;
    double tail = resident > 1 ? TAIL : 0;
    double logic = ((double)share + tail) * layers * cycles_of_layer(swept, own->made) + waits;
    double bytes = (double)(depth * own->field.plane) * sizeof(word), memory = 0;

    if (2 * bytes > (double)device->l2_bytes)
        memory = bytes * (1 + layers / (double)swept->chunk) / device->bytes_a_clock;
    return pow(pow(logic, 8) + pow(memory, 8), 1.0 / 8) + LIFE3D_PASS_CYCLES;
}

/* The number of pairs of layers that costs least, of those for which blocks are not too many: as
 * few blocks as there can be, or as many as follow each other SHARE_MAX times. */
static int64_t choose_layers(const struct life3d_planes *own, struct life3d_swept tried,
                             const struct ca_cuda_device *device, int resident)
{
    int64_t depth = own->field.d, chosen = depth, shortest = tried.chunk;
    int64_t most = (int64_t)SHARE_MAX * resident * device->multiprocessors / tried.row_blocks;
    double least = 0;

    for (int64_t pieces = 1; pieces == 1 || (pieces <= most && 2 * pieces <= depth); pieces++) {
        tried.chunk = 2 * divided(depth, 2 * pieces);
        tried.cycles = cycles_of(own, &tried, device, resident);
        if (tried.chunk < shortest || (pieces > 1 && tried.cycles >= least))
            continue;
        least = tried.cycles;
        chosen = tried.chunk;
    }
    return chosen;
}

enum ca_status life3d_planes_resident(struct cuda *cuda, const void *kernel, int threads,
                                      size_t shared, int *resident, struct ca_error *error)
{
    CUDA_TRY(cuda,
             cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared),
             error);
    CUDA_TRY(cuda, cudaOccupancyMaxActiveBlocksPerMultiprocessor(resident, kernel, threads, shared),
             error);
    *resident = *resident > 0 ? *resident : 1;
    return CA_OK;
}

enum ca_status life3d_planes_cut(struct cuda *cuda, struct life3d_swept *swept, int64_t layers,
                                 struct ca_error *error)
{
    const struct life3d_planes *own = (const struct life3d_planes *)cuda->own;
    int64_t depth = cuda->size.d, shortest = divided(depth, 65535);
    struct ca_cuda_device device;
    int resident;

    swept->row_blocks = (uint32_t)divided(cuda->size.h, swept->rows);
    swept->chunk = layers > depth ? depth : layers > shortest ? layers : shortest;
    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    CA_TRY(life3d_planes_resident(cuda, (const void *)swept->kernel, swept->threads, swept->shared,
                                  &resident, error));
    if (!layers)
        swept->chunk = choose_layers(own, *swept, &device, resident);
    swept->cycles = cycles_of(own, swept, &device, resident);
    return CA_OK;
}

enum ca_status life3d_planes_pass(struct cuda *cuda, const struct life3d_swept *swept,
                                  struct ca_error *error)
{
    struct life3d_planes *own = (struct life3d_planes *)cuda->own;
    dim3 grid(swept->row_blocks, (unsigned)divided(cuda->size.d, swept->chunk));

    own->sweep.chunk = swept->chunk;
    CA_TRY(cuda_launch(cuda, "step", swept->kernel, grid, dim3((unsigned)swept->threads),
                       swept->shared, error, own->now, own->next, own->sweep, own->masks));
    life3d_planes_turn(own);
    return CA_OK;
}
