/* SPDX-License-Identifier: MIT */
/*
 * Layouts: from how a backend reads and writes its cells follow loading, storing and gathering
 * them, making an initial state, surveying it (core/model/survey.h) and summing blocks of it
 * (core/model/field.h), all where the state is. A layout is a struct that kernels take by value and
 * that is made by
 *
 *     static layout of(const struct cuda *cuda);         views the current state
 *
 * Its name begins with the model's, for kernels made for it have external names. There are three
 * kinds; a row's index is z * H + y within the slab.
 *
 * Words, of bit-sliced states. A word is 64 cells of a row, cell x at bit x mod 64 of word
 * k = x div 64, whatever order the state keeps them in. get and put take a word of each of the
 * PLANES bit planes; bit planes are numbered p * BITS + b, for bit b of the model's plane p. Bits
 * beyond the row's end are 0 in put, and ignored after get. Each thread puts another word.
 *
 *     enum { PLANES, BITS };
 *     __device__ void get(int64_t row, int64_t k, uint64_t words[PLANES]) const;
 *     __device__ void put(int64_t row, int64_t k, const uint64_t words[PLANES]) const;
 *
 * A model with solid cells adds enum { SOLID } to its layouts of words and cells: the bit plane
 * that marks them. A layout of words whose halos need the first planes alone adds enum {
 * HALO_PLANES } and put_halo, which is put for these.
 *
 * Cells, of states with a byte or an int a cell, as the reports' own kernels keep them. One launch
 * puts one plane, and each thread other cells; cells that share a byte or word are put by atomics.
 *
 *     enum { PLANES, BITS };                             bit planes, as above
 *     typedef uint8_t value;
 *     __device__ value get(int plane, int64_t x, int64_t row) const;
 *     __device__ void put(int plane, int64_t x, int64_t row, value v) const;
 *
 * Floats, of models whose planes are f32, are in access_floats.cuh.
 *
 * A loop over rows and their words, cells or groups shares them out to the threads that a device
 * holds at once, each of which divides once, to find its first one (layout_each).
 */
#ifndef CALAB_KERNELS_CUDA_ACCESS_CUH
#define CALAB_KERNELS_CUDA_ACCESS_CUH

#include "core/base/random.h"
#include "core/model/digest.h"
#include "core/model/survey.h"
#include "kernels/cuda/blocks.cuh"
#include "kernels/cuda/halo_rows.cuh"
#include "kernels/cuda/layout.cuh"

/* Canonical planes on the device, from their first row on. */
template <class Value> struct layout_planes {
    Value *plane[CA_PLANES_MAX];
};

template <class Value>
static inline layout_planes<Value> layout_planes_of(const struct cuda *cuda, void *const planes[])
{
    layout_planes<Value> canonical = {};

    for (int p = 0; p < cuda->setup.model->planes; p++)
        canonical.plane[p] = (Value *)planes[p];
    return canonical;
}

/* --- random starts --------------------------------------------------------------------------- */

/* A start of struct ca_random_start without solid cells, word by word. */
struct cuda_random_start {
    uint64_t seed;
    uint32_t most[CA_BIT_PLANES_MAX]; /* a cell is set where its random number is at most this */
    bool drawn[CA_BIT_PLANES_MAX];    /* some cells are set */
    struct layout_rows rows;

    static bool make(const struct cuda *cuda, struct cuda_random_start *start)
    {
        struct ca_random_start random = {};

        if (!cuda->setup.model->start->random(&cuda->setup, &random))
            return false;
        start->seed = cuda->setup.seed;
        start->rows = layout_rows_of(cuda);
        for (int p = 0; p < CA_BIT_PLANES_MAX; p++) {
            start->drawn[p] = random.below[p] > 0;
            start->most[p] = (uint32_t)(random.below[p] - 1);
        }
        return true;
    }

