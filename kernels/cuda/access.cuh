/* SPDX-License-Identifier: MIT */
/*
 * Layouts: from how a backend reads and writes its cells follow loading, storing and gathering
 * them, making an initial state, and surveying it (core/model/survey.h), all where the state is. A
 * layout is a struct that kernels take by value and that is made by
 *
 *     static layout of(const struct cuda *cuda);         views the current state
 *
 * There are three kinds; a row's index is z * H + y within the slab.
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
 * Cells, of states with a byte or an int a cell, as the reports' own kernels keep them. One launch
 * puts one plane, and each thread other cells; cells that share a byte or word are put by atomics.
 *
 *     enum { PLANES, BITS };                             bit planes, as above
 *     typedef uint8_t value;
 *     __device__ value get(int plane, int64_t x, int64_t row) const;
 *     __device__ void put(int plane, int64_t x, int64_t row, value v) const;
 *
 * Floats, the same with `typedef float value`, for models whose planes are f32.
 */
#ifndef CALAB_KERNELS_CUDA_ACCESS_CUH
#define CALAB_KERNELS_CUDA_ACCESS_CUH

#include <float.h>

#include "core/base/random.h"
#include "core/model/digest.h"
#include "core/model/survey.h"
#include "kernels/cuda/stepper.cuh"

#define LAYOUT_THREADS 256

/* Of a slab: what a kernel needs to number its rows and to know their coordinates. */
struct layout_rows {
    int64_t w, h; /* cells of a row, rows of a layer: 1 in 2D, where the outermost dimension is y */
    int64_t rows; /* of the whole lattice */
    struct cuda_slab slab;
    bool deep;
};

static inline struct layout_rows layout_rows_of(const struct cuda *cuda)
{
    bool deep = cuda->setup.model->dimensions == 3;

    return {cuda->size.w, deep ? cuda->size.h : 1, ca_rows(cuda->setup.size), cuda_slab_of(cuda),
            deep};
}

/* The row of the whole lattice that is row `row` of the slab. */
static __device__ __forceinline__ int64_t layout_global(const struct layout_rows &rows, int64_t row)
{
    int64_t layer = row / rows.h;

    return cuda_global(rows.slab, layer) * rows.h + (row - layer * rows.h);
}

/* Adds up over a block of LAYOUT_THREADS; thread 0 has the sum. */
template <class Value> static __device__ Value layout_block_sum(Value value)
{
    __shared__ Value sums[LAYOUT_THREADS / 32];

    for (int by = 16; by > 0; by /= 2)
        value += __shfl_down_sync(0xffffffff, value, by);
    __syncthreads(); /* the last sum has been read */
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = value;
    __syncthreads();
    for (int i = 1; threadIdx.x == 0 && i < LAYOUT_THREADS / 32; i++)
        value += sums[i];
    return value;
}

/* Canonical planes on the device, from their first row on. */
template <class Value> struct layout_planes {
    Value *plane[CA_PLANES_MAX];
};

template <class Value>
static inline struct layout_planes<Value> layout_planes_of(const struct cuda *cuda,
                                                           void *const planes[])
{
    struct layout_planes<Value> canonical = {};

    for (int p = 0; p < cuda->setup.model->planes; p++)
        canonical.plane[p] = (Value *)planes[p];
    return canonical;
}

/* --- random starts --------------------------------------------------------------------------- */

/* A start of struct ca_random_start without solid cells, word by word. */
struct cuda_random_start {
    uint64_t seed, below[CA_BIT_PLANES_MAX];
    struct layout_rows rows;

    static bool make(const struct cuda *cuda, struct cuda_random_start *start)
    {
        struct ca_random_start random = {};

        if (!cuda->setup.model->random_start(&cuda->setup, &random))
            return false;
        start->seed = cuda->setup.seed;
        start->rows = layout_rows_of(cuda);
        for (int i = 0; i < CA_BIT_PLANES_MAX; i++)
            start->below[i] = random.below[i];
        return true;
    }

    /* Word k of a bit plane in row `row` of the slab; bits beyond the row's end are drawn too. */
    __device__ uint64_t word(int plane, int64_t row, int64_t k) const
    {
        int64_t global = layout_global(rows, row);
        uint32_t y = (uint32_t)(rows.deep ? global % rows.h : global);
        uint32_t z = (uint32_t)(rows.deep ? global / rows.h : 0);
        uint64_t bits = 0;

        if (below[plane] == 0)
            return 0;
#pragma unroll 4
        for (int i = 0; i < 16; i++) {
            philox4x32_ctr_t four = ca_philox(seed, (uint32_t)(16 * k + i), y, z, 0, plane);

#pragma unroll
            for (int j = 0; j < 4; j++)
                bits |= (uint64_t)(four.v[j] < below[plane]) << (4 * i + j);
        }
        return bits;
    }
};

/* --- words ----------------------------------------------------------------------------------- */

/* Those bits of word k that are cells of the row. */
static __device__ __forceinline__ uint64_t layout_inside(int64_t w, int64_t k)
{
    int64_t cells = w - 64 * k;

    return cells >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << cells) - 1;
}

