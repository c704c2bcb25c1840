// SPDX-License-Identifier: MIT
/*
 * This file launches passes in order, on one stream or, of a slab, on two, and takes their time.
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
 * the whole pass: nothing is stepped twice. Each pass stores less of the halos than the one before,
 * and the last one before an exchange nothing of them; a kernel whose blocks hold their cells on
 * the chip takes the more generations in a pass, the less of the halos is left. A part waits for
 * both parts of the pass before, whose output it reads, and into whose input it writes:
 *
 *     the rest of pass i    after the ends of pass i - 1 (edges.stepped)
 *     the ends of pass i    after the rest of pass i - 1 (edges.rest)
 *
 * The clock counts what lies between the events of spans; the wait for ends is not among it. Two
 * such events between passes cost 6 us, which slabs would pay in each exchange: of their launches
 * one of TIMED_OF is timed, and the others count by what a generation of these takes.
 */
#include "core/base/clock.h"
#include "kernels/cuda/stepper.cuh"

#define PASSED UINT32_MAX /* a split that no band reaches */
#define TIMED_OF 16
#define ENDLESS UINT64_MAX /* generations that halos serve where nobody says how many */
#define PARTS_S 60e-6      /* a pass that takes less is launched whole */

/* --- time ------------------------------------------------------------------------------------ */

/* Waits for the oldest span that the clock has not counted, and adds its time. */
static enum ca_status count_span(struct cuda *cuda, struct ca_error *error)
{
    int i = (int)(cuda->counted % CUDA_SPANS);
    float ms = 0;

    CA_TRY(cuda_check(cuda, cudaEventSynchronize(cuda->spans[i].stop), "step", error));
    CUDA_TRY(cuda, cudaEventElapsedTime(&ms, cuda->spans[i].start, cuda->spans[i].stop), error);
    cuda->timed.seconds += ms * 1e-3;
    cuda->counted++;
    return CA_OK;
}

static bool is_slab(const struct cuda *cuda) { return cuda_halo(cuda) > 0; }

/* Whether the next launch is timed: of a call the first one always. */
static bool next_is_timed(struct cuda *cuda)
{
    return !is_slab(cuda) || cuda->timed.launches++ % TIMED_OF == 0;
}

/* Adds the steps of a call, whose spans have all been counted, to the clock. */
static void add_to_clock(struct cuda *cuda)
{
    const struct cuda_timed *timed = &cuda->timed;

    if (timed->generations > 0)
        cuda->clock.device_s +=
            timed->seconds * (1 + (double)timed->others / (double)timed->generations);
    cuda->timed = {};
}

static enum ca_status count_spans(struct cuda *cuda, struct ca_error *error)
{
    while (cuda->counted < cuda->launched)
        CA_TRY(count_span(cuda, error));
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

/* --- what a pass stores ---------------------------------------------------------------------- */

int64_t cuda_halo(const struct cuda *cuda)
{
    const struct ca_slab *slab = &cuda->setup.slab;

    return slab->ghost_low > slab->ghost_high ? slab->ghost_low : slab->ghost_high;
}

static int64_t layers_of(const struct cuda *cuda)
{
    return cuda->setup.model->dimensions == 3 ? cuda->size.d : cuda->size.h;
}

/* As many layers are left out at an end, an even number, as shares begin at even ones. */
static struct cuda_layers layers_without(const struct cuda *cuda, int64_t less)
{
    const struct ca_slab *slab = &cuda->setup.slab;

    less &= ~INT64_C(1);
    return {slab->ghost_low ? less : 0, layers_of(cuda) - (slab->ghost_high ? less : 0)};
}

int64_t cuda_stored_layers(const struct cuda *cuda, int n)
{
    int64_t spoiled = (int64_t)n * cuda->setup.model->radius;
    struct cuda_layers stored = layers_without(cuda, spoiled);

    return stored.end > stored.from ? cuda_layers_count(stored) : layers_of(cuda);
}

/* The layers that a pass stores if halos serve so many generations after it. */
static struct cuda_layers layers_for(const struct cuda *cuda, uint64_t served)
{
    int64_t halo = cuda_halo(cuda), radius = cuda->setup.model->radius;

