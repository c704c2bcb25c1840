/* SPDX-License-Identifier: MIT */
/* The rules of life on words of a GPU, for the kernels of kernels/moore. */
#ifndef CALAB_KERNELS_LIFE_CUDA_LOGIC_CUH
#define CALAB_KERNELS_LIFE_CUDA_LOGIC_CUH

#include "kernels/life/cuda_rows.cuh"
#include "kernels/life/cuda_rule.cuh"
#include "kernels/moore/cuda_bits.cuh"

#include "kernels/life/circuits.h"

/* --- by counts ------------------------------------------------------------------------------- */

/* A rule that is compiled in. */
template <class Circuit> struct life_compiled : life_of_sums {
    enum { KEPT = 16 + Circuit::CENTRE, GENERATIONS = 8 };
    struct two {
        struct life_two of[4];
    };

    explicit __device__ life_compiled(const struct moore_parameters &) {}
    __device__ __forceinline__ two two_of(const row &b, const row &c) const
    {
        two both;

#pragma unroll
        for (int i = 0; i < 4; i++)
            both.of[i] = Circuit::two(b.sum[i], c.sum[i]);
        return both;
    }
    __device__ __forceinline__ void upper(word cells[4], const two &both, const row &a,
                                          const row &b, const row &) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            cells[i] = Circuit::next(both.of[i], a.sum[i], b.centre[i]);
    }
    __device__ __forceinline__ void lower(word cells[4], const two &both, const row &, const row &c,
                                          const row &d) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            cells[i] = Circuit::next(both.of[i], d.sum[i], c.centre[i]);
    }
};

#define LIFE_CIRCUIT(name, born, stays, operations, centre_registers)                              \
    struct life_circuit_##name {                                                                   \
        enum { CENTRE = centre_registers };                                                        \
        static __device__ __forceinline__ struct life_two two(struct bit_sum b, struct bit_sum c)  \
        {                                                                                          \
            return life_two_##name(b, c);                                                          \
        }                                                                                          \
        static __device__ __forceinline__ word next(const struct life_two &both, struct bit_sum o, \
                                                    word centre)                                   \
        {                                                                                          \
            return life_next_##name(both, o, centre);                                              \
        }                                                                                          \
    };
LIFE_COMPILED(LIFE_CIRCUIT)

/*
 * Any other rule of counts: the number of a square's live cells in four words, by whose bits one of
 * ten results is selected, each of which goes by the centre and two masks of the parameters. Rows
 * share nothing.
 */
struct life_counts : life_of_sums {
    enum { KEPT = 20, GENERATIONS = 4 };
    struct two {
    };

    const struct moore_parameters &parameters;

    explicit __device__ life_counts(const struct moore_parameters &from) : parameters(from) {}
    /* The result where n of the square's cells are live. */
    __device__ __forceinline__ word counted(int n, word centre) const
    {
        word born = parameters.rule[LIFE_BORN_MASKS_AT + n];
        word stays = parameters.rule[LIFE_STAYS_MASKS_AT + n];

        return n == 0 ? born : n == 9 ? stays : word_select(centre, stays, born);
    }
    __device__ __forceinline__ word next(struct bit_sum a, struct bit_sum b, struct bit_sum c,
                                         word centre) const
    {
        struct bit_sum low = word_full_add(a.low, b.low, c.low);
        struct bit_sum high = word_full_add(a.high, b.high, c.high);
        word two = low.high ^ high.low;
        word four = LOP3(high.high, low.high, high.low, A ^ (B & C));
        word eight = LOP3(high.high, low.high, high.low, A & B & C);
        word by_one[4], by_two[2], of_eight;

#pragma unroll
        for (int i = 0; i < 4; i++)
            by_one[i] = word_select(low.low, counted(2 * i + 1, centre), counted(2 * i, centre));
        by_two[0] = word_select(two, by_one[1], by_one[0]);
        by_two[1] = word_select(two, by_one[3], by_one[2]);
        of_eight = word_select(low.low, counted(9, centre), counted(8, centre));
        return word_select(eight, of_eight, word_select(four, by_two[1], by_two[0]));
    }
    __device__ __forceinline__ two two_of(const row &, const row &) const { return {}; }
    __device__ __forceinline__ void upper(word cells[4], const two &, const row &a, const row &b,
                                          const row &c) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            cells[i] = next(a.sum[i], b.sum[i], c.sum[i], b.centre[i]);
    }
    __device__ __forceinline__ void lower(word cells[4], const two &both, const row &b,
                                          const row &c, const row &d) const
    {
        upper(cells, both, b, c, d);
    }
};

