/* SPDX-License-Identifier: MIT */
/* The CUDA stepper owns an instance's device, memory, transfers and clocks. It must not know any
 * model or layout. */
#include "kernels/cuda/stepper.cuh"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of all planes; at least one row fits in any case. Pinned memory is slow to allocate and
 * a copy of a piece takes far longer than to start one. */
#define STAGING_BYTES ((int64_t)32 << 20)
#define PIECE_BYTES ((int64_t)4 << 20)

/* Writes what failed, behind FILE:LINE of cell() where the kernels are those of a model's file. */
static void describe_failed(const struct cuda *cuda, const char *what, char text[700])
{
    const struct ca_model *model = cuda->setup.model;
    char place[CA_TEXT_MAX] = "";

    if (cuda->ops && cuda->ops->of_file)
        model->source->place(model, NULL, place);
    snprintf(text, 700, "%.200s%s%.400s", place, place[0] ? ": " : "", what);
}

enum ca_status cuda_check(const struct cuda *cuda, cudaError_t result, const char *what,
                          struct ca_error *error)
{
    char failed[700];

    if (result == cudaSuccess)
        return CA_OK;
    cudaGetLastError();
    describe_failed(cuda, what, failed);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return ca_fail(error, CA_CUDA_FAILED,
                       "GPU %d is lost to this process: %s: %s (%s); start it again", cuda->device,
                       failed, cudaGetErrorString(result), cudaGetErrorName(result));
    return ca_fail(error, CA_CUDA_FAILED, "GPU %d: %s: %s (%s)", cuda->device, failed,
                   cudaGetErrorString(result), cudaGetErrorName(result));
}

/* --- launches and plans ---------------------------------------------------------------------- */

dim3 cuda_block(const struct cuda *cuda)
{
    const char *shape = ca_text(&cuda->setup.options, "block");
    unsigned x = 1, y = 1, z = 1;

    sscanf(shape, "%ux%ux%u", &x, &y, &z);
    return dim3(x, y, z);
}

/* Plans ask for the same few kernels again and again: at each start, swap and list. */
static struct {
    pthread_mutex_t mutex;
    struct cuda_occupancy row[256];
    int count;
} occupancies = {PTHREAD_MUTEX_INITIALIZER, {}, 0};

bool cuda_occupancy_known(struct cuda_occupancy *occupancy)
{
    bool known = false;

    pthread_mutex_lock(&occupancies.mutex);
    for (int i = 0; i < occupancies.count && !known; i++) {
        const struct cuda_occupancy *row = &occupancies.row[i];

        known = row->device == occupancy->device && row->threads == occupancy->threads &&
                row->kernel == occupancy->kernel && row->shared == occupancy->shared &&
                row->cluster == occupancy->cluster;
        if (known)
            occupancy->count = row->count;
    }
    pthread_mutex_unlock(&occupancies.mutex);
    return known;
}

void cuda_occupancy_keep(const struct cuda_occupancy *occupancy)
{
    pthread_mutex_lock(&occupancies.mutex);
    if (occupancies.count < (int)(sizeof occupancies.row / sizeof occupancies.row[0]))
        occupancies.row[occupancies.count++] = *occupancy;
    pthread_mutex_unlock(&occupancies.mutex);
}

enum ca_status cuda_resident_blocks(struct cuda *cuda, const void *kernel, int threads,
                                    size_t shared, int *resident, struct ca_error *error)
{
    struct cuda_occupancy blocks = {cuda->device, threads, kernel, shared, 0, 0};

    if (!cuda_occupancy_known(&blocks)) {
        /* Less than what needs no asking would be a limit for launches that take more. */
        if (shared > 48 * 1024)
            CUDA_TRY(cuda,
                     cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          (int)shared),
                     error);
        CUDA_TRY(
            cuda,
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks.count, kernel, threads, shared),
            error);
        cuda_occupancy_keep(&blocks);
    }
    *resident = blocks.count > 0 ? blocks.count : 1;
    return CA_OK;
}

static unsigned blocks(int64_t cells, unsigned threads, int64_t most)
{
    int64_t count = (cells + threads - 1) / threads;

    return (unsigned)(count < 1 ? 1 : count < most ? count : most);
}