    return layers_without(cuda,
                          served < (uint64_t)(halo / radius) ? halo - (int64_t)served * radius : 0);
}

/* --- the passes of a period --------------------------------------------------------------------
 */

/* The generations of the pass that costs least for each of them, where halos serve `served` after
 * it; 0: there is none. */
static int best_pass(struct cuda *cuda, int least, int most, int served, double *step_s)
{
    int best = 0;

    cuda->stored = layers_for(cuda, (uint64_t)served);
    for (int n = least; n <= most; n++) {
        double its = cuda->ops->bound(cuda, n);

        if (its > 0 && (best == 0 || its < *step_s)) {
            best = n;
            *step_s = its;
        }
    }
    return best;
}

double cuda_plan_period(struct cuda *cuda, int least, int most, struct cuda_period *period)
{
    int64_t served = cuda_halo(cuda) / cuda->setup.model->radius;
    double step_s = 0, all = 0;

    *period = {};
    while (period->count < CUDA_PERIOD_PASSES) {
        int n = best_pass(cuda, least, most, period->generations, &step_s);

        if (n == 0 || (period->count > 0 && period->generations + n > served))
            break;
        period->pass[period->count++] = most = n;
        period->generations += n;
        all += n * step_s;
    }
    cuda->stored = layers_for(cuda, 0);
    return period->count > 0 ? all / period->generations : 0;
}

/* The generations of the next pass of n that are left, where halos serve `served`. */
static uint64_t planned_pass(const struct cuda_period *period, uint64_t n, uint64_t served)
{
    uint64_t behind = 0; /* of the passes after it */
    int i = 0;

    while (behind + (uint64_t)period->pass[i] < served) {
        behind += (uint64_t)period->pass[i];
        i += i + 1 < period->count;
    }
    return n < served - behind ? n : served - behind;
}

static uint64_t equal_pass(const struct cuda *cuda, uint64_t n)
{
    uint64_t most = (uint64_t)cuda->plan.generations, passes = (n + most - 1) / most;

    return (n + passes - 1) / passes;
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

    if (cuda->plan.hidden_s == 0)
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

double cuda_hidden_s(struct cuda *cuda)
{
    int n = cuda->plan.generations;
    struct cuda_band_sizes bands = {};

    cuda->stored = layers_for(cuda, ENDLESS);
    if (cuda->ops->bands && is_slab(cuda))
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

enum ca_status cuda_enter_edges(struct cuda *cuda, cudaStream_t *stream, struct ca_error *error)
{
    struct cuda_edges *edges = &cuda->edges;

    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    *stream = cuda->stream;
    if (!edges->stream)
        return CA_OK;
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
    cuda->bands.stored = cuda->stored;
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
    int64_t halo = cuda_halo(cuda), reach = first ? halo + n * cuda->setup.model->radius : 0;
    int64_t size = layers_of(cuda), from = cuda->stored.from;
    struct ends ends = {};

    if (last && reach < 2 * halo)
        reach = 2 * halo;
    if (reach > size)
        reach = size;
    if (slab->ghost_low)
        ends.low = (reach - from + bands.layers - 1) / bands.layers;
    if (slab->ghost_high)
        ends.high = bands.count - (size - reach - from) / bands.layers;
    return ends.low + ends.high < bands.count ? ends : (struct ends){};
}

/* Makes the first stream wait for the ends, or for all of their stream; that is no step. */
static enum ca_status wait_for_ends(struct cuda *cuda, bool all, struct ca_error *error)
{
    if (!cuda->edges.open)
        return CA_OK;
    if (cuda->timed.now)
        CA_TRY(end_span(cuda, error));
    if (all)
        CA_TRY(join(cuda, error));
    else
        CUDA_TRY(cuda, cudaStreamWaitEvent(cuda->stream, cuda->edges.stepped, 0), error);
    return cuda->timed.now ? begin_span(cuda, error) : CA_OK;
}

static enum ca_status whole_pass(struct cuda *cuda, struct cuda_band_sizes bands, uint64_t t, int n,
                                 struct ca_error *error)
{
    CA_TRY(wait_for_ends(cuda, true, error));
    return launch_bands(cuda, cuda->stream, {(uint32_t)bands.count, 0, PASSED}, t, n, error);
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

/* After the last pass of a launch halos serve `served` generations. */
static enum ca_status make_pass(struct cuda *cuda, uint64_t t, int n, bool last, uint64_t served,
                                struct ca_error *error)
{
    bool first = cuda->edges.received;
    struct cuda_band_sizes bands = {};
    struct ends ends = {};

    cuda->stored = layers_for(cuda, served);
    if (cuda->ops->bands)
        bands = cuda->ops->bands(cuda, n);
    if (cuda->edges.stream && (first || last) && hides_exchange(cuda, bands, n))
        ends = ends_of(cuda, bands, n, first, last);
    cuda->edges.received = false;
    if (ends.low + ends.high == 0)
        CA_TRY(whole_pass(cuda, bands, t, n, error));
    else
        CA_TRY(pass_in_parts(cuda, bands, ends, t, n, error));
    if (cuda->ops->swap)
        cuda->ops->swap(cuda);
    return CA_OK;
}

/* --- steps ----------------------------------------------------------------------------------- */

static enum ca_status passes(struct cuda *cuda, uint64_t t, uint64_t n, uint64_t served,
                             struct ca_error *error)
{
    bool planned = cuda->period.count > 0 && is_slab(cuda) && served != ENDLESS;

    for (uint64_t count; n > 0; t += count, n -= count) {
        count = planned ? planned_pass(&cuda->period, n, served) : equal_pass(cuda, n);
        served -= served == ENDLESS ? 0 : count;
        CA_TRY(make_pass(cuda, t, (int)count, count == n, served, error));
    }
    return CA_OK;
}

enum ca_status cuda_launch_steps(void *self, uint64_t t, uint64_t n, uint64_t served,
                                 struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;

    struct cuda_timed *timed = &cuda->timed;

    CUDA_TRY(cuda, cudaSetDevice(cuda->device), error);
    timed->now = next_is_timed(cuda);
    *(timed->now ? &timed->generations : &timed->others) += n;
    if (timed->now)
        CA_TRY(begin_span(cuda, error));
    CA_TRY(passes(cuda, t, n, served, error));
    return timed->now ? end_span(cuda, error) : CA_OK;
}

enum ca_status cuda_finish_steps(void *self, struct ca_error *error)
{
    struct cuda *cuda = (struct cuda *)self;

    CA_TRY(cuda_enter(cuda, error));
    CA_TRY(count_spans(cuda, error));
    add_to_clock(cuda);
    if (is_slab(cuda))
        CA_TRY(cuda_check(cuda, cudaStreamSynchronize(cuda->stream), "step", error));
    return cuda->ops->finish ? cuda->ops->finish(cuda, error) : CA_OK;
}

enum ca_status cuda_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    CA_TRY(cuda_launch_steps(self, t, n, ENDLESS, error));
    return cuda_finish_steps(self, error);
}

/* --- steps that copy ------------------------------------------------------------------------- */

enum ca_status cuda_transfer_begin(struct cuda *cuda, double *since, struct ca_error *error)
{
    if (cuda->timed.now)
        CA_TRY(end_span(cuda, error));
    CA_TRY(cuda_enter(cuda, error));
    CA_TRY(count_spans(cuda, error));
    *since = ca_now();
    return CA_OK;
}

enum ca_status cuda_transfer_end(struct cuda *cuda, double since, struct ca_error *error)
{
    CA_TRY(cuda_check(cuda, cudaStreamSynchronize(cuda->stream), "transfer", error));
    cuda->clock.transfer_s += ca_now() - since;
    return cuda->timed.now ? begin_span(cuda, error) : CA_OK;
}