/* Calls work(row, k) for all words of so many rows. */
template <class Work>
static __device__ __forceinline__ void layout_each_word(int64_t w, int64_t rows, Work work)
{
    int64_t words = (w + 63) / 64, step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows * words; i += step)
        work(i / words, i % words);
}

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
    layout_each_word(w, rows, [&](int64_t row, int64_t k) {
        uint64_t words[Words::PLANES] = {};
        int64_t at = row * w + 64 * k, count = w - 64 * k < 64 ? w - 64 * k : 64;

#pragma unroll
        for (int p = 0; p < Words::PLANES / Words::BITS; p++) {
            const uint8_t *from = cells.plane[p] + at;

            if (w % 8 == 0)
                for (int i = 0; i < count / 8; i++)
#pragma unroll
                    for (int b = 0; b < Words::BITS; b++)
                        words[p * Words::BITS + b] |=
                            layout_pack8(((const uint64_t *)from)[i], b) << 8 * i;
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
    layout_each_word(w, rows, [&](int64_t row, int64_t k) {
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
__global__ void layout_init_words(Words layout, Start start, int64_t w, int64_t rows)
{
    layout_each_word(w, rows, [&](int64_t row, int64_t k) {
        uint64_t words[Words::PLANES];

#pragma unroll 1
        for (int p = 0; p < Words::PLANES; p++)
            words[p] = start.word(p, row, k) & layout_inside(w, k);
        layout.put(row, k, words);
    });
}

/* Each block adds its share to *survey: sums of whole numbers, which are the same in any order. */
template <class Words, bool DIGEST, bool COUNT>
__global__ void __launch_bounds__(LAYOUT_THREADS)
    layout_survey_words(Words layout, struct layout_rows lattice, int64_t first, int64_t rows,
                        struct ca_survey *survey)
{
    int64_t per_row = (lattice.w + 63) / 64;
    unsigned long long digest = 0, ones[Words::PLANES] = {};

    layout_each_word(lattice.w, rows, [&](int64_t row, int64_t k) {
        uint64_t words[Words::PLANES], inside = layout_inside(lattice.w, k);
        int64_t global = layout_global(lattice, first + row);

        layout.get(first + row, k, words);
#pragma unroll
        for (int p = 0; p < Words::PLANES; p++) {
            uint64_t word = words[p] & inside;

            if (DIGEST)
                digest += ca_digest_term(word, ca_digest_index(p / Words::BITS, p % Words::BITS,
                                                               global, lattice.rows, per_row) +
                                                   (uint64_t)k);
            if (COUNT)
                ones[p] += (unsigned)__popcll(word);
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
            unsigned long long sum = layout_block_sum(ones[p]);

            if (threadIdx.x == 0)
                atomicAdd((unsigned long long *)&survey->ones[p], sum);
        }
}

template <class Words, class Start = cuda_random_start> struct layout_words {
    static dim3 grid(const struct cuda *cuda, int64_t rows)
    {
        return cuda_line(rows * ((cuda->size.w + 63) / 64));
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
        auto kernel = parts & CA_SURVEY_DIGEST
                          ? parts & CA_SURVEY_OBSERVABLES ? layout_survey_words<Words, true, true>
                                                          : layout_survey_words<Words, true, false>
                          : layout_survey_words<Words, false, true>;

        return cuda_launch(cuda, "layout_survey_words", kernel, cuda_resident_line(cuda, rows * ((cuda->size.w + 63) / 64)),
                           dim3(LAYOUT_THREADS), 0, error, Words::of(cuda), layout_rows_of(cuda),
                           first, rows, survey);
    }
};

/* Defines the struct cuda_access `name` of a layout of words whose random starts are Start's. */
#define CUDA_WORD_ACCESS_FROM(name, Words, Start)                                                  \
    const struct cuda_access name = {.load = layout_words<Words, Start>::load,                     \
                                     .store = layout_words<Words, Start>::store,                   \
                                     .gather = layout_words<Words, Start>::gather,                 \
                                     .init = layout_words<Words, Start>::init,                     \
                                     .survey = layout_words<Words, Start>::survey}
#define CUDA_WORD_ACCESS(name, Words) CUDA_WORD_ACCESS_FROM(name, Words, cuda_random_start)

/* --- cells ----------------------------------------------------------------------------------- */

template <class Cells>
__global__ void layout_load_cells(Cells layout, int plane, const typename Cells::value *cells,
                                  int64_t w, int64_t first, int64_t count)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        layout.put(plane, i % w, first + i / w, cells[i]);
}

template <class Cells>
__global__ void layout_store_cells(Cells layout, int plane, typename Cells::value *cells, int64_t w,
                                   int64_t first, int64_t count)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        cells[i] = layout.get(plane, i % w, first + i / w);
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
        int64_t count = rows * cuda->size.w;

        for (int p = 0; p < cuda->setup.model->planes; p++)
            CA_TRY(cuda_launch(cuda, "layout_load_cells", layout_load_cells<Cells>,
                               cuda_line(count), dim3(LAYOUT_THREADS), 0, error, Cells::of(cuda), p,
                               (const value *)planes[p], cuda->size.w, first, count));
        return CA_OK;
    }

    static enum ca_status store(struct cuda *cuda, void *const planes[], int64_t first,
                                int64_t rows, struct ca_error *error)
    {
        int64_t count = rows * cuda->size.w;

        for (int p = 0; p < cuda->setup.model->planes; p++)
            CA_TRY(cuda_launch(cuda, "layout_store_cells", layout_store_cells<Cells>,
                               cuda_line(count), dim3(LAYOUT_THREADS), 0, error, Cells::of(cuda), p,
                               (value *)planes[p], cuda->size.w, first, count));
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

/* A layout of cells as one of words. */
template <class Cells> struct layout_words_of_cells {
    enum { PLANES = Cells::PLANES, BITS = Cells::BITS };

    Cells cells;
    int64_t w;

    static layout_words_of_cells of(const struct cuda *cuda)
    {
        return {Cells::of(cuda), cuda->size.w};
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

/* Defines the struct cuda_access `name` of a layout of cells. */
#define CUDA_CELL_ACCESS_FROM(name, Cells, Start)                                                  \
    const struct cuda_access name = {                                                              \
        .load = layout_cells<Cells>::load,                                                         \
        .store = layout_cells<Cells>::store,                                                       \
        .gather = layout_cells<Cells>::gather,                                                     \
        .init = layout_words<layout_words_of_cells<Cells>, Start>::init,                           \
        .survey = layout_words<layout_words_of_cells<Cells>, Start>::survey}
#define CUDA_CELL_ACCESS(name, Cells) CUDA_CELL_ACCESS_FROM(name, Cells, cuda_random_start)

/* --- floats ---------------------------------------------------------------------------------- */

/*
 * Each block surveys every gridDim.x-th row and writes what it found to surveys[blockIdx.x]; the
 * host adds these in order, so that sums are always made in the same order. A thread adds up its
 * columns of all these rows.
 *
 * Observe(values, sums) adds a cell, whose values by plane are given, to its SUMS sums.
 */
template <class Floats, class Observe>
__global__ void __launch_bounds__(LAYOUT_THREADS)
    layout_survey_floats(Floats layout, struct layout_rows lattice, unsigned parts, int64_t first,
                         int64_t rows, struct ca_survey *surveys)
{
    int64_t per_row = (lattice.w + 1) / 2;
    unsigned long long digest = 0;
    double sums[Observe::SUMS] = {};
    float low = FLT_MAX, high = -FLT_MAX;

    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        int64_t global = layout_global(lattice, first + row);

        for (int64_t k = threadIdx.x; k < per_row; k += LAYOUT_THREADS) {
            bool odd = 2 * k + 1 < lattice.w; /* the second cell is in the row */
            float even_values[Floats::PLANES], odd_values[Floats::PLANES];

#pragma unroll
            for (int p = 0; p < Floats::PLANES; p++) {
                even_values[p] = layout.get(p, 2 * k, first + row);
                odd_values[p] = odd ? layout.get(p, 2 * k + 1, first + row) : 0;
                if (parts & CA_SURVEY_DIGEST)
                    digest += ca_digest_term(
                        (uint64_t)__float_as_uint(odd_values[p]) << 32 |
                            __float_as_uint(even_values[p]),
                        ca_digest_index(p, 0, global, lattice.rows, per_row) + (uint64_t)k);
            }
            if (parts & CA_SURVEY_OBSERVABLES) {
                Observe::add(even_values, sums);
                if (odd)
                    Observe::add(odd_values, sums);
            }
            low = fminf(low, odd ? fminf(even_values[0], odd_values[0]) : even_values[0]);
            high = fmaxf(high, odd ? fmaxf(even_values[0], odd_values[0]) : even_values[0]);
        }
    }
    digest = layout_block_sum(digest);
    for (int i = 0; i < Observe::SUMS; i++) {
        double sum = layout_block_sum(sums[i]);

        if (threadIdx.x == 0)
            surveys[blockIdx.x].sums[i] = sum;
    }
    if (threadIdx.x == 0)
        surveys[blockIdx.x].digest = digest;
    __shared__ float lows[LAYOUT_THREADS], highs[LAYOUT_THREADS];
    lows[threadIdx.x] = low;
    highs[threadIdx.x] = high;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < LAYOUT_THREADS; i++) {
            low = fminf(low, lows[i]);
            high = fmaxf(high, highs[i]);
        }
        surveys[blockIdx.x].low = low;
        surveys[blockIdx.x].high = high;
    }
}

template <class Floats, class Observe> struct layout_floats {
    static enum ca_status survey(struct cuda *cuda, unsigned parts, int64_t first, int64_t rows,
                                 struct ca_survey *surveys, struct ca_error *error)
    {
        return cuda_launch(cuda, "layout_survey_floats", layout_survey_floats<Floats, Observe>,
                           dim3((unsigned)(rows < CUDA_SURVEYS ? rows : CUDA_SURVEYS)),
                           dim3(LAYOUT_THREADS), 0, error, Floats::of(cuda), layout_rows_of(cuda),
                           parts, first, rows, surveys);
    }
};

#endif