    /* Words k of the bit planes in row `row` of the slab; bits beyond the row's end are drawn too.
     * A draw has four cells, which enter their word at its upper end. */
    template <int PLANES>
    __device__ __forceinline__ void words(int64_t row, int64_t k, uint64_t words[PLANES]) const
    {
        int64_t global = layout_global(rows, row);
        uint32_t z = (uint32_t)layout_quotient(global, rows.h), y = (uint32_t)(global - z * rows.h);

#pragma unroll
        for (int p = 0; p < PLANES; p++)
            words[p] = 0;
#pragma unroll(PLANES == 1 ? 4 : 1)
        for (int i = 0; i < 16; i++)
#pragma unroll
            for (int p = 0; p < PLANES; p++) {
                philox4x32_ctr_t four;
                uint32_t bits = 0;

                if (!drawn[p])
                    continue;
                four = ca_philox(seed, (uint32_t)(16 * k + i), y, z, 0, p);
#pragma unroll
                for (int j = 0; j < 4; j++)
                    bits |= (uint32_t)(four.v[j] <= most[p]) << j;
                words[p] = words[p] >> 4 | (uint64_t)bits << 60;
            }
    }
};

/* --- words ----------------------------------------------------------------------------------- */

/* Bit b of eight bytes; the product brings that of byte i to bit 56 + i. */
static __device__ __forceinline__ uint64_t layout_pack8(uint64_t bytes, int b)
{
    return (bytes >> b & 0x0101010101010101u) * 0x0102040810204080u >> 56;
}

/* The inverse. Byte i keeps bit i alone, and the addition carries any bit that is set to bit 7. */
static __device__ __forceinline__ uint64_t layout_unpack8(uint64_t eight, int b)
{
    uint64_t bytes = (eight & 0xff) * 0x0101010101010101u & 0x8040201008040201u;

    return ((bytes + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u) << b;
}

template <class Words>
__global__ void layout_load_words(Words layout, struct layout_planes<const uint8_t> cells,
                                  int64_t w, int64_t first, int64_t rows)
{
    layout_each(layout_row_words(w), rows, [&](int64_t row, int64_t k) {
        uint64_t words[Words::PLANES] = {};
        int64_t at = row * w + 64 * k, count = w - 64 * k < 64 ? w - 64 * k : 64;

#pragma unroll
        for (int p = 0; p < Words::PLANES / Words::BITS; p++) {
            const uint8_t *from = cells.plane[p] + at;

            if (w % 8 == 0)
                for (int i = 0; i < count / 8; i++)
#pragma unroll
                    for (int b = 0; b < Words::BITS; b++)
                        words[p * Words::BITS + b] |= layout_pack8(((const uint64_t *)from)[i], b)
                                                      << 8 * i;
            else
                for (int i = 0; i < count; i++)
#pragma unroll
                    for (int b = 0; b < Words::BITS; b++)
                        words[p * Words::BITS + b] |= (uint64_t)(from[i] >> b & 1) << i;
        }
        layout.put(first + row, k, words);
    });
}

template <class Words>
__global__ void layout_store_words(Words layout, struct layout_planes<uint8_t> cells, int64_t w,
                                   int64_t first, int64_t rows)
{
    layout_each(layout_row_words(w), rows, [&](int64_t row, int64_t k) {
        uint64_t words[Words::PLANES];
        int64_t at = row * w + 64 * k, count = w - 64 * k < 64 ? w - 64 * k : 64;

        layout.get(first + row, k, words);
#pragma unroll
        for (int p = 0; p < Words::PLANES / Words::BITS; p++)
            for (int i = 0; i < count; i += 8) {
                uint64_t bytes = 0;

#pragma unroll
                for (int b = 0; b < Words::BITS; b++)
                    bytes |= layout_unpack8(words[p * Words::BITS + b] >> i, b);
                if (w % 8 == 0)
                    *(uint64_t *)(cells.plane[p] + at + i) = bytes;
                else
                    for (int j = 0; j < 8 && i + j < count; j++)
                        cells.plane[p][at + i + j] = (uint8_t)(bytes >> 8 * j);
            }
    });
}

template <class Words>
__global__ void layout_gather_words(Words layout, struct ca_gather_points points,
                                    struct layout_planes<uint8_t> cells)
{
    int64_t count = points.columns * points.count, step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        int64_t x = points.x[i % points.columns];
        uint64_t words[Words::PLANES];

        layout.get(points.row[i / points.columns], x / 64, words);
#pragma unroll
        for (int p = 0; p < Words::PLANES / Words::BITS; p++) {
            unsigned value = 0;

#pragma unroll
            for (int b = 0; b < Words::BITS; b++)
                value |= (unsigned)(words[p * Words::BITS + b] >> x % 64 & 1) << b;
            cells.plane[p][i] = (uint8_t)value;
        }
    }
}

