/* SPDX-License-Identifier: MIT */
/*
 * The CUDA stepper. It owns the device, one stream, the memory, transfers and clocks of an
 * instance; a backend adds its memory layout and its kernels (struct cuda_ops).
 *
 * Every CUDA call is checked: cuda_check turns a result into a status that names the call, the
 * device and CUDA's error text. Kernels are launched by cuda_launch, cuda_launch_early and
 * cuda_launch_cluster alone.
 * A backend's `plan` reserves memory by cuda_reserve, and the stepper allocates all of it
 * afterwards; so a lack of memory is reported with the total number of bytes, before the first
 * allocation.
 *
 * A fault in a kernel is sticky: CUDA refuses every later call of the process. The error then says
 * that the process has to be started again, with CA_CUDA_FAILED.
 */
#ifndef CALAB_KERNELS_CUDA_STEPPER_CUH
#define CALAB_KERNELS_CUDA_STEPPER_CUH

#include <cuda_runtime.h>

#include "core/model/field.h"
#include "core/model/survey.h"
#include "kernels/cuda/bound.h"
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/stepper.h"

/* Blocks whose sums are wanted, of rows first ... first + rows - 1 of the slab. */
struct cuda_blocks {
    struct ca_blocks blocks;
    int64_t first, rows;
    int64_t from, count;        /* blocks */
    int64_t chunks, chunk_rows; /* of a block, which are added up apart, and the rows of each */
    bool team;                  /* a warp takes a chunk, not a thread */
};

struct cuda;
/* Writes sums of blocks to `found`, which is on the device: those of chunk c of block job->from + i
 * at i * job->chunks + c, of 64-bit counts or, of an f32 model, doubles. */
typedef enum ca_status cuda_blocks_function(struct cuda *cuda, const struct cuda_blocks *job,
                                            void *found, struct ca_error *error);

/* Halos as they travel between instances: so many rows each, from row first[i] of the slab on, in
 * memory[i] on the device. */
struct cuda_halos {
    int count;
    int64_t rows, first[CA_HALOS_MAX];
    void *memory[CA_HALOS_MAX];
};

/*
 * How a state is laid out, by what follows from it: cells in and out, initial states, surveys and
 * sums of blocks. Made by kernels/cuda/access.cuh.
 */
struct cuda_access {
    /* Copy canonical rows between the state and planes[p], which are on the device and point at
     * the first of the rows. */
    enum ca_status (*load)(struct cuda *cuda, void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error);
    enum ca_status (*store)(struct cuda *cuda, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error);
    /*
     * Copy halos between the state and memory on the device in a form that only instances of the
     * backend know, and that takes row_bytes a row of all planes. NULL: canonical rows travel.
     */
    size_t (*row_bytes)(const struct cuda *cuda);
    enum ca_status (*pack)(struct cuda *cuda, struct cuda_halos halos, struct ca_error *error);
    enum ca_status (*unpack)(struct cuda *cuda, struct cuda_halos halos, struct ca_error *error);
    /* Copies the cells at `points` to the planes; the arrays of both are on the device. */
    enum ca_status (*gather)(struct cuda *cuda, const struct ca_gather_points *points,
                             void *const planes[], struct ca_error *error);
    /* Makes the start of cuda->setup; *made is false where the host must make it. */
    enum ca_status (*init)(struct cuda *cuda, bool *made, struct ca_error *error);
    /* Adds the survey of the rows to *total, which is on the device; CUDA_SURVEYS more behind it
     * are for the kernels' own use. */
    enum ca_status (*survey)(struct cuda *cuda, unsigned parts, int64_t first, int64_t rows,
                             struct ca_survey *total, struct ca_error *error);
    /* Adds to cells[v], on the device, how many cells of the rows have the value v; NULL in layouts
     * of models that count no values. */
    enum ca_status (*states)(struct cuda *cuda, int64_t first, int64_t rows,
                             unsigned long long *cells, struct ca_error *error);
    cuda_blocks_function *blocks,
        *neighbours; /* sums of blocks; neighbours: NULL in a model without */
    /*
     * If pack would copy rows as they are: plane[p] is the first row of the slab's p-th plane of
     * those that halos consist of, and rows lie one behind the other. Returns the number of these
     * planes, 0 where rows are not so. NULL: always 0.
     */
    int (*halo_planes)(const struct cuda *cuda, char *plane[CA_PLANES_MAX]);
};

