/* SPDX-License-Identifier: MIT */
/* Kernels with one fault each, and right ones that are near to a fault. A line of which a test
 * speaks has a name behind an @ in a comment. */
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#include "tests/core/emulator/races/fixtures.h"

#define ALL 0xffffffffu

template <class... Params, class... Args>
static inline __attribute__((always_inline)) cudaError_t issue(void (*kernel)(Params...), dim3 grid,
                                                               dim3 block, Args... args)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = grid;
    config.blockDim = block;
    return cudaLaunchKernelEx(&config, kernel, (Params)args...); /* @run */
}

template <class... Params, class... Args>
static inline __attribute__((always_inline)) cudaError_t run(void (*kernel)(Params...), dim3 grid,
                                                             dim3 block, Args... args)
{
    cudaError_t error = issue(kernel, grid, block, args...);

    if (error == cudaSuccess)
        cudaDeviceSynchronize();
    return error;
}

/* Numbers on the device, from 0 on, or that nobody wrote. */
struct numbers {
    int *d;

    explicit numbers(int count, bool written = true)
    {
        cudaMalloc(&d, (size_t)count * sizeof *d); /* @numbers */
        if (written)
            cudaMemset(d, 0, (size_t)count * sizeof *d);
    }
    ~numbers() { cudaFree(d); }
};

/* --- races ------------------------------------------------------------------------------------ */

template <bool WAITS> static __global__ void shift(int *out)
{
    __shared__ int tile[64];
    int i = threadIdx.x;

    tile[i] = i; /* @shift_writes */
    if (WAITS)
        __syncthreads();
    out[i] = tile[(i + 1) % 64] + 1; /* @shift_reads */
}

static void no_barrier()
{
    numbers out(64);

    run(shift<false>, 1, 64, out.d);
}

static void barrier()
{
    numbers out(64);

    run(shift<true>, 1, 64, out.d);
}

static __global__ void in_place(int *cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    int right = cells[(i + 1) % n]; /* @in_place_reads */

    __syncthreads();
    cells[i] = right + 1; /* @in_place_writes */
}

static void between_blocks()
{
    numbers cells(64);

    run(in_place, 2, 32, cells.d);
}

static void one_block()
{
    numbers cells(64);

    run(in_place, 1, 64, cells.d);
    run(in_place, 1, 64, cells.d);
}

template <int FACTOR> static __global__ void all_write(int *out)
{
    *out = 7 + FACTOR * (int)threadIdx.x; /* @all_write */
}

static void two_values()
{
    numbers out(1);

    run(all_write<1>, 1, 40, out.d);
}

static void same_value()
{
    numbers out(1);

    run(all_write<0>, 1, 40, out.d);
}

static __global__ void bytes(unsigned char *out, int by) { out[threadIdx.x / by] = threadIdx.x; }

static void bytes_of_word()
{
    numbers out(8);

    run(bytes, 1, 32, (unsigned char *)out.d, 1);
}

static void byte_twice()
{
    numbers out(8);

    run(bytes, 1, 32, (unsigned char *)out.d, 2);
}

static __device__ int counter;

static __global__ void count(int *out, bool plain)
{
    if (plain)
        counter++; /* @counter */
    atomicAdd(out, 1);
}

static void variable()
{
    numbers out(1);

    run(count, 1, 64, out.d, true);
}

static void atomics()
{
    numbers out(1);

    run(count, 8, 64, out.d, false);
}

static __global__ void sum_and_read(int *sum, int *out)
{
    atomicAdd(sum, 1); /* @atomic_adds */
    if (threadIdx.x == 0)
        *out = *sum; /* @atomic_reads */
}

static void atomic_and_plain()
{
    numbers sum(2);

    run(sum_and_read, 1, 32, sum.d, sum.d + 1);
}

template <int WAIT> static __global__ void warp_sum(int *out)
{
    __shared__ volatile int part[64];
    int i = threadIdx.x;

    part[i] = i;
    __syncthreads();
    if (i >= 32)
        return;
    for (int by = 32; by > 0; by /= 2) {
        int more = part[i + by]; /* @warp_reads */

        if (WAIT == 1)
            __syncwarp();
        else if (WAIT == 2)
            __shfl_sync(ALL, 0, 0);
        if (i < by)
            part[i] = part[i] + more; /* @warp_writes */
        if (WAIT)
            __syncwarp();
    }
    if (i == 0)
        *out = part[0];
}

template <int WAIT> static void warp()
{
    numbers out(1);

    run(warp_sum<WAIT>, 1, 64, out.d);
}

template <bool HALVES> static __global__ void halves(int *out)
{
    __shared__ int part[32];
    int i = threadIdx.x;

    part[i] = i; /* @halves_write */
    __syncwarp(i < 16 ? 0xffff : 0xffff0000);
    out[i] = part[HALVES ? i ^ 1 : i ^ 16]; /* @halves_read */
}

