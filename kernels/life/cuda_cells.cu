/* SPDX-License-Identifier: MIT */
/* Cells in and out of life's byte-a-cell CUDA backends. */
#include "kernels/life/cuda_cells.cuh"

#include "kernels/cuda/access.cuh"

CUDA_CELL_ACCESS(life_cells_access, moore_domain_cells, );
