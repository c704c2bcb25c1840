/* SPDX-License-Identifier: MIT */
/*
 * CUDA kernels of a model in a file: calab_model.h includes this where CA_GPU is defined, as it is
 * by the program that compiles the file for a GPU. NVRTC compiles it without headers of the host.
 *
 * The cells of a plane have a border of ghosts, CA_REACH wide in all dimensions, so that cell()
 * needs no test for an edge. Before each generation ca_gpu_edges fills the border by what the edges
 * say: from the opposite side, or with what lies beyond.
 */
#ifndef CALAB_MODEL_GPU_H
#define CALAB_MODEL_GPU_H

#include "calab_model.h"

/* The first cell that got a state which there is not. */
struct ca_gpu_fault {
    int32_t found, x, y, z, value; /* found: 0 or 1 */
    int32_t plane;                 /* of several that share a byte */
    uint32_t t;
};

/* A launch: `w` x `h` x `d` cells from that of plane 0 on to which `now` and `next` point. */
struct ca_gpu_job {
    const void *now;
    void *next;                    /* of ca_gpu_edges the same as `now` */
    int64_t row, layer, plane;     /* cells from one to the next */
    uint32_t w, h, d;              /* cells of the launch */
    uint32_t y, z;                 /* of its first cell in the whole lattice */
    uint32_t width, height, depth; /* of the whole lattice */
    uint32_t t;
    int32_t edge[3];
    int32_t own, own_end; /* layers of the launch that the slab owns */
    struct ca_gpu_fault *fault;
    struct ca_model_values values;
};

/*
 * A thread steps a strip of a row: the cells of one block of random numbers, which are loaded and
 * stored at once, with a strip before it and one behind. A row is aligned to whole strips.
 */
#define CA_STRIP 4
#ifdef CA_GPU
#define CA_GPU_KERNEL extern "C" __global__ void

/* A coordinate of a slab in the whole lattice; a halo of a small one goes round more than once. */
static __device__ __forceinline__ int32_t ca_gpu_global(uint32_t i, uint32_t size)
{
    while (i >= size)
        i -= size;
    return (int32_t)i;
}

/* Cells of whole strips beside a tile. */
#define CA_BESIDE ((CA_REACH + CA_STRIP - 1) / CA_STRIP * CA_STRIP)

struct alignas(CA_STRIP * sizeof(ca_cell)) ca_strip {
    ca_cell cell[CA_STRIP];
};

/* The random numbers of a strip, of which each cell has one of the four of its block, or of 16 bits
 * one of eight, which are for two strips. */
struct ca_strip_draws {
    uint32_t full[CA_STREAMS][4];
    uint32_t half[CA_STREAMS_16][4];
};

static __device__ __forceinline__ void ca_gpu_draw(const ca_nb &nb, struct ca_strip_draws *draws)
{
#pragma unroll
    for (int s = 0; s < CA_DRAWS; s++)
        ca_philox(nb.values->seed, (uint32_t)nb.x / 4, (uint32_t)nb.y, nb.t,
                  ((CA_STEP_STREAM + (uint32_t)s) << 24) + (uint32_t)nb.z, draws->full[s]);
#pragma unroll
    for (int s = 0; s < CA_DRAWS_16; s++)
        ca_philox(nb.values->seed, (uint32_t)nb.x / 8, (uint32_t)nb.y, nb.t,
                  ((CA_STEP_STREAM + CA_STREAM_16 + (uint32_t)s) << 24) + (uint32_t)nb.z,
                  draws->half[s]);
}

/* Gives cell i of the strip that begins at cell x its own. */
static __device__ __forceinline__ void ca_gpu_take(ca_nb &nb, const struct ca_strip_draws &draws,
                                                   uint32_t x, int i)
{
#pragma unroll
    for (int s = 0; s < CA_DRAWS; s++)
        nb.draw[s] = draws.full[s][i];
#pragma unroll
    for (int s = 0; s < CA_DRAWS_16; s++)
        nb.draw_16[s] =
            (uint16_t)((x & 4 ? draws.half[s][2 + i / 2] : draws.half[s][i / 2]) >> 16 * (i & 1));
}

