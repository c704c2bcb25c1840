/* SPDX-License-Identifier: MIT */
/*
 * Layouts of floats, for models whose planes are f32: loading, storing and gathering them, making
 * an initial state, surveying it and summing blocks of it. They are made as those of access.cuh,
 * with
 *
 *     enum { PLANES, CHANGES };                          the one plane that generations change
 *     typedef float value;                               get and put as those of cells
 */
#ifndef CALAB_KERNELS_CUDA_ACCESS_FLOATS_CUH
#define CALAB_KERNELS_CUDA_ACCESS_FLOATS_CUH

#include "kernels/cuda/access.cuh"

#define LAYOUT_START_CELLS 4 /* of a row, that a thread makes at once */

/*
 * Start makes an initial state:
 *
 *     static bool make(const struct cuda *cuda, Start *start);     false: the host has to
 *     __device__ void cells(int64_t x, int64_t row, float values[PLANES][LAYOUT_START_CELLS])
 * const;
 *
 * of the cells of row `row` of the slab from x on, a multiple of LAYOUT_START_CELLS. Those beyond
 * the row's end are ignored.
 */
template <class Floats, class Start>
__global__ void __launch_bounds__(LAYOUT_THREADS)
    layout_init_floats(Floats layout, Start start, int64_t w, int64_t rows)
{
    int64_t columns = (w + LAYOUT_START_CELLS - 1) / LAYOUT_START_CELLS;

    layout_each(columns, rows, [&](int64_t row, int64_t column) {
        float values[Floats::PLANES][LAYOUT_START_CELLS];
        int64_t x = column * LAYOUT_START_CELLS;

        start.cells(x, row, values);
#pragma unroll
        for (int p = 0; p < Floats::PLANES; p++)
#pragma unroll
            for (int i = 0; i < LAYOUT_START_CELLS; i++)
                if (x + i < w)
                    layout.put(p, x + i, row, values[p][i]);
    });
}

/* Adds up what threads of a block found: thread 0 adds it to *total. */
template <int SUMS>
static __device__ __forceinline__ void layout_block_add(const struct ca_survey &found,
                                                        struct ca_survey *total)
{
    unsigned long long digest = layout_block_sum((unsigned long long)found.digest);
    float low = layout_block_fold(found.low, [](float a, float b) { return fminf(a, b); });
    float high = layout_block_fold(found.high, [](float a, float b) { return fmaxf(a, b); });

    for (int i = 0; i < SUMS; i++) {
        double sum = layout_block_sum(found.sums[i]);

        if (threadIdx.x == 0)
            total->sums[i] += sum;
    }
    if (threadIdx.x == 0) {
        total->digest += digest;
        total->low = fminf(total->low, low);
        total->high = fmaxf(total->high, high);
    }
}

static __device__ __forceinline__ struct ca_survey layout_survey_none()
{
    struct ca_survey none = {};

    none.low = INFINITY;
    none.high = -INFINITY;
    return none;
}

/*
 * Each block writes what it found to its own place, for layout_add_surveys to add in an order that
 * depends on the size alone. A thread takes pairs of cells, the digest's words.
 *
 * Observe::add(values, sums) adds a cell, whose values by plane are given, to its SUMS sums.
 */
template <class Floats, class Observe, unsigned PART>
__global__ void __launch_bounds__(LAYOUT_THREADS)
    layout_survey_floats(Floats layout, struct layout_rows lattice, int64_t first, int64_t rows,
                         struct ca_survey *found_by)
{
    constexpr int PLANES = PART == CA_SURVEY_RANGE ? 1 : Floats::PLANES;
    int64_t per_row = (lattice.w + 1) / 2;
    struct ca_survey found = layout_survey_none();

    layout_each(per_row, rows, [&](int64_t row, int64_t k) {
        bool pair = 2 * k + 1 < lattice.w; /* the second cell is in the row */
        int64_t at = layout_global(lattice, first + row) * per_row + k;
        float values[2][PLANES];

#pragma unroll
        for (int p = 0; p < PLANES; p++) {
            values[0][p] = layout.get(p, 2 * k, first + row);
            values[1][p] = pair ? layout.get(p, 2 * k + 1, first + row) : 0;
            if (PART == CA_SURVEY_DIGEST)
                found.digest += ca_digest_term(
                    (uint64_t)__float_as_uint(values[1][p]) << 32 | __float_as_uint(values[0][p]),
                    ca_digest_index(p, 0, 0, lattice.count, per_row) + (uint64_t)at);
        }
#pragma unroll
        for (int i = 0; i < 2; i++)
            if (i == 0 || pair) {
                if constexpr (PART == CA_SURVEY_OBSERVABLES)
                    Observe::add(values[i], found.sums);
                if (PART == CA_SURVEY_RANGE) {
                    found.low = fminf(found.low, values[i][0]);
                    found.high = fmaxf(found.high, values[i][0]);
                }
            }
    });
    if (threadIdx.x == 0)
        found_by[blockIdx.x] = layout_survey_none();
    layout_block_add<PART == CA_SURVEY_OBSERVABLES ? Observe::SUMS : 0>(found,
                                                                        &found_by[blockIdx.x]);
}

