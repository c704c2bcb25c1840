// SPDX-License-Identifier: MIT
/*
 * Owns the order in which passes are launched, on one stream or, of a slab, on two, and their time.
 *
 * A pass goes from one copy of the state to the other. The first and the last bands of a slab are
 * its ends: what they store is sent to the neighbours, and what comes from there is read by them
 * alone. So the first and the last pass between two exchanges are launched in two parts:
 *
 *     first stream     ... pass | rest of the last pass | rest of the first | pass | pass ...
 *     edges' stream             | ends | pack ---------> unpack | ends      |
 *                                          neighbours
 *
 * and an exchange has the time of two rests. The bands, blocks and cells of the parts are those of
 * the whole pass: nothing is stepped twice. A part waits for both parts of the pass before, whose
 * output it reads, and into whose input it writes:
 *
 *     the rest of pass i    after the ends of pass i - 1 (edges.stepped)
 *     the ends of pass i    after the rest of pass i - 1 (edges.rest)
 *
 * The clock counts what lies between the events of spans; the wait for ends is not among it.
 */
#include "core/base/clock.h"
#include "kernels/cuda/stepper.cuh"

#define PASSED UINT32_MAX /* a split that no band reaches */
#define PARTS_S 60e-6     /* a pass that takes less is launched whole */

/* --- time ------------------------------------------------------------------------------------ */

/* Waits for the oldest span that the clock has not counted, and adds its time. */
static enum ca_status count_span(struct cuda *cuda, struct ca_error *error)
{
    int i = (int)(cuda->counted % CUDA_SPANS);
    float ms = 0;

    CA_TRY(cuda_check(cuda, cudaEventSynchronize(cuda->spans[i].stop), "step", error));
    CUDA_TRY(cuda, cudaEventElapsedTime(&ms, cuda->spans[i].start, cuda->spans[i].stop), error);
    cuda->clock.device_s += ms * 1e-3;
    cuda->counted++;
    return CA_OK;
}

static enum ca_status begin_span(struct cuda *cuda, struct ca_error *error)
{
    if (cuda->launched - cuda->counted == CUDA_SPANS)
        CA_TRY(count_span(cuda, error));
    return cuda_check(cuda,
                      cudaEventRecord(cuda->spans[cuda->launched % CUDA_SPANS].start, cuda->stream),
                      "cudaEventRecord", error);
}

static enum ca_status end_span(struct cuda *cuda, struct ca_error *error)
{
    CUDA_TRY(cuda, cudaEventRecord(cuda->spans[cuda->launched % CUDA_SPANS].stop, cuda->stream),
             error);
    cuda->launched++;
    return CA_OK;
}

/* --- two streams ----------------------------------------------------------------------------- */