#if !CA_IS_FLOAT
static __device__ void ca_gpu_wrong(const struct ca_gpu_job &job, const ca_nb &nb, int32_t layer,
                                    int32_t plane, int32_t value)
{
    if (layer < job.own || layer >= job.own_end || atomicCAS(&job.fault->found, 0, 1) != 0)
        return;
    job.fault->x = nb.x, job.fault->y = nb.y, job.fault->z = nb.z;
    job.fault->plane = plane, job.fault->value = value, job.fault->t = nb.t;
}
#endif

#if CA_AREAS
template <class Near>
static __device__ __forceinline__ uint16_t ca_gpu_area(struct ca_area area, int i, Near near)
{
    int count = 0;

    for (int dy = -area.radius; dy <= area.radius; dy++) {
        int width = ca_area_width(area, dy);

        for (int dx = -width; dx <= width; dx++)
            count += near(0, dy, 0)[i + dx] == area.state;
    }
    return (uint16_t)count;
}
#endif

#ifdef CA_STATE_PLANES
#define CA_OF_RESULT(result, p) (ca_pack((result).plane))
#else
#if CA_PARTS == 1
#define CA_OF_RESULT(result, p) (result)
#else
#define CA_OF_RESULT(result, p) ((result).plane[p])
#endif
#endif

/* The neighbours of cell i of a strip, among the strips around it. */
static __device__ __forceinline__ void
ca_gpu_gather(ca_nb &nb, const struct ca_strip (&around)[CA_PLANES][CA_LAYERS][CA_SIDE][3], int i)
{
#pragma unroll
    for (int p = 0; p < CA_PLANES; p++)
#pragma unroll
        for (int k = 0; k < CA_LAYERS; k++)
#pragma unroll
            for (int j = 0; j < CA_SIDE; j++)
#pragma unroll
                for (int n = 0; n < CA_SIDE; n++) {
                    int at = CA_STRIP + i + n - CA_RADIUS;

                    nb.at[p][k][j][n] = around[p][k][j][at / CA_STRIP].cell[at % CA_STRIP];
                }
}

/* Stores a strip, of which `left` cells are in the lattice. */
static __device__ __forceinline__ void ca_gpu_store(ca_cell *next, const struct ca_strip &made,
                                                    uint32_t left)
{
    if (left >= CA_STRIP) {
        *(struct ca_strip *)next = made;
        return;
    }
#pragma unroll
    for (int i = 0; i < CA_STRIP - 1; i++)
        if (i < left)
            next[i] = made.cell[i];
}

/* Steps the strip that begins at cell (x, y, z) of the launch; near(plane, dy, dz) points at that
 * strip among the cells that are read. What cell() does not read is not loaded. */
