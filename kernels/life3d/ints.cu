/* SPDX-License-Identifier: MIT */
/* Owns the generations of cuda-naive and cuda-shared of life3d, and their copies to the host. */
#include "kernels/life3d/ints.cuh"

#include <stdlib.h>

static size_t lattice_bytes(const struct cuda *cuda)
{
    return (size_t)ca_cells(cuda->size) * sizeof(int32_t);
}

static enum ca_status take_host_memory(const struct cuda *cuda, struct life3d_ints *ints,
                                       struct ca_error *error)
{
    size_t bytes = lattice_bytes(cuda);

    if (ints->copies == LIFE3D_COPIES_NONE)
        return CA_OK;
    if (ints->copies == LIFE3D_COPIES_PAGEABLE) {
        ints->host = (int32_t *)malloc(bytes);
    } else {
        cudaError_t result = cudaMallocHost(&ints->host, bytes);

        if (result != cudaErrorMemoryAllocation)
            return cuda_check(cuda, result, "cudaMallocHost", error);
        ints->host = NULL;
        cudaGetLastError();
    }
    if (!ints->host)
        return ca_fail(error, CA_NO_MEMORY, "life3d needs %zu bytes of host memory for copies = %s",
                       bytes, ca_text(&cuda->setup.options, "copies"));
    return CA_OK;
}

void life3d_ints_stop(struct cuda *cuda)
{
    struct life3d_ints *ints = (struct life3d_ints *)cuda->own;

    if (ints->copies == LIFE3D_COPIES_PINNED && ints->host)
        cudaFreeHost(ints->host);
    if (ints->copies == LIFE3D_COPIES_PAGEABLE)
        free(ints->host);
}

enum ca_status life3d_ints_plan(struct cuda *cuda, life3d_kernel *closed, life3d_kernel *open,
                                struct ca_error *error)
{
    struct life3d_ints *ints = (struct life3d_ints *)cuda->own;

    ints->space.size = cuda->size;
    ints->space.torus = life3d_torus(&cuda->setup);
    ints->space.ring = cuda_slab_of(cuda).torus;
    ints->kernel = ints->space.ring ? closed : open;
    ints->copies = ca_choice(&cuda->setup.options, "copies");
    CA_TRY(cuda_grid_stride_fits(cuda, cuda->size, cuda_block(cuda), error));
    CA_TRY(life3d_rule_of_setup(&ints->space.rule, &cuda->setup, error));
    cuda_want(cuda, &ints->now, ca_cells(cuda->size));
    cuda_want(cuda, &ints->next, ca_cells(cuda->size));
    return take_host_memory(cuda, ints, error);
}

/* The whole lattice to the host and back, as a program does that keeps its state there. */
static enum ca_status copy_to_and_fro(struct cuda *cuda, const struct life3d_ints *ints,
                                      struct ca_error *error)
{
    size_t bytes = lattice_bytes(cuda);
    double since;

    CA_TRY(cuda_transfer_begin(cuda, &since, error));
    CA_TRY(cuda_check(
        cuda, cudaMemcpyAsync(ints->host, ints->now, bytes, cudaMemcpyDeviceToHost, cuda->stream),
        "copy to the host", error));
    CA_TRY(cuda_check(
        cuda, cudaMemcpyAsync(ints->now, ints->host, bytes, cudaMemcpyHostToDevice, cuda->stream),
        "copy from the host", error));
    return cuda_transfer_end(cuda, since, error);
}

enum ca_status life3d_ints_step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct life3d_ints *ints = (struct life3d_ints *)cuda->own;
    dim3 block = cuda_block(cuda), grid = cuda_grid_of(cuda->size, block);

    (void)t; /* the same rule in every generation */
    for (uint64_t i = 0; i < n; i++) {
        int32_t *read = ints->now;

        CA_TRY(cuda_launch(cuda, "life3d generation", ints->kernel, grid, block, 0, error, read,
                           ints->next, ints->space));
        ints->now = ints->next;
        ints->next = read;
        if (ints->copies != LIFE3D_COPIES_NONE)
            CA_TRY(copy_to_and_fro(cuda, ints, error));
    }
    return CA_OK;
}
