/* SPDX-License-Identifier: MIT */
/*
 * Owns the extended domain of anneal's byte-a-cell CUDA rungs and the copies of its border.
 *
 * The kernels copy along one row or one column, so their blocks are a line of 1024 threads. The
 * copy of columns touches a sector of memory for each byte, which the lattice's size hides: the
 * border is 2 (W + H) cells beside W x H. Small lattices pay for two more launches a generation.
 */
#include "kernels/anneal/ghosts.cuh"

#define LINE 1024 /* threads of a block of the copies */

__global__ static void copy_rows(uint8_t *cells, int64_t w, int64_t h)
{
    int64_t x = (int64_t)blockIdx.x * LINE + threadIdx.x + 1, stride = w + 2;

    if (x > w)
        return;
    cells[x] = cells[h * stride + x];
    cells[(h + 1) * stride + x] = cells[stride + x];
}

__global__ static void copy_columns(uint8_t *cells, int64_t w, int64_t h)
{
    int64_t y = (int64_t)blockIdx.x * LINE + threadIdx.x;
    uint8_t *row = cells + y * (w + 2);

    if (y >= h + 2)
        return;
    row[0] = row[w];
    row[w + 1] = row[1];
}

enum ca_status anneal_ghosts_plan(struct cuda *cuda, struct ca_error *error)
{
    struct anneal_ghosts *own = (struct anneal_ghosts *)cuda->own;
    int64_t cells = (cuda->size.w + 2) * (cuda->size.h + 2);

    (void)error;
    cuda_want(cuda, &own->now, cells);
    cuda_want(cuda, &own->next, cells);
    return CA_OK;
}

static enum ca_status copy_ghosts(struct cuda *cuda, uint8_t *cells, struct ca_error *error)
{
    int64_t w = cuda->size.w, h = cuda->size.h;
    dim3 line(LINE);

    if (cuda_slab_of(cuda).torus)
        CA_TRY(cuda_launch(cuda, "copy of rows", copy_rows, cuda_grid(w, 1, 1, line), line, 0,
                           error, cells, w, h));
    return cuda_launch(cuda, "copy of columns", copy_columns, cuda_grid(h + 2, 1, 1, line), line, 0,
                       error, cells, w, h);
}

enum ca_status anneal_ghosts_step(struct cuda *cuda, uint64_t n, anneal_step_kernel *kernel,
                                  size_t shared, struct ca_error *error)
{
    struct anneal_ghosts *own = (struct anneal_ghosts *)cuda->own;
    int64_t stride = cuda->size.w + 2;
    dim3 block = cuda_block(cuda);

    for (; n > 0; n--) {
        uint8_t *now = own->now, *next = own->next;

        CA_TRY(copy_ghosts(cuda, now, error));
        CA_TRY(cuda_each_chunk(cuda->size, block, [&](struct grid_chunk piece, dim3 grid) {
            int64_t first = piece.y * stride + piece.x;

            return cuda_launch(cuda, "step", kernel, grid, block, shared, error, now + first,
                               next + first, stride, piece.w, piece.h);
        }));
        own->now = next;
        own->next = now;
    }
    return CA_OK;
}
