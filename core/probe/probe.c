/* SPDX-License-Identifier: MIT */
/* The probe measures the ceilings of the CPU. Each figure is the best of several short windows,
 * because the load of other programs does not belong to the machine. */
#include "core/probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/machine/thread_pool.h"
#include "core/probe/loops.h"
#include "core/base/clock.h"

#define WINDOW_S 0.012
#define WINDOWS 5
#define ROUNDS_LOGIC 4096
#define ALIGN 512

const char *const ca_level_names[CA_LEVELS] = {"L1", "L2", "L3", "memory"};

enum work { COPY, STREAM, LOGIC };

struct job { /* of all workers */
    const struct probe_loops *loops;
    enum work work;
    size_t bytes; /* of each of a worker's two arrays */
    struct ca_thread_pool *pool;
    struct worker {
        uint8_t *from, *to;
        double rate; /* units per second of the best window */
    } * worker;
};

/* --- what others do ----------------------------------------------------------------------------
 */

bool ca_probe_again(struct ca_probe_watch *watch, const struct ca_interference *sample)
{
    bool disturbed;

    if (sample->speed > watch->best_speed)
        watch->best_speed = sample->speed;
    disturbed = ca_interference_judge(sample, watch->best_speed) == CA_DISTURBED;
    if (disturbed && watch->left_s > 0) {
        watch->left_s -= sample->seconds;
        return true;
    }
    ca_disturbance_add(&watch->disturbance, sample, watch->best_speed);
    return false;
}

void ca_probe_mark(struct ca_probe *probe, const struct ca_probe_watch *watch)
{
    probe->others[0] = '\0';
    if (watch->disturbance.disturbed > 0)
        ca_disturbance_text(probe->others, &watch->disturbance);
}

/* One measurement of all ceilings. */
struct probing {
    struct ca_probe *probe;
    struct ca_probe_watch watch;
    struct ca_meter meter;
    void (*progress)(void *context, const char *what);
    void *context;
};

static void tell_progress(const struct probing *probing, const char *what)
{
    if (probing->progress)
        probing->progress(probing->context, what);
}

/* --- the CPU ------------------------------------------------------------------------------------
 */

/* Runs one window and returns its units, 10^9 bytes or operations. */
static double piece(const struct job *job, const struct worker *worker)
{
    volatile uint64_t result;

    switch (job->work) {
    case COPY:
        job->loops->copy(worker->to, worker->from, job->bytes);
        return 2e-9 * (double)job->bytes;
    case STREAM:
        job->loops->stream(worker->to, worker->from, job->bytes);
        return 2e-9 * (double)job->bytes;
    default:
        result = job->loops->logic(ROUNDS_LOGIC);
        (void)result;
        return 1e-9 * (double)(job->loops->logic_ops * ROUNDS_LOGIC);
    }
}

/* The windows of all workers start together. */
static void cpu_probe_work(void *context, int index)
{
    struct job *job = context;
    struct worker *worker = &job->worker[index];

    for (int window = 0; window <= WINDOWS; window++) {
        double units = 0, start, now;

        ca_thread_pool_barrier(job->pool);
        start = ca_now();
        do {
            for (int i = 0; i < (job->bytes < 65536 ? 16 : 1); i++)
                units += piece(job, worker);
            now = ca_now();
        } while (now - start < WINDOW_S);
        if (window > 0 && units / (now - start) > worker->rate) /* the first one warms up */
            worker->rate = units / (now - start);
    }
}

/* Measures the rate of `threads` workers with arrays of `bytes` each. */
static enum ca_status cpu_probe_measure(double *rate, enum ca_isa isa, enum work kind, size_t bytes,
                                        int threads, struct ca_error *error)
{
    struct job job = {.loops = &probe_loops[isa], .work = kind, .bytes = bytes / ALIGN * ALIGN};
    struct worker *worker = calloc((size_t)threads, sizeof *worker);
    enum ca_status status = CA_OK;

    *rate = 0;
    if (!worker)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %d threads", threads);
    job.worker = worker;
    for (int i = 0; i < threads && status == CA_OK; i++) {
        void *from = NULL, *to = NULL;

        if (posix_memalign(&from, 4096, job.bytes) != 0 ||
            posix_memalign(&to, 4096, job.bytes + 4096) != 0)
            status = ca_fail(error, CA_NO_MEMORY, "no memory to copy %zu bytes", job.bytes);
        else
            memset(to, 2, job.bytes + 4096);
        if (status == CA_OK)
            memset(from, 1, job.bytes);
        worker[i].from = from;
        worker[i].to = to;
    }
    if (status == CA_OK)
        status = ca_thread_pool_create(&job.pool, threads, error);
    if (status == CA_OK)
        ca_thread_pool_run(job.pool, cpu_probe_work, &job);
    ca_thread_pool_destroy(job.pool);
    for (int i = 0; i < threads; i++) {
        *rate += worker[i].rate;
        free(worker[i].from);
        free(worker[i].to);
    }
    free(worker);
    return status;
}

