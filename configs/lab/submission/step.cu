/* SPDX-License-Identifier: MIT */
/* One generation of the model in calab/lab_model.h. README.md says what that is. */
#include "calab/calab_draw.h"
#include "calab/calab_lab.h"

/* A thread of the GPU runs this for each cell. */
__device__ void cell(const struct lab *lab, lab_input *const in[], lab_cell *const out[], int64_t x,
                     int64_t y, int64_t z)
{
    /* Write here what cell (x, y, z) becomes, out[...][LAB_AT(lab, x, y, z)]. */
}

struct planes {
    lab_input *in[LAB_PLANES];
    lab_cell *out[LAB_PLANES];
};

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
    struct planes planes;

    for (int p = 0; p < LAB_PLANES; p++) {
        planes.in[p] = in[p];
        planes.out[p] = out[p];
    }
    kernel<<<grid, block>>>(*lab, planes);
}