struct cuda_ops {
    size_t state_size; /* bytes of the backend's private state, cuda->state, which starts zeroed */
    /* Reads the setup's options, fills cuda->state and cuda->plan, and reserves memory, but
     * allocates none. CA_USAGE with the numbers where the kernel cannot hold the setup. */
    enum ca_status (*plan)(struct cuda *cuda, struct ca_error *error);
    const struct cuda_access *access;
    /*
     * Launches a pass of n >= 1 generations from generation t on, at most plan.generations, or the
     * bands cuda->bands of it: from the present state to the next, which `swap` makes the present
     * one once all of the pass has been launched, or in place where there is no `swap`. What a pass
     * leaves alone stays as it was.
     */
    enum ca_status (*pass)(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);
    void (*swap)(struct cuda *cuda); /* NULL: passes are in place */
    /* The bands of a pass of n generations that stores the layers cuda->stored. NULL: a pass is
     * always launched whole, and stores all. */
    struct cuda_band_sizes (*bands)(const struct cuda *cuda, int n);
    /* The least seconds of a generation of such a pass, 0 where the kernel has none:
     * cuda_plan_period chooses by them. NULL: passes are as equal as can be. */
    double (*bound)(const struct cuda *cuda, int n);
    /* Allocate and free what the state has beyond reserved memory; both may be NULL. */
    enum ca_status (*start)(struct cuda *cuda, struct ca_error *error);
    void (*stop)(struct cuda *cuda);
    /* Called once all that was launched is done: CA_WRONG where the cells are. NULL: they never
     * are. */
    enum ca_status (*finish)(struct cuda *cuda, struct ca_error *error);
    /* The kernels have code of the model's file in them, which errors of the device then name. */
    bool of_file;
};

#define CUDA_SURVEYS 1024

#define CUDA_BUFFERS_MAX 16
#define CUDA_SPANS 32 /* steps that may be launched before the first of them is done */

/* Memory for rows that are on their way. */
struct cuda_slot {
    void *memory; /* NULL until it is used */
    size_t bytes;
    /* The rows are not there but still in these planes of the sender's state; 0: they are there. */
    int planes;
    const char *lent[CA_PLANES_MAX];
};

/* Whoever rows come from: an instance of this process, of which this is the first member, or one of
 * another process. */
struct cuda_sender {
    int device;   /* as this process counts */
    bool foreign; /* of another process: its memory is open on this one's device */
    bool shared;  /* its slots are open in another process */
    struct cuda_slot slots[CA_SLOTS];
    cudaEvent_t sent[CA_HALO_BUFFERS]; /* these slots are filled; NULL until then */
};

/*
 * The second stream of a slab, on which its ends are stepped, sent and received while the rest is
 * stepped on the first.
 */
struct cuda_edges {
    cudaStream_t stream; /* NULL: there is none, and everything is on the first */
    cudaEvent_t stepped; /* on this stream: the end bands of the last pass */
    cudaEvent_t joined;  /* on this stream: all of it; on the first: likewise */
    cudaEvent_t rest;    /* on the first stream: the pass before */
    bool received;       /* halos have come since the last step */
    bool own_ends;       /* the layers at the ends were last written on this stream */
    bool open;           /* the first stream has yet to wait for this one */
};

/*
 * The generations of the passes between two exchanges, from the last one back: the more of the
 * halos a pass stores, the fewer should be in it. Passes before these take as many as the first of
 * them.
 */
#define CUDA_PERIOD_PASSES 64
struct cuda_period {
    int count; /* 0: passes as equal as can be */
    int pass[CUDA_PERIOD_PASSES];
    int generations; /* of all of them */
};

/* The launches since the last finish, by which kernels/cuda/passes.cu sets the clock. */
struct cuda_timed {
    bool now;                     /* the launch that is being made is timed */
    uint64_t launches;            /* of a slab */
    uint64_t generations, others; /* of timed launches, whose spans took `seconds`, and of others */
    double seconds;
};

