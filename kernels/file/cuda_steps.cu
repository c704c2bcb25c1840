// SPDX-License-Identifier: MIT
/*
 * Backends cuda-naive and cuda-shared of a model in a file: the kernels of calab_model_gpu.h, which
 * the plan compiles for the device and loads, and the state that they step.
 *
 * The state is two copies of the planes with a border of ghosts on all sides. A row begins 32 cells
 * before its first one, so that a warp's cells are whole sectors of memory:
 *
 *     | unused | R | lattice ... | R | unused |     a row, of a multiple of 32 cells
 *
 * A thread steps a strip of four cells, and reads whole strips around it. Those of a row's ends
 * reach into what is unused, which is 0.
 *
 * A generation is two launches: ghosts are filled, and cells are stepped. Where all edges are dead
 * the ghosts stay 0 as they were made, and one is enough.
 */
#include <pthread.h>
#include <stdlib.h>

#define CA_ENGINE
#include "kernels/cuda/access_floats.cuh"
#include "kernels/file/calab_model_gpu.h"
#include "kernels/file/cuda_model.h"
#include "kernels/file/rungs.h"

#define ROW_CELLS 32
#define LINE 256 /* threads of a block that fills ghosts */

typedef void file_kernel(struct ca_gpu_job job);

struct file_cuda {
    char *now, *next;
    struct ca_gpu_fault *fault;
    int64_t row, layer, plane; /* cells from one to the next */
    int64_t first;             /* of cell (0, 0, 0) */
    size_t cell_bytes;
    bool fills; /* ghosts do not stay as they are */
    file_kernel *step, *edges;
    const char *name;
    struct ca_gpu_job job; /* but for what differs between launches */
};

/* --- kernels that are loaded ------------------------------------------------------------------ */

/* What is loaded stays: of each model and compute capability once. */
struct loaded {
    const struct ca_model *model;
    int capability;
    file_kernel *kernel[FILE_CUDA_RUNGS], *edges;
    struct loaded *next;
};

static struct {
    pthread_mutex_t mutex;
    struct loaded *first;
} all_loaded = {PTHREAD_MUTEX_INITIALIZER, NULL};

static enum ca_status get_kernel(struct cuda *cuda, cudaLibrary_t library, const char *name,
                                 file_kernel **kernel, struct ca_error *error)
{
    cudaKernel_t found;

    CUDA_TRY(cuda, cudaLibraryGetKernel(&found, library, name), error);
    *kernel = (file_kernel *)found;
    return CA_OK;
}

static enum ca_status load_path(struct cuda *cuda, const char *path, struct loaded *loaded,
                                struct ca_error *error)
{
#if CUDART_VERSION < 12080
    return ca_fail(error, CA_NO_DEVICE,
                   "%s: a GPU's code is loaded by CUDA 12.8 or later, and this "
                   "calab is built with an older one",
                   loaded->model->name);
#else
    cudaLibrary_t library;

    CUDA_TRY(cuda, cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), error);
    CA_TRY(get_kernel(cuda, library, "ca_gpu_naive", &loaded->kernel[FILE_CUDA_NAIVE], error));
    CA_TRY(get_kernel(cuda, library, "ca_gpu_shared", &loaded->kernel[FILE_CUDA_SHARED], error));
    return get_kernel(cuda, library, "ca_gpu_edges", &loaded->edges, error);
#endif
}

static enum ca_status load_model(struct cuda *cuda, struct loaded *loaded, struct ca_error *error)
{
    struct file_gpu_object object;
    enum ca_status status;

    CA_TRY(file_gpu_open(&object, loaded->model, COMPILE_EMULATOR_HERE, loaded->capability, error));
    status = load_path(cuda, object.path, loaded, error);
    file_gpu_close(&object);
    return status;
}

static enum ca_status find_loaded(struct cuda *cuda, const struct loaded **found,
                                  struct ca_error *error)
{
    int capability = 10 * cuda->facts.major + cuda->facts.minor;
    struct loaded *loaded = all_loaded.first;

    while (loaded && (loaded->model != cuda->setup.model || loaded->capability != capability))
        loaded = loaded->next;
    *found = loaded;
    if (loaded)
        return CA_OK;
    loaded = (struct loaded *)calloc(1, sizeof *loaded);
    if (!loaded)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the kernels of %s",
                       cuda->setup.model->name);
    loaded->model = cuda->setup.model;
    loaded->capability = capability;
    if (enum ca_status status = load_model(cuda, loaded, error)) {
        free(loaded);
        return status;
    }
    loaded->next = all_loaded.first;
    all_loaded.first = loaded;
    *found = loaded;
    return CA_OK;
}

