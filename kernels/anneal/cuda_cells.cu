/* SPDX-License-Identifier: MIT */
/* Cells in and out of anneal's byte-a-cell CUDA backends. */
#include "kernels/anneal/cuda_cells.cuh"

#include "kernels/anneal/cuda_walls.cuh"
#include "kernels/cuda/access.cuh"

CUDA_CELL_ACCESS(anneal_cells_access, moore_domain_cells,
                 .neighbours = layout_blocks<anneal_walls_of_cells<moore_domain_cells>>);
