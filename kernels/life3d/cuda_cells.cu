/* SPDX-License-Identifier: MIT */
/* This file keeps the state of cuda-naive and cuda-shared, makes their passes, and copies to the
 * host. */
#include "kernels/life3d/cuda_cells.cuh"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/cuda/access.cuh"

/* --- cells in and out ------------------------------------------------------------------------ */

struct life3d_int_cells {
    enum { PLANES = 1, BITS = 1 };
    typedef uint8_t value;

    int32_t *cells;
    int64_t w;

    static life3d_int_cells of(const struct cuda *cuda)
    {
        return {((const struct life3d_cells *)cuda->state)->now, cuda->size.w};
    }
    __device__ value get(int plane, int64_t x, int64_t row) const
    {
        (void)plane;
        return (value)cells[row * w + x];
    }
    __device__ void put(int plane, int64_t x, int64_t row, value v) const
    {
        (void)plane;
        cells[row * w + x] = v;
    }
};

CUDA_CELL_ACCESS(life3d_cells_access, life3d_int_cells);

/* --- generations ----------------------------------------------------------------------------- */

static size_t lattice_bytes(const struct cuda *cuda)
{
    return (size_t)ca_cells(cuda->size) * sizeof(int32_t);
}

enum ca_status life3d_cells_plan(struct cuda *cuda, struct life3d_cells_kernel kernel,
                                 struct ca_error *error)
{
    struct life3d_cells *state = (struct life3d_cells *)cuda->state;
    dim3 block = cuda_block(cuda), grid = cuda_grid_of(cuda->size, block);

    state->space.size = cuda->size;
    state->space.torus = life3d_torus(&cuda->setup);
    state->space.torus_z = cuda_slab_of(cuda).torus;
    state->kernel = kernel;
    state->copies = ca_choice(&cuda->setup.options, "copies");
    CA_TRY(cuda_grid_stride_fits(cuda, cuda->size, block, error));
    CA_TRY(life3d_rule_of_setup(&state->space.rule, &cuda->setup, error));
    cuda_reserve(cuda, &state->now, ca_cells(cuda->size));
    cuda_reserve_passing(cuda, &state->next, ca_cells(cuda->size));
    cuda_plan_variant(cuda, "a thread a cell%s%s",
                      state->copies == LIFE3D_COPIES_NONE ? "" : ", copies to the host",
                      state->copies == LIFE3D_COPIES_PROGRAM ? ", memory anew" : "");
    cuda_plan_launch(cuda, grid, block, kernel.shared_bytes);
    return CA_OK;
}

enum ca_status life3d_cells_start(struct cuda *cuda, struct ca_error *error)
{
    struct life3d_cells *state = (struct life3d_cells *)cuda->state;
    size_t bytes = lattice_bytes(cuda);

    if (state->copies == LIFE3D_COPIES_NONE)
        return CA_OK;
    if (state->copies != LIFE3D_COPIES_PINNED) {
        state->host = (int32_t *)malloc(bytes);
    } else {
        cudaError_t result = cudaMallocHost(&state->host, bytes);

        if (result != cudaErrorMemoryAllocation)
            return cuda_check(cuda, result, "cudaMallocHost", error);
        state->host = NULL;
        cudaGetLastError();
    }
    if (!state->host)
        return ca_fail(error, CA_NO_MEMORY, "life3d needs %zu bytes of host memory for copies = %s",
                       bytes, ca_text(&cuda->setup.options, "copies"));
    return CA_OK;
}

void life3d_cells_stop(struct cuda *cuda)
{
    struct life3d_cells *state = (struct life3d_cells *)cuda->state;

    if (state->copies != LIFE3D_COPIES_PINNED)
        free(state->host);
    else if (state->host)
        cudaFreeHost(state->host);
}

/*
 * Frees both copies of the lattice and takes memory for them anew, as the end of one single step
 * and the start of the next do. A pointer without memory is NULL, which the stepper may free.
 */
static enum ca_status take_anew(struct cuda *cuda, struct life3d_cells *state,
                                struct ca_error *error)
{
    int32_t **const copies[] = {&state->now, &state->next};

    CUDA_TRY(cuda, cudaStreamSynchronize(cuda->stream), error);
    for (int32_t **copy : copies) {
        int32_t *memory = *copy;

        *copy = NULL;
        CUDA_TRY(cuda, cudaFree(memory), error);
    }
    for (int32_t **copy : copies)
        CA_TRY(cuda_check(cuda, cudaMalloc(copy, lattice_bytes(cuda)), "memory for a generation",
                          error));
    return CA_OK;
}

/* Copies the next generation to the host and back, as a program does that keeps its state there. */
static enum ca_status copy_round_trip(struct cuda *cuda, struct life3d_cells *state,
                                      struct ca_error *error)
{
    size_t bytes = lattice_bytes(cuda);
    double since;

    CA_TRY(cuda_transfer_begin(cuda, &since, error));
    CA_TRY(cuda_check(
        cuda,
        cudaMemcpyAsync(state->host, state->next, bytes, cudaMemcpyDeviceToHost, cuda->stream),
        "copy to the host", error));
    if (state->copies == LIFE3D_COPIES_PROGRAM)
        CA_TRY(take_anew(cuda, state, error));
    CA_TRY(cuda_check(
        cuda,
        cudaMemcpyAsync(state->next, state->host, bytes, cudaMemcpyHostToDevice, cuda->stream),
        "copy from the host", error));
    return cuda_transfer_end(cuda, since, error);
}

enum ca_status life3d_cells_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    struct life3d_cells *state = (struct life3d_cells *)cuda->state;
    life3d_cells_function *function =
        state->space.torus_z ? state->kernel.closed : state->kernel.open;

    (void)t, (void)n; /* the same rule in every generation, always one of them */
    CA_TRY(cuda_launch(cuda, state->kernel.name, function, cuda_planned_grid(cuda),
                       cuda_planned_block(cuda), 0, error, state->now, state->next, state->space));
    return state->copies == LIFE3D_COPIES_NONE ? CA_OK : copy_round_trip(cuda, state, error);
}

void life3d_cells_swap(struct cuda *cuda)
{
    struct life3d_cells *state = (struct life3d_cells *)cuda->state;
    int32_t *now = state->now;

    state->now = state->next;
    state->next = now;
}