dim3 cuda_grid(int64_t x, int64_t y, int64_t z, dim3 block)
{
    return dim3(blocks(x, block.x, 0x7fffffff), blocks(y, block.y, 65535),
                blocks(z, block.z, 65535));
}

void cuda_plan_launch(struct cuda *cuda, dim3 grid, dim3 block, size_t shared_bytes)
{
    struct ca_plan *plan = &cuda->plan;

    plan->grid[0] = grid.x, plan->grid[1] = grid.y, plan->grid[2] = grid.z;
    plan->block[0] = block.x, plan->block[1] = block.y, plan->block[2] = block.z;
    plan->shared_bytes = (int64_t)shared_bytes;
}

void cuda_plan_variant(struct cuda *cuda, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(cuda->plan.variant, sizeof cuda->plan.variant, format, args);
    va_end(args);
}

dim3 cuda_line(int64_t count) { return dim3(blocks(count, 256, 1 << 20)); }

dim3 cuda_resident_line(const struct cuda *cuda, int64_t count)
{
    return dim3(blocks(count, 256, 8 * (int64_t)cuda->facts.multiprocessors));
}

dim3 cuda_small_line(const struct cuda *cuda, int64_t count)
{
    return dim3(blocks(count, CUDA_SMALL_BLOCK, 32 * (int64_t)cuda->facts.multiprocessors));
}

struct cuda_slab cuda_slab_of(const struct cuda *cuda)
{
    const struct ca_setup *setup = &cuda->setup;
    struct cuda_slab slab = {};

    slab.origin = setup->slab.origin;
    slab.size = ca_layers(setup->model, setup->size);
    slab.torus = ca_is_torus(setup) && !setup->slab.ghost_low && !setup->slab.ghost_high;
    return slab;
}

/* --- memory ---------------------------------------------------------------------------------- */

static size_t row_bytes(const struct cuda *cuda) /* of one plane */
{
    return (size_t)cuda->size.w * ca_type_bytes(cuda->setup.model->type);
}

/* The rows of all planes that fit into so many bytes: at least one, and no more than there are. */
static int64_t rows_in(const struct cuda *cuda, int64_t bytes)
{
    int64_t all = ca_rows(cuda->size);
    int64_t rows = bytes / ((int64_t)row_bytes(cuda) * cuda->setup.model->planes);

    return rows < 1 ? 1 : rows < all ? rows : all;
}

template <class T> static void reserve_undefined(struct cuda *cuda, T **pointer, int64_t count)
{
    cuda_reserve_passing(cuda, pointer, count);
    cuda->buffers[cuda->buffer_count - 1].undefined = true;
}

/* CA_NO_MEMORY with the needed and the free bytes, where the device has too little memory. */
static enum ca_status check_memory(struct cuda *cuda, struct ca_error *error)
{
    size_t free_bytes, all_bytes;

    for (int i = 0; i < cuda->buffer_count; i++)
        cuda->plan.memory_bytes += (int64_t)cuda->buffers[i].bytes;
    CUDA_TRY(cuda, cudaMemGetInfo(&free_bytes, &all_bytes), error);
    if ((size_t)cuda->plan.memory_bytes <= free_bytes)
        return CA_OK;
    return ca_fail(error, CA_NO_MEMORY,
                   "%s needs %lld bytes of memory on GPU %d, %zu of its %zu bytes are free",
                   cuda->setup.model->name, (long long)cuda->plan.memory_bytes, cuda->device,
                   free_bytes, all_bytes);
}

/* All kernels were compiled for the same architectures as this one. */
__global__ static void stepper_compiled() {}

static enum ca_status find_early(struct cuda *cuda, struct ca_error *error)
{
    struct cudaFuncAttributes compiled = {};

    CUDA_TRY(cuda, cudaFuncGetAttributes(&compiled, (const void *)stepper_compiled), error);
    cuda->early = cuda->facts.major >= 9 && compiled.ptxVersion >= 90;
    return CA_OK;
}

/* Opens the device, makes the backend's plan and checks the memory, but allocates none of it. */
static enum ca_status prepare(struct cuda *cuda, const struct ca_setup *setup,
                              struct ca_error *error)
{
    const struct ca_backend *backend = setup->backend;

