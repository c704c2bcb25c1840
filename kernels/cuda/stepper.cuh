/* SPDX-License-Identifier: MIT */
/*
 * The CUDA stepper: what plain.h and sliced.h are to the CPU. It owns the device, one stream, the
 * memory, transfers and clocks of an instance; a backend brings its layout and its step.
 *
 * Every CUDA call is checked: cuda_check turns a result into a status with the call, the device and
 * CUDA's words for it. Kernels are launched by cuda_launch alone. Memory is asked for in `plan` by
 * cuda_want and taken together afterwards, so that too little of it is said in one sentence with
 * the number of bytes before anything is allocated.
 *
 * A fault in a kernel is sticky: CUDA refuses every later call of the process. The error then says
 * that the process has to be started again, with CA_CUDA_FAILED.
 */
#ifndef CALAB_KERNELS_CUDA_STEPPER_CUH
#define CALAB_KERNELS_CUDA_STEPPER_CUH

#include <cuda_runtime.h>

#include "kernels/cuda/stepper.h"

/* What a multiprocessor of the architecture that is compiled for holds (CUDA C++ Programming Guide,
 * technical specifications per compute capability). */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ / 100 == 9 ||                 \
    __CUDA_ARCH__ / 100 == 10
#define CUDA_RESIDENT_THREADS 2048
#define CUDA_RESIDENT_BLOCKS 32
#elif __CUDA_ARCH__ < 800
#define CUDA_RESIDENT_THREADS 1024
#define CUDA_RESIDENT_BLOCKS 16
#else
#define CUDA_RESIDENT_THREADS 1536
#define CUDA_RESIDENT_BLOCKS 16
#endif

/* The second of __launch_bounds__: the blocks that registers must suffice for, no more than fit. */
static constexpr int cuda_resident(int threads, int blocks)
{
    return blocks * threads > CUDA_RESIDENT_THREADS ? CUDA_RESIDENT_THREADS / threads
           : blocks > CUDA_RESIDENT_BLOCKS          ? CUDA_RESIDENT_BLOCKS
                                                    : blocks;
}

/* The value; but compilers do not know where it comes from: they keep it and do not make it anew.
 */
template <class Value> static __device__ __forceinline__ Value cuda_opaque(Value value)
{
#ifdef __CUDA_ARCH__
    if constexpr (sizeof value == 8)
        asm("" : "+l"(value));
    else
        asm("" : "+r"(value));
#endif
    return value;
}

struct cuda;

struct cuda_ops {
    size_t own_size; /* of what the backend keeps in cuda->own; zeroed */
    /* Reads the setup's options, fills own and cuda->plan, and wants memory, but takes none.
     * CA_USAGE with the numbers where the kernel cannot hold the setup. */
    enum ca_status (*plan)(struct cuda *cuda, struct ca_error *error);
    /* Canonical rows that lie on the device, planes[p] at the first of them, in and out. */
    enum ca_status (*load)(struct cuda *cuda, void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error);
    enum ca_status (*store)(struct cuda *cuda, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error);
    /* Cells at places whose arrays lie on the device, to planes that do. */
    enum ca_status (*gather)(struct cuda *cuda, const struct ca_gather_points *places,
                             void *const planes[], struct ca_error *error);
    /* Launches n >= 1 generations from generation t on; the stepper waits for them. */
    enum ca_status (*step)(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error);
    /* Takes what own has beyond wanted memory, and frees it: may be NULL. */
    enum ca_status (*start)(struct cuda *cuda, struct ca_error *error);
    void (*stop)(struct cuda *cuda);
};

#define CUDA_WANTS_MAX 16

struct cuda {
    const struct cuda_ops *ops;
    struct ca_setup setup;
    struct ca_size size; /* of the slab */
    void *own;
    struct ca_plan plan; /* ops->plan fills variant, generations (1 if it says nothing), grid,
                          * block, cluster, shared_bytes and step_s; the stepper the rest */
    struct ca_cuda_device facts;
    int device;
    cudaStream_t stream;
    struct {
        void **pointer;
        size_t bytes;
    } want[CUDA_WANTS_MAX];
    int wants;
    void *staging; /* canonical rows or gathered cells on their way */
    size_t staging_bytes;
    cudaEvent_t start, stop;
    struct ca_clock clock;
};

/* How a backend's file defines its operations: CUDA_OPS(life3d_cuda_shared) = {...}; */
#define CUDA_OPS(name)                                                                             \
    extern "C" const struct cuda_ops name;                                                         \
    const struct cuda_ops name

/* kernels/cuda/view.cu: the stepper's gather and reduce. */
enum ca_status cuda_gather(void *self, const struct ca_gather_points *points, void *const planes[],
                           struct ca_error *error);