/* --- by a table of all squares --------------------------------------------------------------- */

struct life_results {
    word of[4];
};

#ifdef __CUDA_ARCH__
#define LIFE_SELECT_INLINE __forceinline__
#else
/* Compilers for a CPU take minutes for all of it in one place. */
#define LIFE_SELECT_INLINE __attribute__((noinline))
#endif

/* Selects among the 2^BITS masks from FIRST on by the lowest BITS cells of the squares around the
 * cells of four words: 511 selections a word. */
template <int FIRST, int BITS>
static __device__ LIFE_SELECT_INLINE struct life_results life_select(const struct life_cells row[3],
                                                                     const uint4 *masks)
{
    struct life_results low, high;

    if constexpr (BITS == 1) {
        uint4 four = masks[FIRST / 4];

#pragma unroll
        for (int i = 0; i < 4; i++) {
            low.of[i] = FIRST % 4 ? four.z : four.x;
            high.of[i] = FIRST % 4 ? four.w : four.y;
        }
    } else {
        low = life_select<FIRST, BITS - 1>(row, masks);
        high = life_select<FIRST + (1 << (BITS - 1)), BITS - 1>(row, masks);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) { /* cells 0, 1 and 2 of a square are SE, S and SW */
        word cell = row[2 - (BITS - 1) / 3].cell[i + 2 - (BITS - 1) % 3];

        low.of[i] = word_select(cell, high.of[i], low.of[i]);
    }
    return low;
}

/* A function of its own, since its code is too long to stand in each place that steps a row. */
static __device__ __attribute__((noinline)) struct life_results
life_look_up(struct life_cells above, struct life_cells here, struct life_cells below,
             const uint4 *masks)
{
    const struct life_cells row[3] = {above, here, below};

    return life_select<0, 9>(row, masks);
}

/* The table in shared memory, a word of ones or zeros a square. All threads of the block call it.
 */
static __device__ __forceinline__ const uint4 *life_masks(const struct moore_parameters &parameters)
{
    __shared__ uint4 masks[LIFE_SQUARES / 4];

    for (int i = (int)threadIdx.x; i < LIFE_SQUARES / 4; i += (int)blockDim.x) {
        uint32_t bits = parameters.rule[LIFE_TABLE_AT + i / 8] >> i % 8 * 4;

        masks[i] = make_uint4(0 - (bits & 1), 0 - (bits >> 1 & 1), 0 - (bits >> 2 & 1),
                              0 - (bits >> 3 & 1));
    }
    __syncthreads();
    return masks;
}

struct life_table : life_of_cells {
    enum { KEPT = 12, GENERATIONS = 4 };
    struct two {
    };

    const uint4 *masks;

    explicit __device__ life_table(const struct moore_parameters &from) : masks(life_masks(from)) {}
    __device__ __forceinline__ two two_of(const row &, const row &) const { return {}; }
    __device__ __forceinline__ void upper(word cells[4], const two &, const row &a, const row &b,
                                          const row &c) const
    {
        struct life_results results = life_look_up(a, b, c, masks);

#pragma unroll
        for (int i = 0; i < 4; i++)
            cells[i] = results.of[i];
    }
    __device__ __forceinline__ void lower(word cells[4], const two &both, const row &b,
                                          const row &c, const row &d) const
    {
        upper(cells, both, b, c, d);
    }
};

extern const struct moore_bitslice_kernels life_bitslice_kernels[LIFE_LOGICS][2];

/* --- all of them ----------------------------------------------------------------------------- */

/* Rows of a table of kernels by enum life_logic. A file that has one defines LIFE_KERNELS_OF(Rule)
 * as {kernels of a torus, kernels of dead edges}, with a comma. */
#define LIFE_KERNELS_OF_CIRCUIT(name, born, stays, operations, centre_registers)                   \
    LIFE_KERNELS_OF(life_compiled<life_circuit_##name>)
#define LIFE_KERNELS                                                                               \
    LIFE_COMPILED(LIFE_KERNELS_OF_CIRCUIT)                                                         \
    LIFE_KERNELS_OF(life_counts) LIFE_KERNELS_OF(life_table)

#endif