    cuda->ops = (const struct cuda_ops *)backend->ops;
    cuda->setup = *setup;
    cuda->size = setup->size;
    *(setup->model->dimensions == 3 ? &cuda->size.d : &cuda->size.h) = setup->slab.extent;
    cuda->device = (int)ca_int(&setup->options, "device");
    cuda->sent.device = cuda->device;
    CA_TRY(ca_cuda_device(cuda->device, &cuda->facts, error));
    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    CA_TRY(find_early(cuda, error));
    if (cuda->ops->state_size && !(cuda->state = calloc(1, cuda->ops->state_size)))
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    cuda->plan.generations = 1;
    CA_TRY(cuda->ops->plan(cuda, error));
    cuda->plan.bytes_per_cell_step = backend->bytes_per_cell_step / cuda->plan.generations;
    cuda->plan.ops_per_cell_step = backend->ops_per_cell_step;
    if (cuda->ops->access->pack)
        cuda->plan.halo_row_bytes = (int64_t)cuda->ops->access->row_bytes(cuda);
    cuda->plan.hidden_s = cuda_hidden_s(cuda);
    cuda->plan.shrinking = cuda->ops->bands != NULL;
    cuda->plan.period = cuda->period.generations;
    cuda->staging_bytes =
        (size_t)rows_in(cuda, STAGING_BYTES) * row_bytes(cuda) * (size_t)setup->model->planes;
    reserve_undefined(cuda, (char **)&cuda->staging, (int64_t)cuda->staging_bytes);
    reserve_undefined(cuda, &cuda->surveys, 1 + CUDA_SURVEYS);
    return check_memory(cuda, error);
}

static enum ca_status allocate(struct cuda *cuda, struct ca_error *error)
{
    CUDA_TRY(cuda, cudaStreamCreate(&cuda->stream), error);
    for (int i = 0; i < CUDA_SPANS; i++) {
        CUDA_TRY(cuda, cudaEventCreate(&cuda->spans[i].start), error);
        CUDA_TRY(cuda, cudaEventCreate(&cuda->spans[i].stop), error);
    }
    for (int half = 0; half < 2; half++)
        CUDA_TRY(cuda, cudaEventCreateWithFlags(&cuda->arrived[half], cudaEventDisableTiming),
                 error);
    for (int i = 0; i < cuda->buffer_count; i++) {
        size_t bytes = cuda->buffers[i].bytes ? cuda->buffers[i].bytes : 1;

        CUDA_TRY(cuda, cudaMalloc(cuda->buffers[i].pointer, bytes), error);
        if (!cuda->buffers[i].undefined)
            CUDA_TRY(cuda, cudaMemsetAsync(*cuda->buffers[i].pointer, 0, bytes, cuda->stream),
                     error);
    }
    CA_TRY(cuda_edges_create(cuda, error));
    return cuda->ops->start ? cuda->ops->start(cuda, error) : CA_OK;
}

static enum ca_status cuda_stepper_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                        struct ca_error *error)
{
    struct cuda cuda = {};
    enum ca_status status = prepare(&cuda, setup, error);

    *plan = cuda.plan;
    free(cuda.state);
    return status;
}

/* Results are not checked: after a lost device these calls fail too, and nothing more can be freed.
 */
static void destroy(void *self)
{
    struct cuda *cuda = (struct cuda *)self;

    if (!cuda)
        return;
    cudaSetDevice(cuda->device);
    if (cuda->state && cuda->ops->stop)
        cuda->ops->stop(cuda);
    for (int i = 0; i < cuda->buffer_count; i++)
        cudaFree(*cuda->buffers[i].pointer);
    cudaFree(cuda->kept);
    cuda_peers_free(cuda);
    cuda_edges_destroy(cuda);
    if (cuda->pinned)
        cudaFreeHost(cuda->pinned);
    for (int half = 0; half < 2; half++)
        if (cuda->arrived[half])
            cudaEventDestroy(cuda->arrived[half]);
    for (int i = 0; i < CUDA_SPANS; i++) {
        if (cuda->spans[i].start)
            cudaEventDestroy(cuda->spans[i].start);
        if (cuda->spans[i].stop)
            cudaEventDestroy(cuda->spans[i].stop);
    }
    if (cuda->stream)
        cudaStreamDestroy(cuda->stream);
    cudaGetLastError();
    free(cuda->state);
    free(cuda);
}