template <bool HALVES> static void half_warps()
{
    numbers out(32);

    run(halves<HALVES>, 1, 32, out.d);
}

/* The block that comes last adds what all of them have left. */
template <bool FENCE> static __global__ void last_adds(int *part, int *done, int *sum)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1; /* @last_writes */
        if (FENCE)
            __threadfence();
        last = atomicAdd(done, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        atomicAdd(sum, part[threadIdx.x]); /* @last_reads */
}

template <bool FENCE> static void last_block()
{
    numbers part(8), rest(2);

    run(last_adds<FENCE>, 8, 32, part.d, rest.d, rest.d + 1);
}

static __global__ void locked(int *lock, int *sum)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

static void lock()
{
    numbers all(2);

    run(locked, 3, 64, all.d, all.d + 1);
}

struct many {
    int value[40];
};

static __global__ void copies(struct many *to, const struct many *from, int *out)
{
    __shared__ struct many own;
    __shared__ struct many other;

    if (threadIdx.x == 0) {
        own = *from;
        memset(&other, 1, sizeof other);
        memcpy(to, &own, sizeof own);
    }
    __syncthreads();
    out[threadIdx.x] = own.value[threadIdx.x] + other.value[threadIdx.x];
}

static void copied()
{
    numbers from(40), to(40, false), out(40);

    run(copies, 1, 40, (struct many *)to.d, (const struct many *)from.d, out.d);
    run(copies, 1, 40, (struct many *)from.d, (const struct many *)to.d, out.d);
}

/* --- memory ----------------------------------------------------------------------------------- */

static __global__ void move_from(const int *from, int *to, int at)
{
    to[0] = from[at] + 1; /* @move */
}

static void read_unwritten()
{
    numbers from(10, false), to(1);

    run(move_from, 1, 1, from.d, to.d, 3);
}

static __global__ void half_written(int *out)
{
    __shared__ int tile[64];

    tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + 1] + 1; /* @half_written */
}

static void shared_unwritten()
{
    numbers out(32);

    run(half_written, 1, 32, out.d);
}

static void copied_unwritten()
{
    numbers from(10, false);
    int to[10];

    cudaMemcpy(to, from.d, sizeof to, cudaMemcpyDeviceToHost); /* @copied_unwritten */
}

static void over()
{
    numbers from(10), to(1);

    run(move_from, 1, 1, from.d, to.d, 10);
}

static void under()
{
    numbers from(10), to(1);

    run(move_from, 1, 1, from.d, to.d, -1);
}

static void freed()
{
    numbers to(1);
    int *from;

    cudaMalloc(&from, 40);
    cudaMemset(from, 0, 40);
    cudaFree(from);
    run(move_from, 1, 1, from, to.d, 0);
}

static __global__ void beyond(int *out, int at)
{
    __shared__ int tile[8];
    int *first = tile;

    tile[threadIdx.x] = 1;
    first[at] = 2; /* @beyond */
    out[0] = tile[0];
}

static void shared_over()
{
    numbers out(1);

    run(beyond, 1, 1, out.d, 8);
}

static __global__ void wide(const int *from, int *to)
{
    to[0] = ((const int4 *)(from + 1))->x; /* @wide */
}

static void misaligned()
{
    numbers from(10), to(4);

    run(wide, 1, 1, from.d, to.d);
}

/* Within the array, but not within its row. */
static __global__ void row(int *out, int column)
{
    __shared__ int tile[4][8];

    tile[1][column] = 1; /* @row */
    *out = tile[2][0];
}

static void row_over()
{
    numbers out(1);

    run(row, 1, 1, out.d, 8);
}

static __constant__ int factors[4] = {1, 2, 3, 4};
static __constant__ const int fixed[4] = {1, 2, 3, 4};

static __global__ void scale(int *out, bool writes)
{
    if (writes)
        factors[1] = 5; /* @constant */
    *out = factors[threadIdx.x] * fixed[threadIdx.x];
}

static void constant(bool writes)
{
    const int other[4] = {4, 3, 2, 1};
    numbers out(1);

    cudaMemcpyToSymbol(factors, other, sizeof other);
    run(scale, 1, 1, out.d, writes);
}

static void constant_written() { constant(true); }
static void constant_read() { constant(false); }

static void null()
{
    numbers to(1);

    run(move_from, 1, 1, (const int *)NULL, to.d, 0);
}

static void of_host()
{
    numbers to(1);
    int *from = (int *)calloc(10, sizeof *from);

    run(move_from, 1, 1, from, to.d, 0);
    free(from);
}

static void host_reads()
{
    numbers from(10);

    cudaDeviceSynchronize();
    if (from.d[3]) /* @host_reads */
        abort();
}