template <class Near>
static __device__ __forceinline__ void ca_gpu_step(const struct ca_gpu_job &job, uint32_t x,
                                                   uint32_t y, uint32_t z, Near near)
{
    ca_cell *next = (ca_cell *)job.next + z * job.layer + y * job.row + x;
    struct ca_strip around[CA_PLANES][CA_LAYERS][CA_SIDE][3], made[CA_PLANES];
    struct ca_strip_draws draws;
    uint32_t left = job.w - x;
    ca_nb nb;

    nb.values = &job.values;
    nb.x = (int32_t)x, nb.y = ca_gpu_global(job.y + y, job.height);
    nb.z = CA_DIMENSIONS == 3 ? ca_gpu_global(job.z + z, job.depth) : 0;
    nb.w = (int32_t)job.width, nb.h = (int32_t)job.height, nb.d = (int32_t)job.depth;
    nb.t = job.t;
    ca_gpu_draw(nb, &draws);
#pragma unroll
    for (int p = 0; p < CA_PLANES; p++)
#pragma unroll
        for (int k = 0; k < CA_LAYERS; k++)
#pragma unroll
            for (int j = 0; j < CA_SIDE; j++)
#pragma unroll
                for (int s = 0; s < 3; s++)
                    around[p][k][j][s] =
                        ((const struct ca_strip *)near(p, j - CA_RADIUS, k - CA_MIDDLE))[s - 1];
#if !CA_IS_FLOAT
    int wrong = -1;
#endif
#ifdef CA_STATE_PLANES
    ca_next wrong_next = {};
#endif
#pragma unroll
    for (int i = 0; i < CA_STRIP; i++) {
        nb.x = (int32_t)(x + i);
        ca_gpu_gather(nb, around, i);
        ca_gpu_take(nb, draws, x, i);
#if CA_AREAS
#pragma unroll
        for (int a = 0; a < CA_AREAS; a++)
            nb.area[a] = ca_gpu_area(ca_area_of(a), i, near);
#endif
        ca_result result = cell(nb);
#ifdef CA_STATE_PLANES
        if (ca_is_wrong(result.plane) && i < left) {
            wrong = i;
            wrong_next = result;
        }
#else
#if !CA_IS_FLOAT
        if (result >= nb.values->states && i < left)
            wrong = i;
#endif
#endif
#pragma unroll
        for (int p = 0; p < CA_PLANES; p++)
            made[p].cell[i] = CA_OF_RESULT(result, p);
    }
#pragma unroll
    for (int p = 0; p < CA_PLANES; p++)
        ca_gpu_store(next + p * job.plane, made[p], left);
#if !CA_IS_FLOAT
    if (wrong >= 0) {
        int32_t layer = (int32_t)(CA_DIMENSIONS == 3 ? z : y);

        nb.x = (int32_t)(x + wrong);
#ifdef CA_STATE_PLANES
        for (int p = 0; p < CA_PARTS; p++)
            if (wrong_next.plane[p] >= ca_states_of(p))
                ca_gpu_wrong(job, nb, layer, p, wrong_next.plane[p]);
#else
        ca_gpu_wrong(job, nb, layer, 0, next[wrong]);
#endif
    }
#endif
}

/* A strip a thread, all from global memory. */
CA_GPU_KERNEL ca_gpu_naive(const __grid_constant__ struct ca_gpu_job job)
{
    uint32_t x = CA_STRIP * (blockIdx.x * blockDim.x + threadIdx.x);
    uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
    uint32_t z = blockIdx.z * blockDim.z + threadIdx.z;
    const ca_cell *now = (const ca_cell *)job.now + z * job.layer + y * job.row + x;

    if (x < job.w && y < job.h && z < job.d)
        ca_gpu_step(job, x, y, z, [&](int p, int dy, int dz) {
            return now + p * job.plane + dz * job.layer + dy * job.row;
        });
}

/* The block's strips and those around them, CA_REACH rows and CA_BESIDE cells, in a tile of shared
 * memory, plane by plane. */
CA_GPU_KERNEL ca_gpu_shared(const __grid_constant__ struct ca_gpu_job job)
{
    extern __shared__ struct ca_strip ca_gpu_tile[];
    const uint32_t beside = CA_BESIDE / CA_STRIP;
    uint32_t width = blockDim.x + 2 * beside, height = blockDim.y + 2 * CA_REACH;
    uint32_t depth = blockDim.z + 2 * CA_MIDDLE, strips = width * height * depth;
    uint32_t row_strips = (job.w + CA_STRIP - 1) / CA_STRIP;
    uint32_t x0 = blockIdx.x * blockDim.x, y0 = blockIdx.y * blockDim.y;
    uint32_t z0 = blockIdx.z * blockDim.z;
    uint32_t x = x0 + threadIdx.x, y = y0 + threadIdx.y, z = z0 + threadIdx.z;
    const ca_cell *from = (const ca_cell *)job.now + ((int64_t)z0 - CA_MIDDLE) * job.layer +
                          ((int64_t)y0 - CA_REACH) * job.row + CA_STRIP * ((int64_t)x0 - beside);
    const struct ca_strip *own =
        ca_gpu_tile + ((threadIdx.z + CA_MIDDLE) * height + threadIdx.y + CA_REACH) * width +
        threadIdx.x + beside;

#pragma unroll
    for (int p = 0; p < CA_PLANES; p++)
        for (uint32_t k = threadIdx.z; k < depth && z0 + k < job.d + 2 * CA_MIDDLE; k += blockDim.z)
            for (uint32_t j = threadIdx.y; j < height && y0 + j < job.h + 2 * CA_REACH;
                 j += blockDim.y)
                for (uint32_t i = threadIdx.x; i < width && x0 + i < row_strips + 2 * beside;
                     i += blockDim.x)
                    ca_gpu_tile[p * strips + (k * height + j) * width + i] =
                        ((const struct ca_strip *)(from + p * job.plane + k * job.layer +
                                                   j * job.row))[i];
    __syncthreads();
    if (x < row_strips && y < job.h && z < job.d)
        ca_gpu_step(job, CA_STRIP * x, y, z, [&](int p, int dy, int dz) {
            return (const ca_cell *)(own + (int)(p * strips) +
                                     (dz * (int)height + dy) * (int)width);
        });
}