static enum ca_status load_kernels(struct cuda *cuda, int rung, struct ca_error *error)
{
    struct file_cuda *state = (struct file_cuda *)cuda->state;
    const struct loaded *loaded;
    enum ca_status status;

    pthread_mutex_lock(&all_loaded.mutex);
    status = find_loaded(cuda, &loaded, error);
    pthread_mutex_unlock(&all_loaded.mutex);
    CA_TRY(status);
    state->step = loaded->kernel[rung];
    state->edges = loaded->edges;
    return CA_OK;
}

/* --- plan ------------------------------------------------------------------------------------- */

static int64_t whole(int64_t cells, int64_t unit) { return (cells + unit - 1) / unit * unit; }

/* Of so many rows and layers, a thread a strip. */
static dim3 grid_of(const struct cuda *cuda, int64_t h, int64_t d, dim3 block)
{
    return cuda_grid(whole(cuda->size.w, CA_STRIP) / CA_STRIP, h, d, block);
}

/* Bytes of the tile for a block's strips, with what is read around them. */
static size_t tile_bytes(const struct cuda *cuda, const struct ca_model_description *d, dim3 block)
{
    const struct file_cuda *state = (const struct file_cuda *)cuda->state;
    int64_t r = d->reach, beside = d->dimensions == 3 ? r : 0;
    int64_t cells = (CA_STRIP * block.x + 2 * whole(r, CA_STRIP)) * (block.y + 2 * r);

    return (size_t)(cells * (block.z + 2 * beside) * d->planes) * state->cell_bytes;
}

static void lay_out(struct cuda *cuda, const struct ca_model_description *d)
{
    struct file_cuda *state = (struct file_cuda *)cuda->state;
    int64_t r = d->reach, beside = d->dimensions == 3 ? r : 0;

    state->cell_bytes = ca_type_bytes(cuda->setup.model->type);
    state->row = ROW_CELLS + whole(cuda->size.w, CA_STRIP) + whole(r, CA_STRIP);
    state->row = whole(state->row, ROW_CELLS);
    state->layer = state->row * (cuda->size.h + 2 * r);
    state->plane = state->layer * (cuda->size.d + 2 * beside);
    state->first = beside * state->layer + r * state->row + ROW_CELLS;
    cuda_reserve(cuda, &state->now, state->plane * d->planes * (int64_t)state->cell_bytes);
    cuda_reserve_passing(cuda, &state->next, state->plane * d->planes * (int64_t)state->cell_bytes);
    cuda_reserve_passing(cuda, &state->fault, 1);
}

static void describe_launch(struct cuda *cuda, const struct ca_model_description *d)
{
    struct file_cuda *state = (struct file_cuda *)cuda->state;
    struct ca_size size = cuda->setup.size;
    struct cuda_slab slab = cuda_slab_of(cuda);
    struct ca_gpu_job *job = &state->job;

    job->row = state->row, job->layer = state->layer, job->plane = state->plane;
    job->width = (uint32_t)size.w, job->height = (uint32_t)size.h, job->depth = (uint32_t)size.d;
    for (int axis = 0; axis < 3; axis++)
        job->edge[axis] = d->edge[axis];
    if (!slab.torus && job->edge[d->dimensions - 1] == CA_TORUS)
        job->edge[d->dimensions - 1] = CA_DEAD; /* what lies there is unknown */
    for (int axis = 0; axis < d->dimensions; axis++)
        state->fills |= job->edge[axis] != CA_DEAD;
    file_values(&cuda->setup, &job->values);
}

static enum ca_status plan_tile(struct cuda *cuda, const struct ca_model_description *d, dim3 block,
                                size_t *shared, struct ca_error *error)
{
    *shared = tile_bytes(cuda, d, block);
    if (*shared > (size_t)cuda->facts.shared_bytes)
        return ca_fail(error, CA_USAGE,
                       "%s: a tile for blocks of %s takes %zu bytes of shared memory, at most "
                       "%lld are allowed",
                       cuda->setup.model->name, ca_text(&cuda->setup.options, "block"), *shared,
                       (long long)cuda->facts.shared_bytes);
    cuda_plan_variant(cuda, "tile of %lldx%lld%s cells",
                      (long long)(CA_STRIP * block.x + 2 * whole(d->reach, CA_STRIP)),
                      (long long)(block.y + 2 * d->reach), d->dimensions == 3 ? "xN" : "");
    return CA_OK;
}