static void copy_too_much()
{
    numbers to(10);
    int from[20] = {};

    cudaMemcpy(to.d, from, sizeof from, cudaMemcpyHostToDevice); /* @copies_much */
}

static void fill_too_much()
{
    numbers to(10);

    cudaMemset(to.d, 0, 80); /* @fills_much */
}

static void leak()
{
    int *d;

    cudaMalloc(&d, 40); /* @leak */
}

static void free_twice()
{
    int *d;

    cudaMalloc(&d, 40);
    cudaFree(d);
    cudaFree(d); /* @free_twice */
}

static void free_inside()
{
    numbers some(10);

    cudaFree(some.d + 1); /* @free_inside */
}

static void too_many()
{
    numbers out(1);

    run(all_write<0>, 1, 1025, out.d);
}

/* --- waiting ---------------------------------------------------------------------------------- */

static __global__ void ends_early(int *out, int threads)
{
    if ((int)threadIdx.x >= threads)
        return;
    out[threadIdx.x] = 1;
    __syncthreads(); /* @ends_early */
    out[(threadIdx.x + 1) % threads] = 2;
}

static void ended()
{
    numbers out(64);

    run(ends_early, 1, 64, out.d, 37);
}

static __global__ void parts(int *out)
{
    if (threadIdx.x < 32)
        __syncthreads(); /* @first_barrier */
    else
        __syncthreads(); /* @second_barrier */
    out[threadIdx.x] = 1;
}

static void stall()
{
    numbers out(64);

    run(parts, 1, 64, out.d);
}

static __global__ void lanes_end(int *out)
{
    if (threadIdx.x >= 20)
        return;
    out[threadIdx.x] = 1;
    __syncwarp();
    out[threadIdx.x ^ 1] = 2;
}

static void lanes_ended()
{
    numbers out(32);

    run(lanes_end, 1, 32, out.d);
}

/* --- the host and the device ------------------------------------------------------------------ */

static __global__ void fill(int *out) { out[threadIdx.x] = 5; /* @fill */ }

static void pinned(bool waits)
{
    int *memory;

    cudaMallocHost(&memory, 32 * sizeof *memory);
    issue(fill, 1, 32, memory);
    if (waits)
        cudaDeviceSynchronize();
    if ((memory[7] == 5) != waits) /* @pinned_reads */
        abort();
    cudaFreeHost(memory);
}

static void too_early() { pinned(false); }
static void waited() { pinned(true); }

static void copy_too_early()
{
    numbers from(32);
    int *memory;

    cudaMallocHost(&memory, 32 * sizeof *memory);
    cudaMemcpyAsync(memory, from.d, 32 * sizeof *memory, cudaMemcpyDeviceToHost); /* @copies */
    if (memory[7] == 0)                                                           /* @copy_reads */
        abort();
    cudaFreeHost(memory);
}

static const struct {
    const char *name;
    void (*run)();
} fixtures[] = {
    {"no-barrier", no_barrier},
    {"barrier", barrier},
    {"between-blocks", between_blocks},
    {"one-block", one_block},
    {"two-values", two_values},
    {"same-value", same_value},
    {"bytes-of-word", bytes_of_word},
    {"byte-twice", byte_twice},
    {"variable", variable},
    {"atomics", atomics},
    {"atomic-and-plain", atomic_and_plain},
    {"warp-without", warp<0>},
    {"warp-syncwarp", warp<1>},
    {"warp-shuffle", warp<2>},
    {"half-warps", half_warps<true>},
    {"half-warps-apart", half_warps<false>},
    {"last-block", last_block<true>},
    {"last-block-unfenced", last_block<false>},
    {"lock", lock},
    {"copied", copied},
    {"read-unwritten", read_unwritten},
    {"shared-unwritten", shared_unwritten},
    {"copied-unwritten", copied_unwritten},
    {"over", over},
    {"under", under},
    {"freed", freed},
    {"shared-over", shared_over},
    {"misaligned", misaligned},
    {"row-over", row_over},
    {"constant", constant_written},
    {"constant-read", constant_read},
    {"null", null},
    {"of-host", of_host},
    {"host-reads", host_reads},
    {"copy-too-much", copy_too_much},
    {"fill-too-much", fill_too_much},
    {"leak", leak},
    {"free-twice", free_twice},
    {"free-inside", free_inside},
    {"too-many", too_many},
    {"ended", ended},
    {"stall", stall},
    {"lanes-ended", lanes_ended},
    {"too-early", too_early},
    {"waited", waited},
    {"copy-too-early", copy_too_early},
};

int races_fixture(const char *name)
{
    for (const auto &fixture : fixtures)
        if (strcmp(fixture.name, name) == 0) {
            fixture.run();
            return 1;
        }
    return 0;
}