/* Makes a stream wait for all that has been launched on another. */
static enum ca_status follow(struct cuda *cuda, cudaStream_t stream, cudaStream_t other,
                             cudaEvent_t event, struct ca_error *error)
{
    CUDA_TRY(cuda, cudaEventRecord(event, other), error);
    return cuda_check(cuda, cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent", error);
}

enum ca_status cuda_edges_create(struct cuda *cuda, struct ca_error *error)
{
    struct cuda_edges *edges = &cuda->edges;
    int least, greatest;

    if (!cuda->ops->bands || !(cuda->setup.slab.ghost_low || cuda->setup.slab.ghost_high))
        return CA_OK;
    CUDA_TRY(cuda, cudaDeviceGetStreamPriorityRange(&least, &greatest), error);
    CUDA_TRY(cuda, cudaStreamCreateWithPriority(&edges->stream, cudaStreamDefault, greatest),
             error);
    CUDA_TRY(cuda, cudaEventCreateWithFlags(&edges->stepped, cudaEventDisableTiming), error);
    CUDA_TRY(cuda, cudaEventCreateWithFlags(&edges->joined, cudaEventDisableTiming), error);
    return cuda_check(cuda, cudaEventCreateWithFlags(&edges->rest, cudaEventDisableTiming),
                      "cudaEventCreateWithFlags", error);
}

/* A short pass is over before an exchange is, and two launches of parts cost more than one. */
static bool hides_exchange(const struct cuda *cuda, struct cuda_band_sizes bands, int n)
{
    return bands.layers > 0 && n * cuda->plan.step_s >= PARTS_S;
}

double cuda_hidden_s(const struct cuda *cuda)
{
    const struct ca_slab *slab = &cuda->setup.slab;
    int n = cuda->plan.generations;
    struct cuda_band_sizes bands = {};

    if (cuda->ops->bands && (slab->ghost_low || slab->ghost_high))
        bands = cuda->ops->bands(cuda, n);
    return bands.count > 2 && hides_exchange(cuda, bands, n)
               ? n * cuda->plan.step_s * (double)(bands.count - 2) / (double)bands.count
               : 0;
}

void cuda_edges_destroy(struct cuda *cuda)
{
    struct cuda_edges *edges = &cuda->edges;
    cudaEvent_t events[] = {edges->stepped, edges->joined, edges->rest};

    for (cudaEvent_t event : events)
        if (event)
            cudaEventDestroy(event);
    if (edges->stream)
        cudaStreamDestroy(edges->stream);
}

/* Makes the first stream wait for the edges'. */
static enum ca_status join(struct cuda *cuda, struct ca_error *error)
{
    struct cuda_edges *edges = &cuda->edges;

    if (edges->open)
        CA_TRY(follow(cuda, cuda->stream, edges->stream, edges->joined, error));
    edges->open = edges->own_ends = false;
    return CA_OK;
}

enum ca_status cuda_enter(struct cuda *cuda, struct ca_error *error)
{
    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    return join(cuda, error);
}

enum ca_status cuda_enter_edges(struct cuda *cuda, int64_t halo_rows, cudaStream_t *stream,
                                struct ca_error *error)
{
    struct cuda_edges *edges = &cuda->edges;

    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    *stream = cuda->stream;
    if (!edges->stream)
        return CA_OK;
    edges->halo = cuda->setup.model->dimensions == 3 ? halo_rows / cuda->size.h : halo_rows;
    if (!edges->own_ends)
        CA_TRY(follow(cuda, edges->stream, cuda->stream, edges->joined, error));
    edges->own_ends = edges->open = true;
    *stream = edges->stream;
    return CA_OK;
}

/* --- a pass ---------------------------------------------------------------------------------- */

static enum ca_status launch_bands(struct cuda *cuda, cudaStream_t stream, struct cuda_bands bands,
                                   uint64_t t, int n, struct ca_error *error)
{
    cudaStream_t first = cuda->stream;
    enum ca_status status;

    cuda->bands = bands;
    cuda->stream = stream;
    status = cuda->ops->pass(cuda, t, n, error);
    cuda->stream = first;
    return status;
}

/* The end bands of a pass: those that read a halo, of a first pass, or store what is sent, of a
 * last one. None where no bands would be left between them. */
struct ends {
    int64_t low, high;
};

static struct ends ends_of(const struct cuda *cuda, struct cuda_band_sizes bands, int n, bool first,
                           bool last)
{
    const struct ca_slab *slab = &cuda->setup.slab;
    int64_t halo = cuda->edges.halo, reach = first ? halo + n * cuda->setup.model->radius : 0;
    int64_t size = cuda->setup.model->dimensions == 3 ? cuda->size.d : cuda->size.h;
    struct ends ends = {};

    if (last && reach < 2 * halo)
        reach = 2 * halo;
    if (reach > size)
        reach = size;
    if (slab->ghost_low)
        ends.low = (reach + bands.layers - 1) / bands.layers;
    if (slab->ghost_high)
        ends.high = bands.count - (size - reach) / bands.layers;
    return ends.low + ends.high < bands.count ? ends : (struct ends){};
}

/* Makes the first stream wait for the ends, or for all of their stream; that is no step. */
static enum ca_status wait_for_ends(struct cuda *cuda, bool all, struct ca_error *error)
{
    if (!cuda->edges.open)
        return CA_OK;
    CA_TRY(end_span(cuda, error));
    if (all)
        CA_TRY(join(cuda, error));
    else
        CUDA_TRY(cuda, cudaStreamWaitEvent(cuda->stream, cuda->edges.stepped, 0), error);
    return begin_span(cuda, error);
}

static enum ca_status whole_pass(struct cuda *cuda, struct cuda_band_sizes bands, uint64_t t, int n,
                                 struct ca_error *error)
{
    CA_TRY(wait_for_ends(cuda, true, error));
    return launch_bands(cuda, cuda->stream, {(uint32_t)bands.count, 0, PASSED, 0, false}, t, n,
                        error);
}

/* The ends come first, so that what waits for them starts early; in a first pass they wait for
 * halos, while the rest runs. */
static enum ca_status pass_in_parts(struct cuda *cuda, struct cuda_band_sizes bands,
                                    struct ends ends, uint64_t t, int n, struct ca_error *error)
{
    struct cuda_edges *edges = &cuda->edges;
    int64_t between = bands.count - ends.low - ends.high;
    struct cuda_bands rest = {(uint32_t)between, (uint32_t)ends.low, PASSED, 0, true};
    struct cuda_bands both = {(uint32_t)(ends.low + ends.high), 0, (uint32_t)ends.low,
                              (uint32_t)between, false};

    CUDA_TRY(cuda, cudaEventRecord(edges->rest, cuda->stream), error);
    CA_TRY(wait_for_ends(cuda, false, error));
    CUDA_TRY(cuda, cudaStreamWaitEvent(edges->stream, edges->rest, 0), error);
    CA_TRY(launch_bands(cuda, edges->stream, both, t, n, error));
    CUDA_TRY(cuda, cudaEventRecord(edges->stepped, edges->stream), error);
    edges->open = edges->own_ends = true;
    return launch_bands(cuda, cuda->stream, rest, t, n, error);
}

static enum ca_status pass(struct cuda *cuda, uint64_t t, int n, bool last, struct ca_error *error)
{
    bool first = cuda->edges.received;
    struct cuda_band_sizes bands = {};
    struct ends ends = {};

    if (cuda->ops->bands)
        bands = cuda->ops->bands(cuda, n);
    if (cuda->edges.halo > 0 && (first || last) && hides_exchange(cuda, bands, n))
        ends = ends_of(cuda, bands, n, first, last);
    cuda->edges.received = false;
    if (ends.low + ends.high == 0)
        CA_TRY(whole_pass(cuda, bands, t, n, error));
    else
        CA_TRY(pass_in_parts(cuda, bands, ends, t, n, error));
    cuda->ops->swap(cuda);
    return CA_OK;
}

/* --- steps ----------------------------------------------------------------------------------- */

/* In passes that are as equal as can be. */
static enum ca_status passes(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    uint64_t most = (uint64_t)cuda->plan.generations, count;

    for (uint64_t left = (n + most - 1) / most; left > 0; left--, t += count, n -= count) {
        count = (n + left - 1) / left;
        CA_TRY(pass(cuda, t, (int)count, left == 1, error));
    }
    return CA_OK;
}

enum ca_status cuda_launch_steps(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;

    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    CA_TRY(begin_span(cuda, error));
    CA_TRY(cuda->ops->pass ? passes(cuda, t, n, error) : cuda->ops->step(cuda, t, n, error));
    return end_span(cuda, error);
}

enum ca_status cuda_finish_steps(void *self, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;

    CA_TRY(cuda_enter(cuda, error));
    while (cuda->counted < cuda->launched)
        CA_TRY(count_span(cuda, error));
    return cuda->edges.stream ? cuda_check(cuda, cudaStreamSynchronize(cuda->stream), "step", error)
                              : CA_OK;
}

enum ca_status cuda_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    CA_TRY(cuda_launch_steps(self, t, n, error));
    return cuda_finish_steps(self, error);
}

/* --- steps that copy ------------------------------------------------------------------------- */

enum ca_status cuda_transfer_begin(struct cuda *cuda, double *since, struct ca_error *error)
{
    CA_TRY(end_span(cuda, error));
    CA_TRY(cuda_finish_steps(cuda, error));
    *since = ca_now();
    return CA_OK;
}

enum ca_status cuda_transfer_end(struct cuda *cuda, double since, struct ca_error *error)
{
    CA_TRY(cuda_check(cuda, cudaStreamSynchronize(cuda->stream), "transfer", error));
    cuda->clock.transfer_s += ca_now() - since;
    return begin_span(cuda, error);
}
