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

#ifdef CA_GPU
#define CA_GPU_KERNEL extern "C" __global__ void

/* A coordinate of a slab in the whole lattice; a halo of a small one goes round more than once. */
static __device__ __forceinline__ int32_t ca_gpu_global(uint32_t i, uint32_t size)
{
    while (i >= size)
        i -= size;
    return (int32_t)i;
}

/* The random numbers of a cell, each of which is one of the four of its block, or of 16 bits one of
 * eight. */
static __device__ __forceinline__ void ca_gpu_draw(ca_nb &nb)
{
#pragma unroll
    for (int s = 0; s < CA_DRAWS; s++) {
        uint32_t v[4];

        ca_philox(nb.values->seed, (uint32_t)nb.x / 4, (uint32_t)nb.y, nb.t,
                  ((CA_STEP_STREAM + (uint32_t)s) << 24) + (uint32_t)nb.z, v);
        nb.draw[s] = nb.x & 2 ? nb.x & 1 ? v[3] : v[2] : nb.x & 1 ? v[1] : v[0];
    }
#pragma unroll
    for (int s = 0; s < CA_DRAWS_16; s++) {
        uint32_t v[4];

        ca_philox(nb.values->seed, (uint32_t)nb.x / 8, (uint32_t)nb.y, nb.t,
                  ((CA_STEP_STREAM + CA_STREAM_16 + (uint32_t)s) << 24) + (uint32_t)nb.z, v);
        nb.draw_16[s] = (uint16_t)((nb.x & 4   ? nb.x & 2 ? v[3] : v[2]
                                      : nb.x & 2 ? v[1]
                                               : v[0]) >>
                                   16 * (nb.x & 1));
    }
}

#if !CA_IS_FLOAT
static __device__ void ca_gpu_wrong(const struct ca_gpu_job &job, const ca_nb &nb, int32_t layer,
                                    int32_t value)
{
    if (layer < job.own || layer >= job.own_end || atomicCAS(&job.fault->found, 0, 1) != 0)
        return;
    job.fault->x = nb.x, job.fault->y = nb.y, job.fault->z = nb.z;
    job.fault->value = value, job.fault->t = nb.t;
}
#endif

#if CA_AREAS
template <class Load>
static __device__ __forceinline__ uint16_t ca_gpu_area(struct ca_area area, Load load)
{
    int count = 0;

    for (int dy = -area.radius; dy <= area.radius; dy++) {
        int width = ca_area_width(area, dy);

        for (int dx = -width; dx <= width; dx++)
            count += load(0, dx, dy, 0) == area.state;
    }
    return (uint16_t)count;
}
#endif

/* Steps cell (x, y, z) of the launch; load(plane, dx, dy, dz) gives its neighbours. What cell()
 * does not read is not loaded. */
template <class Load>
static __device__ __forceinline__ void ca_gpu_cell(const struct ca_gpu_job &job, uint32_t x,
                                                   uint32_t y, uint32_t z, Load load)
{
    ca_cell *next = (ca_cell *)job.next + z * job.layer + y * job.row + x;
    ca_nb nb;

    nb.values = &job.values;
    nb.x = (int32_t)x, nb.y = ca_gpu_global(job.y + y, job.height);
    nb.z = ca_gpu_global(job.z + z, job.depth);
    nb.w = (int32_t)job.width, nb.h = (int32_t)job.height, nb.d = (int32_t)job.depth;
    nb.t = job.t;
#pragma unroll
    for (int p = 0; p < CA_PLANES; p++)
#pragma unroll
        for (int k = 0; k < CA_LAYERS; k++)
#pragma unroll
            for (int j = 0; j < CA_SIDE; j++)
#pragma unroll
                for (int i = 0; i < CA_SIDE; i++)
                    nb.at[p][k][j][i] = load(p, i - CA_RADIUS, j - CA_RADIUS, k - CA_MIDDLE);
    ca_gpu_draw(nb);
#if CA_AREAS
#pragma unroll
    for (int a = 0; a < CA_AREAS; a++)
        nb.area[a] = ca_gpu_area(ca_area_of(a), load);
#endif
    ca_result result = cell(nb);
#if !CA_IS_FLOAT
    if (result >= nb.values->states)
        ca_gpu_wrong(job, nb, (int32_t)(CA_DIMENSIONS == 3 ? z : y), result);
#endif
#if CA_PLANES == 1
    next[0] = result;
#else
#pragma unroll
    for (int p = 0; p < CA_PLANES; p++)
        next[p * job.plane] = result.plane[p];
#endif
}

