/* SPDX-License-Identifier: MIT */
/* One generation of the model in calab/lab_model.h, of planes with a border of ghost cells, which
 * this file fills. README.md says what that is. */
#include "calab/calab_draw.h"
#include "calab/calab_lab.h"

/* One ghost cell of a plane, by a thread of the GPU for each: x is less than 0, or w and more, or y
 * or z is such. */
__device__ void fill_ghost(const struct lab *lab, lab_cell *plane, int64_t x, int64_t y, int64_t z)
{
    /* Write here what it holds, plane[LAB_AT(lab, x, y, z)]. */
}

/* A thread of the GPU runs this for each cell of the lattice. */
__device__ void cell(const struct lab *lab, lab_input *const in[], lab_cell *const out[], int64_t x,
                     int64_t y, int64_t z)
{
    /* Write here what cell (x, y, z) becomes, out[...][LAB_AT(lab, x, y, z)]. */
}

struct planes {
    lab_input *in[LAB_PLANES];
    lab_cell *out[LAB_PLANES];
};

__global__ void fill_border(struct lab lab, lab_cell *plane)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x - LAB_GHOSTS;
    int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y - LAB_GHOSTS;
    int64_t z = (int64_t)blockIdx.z - LAB_GHOSTS_Z;
    bool inside = x >= 0 && x < lab.w && y >= 0 && y < lab.h && z >= 0 && z < lab.d;

    if (x < lab.w + LAB_GHOSTS && y < lab.h + LAB_GHOSTS && !inside)
        fill_ghost(&lab, plane, x, y, z);
}

__global__ void kernel(struct lab lab, struct planes planes)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    int64_t z = blockIdx.z;

    if (x < lab.w && y < lab.h)
        cell(&lab, planes.in, planes.out, x, y, z);
}

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    dim3 block(32, 8), grid((lab->w + 31) / 32, (lab->h + 7) / 8, lab->d);
    dim3 all((LAB_ACROSS(lab) + 31) / 32, (LAB_DOWN(lab) + 7) / 8, lab->d + 2 * LAB_GHOSTS_Z);
    struct planes planes;

    for (int p = 0; p < LAB_PLANES; p++) {
        planes.in[p] = in[p];
        planes.out[p] = out[p];
        fill_border<<<all, block>>>(*lab, in[p]);
    }
    kernel<<<grid, block>>>(*lab, planes);
}