static enum ca_status create(void **self, const struct ca_setup *setup, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)calloc(1, sizeof *cuda);
    enum ca_status status;

    *self = NULL;
    if (!cuda)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    status = prepare(cuda, setup, error);
    if (status == CA_OK)
        status = allocate(cuda, error);
    if (status != CA_OK) {
        destroy(cuda);
        return status;
    }
    *self = cuda;
    return CA_OK;
}

/* --- cells in and out ------------------------------------------------------------------------ */

static enum ca_status copy(const struct cuda *cuda, void *to, const void *from, size_t bytes,
                           enum cudaMemcpyKind kind, struct ca_error *error)
{
    return cuda_check(cuda, cudaMemcpyAsync(to, from, bytes, kind, cuda->stream), "cudaMemcpyAsync",
                      error);
}

static enum ca_status wait(const struct cuda *cuda, const char *what, struct ca_error *error)
{
    return cuda_check(cuda, cudaStreamSynchronize(cuda->stream), what, error);
}

/*
 * Rows go by pieces through pinned memory, which has room for two: while the device copies and
 * converts one, the host copies the other, and that is what takes the time.
 */
struct piece {
    int64_t first, rows; /* of those that are loaded or stored */
    int half;
    size_t plane_bytes, bytes;   /* of a plane, of all */
    char *host;                  /* one plane after the other, here as on the device */
    void *planes[CA_PLANES_MAX]; /* there */
};

static enum ca_status pin(struct cuda *cuda, struct ca_error *error)
{
    size_t rows = (size_t)rows_in(cuda, PIECE_BYTES);

    if (!cuda->pinned)
        CUDA_TRY(cuda,
                 cudaMallocHost(&cuda->pinned,
                                2 * rows * row_bytes(cuda) * (size_t)cuda->setup.model->planes),
                 error);
    return CA_OK;
}

/* Piece i of so many rows. */
static struct piece piece_of(const struct cuda *cuda, int64_t i, int64_t rows)
{
    int64_t most = rows_in(cuda, PIECE_BYTES);
    struct piece piece = {};

    piece.first = i * most;
    piece.rows = rows - piece.first < most ? rows - piece.first : most;
    piece.half = (int)(i % 2);
    piece.plane_bytes = row_bytes(cuda) * (size_t)piece.rows;
    piece.bytes = piece.plane_bytes * (size_t)cuda->setup.model->planes;
    piece.host = cuda->pinned + (size_t)piece.half * row_bytes(cuda) * (size_t)most *
                                    (size_t)cuda->setup.model->planes;
    for (int p = 0; p < cuda->setup.model->planes; p++)
        piece.planes[p] = (char *)cuda->staging + (size_t)p * piece.plane_bytes;
    return piece;
}

static int64_t pieces(const struct cuda *cuda, int64_t rows)
{
    int64_t most = rows_in(cuda, PIECE_BYTES);

    return (rows + most - 1) / most;
}

static enum ca_status load_piece(struct cuda *cuda, const struct piece *piece,
                                 const void *const planes[], int64_t first, struct ca_error *error)
{
    CUDA_TRY(cuda, cudaEventSynchronize(cuda->arrived[piece->half]), error);
    for (int p = 0; p < cuda->setup.model->planes; p++)
        memcpy(piece->host + (size_t)p * piece->plane_bytes,
               (const char *)planes[p] + row_bytes(cuda) * (size_t)piece->first,
               piece->plane_bytes);
    CA_TRY(copy(cuda, cuda->staging, piece->host, piece->bytes, cudaMemcpyHostToDevice, error));
    CUDA_TRY(cuda, cudaEventRecord(cuda->arrived[piece->half], cuda->stream), error);
    return cuda->ops->access->load(cuda, piece->planes, first + piece->first, piece->rows, error);
}

