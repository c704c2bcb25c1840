/* SPDX-License-Identifier: MIT */
/* What rules of life take of a row: the sums of three, or its cells. For NVRTC, too. */
#ifndef CALAB_KERNELS_LIFE_CUDA_ROWS_CUH
#define CALAB_KERNELS_LIFE_CUDA_ROWS_CUH

#include "kernels/moore/cuda_words.cuh"

/* The sums of a row, and its cells, which its own result takes as centres. */
struct life_sums {
    struct bit_sum sum[4];
    word centre[4];
};

/* What rules of sums have in common. */
struct life_of_sums {
    enum { EDGES = 2 };
    typedef struct life_sums row;

    __device__ __forceinline__ row row_of(const word cells[4], word before, word behind) const
    {
        row made;

        moore_row_sums(made.sum, cells, before, behind);
#pragma unroll
        for (int i = 0; i < 4; i++)
            made.centre[i] = cells[i];
        return made;
    }
    __device__ __forceinline__ uint4 edge(const row &made, int k) const
    {
        return moore_edge_of_sums(made.sum, k);
    }
    /* The centres of other lanes' rows are not read. */
    template <class Edge> __device__ __forceinline__ row row_at(Edge edge) const
    {
        row made = {};

        moore_sums_of_edge(made.sum, edge(0), edge(1));
        return made;
    }
};

/* A row's four words, with the left neighbours of the first and the right ones of the last. */
struct life_cells {
    word cell[6];
};

/* What rules of cells have in common. */
struct life_of_cells {
    enum { EDGES = 2 };
    typedef struct life_cells row;

    __device__ __forceinline__ row row_of(const word cells[4], word before, word behind) const
    {
        return {{__funnelshift_l(before, cells[3], 1), cells[0], cells[1], cells[2], cells[3],
                 __funnelshift_r(cells[0], behind, 1)}};
    }
    __device__ __forceinline__ uint4 edge(const row &made, int k) const
    {
        return k == 0 ? make_uint4(made.cell[1], made.cell[2], made.cell[3], made.cell[4])
                      : make_uint4(made.cell[0], made.cell[5], 0, 0);
    }
    template <class Edge> __device__ __forceinline__ row row_at(Edge edge) const
    {
        uint4 cells = edge(0), beside = edge(1);

        return {{beside.x, cells.x, cells.y, cells.z, cells.w, beside.y}};
    }
};

#endif