enum ca_status cuda_reduce(void *self, const struct ca_gather_points *points,
                           const struct ca_view_bins *bins,
                           const struct ca_appearances *appearances, struct ca_bin_sum *sums,
                           struct ca_error *error);

/* CA_OK, or CA_CUDA_FAILED with `what` (a call or kernel), the device and the reason. */
enum ca_status cuda_check(const struct cuda *cuda, cudaError_t result, const char *what,
                          struct ca_error *error);
#define CUDA_TRY(cuda, call, error) CA_TRY(cuda_check(cuda, call, #call, error))

/* In plan: *pointer, which stays where it is, will point at so many zeroed bytes on the device. */
template <class T> static inline void cuda_want(struct cuda *cuda, T **pointer, int64_t count)
{
    cuda->want[cuda->wants].pointer = (void **)pointer;
    cuda->want[cuda->wants++].bytes = (size_t)count * sizeof(T);
}

/* Threads of a block as the option `block` says. */
dim3 cuda_block(const struct cuda *cuda);

/*
 * Blocks that cover so many cells. y and z are at most 65,535: kernels walk on from there, by
 *     for (int64_t y = ...; y < h; y += (int64_t)gridDim.y * blockDim.y)
 */
dim3 cuda_grid(int64_t x, int64_t y, int64_t z, dim3 block);
static inline dim3 cuda_grid_of(struct ca_size size, dim3 block)
{
    return cuda_grid(size.w, size.h, size.d, block);
}
/* Blocks of 256 threads for a loop over `count` items that strides over the whole grid. */
dim3 cuda_line(int64_t count);

/* What a launch of the kernel is about; `shared` bytes beyond 48 KB are asked for. */
template <class... Params>
static enum ca_status cuda_configure(struct cuda *cuda, const char *name, void (*kernel)(Params...),
                                     dim3 grid, dim3 block, size_t shared,
                                     cudaLaunchConfig_t *config, struct ca_error *error)
{
    *config = {};
    config->gridDim = grid;
    config->blockDim = block;
    config->dynamicSmemBytes = shared;
    config->stream = cuda->stream;
    if (shared > 48 * 1024)
        CA_TRY(cuda_check(cuda,
                          cudaFuncSetAttribute((const void *)kernel,
                                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               (int)shared),
                          name, error));
    return CA_OK;
}

/* Launches on the instance's stream. */
template <class... Params, class... Args>
static enum ca_status cuda_launch(struct cuda *cuda, const char *name, void (*kernel)(Params...),
                                  dim3 grid, dim3 block, size_t shared, struct ca_error *error,
                                  Args... args)
{
    cudaLaunchConfig_t config;

    CA_TRY(cuda_configure(cuda, name, kernel, grid, block, shared, &config, error));
    return cuda_check(cuda, cudaLaunchKernelEx(&config, kernel, (Params)args...), name, error);
}

static inline cudaLaunchAttribute cuda_cluster_of(unsigned blocks)
{
    cudaLaunchAttribute cluster = {};

    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    return cluster;
}

/* Whether the device has room for a cluster of so many blocks, and the kernel was compiled for one
 * (compute capability 9.0). Must come before the launch: asks for more than 8 blocks. */
template <class... Params>
static enum ca_status cuda_cluster_runs(struct cuda *cuda, const char *name,
                                        void (*kernel)(Params...), unsigned blocks, dim3 block,
                                        size_t shared, bool *runs, struct ca_error *error)
{
    cudaLaunchAttribute cluster = cuda_cluster_of(blocks);
    struct cudaFuncAttributes facts;
    struct ca_cuda_device device;
    cudaLaunchConfig_t config;
    int count = 0;

    *runs = false;
    CA_TRY(ca_cuda_device(cuda->device, &device, error));
    CA_TRY(cuda_check(cuda, cudaFuncGetAttributes(&facts, (const void *)kernel), name, error));
    if (device.major < 9 || facts.ptxVersion < 90 || shared > (size_t)device.shared_bytes)
        return CA_OK;
    CA_TRY(cuda_configure(cuda, name, kernel, dim3(blocks), block, shared, &config, error));
    config.attrs = &cluster;
    config.numAttrs = 1;
    if (cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeNonPortableClusterSizeAllowed,
                             1) == cudaSuccess &&
        cudaOccupancyMaxActiveClusters(&count, (const void *)kernel, &config) == cudaSuccess)
        *runs = count > 0;
    cudaGetLastError(); /* a refusal is the answer */
    return CA_OK;
}

/* Launches one cluster. */
template <class... Params, class... Args>
static enum ca_status cuda_launch_cluster(struct cuda *cuda, const char *name,
                                          void (*kernel)(Params...), unsigned blocks, dim3 block,
                                          size_t shared, struct ca_error *error, Args... args)
{
    cudaLaunchAttribute cluster = cuda_cluster_of(blocks);
    cudaLaunchConfig_t config;

    CA_TRY(cuda_configure(cuda, name, kernel, dim3(blocks), block, shared, &config, error));
    config.attrs = &cluster;
    config.numAttrs = 1;
    return cuda_check(cuda, cudaLaunchKernelEx(&config, kernel, (Params)args...), name, error);
}

