/* SPDX-License-Identifier: MIT */
/* Owns the planes of water's two-kernel CUDA rungs, and the order of their launches. */
#include "kernels/water/levels.cuh"

enum ca_status water_levels_plan(struct cuda *cuda, struct ca_error *error)
{
    struct water_levels *own = (struct water_levels *)cuda->own;
    int64_t cells = ca_cells(cuda->size);

    (void)error;
    for (int p = 0; p < WATER_PLANES; p++)
        cuda_want(cuda, &own->plane[p], cells);
    cuda_want(cuda, &own->best, cells);
    return CA_OK;
}

enum ca_status water_levels_step(struct cuda *cuda, uint64_t n, water_best_kernel *find_best,
                                 water_distribute_kernel *distribute, size_t shared,
                                 struct ca_error *error)
{
    const struct water_levels *own = (const struct water_levels *)cuda->own;
    enum water_mode mode = (enum water_mode)ca_choice(&cuda->setup.params, "source_mode");
    const float *terrain = own->plane[WATER_TERRAIN], *source = own->plane[WATER_SOURCE];
    float *level = own->plane[WATER_LEVEL], *best = own->best;
    int64_t w = cuda->size.w;
    dim3 block = cuda_block(cuda);

    for (; n > 0; n--) {
        CA_TRY(cuda_each_chunk(cuda->size, block, [&](struct grid_chunk piece, dim3 grid) {
            int64_t i = piece.y * w + piece.x;

            return cuda_launch(cuda, "best levels", find_best, grid, block, shared, error,
                               terrain + i, level + i, best + i, w, piece);
        }));
        CA_TRY(cuda_each_chunk(cuda->size, block, [&](struct grid_chunk piece, dim3 grid) {
            int64_t i = piece.y * w + piece.x;

            return cuda_launch(cuda, "distribution", distribute, grid, block, shared, error,
                               terrain + i, source + i, best + i, level + i, w, piece, mode);
        }));
    }
    return CA_OK;
}