struct cuda {
    struct cuda_sender sent;
    const struct cuda_ops *ops;
    struct ca_setup setup;
    struct ca_size size; /* of the slab */
    void *state;         /* the backend's, of ops->state_size bytes */
    struct ca_plan plan; /* ops->plan fills variant, generations (1 by default), grid, block,
                          * cluster, shared_bytes and step_s; the stepper fills the rest */
    struct ca_cuda_device facts;
    bool early; /* kernels can be launched before the one before them is done */
    int device;
    uint64_t writes;           /* how often cells were written by anything but steps */
    cudaStream_t stream;       /* on which everything is launched, see kernels/cuda/passes.cu */
    struct cuda_layers stored; /* by the next pass: of halos what later ones read */
    struct cuda_bands bands;
    struct cuda_period period;
    struct cuda_edges edges;
    struct {
        void **pointer;
        size_t bytes;
        bool undefined; /* need not be zeroed */
        bool passing;   /* no part of the state between steps */
    } buffers[CUDA_BUFFERS_MAX];
    int buffer_count;
    void *staging; /* canonical rows or gathered cells in transfer */
    size_t staging_bytes;
    char *pinned;              /* two pieces of rows on the host; allocated by the first transfer */
    cudaEvent_t arrived[2];    /* the copy from or to each of them */
    struct ca_survey *surveys; /* 1 + CUDA_SURVEYS: see cuda_access.survey */
    void *kept; /* copies of the buffers that are the state, see ca_stepper.mark; NULL: none */
    struct cuda_slot inbox;   /* of what comes from other GPUs */
    uint64_t peers, readable; /* bit i: GPU i has been asked whether it is a peer; it is one */
    /* Launches between two events of a span, one after the other: how often that was done, and how
     * much of it the clock has counted. */
    struct {
        cudaEvent_t start, stop;
    } spans[CUDA_SPANS];
    uint64_t launched, counted;
    struct cuda_timed timed;
    struct ca_clock clock;
};

/* Defines a backend's operations: CUDA_OPS(life3d_cuda_shared) = {...}; */
#define CUDA_OPS(name)                                                                             \
    extern "C" const struct cuda_ops name;                                                         \
    const struct cuda_ops name

/*
 * Device memory for one view or the like: the staging memory, which no transfer uses meanwhile, so
 * that a lattice that fills the device needs no more. The staging memory of a small lattice may be
 * too small; then memory is allocated.
 */
struct cuda_scratch {
    char *memory;
    void *allocated; /* NULL where `memory` is the staging memory */
};

/*
 * kernels/cuda/passes.cu: the stepper's step, launch and finish. Whatever else an instance is asked
 * begins with cuda_enter, which makes its device the current one and its stream wait for what is
 * under way; send and receive begin with cuda_enter_edges, which gives the stream that they use and
 * keeps the other one from waiting.
 */
enum ca_status cuda_edges_create(struct cuda *cuda, struct ca_error *error);
void cuda_edges_destroy(struct cuda *cuda);
double cuda_hidden_s(struct cuda *cuda); /* see struct ca_plan */
/* The layers that the first pass after an exchange stores, of n generations. */
int64_t cuda_stored_layers(const struct cuda *cuda, int n);
int64_t cuda_halo(const struct cuda *cuda); /* layers at an end, 0 where none is a neighbour's */
/*
 * Called in ops->plan: chooses the passes that fit between two exchanges, of least ... most
 * generations each, by ops->bound, and returns the seconds of a generation, 0 where there is no
 * such pass. Of a whole lattice that is the best pass. Leaves in cuda->stored the layers of the
 * last pass, which is the longest.
 */
double cuda_plan_period(struct cuda *cuda, int least, int most, struct cuda_period *period);
enum ca_status cuda_enter(struct cuda *cuda, struct ca_error *error);
enum ca_status cuda_enter_edges(struct cuda *cuda, cudaStream_t *stream, struct ca_error *error);
enum ca_status cuda_launch_steps(void *self, uint64_t t, uint64_t n, uint64_t served,
                                 struct ca_error *error);
enum ca_status cuda_finish_steps(void *self, struct ca_error *error);
enum ca_status cuda_step(void *self, uint64_t t, uint64_t n, struct ca_error *error);

enum ca_status cuda_scratch_begin(struct cuda *cuda, struct cuda_scratch *scratch, size_t bytes,
                                  struct ca_error *error);
void cuda_scratch_end(struct cuda_scratch *scratch); /* also after a failure to begin */

/* kernels/cuda/blocks.cu: the stepper's blocks and neighbours. */
enum ca_status cuda_sum_blocks(void *self, const struct ca_blocks *blocks, int64_t first,
                               int64_t rows, double *sums, struct ca_error *error);
enum ca_status cuda_sum_neighbours(void *self, const struct ca_blocks *blocks, int64_t first,
                                   int64_t rows, double *neighbours, struct ca_error *error);

/* kernels/cuda/peers.cu: the stepper's send and receive, within a process and between two, on one
 * host and by messages; frees what they took. */