template <class Words, class Start>
__global__ void __launch_bounds__(LAYOUT_THREADS)
    layout_init_words(Words layout, Start start, int64_t w, int64_t rows)
{
    layout_each(layout_row_words(w), rows, [&](int64_t row, int64_t k) {
        uint64_t words[Words::PLANES], inside = layout_inside(w, k);

        start.template words<Words::PLANES>(row, k, words);
#pragma unroll
        for (int p = 0; p < Words::PLANES; p++)
            words[p] &= inside;
        layout.put(row, k, words);
    });
}

/* Each block adds its share to *survey: sums of whole numbers, which are the same in any order. */
template <class Words, bool DIGEST, bool COUNT>
__global__ void __launch_bounds__(LAYOUT_THREADS)
    layout_survey_words(Words layout, struct layout_rows lattice, int64_t first, int64_t rows,
                        struct ca_survey *survey)
{
    int64_t per_row = layout_row_words(lattice.w);
    unsigned long long digest = 0;
    constexpr int SOLID = layout_solid<Words>();
    uint32_t ones[Words::PLANES] = {}, on_obstacle[Words::PLANES] = {}; /* of one thread */

    layout_each(per_row, rows, [&](int64_t row, int64_t k) {
        uint64_t words[Words::PLANES], inside = layout_inside(lattice.w, k);
        int64_t global = layout_global(lattice, first + row), at = global * per_row + k;
        [[maybe_unused]] bool obstacle =
            global >= lattice.obstacle_first && global < lattice.obstacle_end;

        layout.get(first + row, k, words);
#pragma unroll
        for (int p = 0; p < Words::PLANES; p++) {
            uint64_t word = words[p] & inside;

            if (DIGEST)
                digest += ca_digest_term(word, ca_digest_index(p / Words::BITS, p % Words::BITS, 0,
                                                               lattice.count, per_row) +
                                                   (uint64_t)at);
            if (COUNT)
                ones[p] += (uint32_t)__popcll(word);
            if constexpr (COUNT && SOLID >= 0)
                on_obstacle[p] += obstacle ? (uint32_t)__popcll(word & words[SOLID]) : 0;
        }
    });
    if (DIGEST) {
        digest = layout_block_sum(digest);
        if (threadIdx.x == 0)
            atomicAdd((unsigned long long *)&survey->digest, digest);
    }
    if (COUNT)
#pragma unroll
        for (int p = 0; p < Words::PLANES; p++) {
            unsigned long long sum = layout_block_sum((unsigned long long)ones[p]);

            if (threadIdx.x == 0)
                atomicAdd((unsigned long long *)&survey->ones[p], sum);
            if constexpr (SOLID >= 0) {
                sum = layout_block_sum((unsigned long long)on_obstacle[p]);
                if (threadIdx.x == 0)
                    atomicAdd((unsigned long long *)&survey->on_obstacle[p], sum);
            }
        }
}