/* A cell a thread, all from global memory. */
CA_GPU_KERNEL ca_gpu_naive(const __grid_constant__ struct ca_gpu_job job)
{
    uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
    uint32_t z = blockIdx.z * blockDim.z + threadIdx.z;
    const ca_cell *now = (const ca_cell *)job.now + z * job.layer + y * job.row + x;

    if (x < job.w && y < job.h && z < job.d)
        ca_gpu_cell(job, x, y, z, [&](int p, int dx, int dy, int dz) {
            return now[p * job.plane + dz * job.layer + dy * job.row + dx];
        });
}

/* The block's cells and CA_REACH around them in a tile of shared memory, plane by plane. */
CA_GPU_KERNEL ca_gpu_shared(const __grid_constant__ struct ca_gpu_job job)
{
    extern __shared__ ca_cell ca_gpu_tile[];
    uint32_t width = blockDim.x + 2 * CA_REACH, height = blockDim.y + 2 * CA_REACH;
    uint32_t depth = blockDim.z + 2 * CA_MIDDLE, cells = width * height * depth;
    uint32_t x0 = blockIdx.x * blockDim.x, y0 = blockIdx.y * blockDim.y;
    uint32_t z0 = blockIdx.z * blockDim.z;
    uint32_t x = x0 + threadIdx.x, y = y0 + threadIdx.y, z = z0 + threadIdx.z;
    const ca_cell *from = (const ca_cell *)job.now + ((int64_t)z0 - CA_MIDDLE) * job.layer +
                          ((int64_t)y0 - CA_REACH) * job.row + ((int64_t)x0 - CA_REACH);
    const ca_cell *own = ca_gpu_tile +
                         ((threadIdx.z + CA_MIDDLE) * height + threadIdx.y + CA_REACH) * width +
                         threadIdx.x + CA_REACH;

#pragma unroll
    for (int p = 0; p < CA_PLANES; p++)
        for (uint32_t k = threadIdx.z; k < depth && z0 + k < job.d + 2 * CA_MIDDLE; k += blockDim.z)
            for (uint32_t j = threadIdx.y; j < height && y0 + j < job.h + 2 * CA_REACH;
                 j += blockDim.y)
                for (uint32_t i = threadIdx.x; i < width && x0 + i < job.w + 2 * CA_REACH;
                     i += blockDim.x)
                    ca_gpu_tile[p * cells + (k * height + j) * width + i] =
                        from[p * job.plane + k * job.layer + j * job.row + i];
    __syncthreads();
    if (x < job.w && y < job.h && z < job.d)
        ca_gpu_cell(job, x, y, z, [&](int p, int dx, int dy, int dz) {
            return own[(int)(p * cells) + (dz * (int)height + dy) * (int)width + dx];
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
    const ca_cell given[] = {CA_BEYOND};
    ca_cell *cells = (ca_cell *)job.next, *ghost = cells + z * job.layer + y * job.row + x;
    int edge = CA_TORUS;

    if (!ca_gpu_inside(x, job.w, job.edge[0]))
        edge = job.edge[0];
    else if (!ca_gpu_inside(z, job.d, job.edge[2]))
        edge = job.edge[2];
    else if (!ca_gpu_inside(y, job.h, job.edge[1]))
        edge = job.edge[1];
#pragma unroll
    for (int p = 0; p < CA_PLANES; p++) {
        ca_cell beyond = p < (int)(sizeof given / sizeof given[0]) ? given[p] : (ca_cell)0;

        ghost[p * job.plane] = edge == CA_TORUS
                                   ? cells[p * job.plane + z * job.layer + y * job.row + x]
                               : edge == CA_CONSTANT ? beyond
                                                     : (ca_cell)0;
    }
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