/*
 * Between these two a step copies between host and device; their time counts as transfer, apart
 * from the kernels' time.
 */
enum ca_status cuda_transfer_begin(struct cuda *cuda, double *since, struct ca_error *error);
enum ca_status cuda_transfer_end(struct cuda *cuda, double since, struct ca_error *error);

/* --- layouts of cells ------------------------------------------------------------------------ */

/*
 * For a layout that can say and set each cell's value, load, store and gather come from here. It is
 * a struct passed to kernels by value, with
 *
 *     typedef uint8_t value;                                     or float
 *     static layout of(const struct cuda *cuda);                 as the state stands now
 *     __device__ value get(int plane, int64_t x, int64_t row) const;
 *     __device__ void put(int plane, int64_t x, int64_t row, value v) const;
 *
 * Row is z * H + y within the slab. Each thread puts other cells, and planes are put one after the
 * other; cells that share a byte or word must be put by atomics.
 */
template <class Layout>
__global__ void cuda_put_cells(Layout layout, int plane, const typename Layout::value *cells,
                               int64_t w, int64_t first, int64_t count)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        layout.put(plane, i % w, first + i / w, cells[i]);
}

template <class Layout>
__global__ void cuda_get_cells(Layout layout, int plane, typename Layout::value *cells, int64_t w,
                               int64_t first, int64_t count)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        cells[i] = layout.get(plane, i % w, first + i / w);
}

template <class Layout>
__global__ void cuda_gather_cells(Layout layout, int plane, struct ca_gather_points places,
                                  typename Layout::value *cells)
{
    int64_t count = places.columns * places.count;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        cells[i] = layout.get(plane, places.x[i % places.columns], places.row[i / places.columns]);
}

template <class Layout> struct cuda_cells {
    typedef typename Layout::value value;

    static enum ca_status load(struct cuda *cuda, void *const planes[], int64_t first, int64_t rows,
                               struct ca_error *error)
    {
        int64_t count = rows * cuda->size.w;

        for (int p = 0; p < cuda->setup.model->planes; p++)
            CA_TRY(cuda_launch(cuda, "load", cuda_put_cells<Layout>, cuda_line(count), dim3(256), 0,
                               error, Layout::of(cuda), p, (const value *)planes[p], cuda->size.w,
                               first, count));
        return CA_OK;
    }

    static enum ca_status store(struct cuda *cuda, void *const planes[], int64_t first,
                                int64_t rows, struct ca_error *error)
    {
        int64_t count = rows * cuda->size.w;

        for (int p = 0; p < cuda->setup.model->planes; p++)
            CA_TRY(cuda_launch(cuda, "store", cuda_get_cells<Layout>, cuda_line(count), dim3(256),
                               0, error, Layout::of(cuda), p, (value *)planes[p], cuda->size.w,
                               first, count));
        return CA_OK;
    }

    static enum ca_status gather(struct cuda *cuda, const struct ca_gather_points *places,
                                 void *const planes[], struct ca_error *error)
    {
        int64_t count = places->columns * places->count;

        for (int p = 0; p < cuda->setup.model->planes; p++)
            CA_TRY(cuda_launch(cuda, "gather", cuda_gather_cells<Layout>, cuda_line(count),
                               dim3(256), 0, error, Layout::of(cuda), p, *places,
                               (value *)planes[p]));
        return CA_OK;
    }
};

/* The three of them in a rule. */
#define CUDA_CELLS(Layout)                                                                         \
    .load = cuda_cells<Layout>::load, .store = cuda_cells<Layout>::store,                          \
    .gather = cuda_cells<Layout>::gather

/* --- slabs ----------------------------------------------------------------------------------- */

/* Facts of a slab that kernels take by value; see kernels/cpu/byte_stepper.h. */
struct cuda_slab {
    int64_t origin, size; /* of the outermost dimension: first global layer, whole extent */
    bool torus;           /* the slab is whole and its outermost dimension closed */
};

struct cuda_slab cuda_slab_of(const struct cuda *cuda);

/* Layer i of the slab in coordinates of the whole lattice, for draws and row parity. */
static __host__ __device__ __forceinline__ int64_t cuda_global(struct cuda_slab slab, int64_t i)
{
    int64_t layer = slab.origin + i;

    if (layer < 0)
        return layer + slab.size;
    while (layer >= slab.size) /* once at most, but for ghosts of tiny lattices: no division */
        layer -= slab.size;
    return layer;
}

#endif