template <class Words, class Start = cuda_random_start> struct layout_words {
    static dim3 grid(const struct cuda *cuda, int64_t rows)
    {
        return cuda_resident_line(cuda, rows * layout_row_words(cuda->size.w));
    }

    static size_t row_bytes(const struct cuda *cuda)
    {
        return (size_t)layout_row_words(cuda->size.w) * layout_halo_planes<Words>() *
               sizeof(uint64_t);
    }

    static enum ca_status pack(struct cuda *cuda, struct cuda_halos halos, struct ca_error *error)
    {
        return layout_copy_halos(cuda, "layout_pack_words", layout_pack_words<Words>, halos,
                                 layout_row_words(cuda->size.w), error);
    }

    static enum ca_status unpack(struct cuda *cuda, struct cuda_halos halos, struct ca_error *error)
    {
        return layout_copy_halos(cuda, "layout_unpack_words", layout_unpack_words<Words>, halos,
                                 layout_row_words(cuda->size.w), error);
    }

    static enum ca_status load(struct cuda *cuda, void *const planes[], int64_t first, int64_t rows,
                               struct ca_error *error)
    {
        return cuda_launch(cuda, "layout_load_words", layout_load_words<Words>, grid(cuda, rows),
                           dim3(LAYOUT_THREADS), 0, error, Words::of(cuda),
                           layout_planes_of<const uint8_t>(cuda, planes), cuda->size.w, first,
                           rows);
    }

    static enum ca_status store(struct cuda *cuda, void *const planes[], int64_t first,
                                int64_t rows, struct ca_error *error)
    {
        return cuda_launch(cuda, "layout_store_words", layout_store_words<Words>, grid(cuda, rows),
                           dim3(LAYOUT_THREADS), 0, error, Words::of(cuda),
                           layout_planes_of<uint8_t>(cuda, planes), cuda->size.w, first, rows);
    }

    static enum ca_status gather(struct cuda *cuda, const struct ca_gather_points *points,
                                 void *const planes[], struct ca_error *error)
    {
        return cuda_launch(cuda, "layout_gather_words", layout_gather_words<Words>,
                           cuda_line(points->columns * points->count), dim3(LAYOUT_THREADS), 0,
                           error, Words::of(cuda), *points,
                           layout_planes_of<uint8_t>(cuda, planes));
    }

    static enum ca_status init(struct cuda *cuda, bool *made, struct ca_error *error)
    {
        Start start = {};
        int64_t rows = ca_rows(cuda->size);

        *made = Start::make(cuda, &start);
        if (!*made)
            return CA_OK;
        return cuda_launch(cuda, "layout_init_words", layout_init_words<Words, Start>,
                           grid(cuda, rows), dim3(LAYOUT_THREADS), 0, error, Words::of(cuda), start,
                           cuda->size.w, rows);
    }

    static enum ca_status survey(struct cuda *cuda, unsigned parts, int64_t first, int64_t rows,
                                 struct ca_survey *survey, struct ca_error *error)
    {
        auto kernel = parts & CA_SURVEY_DIGEST ? parts & CA_SURVEY_OBSERVABLES
                                                     ? layout_survey_words<Words, true, true>
                                                     : layout_survey_words<Words, true, false>
                                               : layout_survey_words<Words, false, true>;

        if (!(parts & (CA_SURVEY_DIGEST | CA_SURVEY_OBSERVABLES)))
            return CA_OK;
        return cuda_launch(cuda, "layout_survey_words", kernel, grid(cuda, rows),
                           dim3(LAYOUT_THREADS), 0, error, Words::of(cuda), layout_rows_of(cuda),
                           first, rows, survey);
    }
};

/* Defines the struct cuda_access `name` of a layout of words whose random starts are Start's. What
 * follows is `.neighbours = ...` in a model with neighbour sums. */
#define CUDA_WORD_ACCESS_FROM(name, Words, Start, ...)                                             \
    const struct cuda_access name = {.load = layout_words<Words, Start>::load,                     \
                                     .store = layout_words<Words, Start>::store,                   \
                                     .row_bytes = layout_words<Words, Start>::row_bytes,           \
                                     .pack = layout_words<Words, Start>::pack,                     \
                                     .unpack = layout_words<Words, Start>::unpack,                 \
                                     .gather = layout_words<Words, Start>::gather,                 \
                                     .init = layout_words<Words, Start>::init,                     \
                                     .survey = layout_words<Words, Start>::survey,                 \
                                     .blocks = layout_blocks<layout_sums_of_words<Words>>,         \
                                     __VA_ARGS__}
#define CUDA_WORD_ACCESS(name, Words, ...)                                                         \
    CUDA_WORD_ACCESS_FROM(name, Words, cuda_random_start, __VA_ARGS__)

/* --- cells ----------------------------------------------------------------------------------- */

template <class Cells>
__global__ void layout_load_cells(Cells layout, int plane, const typename Cells::value *cells,
                                  int64_t w, int64_t first, int64_t rows)
{
    layout_each(w, rows, [&](int64_t row, int64_t x) {
        layout.put(plane, x, first + row, cells[row * w + x]);
    });
}

template <class Cells>
__global__ void layout_store_cells(Cells layout, int plane, typename Cells::value *cells, int64_t w,
                                   int64_t first, int64_t rows)
{
    layout_each(w, rows, [&](int64_t row, int64_t x) {
        cells[row * w + x] = layout.get(plane, x, first + row);
    });
}

template <class Cells>
__global__ void layout_gather_cells(Cells layout, int plane, struct ca_gather_points points,
                                    typename Cells::value *cells)
{
    int64_t count = points.columns * points.count;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        cells[i] = layout.get(plane, points.x[i % points.columns], points.row[i / points.columns]);
}