static enum ca_status file_plan(struct cuda *cuda, int rung, struct ca_error *error)
{
    struct file_cuda *state = (struct file_cuda *)cuda->state;
    const struct ca_model_description *d = file_description(cuda->setup.model);
    dim3 block = cuda_block(cuda);
    size_t shared = 0;

    CA_TRY(load_kernels(cuda, rung, error));
    lay_out(cuda, d);
    describe_launch(cuda, d);
    state->name = rung == FILE_CUDA_SHARED ? "ca_gpu_shared" : "ca_gpu_naive";
    if (rung == FILE_CUDA_SHARED)
        CA_TRY(plan_tile(cuda, d, block, &shared, error));
    else
        cuda_plan_variant(cuda, "%d cells a thread", CA_STRIP);
    cuda_plan_launch(cuda, grid_of(cuda, cuda->size.h, cuda->size.d, block), block, shared);
    return CA_OK;
}

static enum ca_status naive_plan(struct cuda *cuda, struct ca_error *error)
{
    return file_plan(cuda, FILE_CUDA_NAIVE, error);
}

static enum ca_status shared_plan(struct cuda *cuda, struct ca_error *error)
{
    return file_plan(cuda, FILE_CUDA_SHARED, error);
}

/* --- steps ------------------------------------------------------------------------------------ */

static enum ca_status fill_edges(struct cuda *cuda, struct ca_gpu_job job, struct ca_error *error)
{
    const struct file_cuda *state = (const struct file_cuda *)cuda->state;
    int64_t r = file_description(cuda->setup.model)->reach;
    bool flat = cuda->setup.model->dimensions == 2;
    int64_t w = cuda->size.w + 2 * r, h = cuda->size.h, layers = cuda->size.d + (flat ? 0 : 2 * r);
    /* The ghosts of a layer; whole layers of them are gone through in several turns. */
    int64_t blocks = (2 * r * (w + h) + LINE - 1) / LINE;
    dim3 grid((unsigned)(blocks < 65536 ? blocks : 65536),
              (unsigned)(layers < 65535 ? layers : 65535));

    job.now = job.next = state->now + state->first * (int64_t)state->cell_bytes;
    job.w = (uint32_t)cuda->size.w, job.h = (uint32_t)h, job.d = (uint32_t)cuda->size.d;
    return cuda_launch(cuda, "ca_gpu_edges", state->edges, grid, dim3(LINE), 0, error, job);
}

/* The layers of a slab that are its own begin at `own`. */
static void place_launch(const struct cuda *cuda, struct ca_gpu_job *job, int64_t y, int64_t z)
{
    const struct file_cuda *state = (const struct file_cuda *)cuda->state;
    const struct ca_slab *slab = &cuda->setup.slab;
    struct cuda_slab whole = cuda_slab_of(cuda);
    bool flat = cuda->setup.model->dimensions == 2;
    int64_t origin = (whole.origin % whole.size + whole.size) % whole.size;
    int64_t at = (state->first + z * state->layer + y * state->row) * (int64_t)state->cell_bytes;
    int64_t from = slab->ghost_low - (flat ? y : z);

    job->now = state->now + at;
    job->next = state->next + at;
    job->y = (uint32_t)((flat ? origin : 0) + y);
    job->z = (uint32_t)((flat ? 0 : origin) + z);
    job->own = (int32_t)from;
    job->own_end = (int32_t)(slab->extent - slab->ghost_high - (flat ? y : z));
}

/* A grid has at most 65,535 blocks along y and z. */
static enum ca_status file_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    const struct file_cuda *state = (const struct file_cuda *)cuda->state;
    struct ca_gpu_job job = state->job;
    dim3 block = cuda_planned_block(cuda);
    int64_t rows = (int64_t)65535 * block.y, layers = (int64_t)65535 * block.z;

    (void)n; /* always one */
    job.t = (uint32_t)t;
    job.fault = state->fault;
    if (state->fills)
        CA_TRY(fill_edges(cuda, job, error));
    for (int64_t z = 0; z < cuda->size.d; z += layers)
        for (int64_t y = 0; y < cuda->size.h; y += rows) {
            int64_t h = cuda->size.h - y < rows ? cuda->size.h - y : rows;
            int64_t d = cuda->size.d - z < layers ? cuda->size.d - z : layers;

            place_launch(cuda, &job, y, z);
            job.w = (uint32_t)cuda->size.w, job.h = (uint32_t)h, job.d = (uint32_t)d;
            CA_TRY(cuda_launch(cuda, state->name, state->step, grid_of(cuda, h, d, block), block,
                               (size_t)cuda->plan.shared_bytes, error, job));
        }
    return CA_OK;
}