/* --- edges ------------------------------------------------------------------------------------ */

/* Whether a coordinate lies in the lattice, where an axis that is closed brings it. */
static __device__ __forceinline__ bool ca_gpu_inside(int64_t &i, int64_t size, int edge)
{
    if (edge == CA_TORUS && (i < 0 || i >= size))
        i = (i % size + size) % size;
    return i >= 0 && i < size;
}

/* Fills a ghost: beyond several edges the first of x, z and y counts. */
static __device__ __forceinline__ void ca_gpu_ghost(const struct ca_gpu_job &job, int64_t x,
                                                    int64_t y, int64_t z)
{
    ca_cell *cells = (ca_cell *)job.next, *ghost = cells + z * job.layer + y * job.row + x;
    int edge = CA_TORUS;

    if (!ca_gpu_inside(x, job.w, job.edge[0]))
        edge = job.edge[0];
    else if (!ca_gpu_inside(z, job.d, job.edge[2]))
        edge = job.edge[2];
    else if (!ca_gpu_inside(y, job.h, job.edge[1]))
        edge = job.edge[1];
#pragma unroll
    for (int p = 0; p < CA_PLANES; p++)
        ghost[p * job.plane] = edge == CA_TORUS
                                   ? cells[p * job.plane + z * job.layer + y * job.row + x]
                               : edge == CA_CONSTANT ? ca_beyond(p)
                                                     : (ca_cell)0;
}

/* In 32 bits where they suffice, which takes a fraction of the instructions. */
static __device__ __forceinline__ int64_t ca_gpu_quotient(int64_t a, int64_t b)
{
    return ((uint64_t)(a | b) >> 32) == 0 ? (uint32_t)a / (uint32_t)b : a / b;
}

/* All ghosts, which are made of cells alone: of a layer the rows above and below and the columns
 * beside it, and whole layers of ghosts. */
CA_GPU_KERNEL ca_gpu_edges(const __grid_constant__ struct ca_gpu_job job)
{
    const int64_t w = job.w, h = job.h, d = job.d, r = CA_REACH, width = w + 2 * r;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t z = (int64_t)blockIdx.y - CA_MIDDLE; z < d + CA_MIDDLE; z += gridDim.y) {
        bool whole = z < 0 || z >= d;
        int64_t rows = width * (whole ? h + 2 * r : 2 * r), count = rows + (whole ? 0 : h * 2 * r);

        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
            int64_t x, y;

            if (i < rows) {
                y = ca_gpu_quotient(i, width);
                x = i - y * width - r;
                y = whole || y < r ? y - r : h + y - r;
            } else {
                y = ca_gpu_quotient(i - rows, 2 * r);
                x = i - rows - y * 2 * r;
                x = x < r ? x - r : w + x - r;
            }
            ca_gpu_ghost(job, x, y, z);
        }
    }
}
#endif
#endif