template <class Cells> struct layout_cells {
    typedef typename Cells::value value;

    static enum ca_status load(struct cuda *cuda, void *const planes[], int64_t first, int64_t rows,
                               struct ca_error *error)
    {
        for (int p = 0; p < cuda->setup.model->planes; p++)
            CA_TRY(cuda_launch(cuda, "layout_load_cells", layout_load_cells<Cells>,
                               cuda_resident_line(cuda, rows * cuda->size.w), dim3(LAYOUT_THREADS),
                               0, error, Cells::of(cuda), p, (const value *)planes[p], cuda->size.w,
                               first, rows));
        return CA_OK;
    }

    static enum ca_status store(struct cuda *cuda, void *const planes[], int64_t first,
                                int64_t rows, struct ca_error *error)
    {
        for (int p = 0; p < cuda->setup.model->planes; p++)
            CA_TRY(cuda_launch(cuda, "layout_store_cells", layout_store_cells<Cells>,
                               cuda_resident_line(cuda, rows * cuda->size.w), dim3(LAYOUT_THREADS),
                               0, error, Cells::of(cuda), p, (value *)planes[p], cuda->size.w,
                               first, rows));
        return CA_OK;
    }

    static enum ca_status gather(struct cuda *cuda, const struct ca_gather_points *points,
                                 void *const planes[], struct ca_error *error)
    {
        int64_t count = points->columns * points->count;

        for (int p = 0; p < cuda->setup.model->planes; p++)
            CA_TRY(cuda_launch(cuda, "layout_gather_cells", layout_gather_cells<Cells>,
                               cuda_line(count), dim3(LAYOUT_THREADS), 0, error, Cells::of(cuda), p,
                               *points, (value *)planes[p]));
        return CA_OK;
    }
};

template <class Cells, int SOLID_PLANE = layout_solid<Cells>()> struct layout_solid_of {
    enum { SOLID = SOLID_PLANE };
};
template <class Cells> struct layout_solid_of<Cells, -1> {
};

/* A layout of cells as one of words. */
template <class Cells> struct layout_words_of_cells : layout_solid_of<Cells> {
    enum { PLANES = Cells::PLANES, BITS = Cells::BITS };

    Cells cells;
    int64_t w;

    static layout_words_of_cells of(const struct cuda *cuda)
    {
        layout_words_of_cells words = {};

        words.cells = Cells::of(cuda);
        words.w = cuda->size.w;
        return words;
    }
    __device__ void get(int64_t row, int64_t k, uint64_t words[PLANES]) const
    {
        int count = (int)(w - 64 * k < 64 ? w - 64 * k : 64);

#pragma unroll
        for (int p = 0; p < PLANES / BITS; p++) {
#pragma unroll
            for (int b = 0; b < BITS; b++)
                words[p * BITS + b] = 0;
            for (int i = 0; i < count; i++) {
                unsigned value = cells.get(p, 64 * k + i, row);

#pragma unroll
                for (int b = 0; b < BITS; b++)
                    words[p * BITS + b] |= (uint64_t)(value >> b & 1) << i;
            }
        }
    }
    __device__ void put(int64_t row, int64_t k, const uint64_t words[PLANES]) const
    {
        int count = (int)(w - 64 * k < 64 ? w - 64 * k : 64);

#pragma unroll
        for (int p = 0; p < PLANES / BITS; p++)
            for (int i = 0; i < count; i++) {
                unsigned value = 0;

#pragma unroll
                for (int b = 0; b < BITS; b++)
                    value |= (unsigned)(words[p * BITS + b] >> i & 1) << b;
                cells.put(p, 64 * k + i, row, (typename Cells::value)value);
            }
    }
};

/* The same of a layout of cells. */
#define CUDA_CELL_ACCESS_FROM(name, Cells, Start, ...)                                             \
    const struct cuda_access name = {                                                              \
        .load = layout_cells<Cells>::load,                                                         \
        .store = layout_cells<Cells>::store,                                                       \
        .gather = layout_cells<Cells>::gather,                                                     \
        .init = layout_words<layout_words_of_cells<Cells>, Start>::init,                           \
        .survey = layout_words<layout_words_of_cells<Cells>, Start>::survey,                       \
        .blocks = layout_blocks<layout_sums_of_cells<Cells>>,                                      \
        __VA_ARGS__}
#define CUDA_CELL_ACCESS(name, Cells, ...)                                                         \
    CUDA_CELL_ACCESS_FROM(name, Cells, cuda_random_start, __VA_ARGS__)

#endif