static void file_swap(struct cuda *cuda)
{
    struct file_cuda *state = (struct file_cuda *)cuda->state;
    char *now = state->now;

    state->now = state->next;
    state->next = now;
}

/* A state that there is not must not reach what looks states up in tables. It is told once. */
static enum ca_status file_finish(struct cuda *cuda, struct ca_error *error)
{
    const struct file_cuda *state = (const struct file_cuda *)cuda->state;
    struct ca_gpu_fault fault, none = {};

    CUDA_TRY(
        cuda,
        cudaMemcpyAsync(&fault, state->fault, sizeof fault, cudaMemcpyDeviceToHost, cuda->stream),
        error);
    CUDA_TRY(cuda, cudaStreamSynchronize(cuda->stream), error);
    if (!fault.found)
        return CA_OK;
    CUDA_TRY(
        cuda,
        cudaMemcpyAsync(state->fault, &none, sizeof none, cudaMemcpyHostToDevice, cuda->stream),
        error);
    CUDA_TRY(cuda, cudaStreamSynchronize(cuda->stream), error);
    return file_gpu_wrong(cuda->setup.model, &fault, error);
}

/* --- cells in and out ------------------------------------------------------------------------- */

/* A plane's cells: `Value` is uint8_t or float. */
template <class Value> struct file_cells {
    typedef Value value;

    Value *cells;
    int64_t row, layer, plane, h;

    static file_cells of(const struct cuda *cuda)
    {
        const struct file_cuda *state = (const struct file_cuda *)cuda->state;

        return {(Value *)state->now + state->first, state->row, state->layer, state->plane,
                cuda->size.h};
    }
    __device__ int64_t at(int p, int64_t x, int64_t row_of_slab) const
    {
        int64_t z = row_of_slab < h ? 0 : layout_quotient(row_of_slab, h);

        return p * plane + z * layer + (row_of_slab - z * h) * row + x;
    }
    __device__ Value get(int p, int64_t x, int64_t row_of_slab) const
    {
        return cells[at(p, x, row_of_slab)];
    }
    __device__ void put(int p, int64_t x, int64_t row_of_slab, Value v) const
    {
        cells[at(p, x, row_of_slab)] = v;
    }
};

/* A state of so many bits. */
template <int COUNT> struct file_states : file_cells<uint8_t> {
    enum { PLANES = COUNT, BITS = COUNT };

    static file_states of(const struct cuda *cuda)
    {
        file_states states = {};

        static_cast<file_cells<uint8_t> &>(states) = file_cells<uint8_t>::of(cuda);
        return states;
    }
};

template <int COUNT> struct file_floats : file_cells<float> {
    enum { PLANES = COUNT };

    static file_floats of(const struct cuda *cuda)
    {
        file_floats floats = {};

        static_cast<file_cells<float> &>(floats) = file_cells<float>::of(cuda);
        return floats;
    }
};

/* How many cells have each state: a block's in shared memory. */
__global__ void __launch_bounds__(LAYOUT_THREADS)
    file_count_states(file_cells<uint8_t> layout, int64_t w, int64_t first, int64_t rows,
                      unsigned long long *cells)
{
    __shared__ uint32_t counts[CA_STATES_MAX];

    for (int i = (int)threadIdx.x; i < CA_STATES_MAX; i += LAYOUT_THREADS)
        counts[i] = 0;
    __syncthreads();
    layout_each(w, rows, [&](int64_t row, int64_t x) {
        atomicAdd(&counts[layout.get(0, x, first + row)], 1u);
    });
    __syncthreads();
    for (int i = (int)threadIdx.x; i < CA_STATES_MAX; i += LAYOUT_THREADS)
        if (counts[i])
            atomicAdd(&cells[i], (unsigned long long)counts[i]);
}

static enum ca_status count_states(struct cuda *cuda, int64_t first, int64_t rows,
                                   unsigned long long *cells, struct ca_error *error)
{
    return cuda_launch(cuda, "file_count_states", file_count_states,
                       cuda_resident_line(cuda, rows * cuda->size.w), dim3(LAYOUT_THREADS), 0,
                       error, file_cells<uint8_t>::of(cuda), cuda->size.w, first, rows, cells);
}