static enum ca_status load(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;

    cuda->writes++;
    CA_TRY(cuda_enter(cuda, error));
    CA_TRY(pin(cuda, error));
    for (int64_t i = 0; i < pieces(cuda, rows); i++) {
        struct piece piece = piece_of(cuda, i, rows);

        CA_TRY(load_piece(cuda, &piece, planes, first, error));
    }
    return wait(cuda, "load", error);
}

static enum ca_status fetch_piece(struct cuda *cuda, const struct piece *piece, int64_t first,
                                  struct ca_error *error)
{
    CA_TRY(cuda->ops->access->store(cuda, (void *const *)piece->planes, first + piece->first,
                                    piece->rows, error));
    CA_TRY(copy(cuda, piece->host, cuda->staging, piece->bytes, cudaMemcpyDeviceToHost, error));
    return cuda_check(cuda, cudaEventRecord(cuda->arrived[piece->half], cuda->stream),
                      "cudaEventRecord", error);
}

static enum ca_status store_piece(struct cuda *cuda, const struct piece *piece,
                                  void *const planes[], struct ca_error *error)
{
    CA_TRY(cuda_check(cuda, cudaEventSynchronize(cuda->arrived[piece->half]), "store", error));
    for (int p = 0; p < cuda->setup.model->planes; p++)
        memcpy((char *)planes[p] + row_bytes(cuda) * (size_t)piece->first,
               piece->host + (size_t)p * piece->plane_bytes, piece->plane_bytes);
    return CA_OK;
}

static enum ca_status store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    int64_t count = pieces(cuda, rows);

    CA_TRY(cuda_enter(cuda, error));
    CA_TRY(pin(cuda, error));
    for (int64_t i = 0; i <= count; i++) {
        struct piece next = piece_of(cuda, i, rows), last = piece_of(cuda, i - 1, rows);

        if (i < count)
            CA_TRY(fetch_piece(cuda, &next, first, error));
        if (i > 0)
            CA_TRY(store_piece(cuda, &last, planes, error));
    }
    return CA_OK;
}

enum ca_status cuda_scratch_begin(struct cuda *cuda, struct cuda_scratch *scratch, size_t bytes,
                                  struct ca_error *error)
{
    *scratch = {(char *)cuda->staging, NULL};
    CA_TRY(cuda_enter(cuda, error));
    if (bytes > cuda->staging_bytes) {
        CUDA_TRY(cuda, cudaMalloc(&scratch->allocated, bytes), error);
        scratch->memory = (char *)scratch->allocated;
    }
    return CA_OK;
}

void cuda_scratch_end(struct cuda_scratch *scratch) { cudaFree(scratch->allocated); }

/* --- starts and surveys ---------------------------------------------------------------------- */

static enum ca_status init(void *self, bool *made, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;

    *made = false;
    cuda->writes++;
    CA_TRY(cuda_enter(cuda, error));
    if (cuda->ops->access->init)
        CA_TRY(cuda->ops->access->init(cuda, made, error));
    return wait(cuda, "init", error);
}

static enum ca_status survey(void *self, unsigned parts, int64_t first, int64_t rows,
                             struct ca_survey *survey, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    struct ca_survey found = ca_survey_none();

    CA_TRY(cuda_enter(cuda, error));
    CA_TRY(copy(cuda, cuda->surveys, &found, sizeof found, cudaMemcpyHostToDevice, error));
    CA_TRY(cuda->ops->access->survey(cuda, parts, first, rows, cuda->surveys, error));
    CA_TRY(copy(cuda, &found, cuda->surveys, sizeof found, cudaMemcpyDeviceToHost, error));
    CA_TRY(wait(cuda, "survey", error));
    ca_survey_add(survey, &found);
    return CA_OK;
}

/* The surveys' memory holds the counts. */
static enum ca_status states(void *self, int64_t first, int64_t rows, int64_t *cells,
                             struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    unsigned long long found[CA_STATES_MAX];

    static_assert(sizeof found <= (1 + CUDA_SURVEYS) * sizeof(struct ca_survey), "");
    CA_TRY(cuda_enter(cuda, error));
    CUDA_TRY(cuda, cudaMemsetAsync(cuda->surveys, 0, sizeof found, cuda->stream), error);
    CA_TRY(
        cuda->ops->access->states(cuda, first, rows, (unsigned long long *)cuda->surveys, error));
    CA_TRY(copy(cuda, found, cuda->surveys, sizeof found, cudaMemcpyDeviceToHost, error));
    CA_TRY(wait(cuda, "states", error));
    for (int i = 0; i < CA_STATES_MAX; i++)
        cells[i] += (int64_t)found[i];
    return CA_OK;
}