enum ca_status cuda_send(void *self, const struct ca_halo halos[], int count, int64_t rows,
                         struct ca_error *error);
enum ca_status cuda_receive(void *self, const struct ca_halo halos[], int count, int64_t rows,
                            struct ca_error *error);
enum ca_status cuda_share(void *self, int64_t rows, struct ca_shared_slots *slots,
                          struct ca_error *error);
enum ca_status cuda_attach(void *self, const struct ca_shared_slots *slots, void **from,
                           struct ca_error *error);
void cuda_detach(void *self, void *from);
enum ca_status cuda_fetch(void *self, int slot, void *bytes, size_t count, struct ca_error *error);
enum ca_status cuda_deliver(void *self, int64_t first, int64_t rows, const void *bytes,
                            struct ca_error *error);
void *cuda_take_host(size_t count);
void cuda_free_host(void *memory);
void cuda_peers_free(struct cuda *cuda);

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

/* Called in ops->plan: *pointer will point at `count` zeroed elements on the device. The pointer
 * itself must not move. */
template <class T> static inline void cuda_reserve(struct cuda *cuda, T **pointer, int64_t count)
{
    cuda->buffers[cuda->buffer_count].pointer = (void **)pointer;
    cuda->buffers[cuda->buffer_count++].bytes = (size_t)count * sizeof(T);
}

/* The same for what is no part of the state, and not kept with it: what steps write before they
 * read it, such as the next generation, and tables that the first of them fills. */
template <class T>
static inline void cuda_reserve_passing(struct cuda *cuda, T **pointer, int64_t count)
{
    cuda_reserve(cuda, pointer, count);
    cuda->buffers[cuda->buffer_count - 1].passing = true;
}

/* Called in ops->plan: the launch of the kernel that most generations go through, without a
 * cluster; the plan's text; and the operations of so many cell updates, by the backend's row. */
void cuda_plan_launch(struct cuda *cuda, dim3 grid, dim3 block, size_t shared_bytes);
static inline dim3 cuda_planned_grid(const struct cuda *cuda)
{
    return dim3(cuda->plan.grid[0], cuda->plan.grid[1], cuda->plan.grid[2]);
}
static inline dim3 cuda_planned_block(const struct cuda *cuda)
{
    return dim3(cuda->plan.block[0], cuda->plan.block[1], cuda->plan.block[2]);
}
__attribute__((format(printf, 2, 3))) void cuda_plan_variant(struct cuda *cuda, const char *format,
                                                             ...);
static inline double cuda_ops_of(const struct cuda *cuda, double cells)
{
    return cells * cuda->setup.backend->ops_per_cell_step;
}

/* The block shape that the option `block` gives. */
dim3 cuda_block(const struct cuda *cuda);

/*
 * The grid whose blocks cover so many cells. y and z are at most 65,535 blocks, so kernels use
 * grid-stride loops there:
 *     for (int64_t y = ...; y < h; y += (int64_t)gridDim.y * blockDim.y)
 */
dim3 cuda_grid(int64_t x, int64_t y, int64_t z, dim3 block);
static inline dim3 cuda_grid_of(struct ca_size size, dim3 block)
{
    return cuda_grid(size.w, size.h, size.d, block);
}
/* Blocks of 256 threads for a loop over `count` items that strides over the whole grid; and as many
 * as are resident at once, where each block has a result. */
dim3 cuda_line(int64_t count);
dim3 cuda_resident_line(const struct cuda *cuda, int64_t count);
/* The same of blocks of CUDA_SMALL_BLOCK threads, which find room beside those of a pass. */
#define CUDA_SMALL_BLOCK 64
dim3 cuda_small_line(const struct cuda *cuda, int64_t count);

/* Fills a launch configuration; a kernel must opt in to more than 48 KB of shared memory. */
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

/* The same of a kernel that begins with cuda_begin_early. Passes that are launched in parts, on two
 * streams, are too long to win anything. */
template <class... Params, class... Args>
static enum ca_status cuda_launch_early(struct cuda *cuda, const char *name,
                                        void (*kernel)(Params...), dim3 grid, dim3 block,
                                        size_t shared, struct ca_error *error, Args... args)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config;

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    CA_TRY(cuda_configure(cuda, name, kernel, grid, block, shared, &config, error));
    config.attrs = &early;
    config.numAttrs = cuda->early && !cuda->edges.stream ? 1 : 0;
    return cuda_check(cuda, cudaLaunchKernelEx(&config, kernel, (Params)args...), name, error);
}