/* Adds the surveys of so many blocks to *total; launched with one block. */
template <int SUMS>
__global__ void __launch_bounds__(LAYOUT_THREADS)
    layout_add_surveys(const struct ca_survey *found_by, int count, struct ca_survey *total)
{
    struct ca_survey found = layout_survey_none();

    for (int i = (int)threadIdx.x; i < count; i += LAYOUT_THREADS) {
        found.digest += found_by[i].digest;
        for (int s = 0; s < SUMS; s++)
            found.sums[s] += found_by[i].sums[s];
        found.low = fminf(found.low, found_by[i].low);
        found.high = fmaxf(found.high, found_by[i].high);
    }
    layout_block_add<SUMS>(found, total);
}

template <class Floats, class Observe, class Start> struct layout_floats : layout_cells<Floats> {
    static enum ca_status init(struct cuda *cuda, bool *made, struct ca_error *error)
    {
        Start start = {};
        int64_t rows = ca_rows(cuda->size), w = cuda->size.w;

        *made = Start::make(cuda, &start);
        if (!*made)
            return CA_OK;
        return cuda_launch(cuda, "layout_init_floats", layout_init_floats<Floats, Start>,
                           cuda_resident_line(cuda, rows * (w / LAYOUT_START_CELLS + 1)),
                           dim3(LAYOUT_THREADS), 0, error, Floats::of(cuda), start, w, rows);
    }

    /* Halos have the other planes from the load on. */
    static size_t row_bytes(const struct cuda *cuda)
    {
        return (size_t)cuda->size.w * sizeof(float);
    }

    static enum ca_status pack(struct cuda *cuda, struct cuda_halos halos, struct ca_error *error)
    {
        return layout_copy_halos(cuda, "layout_pack_floats", layout_pack_floats<Floats>, halos,
                                 cuda->size.w, error);
    }

    static enum ca_status unpack(struct cuda *cuda, struct cuda_halos halos, struct ca_error *error)
    {
        return layout_copy_halos(cuda, "layout_unpack_floats", layout_unpack_floats<Floats>, halos,
                                 cuda->size.w, error);
    }

    template <unsigned PART>
    static enum ca_status survey_part(struct cuda *cuda, unsigned parts, int64_t first,
                                      int64_t rows, struct ca_survey *total, struct ca_error *error)
    {
        int64_t blocks = (rows * ((cuda->size.w + 1) / 2) + LAYOUT_THREADS - 1) / LAYOUT_THREADS;
        int count = (int)(blocks < CUDA_SURVEYS ? blocks : CUDA_SURVEYS);
        struct ca_survey *found_by = total + 1;

        if (!(parts & PART))
            return CA_OK;
        CA_TRY(cuda_launch(cuda, "layout_survey_floats",
                           layout_survey_floats<Floats, Observe, PART>, dim3((unsigned)count),
                           dim3(LAYOUT_THREADS), 0, error, Floats::of(cuda), layout_rows_of(cuda),
                           first, rows, found_by));
        return cuda_launch(cuda, "layout_add_surveys", layout_add_surveys<Observe::SUMS>, dim3(1),
                           dim3(LAYOUT_THREADS), 0, error, found_by, count, total);
    }

    static enum ca_status survey(struct cuda *cuda, unsigned parts, int64_t first, int64_t rows,
                                 struct ca_survey *total, struct ca_error *error)
    {
        CA_TRY(survey_part<CA_SURVEY_DIGEST>(cuda, parts, first, rows, total, error));
        CA_TRY(survey_part<CA_SURVEY_OBSERVABLES>(cuda, parts, first, rows, total, error));
        return survey_part<CA_SURVEY_RANGE>(cuda, parts, first, rows, total, error);
    }
};

/* The same of a layout of floats. */
#define CUDA_FLOAT_ACCESS(name, Floats, Observe, Start, ...)                                       \
    const struct cuda_access name = {.load = layout_floats<Floats, Observe, Start>::load,          \
                                     .store = layout_floats<Floats, Observe, Start>::store,        \
                                     .row_bytes =                                                  \
                                         layout_floats<Floats, Observe, Start>::row_bytes,         \
                                     .pack = layout_floats<Floats, Observe, Start>::pack,          \
                                     .unpack = layout_floats<Floats, Observe, Start>::unpack,      \
                                     .gather = layout_floats<Floats, Observe, Start>::gather,      \
                                     .init = layout_floats<Floats, Observe, Start>::init,          \
                                     .survey = layout_floats<Floats, Observe, Start>::survey,      \
                                     .blocks = layout_blocks<layout_sums_of_floats<Floats>>,       \
                                     __VA_ARGS__}

#endif
