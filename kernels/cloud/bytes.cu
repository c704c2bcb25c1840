/* SPDX-License-Identifier: MIT */
/* Owns the generations of cloud's byte-a-cell CUDA rungs. */
#include "kernels/cloud/bytes.cuh"

enum ca_status cloud_bytes_plan(struct cuda *cuda, cloud_byte_kernel *growth,
                                cloud_byte_kernel *events, dim3 block, struct ca_error *error)
{
    struct cloud_bytes *bytes = (struct cloud_bytes *)cuda->own;

    bytes->space = cloud_space_of(cuda);
    bytes->kernel = cloud_has_events(bytes->space) ? events : growth;
    bytes->block = block;
    cuda_want(cuda, &bytes->now, ca_cells(cuda->size));
    cuda_want(cuda, &bytes->next, ca_cells(cuda->size));
    return cuda_grid_stride_fits(cuda, cuda->size, block, error);
}

enum ca_status cloud_bytes_step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct cloud_bytes *bytes = (struct cloud_bytes *)cuda->own;
    dim3 grid = cuda_grid_of(cuda->size, bytes->block);

    for (uint64_t i = 0; i < n; i++) {
        uint8_t *read = bytes->now;

        CA_TRY(cuda_launch(cuda, "cloud generation", bytes->kernel, grid, bytes->block, 0, error,
                           read, bytes->next, bytes->space, t + i));
        bytes->now = bytes->next;
        bytes->next = read;
    }
    return CA_OK;
}
