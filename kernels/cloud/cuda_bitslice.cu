/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of cloud: a bit a cell and plane, 128 cells a lane, one generation a pass.
 *
 * A thread goes up the planes with the groups of 128 cells at one place, so that of the planes
 * below and above each is loaded once; rows beside come from the first cache. Without events cld
 * follows from what cells had lost of hum (groups.cuh), so that memory moves half a byte for a cell
 * step, and binds, as it does a copy of hum and act.
 *
 * With events cld is moved too. A draw's bits are those of the group's 128 cells. An event takes a
 * draw for each bit of its chance down to the last that is set, 16 at most, and what comes of them
 * is brought to the order of the group once. A draw is some 30 instructions, ten of them products:
 * now these bind.
 *
 * All sizes take this path.
 */
#include "kernels/cloud/groups.cuh"

static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    for (uint64_t i = 0; i < n; i++) {
        CA_TRY(cloud_groups_generation(cuda, t + i, error));
        cloud_groups_swap((struct cloud_groups *)cuda->own);
    }
    return CA_OK;
}

CUDA_OPS(cloud_cuda_bitslice) = {
    .own_size = sizeof(struct cloud_groups),
    .plan = cloud_groups_plan,
    .load = cloud_groups_load,
    .store = cloud_groups_store,
    .gather = cloud_groups_gather,
    .step = step,
};
