/* SPDX-License-Identifier: MIT */
/* This file chooses the measured ceilings for a backend and its threads. */
#include <string.h>

#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/probe/probe.h"

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

/* Several GPUs copy and compute side by side, each its slab, and each launches every pass. */
static struct ca_ceilings of_gpus(const struct ca_probe *probe,
                                  const struct ca_experiment *experiment, double bytes)
{
    struct ca_ceilings sum = {.level = ca_level_names[CA_L2]};
    int index[CA_RANKS_MAX], count = ca_device_list(&experiment->options, index);

    for (int i = 0; i < count; i++)
        if (!add_gpu(&sum, probe, index[i], experiment->model->type, bytes / count))
            return (struct ca_ceilings){0};
    return sum;
}

struct ca_ceilings ca_probe_ceilings(const struct ca_probe *probe,
                                     const struct ca_experiment *experiment,
                                     const struct ca_plan *plan)
{
    double bytes = (double)plan->memory_bytes;
    struct ca_ceilings ceilings = {0};
    enum ca_level level;

    if (experiment->backend->device == CA_CUDA)
        return of_gpus(probe, experiment, bytes);
    ceilings.copy_gb = ca_probe_copy(probe, bytes, plan->threads, &level);
    ceilings.gops = ca_probe_logic(probe, plan->threads);
    ceilings.level = ca_level_names[level];
    return ceilings;
}
