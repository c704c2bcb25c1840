/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-naive of fhp: a byte and a thread a node, all from global memory.
 *
 * This is the plain form of the lattice gas on a GPU, against which cuda-tiles shows what its tiles
 * bring. A thread gathers the particles that its six neighbours send and the one that rests at its
 * own node, collides them by table or throws them back, and writes one byte. So the thread pulls:
 * no two threads write the same node, and motion and collision need no barrier between them.
 *
 * Caches deliver six of a node's seven loads, so memory is not the limit. Instructions are:
 * addresses and seven loads for seven bits, a look-up, and a random draw of seven rounds for a
 * whole warp where one of its 32 nodes needs it. With forcing each candidate takes further draws,
 * until the first bit that decides.
 */

#include "kernels/fhp/cuda_cells.cuh"

__global__ static void __launch_bounds__(1024, cuda_resident(1024, 2))
    fhp_cuda_naive_step(struct fhp_cells_params params, const fhp_outcomes *__restrict__ table,
                        const uint8_t *__restrict__ now, uint8_t *__restrict__ next)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, h = params.h;

    if (x >= params.w)
        return;
    for (int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; row < h;
         row += (int64_t)gridDim.y * blockDim.y) {
        int64_t at = row * params.row + x + 1;
        const uint8_t *here = now + at;
        const uint8_t *above = here + (row > 0 ? -params.row : params.all_rows);
        const uint8_t *below = here + (row < h - 1 ? params.row : -params.all_rows);
        uint8_t node = fhp_arrive(above, here, below, row);

        fhp_write_node(next + at, x, params.w, fhp_scatter(params, table, node, x, row));
    }
}

static enum ca_status fhp_naive_plan(struct cuda *cuda, struct ca_error *error)
{
    static const struct fhp_cells_launch launch = {"fhp_cuda_naive_step", fhp_cuda_naive_step};
    dim3 block = cuda_block(cuda);

    CA_TRY(fhp_cells_plan(cuda, &launch, cuda_grid_of(cuda->size, block), block, error));
    cuda_plan_variant(cuda, "a node a thread");
    return CA_OK;
}

CUDA_OPS(fhp_cuda_naive) = FHP_CELLS_OPS(fhp_naive_plan);