/* --- a copy of the state --------------------------------------------------------------------- */

#define KEPT_ALIGNMENT 256 /* of each buffer's copy, as cudaMalloc gives */

static size_t kept_bytes(const struct cuda *cuda, int buffer)
{
    size_t bytes = cuda->buffers[buffer].passing ? 0 : cuda->buffers[buffer].bytes;

    return (bytes + KEPT_ALIGNMENT - 1) / KEPT_ALIGNMENT * KEPT_ALIGNMENT;
}

static enum ca_status take_kept(struct cuda *cuda, struct ca_error *error)
{
    size_t needed = 0, free_bytes, all_bytes;

    for (int i = 0; i < cuda->buffer_count; i++)
        needed += kept_bytes(cuda, i);
    CUDA_TRY(cuda, cudaMemGetInfo(&free_bytes, &all_bytes), error);
    if (needed <= free_bytes && cudaMalloc(&cuda->kept, needed) == cudaSuccess)
        return CA_OK;
    cudaGetLastError(); /* what is free may be in pieces */
    cuda->kept = NULL;
    return ca_fail(
        error, CA_NO_MEMORY,
        "keeping the state needs %zu bytes of memory on GPU %d, %zu of its %zu bytes are "
        "free",
        needed, cuda->device, free_bytes, all_bytes);
}

/* A step may have exchanged the pointers of buffers since: what counts is where they point now. */
static enum ca_status mark(void *self, enum ca_mark what, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;
    char *kept;

    cuda->writes += what == CA_MARK_BACK;
    CA_TRY(cuda_enter(cuda, error));
    if (what == CA_MARK_DROP) {
        CUDA_TRY(cuda, cudaFree(cuda->kept), error);
        cuda->kept = NULL;
        return CA_OK;
    }
    if (!cuda->kept)
        CA_TRY(take_kept(cuda, error));
    kept = (char *)cuda->kept;
    for (int i = 0; i < cuda->buffer_count; kept += kept_bytes(cuda, i++)) {
        void *state = *cuda->buffers[i].pointer;

        if (!cuda->buffers[i].passing)
            CA_TRY(copy(cuda, what == CA_MARK_KEEP ? kept : state,
                        what == CA_MARK_KEEP ? state : kept, cuda->buffers[i].bytes,
                        cudaMemcpyDeviceToDevice, error));
    }
    return wait(cuda, "mark", error);
}

static void report(const void *self, struct ca_plan *plan)
{
    *plan = ((const struct cuda *)self)->plan;
}

static void read_clock(void *self, struct ca_clock *clock)
{
    *clock = ((struct cuda *)self)->clock;
}

static const struct ca_stepper_observe observe = {.survey = survey,
                                                  .states = states,
                                                  .blocks = cuda_sum_blocks,
                                                  .neighbours = cuda_sum_neighbours};

static const struct ca_stepper_draw draw = {.gather = cuda_gather, .reduce = cuda_reduce};

static const struct ca_stepper_transfer transfer = {
    .send = cuda_send,
    .receive = cuda_receive,
    .share = cuda_share,
    .attach = cuda_attach,
    .detach = cuda_detach,
    .fetch = cuda_fetch,
    .deliver = cuda_deliver,
    .take_host = cuda_take_host,
    .free_host = cuda_free_host,
};

extern "C" const struct ca_stepper cuda_stepper;
const struct ca_stepper cuda_stepper = {
    .plan = cuda_stepper_plan,
    .create = create,
    .destroy = destroy,
    .load = load,
    .store = store,
    .init = init,
    .step = cuda_step,
    .launch = cuda_launch_steps,
    .finish = cuda_finish_steps,
    .mark = mark,
    .report = report,
    .clock = read_clock,
    .observe = &observe,
    .draw = &draw,
    .transfer = &transfer,
};
