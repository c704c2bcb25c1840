/* SPDX-License-Identifier: MIT */
/*
 * The state and the passes of the backends with one thread a cell, cuda-global and cuda-shared:
 * float planes in canonical order, and two launches a generation. A backend brings the two kernels.
 *
 * The second kernel reads old levels of its own cells alone, so it overwrites them, and one copy of
 * the planes suffices.
 */
#ifndef CALAB_KERNELS_WATER_CUDA_CELLS_CUH
#define CALAB_KERNELS_WATER_CUDA_CELLS_CUH

#include "kernels/cuda/grid_chunks.cuh"
#include "kernels/water/cuda_logic.cuh"

/* Best levels of the cells of a grid chunk. Pointers are at its first cell, rows w cells apart. */
typedef void water_best_kernel(const float *__restrict__ terrain, const float *__restrict__ level,
                               float *__restrict__ best, int64_t w, struct grid_chunk chunk);
/* New levels of these cells. */
typedef void water_distribute_kernel(const float *__restrict__ terrain,
                                     const float *__restrict__ source,
                                     const float *__restrict__ best, float *__restrict__ level,
                                     int64_t w, struct grid_chunk chunk, enum water_mode mode);

/* The two kernels of a backend, with the names that errors show. */
struct water_cell_kernels {
    water_best_kernel *best;
    water_distribute_kernel *distribute;
    const char *best_name, *distribute_name;
};

struct water_cells {
    float *plane[WATER_PLANES];
    float *best;
    const struct water_cell_kernels *kernels;
    enum water_mode mode;
};

extern const struct cuda_access water_cells_access;

/* Asks for the planes, and puts into cuda->plan what the option `block` and `shared_bytes` of each
 * block make of a launch. */
enum ca_status water_cells_plan(struct cuda *cuda, const struct water_cell_kernels *kernels,
                                const char *variant, size_t shared_bytes, struct ca_error *error);
enum ca_status water_cells_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);

#define WATER_CELLS_OPS(plan_function)                                                             \
    {                                                                                              \
        .state_size = sizeof(struct water_cells), .plan = (plan_function),                         \
        .access = &water_cells_access, .pass = water_cells_pass                                    \
    }

#endif