/*
 * The dynamic shared memory with which a multiprocessor has no room for a second block, beside
 * `bytes` of each. Where a launch has no more blocks than there are multiprocessors, blocks that
 * are launched early would go in pairs to those that had none before.
 */
static inline size_t cuda_shared_alone(const struct cuda *cuda, size_t bytes)
{
    size_t half = (size_t)cuda->facts.shared_bytes / 2;

    return cuda->early && half > bytes ? half - bytes : 0;
}

static inline cudaLaunchAttribute cuda_cluster_of(unsigned blocks)
{
    cudaLaunchAttribute cluster = {};

    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    return cluster;
}

/* A kernel's occupancy on a device, by the driver. */
struct cuda_occupancy {
    int device, threads; /* of a block */
    const void *kernel;
    size_t shared;    /* bytes of dynamic shared memory a block */
    unsigned cluster; /* blocks of a cluster, 0: `count` is of single blocks */
    int count;        /* blocks a multiprocessor or clusters of the device that run at once */
};

/* Fills `count` from what this process has asked before; false: it must be asked, and kept. */
bool cuda_occupancy_known(struct cuda_occupancy *occupancy);
void cuda_occupancy_keep(const struct cuda_occupancy *occupancy);

/* The blocks of a kernel that a multiprocessor holds at once, at least 1. */
enum ca_status cuda_resident_blocks(struct cuda *cuda, const void *kernel, int threads,
                                    size_t shared, int *resident, struct ca_error *error);

/* *runs says whether the device can run a cluster of so many blocks and the kernel was compiled for
 * clusters (compute capability 9.0). It must be called before the launch, because it opts in to
 * clusters of more than 8 blocks. */
template <class... Params>
static enum ca_status cuda_cluster_runs(struct cuda *cuda, const char *name,
                                        void (*kernel)(Params...), unsigned blocks, dim3 block,
                                        size_t shared, bool *runs, struct ca_error *error)
{
    struct cuda_occupancy clusters = {
        cuda->device, (int)(block.x * block.y * block.z), (const void *)kernel, shared, blocks, 0};
    cudaLaunchAttribute cluster = cuda_cluster_of(blocks);
    struct cudaFuncAttributes facts;
    cudaLaunchConfig_t config;

    if (!cuda_occupancy_known(&clusters)) {
        CA_TRY(cuda_check(cuda, cudaFuncGetAttributes(&facts, (const void *)kernel), name, error));
        if (cuda->facts.major >= 9 && facts.ptxVersion >= 90 &&
            shared <= (size_t)cuda->facts.shared_bytes) {
            CA_TRY(cuda_configure(cuda, name, kernel, dim3(blocks), block, shared, &config, error));
            config.attrs = &cluster;
            config.numAttrs = 1;
            if (cudaFuncSetAttribute((const void *)kernel,
                                     cudaFuncAttributeNonPortableClusterSizeAllowed,
                                     1) != cudaSuccess ||
                cudaOccupancyMaxActiveClusters(&clusters.count, (const void *)kernel, &config) !=
                    cudaSuccess)
                clusters.count = 0;
            cudaGetLastError(); /* a refused call: the cluster does not run; clear its error */
        }
        cuda_occupancy_keep(&clusters);
    }
    *runs = clusters.count > 0;
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
 * A step that copies between host and device does so between these two calls; the time between
 * them counts as transfer time, not as kernel time.
 */
enum ca_status cuda_transfer_begin(struct cuda *cuda, double *since, struct ca_error *error);
enum ca_status cuda_transfer_end(struct cuda *cuda, double since, struct ca_error *error);

/* --- slabs ----------------------------------------------------------------------------------- */

/* The slab's position in the lattice, which kernels take by value. */
struct cuda_slab {
    int64_t origin, size; /* of the outermost dimension: first global layer, whole extent */
    bool torus; /* the slab is the whole lattice and its outermost dimension is periodic */
};

struct cuda_slab cuda_slab_of(const struct cuda *cuda);

/* Layer i of the slab in coordinates of the whole lattice, for draws and row parity. */
static __host__ __device__ __forceinline__ int64_t cuda_global(struct cuda_slab slab, int64_t i)
{
    int64_t layer = slab.origin + i;

    if (layer < 0)
        return layer + slab.size;
    while (layer >= slab.size) /* more than once only for the halo of tiny lattices: no division */
        layer -= slab.size;
    return layer;
}

#endif