/* The two arrays of a worker take half of a private cache, or its share of half of L3. */
static size_t array_bytes(const struct ca_probe *probe, int level, int threads)
{
    int64_t l3 = probe->level[CA_L3].bytes;

    if (level < CA_L3)
        return (size_t)probe->level[level].bytes / 4;
    if (level == CA_L3)
        return (size_t)(l3 / 4 / threads);
    return (size_t)((l3 * 2 > (64 << 20) ? l3 * 2 : 64 << 20) / threads);
}

/* The best of all repeats counts: others cannot make the machine faster. */
static enum ca_status measure_figure(struct probing *probing, double *rate, enum work kind,
                                     size_t bytes, int threads, struct ca_error *error)
{
    struct ca_interference sample;
    double again;

    *rate = 0;
    probing->meter.threads = threads;
    do {
        ca_meter_start(&probing->meter);
        CA_TRY(cpu_probe_measure(&again, probing->probe->isa, kind, bytes, threads, error));
        ca_meter_stop(&probing->meter, &sample);
        *rate = again > *rate ? again : *rate;
    } while (ca_probe_again(&probing->watch, &sample));
    return CA_OK;
}

static enum ca_status measure_cpu(struct probing *probing, struct ca_error *error)
{
    struct ca_probe *probe = probing->probe;
    char what[64];

    for (int which = 0; which < 2; which++) {
        int threads = which ? probe->threads : 1;

        if (which == 1 && probe->threads == 1) {
            for (int i = 0; i < CA_LEVELS; i++) {
                probe->level[i].copy_gb[1] = probe->level[i].copy_gb[0];
                probe->level[i].stream_gb[1] = probe->level[i].stream_gb[0];
            }
            probe->logic_gops[1] = probe->logic_gops[0];
            return CA_OK;
        }
        for (int level = 0; level < CA_LEVELS; level++) {
            snprintf(what, sizeof what, "copying in %s by %s", ca_level_names[level],
                     which ? "all threads" : "one thread");
            tell_progress(probing, what);
            CA_TRY(measure_figure(probing, &probe->level[level].copy_gb[which], COPY,
                                  array_bytes(probe, level, threads), threads, error));
            CA_TRY(measure_figure(probing, &probe->level[level].stream_gb[which], STREAM,
                                  array_bytes(probe, level, threads), threads, error));
        }
        tell_progress(probing, which ? "logic by all threads" : "logic by one thread");
        CA_TRY(measure_figure(probing, &probe->logic_gops[which], LOGIC, ALIGN, threads, error));
    }
    return CA_OK;
}

/* --- GPUs ---------------------------------------------------------------------------------------
 */

/* All figures of a GPU are one sample. The time of an emulated GPU is not a ceiling. */
static enum ca_status measure_gpu(struct probing *probing, int index,
                                  const struct ca_cuda_device *device, struct ca_error *error)
{
    struct ca_gpu_probe *gpu = &probing->probe->gpu[probing->probe->gpus], again;
    struct ca_interference sample;

    memset(gpu, 0, sizeof *gpu);
    memcpy(gpu->name, device->name, sizeof gpu->name);
    gpu->l2_bytes = device->l2_bytes;
    gpu->emulated = ca_cuda_emulated();
    if (gpu->emulated)
        return CA_OK;
    probing->meter.threads = 1;
    probing->meter.gpus = 1;
    probing->meter.gpu[0] = index;
    CA_TRY(ca_gpu_probe_measure(gpu, index, error)); /* the first one warms up */
    do {
        ca_meter_start(&probing->meter);
        CA_TRY(ca_gpu_probe_measure(&again, index, error));
        ca_meter_stop(&probing->meter, &sample);
        for (int r = 0; r < CA_GPU_RATES; r++)
            if (again.rate[r] > gpu->rate[r])
                gpu->rate[r] = again.rate[r];
    } while (ca_probe_again(&probing->watch, &sample));
    return CA_OK;
}

static enum ca_status measure_gpus(struct probing *probing, struct ca_error *error)
{
    struct ca_probe *probe = probing->probe;
    char what[192];

    for (int i = 0, n = ca_cuda_devices(); i < n && probe->gpus < CA_PROBE_GPUS; i++) {
        struct ca_cuda_device device;

        CA_TRY(ca_cuda_device(i, &device, error));
        if (ca_probe_gpu(probe, device.name))
            continue;
        snprintf(what, sizeof what, "GPU %d: %s", i, device.name);
        tell_progress(probing, what);
        CA_TRY(measure_gpu(probing, i, &device, error));
        probe->gpus++;
    }
    return CA_OK;
}