/* Sums of floats come by plane; observables are sums of planes in the order of the file. */
template <int COUNT> struct file_plane_sums {
    enum { SUMS = COUNT };

    static __device__ void add(const float values[COUNT], double sums[COUNT])
    {
#pragma unroll
        for (int p = 0; p < COUNT; p++)
            sums[p] += values[p];
    }
};

__global__ void file_order_sums(struct file_observed observed, struct ca_survey *total)
{
    double sums[CA_OBSERVABLES_MAX] = {};

    for (int i = 0; i < observed.count; i++)
        sums[i] = total->sums[observed.plane[i]];
    for (int i = 0; i < CA_OBSERVABLES_MAX; i++)
        total->sums[i] = sums[i];
}

template <int COUNT>
static enum ca_status survey_floats(struct cuda *cuda, unsigned parts, int64_t first, int64_t rows,
                                    struct ca_survey *total, struct ca_error *error)
{
    typedef layout_floats<file_floats<COUNT>, file_plane_sums<COUNT>, void> floats;

    CA_TRY(floats::survey(cuda, parts, first, rows, total, error));
    if (!(parts & CA_SURVEY_OBSERVABLES))
        return CA_OK;
    return cuda_launch(cuda, "file_order_sums", file_order_sums, dim3(1), dim3(1), 0, error,
                       file_observed_of(cuda->setup.model), total);
}

/* Starts are made by the host; halos travel as rows. */
#define FILE_STATES(bits)                                                                          \
    {                                                                                              \
        .load = layout_cells<file_states<8>>::load, .store = layout_cells<file_states<8>>::store,  \
        .gather = layout_cells<file_states<8>>::gather,                                            \
        .survey = layout_words<layout_words_of_cells<file_states<bits>>>::survey,                  \
        .states = count_states, .blocks = layout_blocks<layout_sums_of_cells<file_states<bits>>>   \
    }
#define FILE_FLOATS(planes)                                                                        \
    {                                                                                              \
        .load = layout_cells<file_floats<1>>::load, .store = layout_cells<file_floats<1>>::store,  \
        .gather = layout_cells<file_floats<1>>::gather, .survey = survey_floats<planes>,           \
        .blocks = layout_blocks<layout_sums_of_floats<file_floats<planes>>>                        \
    }
static const struct cuda_access states_access[] = {FILE_STATES(1), FILE_STATES(2), FILE_STATES(3),
                                                   FILE_STATES(4), FILE_STATES(5), FILE_STATES(6),
                                                   FILE_STATES(7), FILE_STATES(8)};
static const struct cuda_access floats_access[] = {FILE_FLOATS(1), FILE_FLOATS(2), FILE_FLOATS(3),
                                                   FILE_FLOATS(4)};

/* --- the rows of a ladder --------------------------------------------------------------------- */

#define FILE_OPS(its_plan, its_access, its_finish)                                                 \
    {                                                                                              \
        .state_size = sizeof(struct file_cuda), .plan = (its_plan), .access = &(its_access),       \
        .pass = file_pass, .swap = file_swap, .finish = (its_finish), .of_file = true              \
    }
#define FILE_RUNGS(its_access, its_finish)                                                         \
    {                                                                                              \
        FILE_OPS(naive_plan, its_access, its_finish),                                              \
            FILE_OPS(shared_plan, its_access, its_finish)                                          \
    }
static const struct cuda_ops states_ops[][FILE_CUDA_RUNGS] = {
    FILE_RUNGS(states_access[0], file_finish), FILE_RUNGS(states_access[1], file_finish),
    FILE_RUNGS(states_access[2], file_finish), FILE_RUNGS(states_access[3], file_finish),
    FILE_RUNGS(states_access[4], file_finish), FILE_RUNGS(states_access[5], file_finish),
    FILE_RUNGS(states_access[6], file_finish), FILE_RUNGS(states_access[7], file_finish)};
static const struct cuda_ops floats_ops[][FILE_CUDA_RUNGS] = {
    FILE_RUNGS(floats_access[0], NULL), FILE_RUNGS(floats_access[1], NULL),
    FILE_RUNGS(floats_access[2], NULL), FILE_RUNGS(floats_access[3], NULL)};

const struct cuda_ops *file_cuda_ops(int rung, int planes, int bits)
{
    return bits ? &states_ops[bits - 1][rung] : &floats_ops[planes - 1][rung];
}