enum ca_status ca_probe_measure(struct ca_probe *probe,
                                void (*progress)(void *context, const char *what), void *context,
                                struct ca_error *error)
{
    struct probing probing = {.probe = probe,
                              .watch = {.left_s = CA_PROBE_REPEAT_S},
                              .progress = progress,
                              .context = context};
    int64_t bytes[CA_CACHES];
    struct ca_device device;

    memset(probe, 0, sizeof *probe);
    ca_device_cpu(&device);
    memcpy(probe->cpu, device.name, sizeof probe->cpu);
    if (gethostname(probe->host, sizeof probe->host - 1) != 0)
        strcpy(probe->host, "unknown");
    ca_date(probe->date);
    probe->isa = ca_cpu_isa();
    probe->threads = device.cores;
    ca_cpu_caches(bytes);
    for (int i = CA_L1; i < CA_MEMORY; i++)
        probe->level[i].bytes = bytes[i] >= 4 * ALIGN ? bytes[i] : 4 * ALIGN;
    ca_meter_open(&probing.meter, NULL, NULL, 1);
    CA_TRY(measure_cpu(&probing, error));
    CA_TRY(measure_gpus(&probing, error));
    ca_probe_mark(probe, &probing.watch);
    return CA_OK;
}

/* --- the ceilings for a backend and its threads ----------------------------------------------- */

static double larger(double a, double b) { return a > b ? a : b; }

static double scaled(double one, double all, int threads)
{
    return one * threads < all || threads == 1 ? one * threads : all;
}

double ca_probe_copy(const struct ca_probe *probe, double bytes, int threads, enum ca_level *level)
{
    const double *copy, *stream;
    int i = CA_L1;

    threads = threads <= 0 || threads > probe->threads ? probe->threads : threads;
    while (i < CA_MEMORY && bytes > (double)probe->level[i].bytes * (i < CA_L3 ? threads : 1))
        i++;
    copy = probe->level[i].copy_gb;
    stream = probe->level[i].stream_gb;
    if (level)
        *level = (enum ca_level)i;
    if (threads == probe->threads)
        return larger(copy[1], stream[1]);
    return scaled(larger(copy[0], stream[0]), larger(copy[1], stream[1]), threads);
}

double ca_probe_logic(const struct ca_probe *probe, int threads)
{
    threads = threads <= 0 || threads > probe->threads ? probe->threads : threads;
    if (threads == probe->threads)
        return probe->logic_gops[1];
    return scaled(probe->logic_gops[0], probe->logic_gops[1], threads);
}

const struct ca_gpu_probe *ca_probe_gpu(const struct ca_probe *probe, const char *name)
{
    for (int i = 0; i < probe->gpus; i++)
        if (strcmp(probe->gpu[i].name, name) == 0)
            return &probe->gpu[i];
    return NULL;
}

/* Adds the ceilings of one GPU that holds so many bytes of the state. False: it has not been
 * probed. */
static bool add_gpu(struct ca_ceilings *sum, const struct ca_probe *probe, int index,
                    enum ca_type type, double bytes)
{
    const struct ca_gpu_probe *gpu;
    struct ca_cuda_device device;
    struct ca_error ignored;

    if (ca_cuda_device(index, &device, &ignored) != CA_OK ||
        !(gpu = ca_probe_gpu(probe, device.name)))
        return false;
    if (bytes > (double)gpu->l2_bytes) {
        sum->level = ca_level_names[CA_MEMORY];
        sum->copy_gb += larger(gpu->rate[CA_GPU_COPY], gpu->rate[CA_GPU_KERNEL_COPY]);
    } else {
        sum->copy_gb += gpu->rate[CA_GPU_L2_COPY];
    }
    sum->gops += gpu->rate[type == CA_F32 ? CA_GPU_FLOAT : CA_GPU_LOGIC];
    if (sum->launches == 0 || sum->launches > 1e3 * gpu->rate[CA_GPU_LAUNCH])
        sum->launches = 1e3 * gpu->rate[CA_GPU_LAUNCH];
    return true;
}

struct ca_ceilings ca_probe_ceilings(const struct ca_probe *probe,
                                     const struct ca_experiment *experiment,
                                     const struct ca_plan *plan)
{
    double bytes = (double)plan->memory_bytes;
    struct ca_ceilings ceilings = {0};
    enum ca_level level;

    /* Several GPUs copy and compute side by side, each its slab, and each launches every pass. */
    if (experiment->backend->device == CA_CUDA) {
        int index[CA_RANKS_MAX], count = ca_device_list(&experiment->options, index);

        ceilings.level = ca_level_names[CA_L2];
        for (int i = 0; i < count; i++)
            if (!add_gpu(&ceilings, probe, index[i], experiment->model->type, bytes / count))
                return (struct ca_ceilings){0};
        return ceilings;
    }
    ceilings.copy_gb = ca_probe_copy(probe, bytes, plan->threads, &level);
    ceilings.gops = ca_probe_logic(probe, plan->threads);
    ceilings.level = ca_level_names[level];
    return ceilings;
}
